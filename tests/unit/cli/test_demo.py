"""`softd3d demo`, on a small picture; and PNG files, read by another program's reader."""

from __future__ import annotations

import io

import numpy as np
import pytest

from softd3d.cli.png import png_bytes
from softd3d.cli.verbs import demo, demo_scene

image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def small_scene(monkeypatch):
    monkeypatch.setattr(demo_scene, "WIDTH", 64)
    monkeypatch.setattr(demo_scene, "HEIGHT", 36)


def test_demo_shows_that_both_engines_agree(cli, library, monkeypatch):
    monkeypatch.setattr(demo, "_WIDTH", 96)
    monkeypatch.setattr(demo, "_HEIGHT", 64)
    monkeypatch.setattr(demo, "_ITERATIONS", 40)
    result = cli("demo", "--scene", "scene.png", "--image", "out.png")
    assert (result.exit_code, result.stderr) == (0, "")
    with image.open(library / "scene.png") as picture:
        scene = np.asarray(picture)
    assert scene.shape == (36, 64, 3)
    blue_sky, white_sphere = scene[2, 2].astype(int), scene[12, 32].astype(int)
    assert blue_sky[2] > blue_sky[0] + 20
    assert white_sphere.min() > 120
    for text in (
        "    atomic_cmp_store u0, vThreadID.x, r0.y, r0.x\n",
        "Its exact listing, assembled again: the same 672 bytes.",
        "    PASS  jit          u0 128 bytes, u1 64 bytes\n",
        "    PASS  interpreter  u0 128 bytes, u1 64 bytes\n",
    ):
        assert text in result.stdout
    assert result.stdout.count("    the same in every pixel\n") == 2
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
    assert len(lines) <= 48
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("option", ["--scene", "--image"])
def test_a_picture_that_cannot_be_written_is_named(cli, option):
    result = cli("demo", option, "none/out.png")
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
