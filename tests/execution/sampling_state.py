"""What the model of sampling knows of textures and samplers, and numbers as Direct3D has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "BORDER", "CLAMP", "MIRROR", "MIRROR_ONCE", "WRAP", "Kind", "Result", "Sampler", "Texture",
    "fixed", "flushed", "least", "most",
]  # fmt: skip

Array = np.ndarray[Any, Any]
f32 = np.float32

WRAP, MIRROR, CLAMP, BORDER, MIRROR_ONCE = 1, 2, 3, 4, 5
DEFAULTS = (0.0, 0.0, 0.0, 1.0)


class Kind:
    """The kinds of textures, named by how many coordinates they take."""

    ONE, TWO, THREE, CUBE = "1d", "2d", "3d", "cube"


@dataclass
class Texture:
    """Decoded texels: a level is float64, (slices, depth, height, width, 4).

    channels: those the format has, of rgba. low, high: its range, for border colours.
    bits: of a UNORM depth, to which references are rounded; 0 for float. min_lod: the resource's
    clamp, counted from the first level here.
    """

    kind: str
    levels: list[Array]
    channels: str = "rgba"
    low: float = -math.inf
    high: float = math.inf
    bits: int = 0
    min_lod: float = 0.0

    def extent(self, level: int) -> tuple[int, int, int]:
        """Return width, height and depth."""
        _, depth, height, width, _ = self.levels[level].shape
        return width, height, depth

    @property
    def axes(self) -> int:
        """How many coordinates choose a texel within a slice or face."""
        return {Kind.ONE: 1, Kind.TWO: 2, Kind.THREE: 3, Kind.CUBE: 2}[self.kind]

    @property
    def last(self) -> int:
        """The number of the smallest level."""
        return len(self.levels) - 1

    def empty(self) -> Array:
        """Return what a read gives where the clamps leave no level."""
        return self.completed([0.0] * 4)

    def completed(self, colour: Sequence[float]) -> Array:
        """Return a colour with defaults for what the format does not have."""
        return np.array(
            [c if n in self.channels else d for n, c, d in zip("rgba", colour, DEFAULTS)]  # noqa: B905
        )


@dataclass
class Sampler:
    """Sampler state; min, mag, mip are True for linear. reduction: blend, compare, min or max."""

    min: bool = False
    mag: bool = False
    mip: bool = False
    anisotropic: bool = False
    reduction: str = "blend"
    address: tuple[int, int, int] = (WRAP, WRAP, WRAP)
    min_lod: float = -3.4028234663852886e38
    max_lod: float = 3.4028234663852886e38
    bias: float = 0.0
    max_anisotropy: int = 1
    comparison: int = 8
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def filter(self) -> int:
        """The number of D3D11_FILTER."""
        reduction = {"blend": 0, "compare": 0x80, "min": 0x100, "max": 0x180}[self.reduction]
        if self.anisotropic:
            return reduction | 0x55
        return reduction | self.min << 4 | self.mag << 2 | self.mip


@dataclass
class Result:
    """value: of each component. scale: the largest texel blended. exact: only one was.

    error: relative to the scale, where places that were computed may round to another weight.
    """

    value: Array
    scale: Array
    exact: bool
    error: float = 0.0


# Numbers as Direct3D has them


def least(a: Any, b: Any) -> Any:
    """Return the smaller; a NaN loses."""
    return a if math.isnan(b) else b if math.isnan(a) else min(a, b)


def most(a: Any, b: Any) -> Any:
    """Return the larger; a NaN loses."""
    return a if math.isnan(b) else b if math.isnan(a) else max(a, b)


def flushed(number: Any) -> Any:
    """Return a float32 number, a zero of its sign for a denormal: what arithmetic makes of it."""
    return f32(math.copysign(0, number)) if abs(number) < 2.0**-126 else f32(number)


def fixed(number: Any) -> int:
    """Return a number with 8 fraction bits: to nearest, 0 for NaN, clamped to 32 bits."""
    if math.isnan(number):
        return 0
    scaled = least(most(float(number) * 256.0, -(2.0**31)), 2.0**31 - 1)
    return math.floor(scaled + 0.5)
