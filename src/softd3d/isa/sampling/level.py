"""The level of detail: from derivatives, biased, clamped, and as mip levels with weights.

Spec: D3D11.3 sections 7.18.10, 7.18.11; 5.8 (clamps of resources); 5.9.4.5.4 (clamps of reads).
"""

from __future__ import annotations

from typing import TypeAlias

from softd3d.algebra.elementary import log2
from softd3d.algebra.operations import bitcast, ceil, convert, fma, select, sqrt
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.isa.limits import MAX_MIP_LEVELS
from softd3d.isa.machine import Info, Machine, View
from softd3d.isa.sampling.coordinates import fixed_point, least, most
from softd3d.isa.sampling.state import SamplerState

__all__ = [
    "Footprint",
    "Levels",
    "Lod",
    "anisotropic_footprint",
    "available_lod",
    "clamped_lod",
    "isotropic_lod",
    "mip_levels",
]

Vector: TypeAlias = "tuple[Value, ...]"
_HALF = 128
_NO_LOD = float("-inf")


@dataclass(frozen=True, slots=True)
class Lod:
    """A level of detail. biased: before all clamps; clamped: between those of sampler and read.

    exists: BOOL, where a clamp leaves a level at all; None: everywhere.
    """

    biased: Value
    clamped: Value
    exists: Value | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """Mip levels to read, uint32. weight: float32, of the second, where there are two.

    magnified: where the magnification filter is used.
    """

    first: Value
    second: Value | None
    weight: Value | None
    magnified: Value


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an anisotropic filter covers.

    count: float32, how many probes. line: in normalised coordinates, from end to end.
    """

    lod: Value
    count: Value
    line: tuple[Value, Value]


def clamped_lod(
    m: Machine, view: View, sampler: SamplerState, lod: Value, bias: Value | None = None,
    limit: Value | None = None,
) -> Lod:  # fmt: skip
    """Add the biases and apply the clamps: MaxLOD, MinLOD, the resource's, the instruction's.

    bias, limit: of the instruction, where it has them. A NaN becomes the upper limit.
    """
    if sampler.mip_lod_bias:
        lod = lod + sampler.mip_lod_bias
    if bias is not None:
        lod = lod + bias
    limits = [] if limit is None else [limit]
    if view.min_lod > 0:
        limits.append(lod.like(view.min_lod))
    clamped = lod
    # Limits beyond every level say nothing that `available_lod` does not say again, but that the
    # first one makes a number of a NaN, which a lower limit after it must not see.
    has_least = bool(limits) or sampler.min_lod > 0
    if has_least or sampler.max_lod < MAX_MIP_LEVELS:
        clamped = select(clamped < sampler.max_lod, clamped, sampler.max_lod)
    if has_least:
        clamped = select(clamped > sampler.min_lod, clamped, sampler.min_lod)
    exists = None
    for lowest in limits:
        clamped = select(clamped > lowest, clamped, select(lowest.eq(lowest), lowest, clamped))
        there = ~(lowest > last_level(m, view))
        exists = there if exists is None else exists & there
    return Lod(lod, clamped, exists)


def last_level(m: Machine, view: View) -> Value:
    """Return the number of the smallest mip level, float32."""
    return convert(bitcast(m.info(view, Info.MIP_COUNT), I32) - 1, F32)


def available_lod(m: Machine, view: View, lod: Value) -> Value:
    """Clamp a level of detail to the mip levels that exist; NaN is the last."""
    last = last_level(m, view)
    lod = select(lod < last, lod, last)
    return select(lod > 0.0, lod, 0.0)


def mip_levels(m: Machine, view: View, sampler: SamplerState, lod: Value) -> Levels:
    """Return the mip levels of a level of detail, which is rounded to 8 fraction bits.

    A tie is rounded up.
    """
    magnified = lod <= 0.0
    fixed = fixed_point(available_lod(m, view, lod))
    if not sampler.mip_is_linear:
        nearest = least(fixed + _HALF >> 8, most(bitcast(m.info(view, Info.MIP_COUNT), I32) - 1, 0))
        return Levels(bitcast(nearest, U32), None, None, magnified)
    first = fixed >> 8
    weight = convert(fixed & 255, F32) * (1 / 256)
    # The last level has weight 0 for the next, so this needs no more than to be a level.
    second = select(weight.eq(0.0), first, first + 1)
    return Levels(bitcast(first, U32), bitcast(second, U32), weight, magnified)


def isotropic_lod(extents: Vector, dx: Vector, dy: Vector) -> Value:
    """Return the logarithm of the longer derivative, both in coordinates.

    extents: float32, of the first level, along each coordinate. A NaN loses against a number. What
    the specification calls the ideal transformation of the two vectors is left out, as it allows.
    """
    square_x, square_y = (_square_length(_scaled(d, extents)) for d in (dx, dy))
    longer = select((square_x > square_y) | square_y.ne(square_y), square_x, square_y)
    return log2(longer) * 0.5


def anisotropic_footprint(
    extents: Vector, dx: Vector, dy: Vector, max_anisotropy: int
) -> Footprint:
    """Return level, number of probes and line of an anisotropic filter on a 2D texture."""
    (ux, vx), (uy, vy) = (_scaled(d, extents) for d in (dx, dy))
    square_x, square_y = (_square_length(d) for d in ((ux, vx), (uy, vy)))
    determinant = abs(ux * vy - vx * uy)
    is_major_x = square_x > square_y
    square = select(is_major_x, square_x, square_y)
    length = sqrt(square)
    most_ratio = float(max_anisotropy)
    is_clamped = square > determinant * most_ratio
    ratio = select(is_clamped, most_ratio, square / determinant)
    minor = select(is_clamped, length / most_ratio, determinant / length)
    is_small = minor < 1.0
    ratio = select(is_small, ratio * minor, ratio)
    count = ceil(select(ratio > 1.0, ratio, 1.0))  # 1 for NaN, of derivatives that are 0
    count = select(count < most_ratio, count, most_ratio)
    lod = select(square > 0.0, log2(minor), select(square.eq(square), _NO_LOD, square))
    line = tuple(select(is_major_x, a, b) for a, b in zip(dx[:2], dy[:2], strict=True))
    return Footprint(lod, count, (line[0], line[1]))


def _scaled(derivative: Vector, extents: Vector) -> Vector:
    return tuple(d * extent for d, extent in zip(derivative, extents, strict=False))


def _square_length(vector: Vector) -> Value:
    total = vector[0] * vector[0]
    for component in vector[1:]:
        total = fma(component, component, total)
    return total
