"""softd3d dis: its options, several files, folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from softd3d.cli import main, many
from softd3d.cli.verbs import dis as dis_module
from softd3d.container.assembly.containers import assemble
from softd3d.tools.text.disassembler import disassemble

DATA = Path(__file__).parents[1] / "container/data"
NAMES = ["packing.cs_5_0.dxbc", "gs_strips_streams.gs_5_0.dxbc"]


def dis(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["dis", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two shaders, one of them in a folder of its own, and a file that is none."""
    folder = tmp_path / "shaders"
    (folder / "inner").mkdir(parents=True)
    shutil.copy(DATA / NAMES[0], folder / "a.dxbc")
    shutil.copy(DATA / NAMES[1], folder / "inner/b.cso")
    (folder / "readme.txt").write_text("no shader")
    return folder


@pytest.mark.parametrize("small", [1 << 20, 0])
def test_a_folder_becomes_a_folder(folder: Path, small: int, monkeypatch) -> None:
    monkeypatch.setattr(many, "_SMALL_CONVERSION", small)
    out = folder.parent / "out"
    result = dis(str(folder), "-o", str(out))
    assert (result.exit_code, result.output) == (0, "")
    made = {path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*.asm")}
    assert made == {
        "a.dxbc.asm": disassemble((DATA / NAMES[0]).read_bytes()),
        "inner/b.cso.asm": disassemble((DATA / NAMES[1]).read_bytes()),
    }


def test_one_bad_file_does_not_stop_the_others(folder: Path) -> None:
    (folder / "bad.dxbc").write_bytes(b"DXBC" + bytes(40))
    out = folder.parent / "out"
    result = dis(str(folder), "-o", str(out))
    assert result.exit_code == 2
    assert "bad.dxbc: container: version 0x0 is not defined" in result.stderr
    assert len(list(out.rglob("*.asm"))) == 2


def test_standard_input_goes_alone(folder: Path) -> None:
    result = dis("-", str(folder / "a.dxbc"), "-o", str(folder / "out"))
    assert result.exit_code == 2
    assert "Standard input, -, is listed alone" in result.stderr


def test_several_files_need_a_folder(folder: Path) -> None:
    result = dis(str(folder / "a.dxbc"), str(folder / "inner/b.cso"))
    assert result.exit_code == 2
    assert "need -o FOLDER" in result.stderr


def test_exact_listings_come_back() -> None:
    data = (DATA / NAMES[0]).read_bytes()
    result = dis("--exact", str(DATA / NAMES[0]))
    assert result.exit_code == 0
    assert assemble(result.stdout) == data


def test_exact_goes_alone() -> None:
    result = dis("--exact", "--hex", str(DATA / NAMES[0]))
    assert result.exit_code == 2
    assert "--exact has a form of its own" in result.stderr


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (["--numbers"], "      cs_5_0"),
        (["--offsets"], "0x00000000: cs_5_0"),
        (["--code-only"], "cs_5_0"),
        (["--dialect", "10.1"], "dcl_constantbuffer CB0[49], dynamicIndexed"),
        (
            ["--dialect", "9.30"],
            "// -------------------- ----- ------ -------- -------- ------- ------",
        ),
        (["--dialect", "9.30"], "dcl_constantbuffer cb0[49], dynamicIndexed"),
        (
            ["--dialect", "9.29"],
            "// -------------------- ----- ------ -------- -------- ------ ------",
        ),
    ],
)
def test_options_reach_the_listing(option: list[str], line: str) -> None:
    result = dis(*option, str(DATA / NAMES[0]))
    assert result.exit_code == 0
    assert line in result.stdout.splitlines()
    assert (result.stdout.splitlines()[0] == "//") == (option != ["--code-only"])


def test_a_wrong_checksum_is_a_warning_or_an_error(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    data = bytearray((DATA / NAMES[0]).read_bytes())
    data[4] ^= 1
    wrong.write_bytes(data)
    result = dis(str(wrong))
    assert result.exit_code == 0
    assert "warning: the checksum is wrong" in result.stderr
    assert "cs_5_0" in result.stdout
    result = dis("--strict", str(wrong))
    assert (result.exit_code, result.stdout) == (2, "")


def test_json_of_a_file_is_a_list_of_one(folder: Path) -> None:
    result = dis("--json", str(folder / "a.dxbc"))
    (document,) = json.loads(result.output)
    assert (result.exit_code, document["file"]) == (0, str(folder / "a.dxbc"))
    (program,) = document["programs"]
    assert program["profile"] == "cs_5_0"
    lines = [i["text"].strip() for i in program["instructions"]]
    assert lines[-1] == "ret"
    assert all(line in disassemble((folder / "a.dxbc").read_bytes()) for line in lines)


@pytest.mark.parametrize("small", [1 << 20, 0])
def test_json_of_a_folder_is_a_list_of_its_shaders(folder: Path, small: int, monkeypatch) -> None:
    monkeypatch.setattr(dis_module, "_SMALL", small)
    result = dis("--json", str(folder))
    assert result.exit_code == 0
    profiles = [
        program["profile"] for file in json.loads(result.output) for program in file["programs"]
    ]
    assert profiles == ["cs_5_0", "gs_5_0"]


def test_json_of_a_folder_may_go_to_a_folder(folder: Path) -> None:
    out = folder.parent / "out"
    assert dis("--json", str(folder), "-o", str(out)).exit_code == 0
    made = {path.relative_to(out).as_posix() for path in out.rglob("*.json")}
    assert made == {"a.dxbc.json", "inner/b.cso.json"}
    assert len(json.loads((out / "inner/b.cso.json").read_text())) == 1


def test_json_goes_on_after_a_bad_file(folder: Path) -> None:
    (folder / "a.dxbc").write_bytes(b"DXBC" + bytes(60))
    result = dis("--json", str(folder), str(folder / "missing"))
    assert result.exit_code == 2
    assert [len(file["programs"]) for file in json.loads(result.stdout)] == [1]
    assert "missing" in result.stderr


def test_json_of_nothing_is_an_empty_list(tmp_path: Path) -> None:
    assert dis("--json", str(tmp_path)).output == "[]\n"


def test_json_has_no_other_form(folder: Path) -> None:
    result = dis("--json", "--hex", str(folder / "a.dxbc"))
    assert result.exit_code == 2
    assert "--json goes with -o and --strict only" in result.output
