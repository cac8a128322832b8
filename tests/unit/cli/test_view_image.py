"""`softd3d view-image`: pictures of depth and stencil buffers, looked at with Pillow."""

from __future__ import annotations

import io

import numpy as np
import pytest

PIL = pytest.importorskip("PIL.Image")


def picture(path_or_bytes) -> np.ndarray:
    with PIL.open(path_or_bytes) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        return np.asarray(image)


def view(cli, array, format_, *options):
    np.save("in.npy", array)
    result = cli("view-image", "in.npy", "--format", format_, "-o", "out.png", *options)
    assert result.exit_code == 0, result.output
    return picture("out.png"), result.stderr


def test_depth_from_black_to_white(cli):
    codes = np.array([[0x800000, 0x880000, 0x900000]], np.uint32)
    found, text = view(cli, codes << 8 | 0xFF, "D24S8")
    assert found.tolist() == [[[0] * 3, [128] * 3, [255] * 3]]
    assert text == "depth 0.50000003 to 0.562500034, 3 x 1 texels\n"


def test_stencil(cli):
    texels = np.array([[0xAB000002], [0xCD000006], [4]], np.uint32)
    found, text = view(cli, texels, "D24S8", "--channel", "stencil")
    assert found[:, 0, 0].tolist() == [0, 255, 128]
    assert text == "stencil 2 to 6, 1 x 3 texels\n"
    found, text = view(cli, np.array([[1, 3]], np.uint8), "85")  # there is no other channel
    assert text.startswith("stencil 1 to 3")


def test_a_given_range_clamps(cli):
    numbers = np.array([[-1, 0, 0.5, 1, 2]], np.float32)
    found, text = view(cli, numbers, "D32F_LOCKABLE", "--range", "0,1")
    assert found[0, :, 0].tolist() == [0, 0, 128, 255, 255]
    assert text == "depth 0 to 1, 5 x 1 texels\n"


def test_nan_and_infinity(cli):
    numbers = np.array([[np.nan, -np.inf, 1, 3, np.inf]], np.float32)
    found, text = view(cli, numbers, "D32F_LOCKABLE")
    assert found[0, 0].tolist() == [255, 0, 255]
    assert found[0, 1:, 0].tolist() == [0, 0, 255, 255]
    assert text == "depth 1 to 3, 5 x 1 texels, 3 of them not finite\n"


@pytest.mark.parametrize(
    ("number", "wanted", "text"),
    [(0.25, 64, "0 to 1"), (4.0, 255, "0 to 4"), (-1.0, 0, "-1 to 1"), (np.nan, 255, "0 to 1")],
)
def test_where_all_numbers_are_equal(cli, number, wanted, text):
    found, said = view(cli, np.full((2, 3), number, np.float32), "D32F_LOCKABLE")
    assert (found[..., 0] == wanted).all()
    assert found.shape == (2, 3, 3)
    assert f"depth {text}," in said


def test_the_colour_map_gets_lighter_all_the_way(cli):
    found, _ = view(cli, np.arange(256, dtype=np.uint16)[None], "D16", "--map", "color")
    luminance = found[0] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance) > 0).all()
    assert np.unique(found[0], axis=0).shape == (256, 3)


def test_large_pictures_and_standard_output(cli):
    y, x = np.mgrid[:300, :500]
    np.save("in.npy", (x * 100 + y).astype(np.uint16))
    result = cli("view-image", "in.npy", "--format", "D16", "-o", "-")
    found = picture(io.BytesIO(result.stdout_bytes))
    assert found.shape == (300, 500, 3)
    assert (np.diff(found[..., 0].astype(int), axis=1) >= 0).all()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--format", "D24X8", "--channel", "stencil"], "D24X8 has no stencil channel"),
        (["--format", "D16"], "found uint32 of shape (2 x 2), wanted uint16"),
        (["--format", "R8_UNORM"], "there is no depth-stencil format 'R8_UNORM'"),
        (["--format", "D24S8", "--range", "1,0"], "--range: found '1,0', wanted LOW,HIGH"),
        (["--format", "D24S8", "--range", "nan,1"], "wanted LOW,HIGH"),
        (["--format", "D24S8", "--range", "0,inf"], "wanted LOW,HIGH"),
        (["--format", "D24S8", "--range", "0"], "wanted LOW,HIGH"),
    ],
)
def test_what_goes_wrong(cli, arguments, text):
    np.save("in.npy", np.zeros((2, 2), np.uint32))
    result = cli("view-image", "in.npy", "-o", "out.png", *arguments)
    assert result.exit_code == 2
    assert text in result.stderr
