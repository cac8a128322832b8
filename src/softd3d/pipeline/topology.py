"""Topologies: which vertices make primitive i, and which vertex completes it.

A strip is what lies between two cuts, or a whole instance; a list is cut in the same way. Its
vertices are counted from 0. Spec: D3D11.3 sections 8.10 to 8.15, 13.10 (adjacency).
"""

from __future__ import annotations

from softd3d.algebra.operations import select, udiv, urem
from softd3d.algebra.value import Value
from softd3d.arguments import close_words, named, shown
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.sm4.limits import MAX_CONTROL_POINTS
from softd3d.pipeline.state.enums import PrimitiveTopology

__all__ = [
    "completed",
    "corners",
    "listed",
    "primitive_count",
    "primitive_size",
    "topology_named",
    "used_vertices",
    "vertices_of",
]

_T = PrimitiveTopology
_C_SUFFIX = "_CONTROL_POINT_PATCHLIST"
_PREFIXES = ("D3D11_PRIMITIVE_TOPOLOGY_", "D3D10_PRIMITIVE_TOPOLOGY_", "D3D_PRIMITIVE_TOPOLOGY_")


@dataclass(frozen=True, slots=True)
class _Shape:
    """Primitive 0 is complete with `first` vertices, each other one with `step` more.

    even, odd: corners of primitive i, counted from vertex i * step; the leading vertex first.
    whole: the same with adjacent vertices, in the order in which a geometry shader sees them.
    """

    first: int
    step: int
    even: tuple[int, ...]
    odd: tuple[int, ...]
    whole: tuple[int, ...]


def _shape(first: int, step: int, *corners: int, whole: int = 0) -> _Shape:
    return _Shape(first, step, corners, corners, tuple(range(whole)) if whole else corners)


_SHAPES = {
    _T.POINTLIST: _shape(1, 1, 0),
    _T.LINELIST: _shape(2, 2, 0, 1),
    _T.LINESTRIP: _shape(2, 1, 0, 1),
    _T.TRIANGLELIST: _shape(3, 3, 0, 1, 2),
    # Odd triangles begin with the leading vertex too, and wind the other way.
    _T.TRIANGLESTRIP: _Shape(3, 1, (0, 1, 2), (0, 2, 1), ()),
    _T.LINELIST_ADJ: _shape(4, 4, 1, 2, whole=4),
    _T.LINESTRIP_ADJ: _shape(4, 1, 1, 2, whole=4),
    _T.TRIANGLELIST_ADJ: _shape(6, 6, 0, 2, 4, whole=6),
    _T.TRIANGLESTRIP_ADJ: _Shape(6, 2, (0, 2, 4), (0, 4, 2), ()),
    **{
        _T(_T.PATCHLIST_1 + n - 1): _shape(n, n, *range(n))
        for n in range(1, MAX_CONTROL_POINTS + 1)
    },
}  # fmt: skip


def topology_named(value: object) -> PrimitiveTopology:
    """Return a topology for itself, its number or its name.

    Raises:
        ResourceError: there is none, such as for the number of Direct3D 9's fans.

    >>> topology_named("4_CONTROL_POINT_PATCHLIST"), topology_named(13).name
    (<PrimitiveTopology.PATCHLIST_4: 36>, 'TRIANGLESTRIP_ADJ')
    """
    if isinstance(value, str):
        word = value.upper()
        for prefix in _PREFIXES:
            word = word.removeprefix(prefix)
        if word.endswith(_C_SUFFIX):
            word = f"PATCHLIST_{word.removesuffix(_C_SUFFIX)}"
        if word in _T.__members__:
            return _T[word]
        raise ResourceError(
            f"topology: found {shown(value)}, wanted a name such as TRIANGLELIST, or its number"
            f"{close_words(word, list(_T.__members__))}"
        )
    return named(_T, value, "topology")


def primitive_size(topology: PrimitiveTopology, *, adjacency: bool = False) -> int:
    """Return how many vertices a primitive has; adjacency: with adjacent ones, if it has any."""
    shape = _SHAPES[topology]
    return shape.first if adjacency and topology.has_adjacency else len(shape.even)


def primitive_count(topology: PrimitiveTopology, vertices: int) -> int:
    """Return how many primitives so many vertices of a strip complete.

    >>> primitive_count(PrimitiveTopology.TRIANGLESTRIP_ADJ, 9)
    2
    """
    if topology is _T.UNDEFINED:
        return 0
    shape = _SHAPES[topology]
    return 0 if vertices < shape.first else (vertices - shape.first) // shape.step + 1


def listed(topology: PrimitiveTopology, *, adjacency: bool = False) -> tuple[int, tuple[int, ...]]:
    """Return how many vertices a list has for each primitive, and which make it. Of strips 0.

    adjacency: with adjacent vertices, if it has any.
    """
    shape = _SHAPES.get(topology)
    if shape is None or shape.first != shape.step or shape.even != shape.odd:
        return 0, ()
    return shape.step, shape.whole if adjacency and topology.has_adjacency else shape.even


def used_vertices(topology: PrimitiveTopology, primitives: int) -> int:
    """Return how many vertices the first primitives of a strip have, each counted once."""
    if not primitives:
        return 0
    return _SHAPES[topology].first + (primitives - 1) * _SHAPES[topology].step


def completed(topology: PrimitiveTopology, vertex: Value) -> tuple[Value, Value]:
    """Return whether (BOOL) a vertex of a strip completes a primitive, and which (uint32)."""
    shape = _SHAPES[topology]
    last = vertex.like(shape.first - 1)
    after = vertex - last
    step = vertex.like(shape.step)
    is_complete = (vertex >= last) & urem(after, step).eq(0) if shape.step > 1 else vertex >= last
    return is_complete, udiv(after, step) if shape.step > 1 else after


def corners(topology: PrimitiveTopology, primitive: Value) -> tuple[Value, ...]:
    """Return the vertices (uint32) of primitive i of a strip, without adjacent ones.

    The first is the leading vertex; triangles of a strip all have the same winding.
    """
    shape = _SHAPES[topology]
    base = primitive * shape.step if shape.step > 1 else primitive
    if shape.even == shape.odd:
        return tuple(base + n if n else base for n in shape.even)
    is_odd = (primitive & 1).ne(0)
    pairs = zip(shape.even, shape.odd, strict=True)
    return tuple(
        base + (a if a == b else select(is_odd, base.like(b), a)) if a or b else base
        for a, b in pairs
    )


def vertices_of(topology: PrimitiveTopology, primitive: Value, is_last: Value) -> tuple[Value, ...]:
    """Return the vertices (uint32) of primitive i of a strip, with adjacent ones if it has any.

    Their order is that of a geometry shader's inputs: around a triangle, each corner is followed by
    the vertex across the edge to the next corner. is_last: BOOL, whether the strip has no further
    primitive; it matters to TRIANGLESTRIP_ADJ only.
    """
    shape = _SHAPES[topology]
    if topology is not _T.TRIANGLESTRIP_ADJ:
        if not topology.has_adjacency:
            return corners(topology, primitive)
        base = primitive * shape.step
        return tuple(base + n if n else base for n in shape.whole)
    base = primitive * 2
    is_odd = (primitive & 1).ne(0)
    before = select(primitive.eq(0), base + 1, base - 2)  # across the edge to the last triangle
    beyond = base + select(is_last, base.like(5), 6)  # across that to the next one
    return (
        base,
        select(is_odd, base + 3, before),
        base + select(is_odd, base.like(4), 2),
        beyond,
        base + select(is_odd, base.like(2), 4),
        select(is_odd, before, base + 3),
    )
