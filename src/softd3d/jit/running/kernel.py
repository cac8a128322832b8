"""Compiled kernels, and their runs on threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.jit.compiling.compiler import Code
from softd3d.jit.facts import Facts
from softd3d.jit.running.bound import BoundKernel, Budget, default_budget
from softd3d.jit.running.memory import Bindings
from softd3d.jit.running.messages import MessageTable
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch

__all__ = ["Budget", "CompiledKernel", "default_budget"]


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """Native code for one program and one kind of bindings. table: of its messages, if any."""

    code: Code
    facts: Facts
    table: MessageTable | None = None

    def bound_to(self, bound: Bindings, scratch_bytes: int = 0) -> BoundKernel:
        """Return the kernel with bindings, ready for any number of runs.

        scratch_bytes: of memory that each CPU thread has for itself, in place of group-shared
        memory.
        """
        return BoundKernel(self.code, self.facts, self.table, bound, scratch_bytes)

    def run(
        self, bound: Bindings, groups: tuple[int, int, int], *, threads: int = 0,
        budget: Budget | int | None = None, progress: Callable[[int, int], None] | None = None,
        watch: Watch | None = None, max_messages: int = DEFAULT_MESSAGES, scratch_bytes: int = 0,
    ) -> Outcome:  # fmt: skip
        """Run a dispatch; returns when all groups are done.

        threads: CPU threads, 0 for as many as there is work for. What is certainly done in about a
        millisecond runs on the caller's own.
        budget: loop iterations of waves at most, all threads together; by default more than any
        real work takes, in proportion to the number of waves. progress: called some twenty times a
        second with groups that are done, at least, and all groups; at the end too. watch: asked as
        often whether to stop. max_messages: of threads, that are kept. scratch_bytes: as for
        `bound_to`.

        Raises:
            ExecutionError: the budget or the time is spent, a barrier is divergent, or the run was
                cancelled.
                KeyboardInterrupt, or what a callback raised: the threads have been stopped.
                Resources hold what was written until then.
        """
        return self.bound_to(bound, scratch_bytes).run(
            groups, threads=threads, budget=budget, progress=progress, watch=watch,
            max_messages=max_messages,
        )  # fmt: skip

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
        return self.bound_to(bound).run_lanes(
            count, inputs, threads=threads, budget=budget, progress=progress, watch=watch,
            max_messages=max_messages,
        )  # fmt: skip
