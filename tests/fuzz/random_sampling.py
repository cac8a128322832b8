"""Statements of random programs that filter a texture, at any coordinates, with any sampler."""

from __future__ import annotations

import random

from random_memory import MemoryStatements
from random_operands import EXACT, FLOAT
from random_resources import Slot

from softd3d.isa.row import Kind, Row
from softd3d.isa.sampling.state import ComparisonFunc, Filter, SamplerState, TextureAddressMode
from softd3d.isa.sm4.rows import TABLE

__all__ = ["SAMPLERS", "SamplingStatements", "random_sampler"]

SAMPLERS = {0: 1, 1: 1, 2: 3}  # how many from a number on; the second of the last has no state

_OFFSETTABLE = ("texture2d", "texture2darray")
_SHAPES = ("texture1d", "texture1darray", "texture3d", *_OFFSETTABLE * 2)
_CUBES = ("texturecube", "texturecubearray")
_FORMATS = ("R32_FLOAT", "R8G8B8A8_UNORM", "R16G16_FLOAT", "R8G8B8A8_UNORM_SRGB", "R16_UNORM",
            "R11G11B10_FLOAT", "R32G32B32A32_FLOAT")  # fmt: skip
_NUMBERS = (-1.5, -0.25, 0.0, 0.125, 0.5, 0.75, 1.0, 2.625, 1e6)
_COMPARISON = 0x080  # the bit of filters that compare


def random_sampler(rng: random.Random, *, comparison: bool) -> SamplerState:
    """Return any state; comparison: whether its filter compares."""
    filters = [f for f in Filter if bool(f & _COMPARISON and not f & 0x100) is comparison]
    u, v, w = rng.choices(list(TextureAddressMode), k=3)
    return SamplerState(
        rng.choice(filters), u, v, w, mip_lod_bias=rng.choice((0.0, 0.5, -1.0)),
        max_anisotropy=rng.choice((1, 2, 16)), comparison_func=rng.choice(list(ComparisonFunc)),
        border_color=(0.0, 0.5, 1.0, 0.25), min_lod=rng.choice((-1e3, 0.0, 0.75)),
        max_lod=rng.choice((1e3, 0.25)),
    )  # fmt: skip


class SamplingStatements(MemoryStatements):
    """Filtered reads of t4; s0 and s2 to s4 have filters that do not compare, s1 one that does."""

    def sampling_rows(self) -> list[Row]:
        """Return the rows of this version that name a sampler."""
        return [
            row
            for row in TABLE.rows.values()
            if row.kind is Kind.EFFECT
            and row.covers("cs", self.version)
            and any(spec.letter == "S" for spec in row.sources)
        ]

    def filtered_slot(self) -> Slot:
        """Return the texture that is filtered."""
        shapes = (*_SHAPES, *(_CUBES if self.version > (4, 0) else _CUBES[:1]))
        kind = self.random.choice(shapes)
        return Slot(
            "t4", kind, format=self.random.choice(_FORMATS), mips=self.random.choice((1, 2))
        )

    def filtered(self) -> None:
        """Emit one of the rows that the texture's shape allows."""
        slot = self.slots["t4"]
        rows = [row for row in self.sampling_rows() if _fits(row.mnemonic, slot.kind)]
        row = self.random.choice(rows)
        compares = "_c_" in f"{row.mnemonic}_"
        register = self.random.choice(FLOAT)
        results = [f"{register}.{self.mask()}"]
        if len(row.destinations) > 1:
            results.append(f"{self.random.choice(EXACT)}.{self.random.choice('xyzw')}")
        place = self._place()
        operands = [self._operand(spec.letter, row, place, compares=compares)
                    for spec in row.sources]  # fmt: skip
        self.emit(f"{row.mnemonic} {', '.join([*results, *operands])}")

    def _operand(self, letter: str, row: Row, place: str, *, compares: bool) -> str:
        if letter == "x":
            return place if self.chance(0.7) else self._numbers(4)
        if letter == "V":
            return f"{self.view('t4')}.{self.swizzle()}"
        if letter == "S":
            number = int(compares)
            if self.has_ranges and not compares and self.chance(0.6):
                number = 2
            self.uses.samplers.add(number)
            name = f"s{number}"
            if self.version >= (5, 1):
                name = f"S{number}[{self.number(number, SAMPLERS[number], 'y')}]"
            if not row.mnemonic.startswith("gather4"):
                return name
            any_component = self.version >= (5, 0) and not compares
            return f"{name}.{self.random.choice('xyzw') if any_component else 'x'}"
        if letter == "i":
            return self.exact()
        if self.chance(0.5):
            return self._numbers(1)
        return f"{self.random.choice((*FLOAT, *EXACT))}.{self.random.choice('xyzw')}"

    def _place(self) -> str:
        """Return coordinates: anything, or the fractions of it."""
        register = self.random.choice(FLOAT)
        if self.chance(0.6):
            self.emit(f"frc {register}.xyzw, {self.float_source()}")
        return f"{register}.{self.swizzle()}"

    def _numbers(self, count: int) -> str:
        return f"l({', '.join(f'{self.random.choice(_NUMBERS):f}' for _ in range(count))})"


def _fits(mnemonic: str, kind: str) -> bool:
    if mnemonic.startswith("gather4_po"):
        return kind in _OFFSETTABLE
    if mnemonic.startswith("gather4"):
        return kind in _OFFSETTABLE or kind in _CUBES
    return "_c_" not in f"{mnemonic}_" or kind != "texture3d"
