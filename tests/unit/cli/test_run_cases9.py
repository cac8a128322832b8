"""`softd3d run` of draw cases of Direct3D 9: verdicts, differences, other known answers."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from softd3d.cli import main

QUAD = [(-0.5, -0.5), (9, -0.5), (-0.5, 9)]


def case(**changes: Any) -> dict[str, Any]:
    """Return a case that clears a target of two pixels and counts a triangle over both."""
    data = b"".join(struct.pack("<ffffI", x, y, 0.5, 1, 0xFF00FF00) for x, y in QUAD)
    return {
        "name": "two",
        "kind": "draw",
        "resources": {
            "rt": {"type": "rendertarget", "format": "A8R8G8B8", "size": [2, 1]},
            "vb": {"type": "vertexbuffer", "data": data.hex()},
        },
        "commands": [
            ["SetRenderTarget", 0, "rt"],
            ["Clear", 1, "ff102030", "3f800000", 0],
            ["SetRenderState", "CULLMODE", 1],
            ["SetScissorRect", [1, 0, 2, 1]],
            ["SetRenderState", "SCISSORTESTENABLE", 1],
            ["SetFVF", "44"],
            ["SetStreamSource", 0, "vb", 0, 20],
            ["BeginQuery", "q"],
            ["DrawPrimitive", "TRIANGLELIST", 0, 1],
            ["EndQuery", "q"],
        ],
        "observe": ["rt"],
        "expected": {"rt": {"format": "A8R8G8B8", "rows": [["ff102030", "ff00ff00"]]}},
        "expected_queries": {"q": 1},
        "tolerance": {"lsb": 0},
        **changes,
    }


def run(tmp_path: Path, entry: dict[str, Any], *options: str) -> tuple[int, str]:
    path = tmp_path / "two.json"
    path.write_text(json.dumps(entry))
    done = CliRunner().invoke(main, ["run", "--engine", "interpreter", *options, str(path)])
    return done.exit_code, done.output


def test_a_case_passes(tmp_path: Path) -> None:
    code, text = run(tmp_path, case())
    assert (code, text.splitlines()[0]) == (0, "PASS  two")


def test_pixels_and_queries_that_differ_are_named(tmp_path: Path) -> None:
    rows = [["ff102030", "ff0000ff"]]
    entry = case(expected={"rt": {"format": "A8R8G8B8", "rows": rows}}, expected_queries={"q": 2})
    code, text = run(tmp_path, entry)
    assert code == 1
    assert "[interpreter] rt pixel (1, 0): expected ff0000ff, found ff00ff00" in text
    assert "[interpreter] q: expected 2, found 1" in text


def test_another_known_answer_is_told(tmp_path: Path) -> None:
    rows = [["ff102030", "ff0000ff"]]
    known = [{"source": "green", "differences": {"rt": [[1, 0, "ff00ff00"]]}}]
    entry = case(
        expected={"rt": {"format": "A8R8G8B8", "rows": rows}}, candidates=known,
        wine_agrees=False, wine_note="it is red there",
    )  # fmt: skip
    code, text = run(tmp_path, entry, "--profile", "ieee")
    assert code == 1
    assert "found is another known answer: green" in text
    assert "Wine differs: it is red there" in text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (["SetMood", 1], "found 'SetMood', which is no call"),
        (["SetRenderState", "CULLMODE"], "SetRenderState: ValueError"),
        (["SetTexture", 0, "brick"], "SetTexture: KeyError('brick')"),
        (["SetVertexShader", "../../x.bin"], "leaves the case's folder"),
    ],
)
def test_malformed_calls_are_errors(tmp_path: Path, call: list[Any], text: str) -> None:
    entry = case()
    code, output = run(tmp_path, {**entry, "commands": [call, *entry["commands"]]})
    assert code == 2
    assert text in output
