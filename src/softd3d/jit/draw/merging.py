"""The output merger in the tile kernel: coverage that is left, tests, colours.

Spec: D3D11.3 sections 16.9, 16.12, 17.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, U32, Value
from softd3d.formats.codec import units
from softd3d.isa.machine import View
from softd3d.jit.draw.memory import (
    DEPTH,
    TARGET_WORDS,
    VIEWPORT_WORDS,
    WORD,
    Parameter,
    raw_view,
)
from softd3d.jit.draw.piece import Piece
from softd3d.jit.draw.recording import DrawRecording
from softd3d.lower.inputs import outputs_of
from softd3d.lower.stage import COVERED
from softd3d.pipeline import interpolation
from softd3d.pipeline.coverage import output_coverage
from softd3d.pipeline.depth_stencil import (
    clamped_depth,
    depth_code,
    depth_stencil_codes,
    depth_stencil_test,
    depth_stencil_words,
)
from softd3d.pipeline.output import TargetRule, merged
from softd3d.pipeline.prepared import PreparedDraw, Target
from softd3d.pipeline.primitives.effects import writes_views
from softd3d.pipeline.shapes import RectangleShape, Shape

__all__ = ["Merging"]

_ALPHA = "o0.w"
_DEPTHS = ("oDepth.x", "oDepthGE.x", "oDepthLE.x")
Outputs = Mapping[str, Value]


class Merging:
    """What becomes of shaded pixels of one piece."""

    def __init__(
        self, r: DrawRecording, draw: PreparedDraw, slots: Mapping[int, int], words: View,
        piece: Piece,
    ) -> None:  # fmt: skip
        self.r = r
        self.draw = draw
        self.slots = slots
        self.words = words
        self.piece = piece
        self.rule = draw.depth_stencil_rule
        self.sample: Value | None = None

    @property
    def can_test_first(self) -> bool:
        """Whether nobody can see that depth and stencil are tested before the shader."""
        pixel = self.draw.pixel
        if pixel is None or not self.rule.is_needed:
            return False
        outputs = outputs_of(pixel)
        seen = {COVERED[0], "oMask.x", "oStencilRef.x", *_DEPTHS} & set(outputs)
        if self.draw.blend.alpha_to_coverage_enable and _ALPHA in outputs:
            return False
        return not (seen or writes_views(pixel) or self.r.structure.messages)

    def prepare(self) -> None:
        """Compute what is the same in all pixels of the piece."""
        r = self.r
        at = self.piece.viewport * (WORD * VIEWPORT_WORDS) + WORD * Parameter.VIEWPORTS
        self.min_depth = r.word(self.words, at + WORD * 4, F32)
        self.max_depth = r.word(self.words, at + WORD * 6, F32)
        self.reference = r.word(self.words, WORD * Parameter.STENCIL_REF)
        self.factor = [
            r.word(self.words, WORD * (Parameter.BLEND_FACTOR + n), F32) for n in range(4)
        ]
        self.bases: dict[int, tuple[Value, Value]] = {}
        for number in self.slots:
            first = Parameter.TARGETS + TARGET_WORDS * number
            row, pitch, slices = (r.word(self.words, WORD * (first + n)) for n in range(3))
            inside = select(self.piece.slice < slices, self.piece.slice, 0)
            self.bases[number] = row, inside * pitch

    def begin(self, shape: Shape, pixel: tuple[Value, Value], sample: Value | None) -> None:
        """Turn to pixels. sample: that all invocations stand for, in sample frequency."""
        self.shape = shape
        self.pixel = pixel
        self.sample = sample

    def address(self, number: int, target: Target, sample: Value) -> Value:
        """Return the byte offset of a sample in a target."""
        row, base = self.bases[number]
        x, y = (bitcast(n, U32) for n in self.pixel)
        texel = target.format.bytes_per_block
        if target.samples == 1:
            return base + y * row + x * texel
        return base + y * row + (x * target.samples + sample) * texel

    def each_sample(self, left: Value, count: int, body: Callable[[Value, Value], None]) -> None:
        """Do something for each sample that is left in any lane, given the lanes that have it."""
        r, zero = self.r, left.like(0)
        if self.sample is not None:
            body(self.sample, left.ne(0))
        elif count == 1:
            body(zero, left.ne(0))
        else:

            def one(index: Value) -> None:
                covered = (left >> index & 1).ne(0)
                r.where(covered, lambda: body(index, covered))

            r.each(zero, zero.like(count), 1, one)

    # Coverage

    def scaled_alpha(self, outputs: dict[str, Value]) -> dict[str, Value]:
        """Return outputs with the alpha of antialiased lines: times the pixel's covered area."""
        shape = self.shape
        if not isinstance(shape, RectangleShape) or not shape.is_alpha or _ALPHA not in outputs:
            return outputs
        alpha = bitcast(outputs[_ALPHA], F32) * shape.area(self.pixel)
        return outputs | {_ALPHA: bitcast(alpha, U32)}

    def left_by_shader(self, samples: Value, outputs: Outputs) -> Value:
        """Return the samples that discard, oMask and alpha to coverage leave."""
        if COVERED[0] in outputs:
            samples = select(outputs[COVERED[0]].ne(0), samples, 0)
        alpha = None
        if self.draw.blend.alpha_to_coverage_enable and _ALPHA in outputs:
            alpha = bitcast(outputs[_ALPHA], F32)
        return output_coverage(
            samples, self.draw.samples.outputs, o_mask=outputs.get("oMask.x"), alpha=alpha
        )

    # Depth and stencil

    def tested(self, samples: Value, outputs: Outputs) -> Value:
        """Test and write depth and stencil; return the samples that pass."""
        target = self.draw.depth
        if target is None or not self.rule.is_needed:
            return samples
        r = self.r
        written = next((outputs[name] for name in _DEPTHS if name in outputs), None)
        reference = outputs.get("oStencilRef.x", self.reference)
        key = r.variable("passed", samples.like(0))

        def one(index: Value, covered: Value) -> None:
            depth = self.depth_at(index) if written is None else bitcast(written, F32)
            passed = self.test(target, index, covered, depth, reference)
            r.set(key, r.get(key) | select(passed, samples.like(1) << index, 0))

        self.each_sample(samples, self.draw.pattern.count, one)
        return r.forget(key)

    def depth_at(self, sample: Value) -> Value:
        """Return the depth at a sample, F32, as the rasteriser has it: not clamped."""
        dx, dy = self.draw.pattern.offset(sample)
        x, y = self.pixel
        at = interpolation.place(x, dx), interpolation.place(y, dy)
        return interpolation.value_at(self.piece.depth, self.shape.weights(at, self.pixel))

    def test(
        self, target: Target, sample: Value, covered: Value, depth: Value, reference: Value
    ) -> Value:
        place = self.address(DEPTH, target, sample)
        words = self.loaded(DEPTH, target, place, covered)
        stored_depth, stored_stencil = depth_stencil_codes(target.format, words)
        code = depth_code(target.format, clamped_depth(depth, self.min_depth, self.max_depth))
        result = depth_stencil_test(
            self.rule, code, stored_depth, stored_stencil, reference, self.piece.is_front, covered
        )
        if self.rule.writes_depth or self.rule.writes_stencil:
            after = depth_stencil_words(target.format, result.depth, result.stencil, words)
            self.store(DEPTH, target, place, after, [1] * len(after), covered)
        return result.passed

    # Colours

    def write_colors(self, samples: Value, outputs: Outputs) -> None:
        """Merge outputs into samples of all render targets that the shader writes."""
        zero = samples.like(0)
        wanted: list[tuple[int, Target, TargetRule, list[Value], list[Value] | None]] = []
        for slot, target in enumerate(self.draw.targets):
            names = [f"o{slot}.{c}" for c in "xyzw"]
            if target is None or not any(name in outputs for name in names):
                continue
            description = self.draw.blend.description(slot)
            rule = TargetRule(target.format, description)
            if not any(rule.unit_masks):
                continue
            second = None
            if description.is_dual_source:
                second = [outputs.get(f"o1.{c}", zero) for c in "xyzw"]
            colors = [outputs.get(name, zero) for name in names]
            wanted.append((slot, target, rule, colors, second))
        if not wanted:
            return

        def one(index: Value, covered: Value) -> None:
            for slot, target, rule, colors, second in wanted:
                self.write_color(slot, target, rule, index, covered, colors, second)

        self.each_sample(samples, self.draw.samples.outputs, one)

    def write_color(
        self, slot: int, target: Target, rule: TargetRule, sample: Value, covered: Value,
        colors: Sequence[Value], second: Sequence[Value] | None,
    ) -> None:  # fmt: skip
        place = self.address(slot, target, sample)
        stored = self.loaded(slot, target, place, covered) if rule.reads_destination else ()
        words = merged(rule, tuple(colors), stored, self.factor, second)
        self.store(slot, target, place, words, rule.unit_masks, covered)

    # Memory

    def loaded(
        self, number: int, target: Target, place: Value, covered: Value
    ) -> tuple[Value, ...]:
        """Return the storage units of texels."""
        size, count = units(target.format)
        view = raw_view(target.name, self.slots[number])
        r = self.r
        found: list[Value] = []
        for unit in range(count):
            at = place + size * unit if unit else place
            args = (at.raw, covered.raw, r.mask)
            found.append(r.k.value(r.k.node("load", U32, args, (view, size))))
        return tuple(found)

    def store(
        self, number: int, target: Target, place: Value, words: Sequence[Value],
        masks: Sequence[int], covered: Value,
    ) -> None:  # fmt: skip
        """Write the units of texels that have a bit in their mask."""
        size, _ = units(target.format)
        view = raw_view(target.name, self.slots[number])
        for unit, word in enumerate(words):
            if masks[unit]:
                at = place + size * unit if unit else place
                self.r.put(view, at, word, covered, size)
