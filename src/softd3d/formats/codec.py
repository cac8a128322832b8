"""Texels to shader values and back, over the algebra: one definition for all engines.

A texel is read and written in storage units of 1, 2 or 4 bytes. A shader sees four components of
32 bits: integers for UINT and SINT formats, float32 for all others. A format's row says what a
read gives as x, y, z and w, and so what stands for components that are not there. How numbers are
converted is a set of rules. Where texels share a unit (4:2:2 packed formats, bits), each is
unpacked by its number. Spec: D3D11.3 sections 3.2 (conversions) and 19.1 (formats).
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.algebra.operations import bitcast, rint, select, sqrt
from softd3d.algebra.value import F32, U32, Value
from softd3d.errors import ResourceError
from softd3d.formats.floats import number_from_shared_exponent, shared_exponent_from_numbers
from softd3d.formats.layout import Channel, ChannelType, Format, Scheme
from softd3d.formats.rules import D3D10, Rules

__all__ = ["pack", "pack_block", "units", "unpack"]

_ONE_BITS = 0x3F800000
_UNPACKED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BITS)
Components = Sequence[Value]


def units(format_: Format) -> tuple[int, int]:
    """Return (bytes, count) of the storage units of a texel, pair or byte of bits.

    >>> from softd3d.formats.dxgi import format_named
    >>> units(format_named("R16_FLOAT")), units(format_named("R32G32_UINT"))
    ((2, 1), (4, 2))
    """
    size = format_.bytes_per_block
    unit = next(n for n in (4, 2, 1) if size % n == 0)
    return unit, size // unit


def unpack(
    format_: Format, words: Sequence[Value], rules: Rules = D3D10, texel: int = 0
) -> tuple[Value, Value, Value, Value]:
    """Return the bits of components x, y, z, w (uint32) of a texel.

    words: its storage units, lowest first, uint32 with the unused upper bits 0. texel: which one
    of those that share the units.

    Raises:
        ResourceError: the format has no texels of this kind, or is typeless.
    """
    _check(format_)
    one = words[0].like(1 if format_.is_integer else _ONE_BITS)
    found: dict[str, Value] = {"0": words[0].like(0), "1": one}
    for component in dict.fromkeys(format_.reads):
        if component in found:
            continue
        if component == "c":
            found["c"] = _third_of_a_normal(format_, found["u"], found["v"])
            continue
        channel = _channel(format_, component, texel)
        if channel.type is ChannelType.SHAREDEXP:
            number = number_from_shared_exponent(words[0], channel.shift)
            found[component] = bitcast(number, U32)
        else:
            code = _extract(format_, channel, words)
            found[component] = rules.to_component[channel.type](code, channel.bits)
    x, y, z, w = (found[component] for component in format_.reads)
    return x, y, z, w


def pack(format_: Format, components: Components, rules: Rules = D3D10) -> tuple[Value, ...]:
    """Return the storage units (uint32, lowest first) of a texel from the bits of x, y, z, w.

    Components that the format lacks are ignored; bits without meaning (X) become 0. What a read
    gives several times, as luminance, is taken from the first of them. In a pair both texels are
    the same; `pack_block` takes each.
    """
    return pack_block(format_, [components] * (format_.block_width * format_.block_height), rules)


def pack_block(
    format_: Format, texels: Sequence[Components], rules: Rules = D3D10
) -> tuple[Value, ...]:
    """Return the storage units of the texels that share them, from the bits of each one's x to w.

    Of a pair the first shared channel comes from the even texel, the second from the odd one.

    Raises:
        ResourceError: the format has no texels of this kind, or is typeless.
    """
    _check(format_)
    if format_.type is ChannelType.SHAREDEXP:
        return (shared_exponent_from_numbers(*(bitcast(c, F32) for c in texels[0][:3])),)
    size, count = units(format_)
    words: list[Value | None] = [None] * count
    for channel, texel in _sources(format_):
        if channel.component not in format_.reads:
            continue
        component = texels[texel][format_.reads.index(channel.component)]
        code = rules.from_component[channel.type](component, channel.bits)
        unit, shift = divmod(channel.shift, 8 * size)
        code = code << shift if shift else code
        before = words[unit]
        words[unit] = code if before is None else before | code
    return tuple(texels[0][0].like(0) if word is None else word for word in words)


def _check(format_: Format) -> None:
    if format_.scheme not in _UNPACKED or not format_.channels:
        raise ResourceError(f"format {format_.name} has no texels to pack: {format_.scheme.value}")
    if any(c.type is ChannelType.TYPELESS and c.component != "x" for c in format_.channels):
        raise ResourceError(f"format {format_.name} has no component type")


def _channel(format_: Format, component: str, texel: int) -> Channel:
    """Return where a texel of those that share a unit has a component."""
    return next(
        channel
        for channel, owner in _sources(format_)
        if channel.component == component and (owner == texel or _is_shared(format_, component))
    )


def _is_shared(format_: Format, component: str) -> bool:
    return sum(channel.component == component for channel, _ in _sources(format_)) == 1


def _sources(format_: Format) -> list[tuple[Channel, int]]:
    """Return the channels of a unit, each with the number of the texel that it is written from."""
    if format_.scheme is Scheme.BITS:  # the first texel has the highest bit
        (bit,) = format_.channels
        return [(Channel(bit.component, bit.type, 1, 7 - texel), texel) for texel in range(8)]
    if format_.scheme is not Scheme.PACKED_422:
        return [(channel, 0) for channel in format_.channels]
    # What occurs twice is each texel's own; of what both share, each gives one.
    half = format_.bytes_per_block * 4
    return [(channel, channel.shift // half) for channel in format_.channels]


def _extract(format_: Format, channel: Channel, words: Sequence[Value]) -> Value:
    """Return the code of a channel, in the low bits of a uint32 and 0 above."""
    unit_bits = 8 * units(format_)[0]
    unit, shift = divmod(channel.shift, unit_bits)
    word = words[unit] >> shift if shift else words[unit]
    # A channel that ends with its unit has nothing above it.
    return word if shift + channel.bits == unit_bits else word & ((1 << channel.bits) - 1)


def _third_of_a_normal(format_: Format, u: Value, v: Value) -> Value:
    """Return sqrt(1 - u * u - v * v), 0 where that is negative; all as bits of float32.

    It is computed on codes, whose squares are exact.
    """
    largest = float((1 << format_.channels[0].bits - 1) - 1)
    a, b = (rint(bitcast(x, F32) * largest) for x in (u, v))
    square = largest * largest - a * a - b * b
    return bitcast(sqrt(select(square > 0.0, square, 0.0)) / largest, U32)
