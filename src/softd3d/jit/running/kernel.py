"""Compiled kernels, and their runs on threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softd3d.cores import available_cores
from softd3d.errors import ExecutionError, InternalError, Location, ResourceError
from softd3d.jit.abi import CONTEXT, LARGEST_CHUNK, SHARES, STATE, Status
from softd3d.jit.compiling.compiler import Code
from softd3d.jit.facts import Facts
from softd3d.jit.running.memory import Bindings, Tables, ThreadMemory, aligned
from softd3d.jit.running.messages import MessageMemory, MessageTable, Said, said
from softd3d.jit.running.threads import run_on_threads
from softd3d.lower.invocations import Lanes
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.lower.stage import COVERED
from softd3d.lower.watch import Watch
from softd3d.resources.views.descriptor import refresh

__all__ = ["Budget", "CompiledKernel", "default_budget"]

# Loop iterations when the caller gives no budget: for any dispatch, and more for each wave. An
# endless loop of one group is stopped after some seconds.
BASE_BUDGET, WAVE_BUDGET = 1 << 32, 1 << 16
_MOST_LANES = 1 << 30


@dataclass(slots=True)
class Budget:
    """Iterations that runs may take together. whole: at first; left: now."""

    whole: int
    left: int


def default_budget(waves: int) -> int:
    """Return the iterations that so many waves may take if the caller gives no budget."""
    return min(BASE_BUDGET + waves * WAVE_BUDGET, 1 << 62)


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """Native code for one program and one kind of bindings. table: of its messages, if any."""

    code: Code
    facts: Facts
    table: MessageTable | None = None

    def run(
        self, bound: Bindings, groups: tuple[int, int, int], *, threads: int = 0,
        budget: Budget | int | None = None, progress: Callable[[int, int], None] | None = None,
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
        run = _Run(self, _Work(groups, total), Tables(bound), threads, budget, max_messages)
        return run.finish(progress, watch)

    def run_lanes(
        self, bound: Bindings, count: int, inputs: Mapping[str, NDArray[np.uint32]], *,
        threads: int = 0, budget: Budget | int | None = None,
        progress: Callable[[int, int], None] | None = None, watch: Watch | None = None,
        max_messages: int = DEFAULT_MESSAGES,
    ) -> tuple[Outcome, dict[str, NDArray[np.uint32]]]:  # fmt: skip
        """Run a vertex or pixel shader for `count` lanes; four pixels are a quad.

        inputs: by name, such as `v0.x`; uint32, (count,) each; `covered`: 0 for pixels that are
        helpers, by default none is. Other arguments as for `run`; a lane is a group.

        Returns:
            The outcome, and the outputs by name; uint32, (count,) each.

        Raises:
            As `run`. ResourceError: an input is missing, or of another type or size.
        """
        if not self.facts.width:
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
        refresh(bound.descriptors)
        tables = Tables(bound)
        tables.add_lanes(
            count,
            [np.ascontiguousarray(given[name]) for name in self.facts.inputs],
            list(outputs.values()),
        )
        work = _Work((count, 1, 1), -(-count // self.facts.width), self.facts.width)
        run = _Run(self, work, tables, threads, budget, max_messages)
        return run.finish(progress, watch), outputs


@dataclass(frozen=True, slots=True)
class _Work:
    """What threads share.

    groups: in x, y and z, as messages and callers count. claims: what a thread takes at least;
    size: groups of each but the last.
    """

    groups: tuple[int, int, int]
    claims: int
    size: int = 1

    @property
    def total(self) -> int:
        x, y, z = self.groups
        return x * y * z


class _Run:
    """One run on its way: the state that its threads share, and the memory of each."""

    def __init__(
        self, kernel: CompiledKernel, work: _Work, tables: Tables, threads: int,
        budget: Budget | int | None, max_messages: int,
    ) -> None:  # fmt: skip
        count = min(threads or available_cores(), work.claims)
        if budget is None:
            budget = default_budget(work.claims * kernel.facts.waves)
        self.allowed = budget if isinstance(budget, Budget) else Budget(budget, budget)
        self.kernel = kernel
        self.work = work
        self.reason = "cancelled"
        self.state = aligned(8 * len(STATE) + 64).view(np.int64)
        self.state[STATE["budget"]] = self.allowed.left
        self.state[STATE["aborted"]] = -1  # as an unsigned number, later than any group
        self.pieces = count * SHARES
        grid = (*work.groups[:2], work.claims)
        self.memories = [
            ThreadMemory(kernel.facts, tables, self.state, grid, self.pieces) for _ in range(count)
        ]
        self.messages: list[MessageMemory] = []
        if kernel.table is not None:
            for memory in self.memories:
                box = MessageMemory(kernel.table, kernel.facts.message_bytes, max_messages)
                memory.context[CONTEXT["messages"]] = box.address
                self.messages.append(box)

    def finish(self, progress: Callable[[int, int], None] | None, watch: Watch | None) -> Outcome:
        """Run the threads, and wait for them."""
        run_on_threads(
            self.kernel.code.address, self.memories, lambda: self.look(progress, watch), self.cancel
        )
        self.allowed.left = max(0, int(self.state[STATE["budget"]]))
        outcome = self.outcome()
        if progress is not None:
            progress(self.work.total, self.work.total)
        return outcome

    def outcome(self) -> Outcome:
        state, facts, said = self.state, self.kernel.facts, self.said()
        bits = int(state[STATE["poison"]])
        hit = tuple(r for n, r in enumerate(facts.poison_rules) if bits >> min(n, 62) & 1)
        outcome = Outcome(hit, said.messages, said.messages_dropped, said.aborted)
        status, site = int(state[STATE["status"]]), int(state[STATE["detail"]])
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
        done = max(0, claimed - largest * len(self.memories))
        return min(done * self.work.size, self.work.total)
