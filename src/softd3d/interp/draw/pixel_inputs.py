"""Inputs of the pixel shader by interpolation. Spec: D3D11.3 sections 16.3 to 16.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.interp.draw.invocations import Invocations
from softd3d.isa.sm4.enums import InterpolationMode, OperandType, SystemName
from softd3d.pipeline import interpolation
from softd3d.pipeline.interpolation import Weights
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.records import K, Numbers, lanes, spread
from softd3d.pipeline.stages import CENTROID_MODES, NOPERSPECTIVE_MODES, SAMPLE_MODES, Link

__all__ = ["pixel_inputs"]

_TRUE = 0xFFFFFFFF
_Offset = tuple[Value | int, Value | int]


@dataclass(frozen=True, slots=True)
class _Place:
    """A point of each invocation, and the weights there.

    linear: on the screen. perspective: of attributes. terms: for 1 / w.
    """

    at: tuple[Value, Value]
    linear: Weights
    perspective: Weights
    terms: Sequence[Value]


def pixel_inputs(
    draw: PreparedDraw, links: Sequence[Link], invocations: Invocations
) -> dict[str, Numbers]:
    """Return the inputs of invocations by name, (invocations,) each."""
    inputs = _Inputs(draw, invocations)
    return {link.name: np.array(spread(inputs.value(link), invocations.count)) for link in links}


@dataclass(slots=True)
class _Inputs:
    """Evaluates inputs; what several need at a place is computed once."""

    draw: PreparedDraw
    invocations: Invocations
    places: dict[tuple[bool, bool], _Place] = field(default_factory=dict[tuple[bool, bool], _Place])

    def value(self, link: Link) -> Value:
        """Return an input, U32."""
        if link.is_made_by_rasterizer:
            return self.made(link)
        pieces = self.invocations.pieces
        if link.source is None:
            return K.const(U32, 0)
        if link.mode is InterpolationMode.CONSTANT or len(pieces.screen) == 1:
            return pieces.leading[link.source]
        return self.interpolated(link.source, link.mode, self.place(link.mode))

    def interpolated(self, source: str, mode: InterpolationMode, place: _Place) -> Value:
        values = [bitcast(v, F32) for v in self.invocations.pieces.attributes[source]]
        weights = place.linear if mode in NOPERSPECTIVE_MODES else place.perspective
        attribute = interpolation.set_up_attribute(values)
        return bitcast(interpolation.value_at(attribute, weights), U32)

    def made(self, link: Link) -> Value:
        """Return what the rasteriser makes, U32."""
        mine, value = self.invocations, link.system_value
        if link.file is OperandType.INPUT_COVERAGE_MASK:
            return lanes(mine.coverage) & self.draw.samples.coverage_mask
        if value is SystemName.IS_FRONT_FACE:
            return lanes(np.where(mine.pieces.front, np.uint32(_TRUE), np.uint32(0)))
        if value is SystemName.SAMPLE_INDEX and mine.sample is not None:
            return lanes(mine.sample)
        if value is SystemName.PRIMITIVE_ID or link.file is OperandType.INPUT_PRIMITIVEID:
            return lanes(mine.pieces.number)
        if value is SystemName.POSITION:
            return self.position(link)
        return K.const(U32, 0)

    def position(self, link: Link) -> Value:
        """Return a component of SV_Position: the point, its depth, w."""
        place = self.place(link.mode)
        if link.component < 2:
            return bitcast(interpolation.position(place.at[link.component]), U32)
        if link.component == 3:
            return bitcast(interpolation.w_at(place.terms), U32)
        depth = interpolation.set_up_attribute([s.z for s in self.invocations.pieces.screen])
        return bitcast(interpolation.value_at(depth, place.linear), U32)

    def place(self, mode: InterpolationMode) -> _Place:
        """Return where inputs of a mode are evaluated."""
        key = mode in CENTROID_MODES, mode in SAMPLE_MODES
        if key not in self.places:
            self.places[key] = self.place_at(self.offset(mode))
        return self.places[key]

    def place_at(self, offset: _Offset) -> _Place:
        mine, pixel = self.invocations, self.invocations.pixel
        at = interpolation.place(pixel[0], offset[0]), interpolation.place(pixel[1], offset[1])
        linear = mine.shape.weights(at, pixel)
        terms = interpolation.over_w(linear, [s.inverse_w for s in mine.pieces.screen])
        equal = interpolation.has_equal_bits([c.w for c in mine.pieces.clip])
        perspective = interpolation.perspective_weights(linear, terms, equal)
        return _Place(at, linear, perspective, terms)

    def offset(self, mode: InterpolationMode) -> _Offset:
        mine, pattern = self.invocations, self.draw.pattern
        if mode in SAMPLE_MODES and mine.sample is not None:
            return pattern.offset(lanes(mine.sample))
        if mode in CENTROID_MODES:
            mask = K.const(U32, self.draw.samples.coverage_mask)
            return interpolation.centroid_offset(lanes(mine.coverage) & mask, mask, pattern)
        return 0, 0
