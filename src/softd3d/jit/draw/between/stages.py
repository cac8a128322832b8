"""Hull, domain and geometry shaders as native code: batches of lanes with stage memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from softd3d.jit.draw.memory import Bound
from softd3d.jit.engine import compile_kernel
from softd3d.jit.running.kernel import Budget
from softd3d.lower.bound import BoundProgram
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.effects import has_effects
from softd3d.pipeline.primitives.records import Numbers
from softd3d.pipeline.primitives.reports import PlacesOf, StageReport
from softd3d.pipeline.primitives.stage_runs import run_descriptors

__all__ = ["StageKernel"]


class StageKernel:
    """A hull shader's phase, a domain or a geometry shader, compiled when a draw is prepared."""

    def __init__(self, bound: BoundProgram, lanes: int = 0, watch: Watch | None = None) -> None:
        """Compile a program, or take what was compiled before.

        lanes: of a wave, 4, 8 or 16; 0 for what suits the machine. watch: what may stop it.

        Raises:
            DecodeError, LoweringError, ResourceError: it cannot be lowered.
            ExecutionError: `watch` has stopped it.
        """
        self.bound = bound.with_stage_memory()
        self.kernel = compile_kernel(self.bound, lanes=lanes, watch=watch)
        self.in_order = has_effects(bound)

    def run(
        self, report: StageReport, count: int, inputs: Mapping[str, Numbers],
        memory: Sequence[Numbers], places: PlacesOf, *, threads: int = 0,
        budget: Budget | None = None, watch: Watch | None = None,
    ) -> dict[str, Numbers]:  # fmt: skip
        """Run the program for lanes; return their outputs by name.

        report: takes what the run reports, by `places`. memory: the arrays of `stage_arrays` in
        their order: uint32, C-contiguous. threads: CPU threads, 0 for all. budget: loop iterations
        that runs may take together.

        Raises:
            ExecutionError: the budget or the time is spent, or the run was cancelled.
            ResourceError: arrays are missing, or too small for what the lanes name.
        """
        outcome, outputs = self.kernel.run_lanes(
            Bound(run_descriptors(self.bound, inputs, memory), self.bound.constants), count, inputs,
            threads=1 if self.in_order else threads,  # effects: in order
            budget=budget, watch=watch, max_messages=report.left,
        )  # fmt: skip
        report.note(outcome, places)
        return outputs
