"""Small triangles: which pixels' centres they cover, as the bits of a number, computed in int32."""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import U32, Value
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.rasterizer.triangle import (
    Bounds,
    Corner,
    Corners,
    direction,
    doubled_area,
    is_top_left,
)

__all__ = ["IS_SMALL", "SMALL", "small_cover", "small_covers"]

IS_SMALL = 1 << 31
"""In `small_cover`: whether the other bits say all that there is to say."""
SMALL = 4
"""The most pixels a side of a triangle that `small_cover` knows."""
_FIRST_COLUMN = 0x1111  # of 4 x 4 pixels, a bit each


def small_cover(corners: Corners, limits: Bounds, bounds: Bounds) -> Value:
    """Return which pixels' centres a small triangle covers, U32: `IS_SMALL`, and 16 bits.

    Bit 4 * row + column is for the pixel so far from bounds' left and top, both rounded down to
    even numbers; without `IS_SMALL` the others say nothing. E is computed in I32, which has room
    for twice a small triangle.

    Args:
        corners: the snapped vertices, of a triangle with an area.
        limits: the pixels with samples in the box around these.
        bounds: those of them that count.
    """
    left, top = bounds.left & -2, bounds.top & -2
    is_small = (bounds.right - left <= SMALL) & (bounds.bottom - top <= SMALL)
    is_small = is_small & (limits.right - limits.left <= 2 * SMALL)
    is_small = is_small & (limits.bottom - limits.top <= 2 * SMALL)
    flips = doubled_area(corners) < 0.0
    place = Corner(left * PIXEL + CENTER, top * PIXEL + CENTER)
    p, q, r = corners
    edges = [_small_edge(pair, flips, place) for pair in ((q, r), (r, p), (p, q))]
    outside = bitcast(left.like(0), U32)
    for n in reversed(range(SMALL * SMALL)):
        first, second, third = (rows[n // SMALL] + columns[n % SMALL] for rows, columns in edges)
        outside = outside << 1 | bitcast(first | second | third, U32) >> 31  # where a sign is set
    columns = _ones(bounds.left - left, bounds.right - left) * _FIRST_COLUMN
    rows = _ones((bounds.top - top) * SMALL, (bounds.bottom - top) * SMALL)
    return select(is_small, (~outside & columns & rows) | IS_SMALL, 0)


def _small_edge(
    ends: tuple[Corner, Corner], flips: Value, place: Corner
) -> tuple[list[Value], list[Value]]:
    """Return E, less 1 if it must not be 0, in each row, and what it gains in each column."""
    start, _ = ends
    a, b = direction(*ends, flips)
    here = a * (place.x - start.x) + b * (place.y - start.y)
    here = here - select(is_top_left(a, b), here.like(0), 1)
    right, down = a * PIXEL, b * PIXEL
    steps = range(1, SMALL)
    return [here, *(here + down * n for n in steps)], [a.like(0), *(right * n for n in steps)]


def _ones(start: Value, end: Value) -> Value:
    """Return bits from one up to another, U32; they may be out of range, whatever comes of it."""
    one = bitcast(start.like(1), U32)
    low, high = (one << (bitcast(n, U32) & 31) for n in (start, end))
    return high - low


def small_covers(cover: Value, bounds: Bounds, first: tuple[Value, Value], lane: Value) -> Value:
    """Return whether a small triangle covers the centres of pixels.

    Args:
        cover: of `small_cover`.
        bounds: those that it was made for.
        first: the first pixel, I32: even, at most 2 above bounds' first row, not left of it.
        lane: of each pixel, U32: SMALL times the rows from the first one, and columns, below SMALL.
    """
    left, top = bounds.left & -2, bounds.top & -2
    past = (first[1] - top) * SMALL + (first[0] - left) + 2 * SMALL
    return ((cover << 2 * SMALL) >> (bitcast(past, U32) & 31) >> lane & 1).ne(0)
