"""One shader of a draw, run for batch after batch of its invocations."""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.interp.engine import Counter, interpret_lanes
from softd3d.lower.bound import BoundProgram
from softd3d.lower.invocations import Interpolate
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.records import Numbers
from softd3d.pipeline.primitives.reports import Places, StageReport

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
        outcome, outputs = interpret_lanes(
            self.bound, count, inputs, counter=self.counter, watch=self.watch,
            max_messages=self.report.left, interpolate=interpolate,
        )  # fmt: skip
        self.report.note(outcome, places, details)
        return outputs
