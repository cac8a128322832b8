"""Draws that change nothing of the caller's: with copies of all memory that they write."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.prepared import PreparedDraw, Target
from softd3d.pipeline.primitives.effects import written_slots
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["copied"]


def copied(draw: PreparedDraw) -> PreparedDraw:
    """Return a draw with memory of its own for all that it writes, and without stream output.

    What shared memory still does.
    """
    return _Copies().draw(draw)


class _Copies:
    """known: copies by the memory that they are of."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], NDArray[np.uint8]] = {}

    def draw(self, draw: PreparedDraw) -> PreparedDraw:
        others = {
            name: None if bound is None else self._bound(bound)
            for name, bound in (
                ("hull", draw.hull), ("domain", draw.domain), ("geometry", draw.geometry),
                ("pixel", draw.pixel),
            )
        }  # fmt: skip
        return replace(
            draw, vertex=self._bound(draw.vertex), **others, stream_output=None,  # nobody reads it
            targets=tuple(self._target(t) for t in draw.targets), depth=self._target(draw.depth),
        )  # fmt: skip

    def _target(self, target: Target | None) -> Target | None:
        return None if target is None else replace(target, data=self._memory(target.data))

    def _bound(self, bound: BoundProgram) -> BoundProgram:
        """Return a program whose views have memory of their own."""
        slots = written_slots(bound)
        return replace(
            bound,
            descriptors=tuple(
                self._descriptor(d) if n in slots else d for n, d in enumerate(bound.descriptors)
            ),
        )

    def _descriptor(self, descriptor: Descriptor) -> Descriptor:
        counter = descriptor.counter
        if counter is not None:
            counter = self._memory(counter.view(np.uint8)).view(np.uint32)
        return replace(descriptor, data=self._memory(descriptor.data), counter=counter)

    def _memory(self, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        place = data.ctypes.data, data.nbytes
        found = self.known.get(place)
        if found is None:
            found = self.known[place] = data.copy()
        return found
