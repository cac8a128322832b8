"""The points of patches in order: which positions of its axes each is made of.

The places of a patch's positions count through all its axes, in the order of its factors. Points go
ring by ring from the outside to the inside; sides of a ring leave out their last point, with which
the next side starts.

Rings of few points are the inner rings of more, so the insides of all patches are ends of a few
tables: those of the most points.

Spec: D3D11.3 section 11.7 leaves the order free; it is that of the reference tessellator.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.enums import Domain
from softd3d.isa.sm4.limits import MAX_TESSELLATION_FACTOR
from softd3d.pipeline.primitives.records import Bools, Rows
from softd3d.pipeline.tessellator.counting import points_within
from softd3d.pipeline.tessellator.factors import EDGES
from softd3d.pipeline.tessellator.ragged import joined, numbered, starts

__all__ = ["Places", "grown", "inner_points", "line_points", "pieces_of", "surface_points"]

Places: TypeAlias = NDArray[np.int32]
_N = TypeVar("_N", int, NDArray[np.int64])

_LONGEST = int(MAX_TESSELLATION_FACTOR) + 1  # points of an axis
_KEPT_EDGES = 512  # there are 448
_KEPT_INSIDES = 4096  # ends of tables, without a copy
_KEPT_TABLES = 256  # there are 244; the largest have 4,225 points


def line_points(counts: Rows) -> Rows:
    """Return the places of U and V of the points of isolines, (2, points).

    Lines go along U, one after another; there is none at V == 1. counts: as for `surface_points`.
    """
    first = starts(counts.sum(axis=1))
    points = (counts[:, 0] - 1) * counts[:, 1]
    line, point = np.divmod(numbered(points), np.repeat(counts[:, 1], points))
    first_u, first_v = first + counts[:, 0], first
    return np.stack([point + np.repeat(first_u, points), line + np.repeat(first_v, points)])


def surface_points(domain: Domain, counts: Rows, is_single: Bools) -> Rows:
    """Return the places of the positions of all points of triangles or quads, (2 or 3, points).

    Of quads they are those of U and V; of triangles those of `held` and `running` of
    `coordinates.tri_point`, and the number of the side.

    Args:
        domain: tri or quad.
        counts: the points of each axis, (patches, axes).
        is_single: whether all factors are 1, (patches,).
    """
    sides = EDGES[domain]
    pieces: list[Places] = []
    for points, is_one in zip(counts.tolist(), is_single.tolist(), strict=True):
        if is_one:
            pieces.append(_single(domain))
        else:
            pieces += [_edge(domain, n, points[n]) for n in range(sides)]
            pieces.append(_inside(domain, *points[sides:]))
    first = starts(counts.reshape(-1)).reshape(counts.shape)
    around = grown(counts[:, sides:].max(axis=1))
    is_there = pieces_of(domain, is_single)
    shifts: list[Rows] = []
    for axis in (sides, counts.shape[1] - 1):
        inside = np.where(is_single, first[:, 0], first[:, axis] - around)
        shifts.append(np.column_stack([first[:, :sides], inside])[is_there])
    if domain is Domain.TRI:
        shifts.append(np.zeros_like(shifts[0]))  # sides have no place
    return joined(pieces, len(shifts), np.stack(shifts))


def grown(longest: _N) -> _N:
    """Return how many rings there are around in the table with the same inner rings.

    Each has two points of each axis. longest: the points of the longer inside axis.
    """
    return (_LONGEST - longest) // 2


def pieces_of(domain: Domain, is_single: Bools) -> Bools:
    """Return which pieces patches have: one for each side and one inside, or only the last."""
    found = np.ones((is_single.size, EDGES[domain] + 1), np.bool_)
    found[is_single, :-1] = False
    return found


@lru_cache(maxsize=2)
def _single(domain: Domain) -> Places:
    """Return the points of a patch whose factors are all 1, counted from its first place."""
    shifts = [np.array([2 * n, 2 * n, 0], np.int32)[:, None] for n in range(EDGES[domain])]
    edges = [_edge(domain, n, 2) for n in range(EDGES[domain])]
    points = [edge + shift[: len(edge)] for edge, shift in zip(edges, shifts, strict=True)]
    if domain is Domain.QUAD:  # it begins with (0, 0)
        points = [*points[1:], points[0]]
    return np.concatenate(points, axis=1)


@lru_cache(maxsize=_KEPT_EDGES)
def _edge(domain: Domain, side: int, points: int) -> Places:
    """Return the points of an edge, places counted from its first position, which is 0."""
    axis = np.arange(points, dtype=np.int32)
    if domain is Domain.TRI:
        return _tri_ring(axis[0], [axis] * 3)[side]
    return _quad_ring(axis, axis, [axis] * 4)[side]


@lru_cache(maxsize=_KEPT_INSIDES)
def _inside(domain: Domain, *insides: int) -> Places:
    """Return the points inside of the edges, places counted as in the table."""
    return inner_points(domain, *insides)[0]


def inner_points(domain: Domain, *insides: int) -> tuple[Places, tuple[int, ...]]:
    """Return the points inside of the edges, as an end of a table, and the axes of that table.

    Places count from the first of each of its axes. insides: the points of each inside axis.
    """
    more = 2 * grown(max(insides))
    axes = tuple(n + more for n in insides)
    table = _table(domain, *axes)
    return table[:, table.shape[1] - points_within(domain, insides) :], axes


@lru_cache(maxsize=_KEPT_TABLES)
def _table(domain: Domain, *insides: int) -> Places:
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
