"""Declarations of constant buffers, samplers and views; from 5.1 on they are ranges in a space."""

from __future__ import annotations

import re

from softd3d.isa.asm.diagnostic import Mistake, shown
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.declaration_parts import (
    RANGES_SINCE,
    DeclarationParser,
    Part,
    Parts,
    check_count,
    inverse,
    read_declared,
    read_number,
    read_word,
)
from softd3d.isa.asm.sm4.parse_operand import declared_range
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    Opcode,
    OperandType,
    ResourceDimension,
    SamplerMode,
    SelectionMode,
    UavFlags,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["VIEW_PARSERS"]

_MULTISAMPLED = (ResourceDimension.TEXTURE2DMS, ResourceDimension.TEXTURE2DMSARRAY)
_KINDS = {False: OperandType.RESOURCE, True: OperandType.UNORDERED_ACCESS_VIEW}
_MOST_SAMPLES = 127  # what the field holds

_SPACE = re.compile(r"space\s*=\s*(\S+)\Z", re.IGNORECASE)
_SAMPLES = re.compile(r"\(\s*(\w+)\s*\)")
_TYPES = re.compile(r"\s*\(([^()]*)\)\s*")
_SIZED = re.compile(r"cb(\d+)\s*\[\s*(\w*)\s*\]\Z", re.IGNORECASE)
_BRACKET = re.compile(r"\[\s*(\w*)\s*\]")

_DIMENSIONS = inverse({**w.DIMENSIONS, ResourceDimension.UNKNOWN: w.UNKNOWN_DIMENSION})
_RETURN_TYPES = inverse({**w.RETURN_TYPES, 0: w.UNKNOWN_RETURN_TYPE})
_SAMPLER_MODES = inverse(w.SAMPLER_MODES)
_UAV_FLAGS: dict[str, UavFlags] = {text: flag for flag, text in w.UAV_FLAGS.items()}
_ACCESS = inverse({0: "immediateIndexed", t.DYNAMIC_INDEXED.put(1): "dynamicIndexed"})
_ALL = (0, 1, 2, 3)


def _take_space(parts: list[Part], version: tuple[int, int], text: Parts) -> tuple[int, ...]:
    """Take the register space off the parts; it is there from 5.1 on and 0 if left out."""
    found = _SPACE.match(parts[-1][0]) if parts else None
    if found is None:
        return (0,) if version >= RANGES_SINCE else ()
    number = read_number((found.group(1), parts[-1][1] + found.start(1)), "a register space")
    if version < RANGES_SINCE:
        raise Mistake("only shader model 5.1 has register spaces", parts[-1][1])
    parts.pop()
    if not parts:
        raise Mistake("wanted a register, found nothing", len(text.whole))
    return (number,)


def _declared(part: Part, version: tuple[int, int], kind: OperandType) -> Operand:
    """Return a declared view or sampler: a register, from 5.1 on a range."""
    if version < RANGES_SINCE:
        if ":" in part[0]:
            raise Mistake("only shader model 5.1 has register ranges", part[1])
        return _of_kind(read_declared(part), part, kind)
    try:
        found = declared_range(part[0])
    except Mistake as mistake:
        raise Mistake(mistake.message, part[1] + mistake.position) from None
    if found is None:
        example = f"{w.REGISTERS[kind].upper()}0[0:0]"
        raise Mistake(f"wanted a range such as {example}, found {shown(part[0])}", part[1])
    operand, end = found
    if end != len(part[0]):
        raise Mistake(f"{shown(part[0][end:])} is not understood here", part[1] + end)
    return _of_kind(operand, part, kind)


def _of_kind(operand: Operand, part: Part, kind: OperandType) -> Operand:
    if operand.type is not kind:
        raise Mistake(f"wanted {w.REGISTERS[kind]}#, found {shown(part[0])}", part[1])
    return operand


def _constant_buffer(_: str, text: Parts, opcode: Opcode, version: tuple[int, int]) -> Instruction:
    parts = text.parts()
    space = _take_space(parts, version, text)
    check_count(parts, 2, text, "a constant buffer with its size, and its access")
    access = read_word(parts[1], _ACCESS, "immediateIndexed or dynamicIndexed")
    part, extra = parts[0], ()
    if version >= RANGES_SINCE:
        cut = part[0].rfind("[")
        size = _BRACKET.fullmatch(part[0][max(cut, 0) :])
        if size is None:
            raise Mistake(f"wanted a range such as CB0[0:0][4], found {shown(part[0])}", part[1])
        extra = (read_number((size.group(1), part[1] + cut + 1), "a size in vectors"), *space)
        part = (part[0][:cut].rstrip(), part[1])
        operand = _declared(part, version, OperandType.CONSTANT_BUFFER)
    else:
        operand = _sized(part)
    return Instruction(opcode, (operand,), access, extra)


def _sized(part: Part) -> Operand:
    """Return a constant buffer whose second index is its size in vectors."""
    found = _SIZED.match(part[0])
    if found is None:
        raise Mistake(f"wanted a constant buffer such as CB0[4], found {shown(part[0])}", part[1])
    numbers = [
        read_number((found.group(n), part[1] + found.start(n)), what)
        for n, what in ((1, "a number"), (2, "a size in vectors"))
    ]
    indices = tuple(Index(number) for number in numbers)
    return Operand(OperandType.CONSTANT_BUFFER, 4, SelectionMode.SWIZZLE, _ALL, indices)


def _sampler(_: str, text: Parts, opcode: Opcode, version: tuple[int, int]) -> Instruction:
    parts = text.parts()
    space = _take_space(parts, version, text)
    if len(parts) != 1:
        check_count(parts, 2, text, "a sampler and its mode")
    mode: int = SamplerMode.DEFAULT
    if len(parts) > 1:
        mode = read_word(parts[1], _SAMPLER_MODES, "a mode such as mode_default")
    operand = _declared(parts[0], version, OperandType.SAMPLER)
    return Instruction(opcode, (operand,), t.SAMPLER_MODE.put(mode), space)


def _typed_view(ending: str, text: Parts, opcode: Opcode, version: tuple[int, int]) -> Instruction:
    is_uav = opcode is Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED
    ending, controls = _coherence(ending) if is_uav else (ending, 0)
    rest, at = text.text, len(TABLE[opcode].mnemonic) + 1
    unknown = rest.startswith(w.UNKNOWN_DIMENSION) and ending == "_"
    if unknown:
        ending, rest = f"_{w.UNKNOWN_DIMENSION}", rest[len(w.UNKNOWN_DIMENSION) :]
    dimension = read_word((ending[1:], at), _DIMENSIONS, "a dimension such as texture2d")
    controls |= t.DECLARED_DIMENSION.put(dimension)
    at = text.start + len(text.text) - len(rest)
    samples = _SAMPLES.match(rest) if not is_uav and dimension in _MULTISAMPLED else None
    if samples is not None:
        count = read_number((samples.group(1), at + samples.start(1)), "a number of samples")
        controls |= t.DECLARED_SAMPLES.put(min(count, _MOST_SAMPLES))
        at, rest = at + samples.end(), rest[samples.end() :]
    types = _TYPES.match(rest)
    if types is None:
        raise Mistake("wanted four types such as (float,float,float,float)", at)
    kinds = _return_types(types.group(1), at + types.start(1))
    after = Parts(text.whole, at + types.end())
    parts = after.parts()
    space = _take_space(parts, version, text)
    check_count(parts, 1, text, "one register")
    operand = _declared(parts[0], version, _KINDS[is_uav])
    return Instruction(opcode, (operand,), controls, (kinds, *space))


def _return_types(text: str, at: int) -> int:
    parts = text.split(",")
    if len(parts) != len(t.EXTENDED_RETURN_TYPES):
        raise Mistake(f"wanted four types, found {len(parts)}", at)
    number = 0
    for place, part in enumerate(parts):
        kind = read_word((part.strip(), at), _RETURN_TYPES, "a type such as float")
        number |= kind << 4 * place
        at += len(part) + 1
    return number


def _coherence(ending: str) -> Part:
    """Cut the flags of a UAV off the end of its mnemonic."""
    controls = 0
    for text, flag in reversed(_UAV_FLAGS.items()):
        if ending.endswith(text):
            ending, controls = ending.removesuffix(text), controls | flag
    return ending, controls


def _untyped_view(
    ending: str, text: Parts, opcode: Opcode, version: tuple[int, int]
) -> Instruction:
    is_uav = opcode.name.startswith("DCL_UNORDERED")
    rest, controls = _coherence(ending) if is_uav else (ending, 0)
    if rest:
        name = TABLE[opcode].mnemonic
        raise Mistake(f"{shown(rest)} is no ending of {name}", len(name))
    parts = text.parts()
    space = _take_space(parts, version, text)
    names = [name for name in t.layout(opcode, version).dwords if name != "space"]
    check_count(parts, 1 + len(names), text, ", ".join(["a register", *names]))
    operand = _declared(parts[0], version, _KINDS[is_uav])
    numbers = [read_number(part, f"the {n}") for part, n in zip(parts[1:], names, strict=True)]
    return Instruction(opcode, (operand,), controls, (*numbers, *space))


VIEW_PARSERS: dict[Opcode, DeclarationParser] = {
    Opcode.DCL_CONSTANT_BUFFER: _constant_buffer,
    Opcode.DCL_SAMPLER: _sampler,
    Opcode.DCL_RESOURCE: _typed_view,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED: _typed_view,
    Opcode.DCL_RESOURCE_RAW: _untyped_view,
    Opcode.DCL_RESOURCE_STRUCTURED: _untyped_view,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW: _untyped_view,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: _untyped_view,
}
