"""From a texture coordinate to texels along one axis, by Direct3D 9's rules.

The coordinate times the extent is one float32 product. A point filter takes the texel below it, a
linear one the two around it, which are weighted by the exact fraction. Then the address mode
brings texels inside. NaN is 0; infinities are far outside, or 0 where textures repeat.
Spec: win32 D3DTEXTUREADDRESS, "Texture Coordinates (Direct3D 9)".
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, convert, floor, fma, select
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.isa.d3d9.enums import TextureAddress
from softd3d.isa.sampling.coordinates import Axis, Linear, least, most

__all__ = ["along"]

_A = TextureAddress
_INFINITY = float("inf")
_PERIODS = {_A.WRAP: 1.0, _A.MIRROR: 2.0}  # in extents


def along(coordinate: Value, extent: Value, mode: TextureAddress, linear: Linear) -> Axis:
    """Return the texels of a coordinate.

    coordinate: float32, any. extent: int32, texels, at least 1.
    """
    size = convert(extent, F32)
    place = coordinate * size
    if mode in _PERIODS:
        is_finite = abs(place) < _INFINITY
        coordinate, place = (select(is_finite, v, 0.0) for v in (coordinate, place))
    else:
        place = _bounded(place, size)
    if linear is True:
        place = place - 0.5
    elif linear is not False:
        place = place - select(linear, place.like(0.5), 0.0)
    below = floor(place)
    if mode in _PERIODS:
        return _periodic(coordinate, place, below, extent, mode, linear)
    first = convert(below, I32)
    texels = _one_or_two(first, linear)
    is_usual = bitcast(first, U32) < bitcast(extent - 1, U32)
    weight = _weight(place, below, linear)
    if mode is _A.BORDER:
        inside = tuple(bitcast(t, U32) < bitcast(extent, U32) for t in texels)
        return Axis(texels, inside, first, is_usual, weight)
    if mode is _A.MIRRORONCE:
        texels = tuple(select(t < 0, ~t, t) for t in texels)
    texels = tuple(most(least(t, extent - 1), 0) for t in texels)
    return Axis(texels, (None,) * len(texels), first, is_usual, weight)


def _bounded(place: Value, size: Value) -> Value:
    """Bring what lies far outside nearer, where the texels are the same; NaN is 0."""
    furthest = size + 1.0
    place = select(place > -furthest, place, select(place.eq(place), -furthest, 0.0))
    return select(place < furthest, place, furthest)


def _periodic(
    coordinate: Value, place: Value, below: Value, extent: Value, mode: TextureAddress,
    linear: Linear,
) -> Axis:  # fmt: skip
    """Return the texels where the texture repeats, perhaps mirrored each other time."""
    period = extent if mode is _A.WRAP else extent << 1
    size = convert(period, F32)
    turns = floor(coordinate if mode is _A.WRAP else coordinate * 0.5)
    at = fma(turns, -size, below)
    at = select(at < 0.0, at + size, at)
    at = select(at < size, at, at - size)
    # What is still outside has no fraction that tells one texel from another.
    at = select((at >= 0.0) & (at < size), at, 0.0)
    first = convert(at, I32)
    texels = _one_or_two(first, linear)
    if len(texels) > 1:
        texels = (first, select(texels[1] < period, texels[1], 0))
    if mode is _A.MIRROR:
        texels = tuple(select(t < extent, t, period - 1 - t) for t in texels)
    is_usual = bitcast(first, U32) < bitcast(extent - 1, U32)
    weight = _weight(place, below, linear)
    return Axis(texels, (None,) * len(texels), first, is_usual, weight)


def _one_or_two(first: Value, linear: Linear) -> tuple[Value, ...]:
    """Return the texels of the filter; where a lane does not blend, its second is the first."""
    if linear is False:
        return (first,)
    return first, first + (1 if linear is True else select(linear, first.like(1), 0))


def _weight(place: Value, below: Value, linear: Linear) -> Value | None:
    """Return the weight of the second texel, 0 to 1; None if there is none."""
    if linear is False:
        return None
    weight = place - below
    return weight if linear is True else select(linear, weight, 0.0)
