"""Validation of texts: findings on the lines on which Direct3D 9's own validator has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from softd3d.errors import Severity
from softd3d.isa.asm.diagnostic import SYNTAX
from softd3d.shaders.effects.d3d9 import load_effect9
from softd3d.tools.text.assembler import assemble
from softd3d.tools.text.disassembler import disassemble_exact
from softd3d.tools.validation.binary import validate
from softd3d.tools.validation.listing import validate_text

DATA = Path(__file__).parents[1] / "container/data"
EFFECTS = DATA / "effect9"
SHADER = DATA / "packing.cs_5_0.dxbc"
# The real assembler names the next token, here the end of the file; we name the mistake.
AT_THE_MISTAKE = {"syn_swz_empty": 2, "syn_unterminated": 2, "mod_inv_vs": 4}


@pytest.mark.corpus
def test_negative_samples_have_findings_on_the_real_lines(shared: Path) -> None:
    samples = shared / "samples/sm1_3"
    index = json.loads((samples / "index.json").read_text())
    items = next(value for value in index.values() if isinstance(value, list))
    checked = 0
    for item in items:
        if item["kind"] != "negative":
            continue
        path = next(samples / name for name in item["files"] if name.endswith(".asm"))
        found = [f for f in validate_text(path.read_text()) if f.severity is Severity.ERROR]
        assert bool(found) == (item["verdict"] == "rejected"), item["name"]
        wanted = {error["line"] for error in item["errors"]} - {None}
        lines = {finding.location.line for finding in found}
        if item["name"] in AT_THE_MISTAKE:
            assert lines == {AT_THE_MISTAKE[item["name"]]}, item["name"]
        elif wanted:
            assert lines & wanted, item["name"]
        checked += 1
    assert checked > 100


def test_mistakes_of_syntax_are_findings() -> None:
    (finding,) = validate_text("ps_2_0\nmoo oC0, c0\n")
    assert finding.code == SYNTAX
    assert (finding.location.line, finding.location.column) == (2, 1)


def test_modern_listings_too() -> None:
    found = validate_text("cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r1.x, l(1)\nret\n")
    assert [f.location.line for f in found if f.severity is Severity.ERROR] == [4]


def test_what_is_sound_has_no_findings() -> None:
    assert validate_text("ps_2_0\ndef c0, 1, 0, 0, 1\nmov oC0, c0\n") == []


def test_any_input_finds_its_validator() -> None:
    text = "ps_2_0\ndef c0, 1, 0, 0, 1\n"
    (of_text,) = validate(text.encode())
    assert of_text.location.line == 3
    (of_tokens,) = validate(assemble(text))
    assert (of_tokens.code, of_tokens.message) == (of_text.code, of_text.message)
    effect = next(p for p in sorted(EFFECTS.glob("*.fxo")) if load_effect9(p).shaders)
    assert [f for f in validate(effect.read_bytes()) if f.severity is Severity.ERROR] == []
    assert [f.code for f in validate(b"hello")] == ["DXBC-FILE-009"]
    exact = disassemble_exact(SHADER.read_bytes())
    assert validate(exact.encode()) == validate(SHADER.read_bytes()) == validate(str(SHADER)) == []
    assert {f.code for f in validate(exact.replace("ret", "rett").encode())} == {SYNTAX}
