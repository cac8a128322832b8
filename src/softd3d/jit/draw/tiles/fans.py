"""Parts of a primitive that clipping has made into several triangles, in the tile kernel.

Their records stand next to each other. Each has a word that says where it stands: `Field.FAN`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, Value
from softd3d.isa.machine import View
from softd3d.jit.draw.memory import RECORD_CORNER, WORD, Field, Vertex, record_words
from softd3d.jit.draw.recording import DrawRecording
from softd3d.pipeline.primitives.conservative import Fans
from softd3d.pipeline.rasterizer.conservative import (
    ConservativeTriangle,
    conservative_triangle,
    is_inside,
    touches,
)
from softd3d.pipeline.rasterizer.snap import snap
from softd3d.pipeline.rasterizer.triangle import Corner

__all__ = ["Fan", "fan_words"]

_AFTER, _NOT_FIRST, _NOT_LAST = 8, 16, 17  # bits; before is in the low ones
_COUNT = 0xFF
_CORNERS = 3


def fan_words(fans: Fans) -> NDArray[np.uint32]:
    """Return a word for each piece; one that is its primitive alone has 0."""
    flags = (~fans.is_first << _NOT_FIRST) | (~fans.is_last << _NOT_LAST)
    return (fans.before | fans.after << _AFTER | flags).astype(np.uint32)


class Fan:
    """The parts of the primitive of one piece. row: of the piece's record."""

    def __init__(self, r: DrawRecording, records: View, row: Value) -> None:
        self.r = r
        self.records = records
        self.row = row
        word = self._word(row, Field.FAN)
        self.first = row - (word & _COUNT)
        self.last = row + (word >> _AFTER & _COUNT)

    def is_new(self, pixel: tuple[Value, Value]) -> Value:
        """Return whether no earlier part touches a pixel."""
        return self._all(self.first, self.row, lambda row: ~touches(self._part(row), pixel))

    def is_inside(self, pixel: tuple[Value, Value]) -> Value:
        """Return whether a pixel lies within the edges that bound the primitive."""
        areas = self.r.variable("areas", self.row.like(0))

        def of_part(row: Value) -> Value:
            part, word = self._part(row), self._word(row, Field.FAN)
            one = select(part.has_area, row.like(1), 0)
            self.r.set(areas, self.r.get(areas) | one)
            ends = ((word >> bit & 1).eq(0) for bit in (_NOT_FIRST, _NOT_LAST))
            return is_inside(part, pixel, *ends)

        inside = self._all(self.first, self.last + 1, of_part)
        return inside & self.r.forget(areas).ne(0)

    def _all(self, start: Value, end: Value, holds: Callable[[Value], Value]) -> Value:
        """Return whether something holds for all rows from start up to end."""
        r = self.r
        key = r.variable("all", start.like(1))

        def of_row(row: Value) -> None:
            r.set(key, select(holds(row), r.get(key), 0))

        r.each(start, end, 1, of_row)
        return r.forget(key).ne(0)

    def _word(self, row: Value, field: int) -> Value:
        return self.r.word(self.records, row * (WORD * record_words(_CORNERS, 0)) + WORD * field)

    def _part(self, row: Value) -> ConservativeTriangle:
        first, second, third = (self._corner(row, n) for n in range(_CORNERS))
        return conservative_triangle((first, second, third))

    def _corner(self, row: Value, n: int) -> Corner:
        at = Field.CORNERS + RECORD_CORNER * n
        x, y = (snap(bitcast(self._word(row, at + field), F32)) for field in (Vertex.X, Vertex.Y))
        return Corner(x, y)
