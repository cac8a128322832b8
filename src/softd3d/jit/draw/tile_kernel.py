"""The tile kernel: pieces on a tile's list, in order, through rasteriser, pixel shader and merger.

A tile is a thread group of one wave. Its lanes go over the tile in blocks of quads, two pixels
high: lanes 4n to 4n + 3 are a quad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast, popcount, select
from softd3d.algebra.value import I32, U32, Value
from softd3d.ir.graph import Check, Graph, Pace, no_check
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.draw.fans import Fan
from softd3d.jit.draw.memory import (
    DEPTH,
    WORD,
    Field,
    Tile,
    raw_view,
)
from softd3d.jit.draw.merging import Merging
from softd3d.jit.draw.piece import Piece
from softd3d.jit.draw.recording import DrawRecording, empty_program
from softd3d.lower.declarations import Declarations
from softd3d.lower.invocations import QUAD
from softd3d.lower.registers import Key
from softd3d.lower.stage import COVERED
from softd3d.pipeline import interpolation
from softd3d.pipeline.pixel_inputs import PixelInputs
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.effects import writes_views
from softd3d.pipeline.rasterizer import clip
from softd3d.pipeline.rasterizer.conservative import has_positive_w
from softd3d.pipeline.shapes import ConservativeShape, Shape, shape_of
from softd3d.pipeline.stages import Link, runs_per_sample, tests_early

__all__ = ["COUNTERS", "TileFacts", "TileViews", "record_tiles"]

COUNTERS = ("samples passed", "invocations")
"""What lanes of a tile count, a dword each: first all lanes' first one, then the second one."""
_BLOCK = len(COUNTERS)  # blocks, which are counted for messages
_QUAD_BITS = 6  # of an invocation's place in a block: 16 samples of four pixels


@dataclass(frozen=True, slots=True)
class TileFacts:
    """What the kernel depends on besides the draw's shader and states.

    corners: of a piece. outputs: of the vertex kernel, in the order of a row. links: inputs of the
    pixel shader. clip: outputs that are clip distances. lanes: of a wave.
    """

    corners: int
    outputs: tuple[str, ...]
    links: tuple[Link, ...]
    clip: tuple[str, ...]
    lanes: int


@dataclass(frozen=True, slots=True)
class TileViews:
    """Slots behind those of the shader. targets: by number."""

    parameters: int
    vertices: int
    records: int
    tiles: int
    list: int
    counters: int
    targets: dict[int, int]

    @classmethod
    def of(cls, draw: PreparedDraw) -> TileViews:
        first = 0 if draw.pixel is None else len(draw.pixel.descriptors)
        bound = [n for n, t in enumerate(draw.targets) if t is not None]
        if draw.depth is not None:
            bound.append(DEPTH)
        targets = {n: first + 6 + k for k, n in enumerate(bound)}
        return cls(first, first + 1, first + 2, first + 3, first + 4, first + 5, targets)


def record_tiles(
    draw: PreparedDraw, facts: TileFacts, check: Check = no_check
) -> tuple[Graph, Declarations]:
    """Record the kernel."""
    bound = draw.pixel or empty_program(ProgramType.PS)
    r = DrawRecording(bound, check)
    _Tiles(r, draw, facts).record()
    size = (facts.lanes, 1, 1)
    declarations = replace(bound.declarations, stage=ProgramType.CS, group_size=size)
    return r.finished(), declarations


class _Tiles:
    """The recording of one tile kernel."""

    def __init__(self, r: DrawRecording, draw: PreparedDraw, facts: TileFacts) -> None:
        self.r = r
        self.draw = draw
        self.facts = facts
        self.views = TileViews.of(draw)
        self.words = raw_view("parameters", self.views.parameters)
        self.rule = draw.samples
        pixel = draw.pixel
        self.per_sample = (
            pixel is not None and runs_per_sample(pixel.declarations) and not draw.is_forced
        )
        self.in_order = pixel is not None and writes_views(pixel)
        self.is_early = pixel is not None and tests_early(pixel.declarations)
        self.counters: list[Key] = []

    def record(self) -> None:
        r = self.r
        zero = r.k.const(U32, 0)
        self.counters = [r.variable(name, zero) for name in (*COUNTERS, "block")]
        tile = r.entry("group.x")
        tiles, order = raw_view("tiles", self.views.tiles), raw_view("list", self.views.list)
        at = tile * (WORD * len(Tile))
        box = {t: r.word(tiles, at + WORD * t, I32) for t in Tile if t < Tile.START}
        start, end = (r.word(tiles, at + WORD * t) for t in (Tile.START, Tile.END))
        r.each(start, end, 1, lambda n: self.piece(r.word(order, n * WORD), box), Pace.STATUS)
        target = raw_view("counters", self.views.counters)
        for n, key in enumerate(self.counters[: len(COUNTERS)]):
            row = tile * len(COUNTERS) + n
            at = (row * self.facts.lanes + r.entry("flat")) * WORD
            r.put(target, at, r.forget(key), r.k.value(r.everyone))

    def piece(self, row: Value, tile: dict[Tile, Value]) -> None:
        """Draw what a piece covers of the tile."""
        r = self.r
        piece = Piece(
            r, raw_view("records", self.views.records), raw_view("vertices", self.views.vertices),
            row, self.facts.corners, self.facts.outputs,
        )  # fmt: skip
        shape = shape_of(self.draw.rasterizer, self.draw.pattern, piece.screen)
        fan = Fan(r, piece.records, row) if isinstance(shape, ConservativeShape) else None
        left = integer.maximum(piece.signed(Field.LEFT), tile[Tile.LEFT])
        top = integer.maximum(piece.signed(Field.TOP), tile[Tile.TOP])
        right = integer.minimum(piece.signed(Field.RIGHT), tile[Tile.RIGHT])
        bottom = integer.minimum(piece.signed(Field.BOTTOM), tile[Tile.BOTTOM])
        block = _Blocks(self, piece, shape, (left, top, right, bottom), fan)
        block.prepare()
        wide = self.facts.lanes // 2
        r.each(
            top & -2, bottom, 2,
            lambda y: r.each(left & -2, right, wide, lambda x: block.record(x, y)), Pace.STATUS,
        )  # fmt: skip

    def count(self, number: int, value: Value) -> None:
        key = self.counters[number]
        self.r.set(key, self.r.get(key) + value)


class _Blocks:
    """A piece in a tile: the recording of one block of pixels. fan: if it is conservative."""

    def __init__(
        self, tiles: _Tiles, piece: Piece, shape: Shape, box: tuple[Value, Value, Value, Value],
        fan: Fan | None,
    ) -> None:  # fmt: skip
        self.tiles = tiles
        self.r = tiles.r
        self.draw = tiles.draw
        self.rule = tiles.rule
        self.piece = piece
        self.shape = shape
        self.box = box
        self.fan = fan
        self.merging = Merging(tiles.r, tiles.draw, tiles.views.targets, tiles.words, piece)

    def prepare(self) -> None:
        """Compute what is the same in all blocks."""
        self.piece.prepare(self.tiles.facts.links)
        self.merging.prepare()

    def record(self, x: Value, y: Value) -> None:
        """Record a block, given its upper left pixel."""
        r = self.r
        flat = bitcast(r.entry("flat"), I32)
        pixel = x + ((flat >> 2) * 2 + (flat & 1)), y + (flat >> 1 & 1)
        left, top, right, bottom = self.box
        inside = (pixel[0] >= left) & (pixel[0] < right)
        inside = inside & (pixel[1] >= top) & (pixel[1] < bottom)
        if r.structure.messages:
            self.tiles.count(_BLOCK, left.k.const(U32, 1))
        coverage = self.coverage(pixel, inside)
        samples = self.rule.shaded(coverage)
        if not self.tiles.per_sample:
            self.quads(pixel, coverage, samples, None)
            return

        self.each_group_of_quads(flat, samples, partial(self.in_sample_frequency, pixel, coverage))

    def in_sample_frequency(
        self, pixel: tuple[Value, Value], coverage: Value, samples: Value
    ) -> None:
        """Record an invocation for each sample."""

        def of_sample(index: Value) -> None:
            mine = samples & (samples.like(1) << index)
            self.quads(pixel, coverage, mine, index)

        self.each_sample(self.rule.count, of_sample)

    def each_group_of_quads(
        self, flat: Value, samples: Value, body: Callable[[Value], None]
    ) -> None:
        """Record what goes through samples: for all quads at once if no order shows, else for each.

        All samples of a quad come before those of the next.
        """
        if not self.tiles.in_order:
            body(samples)
            return
        zero = self.r.k.const(U32, 0)
        quad = bitcast(flat, U32) >> 2
        self.r.each(
            zero, zero.like(self.tiles.facts.lanes // QUAD), 1,
            lambda number: body(select(quad.eq(number), samples, 0)),
        )  # fmt: skip

    def each_sample(self, count: int, body: Callable[[Value], None]) -> None:
        zero = self.r.k.const(U32, 0)
        if count == 1:
            body(zero)
        else:
            self.r.each(zero, zero.like(count), 1, body)

    def coverage(self, pixel: tuple[Value, Value], inside: Value) -> Value:
        """Return the samples that the piece covers, before the sample mask."""
        r, pattern = self.r, self.draw.pattern
        if self.fan is not None:
            inside = inside & self.fan.is_new(pixel)
        key = r.variable("coverage", r.k.const(U32, 0))

        def of_sample(index: Value) -> None:
            dx, dy = pattern.offset(index)
            at = interpolation.place(pixel[0], dx), interpolation.place(pixel[1], dy)
            covered = inside & self.shape.covers(at, pixel)
            covered = covered & self.kept(self.shape.weights(at, pixel))
            bit = select(covered, index.like(1) << index, 0)
            r.set(key, r.get(key) | bit)

        self.each_sample(pattern.count, of_sample)
        return r.forget(key)

    def inner(self, pixel: tuple[Value, Value], coverage: Value) -> Value:
        """Return SV_InnerCoverage."""
        if self.fan is None or not self.draw.reads_inner_coverage:
            return coverage.like(0)
        return select(coverage.ne(0) & self.fan.is_inside(pixel), coverage.like(1), 0)

    def kept(self, weights: tuple[Value, ...]) -> Value:
        """Return whether the tests of depth clip and clip distances keep a sample."""
        piece, kept = self.piece, self.r.true_value()
        if len(piece.screen) == 2:
            weights = tuple(clip.within_ends(w) for w in weights)
        if self.draw.rasterizer.depth_clip_enable:
            passes = clip.depth_passes(interpolation.double_at(piece.clip_depth, weights))
            kept = kept & (~piece.is_tested | passes)
        for name in self.tiles.facts.clip:
            distance = piece.floats(name)
            terms = interpolation.over_w(weights, piece.inverse_w)
            passes = clip.distance_passes(terms if weights else (), distance)
            if self.fan is not None:
                passes = passes & has_positive_w(terms)
            kept = kept & (~clip.needs_distance_test(distance) | passes)
        return kept

    def quads(
        self, pixel: tuple[Value, Value], coverage: Value, samples: Value, sample: Value | None
    ) -> None:
        """Record invocations in those quads that have samples to be written."""
        some = self.r.any_of_quad(samples.ne(0))
        self.r.where(some, lambda: self.invocation(pixel, coverage, samples, sample))

    def invocation(
        self, pixel: tuple[Value, Value], coverage: Value, samples: Value, sample: Value | None
    ) -> None:
        merging = self.merging
        merging.begin(self.shape, pixel, sample)
        left = samples
        if not self.tiles.is_early:
            self.count_invocations(samples)
        if self.tiles.is_early or merging.can_test_first:
            left = merging.tested(left, {})
            self.count_passed(coverage, left)
            if self.tiles.is_early:
                self.count_invocations(left)
            some = self.r.any_of_quad(left.ne(0))
            self.r.where(some, lambda: self.shade(pixel, coverage, left, sample, is_tested=True))
            return
        self.shade(pixel, coverage, left, sample, is_tested=False)

    def shade(
        self, pixel: tuple[Value, Value], coverage: Value, left: Value, sample: Value | None,
        *, is_tested: bool,
    ) -> None:  # fmt: skip
        r, merging, facts = self.r, self.merging, self.tiles.facts
        outputs: dict[str, Value] = {}
        if self.draw.pixel is not None:
            inputs = PixelInputs(
                self.draw.pattern, self.rule, self.piece, self.shape, pixel, coverage,
                self.inner(pixel, coverage), sample,
            )  # fmt: skip
            r.env[COVERED] = select(left.ne(0), left.like(1), 0).raw
            self.say_who(pixel, sample)
            outputs = r.pixel_shader(inputs, facts.links)
            r.env.pop(COVERED, None)
            if r.structure.messages:
                r.k.node("invocation", None, ())
            outputs = merging.scaled_alpha(outputs)
        left = merging.left_by_shader(left, outputs)
        if not is_tested:
            left = merging.tested(left, outputs)
            self.count_passed(coverage, left)
        merging.write_colors(left, outputs)

    def say_who(self, pixel: tuple[Value, Value], sample: Value | None) -> None:
        """Let messages say whose they are, and come in the order of invocations."""
        r, piece = self.r, self.piece
        if not r.structure.messages:
            return
        flat = r.entry("flat")
        index = flat.like(0) if sample is None else sample
        part = ((flat >> 2) << _QUAD_BITS) + (index << 2) + (flat & 3)
        r.k.node("invocation", None, (r.get(self.tiles.counters[_BLOCK]).raw, part.raw))
        x, y = (bitcast(n, U32) for n in pixel)
        r.places = (x, y, piece.slice, piece.number, piece.field(Field.INSTANCE), index)

    def count_passed(self, coverage: Value, left: Value) -> None:
        self.tiles.count(0, popcount(self.rule.counted(coverage, left)))

    def count_invocations(self, samples: Value) -> None:
        if self.draw.pixel is not None:
            self.tiles.count(1, select(samples.ne(0), samples.like(1), 0))
