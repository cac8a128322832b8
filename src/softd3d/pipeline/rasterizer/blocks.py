"""Triangles in blocks of pixels: accepting or rejecting whole blocks, and coverage in int32.

The samples with the same number form a grid with steps of 256. On it E(x, y) >= 0 says the same as
floor((a * x0 + b * y0 + covering_c) / 256) + a * i + b * j >= 0, x0, y0 being the place of the
sample in the block's first pixel: the right side changes by multiples of 256. In a block of
`MAX_BLOCK` pixels a side a * i + b * j stays below 2**30, so the constant may be held within int32
without changing a sign.
"""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.algebra.operations import bitcast, convert, floor, select
from softd3d.algebra.value import F64, I32, U32, Value
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.rasterizer.triangle import (
    Bounds,
    Corner,
    Corners,
    Edge,
    Triangle,
    direction,
    doubled_area,
    is_top_left,
)

__all__ = [
    "IS_SMALL",
    "MAX_BLOCK",
    "SMALL",
    "BlockEdge",
    "BlockLimits",
    "block_covers",
    "block_edges",
    "block_limits",
    "covers_all",
    "covers_none",
    "small_cover",
    "small_covers",
]

MAX_BLOCK = 32
"""The most pixels a side of a block in int32."""
_LIMIT = float(1 << 30)
_FIRST_COLUMN = 0x1111


@dataclass(frozen=True, slots=True)
class BlockEdge:
    """An edge inside one block, I32, for the samples with one number.

    start + a * column + b * row is 0 or more where the edge lets the pixel's sample be covered.
    """

    a: Value
    b: Value
    start: Value


def block_edges(
    triangle: Triangle, left: Value, top: Value, offset: tuple[int, int]
) -> tuple[BlockEdge, BlockEdge, BlockEdge]:
    """Return a triangle's edges in the block whose first pixel is left, top (I32).

    Args:
        triangle: the triangle, edges of whole numbers below 2**24.
        left: the block's first column.
        top: the block's first row.
        offset: the sample's place in its pixel, as in `SamplePattern.offsets`.
    """
    x = convert(left, F64) * float(PIXEL) + float(CENTER + offset[0])
    y = convert(top, F64) * float(PIXEL) + float(CENTER + offset[1])
    first, second, third = (_block_edge(e, x, y) for e in triangle.edges)
    return first, second, third


def _block_edge(edge: Edge, x: Value, y: Value) -> BlockEdge:
    start = floor((edge.a * x + edge.b * y + edge.covering_c) * (1.0 / PIXEL))
    start = select(start < _LIMIT, start, _LIMIT)
    start = select(start >= -_LIMIT, start, -_LIMIT)
    return BlockEdge(convert(edge.a, I32), convert(edge.b, I32), convert(start, I32))


def block_covers(edges: tuple[BlockEdge, BlockEdge, BlockEdge], column: Value, row: Value) -> Value:
    """Return whether the sample of a block's pixel is covered; column, row: I32, 0 to 31."""
    first, second, third = (e.start + (e.a * column + e.b * row) for e in edges)
    return (first | second | third) >= 0  # no sign bit is set


IS_SMALL = 1 << 31
"""In `small_cover`: whether the other bits say all that there is to say."""
SMALL = 4
"""The most pixels a side of a triangle that `small_cover` knows."""


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


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """What E with `covering_c` gains at most and at least from a block's corner, for each edge.

    most, least: covering_c and that gain, F64.
    """

    most: tuple[Value, Value, Value]
    least: tuple[Value, Value, Value]


def block_limits(
    triangle: Triangle, width: int, height: int, pattern: SamplePattern
) -> BlockLimits:
    """Return what is the same for all blocks of this many pixels. Once for each triangle.

    Only the box around all samples of the block counts, so that with one sample a pixel the tests
    are exact for each edge.
    """
    low_x, low_y, high_x, high_y = (float(CENTER + n) for n in pattern.extent)
    high_x += (width - 1) * PIXEL
    high_y += (height - 1) * PIXEL
    gains = [
        (_product(e.a, low_x, high_x), _product(e.b, low_y, high_y), e.covering_c)
        for e in triangle.edges
    ]
    first, second, third = (x[1] + y[1] + c for x, y, c in gains)
    most = first, second, third
    first, second, third = (x[0] + y[0] + c for x, y, c in gains)
    return BlockLimits(most, (first, second, third))


def _product(factor: Value, low: float, high: float) -> tuple[Value, Value]:
    """Return the least and the greatest product of a factor with numbers from low to high."""
    is_positive = factor >= 0.0
    least = factor * select(is_positive, factor.like(low), high)
    return least, factor * select(is_positive, factor.like(high), low)


def covers_none(triangle: Triangle, limits: BlockLimits, x: Value, y: Value) -> Value:
    """Return whether one edge has all samples of a block outside.

    x, y: the block's upper left corner, F64, in 1/256 pixel.
    """
    first, second, third = (
        e.a * x + e.b * y + c < 0.0 for e, c in zip(triangle.edges, limits.most, strict=True)
    )
    return first | second | third


def covers_all(triangle: Triangle, limits: BlockLimits, x: Value, y: Value) -> Value:
    """Return whether all samples of a block are covered; x, y as for `covers_none`."""
    first, second, third = (
        e.a * x + e.b * y + c >= 0.0 for e, c in zip(triangle.edges, limits.least, strict=True)
    )
    return first & second & third
