"""Compile bound programs and run them on threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from softd3d.cores import available_cores
from softd3d.errors import ExecutionError, InternalError, Location
from softd3d.forking import held_over_fork
from softd3d.isa.machine import Info, MipInfo
from softd3d.jit.abi import (
    CONSTANT_SLOTS,
    CONTEXT,
    INFO_SLOT,
    LARGEST_CHUNK,
    MIP_ROW,
    SHARES,
    STATE,
    VIEW_SLOTS,
    Status,
)
from softd3d.jit.cache import Facts, Store, default_store
from softd3d.jit.compiler import Code, load_object
from softd3d.jit.key import kernel_key, source_stamp, text_key
from softd3d.jit.message_memory import (
    MessageMemory,
    MessageTable,
    Said,
    message_table,
    said,
)
from softd3d.jit.threads import run_on_threads
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch
from softd3d.resources.views.descriptor import Descriptor, refresh

if TYPE_CHECKING:
    from softd3d.ir.graph import Graph

__all__ = ["Bindings", "CompiledKernel", "compile_graph", "compile_kernel", "forget_kernels"]

# Loop iterations when the caller gives no budget: for any dispatch, and more for each wave. An
# endless loop of one group is stopped after some seconds.
BASE_BUDGET, WAVE_BUDGET = 1 << 32, 1 << 16
_KEPT_KERNELS = 256


class Bindings(Protocol):
    """What a run needs of resources: descriptors by `View.slot`; contents of constant buffers."""

    @property
    def descriptors(self) -> tuple[Descriptor, ...]: ...

    @property
    def constants(self) -> tuple[NDArray[np.uint32], ...]: ...


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """Native code for one program and one kind of bindings. table: of its messages, if any."""

    code: Code
    facts: Facts
    table: MessageTable | None = None

    def run(
        self, bound: Bindings, groups: tuple[int, int, int], *, threads: int = 0,
        budget: int | None = None, progress: Callable[[int, int], None] | None = None,
        watch: Watch | None = None, max_messages: int = DEFAULT_MESSAGES,
    ) -> Outcome:  # fmt: skip
        """Run a dispatch; returns when all groups are done.

        budget: loop iterations of waves at most, all threads together; by default more than any
        real work takes, in proportion to the number of waves. progress: called some twenty times a
        second with groups that are done, at least, and all groups; at the end too. watch: asked as
        often whether to stop. max_messages: of threads, that are kept.

        Raises:
            ExecutionError: the budget or the time is spent, a barrier is divergent, or the run was
                cancelled.
                KeyboardInterrupt, or what a callback raised: the threads have been stopped.
                Resources hold what was written until then.
        """
        total = groups[0] * groups[1] * groups[2]
        if total == 0:
            return Outcome()
        refresh(bound.descriptors)
        count = min(threads or available_cores(), total)
        if budget is None:
            budget = min(BASE_BUDGET + total * self.facts.waves * WAVE_BUDGET, 1 << 62)
        run = _Run(self, _Tables(bound), groups, count, budget, max_messages)
        run_on_threads(
            self.code.address, run.memories, lambda: run.look(progress, watch), run.cancel
        )
        outcome = self._outcome(run)
        if progress is not None:
            progress(total, total)
        return outcome

    def _outcome(self, run: _Run) -> Outcome:
        state, said = run.state, run.said()
        bits = int(state[STATE["poison"]])
        hit = tuple(r for n, r in enumerate(self.facts.poison_rules) if bits >> min(n, 62) & 1)
        outcome = Outcome(hit, said.messages, said.messages_dropped, said.aborted)
        status, site = int(state[STATE["status"]]), int(state[STATE["detail"]])
        place = Location(instruction=self.facts.sites[site - 1]) if site else None
        if status == Status.BUDGET:
            raise ExecutionError(
                "the loop budget of the dispatch is spent: an endless loop? "
                f"(budget, --budget: {run.budget} iterations)",
                place,
                outcome,
            )
        if status == Status.DIVERGENT_BARRIER:
            raise ExecutionError("sync_t in divergent control flow", place, outcome)
        if status == Status.CANCELLED:
            raise ExecutionError(run.reason, None, outcome)
        if status != Status.DONE:
            raise InternalError(f"native code stopped with status {status}")
        return outcome


class _Run:
    """One dispatch on its way: the state that its threads share, and the memory of each."""

    def __init__(
        self, kernel: CompiledKernel, tables: _Tables, groups: tuple[int, int, int], threads: int,
        budget: int, max_messages: int,
    ) -> None:  # fmt: skip
        self.groups = groups
        self.reason = "cancelled"
        self.table = kernel.table
        self.total = groups[0] * groups[1] * groups[2]
        self.state = _aligned(8 * len(STATE) + 64).view(np.int64)
        self.state[STATE["budget"]] = self.budget = budget
        self.state[STATE["aborted"]] = -1  # as an unsigned number, later than any group
        self.pieces = threads * SHARES
        self.memories = [
            _ThreadMemory(kernel, tables, self.state, groups, self.pieces) for _ in range(threads)
        ]
        self.messages: list[MessageMemory] = []
        if kernel.table is not None:
            bytes_ = kernel.facts.message_bytes
            for memory in self.memories:
                box = MessageMemory(kernel.table, bytes_, max_messages)
                memory.context[CONTEXT["messages"]] = box.address
                self.messages.append(box)

    def said(self) -> Said:
        if self.table is None:
            return Said()
        return said(self.table, self.messages, self.groups, int(self.state[STATE["aborted"]]))

    def cancel(self) -> None:
        """Let the threads stop: each looks at the status between groups, and in loops."""
        if self.state[STATE["status"]] == Status.DONE:
            self.state[STATE["status"]] = Status.CANCELLED

    def look(self, progress: Callable[[int, int], None] | None, watch: Watch | None) -> None:
        reason = None if watch is None else watch.reason()
        if reason is not None:
            self.reason = reason
            self.cancel()
        if progress is not None:
            progress(self._done(), self.total)

    def _done(self) -> int:
        """Return how many groups are done at least: all but those being handed out last."""
        claimed = min(int(self.state[STATE["next"]]), self.total)
        largest = min(max(self.total // self.pieces, 1), LARGEST_CHUNK)
        return max(0, claimed - largest * len(self.memories))


class _Tables:
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

    def _describe(self, row: NDArray[np.int64], d: Descriptor) -> None:
        row[0] = d.data.ctypes.data
        row[1] = d.counter.ctypes.data if d.counter is not None else 0
        mips = np.zeros((len(MipInfo), MIP_ROW), np.uint32)
        mips[:, : len(d.mips)] = np.array(d.mips, np.uint32).reshape(-1, len(MipInfo)).T
        self.keep.append(mips)
        row[2] = mips.ctypes.data
        for field in Info:
            row[INFO_SLOT[field]] = getattr(d, field.value)


class _ThreadMemory:
    """Context, group-shared memory and coroutine frames of one thread."""

    def __init__(
        self, kernel: CompiledKernel, tables: _Tables, state: NDArray[np.int64],
        groups: tuple[int, int, int], pieces: int,
    ) -> None:  # fmt: skip
        facts = kernel.facts
        self.keep = (kernel, tables, state)
        frame = (facts.frame_bytes + 63) // 64 * 64
        self.shared = _aligned(facts.shared_bytes + 64)
        self.frames = _aligned(frame * facts.waves + 64)
        first = self.frames.ctypes.data
        self.frame_table = first + frame * np.arange(facts.waves, dtype=np.int64)
        self.context = _aligned(8 * len(CONTEXT) + 64).view(np.int64)
        self.address: int = self.context.ctypes.data
        c = self.context
        c[CONTEXT["state"]] = state.ctypes.data
        c[CONTEXT["views"]] = tables.views.ctypes.data
        c[CONTEXT["constants"]] = tables.constants.ctypes.data
        c[CONTEXT["shared"]] = self.shared.ctypes.data
        c[CONTEXT["frames"]] = self.frame_table.ctypes.data
        c[CONTEXT["groups_x"]], c[CONTEXT["groups_y"]] = groups[:2]
        c[CONTEXT["groups"]] = groups[0] * groups[1] * groups[2]
        c[CONTEXT["pieces"]] = pieces


def _aligned(size: int) -> NDArray[np.uint8]:
    """Return `size` bytes of zeros from a 64-byte boundary on, rounded up to whole lines."""
    size = -(-size // 64) * 64
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size]


_kernels: OrderedDict[str, CompiledKernel] = OrderedDict()
_kernels_lock = held_over_fork(threading.Lock())


def compile_kernel(
    bound: BoundProgram, *, lanes: int = 0, cache: Store | None = None, watch: Watch | None = None
) -> CompiledKernel:
    """Compile a program for the kinds of its bindings, or take what was compiled before.

    lanes: invocations a wave (4, 8, 16, ... 256), 0 for what suits program and machine. cache:
    where kernels are kept between processes; by default the folder that `default_store` says.
    watch: what may stop compiling.

    Raises:
        DecodeError, LoweringError, ResourceError: the program cannot be lowered.
        ExecutionError: `watch` has stopped it.
    """

    def build() -> tuple[bytes, Facts]:
        # What was compiled before needs none of the modules that compile.
        from softd3d.jit.build import build_kernel  # noqa: PLC0415

        return build_kernel(bound, lanes, (watch or Watch()).check_compiling)

    kernel = _kernel(kernel_key(bound, lanes), build, cache)
    if not kernel.facts.message_bytes:
        return kernel
    return replace(kernel, table=message_table(bound.program, bound.declarations.group_size))


def compile_graph(
    graph: Graph, declarations: Declarations, *, lanes: int = 0, cache: Store | None = None
) -> CompiledKernel:
    """Compile a recorded program for groups and shared memory as declared."""
    from softd3d.jit.build import compile_module, module_text  # noqa: PLC0415 - as above

    module = module_text(graph, declarations, lanes)
    kernel = _kernel(text_key(module.text), lambda: compile_module(module), cache)
    if not graph.messages:
        return kernel
    return replace(kernel, table=MessageTable(graph.messages, declarations.group_size))


def forget_kernels() -> None:
    """Forget the kernels in memory; those on disk stay."""
    with _kernels_lock:
        _kernels.clear()


def _stored(store: Store, key: str) -> CompiledKernel | None:
    """Return a kernel from disk; None if it is not there, or cannot be linked."""
    found = store.get(key)
    if found is None:
        return None
    try:
        return CompiledKernel(load_object(found[0]), found[1])
    except Exception:  # noqa: BLE001 - whatever is wrong with an entry: it is made anew
        return None


def _kernel(
    key: str, build: Callable[[], tuple[bytes, Facts]], cache: Store | None
) -> CompiledKernel:
    """Return a kernel from memory, from disk, or newly built."""
    with _kernels_lock:
        kernel = _kernels.get(key)
        if kernel is not None:
            _kernels.move_to_end(key)
            return kernel
    store = cache or default_store()
    is_kept = source_stamp() is not None
    kernel = _stored(store, key) if is_kept else None
    if kernel is None:
        code, facts = build()
        if is_kept:
            store.put(key, code, facts)
        kernel = CompiledKernel(load_object(code), facts)
    with _kernels_lock:
        _kernels[key] = kernel
        while len(_kernels) > _KEPT_KERNELS:
            _kernels.popitem(last=False)
    return kernel
