"""The second half of the tile kernel: waves of the queue through pixel shader and merger."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.operations import bitcast, popcount, select
from softd3d.algebra.value import BOOL, F32, I32, U32, Value
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.facts import TilePlan
from softd3d.jit.draw.tiles.fragments import Queue
from softd3d.jit.draw.tiles.merging import ALPHA, Fragments, Merging
from softd3d.jit.draw.tiles.rasterizing import Rasterizing
from softd3d.jit.draw.tiles.targets import Spot
from softd3d.lower.invocations import QUAD
from softd3d.lower.stage import COVERED
from softd3d.pipeline.pixel_inputs import PixelInputs
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.shapes import shape_of

__all__ = ["Shading"]

_QUAD_BITS = 6  # of an invocation's place in a wave: 16 samples of four pixels


class Shading:
    """The recording of a wave of fragments."""

    def __init__(
        self, r: DrawRecording, draw: PreparedDraw, plan: TilePlan, queue: Queue,
        merging: Merging, pieces: Rasterizing,
    ) -> None:  # fmt: skip
        self.r = r
        self.draw = draw
        self.plan = plan
        self.queue = queue
        self.merging = merging
        self.pieces = pieces
        self.waves = r.variable("wave", r.k.const(U32, 0))  # which are counted for messages

    def record(self, first: Value) -> None:
        """Record a wave, given its first lane on the queue."""
        r, quads = self.r, self.plan.facts.lanes // QUAD
        if self.plan.says:
            r.set(self.waves, r.get(self.waves) + 1)
        wave = _Wave(self, first)
        samples = wave.column("samples")
        if not self.plan.is_in_order or quads == 1:
            wave.record(samples)
            return
        quad, zero = r.entry("flat") >> 2, r.k.const(U32, 0)

        def of_quad(number: Value) -> None:
            mine = select(quad.eq(number), samples, 0)
            r.where(r.any_of_quad(mine.ne(0)), lambda: wave.record(mine))

        r.each(zero, zero.like(quads), 1, of_quad)


class _Wave:
    """One wave that is being recorded."""

    def __init__(self, shading: Shading, first: Value) -> None:
        self.shading = shading
        self.first = first
        self.r = shading.r
        self.draw = shading.draw
        self.plan = shading.plan
        self.merging = shading.merging
        self.row: Value | None = None
        self.is_row = self.r.k.const(BOOL, 0)
        if self.plan.has_copies:
            self._find_row()

    def _find_row(self) -> None:
        """Find out whether all lanes lie side by side in the copies, as those of one piece do."""
        r = self.r
        self.row = self.shading.queue.one("place", self.first) + r.entry("flat")
        is_there = self.column("place").eq(self.row)
        self.is_row = r.lane_count(is_there).eq(self.plan.facts.lanes)

    def column(self, name: str) -> Value:
        return self.shading.queue.at(name, self.first)

    def or_zero(self, name: str) -> Value:
        is_there = name in self.shading.queue.columns
        return self.column(name) if is_there else self.r.k.const(U32, 0)

    def record(self, samples: Value) -> None:
        """Shade, and merge what is left."""
        outputs = self.shaded(samples)
        left = self.merging.left_by_shader(samples, outputs)
        self.each_turn(left, lambda mine: self.merge(mine, outputs))

    def shaded(self, samples: Value) -> dict[str, Value]:
        r = self.r
        given = {link.name: self.or_zero(link.name) for link in self.plan.facts.links}
        r.env[COVERED] = select(samples.ne(0), samples.like(1), 0).raw
        self.say_who()
        outputs = r.pixel_shader(given, self.draw.pattern, self.plan.facts.links, self.pulled())
        r.env.pop(COVERED, None)
        if self.plan.says:
            r.k.node("invocation", None, ())
        if "area" in self.shading.queue.columns and ALPHA in outputs:
            area = bitcast(self.column("area"), F32)
            outputs[ALPHA] = bitcast(bitcast(outputs[ALPHA], F32) * area, U32)
        return outputs

    def pulled(self) -> PixelInputs | None:
        """Return what evaluates inputs at other places, if the shader does."""
        if not self.plan.pulls:
            return None
        draw, piece = self.draw, self.plan.piece(self.r, self.column("row"))
        shape = shape_of(draw.rasterizer, draw.pattern, piece.screen)
        x, y = (bitcast(self.column(name), I32) for name in ("x", "y"))
        coverage = self.column("coverage")
        return PixelInputs(
            draw.pattern, draw.samples, piece, shape, (x, y), coverage, coverage.like(0),
            self.sample,
        )  # fmt: skip

    @property
    def sample(self) -> Value | None:
        return self.column("sample") if self.plan.is_per_sample else None

    def say_who(self) -> None:
        """Let messages say whose they are, and come in the order of invocations."""
        r = self.r
        if not self.plan.says:
            return
        flat, sample = r.entry("flat"), self.or_zero("sample")
        part = ((flat >> 2) << _QUAD_BITS) + (sample << 2) + (flat & 3)
        r.k.node("invocation", None, (r.get(self.shading.waves).raw, part.raw))
        names = ("x", "y", "slice", "number", "instance")
        r.places = (*(self.column(name) for name in names), sample)

    # The merger

    def each_turn(self, left: Value, body: Callable[[Value], None]) -> None:
        """Record what happens to pixels in the order of fragments.

        All lanes take one turn, but where quads of a wave are at the same place: then each its own.
        If nothing is read there, it is enough that quads are stored one after the other.
        """
        r, lanes = self.r, self.plan.facts.lanes
        quads, zero = lanes // QUAD, r.k.const(U32, 0)
        is_read = self.merging.reads_colors or (
            self.merging.tests_depth and not self.plan.tests_first
        )
        is_stored_in_turn = self.plan.has_copies and not is_read
        if quads == 1 or self.plan.is_in_order or is_stored_in_turn:
            body(left)
            return
        key = r.variable("meetings", zero)
        r.where(~self.is_row, lambda: r.set(key, self.meetings()))
        one_turn = r.forget(key).eq(0)
        quad = r.entry("flat") >> 2
        r.each(
            zero, select(one_turn, zero.like(1), quads), 1,
            lambda turn: body(select(one_turn | quad.eq(turn), left, 0)),
        )  # fmt: skip

    def meetings(self) -> Value:
        """Return how many lanes have the place of one in a quad behind, U32."""
        r, lanes = self.r, self.plan.facts.lanes
        names = ("place",) if self.plan.has_copies else ("x", "y")
        flat, total = r.entry("flat"), None
        for distance in range(QUAD, lanes, QUAD):
            meets = flat < lanes - distance
            for name in names:
                behind = self.shading.queue.at(name, self.first + distance)
                meets = meets & self.column(name).eq(behind)
            total = meets if total is None else total | meets
        assert total is not None  # noqa: S101 - there are several quads
        return r.lane_count(total)

    def merge(self, left: Value, outputs: dict[str, Value]) -> None:
        fragments = self.fragments()
        if not self.plan.tests_first:
            left = self.merging.tested(fragments, left, outputs)
            coverage = self.or_zero("coverage")
            counted = popcount(self.draw.samples.counted(coverage, left))
            passed = self.shading.pieces.passed
            self.r.set(passed, self.r.get(passed) + counted)
        self.merging.write_colors(fragments, left, outputs)

    def fragments(self) -> Fragments:
        place = self.column("place") if self.plan.has_copies else None
        x, y = (None, None) if self.plan.has_copies else (self.column(n) for n in ("x", "y"))
        spot = Spot(x, y, place, self.or_zero("slice"), self.row, self.is_row)
        is_front = self.or_zero("front").ne(0)
        return Fragments(spot, self.sample, self.depth_at, is_front, self.or_zero("viewport"))

    def depth_at(self, sample: Value) -> Value:
        """Return the depth at a sample, F32, not clamped."""
        if self.plan.is_per_sample:
            sample = sample.like(0)
        return bitcast(self.shading.queue.at("depth 0", self.first, sample), F32)
