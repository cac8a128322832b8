"""The setup kernel: from shaded vertices to records of what is rasterised, one primitive a lane.

What must be clipped is only marked: those few go another way (`jit/draw/rare.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.ir.graph import Check, Graph, no_check
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.draw.memory import (
    BOX_WORDS,
    DRAWN,
    HIDDEN,
    IS_FRONT,
    IS_TESTED,
    RARE,
    RECORD_CORNER,
    VIEWPORT_WORDS,
    WORD,
    Field,
    Parameter,
    Vertex,
    known_samples,
    raw_view,
    record_words,
)
from softd3d.jit.draw.recording import DrawRecording, empty_program
from softd3d.jit.draw.setup_facts import SetupFacts
from softd3d.lower.declarations import Declarations
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.rasterizer import blocks, clip, triangle
from softd3d.pipeline.rasterizer.bias import depth_bias
from softd3d.pipeline.rasterizer.blocks import SmallCover, small_cover
from softd3d.pipeline.rasterizer.triangle import Bounds
from softd3d.pipeline.rasterizer.viewport import (
    ClipPosition,
    ScreenPosition,
    ViewportTransform,
    project,
    viewport_index,
)
from softd3d.pipeline.shapes import corners_of, shape_of
from softd3d.pipeline.state.enums import CullMode

__all__ = ["BOUNDS", "STATUS", "record_setup"]

_PARAMETERS, _VERTICES, _RECORDS = range(3)  # slots of views
STATUS, BOUNDS = "status", ("left", "top", "right", "bottom")
"""Outputs of the kernel: what becomes of a primitive, and the pixels that it may touch."""
_CORNERS_OF_TRIANGLE = 3


class _Setup:
    """The recording of one setup kernel."""

    def __init__(self, draw: PreparedDraw, facts: SetupFacts, check: Check) -> None:
        self.draw = draw
        self.facts = facts
        self.r = DrawRecording(empty_program(ProgramType.VS), check)
        self.samples = known_samples(draw, facts.corners)
        self.words = raw_view("parameters", _PARAMETERS)
        self.vertices = raw_view("vertex outputs", _VERTICES)
        names = [f"c{n}" for n in range(facts.corners)]
        self.rows = [self.r.entry(name) for name in names]

    def output(self, corner: int, name: str) -> Value:
        """Return an output of a vertex, U32."""
        return self.r.word(self.vertices, self.row(corner) + WORD * int(name))

    def row(self, corner: int) -> Value:
        """Return where the outputs of a vertex are."""
        return self.rows[corner] * self.r.word(self.words, WORD * Parameter.ROW)

    def floats(self, name: str) -> list[Value]:
        return [bitcast(self.output(n, name), F32) for n in range(self.facts.corners)]

    def position(self, corner: int) -> ClipPosition:
        """Return a vertex in clip space: the first four outputs."""
        words = self.r.row(self.vertices, self.row(corner))
        x, y, z, w = (bitcast(word, F32) for word in words)
        return ClipPosition(x, y, z, w)

    def record(self) -> Graph:
        facts, r = self.facts, self.r
        clips = [self.position(n) for n in range(facts.corners)]
        viewport = r.k.const(U32, 0)
        if facts.inputs.viewport_index is not None:
            viewport = viewport_index(self.output(0, facts.inputs.viewport_index))
        screen = [project(c, self.transform(viewport)) for c in clips]
        dropped = self.dropped_by_distances()
        at_depth = self.draw.clips_at_depth and facts.corners == _CORNERS_OF_TRIANGLE
        both = list(zip(clips, screen, strict=True))
        needs = clip.needs_clipping(both, at_depth=at_depth)
        drawn = ~needs & ~clip.has_nan(screen)
        if self.draw.rasterizer.depth_clip_enable:
            drawn = drawn & ~clip.is_outside_depth(screen)
        dropped = dropped | clip.is_out_of_sight(
            both, depth_clip=self.draw.rasterizer.depth_clip_enable
        )
        is_rare = needs & clip.is_finite(clips) & ~dropped
        drawn = drawn & ~dropped
        front = r.true_value()
        if facts.corners == _CORNERS_OF_TRIANGLE:
            screen, front, is_culled, has_area = self.facing(screen)
            drawn = drawn & ~is_culled
            if self.draw.is_conservative:
                clips, screen = self.flattened(clips, screen, has_area)
            else:
                drawn = drawn & has_area
        box, cover = self.box(screen, viewport)
        flags = select(front, viewport.like(IS_FRONT), 0)
        if cover is not None:
            flags = flags | cover.quads
        self.leave(
            clips, screen, viewport, flags, box, () if cover is None else cover.samples, drawn
        )
        is_empty = (box.right <= box.left) | (box.bottom <= box.top)
        is_hidden = None if cover is None else cover.quads.eq(blocks.IS_SMALL) & ~is_empty
        self.give(STATUS, self.status(drawn, is_hidden, is_rare))
        return r.finished()

    def status(self, drawn: Value, is_hidden: Value | None, is_rare: Value) -> Value:
        seen = self.r.k.const(U32, DRAWN)
        if is_hidden is not None:
            seen = select(is_hidden, seen.like(HIDDEN), seen)
        status = select(drawn, seen, 0)
        if self.facts.corners > 1:
            status = select(is_rare, self.r.k.const(U32, RARE), status)
        return status

    def give(self, name: str, value: Value) -> None:
        self.r.k.node("output", None, (value.raw,), name)

    def dropped_by_distances(self) -> Value:
        inputs, dropped = self.facts.inputs, ~self.r.true_value()
        if inputs.cull:
            distances = [self.floats(name) for name in inputs.cull]
            dropped = dropped | clip.is_culled_by_distances(distances)
        if inputs.clip:
            distances = [self.floats(name) for name in inputs.clip]
            dropped = dropped | clip.is_dropped_by_clip_distances(distances)
        return dropped

    def parameter(self, first: int, number: Value, words: int, n: int) -> Value:
        return self.r.word(self.words, number * (WORD * words) + WORD * (first + n))

    def transform(self, viewport: Value) -> ViewportTransform:
        fields = [
            bitcast(self.parameter(Parameter.VIEWPORTS, viewport, VIEWPORT_WORDS, n), F32)
            for n in range(6)
        ]
        return ViewportTransform(*fields)

    def facing(
        self, screen: list[ScreenPosition]
    ) -> tuple[list[ScreenPosition], Value, Value, Value]:
        """Return biased vertices, whether a triangle faces the front, is culled, has an area."""
        state = self.draw.rasterizer
        p, q, r = corners_of(screen)
        area = triangle.doubled_area((p, q, r))
        counter = state.front_counter_clockwise
        front = triangle.is_front_facing(area, front_counter_clockwise=counter)
        culled = triangle.is_culled(front, CullMode(state.cull_mode))
        if not self.facts.bias.is_zero:
            a, b, c = (s.z for s in screen)
            bias = depth_bias(self.facts.bias, (p, q, r), (a, b, c), area)
            screen = [replace(s, z=s.z + bias) for s in screen]
        return screen, front, culled, area.ne(0.0)

    def flattened(
        self, clips: list[ClipPosition], screen: list[ScreenPosition], has_area: Value
    ) -> tuple[list[ClipPosition], list[ScreenPosition]]:
        """Return vertices with w, depth and row of vertex 0 where a triangle has no area."""
        first, flat = clips[0], screen[0]
        self.rows = [select(has_area, row, self.rows[0]) for row in self.rows]
        flat_clips = [replace(c, w=select(has_area, c.w, first.w)) for c in clips]
        return flat_clips, [
            replace(
                s, z=select(has_area, s.z, flat.z), clip_z=select(has_area, s.clip_z, flat.clip_z)
            )
            for s in screen
        ]

    def box(
        self, screen: Sequence[ScreenPosition], viewport: Value
    ) -> tuple[Bounds, SmallCover | None]:
        """Return the pixels that a piece may touch, and that count; what it covers, if small."""
        shape = shape_of(self.draw.rasterizer, self.draw.pattern, screen)
        sides = [
            bitcast(self.parameter(Parameter.BOXES, viewport, BOX_WORDS, n), I32) for n in range(4)
        ]
        box = triangle.intersected(shape.limits, Bounds(*sides))
        if not self.samples:
            return box, None
        p, q, r = corners_of(screen)
        return box, small_cover((p, q, r), shape.limits, box, self.draw.pattern.offsets)

    def leave(
        self, clips: Sequence[ClipPosition], screen: Sequence[ScreenPosition], viewport: Value,
        flags: Value, box: Bounds, cover: Sequence[tuple[Value, Value]], drawn: Value,
    ) -> None:  # fmt: skip
        """Leave the record of a piece, and its bounds."""
        r, zero = self.r, self.r.k.const(U32, 0)
        if self.draw.rasterizer.depth_clip_enable:
            flags = flags | select(clip.needs_depth_test(screen), zero.like(IS_TESTED), 0)
        slice_ = self.facts.inputs.slice_index
        sides = [bitcast(n, U32) for n in (box.left, box.top, box.right, box.bottom)]
        words = {
            Field.FLAGS: flags, Field.VIEWPORT: viewport,
            Field.SLICE: zero if slice_ is None else self.output(0, slice_),
            Field.NUMBER: r.entry("number"), Field.INSTANCE: r.entry("instance"),
            Field.LEADING: self.rows[0],
        }  # fmt: skip
        if self.draw.is_conservative:
            words[Field.FAN] = zero
        words |= {Field.LEFT + n: side for n, side in enumerate(sides)}
        for n, (c, s) in enumerate(zip(clips, screen, strict=True)):
            at = Field.CORNERS + RECORD_CORNER * n
            floats = {Vertex.X: s.x, Vertex.Y: s.y, Vertex.Z: s.z, Vertex.CLIP_Z: s.clip_z,
                      Vertex.W: c.w}  # fmt: skip
            words |= {at + field: bitcast(v, U32) for field, v in floats.items()}
            words[at + Vertex.ROW] = self.rows[n]
        known = Field.CORNERS + RECORD_CORNER * self.facts.corners
        words |= dict(enumerate((word for pair in cover for word in pair), known))
        size = record_words(self.facts.corners, self.samples)
        row = r.entry("flat") * (WORD * size)
        record = [words.get(n, zero) for n in range(max(words) + 1)]
        r.put_row(raw_view("records", _RECORDS), row, record, drawn, size)
        for name, side in zip(BOUNDS, sides, strict=True):
            self.give(name, side)


def record_setup(
    draw: PreparedDraw, facts: SetupFacts, check: Check = no_check
) -> tuple[Graph, Declarations]:
    """Record the kernel."""
    setup = _Setup(draw, facts, check)
    return setup.record(), setup.r.bound.declarations
