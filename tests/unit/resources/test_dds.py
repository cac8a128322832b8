"""DDS files: what we write reads back, real files and broken ones do what is stated of them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS, D3D9Format
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Scheme
from softd3d.resources.dds.file import read_dds, write_dds
from softd3d.resources.dds.header import AlphaMode, DdsError, Dimension, parse_header
from softd3d.resources.dds.image import DdsImage, slice_bytes
from softd3d.resources.dds.pixel_formats import PALETTE_ENTRIES, legacy_of
from softd3d.resources.dds.shape import FACE_NAMES, Shape

INDEX = Path(__file__).parents[4] / "shared/dds/index.json"
ENTRIES: list[dict[str, Any]] = (
    [e for e in json.loads(INDEX.read_text())["files"] if e["kind"] != "conversion"]
    if INDEX.exists()
    else []
)
HELD = [f for f in DXGI_FORMATS.values() if f.scheme not in (Scheme.OPAQUE, Scheme.NOTHING)]
LEGACY = [
    (f, alpha)
    for f in (*D3D9_FORMATS.values(), *HELD)
    for alpha in (AlphaMode.UNKNOWN, AlphaMode.PREMULTIPLIED)
    if legacy_of(f, premultiplied=alpha is AlphaMode.PREMULTIPLIED) is not None
]
D = Dimension
LAYOUTS = {
    "1d": {"dimension": D.TEXTURE1D, "width": 13, "mips": 4},
    "1d-array": {"dimension": D.TEXTURE1D, "width": 6, "array_size": 3, "mips": 2},
    "2d": {"dimension": D.TEXTURE2D, "width": 9, "height": 6, "mips": 4},
    "2d-array": {"dimension": D.TEXTURE2D, "width": 5, "height": 7, "array_size": 3},
    "cube": {"dimension": D.TEXTURE2D, "width": 8, "height": 8, "mips": 4, "faces": FACE_NAMES},
    "cube-array": {"dimension": D.TEXTURE2D, "width": 5, "height": 5, "mips": 2, "array_size": 2,
                   "faces": FACE_NAMES},
    "volume": {"dimension": D.TEXTURE3D, "width": 5, "height": 3, "depth": 6, "mips": 3},
}  # fmt: skip
LEGACY_LAYOUTS = ("2d", "cube", "volume")


def whole(shape: Shape) -> Shape:
    """With an even height, which planar formats want; a cube's width goes with it."""
    if not shape.format.planes or shape.dimension is D.TEXTURE1D:
        return shape
    height = -(-shape.height // 2) * 2
    return replace(shape, height=height, width=height if shape.faces else shape.width)


def filled(shape: Shape, seed: int = 1) -> DdsImage:
    """An image of random bytes, with a palette where the format wants one."""
    rng = np.random.default_rng(seed)
    palette = rng.integers(0, 256, (PALETTE_ENTRIES, 4)).astype(np.uint8)
    row = legacy_of(shape.format)
    data = rng.bytes(shape.slices * slice_bytes(shape))
    return DdsImage(shape, data, palette if row is not None and row.has_palette else None)


def assert_same(image: DdsImage, again: DdsImage) -> None:
    assert again.warnings == ()
    assert replace(again.shape, legacy=None) == replace(image.shape, legacy=None)
    assert again.data == image.data
    if image.palette is not None:
        np.testing.assert_array_equal(again.palette, image.palette)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_dxgi_formats_read_back(layout: str) -> None:
    for format_ in HELD:
        image = replace(filled(whole(Shape(format_, **LAYOUTS[layout]))), palette=None)
        again = read_dds(write_dds(image, legacy=False), strict=True)
        assert_same(image, again)
        assert again.shape == image.shape, format_.name


@pytest.mark.parametrize("layout", LEGACY_LAYOUTS)
def test_all_legacy_formats_read_back(layout: str) -> None:
    for format_, alpha in LEGACY:
        shape = Shape(format_, **LAYOUTS[layout], alpha_mode=alpha)
        image = filled(shape)
        data = write_dds(image, legacy=True)
        again = read_dds(data, strict=True)
        named = legacy_of(format_, premultiplied=alpha is not AlphaMode.UNKNOWN).format
        assert_same(replace(image, shape=replace(shape, format=named)), again)
        assert write_dds(again) == data, format_.name  # as it was read


@pytest.mark.parametrize("faces", [("+X",), ("-Z",), ("+X", "+Y", "-Z"), FACE_NAMES[1:]])
def test_partial_cubes_read_back_with_a_warning(faces: tuple[str, ...]) -> None:
    shape = Shape(D3D9_FORMATS["A8R8G8B8"], D.TEXTURE2D, 4, 4, mips=3, faces=faces)
    data = write_dds(filled(shape))
    again = read_dds(data)
    assert (again.faces, again.slices) == (faces, len(faces))
    assert [w.quirk.value for w in again.warnings] == ["partial_cube"]
    with pytest.raises(DdsError, match="only the faces"):
        read_dds(data, strict=True)
    with pytest.raises(ResourceError, match="all its faces"):
        write_dds(filled(shape), legacy=False)


@pytest.mark.parametrize("alpha", AlphaMode)
def test_alpha_modes_read_back(alpha: AlphaMode) -> None:
    shape = Shape(DXGI_FORMATS["BC3_UNORM"], D.TEXTURE2D, 4, 4, alpha_mode=alpha)
    assert read_dds(write_dds(filled(shape)), strict=True).alpha_mode is alpha


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Shapes of any kind, up to some ten thousand bytes."""
    dimension = draw(st.sampled_from(D))
    axes = dimension.value - 1
    extents = [draw(st.integers(1, 17)) if axis < axes else 1 for axis in range(3)]
    faces = FACE_NAMES if dimension is D.TEXTURE2D and draw(st.booleans()) else ()
    if faces:
        extents[1] = extents[0]
    mips = draw(st.integers(1, max(extents).bit_length()))
    array_size = 1 if axes == 3 else draw(st.integers(1, 3))
    format_ = draw(st.sampled_from(HELD))
    alpha = draw(st.sampled_from(AlphaMode))
    return whole(Shape(format_, dimension, *extents, array_size, mips, faces, alpha))


@given(shapes(), st.integers(0, 99))
def test_any_shape_reads_back(shape: Shape, seed: int) -> None:
    image = replace(filled(shape, seed), palette=None)
    again = read_dds(write_dds(image, legacy=False), strict=True)
    assert_same(image, again)
    whole = b"".join(
        again.subresource(mip, slice_).tobytes()
        for slice_ in range(shape.slices)
        for mip in range(shape.mips)
    )
    assert whole == image.data


def test_what_a_header_cannot_say_is_refused() -> None:
    array = filled(Shape(DXGI_FORMATS["BC1_UNORM"], D.TEXTURE2D, 4, 4, array_size=2))
    with pytest.raises(ResourceError, match="an array of 2 needs a header of Direct3D 10"):
        write_dds(array, legacy=True)
    line = filled(Shape(DXGI_FORMATS["R8G8B8A8_UNORM"], D.TEXTURE1D, 4))
    with pytest.raises(ResourceError, match="1D texture needs a header of Direct3D 10"):
        write_dds(line, legacy=True)
    with pytest.raises(ResourceError, match="R8_UINT needs a header of Direct3D 10"):
        write_dds(filled(Shape(DXGI_FORMATS["R8_UINT"], D.TEXTURE2D, 4, 4)), legacy=True)
    bc1 = Shape(DXGI_FORMATS["BC1_UNORM"], D.TEXTURE2D, 4, 4, alpha_mode=AlphaMode.OPAQUE)
    with pytest.raises(ResourceError, match="alpha mode opaque"):
        write_dds(filled(bc1), legacy=True)
    with pytest.raises(ResourceError, match="L8 needs a legacy header"):
        write_dds(filled(Shape(D3D9_FORMATS["L8"], D.TEXTURE2D, 4, 4)), legacy=False)
    palette = filled(Shape(D3D9_FORMATS["P8"], D.TEXTURE2D, 4, 4))
    with pytest.raises(ResourceError, match="a palette needs a legacy header"):
        write_dds(palette, legacy=False)
    with pytest.raises(ResourceError, match="needs a palette"):
        write_dds(replace(palette, palette=None), legacy=True)


def test_the_header_is_as_the_guide_asks() -> None:
    shape = Shape(DXGI_FORMATS["BC1_UNORM"], D.TEXTURE2D, 10, 6, mips=4)
    header = parse_header(write_dds(filled(shape)))
    assert header.flags == 0x1 | 0x2 | 0x4 | 0x1000 | 0x20000 | 0x80000
    assert (header.pitch, header.mip_count, header.depth) == (3 * 2 * 8, 4, 0)
    assert (header.caps, header.caps2) == (0x401008, 0)
    volume = filled(Shape(D3D9_FORMATS["R5G6B5"], D.TEXTURE3D, 5, 3, 4))
    header = parse_header(write_dds(volume))
    assert header.flags == 0x1 | 0x2 | 0x4 | 0x8 | 0x1000 | 0x800000
    assert (header.pitch, header.depth, header.caps, header.caps2) == (10, 4, 0x1008, 0x200000)


def test_a_wrong_number_of_bytes_or_index_is_refused() -> None:
    shape = Shape(DXGI_FORMATS["R8_UNORM"], D.TEXTURE2D, 4, 4, mips=3)
    with pytest.raises(ResourceError, match="found 3 bytes of texels, wanted 21"):
        DdsImage(shape, b"abc")
    image = filled(shape)
    assert repr(image) == "DdsImage(4 x 4, 3 mips, R8_UNORM)"
    for mip, slice_ in ((3, 0), (-1, 0), (0, 1), (0, -1)):
        with pytest.raises(ResourceError, match="wanted 0 to"):
            image.subresource(mip, slice_)
    assert not image.subresource().flags.writeable


def test_padded_rows_of_mips_and_slices_are_found() -> None:
    """Rows of whole dwords, in a cube with mips: only the size of the file says so."""
    shape = Shape(D3D9_FORMATS["R8G8B8"], D.TEXTURE2D, 5, 5, mips=3, faces=FACE_NAMES)
    image = filled(shape)
    data = write_dds(image)
    padded = data[:128]
    for slice_ in range(6):
        for mip in range(3):
            rows = image.subresource(mip, slice_)[0]
            padded += np.pad(rows, ((0, 0), (0, -rows.shape[1] % 4))).tobytes()
    again = read_dds(padded)
    assert [w.quirk.value for w in again.warnings] == ["dword_aligned_rows"]
    assert again.data == image.data
    assert [w.quirk.value for w in read_dds(padded, strict=True).warnings] == ["trailing_data"]
    assert [w.quirk.value for w in read_dds(padded + b"x").warnings] == ["trailing_data"]


@pytest.mark.parametrize("cut", [1, 5, 100])
def test_missing_texels_are_counted(cut: int) -> None:
    data = write_dds(filled(Shape(DXGI_FORMATS["BC7_UNORM"], D.TEXTURE2D, 16, 16)))
    with pytest.raises(DdsError, match=f"take 256 bytes, but only {256 - cut} are there") as caught:
        read_dds(data[:-cut])
    assert caught.value.location.offset == len(data) - cut


# -- the golden set beside the project ---------------------------------------------------------


@cache
def stated(entry_json: str) -> dict[str, Any]:
    return json.loads((INDEX.parent / entry_json).read_text())


@pytest.mark.corpus
def test_the_golden_set_is_here(shared: Path) -> None:
    if not (shared / "dds/index.json").exists():
        pytest.skip("no ../shared/dds")
    assert len(ENTRIES) == 281


@pytest.mark.corpus
@pytest.mark.parametrize("mode", ["tolerant", "strict"])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["file"])
def test_golden_files_end_as_stated(entry: dict[str, Any], mode: str) -> None:
    data = (INDEX.parent / entry["file"]).read_bytes()
    wanted = stated(entry["json"])["expect"][mode]
    if wanted["outcome"] == "refuse":
        with pytest.raises(DdsError) as caught:
            read_dds(data, strict=mode == "strict")
        assert caught.value.problem in [wanted["error"], *wanted.get("also", [])]
        for number in ("expected_bytes", "actual_bytes"):
            assert str(wanted.get(number, "")) in caught.value.message
        return
    image = read_dds(data, strict=mode == "strict")
    assert [w.quirk.value for w in image.warnings] == wanted.get("warnings", [])


DECODED = [e for e in ENTRIES if e["tolerant"] == "decode"]


@pytest.mark.corpus
@pytest.mark.parametrize("entry", DECODED, ids=lambda e: e["file"])
def test_golden_files_have_the_stated_layout(entry: dict[str, Any]) -> None:
    data = (INDEX.parent / entry["file"]).read_bytes()
    image, facts = read_dds(data), stated(entry["json"])
    assert image.dimension.value - 1 == int(facts["dimension"][0])
    assert (image.width, image.height, image.depth) == tuple(
        facts[name] for name in ("width", "height", "depth")
    )
    assert (image.mips, image.array_size) == (facts["mips"], facts["array_size"])
    assert list(image.faces) == (facts["faces"] or [])
    assert image.alpha_mode.name.lower() == facts["alpha_mode"]
    if facts["d3d_format"] and isinstance(image.format, D3D9Format):
        assert image.format.number == facts["d3d_format"]["value"]
    elif facts["header"] == "dx10":
        assert image.format.number == facts["dxgi_format"]
    for part in facts["subresources"]:
        found = image.subresource(part["mip"], part["image"])
        assert image.extent(part["mip"]) == (part["width"], part["height"], part["depth"])
        assert found.shape == (part["depth"], part["rows_per_slice"], part["tight_row_pitch"])
        stored = np.frombuffer(data, np.uint8, part["bytes"], part["file_offset"])
        rows = stored.reshape(part["depth"], part["rows_per_slice"], part["row_pitch"])
        np.testing.assert_array_equal(found, rows[:, :, : part["tight_row_pitch"]])
    if "palette" in facts:
        palette = np.load(INDEX.parent / facts["palette"]["file"])
        np.testing.assert_array_equal(image.palette, palette)


@pytest.mark.corpus
@pytest.mark.parametrize("entry", DECODED, ids=lambda e: e["file"])
def test_golden_files_are_written_again(entry: dict[str, Any]) -> None:
    image = read_dds((INDEX.parent / entry["file"]).read_bytes())
    again = read_dds(write_dds(image))
    assert (again.shape, again.data) == (image.shape, image.data)
