"""Pixels of primitives that clipping has made into several triangles, rasterised conservatively."""

from __future__ import annotations

import numpy as np

from softd3d.algebra.value import Value
from softd3d.pipeline.primitives.conservative import Fans
from softd3d.pipeline.primitives.records import Bools, Rows, lanes, spread, taken
from softd3d.pipeline.rasterizer.conservative import is_inside
from softd3d.pipeline.shapes import ConservativeShape

__all__ = ["are_inside", "are_new"]

Pixels = tuple[Value, Value]


def are_new(shape: ConservativeShape, fans: Fans, piece: Rows, pixel: Pixels) -> Bools:
    """Return which pixels no earlier part of the piece's primitive touches.

    piece: the piece of each pixel, a row of shape and fans.
    """
    found = np.ones(piece.size, np.bool_)
    before = fans.before[piece]
    for n in range(1, int(before.max(initial=0)) + 1):
        rows = np.flatnonzero(before >= n)
        at = taken(pixel, rows)
        found[rows] &= ~spread(taken(shape, piece[rows] - n).covers(at, at), rows.size)
    return found


def are_inside(shape: ConservativeShape, fans: Fans, piece: Rows, pixel: Pixels) -> Bools:
    """Return which pixels lie within the edges that bound the piece's primitive."""
    found = np.ones(piece.size, np.bool_)
    before, after = fans.before[piece], fans.after[piece]
    for n in range(-int(before.max(initial=0)), int(after.max(initial=0)) + 1):
        rows = np.flatnonzero((-before <= n) & (n <= after))
        other, at = piece[rows] + n, taken(pixel, rows)
        part = taken(shape, other).part
        sides = lanes(fans.is_first[other]), lanes(fans.is_last[other])
        found[rows] &= spread(is_inside(part, at, *sides), rows.size)
    # At least one part has an area, for the others bound nothing.
    return found & _have_area(shape, fans, piece)


def _have_area(shape: ConservativeShape, fans: Fans, piece: Rows) -> Bools:
    """Return which pieces' primitives have an area."""
    own = spread(shape.part.has_area, fans.before.size)[piece]
    return own | ~(fans.is_first[piece] & fans.is_last[piece])
