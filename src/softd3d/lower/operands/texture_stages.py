"""What texture instructions of SM1-3 take besides their sources: textures, stages, coordinates.

Up to ps_1_3 the number of the destination is that of a texture stage, whose coordinates are those
that were interpolated, whatever t# holds by now. Spec: Direct3D 9 shader assembly reference,
"Texture instructions"; win32 D3DTEXTURESTAGESTATETYPE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import reduce
from typing import TypeAlias

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import BOOL, F32, U32, Value
from softd3d.errors import DecodeError
from softd3d.isa.machine import Machine
from softd3d.isa.row import Controls, Row
from softd3d.isa.sampling.d3d9.sample import Texture, is_cube
from softd3d.isa.sm1.enums import RegisterType, TexldControl
from softd3d.isa.sm1.limits import TEXTURE_STAGES
from softd3d.isa.sm1.program import Instruction, SourceParameter
from softd3d.lower.bound import BoundProgram, RegisterInterface
from softd3d.lower.d3d9.constant_files import BUMP_ENVIRONMENTS, BUMP_WORDS
from softd3d.lower.d3d9.textures import texture_of
from softd3d.lower.registers import Key, Registers

__all__ = ["TextureStages"]

Vector: TypeAlias = "tuple[Value, ...]"
_COORDINATES = "t"
_BYTES = 4
_LUMINANCE = (4, 5)


class TextureStages:
    """The textures and texture stages of a program that is evaluated."""

    def __init__(
        self, bound: BoundProgram, interface: RegisterInterface, machine: Machine,
        registers: Registers,
    ) -> None:  # fmt: skip
        self.bound = bound
        self.divisors = dict(interface.projected)
        self.m = machine
        self.registers = registers
        self._overwritten: dict[Key, Value] = {}  # coordinates, where t# holds something else

    def overwritten(self, key: Key) -> None:
        """Keep a register's coordinates before something else is written to it."""
        if key[0] == _COORDINATES and key not in self._overwritten:
            self._overwritten[key] = self.registers.read(*key)

    def texture(self, p: SourceParameter) -> Texture:
        """Return what a sampler register reads."""
        if p.type is not RegisterType.SAMPLER:
            raise DecodeError(f"{p.type.name} is no sampler")
        if p.relative is not None:
            raise DecodeError("the number of an s# is computed")
        return texture_of(self.bound, p.number)

    def given(self, row: Row, i: Instruction) -> Iterator[object]:
        """Yield what a row's function gets after its sources, as its controls say."""
        if Controls.LOOKUP in row.controls:
            yield _kind(i)
        if row.controls & _OF_STAGE and i.destination is not None:
            stage = i.destination.number
            if stage >= TEXTURE_STAGES:
                raise DecodeError(f"there is no texture stage {stage}")
            for control, given in _GIVEN.items():
                if control in row.controls:
                    yield given(self, stage)

    def coordinates(self, stage: int) -> Vector:
        """Return the coordinates of a stage as they were interpolated."""
        return tuple(self._coordinate(stage, component) for component in range(4))

    def _coordinate(self, stage: int, component: int) -> Value:
        key = _COORDINATES, stage, component
        kept = self._overwritten.get(key)
        return bitcast(self.registers.read(*key) if kept is None else kept, F32)

    def projected(self, stage: int) -> Vector:
        """Return the coordinates divided as TEXTURETRANSFORMFLAGS says; of cubes as they are."""
        found = self.coordinates(stage)
        divisor = self.divisors.get(stage)
        if divisor is None or is_cube(texture_of(self.bound, stage)):
            return found
        return tuple(c / found[divisor] if n < divisor else c for n, c in enumerate(found))

    def bump_words(self, stage: int, numbers: range | tuple[int, ...]) -> Vector:
        """Return numbers of the bump environment of a stage."""
        start = _BYTES * BUMP_WORDS * stage
        there = self.m.k.const(BOOL, 1)
        places = (self.m.k.const(U32, start + _BYTES * n) for n in numbers)
        return tuple(bitcast(self.m.load(BUMP_ENVIRONMENTS, at, there), F32) for at in places)

    def rows(self, stage: int) -> Vector:
        """Return the dot products that t# of the two stages before hold."""
        return tuple(
            bitcast(self.registers.read(_COORDINATES, max(stage - n, 0), 0), F32) for n in (2, 1)
        )

    def eye(self, stage: int) -> Vector:
        return tuple(self._coordinate(max(stage - n, 0), 3) for n in (2, 1, 0))


def _kind(i: Instruction) -> TexldControl:
    with suppress(ValueError):
        return TexldControl(i.controls)
    raise DecodeError(f"kind {i.controls} of lookups is not defined")


_GIVEN: dict[Controls, Callable[[TextureStages, int], object]] = {
    Controls.BUMP_MATRIX: lambda s, stage: s.bump_words(stage, range(4)),
    Controls.LUMINANCE: lambda s, stage: s.bump_words(stage, _LUMINANCE),
    Controls.COORDINATES: lambda s, stage: s.coordinates(stage),
    Controls.PROJECTED: lambda s, stage: s.projected(stage),
    Controls.ROWS: lambda s, stage: s.rows(stage),
    Controls.EYE: lambda s, stage: s.eye(stage),
    Controls.STAGE_TEXTURE: lambda s, stage: texture_of(s.bound, stage),
}
_OF_STAGE = reduce(Controls.__or__, _GIVEN)
