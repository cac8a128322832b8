"""Quads: which two by two pixels pieces touch, and which of their samples are covered.

In order: by piece, then rows from top to bottom, then from left to right; four lanes a quad, x
before y. Spec: D3D11.3 sections 3.5.7, 15.7, 15.8.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.interp.draw.fans import are_inside, are_new
from softd3d.lower.invocations import QUAD
from softd3d.pipeline import interpolation
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.boxes import Boxes
from softd3d.pipeline.primitives.conservative import Fans, fans_of
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import Bools, Numbers, Rows, integers, spread, taken
from softd3d.pipeline.rasterizer import clip
from softd3d.pipeline.rasterizer.conservative import has_positive_w
from softd3d.pipeline.shapes import ConservativeShape, Shape

__all__ = ["MOST_QUADS", "Fragments", "fragments_of"]

MOST_QUADS = 1 << 13
"""In a part."""


@dataclass(frozen=True, slots=True)
class Fragments:
    """Pixels of quads, four lanes each. piece: its row. x, y: of the pixel, in the target.

    coverage: samples covered by the primitive within its box: before the sample mask. inner:
    SV_InnerCoverage.
    """

    piece: Rows
    x: Rows
    y: Rows
    coverage: Numbers
    inner: Numbers

    @property
    def count(self) -> int:
        return self.piece.size


def fragments_of(
    draw: PreparedDraw, pieces: Pieces, shape: Shape, boxes: Boxes
) -> Iterator[Fragments]:
    """Yield the quads of pieces with a covered sample, in order, in parts of bounded size."""
    fans = None
    if isinstance(shape, ConservativeShape):
        fans = fans_of(pieces.primitive, spread(shape.part.has_area, pieces.count))
    first_x, first_y = boxes.left >> 1, boxes.top >> 1
    wide = np.where(boxes.is_empty, 0, (boxes.right + 1 >> 1) - first_x)
    high = np.where(boxes.is_empty, 0, (boxes.bottom + 1 >> 1) - first_y)
    ends = np.cumsum(wide * high)
    total = int(ends[-1]) if ends.size else 0
    for start in range(0, total, MOST_QUADS):
        number = np.arange(start, min(start + MOST_QUADS, total), dtype=np.int64)
        piece = np.searchsorted(ends, number, side="right")
        place = number - (ends[piece] - wide[piece] * high[piece])
        row, column = np.divmod(place, wide[piece])
        found = _pixels(piece, 2 * (first_x[piece] + column), 2 * (first_y[piece] + row))
        yield _covered(draw, pieces, shape, boxes, found, fans)


def _pixels(piece: Rows, x: Rows, y: Rows) -> Fragments:
    """Return the pixels of quads, given by the upper left one."""
    rows = np.repeat(piece, QUAD)
    px = (x[:, None] + np.array([0, 1, 0, 1])).reshape(-1)
    py = (y[:, None] + np.array([0, 0, 1, 1])).reshape(-1)
    zero = np.zeros(rows.size, np.uint32)
    return Fragments(rows, px, py, zero, zero)


def _covered(
    draw: PreparedDraw, pieces: Pieces, shape: Shape, boxes: Boxes, given: Fragments,
    fans: Fans | None,
) -> Fragments:  # fmt: skip
    """Return the fragments of those quads that have a covered sample. fans: if conservative."""
    box = taken(boxes, given.piece)
    inside = (given.x >= box.left) & (given.x < box.right)
    inside &= (given.y >= box.top) & (given.y < box.bottom)
    here, mine = taken(shape, given.piece), taken(pieces, given.piece)
    pixel = integers(given.x), integers(given.y)
    if fans is not None and isinstance(shape, ConservativeShape):
        inside &= are_new(shape, fans, given.piece, pixel)
    coverage = np.zeros(given.count, np.uint32)
    for n, (dx, dy) in enumerate(draw.pattern.offsets):
        at = interpolation.place(pixel[0], dx), interpolation.place(pixel[1], dy)
        covered = spread(here.covers(at, pixel), given.count) & inside
        if covered.any():
            covered = covered & _kept(draw, mine, here.weights(at, pixel))
        coverage |= covered.astype(np.uint32) << np.uint32(n)
    inner = given.inner
    if draw.reads_inner_coverage and fans is not None and isinstance(shape, ConservativeShape):
        inner = (coverage != 0) & are_inside(shape, fans, given.piece, pixel)
        inner = inner.astype(np.uint32)
    some = np.repeat(coverage.reshape(-1, QUAD).any(axis=1), QUAD)
    return taken(Fragments(given.piece, given.x, given.y, coverage, inner), some)


def _kept(draw: PreparedDraw, pieces: Pieces, weights: tuple[Value, ...]) -> Bools:
    """Return which samples the tests of depth clip and clip distances keep. Spec: 15.4.1."""
    count = pieces.count
    kept = np.ones(count, np.bool_)
    if len(pieces.screen) == 2:
        weights = tuple(clip.within_ends(w) for w in weights)
    if draw.rasterizer.depth_clip_enable:
        tested = spread(clip.needs_depth_test(pieces.screen), count) & ~pieces.was_clipped
        if tested.any():
            depth = interpolation.set_up_attribute([s.clip_z for s in pieces.screen])
            passes = clip.depth_passes(interpolation.double_at(depth, weights))
            kept &= ~tested | spread(passes, count)
    for distance in pieces.distances:
        tested = spread(clip.needs_distance_test(distance), count)
        if tested.any():
            terms = interpolation.over_w(weights, [s.inverse_w for s in pieces.screen])
            passes = clip.distance_passes(terms if weights else (), distance)
            if draw.is_conservative and len(terms) == 3:
                passes = passes & has_positive_w(terms)
            kept &= ~tested | spread(passes, count)
    return kept
