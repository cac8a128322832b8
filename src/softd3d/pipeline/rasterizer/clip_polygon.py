"""Clipping triangles and lines: new vertices for the few primitives that need them.

Sutherland and Hodgman's algorithm in double, with a fixed number of vertices, so that every lane
does the same: each plane adds one slot, and slots that are not needed repeat a neighbour. Triangles
between repeated vertices have no area and cover nothing. A plane that cuts no lane's primitive
costs its distances only, where the algebra can leave things out (`rarely`).

Spec: D3D11.3 section 15.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, convert, rarely, select
from softd3d.algebra.value import BOOL, F32, F64, U32, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.clip import GUARD_BAND, all_of, any_of
from softd3d.pipeline.rasterizer.viewport import ClipPosition, ViewportTransform

__all__ = [
    "ClippedLine",
    "ClippedPolygon",
    "ClippedVertex",
    "GuardBand",
    "clip_line",
    "clip_triangle",
    "clipped_attribute",
    "guard_band",
    "screen_weights",
]

_LEAST_W = 2.0**-24  # of the greatest |w|

_Vertex: TypeAlias = tuple[Value, ...]  # x, y, z, w, weight of vertex 1, weight of vertex 2; F64
_Plane: TypeAlias = Callable[[_Vertex], Value]


@dataclass(frozen=True, slots=True)
class GuardBand:
    """The guard band as x / w and y / w, F64; top is the greatest y / w."""

    left: Value
    right: Value
    top: Value
    bottom: Value


def guard_band(viewport: ViewportTransform) -> GuardBand:
    """Return where a viewport puts +-32767 pixels. One without width has no bounds in x."""
    left, top, width, height = (
        convert(n, F64) for n in (viewport.left, viewport.top, viewport.width, viewport.height)
    )
    return GuardBand(
        left=(-GUARD_BAND - left) * 2.0 / width - 1.0,
        right=(GUARD_BAND - left) * 2.0 / width - 1.0,
        top=1.0 - (-GUARD_BAND - top) * 2.0 / height,
        bottom=1.0 - (GUARD_BAND - top) * 2.0 / height,
    )


@dataclass(frozen=True, slots=True)
class ClippedVertex:
    """A vertex after clipping: an original one unchanged, or one on an edge rounded to float32.

    weights: what vertices 1 and 2 of the original count in clip space, F64; for lines the second
    is 0.
    """

    position: ClipPosition
    weights: tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class ClippedPolygon:
    """What is left of a triangle: to be drawn as triangles 0, i, i + 1 of its vertices, in order.

    is_empty: whether nothing is left; the vertices then mean nothing. Triangles without area, or
    with a NaN after the viewport, are skipped.
    """

    vertices: tuple[ClippedVertex, ...]
    is_empty: Value

    @property
    def triangles(self) -> list[tuple[ClippedVertex, ClippedVertex, ClippedVertex]]:
        """The fan."""
        first, *others = self.vertices
        return [(first, a, b) for a, b in pairwise(others)]


@dataclass(frozen=True, slots=True)
class ClippedLine:
    """What is left of a line; see `ClippedPolygon`."""

    start: ClippedVertex
    end: ClippedVertex
    is_empty: Value


def clip_triangle(
    vertices: tuple[ClipPosition, ClipPosition, ClipPosition], band: GuardBand, *, depth_clip: bool
) -> ClippedPolygon:
    """Clip a triangle of finite positions: 10 vertices, 8 without depth clip.

    Planes in this order: w, depth, guard band from left to right, from top to bottom.
    """
    slots = [_vertex(v, n) for n, v in enumerate(vertices)]
    is_empty = slots[0][0].k.const(BOOL, 0)
    for plane in _planes(slots, band, depth_clip=depth_clip):
        distances = [plane(v) for v in slots]
        is_empty = is_empty | ~any_of(d >= 0.0 for d in distances)
        slots = _clipped(slots, distances)
    return ClippedPolygon(tuple(_rounded(v) for v in slots), is_empty)


def clip_line(
    start: ClipPosition, end: ClipPosition, band: GuardBand, *, depth_clip: bool
) -> ClippedLine:
    """Clip a line, or an edge in wireframe: as the edges of `clip_triangle`."""
    a, b = _vertex(start, 0), _vertex(end, 1)
    is_empty = a[0].k.const(BOOL, 0)
    for plane in _planes([a, b], band, depth_clip=depth_clip):
        from_a, from_b = plane(a), plane(b)
        a_inside, b_inside = from_a >= 0.0, from_b >= 0.0
        is_empty = is_empty | ~(a_inside | b_inside)
        crossing = _crossing(a_inside, (a, b), (from_a, from_b))
        a, b = _chosen(a_inside, a, crossing), _chosen(b_inside, b, crossing)
    return ClippedLine(_rounded(a), _rounded(b), is_empty)


def screen_weights(
    weights: tuple[Value, Value], w: tuple[Value, Value, Value]
) -> tuple[Value, Value]:
    """Return a new vertex's weights for attributes that are linear on the screen (noperspective).

    w: of the original vertices, F32; for lines the third may be that of vertex 1. Spec: 16.4.
    """
    first, second = weights
    q0, q1, q2 = (
        weight * convert(v, F64)
        for weight, v in zip((1.0 - first - second, first, second), w, strict=True)
    )
    total = (q0 + q1) + q2
    return q1 / total, q2 / total


def clipped_attribute(weights: tuple[Value, Value], values: Sequence[Value]) -> Value:
    """Return an attribute's component (F32) at a clipped vertex from the original vertices.

    Original vertices keep their bits, and so does what is the same at all of them. Constant
    attributes are the leading vertex's and not for this.

    Args:
        weights: of the vertex; for noperspective attributes, and z, `screen_weights` of them.
        values: the component at the two or three original vertices, F32.
    """
    first, second = weights
    a, b = values[:2]
    c = values[2] if len(values) > 2 else b
    base, v1, v2 = (convert(v, F64) for v in (a, b, c))
    mixed = convert(base + (first * (v1 - base) + second * (v2 - base)), F32)
    bits_a, bits_b, bits_c = (bitcast(v, U32) for v in (a, b, c))
    is_constant = bits_a.eq(bits_b) & bits_a.eq(bits_c)
    at_start = first.eq(0.0) & second.eq(0.0)
    mixed = select(second.eq(1.0), c, select(first.eq(1.0), b, mixed))
    return select(is_constant | at_start, a, mixed)


def _vertex(position: ClipPosition, number: int) -> _Vertex:
    x, y, z, w = (convert(n, F64) for n in (position.x, position.y, position.z, position.w))
    return x, y, z, w, x.like(float(number == 1)), x.like(float(number == 2))


def _rounded(vertex: _Vertex) -> ClippedVertex:
    x, y, z, w = (convert(n, F32) for n in vertex[:4])
    return ClippedVertex(ClipPosition(x, y, z, w), (vertex[4], vertex[5]))


def _planes(vertices: Sequence[_Vertex], band: GuardBand, *, depth_clip: bool) -> list[_Plane]:
    """Return the planes in order, as distances that are 0 or more inside."""
    greatest = abs(vertices[0][3])
    for v in vertices[1:]:
        greatest = select(greatest < abs(v[3]), abs(v[3]), greatest)
    least_w = greatest * _LEAST_W
    planes: list[_Plane] = [lambda v: v[3] - least_w]
    if depth_clip:
        planes += [lambda v: v[2], lambda v: v[3] - v[2]]
    return [
        *planes,
        lambda v: v[0] - band.left * v[3],
        lambda v: band.right * v[3] - v[0],
        lambda v: band.top * v[3] - v[1],
        lambda v: v[1] - band.bottom * v[3],
    ]


def _clipped(slots: list[_Vertex], distances: list[Value]) -> list[_Vertex]:
    """Clip a polygon against one plane; the result has one slot more."""
    inside = [d >= 0.0 for d in distances]
    usual = [*slots, slots[-1]]
    size = len(slots[0])

    def cut() -> tuple[Value, ...]:
        return tuple(n for v in _cut(slots, distances, inside) for n in v)

    flat = rarely(~all_of(inside), tuple(n for v in usual for n in v), cut)
    return [flat[at : at + size] for at in range(0, len(flat), size)]


def _cut(slots: list[_Vertex], distances: list[Value], inside: list[Value]) -> list[_Vertex]:
    """Return the slots where the plane cuts.

    The slots outside follow each other. The first becomes the point where the polygon leaves the
    inside, the last the one where it comes back, any between repeat the first; if there is one
    only, the second point is inserted behind it.
    """
    count = len(slots)
    edges = [(n, (n + 1) % count) for n in range(count)]
    crossings = [
        _crossing(inside[a], (slots[a], slots[b]), (distances[a], distances[b])) for a, b in edges
    ]
    leaving = crossings[0]
    for n, b in edges[1:]:
        leaving = _chosen(inside[n] & ~inside[b], crossings[n], leaving)
    replaced: list[_Vertex] = []
    inserts: list[Value] = []
    for n, after in edges:
        before = n - 1
        at_end = _chosen(inside[after], crossings[n], leaving)
        outside = _chosen(inside[before], crossings[before], at_end)
        replaced.append(_chosen(inside[n], slots[n], outside))
        inserts.append(~inside[n] & inside[before] & inside[after])
    result = [replaced[0]]
    is_shifted = inserts[0].k.const(BOOL, 0)
    for n in range(1, count + 1):
        own = replaced[min(n, count - 1)]
        result.append(
            _chosen(inserts[n - 1], crossings[n - 1], _chosen(is_shifted, replaced[n - 1], own))
        )
        is_shifted = is_shifted | inserts[n - 1]
    return result


def _crossing(
    first_inside: Value, edge: tuple[_Vertex, _Vertex], distances: tuple[Value, Value]
) -> _Vertex:
    """Return where an edge meets a plane, from inside to outside, so that neighbours agree.

    It means nothing where both ends are on the same side.
    """
    a, b = edge
    start, end = _chosen(first_inside, a, b), _chosen(first_inside, b, a)
    near = select(first_inside, distances[0], distances[1])
    far = select(first_inside, distances[1], distances[0])
    t = near / (near - far)
    return tuple(i + t * (o - i) for i, o in zip(start, end, strict=True))


def _chosen(condition: Value, a: _Vertex, b: _Vertex) -> _Vertex:
    return tuple(select(condition, x, y) for x, y in zip(a, b, strict=True))
