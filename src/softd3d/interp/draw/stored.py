"""What is stored at a sample, in numbers; and how a fragment's tests go there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, Value
from softd3d.classes import dataclass
from softd3d.formats.codec import unpack
from softd3d.formats.floats import number_from_float24
from softd3d.formats.layout import ChannelType, Format
from softd3d.interp.draw.invocations import Invocations
from softd3d.interp.draw.merge import Place, loaded
from softd3d.interp.draw.outputs import depths_at
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.pipeline.depth_stencil import (
    clamped_depth,
    depth_code,
    depth_passes,
    depth_stencil_codes,
    stencil_passes,
)
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.records import spread

__all__ = ["StoredSample", "Verdict", "stored_codes", "stored_sample", "verdict_of"]

_WORD = 32
Codes = tuple[Value, Value]
"""Depth and stencil as stored, U32."""


@dataclass(frozen=True, slots=True)
class StoredSample:
    """What targets hold at a sample.

    colors: of each render target by slot, red, green, blue and alpha, integers of integer formats;
    None where there is no target. depth, stencil: None where there is none.
    """

    colors: tuple[tuple[float, ...] | None, ...]
    depth: float | None
    stencil: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How tests went; None where there was none. depth: that was tested, clamped."""

    passed_stencil: bool | None
    passed_depth: bool | None
    depth: float | None


def stored_sample(draw: PreparedDraw, place: Place, sample: int) -> StoredSample:
    """Return what is stored at a sample of one pixel."""
    colors: list[tuple[float, ...] | None] = []
    for target in draw.targets:
        if target is None:
            colors.append(None)
            continue
        texel = unpack(target.format, loaded(target, place.address(target, sample)))
        colors.append(tuple(_number(target.format, component) for component in texel))
    codes, target = stored_codes(draw, place, sample), draw.depth
    if codes is None or target is None:
        return StoredSample(tuple(colors), None, None)
    stencil = _bits(codes[1]) if target.format.stencil_bits else None
    return StoredSample(tuple(colors), _depth(target.format, codes[0]), stencil)


def stored_codes(draw: PreparedDraw, place: Place, sample: int) -> Codes | None:
    """Return depth and stencil as they are stored at a sample of one pixel."""
    target = draw.depth
    if target is None:
        return None
    return depth_stencil_codes(target.format, loaded(target, place.address(target, sample)))


def verdict_of(
    draw: PreparedDraw, invocation: Invocations, sample: int, outputs: Mapping[str, int],
    stored: Codes,
) -> Verdict:  # fmt: skip
    """Return how the tests of one invocation go at a sample where this is stored.

    outputs: of the shader, none if the tests are early.
    """
    rule, state, target = draw.depth_stencil_rule, draw.depth_stencil, draw.depth
    arrays = {name: np.array([bits], np.uint32) for name, bits in outputs.items()}
    given = depths_at(draw, invocation, sample, arrays)
    passed_stencil = passed_depth = depth = None
    if target is not None and rule.tests_stencil:
        face = state.front_face if invocation.pieces.front[0] else state.back_face
        function = ComparisonFunc(face.stencil_func)
        reference = given.reference & rule.most_stencil
        holds = stencil_passes(function, state.stencil_read_mask, reference, stored[1])
        passed_stencil = _is_true(holds)
    if target is not None and rule.tests_depth:
        code = depth_code(
            target.format, clamped_depth(given.depth, given.min_depth, given.max_depth)
        )
        depth = _depth(target.format, code)
        passes = depth_passes(ComparisonFunc(state.depth_func), target.format, code, stored[0])
        passed_depth = _is_true(passes)
    return Verdict(passed_stencil, passed_depth, depth)


def _depth(format_: Format, code: Value) -> float:
    channel = format_.channel("d")
    if channel is not None and channel.type is ChannelType.UNORM:
        return _bits(code) / ((1 << channel.bits) - 1)
    is_whole = channel is None or channel.bits == _WORD
    number = bitcast(code, F32) if is_whole else number_from_float24(code)
    return float(spread(number, 1)[0])


def _number(format_: Format, component: Value) -> float:
    if not format_.is_integer:
        return float(spread(bitcast(component, F32), 1)[0])
    bits = _bits(component)
    is_signed = any(c.type is ChannelType.SINT for c in format_.channels)
    return bits - (1 << 32) if is_signed and bits >> 31 else bits


def _bits(value: Value) -> int:
    return int(spread(value, 1)[0])


def _is_true(value: Value) -> bool:
    return bool(spread(value, 1)[0])
