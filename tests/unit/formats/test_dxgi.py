"""The table of formats against the digest of dxgiformat.h, and the errors of looking one up."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import FORMATS, FORMATS_BY_NUMBER, Channel, ChannelType, format_named

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
        (True, "there is no format number True"),
        (-1, "there is no format number -1"),
        (
            "R8_TYPELESS",
            (
                "format R8_TYPELESS has no component type, "
                "wanted one of R8_UNORM, R8_UINT, R8_SNORM, R8_SINT"
            ),
        ),
        (70, "format BC1_TYPELESS has no component type"),
        (71, "format BC1_UNORM is not supported yet (block-compressed)"),
        ("D32_FLOAT", "format D32_FLOAT is not supported yet (depth-stencil)"),
        ("NV12", "format NV12 is not supported yet (video)"),
    ],
)
def test_errors(name: str | int, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        format_named(name)
    assert str(raised.value) == text
