"""Machines that have one buffer: bytes of an array, or the array that a compiled function reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import select
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import Info, Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension

VIEW = View(Memory.RESOURCE, "t0", 0, ViewKind.RAW, ResourceDimension.RAW_BUFFER)


class ByteMachine:
    """Loads of an array of bytes; it checks what a rule has to guarantee."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self.k = NumpyAlgebra()
        self.data = data
        self.loads: list[tuple[int, NDArray[np.int64]]] = []

    def info(self, view: View, field: Info) -> Value:
        assert view is VIEW
        assert field is Info.SIZE
        return self.k.const(U32, self.data.size)

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        assert view is VIEW
        at, here = np.broadcast_arrays(offset.raw.astype(np.int64), valid.raw)
        at = at[here]
        assert (at % size == 0).all()
        assert ((at >= 0) & (at + size <= self.data.size)).all()
        self.loads.append((size, at))
        words = np.zeros(here.shape, np.uint32)
        for n in range(size):
            words[here] |= self.data[at + n].astype(np.uint32) << np.uint32(8 * n)
        return self.k.lanes(U32, words)

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        return self.load(view, offset, valid), self.load(view, offset + 4, valid)


class RecordingMachine:
    """Loads of the array that `rows.native_words` binds, of which `size` bytes count."""

    def __init__(self, k: Recorder, size: int) -> None:
        self.k = k
        self.size = size

    def info(self, view: View, field: Info) -> Value:
        assert (view, field) == (VIEW, Info.SIZE)
        return self.k.const(U32, self.size)

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        safe = select(valid, offset, 0)
        true = self.k.const(BOOL, 1)
        node = self.k.node("load", U32, (safe.raw, valid.raw, true.raw), (view, size))
        return self.k.value(node)

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        return self.load(view, offset, valid), self.load(view, offset + 4, valid)
