"""Token streams of SM4.0-5.1 to programs.

Layouts: D3D11.3 functional specification section 22; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import partial

from softd3d.errors import DecodeError, Location
from softd3d.isa.record import Bounded, Memo
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    ExtendedOpcodeType,
    Opcode,
    ProgramType,
    ResourceDimension,
    ReturnType,
)
from softd3d.isa.sm4.operands import OperandReader
from softd3d.isa.sm4.program import Instruction, Operand, Program, Target

__all__ = ["decode"]

_NO_OFFSETS = (0, 0, 0)
_TYPES = frozenset(ProgramType)
_OPCODES: dict[int, Opcode] = {int(code): code for code in Opcode}


@dataclass(frozen=True, slots=True)
class _Opening:
    """What an opcode token says. is_plain: whether only operands and a few dwords follow it."""

    opcode: Opcode
    layout: t.Layout
    length: int
    controls: int
    is_plain: bool


def _opening(token: int, version: tuple[int, int]) -> _Opening | None:
    """Decode an opcode token, None if the version has no such opcode."""
    opcode = _OPCODES.get(t.OPCODE.get(token))
    if opcode is None:
        return None
    layout = t.layout(opcode, version)
    is_plain = not (
        opcode is Opcode.CUSTOMDATA or token >> 31 or layout.leading or layout.count_mask
    )
    controls = token & t.CONTROLS_MASK
    return _Opening(opcode, layout, t.LENGTH.get(token), controls, is_plain)


# A table for each version
_OPENINGS: dict[tuple[int, int], Memo[int, _Opening | None]] = {
    version: Memo(partial(_opening, version=version), 1 << 12) for version in t.VERSIONS
}


def decode(data: bytes, base: int = 0) -> Program:
    """Decode the data of a SHDR or SHEX chunk.

    base: where `data` starts in the whole input, in bytes; positions in errors count from there.

    Raises:
        DecodeError: a length is wrong, or a number in a token has no meaning.

    >>> decode(bytes.fromhex("40000500 03000000 3e000001")).instructions[0].opcode.name
    'RET'
    """
    words = _words(data, base)
    kind, version = _version(words[0], base)
    reader = OperandReader(words, base, version)
    target = reader.target = Target(kind, *version)
    openings, bodies = _OPENINGS[version], _BODIES[version]
    instructions: list[Instruction] = []
    position, end = t.HEADER_DWORDS, len(words)
    while position < end:
        opening = openings[words[position]]
        number = reader.instruction = len(instructions)
        if opening is None or not opening.is_plain or not 0 < opening.length <= end - position:
            instruction, position = _instruction(reader, opening, position)
            instructions.append(instruction)
            continue
        stop = position + opening.length
        own = words[position:stop]
        body = bodies.get(own)
        if body is None:
            body = bodies[own] = _plain_body(reader, opening, position)
        operands, extra, trailing = body
        instruction = Instruction(
            opening.opcode, operands, opening.controls, extra, None, (), _NO_OFFSETS, None, 0, (),
            (), trailing, number, base + 4 * position, target,
        )  # fmt: skip
        instructions.append(instruction)
        position = stop
    return Program(kind, *version, tuple(instructions))


def _words(data: bytes, base: int) -> tuple[int, ...]:
    size = len(data)
    if size < 4 * t.HEADER_DWORDS or size % 4:
        raise DecodeError(
            f"program: {size} bytes are not a whole number of dwords and at least two",
            Location(offset=base),
        )
    words = struct.unpack(f"<{size // 4}I", data)
    if words[1] != len(words):
        raise DecodeError(
            f"program: length is {words[1]} dwords, found {len(words)}", Location(offset=base + 4)
        )
    return words


def _version(token: int, base: int) -> tuple[ProgramType, tuple[int, int]]:
    number = t.VERSION_TYPE.get(token)
    version = t.VERSION_MAJOR.get(token), t.VERSION_MINOR.get(token)
    if number not in _TYPES:
        raise DecodeError(f"program: type {number} is not defined", Location(offset=base))
    if version not in t.VERSIONS or token >> 8 & 0xFF:
        raise DecodeError(
            f"program: version token {token:#010x} is none of shader models 4.0 to 5.1",
            Location(offset=base),
        )
    return ProgramType(number), version


_Body = tuple[tuple[Operand, ...], tuple[int, ...], tuple[int, ...]]
# For each version what plain instructions have behind their opcode, by their dwords: of a thousand
# different shaders two instructions of three have been there before.
_BODIES: dict[tuple[int, int], Bounded[tuple[int, ...], _Body]] = {
    version: Bounded(1 << 15) for version in t.VERSIONS
}


def _plain_body(reader: OperandReader, opening: _Opening, start: int) -> _Body:
    """Return operands, further dwords, and those that no rule explains."""
    layout, end = opening.layout, start + opening.length
    reader.what = layout.mnemonic
    reader.position, reader.end = start + 1, end
    operands = reader.operands(layout.operands)
    extra: tuple[int, ...] = ()
    if layout.dwords:
        extra = tuple([reader.take(name) for name in layout.dwords])
    return operands, extra, reader.words[reader.position : end]


def _instruction(
    reader: OperandReader, opening: _Opening | None, start: int
) -> tuple[Instruction, int]:
    """Decode the instruction at dword `start`; also return where the next one is."""
    reader.position, reader.end = start, len(reader.words)
    if opening is None:
        reader.what = ""
        number = t.OPCODE.get(reader.words[start])
        raise reader.error("opcode {} is not defined in SM{}.{}".format(number, *reader.version))
    reader.what = opening.layout.mnemonic
    if opening.opcode is Opcode.CUSTOMDATA:
        return _custom(reader, reader.words[start])
    length = opening.length
    if length == 0:
        raise reader.error(": instruction length is 0")
    if start + length > len(reader.words):
        raise reader.error(
            f": length is {length} dwords, the program ends after {len(reader.words) - start}"
        )
    reader.position, reader.end = start + 1, start + length
    return _body(reader, opening, start), start + length


def _body(reader: OperandReader, opening: _Opening, start: int) -> Instruction:
    layout = opening.layout
    extended = _extended(reader) if reader.words[start] >> 31 else ()
    extra = [reader.take(name) for name in layout.leading]
    operands = reader.operands(layout.operands)
    extra += [reader.take(name) for name in layout.dwords]
    if layout.count_mask:
        count = extra[-1] & layout.count_mask
        if count > reader.end - reader.position:
            raise reader.error(
                f": {count} ids wanted, found {reader.end - reader.position}", reader.position - 1
            )
        extra += [reader.take("id") for _ in range(count)]
    trailing = reader.words[reader.position : reader.end]
    texel_offsets, dimension, stride, return_types = SAID[extended]
    return Instruction(
        opening.opcode, operands, opening.controls, tuple(extra), None, (), texel_offsets,
        dimension, stride, return_types, extended, trailing, reader.instruction,
        reader.base + 4 * start, reader.target,
    )  # fmt: skip


def _extended(reader: OperandReader) -> tuple[int, ...]:
    """Read and check the extended opcode tokens."""
    found: list[int] = []
    more = 1
    while more:
        token = reader.take("extended opcode token")
        place = reader.position - 1
        kind = t.EXTENDED_OPCODE_TYPE.get(token)
        if kind > max(ExtendedOpcodeType):
            raise reader.error(f": extended opcode type {kind} is not defined", place)
        dimension = t.EXTENDED_DIMENSION.get(token)
        if kind == ExtendedOpcodeType.RESOURCE_DIM and dimension > max(ResourceDimension):
            raise reader.error(f": resource dimension {dimension} is not defined", place)
        if kind == ExtendedOpcodeType.RESOURCE_RETURN_TYPE:
            for field in t.EXTENDED_RETURN_TYPES:
                if not ReturnType.UNORM <= field.get(token) <= ReturnType.UNUSED:
                    raise reader.error(
                        f": resource return type {field.get(token)} is not defined", place
                    )
        found.append(token)
        more = token >> 31
    return tuple(found)


_Said = tuple[tuple[int, int, int], ResourceDimension | None, int, tuple[ReturnType, ...]]


def read_extended(extended: tuple[int, ...]) -> _Said:
    """Return the texel offsets, dimension, stride and return types that extended tokens state."""
    offsets, dimension, stride, types = (0, 0, 0), None, 0, ()
    for token in extended:
        kind = t.EXTENDED_OPCODE_TYPE.get(token)
        if kind == ExtendedOpcodeType.SAMPLE_CONTROLS:
            u, v, w = (field.get(token) for field in t.TEXEL_OFFSETS)
            offsets = u, v, w
        elif kind == ExtendedOpcodeType.RESOURCE_DIM:
            dimension = ResourceDimension(t.EXTENDED_DIMENSION.get(token))
            stride = t.EXTENDED_STRIDE.get(token)
        elif kind == ExtendedOpcodeType.RESOURCE_RETURN_TYPE:
            types = tuple(ReturnType(field.get(token)) for field in t.EXTENDED_RETURN_TYPES)
    return offsets, dimension, stride, types


SAID: Memo[tuple[int, ...], _Said] = Memo(read_extended, 1 << 12)
"""`read_extended` of all that has been seen."""


def _custom(reader: OperandReader, token: int) -> tuple[Instruction, int]:
    start = reader.position
    reader.position += 1
    length = reader.take("length")
    if not t.CUSTOM_HEADER_DWORDS <= length <= len(reader.words) - start:
        raise reader.error(
            f": length is {length} dwords, the program ends after {len(reader.words) - start}",
            start + 1,
        )
    end = start + length
    number = t.CUSTOM_CLASS.get(token)
    kind = CustomDataClass(number) if number <= max(CustomDataClass) else number
    payload = reader.words[start + t.CUSTOM_HEADER_DWORDS : end]
    instruction = Instruction(
        Opcode.CUSTOMDATA, custom_class=kind, custom=payload, index=reader.instruction,
        offset=reader.base + 4 * start, target=reader.target,
    )  # fmt: skip
    return instruction, end
