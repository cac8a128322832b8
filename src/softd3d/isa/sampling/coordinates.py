"""From a texture coordinate to texels along one axis.

Reduce the range, scale by the extent in float32, round to 8 fraction bits, take texel and weight
apart, bring the texel inside by the address mode. Spec: D3D11.3 sections 7.18.6 to 7.18.9, 3.2.4.1.
"""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.float_rules import fraction
from softd3d.algebra.operations import bitcast, convert, floor, fma, rint, select, trunc
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.isa.sampling.state import TextureAddressMode

__all__ = ["Axis", "Linear", "along", "array_slice", "fixed_point", "least", "most", "split"]

Linear = bool | Value  # whether two neighbours are blended: for all lanes, or of each
_Mode = TextureAddressMode
_FURTHEST = 10.0
_HALF_TEXEL = 128


@dataclass(frozen=True, slots=True)
class Axis:
    """Where a filter reads along an axis: one texel, or two neighbours.

    texels: int32. inside: BOOL for each texel, None where it is inside in every lane.
    first: int32, the first texel before the address mode. is_usual: BOOL, where that one and the
    next are texels as they are, so that the address mode leaves them alone.
    weight: float32, of the second texel, a multiple of 1 / 256.
    """

    texels: tuple[Value, ...]
    inside: tuple[Value | None, ...]
    first: Value
    is_usual: Value
    weight: Value | None = None


def least(a: Value, b: Value | int) -> Value:
    """Return the smaller of two integers."""
    return select(a < b, a, b)


def most(a: Value, b: Value | int) -> Value:
    """Return the larger of two integers."""
    return select(a < b, b, a)


def along(
    coordinate: Value, extent: Value, mode: TextureAddressMode, linear: Linear,
    offset: Value | int = 0,
) -> Axis:  # fmt: skip
    """Return the texels of a coordinate.

    coordinate: float32, any. extent: int32, texels, at least 1. offset: int32, in texels, added
    before the address mode is applied; -32 to 31.
    """
    scaled = _reduced(coordinate, mode) * convert(extent << 8, F32) + 0.5
    fixed = convert(scaled if mode is _Mode.WRAP else floor(scaled), I32)  # which is not negative
    first, weight = split(fixed, linear)
    is_moved = isinstance(offset, Value) or bool(offset)
    if is_moved:
        first = first + offset
    # Where a lane does not blend, its second texel is the first again: it is read all the same.
    step = select(linear, first.like(1), 0) if isinstance(linear, Value) else first.like(1)
    texels = (first,) if weight is None else (first, first + step)
    if is_moved and mode in _PERIODS:
        # The first texel may be any number of extents away; after this it is near, as without.
        first = _modulo(first, extent * _PERIODS[mode])
        texels = (first,) if weight is None else (first, first + step)
    is_usual = bitcast(first, U32) < bitcast(extent - 1, U32)
    if mode is _Mode.BORDER:
        inside = tuple(bitcast(t, U32) < bitcast(extent, U32) for t in texels)
        return Axis(texels, inside, first, is_usual, weight)
    texels = tuple(_INSIDE[mode](t, extent) for t in texels)
    return Axis(texels, (None,) * len(texels), first, is_usual, weight)


def split(fixed: Value, linear: Linear) -> tuple[Value, Value | None]:
    """Return the (first) texel, int32, and the weight of its neighbour; None if there is none."""
    if linear is False:
        return fixed >> 8, None
    between = fixed - _HALF_TEXEL
    fixed = between if linear is True else select(linear, between, fixed)
    weight = convert(fixed & 255, F32) * (1 / 256)
    if linear is not True:
        weight = select(linear, weight, 0.0)
    return fixed >> 8, weight


def fixed_point(x: Value) -> Value:
    """Return floor(x * 256 + 0.5) as int32; x is from 0 to 2**22 and not NaN."""
    return convert(fma(x, 256.0, 0.5), I32)


def array_slice(coordinate: Value, count: Value) -> Value:
    """Return the slice (uint32) that is nearest, ties to even, clamped to those that exist.

    NaN is slice 0. count: uint32.
    """
    last = convert(most(bitcast(count, I32) - 1, 0), F32)
    nearest = rint(select(coordinate > 0.0, coordinate, 0.0))
    return bitcast(convert(select(nearest < last, nearest, last), I32), U32)


def _reduced(u: Value, mode: TextureAddressMode) -> Value:
    """Bring a coordinate near [0, 1], with the same texels; NaN is 0, infinities are finite."""
    if mode is _Mode.WRAP:
        u = fraction(u)
        return select(u > 0.0, u, 0.0)
    if mode is _Mode.MIRROR:
        u = u * 0.5
        u = (u - trunc(u)) * 2.0
        return select(u.eq(u), u, 0.0)
    if mode is not _Mode.CLAMP:  # which has the same texels left of the texture and at 0
        u = select(u.eq(u), u, 0.0)
    u = select(u > -_FURTHEST, u, -_FURTHEST)
    return select(u < _FURTHEST, u, _FURTHEST)


def _modulo(texel: Value, period: Value) -> Value:
    """Return texel modulo period, both int32 and so small that a float32 quotient is exact enough.

    A quotient that is no whole number differs from one by at least 1 / period.
    """
    quotient = floor(convert(texel, F32) / convert(period, F32))
    return texel - convert(quotient, I32) * period


def _wrapped(texel: Value, extent: Value) -> Value:
    """Bring a texel from [-extent, 2 * extent) inside."""
    texel = select(texel < 0, texel + extent, texel)
    return select(texel < extent, texel, texel - extent)


def _mirrored(texel: Value, extent: Value) -> Value:
    """Bring a texel from [-2 * extent - 1, 2 * extent] inside."""
    texel = select(texel < 0, ~texel, texel)
    return most(least(texel, extent * 2 - 1 - texel), 0)


def _clamped(texel: Value, extent: Value) -> Value:
    return most(least(texel, extent - 1), 0)


def _mirrored_once(texel: Value, extent: Value) -> Value:
    return most(least(select(texel < 0, ~texel, texel), extent - 1), 0)


_INSIDE: dict[TextureAddressMode, Callable[[Value, Value], Value]] = {
    _Mode.WRAP: _wrapped,
    _Mode.MIRROR: _mirrored,
    _Mode.CLAMP: _clamped,
    _Mode.MIRROR_ONCE: _mirrored_once,
}
_PERIODS = {_Mode.WRAP: 1, _Mode.MIRROR: 2}  # in extents
