"""softd3d effect: the shaders inside Direct3D 9 effects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import softd3d
from softd3d.cli import main
from softd3d.shaders.effects.d3d9 import load_effect9

DATA = Path(__file__).parents[1] / "container/data/effect9"


def effect(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["effect", *arguments])


@pytest.fixture
def file() -> Path:
    """An effect of our own with several shaders."""
    return next(p for p in sorted(DATA.glob("*.fxo")) if len(load_effect9(p).shaders) >= 2)


def test_list(file: Path) -> None:
    shaders = load_effect9(file).shaders
    rows = json.loads(effect("list", "--json", str(file)).output)
    assert [row["bytes"] for row in rows] == [len(shader.tokens) for shader in shaders]
    assert [row["place"] for row in rows] == [shader.place for shader in shaders]
    lines = effect("list", str(file)).output.splitlines()
    assert len(lines) == len(shaders)
    assert all(row["profile"] in line for row, line in zip(rows, lines, strict=True))


def test_extract_one_and_all(file: Path, tmp_path: Path) -> None:
    shaders = load_effect9(file).shaders
    out = tmp_path / "one.bin"
    assert effect("extract", str(file), "1", "-o", str(out)).exit_code == 0
    assert out.read_bytes() == shaders[1].tokens
    assert effect("extract", str(file), "--all", str(tmp_path / "all")).exit_code == 0
    assert [p.read_bytes() for p in sorted((tmp_path / "all").iterdir())] == [
        shader.tokens for shader in shaders
    ]


def test_replace_changes_one_shader(file: Path, tmp_path: Path) -> None:
    old = load_effect9(file)
    stage = old.shaders[0].stage
    profile = "vs_2_0" if stage.name == "VS" else "ps_2_0"
    token = 0xFFFE0200 if profile == "vs_2_0" else 0xFFFF0200
    tokens = token.to_bytes(4, "little") + bytes.fromhex("ffff0000")
    (tmp_path / "new.bin").write_bytes(tokens)
    out = tmp_path / "new.fxo"
    result = effect("replace", str(file), "0", str(tmp_path / "new.bin"), "-o", str(out))
    assert (result.exit_code, result.output) == (0, "")
    new = load_effect9(out)
    assert new.shaders[0].tokens == tokens
    assert [s.tokens for s in new.shaders[1:]] == [s.tokens for s in old.shaders[1:]]


def test_the_whole_effect_is_listed(file: Path) -> None:
    result = CliRunner().invoke(main, ["dis", str(file)])
    assert result.exit_code == 0
    assert result.output == softd3d.disassemble(file.read_bytes())
    assert "technique" in result.output
    assert softd3d.disassemble(load_effect9(file).shaders[0].tokens).splitlines()[-1].strip() in (
        result.output
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "{file}", "99"], "effect: shader: found 99, wanted"),
        (["list", "{tokens}"], "wanted an effect"),
        (["replace", "{file}", "0", "{file}", "-o", "{tokens}"], "wanted a token stream of shader"),
    ],
)
def test_errors(file: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_bytes(bytes.fromhex("0002ffff ffff0000"))
    before = tokens.read_bytes()
    result = effect(*(a.format(file=file, tokens=tokens) for a in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert tokens.read_bytes() == before
