"""Reading vertex and index buffers by the rules of fetching. Spec: D3D11.3 section 8."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import U32, Algebra, Value
from softd3d.isa.machine import Info, Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.pipeline.primitives.records import K, lanes, spread
from softd3d.resources.gather import gather

__all__ = ["BufferReader", "raw_view"]


class BufferReader:
    """Reads buffers for the rules of fetching. buffers: by the slot of their view."""

    def __init__(self, buffers: Mapping[int, NDArray[np.uint8]]) -> None:
        self.buffers = buffers

    @property
    def k(self) -> Algebra:
        return K

    def info(self, view: View, field: Info) -> Value:
        assert field is Info.SIZE  # noqa: S101 - all that fetching asks for
        return K.const(U32, self.buffers[view.slot].size)

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        count = max(np.size(offset.raw), np.size(valid.raw))
        at = spread(offset, count).astype(np.int64)
        return lanes(gather(self.buffers[view.slot], at, spread(valid, count), size))

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        return self.load(view, offset, valid), self.load(view, offset + 4, valid)


def raw_view(register: str, slot: int) -> View:
    """Return the view of a whole buffer."""
    dimension = ResourceDimension.RAW_BUFFER
    return View(Memory.RESOURCE, register, slot, ViewKind.RAW, dimension)
