"""Comparison filters: a texel becomes 1.0 or 0.0 before it is filtered.

Spec: D3D11.3 section 22.4.19 (sample_c).
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F32, U32, Value
from softd3d.formats.layout import ChannelType, Format
from softd3d.formats.rules import CODES
from softd3d.isa.sampling.state import ComparisonFunc, SamplerState

__all__ = ["compare", "compared", "quantised"]

_F = ComparisonFunc


def quantised(format_: Format, reference: Value) -> Value:
    """Return the reference as the format's first component could hold it, in units of its codes."""
    channel = format_.channel(format_.reads[0])
    if channel is None or channel.type is ChannelType.SHAREDEXP:
        return reference
    code = CODES.from_component[channel.type](bitcast(reference, U32), channel.bits)
    return bitcast(CODES.to_component[channel.type](code, channel.bits), F32)


def compared(sampler: SamplerState, reference: Value, texel: Value) -> Value:
    """Return 1.0 where `reference` compares with `texel` as the sampler says, else 0.0."""
    holds = compare(ComparisonFunc(sampler.comparison_func), reference, texel)
    return select(holds, texel.like(1.0), 0.0)


def compare(function: ComparisonFunc, a: Value, b: Value) -> Value:
    """Return whether (BOOL) `a function b` holds; with a NaN, NOT_EQUAL and ALWAYS do."""
    if function in (_F.NEVER, _F.ALWAYS):
        return a.k.const(BOOL, function is _F.ALWAYS)
    return {
        _F.LESS: a.__lt__,
        _F.EQUAL: a.eq,
        _F.LESS_EQUAL: a.__le__,
        _F.GREATER: a.__gt__,
        _F.NOT_EQUAL: a.ne,
        _F.GREATER_EQUAL: a.__ge__,
    }[function](b)
