"""Programs of SM1-3 to token streams: the inverse of `decode`, to the last bit."""

from __future__ import annotations

import struct

from softd3d.arguments import instance
from softd3d.errors import AssemblyError
from softd3d.isa.record import Bounded
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.program import (
    IMPLICIT_ADDRESS,
    Comment,
    Declaration,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
    Target,
)

__all__ = ["encode", "encode_item", "encode_parameter"]


def encode(program: Program) -> bytes:
    """Return the token stream, with its end token and whatever followed that.

    Raises:
        AssemblyError: a number does not fit its field, or an instruction its length.
    """
    instance(program, Program, "encode: program")
    if program.version not in t.VERSIONS[program.type]:
        raise AssemblyError(f"program: {program.profile} is none of shader models 1 to 3")
    version = t.VERSION_MAJOR.put(program.major) | t.VERSION_MINOR.put(program.minor)
    words = [version | t.VERSION_TYPE.put(program.type)]
    for item in program.instructions:
        words += encode_item(item, program)
    words.append(t.END_TOKEN)
    try:
        return struct.pack(f"<{len(words)}I", *words) + program.trailing
    except struct.error as error:
        raise AssemblyError("program: a dword does not fit 32 bits") from error


def encode_item(item: Instruction | Comment, target: Target) -> tuple[int, ...]:
    """Return the dwords of an instruction or comment.

    Raises:
        AssemblyError: as `encode`.
    """
    try:
        return tuple(_comment(item) if isinstance(item, Comment) else _instruction(item, target))
    except ValueError as error:
        name = "comment" if isinstance(item, Comment) else item.opcode.name
        raise AssemblyError(f"{name}: {error}", item.location) from error


def encode_parameter(
    parameter: DestinationParameter | SourceParameter, target: Target
) -> tuple[int, ...]:
    """Return a parameter's token, and its address token if it has one.

    Raises:
        AssemblyError: a number does not fit its field.
    """
    fields = t.instruction_fields(target.version)
    try:
        return _parameter(parameter, fields)
    except ValueError as error:
        raise AssemblyError(f"parameter {parameter.type.name}: {error}") from error


def _comment(comment: Comment) -> list[int]:
    count, rest = divmod(len(comment.payload), 4)
    if rest:
        raise ValueError(f"{len(comment.payload)} bytes are not a whole number of dwords")
    token = Opcode.COMMENT | t.COMMENT_LENGTH.put(count) | t.COMMENT_RESERVED.put(comment.reserved)
    return [token, *struct.unpack(f"<{count}I", comment.payload)]


def _instruction(i: Instruction, target: Target) -> list[int]:
    fields = t.instruction_fields(target.version)
    words: list[int] = []
    if i.declaration is not None:
        words.append(_declaration(i.declaration))
    for parameter in (i.destination, i.predicate, *i.sources):
        if parameter is not None:
            words += _parameter(parameter, fields)
    words += [*i.immediates, *i.trailing]
    return [_instruction_token(i, fields, len(words)), *words]


# Dwords of parameters by their identity, which is quicker to hash than what they are, and whether
# instructions have a length; each with its parameter, which must live as long as its key.
_KNOWN: Bounded[tuple[int, bool], tuple[object, tuple[int, ...]]] = Bounded(1 << 14)


def _parameter(
    parameter: DestinationParameter | SourceParameter, fields: t.InstructionFields
) -> tuple[int, ...]:
    key = id(parameter), fields.has_length
    known = _KNOWN.get(key)
    if known is None:
        is_source = isinstance(parameter, SourceParameter)
        words = _source(parameter, fields) if is_source else _destination(parameter, fields)
        known = _KNOWN[key] = parameter, tuple(words)
    return known[1]


def _instruction_token(i: Instruction, fields: t.InstructionFields, length: int) -> int:
    token = i.opcode | t.CONTROLS.put(i.controls)
    if i.reserved & ~fields.reserved:
        raise ValueError(f"reserved bits {i.reserved:#x} leave their places")
    if fields.has_length:
        if i.is_coissued:
            raise ValueError("co-issue exists before 2.0 only")
        token |= t.LENGTH.put(length) | t.PREDICATED.put(i.predicate is not None)
        return token | i.reserved
    if i.predicate is not None:
        raise ValueError("a predicate exists from 2.0 on only")
    return token | t.COISSUE.put(i.is_coissued) | i.reserved


def _declaration(d: Declaration) -> int:
    token = t.USAGE.put(d.usage) | t.USAGE_INDEX.put(d.usage_index)
    return (token | t.TEXTURE_TYPE.put(d.texture_type) | t.PARAMETER_BITS) ^ d.reserved


def _register(p: SourceParameter | DestinationParameter) -> int:
    token = t.REGISTER_NUMBER.put(p.number) | t.RELATIVE.put(p.relative is not None)
    return (token | t.REGISTER_TYPE.put(p.type) | t.PARAMETER_BITS) ^ p.reserved


def _destination(p: DestinationParameter, fields: t.InstructionFields) -> list[int]:
    token = _register(p) | t.WRITE_MASK.put(p.write_mask) | t.RESULT_MODIFIER.put(p.modifiers)
    return [token | t.SHIFT.put(p.shift), *_address(p.relative, fields)]


def _source(p: SourceParameter, fields: t.InstructionFields) -> list[int]:
    token = _register(p) | t.SOURCE_MODIFIER.put(p.modifier)
    for field, component in zip(t.SWIZZLE, p.swizzle, strict=True):
        token |= field.put(component)
    return [token, *_address(p.relative, fields)]


def _address(relative: SourceParameter | None, fields: t.InstructionFields) -> list[int]:
    if relative is None:
        return []
    if not fields.has_length:
        if relative != IMPLICIT_ADDRESS:
            raise ValueError("before 2.0 only a0.x can be added to a register number")
        return []
    if relative.relative is not None:
        raise ValueError("an address cannot be relative itself")
    return _source(relative, fields)
