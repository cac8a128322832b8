"""The memory of a run of native code: what it reads of bindings, and what each thread has."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from struct import Struct
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.machine import Info, MipInfo
from softd3d.jit.abi import CONSTANT_SLOTS, CONTEXT, INFO_SLOT, MIP_ROW, STATE, VIEW_SLOTS
from softd3d.jit.facts import Facts
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["NO_LANES", "Batch", "Bindings", "RunMemory", "Tables", "ThreadMemory", "aligned"]

_INFO = attrgetter(*(field.value for field in Info))
_PADDING = (0,) * (VIEW_SLOTS - min(INFO_SLOT.values()) - len(Info))
_NO_MIPS = np.zeros((len(MipInfo), MIP_ROW), np.uint32)
_NO_MIPS_AT: int = _NO_MIPS.ctypes.data
_STATE = Struct(f"={len(STATE)}q")
# The slots of a context that differ from run to run are the last ones.
_OF_RUN = Struct(f"={len(CONTEXT) - CONTEXT['groups_x']}q")
_OF_RUN_AT = 8 * CONTEXT["groups_x"]
_OF_THREAD = Struct(f"={CONTEXT['groups_x']}q")
_LINE = 64
_CONTEXT_BYTES = _LINE * (1 + 8 * len(CONTEXT) // _LINE)
_NO_GROUP = -1  # as an unsigned number, later than any group


class Bindings(Protocol):
    """What a run needs of resources: descriptors by `View.slot`; contents of constant buffers."""

    @property
    def descriptors(self) -> tuple[Descriptor, ...]: ...

    @property
    def constants(self) -> tuple[NDArray[np.uint32], ...]: ...


class Tables:
    """Addresses and facts of the bindings, in the layout that native code reads."""

    def __init__(self, bound: Bindings) -> None:
        self.keep: list[object] = [bound]
        views: list[int] = []
        for descriptor in bound.descriptors:
            views += self._row(descriptor)
        constants: list[int] = []
        for data in bound.constants:
            constants += data.ctypes.data, data.size // 4
        self.views = np.array(views or [0] * VIEW_SLOTS, np.int64)
        self.constants = np.array(constants or [0] * CONSTANT_SLOTS, np.int64)

    def _row(self, d: Descriptor) -> tuple[int, ...]:
        """Return what is said of a view: its addresses, and facts in the order of `INFO_SLOT`."""
        mips_at, counter_at = _NO_MIPS_AT, 0
        if d.mips:
            mips = np.zeros((len(MipInfo), MIP_ROW), np.uint32)
            mips[:, : len(d.mips)] = np.array(d.mips, np.uint32).T
            self.keep.append(mips)
            mips_at = mips.ctypes.data
        if d.counter is not None:
            counter_at = d.counter.ctypes.data
        return d.data.ctypes.data, counter_at, mips_at, *_INFO(d), *_PADDING


class Batch:
    """The arrays of a batch of lanes, uint32, (count,) each."""

    def __init__(
        self, count: int, inputs: Sequence[NDArray[np.uint32]],
        outputs: Sequence[NDArray[np.uint32]],
    ) -> None:  # fmt: skip
        self.keep = (inputs, outputs)
        self.count = count
        self.addresses = np.array([a.ctypes.data for a in (*inputs, *outputs)] or [0], np.int64)
        self.inputs_at: int = self.addresses.ctypes.data
        self.outputs_at = self.inputs_at + self.addresses.itemsize * len(inputs)


NO_LANES = Batch(0, (), ())


class ThreadMemory:
    """Context, group-shared memory and coroutine frames of one thread."""

    def __init__(self, facts: Facts, tables: Tables, state: NDArray[np.int64]) -> None:
        self.keep = (tables, state)
        frame = _lines(facts.frame_bytes)
        table = _lines(8 * facts.waves) if frame else 0
        frames = _CONTEXT_BYTES + table
        shared = frames + frame * facts.waves + _LINE
        memory = aligned(shared + _lines(facts.shared_bytes) + _LINE)
        self.nbytes = memory.size
        self.address: int = memory.ctypes.data
        self._bytes = memoryview(_buffer(memory))
        if frame:
            first = self.address + frames
            memory[_CONTEXT_BYTES:frames].view(np.int64)[: facts.waves] = range(
                first, first + frame * facts.waves, frame
            )
        _OF_THREAD.pack_into(
            self._bytes, 0, state.ctypes.data, tables.views.ctypes.data,
            tables.constants.ctypes.data, self.address + shared, self.address + _CONTEXT_BYTES, 0,
        )  # fmt: skip

    def prepare(self, grid: tuple[int, int, int], pieces: int, messages: int, batch: Batch) -> None:
        """Take what a run says.

        grid: groups in x and y, and how many there are to claim. messages: an address, or 0.
        """
        _OF_RUN.pack_into(
            self._bytes, _OF_RUN_AT, *grid, pieces, messages, batch.count, batch.inputs_at,
            batch.outputs_at,
        )  # fmt: skip


class RunMemory:
    """The memory of a run on several threads: the state that they share, and what each has.

    It serves one run after another.
    """

    def __init__(self, facts: Facts, tables: Tables) -> None:
        self.facts = facts
        self.tables = tables
        self.state = aligned(8 * len(STATE) + 64).view(np.int64)
        self._bytes = memoryview(_buffer(self.state)).cast("B")
        self.threads: list[ThreadMemory] = []

    def prepare(self, threads: int, budget: int) -> list[ThreadMemory]:
        """Begin a run; return the memory of its threads."""
        while len(self.threads) < threads:
            self.threads.append(ThreadMemory(self.facts, self.tables, self.state))
        _STATE.pack_into(self._bytes, 0, 0, 0, budget, 0, 0, _NO_GROUP)
        return self.threads[:threads]

    def results(self) -> tuple[int, ...]:
        """Return the state, by its slots."""
        return _STATE.unpack_from(self._bytes)

    @property
    def nbytes(self) -> int:
        """How large the threads' own memory is."""
        return sum(thread.nbytes for thread in self.threads)


def _lines(size: int) -> int:
    """Return a size rounded up to whole cache lines."""
    return -(-size // _LINE) * _LINE


def _buffer(array: Any) -> Any:
    """Return an array as what memoryview takes; its type does not say so in old Pythons."""
    return array


def aligned(size: int) -> NDArray[np.uint8]:
    """Return `size` bytes of zeros from a 64-byte boundary on, rounded up to whole lines."""
    size = _lines(size)
    memory = np.zeros(size + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size]
