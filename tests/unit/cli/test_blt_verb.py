"""`softd3d blt`: arrays in, an array out, and what goes wrong."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from softd3d.formats.depth_stencil import DEPTH_STENCIL_FORMATS, Readings

TO_FLOAT = ["--from", "D24S8", "--to", "D32F_LOCKABLE", "-o", "out.npy"]
TO_STENCIL = ["--from", "D24S8", "--to", "S8_LOCKABLE", "-o", "out.npy"]


@pytest.fixture
def packed(library: Path) -> np.ndarray:
    """Texels in packed.npy."""
    texels = np.array([[0x00000001, 0x80000002], [0xFFFFFF03, 0x40000004]], np.uint32)
    np.save("packed.npy", texels)
    return texels


def test_depth_and_stencil_are_read_back(cli, packed):
    result = cli("blt", "packed.npy", "zeros:2x2:float32", *TO_FLOAT)
    assert (result.exit_code, result.output) == (0, "")
    codes = packed >> 8
    np.testing.assert_array_equal(np.load("out.npy"), (codes / 0xFFFFFF).astype(np.float32))
    assert cli("blt", "packed.npy", "zeros:2x2:uint8", *TO_STENCIL).exit_code == 0
    assert np.load("out.npy").tolist() == [[1, 2], [3, 4]]


def test_a_rectangle_goes_to_a_point_and_the_rest_stays(cli, packed):
    np.save("there.npy", np.full((3, 4), 9, np.uint8))
    options = ["--source-rect", "1,0,2,2", "--point", "3,1"]
    assert cli("blt", "packed.npy", "there.npy", *TO_STENCIL, *options).exit_code == 0
    assert np.load("out.npy").tolist() == [[9, 9, 9, 9], [9, 9, 9, 2], [9, 9, 9, 4]]
    assert np.load("there.npy").tolist() == [[9] * 4] * 3  # the input is not written


def test_formats_by_number_and_standard_output(cli, packed):
    result = cli("blt", "packed.npy", "zeros:2x2:uint32", "--from", "75", "--to", "84", "-o", "-")
    assert np.load(io.BytesIO(result.stdout_bytes))[1, 0] == 0xFFFFFFFF


def test_readings(cli, packed):
    np.save("half.npy", np.full((1, 1), 0.5, np.float32))
    for readings, wanted in (
        ([], 0x80000000), (["--reading", "product=truncate"], 0x7FFFFFFF),
    ):  # fmt: skip
        arguments = ["--from", "D32F_LOCKABLE", "--to", "D32", "-o", "out.npy", *readings]
        assert cli("blt", "half.npy", "zeros:1x1:uint32", *arguments).exit_code == 0
        assert np.load("out.npy").item() == wanted
    for engine in ("jit", "interpreter"):
        arguments = ["--from", "D24S8", "--to", "S8D24", "-o", "out.npy", "--engine", engine]
        arguments += ["--reading", "pairs=all"]
        assert cli("blt", "packed.npy", "zeros:2x2:uint32", *arguments).exit_code == 0
        assert np.load("out.npy")[1, 0] == 0x03FFFFFF


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["none.npy", "zeros:2x2:float32", *TO_FLOAT], "none.npy: No such file"),
        (["packed.npy", "zeros:2x2:uint16", *TO_FLOAT],
         "zeros:2x2:uint16: Surface of D32F_LOCKABLE: found uint16 of shape (2 x 2), wanted"),
        (["packed.npy", "zeros:2x1:float32", *TO_FLOAT], "is not inside the surface of 1 x 2"),
        (["packed.npy", "none", *TO_FLOAT], "none: found 'none', wanted FILE.npy or zeros"),
        (["packed.npy", "zeros:2x2:float32:R32_FLOAT", *TO_FLOAT], "wanted FILE.npy or zeros"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "--to", "D33"], "no depth-stencil format"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "--from", "74123"], "format number 74123"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "--source-rect", "1,2"],
         "--source-rect: found '1,2', wanted 4 integers"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "--point", "x,0"], "--point: found"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "--reading", "product"],
         "--reading: found 'product', wanted NAME=WORD"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "--reading", "product=up"],
         "reading product: found 'up', wanted nearest, truncate or binary32"),
        (["packed.npy", "zeros:2x2:uint32", *TO_FLOAT, "--to", "D24X8"],
         "D24S8 to D24X8 is refused: both are opaque"),
        (["packed.npy", "zeros:2x2:float32", *TO_FLOAT, "-o", "no/such/out.npy"], "No such file"),
    ],
)  # fmt: skip
def test_what_goes_wrong(cli, packed, arguments, text):
    result = cli("blt", *arguments)
    assert result.exit_code == 2
    assert text in result.stderr
    assert not Path("out.npy").exists()


def test_the_help_lists_readings_and_formats(cli):
    text = cli("blt", "--help").output
    for name, words in Readings.choices().items():
        assert f"{name} = {' | '.join(words)}" in text
    for name in DEPTH_STENCIL_FORMATS:
        assert name in text
