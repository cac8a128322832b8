"""Conservative rasterisation of triangles: which pixels they touch, and which lie inside of them.

Tier 3 of Direct3D 11.3. Both questions are asked of snapped vertices and of squares that are larger
than a pixel, so that snapping, which moves a vertex by up to half a unit, hides nothing:

* A pixel is covered if the triangle touches its square grown by half a unit of 1/256 pixel on each
  side, the least that Direct3D allows; a common point is enough. The test of separating axes is
  that of the square's sides (the bounds) and of the triangle's edges.
* A pixel is inside (SV_InnerCoverage) if its square grown by one unit lies within all edges.

Triangles without area are kept: a segment or a point touches pixels by the same test, with both
sides of its line. Everything is a multiple of half a unit below 2**51, exact in double.

Spec: the Direct3D 11.3 specification of conservative rasterisation; we choose the regions as said.
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.algebra import integer
from softd3d.algebra.operations import convert
from softd3d.algebra.value import F64, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.rasterizer.triangle import (
    Bounds,
    Corners,
    Edge,
    Triangle,
    doubled_area,
    set_up,
)

__all__ = [
    "ConservativeTriangle",
    "conservative_triangle",
    "has_positive_w",
    "is_inside",
    "touches",
]

_OUTER = CENTER + 0.5
_INNER = CENTER + 1.0
"""Half a side of the squares, in 1/256 pixel."""
_PIXEL_BITS = 8


@dataclass(frozen=True, slots=True)
class _Edge:
    """An edge over squares: a * x + b * y + most is E's greatest value in the outer one, F64.

    least: for E's least value in the outer square; inner: for that in the inner one.
    """

    a: Value
    b: Value
    most: Value
    least: Value
    inner: Value


@dataclass(frozen=True, slots=True)
class ConservativeTriangle:
    """A triangle that may have no area.

    triangle: its edges, for interpolation. has_area: BOOL. limits: pixels that its bounding box
    touches. edges: number i opposite vertex i.
    """

    triangle: Triangle
    has_area: Value
    limits: Bounds
    edges: tuple[_Edge, _Edge, _Edge]


def conservative_triangle(corners: Corners) -> ConservativeTriangle:
    """Set up a triangle by its snapped vertices."""
    area = doubled_area(corners)
    triangle = set_up(corners, area)
    first, second, third = (_edge(e) for e in triangle.edges)
    return ConservativeTriangle(triangle, area.ne(0.0), _limits(corners), (first, second, third))


def _edge(edge: Edge) -> _Edge:
    reach = abs(edge.a) + abs(edge.b)
    outer = reach * _OUTER
    return _Edge(edge.a, edge.b, edge.c + outer, edge.c - outer, edge.c - reach * _INNER)


def _limits(corners: Corners) -> Bounds:
    left, right = _range([c.x for c in corners])
    top, bottom = _range([c.y for c in corners])
    return Bounds(left, top, right, bottom)


def _range(numbers: list[Value]) -> tuple[Value, Value]:
    """Return the pixels whose closed squares touch a span; half a unit decides nothing here."""
    first, second, third = numbers
    least = integer.minimum(integer.minimum(first, second), third)
    greatest = integer.maximum(integer.maximum(first, second), third)
    return (least - 1) >> _PIXEL_BITS, (greatest >> _PIXEL_BITS) + 1


def touches(of: ConservativeTriangle, pixel: tuple[Value, Value]) -> Value:
    """Return whether a triangle touches a pixel (x and y, I32): whether that is covered."""
    box, (column, row) = of.limits, pixel
    found = (column >= box.left) & (column < box.right) & (row >= box.top) & (row < box.bottom)
    x, y = _center(pixel)
    for e in of.edges:
        at_center = e.a * x + e.b * y
        is_near = of.has_area | (at_center + e.least <= 0.0)
        found = found & (at_center + e.most >= 0.0) & is_near
    return found


def is_inside(
    of: ConservativeTriangle, pixel: tuple[Value, Value], is_first: Value, is_last: Value
) -> Value:
    """Return whether a pixel lies within the edges of a triangle that bound its primitive.

    is_first, is_last: BOOL, whether the triangle is the first and the last part with an area of
    what clipping has left, a fan around its vertex 0: the edges between parts bound nothing. A part
    without area has no edge that counts.
    """
    x, y = _center(pixel)
    opposite, last, first = (e.a * x + e.b * y + e.inner >= 0.0 for e in of.edges)
    return ~of.has_area | (opposite & (last | ~is_last) & (first | ~is_first))


def has_positive_w(terms: Sequence[Value]) -> Value:
    """Return whether w is positive at a point; behind the horizon clip distances keep nothing.

    terms: each vertex's weight times 1 / w there (`interpolation.over_w`).
    """
    first, second, third = terms
    return (first + second) + third > 0.0


def _center(pixel: tuple[Value, Value]) -> tuple[Value, Value]:
    x, y = (convert(n, F64) * float(PIXEL) + float(CENTER) for n in pixel)
    return x, y
