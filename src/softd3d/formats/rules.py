"""The two sets of conversion rules: those of Direct3D 10 and later, and those of Direct3D 9.

They differ in narrowing floats only: Direct3D 10 and later round towards zero and never to
infinity, Direct3D 9 rounds to nearest even. What a read fills in for missing components differs
too, but that is part of each format's row (`Format.reads`). Spec: D3D11.3 section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from softd3d.algebra.float_rules import saturate
from softd3d.algebra.operations import bitcast, convert
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.arguments import one_of
from softd3d.classes import dataclass
from softd3d.formats.conversions import (
    clamped_sint,
    clamped_uint,
    code_of_snorm,
    linear_to_srgb,
    number_from_snorm,
    number_from_srgb,
    number_from_unorm,
    number_from_xr_bias,
    sign_extended,
    snorm_from_number,
    unorm_from_number,
    xr_bias_from_number,
)
from softd3d.formats.floats import (
    float24_from_number,
    nearest_small_float_from_number,
    number_from_float24,
    number_from_small_float,
    small_float_from_number,
)
from softd3d.formats.layout import ChannelType

__all__ = ["CODES", "D3D9", "D3D10", "Conversion", "Rules", "rules_named"]

Conversion = Callable[[Value, int], Value]
"""From a code of so many bits or from the bits of a component to the other; both uint32."""

_WORD, _FLOAT24 = 32, 24


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """How codes become components and components codes, for each type of channel."""

    name: str
    to_component: Mapping[ChannelType, Conversion]
    from_component: Mapping[ChannelType, Conversion]


def rules_named(name: str | Rules) -> Rules:
    """Return the rules "d3d10" or "d3d9".

    Raises:
        ResourceError: another name.
    """
    if isinstance(name, Rules):
        return name
    return _RULES[one_of(name, "rules", list(_RULES))]


def _number(function: Callable[[Value, int], Value]) -> Conversion:
    return lambda code, bits: bitcast(function(code, bits), U32)


def _code(function: Callable[[Value, int], Value]) -> Conversion:
    return lambda component, bits: function(bitcast(component, F32), bits)


def _same(bits_of: Value, _: int) -> Value:
    return bits_of


def _signed(code: Value, bits: int) -> Value:
    return bitcast(sign_extended(code, bits), U32)


def _sint(component: Value, bits: int) -> Value:
    return component if bits == _WORD else clamped_sint(bitcast(component, I32), bits)


def _uint(component: Value, bits: int) -> Value:
    return component if bits == _WORD else clamped_uint(component, bits)


def _wide_or_small(code: Value, bits: int) -> Value:
    """Widen; a float32 passes as it is, denormals and payloads included."""
    if bits == _WORD:
        return code
    wide = number_from_float24(code) if bits == _FLOAT24 else number_from_small_float(code, bits)
    return bitcast(wide, U32)


def _narrowed(function: Callable[[Value, int], Value]) -> Conversion:
    def narrow(component: Value, bits: int) -> Value:
        if bits == _WORD:
            return component
        x = bitcast(component, F32)
        return float24_from_number(x) if bits == _FLOAT24 else function(x, bits)

    return narrow


_TO_COMPONENT: dict[ChannelType, Conversion] = {
    ChannelType.UINT: _same,
    ChannelType.INDEX: _same,
    ChannelType.SINT: _signed,
    ChannelType.UNORM: _number(number_from_unorm),
    ChannelType.SRGB: _number(number_from_srgb),
    ChannelType.SNORM: _number(number_from_snorm),
    ChannelType.FLOAT: _wide_or_small,
    ChannelType.XR_BIAS: _number(lambda code, _: number_from_xr_bias(code)),
}
_FROM_COMPONENT: dict[ChannelType, Conversion] = {
    ChannelType.UINT: _uint,
    ChannelType.INDEX: _uint,
    ChannelType.SINT: _sint,
    ChannelType.UNORM: _code(unorm_from_number),
    ChannelType.SRGB: _code(lambda x, bits: unorm_from_number(linear_to_srgb(saturate(x)), bits)),
    ChannelType.SNORM: _code(snorm_from_number),
    ChannelType.FLOAT: _narrowed(small_float_from_number),
    ChannelType.XR_BIAS: _code(lambda x, _: xr_bias_from_number(x)),
}
D3D10 = Rules("d3d10", _TO_COMPONENT, _FROM_COMPONENT)
"""Direct3D 10 to 12: floats are narrowed towards zero."""
D3D9 = Rules(
    "d3d9",
    _TO_COMPONENT,
    {**_FROM_COMPONENT, ChannelType.FLOAT: _narrowed(nearest_small_float_from_number)},
)
"""Direct3D 9: floats are narrowed to nearest even."""
CODES = Rules(
    "codes",
    {
        **_TO_COMPONENT,
        ChannelType.UNORM: _number(lambda code, _: convert(bitcast(code, I32), F32)),
        ChannelType.SNORM: _number(code_of_snorm),
    },
    _FROM_COMPONENT,
)
"""Reading gives normalised channels as their codes, float32: what filters blend."""
_RULES = {rules.name: rules for rules in (D3D10, D3D9)}
