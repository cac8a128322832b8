"""Primitives between the vertex shader and the rasteriser: all stages that work on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.effects import runs_in_step
from softd3d.pipeline.primitives.geometry import GeometryStage
from softd3d.pipeline.primitives.means import Means
from softd3d.pipeline.primitives.patches import PatchStages
from softd3d.pipeline.primitives.reports import StageReport
from softd3d.pipeline.primitives.stage_programs import RunStage, StageProgram
from softd3d.pipeline.primitives.streaming import Streaming
from softd3d.pipeline.queries import PipelineStatistics

__all__ = ["PrimitiveStages"]


class PrimitiveStages:
    """The stages of one draw that work on primitives.

    programs: of `stage_programs`. run: the engine. most: messages that are kept of each shader.
    means: the engine's. reports: of the shaders, in their order. in_step: whether primitives go
    through all stages singly, see `runs_in_step`.
    """

    def __init__(
        self, draw: PreparedDraw, programs: Sequence[StageProgram], run: RunStage, watch: Watch,
        statistics: PipelineStatistics, most: int, means: Means | None = None,
    ) -> None:  # fmt: skip
        means = means or Means()
        self.draw = draw
        self.reports: list[StageReport] = []
        self.streaming = Streaming(draw.stream_output, means)
        self.patches: PatchStages | None = None
        self.geometry: GeometryStage | None = None
        self.in_step = runs_in_step(draw)
        if draw.hull is not None and draw.domain is not None:
            hull, domain = StageReport("hs", draw.hull, most), StageReport("ds", draw.domain, most)
            self.reports += hull, domain
            self.patches = PatchStages(
                draw, programs, run, (hull, domain), watch, statistics, means
            )
        if draw.geometry is not None:
            report = StageReport("gs", draw.geometry, most)
            self.reports.append(report)
            program = next(program for program in programs if program.stage == "gs")
            self.geometry = GeometryStage(program, run, report, watch, statistics, means)
            if self.in_step:
                self.geometry.together = 1

    def blocks(self, block: Block, most: int) -> Iterator[Block]:
        """Yield what reaches the rasteriser of primitives, at most `most` together, in order.

        most: 1 if the stages run in step. Primitives with adjacency have all their vertices if
            there is a geometry shader.
        """
        for stream, made in self._made(block):
            self.streaming.write(stream, made)
            if stream == self.draw.rasterized_stream:
                yield from made.parts(most)

    def _made(self, block: Block) -> Iterator[tuple[int, Block]]:
        """Yield streams and primitives of the last stage."""
        blocks: Iterable[Block] = [block] if self.patches is None else self.patches.blocks(block)
        for made in blocks:
            if self.geometry is None:
                yield 0, made
                continue
            yield from self.geometry.blocks(made)
            if self.geometry.report.aborted:
                return
