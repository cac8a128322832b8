"""The table of formats against the digest of dxgiformat.h, and the errors of looking one up."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import (
    DXGI_FORMATS,
    FORMATS,
    FORMATS_BY_NUMBER,
    Channel,
    ChannelType,
    dxgi_format,
    format_named,
)

DIGEST = Path("../shared/spec/formats/dxgi_formats.csv")
CHANNELS = "channels(name:bit_offset_from_LSB:width:type)"


def _digest_channels(text: str) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for word in text.split():
        name, shift, rest = word.split(":", 2)
        found.append((name.lower(), int(shift), int(rest.split(":")[0])))
    return found


def test_every_format_has_the_layout_of_the_digest() -> None:
    if not DIGEST.exists():
        pytest.skip(f"{DIGEST} is not here")
    rows = {int(row["value"]): row for row in csv.DictReader(DIGEST.read_text().splitlines())}
    for number, format_ in FORMATS_BY_NUMBER.items():
        row = rows[number]
        assert row["name"] == f"DXGI_FORMAT_{format_.name}"
        wanted = _digest_channels(row[CHANNELS])
        assert [(c.component, c.shift, c.bits) for c in format_.channels] == wanted, format_.name
        assert format_.bytes_per_texel * 8 == int(row["bits_per_unit(pixel, or block for BC)"])


def test_every_format_of_the_digest_is_known() -> None:
    if not DIGEST.exists():
        pytest.skip(f"{DIGEST} is not here")
    for row in csv.DictReader(DIGEST.read_text().splitlines()):
        if row["name"] in ("DXGI_FORMAT_UNKNOWN", "DXGI_FORMAT_FORCE_UINT"):
            continue
        try:
            format_named(row["name"])
        except ResourceError as error:
            name = row["name"].removeprefix("DXGI_FORMAT_")
            assert error.message.startswith(f"format {name} "), error.message


def test_types_of_channels() -> None:
    srgb = format_named("B8G8R8A8_UNORM_SRGB")
    assert [c.type for c in srgb.channels] == [ChannelType.SRGB] * 3 + [ChannelType.UNORM]
    biased = format_named("DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM")
    assert biased.channel("a") == Channel("a", ChannelType.UNORM, 2, 30)
    assert biased.type is ChannelType.XR_BIAS
    assert format_named("R16G16_SINT").is_integer
    assert not format_named("R16G16_SNORM").is_integer
    assert format_named("A8_UNORM").channel("r") is None


def test_lookup_by_name_number_and_format() -> None:
    wanted = FORMATS["R32_UINT"]
    for name in ("R32_UINT", "DXGI_FORMAT_R32_UINT", 42, wanted):
        assert format_named(name) is wanted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "R8G8B8A8_UNROM",
            (
                "there is no format 'R8G8B8A8_UNROM'; close: R8G8B8A8_UNORM, R8G8B8A8_SNORM, "
                "R8G8B8A8_UINT"
            ),
        ),
        ("r32_float", "there is no format 'r32_float'; close: R32_FLOAT, R32G32_FLOAT, R16_FLOAT"),
        ("", "there is no format ''"),
        (5000, "there is no format number 5000"),
        (True, "format: found True, wanted a name such as 'R8G8B8A8_UNORM', or its number"),
        (None, "format: found None, wanted a name such as 'R8G8B8A8_UNORM', or its number"),
        (1.0, "format: found 1.0, wanted a name such as 'R8G8B8A8_UNORM', or its number"),
        ([], "format: found [], wanted a name such as 'R8G8B8A8_UNORM', or its number"),
        (-1, "there is no format number -1"),
        (
            "R8_TYPELESS",
            (
                "format R8_TYPELESS has no component type, "
                "wanted one of R8_UNORM, R8_UINT, R8_SNORM, R8_SINT"
            ),
        ),
        (70, "format BC1_TYPELESS has no component type"),
        (71, "format BC1_UNORM has no texels one by one (block-compressed)"),
        ("D32_FLOAT", "format D32_FLOAT has no texels one by one (depth-stencil)"),
        ("NV12", "format NV12 has no texels one by one (video)"),
    ],
)
def test_errors(name: str | int, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        format_named(name)
    assert str(raised.value) == text


def test_every_format_can_be_looked_up() -> None:
    for format_ in DXGI_FORMATS.values():
        name = f"DXGI_FORMAT_{format_.name}"
        assert dxgi_format(format_.name) is dxgi_format(name) is dxgi_format(format_.number)
    assert set(FORMATS) < set(DXGI_FORMATS)
    with pytest.raises(ResourceError, match="there is no format 'BC8_UNORM'; close: BC"):
        dxgi_format("BC8_UNORM")


def test_sizes_of_what_stands_alone() -> None:
    found = {
        name: (f.bytes_per_block, f.block_width, f.block_height, f.bytes_per_texel)
        for name, f in DXGI_FORMATS.items()
    }
    assert found["R32G32B32_FLOAT"] == (12, 1, 1, 12)
    assert found["BC1_UNORM"] == (8, 4, 4, 0)
    assert found["BC7_UNORM"] == (16, 4, 4, 0)
    assert found["YUY2"] == (4, 2, 1, 0)
    assert found["R1_UNORM"] == (1, 8, 1, 0)
    assert found["NV12"] == (6, 2, 2, 0)
    assert found["NV11"] == (6, 4, 1, 0)
    assert found["D32_FLOAT_S8X24_UINT"] == (8, 1, 1, 8)


def test_planes_of_depth_and_stencil_are_seen_apart() -> None:
    depth, stencil = format_named("R24_UNORM_X8_TYPELESS"), format_named("X24_TYPELESS_G8_UINT")
    assert (depth.reads, depth.type) == ("r001", ChannelType.UNORM)
    assert (stencil.reads, stencil.type) == ("0g01", ChannelType.UINT)
    whole = dxgi_format("D24_UNORM_S8_UINT")
    assert (whole.depth_bits, whole.stencil_bits, whole.reads) == (24, 8, "ds01")
