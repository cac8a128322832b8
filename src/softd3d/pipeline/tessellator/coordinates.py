"""Coordinates of points from positions on the axes of a patch. Spec: D3D11.3 11.5, 11.7.

Quads and isolines have a position of one axis as U, of another as V. Triangles have rings: of each
side one coordinate is held and another runs.
"""

from __future__ import annotations

from softd3d.algebra.operations import convert, select
from softd3d.algebra.value import F32, Value
from softd3d.pipeline.tessellator.axis import HALF
from softd3d.pipeline.tessellator.factors import ONE

__all__ = ["domain_location", "third_coordinate", "tri_point"]

_TWO_THIRDS = 0xAAAA  # rounded down, 16 fraction bits
_TO_FLOAT = 1.0 / ONE


def tri_point(held: Value, running: Value, side: Value) -> tuple[Value, Value]:
    """Return U and V of a point of a triangle's ring, U32 with 16 fraction bits.

    On ring 0 that is a point of an edge; the centre is a ring of one point.

    Args:
        held: the position on the inside axis that says how far inside the ring is, up to a half; 0
            on ring 0.
        running: the point's position on the inside axis, on ring 0 on the edge.
        side: 0 where U is held, 1 where V is, 2 where W is; U32.
    """
    inset = (held * _TWO_THIRDS + HALF) >> 16
    along = running - ((inset + 1) >> 1)
    is_first, is_second = side.eq(0), side.eq(1)
    u = select(is_first, inset, along)
    v = select(is_first, along, select(is_second, inset, third_coordinate(inset, along)))
    return u, v


def third_coordinate(u: Value, v: Value) -> Value:
    """Return what is missing to 1: W of U and V, U32 with 16 fraction bits."""
    return ONE - u - v


def domain_location(position: Value) -> Value:
    """Return a component of SV_DomainLocation, F32: exact."""
    return convert(position, F32) * _TO_FLOAT
