"""Preshaders: the comment PRES of SM1-3, code that computes constants before the shader runs.

Layout: seen in what the effect compiler writes; there is no public header. The payload is a
version, then comments of its own: CTAB (inputs), CLIT (float64 literals), FXLC (instructions), PRSI
(where results go, which listings do not show), then an end token.
"""

from __future__ import annotations

import struct
from dataclasses import field
from enum import IntEnum

from softd3d.bits import ByteReader, Field
from softd3d.classes import dataclass
from softd3d.container.comments.ctab import TAG as CTAB
from softd3d.container.comments.ctab import ConstantTable, parse_ctab
from softd3d.errors import ContainerError
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode

__all__ = [
    "TAG",
    "Preshader",
    "PreshaderIndex",
    "PreshaderInstruction",
    "PreshaderOpcode",
    "PreshaderOperand",
    "PreshaderTable",
    "parse_code",
    "parse_preshader",
]

TAG = b"PRES"
_LITERALS = b"CLIT"
_CODE = b"FXLC"
_DWORD = 4
_HEAD_DWORDS = 2  # a comment's token and four characters

COMPONENTS = Field(15, 0)
OPCODE = Field(30, 20)
SCALAR = Field(31, 31)
_MOST_COMPONENTS = 4
_MOST_INPUTS = 16


class PreshaderOpcode(IntEnum):
    """Opcodes under the names that Microsoft's disassembler has for them."""

    MOV = 0x100
    NEG = 0x101
    RCP = 0x103
    FRC = 0x104
    EXP = 0x105
    LOG = 0x106
    RSQ = 0x107
    SIN = 0x108
    COS = 0x109
    ASIN = 0x10A
    ACOS = 0x10B
    ATAN = 0x10C
    SQRT = 0x112
    INEG = 0x120
    NOT = 0x121
    ITOF = 0x130
    UTOF = 0x131
    FTOI = 0x132
    FTOU = 0x133
    BTOF = 0x134
    BTOI = 0x135
    ITOB = 0x136
    FTOB = 0x137
    ROUND = 0x138
    FLOOR = 0x139
    CEIL = 0x13A
    MIN = 0x200
    MAX = 0x201
    LT = 0x202
    GE = 0x203
    ADD = 0x204
    MUL = 0x205
    ATAN2 = 0x206
    DIV = 0x208
    BILT = 0x210
    BIGE = 0x211
    BIEQ = 0x212
    BINE = 0x213
    BUGE = 0x214
    BULT = 0x215
    IADD = 0x216
    IDIV = 0x217
    IMUL = 0x219
    UDIV = 0x21A
    UMOD = 0x21B
    UMUL = 0x21C
    IMIN = 0x21D
    IMAX = 0x21E
    UMIN = 0x21F
    UMAX = 0x220
    AND = 0x230
    OR = 0x231
    XOR = 0x233
    ISHL = 0x234
    ISHR = 0x235
    USHR = 0x236
    CMP = 0x300
    MOVC = 0x301
    DOT = 0x500
    NOISE = 0x502
    D3DS_DOTSWIZ = 0x70E
    D3DS_NOISESWIZ = 0x711


class PreshaderTable(IntEnum):
    """What an operand's offset counts in."""

    LITERAL = 1
    INPUT = 2
    VERTEX = 3
    OUTPUT_FLOAT = 4
    OUTPUT_BOOL = 5
    OUTPUT_INT = 6
    TEMP = 7


@dataclass(frozen=True, slots=True)
class PreshaderIndex:
    """The component that is added to an operand's register number."""

    table: PreshaderTable
    offset: int


@dataclass(frozen=True, slots=True)
class PreshaderOperand:
    """Components from `offset` on, four a register."""

    table: PreshaderTable
    offset: int
    index: PreshaderIndex | None = None


@dataclass(frozen=True, slots=True)
class PreshaderInstruction:
    """One instruction; components: how many of each operand are meant, 1 to 4.

    opcode: a plain number if it has no name. is_scalar: the first input is one component for all.
    offset: bytes from the start of the instructions' comment, behind its four characters.
    """

    opcode: PreshaderOpcode | int
    components: int
    is_scalar: bool
    inputs: tuple[PreshaderOperand, ...]
    output: PreshaderOperand
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Preshader:
    """A preshader; its constant table says what its inputs are."""

    version: int
    constants: ConstantTable | None
    literals: tuple[float, ...]
    instructions: tuple[PreshaderInstruction, ...]


def parse_preshader(data: bytes, base: int = 0) -> Preshader:
    """Read the payload of a PRES comment, without the four characters.

    base: where `data` starts in the whole input, in bytes, for positions in errors.

    Raises:
        ContainerError: a part leaves the data, or a number has no meaning.
    """
    reader = ByteReader(data, base, "PRES")
    parts = _parts(reader)
    table = parts.get(CTAB)
    code = parts.get(_CODE)
    return Preshader(
        reader.u32(0),
        None if table is None else parse_ctab(bytes(table.data), table.base),
        _literals(parts[_LITERALS]) if _LITERALS in parts else (),
        () if code is None else parse_code(code),
    )


def parse_code(reader: ByteReader) -> tuple[PreshaderInstruction, ...]:
    """Read the instructions of FXLC, a comment's without the four characters, or a chunk's.

    Raises:
        ContainerError: an instruction leaves the data, or a number has no meaning.
    """
    return _Code(reader).instructions()


def _parts(reader: ByteReader) -> dict[bytes, ByteReader]:
    """Return what the nested comments hold, the first of each kind.

    Code is the last of them that counts: Direct3D does not mind what follows it, such as zeros.
    """
    parts: dict[bytes, ByteReader] = {}
    at = _DWORD
    while not (at == len(reader) and _CODE in parts):
        token = reader.u32(at)
        is_comment = t.OPCODE.get(token) == Opcode.COMMENT
        if token == t.END_TOKEN or (_CODE in parts and not is_comment):
            break
        if not is_comment:
            raise ContainerError(
                f"PRES: {token:#010x}, wanted a comment or the end", reader.location(at)
            )
        length = _DWORD * t.COMMENT_LENGTH.get(token)
        payload = reader.bytes(at + _DWORD, length)
        tag = payload[:_DWORD]
        start = reader.base + at + _DWORD * _HEAD_DWORDS
        parts.setdefault(tag, ByteReader(payload[_DWORD:], start, f"PRES {tag!r}"))
        at += _DWORD + length
    return parts


def _literals(reader: ByteReader) -> tuple[float, ...]:
    count = reader.u32(0)
    return struct.unpack(f"<{count}d", reader.bytes(_DWORD, 8 * count))


class _Code:
    """Reads FXLC; position: the next dword, in bytes."""

    def __init__(self, reader: ByteReader) -> None:
        self.reader = reader
        self.position = 0

    def instructions(self) -> tuple[PreshaderInstruction, ...]:
        count = self.take()
        # An instruction has five dwords at least, so that the data bounds their number
        return tuple([self.instruction() for _ in range(min(count, len(self.reader)))])

    def instruction(self) -> PreshaderInstruction:
        start = self.position
        token = self.take()
        components = COMPONENTS.get(token)
        if not 1 <= components <= _MOST_COMPONENTS:
            raise self.error(f"{components} components, wanted 1 to {_MOST_COMPONENTS}")
        inputs = self.take()
        if inputs > _MOST_INPUTS:
            raise self.error(f"{inputs} inputs, wanted at most {_MOST_INPUTS}")
        number = OPCODE.get(token)
        return PreshaderInstruction(
            _OPCODES.get(number, number),
            components,
            bool(SCALAR.get(token)),
            tuple([self.operand() for _ in range(inputs)]),
            self.operand(),
            start,
        )

    def operand(self) -> PreshaderOperand:
        flag = self.take()
        if flag > 1:
            raise self.error(f"relative flag is {flag}, wanted 0 or 1")
        index = PreshaderIndex(self.table(), self.take()) if flag else None
        return PreshaderOperand(self.table(), self.take(), index)

    def table(self) -> PreshaderTable:
        number = self.take()
        if number not in _TABLES:
            raise self.error(f"operand table {number} is not defined")
        return PreshaderTable(number)

    def take(self) -> int:
        self.position += _DWORD
        return self.reader.u32(self.position - _DWORD)

    def error(self, message: str) -> ContainerError:
        return ContainerError(f"FXLC: {message}", self.reader.location(self.position - _DWORD))


_OPCODES: dict[int, PreshaderOpcode] = {int(code): code for code in PreshaderOpcode}
_TABLES = frozenset(PreshaderTable)
