"""The SDBG chunk: debug information of compilers up to d3dcompiler_46.

Layout: size of the head; compiler, entry point and profile (offsets of texts); compiler flags; a
count and an offset for each of seven tables; the offsets of a pool of integers and of one of texts.
Offsets of tables and pools count from behind the head, those of texts and lists from the start of
their pool. What is not understood is kept, so that a chunk can be built again.

Spec: none is published; names and meanings as far as RenderDoc and measurements give them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.errors import ContainerError

__all__ = [
    "DebugComponent",
    "DebugInputRegister",
    "DebugInstruction",
    "DebugOutput",
    "DebugScope",
    "DebugSourceFile",
    "DebugSymbol",
    "DebugTables",
    "DebugType",
    "DebugVariable",
    "build_sdbg",
    "parse_sdbg",
]

_HEAD = struct.Struct("<21I")
_FILE = struct.Struct("<4I")
_INSTRUCTION = struct.Struct("<99i")
_VARIABLE = struct.Struct("<6i")
_INPUT = struct.Struct("<6i")
_SYMBOL = struct.Struct("<3i2I")
_SCOPE = struct.Struct("<i4I")
_TYPE = struct.Struct("<11i")
_OUTPUTS = 2
_OUTPUT_DWORDS = 45
_COMPONENT_DWORDS = 9
_FIRST_OUTPUT = 3
_SYMBOL_DWORD = _FIRST_OUTPUT + _OUTPUTS * _OUTPUT_DWORDS
_TABLES = (_FILE, _INSTRUCTION, _VARIABLE, _INPUT, _SYMBOL, _SCOPE, _TYPE)


@dataclass(frozen=True, slots=True)
class DebugSourceFile:
    """Texts by offset and length in bytes."""

    name: tuple[int, int]
    source: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DebugComponent:
    """What is known of a component of a result. variable: index, -1 for none.

    unsigned, signed: least and greatest value if it is taken for an integer; floats: likewise, as
    bits of float32. may_be_nan, may_be_infinite: 0 or 1.
    """

    variable: int
    unsigned: tuple[int, int]
    signed: tuple[int, int]
    floats: tuple[int, int]
    may_be_nan: int
    may_be_infinite: int


@dataclass(frozen=True, slots=True)
class DebugOutput:
    """A result. register_type: 0 for null. array: number of the x#, -1 for others.

    written: a component's number where it is written, else -1. index: register and component that
    are added to an array's index, both -1 if it is constant.
    """

    register_type: int
    register: int
    array: int
    written: tuple[int, ...]
    components: tuple[DebugComponent, ...]
    index: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DebugInstruction:
    """One instruction; declarations have no record. outputs: always two, `output_count` count.

    symbol: where it comes from, -1 if that is unknown. scopes, types: lists in the pool of
    integers, count and offset in bytes.
    """

    number: int
    opcode: int
    output_count: int
    outputs: tuple[DebugOutput, ...]
    symbol: int
    call_depth: int
    scopes: tuple[int, int]
    types: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DebugVariable:
    """One component of a variable. type: D3D_SHADER_VARIABLE_TYPE; component: in all of it."""

    symbol: int
    type: int
    unknown: tuple[int, int]
    type_id: int
    component: int


@dataclass(frozen=True, slots=True)
class DebugInputRegister:
    """A component of an input or constant. kind: 0 input, 2 constant buffer, 6 texture, 7 sampler.

    buffer: -1 for inputs. offset: in the buffer, or number of the input.
    """

    variable: int
    kind: int
    buffer: int
    offset: int
    component: int
    initial: int


@dataclass(frozen=True, slots=True)
class DebugSymbol:
    """A place in a source, with a name or without. name: length and offset of the text."""

    file: int
    line: int
    column: int
    name: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DebugScope:
    """kind: 0 globals, 1 locals, 3 structure, 4 function. name: offset and length.

    symbols: count and offset of a list of variables or types.
    """

    kind: int
    name: tuple[int, int]
    symbols: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DebugType:
    """A type as it is stored.

    fields: symbol, whether it is a function, class, rows, columns, scope, dimensions of an array,
    offsets of its lengths and of its strides, floats it takes, first variable.
    """

    fields: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DebugTables:
    """A parsed SDBG chunk. compiler, entry, profile: offsets of texts. pool: integers as bytes."""

    compiler: int
    entry: int
    profile: int
    flags: int
    files: tuple[DebugSourceFile, ...]
    instructions: tuple[DebugInstruction, ...]
    variables: tuple[DebugVariable, ...]
    inputs: tuple[DebugInputRegister, ...]
    symbols: tuple[DebugSymbol, ...]
    scopes: tuple[DebugScope, ...]
    types: tuple[DebugType, ...]
    pool: bytes
    texts: bytes

    def text(self, offset: int, length: int) -> str:
        """Return a text, as Latin-1; what would lie outside the pool is left out."""
        return self.texts[offset : offset + length].decode("latin-1")

    def symbol_name(self, symbol: int) -> str:
        """Return the name of a symbol, nothing if it has none or does not exist."""
        if not 0 <= symbol < len(self.symbols):
            return ""
        length, offset = self.symbols[symbol].name
        return self.text(offset, length)


def parse_sdbg(chunk: Chunk) -> DebugTables:
    """Read an SDBG chunk.

    Raises:
        ContainerError: a table or pool leaves the chunk, or the pools are in another order than
            that in which compilers write them.
    """
    reader = chunk.reader()
    head = reader.dwords(0, _HEAD.size // 4)
    size, compiler, entry, profile, flags = head[:5]
    pool_at, texts_at = head[19:]
    if size != _HEAD.size:
        raise ContainerError(
            f"SDBG: a head of {size} bytes, wanted {_HEAD.size}", reader.location(0)
        )
    if not pool_at <= texts_at <= len(reader) - size:
        raise ContainerError(
            f"SDBG: pools at {pool_at:#x} and {texts_at:#x} in {len(reader)} bytes",
            reader.location(_HEAD.size - 8),
        )
    rows = [
        list(layout.iter_unpack(reader.bytes(size + offset, layout.size * count)))
        for layout, count, offset in zip(_TABLES, head[5:19:2], head[6:19:2], strict=True)
    ]
    return DebugTables(
        compiler,
        entry,
        profile,
        flags,
        tuple(DebugSourceFile((a, b), (c, d)) for a, b, c, d in rows[0]),
        tuple(_instruction(row) for row in rows[1]),
        tuple(DebugVariable(a, b, (c, d), e, f) for a, b, c, d, e, f in rows[2]),
        tuple(DebugInputRegister(*row) for row in rows[3]),
        tuple(DebugSymbol(a, b, c, (d, e)) for a, b, c, d, e in rows[4]),
        tuple(DebugScope(a, (b, c), (d, e)) for a, b, c, d, e in rows[5]),
        tuple(DebugType(row) for row in rows[6]),
        reader.bytes(size + pool_at, texts_at - pool_at),
        reader.bytes(size + texts_at, len(reader) - size - texts_at),
    )


def _instruction(row: tuple[int, ...]) -> DebugInstruction:
    number, opcode, count = row[:_FIRST_OUTPUT]
    outputs = tuple(
        _output(row[at : at + _OUTPUT_DWORDS])
        for at in range(_FIRST_OUTPUT, _SYMBOL_DWORD, _OUTPUT_DWORDS)
    )
    symbol, depth, scopes, scopes_at, types, types_at = row[_SYMBOL_DWORD:]
    return DebugInstruction(
        number, opcode, count, outputs, symbol, depth, (scopes, scopes_at), (types, types_at)
    )


def _output(row: tuple[int, ...]) -> DebugOutput:
    components = tuple(
        _component(row[at : at + _COMPONENT_DWORDS])
        for at in range(7, _OUTPUT_DWORDS - 2, _COMPONENT_DWORDS)
    )
    return DebugOutput(row[0], row[1], row[2], row[3:7], components, (row[-2], row[-1]))


def _component(row: tuple[int, ...]) -> DebugComponent:
    variable, umin, umax, smin, smax, fmin, fmax, nan, infinite = row
    unsigned = _bits(umin), _bits(umax)
    return DebugComponent(
        variable, unsigned, (smin, smax), (_bits(fmin), _bits(fmax)), nan, infinite
    )


def _bits(number: int) -> int:
    return number & 0xFFFFFFFF


def build_sdbg(tables: DebugTables) -> bytes:
    """Return the data of an SDBG chunk, laid out as compilers do it.

    What `parse_sdbg` made of a compiler's chunk gives the same bytes again.

    Raises:
        ContainerError: a number does not fit its field.
    """
    try:
        parts = [
            b"".join(_FILE.pack(*f.name, *f.source) for f in tables.files),
            b"".join(_packed_instruction(i) for i in tables.instructions),
            b"".join(
                _VARIABLE.pack(v.symbol, v.type, *v.unknown, v.type_id, v.component)
                for v in tables.variables
            ),
            b"".join(
                _INPUT.pack(i.variable, i.kind, i.buffer, i.offset, i.component, i.initial)
                for i in tables.inputs
            ),
            b"".join(_SYMBOL.pack(s.file, s.line, s.column, *s.name) for s in tables.symbols),
            b"".join(_SCOPE.pack(s.kind, *s.name, *s.symbols) for s in tables.scopes),
            b"".join(_TYPE.pack(*t.fields) for t in tables.types),
        ]
        places: list[int] = []
        at = 0
        for layout, part in zip(_TABLES, parts, strict=True):
            places += [len(part) // layout.size, at]
            at += len(part)
        names = tables.compiler, tables.entry, tables.profile
        pools = at, at + len(tables.pool)
        head = _HEAD.pack(_HEAD.size, *names, tables.flags, *places, *pools)
    except struct.error as error:
        raise ContainerError(f"SDBG: cannot be built, {error}") from error
    return b"".join([head, *parts, tables.pool, tables.texts])


def _packed_instruction(i: DebugInstruction) -> bytes:
    dwords = [i.number, i.opcode, i.output_count]
    for output in i.outputs:
        dwords += [output.register_type, output.register, output.array, *output.written]
        for c in output.components:
            ranges = (*_signed(c.unsigned), *c.signed, *_signed(c.floats))
            dwords += [c.variable, *ranges, c.may_be_nan, c.may_be_infinite]
        dwords += output.index
    return _INSTRUCTION.pack(*dwords, i.symbol, i.call_depth, *i.scopes, *i.types)


def _signed(numbers: Iterable[int]) -> list[int]:
    return [number - (number >> 31 << 32) for number in numbers]
