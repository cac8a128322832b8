"""The triangles of a patch: numbers of its points, from the numbers of points of its axes.

Rings are connected side by side, from the outside to the inside; then the middle is filled. As with
points, what is inside of a ring is the end of one of a few tables.

Spec: D3D11.3 section 11.7 leaves the order free; it is that of the reference tessellator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from softd3d.isa.sm4.enums import Domain
from softd3d.pipeline.tessellator.factors import EDGES
from softd3d.pipeline.tessellator.points import Counts, Places, grown, points_within
from softd3d.pipeline.tessellator.stitching import frame, regular_band

__all__ = ["patch_lines", "patch_triangles"]

Ring: TypeAlias = list[Places]
"""The points of each side, its last one included."""
_KEPT_RINGS = 1024
_KEPT_INSIDES = 256  # there are 244; the largest have 8,064 triangles
_SINGLE_TRI = ((0, 1, 2),)
_SINGLE_QUAD = ((0, 1, 3), (1, 2, 3))


def patch_lines(density_points: int, detail_points: int) -> Places:
    """Return the segments of an isoline patch, (2, lines); the lines are not joined."""
    points = np.arange((density_points - 1) * detail_points, dtype=np.int32)
    rows = points.reshape(density_points - 1, detail_points)
    return np.stack([rows[:, :-1].reshape(-1), rows[:, 1:].reshape(-1)])


def patch_triangles(domain: Domain, counts: Counts, *, is_single: bool) -> Places:
    """Return the triangles of a patch, clockwise, (3, triangles). domain: tri or quad.

    is_single: whether all factors are 1.
    """
    if is_single:
        triangles = _SINGLE_TRI if domain is Domain.TRI else _SINGLE_QUAD
        return np.array(triangles, np.int32).T
    sides = EDGES[domain]
    segments = [n - 1 for n in counts[:sides]]
    insides, start = counts[sides:], sum(segments)
    edges = _ring(0, segments)
    frames = [
        np.concatenate([edge, side + np.int32(start)])[frame(edge.size, points)]
        for edge, side, points in zip(
            edges, _first_ring(domain, insides), _along(domain, insides), strict=True
        )
    ]
    return np.concatenate([*frames, _inside(domain, insides, start)], axis=1)


def _along(domain: Domain, insides: Counts) -> Counts:
    """Return the points of the inside axis along each side."""
    return insides * 3 if domain is Domain.TRI else insides[::-1] * 2


@lru_cache(maxsize=_KEPT_RINGS)
def _first_ring(domain: Domain, insides: Counts) -> Ring:
    """Return ring 1, counted from its first point.

    Where an even axis is so short that there is none, the centre or the line in the middle takes
    its place.
    """
    return next(_rings(domain, insides))


def _rings(domain: Domain, insides: Counts) -> Iterator[Ring]:
    """Yield the rings from ring 1 on, and of even axes the centre or the line in the middle."""
    along = _along(domain, insides)
    start = 0
    for number in range(1, min(along) // 2):
        segments = [n - 1 - 2 * number for n in along]
        yield _ring(start, segments)
        start += sum(segments)
    if min(insides) % 2:
        yield _tri_centre(start) if domain is Domain.TRI else _quad_line(start, *insides)


def _inside(domain: Domain, insides: Counts, start: int) -> Places:
    """Return the triangles inside of ring 1; start: the number of its first point."""
    most, _ = grown(insides)
    table = _insides(domain, most)
    first = table.shape[1] - _triangles_within(domain, insides)
    around = points_within(domain, most) - points_within(domain, insides)
    return table[:, first:] + np.int32(start - around)


def _triangles_within(domain: Domain, insides: Counts) -> int:
    """Return how many triangles are inside of ring 1."""
    ring = sum(n - 3 for n in _along(domain, insides))
    return 2 * points_within(domain, insides) - ring - 2


@lru_cache(maxsize=_KEPT_INSIDES)
def _insides(domain: Domain, insides: Counts) -> Places:
    """Return all triangles inside of ring 1, counted from its first point."""
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
