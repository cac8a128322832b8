"""From shaded fragments to targets: coverage that is left, tests, colours.

Spec: D3D11.3 sections 16.9, 16.12, 17.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32
from softd3d.interp.draw.invocations import Invocations
from softd3d.interp.draw.merge import Depths, Place, merge_color, test_depth_stencil
from softd3d.lower.stage import COVERED
from softd3d.lower.watch import Watch
from softd3d.pipeline.coverage import output_coverage
from softd3d.pipeline.output import TargetRule
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.records import K, Numbers, lanes, spread
from softd3d.pipeline.rasterizer.viewport import MAX_VIEWPORTS
from softd3d.pipeline.shapes import RectangleShape

__all__ = ["ALPHA", "depths_at", "left_by_shader", "passed_tests", "scaled_alpha", "write_colors"]

ALPHA = "o0.w"
_DEPTHS = ("oDepth.x", "oDepthGE.x", "oDepthLE.x")
Outputs = Mapping[str, Numbers]


def scaled_alpha(invocations: Invocations, outputs: dict[str, Numbers]) -> dict[str, Numbers]:
    """Return outputs with the alpha of antialiased lines: times the pixel's covered area."""
    shape = invocations.shape
    if not isinstance(shape, RectangleShape) or not shape.is_alpha or ALPHA not in outputs:
        return outputs
    alpha = bitcast(lanes(outputs[ALPHA]), F32) * shape.area(invocations.pixel)
    return outputs | {ALPHA: np.array(spread(bitcast(alpha, U32), invocations.count))}


def left_by_shader(draw: PreparedDraw, samples: Numbers, outputs: Outputs) -> Numbers:
    """Return the samples that discard, oMask and alpha to coverage leave."""
    if COVERED[0] in outputs:
        samples = np.where(outputs[COVERED[0]] != 0, samples, np.uint32(0))
    o_mask, alpha = outputs.get("oMask.x"), None
    if draw.blend.alpha_to_coverage_enable and ALPHA in outputs:
        alpha = bitcast(lanes(outputs[ALPHA]), F32)
    value = output_coverage(
        lanes(samples), draw.samples.outputs,
        o_mask=None if o_mask is None else lanes(o_mask), alpha=alpha,
    )  # fmt: skip
    return np.array(spread(value, samples.size))


def passed_tests(
    draw: PreparedDraw, invocations: Invocations, samples: Numbers, outputs: Outputs, watch: Watch
) -> Numbers:
    """Test and write depth and stencil; return the samples that pass.

    outputs: of the shader; none if the tests are early.

    Raises:
        ExecutionError: `watch` has stopped it.
    """
    rule, target = draw.depth_stencil_rule, draw.depth
    if target is None or not rule.is_needed:
        return samples
    place = _place(invocations)
    found = np.zeros_like(samples)
    for sample in range(draw.pattern.count):
        covered = (samples >> np.uint32(sample) & np.uint32(1)) != 0
        if covered.any():
            given = depths_at(draw, invocations, sample, outputs)
            address = place.address(target, sample)
            passed = test_depth_stencil(target, rule, address, covered, given, watch)
            found |= passed.astype(np.uint32) << np.uint32(sample)
    return found


def depths_at(
    draw: PreparedDraw, invocations: Invocations, sample: int, outputs: Outputs
) -> Depths:
    """Return what the tests of a sample are given. outputs: as for `passed_tests`."""
    written = next((outputs[name] for name in _DEPTHS if name in outputs), None)
    reference = outputs.get("oStencilRef.x")
    depth = invocations.depth_at(draw, sample) if written is None else bitcast(lanes(written), F32)
    ranges = _depth_ranges(draw)[invocations.pieces.viewport]
    least, most = (lanes(np.ascontiguousarray(column)) for column in ranges.T)
    return Depths(
        depth, least, most,
        K.const(U32, draw.stencil_ref) if reference is None else lanes(reference),
        lanes(invocations.pieces.front),
    )  # fmt: skip


def _depth_ranges(draw: PreparedDraw) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    table = np.zeros((MAX_VIEWPORTS, 2), np.float32)
    for n, v in enumerate(draw.viewports):
        table[n] = v.depth_limits
    return table


def write_colors(
    draw: PreparedDraw, invocations: Invocations, samples: Numbers, outputs: Outputs, watch: Watch
) -> None:
    """Merge outputs into samples of all render targets that the shader writes.

    Raises:
        ExecutionError: `watch` has stopped it.
    """
    place = _place(invocations)
    zero = np.zeros(samples.size, np.uint32)
    for slot, target in enumerate(draw.targets):
        names = [f"o{slot}.{c}" for c in "xyzw"]
        if target is None or not any(name in outputs for name in names):
            continue
        description = draw.blend.description(slot)
        colors = [outputs.get(name, zero) for name in names]
        second = None
        if description.is_dual_source:
            second = [outputs.get(f"o1.{c}", zero) for c in "xyzw"]
        rule = TargetRule(target.format, description)
        for sample in range(draw.samples.outputs):
            covered = (samples >> np.uint32(sample) & np.uint32(1)) != 0
            address = place.address(target, sample)
            merge_color(target, rule, address, covered, colors, draw.blend_factor, second, watch)


def _place(invocations: Invocations) -> Place:
    return Place(invocations.x, invocations.y, invocations.pieces.slice)
