"""Operands of a text: registers, indices, masks, swizzles, modifiers, literals.

How many components an operand's token states depends on the register and on whether the operand is
declared, written or read, as Microsoft's compiler has it. What is written out always wins.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.parse_literal import double_bits, integer, literal_bits
from softd3d.isa.sm4.enums import OperandModifier, OperandType, SelectionMode
from softd3d.isa.sm4.program import Index, Operand
from softd3d.isa.sm4.tokens import UNBOUNDED

__all__ = ["COMPONENTS", "Role", "declared_range", "parse_operand", "parse_precision"]

_T = OperandType


class Role(StrEnum):
    """What an instruction does with an operand."""

    DECLARED = "declared"
    WRITTEN = "written"
    READ = "read"


COMPONENTS = {letter: number for number, letter in enumerate("xyzw")}
_ALL = (0, 1, 2, 3)
_TYPES: dict[str, OperandType] = {name.lower(): kind for kind, name in w.REGISTERS.items()}
_NAMES = [name for name in w.REGISTERS.values() if len(name) > 1]
_LITERALS = (_T.IMMEDIATE32, _T.IMMEDIATE64)

_D, _W, _R = Role
# Components of registers that are written without any; those that are not here must have some
_BARE: dict[OperandType, dict[Role, int]] = {
    **{
        kind: {_D: 0, _W: 0, _R: 0}
        for kind in (
            _T.SAMPLER, _T.LABEL, _T.NULL, _T.STREAM, _T.FUNCTION_BODY, _T.FUNCTION_TABLE,
            _T.INTERFACE, _T.RESOURCE, _T.UNORDERED_ACCESS_VIEW, _T.THREAD_GROUP_SHARED_MEMORY,
            _T.RASTERIZER, _T.THIS_POINTER, _T.FUNCTION_INPUT, _T.FUNCTION_OUTPUT,
            _T.INPUT_FORK_INSTANCE_ID, _T.INPUT_JOIN_INSTANCE_ID, _T.INPUT_GS_INSTANCE_ID,
            _T.INPUT_THREAD_ID_IN_GROUP_FLATTENED, _T.INPUT_THREAD_ID, _T.INPUT_THREAD_GROUP_ID,
            _T.INPUT_THREAD_ID_IN_GROUP, _T.CYCLE_COUNTER, _T.INPUT_DOMAIN_POINT,
        )
    },
    **{
        kind: {_D: 1, _W: 1, _R: 1}
        for kind in (
            _T.OUTPUT_DEPTH, _T.OUTPUT_DEPTH_GREATER_EQUAL, _T.OUTPUT_DEPTH_LESS_EQUAL,
            _T.OUTPUT_STENCIL_REF, _T.INPUT_COVERAGE_MASK, _T.INNER_COVERAGE,
        )
    },
    **{
        kind: {_D: 0, _W: 1, _R: 1}
        for kind in (_T.INPUT_PRIMITIVEID, _T.OUTPUT_CONTROL_POINT_ID, _T.OUTPUT_COVERAGE_MASK)
    },
}  # fmt: skip
# How many indices registers have at least and at most; ranges have one more from 5.1 on
_INDICES: dict[OperandType, tuple[int, int]] = {
    **dict.fromkeys(_TYPES.values(), (0, 0)),
    **dict.fromkeys(
        (
            _T.TEMP, _T.OUTPUT, _T.SAMPLER, _T.RESOURCE, _T.IMMEDIATE_CONSTANT_BUFFER, _T.LABEL,
            _T.STREAM, _T.FUNCTION_BODY, _T.FUNCTION_TABLE, _T.UNORDERED_ACCESS_VIEW,
            _T.THREAD_GROUP_SHARED_MEMORY, _T.INPUT_PATCH_CONSTANT,
        ),
        (1, 1),
    ),
    **dict.fromkeys((_T.INPUT, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT), (1, 2)),
    **dict.fromkeys((_T.CONSTANT_BUFFER, _T.INDEXABLE_TEMP, _T.INTERFACE), (2, 2)),
    **dict.fromkeys((_T.THIS_POINTER, _T.FUNCTION_INPUT, _T.FUNCTION_OUTPUT), (0, 3)),
}  # fmt: skip
_DEEPEST = 2  # as the decoder: an index may have a register that has an index with a register

_BRACKETS = r"\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\]"
_REGISTER = re.compile(
    rf"([A-Za-z](?:\w*[A-Za-z_])?)(-?\d+)?((?:\s*{_BRACKETS})*)\s*(\.[A-Za-z]*)?((?:\s*\{{[^{{}}]*\}})*)\s*\Z"
)
_LITERAL = re.compile(r"([lLdD])\s*\(([^()]*)\)((?:\s*\{[^{}]*\})*)\s*\Z")
_ONE_BRACKET = re.compile(_BRACKETS)
_NOTE = re.compile(r"\{\s*([^{}]*?)\s*\}")
_RANGE = re.compile(r"([A-Za-z]+)(\d+)\s*\[\s*(\d+)\s*:\s*(\d+|\*)\s*\]")
_INDEX_SUM = re.compile(r"(.*?\S)\s*\+\s*(-?\w+)\s*\Z", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d[\w.]*\Z")
_HEX_HALF = re.compile(r"0[xX][0-9a-fA-F]{1,8}\Z")
_PRECISIONS = {w.precision(number): number for number in range(1 << 3)}
_FULL = w.precision(0)
_NON_UNIFORM = "nonuniform"
_MODIFIERS = {
    (False, False): OperandModifier.NONE,
    (True, False): OperandModifier.NEG,
    (False, True): OperandModifier.ABS,
    (True, True): OperandModifier.ABSNEG,
}


@lru_cache(maxsize=16384)
def parse_operand(text: str, role: Role, has_ranges: bool = False) -> Operand:  # noqa: FBT001, FBT002
    """Return the operand that a text without blanks around it writes.

    has_ranges: of shader model 5.1, where views, samplers and constant buffers have one index more.

    Raises:
        Mistake: it is none, or its indices or components do not suit its register and role.

    >>> parse_operand("-|r1.xxyz|", Role.READ).selection
    (0, 0, 1, 2)
    """
    return _operand(text, role, has_ranges, 0)


def _operand(text: str, role: Role, has_ranges: bool, depth: int) -> Operand:  # noqa: FBT001
    modifier, start, stop = OperandModifier.NONE, 0, len(text)
    if text[:1] in ("-", "|"):
        modifier, start, stop = _bars(text)
    try:
        operand = _unsigned(text[start:stop], role, has_ranges, depth)
    except Mistake as mistake:
        mistake.position += start
        raise
    return operand if modifier is OperandModifier.NONE else replace(operand, modifier=modifier)


def _bars(text: str) -> tuple[OperandModifier, int, int]:
    """Return the modifier before an operand, and where what it is applied to begins and ends."""
    start, stop = 0, len(text)
    is_negative = text[0] == "-"
    if is_negative:
        start += 1 + _blanks(text[1:])
    is_absolute = text[start : start + 1] == "|"
    if is_absolute:
        if text[-1] != "|" or stop - start < 2:
            raise Mistake("the bar | of an absolute value is not closed", start)
        start, stop = start + 1 + _blanks(text[start + 1 :]), stop - 1
    return _MODIFIERS[is_negative, is_absolute], start, stop


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def _unsigned(text: str, role: Role, has_ranges: bool, depth: int) -> Operand:  # noqa: FBT001
    found = _REGISTER.match(text)
    if found is None:
        return _literal(text)
    name, number, brackets, components, notes = found.groups()
    kind = _TYPES.get(name.lower())
    if kind is None or kind in _LITERALS:
        raise Mistake(f"{shown(name)} is no register{suggestion(name, _NAMES)}")
    if number and number[0] == "-":
        raise Mistake(f"a register's number is not negative, found {shown(number)}", found.start(2))
    indices = (_number(number, found.start(2)),) if number else ()
    if brackets:
        indices += _indices(brackets, found.start(3), has_ranges, depth)
    _check_count(kind, len(indices), role, has_ranges, found.end(1))
    register = name + (number or "")
    precision, is_non_uniform = _notes(notes, found.start(5)) if notes else (0, False)
    if components is None:
        count = _bare(kind, register, role, found.end(3))
        mode, selection = SelectionMode.MASK, ()
    else:
        count, (mode, selection) = 4, _components(components[1:], role, found.start(4) + 1)
    return Operand(
        kind, count, mode, selection, indices, OperandModifier.NONE, precision, is_non_uniform
    )  # fmt: skip


def _number(text: str, position: int) -> Index:
    """Return a constant index; negative ones are 32-bit numbers."""
    try:
        value = literal_bits(text) if text[0] == "-" else integer(text, what="an index")
    except Mistake as mistake:
        raise Mistake(mistake.message, position) from None
    return _constant(value)


@lru_cache(maxsize=4096)
def _constant(value: int) -> Index:
    return Index(value)


def _indices(text: str, position: int, has_ranges: bool, depth: int) -> tuple[Index, ...]:  # noqa: FBT001
    found: list[Index] = []
    for bracket in _ONE_BRACKET.finditer(text):
        inner = bracket.group()[1:-1]
        start = position + bracket.start() + 1 + _blanks(inner)
        try:
            found.append(_index(inner.strip(), has_ranges, depth))
        except Mistake as mistake:
            mistake.position += start
            raise
    return tuple(found)


def _index(text: str, has_ranges: bool, depth: int) -> Index:  # noqa: FBT001
    if _NUMBER.match(text):
        return _number(text, 0)
    if not text:
        raise Mistake("wanted an index, found nothing")
    if depth >= _DEEPEST:
        raise Mistake(f"relative indices are nested deeper than {_DEEPEST}")
    register, immediate = text, 0
    summed = _INDEX_SUM.match(text)
    if summed is not None:
        register = summed.group(1)
        immediate = _number(summed.group(2), summed.start(2)).immediate
    relative = _operand(register, Role.READ, has_ranges, depth + 1)
    if relative.components == 4 and relative.mode is not SelectionMode.SELECT_1:
        raise Mistake(f"an index is one component, found {shown(register)}")
    return Index(immediate, relative, 3 if immediate else 2)


def _check_count(kind: OperandType, count: int, role: Role, has_ranges: bool, at: int) -> None:  # noqa: FBT001
    least, most = _INDICES[kind]
    if has_ranges and kind in w.RANGES and role is not Role.DECLARED:
        least, most = least + 1, most + 1
    if least <= count <= most:
        return
    name = w.REGISTERS[kind]
    wanted = str(least) if least == most else f"{least} to {most}"
    if most == 0:
        raise Mistake(f"{name} has no number or index", at)
    if count == 0:
        raise Mistake(f"{name} needs a number", at)
    plural = "index" if wanted == "1" else "indices"
    raise Mistake(f"{name} has {wanted} {plural}, found {count}", at)


def _bare(kind: OperandType, register: str, role: Role, at: int) -> int:
    found = _BARE.get(kind)
    if found is None:
        wanted = {
            Role.READ: "a component or swizzle such as .x or .xyzw",
            Role.WRITTEN: "a mask such as .xyz",
            Role.DECLARED: "a mask such as .xyz",
        }[role]
        raise Mistake(f"{register} needs {wanted}", at)
    return found[role]


def _components(text: str, role: Role, at: int) -> tuple[SelectionMode, tuple[int, ...]]:
    """Return the chosen components; of two or three of a source the last is repeated.

    Microsoft's assembler of Direct3D 9 reads short swizzles so; its disassembler never writes them.
    """
    try:
        selection = tuple([COMPONENTS[letter] for letter in text.lower()])
    except KeyError:
        wrong = next(n for n, letter in enumerate(text) if letter.lower() not in COMPONENTS)
        message = f"{shown(text[wrong])} is no component, wanted x, y, z or w"
        raise Mistake(message, at + wrong) from None
    if role is Role.READ:
        if len(selection) == 1:
            return SelectionMode.SELECT_1, selection
        if not 0 < len(selection) <= len(COMPONENTS):
            raise Mistake(f"a source has one to four components, found {shown(text)}", at)
        return SelectionMode.SWIZZLE, (selection + selection[-1:] * 2)[: len(COMPONENTS)]
    if any(a >= b for a, b in pairwise(selection)):
        raise Mistake(f"a mask has components in the order xyzw, found {shown(text)}", at)
    return SelectionMode.MASK, selection


def _notes(text: str, at: int) -> tuple[int, bool]:
    """Return minimum precision and non-uniformity of what stands in braces behind a register."""
    precision, is_non_uniform = 0, False
    for note in _NOTE.finditer(text):
        if note.group(1).lower() == _NON_UNIFORM:
            is_non_uniform = True
        else:
            precision = parse_precision(note.group(1), at + note.start(1))
    return precision, is_non_uniform


def parse_precision(text: str, at: int = 0) -> int:
    """Return D3D11_SB_OPERAND_MIN_PRECISION of "min16f", or of "min16f as def32" the first word."""
    words = text.lower().split()
    if len(words) == 3 and words[1] == "as" and words[2] in _PRECISIONS:
        words = words[:1]
    if len(words) != 1 or words[0] not in _PRECISIONS:
        known = ", ".join(_PRECISIONS)
        raise Mistake(f"{shown(text)} is no minimum precision, wanted one of {known}", at)
    return 0 if words[0] == _FULL else _PRECISIONS[words[0]]


def _literal(text: str) -> Operand:
    found = _LITERAL.match(text)
    if found is None:
        raise _not_an_operand(text)
    is_double = found.group(1) in "dD"
    words: list[int] = []
    position = found.start(2)
    for part in found.group(2).split(","):
        try:
            words += _component(part.strip(), is_double)
        except Mistake as mistake:
            raise Mistake(mistake.message, position + _blanks(part)) from None
        position += len(part) + 1
    count, wanted = len(words), (2, 4) if is_double else (1, 4)
    if count not in wanted:
        names = "two or four dwords" if is_double else "one or four components"
        raise Mistake(f"a literal has {names}, found {count}", found.start(2))
    notes = found.group(3)
    precision, is_non_uniform = _notes(notes, found.start(3)) if notes else (0, False)
    kind = _T.IMMEDIATE64 if is_double else _T.IMMEDIATE32
    return Operand(
        kind, 4 if count == 4 else 1, SelectionMode.MASK, (), (), OperandModifier.NONE, precision,
        is_non_uniform, tuple(words),
    )  # fmt: skip


def _component(text: str, is_double: bool) -> tuple[int, ...]:  # noqa: FBT001
    """Return the dwords of a literal's component; short hex in a double is one of its halves."""
    if not is_double or _HEX_HALF.match(text):
        return (literal_bits(text),)
    bits = double_bits(text)
    return bits & 0xFFFFFFFF, bits >> 32


def _not_an_operand(text: str) -> Mistake:
    """Say what is wrong with a text that is neither a register nor a literal."""
    if text.endswith("|"):
        return Mistake("the bar | of an absolute value is not opened", len(text) - 1)
    for opening, closing in ("()", "[]", "{}"):
        if text.count(opening) != text.count(closing):
            at = text.find(opening) if opening in text else text.find(closing)
            side = "closed" if text.count(opening) > text.count(closing) else "opened"
            return Mistake(f"{opening if side == 'closed' else closing} is not {side}", at)
    if not text:
        return Mistake("wanted an operand, found nothing")
    if _depth(text) > _DEEPEST + 1:
        return Mistake(f"relative indices are nested deeper than {_DEEPEST}", text.find("["))
    if _NUMBER.match(text):
        return Mistake(f"wanted an operand, found {shown(text)}; literals are written l({text})")
    return Mistake(f"wanted an operand, found {shown(text)}")


def _depth(text: str) -> int:
    """Return how deep brackets are nested."""
    depth = deepest = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        deepest = max(deepest, depth)
    return deepest


def declared_range(text: str) -> tuple[Operand, int] | None:
    """Return the register range that a text begins with, such as T0[2:*], and where it ends.

    None if it does not begin with one.
    """
    found = _RANGE.match(text)
    if found is None:
        return None
    kind = _TYPES.get(found.group(1).lower())
    if kind is None or kind not in w.RANGES:
        raise Mistake(f"{shown(found.group(1))} has no range, only CB, T, S and U have")
    upper = found.group(4)
    bounds = [
        _number(found.group(2), found.start(2)),
        _number(found.group(3), found.start(3)),
        _constant(UNBOUNDED) if upper == "*" else _number(upper, found.start(4)),
    ]
    return Operand(kind, 4, SelectionMode.SWIZZLE, _ALL, tuple(bounds)), found.end()
