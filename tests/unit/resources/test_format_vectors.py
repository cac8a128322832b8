"""Decoding of whole images against arrays of an exact decoder that shares no code with ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.formats.d3d9 import d3d9_format
from softd3d.formats.dxgi import dxgi_format
from softd3d.formats.layout import Format, Scheme
from softd3d.resources.transfer.conversion import convert, decode

pytestmark = pytest.mark.corpus
FOLDER = Path("../shared/dds")


def _names() -> list[str]:
    return [path.stem for path in sorted((FOLDER / "dds").glob("*.json"))] or ["none"]


def _format(described: dict[str, Any]) -> tuple[Format, str]:
    legacy = described.get("d3d_format")
    if isinstance(legacy, dict) and described["format_kind"] != "bc":
        return d3d9_format(legacy["value"]), "d3d9"
    name = described["dxgi_name"].removeprefix("DXGI_FORMAT_")
    for typeless, typed in (("BC6H_TYPELESS", "BC6H_UF16"), ("_TYPELESS", "_UNORM")):
        if name.startswith("BC") and name.endswith(typeless):
            return dxgi_format(name.replace(typeless, typed)), "d3d10"
    return dxgi_format(name), "d3d10"


def _units(described: dict[str, Any], sub: dict[str, Any], format_: Format) -> np.ndarray:
    """Return the units of a subresource, (depth, rows, columns, bytes)."""
    data = (FOLDER / described["file"]).read_bytes()
    columns = -(-sub["width"] // format_.block_width)
    depth, rows, pitch = sub["depth"], sub["rows_per_slice"], sub["row_pitch"]
    found = np.frombuffer(data, np.uint8, depth * rows * pitch, sub["file_offset"])
    found = found.reshape(depth, rows, pitch)[:, :, : columns * format_.bytes_per_block]
    return found.reshape(depth, rows, columns, format_.bytes_per_block)


def _squeezed(units: np.ndarray) -> np.ndarray:
    return units[..., 0] if units.shape[-1] == 1 else units


@pytest.mark.parametrize("name", _names())
def test_numbers_are_exact(shared: Path, name: str) -> None:
    described = json.loads((FOLDER / "dds" / f"{name}.json").read_text())
    format_, rules = _format(described)
    if format_.scheme is Scheme.PLANES or format_.is_typeless:
        pytest.skip("codes only")
    checked = False
    for sub in described["subresources"]:
        units = _units(described, sub, format_)
        if format_.scheme is Scheme.BLOCKS:
            checked |= _check_blocks(units, sub, format_, rules)
            continue
        if format_.channel("p") is not None:
            checked |= _check_palette(units, sub, described, format_)
            continue
        found = decode(_squeezed(units), format_, rules)[:, : sub["height"], : sub["width"]]
        for key in ("f32", "ints"):
            if key in sub:
                _compare(
                    found,
                    np.load(FOLDER / sub[key]),
                    described.get(f"{key}_channels", "RGB"),
                    format_,
                )
                checked = True
        if "derived_c" in sub:
            third = np.load(FOLDER / sub["derived_c"]).reshape(found.shape[:3])
            np.testing.assert_array_max_ulp(found[..., 2], third, maxulp=1)
    if not checked:
        pytest.skip("no numbers of this format")


def _compare(found: np.ndarray, wanted: np.ndarray, channels: list[str], format_: Format) -> None:
    for i, channel in enumerate(channels):
        component = channel.lower()
        if component not in format_.reads:
            continue
        ours = found[..., format_.reads.index(component)]
        if format_.is_srgb and component != "a":
            np.testing.assert_array_max_ulp(ours, wanted[..., i], maxulp=2)
        elif ours.dtype == np.float32:
            np.testing.assert_array_equal(ours, wanted[..., i])
        else:
            np.testing.assert_array_equal(ours.astype(np.int64), wanted[..., i])


def _check_blocks(units: np.ndarray, sub: dict[str, Any], format_: Format, rules: str) -> bool:
    height, width = sub["height"], sub["width"]
    checked = False
    if "codes" in sub:
        wanted = np.load(FOLDER / sub["codes"])
        is_half = format_.name.startswith("BC6H")
        type_ = format_.name.partition("_")[2]
        destination = "R16G16B16A16_FLOAT" if is_half else f"R8G8B8A8_{type_}"
        codes = convert(units, format_, destination)[:, :height, :width]
        codes = codes.view(np.uint16) if is_half else codes
        # Stated are the codes of BC1 to BC3 cut off; ours are the nearest (test_blocks.py).
        slack = int(format_.name.startswith(("BC1", "BC2", "BC3")))
        found = codes[..., : wanted.shape[-1]].astype(int)
        assert np.abs(found - wanted.astype(int)).max() <= slack
        checked = True
    if "f32" in sub:
        wanted = np.load(FOLDER / sub["f32"])
        found = decode(units, format_, rules)[:, :height, :width, : wanted.shape[-1]]
        if format_.name.startswith(("BC1", "BC2", "BC3")) and not format_.is_srgb:
            # The stated numbers are cut off by up to a code, too, so that the exact fraction may
            # lie just outside of what is allowed around them.
            allowed = np.load(FOLDER / sub["tol"]) + 1 / 255
            assert (np.abs(found - wanted) <= allowed).all()
        elif not format_.name.startswith(("BC1", "BC2", "BC3")):
            np.testing.assert_array_max_ulp(found, wanted, maxulp=2 if format_.is_srgb else 0)
        checked = True
    return checked


def _check_palette(
    units: np.ndarray, sub: dict[str, Any], described: dict[str, Any], format_: Format
) -> bool:
    if "expanded_rgba8" not in sub:
        return False
    palette = np.load(FOLDER / described["palette"]["file"]).astype(np.uint8).reshape(-1, 4)
    found = convert(_squeezed(units), format_, "R8G8B8A8_UNORM", "d3d9", palette=palette)
    wanted = np.load(FOLDER / sub["expanded_rgba8"])
    np.testing.assert_array_equal(found.reshape(wanted.shape), wanted)
    return True
