"""Tessellation factors: culled, clamped, rounded, in fixed point. Spec: D3D11.3 10.10, 11.7.

The factors of a patch are in the order of semantic indices, edges before insides:

* isoline: density (the number of lines), detail (the segments of a line);
* tri: edges U == 0, V == 0, W == 0; inside;
* quad: edges U == 0, V == 0, U == 1, V == 1; inside along U, inside along V.
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.algebra.operations import bitcast, ceil, convert, rint, select
from softd3d.algebra.value import BOOL, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import Domain, Partitioning
from softd3d.isa.sm4.limits import MAX_TESSELLATION_FACTOR
from softd3d.pipeline.rasterizer.clip import all_of, any_of

__all__ = [
    "EDGES",
    "FACTORS",
    "INSIDE_ALONG",
    "ONE",
    "AxisFactor",
    "PatchFactors",
    "process_factors",
]

EDGES = {Domain.ISOLINE: 2, Domain.TRI: 3, Domain.QUAD: 4}
"""Factors of edges; of isolines, which have no insides, density and detail."""
FACTORS = {Domain.ISOLINE: 2, Domain.TRI: 4, Domain.QUAD: 6}
"""Factors of a patch."""
INSIDE_ALONG = {Domain.TRI: (0, 0, 0), Domain.QUAD: (1, 0, 1, 0)}
"""Which inside axis runs along each side."""
ONE = 1 << 16
"""The number 1 in fixed point."""

_MOST = MAX_TESSELLATION_FACTOR
_LIMITS = {
    Partitioning.INTEGER: (1.0, _MOST),
    Partitioning.POW2: (1.0, _MOST),
    Partitioning.FRACTIONAL_ODD: (1.0, _MOST - 1),
    Partitioning.FRACTIONAL_EVEN: (2.0, _MOST),
}
_WHOLE = frozenset({Partitioning.INTEGER, Partitioning.POW2})
_INFINITY = 0x7F800000
# A fractional_odd edge above the first makes insides at least the second: the nearest fixed-point
# number to the first is 1, to anything above it more than 1.
_BARELY_SPLIT = 1 + 2.0**-17
_LEAST_SPLIT = 1 + 2.0**-16


@dataclass(frozen=True, slots=True)
class AxisFactor:
    """The factor of an edge or of an inside axis. fixed: U32, 16.16; is_odd: its parity."""

    fixed: Value
    is_odd: Value


@dataclass(frozen=True, slots=True)
class PatchFactors:
    """The factors of a patch as the tessellator uses them.

    is_culled: whether there is no patch; `axes` then mean nothing. is_single: whether all factors
    are 1, which makes one triangle or quad without a point inside. axes: one for each factor.
    """

    is_culled: Value
    is_single: Value
    axes: tuple[AxisFactor, ...]


def process_factors(
    domain: Domain, partitioning: Partitioning, factors: Sequence[Value]
) -> PatchFactors:
    """Return what becomes of a patch's factors.

    Args:
        domain: what is tessellated.
        partitioning: how edges are split. The tessellator does not know powers of two: pow2 is
            integer, the shader rounds.
        factors: F32, as many as `FACTORS` says, in the order of this module's text.
    """
    edges, insides = factors[: EDGES[domain]], factors[EDGES[domain] :]
    is_culled = any_of(~_is_positive(edge) for edge in edges)
    rules = [partitioning] * len(factors)
    if domain is Domain.ISOLINE:  # the number of lines is whole
        rules[0] = Partitioning.INTEGER
    held = [_held(e, *_LIMITS[rule]) for e, rule in zip(edges, rules, strict=False)]
    low, high = _inside_limits(domain, partitioning, held, insides)
    axes = [_edge(e, rule) for e, rule in zip(held, rules, strict=False)]
    axes += [_inside(_held(i, low, high), partitioning) for i in insides]
    is_single = all_of(axis.fixed.eq(ONE) for axis in axes)
    return PatchFactors(is_culled, is_single, tuple(axes))


def _is_positive(factor: Value) -> Value:
    """Return whether a factor is above 0: no NaN, but denormals are, which comparisons flush."""
    bits = bitcast(factor, I32)
    return (bits > 0) & (bits <= _INFINITY)


def _held(factor: Value, low: Value | float, high: float) -> Value:
    """Return a factor within limits; NaN is the lower one."""
    above = select(factor >= low, factor, low)
    return select(above <= high, above, high)


def _inside_limits(
    domain: Domain, partitioning: Partitioning, edges: Sequence[Value], insides: Sequence[Value]
) -> tuple[Value | float, float]:
    """Return the limits of inside factors, given clamped edges and unclamped insides.

    If an edge of an odd patch is split, the inside is, too, so that there is a ring to connect to.
    One inside of a quad also splits the other.
    """
    low, high = _LIMITS[partitioning]
    if partitioning is not Partitioning.FRACTIONAL_ODD or not insides:
        return low, high
    seen = (*edges, *insides) if domain is Domain.QUAD else edges
    is_split = any_of(factor > _BARELY_SPLIT for factor in seen)
    return select(is_split, seen[0].like(_LEAST_SPLIT), low), high


def _edge(factor: Value, partitioning: Partitioning) -> AxisFactor:
    if partitioning in _WHOLE:
        fixed = _fixed(ceil(factor))
        return AxisFactor(fixed, (fixed & ONE).ne(0))
    return _fractional(factor, partitioning)


def _inside(factor: Value, partitioning: Partitioning) -> AxisFactor:
    """Return an inside axis: a whole factor of 1 counts as even."""
    if partitioning in _WHOLE:
        fixed = _fixed(ceil(factor))
        return AxisFactor(fixed, (fixed & ONE).ne(0) & fixed.ne(ONE))
    return _fractional(factor, partitioning)


def _fractional(factor: Value, partitioning: Partitioning) -> AxisFactor:
    is_odd = factor.k.const(BOOL, partitioning is Partitioning.FRACTIONAL_ODD)
    return AxisFactor(_fixed(factor), is_odd)


def _fixed(factor: Value) -> Value:
    return convert(rint(factor * float(ONE)), U32)
