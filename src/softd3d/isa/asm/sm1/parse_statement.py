"""One statement of an SM1-3 text: predicate, co-issue mark, mnemonic, operands; raw dwords.

Neither line ends nor anything else stand between statements: how many operands a mnemonic takes
decides where the next one begins.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.asm.diagnostic import Mistake, shown
from softd3d.isa.asm.sm1.parse_literal import (
    FLOAT,
    INTEGER,
    dword,
    float_bits,
    signed_integer,
)
from softd3d.isa.asm.sm1.parse_mnemonic import Head, parse_mnemonic
from softd3d.isa.asm.sm1.parse_operand import (
    DIRECTIVES,
    OPERAND,
    parse_destination,
    parse_source,
)
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import Opcode, ProgramType, ResultModifier, SourceModifier
from softd3d.isa.sm1.program import (
    FULL_MASK,
    IDENTITY,
    Comment,
    DestinationParameter,
    Instruction,
    SourceParameter,
)

__all__ = ["Statement", "parse_statement"]

_M = SourceModifier
_P = TypeVar("_P")
_HEAD = re.compile(r"\s*+(?:(\+)\s*+)?+(?:\(\s*+([^()]*+)\)\s*+)?+([A-Za-z_]\w*+)", re.ASCII)
_BLANKS = re.compile(r"\s*+", re.ASCII)
_COMMA = re.compile(r"\s*+,\s*+", re.ASCII)
_OPERAND = re.compile(OPERAND, re.ASCII)
_MOST_OPERANDS = 5
_OPERANDS = [
    re.compile(r"\s*+" + r"\s*+,\s*+".join([f"({OPERAND})"] * count), re.ASCII)
    for count in range(_MOST_OPERANDS + 1)
]
_NUMBER = re.compile(rf"asfloat\s*+\([^()]*+\)|[+-]?+\s*+(?:{FLOAT}|{INTEGER})", re.ASCII)
_BOOLEAN = re.compile(r"(true|false)(?!\w)", re.ASCII)
_WORD = re.compile(r"[+-]?\w+(?:\.\w+)*|\S", re.ASCII)
_DIRECTIVE = re.compile(rf"\s*+\.({'|'.join(DIRECTIVES)})\b", re.ASCII)
_HEX = r"0[xX][0-9a-fA-F]{1,8}(?!\w)"
_HEX_LIST = re.compile(rf"\s*+({_HEX}(?:\s*+,\s*+{_HEX})*+)", re.ASCII)
_BYTE = 0xFF
_MOST_DWORDS = t.COMMENT_LENGTH.get(0xFFFFFFFF)
_W = (3, 3, 3, 3)
# What sub does to its last source where there is only add
_OPPOSITE = {_M.NONE: _M.NEG, _M.NEG: _M.NONE, _M.ABS: _M.ABSNEG, _M.ABSNEG: _M.ABS}


@dataclass(frozen=True, slots=True)
class Statement:
    """What a statement stands for, and where it ends. trailing: bytes for the program's end."""

    end: int
    item: Instruction | Comment | None = None
    trailing: bytes = b""


def parse_statement(
    text: str, start: int, stage: ProgramType, version: tuple[int, int], index: int
) -> Statement:
    """Return the statement that begins at `start`, of the program's item number `index`.

    Raises:
        Mistake: it is none, or not one of the version.
    """
    found = _HEAD.match(text, start)
    if found is None:
        return _directive(text, start, stage, version, index)
    coissue, condition, word = found.groups()
    try:
        head = parse_mnemonic(word, stage, version)
    except Mistake as mistake:
        raise Mistake(mistake.message, found.start(3) + mistake.position) from None
    has_length = t.instruction_fields(version).has_length
    if coissue is not None and (has_length or stage is ProgramType.VS):
        raise Mistake("co-issue exists in ps_1_0 to ps_1_4 only", found.start(1))
    predicate = None
    if condition is not None:
        predicate = _predicate(condition.rstrip(), found.start(2), stage, version)
    end, destination, sources, immediates = _operands(text, found.end(), head, stage, version)
    instruction = Instruction(
        head.opcode, destination, sources, head.controls, coissue is not None, predicate,
        head.declaration, immediates, 0, (), index,
    )  # fmt: skip
    return Statement(end, instruction)


def _predicate(text: str, at: int, stage: ProgramType, version: tuple[int, int]) -> SourceParameter:
    if version < (2, 1):
        raise Mistake("predicates exist in 2_x and later only", at)
    if not _OPERAND.fullmatch(text):
        raise Mistake(f"wanted a predicate such as p0, found {shown(text)}", at)
    try:
        predicate = parse_source(text, stage, version)
    except Mistake as mistake:
        raise Mistake(mistake.message, at + mistake.position) from None
    if predicate.relative is not None:
        raise Mistake("a predicate has no address", at)
    if predicate.modifier not in (_M.NONE, _M.NOT):
        raise Mistake("a predicate has no modifier but !", at)
    return predicate


def _operands(
    text: str, start: int, head: Head, stage: ProgramType, version: tuple[int, int]
) -> tuple[int, DestinationParameter | None, tuple[SourceParameter, ...], tuple[int, ...]]:
    """Return where the operands from `start` on end, and what they are."""
    count = head.has_destination + head.sources
    if not count:
        return start, None, (), ()
    found = _OPERANDS[count].match(text, start)
    if found is None:
        raise _missing(text, start, head)
    if text.startswith("[", found.end()):
        raise Mistake("brackets stand once behind a register, and need a ]", found.end())
    destination = None
    if head.has_destination:
        plain = _part(parse_destination, found, 1, stage, version)
        destination = _result(plain, head.modifiers, head.shift, head.full_mask)
    sources = [
        _part(parse_source, found, group, stage, version)
        for group in range(1 + head.has_destination, count + 1)
    ]
    if head.is_scalar and sources[0].swizzle == IDENTITY:
        sources[0] = replace(sources[0], swizzle=_W)
    if head.is_difference:
        sources[-1] = _negated(sources[-1], found.start(count))
    end, immediates = found.end(), tuple[int, ...]()
    if head.immediates:
        end, immediates = _immediates(text, end, head)
    return end, destination, tuple(sources), immediates


def _part(
    parse: Callable[[str, ProgramType, tuple[int, int]], _P], found: re.Match[str], group: int,
    stage: ProgramType, version: tuple[int, int],
) -> _P:  # fmt: skip
    """Return what the text of a group is; mistakes get their place in the whole text."""
    try:
        return parse(found[group], stage, version)
    except Mistake as mistake:
        raise Mistake(mistake.message, found.start(group) + mistake.position) from None


@lru_cache(maxsize=8192)
def _result(
    plain: DestinationParameter, modifiers: ResultModifier, shift: int, full_mask: int
) -> DestinationParameter:
    """Return a destination with what the mnemonic says about it."""
    mask = full_mask if plain.write_mask == FULL_MASK else plain.write_mask
    return replace(plain, write_mask=mask, modifiers=modifiers, shift=shift)


def _negated(source: SourceParameter, at: int) -> SourceParameter:
    opposite = _OPPOSITE.get(source.modifier)
    if opposite is None:
        raise Mistake("sub is an add of the negated source, which cannot have this modifier", at)
    return replace(source, modifier=opposite)


def _missing(text: str, start: int, head: Head) -> Mistake:
    """Say which operand is missing or is none."""
    count = head.has_destination + head.sources
    position = _after_blanks(text, start)
    for number in range(count):
        operand = _OPERAND.match(text, position)
        if operand is None:
            break
        comma = _COMMA.match(text, operand.end())
        if comma is None and number + 1 < count:
            takes = f"{head.mnemonic} takes {count + head.immediates} operands"
            at = _after_blanks(text, operand.end())
            return Mistake(f"{takes}, wanted a comma, found {_found(text, at)}", at)
        position = comma.end() if comma is not None else operand.end()
    return Mistake(f"{head.mnemonic} wants a register, found {_found(text, position)}", position)


def _immediates(text: str, start: int, head: Head) -> tuple[int, tuple[int, ...]]:
    """Return the values that def, defi or defb assigns."""
    values: list[int] = []
    for _ in range(head.immediates):
        comma = _COMMA.match(text, start)
        if comma is None:
            at = _after_blanks(text, start)
            takes = f"{head.mnemonic} takes {head.immediates} numbers"
            if head.opcode is Opcode.DEFB:
                takes = "defb takes true or false"
            raise Mistake(f"{takes}, wanted a comma, found {_found(text, at)}", at)
        start, value = _immediate(text, comma.end(), head)
        values.append(value)
    return start, tuple(values)


def _immediate(text: str, start: int, head: Head) -> tuple[int, int]:
    if head.opcode is Opcode.DEFB:
        boolean = _BOOLEAN.match(text, start)
        if boolean is None:
            raise Mistake(f"defb wants true or false, found {_found(text, start)}", start)
        return boolean.end(), int(boolean.group() == "true")
    found = _NUMBER.match(text, start)
    if found is None:
        raise Mistake(f"{head.mnemonic} wants a number, found {_found(text, start)}", start)
    read = float_bits if head.opcode is Opcode.DEF else signed_integer
    try:
        return found.end(), read(found.group())
    except Mistake as mistake:
        raise Mistake(mistake.message, start + mistake.position) from None


def _directive(
    text: str, start: int, stage: ProgramType, version: tuple[int, int], index: int
) -> Statement:
    """Return a statement of the exact dialect: dwords of an instruction or a comment, or bytes."""
    found = _DIRECTIVE.match(text, start)
    if found is None:
        at = _after_blanks(text, start)
        more = "; the one before has all its operands" if text.startswith(",", at) else ""
        raise Mistake(f"wanted an instruction, found {_found(text, at)}{more}", at)
    name = found.group(1)
    numbers = _HEX_LIST.match(text, found.end())
    if numbers is None and name == "comment":
        return Statement(found.end(), Comment(b"", index=index))
    if numbers is None:
        at = _after_blanks(text, found.end())
        raise Mistake(f".{name} wants numbers such as 0x0000ffff, found {_found(text, at)}", at)
    words = [dword(word.strip()) for word in numbers.group(1).split(",")]
    end = numbers.end()
    if name == "trailing":
        if max(words) > _BYTE:
            raise Mistake(".trailing wants bytes", numbers.start(1))
        return Statement(end, trailing=bytes(words))
    if name == "comment":
        if len(words) > _MOST_DWORDS:
            raise Mistake(f"a comment has at most {_MOST_DWORDS} dwords", numbers.start(1))
        return Statement(end, Comment(struct.pack(f"<{len(words)}I", *words), index=index))
    return Statement(end, _raw(words, numbers.start(1), stage, version, index))


def _raw(
    words: list[int], at: int, stage: ProgramType, version: tuple[int, int], index: int
) -> Instruction | Comment:
    """Return the instruction that dwords are, whose place in the program is `index`."""
    major, minor = version
    head = t.VERSION_TYPE.put(stage) | t.VERSION_MAJOR.put(major) | t.VERSION_MINOR.put(minor)
    stream = struct.pack(f"<{len(words) + 2}I", head, *words, t.END_TOKEN)
    try:
        program = decode(stream)
    except DecodeError as error:
        raise Mistake(f"the dwords are no instruction: {error.message}", at) from None
    if len(program.instructions) != 1 or program.trailing:
        count = len(program.instructions)
        raise Mistake(f"wanted the dwords of one instruction, found {count}", at)
    return replace(program.instructions[0], index=index, offset=0)


def _after_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return position if found is None else found.end()


def _found(text: str, position: int) -> str:
    word = _WORD.match(text, position)
    return shown("" if word is None else word.group())
