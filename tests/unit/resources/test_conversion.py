"""Whole arrays: shapes, kinds of numbers, palettes, planes, tables, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import ChannelType, Scheme
from softd3d.formats.rules import D3D9, D3D10
from softd3d.resources.texels.code_tables import codes_of
from softd3d.resources.transfer.conversion import convert, decode, encode

RANDOM = np.random.default_rng(3)
ONE = np.float32(1)


def test_shapes_of_texels() -> None:
    for shape in ((), (0,), (5,), (2, 3), (2, 0, 3)):
        words = np.zeros(shape, np.uint32)
        for array in (words, np.zeros((*shape, 4), np.uint8), np.zeros((*shape, 4), np.int8)):
            name = "R8G8B8A8_SNORM" if array.dtype == np.int8 else "R8G8B8A8_UNORM"
            assert decode(array, name).shape == (*shape, 4)
    assert encode(np.zeros((2, 3, 4), np.float32), "R8G8B8A8_UNORM").shape == (2, 3, 4)
    assert encode(np.zeros((2, 3, 4), np.float32), "R10G10B10A2_UNORM").shape == (2, 3)
    assert encode(np.zeros((2, 3, 4), np.float32), "R8G8B8", "d3d9").shape == (2, 3, 3)
    assert encode(np.zeros((2, 3, 4), np.float32), "R32_FLOAT").dtype == np.float32


def test_shapes_of_units() -> None:
    assert decode(np.zeros((6, 5, 4), np.uint8), "YUY2").shape == (6, 10, 4)
    assert decode(np.zeros((6, 5), np.uint8), "R1_UNORM").shape == (6, 40, 4)
    assert decode(np.zeros((2, 6, 5, 8), np.uint8), "BC1_UNORM").shape == (2, 24, 20, 4)
    assert decode(np.zeros((0, 5, 8), np.uint8), "BC1_UNORM").shape == (0, 20, 4)
    assert encode(np.zeros((6, 10, 4), np.float32), "Y210").shape == (6, 5, 8)
    assert encode(np.zeros((6, 16, 4), np.float32), "R1_UNORM").shape == (6, 2)


def test_arrays_need_not_be_contiguous() -> None:
    whole = RANDOM.integers(0, 256, (6, 8, 4)).astype(np.uint8)
    part = whole[::2, 1::3]
    np.testing.assert_array_equal(
        decode(part, "R8G8B8A8_UNORM"), decode(part.copy(), "R8G8B8A8_UNORM")
    )
    values = RANDOM.random((6, 8, 4), np.float32)[::2, 1::3]
    np.testing.assert_array_equal(encode(values, "R16_UNORM"), encode(values.copy(), "R16_UNORM"))


def test_many_texels_are_done_in_pieces() -> None:
    codes = RANDOM.integers(0, 1 << 16, 200_000).astype(np.uint16)
    found = decode(codes, "B5G6R5_UNORM")
    np.testing.assert_array_equal(found[150_000:], decode(codes[150_000:], "B5G6R5_UNORM"))
    np.testing.assert_array_equal(encode(found, "B5G6R5_UNORM"), codes)


def test_kinds_of_components() -> None:
    assert decode(np.array([-1], np.int8), "R8_SINT").tolist() == [[-1, 0, 0, 1]]
    assert decode(np.array([-1], np.int8), "R8_SINT").dtype == np.int32
    assert decode(np.array([255], np.uint8), "R8_UINT").dtype == np.uint32
    stencil = decode(np.array([0x07FFFFFF], np.uint32), "D24_UNORM_S8_UINT")
    assert stencil.tolist() == [[1.0, 7.0, 0.0, 1.0]]
    assert decode(np.array([0x07FFFFFF], np.uint32), "X24_TYPELESS_G8_UINT").tolist() == [
        [0, 7, 0, 1]
    ]


def test_integers_and_numbers_meet() -> None:
    numbers = np.array([[-3.5, 2.5, 3.5, np.nan], [1e9, 255.5, 0.5, -0.0]], np.float32)
    assert encode(numbers, "R8G8B8A8_UINT").tolist() == [[0, 2, 4, 0], [255, 255, 0, 0]]
    assert encode(numbers, "R8G8B8A8_SINT").tolist() == [[-4, 2, 4, 0], [127, 127, 0, 0]]
    unsigned = np.array([[0, 1, 0x80000000, 0xFFFFFFFF]], np.uint32)
    largest = 0x7FFFFFFF
    assert encode(unsigned, "R32G32B32A32_SINT").tolist() == [[0, 1, largest, largest]]
    signed = np.array([[-1, 0, 300, -(1 << 31)]], np.int32)
    assert encode(signed, "R8G8B8A8_UINT").tolist() == [[0, 0, 255, 0]]
    assert encode(signed, "R32G32B32A32_FLOAT").tolist() == [[-1.0, 0.0, 300.0, -(2.0**31)]]
    depth = np.array([[0.5, 7.0, 0, 0]], np.float32)
    assert encode(depth, "D24_UNORM_S8_UINT").tolist() == [0x07800000]


def one_texel() -> np.ndarray:
    return np.array([0x12345678], np.uint32)


def test_the_rules_choose_the_format_and_the_rounding() -> None:
    red = np.array([0.5], np.float32)
    assert decode(red, "R32F").tolist() == [[0.5, 1, 1, 1]]
    assert decode(red, "R32_FLOAT").tolist() == [[0.5, 0, 0, 1]]
    assert decode(one_texel(), 21, "d3d9").tolist() == decode(one_texel(), "A8R8G8B8").tolist()
    assert decode(one_texel(), 24).tolist() == decode(one_texel(), "R10G10B10A2_UNORM").tolist()
    between = np.array([[1 + 0.75 * 2.0**-10] * 4], np.float32)
    assert encode(between, "R16_FLOAT", "d3d10").view(np.uint16).tolist() == [0x3C00]
    assert encode(between, "R16F", "d3d9").view(np.uint16).tolist() == [0x3C01]
    one = np.array([0xFF], np.uint8)
    assert decode(one, "A8", "d3d9").tolist() == [[0, 0, 0, 1]]


def test_palettes() -> None:
    colours = RANDOM.integers(0, 256, (256, 4)).astype(np.uint8)
    index = np.array([[0, 3], [255, 9]], np.uint8)
    found = convert(index, "P8", "R8G8B8A8_UNORM", palette=colours)
    np.testing.assert_array_equal(found, colours[index])
    texels = np.array([0x8003], np.uint16)
    found = convert(texels, "A8P8", "R8G8B8A8_UNORM", palette=colours)
    assert found.tolist() == [[*colours[3, :3].tolist(), 0x80]]
    numbers = RANDOM.random((16, 4), np.float32)
    np.testing.assert_array_equal(
        decode(np.array([0xF5], np.uint8), "AI44", palette=numbers),
        [[*numbers[5, :3], ONE]],
    )


def test_planes() -> None:
    luma = RANDOM.integers(0, 256, (5, 7)).astype(np.uint8)
    chroma = RANDOM.integers(0, 256, (3, 4, 2)).astype(np.uint8)
    found = decode([luma, chroma], "NV12")
    for y, x in ((0, 0), (4, 6), (3, 2)):
        wanted = [luma[y, x], *chroma[y // 2, x // 2], 255]
        assert (found[y, x] == np.array(wanted, np.float32) / np.float32(255)).all()
    planes = convert([luma[:4, :6], chroma[:2, :3]], "NV12", "YV12")
    np.testing.assert_array_equal(planes[0], luma[:4, :6])
    np.testing.assert_array_equal(planes[1], chroma[:2, :3, 1])
    np.testing.assert_array_equal(planes[2], chroma[:2, :3, 0])
    packed = convert([luma[:4, :6], chroma[:2, :3]], "NV12", "YUY2")
    assert packed[1, 2].tolist() == [luma[1, 4], chroma[0, 2, 0], luma[1, 5], chroma[0, 2, 1]]


def test_conversion_to_the_same_format_copies_bits() -> None:
    halves = np.array([0x7E01, 0xFC00, 0x8000], np.uint16)
    found = convert(halves, "R16_FLOAT", "R16_FLOAT")
    assert found.view(np.uint16).tolist() == halves.tolist()
    assert not np.shares_memory(found, halves)
    values = np.zeros((2, 4), np.float32)
    assert not np.shares_memory(encode(values, "R32G32B32A32_FLOAT"), values)


def test_swizzles_between_tables() -> None:
    texels = np.array([0x80402010], np.uint32)  # A 80, R 40, G 20, B 10
    assert convert(texels, "A8R8G8B8", "R8G8B8A8_UNORM").tolist() == [[0x40, 0x20, 0x10, 0x80]]
    assert convert(texels, "X8R8G8B8", "R8G8B8A8_UNORM").tolist() == [[0x40, 0x20, 0x10, 0xFF]]
    assert convert(np.array([0x66], np.uint8), "A4L4", "R8G8B8A8_UNORM").tolist() == [[0x66] * 4]
    assert convert(np.array([[0x40, 0x80]], np.uint8), "R8G8_UNORM", "A8L8").tolist() == [
        [0x40, 0xFF]
    ]


@pytest.mark.parametrize(
    ("type_", "bits"),
    [(ChannelType.UNORM, bits) for bits in (1, 2, 3, 4, 5, 6, 8)]
    + [(ChannelType.SNORM, bits) for bits in (5, 8)]
    + [(ChannelType.SRGB, 8)],
)
def test_tables_hold_what_the_codec_gives(type_: ChannelType, bits: int) -> None:
    """All first and last numbers of buckets, those around them, and random ones."""
    edges = (np.arange(1 << 16, dtype=np.uint32) << np.uint32(16))[:, None] + np.array(
        [0, 1, 0xFFFF, 0x8000], np.uint32
    )
    words = np.concatenate(
        [
            edges.reshape(-1),
            RANDOM.random(100_000, np.float32).view(np.uint32),
            (RANDOM.random(20_000, np.float32) * np.float32(-1)).view(np.uint32),
        ]
    )
    lanes = NumpyAlgebra().lanes(U32, words)
    wanted = np.asarray(D3D10.from_component[type_](lanes, bits).raw)
    np.testing.assert_array_equal(codes_of(words.view(np.float32), type_, bits, D3D10), wanted)


def test_every_format_is_decoded_or_refused() -> None:
    for table, rules in ((DXGI_FORMATS, D3D10), (D3D9_FORMATS, D3D9)):
        for format_ in table.values():
            size = format_.bytes_per_block
            array = RANDOM.integers(0, 256, (2, 2, size) if size > 1 else (2, 2)).astype(np.uint8)
            refused = format_.is_typeless or format_.scheme in (
                Scheme.OPAQUE, Scheme.BYTES, Scheme.NOTHING, Scheme.PLANES,
            )  # fmt: skip
            if refused:
                with pytest.raises(ResourceError):
                    decode(array, format_, rules)
                continue
            found = decode(array, format_, rules, palette=np.ones((256, 4), np.float32))
            shape = (2 * format_.block_height, 2 * format_.block_width, 4)
            assert found.shape == shape, format_.name


PAIR_OF_SIGNED = (
    "found float64 (2, 3), wanted uint8 with a last axis of 2, or uint16, or int8 with one of 2 "
    "for R8G8_SNORM"
)
ERRORS = [
    (lambda: decode(np.zeros((2, 3), np.uint8), "R8G8B8A8_UNORM"),
     "found uint8 (2, 3), wanted uint8 with a last axis of 4, or uint32 for R8G8B8A8_UNORM"),
    (lambda: decode(np.zeros((2, 3), np.float64), "R8G8_SNORM"),
     PAIR_OF_SIGNED),
    (lambda: decode(np.zeros(3, np.float64), "R8_SNORM"),
     "found float64 (3,), wanted uint8, or int8 for R8_SNORM"),
    (lambda: decode(np.zeros((2, 8), np.uint16), "BC1_UNORM"),
     "found uint16 (2, 8), wanted uint8 with a last axis of 8 for BC1_UNORM"),
    (lambda: decode(np.zeros(8, np.uint8), "BC1_UNORM"),
     "found blocks (), wanted (..., rows, columns) for BC1_UNORM"),
    (lambda: decode(np.zeros((2, 2), np.uint8), "P8"),
     "format P8 wants a palette (entries, 4)"),
    (lambda: decode(np.full((1,), 9, np.uint8), "P8", palette=np.zeros((9, 4), np.uint8)),
     "found an index beyond the 9 entries of the palette"),
    (lambda: encode(np.zeros((2, 4), np.float32), "P8"),
     "format P8 has a palette, which is not chosen here"),
    (lambda: decode([np.zeros((2, 2), np.uint8)], "R8_UNORM"),
     "found list, wanted an array for R8_UNORM"),
    (lambda: decode(np.zeros((2, 2), np.uint8), "NV12"),
     "found no list of 2 planes, which NV12 has"),
    (lambda: decode([np.zeros((2, 2), np.uint8), np.zeros((2, 2, 2), np.uint8)], "NV12"),
     "found uint8 (2, 2, 2) for plane uv, wanted uint8 (1, 1, 2)"),
    (lambda: encode(np.zeros((2, 3), np.float32), "R8_UNORM"),
     "found float32 (2, 3), wanted float32, uint32 or int32 (..., 4)"),
    (lambda: encode(np.zeros((2, 4), np.float64), "R8_UNORM"),
     "found float64 (2, 4), wanted float32, uint32 or int32 (..., 4)"),
    (lambda: encode([0, 0, 0, 1], "R8_UNORM"), "found list, wanted an array of components"),
    (lambda: encode(np.zeros((3, 4), np.float32), "YUY2"),
     "found texels (3,), wanted multiples of 2 for YUY2"),
    (lambda: decode(np.zeros(4, np.uint8), "420_OPAQUE"),
     "found uint8 (4,), wanted uint8 with a last axis of 6 for 420_OPAQUE"),
    (lambda: encode(np.zeros((2, 4), np.float32), "INDEX16"),
     "format INDEX16 has no texels: vertices, indices, or data of a driver"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), ERRORS, ids=[text[:40] for _, text in ERRORS])
def test_errors(call, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        call()
    assert str(raised.value) == text
