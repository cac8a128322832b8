"""The texels of DDS images: decoded as stated, converted, and as textures for shaders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.dxgi import DXGI_FORMATS, FORMATS
from softd3d.formats.layout import Format, Scheme
from softd3d.resources.dds.file import read_dds, write_dds
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage, slice_bytes
from softd3d.resources.dds.shape import FACE_NAMES, Shape
from softd3d.resources.dds.texels import (
    _texels,
    converted,
    decoded_level,
    decoded_subresource,
    selected,
    to_texture,
    viewed,
)

FOLDER = Path(__file__).parents[4] / "shared/dds"
INDEX = FOLDER / "index.json"
DECODED: list[dict[str, Any]] = (
    [e for e in json.loads(INDEX.read_text())["files"] if e.get("tolerant") == "decode"]
    if INDEX.exists()
    else []
)
D = Dimension
# The member that the stated values of a typeless format are those of.
TYPED = {"BC6H_TYPELESS": "BC6H_UF16"}


def image_of(format_: str, **facts: Any) -> DdsImage:
    """A small image of random bytes."""
    known = DXGI_FORMATS.get(format_) or D3D9_FORMATS[format_]
    shape = Shape(known, **({"dimension": D.TEXTURE2D, "width": 4, "height": 4} | facts))
    data = np.random.default_rng(5).bytes(shape.slices * slice_bytes(shape))
    return DdsImage(shape, data)


# -- the golden set beside the project ---------------------------------------------------------


def typed(image: DdsImage) -> DdsImage:
    format_ = image.format
    if not format_.is_typeless:
        return image
    name = TYPED.get(format_.name, format_.name.replace("TYPELESS", "UNORM"))
    return viewed(image, DXGI_FORMATS[name])


def channel_codes(image: DdsImage, mip: int, slice_: int) -> NDArray[Any]:
    """The codes of all channels: (depth, height, width, channels)."""
    format_ = image.format
    rows = image.subresource(mip, slice_)
    units = rows.reshape(*rows.shape[:2], -1, format_.bytes_per_block)
    order = "big" if format_.scheme is Scheme.BITS else "little"  # the first texel is the highest
    bits = np.unpackbits(units, axis=-1, bitorder=order).astype(object)
    width, height, _ = image.extent(mip)
    if format_.scheme is Scheme.BITS:
        return bits.reshape(*rows.shape[:2], -1, 1)[:, :height, :width]
    found: dict[str, list[NDArray[Any]]] = {}
    for number, channel in enumerate(format_.channels):
        own = bits[..., channel.shift : channel.shift + channel.bits]
        code = (own * [1 << i for i in range(channel.bits)]).sum(-1)
        key = f"x{number}" if channel.component == "x" else channel.component
        found.setdefault(key, []).append(code)
    # A channel that occurs twice is the even texel's, then the odd one's; else both texels share.
    texels = format_.block_width
    parts = [np.stack((codes * texels)[:texels], -1) for codes in found.values()]
    shape = (*parts[0].shape[:2], -1)
    return np.stack([part.reshape(shape)[:, :height, :width] for part in parts], -1)


def stated_channels(facts: dict[str, Any], image: DdsImage) -> list[int]:
    """Where the channels of the stated codes are among those of `channel_codes`."""
    ours = list(dict.fromkeys(
        f"x{i}" if c.component == "x" else c.component for i, c in enumerate(image.format.channels)
    ))  # fmt: skip
    names = [c["name"].lower().replace("i", "p") for c in facts["channels"]]  # an index, for AI44
    return [ours.index(n) if n != "x" else None for n in names]


def assert_codes(facts: dict[str, Any], image: DdsImage, part: dict[str, Any]) -> None:
    wanted = np.load(FOLDER / part["codes"])
    if facts["format_kind"] == "bc":
        assert_block_codes(image, part, wanted)
        return
    found = channel_codes(image, part["mip"], part["image"])
    for i, place in enumerate(stated_channels(facts, image)):
        if place is not None:
            np.testing.assert_array_equal(found[..., place], wanted[..., i])


def assert_block_codes(image: DdsImage, part: dict[str, Any], wanted: NDArray[Any]) -> None:
    image = selected(typed(image), part["mip"], part["image"])
    kind = (getattr(image.format, "dxgi", "") or image.format.name)[:3]
    if kind == "BC6":
        halves = converted(image, DXGI_FORMATS["R16G16B16A16_FLOAT"]).subresource().view("<u2")
        found = halves.reshape(*wanted.shape[:3], 4)[..., :3]
    elif kind in ("BC4", "BC5"):
        return  # their codes are their numbers
    else:
        twin = "R8G8B8A8_UNORM_SRGB" if image.format.is_srgb else "R8G8B8A8_UNORM"
        found = converted(image, DXGI_FORMATS[twin]).subresource().reshape(wanted.shape)
    # Stated are the codes of BC1 to BC3 cut off; ours are the nearest (test_blocks.py).
    slack = int(kind in ("BC1", "BC2", "BC3", "DXT"))
    assert np.abs(found.astype(int) - wanted.astype(int)).max() <= slack


def assert_numbers(facts: dict[str, Any], image: DdsImage, part: dict[str, Any]) -> None:
    image = typed(image)
    values = decoded_subresource(image, part["mip"], part["image"])
    wanted = np.load(FOLDER / part["f32"])
    names = facts.get("f32_channels") or list("RGBA")[: wanted.shape[-1]]
    within = np.load(FOLDER / part["tol"]) if "tol" in part else np.zeros(wanted.shape)
    for i, name in enumerate(names):
        if name == "P":
            continue  # an index is no number here
        with np.errstate(invalid="ignore"):  # signalling NaNs
            found = values[..., image.format.reads.index(name.lower())].astype(np.float64)
            ideal, slack = wanted[..., i].astype(np.float64), within[..., i]
        if image.format.is_srgb and name != "A":
            found, ideal, slack = to_srgb(found), to_srgb(ideal), np.maximum(slack, 1e-6)
        if "tol" in part and image.format.name.startswith(("BC1", "BC2", "BC3", "DXT")):
            slack = slack + 1 / 255  # the stated number is cut off, the exact one may be outside
        with np.errstate(invalid="ignore"):
            near = np.abs(found - ideal) <= slack + 1e-6 * (slack > 0)
        assert (near | (found == ideal) | (np.isnan(found) & np.isnan(ideal))).all(), name


def to_srgb(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


@pytest.mark.corpus
@pytest.mark.parametrize("entry", DECODED, ids=lambda e: e["file"])
def test_golden_files_decode_to_the_stated_texels(entry: dict[str, Any]) -> None:
    facts = json.loads((FOLDER / entry["json"]).read_text())
    image = read_dds((FOLDER / entry["file"]).read_bytes())
    for part in facts["subresources"]:
        if "codes" in part:
            assert_codes(facts, image, part)
        for array, plane in zip(_texels(image, part["mip"]), part.get("planes", ()), strict=False):
            wanted = np.load(FOLDER / plane["codes"])
            np.testing.assert_array_equal(array[part["image"]].reshape(wanted.shape), wanted)
        if "f32" in part and not (image.palette is None and "p" in image.format.reads):
            assert_numbers(facts, image, part)
        if "ints" in part and not image.format.is_typeless:
            assert_integers(facts, image, part)
        if "expanded_rgba8" in part:
            values = decoded_subresource(image, part["mip"], part["image"])
            wanted = np.load(FOLDER / part["expanded_rgba8"])
            np.testing.assert_array_equal(np.rint(values * 255), wanted)
        if "derived_c" in part:
            values = decoded_subresource(image, part["mip"], part["image"])
            wanted = np.load(FOLDER / part["derived_c"])
            np.testing.assert_allclose(values[..., 2].ravel(), wanted.ravel(), atol=1e-6)


def assert_integers(facts: dict[str, Any], image: DdsImage, part: dict[str, Any]) -> None:
    values = decoded_subresource(image, part["mip"], part["image"])
    wanted = np.load(FOLDER / part["ints"])
    names = facts.get("ints_channels") or [c["name"] for c in facts["channels"]]
    for i, name in enumerate(names):
        if name.lower() in image.format.reads:
            found = values[..., image.format.reads.index(name.lower())]
            np.testing.assert_array_equal(found, wanted[..., i])


# -- what we make ourselves --------------------------------------------------------------------


def test_a_level_of_all_slices_is_its_subresources() -> None:
    image = image_of("R8G8B8A8_UNORM", width=8, height=8, mips=3, array_size=2, faces=FACE_NAMES)
    for mip in range(3):
        whole = decoded_level(image, mip)
        assert whole.shape == (12, 1, 8 >> mip, 8 >> mip, 4)
        for slice_ in range(12):
            np.testing.assert_array_equal(whole[slice_], decoded_subresource(image, mip, slice_))


def test_selected_parts_hold_what_they_held() -> None:
    image = image_of("BC1_UNORM", width=13, height=7, mips=4, array_size=3)
    for mip in (None, 0, 2):
        for slice_ in (None, 0, 2):
            part = selected(image, mip, slice_)
            assert part.mips == (4 if mip is None else 1)
            assert part.slices == (3 if slice_ is None else 1)
            np.testing.assert_array_equal(
                part.subresource(0, part.slices - 1),
                image.subresource(mip or 0, 2 if slice_ is None else slice_),
            )
    with pytest.raises(ResourceError, match="mip_slice: found 4, wanted 0 to 3"):
        selected(image, 4, None)
    volume = selected(image_of("R8_UNORM", dimension=D.TEXTURE3D, depth=4, mips=3), 1, None)
    assert (volume.extent(0), volume.mips) == ((2, 2, 2), 1)


def test_views_want_the_same_layout() -> None:
    image = image_of("R32_TYPELESS")
    assert viewed(image, DXGI_FORMATS["R32_FLOAT"]).data == image.data
    assert viewed(image, DXGI_FORMATS["R8G8B8A8_UNORM"]).format.name == "R8G8B8A8_UNORM"
    with pytest.raises(ResourceError, match="cannot be viewed as BC1_UNORM"):
        viewed(image, DXGI_FORMATS["BC1_UNORM"])
    with pytest.raises(ResourceError, match="no component type"):
        decoded_level(image)


WRITTEN = [
    f
    for f in (*DXGI_FORMATS.values(), *D3D9_FORMATS.values())
    if f.bytes_per_block
    and not f.is_typeless
    and f.scheme not in (Scheme.OPAQUE, Scheme.BYTES)
    and "p" not in f.reads
    and not f.name.startswith(("BC6H", "BC7", "X24", "X32"))
]


@pytest.mark.parametrize("format_", WRITTEN, ids=lambda f: f.name)
def test_conversion_reaches_every_subresource(format_: Format) -> None:
    """Grey of one half, one mip and slice after the other, odd sizes, there and back."""
    source = Shape(DXGI_FORMATS["R32G32B32A32_FLOAT"], D.TEXTURE2D, 7, 5, array_size=2, mips=3)
    levels = np.full((2, slice_bytes(source) // 16, 4), 0.25, np.float32)
    levels[1] = 0.75
    levels[..., 3] = 1
    image = DdsImage(source, levels.tobytes())
    there = converted(image, format_)
    assert there.shape == replace(source, format=format_)
    if format_.is_integer:
        return  # 0.25 is 0
    slack = 0.3 if format_.scheme is Scheme.BITS else 0.1
    for mip in range(3):
        values = decoded_level(there, mip)
        place = 3 if format_.reads == "000a" else 0
        for slice_, wanted in ((0, 0.25), (1, 0.75)):
            found = values[slice_, ..., place]
            assert np.abs(found - (1 if place else wanted)).max() < slack


def test_conversion_of_one_format_changes_nothing() -> None:
    image = image_of("BC7_UNORM", mips=3)
    assert converted(image, DXGI_FORMATS["BC7_UNORM"]) is image
    with pytest.raises(ResourceError, match="can be read only"):
        converted(image, DXGI_FORMATS["BC6H_UF16"])


@pytest.mark.parametrize("format_", FORMATS.values(), ids=lambda f: f.name)
def test_textures_of_formats_for_shaders_hold_the_same_bytes(format_: Format) -> None:
    image = image_of(format_.name, width=8, height=8, mips=4, faces=FACE_NAMES)
    texture = to_texture(image)
    assert texture.tobytes() == image.data
    assert (texture.kind.name, texture.format.name) == ("TextureCube", format_.name)


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"dimension": D.TEXTURE1D, "height": 1}, "Texture1D"),
        ({"dimension": D.TEXTURE1D, "height": 1, "array_size": 3}, "Texture1DArray"),
        ({"mips": 3}, "Texture2D"),
        ({"array_size": 2}, "Texture2DArray"),
        ({"dimension": D.TEXTURE3D, "depth": 4, "mips": 2}, "Texture3D"),
        ({"faces": FACE_NAMES, "array_size": 2}, "TextureCubeArray"),
    ],
)
def test_textures_are_of_the_kind_of_the_file(facts: dict[str, Any], kind: str) -> None:
    image = read_dds(write_dds(image_of("R16G16_FLOAT", **facts)))
    texture = to_texture(image)
    assert texture.kind.name == kind
    assert texture.tobytes() == image.data


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("BC1_UNORM", "BC1_UNORM"), ("BC3_UNORM_SRGB", "BC3_UNORM_SRGB"),
        ("BC7_UNORM", "BC7_UNORM"), ("BC5_SNORM", "BC5_SNORM"),
        ("BC6H_SF16", "BC6H_SF16"), ("DXT5", "BC3_UNORM"),
        ("A8R8G8B8", "B8G8R8A8_UNORM"), ("V8U8", "R8G8_SNORM"), ("L8", "R32G32B32A32_FLOAT"),
        ("X1R5G5B5", "R32G32B32A32_FLOAT"), ("D16_UNORM", "R32G32B32A32_FLOAT"),
    ],
)  # fmt: skip
def test_other_formats_become_one_that_holds_their_values(name: str, wanted: str) -> None:
    assert_holds_the_values(image_of(name, width=8, height=8, mips=2), wanted)


@pytest.mark.parametrize("name", ["BC1_UNORM_SRGB", "BC7_UNORM", "BC4_SNORM", "DXT3"])
def test_blocks_that_reach_beyond_the_edges_become_texels(name: str) -> None:
    assert_holds_the_values(image_of(name, width=8, height=6, mips=2), "R32G32B32A32_FLOAT")


def assert_holds_the_values(image: DdsImage, wanted: str) -> None:
    texture = to_texture(image)
    assert texture.format.name == wanted
    whole = DdsImage(replace(image.shape, format=texture.format), texture.tobytes())
    for mip in range(2):
        found, ideal = decoded_level(whole, mip), decoded_level(image, mip)
        used = [i for i, c in enumerate(image.format.reads) if c not in "01"]
        np.testing.assert_array_equal(found[..., used], ideal[..., used])


def test_partial_cubes_and_huge_extents_are_no_textures() -> None:
    with pytest.raises(ResourceError, match="without all its faces"):
        to_texture(image_of("A8R8G8B8", faces=("+X",)))
    with pytest.raises(ResourceError, match="width 16385"):
        to_texture(image_of("R8_UNORM", width=16385, height=1))
