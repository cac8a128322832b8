"""The first half of the tile kernel: what a piece covers of a tile goes on the queue of fragments.

Where nobody can see it, depth and stencil are tested here, so that what fails is never shaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast, convert, popcount, select
from softd3d.algebra.value import BOOL, F64, U32, Value
from softd3d.classes import dataclass
from softd3d.ir.graph import Pace
from softd3d.jit.draw.memory import WORD, Field, Tile, band_rows, raw_view
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.bunch import Bunch, BunchPiece
from softd3d.jit.draw.tiles.facts import TilePlan
from softd3d.jit.draw.tiles.fans import Fan
from softd3d.jit.draw.tiles.fragments import Queue
from softd3d.jit.draw.tiles.merging import Fragments, Merging
from softd3d.jit.draw.tiles.packed import PackedQuads
from softd3d.jit.draw.tiles.piece import Piece
from softd3d.jit.draw.tiles.targets import Spot, TileCopies
from softd3d.lower.invocations import QUAD
from softd3d.lower.registers import Key
from softd3d.pipeline import interpolation
from softd3d.pipeline.pixel_inputs import PixelInputs
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.rasterizer import clip, triangle
from softd3d.pipeline.rasterizer.conservative import has_positive_w
from softd3d.pipeline.shapes import (
    ConservativeShape,
    Grid,
    Point,
    RectangleShape,
    Shape,
    TriangleShape,
    shape_of,
)

__all__ = ["Rasterizing"]

_EDGES = 3


@dataclass(frozen=True, slots=True)
class _Some:
    """Fragments of a block. pixel: of each lane; first: from which the grid counts, both I32.

    place: in the copies of targets. samples: that may be written, U32. sample: which one, in sample
    frequency.
    """

    first: Point
    pixel: Point
    place: Value | None
    coverage: Value
    samples: Value
    sample: Value | None


class Rasterizing:
    """The recording of pieces in a tile."""

    def __init__(
        self, r: DrawRecording, draw: PreparedDraw, plan: TilePlan, tile: Mapping[Tile, Value],
        queue: Queue, merging: Merging, bunch: Bunch | None,
    ) -> None:  # fmt: skip
        self.r = r
        self.draw = draw
        self.plan = plan
        self.tile = tile
        self.queue = queue
        self.merging = merging
        self.bunch = bunch
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
        if self.bunch is not None:
            piece = self.bunch.piece(piece, place, start)
        blocks = _Blocks(self, piece, row, start)
        is_whole = blocks.end.eq(blocks.bottom)
        blocks.record_all()
        r.set(self.number, place + select(is_whole, place.like(1), 0))
        r.set(self.row, select(is_whole, tile[Tile.TOP], blocks.end))


class _Blocks:
    """A piece in a tile: the recording of one block of pixels.

    box: left, top, right, bottom of what is drawn of it now, end: its bottom; bottom: of all in the
    tile; first: where blocks begin; is_whole: whether all samples in the box are covered; steps: of
    the grid. Of small triangles that are packed all these are 0.
    """

    def __init__(self, all_: Rasterizing, piece: Piece, row: Value, start: Value) -> None:
        self.all = all_
        self.r = all_.r
        self.draw = all_.draw
        self.plan = all_.plan
        self.piece = piece
        self.row = row
        if not isinstance(piece, BunchPiece):
            self.known = shape_of(self.draw.rasterizer, self.draw.pattern, piece.screen)
        is_conservative = isinstance(self.shape, ConservativeShape)
        self.fan = Fan(self.r, piece.records, row) if is_conservative else None
        self.packed = None
        if self.plan.packs:
            self.packed = PackedQuads(self.r, piece, all_.tile, self.plan.facts.vector)
        left, top, right, end, first, bottom, self.is_whole, *self.steps = self.large(start)
        self.box = left, top, right, end
        self.first, self.end, self.bottom = first, end, bottom
        self.grid = Grid(self.shape, all_.columns, all_.rows, self.steps)
        piece.prepare(self.plan.facts.links)

    @property
    def shape(self) -> Shape:
        """The shape; of a piece that was set up, loaded where it is used."""
        return self.piece.shape if isinstance(self.piece, BunchPiece) else self.known

    def large(self, start: Value) -> tuple[Value, ...]:
        """Return what the blocks of a piece are made of; start: its first row now."""
        k, tile, piece = self.r.k, self.all.tile, self.piece

        def numbers() -> tuple[Value, ...]:
            left = integer.maximum(piece.signed(Field.LEFT), tile[Tile.LEFT])
            top = integer.maximum(piece.signed(Field.TOP), start)
            right = integer.minimum(piece.signed(Field.RIGHT), tile[Tile.RIGHT])
            bottom = integer.minimum(piece.signed(Field.BOTTOM), tile[Tile.BOTTOM])
            first = ((top - tile[Tile.TOP]) & -self.plan.block.height) + tile[Tile.TOP]
            end = integer.minimum(bottom, first + band_rows(in_rows=self.plan.in_rows))
            is_whole = self.covers_box((left, top, right, end))
            steps = Grid(self.shape, self.all.columns, self.all.rows).steps
            return left, top, right, end, first, bottom, is_whole, *steps

        if self.packed is None:
            return numbers()
        none = (start.like(0),) * 6 + (k.const(BOOL, 0),) + (k.const(F64, 0.0),) * _EDGES
        return k.rarely(~self.packed.is_small, none, numbers)

    def covers_box(self, box: tuple[Value, Value, Value, Value]) -> Value:
        """Return whether a triangle covers all samples of its rows in the tile."""
        r, shape = self.r, self.shape
        if not isinstance(shape, TriangleShape):
            return r.k.const(BOOL, 0)
        low_x, low_y, high_x, high_y = self.draw.pattern.extent
        left, top, right, bottom = box
        xs = [interpolation.place(left, low_x), interpolation.place(right - 1, high_x)]
        ys = [interpolation.place(top, low_y), interpolation.place(bottom - 1, high_y)]
        places = [(convert(x, F64), convert(y, F64)) for x in xs for y in ys]
        return clip.all_of(triangle.covers(shape.edges, x, y) for x, y in places)

    def record_all(self) -> None:
        """Record the blocks of a piece, or the quads of a small one, some at a time."""
        if self.packed is not None:
            self.record_packed(self.packed)
            return
        left, _, right, end = self.box
        wide, high = self.plan.block.width, self.plan.block.height
        self.r.each(
            self.first, end, high,
            lambda y: self.r.each(left & -2, right, wide, lambda x: self.record((x, y))),
        )  # fmt: skip

    def record(self, first: Point) -> None:
        """Record a block, given its first pixel."""
        targets = self.all.merging.targets
        place = targets.place(*first) if isinstance(targets, TileCopies) else None
        self.rest_of(first, place, self.samples_of_block(first))

    def record_packed(self, packed: PackedQuads) -> None:
        """Record blocks, or packed quads instead: those that a variable has bits for."""
        r, block = self.r, self.plan.block
        left, _, right, end = self.box
        key = r.variable("quads", packed.quads)

        def row(y: Value) -> None:
            column = r.variable("column", left & -2)

            def one() -> None:
                self.step(packed, (r.get(column), y), key)
                r.set(column, r.get(column) + block.width)

            def is_done() -> Value:
                return select(packed.is_small, r.get(key).eq(0), r.get(column) >= right)

            r.until(is_done, one)
            r.forget(column)

        last = select(packed.is_small, self.first + block.height, end)
        r.each(self.first, last, block.height, row)
        r.forget(key)

    def step(self, packed: PackedQuads, first: Point, key: Key) -> None:
        """Record a block, or as many quads."""
        r, all_ = self.r, self.all
        targets = all_.merging.targets
        zero, steps = r.k.const(U32, 0), self.steps[1:]
        numbers = [all_.columns, all_.rows, *steps, zero, zero]
        keys = [r.variable("of lanes", n) for n in numbers]

        def leave(values: Sequence[Value]) -> None:
            for one, value in zip(keys, values, strict=True):
                r.set(one, value)

        def of_block() -> None:
            place = targets.place(*first) if isinstance(targets, TileCopies) else zero
            leave([all_.columns, all_.rows, *steps, place, self.samples_of_block(first)])

        def of_quads() -> None:
            found = packed.next(key)
            place = zero
            if isinstance(targets, TileCopies):
                place = targets.place_of(packed.pixel(found.quad)) + (r.lane & QUAD - 1)
            steps = packed.steps(found.place, self.shape)
            leave([*found.place, *steps, place, found.samples])

        r.branch(packed.is_small, of_quads, of_block)
        columns, rows, *steps, place, samples = (r.forget(one) for one in keys)
        self.grid = Grid(self.shape, columns, rows, [steps[0], *steps])
        x, y = (select(packed.is_small, a, b) for a, b in zip(packed.first, first, strict=True))
        self.rest_of((x, y), place, samples)

    def samples_of_block(self, first: Point) -> Value:
        """Return the samples of a block that the piece covers, U32."""
        grid = Grid(self.shape, self.all.columns, self.all.rows, self.steps)
        pixel = grid.pixel(first)
        left, top, right, bottom = self.box
        inside = (pixel[0] >= left) & (pixel[0] < right)
        inside = inside & (pixel[1] >= top) & (pixel[1] < bottom)
        if self.fan is not None:
            inside = inside & self.fan.is_new(pixel)
        r, pattern = self.r, self.draw.pattern
        zero = r.k.const(U32, 0)
        if pattern.count == 1:
            (covered,) = r.k.rarely(
                ~self.is_whole, (inside,),
                lambda: (inside & grid.covers(first, pattern.offset(zero)),),
            )  # fmt: skip
            return select(covered, zero.like(1), 0)
        key = r.variable("coverage", select(inside, zero.like(pattern.full_mask), 0))

        def of_sample(index: Value) -> None:
            covers = inside & grid.covers(first, pattern.offset(index))
            r.set(key, r.get(key) | select(covers, index.like(1) << index, 0))

        def of_samples() -> None:
            r.set(key, zero)
            r.each_of_few(pattern.count, of_sample)

        r.where(~self.is_whole, of_samples)
        return r.forget(key)

    def rest_of(self, first: Point, place: Value | None, covered: Value) -> None:
        """Record what happens to the covered samples of pixels."""
        coverage = self.kept_samples(first, covered)
        samples = self.all.rule.shaded(coverage)
        body = self.each_sample if self.plan.is_per_sample else self.fragments
        some = _Some(first, self.grid.pixel(first), place, coverage, samples, None)
        self.r.where(self.r.lane_count(samples.ne(0)).ne(0), lambda: body(some))

    # Tests of samples

    def kept_samples(self, first: Point, covered: Value) -> Value:
        """Return which covered samples the tests of depth clip and clip distances keep."""
        r, pattern = self.r, self.draw.pattern
        if not (self.plan.facts.clip or self.draw.rasterizer.depth_clip_enable):
            return covered

        def kept(index: Value) -> Value:
            is_covered = (covered >> index & 1).ne(0)
            return self.kept(is_covered, lambda: self.grid.weights(first, pattern.offset(index)))

        if pattern.count == 1:
            return select(kept(covered.like(0)), covered, 0)
        key = r.variable("kept", covered)

        def of_sample(index: Value) -> None:
            lost = select(kept(index), index.like(0), 1)
            r.set(key, r.get(key) & ~(lost << index))

        r.where(self.tests_samples, lambda: r.each_of_few(pattern.count, of_sample))
        return r.forget(key)

    @property
    def tests_samples(self) -> Value:
        """Whether samples in the piece may go for other reasons than edges."""
        is_certain = bool(self.plan.facts.clip)
        return self.r.k.const(BOOL, 1) if is_certain else self.piece.is_tested

    def kept(self, covered: Value, weights: Callable[[], tuple[Value, ...]]) -> Value:
        """Return which covered samples the tests keep."""
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
        return Spot(x, y, some.place, self.piece.slice, in_quads=self.packed is not None)

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
        links = self.plan.facts.links
        return self.piece.unless_constant({k.name: inputs.value(k) for k in links}, links)

    def inner(self, some: _Some) -> Value:
        """Return SV_InnerCoverage."""
        if self.fan is None or not self.draw.reads_inner_coverage:
            return some.coverage.like(0)
        is_inside = some.coverage.ne(0) & self.fan.is_inside(some.pixel)
        return select(is_inside, some.coverage.like(1), 0)
