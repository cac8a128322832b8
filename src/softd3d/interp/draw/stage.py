"""One shader of a draw, run for batch after batch of its invocations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from softd3d.interp.engine import Counter, interpret_lanes
from softd3d.lower.bound import BoundProgram
from softd3d.lower.invocations import Interpolate
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.records import Numbers
from softd3d.pipeline.primitives.reports import Places, PlacesOf, StageReport
from softd3d.pipeline.primitives.stage_runs import run_descriptors

__all__ = ["Stage"]


class Stage:
    """A shader, and what its invocations report.

    counter: of the draw's instructions, None if the caller gives no budget.
    """

    def __init__(
        self, bound: BoundProgram, report: StageReport, counter: Counter | None, watch: Watch
    ) -> None:
        self.bound = bound
        self.report = report
        self.counter = counter
        self.watch = watch

    def run(
        self, count: int, inputs: Mapping[str, Numbers], places: Places,
        details: Places | None = None, interpolate: Interpolate | None = None,
    ) -> dict[str, Numbers]:  # fmt: skip
        """Run invocations and return their outputs by name. places, details: as reported."""
        return self._run(self.bound, count, inputs, places, details, interpolate)

    def run_with_memory(
        self, count: int, inputs: Mapping[str, Numbers], memory: Sequence[Numbers], places: PlacesOf
    ) -> dict[str, Numbers]:
        """Run a hull shader's phase, a domain or a geometry shader; return outputs by name.

        memory: the arrays of `stage_arrays` in their order: uint32, C-contiguous.

        Raises:
            ResourceError: arrays are missing, or too small for what the lanes name.
        """
        bound = self.bound.with_stage_memory()
        bound = replace(bound, descriptors=run_descriptors(bound, inputs, memory))
        return self._run(bound, count, inputs, places, None, None)

    def _run(
        self, bound: BoundProgram, count: int, inputs: Mapping[str, Numbers],
        places: Places | PlacesOf,
        details: Places | None, interpolate: Interpolate | None,
    ) -> dict[str, Numbers]:  # fmt: skip
        outcome, outputs = interpret_lanes(
            bound, count, inputs, counter=self.counter, watch=self.watch,
            max_messages=self.report.left, interpolate=interpolate,
        )  # fmt: skip
        self.report.note(outcome, places, details)
        return outputs
