"""What commands read and write: limits, folders, paths checked first, names of others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from softd3d import source
from softd3d.cli import files, inputs
from softd3d.cli.printing import printable, table_lines
from softd3d.cli.safe_names import safe_path
from softd3d.errors import ResourceError

SHADER = "cs_mandelbrot.cs_5_0.dxbc"
BARE_EFFECT = Path(__file__).parents[1] / "container" / "data" / "effects10" / "shaders.fx_5_0.fxo"
READERS = [
    ["info"], ["dis"], ["as", "-o", "out"], ["reflect"], ["val"], ["hash"],
    ["run", "--groups", "1"],
    ["dxbc", "list"], ["effect", "list"], ["convert", "-", "out.dds"],
    ["view-image", "--format", "D16", "-o", "out.png"],
]  # fmt: skip


def given(reader: list[str], name: str) -> list[str]:
    """The arguments of a reader with its input."""
    if "-" in reader:
        return [name if word == "-" else word for word in reader]
    return [*reader, name]


def limited(arguments: list[str], **options):
    """Run a command in a process of its own with 4 GiB of address space, as a guard."""
    resource = pytest.importorskip("resource")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "softd3d", *arguments], capture_output=True, text=True, check=False,
        preexec_fn=limit, **options,
    )  # fmt: skip


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
@pytest.mark.parametrize("kind", ["device", "sparse file", "longer than it said"])
def test_what_does_not_end_is_refused(cli, library, monkeypatch, reader, kind):
    monkeypatch.setattr(source, "MAX_INPUT_BYTES", 1 << 16)
    for function in (files.read_input, inputs.each_input):
        monkeypatch.setattr(function, "__defaults__", (1 << 16,))
    name = "/dev/zero"
    if kind == "sparse file":
        name = "sparse"
        with open(name, "wb") as file:  # noqa: PTH123 - no more than a file
            file.truncate(10 << 30)
    elif kind == "longer than it said":
        monkeypatch.setattr(source, "_regular_size", lambda _: 0)
        name = "long"
        (library / name).write_bytes(b"DXBC" + bytes(1 << 18))
        monkeypatch.setattr(source, "MAX_ARRAY_BYTES", 1 << 16)
        if reader[0] in ("info", "convert", "view-image"):
            pytest.skip("reads larger files")
    result = cli(*given(reader, name))
    assert result.exit_code == 2
    if reader[0] != "val" or kind != "device":
        assert "MiB)" in result.stderr
    assert result.stderr.count("\n") == 1


def test_standard_input_that_does_not_end(monkeypatch, library):
    with open("/dev/zero", "rb") as endless:  # noqa: PTH123
        done = limited(["hash", "-"], stdin=endless)
    assert done.returncode == 2
    assert done.stderr == (
        "softd3d: -: it goes on after 268435456 bytes (256 MiB), the most that is read\n"
    )


def test_a_pipe_is_read_to_its_end(tmp_path):
    ends = os.pipe()
    os.write(ends[1], b"abc")
    os.close(ends[1])
    assert files.read_input(f"/dev/fd/{ends[0]}") == b"abc"
    os.close(ends[0])
    (tmp_path / "f").write_bytes(b"abc")
    with pytest.raises(ResourceError, match="found 3 bytes, wanted at most 2 bytes"):
        files.read_input(str(tmp_path / "f"), 2)


@pytest.mark.parametrize("verb", ["info", "hash", "reflect", "val"])
def test_folders_are_taken(cli, library, verb):
    (library / "deep").mkdir()
    shutil.copy(SHADER, "deep/b.cso")
    shutil.copy(SHADER, "deep/a.cso")
    (library / "deep/note.txt").write_text("nothing")
    result = cli(verb, "--json", "deep")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [one["file"] for one in json.loads(result.stdout)] == ["deep/a.cso", "deep/b.cso"]


@pytest.mark.parametrize("verb", ["info", "hash", "val"])
def test_bare_effects_in_folders_are_taken(cli, library, verb):
    (library / "deep").mkdir()
    shutil.copy(BARE_EFFECT, "deep/a.fxo")
    result = cli(verb, "--json", "deep")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [one["file"] for one in json.loads(result.stdout)] == ["deep/a.fxo"]


@pytest.mark.parametrize("verb", ["info", "hash", "reflect"])
def test_a_folder_without_shaders(cli, library, verb):
    (library / "empty").mkdir()
    result = cli(verb, "empty")
    assert (result.exit_code, result.stderr) == (2, "softd3d: empty: no shaders in this folder\n")


WRITERS = [
    ["dis", SHADER, "-o"], ["as", "in.asm", "-o"], ["dxbc", "strip", SHADER, "--debug", "-o"],
    ["dxbc", "sign", SHADER, "-o"], ["dxbc", "get", SHADER, "private-data", "-o"],
    ["dxbc", "extract", SHADER, "RDEF", "-o"], ["effect", "extract", SHADER, "0", "-o"],
    ["effect", "replace", SHADER, "0", SHADER, "-o"], ["convert", "in.npy", "--to", "dds"],
    ["blt", "in.npy", "in.npy", "--from", "D32_FLOAT", "--to", "D32_FLOAT", "-o"],
    ["view-image", "in.npy", "--format", "D32_FLOAT", "-o"], ["demo", "--image"],
]  # fmt: skip


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
@pytest.mark.parametrize(
    ("output", "message"), [("cases", "Is a directory"), ("none/out", "No such file or directory")]
)
def test_outputs_are_checked_before_anything_is_read(cli, monkeypatch, writer, output, message):
    def read(*_: object) -> bytes:
        raise AssertionError("read")

    monkeypatch.setattr(files, "read_stream", read)
    result = cli(*writer, output)
    assert (result.exit_code, result.stderr) == (2, f"softd3d: {output}: {message}\n")


@pytest.mark.parametrize(
    "words",
    [
        ["dis", SHADER, "-o", SHADER],
        ["dxbc", "extract", SHADER, "RDEF", "-o", f"./{SHADER}"],
        ["as", "in.asm", "-o", "in.asm"],
        ["convert", "in.npy", "in.npy"],
        ["view-image", "in.npy", "--format", "D32_FLOAT", "-o", "in.npy"],
        ["run", SHADER, "--groups", "1", "--uav", "0=zeros:4:uint32", "--constants", "P=none",
         "--save", f"0={SHADER}"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_input_is_written_over(cli, library, words):
    np.save("in.npy", np.zeros((4, 4), np.float32))
    (library / "in.asm").write_text("ps_4_0\nret\n")
    before = {p: p.read_bytes() for p in library.iterdir() if p.is_file()}
    result = cli(*words)
    assert result.exit_code == 2
    assert "the output is the input, wanted another file" in result.stderr
    assert {p: p.read_bytes() for p in library.iterdir() if p.is_file()} == before


@pytest.mark.parametrize("words", [["dis", "cases", "-o"], ["scan", SHADER, "--extract"],
                                   ["dxbc", "extract", SHADER, "--all"],
                                   ["effect", "extract", SHADER, "--all"]])  # fmt: skip
def test_a_file_is_no_output_folder(cli, library, words):
    (library / "file").write_text("")
    result = cli(*words, "file")
    assert (result.exit_code, result.stderr) == (2, "softd3d: file: Not a directory\n")


STEERING = "a\x1b[31mb\x07\n\x9b\u202e.dxbc"


@pytest.mark.parametrize("verb", ["info", "hash", "reflect", "val", "scan", "dxbc list", "dis"])
def test_names_do_not_steer_terminals(cli, library, verb):
    (library / STEERING).write_bytes((library / SHADER).read_bytes())
    (library / f"x{STEERING}").write_bytes(b"no shader")
    for name in (STEERING, f"x{STEERING}", f"none{STEERING}"):
        result = cli(*verb.split(), name)
        said = result.stdout + result.stderr
        assert not set("\x1b\x07\x9b\u202e") & set(said)
        assert verb == "dis" or "\\x1b[31mb\\x07\\n\\x9b\\u202e" in said or "no shaders" in said


def test_printable():
    assert printable("é ü 漢 a\\b") == "é ü 漢 a\\b"
    assert printable("\udcff\x00\x7f\t") == "\\udcff\\x00\\x7f\\t"


def test_tables_wrap_in_narrow_terminals(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    narrow = cli("reflect", SHADER).stdout
    assert all(len(line) <= 40 for line in narrow.splitlines()[3:])
    monkeypatch.setenv("COLUMNS", "200")
    wide = cli("reflect", SHADER).stdout
    assert set(narrow.split()) >= {word for word in wide.split() if not word.startswith("--")}
    assert table_lines(("a",), [("x" * 50,)], 10) == ["a", "-" * 10, "x" * 50]


def test_safe_names():
    assert safe_path(["C:\\x", "..", "a."], "@0.dxbc").as_posix() == "C__x/a~6e9a7cf6@0.dxbc"
    for name in ("nul", "COM1.txt", "a" * 300, "漢" * 300, "\udcff\x1b", "x/" * 3000, "", ". ."):
        path = safe_path(name.split("/"), "@0x0.ps_2_0.bin")
        assert all(len(os.fsencode(part)) <= 255 for part in path.parts)
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert printable(str(path)) == str(path)
        assert not path.stem.lower().startswith(("nul", "com1"))


def test_a_long_member_name_does_not_end_the_scan(cli, library):
    shader = (library / SHADER).read_bytes()
    names = ["a" * 300 + ".cso", "\x1b[31m.cso", "CON", "A.cso", "a.cso", "../../up.cso"]
    with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, name in enumerate(names):
            archive.writestr(name, shader + bytes(number))
    result = cli("scan", "--decompress", "--extract", "out", "x.zip")
    assert (result.exit_code, result.stderr) == (0, "")
    assert len(result.stdout.splitlines()) == len(names)
    assert "\x1b" not in result.stdout
    written = [p for p in (library / "out").rglob("*") if p.is_file()]
    assert len({str(p).casefold() for p in written}) == len(names)
    assert all(p.read_bytes() == shader for p in written)
    hint = cli("scan", "x.zip")
    assert hint.stderr == (
        "softd3d: no shaders found\n"
        "softd3d: x.zip is compressed: --decompress looks into such files\n"
    )
