"""The triangles of patches: numbers of points, from the numbers of points of the axes.

Rings are connected side by side, from the outside to the inside; then the middle is filled. As with
points, what is inside of ring 1 is the end of one of a few tables. What connects ring 1 with the
edges depends on both; it is a walk along two rows of points (`stitching.frame`).

Spec: D3D11.3 section 11.7 leaves the order free; it is that of the reference tessellator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from softd3d.isa.sm4.enums import Domain
from softd3d.pipeline.primitives.records import Bools, Rows
from softd3d.pipeline.tessellator.counting import points_within
from softd3d.pipeline.tessellator.factors import EDGES, INSIDE_ALONG
from softd3d.pipeline.tessellator.points import Places, grown, pieces_of
from softd3d.pipeline.tessellator.ragged import joined, numbered, starts
from softd3d.pipeline.tessellator.stitching import frame, regular_band

__all__ = ["SINGLE", "inner_triangles", "patch_lines", "surface_triangles"]

Ring: TypeAlias = list[Places]
"""The points of each side, its last one included."""
_KEPT_INSIDES = 4096  # ends of tables, without a copy
_KEPT_TABLES = 256  # there are 244; the largest have 8,064 triangles
SINGLE = {
    Domain.TRI: np.array([[0], [1], [2]], np.int32),
    Domain.QUAD: np.array([[0, 1], [1, 2], [3, 3]], np.int32),
}
"""The triangles of patches whose factors are all 1."""


def patch_lines(points: Rows, row: Rows) -> Rows:
    """Return the lines that join points, (2, lines), numbers counted from the first patch's.

    points: of each patch, in rows. row: the points of each row of a patch; rows are not joined.
    """
    place = numbered(points) % np.repeat(row, points)
    first = np.flatnonzero(place != np.repeat(row - 1, points))
    return np.stack([first, first + 1])


def surface_triangles(domain: Domain, counts: Rows, is_single: Bools, points: Rows) -> Rows:
    """Return all triangles, clockwise, (3, triangles), numbers counted from the first patch's.

    Args:
        domain: tri or quad.
        counts: the points of each axis, (patches, axes).
        is_single: whether all factors are 1, (patches,).
        points: of each patch, (patches,).
    """
    sides = EDGES[domain]
    pieces: list[Places] = []
    along = counts[:, [sides + n for n in INSIDE_ALONG[domain]]]
    rows = zip(counts.tolist(), along.tolist(), is_single.tolist(), strict=True)
    for edges, inside, is_one in rows:
        if is_one:
            pieces.append(SINGLE[domain])
        else:
            pieces += [frame(edges[n], inside[n]) for n in range(sides)]
            pieces.append(_inside(domain, *edges[sides:]))
    whole = ~is_single
    first = starts(points)
    numbers, row_starts = _framed_rows(counts[whole, :sides], along[whole], first[whole])
    # Walks have places of rows; all other triangles have numbers, which stand behind these rows.
    every: Rows = np.concatenate([numbers, np.arange(points.sum(), dtype=np.int64)])
    shifts = np.zeros((len(counts), sides + 1), np.int64)
    shifts[whole, :sides] = row_starts
    shifts[:, sides] = numbers.size + first
    shifts[whole, sides] += _inside_starts(domain, counts[whole])
    return every[joined(pieces, 3, shifts[pieces_of(domain, is_single)])]


def _framed_rows(edges: Rows, along: Rows, first: Rows) -> tuple[Rows, Rows]:
    """Return the numbers of points of all rows that `frame` connects, and where rows start.

    A row has the points of an edge, and behind them those of the side of ring 1 along it. Rings
    close where they begin. Where there is no ring 1, a line takes its place that is walked there
    and back, or a point.

    Args:
        edges: the points of each edge, (patches, sides).
        along: the points of the inside axis along each, (patches, sides).
        first: the number of each patch's first point, (patches,).
    """
    lengths = (edges + along - 2).reshape(-1)
    outer, inner = edges - 1, along - 3  # segments
    around, inside = outer.sum(axis=1), inner.sum(axis=1)
    is_line: Bools = along.min(axis=1) == 3
    last = inside - 1 - (inside - 1 - inside // 2) * is_line
    place = numbered(lengths)
    side = np.repeat(np.arange(lengths.size), lengths)
    is_inner = (place >= np.repeat(edges.reshape(-1), lengths)).astype(np.int64)

    def of_row(of_edge: Rows, of_ring: Rows) -> Rows:
        both = np.stack([np.broadcast_to(n.T, edges.T.shape).T for n in (of_edge, of_ring)])
        return both.reshape(2, -1)[is_inner, side]

    begin = of_row(np.cumsum(outer, axis=1) - outer, np.cumsum(inner, axis=1) - inner - edges)
    number = place + begin
    number = np.where(number > of_row(around - 1, last), of_row(around, inside) - number, number)
    return number + of_row(first, first + around), starts(lengths).reshape(edges.shape)


def _inside_starts(domain: Domain, counts: Rows) -> Rows:
    """Return the number of a patch's point that is number 0 of its table; it may be negative."""
    sides = EDGES[domain]
    insides = counts[:, sides:].T
    most = insides + 2 * grown(insides.max(axis=0))
    around = points_within(domain, list(most)) - points_within(domain, list(insides))
    return (counts[:, :sides] - 1).sum(axis=1) - around


@lru_cache(maxsize=_KEPT_INSIDES)
def _inside(domain: Domain, *insides: int) -> Places:
    """Return the triangles inside of ring 1, points counted as in the table."""
    return inner_triangles(domain, *insides)[0]


def inner_triangles(domain: Domain, *insides: int) -> tuple[Places, int]:
    """Return the triangles inside of ring 1, as an end of a table, and the points of that table.

    Points count from the table's first. insides: the points of each inside axis.
    """
    more = 2 * grown(max(insides))
    axes = tuple(n + more for n in insides)
    table = _table(domain, *axes)
    ring = sum(n - 3 for n in _sides(domain, insides))
    count = 2 * points_within(domain, insides) - ring - 2
    return table[:, table.shape[1] - count :], points_within(domain, axes)


@lru_cache(maxsize=_KEPT_TABLES)
def _table(domain: Domain, *insides: int) -> Places:
    """Return all triangles inside of ring 1, points counted from its first."""
    rings = list(_rings(domain, insides))
    bands = [np.zeros((3, 0), np.int32)]  # a line in the middle may be all there is
    bands += [
        np.concatenate([outside, inside])[regular_band(inside.size)]
        for outer, inner in pairwise(rings)
        for outside, inside in zip(outer, inner, strict=True)
    ]
    if min(insides) % 2 == 0:
        bands.append((_tri_middle if domain is Domain.TRI else _quad_middle)(rings[-1]))
    return np.concatenate(bands, axis=1)


def _sides(domain: Domain, insides: tuple[int, ...]) -> tuple[int, ...]:
    """Return the points of the inside axis along each side."""
    return insides * 3 if domain is Domain.TRI else insides[::-1] * 2


def _rings(domain: Domain, insides: tuple[int, ...]) -> Iterator[Ring]:
    """Yield the rings from ring 1 on, and of even axes the centre or the line in the middle."""
    along = _sides(domain, insides)
    start = 0
    for number in range(1, min(along) // 2):
        segments = [n - 1 - 2 * number for n in along]
        yield _ring(start, segments)
        start += sum(segments)
    if min(insides) % 2:
        yield _tri_centre(start) if domain is Domain.TRI else _quad_line(start, *insides)


def _ring(start: int, segments: Sequence[int]) -> Ring:
    """Return a ring whose points count from a number; its first one closes it."""
    ring: Ring = []
    at = start
    for count in segments:
        ring.append(np.arange(at, at + count + 1, dtype=np.int32))
        at += count
    ring[-1][-1] = start
    return ring


def _tri_centre(start: int) -> Ring:
    return [np.array([start], np.int32)] * 3


def _quad_line(start: int, x_points: int, y_points: int) -> Ring:
    """Return the line in the middle as a ring: two of its sides are its ends."""
    line = np.arange(start, start + abs(x_points - y_points) + 1, dtype=np.int32)
    first, last = line[:1], line[-1:]
    if x_points > y_points:
        return [first, line, last, line[::-1]]
    return [line, last, line[::-1], first]


def _tri_middle(ring: Ring) -> Places:
    return np.array([[side[0]] for side in ring], np.int32)


def _quad_middle(ring: Ring) -> Places:
    """Fill the last ring of odd axes, a rectangle one segment thick: two triangles a segment."""
    is_wide = ring[1].size > ring[0].size
    p, q = (ring[1], ring[3][::-1]) if is_wide else (ring[0], ring[2][::-1])
    first, second = [q[:-1], p[:-1], p[1:]], [q[:-1], p[1:], q[1:]]
    segments = p.size - 1
    if not is_wide and segments % 2:  # both axes are odd; the diagonal in the middle turns
        first = [p[:-1], p[1:], q[:-1]]
        triangles = _interleaved(first, second)
        middle = segments // 2
        p0, p1, q0, q1 = p[middle], p[middle + 1], q[middle], q[middle + 1]
        triangles[:, 2 * middle] = p0, q1, q0
        triangles[:, 2 * middle + 1] = p0, p1, q1
        return triangles
    return _interleaved(first, second)


def _interleaved(first: list[Places], second: list[Places]) -> Places:
    return np.stack([np.stack(first), np.stack(second)], axis=2).reshape(3, -1)
