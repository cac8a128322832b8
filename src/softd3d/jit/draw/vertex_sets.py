"""Sets of vertices in tables by their numbers, as native code."""

from __future__ import annotations

import numpy as np

from softd3d.jit.draw.routines import Routine
from softd3d.jit.draw.scratch import Scratch
from softd3d.pipeline.primitives.records import Indices, Numbers
from softd3d.pipeline.primitives.unique import SortedVertices

__all__ = ["TabledVertices"]

_MOST_ENTRIES = 1 << 22  # of a table: 16 MiB
_MARKED = 1 << 27  # vertices with a bit each: 16 MiB
_UNIQUE = Routine(
    "unique", ("vertices", "table", "list", "where"),
    ("corners", "primitives", "corner_step", "primitive_step", "least", "entries"),
)  # fmt: skip
_MARK = Routine("mark", ("numbers", "bits"), ("count", "words"))


class TabledVertices:
    """Sets as tables, where vertices lie near each other; else sorted.

    scratch: what the tables are made of.
    """

    def __init__(self, scratch: Scratch) -> None:
        self.scratch = scratch
        self.sorted = SortedVertices()
        self.instance: int | None = None
        self.bits = np.zeros(0, np.uint32)

    def unique(self, vertices: Numbers) -> tuple[Numbers, Indices]:
        """Return vertices once, and places, as `VertexSets` says."""
        least = int(vertices.min())
        entries = int(vertices.max()) - least + 1
        if entries > _MOST_ENTRIES:
            return self.sorted.unique(vertices)
        corners, count = vertices.shape
        table = self.scratch.dwords("table", entries)
        found = self.scratch.dwords("vertices", vertices.size)
        where = self.scratch.dwords("where", vertices.size).reshape(corners, count)
        (size,) = _UNIQUE.run(
            (vertices, table, found, where), corners, count, *vertices.strides, least, entries
        )
        if size < 0:  # another thread has changed the indices
            return self.sorted.unique(vertices.copy())
        return found[:size], where

    def add(self, instance: int, vertices: Numbers) -> int:
        """Add vertices, as `VertexSets` says."""
        last = int(vertices.max(initial=0))
        if last >= _MARKED:
            low = vertices < _MARKED
            far = vertices[~low]
            return self.sorted.add(instance, far) + self.add(instance, vertices[low])
        if instance != self.instance:
            self.instance, self.bits = instance, self.bits[:0]
        words = (last >> 5) + 1
        if words > self.bits.size:
            bits = self.scratch.dwords("bits", words)
            bits[: self.bits.size] = self.bits  # which may be the same memory
            bits[self.bits.size :] = 0
            self.bits = bits
        (new,) = _MARK.run((np.ascontiguousarray(vertices), self.bits), vertices.size, words)
        return new
