"""Programs of SM4.0-5.1 to token streams: the inverse of `decode`, to the last bit."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache

from softd3d.arguments import instance
from softd3d.errors import AssemblyError
from softd3d.isa.record import Bounded
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    Opcode,
    OperandModifier,
    SelectionMode,
)
from softd3d.isa.sm4.extended import SAID, extended_tokens
from softd3d.isa.sm4.operands import read_modifiers
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program, Target

__all__ = ["encode", "encode_instruction", "encode_operand", "joined"]

_MORE = 1 << 31


def encode(program: Program) -> bytes:
    """Return the data of a SHDR or SHEX chunk.

    Raw extended tokens of decoded instructions and operands are written as they were, unless they
    no longer say what the decoded fields say.

    Raises:
        AssemblyError: a number does not fit its field, or an instruction exceeds 127 dwords.
    """
    instance(program, Program, "encode: program")
    words = [_version(program), 0]
    version = program.major, program.minor
    for instruction in program.instructions:
        words += encode_instruction(instruction, version)
    words[1] = len(words)
    try:
        return struct.pack(f"<{len(words)}I", *words)
    except struct.error as error:
        raise AssemblyError("program: a dword does not fit 32 bits") from error


def joined(target: Target, instructions: Sequence[bytes]) -> bytes:
    """Return the data of a SHDR or SHEX chunk of the tokens of its instructions.

    Raises:
        AssemblyError: a number of the target does not fit its field.
    """
    size = t.HEADER_DWORDS + sum(map(len, instructions)) // 4
    return struct.pack("<2I", _version(target), size) + b"".join(instructions)


def encode_instruction(instruction: Instruction, version: tuple[int, int]) -> tuple[int, ...]:
    """Return the dwords of one instruction.

    Raises:
        AssemblyError: as `encode`.
    """
    try:
        return tuple(_instruction(instruction, version))
    except ValueError as error:
        raise AssemblyError(f"{instruction.opcode.name}: {error}", instruction.location) from error


def encode_operand(operand: Operand) -> tuple[int, ...]:
    """Return the dwords of one operand.

    Raises:
        AssemblyError: a number does not fit its field.
    """
    try:
        return _operand(operand)
    except ValueError as error:
        raise AssemblyError(f"operand {operand.type.name}: {error}") from error


def _version(program: Target) -> int:
    if (program.major, program.minor) not in t.VERSIONS:
        raise AssemblyError(f"program: {program.profile} is none of shader models 4.0 to 5.1")
    version = t.VERSION_MAJOR.put(program.major) | t.VERSION_MINOR.put(program.minor)
    return version | t.VERSION_TYPE.put(program.type)


def _instruction(i: Instruction, version: tuple[int, int]) -> list[int]:
    if i.opcode is Opcode.CUSTOMDATA:
        kind = t.CUSTOM_CLASS.put(i.custom_class or 0)
        return [i.opcode | kind, t.CUSTOM_HEADER_DWORDS + len(i.custom), *i.custom]
    extended = _extended(i)
    words = [0, *extended]
    extra = i.extra
    if extra:
        leading = len(t.layout(i.opcode, version).leading)
        words += extra[:leading]
        extra = extra[leading:]
    for operand in i.operands:
        known = _KNOWN.get(id(operand))
        if known is None:
            known = _KNOWN[id(operand)] = operand, _operand(operand)
        words += known[1]
    words += extra
    words += i.trailing
    if len(words) > t.MAX_LENGTH:
        raise ValueError(f"{len(words)} dwords, at most {t.MAX_LENGTH}")
    if i.controls & ~t.CONTROLS_MASK:
        raise ValueError(f"controls {i.controls:#x} leave their bits")
    words[0] = i.opcode | i.controls | t.LENGTH.put(len(words)) | (_MORE if extended else 0)
    return words


def _extended(i: Instruction) -> tuple[int, ...]:
    fields = (i.texel_offsets, i.dimension, i.stride, i.return_types)
    if SAID[i.extended] == fields:
        return i.extended
    offsets = i.texel_offsets if any(i.texel_offsets) else None
    return extended_tokens(offsets, i.dimension, i.stride, i.return_types)


@lru_cache(maxsize=32768)
def _operand(o: Operand) -> tuple[int, ...]:
    extended = _modifiers(o)
    token = t.OPERAND_TYPE.put(o.type) | t.DIMENSIONS.put(len(o.indices)) | o.padding
    if o.components not in t.COMPONENT_COUNTS:
        raise ValueError(f"operand of {o.components} components")
    token |= t.COMPONENTS.put(t.COMPONENT_COUNTS.index(o.components))
    if o.components == 4:
        token |= _selection(o)
    words: list[int] = [0, *extended]
    for field, index in zip(t.REPRESENTATIONS, o.indices, strict=False):
        token |= field.put(index.representation)
        words += _index(index)
    words[0] = token | (_MORE if extended else 0)
    return (*words, *o.immediate)


# Dwords of operands by their identity, which is quicker to hash than what they are; each with its
# operand, which must live as long as its identity is a key.
_KNOWN: Bounded[int, tuple[Operand, tuple[int, ...]]] = Bounded(1 << 15)


def _selection(o: Operand) -> int:
    token = t.MODE.put(o.mode)
    if o.mode is SelectionMode.MASK:
        return token | t.MASK.put(sum(1 << component for component in set(o.selection)))
    count = 4 if o.mode is SelectionMode.SWIZZLE else 1
    for field, component in zip(t.SWIZZLE[:count], o.selection, strict=True):
        token |= field.put(component)
    return token


def _modifiers(o: Operand) -> tuple[int, ...]:
    fields = (o.modifier, o.min_precision, o.non_uniform)
    if read_modifiers(o.extended) == fields:
        return o.extended
    if fields == (OperandModifier.NONE, 0, False):
        return ()
    token = t.EXTENDED_OPERAND_MODIFIER | t.MODIFIER.put(o.modifier)
    return (token | t.MIN_PRECISION.put(o.min_precision) | t.NON_UNIFORM.put(o.non_uniform),)


def _index(index: Index) -> tuple[int, ...]:
    if index.representation >= len(t.REPRESENTATION_DWORDS):
        raise ValueError(f"index representation {index.representation} is not defined")
    count = t.REPRESENTATION_DWORDS[index.representation]
    if not 0 <= index.immediate < 1 << 32 * max(count, 1):
        raise ValueError(f"index {index.immediate} does not fit {count} dwords")
    words = tuple(index.immediate >> 32 * n & 0xFFFFFFFF for n in reversed(range(count)))
    if t.REPRESENTATION_IS_RELATIVE[index.representation] != (index.relative is not None):
        raise ValueError("an index's representation and its register contradict each other")
    return words if index.relative is None else words + _operand(index.relative)
