"""`softd3d dxbc`: the chunk editor as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from softd3d.container.dxbc.container import Chunk, build, parse, stored_checksum_kind

NAME = "cs_mandelbrot.cs_5_0.dxbc"
CHUNKS = ["RDEF", "ISGN", "OSGN", "SHEX", "STAT"]
WRONG = "the checksum is wrong, Direct3D refuses the file"


def names(path: Path) -> list[str]:
    return [chunk.fourcc for chunk in parse(path.read_bytes()).chunks]


@pytest.fixture
def payload(library: Path) -> bytes:
    """Contents of the file `payload`."""
    (library / "payload").write_bytes(b"12345678")
    return b"12345678"


@pytest.fixture
def wrong(library: Path) -> bytes:
    """Contents of the file `wrong`, a container with a wrong checksum."""
    data = bytearray((library / NAME).read_bytes())
    data[4] ^= 1
    (library / "wrong").write_bytes(data)
    return bytes(data)


def succeed(result) -> bytes:
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout_bytes


def test_list(cli):
    text = succeed(cli("dxbc", "list", NAME)).decode()
    assert text == (
        "cs_mandelbrot.cs_5_0.dxbc: 1460 bytes, 5 chunks\n"
        "    0  RDEF  0x000034       580\n"
        "    1  ISGN  0x000280         8\n"
        "    2  OSGN  0x000290         8\n"
        "    3  SHEX  0x0002a0       624\n"
        "    4  STAT  0x000518       148\n"
    )


def test_list_shows_odd_names_harmlessly(cli):
    data = build([Chunk("\x1b[1m", b"")])
    text = succeed(cli("dxbc", "list", "-", stdin=data)).decode()
    assert text.splitlines()[1] == "    0  \\x1b[1m  0x000024         0"


def test_list_as_json_goes_on_after_errors(cli, library, wrong):
    result = cli("dxbc", "list", "--json", NAME, "none", "wrong")
    assert result.exit_code == 2
    good, bad = json.loads(result.stdout)
    assert [c["fourcc"] for c in good["chunks"]] == CHUNKS
    assert good["chunks"][1] == {"number": 1, "fourcc": "ISGN", "offset": 0x280, "bytes": 8}
    assert (good["checksum_ok"], good["checksum_kind"]) == (True, "retail")
    assert (bad["checksum_ok"], bad["checksum_kind"], bad["trailing_bytes"]) == (False, None, 0)
    assert result.stderr == (
        f"softd3d: none: No such file or directory\nsoftd3d: wrong: warning: {WRONG}\n"
    )


def test_extract(cli, library):
    chunk = parse((library / NAME).read_bytes()).program_chunk
    assert succeed(cli("dxbc", "extract", NAME, "SHEX")) == chunk.data
    assert succeed(cli("dxbc", "extract", NAME, "SHEX:0", "-o", "out")) == b""
    assert (library / "out").read_bytes() == chunk.data


def test_extract_all(cli, library):
    succeed(cli("dxbc", "extract", NAME, "--all", "some/folder"))
    files = sorted((library / "some/folder").iterdir())
    assert [file.name for file in files] == [f"{n:02}-{c}.bin" for n, c in enumerate(CHUNKS)]
    chunks = parse((library / NAME).read_bytes()).chunks
    assert [file.read_bytes() for file in files] == [chunk.data for chunk in chunks]


def test_replace_in_place(cli, library, payload):
    succeed(cli("dxbc", "replace", NAME, "STAT", "payload", "-o", NAME))
    data = (library / NAME).read_bytes()
    assert parse(data).chunks[4].data == payload
    assert stored_checksum_kind(data) == "retail"
    assert not [path for path in library.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("options", "place"),
    [([], 5), (["--at", "0"], 0), (["--before", "OSGN"], 2), (["--before", "SHEX:0"], 3)],
)
def test_add(cli, library, payload, options, place):
    succeed(cli("dxbc", "add", NAME, "PRIV", "payload", *options, "-o", "out"))
    assert names(library / "out") == [*CHUNKS[:place], "PRIV", *CHUNKS[place:]]


def test_remove(cli, library):
    succeed(cli("dxbc", "remove", NAME, "STAT", "RDEF:0", "-o", "out"))
    assert names(library / "out") == ["ISGN", "OSGN", "SHEX"]


def test_strip(cli, library, payload):
    succeed(cli("dxbc", "set", NAME, "private-data", "payload", "-o", "out"))
    assert names(library / "out") == [*CHUNKS, "PRIV"]
    assert succeed(cli("dxbc", "get", "out", "private-data")) == payload
    assert succeed(cli("dxbc", "get", "out", "10")) == payload
    assert succeed(cli("dxbc", "get", "out", "0xA")) == payload
    succeed(cli("dxbc", "strip", "out", "--private", "--debug", "-o", "one"))
    assert (library / "one").read_bytes() == (library / NAME).read_bytes()
    succeed(cli("dxbc", "strip", "out", "--reflection", "-o", "two"))
    assert names(library / "two") == ["ISGN", "OSGN", "SHEX", "PRIV"]


def test_verbs_can_be_piped(cli, library):
    data = (library / NAME).read_bytes()
    stripped = succeed(cli("dxbc", "strip", "-", "--reflection", "-o", "-", stdin=data))
    signature = succeed(cli("dxbc", "get", "-", "input-signature", stdin=stripped))
    assert [chunk.fourcc for chunk in parse(signature).chunks] == ["ISGN"]


def test_sign(cli, library, wrong):
    result = cli("dxbc", "sign", "--check", "wrong")
    assert (result.exit_code, result.stderr) == (1, f"softd3d: wrong: {WRONG}\n")
    succeed(cli("dxbc", "sign", "wrong", "-o", "wrong"))
    assert (library / "wrong").read_bytes() == (library / NAME).read_bytes()
    succeed(cli("dxbc", "sign", "--check", "wrong"))


def test_wrong_checksums_are_a_warning_or_an_error(cli, library, wrong):
    arguments = ("dxbc", "remove", "wrong", "STAT", "-o", "out")
    result = cli(*arguments)
    assert (result.exit_code, result.stderr) == (0, f"softd3d: wrong: warning: {WRONG}\n")
    assert stored_checksum_kind((library / "out").read_bytes()) == "retail"
    (library / "out").unlink()
    result = cli(*arguments, "--strict")
    assert (result.exit_code, result.stderr) == (2, f"softd3d: wrong: {WRONG}\n")
    assert not (library / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["extract", NAME, "SHDR"], "no chunk SHDR, found RDEF ISGN OSGN SHEX STAT"),
        (["get", NAME, "pdb"], "no part pdb: no chunk SPDB"),
        (["remove", NAME, "PRIV", "-o", NAME], "no chunk PRIV, found RDEF ISGN OSGN SHEX STAT"),
        (["add", NAME, "NOTFOUR", NAME, "-o", NAME], "container: 'NOTFOUR' is not a FourCC"),
        (
            ["replace", NAME, "rdef", NAME, "-o", NAME],
            "no chunk rdef, found RDEF ISGN OSGN SHEX STAT, did you mean RDEF?",
        ),
    ],
)
def test_errors_leave_files_alone(cli, library, arguments, text):
    before = (library / NAME).read_bytes()
    result = cli("dxbc", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"softd3d: {NAME}: {text}\n"
    assert (library / NAME).read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [["sign", NAME], ["strip", NAME, "--test"], ["extract", NAME, "STAT"]]
)
def test_a_file_that_cannot_be_written_is_named(cli, library, arguments):
    result = cli("dxbc", *arguments, "-o", "none/out")
    assert (result.exit_code, result.stderr) == (
        2,
        "softd3d: none/out: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (
            b"hello",
            "no DXBC container, it starts with b'hell' (byte offset 0x0)",
        ),
        (b"", "the part root-signature cannot be empty"),
        (build([]), "no part root-signature: no chunk RTS0"),
    ],
)
def test_a_part_that_cannot_be_set_is_named(cli, library, contents, message):
    (library / "part").write_bytes(contents)
    result = cli("dxbc", "set", NAME, "root-signature", "part", "-o", "out")
    assert (result.exit_code, result.stderr) == (2, f"softd3d: part: {message}\n")


@pytest.mark.parametrize("verb", ["replace", "add"])
def test_data_that_misaligns_what_follows_is_a_warning(cli, library, verb):
    (library / "odd").write_bytes(b"12345")
    result = cli("dxbc", verb, NAME, "STAT", "odd", "-o", "out")
    assert result.exit_code == 0
    assert result.stderr == (
        "softd3d: odd: warning: 5 bytes are no multiple of 4; chunks behind this one are not "
        "aligned, as with Microsoft's tools\n"
    )
    assert parse((library / "out").read_bytes()).chunks[-1].data == b"12345"


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["extract", NAME],
        ["extract", NAME, "SHEX", "--all", "folder"],
        ["extract", NAME, "SHEX0"],
        ["remove", NAME, "STAT"],
        ["remove", NAME, "-o", "out"],
        ["strip", NAME, "-o", "out"],
        ["sign", NAME],
        ["sign", NAME, "--check", "-o", "out"],
        ["get", NAME, "nothing"],
        ["set", NAME, "pdb", NAME, "-o", "out"],
        ["replace", "-", "STAT", "-", "-o", "out"],
        ["add", NAME, "PRIV", NAME, "--at", "1", "--before", "STAT", "-o", "out"],
    ],
)
def test_wrong_usage(cli, library, arguments):
    result = cli("dxbc", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")
    assert not (library / "out").exists()


def test_help_names_all_parts(cli):
    from softd3d.container.dxbc.parts import BlobPart

    text = succeed(cli("dxbc", "get", "--help")).decode()
    assert all(part.label in text for part in BlobPart)
