"""Points and triangles of tri and quad patches by their numbers: one of them in each lane.

What `points` and `connectivity` put together for whole patches follows here from the number of a
point or triangle in its patch, and from words of tables (`pools`) for what is inside of the edges.

Spec: D3D11.3 section 11.7 leaves the order free; it is that of the reference tessellator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from softd3d.algebra.operations import select
from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import Domain
from softd3d.pipeline.tessellator.factors import EDGES, INSIDE_ALONG

__all__ = ["FROM_MIDDLE", "PointPlaces", "ReadFrame", "ReadInside", "along", "surface_point",
           "surface_triangle"]  # fmt: skip

FROM_MIDDLE = 64
"""What is added to places in pools of points, which count from the middle of their axis."""
_BYTE, _HALF = 0xFF, 0xFFFF

ReadFrame = Callable[[Value, Value, Value], Value]
"""From the points of an edge, those of the inside axis along it, and a number: a frame's word."""
ReadInside = Callable[[Value], tuple[Value, Value]]
"""From how far before a patch's end a triangle is: its words."""


@dataclass(frozen=True, slots=True)
class PointPlaces:
    """Two axes of a patch by number, and a place on each: of quads those of U and V.

    Of triangles they are `held` and `running` of `coordinates.tri_point`, and there is its side.
    """

    axes: tuple[Value, Value]
    places: tuple[Value, Value]
    side: Value


def along(domain: Domain, counts: Sequence[Value]) -> list[Value]:
    """Return the points of the inside axis along each side. counts: the points of each axis."""
    return [counts[EDGES[domain] + n] for n in INSIDE_ALONG[domain]]


def surface_point(
    domain: Domain, number: Value, counts: Sequence[Value], is_single: Value,
    inside: Callable[[Value], Value],
) -> PointPlaces:  # fmt: skip
    """Return what a point's positions are made of.

    Args:
        domain: tri or quad.
        number: of the point in its patch.
        counts: the points of each axis.
        is_single: whether all factors are 1.
        inside: the word of a pool, asked where its argument holds.
    """
    edges = counts[: EDGES[domain]]
    if domain is Domain.QUAD:  # a single quad begins with (0, 0)
        number = select(is_single, (number + 1) & 3, number)
    around = reduce(lambda a, b: a + b, edges) - len(edges)
    is_inside = number >= around
    side, before = _side_of(number, [points - 1 for points in edges])
    points, far = _of_side(side, edges), number - before
    is_up = side.eq(1) | side.eq(2) if domain is Domain.QUAD else side.eq(1)
    place = select(is_up, far, points - 1 - far)
    word = inside(is_inside)
    if domain is Domain.TRI:
        return _tri(counts[-1], is_inside, side, place, word)
    u, v = _quad(counts[-2:], side, place, points, word, is_inside)
    axis = select(is_inside, side.like(len(edges)), side)
    return PointPlaces((axis, axis + select(is_inside, side.like(1), 0)), (u, v), side)


def _tri(inside: Value, is_inside: Value, side: Value, place: Value, word: Value) -> PointPlaces:
    held, running = (_from_middle(word >> shift, inside) for shift in (0, 8))
    axis = select(is_inside, side.like(EDGES[Domain.TRI]), side)
    return PointPlaces(
        (axis, axis), (select(is_inside, held, 0), select(is_inside, running, place)),
        select(is_inside, word >> 16 & _BYTE, side),
    )  # fmt: skip


def _quad(
    insides: Sequence[Value], side: Value, place: Value, points: Value, word: Value,
    is_inside: Value,
) -> tuple[Value, Value]:  # fmt: skip
    """Return the places of U and V: on sides 0 and 2 of the boundary V runs, on others U."""
    end = select(side < 2, side.like(0), points - 1)
    is_across = (side & 1).ne(0)
    u, v = select(is_across, place, end), select(is_across, end, place)
    found = [_from_middle(word >> 8 * n, points) for n, points in enumerate(insides)]
    return select(is_inside, found[0], u), select(is_inside, found[1], v)


def _from_middle(word: Value, points: Value) -> Value:
    return (word & _BYTE) + (points >> 1) - FROM_MIDDLE


def surface_triangle(
    domain: Domain, number: Value, left: Value, counts: Sequence[Value], is_single: Value,
    points: tuple[Value, Value], frame: ReadFrame, inside: ReadInside,
) -> list[Value]:  # fmt: skip
    """Return the points of a triangle, clockwise, as numbers.

    Args:
        domain: tri or quad.
        number: of the triangle in its patch.
        left: how many triangles of the patch there are from it on.
        counts: the points of each axis.
        is_single: whether all factors are 1.
        points: the numbers of the patch's first point and of the one behind its last.
        frame: reads the frames of a pool.
        inside: reads the triangles inside of a pool.
    """
    edges, insides = counts[: EDGES[domain]], along(domain, counts)
    outer, inner = [e - 1 for e in edges], [n - 3 for n in insides]
    lengths = [select(is_single, a.like(0), a + b) for a, b in zip(outer, inner, strict=True)]
    side, before = _side_of(number, lengths)
    is_framed = number < reduce(lambda a, b: a + b, lengths)
    edge, beside = _of_side(side, edges), _of_side(side, insides)
    # Lanes of other triangles read some word of the same frame.
    word = frame(edge, beside, select(is_framed, number - before, 0))
    ring = _Ring(
        edge, _sum_before(side, outer), _sum_before(side, inner), reduce(_add, outer),
        reduce(_add, inner), reduce(_or, [n.eq(3) for n in insides]),
    )  # fmt: skip
    first, end = points
    a, b = inside(left)
    found = [a & _HALF, a >> 16, b]
    return [
        select(is_framed, first + ring.point(word >> 8 * n & _BYTE), end - back)
        for n, back in enumerate(found)
    ]


@dataclass(frozen=True, slots=True)
class _Ring:
    """Numbers of points of a row of an edge, and behind it of the side of ring 1 along it.

    edge: the points of the edge. outer, inner: of the first points of both rows. around, within:
    the points of the edges, and of ring 1. is_line: whether instead of a ring there is a line,
    which is walked there and back, or a point.
    """

    edge: Value
    outer: Value
    inner: Value
    around: Value
    within: Value
    is_line: Value

    def point(self, place: Value) -> Value:
        """Return the number of the point at a place of the rows; rings close where they begin."""
        on_edge = self.outer + place
        on_edge = select(on_edge.eq(self.around), place.like(0), on_edge)
        on_ring = self.inner + place - self.edge
        last = select(self.is_line, self.within >> 1, self.within - 1)
        on_ring = select(on_ring > last, self.within - on_ring, on_ring)
        return select(place >= self.edge, self.around + on_ring, on_edge)


def _side_of(number: Value, lengths: Sequence[Value]) -> tuple[Value, Value]:
    """Return the side of an item, and how many there are on sides before."""
    side = before = start = number.like(0)
    for n, length in enumerate(lengths[:-1], 1):
        start = start + length
        is_behind = number >= start
        side, before = select(is_behind, side.like(n), side), select(is_behind, start, before)
    return side, before


def _of_side(side: Value, values: Sequence[Value]) -> Value:
    found = values[0]
    for n, value in enumerate(values[1:], 1):
        found = select(side.eq(n), value, found)
    return found


def _sum_before(side: Value, lengths: Sequence[Value]) -> Value:
    """Return the sum of what sides before have."""
    found = total = side.like(0)
    for n, length in enumerate(lengths[:-1], 1):
        total = total + length
        found = select(side >= n, total, found)
    return found


def _add(a: Value, b: Value) -> Value:
    return a + b


def _or(a: Value, b: Value) -> Value:
    return a | b
