"""Effects of Direct3D 10 and 11 on the command line: dis, info, effect, val, scan, hash."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import softd3d
from softd3d.cli import main
from softd3d.container.effects.d3d10.effect import build_effect

DATA = Path(__file__).parents[1] / "container/data/effects10"
BARE = DATA / "shaders.fx_5_0.fxo"
CHILD = DATA / "child.fx_4_0.dxbc"
PLACES = [
    "variable v4", "variable old", "variable bound[0]", "variable out1", "variable out2",
    "technique First, pass P", "technique First, pass 2", "group Group, technique 0, pass 0",
]  # fmt: skip


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def effect_of(path: Path) -> softd3d.Effect10:
    found = softd3d.load(path)
    assert isinstance(found, softd3d.Effect10)
    return found


@pytest.mark.parametrize("path", [BARE, CHILD], ids=lambda path: path.stem)
def test_the_listing_is_microsoft_s(path: Path) -> None:
    golden = path.with_suffix(".asm").read_bytes().decode("latin-1")
    result = run("dis", path)
    assert (result.exit_code, result.output) == (0, golden)
    assert str(effect_of(path)) == golden


def test_code_alone_is_refused() -> None:
    result = run("dis", "--code-only", CHILD)
    assert result.exit_code != 0
    assert "it is an effect: it has no listing of code alone" in result.output


def test_list() -> None:
    rows = json.loads(run("effect", "list", "--json", BARE).output)
    assert [row["place"] for row in rows] == PLACES
    assert [row["profile"] for row in rows[4:6]] == ["gs_5_0", "cs_5_0"]
    lines = run("effect", "list", BARE).output.splitlines()
    assert lines[5] == "   5  cs_5_0      612 bytes  technique First, pass P"


def test_extract_one_and_all(tmp_path: Path) -> None:
    shaders = effect_of(BARE).shaders
    assert run("effect", "extract", BARE, "5", "-o", tmp_path / "one.dxbc").exit_code == 0
    assert (tmp_path / "one.dxbc").read_bytes() == shaders[5].data
    assert run("effect", "extract", BARE, "--all", tmp_path / "all").exit_code == 0
    files = sorted((tmp_path / "all").iterdir())
    assert [file.read_bytes() for file in files] == [shader.data for shader in shaders]
    assert files[2].name == "002.variable_bound_0.ps_5_0.dxbc"


@pytest.mark.parametrize(("path", "index"), [(BARE, 1), (CHILD, 0)], ids=["bare", "container"])
def test_replace_by_a_shorter_shader(path: Path, index: int, tmp_path: Path) -> None:
    old = effect_of(path)
    short = effect_of(BARE).shaders[0].data
    (tmp_path / "new.dxbc").write_bytes(short)
    out = tmp_path / "new.fxo"
    result = run("effect", "replace", path, str(index), tmp_path / "new.dxbc", "-o", out)
    assert (result.exit_code, result.output) == (0, "")
    new = effect_of(out)
    wanted = [shader.data for shader in old.shaders]
    wanted[index] = short
    assert [shader.data for shader in new.shaders] == wanted
    assert len(new.data) == len(old.data)
    assert run("val", out).exit_code == 0


def test_replace_by_itself_changes_nothing(tmp_path: Path) -> None:
    effect = effect_of(CHILD)
    assert effect.with_shader(0, effect.shaders[0].data) == effect.data


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", BARE, "8"], "effect: shader: found 8, wanted 0 to 7"),
        (["list", DATA / "minimal.fx"], "found HLSL source"),
        (["replace", BARE, "0", "{long}", "-o", "-"], "a longer one is not supported"),
        (["replace", BARE, "5", "{short}", "-o", "-"], "a shader for VS is to replace one for CS"),
        (["replace", BARE, "0", BARE, "-o", "-"], "wanted a program of shader model 4 or 5"),
    ],
)
def test_errors(arguments: list[str | Path], message: str, tmp_path: Path) -> None:
    shaders = effect_of(BARE).shaders
    (tmp_path / "short").write_bytes(shaders[0].data)
    (tmp_path / "long").write_bytes(shaders[1].data)
    names = {"{short}": tmp_path / "short", "{long}": tmp_path / "long"}
    result = run("effect", *(names.get(str(a), a) for a in arguments))
    assert result.exit_code != 0
    assert message in result.output
    assert result.output.count("\n") == 1


def test_info() -> None:
    (found,) = json.loads(run("info", "--json", CHILD).output)
    assert (found["kind"], found["profile"]) == ("DXBC container", "fx_4_0")
    effect = found["effect10"]
    assert effect["is_child"]
    assert effect["buffers"] == ["$Globals", "Pool", "Texels"]
    assert effect["objects"][1] == {"name": "ptex", "type": "Texture2D"}
    assert effect["techniques"] == [{"name": "", "passes": 1}]
    assert [shader["place"] for shader in effect["shaders"]] == ["technique 0, pass 0"]
    lines = run("info", BARE).output.splitlines()
    assert lines[0].endswith("effect of Direct3D 10 or 11 (fx_4_0 to fx_5_0), fx_5_0, 8986 bytes")
    assert "  shader    4: gs_5_0, 704 bytes, variable out2" in lines


def test_damage_is_a_problem_of_info(tmp_path: Path) -> None:
    data = bytearray(BARE.read_bytes())
    data[-4:] = b"\xff\xff\xff\x7f"
    (tmp_path / "bad.fxo").write_bytes(data)
    result = run("info", tmp_path / "bad.fxo")
    assert result.exit_code != 0
    assert "effect: " in result.output


def test_val_and_scan_know_effects() -> None:
    assert run("val", BARE, CHILD).output.splitlines()[:2] == [f"{BARE}: valid", f"{CHILD}: valid"]
    assert "fx_4_0" in run("scan", CHILD).output


def test_a_bare_effect_has_no_exact_listing() -> None:
    result = run("dis", "--exact", BARE)
    assert result.exit_code != 0
    assert "`softd3d effect extract` gives the shaders inside" in result.output


def test_a_shader_of_many_places_is_decoded_once() -> None:
    effect = effect_of(BARE).records
    bound = next(o for o in effect_of(BARE).contents.objects if o.name == "bound")
    first, second = (struct.pack(f"<{len(v)}I", *v) for v in bound.values)
    structured = effect.structured.replace(first + second, first + first)
    shaders = softd3d.Effect10(
        build_effect(replace(effect, structured=structured)), None, None
    ).shaders
    assert [s.place for s in shaders[2:4]] == ["variable bound[0]", "variable bound[1]"]
    assert shaders[2].program is shaders[3].program
    assert shaders[2].container is shaders[3].container


def test_bindings_that_overlap_are_bounded() -> None:
    effect = effect_of(BARE).records
    bound = next(o for o in effect_of(BARE).contents.objects if o.name == "bound")
    *facts, count, place = bound.values[0]
    assert count == 2
    old = struct.pack("<9I", *facts, count, place)
    new = struct.pack("<9I", *facts, 700_000, len(effect.unstructured))
    data = build_effect(
        replace(
            effect,
            structured=effect.structured.replace(old, new),
            unstructured=effect.unstructured + bytes(8 * 700_000),
        )
    )
    with pytest.raises(softd3d.ContainerError, match="texts take more than 4194304 characters"):
        _ = softd3d.Effect10(data, None, None).shaders
