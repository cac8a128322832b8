"""The points of a patch in order: which positions of its axes each is made of.

The places of a patch's positions count through all its axes, in the order of its factors. Points go
ring by ring from the outside to the inside; sides of a ring leave out their last point, with which
the next side starts.

Spec: D3D11.3 section 11.7 leaves the order free; it is that of the reference tessellator.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.enums import Domain

__all__ = ["Counts", "Places", "patch_points"]

Counts: TypeAlias = tuple[int, ...]
"""The points of each axis of a patch."""
Places: TypeAlias = NDArray[np.int32]


def patch_points(domain: Domain, counts: Counts, *, is_single: bool) -> Places:
    """Return the places of each point's positions, (2 or 3, points).

    Of quads and isolines they are those of U and V; of triangles those of `held` and `running` of
    `coordinates.tri_point`, and the number of the side.

    is_single: whether all factors are 1.
    """
    axes = _axes(counts)
    if domain is Domain.ISOLINE:
        return _lines(*axes)
    rings = _tri_rings(axes) if domain is Domain.TRI else _quad_rings(axes)
    if is_single:  # quads then begin with (0, 0)
        return np.roll(next(rings), -1 if domain is Domain.QUAD else 0, axis=1)
    return np.concatenate(list(rings), axis=1)


def _axes(counts: Counts) -> list[Places]:
    ends = np.cumsum(counts)
    return [np.arange(e - n, e, dtype=np.int32) for n, e in zip(counts, ends, strict=True)]


def _lines(density: Places, detail: Places) -> Places:
    """Return the points of lines along U; there is none at V == 1."""
    lines = density[:-1]
    return np.stack([np.tile(detail, lines.size), np.repeat(lines, detail.size)])


def _tri_rings(axes: list[Places]) -> Iterator[Places]:
    *edges, inside = axes
    yield _tri_ring(edges[0][0], edges)
    points = inside.size
    for ring in range(1, points // 2):
        inner = inside[ring : points - ring]
        yield _tri_ring(inner[0], [inner] * 3)
    if points % 2:  # the centre
        middle = inside[points // 2]
        yield _side(middle, middle, np.int32(0))


def _tri_ring(held: np.int32, sides: list[Places]) -> Places:
    first, second, third = sides
    return np.concatenate(
        [
            _side(held, _down(first), np.int32(0)),
            _side(held, _up(second), np.int32(1)),
            _side(held, _down(third), np.int32(2)),
        ],
        axis=1,
    )


def _quad_rings(axes: list[Places]) -> Iterator[Places]:
    *edges, x, y = axes
    yield _quad_ring(x, y, edges)
    middle = min(x.size, y.size) // 2
    for ring in range(1, middle):
        u, v = x[ring : x.size - ring], y[ring : y.size - ring]
        yield _quad_ring(u, v, [v, u, v, u])
    if min(x.size, y.size) % 2:  # a line in the middle of the shorter direction
        u, v = x[middle : x.size - middle], y[middle : y.size - middle]
        yield _side(u, v[0]) if x.size > y.size else _side(u[0], v[::-1])


def _quad_ring(x: Places, y: Places, sides: list[Places]) -> Places:
    first, second, third, fourth = sides
    return np.concatenate(
        [
            _side(x[0], _down(first)),
            _side(_up(second), y[0]),
            _side(x[-1], _up(third)),
            _side(_down(fourth), y[-1]),
        ],
        axis=1,
    )


def _side(*rows: Places | np.int32) -> Places:
    """Return rows as one array; a single number holds for all points."""
    return np.stack(np.broadcast_arrays(*(np.atleast_1d(row) for row in rows)))


def _down(axis: Places) -> Places:
    return axis[:0:-1]


def _up(axis: Places) -> Places:
    return axis[:-1]
