"""`softd3d demo`, on a small picture; and PNG files, read by another program's reader."""

from __future__ import annotations

import io

import numpy as np
import pytest

from softd3d.cli.png import png_bytes
from softd3d.cli.verbs import demo

image = pytest.importorskip("PIL.Image")


def test_demo_shows_that_both_engines_agree(cli, library, monkeypatch):
    monkeypatch.setattr(demo, "_WIDTH", 96)
    monkeypatch.setattr(demo, "_HEIGHT", 64)
    monkeypatch.setattr(demo, "_ITERATIONS", 40)
    result = cli("demo", "--image", "out.png")
    assert (result.exit_code, result.stderr) == (0, "")
    for text in (
        "    atomic_cmp_store u0, vThreadID.x, r0.y, r0.x\n",
        "Its exact listing, assembled again: the same 672 bytes.",
        "    PASS  jit          u0 128 bytes, u1 64 bytes\n",
        "    PASS  interpreter  u0 128 bytes, u1 64 bytes\n",
        "    the same in every pixel\n",
    ):
        assert text in result.stdout
    with image.open(library / "out.png") as picture:
        pixels = np.asarray(picture)
    assert pixels.shape == (64, 96, 3)
    inside = (pixels == 0).all(axis=2)
    assert inside[32, 60]  # c = -0.2, in the set
    assert not inside[0, 0]
    # The set is symmetric about the real axis; rounded coordinates are nearly so.
    assert np.mean(inside[1:] != inside[:0:-1]) < 0.02


def test_the_demo_fits_a_screen(cli, monkeypatch):
    monkeypatch.setattr(demo, "_WIDTH", 32)
    monkeypatch.setattr(demo, "_HEIGHT", 8)
    lines = cli("demo").stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


def test_a_picture_that_cannot_be_written_is_named(cli, monkeypatch):
    monkeypatch.setattr(demo, "_WIDTH", 32)
    monkeypatch.setattr(demo, "_HEIGHT", 8)
    result = cli("demo", "--image", "none/out.png")
    assert (result.exit_code, result.stderr) == (
        2,
        "softd3d: none/out.png: No such file or directory\n",
    )


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (64, 33)])
def test_png_keeps_every_pixel(shape):
    pixels = np.random.default_rng(1).integers(0, 256, (*shape, 3), np.uint8)
    with image.open(io.BytesIO(png_bytes(pixels))) as picture:
        assert picture.mode == "RGB"
        assert np.array_equal(np.asarray(picture), pixels)
