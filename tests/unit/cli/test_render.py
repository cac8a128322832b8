"""`softd3d render`: pictures and animations of a shipped shader, and errors."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import softd3d
from softd3d.cli import png
from softd3d.cli.png import apng_bytes, png_bytes
from softd3d.cli.render_arguments import size_of, sweep_of
from softd3d.cli.verbs import render_picture
from softd3d.container.assembly.containers import assemble
from softd3d.errors import ResourceError
from softd3d.samples import sample

image = pytest.importorskip("PIL.Image")
SHADER = "draw_scene.ps_5_0.dxbc"
FAST = "--engine", "interpreter", "--size", "12x8"


@pytest.fixture
def render(cli):
    """Run `softd3d render` on the shipped pixel shader, on the engine that starts at once."""

    def run(*arguments):
        return cli("render", SHADER, *FAST, *arguments)

    return run


def pixels(path):
    with image.open(path) as picture:
        return np.asarray(picture)


def test_a_picture_is_drawn_and_what_was_chosen_is_said(render, library):
    result = render("-o", "out.png", "--constants", "fog=[1,0,0]", "--mesh", "sphere")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[:3] == [
        "POSITION0 gets the position",
        "NORMAL0 gets the normal",
        "TEXCOORD0 gets u, v, 0, 1",
    ]
    assert result.stdout.splitlines()[-1] == "written to out.png"
    assert pixels(library / "out.png").shape == (8, 12, 3)


def test_a_hint_says_how_a_stripped_shader_gets_its_constants(cli, library):
    code = ["// Input signature:", "// no Input", "//", "// Output signature:",
            "// SV_Target 0 xyzw 0 TARGET float xyzw", "ps_5_0",
            "dcl_constantbuffer CB0[3], immediateIndexed", "dcl_output o0.xyzw",
            "mov o0.xyzw, cb0[2].xyzw", "ret"]  # fmt: skip
    (library / "bare.dxbc").write_bytes(softd3d.assemble("\n".join(code)))
    words = "render", "bare.dxbc", *FAST, "-o", "out.png"
    hint = "constants that are 0: b0[2] (set one with --constants 'b0[2]=[1,1,1,1]')"
    assert hint in cli(*words).stdout.splitlines()
    assert "that are 0" not in cli(*words, "--constants", "b0[2]=[1,1,1,1]").stdout


def test_constants_may_come_from_a_file(render, library):
    (library / "scene.json").write_text(
        json.dumps({"Scene": {"fog": [0, 1, 0]}, "eye": [0, 0, -999]})
    )
    render("-o", "out.png", "--constants", "scene.json")
    assert (pixels(library / "out.png") == (0, 255, 0)).all()  # it is far away
    render("-o", "out.png", "--constants", "scene.json", "--constants", "fog=[0,0,1]")
    assert (pixels(library / "out.png") == (0, 0, 255)).all()


def test_textures_are_read_from_pictures_and_get_mips(render, library):
    (library / "red.png").write_bytes(png_bytes(np.full((64, 64, 3), (255, 0, 0), np.uint8)))
    spheres = [[0, 0, 9, 1]] * 7  # behind the quad
    light = "--constants", "light=[0.96,0,-0.28]", "--constants", f"spheres={spheres}"
    assert render("-o", "out.png", "--texture", "tiles=red.png", *light).exit_code == 0
    found = pixels(library / "out.png")[4, 6]
    assert found[0] > 100 > found[1]


@pytest.mark.parametrize("name", ["out.png", "out.gif"])
def test_a_sweep_is_an_animation(render, library, name):
    far = "--constants", "eye=[0,0,-999]"
    result = render("-o", name, "--sweep", "fog=[0,0,0]:[1,0,0]:3", "--rate", "10", *far)
    assert (result.exit_code, result.stderr) == (0, "")
    with image.open(library / name) as picture:
        assert (picture.n_frames, picture.info["duration"]) == (3, 100)
        reds = []
        for n in range(3):
            picture.seek(n)
            reds.append(np.asarray(picture.convert("RGB"))[0, 0, 0])
    assert reds == [0, 128, 255]


@pytest.mark.parametrize(
    ("arguments", "unit", "steps"),
    [((), "parts", [(1, 1)]), (("--sweep", "fog=[0,0,0]:[1,0,0]:3"), "frames", [(1, 3), (2, 3)])],
)
def test_who_waits_is_told_of_frames_or_of_parts_of_one(
    render, monkeypatch, arguments, unit, steps
):
    told = []

    @contextmanager
    def bar(*words):
        told.append(words)
        yield lambda *step: told.append(step)

    monkeypatch.setattr(render_picture, "progress_bar", bar)
    assert render("-o", "out.png", *arguments).exit_code == 0
    assert told == [("drawing", unit), *steps]


def test_numbers_can_be_had_as_they_are(render, library):
    render("-o", "out.npy", "--constants", "fog=[7,0,0]", "--constants", "eye=[0,0,-999]")
    colors = np.load(library / "out.npy")
    assert (colors.dtype, colors.shape) == (np.float32, (8, 12, 4))
    assert (colors[..., 0] == 7).all()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("-o", "out.jpg"), "out.jpg: found no suffix of .png, .gif, .npy"),
        (("-o", "out.npy", "--sweep", "eye=0:1:2"), "--sweep makes .png and .gif files, not .npy"),
        (("-o", SHADER + ".png", "--size", "4"), "--size: found '4', wanted WxH such as 640x360"),
        (("-o", "a.png", "--size", "4096x4096", "--samples", "16"),
         "--size: found 4096x4096 with --samples 16, which needs 4 GiB, wanted at most 2 GiB"),
        (("-o", "a.png", "--size", "100000x1"),
         "--size: found 100000x1, wanted 1 to 16384 for width and height"),
        (("-o", "no/out.png"), "no/out.png: No such file or directory"),
        (("-o", "a.png", "--constants", "fog=red"), "--constants fog: found 'red', wanted"),
        (("-o", "a.png", "--constants", "fog"),
         "--constants: found 'fog', wanted NAME=VALUE or the name of a JSON file"),
        (("-o", "a.png", "--constants", "mist=1"), "constants: the shader has no 'mist'"),
        (("-o", "a.png", "--texture", "tiles=no.dds"), "no.dds: No such file or directory"),
        (("-o", "a.png", "--texture", f"tiles={SHADER}"), "found no DDS, PNG, NumPy or EXR file"),
        (("-o", "a.png", "--texture", "bricks=none"), "--texture: the shader has no 'bricks'"),
        (("-o", "a.png", "--texture", "none"), "--texture: found 'none', wanted KEY=VALUE"),
        (("-o", "a.png", "--sampler", "x"), "--sampler: found 'x', wanted KEY=VALUE"),
        (("-o", "a.png", "--sampler", "9=MIN_MAG_MIP_POINT"), "--sampler: the shader has no s9"),
        (("-o", "a.png", "--sweep", "fog=0:1:5"),
         "found shape (), wanted (3,); for a vector, FROM and TO are lists such as fog=[0,0]"),
        (("-o", "a.png", "--sweep", "fog=1:2"), "wanted NAME=FROM:TO:COUNT such as time=0:1:30"),
        (("-o", "a.png", "--sweep", "fog=1:2:1001"), "found 1001 frames, wanted 1 to 1000"),
        (("-o", "a.png", "--size", "9000x9000", "--sweep", "fog=1:2:9"),
         "found 9 frames of 9000 x 9000 pixels, wanted at most 268435456 pixels together"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(render, arguments, text):
    result = render(*arguments)
    assert result.exit_code == 2
    assert text in result.stderr.replace("\n", " ")


def test_shaders_of_other_stages_come_in_any_order(render, library):
    """Those of the demo's spheres, with what their vertex shader is fed by names."""
    for stage in ("vs", "hs", "ds"):
        text = sample(f"draw_patches.{stage}_5_0.asm").read_text(encoding="utf-8")
        (library / f"{stage}.dxbc").write_bytes(assemble(text))
    result = render("ds.dxbc", "vs.dxbc", "hs.dxbc", "-o", "out.png", "--mesh", "cube")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "POSITION0 gets the position\n" in result.stdout
    assert pixels(library / "out.png").shape == (8, 12, 3)
    result = render("ds.dxbc", "-o", "out.png")
    assert result.exit_code == 2
    assert "domain shader: found one without a hull shader" in result.stderr
    result = render("hs.dxbc", "hs.dxbc", "-o", "out.png")
    assert result.stderr.endswith("found two hull shaders, wanted one of each stage\n")


def test_a_second_pixel_shader_is_refused(render):
    result = render(SHADER, "-o", "out.png")
    assert result.exit_code == 2
    assert "found a pixel shader (ps_5_0) behind the pixel shader, wanted a vertex" in result.stderr


def test_wrong_json_is_named_with_file_line_and_column(render, library):
    (library / "bad.json").write_text('{"fog": [1, 0, 0],\n "eye": [1,]}')
    result = render("-o", "a.png", "--constants", "bad.json")
    assert result.exit_code == 2
    assert "no JSON: " in result.stderr
    assert "bad.json, line 2:" in result.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("draw_scene.vs_5_0.dxbc", "ps: found a vertex shader (vs_5_0), wanted a pixel shader"),
        ("draw_scene.hlsl", "HLSL"),
    ],
)
def test_what_is_no_pixel_shader_is_named(cli, name, text):
    result = cli("render", name, "-o", "out.png")
    assert result.exit_code == 2
    assert text in result.stderr


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n=0:4:3", [0, 2, 4]),
        ("n=0:1:3", [0.0, 0.5, 1.0]),
        ("n=[0,1]:[2,3]:2", [[0, 1], [2, 3]]),
        ("n=5:9:1", [5]),
    ],
)
def test_sweeps_keep_whole_numbers_where_they_can(text, values):
    found = sweep_of(text).values
    assert found == values
    assert str(found) == str(values)


@pytest.mark.parametrize("text", ["=1:2:3", "n=1:2:0", "n=1:[2]:3", "n=1:x:3", "n=true:1:2"])
def test_other_sweeps_are_refused(text):
    with pytest.raises(ResourceError, match="--sweep"):
        sweep_of(text)


@pytest.mark.parametrize("text", ["", "12", "1x2x3", "axb", "-1x2"])
def test_other_sizes_are_refused(text):
    with pytest.raises(ResourceError, match="wanted WxH such as 640x360"):
        size_of(text)


def test_a_picture_is_compressed_in_bands_that_an_interrupt_can_end(monkeypatch):
    picture = np.random.default_rng(5).integers(0, 9, (40, 30, 3), np.uint8)
    whole = png_bytes(picture)
    monkeypatch.setattr(png, "_BAND_BYTES", 1)
    assert png_bytes(picture) == whole


def test_animated_png_keeps_every_pixel(tmp_path):
    frames = list(np.random.default_rng(3).integers(0, 256, (4, 5, 7, 4), np.uint8))
    path = tmp_path / "a.png"
    path.write_bytes(apng_bytes(frames, 25))
    with image.open(path) as picture:
        for n, frame in enumerate(frames):
            picture.seek(n)
            assert np.array_equal(np.asarray(picture), frame)


PICTURES = Path(__file__).parents[1] / "device/effects9/data/pictures"


def test_a_technique_of_an_effect_is_drawn(cli, library):
    words = "render", str(PICTURES / "plasma.47.fxo"), "--size", "12x8", "--engine", "interpreter"
    result = cli(*words, "-o", "out.png", "--technique", "Plasma", "--constants", "Time=0.5")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "technique Plasma, passes P"
    assert pixels(library / "out.png").shape == (8, 12, 3)
    assert cli(*words, "-o", "out.npy").exit_code == 0
    assert np.load(library / "out.npy").shape == (8, 12, 4)
    result = cli(*words, "-o", "sweep.gif", "--sweep", "Time=0:1:3")
    assert result.exit_code == 0
    with image.open(library / "sweep.gif") as picture:
        assert picture.n_frames == 3


def test_files_become_textures_of_an_effect(cli, library):
    image.new("RGBA", (4, 4), (0, 255, 0, 255)).save(library / "green.png")
    words = "render", str(PICTURES / "choice.47.fxo"), "--size", "6x4", "--engine", "interpreter"
    result = cli(*words, "-o", "out.png", "--texture", "One=green.png", "--constants", "Quality=0")
    assert result.exit_code == 0
    assert (pixels(library / "out.png") == (0, 255, 0)).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--technique", "no"), "no technique 'no', wanted one of Plasma"),
        (("--sampler", "0=POINT"), "found --sampler with an effect"),
        (("--constants", "Time=[1,2]"), "Time: shape (2,), wanted ()"),
        (("--sweep", "Time=[1,2]:[2,3]:3"), "Time: shape (2,), wanted ()"),
        (("--texture", "x"), "--texture: found 'x', wanted NAME=FILE"),
        (("--constants", "no=1"), "no parameter 'no'"),
    ],
)
def test_what_does_not_fit_an_effect_is_refused(cli, library, words, message):
    result = cli("render", str(PICTURES / "plasma.47.fxo"), "-o", "out.png", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (library / "out.png").exists()


def test_a_technique_without_an_effect_is_wrong_usage(render):
    assert render("-o", "out.png", "--technique", "T").exit_code == 2
