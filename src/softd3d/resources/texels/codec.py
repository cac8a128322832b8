"""Arrays of units through the codec: tables for reading narrow channels, lanes for all else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.errors import ResourceError
from softd3d.formats.codec import pack_block, units, unpack
from softd3d.formats.conversions import sint_from_number, uint_from_number
from softd3d.formats.layout import Channel, ChannelType, Format, Scheme
from softd3d.formats.rules import Rules
from softd3d.resources.texels.code_tables import (
    codes_of,
    decoding_table,
    has_encoding_table,
    read_bytes,
)

__all__ = [
    "components_of",
    "converted",
    "read_units",
    "write_units",
]

_WIDEST_TABLE = 16
_WHOLE = (8, 16, 32)
_ALGEBRA = NumpyAlgebra()
converted = frozenset({np.dtype(np.float32), np.dtype(np.uint32), np.dtype(np.int32)})
"""The dtypes that components may have."""
Units = NDArray[np.uint8]  # (units, bytes of each)


def components_of(format_: Format) -> np.dtype[Any]:
    """Return the dtype of a format's components."""
    if not format_.is_integer:
        return np.dtype(np.float32)
    return np.dtype(np.int32 if format_.type is ChannelType.SINT else np.uint32)


def read_units(
    whole: Units, format_: Format, rules: Rules, out: NDArray[Any],
    palette: NDArray[Any] | None,
) -> None:  # fmt: skip
    """Write the components of all texels of units to `out`, (units * texels, 4)."""
    texels = format_.block_width
    target = out.reshape(len(whole), texels, 4)
    for texel in range(texels):
        if format_.channel("p") is not None:
            _read_palette(whole, format_, rules, target[:, texel], palette)
        elif _has_tables(format_):
            _read_by_tables(whole, format_, rules, target[:, texel], texel)
        else:
            _read_by_codec(whole, format_, rules, target[:, texel], texel)


def write_units(values: NDArray[Any], format_: Format, rules: Rules) -> Units:
    """Return units, (units, bytes), that hold components (units * texels, 4)."""
    texels = format_.block_width
    if format_.channel("p") is not None:
        raise ResourceError(f"format {format_.name} has a palette, which is not chosen here")
    by_texel = values.reshape(-1, texels, 4)
    written = [c for c in format_.channels if c.component in format_.reads]
    if texels == 1 and all(has_encoding_table(c.type, c.bits) for c in written):
        return _write_by_tables(by_texel[:, 0], format_, rules, written)
    lanes = [
        [_component(by_texel[:, texel, i], format_, i) for i in range(4)] for texel in range(texels)
    ]
    words = pack_block(format_, lanes, rules)
    size, count = units(format_)
    out = np.empty((len(by_texel), count), f"<u{size}")
    for i, word in enumerate(words):
        out[:, i] = word.raw
    return out.view(np.uint8)


def _write_by_tables(
    values: NDArray[Any], format_: Format, rules: Rules, written: list[Channel]
) -> Units:
    size, count = units(format_)
    out = np.zeros((len(values), count), f"<u{size}")
    for channel in written:
        numbers = values[:, format_.reads.index(channel.component)].astype(np.float32)
        codes = codes_of(numbers, channel.type, channel.bits, rules)
        unit, shift = divmod(channel.shift, 8 * size)
        out[:, unit] |= codes.astype(out.dtype) << shift
    return out.view(np.uint8)


def _has_tables(format_: Format) -> bool:
    if format_.scheme is Scheme.BITS or "c" in format_.reads:
        return False
    read = [c for c in format_.channels if c.component in format_.reads]
    return all(c.bits <= _WIDEST_TABLE and c.type is not ChannelType.SHAREDEXP for c in read)


def _read_by_tables(
    whole: Units, format_: Format, rules: Rules, out: NDArray[Any], texel: int
) -> None:
    read = [c for c in format_.channels if c.component in format_.reads]
    if all(c.bits == 8 and c.shift % 8 == 0 for c in read):
        _read_by_bytes(whole, format_, rules, out, texel)
        return
    for i, component in enumerate(format_.reads):
        if component in "01":
            out[:, i] = int(component)
            continue
        first = format_.reads.index(component)
        if first < i:  # the same once more, as luminance
            out[:, i] = out[:, first]
            continue
        channel = _channel_of(format_, component, texel)
        table = decoding_table(channel.type, channel.bits, rules)
        found = np.take(table, _codes(whole, channel), mode="clip")
        # Stencil beside depth is a number.
        is_number = channel.type.is_integer and not format_.is_integer
        out[:, i] = found if is_number else found.view(out.dtype)


def _read_by_bytes(
    whole: Units, format_: Format, rules: Rules, out: NDArray[Any], texel: int
) -> None:
    """Read channels that are bytes, two at a time."""
    codes = np.zeros((len(whole), 4), np.uint8)
    types: list[ChannelType | int] = []
    for i, component in enumerate(format_.reads):
        if component in "01":
            types.append(int(component))
            continue
        channel = _channel_of(format_, component, texel)
        codes[:, i] = whole[:, channel.shift // 8]
        is_number = channel.type.is_integer and not format_.is_integer
        types.append(ChannelType.INDEX if is_number else channel.type)
    read_bytes(codes, tuple(types), rules, out)


def _channel_of(format_: Format, component: str, texel: int) -> Channel:
    own = [c for c in format_.channels if c.component == component]
    return own[texel] if len(own) > 1 else own[0]


def _codes(whole: Units, channel: Channel) -> NDArray[Any]:
    """Return the codes of a channel of up to 16 bits in each unit."""
    byte, shift = divmod(channel.shift, 8)
    if shift == 0 and channel.bits in _WHOLE and byte % (channel.bits // 8) == 0:
        size = channel.bits // 8
        if whole.shape[1] % size == 0:
            return whole.view(f"<u{size}")[:, byte // size]
    last = (channel.shift + channel.bits - 1) // 8
    found = whole[:, byte].astype(np.uint32)
    for number in range(byte + 1, last + 1):
        found |= whole[:, number].astype(np.uint32) << np.uint32(8 * (number - byte))
    return found >> np.uint32(shift) & np.uint32((1 << channel.bits) - 1)


def _read_by_codec(
    whole: Units, format_: Format, rules: Rules, out: NDArray[Any], texel: int
) -> None:
    size, count = units(format_)
    items = whole.view(f"<u{size}").reshape(-1, count)
    words = [_ALGEBRA.lanes(U32, items[:, i].astype(np.uint32)) for i in range(count)]
    for i, value in enumerate(unpack(format_, words, rules, texel)):
        bits = np.asarray(value.raw)
        channel = format_.channel(format_.reads[i])
        if channel is not None and channel.type.is_integer and not format_.is_integer:
            out[:, i] = bits  # stencil beside depth: a number
        else:
            out[:, i] = bits.view(out.dtype)


def _read_palette(
    whole: Units, format_: Format, rules: Rules, out: NDArray[Any],
    palette: NDArray[Any] | None,
) -> None:  # fmt: skip
    if palette is None or palette.ndim != 2 or palette.shape[1] != 4:
        raise ResourceError(f"format {format_.name} wants a palette (entries, 4)")
    if palette.dtype == np.uint8:
        palette = decoding_table(ChannelType.UNORM, 8, rules).view(np.float32)[palette]
    index = _channel_of(format_, "p", 0)
    codes = _codes(whole, index)
    if len(palette) < 1 << index.bits and (codes >= len(palette)).any():
        raise ResourceError(f"found an index beyond the {len(palette)} entries of the palette")
    out[...] = palette[codes]
    alpha = format_.channel("a")
    if alpha is not None:
        table = decoding_table(alpha.type, alpha.bits, rules).view(np.float32)
        out[:, 3] = table[_codes(whole, alpha)]


def _component(values: NDArray[Any], format_: Format, i: int) -> Value:
    """Return one component of all texels as the bits that its channel wants."""
    channel = format_.channel(format_.reads[i])
    wanted = format_.type if channel is None else channel.type
    values = np.ascontiguousarray(values)
    if not wanted.is_integer:
        return _lanes(values.astype(np.float32).view(np.uint32))
    is_signed = wanted is ChannelType.SINT
    if values.dtype == np.float32:
        number = _ALGEBRA.lanes(F32, values)
        if is_signed:
            return bitcast(sint_from_number(number), U32)
        return uint_from_number(number)
    if is_signed:
        return _lanes(np.minimum(values, np.iinfo(np.int32).max).astype(np.int32).view(np.uint32))
    return _lanes(np.maximum(values, 0).astype(np.uint32))


def _lanes(bits: NDArray[np.uint32]) -> Value:
    return _ALGEBRA.lanes(U32, bits)
