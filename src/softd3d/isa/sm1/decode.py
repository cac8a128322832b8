"""Token streams of SM1-3 to programs.

Layouts: d3d9types.h; WDK "Direct3D Shader Codes".
"""

from __future__ import annotations

import struct
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from softd3d.arguments import buffer_of, whole
from softd3d.classes import dataclass
from softd3d.errors import DecodeError, Location
from softd3d.isa.record import Bounded, Memo
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode, ProgramType, TextureType, Usage
from softd3d.isa.sm1.parameters import destination_parameter, source_parameter
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

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["decode"]

_OPCODES: dict[int, Opcode] = {int(code): code for code in Opcode}
_USAGES: dict[int, Usage] = {int(usage): usage for usage in Usage}
_TEXTURE_TYPES: dict[int, TextureType] = {int(type_): type_ for type_ in TextureType}
_DWORD = 4


@dataclass(frozen=True, slots=True)
class _Opening:
    """What an instruction token says. fields: of tokens of its version.

    length: dwords behind the token; before 2.0, where it does not say, the least.
    """

    opcode: Opcode
    layout: t.Layout
    fields: t.InstructionFields
    length: int


def _opening(token: int, target: Target) -> _Opening | None:
    """Take a token apart; None if its opcode is not defined."""
    opcode = _OPCODES.get(t.OPCODE.get(token))
    layout = None if opcode is None else t.layout(opcode, target.type, target.version)
    if opcode is None or layout is None:
        return None
    fields = t.instruction_fields(target.version)
    if fields.has_length:
        return _Opening(opcode, layout, fields, t.LENGTH.get(token))
    length = layout.has_usage + layout.has_destination + layout.sources + layout.immediates
    return _Opening(opcode, layout, fields, length)


# All fields of an instruction but where it is and what for
_Body = tuple[
    Opcode, DestinationParameter | None, tuple[SourceParameter, ...], int, bool,
    SourceParameter | None, Declaration | None, tuple[int, ...], int, tuple[int, ...],
]  # fmt: skip


class _Known:
    """What is remembered for a target: openings by their tokens, instructions by their bytes.

    Shaders repeat themselves: most of their instructions have been there before.
    """

    def __init__(self, target: Target) -> None:
        self.openings: Memo[int, _Opening | None] = Memo(partial(_opening, target=target), 1 << 12)
        self.bodies: Bounded[bytes, _Body] = Bounded(1 << 13)


_known = lru_cache(maxsize=32)(_Known)


def decode(data: bytes, base: int = 0) -> Program:
    """Decode a token stream from its version token to its end token.

    base: where `data` starts in the whole input, in bytes; positions in errors count from there.

    Raises:
        DecodeError: a number in a token has no meaning, a length is wrong, or there is no end.

    >>> decode(bytes.fromhex("0002ffff 01000002 00080f80 0000e4a0 ffff0000")).profile
    'ps_2_0'
    """
    reader = _Reader(data, base)
    return reader.program()


class _Reader:
    """The words of a stream, and where reading them is.

    position: the next dword; end: where the instruction ends; index, what: the instruction's
    number and mnemonic, for errors.
    """

    def __init__(self, data: bytes, base: int) -> None:
        data = data if type(data) is bytes else bytes(buffer_of(data, "decode: data"))
        base = whole(base)
        if len(data) < _DWORD:
            raise DecodeError(
                f"program: {len(data)} bytes, wanted a version token", Location(offset=base)
            )
        count = len(data) // _DWORD
        self.data = bytes(data)
        self.words: Sequence[int] = struct.unpack_from(f"<{count}I", data)
        self.base = base
        self.position = 0
        self.end = count
        self.index = 0
        self.what = "program"
        self.type, self.version = self._version()
        self.target = Target(self.type, *self.version)
        self.known = _known(self.target)

    def error(self, message: str, position: int | None = None) -> DecodeError:
        place = self.position if position is None else position
        where = Location(offset=self.base + _DWORD * place, instruction=self.index)
        return DecodeError(f"{self.what}: {message}", where)

    def take(self, name: str) -> int:
        """Return the next dword of the instruction."""
        if self.position >= self.end:
            raise self.error(f"{name} is missing, the instruction ends before it")
        self.position += 1
        return self.words[self.position - 1]

    def program(self) -> Program:
        found: list[Instruction | Comment] = []
        self.position = 1
        while True:
            self.index, self.what, self.end = len(found), "program", len(self.words)
            if self.position >= self.end:
                raise self.error("no end token")
            token = self.words[self.position]
            code = t.OPCODE.get(token)
            if code == Opcode.END:
                break
            found.append(self.comment() if code == Opcode.COMMENT else self.instruction())
        if token != t.END_TOKEN:
            raise self.error(f"end token is {token:#010x}, wanted {t.END_TOKEN:#010x}")
        trailing = self.data[_DWORD * (self.position + 1) :]
        return Program(self.type, *self.version, tuple(found), bytes(trailing))

    def _version(self) -> tuple[ProgramType, tuple[int, int]]:
        token = self.words[0]
        version = t.VERSION_MAJOR.get(token), t.VERSION_MINOR.get(token)
        number = t.VERSION_TYPE.get(token)
        for type_, versions in t.VERSIONS.items():
            if number == type_ and version in versions:
                return type_, version
        raise DecodeError(
            f"program: version token {token:#010x} is none of shader models 1 to 3",
            Location(offset=self.base),
        )

    def comment(self) -> Comment:
        start = self.position
        token = self.words[start]
        length = t.COMMENT_LENGTH.get(token)
        if start + 1 + length > self.end:
            self.what = "comment"
            raise self.error(
                f"length is {length} dwords, the data ends after {self.end - start - 1}"
            )
        self.position = start + 1 + length
        payload = self.data[_DWORD * (start + 1) : _DWORD * self.position]
        reserved = t.COMMENT_RESERVED.get(token)
        return Comment(bytes(payload), reserved, self.index, self.base + _DWORD * start)

    def instruction(self) -> Instruction:
        start, words = self.position, self.words
        opening = self.known.openings[words[start]]
        if opening is None:
            raise self.error(f"opcode {t.OPCODE.get(words[start])} is not defined in SM1-3")
        self.what = opening.layout.mnemonic
        self.position += 1
        stop = self.position + opening.length
        if not opening.fields.has_length:
            stop = self._end_of_parameters(stop)
        elif stop > len(words):
            raise self.error(
                f"length is {opening.length} dwords, the data ends after "
                f"{len(words) - self.position}",
                start,
            )
        else:
            self.end = stop
        own = self.data[_DWORD * start : _DWORD * stop]
        body = self.known.bodies.get(own)
        if body is None:
            body = self.known.bodies[own] = self._body(words[start], opening)
        self.position = stop
        return Instruction(*body, self.index, self.base + _DWORD * start, self.target)

    def _body(self, token: int, opening: _Opening) -> _Body:
        layout, fields = opening.layout, opening.fields
        declaration = self._declaration() if layout.has_usage else None
        destination = self._destination() if layout.has_destination else None
        is_predicated = fields.has_length and t.PREDICATED.get(token)
        predicate = self._source("predicate") if is_predicated else None
        sources = tuple([self._source(f"src{n}") for n in range(layout.sources)])
        immediates = tuple([self.take("immediate") for _ in range(layout.immediates)])
        if not fields.has_length:
            self.end = self._end_of_parameters(self.position)
        trailing = tuple(self.words[self.position : self.end])
        return (
            opening.opcode, destination, sources, t.CONTROLS.get(token),
            not fields.has_length and bool(t.COISSUE.get(token)), predicate, declaration,
            immediates, token & fields.reserved, trailing,
        )  # fmt: skip

    def _end_of_parameters(self, end: int) -> int:
        """Return where parameters end before 2.0: at the first token from `end` on that is none."""
        while end < self.end and t.PARAMETER.get(self.words[end]):
            end += 1
        return end

    def _declaration(self) -> Declaration:
        token = self.take("usage token")
        usage, texture_type = t.USAGE.get(token), t.TEXTURE_TYPE.get(token)
        return Declaration(
            _USAGES.get(usage, usage),
            t.USAGE_INDEX.get(token),
            _TEXTURE_TYPES.get(texture_type, texture_type),
            (token ^ t.PARAMETER_BITS) & t.USAGE_RESERVED,
        )

    def _destination(self) -> DestinationParameter:
        token = self.take("dst")
        try:
            return destination_parameter(token, self._relative(token, "dst"))
        except ValueError as error:
            raise self.error(f"dst {error}", self.position - 1) from None

    def _source(self, name: str) -> SourceParameter:
        token = self.take(name)
        place = self.position - 1
        try:
            return source_parameter(token, self._relative(token, name))
        except ValueError as error:
            raise self.error(f"{name} {error}", place) from None

    def _relative(self, token: int, name: str) -> SourceParameter | None:
        if not t.RELATIVE.get(token):
            return None
        if not t.instruction_fields(self.version).has_length:
            return IMPLICIT_ADDRESS
        address = self.take(f"{name} address")
        if t.RELATIVE.get(address):
            raise self.error(f"{name} address is itself relative", self.position - 1)
        return source_parameter(address, None)
