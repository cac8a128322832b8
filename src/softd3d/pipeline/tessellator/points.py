"""The points of a patch in order: which positions of its axes each is made of.

The places of a patch's positions count through all its axes, in the order of its factors. Points go
ring by ring from the outside to the inside; sides of a ring leave out their last point, with which
the next side starts.

Rings of few points are the inner rings of more, so the insides of all patches are ends of a few
tables: those of the most points.

Spec: D3D11.3 section 11.7 leaves the order free; it is that of the reference tessellator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.enums import Domain
from softd3d.isa.sm4.limits import MAX_TESSELLATION_FACTOR
from softd3d.pipeline.tessellator.factors import EDGES

__all__ = ["Counts", "Places", "grown", "patch_points", "points_within"]

Counts: TypeAlias = tuple[int, ...]
"""The points of each axis of a patch."""
Places: TypeAlias = NDArray[np.int32]
_N = TypeVar("_N", int, NDArray[np.int64])

_LONGEST = int(MAX_TESSELLATION_FACTOR) + 1  # points of an axis
_KEPT_EDGES = 512  # there are 448
_KEPT_INSIDES = 256  # there are 244; the largest have 4,225 points


def patch_points(domain: Domain, counts: Counts, *, is_single: bool) -> Places:
    """Return the places of each point's positions, (2 or 3, points).

    Of quads and isolines they are those of U and V; of triangles those of `held` and `running` of
    `coordinates.tri_point`, and the number of the side.

    is_single: whether all factors are 1.
    """
    starts = [0, *accumulate(counts)]
    if domain is Domain.ISOLINE:
        return _lines(*counts)
    sides = list(range(EDGES[domain]))
    if is_single and domain is Domain.QUAD:  # it begins with (0, 0)
        sides = [*sides[1:], sides[0]]
    pieces = [_edge(domain, n, counts[n]) + _shift(domain, starts[n], starts[n]) for n in sides]
    if not is_single:
        pieces.append(_inside(domain, counts[len(sides) :], starts[len(sides)]))
    return np.concatenate(pieces, axis=1)


def points_within(domain: Domain, insides: Sequence[_N]) -> _N:
    """Return how many points a triangle or quad has inside of its edges.

    insides: the points of each inside axis, numbers or arrays.
    """
    if domain is Domain.QUAD:
        return (insides[0] - 2) * (insides[1] - 2)
    rings = insides[0] // 2 - 1
    is_even = insides[0] % 2  # there is a centre, and one point more on each side of a ring
    return 3 * rings * (rings + is_even) + is_even


def grown(insides: Counts) -> tuple[Counts, int]:
    """Return the most points of inside axes that have the same inner rings, and how many more.

    That is how many rings there are around.
    """
    more = (_LONGEST - max(insides)) // 2
    return tuple(n + 2 * more for n in insides), more


def _shift(domain: Domain, first: int, second: int) -> Places:
    """Return what is added to places; the side of a triangle's point is none."""
    shift = [first, second, 0] if domain is Domain.TRI else [first, second]
    return np.array(shift, np.int32)[:, None]


def _lines(density_points: int, detail_points: int) -> Places:
    """Return the points of lines along U; there is none at V == 1."""
    lines = np.arange(density_points - 1, dtype=np.int32)
    detail = np.arange(density_points, density_points + detail_points, dtype=np.int32)
    return np.stack([np.tile(detail, lines.size), np.repeat(lines, detail.size)])


@lru_cache(maxsize=_KEPT_EDGES)
def _edge(domain: Domain, side: int, points: int) -> Places:
    """Return the points of an edge, places counted from its first position, which is 0."""
    axis = np.arange(points, dtype=np.int32)
    if domain is Domain.TRI:
        return _tri_ring(axis[0], [axis] * 3)[side]
    return _quad_ring(axis, axis, [axis] * 4)[side]


def _inside(domain: Domain, insides: Counts, start: int) -> Places:
    """Return the points inside of the edges; start: the place of the first inside position."""
    most, around = grown(insides)
    table = _insides(domain, most)
    first = table.shape[1] - points_within(domain, insides)
    second_start = start if domain is Domain.TRI else start + insides[0]
    return table[:, first:] + _shift(domain, start - around, second_start - around)


@lru_cache(maxsize=_KEPT_INSIDES)
def _insides(domain: Domain, insides: Counts) -> Places:
    """Return the points inside of the edges, places counted from the first of each axis."""
    axes = [np.arange(n, dtype=np.int32) for n in insides]
    rings = _tri_rings(*axes) if domain is Domain.TRI else _quad_rings(*axes)
    return np.concatenate([side for ring in rings for side in ring], axis=1)


def _tri_rings(inside: Places) -> Iterator[list[Places]]:
    points = inside.size
    for ring in range(1, points // 2):
        inner = inside[ring : points - ring]
        yield _tri_ring(inner[0], [inner] * 3)
    if points % 2:  # the centre
        middle = inside[points // 2]
        yield [_side(middle, middle, np.int32(0))]


def _tri_ring(held: np.int32, sides: list[Places]) -> list[Places]:
    first, second, third = sides
    return [
        _side(held, _down(first), np.int32(0)),
        _side(held, _up(second), np.int32(1)),
        _side(held, _down(third), np.int32(2)),
    ]


def _quad_rings(x: Places, y: Places) -> Iterator[list[Places]]:
    middle = min(x.size, y.size) // 2
    for ring in range(1, middle):
        u, v = x[ring : x.size - ring], y[ring : y.size - ring]
        yield _quad_ring(u, v, [v, u, v, u])
    if min(x.size, y.size) % 2:  # a line in the middle of the shorter direction
        u, v = x[middle : x.size - middle], y[middle : y.size - middle]
        yield [_side(u, v[0]) if x.size > y.size else _side(u[0], v[::-1])]


def _quad_ring(x: Places, y: Places, sides: list[Places]) -> list[Places]:
    first, second, third, fourth = sides
    return [
        _side(x[0], _down(first)),
        _side(_up(second), y[0]),
        _side(x[-1], _up(third)),
        _side(_down(fourth), y[-1]),
    ]


def _side(*rows: Places | np.int32) -> Places:
    """Return rows as one array; a single number holds for all points."""
    return np.stack(np.broadcast_arrays(*(np.atleast_1d(row) for row in rows)))


def _down(axis: Places) -> Places:
    return axis[:0:-1]


def _up(axis: Places) -> Places:
    return axis[:-1]
