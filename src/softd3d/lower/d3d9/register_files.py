"""The registers of Direct3D 9 shaders: what a stage reads, writes and indexes, and their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from softd3d.algebra.value import BOOL, F32, I32, DataType
from softd3d.errors import DecodeError
from softd3d.isa.asm.sm1.operand import NAMED, SINGLES, register_name
from softd3d.isa.asm.sm1.parse_registers import register_words
from softd3d.isa.roles import Flow
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm1.enums import ProgramType, RegisterType, TextureType
from softd3d.isa.sm1.limits import limits
from softd3d.isa.sm1.program import DestinationParameter, Instruction, Program
from softd3d.isa.sm1.tokens import row_of
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.registers import Key
from softd3d.lower.stage import component_name

__all__ = ["Place", "RegisterFiles", "component_type", "key_name", "place_name"]

_T = RegisterType
Place: TypeAlias = tuple[str, int]
"""A register's file and number, as in a `Key`."""

_WRITABLE = {
    ProgramType.VS: {_T.TEMP, _T.ADDR, _T.RASTOUT, _T.ATTROUT, _T.OUTPUT, _T.PREDICATE},
    ProgramType.PS: {_T.TEMP, _T.TEXTURE, _T.COLOROUT, _T.DEPTHOUT, _T.PREDICATE},
}
_READABLE = {
    ProgramType.VS: {_T.TEMP, _T.INPUT},
    ProgramType.PS: {_T.TEMP, _T.INPUT, _T.TEXTURE, _T.MISCTYPE},
}
_WITHOUT_NUMBER = frozenset((*SINGLES.values(), *NAMED.values()))
_NAME = re.compile(r"([A-Za-z]+)([0-9]*)")
_DEPTH = DestinationParameter(_T.DEPTHOUT, 0, 1)
_DIMENSIONS: dict[TextureType | int, ResourceDimension] = {
    TextureType.TEXTURE_1D: ResourceDimension.TEXTURE2D,  # Direct3D 9 has no others
    TextureType.TEXTURE_2D: ResourceDimension.TEXTURE2D,
    TextureType.CUBE: ResourceDimension.TEXTURECUBE,
    TextureType.VOLUME: ResourceDimension.TEXTURE3D,
}
_TYPES: dict[str, DataType] = {"a": I32, "aL": I32, "p": BOOL}


def component_type(place: Place) -> DataType:
    """Return what components of a register are; registers hold the bits, of BOOL a mask."""
    return _TYPES.get(place[0], F32)


def place_name(place: Place) -> str:
    """Return a register as listings have it.

    >>> place_name(("oT", 1)), place_name(("oPos", 0))
    ('oT1', 'oPos')
    """
    file, number = place
    return file if file in _WITHOUT_NUMBER else f"{file}{number}"


def key_name(key: Key) -> str:
    """Return a component of a register as listings have it.

    >>> key_name(("oT", 1, 3))
    'oT1.w'
    """
    file, number, component = key
    return component_name(place_name((file, number)), component)


class RegisterFiles:
    """What registers a program has. constants, switches: how many c#, and i# and b#."""

    def __init__(self, program: Program) -> None:
        self.program = program
        most = limits(program.type, program.version)
        self.constants, self.switches = most.float_constants, most.switches
        words = register_words(program.type, program.version)
        self._indexed = {f.type: f.count for f in words.files.values() if f.is_indexed}

    def place(self, type_: RegisterType, number: int) -> Place:
        """Return a register's file and number."""
        return _place(self.program.type, self.program.version, type_, number)

    def readable(self, type_: RegisterType, number: int) -> Place:
        """Return the place of a register, not a constant, that instructions may read."""
        if type_ not in _READABLE[self.program.type]:
            raise DecodeError(f"arithmetic cannot read {type_.name}")
        return self.place(type_, number)

    def is_writable(self, d: DestinationParameter) -> bool:
        """Tell whether instructions may write a register."""
        return d.type in _WRITABLE[self.program.type]

    def indexed(self, type_: RegisterType) -> int:
        """Return how many registers of a file an index reaches."""
        count = self._indexed.get(type_)
        if count is None:
            raise DecodeError(f"{type_.name} cannot be indexed in {self.program.profile}")
        return count

    @property
    def discards(self) -> bool:
        """Whether the program has texkill."""
        return any(
            row is not None and row.flow is Flow.DISCARD
            for row in map(self._row, self.instructions())
        )

    def _row(self, i: Instruction) -> Row | None:
        return row_of(i.opcode, self.program.type, self.program.version)

    def instructions(self) -> Iterator[Instruction]:
        """Yield the program's instructions but declarations."""
        for i in self.program.instructions:
            if isinstance(i, Instruction):
                row = self._row(i)
                if row is not None and row.kind is not Kind.DECLARATION:
                    yield i

    def supplied(self) -> Iterator[Place]:
        """Yield the v# and t# that a program touches: vertex elements and interpolated values."""
        for i in self.instructions():
            row = self._row(i)
            if i.destination is not None and self._is_supplied(i.destination.type):
                yield self.place(i.destination.type, i.destination.number)
            for spec, p in zip(row.sources if row else (), i.sources, strict=False):
                if self._is_supplied(p.type):
                    file, number = self.place(p.type, p.number)
                    rows = spec.reads if spec.letter == "M" else 1
                    fixed = range(number, number + rows)
                    for n in fixed if p.relative is None else range(self._indexed.get(p.type, 0)):
                        yield file, n

    def _is_supplied(self, type_: RegisterType) -> bool:
        is_pixel = self.program.type is ProgramType.PS
        return type_ is _T.INPUT or (type_ is _T.TEXTURE and is_pixel)  # or a0

    def target(self, i: Instruction) -> DestinationParameter | None:
        """Return what an instruction writes: its destination, or the pixel's depth."""
        row = self._row(i)
        if row is not None and Controls.DEPTH in row.controls:
            return _DEPTH
        is_flow = row is not None and row.kind is Kind.FLOW  # texkill only reads
        return None if is_flow else i.destination

    def samplers(self) -> dict[int, ResourceDimension | None]:
        """Return the samplers that lookups name, with what the program declares them to be.

        None stands for any kind of texture, which is what programs before 2.0 may have.
        """
        declared: dict[int, ResourceDimension | None] = {}
        for i in self.program.instructions:
            if not isinstance(i, Instruction) or i.declaration is None or i.destination is None:
                continue
            d = i.destination
            if d.type is _T.SAMPLER:
                declared[d.number] = _DIMENSIONS.get(i.declaration.texture_type)
        used: list[int] = []
        for i in self.instructions():
            row = self._row(i)
            if row is not None and Controls.STAGE_TEXTURE in row.controls and i.destination:
                used.append(i.destination.number)
            used += [p.number for p in i.sources if p.type is _T.SAMPLER]
        return {number: declared.get(number) for number in used}

    def written(self, i: Instruction) -> Iterator[Key]:
        """Yield the keys that an instruction may write."""
        d = self.target(i)
        if d is None or not self.is_writable(d):
            return
        file, number = self.place(d.type, d.number)
        numbers = (number,) if d.relative is None else range(self._indexed.get(d.type, 0))
        for n in numbers:
            for component in range(4):
                if d.write_mask >> component & 1:
                    yield file, n, component


@lru_cache(maxsize=4096)
def _place(stage: ProgramType, version: tuple[int, int], type_: RegisterType, number: int) -> Place:
    name = register_name(type_, number, Program(stage, *version, ()))
    found = _NAME.fullmatch(name)
    assert found is not None  # noqa: S101 - names are letters and a number
    return found[1], int(found[2] or 0)
