"""Small triangles: which samples they cover, as the bits of numbers, computed in int32."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softd3d.algebra.operations import bitcast, rarely, select
from softd3d.algebra.value import U32, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.rasterizer.triangle import (
    Bounds,
    Corner,
    Corners,
    direction,
    doubled_area,
    is_top_left,
)

__all__ = ["ALL_QUADS", "IS_SMALL", "QUADS", "SMALL", "SmallCover", "small_cover"]

IS_SMALL = 1 << 31
"""In `SmallCover.quads`: whether the other bits say all that there is to say."""
SMALL = 8
"""The most pixels a side of a triangle that `small_cover` knows."""
QUADS = SMALL // 2
"""A row of quads."""
ALL_QUADS = (1 << QUADS * QUADS) - 1
_IN_WORD = 8  # quads
_FIRST = (0, 1, 4, 5)  # quads that are looked at in any case: 4 x 4 pixels
_OTHERS = tuple(n for n in range(QUADS * QUADS) if n not in _FIRST)
_Pair = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class SmallCover:
    """What a small triangle covers of 8 x 8 pixels.

    Quad `4 * row + column` is so far from bounds' left and top, both rounded down to even numbers.
    quads: U32, a bit for each quad in which a sample is covered, and `IS_SMALL`; without that all
    is 0. samples: of each sample two words; bit `4 * quad + pixel` of both is for a pixel, those of
    a quad counted row by row.
    """

    quads: Value
    samples: tuple[_Pair, ...]


def small_cover(
    corners: Corners, limits: Bounds, bounds: Bounds, offsets: Sequence[tuple[int, int]]
) -> SmallCover:
    """Return which samples a small triangle covers.

    E is computed in I32, which has room for twice a small triangle.

    Args:
        corners: the snapped vertices, of a triangle with an area.
        limits: the pixels with samples in the box around these.
        bounds: those of them that count.
        offsets: of the samples, from a pixel's centre.
    """
    left, top = bounds.left & -2, bounds.top & -2
    width, height = bounds.right - left, bounds.bottom - top
    is_small = (width <= SMALL) & (height <= SMALL)
    is_small = is_small & (limits.right - limits.left <= 2 * SMALL)
    is_small = is_small & (limits.bottom - limits.top <= 2 * SMALL)
    flips = doubled_area(corners) < 0.0
    place = Corner(left * PIXEL + CENTER, top * PIXEL + CENTER)
    p, q, r = corners
    edges = [_Edge.of(pair, flips, place) for pair in ((q, r), (r, p), (p, q))]
    zero = bitcast(left.like(0), U32)
    samples = [_words(_signs(edges, offset), zero, _FIRST) for offset in offsets]
    flat = [word for pair in samples for word in pair]

    def all_quads() -> tuple[Value, ...]:
        others = (_words(_signs(edges, offset), zero, _OTHERS) for offset in offsets)
        words = (word for pair in others for word in pair)
        return tuple(a | b for a, b in zip(flat, words, strict=True))

    is_wide = is_small & ((width > SMALL // 2) | (height > SMALL // 2))
    flat = list(rarely(is_wide, tuple(flat), all_quads))
    is_cut = is_small & ~(
        bounds.left.eq(limits.left) & bounds.top.eq(limits.top)
        & bounds.right.eq(limits.right) & bounds.bottom.eq(limits.bottom)
    )  # fmt: skip

    def inside() -> tuple[Value, ...]:
        box = Bounds(bounds.left - left, bounds.top - top, width, height)
        masks = _words(_outside(box), zero, range(QUADS * QUADS))
        return tuple(word & masks[n % 2] for n, word in enumerate(flat))

    flat = [select(is_small, word, 0) for word in rarely(is_cut, tuple(flat), inside)]
    low, high = zero, zero
    for n in range(len(offsets)):
        low, high = low | flat[2 * n], high | flat[2 * n + 1]
    quads = _quads(low) | _quads(high) << _IN_WORD
    found = tuple((flat[2 * n], flat[2 * n + 1]) for n in range(len(offsets)))
    return SmallCover(select(is_small, quads | IS_SMALL, 0), found)


@dataclass(frozen=True, slots=True)
class _Edge:
    """E, less 1 if it must not be 0, at a pixel's centre, and what it gains: I32."""

    here: Value
    a: Value
    b: Value

    @classmethod
    def of(cls, ends: tuple[Corner, Corner], flips: Value, place: Corner) -> _Edge:
        start, _ = ends
        a, b = direction(*ends, flips)
        here = a * (place.x - start.x) + b * (place.y - start.y)
        return cls(here - select(is_top_left(a, b), here.like(0), 1), a, b)

    def at(self, offset: tuple[int, int]) -> tuple[list[Value], list[Value]]:
        """Return E of a sample in each row, and what it gains in each column."""
        here = self.here
        for step, distance in zip((self.a, self.b), offset, strict=True):
            if distance:
                here = here + step * distance
        right, down = self.a * PIXEL, self.b * PIXEL
        steps = range(1, SMALL)
        return [here, *(here + down * n for n in steps)], [
            here.like(0),
            *(right * n for n in steps),
        ]


_Sign = Callable[[int, int], Value]


def _signs(edges: Sequence[_Edge], offset: tuple[int, int]) -> _Sign:
    """Return a function from column and row of a pixel to what is negative where it is outside."""
    lines = [edge.at(offset) for edge in edges]

    def sign(column: int, row: int) -> Value:
        first, second, third = (rows[row] + columns[column] for rows, columns in lines)
        return first | second | third

    return sign


def _outside(box: Bounds) -> _Sign:
    """Return the same for a box of pixels."""
    columns = [(box.left.like(n) - box.left) | (box.right - (n + 1)) for n in range(SMALL)]
    rows = [(box.top.like(n) - box.top) | (box.bottom - (n + 1)) for n in range(SMALL)]
    return lambda column, row: columns[column] | rows[row]


def _words(sign: _Sign, zero: Value, quads: Sequence[int]) -> _Pair:
    """Return the bits of both words for pixels of quads that are inside."""
    found: list[Value] = []
    for word in range(2):
        outside, last, mask = zero, 0, 0
        for quad in reversed([n for n in quads if n // _IN_WORD == word]):
            for pixel in reversed(range(4)):
                at = 4 * (quad % _IN_WORD) + pixel
                mask |= 1 << at
                column, row = quad % QUADS * 2 + pixel % 2, quad // QUADS * 2 + pixel // 2
                one = bitcast(sign(column, row), U32) >> 31
                outside = outside << (last - at) | one if last else one
                last = at
        if last:
            outside = outside << last
        found.append(~outside & mask if mask else zero)
    return found[0], found[1]


def _quads(word: Value) -> Value:
    """Return a bit for each four, those that are not 0."""
    word = word | word >> 1
    word = (word | word >> 2) & 0x11111111
    word = (word | word >> 3) & 0x03030303
    word = (word | word >> 6) & 0x000F000F
    return (word | word >> 12) & 0xFF
