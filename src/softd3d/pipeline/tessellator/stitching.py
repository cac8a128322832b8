"""Bands of triangles between two rows of points: walks along both at once, kept.

A walk's triangles have the places of points in the outer row, and behind it in the inner row. All
are clockwise with U to the right and V down. The order is that of the reference tessellator.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from softd3d.pipeline.tessellator.points import Places

__all__ = ["frame", "regular_band"]

_KEPT_FRAMES = 4096  # there are 4,032, of at most 126 triangles
_KEPT_BANDS = 64
_MOST_HALF = 32  # segments of half an axis


def _ruler() -> list[int]:
    """Return 1 to 32 in the order of their places on half an axis.

    They are the splits of a growing factor: the first halves it, 2 and 3 its halves, and so on.
    """
    number = range(1, _MOST_HALF + 1)
    return sorted(number, key=lambda n: (2 * n + 1 - (1 << n.bit_length())) / (1 << n.bit_length()))


_RULER = _ruler()


class _Walk:
    """Triangles so far, and where the walk is in both rows."""

    def __init__(self, outer_points: int) -> None:
        self.outer, self.inner = 0, outer_points
        self.triangles: list[tuple[int, int, int]] = []

    def along_outer(self) -> None:
        self.triangles.append((self.outer, self.outer + 1, self.inner))
        self.outer += 1

    def along_inner(self) -> None:
        self.triangles.append((self.inner, self.outer, self.inner + 1))
        self.inner += 1

    def across(self, *, outer: bool, inner: bool) -> None:
        """Go over the middle segments, of rows with an odd number of them."""
        if inner:
            self.along_inner()
        if outer:
            self.triangles.append((self.inner, self.outer, self.outer + 1))
            self.outer += 1

    def places(self) -> Places:
        """Return the triangles as columns, (3, triangles)."""
        return np.array(self.triangles, np.int32).reshape(-1, 3).T.copy()


@lru_cache(maxsize=_KEPT_FRAMES)
def frame(edge_points: int, inside_points: int) -> Places:
    """Return the band between an edge and the side of ring 1 along it, (3, triangles).

    Both rows are split in the order of the ruler; a point that only one has makes a triangle there.

    Args:
        edge_points: those of the edge.
        inside_points: those of the inside axis along it; ring 1 lacks its first and its last.
    """
    outer, inner = (edge_points - 1) // 2, (inside_points - 1) // 2
    walk = _Walk(edge_points)
    if outer > 0:
        walk.along_outer()
    for number in _RULER:
        if number < inner:
            walk.along_inner()
        if number < outer:
            walk.along_outer()
    walk.across(outer=edge_points % 2 == 0, inner=inside_points % 2 == 0)
    for number in reversed(_RULER):
        if number < outer:
            walk.along_outer()
        if number < inner:
            walk.along_inner()
    if outer > 0:
        walk.along_outer()
    return walk.places()


@lru_cache(maxsize=_KEPT_BANDS)
def regular_band(inner_points: int) -> Places:
    """Return the band between sides of two inner rings, the outer one with two points more."""
    walk = _Walk(inner_points + 2)
    walk.along_outer()
    for segment in range(inner_points - 1):
        o, i = walk.outer, walk.inner
        if segment < inner_points // 2:
            walk.triangles += [(o, i + 1, i), (o, o + 1, i + 1)]
        else:
            walk.triangles += [(i, o, o + 1), (i, o + 1, i + 1)]
        walk.outer, walk.inner = o + 1, i + 1
    walk.along_outer()
    return walk.places()
