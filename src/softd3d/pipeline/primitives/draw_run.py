"""A draw on its way: parts of its primitives through all stages, in order, on either engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from softd3d.errors import ExecutionError
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.between import PrimitiveStages
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.parts import Part, part_count, parts_of
from softd3d.pipeline.primitives.reports import StageReport, together
from softd3d.pipeline.primitives.vertices import VertexStage
from softd3d.pipeline.queries import DrawResult, PipelineStatistics

__all__ = ["DrawRun"]


class DrawRun(ABC):
    """What both engines do alike. A subclass makes the stages, and draws what reaches the pixels.

    max_messages: that are kept. vertices, stages: those before the rasteriser. reports: of all
    shaders, in the order of the stages. most: primitives that are drawn at a time.
    """

    vertices: VertexStage
    stages: PrimitiveStages
    reports: list[StageReport]
    most: int

    def __init__(self, draw: PreparedDraw, call: DrawCall, watch: Watch, max_messages: int) -> None:
        self.draw = draw
        self.call = call
        self.watch = watch
        self.max_messages = max_messages
        self.statistics = PipelineStatistics()
        self.samples_passed = 0

    @abstractmethod
    def rasterize(self, block: Block) -> None:
        """Draw primitives."""

    def run(self, progress: Callable[[int, int], None] | None) -> DrawResult:
        """Draw everything, until a shader aborts."""
        total = part_count(self.draw, self.call, self.most)
        total = self.call.instances if total == 1 else total * self.call.instances
        try:
            for part in parts_of(self.draw, self.call, self.most):
                self.watch.check()
                self.part(part)
                if progress is not None:
                    progress(part.done, total)
                if any(report.aborted is not None for report in self.reports):
                    break
        except ExecutionError as error:
            error.outcome = self.result()
            raise
        return self.result()

    def part(self, part: Part) -> None:
        """Take one part of the primitives through the pipeline."""
        self.statistics.ia_vertices += part.fetched
        self.statistics.ia_primitives += part.count
        for block in self.stages.blocks(self.vertices.shade(part), self.most):
            self.watch.check()
            if self.draw.rasterizes:
                self.statistics.c_invocations += block.count
                self.rasterize(block)

    def result(self) -> DrawResult:
        """Return what is to be reported so far."""
        self.statistics.vs_invocations = self.vertices.executed
        said = together(self.reports, self.max_messages)
        return DrawResult(
            said.poisoned, said.messages, said.messages_dropped, said.aborted, self.statistics,
            self.samples_passed, self.stages.streaming.statistics,
        )  # fmt: skip
