"""The output merger in the tile kernel: coverage that is left, tests, colours.

Spec: D3D11.3 sections 16.9, 16.12, 17.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, Value
from softd3d.classes import dataclass
from softd3d.isa.machine import View
from softd3d.jit.draw.memory import DEPTH, VIEWPORT_WORDS, WORD, Parameter
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.targets import Spot, Targets
from softd3d.lower.inputs import outputs_of
from softd3d.lower.stage import COVERED
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

__all__ = ["ALPHA", "DEPTHS", "Fragments", "Merging", "Outputs", "can_test_first", "written_colors"]

ALPHA = "o0.w"
DEPTHS = ("oDepth.x", "oDepthGE.x", "oDepthLE.x")
"""Outputs that replace the depth of the rasteriser."""
Outputs = Mapping[str, Value]


def can_test_first(draw: PreparedDraw, r: DrawRecording) -> bool:
    """Whether nobody can see that depth and stencil are tested before the shader.

    Without a shader that is where samples are counted, even if nothing is tested.
    """
    pixel = draw.pixel
    if pixel is None:
        return True
    if not draw.depth_stencil_rule.is_needed:
        return False
    outputs = outputs_of(pixel)
    seen = {COVERED[0], "oMask.x", "oStencilRef.x", *DEPTHS} & set(outputs)
    if draw.blend.alpha_to_coverage_enable and ALPHA in outputs:
        return False
    return not (seen or writes_views(pixel) or r.structure.messages)


def written_colors(draw: PreparedDraw) -> dict[int, tuple[Target, TargetRule]]:
    """Return the render targets that the pixel shader and the states let be written, by slot."""
    found: dict[int, tuple[Target, TargetRule]] = {}
    outputs = {} if draw.pixel is None else outputs_of(draw.pixel)
    for slot, target in enumerate(draw.targets):
        if target is None or not any(f"o{slot}.{c}" in outputs for c in "xyzw"):
            continue
        rule = TargetRule(target.format, draw.blend.description(slot))
        if any(rule.unit_masks):
            found[slot] = target, rule
    return found


@dataclass(frozen=True, slots=True)
class Fragments:
    """Pixels of pieces, one a lane.

    sample: that all stand for, in sample frequency. depth_at: the depth at a sample (U32), F32, as
    the rasteriser has it: not clamped. viewport: its number, U32.
    """

    spot: Spot
    sample: Value | None
    depth_at: Callable[[Value], Value]
    is_front: Value
    viewport: Value


class Merging:
    """What becomes of fragments."""

    def __init__(self, r: DrawRecording, draw: PreparedDraw, targets: Targets, words: View) -> None:
        self.r = r
        self.draw = draw
        self.targets = targets
        self.words = words
        self.rule = draw.depth_stencil_rule
        self.colors = written_colors(draw)

    @property
    def tests_depth(self) -> bool:
        """Whether depth or stencil decides about samples, or is written."""
        return self.draw.depth is not None and self.rule.is_needed

    @property
    def reads_colors(self) -> bool:
        """Whether what is written depends on what is there."""
        return any(rule.reads_destination for _, rule in self.colors.values())

    def prepare(self) -> None:
        """Load what is the same for all fragments."""
        self.reference = self.r.word(self.words, WORD * Parameter.STENCIL_REF)
        self.factor = [
            self.r.word(self.words, WORD * (Parameter.BLEND_FACTOR + n), F32) for n in range(4)
        ]

    def each_sample(
        self, sample: Value | None, left: Value, count: int, body: Callable[[Value, Value], None]
    ) -> None:
        """Do something for each sample that is left in any lane, given the lanes that have it."""
        r, zero = self.r, left.like(0)
        if sample is not None:
            body(sample, left.ne(0))
        elif count == 1:
            body(zero, left.ne(0))
        else:

            def one(index: Value) -> None:
                covered = (left >> index & 1).ne(0)
                r.where(r.lane_count(covered).ne(0), lambda: body(index, covered))

            r.each_of_few(count, one)

    # Coverage

    def left_by_shader(self, samples: Value, outputs: Outputs) -> Value:
        """Return the samples that discard, oMask and alpha to coverage leave."""
        if COVERED[0] in outputs:
            samples = select(outputs[COVERED[0]].ne(0), samples, 0)
        alpha = None
        if self.draw.blend.alpha_to_coverage_enable and ALPHA in outputs:
            alpha = bitcast(outputs[ALPHA], F32)
        return output_coverage(
            samples, self.draw.samples.outputs, o_mask=outputs.get("oMask.x"), alpha=alpha
        )

    # Depth and stencil

    def tested(self, of: Fragments, samples: Value, outputs: Outputs) -> Value:
        """Test and write depth and stencil; return the samples that pass."""
        target = self.draw.depth
        if target is None or not self.tests_depth:
            return samples
        r = self.r
        written = next((outputs[name] for name in DEPTHS if name in outputs), None)
        reference = outputs.get("oStencilRef.x", self.reference)
        key = r.variable("passed", samples.like(0))

        def one(index: Value, covered: Value) -> None:
            depth = of.depth_at(index) if written is None else bitcast(written, F32)
            passed = self.test(of, target, index, covered, depth, reference)
            r.set(key, r.get(key) | select(passed, samples.like(1) << index, 0))

        self.each_sample(of.sample, samples, self.draw.pattern.count, one)
        return r.forget(key)

    def test(
        self, of: Fragments, target: Target, sample: Value, covered: Value, depth: Value,
        reference: Value,
    ) -> Value:  # fmt: skip
        words = self.targets.loaded(DEPTH, target, of.spot, sample, covered)
        stored_depth, stored_stencil = depth_stencil_codes(target.format, words)
        at = of.viewport * (WORD * VIEWPORT_WORDS) + WORD * Parameter.VIEWPORTS
        least, most = (self.r.word(self.words, at + WORD * n, F32) for n in (6, 7))
        code = depth_code(target.format, clamped_depth(depth, least, most))
        result = depth_stencil_test(
            self.rule, code, stored_depth, stored_stencil, reference, of.is_front, covered
        )
        if self.rule.writes_depth or self.rule.writes_stencil:
            after = depth_stencil_words(target.format, result.depth, result.stencil, words)
            masks = [1] * len(after)
            self.targets.store(DEPTH, target, of.spot, sample, after, masks, covered)
        return result.passed

    # Colours

    def write_colors(self, of: Fragments, samples: Value, outputs: Outputs) -> None:
        """Merge outputs into samples of all render targets that the shader writes."""
        if not self.colors:
            return

        def one(index: Value, covered: Value) -> None:
            for slot, (target, rule) in self.colors.items():
                self.write_color(of.spot, slot, target, rule, index, covered, outputs)

        self.each_sample(of.sample, samples, self.draw.samples.outputs, one)

    def write_color(
        self, spot: Spot, slot: int, target: Target, rule: TargetRule, sample: Value,
        covered: Value, outputs: Outputs,
    ) -> None:  # fmt: skip
        zero = sample.like(0)
        colors = tuple(outputs.get(f"o{slot}.{c}", zero) for c in "xyzw")
        second: Sequence[Value] | None = None
        if rule.description.is_dual_source:
            second = [outputs.get(f"o1.{c}", zero) for c in "xyzw"]
        stored: tuple[Value, ...] = ()
        if rule.reads_destination:
            stored = self.targets.loaded(slot, target, spot, sample, covered)
        words = merged(rule, colors, stored, self.factor, second)
        self.targets.store(slot, target, spot, sample, words, rule.unit_masks, covered)
