"""Kernels together with what they are bound to: run again and again, they look up nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.cores import available_cores
from softd3d.errors import ExecutionError, InternalError, Location, ResourceError
from softd3d.jit.abi import LARGEST_CHUNK, SHARES, STATE, Status
from softd3d.jit.compiling.compiler import Code
from softd3d.jit.facts import Facts
from softd3d.jit.running.memory import (
    NO_LANES,
    Batch,
    Bindings,
    RunMemory,
    Tables,
    give_back,
    taken_memory,
)
from softd3d.jit.running.messages import MessageMemory, MessageTable, Said, said
from softd3d.jit.running.threads import ThreadRun, can_run_here, run_on_threads
from softd3d.lower.invocations import Lanes
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.lower.stage import COVERED
from softd3d.lower.watch import Watch

__all__ = ["BoundKernel", "Budget", "PlannedRun", "Work", "default_budget"]

# Loop iterations when the caller gives no budget: for any dispatch, and more for each wave. An
# endless loop of one group is stopped after some seconds.
BASE_BUDGET, WAVE_BUDGET = 1 << 32, 1 << 16
_MOST_LANES = 1 << 30
_SHORT_WORK = 1 << 20  # operations on vectors: about a millisecond
_CLAIM_WORK = 32  # what claiming a group and calling its code is worth


@dataclass(slots=True)
class Budget:
    """Iterations that runs may take together. whole: at first; left: now."""

    whole: int
    left: int


def default_budget(waves: int) -> int:
    """Return the iterations that so many waves may take if the caller gives no budget."""
    return min(BASE_BUDGET + waves * WAVE_BUDGET, 1 << 62)


@dataclass(frozen=True, slots=True)
class Work:
    """What threads share.

    groups: in x, y and z, as messages and callers count. claims: what a thread takes at least;
    size: groups of each but the last. rounds: how often an operation is done for a claim, at most,
    where loops that are known to end do it.
    """

    groups: tuple[int, int, int]
    claims: int
    size: int = 1
    rounds: int = 0

    @property
    def total(self) -> int:
        x, y, z = self.groups
        return x * y * z

    def is_short(self, facts: Facts) -> bool:
        """Whether all of it certainly ends before anybody would want to stop it."""
        if not facts.work or (facts.repeats and not self.rounds):
            return False
        operations = facts.work * facts.waves * max(self.rounds, 1) + _CLAIM_WORK
        return self.claims * operations <= _SHORT_WORK


class BoundKernel:
    """A kernel and what it is bound to. Several threads may run it at the same time.

    The memory that bindings name stays where it is as long as they do; what is in it may change.
    """

    def __init__(
        self, code: Code, facts: Facts, table: MessageTable | None, bound: Bindings,
        scratch_bytes: int = 0,
    ) -> None:  # fmt: skip
        """Look up where bindings are. scratch_bytes: as for `CompiledKernel.run`."""
        self.code = code
        self.facts = facts
        self.table = table
        self.scratch_bytes = scratch_bytes
        self.tables = Tables(bound)
        self._decoded = [d.decoded for d in bound.descriptors if d.decoded is not None]

    def run(
        self, groups: tuple[int, int, int], *, threads: int = 0,
        budget: Budget | int | None = None, progress: Callable[[int, int], None] | None = None,
        watch: Watch | None = None, max_messages: int = DEFAULT_MESSAGES, rounds: int = 0,
    ) -> Outcome:  # fmt: skip
        """Run a dispatch; see `CompiledKernel.run`.

        rounds: how often a group does its operations, at most, if its loops are known to end.
        """
        total = groups[0] * groups[1] * groups[2]
        if total == 0:
            return Outcome()
        work = Work(groups, total, rounds=rounds)
        return self._run(work, NO_LANES, threads, budget, progress, watch, max_messages)

    def planned(
        self, groups: tuple[int, int, int], *, threads: int = 0, watch: Watch | None = None,
        budget: int | None = None,
    ) -> PlannedRun:  # fmt: skip
        """Return a run that has not begun; arguments as for `run`."""
        for decoded in self._decoded:
            decoded.refresh()
        work = Work(groups, groups[0] * groups[1] * groups[2])
        run = _Run(self, work, NO_LANES, taken_memory(), threads, budget, DEFAULT_MESSAGES)
        return PlannedRun(run, watch)

    def run_lanes(
        self, count: int, inputs: Mapping[str, NDArray[np.uint32]], *, threads: int = 0,
        budget: Budget | int | None = None, progress: Callable[[int, int], None] | None = None,
        watch: Watch | None = None, max_messages: int = DEFAULT_MESSAGES,
    ) -> tuple[Outcome, dict[str, NDArray[np.uint32]]]:  # fmt: skip
        """Run a batch; see `CompiledKernel.run_lanes`."""
        width = self.facts.width
        if not width:
            raise InternalError("code for thread groups is run for a batch of lanes")
        given = {COVERED[0]: np.ones(count, np.uint32), **Lanes(count, inputs).given}
        missing = [name for name in self.facts.inputs if name not in given]
        if missing or not 0 <= count <= _MOST_LANES:
            raise ResourceError(
                f"{missing[0]} is read, but is not among the inputs"
                if missing
                else f"a batch of {count} lanes; at most {_MOST_LANES}"
            )
        outputs = {name: np.zeros(count, np.uint32) for name in self.facts.outputs}
        if count == 0:
            return Outcome(), outputs
        arrays = [np.ascontiguousarray(given[name]) for name in self.facts.inputs]
        batch = Batch(count, arrays, list(outputs.values()))
        work = Work((count, 1, 1), -(-count // width), width)
        return self._run(work, batch, threads, budget, progress, watch, max_messages), outputs

    def run_batch(
        self, batch: Batch, *, threads: int = 0, budget: Budget | None = None,
        watch: Watch | None = None,
    ) -> Outcome:  # fmt: skip
        """Run a batch whose arrays are those that the code has, in its order; it is not empty."""
        count, width = batch.count, self.facts.width
        work = Work((count, 1, 1), -(-count // width), width)
        return self._run(work, batch, threads, budget, None, watch, DEFAULT_MESSAGES)

    def _run(
        self, work: Work, batch: Batch, threads: int, budget: Budget | int | None,
        progress: Callable[[int, int], None] | None, watch: Watch | None, max_messages: int,
    ) -> Outcome:  # fmt: skip
        for decoded in self._decoded:
            decoded.refresh()
        memory = taken_memory()
        run = _Run(self, work, batch, memory, threads, budget, max_messages)
        outcome = run.finish(progress, watch)
        give_back(memory)
        return outcome


class _Run:
    """One run on its way: the state that its threads share, and the memory of each."""

    def __init__(
        self, kernel: BoundKernel, work: Work, batch: Batch, memory: RunMemory, threads: int,
        budget: Budget | int | None, max_messages: int,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.work = work
        self.memory = memory
        self.state = memory.state
        self.reason = "cancelled"
        self.calls: ThreadRun | None = None
        facts, claims = kernel.facts, work.claims
        self.is_short = work.is_short(facts)
        count = min(threads or (1 if self.is_short else available_cores()), claims)
        if budget is None:
            budget = default_budget(claims * facts.waves)
        self.allowed = budget if isinstance(budget, Budget) else Budget(budget, budget)
        self.pieces = count * SHARES
        self.threads = memory.prepare(count, self.allowed.left)
        self.messages: list[MessageMemory] = []
        x, y, _ = work.groups
        for thread in self.threads:
            box = 0
            if kernel.table is not None:
                said = MessageMemory(kernel.table, facts.message_bytes, max_messages)
                self.messages.append(said)
                box = said.address
            thread.prepare(
                facts, kernel.tables, memory.state_at, (x, y, claims), self.pieces, box, batch,
                kernel.scratch_bytes,
            )  # fmt: skip

    def start(self) -> None:
        """Let the threads begin, but one, whose core is the caller's until `finish`."""
        self.calls = ThreadRun(self.kernel.code.function, self.threads)
        self.calls.start(spares=1 if len(self.threads) > 1 else 0)

    def end(self) -> None:
        """Stop the threads, if they still run, and wait for them."""
        if self.calls is not None:
            self.cancel()
            self.calls.wait(lambda: None, lambda: None)

    def finish(self, progress: Callable[[int, int], None] | None, watch: Watch | None) -> Outcome:
        """Run the threads, and wait for them."""
        code, threads = self.kernel.code.function, self.threads
        if self.calls is not None:
            self.calls.wait(lambda: self.look(progress, watch), self.cancel)
        elif self.is_short and len(threads) == 1 and can_run_here(self.kernel.facts.stack_bytes):
            code(threads[0].address)
            self.look(progress, watch)
        else:
            run_on_threads(code, threads, lambda: self.look(progress, watch), self.cancel)
        outcome = self.outcome()
        if progress is not None:
            progress(self.work.total, self.work.total)
        return outcome

    def outcome(self) -> Outcome:
        _, status, left, bits, site, _ = self.memory.results()
        self.allowed.left = max(0, left)
        facts = self.kernel.facts
        if not (status or bits or self.messages):
            return _NOTHING
        said = self.said()
        hit = tuple(r for n, r in enumerate(facts.poison_rules) if bits >> min(n, 62) & 1)
        outcome = Outcome(hit, said.messages, said.messages_dropped, said.aborted)
        place = Location(instruction=facts.sites[site - 1]) if site else None
        if status == Status.BUDGET:
            raise ExecutionError(
                "the loop budget of the dispatch is spent: an endless loop? "
                f"(budget, --budget: {self.allowed.whole} iterations)",
                place,
                outcome,
            )
        if status == Status.DIVERGENT_BARRIER:
            raise ExecutionError("sync_t in divergent control flow", place, outcome)
        if status == Status.CANCELLED:
            raise ExecutionError(self.reason, None, outcome)
        if status != Status.DONE:
            raise InternalError(f"native code stopped with status {status}")
        return outcome

    def said(self) -> Said:
        table = self.kernel.table
        if table is None:
            return Said()
        return said(table, self.messages, self.work.groups, int(self.state[STATE["aborted"]]))

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
            progress(self._done(), self.work.total)

    def _done(self) -> int:
        """Return how many groups are done at least: all but those being handed out last."""
        claims = self.work.claims
        claimed = min(int(self.state[STATE["next"]]), claims)
        largest = min(max(claims // self.pieces, 1), LARGEST_CHUNK)
        done = max(0, claimed - largest * len(self.threads))
        return min(done * self.work.size, self.work.total)


class PlannedRun:
    """A run while which its caller does other things.

    Whoever has started it must keep it until `wait` or `end` has returned: threads use its memory.
    """

    def __init__(self, run: _Run, watch: Watch | None) -> None:
        self._run = run
        self._watch = watch

    def start(self) -> None:
        """Let it begin, on one thread less than it may have: that helps when it is waited for."""
        self._run.start()

    def wait(self) -> Outcome:
        """Wait for the end; raises what `BoundKernel.run` does."""
        outcome = self._run.finish(None, self._watch)
        give_back(self._run.memory)
        return outcome

    def end(self) -> None:
        """Stop it, if it still runs; what it would have said is lost."""
        self._run.end()


_NOTHING = Outcome()
