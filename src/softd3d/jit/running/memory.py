"""The memory of a run of native code: what it reads of bindings, and what each thread has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.machine import Info, MipInfo
from softd3d.jit.abi import CONSTANT_SLOTS, CONTEXT, INFO_SLOT, MIP_ROW, VIEW_SLOTS
from softd3d.jit.facts import Facts
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["Bindings", "Tables", "ThreadMemory", "aligned"]


class Bindings(Protocol):
    """What a run needs of resources: descriptors by `View.slot`; contents of constant buffers."""

    @property
    def descriptors(self) -> tuple[Descriptor, ...]: ...

    @property
    def constants(self) -> tuple[NDArray[np.uint32], ...]: ...


class Tables:
    """Addresses and facts of the bindings, in the layout that native code reads."""

    def __init__(self, bound: Bindings) -> None:
        self.keep: list[object] = []
        self.views = np.zeros((max(len(bound.descriptors), 1), VIEW_SLOTS), np.int64)
        for row, descriptor in zip(self.views, bound.descriptors, strict=False):
            self._describe(row, descriptor)
        self.constants = np.zeros((max(len(bound.constants), 1), CONSTANT_SLOTS), np.int64)
        for row, data in zip(self.constants, bound.constants, strict=False):
            row[0], row[1] = data.ctypes.data, data.size // 4
        self.keep.append(bound)
        self.lanes = 0
        self.inputs = self.outputs = np.zeros(1, np.int64)

    def add_lanes(
        self, count: int, inputs: Sequence[NDArray[np.uint32]],
        outputs: Sequence[NDArray[np.uint32]],
    ) -> None:  # fmt: skip
        """Add the arrays of a batch, uint32, (count,) each."""
        self.keep += [inputs, outputs]
        self.lanes = count
        self.inputs, self.outputs = (
            np.array([array.ctypes.data for array in arrays], np.int64)
            for arrays in (inputs, outputs)
        )

    def _describe(self, row: NDArray[np.int64], d: Descriptor) -> None:
        row[0] = d.data.ctypes.data
        row[1] = d.counter.ctypes.data if d.counter is not None else 0
        mips = np.zeros((len(MipInfo), MIP_ROW), np.uint32)
        mips[:, : len(d.mips)] = np.array(d.mips, np.uint32).reshape(-1, len(MipInfo)).T
        self.keep.append(mips)
        row[2] = mips.ctypes.data
        for field in Info:
            row[INFO_SLOT[field]] = getattr(d, field.value)


class ThreadMemory:
    """Context, group-shared memory and coroutine frames of one thread.

    groups: of the dispatch in x and y, and how many there are to claim.
    """

    def __init__(
        self, facts: Facts, tables: Tables, state: NDArray[np.int64],
        groups: tuple[int, int, int], pieces: int,
    ) -> None:  # fmt: skip
        self.keep = (tables, state)
        frame = (facts.frame_bytes + 63) // 64 * 64
        self.shared = aligned(facts.shared_bytes + 64)
        self.frames = aligned(frame * facts.waves + 64)
        first = self.frames.ctypes.data
        self.frame_table = first + frame * np.arange(facts.waves, dtype=np.int64)
        self.context = aligned(8 * len(CONTEXT) + 64).view(np.int64)
        self.address: int = self.context.ctypes.data
        c = self.context
        c[CONTEXT["state"]] = state.ctypes.data
        c[CONTEXT["views"]] = tables.views.ctypes.data
        c[CONTEXT["constants"]] = tables.constants.ctypes.data
        c[CONTEXT["shared"]] = self.shared.ctypes.data
        c[CONTEXT["frames"]] = self.frame_table.ctypes.data
        c[CONTEXT["groups_x"]], c[CONTEXT["groups_y"]] = groups[:2]
        c[CONTEXT["groups"]] = groups[2]
        c[CONTEXT["pieces"]] = pieces
        c[CONTEXT["count"]] = tables.lanes
        c[CONTEXT["inputs"]] = tables.inputs.ctypes.data
        c[CONTEXT["outputs"]] = tables.outputs.ctypes.data


def aligned(size: int) -> NDArray[np.uint8]:
    """Return `size` bytes of zeros from a 64-byte boundary on, rounded up to whole lines."""
    size = -(-size // 64) * 64
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size]
