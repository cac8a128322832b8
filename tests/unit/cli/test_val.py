"""`softd3d val`: lines, JSON and exit statuses; the page of its rules."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from softd3d.container.dxbc import container as dxbc
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.enums import Opcode
from softd3d.tools.validation.binary import RULES, rules_page

NAME = "cs_mandelbrot.cs_5_0.dxbc"
PAGE = Path(__file__).parents[3] / "docs/validation.md"


def broken(library: Path) -> str:
    """Write a sample whose program declares too few temporary registers."""
    container = dxbc.parse((library / NAME).read_bytes())
    chunk = container.program_chunk
    program = decode(chunk.data)
    instructions = tuple(
        replace(i, extra=(1,)) if i.opcode is Opcode.DCL_TEMPS else i for i in program.instructions
    )
    new = replace(chunk, data=encode(replace(program, instructions=instructions)))
    data = dxbc.build([new if c.fourcc == "SHEX" else c for c in container.chunks])
    (library / "broken.dxbc").write_bytes(data)
    return "broken.dxbc"


def unsigned(library: Path) -> str:
    data = bytearray((library / NAME).read_bytes())
    data[4] ^= 0xFF
    (library / "unsigned.dxbc").write_bytes(data)
    return "unsigned.dxbc"


def test_a_good_shader_is_valid(cli):
    result = cli("val", NAME)
    assert (result.exit_code, result.stdout) == (0, f"{NAME}: valid\n")
    assert cli("val", "--quiet", NAME).stdout == ""


def test_an_error_has_its_line_and_status_1(cli, library):
    result = cli("val", NAME, broken(library))
    assert result.exit_code == 1
    first, second = result.stdout.splitlines()[:2]
    assert first == f"{NAME}: valid"
    assert second.startswith("broken.dxbc: ")
    line = next(one for one in result.stdout.splitlines() if "SM4-REG-001" in one)
    assert line == (
        "broken.dxbc: error SM4-REG-001 at instruction 10, byte offset 0x364: mov: r1, declared "
        "are 1 [D3D11.3 functional specification 22.3.35]"
    )


def test_a_warning_alone_is_no_failure_unless_strict(cli, library):
    name = unsigned(library)
    result = cli("val", name)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{name}: warning DXBC-FILE-002 at byte offset 0x4: checksum ")
    assert cli("val", "--quiet", name).stdout == ""
    strict = cli("val", "--strict", name)
    assert strict.exit_code == 1
    assert strict.stdout.startswith(f"{name}: error DXBC-FILE-002")


def test_json_has_the_places_apart(cli, library):
    result = cli("val", "--json", NAME, broken(library))
    good, bad = json.loads(result.stdout)
    assert result.exit_code == 1
    assert good == {"file": NAME, "valid": True, "findings": []}
    assert (bad["file"], bad["valid"]) == ("broken.dxbc", False)
    finding = next(f for f in bad["findings"] if f["code"] == "SM4-REG-001")
    assert finding == {
        "code": "SM4-REG-001",
        "severity": "error",
        "message": "mov: r1, declared are 1",
        "offset": 0x364,
        "instruction": 10,
        "chunk": None,
        "spec": "D3D11.3 functional specification 22.3.35",
    }


def test_what_cannot_be_read_is_status_2(cli, library):
    (library / "text").write_text("no shader at all")
    result = cli("val", "text")
    assert (result.exit_code, result.stderr) == (2, "")
    assert result.stdout.startswith("text: error DXBC-FILE-009 at byte offset 0x0: it is not a ")
    missing = cli("val", "missing.dxbc", NAME)
    assert missing.exit_code == 2
    assert missing.stderr == "softd3d: missing.dxbc: No such file or directory\n"
    assert missing.stdout == f"{NAME}: valid\n"


def names(output: str) -> list[str]:
    return [one["file"] for one in json.loads(output)]


def test_folders_are_searched_for_shaders(cli, library):
    (library / "some/inner").mkdir(parents=True)
    data = (library / NAME).read_bytes()
    for name in ("b.dxbc", "a.bin", "inner/c.o"):
        (library / "some" / name).write_bytes(data)
    (library / "some/readme.txt").write_text("no shader at all")
    (library / "some/texture.dds").write_bytes(b"DDS " + bytes(124))
    result = cli("val", "some")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "some/a.bin: valid", "some/b.dxbc: valid", "some/inner/c.o: valid",
        "3 files: 3 valid, 0 with warnings, 0 with errors",
    ]  # fmt: skip
    assert names(cli("val", "--json", NAME, "some", "some/b.dxbc").stdout) == [
        NAME, "some/a.bin", "some/b.dxbc", "some/inner/c.o", "some/b.dxbc",
    ]  # fmt: skip
    assert cli("val", "--quiet", "some").stdout == ""
    assert cli("val", "some/readme.txt", "some").exit_code == 2


def test_a_last_line_counts_several_files(cli, library):
    output = cli("val", NAME, broken(library), unsigned(library)).stdout
    assert output.splitlines()[-1] == "3 files: 1 valid, 1 with warnings, 1 with errors"
    assert "files:" not in cli("val", NAME).stdout


def test_standard_input_stands_where_it_is_named(cli, library):
    data = (library / NAME).read_bytes()
    other = broken(library)
    assert names(cli("val", "--json", NAME, "-", other, stdin=data).stdout) == [NAME, "-", other]


def test_many_files_are_checked_by_several_processes(cli, library, monkeypatch):
    monkeypatch.setattr("softd3d.cli.verbs.val._SMALL", 0)
    files = [NAME, broken(library), unsigned(library)]
    result = cli("val", "--json", *files)
    assert (result.exit_code, names(result.stdout)) == (1, files)


def test_standard_input_is_a_file_too(cli, library):
    result = cli("val", "-", stdin=(library / NAME).read_bytes())
    assert (result.exit_code, result.stdout) == (0, "-: valid\n")


def test_the_page_lists_every_rule(golden):
    table = rules_page()
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(table.splitlines()[0])
    golden(PAGE, head + table)
    assert all(rule.text.endswith(".") and rule.spec for rule in RULES.values())
