"""Every format with channels of up to 16 bits: all codes, there and back; exact values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from softd3d.formats.codec import units
from softd3d.formats.dxgi import FORMATS, Channel, ChannelType, Format

ALL = list(FORMATS.values())
SMALL = [
    f for f in ALL if max(c.bits for c in f.channels) <= 16 and f.type is not ChannelType.SHAREDEXP
]
WIDE = [f for f in ALL if min(c.bits for c in f.channels) == 32]


def named(format_: Format) -> str:
    return format_.name


def _codes(channel: Channel) -> np.ndarray:
    return np.arange(1 << channel.bits, dtype=np.uint64)


def _is_nan_code(channel: Channel, codes: np.ndarray) -> np.ndarray:
    if channel.type is not ChannelType.FLOAT:
        return np.zeros(codes.shape, bool)
    mantissa = {16: 10, 11: 6, 10: 5}[channel.bits]
    return ((codes >> np.uint64(mantissa)) & np.uint64(31) == 31) & (
        codes & np.uint64((1 << mantissa) - 1) != 0
    )


@pytest.mark.parametrize("format_", SMALL, ids=named)
def test_packing_what_was_unpacked_changes_nothing(texels, format_: Format) -> None:
    for channel in format_.channels:
        if channel.component == "x":
            continue
        codes = _codes(channel)
        words = texels.with_codes(format_, {channel.component: codes})
        again = texels.packed(format_, texels.unpacked(format_, words))
        same = np.ones(codes.shape, bool)
        for before, after in zip(words, again, strict=True):
            same &= before == after
        allowed = _is_nan_code(channel, codes)
        if channel.type is ChannelType.SNORM:
            allowed |= codes == 1 << channel.bits - 1  # the second code of -1
        if allowed.any() and channel.type is ChannelType.FLOAT:
            number = np.broadcast_to(_extracted(format_, channel, again), codes.shape)
            assert _is_nan_code(channel, number)[allowed].all()  # NaN stays NaN
        assert (same | allowed).all(), channel


def _extracted(format_: Format, channel: Channel, words: list[np.ndarray]) -> np.ndarray:
    unit, shift = divmod(channel.shift, 8 * units(format_)[0])
    return words[unit].astype(np.uint64) >> np.uint64(shift) & np.uint64((1 << channel.bits) - 1)


@pytest.mark.parametrize("format_", WIDE, ids=named)
def test_wide_channels_pass_unchanged(texels, format_: Format) -> None:
    words = [np.array([0, 1, 0x80000001, 0x7FC00001, 0xFFFFFFFF], np.uint32)] * units(format_)[1]
    for before, after in zip(
        words, texels.packed(format_, texels.unpacked(format_, words)), strict=True
    ):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("format_", ALL, ids=named)
def test_missing_components_are_0_0_0_1(texels, format_: Format) -> None:
    words = [np.full(1, 0xFFFFFFFF >> 32 - 8 * units(format_)[0], np.uint32)] * units(format_)[1]
    found = texels.unpacked(format_, words)
    one = 1 if format_.is_integer else 0x3F800000
    for component, bits in zip("rgba", found, strict=True):
        if format_.channel(component) is None:
            assert bits[0] == (one if component == "a" else 0), component


def _exact(type_: ChannelType, bits: int, code: int) -> Fraction:
    if type_ is ChannelType.UNORM:
        return Fraction(code, (1 << bits) - 1)
    if type_ is ChannelType.XR_BIAS:
        return Fraction(code - 384, 510)
    signed = code - (1 << bits) if code >> bits - 1 else code
    return max(Fraction(signed, (1 << bits - 1) - 1), Fraction(-1))


@pytest.mark.parametrize("format_", SMALL, ids=named)
def test_normalised_numbers_are_correctly_rounded(texels, format_: Format) -> None:
    """A float32 is the nearest if the exact number lies between the middles to its neighbours."""
    checked = (ChannelType.UNORM, ChannelType.SNORM, ChannelType.XR_BIAS)
    for channel in format_.channels:
        if channel.type not in checked or channel.component == "x":
            continue
        codes = _codes(channel)
        bits = texels.unpacked(format_, texels.with_codes(format_, {channel.component: codes}))
        found = texels.floats(bits["rgba".index(channel.component)])
        step = max(1, len(codes) // 2048)  # all of up to 11 bits; float64 below checks the rest
        for code in range(0, len(codes), step):
            exact = _exact(channel.type, channel.bits, code)
            x = found[code]
            error = abs(Fraction(float(x)) - exact)
            for other in (np.nextafter(x, np.float32(-9)), np.nextafter(x, np.float32(9))):
                assert error <= abs(Fraction(float(other)) - exact), (channel, code)
        # A float64 quotient, rounded again, is the float32 quotient (53 >= 2 * 24 + 2 bits).
        if channel.type is not ChannelType.XR_BIAS:
            is_signed = channel.type is ChannelType.SNORM
            numbers = codes.astype(np.int64)
            if is_signed:
                numbers = np.where(numbers >> channel.bits - 1, numbers - len(codes), numbers)
            largest = (1 << channel.bits - is_signed) - 1
            quotient = np.maximum(numbers / largest, -1.0).astype(np.float32)
            np.testing.assert_array_equal(found, quotient)


def _float_value(bits: int, code: int) -> Fraction:
    mantissa_bits = {16: 10, 11: 6, 10: 5}[bits]
    sign = -1 if bits == 16 and code >> 15 else 1
    exponent, mantissa = code >> mantissa_bits & 31, code & (1 << mantissa_bits) - 1
    if exponent == 0:
        return sign * Fraction(mantissa, 1 << mantissa_bits + 14)
    return (
        sign
        * Fraction((1 << mantissa_bits) + mantissa, 1 << mantissa_bits)
        * Fraction(2) ** (exponent - 15)
    )


@pytest.mark.parametrize("name", ["R16_FLOAT", "R11G11B10_FLOAT"])
def test_small_floats_widen_exactly(texels, name: str) -> None:
    format_ = FORMATS[name]
    for channel in format_.channels:
        codes = _codes(channel)
        bits = texels.unpacked(format_, texels.with_codes(format_, {channel.component: codes}))
        found = texels.floats(bits["rgba".index(channel.component)])
        special = codes >> np.uint64({16: 10, 11: 6, 10: 5}[channel.bits]) & np.uint64(31) == 31
        for code in np.flatnonzero(~special)[:: 7 if channel.bits == 16 else 1]:
            assert Fraction(float(found[code])) == _float_value(channel.bits, int(code))
        infinity = np.flatnonzero(special)[0]
        assert found[infinity] == np.inf
        assert np.isnan(found[infinity + 1])


def test_rounding_of_normalised_output_is_exact(texels) -> None:
    """Around every tie of 8 bits: floor(x * 255 + 0.5) in unlimited precision."""
    for name, top in (("R8_UNORM", 255), ("R16_UNORM", 65535)):
        middles = (np.arange(top, dtype=np.float64) + 0.5) / top
        nearest = middles.astype(np.float32)
        below = np.nextafter(nearest, np.float32(0))
        xs = np.concatenate([below, nearest, np.nextafter(nearest, np.float32(2))])
        if top > 255:
            xs = xs[::41]
        (found,) = texels.packed(FORMATS[name], [np.ascontiguousarray(xs).view(np.uint32)] * 4)
        for x, code in zip(xs, found, strict=True):
            assert code == int(Fraction(float(x)) * top + Fraction(1, 2)), x


def test_integers_clamp(texels) -> None:
    values = np.array([0, 127, 128, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFF80, 0xFFFFFFFF])
    bits = [values.astype(np.uint32)] * 4
    (unsigned,) = texels.packed(FORMATS["R8_UINT"], bits)
    (signed,) = texels.packed(FORMATS["R8_SINT"], bits)
    assert unsigned.tolist() == [0, 127, 128, 255, 255, 255, 255, 255, 255]
    assert signed.tolist() == [0, 127, 127, 127, 127, 127, 128, 128, 255]


def test_bits_without_meaning_are_written_0(texels) -> None:
    ones = [np.full(1, 0x3F800000, np.uint32)] * 4
    assert texels.packed(FORMATS["B8G8R8X8_UNORM"], ones)[0].tolist() == [0x00FFFFFF]
