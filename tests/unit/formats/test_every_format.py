"""Every code of every format with channels of up to 16 bits, in both tables: there and back."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32
from softd3d.errors import ResourceError
from softd3d.formats.codec import pack, pack_block, units, unpack
from softd3d.formats.d3d9 import D3D9_FORMATS, d3d9_format
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import Channel, ChannelType, Format, Scheme
from softd3d.formats.rules import D3D9, D3D10, Rules

K = NumpyAlgebra()
CODED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BITS)
SMALL = [
    (format_, rules)
    for table, rules in ((DXGI_FORMATS, D3D10), (D3D9_FORMATS, D3D9))
    for format_ in table.values()
    if format_.scheme in CODED
    and not format_.is_typeless
    and any(c.bits <= 16 for c in format_.channels)
    # Codes of R9G9B9E5 are not one to one: see test_shared_exponent_round_trip.
    and format_.type is not ChannelType.SHAREDEXP
]
MANTISSA = {16: 10, 11: 6, 10: 5}


def _named(case: tuple[Format, Rules]) -> str:
    return f"{case[1].name}-{case[0].name}"


def _words(format_: Format, channel: Channel, codes: np.ndarray) -> list[np.ndarray]:
    size, count = units(format_)
    unit, shift = divmod(channel.shift, 8 * size)
    words = [np.zeros(codes.shape, np.uint32) for _ in range(count)]
    words[unit] = (codes << np.uint64(shift)).astype(np.uint32)
    return words


def _code(format_: Format, channel: Channel, words: list[np.ndarray]) -> np.ndarray:
    unit, shift = divmod(channel.shift, 8 * units(format_)[0])
    return words[unit] >> np.uint32(shift) & np.uint32((1 << channel.bits) - 1)


def _there_and_back(format_: Format, rules: Rules, words: list[np.ndarray]) -> list[np.ndarray]:
    values = [K.lanes(U32, word) for word in words]
    texels = [unpack(format_, values, rules, texel) for texel in range(format_.block_width)]
    return [np.asarray(v.raw) for v in pack_block(format_, texels, rules)]


def _is_free(channel: Channel, codes: np.ndarray) -> np.ndarray:
    """Return which codes need not come back: the second -1, and payloads of NaN."""
    if channel.type is ChannelType.SNORM:
        return codes == 1 << channel.bits - 1
    if channel.type is ChannelType.FLOAT:
        bits = MANTISSA[channel.bits]
        exponent = codes >> np.uint64(bits) & np.uint64(31)
        return (exponent == 31) & (codes & np.uint64((1 << bits) - 1) != 0)
    return np.zeros(codes.shape, bool)


@pytest.mark.parametrize("case", SMALL, ids=_named)
def test_packing_what_was_unpacked_changes_nothing(case: tuple[Format, Rules]) -> None:
    format_, rules = case
    if format_.scheme is Scheme.BITS:
        words = [np.arange(256, dtype=np.uint32)]
        np.testing.assert_array_equal(_there_and_back(format_, rules, words)[0], words[0])
        return
    for channel in format_.channels:
        if channel.component not in format_.reads or channel.bits > 16:
            continue
        codes = np.arange(1 << channel.bits, dtype=np.uint64)
        again = _code(
            format_, channel, _there_and_back(format_, rules, _words(format_, channel, codes))
        )
        free = _is_free(channel, codes)
        np.testing.assert_array_equal(again[~free], codes[~free])
        if channel.type is ChannelType.SNORM and free.any():
            assert again[free].tolist() == [(1 << channel.bits - 1) + 1]


@pytest.mark.parametrize("name", ["D24_UNORM_S8_UINT", "D24X8", "D24FS8"])
def test_all_depths_of_24_bits_come_back(name: str) -> None:
    format_ = DXGI_FORMATS.get(name) or D3D9_FORMATS[name]
    channel = format_.channel("d")
    step = 1 << 22
    for start in range(0, 1 << 24, step):
        codes = np.arange(start, start + step, dtype=np.uint64)[:: 1 if start == 0 else 61]
        words = _words(format_, channel, codes)
        again = _code(format_, channel, _there_and_back(format_, D3D9, words))
        np.testing.assert_array_equal(again, codes)


def test_constants_and_copies() -> None:
    """D3D9 gives 1 for what is missing, but 0, 0, 0 for A8; luminance is in x, y and z."""
    one = 0x3F800000
    for name, wanted in {
        "R16F": [None, one, one, one], "A8": [0, 0, 0, one], "L8": [one, one, one, one],
        "X8R8G8B8": [one, one, one, one],
    }.items():  # fmt: skip
        format_ = d3d9_format(name)
        size, count = units(format_)
        words = [K.lanes(U32, np.array([0xFFFFFFFF >> 32 - 8 * size], np.uint32))] * count
        found = [int(np.asarray(v.raw).reshape(-1)[0]) for v in unpack(format_, words, D3D9)]
        for ours, theirs in zip(found, wanted, strict=True):
            assert theirs is None or ours == theirs, name
    assert d3d9_format("R16F").reads == "r111"
    assert dxgi_format("R16_FLOAT").reads == "r001"


def _floats(format_: Format, word: int, texel: int = 0) -> list[float]:
    values = [K.lanes(U32, np.array([word], np.uint32))]
    found = unpack(format_, values, D3D9, texel)
    return [float(np.asarray(v.raw).reshape(-1).view(np.float32)[0]) for v in found]


def test_pairs_share_chroma() -> None:
    yuy2 = d3d9_format("YUY2")  # Y0 0x00, U 0x33, Y1 0xFF, V 0x66
    word = 0x66FF3300
    assert _floats(yuy2, word, 0) == pytest.approx([0, 0.2, 0.4, 1])
    assert _floats(yuy2, word, 1) == pytest.approx([1, 0.2, 0.4, 1])
    uyvy = d3d9_format("UYVY")
    assert _floats(uyvy, 0xFF660033, 1) == pytest.approx([1, 0.2, 0.4, 1])
    rgbg = dxgi_format("R8G8_B8G8_UNORM")  # R, G0, B, G1
    assert _floats(rgbg, 0xFF660033, 0) == pytest.approx([0.2, 0, 0.4, 1])
    assert _floats(rgbg, 0xFF660033, 1) == pytest.approx([0.2, 1, 0.4, 1])


def test_a_pair_is_packed_from_both_texels() -> None:
    """Red or U comes from the even texel, blue or V from the odd one."""

    def lanes(*numbers: float) -> list:
        bits = np.array(numbers, np.float32).view(np.uint32)
        return [K.lanes(U32, bits[i : i + 1]) for i in range(4)]

    even, odd = lanes(0.2, 0.4, 0.6, 1), lanes(0.8, 1.0, 0.0, 1)
    (word,) = pack_block(dxgi_format("R8G8_B8G8_UNORM"), [even, odd])
    assert hex(int(np.asarray(word.raw)[0])) == "0xff006633"


def test_the_third_component_of_a_normal() -> None:
    format_ = d3d9_format("CxV8U8")
    codes = np.arange(1 << 16, dtype=np.uint32)
    _, _, c, _ = unpack(format_, [K.lanes(U32, codes)], D3D9)
    u, v = ((codes >> s & 255).astype(np.uint8).view(np.int8).clip(-127) / 127 for s in (0, 8))
    exact = np.sqrt(np.maximum(1 - u * u - v * v, 0))
    near = np.asarray(c.raw).view(np.float32)
    assert np.abs(near - exact).max() < 2.0**-24


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("R8G8B8A8_TYPELESS", "format R8G8B8A8_TYPELESS has no component type"),
        ("BC1_UNORM", "format BC1_UNORM has no texels to pack: 4 x 4 in a compressed block"),
        ("NV12", "format NV12 has no texels to pack: luma and chroma apart"),
        ("UNKNOWN", "format UNKNOWN has no texels to pack: no memory at all"),
    ],
)
def test_formats_without_texels(name: str, text: str) -> None:
    format_ = dxgi_format(name)
    word = K.lanes(U32, np.zeros(1, np.uint32))
    for call in (lambda: unpack(format_, [word] * 4), lambda: pack(format_, [word] * 4)):
        with pytest.raises(ResourceError) as raised:
            call()
        assert str(raised.value) == text
