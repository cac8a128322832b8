"""`softd3d convert`, and `softd3d info` of textures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from softd3d.cli import main, picture_files
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.resources.dds.file import read_dds, write_dds
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage, slice_bytes
from softd3d.resources.dds.shape import FACE_NAMES, Shape
from softd3d.resources.dds.texels import decoded_level

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def convert(*arguments: str) -> str:
    """Run softd3d convert, which must succeed; return what it says."""
    result = run("convert", *arguments)
    assert result.exit_code == 0, result.output
    return result.stderr


def write(name: str, format_: str, data: bytes | None = None, **facts: Any) -> DdsImage:
    """Write a small DDS file of random bytes."""
    known = DXGI_FORMATS.get(format_) or D3D9_FORMATS[format_]
    shape = Shape(known, **({"dimension": Dimension.TEXTURE2D, "width": 6, "height": 4} | facts))
    size = shape.slices * slice_bytes(shape)
    image = DdsImage(shape, np.random.default_rng(3).bytes(size) if data is None else data)
    Path(name).write_bytes(write_dds(image, legacy=format_ not in DXGI_FORMATS))
    return image


def read(name: str) -> DdsImage:
    return read_dds(Path(name).read_bytes(), strict=True)


def pixels(name: str) -> np.ndarray:
    with Image.open(name) as picture:
        return np.array(picture)


@pytest.mark.parametrize("format_", ["R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R8_UNORM"])
def test_codes_survive_png_both_ways(format_: str) -> None:
    image = write("a.dds", format_)
    assert convert("a.dds", "a.png") == ""
    np.testing.assert_array_equal(
        pixels("a.png"), image.subresource().reshape(pixels("a.png").shape)
    )
    convert("a.png", "b.dds", "--format", format_)
    assert read("b.dds").shape == image.shape
    assert read("b.dds").data == image.data


def test_colours_of_direct3d_9_are_put_in_order() -> None:
    write("a.dds", "A8R8G8B8", bytes([1, 2, 3, 4]) * 24)
    convert("a.dds", "a.png")
    assert pixels("a.png")[0, 0].tolist() == [3, 2, 1, 4]
    write("x.dds", "X8R8G8B8", bytes([1, 2, 3, 4]) * 24)
    convert("x.dds", "x.png")
    assert pixels("x.png")[0, 0].tolist() == [3, 2, 1]
    write("l.dds", "A8L8", bytes([7, 9]) * 24)
    convert("l.dds", "l.png")
    assert pixels("l.png")[0, 0].tolist() == [7, 7, 7, 9]
    write("d.dds", "D16_UNORM", bytes([255, 127]) * 24)
    convert("d.dds", "d.png", "--bits", "8")
    assert pixels("d.png")[0, 0] == 127


def test_wide_channels_make_wide_png_files() -> None:
    image = write("a.dds", "R16_UNORM")
    convert("a.dds", "a.png")
    assert Path("a.png").read_bytes()[24] == 16
    convert("a.png", "b.dds")
    assert read("b.dds").data == image.data
    convert("a.dds", "c.png", "--bits", "8")
    assert Path("c.png").read_bytes()[24] == 8
    write("w.dds", "R16G16B16A16_UNORM")
    convert("w.dds", "w.png")
    assert "only 8 bits are read" in convert("w.png", "v.dds")


def test_what_png_cannot_hold_is_said() -> None:
    write("a.dds", "R32_FLOAT", np.float32([2, -1, 0.5, np.nan] * 6).tobytes())
    assert "18 texels have numbers outside 0 to 1" in convert("a.dds", "a.png", "--bits", "8")
    assert pixels("a.png")[0, :4].tolist() == [255, 0, 128, 0]
    write("i.dds", "R8_UINT")
    result = run("convert", "i.dds", "i.png")
    assert result.exit_code == 2
    assert "PNG has no place for integers of R8_UINT" in result.stderr
    assert not Path("i.png").exists()


def test_mips_slices_and_layers_are_chosen_and_their_loss_is_said() -> None:
    image = write("a.dds", "R8G8B8A8_UNORM", mips=2, array_size=3)
    said = convert("a.dds", "a.png")
    assert "only mip 0 of 2 is written; --mip chooses" in said
    assert "only slice 0 of 3 is written; --slice chooses" in said
    assert convert("a.dds", "b.png", "--mip", "1", "--slice", "2") == ""
    np.testing.assert_array_equal(pixels("b.png"), image.subresource(1, 2).reshape(2, 3, 4))
    convert("a.dds", "b.dds", "--slice", "1")
    assert (read("b.dds").slices, read("b.dds").mips) == (1, 2)
    volume = write("v.dds", "R8_UNORM", dimension=Dimension.TEXTURE3D, depth=3)
    assert "only layer 0 of 3 is written; --z chooses" in convert("v.dds", "v.png")
    convert("v.dds", "v.png", "--z", "2")
    np.testing.assert_array_equal(pixels("v.png"), volume.subresource()[2])
    for option in ("--mip", "--slice", "--z"):
        result = run("convert", "a.dds", "c.png", option, "9")
        assert (result.exit_code, Path("c.png").exists()) == (2, False)
        assert "found 9, wanted 0 to" in result.stderr


@pytest.mark.parametrize(
    ("format_", "facts", "shape", "dtype"),
    [
        ("R8G8B8A8_UNORM", {}, (4, 6, 4), "float32"),
        ("R32G32_UINT", {}, (4, 6, 2), "uint32"),
        ("R8_SINT", {}, (4, 6), "int32"),
        ("BC5_SNORM", {"array_size": 2}, (2, 4, 6, 2), "float32"),
        ("R16_FLOAT", {"dimension": Dimension.TEXTURE3D, "depth": 3}, (3, 4, 6), "float32"),
        ("R8_UNORM", {"dimension": Dimension.TEXTURE1D, "height": 1}, (6,), "float32"),
        ("BC6H_UF16", {"height": 6, "faces": FACE_NAMES}, (6, 6, 6, 3), "float32"),
        ("NV12", {}, (4, 6, 3), "float32"),
    ],
)
def test_numpy_files_hold_the_components(
    format_: str, facts: dict[str, Any], shape: tuple[int, ...], dtype: str
) -> None:
    data = bytes(1 << 10) if format_ == "R16_FLOAT" else None  # no signalling NaNs
    known = Shape(DXGI_FORMATS[format_], **({"dimension": Dimension.TEXTURE2D, "width": 6,
                                             "height": 4} | facts))  # fmt: skip
    data = data and data[: known.slices * slice_bytes(known)]
    image = write("a.dds", format_, data, **facts)
    convert("a.dds", "a.npy")
    found = np.load("a.npy")
    assert (found.shape, found.dtype) == (shape, dtype)
    whole = decoded_level(image)
    np.testing.assert_array_equal(
        found.ravel(), whole[..., : found.size // whole[..., 0].size].ravel()
    )


@pytest.mark.parametrize(
    ("array", "format_"),
    [
        (np.zeros((4, 6), np.uint8), "R8_UNORM"),
        (np.full((4, 6, 3), 5, np.uint8), "R8G8B8A8_UNORM"),
        (np.ones((4, 6, 2), np.int16), "R16G16_SNORM"),
        (np.ones((4, 6, 4), np.float16), "R16G16B16A16_FLOAT"),
        (np.ones((4, 6), np.float64), "R32_FLOAT"),
        (np.ones((4, 6, 4), np.uint32), "R32G32B32A32_UINT"),
        (np.ones((3, 4, 6, 1), np.int32), "R32_SINT"),
    ],
)
def test_arrays_become_the_format_of_their_dtype(array: np.ndarray, format_: str) -> None:
    np.save("a.npy", array)
    convert("a.npy", "a.dds")
    image = read("a.dds")
    assert (image.format.name, image.width, image.height) == (format_, 6, 4)
    values = decoded_level(image)
    if array.shape[-1] == 3:
        assert values[0, 0, 0, 0].tolist() == [np.float32(5 / 255)] * 3 + [1.0]


def test_arrays_become_cubes_and_volumes() -> None:
    np.save("a.npy", np.arange(6 * 4 * 4 * 1, dtype=np.uint8).reshape(6, 4, 4, 1))
    convert("a.npy", "a.dds", "--cube")
    assert (read("a.dds").faces, read("a.dds").slices) == (FACE_NAMES, 6)
    convert("a.npy", "b.dds", "--volume")
    assert (read("b.dds").dimension, read("b.dds").depth) == (Dimension.TEXTURE3D, 6)
    np.save("a.npy", np.zeros((5, 4, 4, 1), np.uint8))
    assert "wanted a multiple of 6" in run("convert", "a.npy", "c.dds", "--cube").stderr


@pytest.mark.parametrize(
    "array", [np.zeros((2, 2), bool), np.zeros(3, np.uint8), np.zeros((2, 2, 5), np.uint8),
              np.zeros((0, 3), np.uint8), np.zeros((2, 2), np.complex64)]
)  # fmt: skip
def test_other_arrays_are_refused(array: np.ndarray) -> None:
    np.save("a.npy", array)
    result = run("convert", "a.npy", "a.dds")
    assert (result.exit_code, Path("a.dds").exists()) == (2, False)
    assert "wanted (height, width)" in result.stderr


def test_raw_files_need_size_and_format() -> None:
    image = write("a.dds", "BC3_UNORM", width=8, height=8, mips=4, faces=FACE_NAMES)
    convert("a.dds", "a.raw")
    assert Path("a.raw").read_bytes() == image.data
    convert("a.raw", "b.dds", "--size", "8x8", "--view", "BC3_UNORM", "--mips", "4", "--slices",
            "6", "--cube")  # fmt: skip
    assert Path("b.dds").read_bytes() == Path("a.dds").read_bytes()
    for arguments, text in (
        ((), "of a raw one, --size must be given"),
        (("--size", "8x8"), "must be given with --view"),
        (("--size", "8by8", "--view", "BC3_UNORM"), "wanted WxH"),
        (("--size", "0x8", "--view", "BC3_UNORM"), "wanted WxH"),
        (("--size", "8x8", "--view", "BC3_UNORM"), "found 672 bytes of texels, wanted 64"),
        (("--size", "8x8", "--view", "BC3"), "there is no format"),
        (("--size", "8x8", "--view", "420_OPAQUE"), "has no texels"),
        (("--size", "8x8", "--view", "R8_UNORM", "--mips", "5"), "wanted at most 4"),
        (("--size", "8x8", "--view", "R8_UNORM", "--slices", "5", "--cube"), "multiple of 6"),
    ):
        result = run("convert", "a.raw", "c.dds", *arguments)
        assert (result.exit_code, Path("c.dds").exists()) == (2, False)
        assert text in result.stderr


def test_formats_are_converted_in_all_subresources() -> None:
    write("a.dds", "BC1_UNORM", mips=3, array_size=2)
    convert("a.dds", "b.dds", "--format", "B8G8R8A8_UNORM")
    image = read("b.dds")
    assert (image.format.name, image.mips, image.slices) == ("B8G8R8A8_UNORM", 3, 2)
    convert("b.dds", "c.dds", "--format", "DXGI_FORMAT_BC3_UNORM")
    assert read("c.dds").format.name == "BC3_UNORM"
    result = run("convert", "b.dds", "d.dds", "--format", "BC7_UNORM")
    assert (result.exit_code, Path("d.dds").exists()) == (2, False)
    assert "BC1 to BC5 can be written" in result.stderr


def test_headers_are_chosen() -> None:
    image = write("a.dds", "B8G8R8A8_UNORM")
    convert("a.dds", "b.dds", "--header", "legacy")
    assert read("b.dds").format.name == "A8R8G8B8"
    convert("b.dds", "c.dds")
    assert Path("c.dds").read_bytes() == Path("b.dds").read_bytes()
    convert("b.dds", "d.dds", "--header", "dx10")
    assert Path("d.dds").read_bytes() == Path("a.dds").read_bytes()
    assert read("d.dds").shape == image.shape
    write("e.dds", "R8_UINT")
    result = run("convert", "e.dds", "f.dds", "--header", "legacy")
    assert "R8_UINT needs a header of Direct3D 10" in result.stderr


def test_typeless_formats_want_a_view() -> None:
    write("a.dds", "R8G8B8A8_TYPELESS")
    result = run("convert", "a.dds", "a.png")
    assert (result.exit_code, Path("a.png").exists()) == (2, False)
    assert "has no component type" in result.stderr
    convert("a.dds", "a.png", "--view", "R8G8B8A8_UNORM")
    assert pixels("a.png").shape == (4, 6, 4)
    convert("a.dds", "b.dds")  # to the same format
    assert read("b.dds").format.name == "R8G8B8A8_TYPELESS"


def test_odd_files_warn_or_are_refused() -> None:
    image = write("a.dds", "DXT1", width=8, height=8)
    data = bytearray(Path("a.dds").read_bytes())
    data[4] = 24
    Path("a.dds").write_bytes(data)
    assert "warning: header size: found 24, wanted 124 (byte offset 0x4)" in convert(
        "a.dds", "b.dds", "--header", "legacy"
    )
    assert read("b.dds").data == image.data
    result = run("convert", "a.dds", "c.dds", "--strict")
    assert (result.exit_code, Path("c.dds").exists()) == (2, False)
    assert "header size: found 24" in result.stderr


def test_standard_streams_and_names_without_a_suffix() -> None:
    write("a.dds", "R8G8B8A8_UNORM")
    data = Path("a.dds").read_bytes()
    result = run("convert", "-", "-", "--to", "png", stdin=data)
    assert result.exit_code == 0
    assert result.stdout_bytes.startswith(b"\x89PNG")
    result = run("convert", "a.dds", "a.tga")
    assert (result.exit_code, Path("a.tga").exists()) == (2, False)
    assert "give --to" in result.output
    assert run("convert", "gone.dds", "a.png").exit_code == 2


@pytest.mark.parametrize("cut", [0, 8, 30, 60, -1])
def test_damaged_files_of_others_are_refused(cut: int) -> None:
    write("a.dds", "R8G8B8A8_UNORM", width=64, height=64)
    convert("a.dds", "a.png")
    convert("a.dds", "a.npy")
    for name in ("a.png", "a.npy"):
        Path(name).write_bytes(Path(name).read_bytes()[:cut])
        Path("b.dds").unlink(missing_ok=True)
        result = run("convert", name, "b.dds")
        is_read = result.exit_code == 0 and name == "a.png" and cut == -1  # the end matters little
        assert is_read or (result.exit_code == 2 and not Path("b.dds").exists()), result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mips", "3"], "--mips and --slices are of raw files"),
        (["--bits", "16"], "--bits is for PNG files"),
    ],
)
def test_options_that_do_not_apply_are_refused(options: list[str], message: str) -> None:
    np.save("a.npy", np.zeros((4, 4, 4), np.uint8))
    result = run("convert", "a.npy", "a.dds", *options)
    assert (result.exit_code, Path("a.dds").exists()) == (2, False)
    assert message in result.stderr


def test_faces_are_square() -> None:
    np.save("a.npy", np.zeros((6, 8, 16, 4), np.uint8))
    result = run("convert", "a.npy", "a.dds", "--cube")
    assert result.exit_code == 2
    assert "faces of a cube are square, found 16 x 8 texels" in result.stderr


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(picture_files, "import_module", missing)
    write("a.dds", "R16G16B16A16_FLOAT", bytes(192))
    result = run("convert", "a.dds", "a.exr")
    assert (result.exit_code, Path("a.exr").exists()) == (2, False)
    assert "EXR files are written by OpenEXR" in result.stderr
    assert "pip install openexr" in result.stderr
    assert convert("a.dds", "a.png") == ""  # is written without Pillow
    result = run("convert", "a.png", "b.dds")
    assert "PNG files are read by Pillow" in result.stderr
    assert "pip install pillow" in result.stderr


def test_exr_files_hold_linear_numbers() -> None:
    pytest.importorskip("OpenEXR")
    halves = np.random.default_rng(1).random((4, 6, 4)).astype(np.float16)
    image = write("a.dds", "R16G16B16A16_FLOAT", halves.tobytes())
    convert("a.dds", "a.exr")
    convert("a.exr", "b.dds")
    assert (read("b.dds").shape, read("b.dds").data) == (image.shape, image.data)
    image = write("a.dds", "R32_FLOAT", halves[..., 0].astype(np.float32).tobytes())
    convert("a.dds", "a.exr")
    convert("a.exr", "b.dds")
    assert (read("b.dds").shape, read("b.dds").data) == (image.shape, image.data)
    write("a.dds", "R8G8B8A8_UNORM_SRGB")
    convert("a.dds", "a.exr")
    convert("a.exr", "b.dds", "--format", "R8G8B8A8_UNORM_SRGB")
    assert read("b.dds").data == read("a.dds").data
    Path("a.exr").write_bytes(Path("a.exr").read_bytes()[:50])
    assert "no EXR file that can be read" in run("convert", "a.exr", "c.dds").stderr


# -- softd3d info ------------------------------------------------------------------------------


def test_info_tells_what_a_texture_is() -> None:
    write("a.dds", "DXT5", width=8, height=8, mips=4, faces=FACE_NAMES)
    result = run("info", "a.dds")
    assert result.exit_code == 0
    for text in ("a.dds: DDS texture", "8 x 8, 4 mips", "+X -X +Y -Y +Z -Z", "BC3_UNORM"):
        assert text in result.output
    (found,) = json.loads(run("info", "--json", "a.dds").output)
    texture = found["texture"]
    assert (texture["slices"], texture["mips"], texture["warnings"]) == (6, 4, [])
    assert [level["bytes"] for level in texture["levels"]] == [64, 16, 16, 16]


def test_info_shows_warnings_and_is_strict_if_asked() -> None:
    write("a.dds", "DXT1", width=8, height=8)
    data = bytearray(Path("a.dds").read_bytes())
    data[28] = 9
    Path("a.dds").write_bytes(data + bytes(24))
    result = run("info", "a.dds")
    assert result.exit_code == 0
    assert (
        "warning   mip_count: mips: found 9, wanted at most 4 (byte offset 0x1c)" in result.output
    )
    result = run("info", "--strict", "a.dds")
    assert result.exit_code == 2
    assert "mips: found 9" in result.stderr


def test_a_texture_is_no_shader() -> None:
    write("a.dds", "R8_UNORM")
    result = run("dis", "a.dds")
    assert result.exit_code == 2
    assert "not a shader: the input starts with b'DDS '" in result.stderr
