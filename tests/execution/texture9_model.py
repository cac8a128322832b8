"""Lookups of Direct3D 9 by the letter: one coordinate at a time, in plain Python.

It shares nothing with the package. What decides between texels is computed in float32 as the rules
say it, the rest in float64. A result is None where the rules leave it to the last bit: too near to
a tie of levels, to the limit of magnification, or, of cubes, to the edge of a texel or a face.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Sampling", "derivatives", "lookup", "lookup_in_quad"]

f32 = np.float32
WRAP, MIRROR, CLAMP, BORDER, MIRROR_ONCE = range(1, 6)
NONE, POINT, LINEAR = range(3)
NEAR = 2e-5
Texels = Sequence[np.ndarray]  # levels, (depth, height, width, 4); of cubes (6, height, width, 4)


@dataclass(frozen=True)
class Sampling:
    """The states that count, by Direct3D's numbers. lod: SetLOD. border: red, green, blue...."""

    addresses: tuple[int, int, int] = (WRAP, WRAP, WRAP)
    mag: int = POINT
    min: int = POINT
    mip: int = NONE
    bias: float = 0.0
    max_level: int = 0
    lod: int = 0
    border: tuple[float, ...] = (0, 0, 0, 0)
    uses_max_level: bool = False


def inside(i: int, size: int, mode: int) -> int | None:
    """Return the texel that a number stands for; None is the border."""
    if mode == WRAP:
        return i % size
    if mode == MIRROR:
        i %= 2 * size
        return i if i < size else 2 * size - 1 - i
    if mode == BORDER:
        return i if 0 <= i < size else None
    if mode == MIRROR_ONCE and i < 0:
        i = -1 - i
    return max(0, min(i, size - 1))


def axis(u: Any, size: int, mode: int, linear: bool) -> list[tuple[float, int | None]]:
    """Return the texels of a coordinate with their weights."""
    with np.errstate(all="ignore"):
        place = f32(u) * f32(size)
    if math.isnan(place) or (mode in (WRAP, MIRROR) and math.isinf(place)):
        place = f32(0)
    place = max(f32(-3 * size - 3), min(place, f32(3 * size + 3))) if mode > MIRROR else place
    if not linear:
        return [(1.0, inside(math.floor(place), size, mode))]
    place = f32(place - f32(0.5))
    first = math.floor(place)
    weight = float(place) - first
    return [(1 - weight, inside(first, size, mode)), (weight, inside(first + 1, size, mode))]


FACES = (
    lambda x, y, z: (-z, -y, x), lambda x, y, z: (z, -y, -x), lambda x, y, z: (x, z, y),
    lambda x, y, z: (x, -z, -y), lambda x, y, z: (x, -y, z), lambda x, y, z: (-x, -y, -z),
)  # fmt: skip


def face(direction: Sequence[float]) -> tuple[int, float, float]:
    """Return face and coordinates; of equal components z wins, then y."""
    x, y, z = (float(c) for c in direction)
    sizes = [abs(x), abs(y), abs(z)]
    if sizes[2] >= sizes[0] and sizes[2] >= sizes[1]:
        number = 4 + (z < 0)
    elif sizes[1] >= sizes[0]:
        number = 2 + (y < 0)
    else:
        number = x < 0
    right, down, out = FACES[number](x, y, z)
    if out == 0:
        return number, 0.5, 0.5
    return number, (right / out + 1) / 2, (down / out + 1) / 2


def levels(s: Sampling, lod: float | None, count: int) -> list[tuple[float, int]] | None:
    """Return levels with weights; lod: with the bias, None where it does not matter."""
    base = max(s.lod, s.max_level if s.mip != NONE or s.uses_max_level else 0)
    base = min(base, count - 1)
    if s.mip == NONE or lod is None:
        return [(1.0, base)]
    lod = max(base, min(lod, count - 1)) if not math.isnan(lod) else base
    if s.mip == POINT:
        if abs(lod - math.floor(lod) - 0.5) < NEAR:
            return None
        return [(1.0, min(math.floor(lod + 0.5), count - 1))]
    first = math.floor(lod)
    weight = lod - first
    return [(1 - weight, first), (weight, min(first + 1, count - 1))]


def lookup(
    texels: Texels, s: Sampling, at: Sequence[float], lod: float | None, *, is_cube: bool = False
) -> np.ndarray | None:
    """Return the filtered texel. at: three coordinates. lod: before the sampler's bias."""
    if lod is not None:
        lod = lod + s.bias
    needs = s.mip != NONE or s.mag != s.min
    if needs and lod is not None and abs(lod) < NEAR:
        return None
    linear = (s.mag if lod is None or lod <= 0 else s.min) >= LINEAR
    chosen = levels(s, lod if needs else None, len(texels))
    if chosen is None:
        return None
    total = np.zeros(4)
    for level_weight, number in chosen:
        if level_weight == 0:
            continue
        is_volume = len(texels[0]) > 1 and not is_cube
        found = _filtered(texels[number], s, at, linear, is_cube, is_volume)
        if found is None:
            return None
        total = total + level_weight * found
    return total


def _filtered(
    level: np.ndarray,
    s: Sampling,
    at: Sequence[float],
    linear: bool,
    is_cube: bool,
    is_volume: bool,
) -> np.ndarray | None:
    depth, height, width = level.shape[:3]
    layers: list[tuple[float, int | None]]
    if is_cube:
        number, u, v = face(at)
        others = sorted(abs(float(c)) for c in at)
        if others[2] - others[1] < NEAR * others[2]:
            return None
        if not linear and any(
            abs(c * n - round(c * n)) < NEAR for c, n in ((u, width), (v, height))
        ):
            return None
        layers, modes, at = [(1.0, int(number))], (CLAMP, CLAMP), (u, v)
    else:
        modes = s.addresses
        layers = axis(at[2], depth, modes[2], linear) if is_volume else [(1.0, 0)]
    columns, rows = (axis(at[n], size, modes[n], linear) for n, size in ((0, width), (1, height)))
    total = np.zeros(4)
    for (wz, z), (wy, y), (wx, x) in itertools.product(layers, rows, columns):
        weight = wz * wy * wx
        if weight:
            texel = s.border if None in (x, y, z) else level[z, y, x]
            total = total + weight * np.asarray(texel, np.float64)
    return total


def derivatives(quad: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences along x and y of each pixel of a quad, (4, n): of its row, column."""
    dx = np.stack([quad[1] - quad[0], quad[1] - quad[0], quad[3] - quad[2], quad[3] - quad[2]])
    dy = np.stack([quad[2] - quad[0], quad[3] - quad[1], quad[2] - quad[0], quad[3] - quad[1]])
    return dx, dy


def level_of(
    texels: Texels, at: np.ndarray, dx: np.ndarray, dy: np.ndarray, *, is_cube: bool = False
) -> float:
    """Return the logarithm of the longer derivative, in texels of the first level."""
    depth, height, width = texels[0].shape[:3]
    if is_cube:
        sizes = np.array([width, height])
        number = face(at)[0]
        step = 1e-6
        here = np.array(face(at)[1:])

        def along(d: np.ndarray) -> np.ndarray:
            right, down, out = FACES[number](*(at + step * d))
            return (np.array([(right / out + 1) / 2, (down / out + 1) / 2]) - here) / step

        dx, dy = along(dx), along(dy)
    else:
        sizes = np.array([width, height, depth] if depth > 1 else [width, height])
    longest = max(math.sqrt(sum((d[: len(sizes)] * sizes) ** 2)) for d in (dx, dy))
    return math.log2(longest) if longest > 0 else -math.inf


def lookup_in_quad(
    texels: Texels, s: Sampling, quad: np.ndarray, bias: Sequence[float] = (0, 0, 0, 0), *,
    is_cube: bool = False,
) -> list[np.ndarray | None]:  # fmt: skip
    """Return the filtered texels of the pixels of a quad. quad: (4, 3) coordinates."""
    at = quad.astype(np.float64)
    dx, dy = derivatives(at)
    return [
        lookup(
            texels, s, quad[n], level_of(texels, at[n], dx[n], dy[n], is_cube=is_cube) + bias[n],
            is_cube=is_cube,
        )
        for n in range(4)
    ]  # fmt: skip
