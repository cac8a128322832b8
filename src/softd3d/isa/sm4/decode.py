"""Token streams of SM4.0-5.1 to programs.

Layouts: D3D11.3 functional specification section 22; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

from softd3d.arguments import buffer_of, whole
from softd3d.classes import dataclass
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
from softd3d.isa.sm4.extended import NOTHING_SAID, SAID
from softd3d.isa.sm4.operands import OperandReader
from softd3d.isa.sm4.program import Instruction, Operand, Program, Target

__all__ = ["Fields", "TokenStream", "decode"]

_HIGHEST_EXTENSION = max(ExtendedOpcodeType)
_HIGHEST_DIMENSION = max(ResourceDimension)
_TYPES = frozenset(ProgramType)
_OPCODES: dict[int, Opcode] = {int(code): code for code in Opcode}


@dataclass(frozen=True, slots=True)
class _Opening:
    """What an opcode token says. length: in dwords; 0 of custom data, which has its own."""

    opcode: Opcode
    layout: t.Layout
    length: int
    controls: int


def _opening(token: int, version: tuple[int, int]) -> _Opening | None:
    """Decode an opcode token, None if the version has no such opcode."""
    opcode = _OPCODES.get(t.OPCODE.get(token))
    if opcode is None:
        return None
    length = 0 if opcode is Opcode.CUSTOMDATA else t.LENGTH.get(token)
    return _Opening(opcode, t.layout(opcode, version), length, token & t.CONTROLS_MASK)


# A table for each version
_OPENINGS: dict[tuple[int, int], Memo[int, _Opening | None]] = {
    version: Memo(partial(_opening, version=version), 1 << 12) for version in t.VERSIONS
}
Fields: TypeAlias = tuple[
    Opcode, tuple[Operand, ...], int, tuple[int, ...], CustomDataClass | int | None,
    tuple[int, ...], tuple[int, int, int], ResourceDimension | None, int, tuple[ReturnType, ...],
    tuple[int, ...], tuple[int, ...],
]  # fmt: skip
"""All fields of an instruction but where it is and what for."""
# For each version the instructions by their bytes: of a thousand different shaders two
# instructions of three have been there before.
_BODIES: dict[tuple[int, int], Bounded[bytes, Fields]] = {
    version: Bounded(1 << 15) for version in t.VERSIONS
}


def decode(data: bytes, base: int = 0) -> Program:
    """Decode the data of a SHDR or SHEX chunk.

    base: where `data` starts in the whole input, in bytes; positions in errors count from there.

    Raises:
        DecodeError: a length is wrong, or a number in a token has no meaning.

    >>> decode(bytes.fromhex("40000500 03000000 3e000001")).instructions[0].opcode.name
    'RET'
    """
    return TokenStream(data, base).program()


class TokenStream:
    """The tokens of a program whose version and length are right, not decoded yet.

    target: what the program is for.

    Raises:
        DecodeError: the version or the length is wrong.
    """

    def __init__(self, data: bytes, base: int = 0) -> None:
        self._data = data if type(data) is bytes else bytes(buffer_of(data, "decode: data"))
        base = whole(base)
        self._words = _words(self._data, base)
        kind, version = _version(self._words[0], base)
        self._base = base
        self._version = version
        self._reader = OperandReader(self._words, base, version)
        self.target = self._reader.target = Target(kind, *version)

    def program(self) -> Program:
        """Return the decoded program.

        Raises:
            DecodeError: a length is wrong, or a number in a token has no meaning.
        """
        known, target, base = _BODIES[self._version], self.target, self._base
        instructions: list[Instruction] = []
        for place, own in self.spans():
            number = len(instructions)
            body = known.get(own)
            if body is None:
                body = self._body(place, number)
                if own:
                    known[own] = body
            instructions.append(Instruction(*body, number, base + 4 * place, target))
        return Program(target.type, *self._version, tuple(instructions))

    def spans(self) -> Iterator[tuple[int, bytes]]:
        """Yield where each instruction starts, in dwords, and its bytes; none for custom data.

        What an instruction is follows from its bytes and the version alone.

        Raises:
            DecodeError: there is no such opcode, or a length is wrong.
        """
        data, words, openings = self._data, self._words, _OPENINGS[self._version]
        place, end, number = t.HEADER_DWORDS, len(words), 0
        while place < end:
            opening = openings[words[place]]
            if opening is not None and 0 < opening.length <= end - place:
                stop = place + opening.length
                yield place, data[4 * place : 4 * stop]
            else:
                self._reader.instruction = number
                stop = self._end_of_custom_data(opening, place)
                yield place, b""
            place = stop
            number += 1

    def instruction(self, place: int, number: int) -> Instruction:
        """Decode the instruction of that number, which starts at dword `place`.

        Raises:
            DecodeError: a number in a token has no meaning.
        """
        body = self._body(place, number)
        return Instruction(*body, number, self._base + 4 * place, self.target)

    def _end_of_custom_data(self, opening: _Opening | None, start: int) -> int:
        """Return where the custom data ends that starts at a dword; nothing else has a place there.

        Raises:
            DecodeError: it leaves the program, or is no custom data: an unknown opcode, or an
                instruction of a wrong length.
        """
        reader = self._reader
        reader.position, reader.end = start, len(reader.words)
        left = reader.end - start
        if opening is None:
            reader.what = ""
            number = t.OPCODE.get(reader.words[start])
            raise reader.error("opcode {} is not defined in SM{}.{}".format(number, *self._version))
        reader.what = opening.layout.mnemonic
        if opening.opcode is not Opcode.CUSTOMDATA:
            if opening.length == 0:
                raise reader.error(": instruction length is 0")
            raise reader.error(
                f": length is {opening.length} dwords, the program ends after {left}"
            )
        reader.position += 1
        length = reader.take("length")
        if not t.CUSTOM_HEADER_DWORDS <= length <= left:
            raise reader.error(
                f": length is {length} dwords, the program ends after {left}", start + 1
            )
        return start + length

    def _body(self, start: int, number: int) -> Fields:
        reader = self._reader
        reader.instruction = number
        opening = _OPENINGS[self._version][reader.words[start]]
        assert opening is not None  # noqa: S101 - it has a span
        if opening.opcode is Opcode.CUSTOMDATA:
            return _custom(reader.words, start)
        reader.what = opening.layout.mnemonic
        reader.position, reader.end = start + 1, start + opening.length
        return _instruction(reader, opening, start)


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


def _instruction(reader: OperandReader, opening: _Opening, start: int) -> Fields:
    layout = opening.layout
    extended: tuple[int, ...] = ()
    said = NOTHING_SAID
    if reader.words[start] >> 31:
        extended = _extended(reader)
        said = SAID[extended]
    leading = [reader.take(name) for name in layout.leading] if layout.leading else []
    operands = reader.operands(layout.operands)
    extra: tuple[int, ...] = ()
    if leading or layout.dwords:
        extra = (*leading, *_dwords(reader, layout))
    trailing = reader.words[reader.position : reader.end]
    return (
        opening.opcode, operands, opening.controls, extra, None, (), *said, extended, trailing
    )  # fmt: skip


def _dwords(reader: OperandReader, layout: t.Layout) -> list[int]:
    """Read the dwords behind the operands, and those that the last of them counts."""
    found = [reader.take(name) for name in layout.dwords]
    if layout.count_mask:
        count = found[-1] & layout.count_mask
        if count > reader.end - reader.position:
            raise reader.error(
                f": {count} ids wanted, found {reader.end - reader.position}", reader.position - 1
            )
        found += [reader.take("id") for _ in range(count)]
    return found


def _custom(words: tuple[int, ...], start: int) -> Fields:
    """Read custom data, whose length is known to be right."""
    number = t.CUSTOM_CLASS.get(words[start])
    kind = CustomDataClass(number) if number <= max(CustomDataClass) else number
    payload = words[start + t.CUSTOM_HEADER_DWORDS : start + words[start + 1]]
    return Opcode.CUSTOMDATA, (), 0, (), kind, payload, *NOTHING_SAID, (), ()


def _extended(reader: OperandReader) -> tuple[int, ...]:
    """Read and check the extended opcode tokens."""
    found: list[int] = []
    more = 1
    while more:
        token = reader.take("extended opcode token")
        place = reader.position - 1
        kind = t.EXTENDED_OPCODE_TYPE.get(token)
        if kind > _HIGHEST_EXTENSION:
            raise reader.error(f": extended opcode type {kind} is not defined", place)
        dimension = t.EXTENDED_DIMENSION.get(token)
        if kind == ExtendedOpcodeType.RESOURCE_DIM and dimension > _HIGHEST_DIMENSION:
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
