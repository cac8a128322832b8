"""Texels to shader values and back, over the algebra: one definition for all engines.

A texel is read and written in storage units of 1, 2 or 4 bytes. A shader sees four components of
32 bits: integers for UINT and SINT formats, float32 for all others. Components that a format lacks
are 0, 0, 0 and 1. Spec: D3D11.3 sections 3.2 (conversions) and 19.1 (formats). Where that allows
several results for output we take the documented ones: integers clamp, normalised numbers round to
nearest, smaller floats round towards zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softd3d.algebra.float_rules import saturate
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.formats.conversions import (
    linear_to_srgb,
    number_from_shared_exponent,
    number_from_small_float,
    number_from_snorm,
    number_from_srgb,
    number_from_unorm,
    number_from_xr_bias,
    shared_exponent_from_numbers,
    sign_extended,
    small_float_from_number,
    snorm_from_number,
    unorm_from_number,
    xr_bias_from_number,
)
from softd3d.formats.dxgi import Channel, ChannelType, Format

__all__ = ["pack", "units", "unpack"]

_WORD = 32
_ONE_BITS = 0x3F800000
_COMPONENTS = "rgba"


def units(format_: Format) -> tuple[int, int]:
    """Return (bytes, count) of the storage units of a texel.

    >>> from softd3d.formats.dxgi import format_named
    >>> units(format_named("R16_FLOAT")), units(format_named("R32G32_UINT"))
    ((2, 1), (4, 2))
    """
    size = format_.bytes_per_texel
    unit = next(n for n in (4, 2, 1) if size % n == 0)
    return unit, size // unit


def unpack(format_: Format, words: Sequence[Value]) -> tuple[Value, Value, Value, Value]:
    """Return the bits of components x, y, z, w (uint32) of a texel.

    words: its storage units, lowest first, uint32 with the unused upper bits 0.
    """
    if format_.type is ChannelType.SHAREDEXP:
        x, y, z = (
            bitcast(number_from_shared_exponent(words[0], c.shift), U32)
            for c in format_.channels[:3]
        )
        return x, y, z, words[0].like(_ONE_BITS)
    one = 1 if format_.is_integer else _ONE_BITS
    found = {c.component: _decode(c, _extract(format_, c, words)) for c in format_.channels}
    x, y, z = (found.get(component, words[0].like(0)) for component in "rgb")
    return x, y, z, found.get("a", words[0].like(one))


def pack(format_: Format, components: Sequence[Value]) -> tuple[Value, ...]:
    """Return the storage units (uint32, lowest first) of a texel from the bits of x, y, z, w.

    Components that the format lacks are ignored; bits without meaning (X) become 0.
    """
    if format_.type is ChannelType.SHAREDEXP:
        return (shared_exponent_from_numbers(*(bitcast(c, F32) for c in components[:3])),)
    size, count = units(format_)
    words: list[Value | None] = [None] * count
    for channel in format_.channels:
        if channel.component not in _COMPONENTS:
            continue
        code = _encode(channel, components[_COMPONENTS.index(channel.component)])
        unit, shift = divmod(channel.shift, 8 * size)
        code = code << shift if shift else code
        before = words[unit]
        words[unit] = code if before is None else before | code
    return tuple(components[0].like(0) if word is None else word for word in words)


def _extract(format_: Format, channel: Channel, words: Sequence[Value]) -> Value:
    """Return the code of a channel, in the low bits of a uint32 and 0 above."""
    unit_bits = 8 * units(format_)[0]
    unit, shift = divmod(channel.shift, unit_bits)
    word = words[unit] >> shift if shift else words[unit]
    # A channel that ends with its unit has nothing above it.
    return word if shift + channel.bits == unit_bits else word & ((1 << channel.bits) - 1)


def _decode(channel: Channel, code: Value) -> Value:
    bits = channel.bits
    if bits == _WORD or channel.type is ChannelType.UINT:
        return code  # 32-bit channels are exactly what a shader sees
    if channel.type is ChannelType.SINT:
        return bitcast(sign_extended(code, bits), U32)
    return bitcast(_TO_NUMBER[channel.type](code, bits), U32)


def _encode(channel: Channel, component: Value) -> Value:
    bits = channel.bits
    if bits == _WORD:
        return component
    if channel.type is ChannelType.UINT:
        largest = (1 << bits) - 1
        return select(component < largest, component, largest)
    if channel.type is ChannelType.SINT:
        return _clamped_sint(bitcast(component, I32), bits)
    return _FROM_NUMBER[channel.type](bitcast(component, F32), bits)


def _clamped_sint(value: Value, bits: int) -> Value:
    lowest, largest = -(1 << bits - 1), (1 << bits - 1) - 1
    value = select(value < lowest, lowest, select(value < largest, value, largest))
    return bitcast(value, U32) & ((1 << bits) - 1)


_TO_NUMBER: dict[ChannelType, Callable[[Value, int], Value]] = {
    ChannelType.UNORM: number_from_unorm,
    ChannelType.SRGB: number_from_srgb,
    ChannelType.SNORM: number_from_snorm,
    ChannelType.FLOAT: number_from_small_float,
    ChannelType.XR_BIAS: lambda code, _: number_from_xr_bias(code),
}
_FROM_NUMBER: dict[ChannelType, Callable[[Value, int], Value]] = {
    ChannelType.UNORM: unorm_from_number,
    ChannelType.SRGB: lambda x, bits: unorm_from_number(linear_to_srgb(saturate(x)), bits),
    ChannelType.SNORM: snorm_from_number,
    ChannelType.FLOAT: small_float_from_number,
    ChannelType.XR_BIAS: lambda x, _: xr_bias_from_number(x),
}
