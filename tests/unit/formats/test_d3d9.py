"""Direct3D 9 formats: looking them up, and what reads of them give."""

from __future__ import annotations

import pytest

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS, d3d9_format, fourcc_number
from softd3d.formats.layout import ChannelType, Scheme


def test_lookup_by_name_number_and_fourcc() -> None:
    wanted = D3D9_FORMATS["A8R8G8B8"]
    for name in ("A8R8G8B8", "D3DFMT_A8R8G8B8", "D3DDDIFMT_A8R8G8B8", 21, wanted):
        assert d3d9_format(name) is wanted
    assert d3d9_format("GRGB") is d3d9_format("G8R8_G8B8") is d3d9_format(0x42475247)
    assert d3d9_format("DXVACOMPBUFFER_MAX").name == "DXVA_RESERVED31"
    assert fourcc_number("ATI2") == d3d9_format("ATI2").number


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "A8R8G8B9",
            "there is no Direct3D 9 format 'A8R8G8B9'; close: A8R8G8B8, X8R8G8B8, R8G8B8",
        ),
        ("", "there is no Direct3D 9 format ''"),
        (1, "there is no Direct3D 9 format number 1"),
        (True, "there is no Direct3D 9 format number True"),
    ],
)
def test_errors(name: str | int, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        d3d9_format(name)
    assert str(raised.value) == text


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("A8", "000a"), ("R16F", "r111"), ("G16R16", "rg11"), ("R8G8B8", "rgb1"),
        ("X8R8G8B8", "rgb1"), ("L8", "lll1"), ("A8L8", "llla"), ("V8U8", "uv11"),
        ("Q8W8V8U8", "uvwq"), ("L6V5U5", "uvl1"), ("A2W10V10U10", "uvwa"), ("CxV8U8", "uvc1"),
        ("W11V11U10", "uvw1"), ("D24S8", "ds01"), ("S8_LOCKABLE", "0s01"), ("A8P8", "pppa"),
        ("ATI1", "r111"), ("ATI2", "gr11"), ("DXT3", "rgba"), ("UYVY", "yuv1"), ("A1", "aaaa"),
    ],
)  # fmt: skip
def test_what_a_read_gives(name: str, reads: str) -> None:
    assert d3d9_format(name).reads == reads


def test_types_of_channels() -> None:
    assert [c.type for c in d3d9_format("L6V5U5").channels] == [
        ChannelType.SNORM, ChannelType.SNORM, ChannelType.UNORM,
    ]  # fmt: skip
    assert d3d9_format("D24FS8").channel("d").type is ChannelType.FLOAT
    assert d3d9_format("D24FS8").channel("s").type is ChannelType.UINT
    assert d3d9_format("G32R32F").type is ChannelType.FLOAT
    biased = d3d9_format("A2B10G10R10_XR_BIAS")
    assert [c.type for c in biased.channels] == [ChannelType.XR_BIAS] * 3 + [ChannelType.UNORM]


def test_schemes() -> None:
    schemes = {name: D3D9_FORMATS[name].scheme for name in ("DXT5", "NV12", "YUY2", "A1", "NULL")}
    assert list(schemes.values()) == [
        Scheme.BLOCKS, Scheme.PLANES, Scheme.PACKED_422, Scheme.BITS, Scheme.NOTHING,
    ]  # fmt: skip
    assert [p.components for p in d3d9_format("YV12").planes] == ["y", "v", "u"]
