"""Joining texels: blends, and the smallest or largest of those that have weight.

Spec: D3D11.3 sections 7.18.8, 7.18.16.2 (arithmetic), 5.9.4.5.6 (minimum and maximum).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from softd3d.algebra.float_rules import maximum, minimum
from softd3d.algebra.operations import fma, rarely, select
from softd3d.algebra.value import Value
from softd3d.isa.sampling.state import Reduction

__all__ = ["Join", "blend", "careful_blend", "joined", "reduction_of"]

Texel: TypeAlias = "tuple[Value, ...]"
Join = Callable[[Value, Value, Value], Value]
"""From two numbers and the weight of the second, in [0, 1], to one number."""
_INFINITY = float("inf")


def blend(a: Value, b: Value, weight: Value) -> Value:
    """Return a + weight * (b - a), with one rounding of the product and sum.

    Equal texels give themselves, the result lies between both, and grows with either.
    """
    return fma(weight, b - a, a)


def careful_blend(a: Value, b: Value, weight: Value) -> Value:
    """Return the same where it is finite; else the weighted sum of the texels that have weight.

    So an infinite texel gives infinity, as the specification's sum does, and one of weight 0, even
    a NaN, nothing.
    """
    result = blend(a, b, weight)
    total = fma(b, weight, a * (1.0 - weight))
    total = select(weight.eq(0.0), a, select(weight.eq(1.0), b, total))
    return select(abs(result) < _INFINITY, result, total)


def _least_of(a: Value, b: Value, weight: Value) -> Value:
    return select(weight.eq(0.0), a, minimum(a, b))


def _most_of(a: Value, b: Value, weight: Value) -> Value:
    return select(weight.eq(0.0), a, maximum(a, b))


_REDUCTIONS: dict[Reduction, Join] = {
    Reduction.MINIMUM: _least_of,
    Reduction.MAXIMUM: _most_of,
}


def reduction_of(reduction: Reduction) -> Join:
    """Return how a sampler's filter joins texels that are finite."""
    return _REDUCTIONS.get(reduction, blend)


def joined(
    texels: Sequence[Texel], weights: Sequence[Value], join: Join, *, may_be_infinite: bool
) -> Texel:
    """Join 2**n texels, the first axis fastest, along n axes one after another."""
    result = _tree(texels, weights, join)
    if not may_be_infinite or join is not blend or not weights:
        return result
    bad = None
    for value in result:
        is_bad = ~(abs(value) < _INFINITY)
        bad = is_bad if bad is None else bad | is_bad
    if bad is None:
        return result
    # What is not finite on the way stays so to the end, where `careful_blend` is not used.
    return rarely(bad, result, lambda: _tree(texels, weights, careful_blend))


def _tree(texels: Sequence[Texel], weights: Sequence[Value], join: Join) -> Texel:
    for weight in weights:
        texels = [
            tuple(join(a, b, weight) for a, b in zip(first, second, strict=True))
            for first, second in zip(texels[::2], texels[1::2], strict=True)
        ]
    (result,) = texels
    return result
