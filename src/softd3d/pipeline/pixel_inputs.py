"""Inputs of pixel shaders by interpolation. Spec: D3D11.3 sections 16.3 to 16.5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import U32, Value
from softd3d.classes import dataclass
from softd3d.isa.machine import Place
from softd3d.isa.sm4.enums import InterpolationMode, OperandType, SystemName
from softd3d.pipeline import interpolation
from softd3d.pipeline.coverage import SampleRule
from softd3d.pipeline.interpolation import Attribute, Weights
from softd3d.pipeline.pull_model import pulled_offset
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.shapes import ConservativeShape, Offset, Shape
from softd3d.pipeline.stages import CENTROID_MODES, NOPERSPECTIVE_MODES, SAMPLE_MODES, Link

__all__ = ["PixelInputs", "Primitive"]

_TRUE = 0xFFFFFFFF


class Primitive(Protocol):
    """What is interpolated: a point, line or triangle.

    inverse_w: of each vertex, F64. has_equal_w: BOOL. depth: after the viewport and bias.
    is_front: BOOL. number: SV_PrimitiveID, U32.
    """

    @property
    def inverse_w(self) -> Sequence[Value]: ...

    @property
    def has_equal_w(self) -> Value: ...

    @property
    def depth(self) -> Attribute: ...

    @property
    def is_front(self) -> Value: ...

    @property
    def number(self) -> Value: ...

    def attribute(self, source: str) -> Attribute:
        """Return an output of the stage before, to be interpolated."""
        ...

    def leading(self, source: str) -> Value:
        """Return an output at the leading vertex, U32."""
        ...


@dataclass(frozen=True, slots=True)
class _Place:
    """A point of each invocation, and the weights there.

    linear: on the screen. perspective: of attributes. terms: for 1 / w.
    """

    at: tuple[Value, Value]
    linear: Weights
    perspective: Weights
    terms: Sequence[Value]


class PixelInputs:
    """Evaluates inputs of invocations; what several need at a place is computed once.

    coverage: of the primitive, U32. inner: SV_InnerCoverage, U32. pixel: I32. sample: its index in
    sample frequency, U32. weights_at: the shape's weights at an offset that is the same for all
    pixels, where there is a shorter way.
    """

    def __init__(
        self, pattern: SamplePattern, rule: SampleRule, primitive: Primitive, shape: Shape,
        pixel: tuple[Value, Value], coverage: Value, inner: Value, sample: Value | None,
        weights_at: Callable[[Offset], Weights] | None = None,
    ) -> None:  # fmt: skip
        self.pattern = pattern
        self.mask = coverage.like(rule.coverage_mask)
        self.primitive = primitive
        self.shape = shape
        self.pixel = pixel
        self.coverage = coverage
        self.inner = inner
        self.sample = sample
        self.weights_at = weights_at
        self.places: dict[tuple[bool, bool], _Place] = {}

    def value(self, link: Link) -> Value:
        """Return an input, U32."""
        if link.is_made_by_rasterizer:
            return self._made(link)
        if link.source is None:
            return self.coverage.like(0)
        if link.mode is InterpolationMode.CONSTANT or len(self.primitive.inverse_w) == 1:
            return self.primitive.leading(link.source)
        return self._interpolated(link.source, link.mode, self._place(link.mode))

    def pulled(self, link: Link, place: Place, numbers: Sequence[Value]) -> Value:
        """Return an input at another place, U32: one that is constant, or made, is what it is."""
        is_fixed = link.mode is InterpolationMode.CONSTANT or len(self.primitive.inverse_w) == 1
        if is_fixed or link.source is None:
            return self.value(link)
        coverage = self._centroid_coverage()
        offset = pulled_offset(place, numbers, self.pattern, coverage, self.mask)
        return self._interpolated(link.source, link.mode, self._place_at(offset))

    def _interpolated(self, source: str, mode: InterpolationMode, place: _Place) -> Value:
        weights = place.linear if mode in NOPERSPECTIVE_MODES else place.perspective
        return bitcast(interpolation.value_at(self.primitive.attribute(source), weights), U32)

    def _made(self, link: Link) -> Value:
        """Return what the rasteriser makes, U32."""
        value = link.system_value
        if link.file is OperandType.INPUT_COVERAGE_MASK:
            return self.coverage & self.mask
        if link.file is OperandType.INNER_COVERAGE:
            return self.inner
        if value is SystemName.IS_FRONT_FACE:
            return select(self.primitive.is_front, self.coverage.like(_TRUE), 0)
        if value is SystemName.SAMPLE_INDEX and self.sample is not None:
            return self.sample
        if value is SystemName.PRIMITIVE_ID or link.file is OperandType.INPUT_PRIMITIVEID:
            return self.primitive.number
        if value is SystemName.POSITION:
            return self._position(link)
        return self.coverage.like(0)

    def _position(self, link: Link) -> Value:
        """Return a component of SV_Position: the point, its depth, w."""
        place = self._place(link.mode)
        if link.component < 2:
            return bitcast(interpolation.position(place.at[link.component]), U32)
        if link.component == 3:
            return bitcast(interpolation.w_at(place.terms), U32)
        return bitcast(interpolation.value_at(self.primitive.depth, place.linear), U32)

    def _place(self, mode: InterpolationMode) -> _Place:
        """Return where inputs of a mode are evaluated."""
        key = mode in CENTROID_MODES, mode in SAMPLE_MODES
        if key not in self.places:
            self.places[key] = self._place_at(self._offset(mode), is_same=not key[0])
        return self.places[key]

    def _place_at(self, offset: Offset, *, is_same: bool = False) -> _Place:
        """Return the place at an offset; is_same: it is the same in all pixels."""
        x, y = self.pixel
        at = interpolation.place(x, offset[0]), interpolation.place(y, offset[1])
        if is_same and self.weights_at is not None:
            linear = self.weights_at(offset)
        else:
            linear = self.shape.weights(at, self.pixel)
        terms = interpolation.over_w(linear, self.primitive.inverse_w)
        perspective = interpolation.perspective_weights(linear, terms, self.primitive.has_equal_w)
        return _Place(at, linear, perspective, terms)

    def _offset(self, mode: InterpolationMode) -> Offset:
        if mode in SAMPLE_MODES and self.sample is not None:
            return self.pattern.offset(self.sample)
        if mode in CENTROID_MODES:
            coverage = self._centroid_coverage()
            return interpolation.centroid_offset(coverage, self.mask, self.pattern)
        return 0, 0

    def _centroid_coverage(self) -> Value:
        """Return the samples that tell where the centroid is.

        With conservative rasterisation it is always the pixel's centre, as if all were covered.
        """
        if isinstance(self.shape, ConservativeShape):
            return self.coverage.like(self.pattern.full_mask)
        return self.coverage & self.mask
