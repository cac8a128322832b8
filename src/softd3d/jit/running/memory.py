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

__all__ = [
    "NO_LANES",
    "Batch",
    "Bindings",
    "RunMemory",
    "Tables",
    "ThreadMemory",
    "aligned",
    "give_back",
    "taken_memory",
]

_INFO = attrgetter(*(field.value for field in Info))
_PADDING = (0,) * (VIEW_SLOTS - min(INFO_SLOT.values()) - len(Info))
_NO_MIPS = np.zeros((len(MipInfo), MIP_ROW), np.uint32)
_NO_MIPS_AT: int = _NO_MIPS.ctypes.data
_STATE = Struct(f"={len(STATE)}q")
_CONTEXT = Struct(f"={len(CONTEXT)}q")
_LINE = 64
_KEPT_RUNS, _KEPT_BYTES = 2, 16 << 20  # also with many samples and targets in a tile
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
        self.views_at: int = self.views.ctypes.data
        self.constants_at: int = self.constants.ctypes.data

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

    def __init__(self) -> None:
        self._context = aligned(8 * len(CONTEXT) + _LINE)
        self._bytes = memoryview(_buffer(self._context))
        self.address: int = self._context.ctypes.data
        self._own = self._context[:0]
        self._own_at = 0

    def prepare(
        self, facts: Facts, tables: Tables, state_at: int, grid: tuple[int, int, int], pieces: int,
        messages: int, batch: Batch, scratch_bytes: int = 0,
    ) -> None:  # fmt: skip
        """Begin a run of some code.

        grid: groups in x and y, and how many there are to claim. messages: an address, or 0.
        scratch_bytes: of memory in place of group-shared memory, if that is less.
        """
        frame, waves = _lines(facts.frame_bytes), facts.waves
        frames = _lines(8 * waves) if frame else 0
        shared = frames + frame * waves + _LINE
        size = shared + max(facts.shared_bytes, scratch_bytes) + _LINE
        if size > self._own.size:
            self._own = self._own[:0]
            self._own = aligned(size)
            self._own_at = self._own.ctypes.data
        at = self._own_at
        if frame:
            table = range(at + frames, at + frames + frame * waves, frame)
            self._own[: 8 * waves].view(np.int64)[:] = table
        _CONTEXT.pack_into(
            self._bytes, 0, state_at, tables.views_at, tables.constants_at, at + shared, at, 0,
            *grid, pieces, messages, batch.count, batch.inputs_at, batch.outputs_at,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        return self._own.size


class RunMemory:
    """The memory of a run on several threads: the state that they share, and what each has.

    It serves one run after another, also of other code; nothing in it is cleared.
    """

    def __init__(self) -> None:
        self.state = aligned(8 * len(STATE) + _LINE).view(np.int64)
        self.state_at: int = self.state.ctypes.data
        self._bytes = memoryview(_buffer(self.state)).cast("B")
        self._threads: list[ThreadMemory] = []

    def prepare(self, threads: int, budget: int) -> list[ThreadMemory]:
        """Begin a run; return the memory of its threads."""
        while len(self._threads) < threads:
            self._threads.append(ThreadMemory())
        _STATE.pack_into(self._bytes, 0, 0, 0, budget, 0, 0, _NO_GROUP)
        return self._threads[:threads]

    def results(self) -> tuple[int, ...]:
        """Return the state, by its slots."""
        return _STATE.unpack_from(self._bytes)

    @property
    def nbytes(self) -> int:
        return sum(thread.nbytes for thread in self._threads)


_idle: list[RunMemory] = []  # a list is safe between threads


def taken_memory() -> RunMemory:
    """Return memory that no other run has."""
    try:
        return _idle.pop()
    except IndexError:
        return RunMemory()


def give_back(memory: RunMemory) -> None:
    """Let other runs have memory, unless there is enough. No thread may use it any more."""
    if len(_idle) < _KEPT_RUNS and memory.nbytes <= _KEPT_BYTES:
        _idle.append(memory)


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
