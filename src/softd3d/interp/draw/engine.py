"""Run a draw: parts of primitives through all stages, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from softd3d.classes import dataclass
from softd3d.interp.draw import quads
from softd3d.interp.draw.invocations import Invocations, invocations_of
from softd3d.interp.draw.order import batches
from softd3d.interp.draw.outputs import left_by_shader, passed_tests, scaled_alpha, write_colors
from softd3d.interp.draw.pixel_inputs import inputs_of, interpolator
from softd3d.interp.draw.quads import Fragments, fragments_of
from softd3d.interp.draw.stage import Stage
from softd3d.interp.draw.vertex_inputs import vertex_inputs
from softd3d.interp.engine import Counter
from softd3d.lower.bound import BoundProgram
from softd3d.lower.inputs import rasterizer_fact
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.stage import COVERED
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.between import PrimitiveStages
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.boxes import boxes_of
from softd3d.pipeline.primitives.draw_run import DrawRun
from softd3d.pipeline.primitives.facing import drawn
from softd3d.pipeline.primitives.parts import MOST_PRIMITIVES
from softd3d.pipeline.primitives.pieces import Pieces, pieces_of
from softd3d.pipeline.primitives.records import Numbers, lanes, spread, taken
from softd3d.pipeline.primitives.reports import PlacesOf, StageReport
from softd3d.pipeline.primitives.stage_programs import StageProgram, stage_programs
from softd3d.pipeline.primitives.vertices import VertexStage
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.shapes import Shape, shape_of
from softd3d.pipeline.stages import (
    links_of,
    rasterizer_inputs,
    runs_per_sample,
    sees_earlier_pixels,
    tests_early,
    unwritten,
)

__all__ = ["InterpretedRun", "Merged", "draw_interpreted"]


def draw_interpreted(
    draw: PreparedDraw, call: DrawCall, *, budget: int | None = None, watch: Watch | None = None,
    progress: Callable[[int, int], None] | None = None, max_messages: int = DEFAULT_MESSAGES,
) -> DrawResult:  # fmt: skip
    """Draw in order and return what is to be reported; targets are written in place.

    budget: instructions to execute at most, counted once for each batch of lanes; by default four
    million for each batch. watch: asked now and then whether to stop. progress: called with the
    parts of the draw that are done and all parts. max_messages: how many messages are kept.

    Raises:
        ExecutionError: the budget or the time is spent, or the run was cancelled; targets hold what
            was written until then.
        DecodeError, LoweringError: a shader is malformed, or needs what is not supported yet.
        ResourceError: the vertex shader writes no SV_Position.
    """
    return InterpretedRun(draw, call, budget, watch or Watch(), max_messages).run(progress)


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of invocations.

    outputs: of the shader, by name. Others are masks of the targets' samples. shaded: those that
    the shader ran for, after early tests. left: those that it left. passed: those written.
    """

    outputs: Mapping[str, Numbers]
    shaded: Numbers
    left: Numbers
    passed: Numbers


class InterpretedRun(DrawRun):
    """A draw on its way: all fragments of a part at once."""

    def __init__(
        self, draw: PreparedDraw, call: DrawCall, budget: int | None, watch: Watch,
        max_messages: int,
    ) -> None:  # fmt: skip
        super().__init__(draw, call, watch, max_messages)
        self.counter = None if budget is None else Counter(budget, watch)
        before, pixel, stream = draw.last.declarations, draw.pixel, draw.rasterized_stream or 0
        self.reports: list[StageReport] = []
        self.vertex = self.stage("vs", draw.vertex)
        self.vertices = VertexStage(draw, call, self.shade_vertices, self.vertex.report)
        self.stages = PrimitiveStages(
            draw, stage_programs(draw), self.run_program, watch, self.statistics, max_messages
        )
        self.most = 1 if self.stages.in_step else MOST_PRIMITIVES
        self.reports += self.stages.reports
        self.pixel = None
        self.links = ()
        self.per_sample = self.is_early = self.is_ordered = False
        if pixel is not None:
            self.pixel = self.stage("ps", pixel)
            if draw.rasterizes:
                self.links = links_of(before, pixel.declarations, stream)
            self.pixel.report.poison(unwritten(self.links, before, stream))
            self.per_sample = runs_per_sample(pixel.declarations) and not draw.is_forced
            self.is_early = tests_early(pixel.declarations)
            self.is_ordered = sees_earlier_pixels(pixel)
        self.taken = rasterizer_inputs(before, stream) if draw.rasterizes else None

    def stage(self, name: str, bound: BoundProgram) -> Stage:
        """Make a stage, whose reports follow those of the stages before."""
        report = StageReport(name, bound, self.max_messages)
        self.reports.append(report)
        return Stage(bound, report, self.counter, self.watch)

    def rasterize(self, block: Block) -> None:
        assert self.taken is not None  # noqa: S101 - the rasteriser is on
        whole = pieces_of(self.draw, self.taken, self.links, block)
        pieces = drawn(self.draw, whole, self.links)
        if not pieces.count:
            return
        shape = shape_of(self.draw.rasterizer, self.draw.pattern, pieces.screen)
        boxes = boxes_of(self.draw, pieces, shape)
        seen = pieces.primitive[~boxes.is_empty]
        self.statistics.c_primitives += np.unique(seen).size
        for fragments in fragments_of(self.draw, pieces, shape, boxes):
            self.watch.check()
            if fragments.count:
                self.fragments(pieces, shape, fragments)

    def shade_vertices(self, vertex: Numbers, instance: Numbers) -> dict[str, Numbers]:
        """Run the vertex shader."""
        inputs = vertex_inputs(self.draw, self.call, vertex, instance)
        zero = np.zeros_like(vertex)
        return self.vertex.run(vertex.size, inputs, (vertex, instance, zero))

    def run_program(
        self, report: StageReport, program: StageProgram, count: int,
        inputs: Mapping[str, Numbers], arrays: Mapping[str, Numbers], places: PlacesOf,
    ) -> Mapping[str, Numbers]:  # fmt: skip
        """Run a shader that works on primitives, as `RunStage`."""
        stage = Stage(program.bound, report, self.counter, self.watch)
        return stage.run_with_memory(count, inputs, program.memory(arrays), places)

    def fragments(self, pieces: Pieces, shape: Shape, fragments: Fragments) -> None:
        """Shade fragments and merge them, in sample frequency few quads at a time."""
        rule = self.draw.samples
        most = max(1, quads.MOST_QUADS // (rule.count if self.per_sample else 1))
        for rows in batches(fragments, most, is_ordered=self.is_ordered):
            some = taken(fragments, rows)
            mine = invocations_of(pieces, shape, some, rule, per_sample=self.per_sample)
            if mine.count:
                self.merge(mine)

    def merge(self, mine: Invocations) -> Merged:
        """Shade invocations and merge them into the targets."""
        draw, shaded = self.draw, mine.samples
        outputs: Mapping[str, Numbers] = {}
        if self.is_early:
            shaded = passed_tests(draw, mine, shaded, {}, self.watch)
            self.count(mine, shaded)
        if self.pixel is not None:
            outputs = self.shade(self.pixel, mine, shaded)
        left = passed = left_by_shader(draw, shaded, outputs)
        if not self.is_early:
            passed = passed_tests(draw, mine, left, outputs, self.watch)
            self.count(mine, passed)
        write_colors(draw, mine, passed, outputs, self.watch)
        return Merged(outputs, shaded, left, passed)

    def count(self, mine: Invocations, passed: Numbers) -> None:
        """Count samples for occlusion queries."""
        counted = self.draw.samples.counted(lanes(mine.coverage), lanes(passed))
        self.samples_passed += int(np.bitwise_count(spread(counted, mine.count)).sum())

    def shade(self, stage: Stage, mine: Invocations, samples: Numbers) -> dict[str, Numbers]:
        """Run the pixel shader on all quads. samples: that each stands for, 0 of helpers."""
        evaluated = inputs_of(self.draw, mine)
        inputs = {
            link.name: np.array(spread(evaluated.value(link), mine.count)) for link in self.links
        }
        is_real = samples != 0
        inputs[COVERED[0]] = is_real.astype(np.uint32)
        for field, number in self.draw.pattern.facts.items():
            inputs[rasterizer_fact(field)] = np.full(mine.count, number, np.uint32)
        self.statistics.ps_invocations += int(np.count_nonzero(is_real))
        zero = np.zeros(mine.count, np.uint32)
        places = mine.x.astype(np.uint32), mine.y.astype(np.uint32), mine.pieces.slice
        sample = zero if mine.sample is None else mine.sample
        details = mine.pieces.number, mine.pieces.instance, sample
        interpolate = interpolator(self.draw, self.links, mine)
        outputs = stage.run(mine.count, inputs, places, details, interpolate)
        return scaled_alpha(mine, outputs)
