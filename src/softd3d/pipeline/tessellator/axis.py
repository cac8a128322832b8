"""The points of one axis, an edge or an inside: how many, and where each is.

A factor between two whole numbers of its parity blends the divisions of both: the points of the
one below, of which one on each half is doubled, move towards those of the one above. An axis is
symmetric to the bit, so that neighbours that share an edge agree, whichever way they walk it.

Spec: D3D11.3 section 11.7.
"""

from __future__ import annotations

from softd3d.algebra.operations import clz, select, udiv
from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.pipeline.tessellator.factors import ONE, AxisFactor

__all__ = ["HALF", "Axis", "axis_of", "axis_position"]

HALF = ONE // 2
_TOP_BIT = 0x80000000


@dataclass(frozen=True, slots=True)
class Axis:
    """What the positions of an axis follow from, U32.

    points: how many it has. middle: the first point that mirrors one of the first half, or is the
    middle one itself. blend: how far from the division below to that above, below 1, 16 fraction
    bits. split: the point behind which the division below has a point less, where blend is not 0.
    below, above: the length of a segment in both divisions, 16 fraction bits.
    """

    points: Value
    middle: Value
    blend: Value
    split: Value
    below: Value
    above: Value


def axis_of(factor: AxisFactor) -> Axis:
    """Return an axis; once for each axis."""
    one = factor.fixed.like(1)
    odd = select(factor.is_odd, one, 0)
    half = (factor.fixed + 1) >> 1
    # A factor of 1 that counts as even has a half of its own: it makes two segments.
    half = half + select(factor.is_odd | half.eq(HALF), one.like(HALF), 0)
    low, high = half >> 16, (half + (ONE - 1)) >> 16
    split = (_without_top_bit(low - odd) << 1) + 1
    return Axis(
        points=(high << 1) + 1 - odd,
        middle=high,
        blend=half & (ONE - 1),
        split=select(factor.is_odd & low.eq(1), 0, split),
        below=_reciprocal((low << 1) - odd),
        above=_reciprocal((high << 1) - odd),
    )


def axis_position(axis: Axis, point: Value) -> Value:
    """Return where a point (U32, below `axis.points`) is: 0 to 1, U32 with 16 fraction bits."""
    is_mirrored = point >= axis.middle
    above = select(is_mirrored, axis.points - 1 - point, point)
    is_moved = axis.blend.ne(0) & (above > axis.split)
    below = above - select(is_moved, above.like(1), 0)
    scaled = below * axis.below * (ONE - axis.blend) + above * axis.above * axis.blend
    position = (scaled + HALF) >> 16
    # Reciprocals are not exact; the middle is.
    position = select(above.eq(axis.middle), HALF, position)
    return select(is_mirrored, ONE - position, position)


def _without_top_bit(number: Value) -> Value:
    """Return the place in its row of the ruler: 1; 2, 3; 4 to 7 and so on count from 0."""
    top = number.like(_TOP_BIT) >> clz(number | 1)
    return number & ~top


def _reciprocal(segments: Value) -> Value:
    """Return 1 / segments with 16 fraction bits, to nearest; there are no ties."""
    return udiv((segments >> 1) + ONE, segments)
