"""All rows of both tables against digests of dxgiformat.h and d3dukmdt.h: every column we model."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from softd3d.formats.casts import linear_twin
from softd3d.formats.d3d9 import D3D9_FORMATS, D3D9Format, d3d9_format
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import ChannelType, Format, Scheme
from softd3d.formats.support import Use, required_uses, uses

pytestmark = pytest.mark.corpus
CHANNELS = "channels(name:bit_offset_from_LSB:width:type)"
USES = "BUF IAVB IAIB SO T1D T2D T3D TC LD SRV CMP RTV BLEND DSV UAV MIPGEN LOCK RESOLVE CAST"
WORDS = {
    "float16": "float", "float32": "float", "float24(20e4)": "float", "index": "index",
    "xr_bias2.8": "xr_bias", "frac": "sharedexp", "exp(bias15)": "sharedexp",
}  # fmt: skip
NO_FORMATS = (2147483647,)  # FORCE_UINT


def _rows(shared: Path, name: str) -> list[dict[str, str]]:
    text = (shared / "spec" / "formats" / name).read_text()
    return list(csv.DictReader(text.splitlines()))


def _channels(text: str) -> list[tuple[str, int, int, str]]:
    """Return name, offset, width and type; "" for a type that the digest does not give."""
    found: list[tuple[str, int, int, str]] = []
    for word in text.replace("I:", "P:").split():
        parts = word.split(":")
        if len(parts) >= 3:
            type_ = parts[3] if len(parts) > 3 else ""
            found.append((parts[0][0].lower(), int(parts[1]), int(parts[2]), type_))
    return found


def _check_channels(format_: Format, text: str) -> None:
    wanted = _channels(text)
    ours = [(c.component, c.shift, c.bits) for c in format_.channels]
    assert ours == [(name, shift, bits) for name, shift, bits, _ in wanted], format_.name
    for channel, (name, _, _, word) in zip(format_.channels, wanted, strict=True):
        if word and name != "x":
            assert channel.type.value.lower() == WORDS.get(word, word), (format_.name, channel)


def test_dxgi_layouts(shared: Path) -> None:
    rows = [r for r in _rows(shared, "dxgi_formats.csv") if int(r["value"]) < 0xFFFFFFFF]
    assert {int(r["value"]) for r in rows} == {f.number for f in DXGI_FORMATS.values()}
    for row in rows:
        format_ = dxgi_format(int(row["value"]))
        assert row["name"] == f"DXGI_FORMAT_{format_.name}"
        width, height = map(int, row["alignment/block WxH in texels"].split("x"))
        opaque = format_.scheme in (Scheme.OPAQUE, Scheme.PLANES) and width == 1
        if not opaque:  # some planar formats have no entry in the header's table
            assert (format_.block_width, format_.block_height) == (width, height), format_.name
        bits = int(row["bits_per_unit(pixel, or block for BC)"])
        if format_.scheme is Scheme.PACKED_422:
            assert format_.bytes_per_block * 4 == bits
        elif format_.scheme is Scheme.BITS:
            assert bits == 1
        elif format_.scheme is Scheme.PLANES:
            assert format_.planes[0].bits == bits or bits == 0
        elif format_.scheme is not Scheme.OPAQUE:
            assert format_.bytes_per_block * 8 == bits, format_.name
        if ":" in row[CHANNELS] and "special" not in row[CHANNELS]:
            text = row[CHANNELS].split(" (")[0]
            _check_channels(format_, text)
        else:
            assert format_.scheme is not Scheme.TEXELS or not format_.channels


def test_dxgi_families(shared: Path) -> None:
    for row in _rows(shared, "dxgi_formats.csv"):
        if int(row["value"]) == 0xFFFFFFFF:
            continue
        format_ = dxgi_format(int(row["value"]))
        parent = row["typeless_parent"].removeprefix("DXGI_FORMAT_")
        if parent != "UNKNOWN":
            assert format_.parent == (format_.name if parent == "self" else parent), format_.name
        twin = linear_twin(format_)
        assert bool(row["srgb"]) == (twin is not None)
        if twin is not None:
            assert f"DXGI_FORMAT_{twin.name})" in row["srgb"]
        assert bool(row["bc"]) == (format_.scheme is Scheme.BLOCKS)
        assert format_.name.startswith(row["bc"])
        depth, _, stencil = row["depth/stencil bits"].replace("f", "").partition("/")
        assert (format_.depth_bits, format_.stencil_bits) == (int(depth or 0), int(stencil or 0))
        if format_.scheme is Scheme.PLANES:
            assert row["planes(D3D12 view of planes)"] == str(len(format_.planes))


def test_dxgi_uses(shared: Path) -> None:
    key = "FL11_1 support R=required O=optional -=not allowed (blank: no table entry)"
    for row in _rows(shared, "dxgi_formats.csv"):
        if int(row["value"]) == 0xFFFFFFFF:
            continue
        format_ = dxgi_format(int(row["value"]))
        found = dict(word.split("=") for word in row[key].split())
        for use, word in zip(Use, USES.split(), strict=True):
            letter = found.get(word, "-")
            assert (use in uses(format_)) == (letter in "RO"), (format_.name, use)
            assert (use in required_uses(format_)) == (letter == "R"), (format_.name, use)


def _d3d9_rows(shared: Path) -> list[tuple[D3D9Format, dict[str, str]]]:
    rows = _rows(shared, "d3dddi_formats.csv")
    return [(d3d9_format(int(r["value"])), r) for r in rows if int(r["value"]) not in NO_FORMATS]


def test_d3d9_layouts(shared: Path) -> None:
    for format_, row in _d3d9_rows(shared):
        name = row["name"].removeprefix("D3DDDIFMT_").split()[-1]
        assert d3d9_format(name) is format_
        if not name.startswith("DXVACOMPBUFFER"):
            assert format_.name == name
        _check_channels_where_given(format_, row[CHANNELS])
        if format_.scheme in (Scheme.PLANES, Scheme.OPAQUE) or name in ("Y210", "Y216"):
            continue  # there the digest counts bits for each texel, and Y210 as if it were one
        width, height = map(int, row["block"].split()[0].split("x"))
        assert (format_.block_width, format_.block_height) == (width, height), name
        if name != "A1":
            assert format_.bytes_per_block * 8 == int(row["bits_per_block"]), name


def _check_channels_where_given(format_: D3D9Format, text: str) -> None:
    if ":" in text and format_.scheme is not Scheme.BYTES:
        _check_channels(format_, text)


def test_d3d9_names_and_kin(shared: Path) -> None:
    found = {format_.number for format_, _ in _d3d9_rows(shared)}
    assert found == {format_.number for format_ in D3D9_FORMATS.values()}
    for format_, row in _d3d9_rows(shared):
        assert (format_.depth_bits, format_.stencil_bits) == (
            int(row["depth_bits"]), int(row["stencil_bits"])
        ), format_.name  # fmt: skip
        assert format_.fourcc == row["fourcc"], format_.name
        assert format_.dxgi == row["dxgi_equivalent"].split(" ")[0], format_.name
        if not row["name"].startswith("D3DDDIFMT_DXVACOMPBUFFER"):
            assert format_.is_api == row["d3d9_equivalent"].startswith("D3DFMT"), format_.name
        kind = row["lockable_or_opaque(depth/stencil only)"]
        assert format_.is_depth_stencil == bool(kind), format_.name
        if kind:
            assert format_.is_lockable == (kind == "lockable"), format_.name


def test_equal_bits_of_both_tables() -> None:
    """A DXGI format with the same bits has channels of the same widths, types and places."""
    for format_ in D3D9_FORMATS.values():
        if not format_.dxgi or not format_.channels or format_.name == "D24S8":
            continue  # D24S8 has the two the other way round
        dxgi = DXGI_FORMATS[format_.dxgi]
        assert [(c.bits, c.shift) for c in format_.channels] == [
            (c.bits, c.shift) for c in dxgi.channels
        ], format_.name
        read = [
            (a.type, b.type)
            for a, b in zip(format_.channels, dxgi.channels, strict=True)
            if a.component != "x" and a.type is not ChannelType.INDEX
        ]
        assert all(a is b for a, b in read), format_.name
