"""`softd3d run` of draw cases: where a target differs, and its picture."""

from __future__ import annotations

import io
import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.cli.difference_picture import Panel, difference_picture
from softd3d.device.draws.case_places import place_of
from softd3d.device.draws.case_streams import stream_output
from softd3d.device.verdict import run_case
from softd3d.errors import ResourceError, ShaderError
from softd3d.resources.cases.comparison import Mismatch, RuleType
from softd3d.resources.cases.file import read_case
from softd3d.resources.cases.json import Entry
from softd3d.resources.textures.texture import Texture2DMS, Texture2DMSArray


@pytest.fixture
def case(shared: Path, tmp_path: Path) -> Path:
    """A small case of our own, copied so that it can be changed."""
    source = shared / "samples/pipeline"
    paths = sorted((source / "cases").glob("*.json"))
    original = next(path for path in paths if _is_small(json.loads(path.read_bytes())))
    entry = json.loads(original.read_bytes())
    (tmp_path / "cases").mkdir()
    names = [*entry["shaders"].values(), entry["outputs"][0]["expected"]]
    names += [part["file"] for part in entry["vertex_buffers"]]
    for name in names:
        shutil.copy(source / name, tmp_path / name)
    path = tmp_path / "cases/one.json"
    path.write_text(json.dumps(entry))
    return path


def _is_small(entry: dict[str, Any]) -> bool:
    targets = entry.get("render_targets") or []
    return (
        set(entry["shaders"]) == {"vs", "ps"} and len(targets) == 1 and "draw" in entry
        and targets[0]["format"] == "R32G32B32A32_FLOAT" and len(entry["outputs"]) == 1
        and entry["viewport"].get("samples", 1) == 1 and not entry["bindings"]
        and not entry["depth"] and not entry["stream_output"] and not entry["index_buffer"]
    )  # fmt: skip


def change(path: Path, **entries: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


def spoil(path: Path) -> int:
    """Make the green of pixel (3, 2) another than expected."""
    entry = json.loads(path.read_text())
    expected = path.parent.parent / entry["outputs"][0]["expected"]
    words = np.fromfile(expected, np.float32)
    width = entry["viewport"]["w"]
    words[(2 * width + 3) * 4 + 1] += 1
    words.tofile(expected)
    return (2 * width + 3) * 4 + 1


def test_a_draw_case_passes(cli, case):
    result = cli("run", str(case), "--engine", "interpreter")
    assert result.exit_code == 0
    assert result.stdout.startswith("PASS  ")


def test_a_target_that_differs_is_named_with_its_pixel(cli, case):
    at = spoil(case)
    result = cli("run", str(case), "--engine", "interpreter")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "rt0: 1 of " in lines[1]
    assert lines[2].strip().startswith(f"pixel (3, 2), green: dword {at}: expected ")


def test_the_difference_is_a_picture(cli, case, tmp_path):
    picture = tmp_path / "difference.png"
    words = "run", str(case), "--engine", "interpreter", "--difference", str(picture)
    result = cli(*words)
    assert (result.exit_code, picture.exists()) == (0, False)
    assert "no render target differs: " in result.stderr
    spoil(case)
    result = cli(*words)
    assert result.exit_code == 1
    assert ", rt0, each as wanted, as found, and the difference: written to" in result.stderr
    data = picture.read_bytes()
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    entry = json.loads(case.read_text())["viewport"]
    factor = -(-256 // entry["w"])
    assert (width, height) == (3 * factor * entry["w"] + 16, factor * entry["h"])
    assert zlib.crc32(data[12:29]) == int.from_bytes(data[29:33], "big")


def test_a_picture_of_a_run_before_does_not_stay(cli, case, tmp_path):
    picture = tmp_path / "difference.png"
    picture.write_text("old")
    result = cli("run", str(case), "--engine", "interpreter", "--difference", str(picture))
    assert (result.exit_code, picture.exists()) == (0, False)
    assert "is removed" in result.stderr.replace("\n", " ")


def test_a_difference_is_a_png_file(cli, case):
    result = cli("run", str(case), "--difference", "d.jpg")
    assert result.exit_code == 2
    assert "--difference d.jpg: found no suffix .png" in result.stderr


def test_gaps_between_panels_are_of_no_panels_colour():
    target = softd3d.Texture2D(np.zeros((2, 4, 4), np.float32), "R32G32B32A32_FLOAT")
    narrow = softd3d.Texture2D(np.zeros((2, 300, 4), np.float32), "R32G32B32A32_FLOAT")
    rows = [Panel(t, "rt0", t.array.tobytes(), t.array.tobytes()) for t in (target, narrow)]
    data = difference_picture(rows)
    assert data is not None
    with pytest.importorskip("PIL.Image").open(io.BytesIO(data)) as found:
        pixels = np.asarray(found)
    is_gap = (pixels == (255, 0, 255)).all(-1)
    assert is_gap[:128, 256:264].all()
    assert is_gap[128:136].all()
    assert not pixels[~is_gap].any()
    assert is_gap.sum() == 128 * (916 - 768) + 8 * 916 + 2 * 16


def test_a_picture_is_for_cases(cli, library):
    result = cli("run", "cs_mandelbrot.cs_5_0.dxbc", "--groups", "1", "--difference", "x.png")
    assert result.exit_code == 2
    assert "--difference is for cases, not for a shader" in result.stderr


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "target format": (
        {"render_targets": [{"format": "BC1_UNORM"}]},
        "render_targets[0]: format BC1_UNORM cannot be rendered to",
    ),
    "clear": (
        {"render_targets": [{"format": "R32_FLOAT", "clear": [1]}]},
        "render_targets[0].clear: found 1 numbers, wanted 4",
    ),
    "cull": ({"raster": {"cull": 9}}, "rasterizer cull_mode: found 9"),
    "depth": ({"depth": {"format": "R8_UNORM"}}, "depth: found format R8_UNORM, wanted"),
    "blend": (
        {"blend": {"targets": [{"src": 99}]}},
        "blend.targets[0]: blend src_blend: found 99, wanted a name like ZERO, or its number, 1 to",
    ),
    "blend of a draw": (
        {"draw": {"vertices": 3, "state": {"blend": {"targets": [{}, {"op": 0}]}}}},
        "draw.state.blend.targets[1]: blend blend_op: found 0",
    ),
    "face": (
        {"depth": {"format": "D32_FLOAT", "back": {"fail": 9}}},
        "depth.back: depth-stencil stencil_fail_op: found 9",
    ),
    "no number": (
        {"viewport": {"w": float("nan"), "h": 8}}, "viewport.w: found NaN, wanted an integer",
    ),
    "infinite": (
        {"viewports": [{"w": float("inf"), "h": 8}]},
        "viewports[0].w: found a number out of range, wanted a finite number",
    ),
    "misspelt": (
        {"render_target": []}, "render_target: found no such key; close: render_targets",
    ),
    "misspelt below": (
        {"raster": {"cul": 1}}, "raster.cul: found no such key; close: cull",
    ),
    "misspelt in a draw": (
        {"draws": [{"vertices": 3, "instnaces": 2}]},
        "draws[0].instnaces: found no such key; close: instances",
    ),
    "state that no draw changes": (
        {"draw": {"vertices": 3, "state": {"sample_mask": 1}}},
        "draw.state.sample_mask: found no such key, wanted one of blend, depth, raster, scissors, ",
    ),
    "no vertices": ({"draw": {"instances": 1}}, "draw.vertices: missing"),
    "no draws": ({"draws": []}, "draws: found no draw, wanted at least one"),
    "scissors": ({"scissors": [[1, 2]]}, "scissors[0]: found 2 numbers, wanted 4"),
    "viewport": ({"viewports": [{"x": 0, "y": 0, "w": -1, "h": 1}]}, "viewport width: found -1"),
    "layout": ({"input_layout": [{"semantic": "A"}]}, "input_layout[0].index: missing"),
    "buffers": ({"vertex_buffers": [{"slot": 99}]}, "vertex_buffers[0].slot: found 99, wanted 0"),
    "draw": ({"draw": 5}, "draw: found a number, wanted an object"),
    "count": ({"draw": {"vertices": -1}}, "draw.vertices: found -1, wanted 0 to 4294967295"),
    "queries": ({"queries": [1]}, "queries: wanted a list of query types"),
    "query": ({"queries": ["TIMESTAMP"]}, "queries: found 'TIMESTAMP', wanted OCCLUSION, "),
    "stream output": ({"stream_output": {"stride": 16}}, "stream_output.bytes: missing"),
    "prefill": (
        {"stream_output": {"prefill": "0x100"}},
        "stream_output.prefill: found '0x100', wanted a byte such as '0xCD'",
    ),
    "entry": (
        {"stream_output": {"stride": 0, "bytes": 0, "entries": [{"stream": 4}]}},
        "stream_output.entries[0].stream: found 4, wanted 0 to 3",
    ),
    "buffer": (
        {"stream_output": {"buffers": [{"slot": 4}]}},
        "stream_output.buffers[0].slot: found 4, wanted 0 to 3",
    ),
    "stage": ({"shaders": {"cs": ""}}, "shaders.cs"),
    "topology": ({"topology": 99}, "topology: found 99, wanted 0 to 64"),
    "output": (
        {"outputs": [{"reg": "rt7", "expected": "", "tolerance_per_dword": []}]},
        "outputs[0]",
    ),
}  # fmt: skip


def test_keys_that_are_like_no_known_one_are_passed_over(cli, case):
    change(case, topic="blending", golden={"kind": 1}, hlsl="x", notes=[])
    assert cli("run", str(case), "--engine", "interpreter").exit_code == 0


def test_an_output_that_is_not_there_is_named_with_those_that_are(case):
    outputs = json.loads(case.read_text())["outputs"]
    change(case, outputs=[{**outputs[0], "reg": "rt5"}], queries=["OCCLUSION"])
    with pytest.raises(ResourceError, match=r"output rt5: .*; there are rt0, q0$"):
        run_case(read_case(case), "interpreter")


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_a_case_is_named(case, name):
    changes, text = WRONG[name]
    change(case, **changes)
    with pytest.raises(ShaderError) as caught:
        run_case(read_case(case), "interpreter")
    assert text in caught.value.message


def test_places_in_buffers_of_stream_output():
    """Two slots: 24 bytes a vertex with a gap behind an offset of 8, and one component."""
    entries = [
        {"stream": 0, "semantic": "SV_Position", "index": 0, "start": 1, "count": 2},
        {"stream": 0, "semantic": None, "index": 0, "start": 0, "count": 1},
        {"stream": 0, "semantic": "TEXCOORD", "index": 2, "start": 0, "count": 1},
        {"stream": 0, "semantic": "FOG", "index": 0, "start": 0, "count": 1, "slot": 2},
    ]
    buffers = [
        {"slot": 0, "stride": 24, "bytes": 80, "offset": 8}, {"slot": 2, "stride": 4, "bytes": 8}
    ]  # fmt: skip
    data = {"stream_output": {"entries": entries, "buffers": buffers}}
    found = stream_output(Entry(data, "", Path("case.json"), Path()))
    assert [found.place_of("so0", n) for n in (1, 2, 3, 4, 5, 6, 7, 8)] == [
        "before the first vertex", "vertex 0, SV_Position.y", "vertex 0, SV_Position.z",
        "vertex 0, gap", "vertex 0, TEXCOORD2.x", "vertex 0, gap", "vertex 0, gap",
        "vertex 1, SV_Position.y",
    ]  # fmt: skip
    assert found.place_of("so2", 1) == "vertex 1, FOG.x"
    assert found.place_of("q0", 0) == found.place_of("so1", 0) == ""


def test_places_in_targets_with_samples_and_slices():
    colors = Texture2DMSArray(np.zeros((2, 3, 5, 4), np.float32), "R32_FLOAT")
    at = (((1 * 3 + 2) * 5 + 4) * 4 + 3) * 4 + 2
    mismatch = Mismatch(at, 0, 1, RuleType.BITS32)
    assert place_of(colors, "rt0", mismatch) == "pixel (4, 2), slice 1, sample 3, blue"
    depth = Texture2DMS(np.zeros((3, 5, 2), np.uint32), "D24_UNORM_S8_UINT")
    mismatch = Mismatch(3, 0, 0xFF000000, RuleType.BITS32)
    assert place_of(depth, "depth", mismatch) == "pixel (1, 0), sample 1, stencil"


def test_a_shader_file_that_cannot_be_read_is_named(case):
    (case.parent.parent / json.loads(case.read_text())["shaders"]["ps"]).write_bytes(b"")
    with pytest.raises((ResourceError, ShaderError)):
        run_case(read_case(case), "interpreter")
