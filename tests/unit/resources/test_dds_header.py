"""DDS headers: stored and read field by field, pixel formats named, and whatever they claim."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS, fourcc_number
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.resources.dds import pixel_formats as dds_pixel_formats
from softd3d.resources.dds.file import read_dds
from softd3d.resources.dds.header import (
    DX10,
    HEADER_SIZE,
    PIXEL_FORMAT_SIZE,
    Caps2,
    DdsError,
    Header,
    HeaderDxt10,
    HeaderFlags,
    Offset,
    PixelFormat,
    PixelFormatFlags,
    Problem,
    header_bytes,
    parse_header,
)
from softd3d.resources.dds.magic import MAGIC, is_dds
from softd3d.resources.dds.pixel_formats import dxgi_twin, legacy_format, legacy_of
from softd3d.resources.dds.shape import interpret

ROWS = dds_pixel_formats._ROWS
F = PixelFormatFlags
DWORDS = st.one_of(
    st.integers(0, 2**32 - 1),
    st.sampled_from((0, 1, 2, 3, 4, 6, 16384, 16385, 2**31, 2**31 - 1, 2**32 - 1)),
)


def dxt1(**fields: int) -> Header:
    """The header of an 8 x 8 texture, with some fields changed."""
    pixel_format = PixelFormat(flags=F.FOURCC, four_cc=fourcc_number("DXT1"))
    return replace(Header(8, 8, pixel_format), **fields)


def modern(**fields: int) -> Header:
    """The header of an 8 x 8 R8G8B8A8_UNORM texture with one of Direct3D 10."""
    pixel_format = PixelFormat(flags=F.FOURCC, four_cc=DX10)
    return replace(Header(8, 8, pixel_format), dxt10=replace(HeaderDxt10(28, 3), **fields))


def test_layout_is_the_one_of_ddraw_h() -> None:
    pixel_format = PixelFormat(32, 2, 3, 4, 5, 6, 7, 8)
    header = Header(
        9, 10, pixel_format, 11, 12, 13, 14, 15, 16, 17, 18, bytes(range(44)), 19, HEADER_SIZE
    )
    data = header_bytes(header)
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(4, len(data), 4)]
    assert data[:4] == MAGIC
    assert words[:7] == [124, 11, 9, 10, 12, 13, 14]  # height before width
    assert data[32:76] == bytes(range(44))
    assert words[18:] == [32, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 18, 19]
    assert (header.data_offset, modern().data_offset) == (128, 148)
    for offset, value in ((Offset.DEPTH, 13), (Offset.MIP_COUNT, 14), (Offset.CAPS2, 16),
                          (Offset.FOUR_CC, 3), (Offset.PIXEL_FORMAT_FLAGS, 2)):  # fmt: skip
        assert words[offset // 4 - 1] == value


@given(st.binary(min_size=144, max_size=160), st.booleans())
def test_whatever_is_read_is_written_again(data: bytes, with_more: bool) -> None:
    data = MAGIC + data
    if with_more:
        data = data[: Offset.FOUR_CC] + DX10.to_bytes(4, "little") + data[Offset.FOUR_CC + 4 :]
    header = parse_header(data)
    assert (header.dxt10 is not None) == with_more
    assert header_bytes(header) == data[: header.data_offset]


@pytest.mark.parametrize("size", range(4, 148))
def test_a_cut_header_says_where_it_ends(size: int) -> None:
    data = header_bytes(modern())[:size]
    with pytest.raises(DdsError, match="wanted") as caught:
        parse_header(data)
    assert caught.value.problem is Problem.TRUNCATED_HEADER
    assert caught.value.location.offset == size


def test_other_files_are_told_apart() -> None:
    assert is_dds(header_bytes(dxt1()))
    assert not is_dds(b"DDS")
    with pytest.raises(DdsError, match="wanted b'DDS '") as caught:
        parse_header(b"dds " + bytes(200))
    assert caught.value.problem is Problem.BAD_MAGIC


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r.name}" for i, r in enumerate(ROWS)])
def test_every_row_is_found_again(row) -> None:
    assert legacy_format(row.pixel_format) is row
    assert row.format.bytes_per_block
    written = legacy_of(row.format, premultiplied=row.premultiplied)
    assert row.format in (written.format, dxgi_twin(written.format))
    assert legacy_format(written.pixel_format) is written


def test_rows_do_not_hide_each_other() -> None:
    assert len(dds_pixel_formats._BY_MASKS) + len(dds_pixel_formats._BY_FOUR_CC) == len(ROWS)


@pytest.mark.parametrize("row", [r for r in ROWS if r.pixel_format.bit_count])
def test_masks_are_the_channels(row) -> None:
    """The masks say where the format's channels lie, but for the well-known exchange."""
    pixel_format = row.pixel_format
    slots = {"r": 0, "g": 1, "b": 2, "a": 3, "u": 0, "v": 1, "w": 2, "q": 3, "l": 0, "d": 1}
    if row.format.channels[0].bits == 10:
        slots |= {"r": 2, "b": 0, "u": 2, "w": 0}
    wanted = [0, 0, 0, 0]
    for channel in row.format.channels:
        slot = 2 if channel.component == "l" and row.name in ("L6V5U5", "X8L8V8U8") else None
        slot = slots.get(channel.component) if slot is None else slot
        if slot is not None:
            wanted[slot] = ((1 << channel.bits) - 1) << channel.shift
    assert list(pixel_format.masks) == wanted
    is_old_writer = pixel_format.bit_count == 8 and row.name == "A8L8"
    assert is_old_writer or pixel_format.bit_count == 8 * row.format.bytes_per_block


def test_twins_have_the_same_bits() -> None:
    for format_ in D3D9_FORMATS.values():
        twin = dxgi_twin(format_)
        if twin is not None:
            assert twin.bytes_per_block == format_.bytes_per_block
            assert [c.bits for c in twin.channels] == [c.bits for c in format_.channels]
    for name in ("X1R5G5B5", "X8B8G8R8", "L8", "A8L8", "A2R10G10B10", "R8G8B8"):
        assert dxgi_twin(D3D9_FORMATS[name]) is None
    assert dxgi_twin(D3D9_FORMATS["A8R8G8B8"]) is DXGI_FORMATS["B8G8R8A8_UNORM"]


def test_flags_that_say_nothing_are_masked() -> None:
    base = PixelFormat(flags=F.RGB | F.ALPHAPIXELS, bit_count=32, r_mask=0xFF0000, g_mask=0xFF00,
                       b_mask=0xFF, a_mask=0xFF000000)  # fmt: skip
    assert legacy_format(replace(base, flags=base.flags | F.NORMAL)).name == "A8R8G8B8"
    assert legacy_format(replace(base, flags=F.RGB)).name == "X8R8G8B8"  # the mask does not count
    assert legacy_format(replace(base, a_mask=0)).name == "X8R8G8B8"
    assert legacy_format(replace(base, bit_count=24)) is None
    palette = PixelFormat(flags=F.PALETTEINDEXED8 | F.RGB, bit_count=8, r_mask=0xFF0000)
    assert legacy_format(palette).name == "P8"


def test_four_cc_with_alpha_flag_is_what_it_says() -> None:
    """DirectXTex issue 116: flags 5 beside DXT1."""
    header = dxt1(pixel_format=PixelFormat(flags=5, four_cc=fourcc_number("DXT1")))
    shape, warnings = interpret(header, strict=True)
    assert (shape.format.name, shape.format.dxgi, warnings) == ("DXT1", "BC1_UNORM", [])


@pytest.mark.parametrize("flags", [0, F.ALPHAPIXELS])
def test_four_cc_without_its_flag_is_a_warning(flags: int) -> None:
    header = dxt1(pixel_format=PixelFormat(flags=flags, four_cc=fourcc_number("DXT5")))
    shape, warnings = interpret(header, strict=False)
    assert shape.format.name == "DXT5"
    assert [w.quirk.value for w in warnings] == ["pixelformat_flags"]
    with pytest.raises(DdsError, match="wanted the one for its FourCC"):
        interpret(header, strict=True)


def test_srgb_flag_of_nvidia_picks_the_twin() -> None:
    for number, wanted in ((fourcc_number("DXT5"), "BC3_UNORM_SRGB"), (113, "A16B16G16R16F")):
        pixel_format = PixelFormat(flags=F.FOURCC | F.SRGB, four_cc=number)
        shape, warnings = interpret(dxt1(pixel_format=pixel_format), strict=True)
        assert (shape.format.name, warnings) == (wanted, [])


CLAIMS = [
    dxt1(width=2**32 - 1, height=2**32 - 1),
    dxt1(width=2**31),
    dxt1(width=2**16, height=2**15),
    dxt1(depth=2**31, flags=HeaderFlags.DEPTH),
    dxt1(mip_count=2**32 - 1),
    modern(array_size=2**32 - 1),
    modern(array_size=2**31, misc_flag=4),
    modern(dxgi_format=66, array_size=2**32 - 1),
]


@pytest.mark.parametrize("header", CLAIMS)
@pytest.mark.parametrize("strict", [False, True])
def test_what_a_header_claims_is_not_allocated(header: Header, strict: bool) -> None:
    data = header_bytes(header) + bytes(64)
    tracemalloc.start()
    try:
        with pytest.raises(DdsError):
            read_dds(data if header.mip_count == 0 else data[:-40], strict=strict)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000


@given(st.lists(st.tuples(st.integers(1, 36), DWORDS), max_size=6), st.booleans(), st.booleans(),
       st.integers(0, 600))  # fmt: skip
def test_damaged_headers_end_in_an_image_or_a_dds_error(
    changes: list[tuple[int, int]], with_more: bool, strict: bool, size: int
) -> None:
    data = bytearray(header_bytes(modern() if with_more else dxt1()) + bytes(size))
    for word, value in changes:
        data[4 * word : 4 * word + 4] = value.to_bytes(4, "little")
    try:
        image = read_dds(data, strict=strict)
    except DdsError as error:
        assert error.location.offset <= len(data)
        assert str(error.problem)
    else:
        assert len(image.data) <= len(data)
        assert image.subresource(image.mips - 1, image.slices - 1).size
        if strict:
            assert {w.quirk.value for w in image.warnings} <= {
                "trailing_data", "misc_flags", "alpha_mode", "caps2"
            }  # fmt: skip


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (dxt1(size=0), Problem.BAD_HEADER_SIZE),
        (replace(modern(), size=24), Problem.BAD_HEADER_SIZE),
        (dxt1(pixel_format=PixelFormat(size=77)), Problem.BAD_PIXEL_FORMAT_SIZE),
        (dxt1(pixel_format=PixelFormat(size=0)), Problem.BAD_PIXEL_FORMAT_SIZE),
        (dxt1(pixel_format=PixelFormat(size=0, flags=4, four_cc=1)), Problem.BAD_PIXEL_FORMAT_SIZE),
        (dxt1(pixel_format=PixelFormat()), Problem.UNSUPPORTED_FORMAT),
        (dxt1(pixel_format=PixelFormat(flags=4, four_cc=28)), Problem.UNSUPPORTED_FORMAT),
        (dxt1(pixel_format=PixelFormat(flags=4, four_cc=fourcc_number("XBOX"))),
         Problem.UNSUPPORTED_FORMAT),
        (modern(dxgi_format=0), Problem.UNSUPPORTED_FORMAT),
        (modern(dxgi_format=133), Problem.UNSUPPORTED_FORMAT),
        (modern(dxgi_format=106), Problem.OPAQUE_FORMAT),
        (modern(dimension=1), Problem.BAD_RESOURCE_DIMENSION),
        (modern(dimension=5), Problem.BAD_RESOURCE_DIMENSION),
        (modern(dimension=4), Problem.BAD_RESOURCE_DIMENSION),
        (modern(dimension=4, misc_flag=4), Problem.INCONSISTENT_CUBE),
        (replace(modern(dimension=4, array_size=2), flags=HeaderFlags.DEPTH, depth=1),
         Problem.BAD_ARRAY_SIZE),
        (replace(modern(dimension=2), flags=HeaderFlags.HEIGHT), Problem.BAD_DIMENSIONS),
        (dxt1(caps2=Caps2.CUBEMAP), Problem.INCONSISTENT_CUBE),
        (dxt1(caps2=Caps2.CUBEMAP | 0xFC00, flags=HeaderFlags.DEPTH, depth=1),
         Problem.INCONSISTENT_CUBE),
        (dxt1(width=0), Problem.BAD_DIMENSIONS),
        (dxt1(flags=HeaderFlags.DEPTH), Problem.BAD_DIMENSIONS),
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_both_modes(header: Header, problem: Problem) -> None:
    for strict in (False, True):
        with pytest.raises(ResourceError) as caught:
            interpret(header, strict=strict)
        assert caught.value.problem is problem


@pytest.mark.parametrize(
    ("header", "quirk", "problem"),
    [
        (dxt1(size=24), "header_size", Problem.BAD_HEADER_SIZE),
        (dxt1(pixel_format=PixelFormat(24, 4, fourcc_number("DXT1"))), "pixelformat_size",
         Problem.BAD_PIXEL_FORMAT_SIZE),
        (dxt1(mip_count=5), "mip_count", Problem.BAD_MIP_COUNT),
        (dxt1(caps2=Caps2.CUBEMAP | Caps2.CUBEMAP_POSITIVEY), "partial_cube",
         Problem.INCONSISTENT_CUBE),
        (dxt1(caps2=Caps2.CUBEMAP | 0xFC00, width=4), "cube_size", Problem.INCONSISTENT_CUBE),
        (dxt1(caps2=Caps2.VOLUME, depth=2), "header_flags", Problem.BAD_RESOURCE_DIMENSION),
        (dxt1(width=16385), "beyond_limits", Problem.TOO_LARGE),
        (dxt1(depth=2049, flags=HeaderFlags.DEPTH), "beyond_limits", Problem.TOO_LARGE),
        (modern(array_size=2049), "beyond_limits", Problem.TOO_LARGE),
        (modern(array_size=0), "array_size", Problem.BAD_ARRAY_SIZE),
        (modern(dimension=0), "resource_dimension", Problem.BAD_RESOURCE_DIMENSION),
    ],
)  # fmt: skip
def test_oddities_are_warnings_unless_strict(header: Header, quirk: str, problem: Problem) -> None:
    _, warnings = interpret(header, strict=False)
    assert [w.quirk.value for w in warnings] == [quirk]
    assert "byte offset" in str(warnings[0])
    with pytest.raises(DdsError) as caught:
        interpret(header, strict=True)
    assert caught.value.problem is problem
    assert caught.value.location.offset == warnings[0].offset


@pytest.mark.parametrize(
    ("header", "quirk"),
    [
        (modern(misc_flag=3), "misc_flags"),
        (modern(misc_flags2=7), "alpha_mode"),
        (replace(modern(), caps2=Caps2.VOLUME), "caps2"),
        (replace(modern(dimension=2), flags=0x1007, caps2=Caps2.VOLUME, height=1), "caps2"),
        (replace(modern(), caps2=Caps2.CUBEMAP | 0xFC00), "caps2"),
        (replace(modern(), caps2=Caps2.CUBEMAP_POSITIVEX), "caps2"),
        (replace(modern(misc_flag=4), caps2=Caps2.CUBEMAP | Caps2.CUBEMAP_POSITIVEX), "caps2"),
    ],
)
def test_flags_without_meaning_are_only_mentioned(header: Header, quirk: str) -> None:
    for strict in (False, True):
        assert [w.quirk.value for w in interpret(header, strict=strict)[1]] == [quirk]


@pytest.mark.parametrize("caps2", [0, Caps2.CUBEMAP | 0xFC00])
def test_caps2_that_agrees_or_is_empty_is_not_mentioned(caps2: int) -> None:
    assert interpret(replace(modern(misc_flag=4), caps2=caps2), strict=True)[1] == []


@pytest.mark.parametrize(
    ("name", "rows"), [("NV12", 2), ("P010", 2), ("P016", 2), ("V208", 2), ("NV11", 1),
                       ("P208", 1), ("V408", 1), ("YUY2", 1), ("AYUV", 1)],
)  # fmt: skip
def test_heights_of_planar_formats_have_whole_rows_of_chroma(name: str, rows: int) -> None:
    for height in range(1, 9):
        header = replace(modern(dxgi_format=DXGI_FORMATS[name].number), width=4, height=height)
        for strict in (False, True):
            if height % rows == 0:
                assert interpret(header, strict=strict)[0].height == height
                continue
            with pytest.raises(DdsError, match=f"height: found {height}, wanted") as caught:
                interpret(header, strict=strict)
            assert caught.value.problem is Problem.BAD_DIMENSIONS
            assert caught.value.location.offset == Offset.HEIGHT


def test_sizes_are_what_the_structures_have() -> None:
    assert len(header_bytes(dxt1())) == len(MAGIC) + HEADER_SIZE
    assert dxt1().pixel_format.size == PIXEL_FORMAT_SIZE
