"""Interpolating attributes, depth and 1 / w: setup for a primitive, evaluation at a point.

Everything is double with one rounding to float32 at the end, and depends on the primitive and on
the point's coordinates only. So the depth test and the shader see the same bits, and tiles and
threads change nothing. What is the same at all vertices comes out with its bits.

A primitive has weights at a point: those of vertices 1 and 2 for triangles, the parameter for
lines, none for points. Vertices keep the primitive's order; vertex 0 is the leading one. Points
outside the primitive (centres of pixels that it covers in part, helper lanes) extrapolate; beyond
the horizon of a perspective the result is what IEEE arithmetic makes of it.

Spec: D3D11.3 sections 3.5.5 and 15.16.2, 16.3 to 16.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, convert, ctz, rarely, select
from softd3d.algebra.value import BOOL, F32, F64, U32, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.rasterizer.triangle import Triangle, edge_value

__all__ = [
    "Attribute",
    "Weights",
    "centroid_offset",
    "centroid_sample",
    "double_at",
    "has_equal_bits",
    "inverse_area",
    "over_w",
    "perspective_weights",
    "place",
    "position",
    "set_up_attribute",
    "snapped_offset",
    "triangle_weights",
    "value_at",
    "w_at",
]

Weights: TypeAlias = tuple[Value, ...]
"""Of all vertices but the first at one point, F64: two, one or none."""


def inverse_area(triangle: Triangle) -> Value:
    """Return what `triangle_weights` multiplies by: once for each triangle, F64."""
    return 1.0 / triangle.area


def triangle_weights(triangle: Triangle, inverse: Value, x: Value, y: Value) -> Weights:
    """Return the weights that are linear on the screen, for noperspective attributes and depth.

    Args:
        triangle: the triangle.
        inverse: its `inverse_area`.
        x: of the point, F64, whole number of 1/256 pixel.
        y: likewise.
    """
    _, first, second = triangle.edges
    return edge_value(first, x, y) * inverse, edge_value(second, x, y) * inverse


def over_w(weights: Weights, inverse_w: Sequence[Value]) -> tuple[Value, ...]:
    """Return each vertex's weight times 1 / w, F64: the first vertex has what is left of 1.

    For a line that tests a clip distance the parameter is held within its ends first.
    """
    left = inverse_w[0].like(1.0)
    for weight in weights:
        left = left - weight
    return tuple(n * i for n, i in zip((left, *weights), inverse_w, strict=True))


def perspective_weights(weights: Weights, terms: Sequence[Value], has_equal_w: Value) -> Weights:
    """Return the weights of perspective attributes.

    Args:
        weights: those that are linear on the screen.
        terms: `over_w` of them.
        has_equal_w: whether all vertices have the same w bit for bit; then nothing changes.
    """

    def divided() -> Weights:
        inverse = 1.0 / _sum(terms)  # one division for all: the slowest operation by far
        return tuple(n * inverse for n in terms[1:])

    return rarely(~has_equal_w, weights, divided)


def w_at(terms: Sequence[Value]) -> Value:
    """Return w of SV_Position, F32, from `over_w`; for points pass their only term."""
    return convert(1.0 / _sum(terms), F32)


def _sum(terms: Sequence[Value]) -> Value:
    total = terms[0]
    for n in terms[1:]:
        total = total + n
    return total


def has_equal_bits(values: Sequence[Value]) -> Value:
    """Return whether values (F32) have the same bits at all vertices."""
    first, *others = (bitcast(v, U32) for v in values)
    equal = first.k.const(BOOL, 1)
    for n in others:
        equal = equal & n.eq(first)
    return equal


@dataclass(frozen=True, slots=True)
class Attribute:
    """One component of an attribute, or the depth: once for each primitive.

    first: at vertex 0, F32, its bits untouched; base: the same as F64; deltas: what the other
    vertices have more, F64; is_constant: whether all have the same bits.
    """

    first: Value
    base: Value
    deltas: tuple[Value, ...]
    is_constant: Value


def set_up_attribute(values: Sequence[Value]) -> Attribute:
    """Return a component from its values (F32) at the vertices of a triangle, line or point.

    Depths are those after viewport and bias. A constant (nointerpolation) component is no matter
    of this: it is `values[0]`, whatever its type.
    """
    base, *others = (convert(v, F64) for v in values)
    return Attribute(values[0], base, tuple(v - base for v in others), has_equal_bits(values))


def value_at(attribute: Attribute, weights: Weights) -> Value:
    """Return a component at the point with these weights, F32; tiny results flush."""
    if not weights:
        return attribute.first
    rounded = convert(double_at(attribute, weights), F32)
    return select(attribute.is_constant, attribute.first, rounded)


def double_at(attribute: Attribute, weights: Weights) -> Value:
    """Return a component unrounded, F64: z / w before the viewport, for `clip.depth_passes`."""
    if not weights:
        return attribute.base
    products = [n * d for n, d in zip(weights, attribute.deltas, strict=True)]
    return attribute.base + _sum(products)


def place(pixel: Value, offset: Value | int = 0) -> Value:
    """Return a coordinate in 1/256 pixel (I32): a pixel's centre, or `offset` from it."""
    return (pixel * PIXEL + CENTER) + offset


def position(coordinate: Value) -> Value:
    """Return x or y of SV_Position, F32, from 1/256 pixel (I32), exactly."""
    return convert(coordinate, F32) * (1.0 / PIXEL)


def snapped_offset(number: Value) -> Value:
    """Return eval_snapped's offset from the pixel's centre (I32): 4 bits, signed, 1/16 pixel each.

    Spec: D3D11.3 16.5. In 1/256 pixel.
    """
    return (number << 28) >> 24


def centroid_sample(coverage: Value, mask: Value, pattern: SamplePattern) -> Value:
    """Return the sample where centroid attributes are evaluated, 32 for the pixel's centre; U32.

    The first covered sample; the centre if all samples are. Where none is (helper lanes), the
    first in the sample mask, or the centre if the mask has all. Spec: D3D11.3 3.5.5, with coverage
    after the mask in each step.

    Args:
        coverage: of the primitive, after the sample mask, U32.
        mask: the sample mask, U32; all ones under a ForcedSampleCount.
        pattern: the samples.
    """
    full = pattern.full_mask
    mask = mask & full
    samples = select(coverage.eq(0), mask, coverage)
    return select(samples.eq(full), 32, ctz(samples))


def centroid_offset(coverage: Value, mask: Value, pattern: SamplePattern) -> tuple[Value, Value]:
    """Return how far the centroid is from the pixel's centre, I32, 1/256 pixel."""
    return pattern.offset(centroid_sample(coverage, mask, pattern))
