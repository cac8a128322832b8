"""`softd3d run` of cases of single shaders of Direct3D 9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import softd3d
from softd3d.cli import main

TEXT = "ps_2_0\ndcl_2d s0\ndcl t0\ntexld r0, t0, s0\nadd r0, r0, c1\nmov oC0, r0\n"
WORDS = {0.0: "00000000", 0.5: "3f000000", 0.75: "3f400000", 1.0: "3f800000"}


def row(*numbers: float) -> list[str]:
    return [WORDS[n] for n in numbers]


def case(**more: Any) -> dict[str, Any]:
    return {
        "name": "lookup", "shader": "a.bin", "layout": "points", "target": [2, 1, 1],
        "output": "oC0", "inputs": {"t0": [row(0, 0, 0, 1), row(0.75, 0, 0, 1)]},
        "const_f": {"1": [row(0, 0, 0.5, 0)]},
        "textures": [{"stage": 0, "kind": "2d", "dim": [2, 1], "levels": 1, "format": "L8",
                      "data": "00ff"}],
        "samplers": {"0": {"MAGFILTER": 1}}, "tolerance": {"ulp": 0, "abs": 0},
        "expected": [row(0, 0, 0.5, 1), row(1, 1, 1, 1)], **more,
    }  # fmt: skip


def run(folder: Path, data: dict[str, Any], *options: str) -> Any:
    (folder / "a.bin").write_bytes(softd3d.assemble(TEXT))
    (folder / "a.json").write_text(json.dumps(data))
    return CliRunner().invoke(main, ["run", str(folder / "a.json"), *options])


def test_a_wrong_pixel_fails_and_a_known_answer_passes(tmp_path: Path) -> None:
    found = run(tmp_path, case())
    assert found.exit_code == 1
    assert "[interpreter] oC0: 1 of 8 dwords differ" in found.output
    assert "expected 0x3f800000, found 0x3fc00000" in found.output
    answer = [{"source": "adds", "diffs": [[1, 2, "3fc00000"]]}]
    found = run(tmp_path, case(candidates=answer))
    assert found.exit_code == 0
    assert "[jit] found another known answer: adds" in found.output


def test_killed_pixels_have_the_clear_colour(tmp_path: Path) -> None:
    kept = TEXT.replace("texld", "texkill t0\ntexld")
    data = case(inputs={"t0": [row(0, 0, 0, 1), ["bf800000", *row(0, 0, 1)]]},
                expected=[row(0, 0, 0.5, 1), row(0, 0, 0, 0)])  # fmt: skip
    (tmp_path / "b.bin").write_bytes(softd3d.assemble(kept))
    found = run(tmp_path, data | {"shader": "b.bin"})
    assert found.exit_code == 0, found.output


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"layout": "line"}, "layout: found 'line', wanted points or quad"),
        ({"target": [9999, 9999, 1]}, "target[0]: found 9999"),
        ({"expected": [row(0, 0, 0, 0)]}, "expected: found 1 rows, wanted 2"),
        ({"inputs": {"t0": ["0"]}}, "t0: found no rows of four words"),
        ({"inputs": {"t0": [["x", "0", "0", "0"]]}}, "found 'x', wanted eight hexadecimal digits"),
        ({"samplers": {"0": {"FILTER": 1}}}, "FILTER: found no such sampler state"),
        ({"samplers": {"0": {"MAGFILTER": 9}}}, "sampler mag_filter: found 9"),
        ({"render_states": {"ZENABLE": 0}}, "render_states: found {'ZENABLE': 0}"),
        ({"shader": "../a.bin"}, "leaves the case's folder"),
        ({"candidates": [{"source": "a", "diffs": [[9, 0, "0"]]}]}, "diffs: found"),
        ({"candidates": [{"source": "a", "diffs": "no"}]}, "diffs: found"),
        ({"inputs": {"t0": [row(0, 0, 0, 0)] * 3}}, "found 3 rows of an input, wanted 2"),
    ],
)
def test_what_is_malformed_is_named(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    found = run(tmp_path, case(**wrong))
    assert found.exit_code == 2
    assert message in found.output + found.stderr, found.output
