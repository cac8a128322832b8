"""Compile bound programs and run them on threads."""

from __future__ import annotations

import ctypes
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ExecutionError, InternalError
from softd3d.ir.graph import Graph
from softd3d.isa.machine import Info, MipInfo
from softd3d.jit.abi import CONTEXT, INFO_SLOT, STATE, VIEW_SLOTS, Status
from softd3d.jit.compiler import Code, DiskCache, compile_text, host, load_object
from softd3d.jit.module import build_module
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.outcome import Outcome
from softd3d.lower.to_ir import lower
from softd3d.resources.views import Descriptor

__all__ = ["Bindings", "CompiledKernel", "compile_graph", "compile_kernel"]

# Loop iterations when the caller gives no budget: for any dispatch, and more for each wave. An
# endless loop of one group is stopped after some seconds.
BASE_BUDGET, WAVE_BUDGET = 1 << 32, 1 << 16
_POLL_SECONDS = 0.05
_STACK_BYTES = 64 << 20


class Bindings(Protocol):
    """What a run needs of resources: descriptors by `View.slot`; contents of constant buffers."""

    @property
    def descriptors(self) -> tuple[Descriptor, ...]: ...

    @property
    def constants(self) -> tuple[NDArray[np.uint32], ...]: ...


@dataclass(slots=True)
class CompiledKernel:
    """Native code for one program and one kind of bindings, and its memory."""

    code: Code
    waves: int
    shared_bytes: int
    poison_rules: tuple[tuple[str, str], ...]

    def run(
        self, bound: Bindings, groups: tuple[int, int, int], *, threads: int = 0,
        budget: int | None = None, progress: Callable[[int, int], None] | None = None,
    ) -> Outcome:  # fmt: skip
        """Run a dispatch; returns when all groups are done.

        budget: loop iterations of waves at most, all threads together; by default more than any
        real work takes, in proportion to the number of waves.

        Raises:
            ExecutionError: the budget is spent, a barrier is divergent. KeyboardInterrupt: the
            threads have been stopped; resources hold what was written until then.
        """
        total = groups[0] * groups[1] * groups[2]
        if total == 0:
            return Outcome((), 0)
        tables = _Tables(bound)
        count = min(threads or os.cpu_count() or 1, total)
        state = np.zeros(16, np.int64)
        if budget is None:
            budget = min(BASE_BUDGET + total * self.waves * WAVE_BUDGET, 1 << 62)
        state[STATE["budget"]] = budget
        chunk = max(1, min(total // (count * 16), 1 << 16))
        memories = [self._thread_memory(tables, state, groups, chunk) for _ in range(count)]
        _POOL.run(self.code.address, memories, state, lambda: _report(progress, state, total))
        return self._outcome(state)

    def _thread_memory(
        self, tables: _Tables, state: NDArray[np.int64], groups: tuple[int, int, int], chunk: int
    ) -> _ThreadMemory:
        return _ThreadMemory(self, tables, state, groups, chunk)

    def _outcome(self, state: NDArray[np.int64]) -> Outcome:
        status = int(state[STATE["status"]])
        if status == Status.BUDGET:
            raise ExecutionError("the loop budget of the dispatch is spent: an endless loop?")
        if status == Status.DIVERGENT_BARRIER:
            raise ExecutionError("sync_t in divergent control flow")
        if status == Status.CANCELLED:
            raise ExecutionError("cancelled")
        if status != Status.DONE:
            raise InternalError(f"native code stopped with status {status}")
        bits = int(state[STATE["poison"]])
        hit = tuple(r for n, r in enumerate(self.poison_rules) if bits >> min(n, 62) & 1)
        return Outcome(hit, 0)


def _report(
    progress: Callable[[int, int], None] | None, state: NDArray[np.int64], total: int
) -> None:
    if progress is not None:
        progress(min(int(state[STATE["next"]]), total), total)


class _Tables:
    """Addresses and facts of the bindings, in the layout that native code reads."""

    def __init__(self, bound: Bindings) -> None:
        self.keep: list[object] = []
        self.views = np.zeros((max(len(bound.descriptors), 1), VIEW_SLOTS), np.int64)
        for row, descriptor in zip(self.views, bound.descriptors, strict=False):
            self._describe(row, descriptor)
        self.constants = np.zeros((max(len(bound.constants), 1), 2), np.int64)
        for row, data in zip(self.constants, bound.constants, strict=False):
            row[0], row[1] = data.ctypes.data, data.size // 4
        self.keep.append(bound)

    def _describe(self, row: NDArray[np.int64], d: Descriptor) -> None:
        row[0] = d.data.ctypes.data
        row[1] = d.counter.ctypes.data if d.counter is not None else 0
        mips = np.array(d.mips or [(0,) * len(MipInfo)], np.uint32)
        self.keep.append(mips)
        row[2] = mips.ctypes.data
        for field in Info:
            row[INFO_SLOT[field]] = getattr(d, field.value)
        row[INFO_SLOT[Info.SIZE]] &= ~3  # whole dwords


class _ThreadMemory:
    """Context, group-shared memory and coroutine frames of one thread."""

    def __init__(
        self, kernel: CompiledKernel, tables: _Tables, state: NDArray[np.int64],
        groups: tuple[int, int, int], chunk: int,
    ) -> None:  # fmt: skip
        self.keep = (tables, state)
        frame = (kernel.code.frame_bytes + 63) // 64 * 64
        self.shared = _aligned(kernel.shared_bytes + 64)
        self.frames = _aligned(frame * kernel.waves + 64)
        first = self.frames.ctypes.data
        self.frame_table = first + frame * np.arange(kernel.waves, dtype=np.int64)
        c = self.context = np.zeros(16, np.int64)
        c[CONTEXT["state"]] = state.ctypes.data
        c[CONTEXT["views"]] = tables.views.ctypes.data
        c[CONTEXT["constants"]] = tables.constants.ctypes.data
        c[CONTEXT["shared"]] = self.shared.ctypes.data
        c[CONTEXT["frames"]] = self.frame_table.ctypes.data
        c[CONTEXT["groups_x"]], c[CONTEXT["groups_y"]] = groups[:2]
        c[CONTEXT["groups"]] = groups[0] * groups[1] * groups[2]
        c[CONTEXT["chunk"]] = chunk


def _aligned(size: int) -> NDArray[np.uint8]:
    """Return `size` bytes of zeros at a 64-byte boundary."""
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size]


class _Pool:
    """Threads that wait for native calls; made on first use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.queues: list[queue.SimpleQueue[tuple[int, int, queue.SimpleQueue[None]]]] = []

    def _worker(self, number: int) -> queue.SimpleQueue[tuple[int, int, queue.SimpleQueue[None]]]:
        while len(self.queues) <= number:
            jobs: queue.SimpleQueue[tuple[int, int, queue.SimpleQueue[None]]] = queue.SimpleQueue()
            old = threading.stack_size(_STACK_BYTES)
            threading.Thread(target=_serve, args=(jobs,), daemon=True).start()
            threading.stack_size(old)
            self.queues.append(jobs)
        return self.queues[number]

    def run(
        self, address: int, memories: list[_ThreadMemory], state: NDArray[np.int64],
        report: Callable[[], None],
    ) -> None:  # fmt: skip
        """Call the code once for each memory and wait; an interrupt cancels, then is raised."""
        done: queue.SimpleQueue[None] = queue.SimpleQueue()
        with self.lock:
            for number, memory in enumerate(memories):
                self._worker(number).put((address, memory.context.ctypes.data, done))
            left = len(memories)
            interrupt: BaseException | None = None
            while left:
                try:
                    done.get(timeout=_POLL_SECONDS)
                    left -= 1
                except queue.Empty:
                    pass
                except BaseException as error:  # noqa: BLE001 - raised again below
                    state[STATE["cancel"]], interrupt = 1, error
                if interrupt is None:
                    try:
                        report()
                    except BaseException as error:  # noqa: BLE001 - raised again below
                        state[STATE["cancel"]], interrupt = 1, error
        if interrupt is not None:
            raise interrupt


def _serve(jobs: queue.SimpleQueue[tuple[int, int, queue.SimpleQueue[None]]]) -> None:
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    while True:
        address, context, done = jobs.get()
        prototype(address)(context)
        done.put(None)


_POOL = _Pool()
_MEMORY_CACHE: dict[str, CompiledKernel] = {}


def compile_kernel(
    bound: BoundProgram, *, lanes: int = 0, cache: DiskCache | None = None
) -> CompiledKernel:
    """Compile a program for the kinds of its bindings.

    lanes: invocations a wave (4, 8, 16), 0 for what suits the machine.
    """
    return compile_graph(lower(bound), bound.declarations, lanes=lanes, cache=cache)


def compile_graph(
    graph: Graph, declarations: Declarations, *, lanes: int = 0, cache: DiskCache | None = None
) -> CompiledKernel:
    """Compile a recorded program for groups and shared memory as declared."""
    lanes = lanes or host().lanes
    text = build_module(graph, declarations, lanes, host().machine)
    cache = cache or DiskCache()
    key = cache.key(text)
    kernel = _MEMORY_CACHE.get(key)
    if kernel is not None:
        return kernel
    stored = cache.get(key)
    if stored is None:
        stored = compile_text(text, has_barrier=graph.has_barrier)
        cache.put(key, *stored)
    kernel = CompiledKernel(
        load_object(*stored), -(-declarations.threads // lanes),
        declarations.shared_bytes, tuple(graph.poison_rules),
    )  # fmt: skip
    if len(_MEMORY_CACHE) > 256:
        _MEMORY_CACHE.clear()
    _MEMORY_CACHE[key] = kernel
    return kernel
