"""The first half of the tile kernel: what a piece covers of a tile goes on the queue of fragments.

Where nobody can see it, depth and stencil are tested here, so that what fails is never shaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast, convert, popcount, select
from softd3d.algebra.value import BOOL, F64, U32, Value
from softd3d.classes import dataclass
from softd3d.ir.graph import Pace
from softd3d.jit.draw.memory import WORD, Field, Tile, band_rows, raw_view
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.facts import TilePlan
from softd3d.jit.draw.tiles.fans import Fan
from softd3d.jit.draw.tiles.fragments import Queue
from softd3d.jit.draw.tiles.merging import Fragments, Merging
from softd3d.jit.draw.tiles.piece import Piece
from softd3d.jit.draw.tiles.targets import Spot, TileCopies
from softd3d.lower.invocations import QUAD
from softd3d.pipeline import interpolation
from softd3d.pipeline.pixel_inputs import PixelInputs
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.rasterizer import clip, triangle
from softd3d.pipeline.rasterizer.blocks import IS_SMALL, SMALL, small_covers
from softd3d.pipeline.rasterizer.conservative import has_positive_w
from softd3d.pipeline.rasterizer.triangle import Bounds
from softd3d.pipeline.shapes import (
    ConservativeShape,
    Grid,
    Offset,
    Point,
    RectangleShape,
    TriangleShape,
    shape_of,
)

__all__ = ["Rasterizing"]


@dataclass(frozen=True, slots=True)
class _Some:
    """Fragments of a block. pixel: of each lane; first: of the block's first lane, both I32.

    samples: that may be written, U32. sample: which one, in sample frequency.
    """

    first: Point
    pixel: Point
    coverage: Value
    samples: Value
    sample: Value | None


class Rasterizing:
    """The recording of pieces in a tile."""

    def __init__(
        self, r: DrawRecording, draw: PreparedDraw, plan: TilePlan, tile: Mapping[Tile, Value],
        queue: Queue, merging: Merging,
    ) -> None:  # fmt: skip
        self.r = r
        self.draw = draw
        self.plan = plan
        self.tile = tile
        self.queue = queue
        self.merging = merging
        self.rule = draw.samples
        self.columns, self.rows = plan.block.pixel_of(r.lane)
        self.number = r.variable("piece", tile[Tile.START])
        self.row = r.variable("row", tile[Tile.TOP])  # where the piece goes on
        zero = r.k.const(U32, 0)
        self.passed = r.variable("samples passed", zero)
        self.shaded = r.variable("invocations", zero)

    @property
    def is_done(self) -> Value:
        return self.r.get(self.number) >= self.tile[Tile.END]

    def record(self, most: int) -> None:
        """Rasterise pieces until they are all done, or so many lanes are on the queue."""
        r, queue = self.r, self.queue
        r.until(lambda: self.is_done | (r.get(queue.count) >= most), self.band, Pace.STATUS)

    def band(self) -> None:
        """Rasterise some rows of a piece."""
        r, tile = self.r, self.tile
        place, start = r.get(self.number), r.get(self.row)
        row = r.word(raw_view("list", self.plan.views.list), place * WORD)
        piece = self.plan.piece(r, row)
        left = integer.maximum(piece.signed(Field.LEFT), tile[Tile.LEFT])
        top = integer.maximum(piece.signed(Field.TOP), start)
        right = integer.minimum(piece.signed(Field.RIGHT), tile[Tile.RIGHT])
        bottom = integer.minimum(piece.signed(Field.BOTTOM), tile[Tile.BOTTOM])
        high, wide = self.plan.block.height, self.plan.block.width
        first = ((top - tile[Tile.TOP]) & -high) + tile[Tile.TOP]
        end = integer.minimum(bottom, first + band_rows(in_rows=self.plan.in_rows))
        blocks = _Blocks(self, piece, row, (left, top, right, end))
        r.each(
            first, end, high,
            lambda y: r.each(left & -2, right, wide, lambda x: blocks.record((x, y))),
        )  # fmt: skip
        is_whole = end.eq(bottom)
        r.set(self.number, place + select(is_whole, place.like(1), 0))
        r.set(self.row, select(is_whole, tile[Tile.TOP], end))


class _Blocks:
    """A piece in a tile: the recording of one block of pixels."""

    def __init__(
        self, all_: Rasterizing, piece: Piece, row: Value, box: tuple[Value, Value, Value, Value]
    ) -> None:
        self.all = all_
        self.r = all_.r
        self.draw = all_.draw
        self.plan = all_.plan
        self.piece = piece
        self.row = row
        self.box = box
        self.shape = shape_of(self.draw.rasterizer, self.draw.pattern, piece.screen)
        self.grid = Grid(self.shape, all_.columns, all_.rows)
        is_conservative = isinstance(self.shape, ConservativeShape)
        self.fan = Fan(self.r, piece.records, row) if is_conservative else None
        self.bounds = Bounds(
            *(piece.signed(f) for f in (Field.LEFT, Field.TOP, Field.RIGHT, Field.BOTTOM))
        )
        self.is_whole = self.covers_box()
        piece.prepare(self.plan.facts.links)

    def covers_box(self) -> Value:
        """Return whether a large triangle covers all samples of its rows in the tile."""
        r, shape = self.r, self.shape
        if not isinstance(shape, TriangleShape):
            return r.k.const(BOOL, 0)
        low_x, low_y, high_x, high_y = self.draw.pattern.extent

        def corners() -> tuple[Value, ...]:
            left, top, right, bottom = self.box
            xs = [interpolation.place(left, low_x), interpolation.place(right - 1, high_x)]
            ys = [interpolation.place(top, low_y), interpolation.place(bottom - 1, high_y)]
            places = [(convert(x, F64), convert(y, F64)) for x in xs for y in ys]
            return (clip.all_of(triangle.covers(shape.edges, x, y) for x, y in places),)

        is_large = (self.piece.field(Field.COVER) & IS_SMALL).eq(0)
        (found,) = r.k.rarely(is_large, (r.k.const(BOOL, 0),), corners)
        return found

    def record(self, first: Point) -> None:
        """Record a block, given its first pixel."""
        pixel = self.grid.pixel(first)
        left, top, right, bottom = self.box
        inside = (pixel[0] >= left) & (pixel[0] < right)
        inside = inside & (pixel[1] >= top) & (pixel[1] < bottom)
        coverage = self.coverage(first, pixel, inside)
        samples = self.all.rule.shaded(coverage)
        body = self.each_sample if self.plan.is_per_sample else self.fragments
        some = _Some(first, pixel, coverage, samples, None)
        self.r.where(self.r.lane_count(samples.ne(0)).ne(0), lambda: body(some))

    def coverage(self, first: Point, pixel: Point, inside: Value) -> Value:
        """Return the samples that the piece covers, before the sample mask."""
        r, pattern = self.r, self.draw.pattern
        if self.fan is not None:
            inside = inside & self.fan.is_new(pixel)

        def covers(index: Value) -> Value:
            offset = pattern.offset(index)
            covered = inside & self.covers(first, offset)
            return self.kept(covered, lambda: self.grid.weights(first, offset))

        zero = r.k.const(U32, 0)
        if pattern.count == 1:
            return select(covers(zero), zero.like(1), 0)
        full = select(inside, zero.like(pattern.full_mask), 0)
        key = r.variable("coverage", full)

        def of_sample(index: Value) -> None:
            bit = select(covers(index), index.like(1) << index, 0)
            r.set(key, r.get(key) | bit)

        def of_samples() -> None:
            r.set(key, zero)
            r.each_of_few(pattern.count, of_sample)

        r.where(~self.is_whole | self.tests_samples, of_samples)
        return r.forget(key)

    @property
    def tests_samples(self) -> Value:
        """Whether samples in the piece may go for other reasons."""
        never = self.r.k.const(BOOL, 0)
        if self.plan.facts.clip or self.fan is not None:
            return ~never
        return self.piece.is_tested if self.draw.rasterizer.depth_clip_enable else never

    def covers(self, first: Point, offset: Offset) -> Value:
        """Return whether samples lie in the piece."""
        if not (isinstance(self.shape, TriangleShape) and self.draw.pattern.is_center):
            return self.grid.covers(first, offset)
        cover = self.piece.field(Field.COVER)
        lane = bitcast(self.all.rows * SMALL + self.all.columns, U32)
        usual = (small_covers(cover, self.bounds, first, lane) | self.is_whole,)
        is_partial = (cover & IS_SMALL).eq(0) & ~self.is_whole
        (covers,) = self.r.k.rarely(is_partial, usual, lambda: (self.grid.covers(first, offset),))
        return covers

    def kept(self, covered: Value, weights: Callable[[], tuple[Value, ...]]) -> Value:
        """Return which covered samples the tests of depth clip and clip distances keep."""
        piece = self.piece

        def held() -> tuple[Value, ...]:
            found = weights()
            return tuple(map(clip.within_ends, found)) if len(piece.screen) == 2 else found

        def in_depth() -> tuple[Value, ...]:
            depth = interpolation.double_at(piece.clip_depth, held())
            return (covered_so_far & clip.depth_passes(depth),)

        covered_so_far = covered
        if self.draw.rasterizer.depth_clip_enable:
            (covered_so_far,) = self.r.k.rarely(piece.is_tested, (covered,), in_depth)
        for name in self.plan.facts.clip:
            distance, found = piece.floats(name), held()
            terms = interpolation.over_w(found, piece.inverse_w)
            passes = clip.distance_passes(terms if found else (), distance)
            if self.fan is not None:
                passes = passes & has_positive_w(terms)
            covered_so_far = covered_so_far & (~clip.needs_distance_test(distance) | passes)
        return covered_so_far

    # Fragments

    def each_sample(self, some: _Some) -> None:
        """Record fragments for each sample; of quads one by one where their order shows."""
        r, zero = self.r, some.samples.k.const(U32, 0)

        def of_samples(samples: Value) -> None:
            def of_sample(index: Value) -> None:
                mine = samples & (samples.like(1) << index)
                one = replace(some, samples=mine, sample=index)
                r.where(r.lane_count(mine.ne(0)).ne(0), lambda: self.fragments(one))

            r.each(zero, zero.like(self.draw.pattern.count), 1, of_sample)

        if not self.plan.in_rows:
            of_samples(some.samples)
            return
        quad = r.lane >> 2
        r.each(
            zero, zero.like(self.plan.facts.vector // QUAD), 1,
            lambda number: of_samples(select(quad.eq(number), some.samples, 0)),
        )  # fmt: skip

    def fragments(self, some: _Some) -> None:
        """Record tests that come before the shader, and put what is left on the queue."""
        r, plan, left = self.r, self.plan, some.samples
        if not plan.is_early:
            self.count_invocations(left)
        if plan.tests_first:
            left = self.all.merging.tested(self.seen_by_merger(some), left, {})
            counted = self.all.rule.counted(some.coverage, left)
            r.set(self.all.passed, r.get(self.all.passed) + popcount(counted))
        if plan.is_early:
            self.count_invocations(left)
        if self.draw.pixel is None:
            return
        number = r.lane_count(left.ne(0))
        r.where(number.ne(0), lambda: self.put(replace(some, samples=left), number))

    def count_invocations(self, samples: Value) -> None:
        if self.draw.pixel is not None:
            key = self.all.shaded
            self.r.set(key, self.r.get(key) + select(samples.ne(0), samples.like(1), 0))

    def seen_by_merger(self, some: _Some) -> Fragments:
        piece = self.piece
        viewport = piece.viewport if self.plan.facts.has_viewports else piece.viewport.like(0)
        return Fragments(
            self.spot(some), some.sample, partial(self.depth_at, some.first), piece.is_front,
            viewport,
        )  # fmt: skip

    def spot(self, some: _Some) -> Spot:
        x, y = (bitcast(n, U32) for n in some.pixel)
        targets = self.all.merging.targets
        place = targets.place(*some.first) if isinstance(targets, TileCopies) else None
        return Spot(x, y, place, self.piece.slice)

    def depth_at(self, first: Point, sample: Value) -> Value:
        """Return the depth at a sample, F32, as the rasteriser has it: not clamped."""
        weights = self.grid.weights(first, self.draw.pattern.offset(sample))
        return interpolation.value_at(self.piece.depth, weights)

    # What is asked later

    def put(self, some: _Some, number: Value) -> None:
        """Put quads on the queue, with all that is asked of them later."""
        plan, piece, spot = self.plan, self.piece, self.spot(some)
        values: dict[str, Value | None] = {"samples": some.samples, "sample": some.sample}
        if plan.has_copies:
            values["place"] = spot.place
        if not plan.has_copies or plan.pulls:
            values |= {"x": spot.x, "y": spot.y}
        if plan.facts.has_slices or plan.says:
            values["slice"] = piece.slice
        if not plan.tests_first:
            values |= self.asked_by_late_tests(some)
        if plan.pulls or (not plan.tests_first and self.all.rule.is_forced):
            values["coverage"] = some.coverage
        if plan.pulls:
            values["row"] = self.row
        if plan.says:
            values |= {"number": piece.number, "instance": piece.field(Field.INSTANCE)}
        if isinstance(self.shape, RectangleShape) and self.shape.is_alpha:
            values["area"] = bitcast(self.shape.area(some.pixel), U32)
        values |= self.inputs(some)
        all_ = number.eq(plan.facts.vector)
        self.all.queue.put(
            {n: v for n, v in values.items() if v is not None}, some.samples.ne(0), all_
        )

    def asked_by_late_tests(self, some: _Some) -> dict[str, Value | None]:
        """Return depths, one behind the other, and what else tests behind the shader ask for."""
        draw, rule = self.draw, self.draw.depth_stencil_rule
        if not rule.is_needed:
            return {}
        values: dict[str, Value | None] = {}
        if self.plan.facts.has_viewports:
            values["viewport"] = self.piece.viewport
        if rule.tests_stencil:
            values["front"] = select(self.piece.is_front, some.samples.like(1), 0)
        if some.sample is not None:
            return values | {"depth 0": bitcast(self.depth_at(some.first, some.sample), U32)}
        for n in range(draw.pattern.count):
            depth = self.depth_at(some.first, some.samples.like(n))
            values[f"depth {n}"] = bitcast(depth, U32)
        return values

    def inputs(self, some: _Some) -> dict[str, Value]:
        """Return the inputs of the pixel shader by name, U32."""
        inputs = PixelInputs(
            self.draw.pattern, self.all.rule, self.piece, self.shape, some.pixel, some.coverage,
            self.inner(some), some.sample, partial(self.grid.weights, some.first),
        )  # fmt: skip
        return {link.name: inputs.value(link) for link in self.plan.facts.links}

    def inner(self, some: _Some) -> Value:
        """Return SV_InnerCoverage."""
        if self.fan is None or not self.draw.reads_inner_coverage:
            return some.coverage.like(0)
        is_inside = some.coverage.ne(0) & self.fan.is_inside(some.pixel)
        return select(is_inside, some.coverage.like(1), 0)
