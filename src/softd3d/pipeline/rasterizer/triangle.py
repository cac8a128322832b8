"""Triangles: facing, culling, edges, and whether a sample is covered. All of it is exact.

Spec: D3D11.3 sections 3.4.2, 15.11 and 15.12.
"""

from __future__ import annotations

from typing import TypeAlias

from softd3d.algebra import integer
from softd3d.algebra.operations import convert, select
from softd3d.algebra.value import BOOL, F64, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.state.enums import CullMode

__all__ = [
    "WHOLE_PIXEL",
    "Bounds",
    "Corner",
    "Corners",
    "Edge",
    "Triangle",
    "bounds",
    "covers",
    "direction",
    "doubled_area",
    "edge_step",
    "edge_value",
    "intersected",
    "is_culled",
    "is_front_facing",
    "is_top_left",
    "set_up",
]

_PIXEL_BITS = 8


@dataclass(frozen=True, slots=True)
class Corner:
    """A snapped vertex: I32, 1/256 pixel."""

    x: Value
    y: Value


Corners: TypeAlias = tuple[Corner, Corner, Corner]


@dataclass(frozen=True, slots=True)
class Edge:
    """E(x, y) = a * x + b * y + c, positive on the triangle's side; whole numbers in F64.

    covering_c: c, less 1 unless the edge is a top or left one. With it for c, E is 0 or more
    exactly where the edge lets a sample be covered.
    """

    a: Value
    b: Value
    c: Value
    covering_c: Value


@dataclass(frozen=True, slots=True)
class Triangle:
    """A triangle's edges, number i opposite vertex i, and its doubled area in 1/65536 pixel, F64.

    The area's sign is taken off: edges are as if a counter-clockwise triangle had two vertices
    swapped, while vertices and edges keep their numbers.
    """

    edges: tuple[Edge, Edge, Edge]
    area: Value


def doubled_area(corners: Corners) -> Value:
    """Return twice the signed area, F64: positive if clockwise on the screen."""
    p, q, r = corners
    qx, qy, rx, ry = (convert(n, F64) for n in (q.x - p.x, q.y - p.y, r.x - p.x, r.y - p.y))
    return qx * ry - rx * qy


def is_front_facing(signed_area: Value, *, front_counter_clockwise: bool) -> Value:
    """Return whether a triangle faces the front; without area it never does. Spec: 15.11.1."""
    return signed_area < 0.0 if front_counter_clockwise else signed_area > 0.0


def is_culled(is_front: Value, cull_mode: CullMode) -> Value:
    """Return whether CullMode drops a triangle; lines and points are never culled."""
    match cull_mode:
        case CullMode.NONE:
            return is_front.k.const(BOOL, 0)
        case CullMode.FRONT:
            return is_front
        case CullMode.BACK:
            return ~is_front


def set_up(corners: Corners, signed_area: Value) -> Triangle:
    """Return a triangle's edges and area. It must be left out if its area is 0."""
    flips = signed_area < 0.0
    p, q, r = corners
    return Triangle((_edge(q, r, flips), _edge(r, p, flips), _edge(p, q, flips)), abs(signed_area))


def direction(start: Corner, end: Corner, flips: Value) -> tuple[Value, Value]:
    """Return how much E grows for each 1/256 pixel to the right and down, I32.

    flips: whether the triangle's area is negative.
    """
    dx, dy = end.x - start.x, end.y - start.y
    return select(flips, dy, -dy), select(flips, -dx, dx)


def is_top_left(a: Value, b: Value) -> Value:
    """Return whether an edge with a direction is a left one, or a top one.

    With y down and clockwise: left edges go up, top edges are level and go right.
    """
    return (a > 0) | (a.eq(0) & (b > 0))


def _edge(start: Corner, end: Corner, flips: Value) -> Edge:
    a, b = direction(start, end, flips)
    covers_zero = is_top_left(a, b)
    a, b = convert(a, F64), convert(b, F64)
    # Not its negative, which could be -0: so no sum with it is.
    c = 0.0 - (a * convert(start.x, F64) + b * convert(start.y, F64))
    return Edge(a, b, c, select(covers_zero, c, c - 1.0))


def edge_value(edge: Edge, x: Value, y: Value) -> Value:
    """Return E at a point (F64, whole numbers of 1/256 pixel), exactly; 0 is +0."""
    return (edge.a * x + edge.b * y) + edge.c


def edge_step(edge: Edge, dx: Value, dy: Value) -> Value:
    """Return by how much E grows over a distance (F64, whole numbers of 1/256 pixel), exactly.

    E at a point plus this is E at the point so far away, to the bit.
    """
    return edge.a * dx + edge.b * dy


def covers(triangle: Triangle, x: Value, y: Value) -> Value:
    """Return whether a sample at a point (F64, whole numbers of 1/256 pixel) is covered.

    Inside of all edges, or on edges that are top or left: triangles that share an edge cover
    each sample once. Spec: D3D11.3 3.4.2. `blocks` has a form in int32.
    """
    first, second, third = ((e.a * x + e.b * y) + e.covering_c >= 0.0 for e in triangle.edges)
    return first & second & third


@dataclass(frozen=True, slots=True)
class Bounds:
    """Pixels that a primitive may touch, I32; right and bottom are exclusive.

    There is none where right <= left or bottom <= top.
    """

    left: Value
    top: Value
    right: Value
    bottom: Value


WHOLE_PIXEL = (-CENTER, -CENTER, PIXEL - CENTER - 1, PIXEL - CENTER - 1)
"""The extent for `bounds` where any part of a pixel counts, not samples."""


def bounds(corners: tuple[Corner, ...], extent: tuple[int, int, int, int]) -> Bounds:
    """Return the pixels with samples in the box around corners.

    Of the box's edges, samples on the right and the lower one are never covered (by triangles
    and points).

    Args:
        corners: the snapped corners.
        extent: of the samples around a pixel's centre (`SamplePattern.extent`), or `WHOLE_PIXEL`.
    """
    low_x, low_y, high_x, high_y = extent
    left, right = _range([c.x for c in corners], low_x, high_x)
    top, bottom = _range([c.y for c in corners], low_y, high_y)
    return Bounds(left, top, right, bottom)


def _range(numbers: list[Value], low: int, high: int) -> tuple[Value, Value]:
    least = greatest = numbers[0]
    for n in numbers[1:]:
        least, greatest = integer.minimum(least, n), integer.maximum(greatest, n)
    # The first pixel whose last sample is at least, the first whose first sample is no less than
    # the greatest.
    first = least + (PIXEL - 1 - CENTER - high) >> _PIXEL_BITS
    return first, greatest + (PIXEL - 1 - CENTER - low) >> _PIXEL_BITS


def intersected(of: Bounds, box: Bounds) -> Bounds:
    """Return the pixels of both: of a primitive and, say, its scissor box."""
    return Bounds(
        integer.maximum(of.left, box.left),
        integer.maximum(of.top, box.top),
        integer.minimum(of.right, box.right),
        integer.minimum(of.bottom, box.bottom),
    )
