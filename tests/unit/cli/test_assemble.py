"""`softd3d as`."""

from __future__ import annotations

from pathlib import Path

import pytest

from softd3d.container.dxbc import container as dxbc
from softd3d.container.listing.exact import exact_listing
from softd3d.container.reflection.stat import parse_stat

NAME = "cs_mandelbrot.cs_5_0.dxbc"
TEXT = "cs_5_0\ndcl_thread_group 1, 1, 1\nret\n"


@pytest.fixture
def text(library: Path) -> Path:
    path = library / "shader.asm"
    path.write_text(TEXT)
    return path


def test_a_listing_becomes_a_container(cli, text):
    result = cli("as", "shader.asm", "-o", "out.dxbc")
    assert (result.exit_code, result.output) == (0, "")
    container = dxbc.parse(Path("out.dxbc").read_bytes())
    assert [chunk.fourcc for chunk in container.chunks] == ["ISGN", "OSGN", "SHEX", "STAT"]


def test_tokens_alone_through_standard_input_and_output(cli):
    result = cli("as", "-", "-o", "-", "--tokens", stdin=b"\xef\xbb\xbfps_4_0\r\nret \r\n\0")
    assert result.exit_code == 0
    assert result.stdout_bytes.hex(" ", 4) == "40000000 03000000 3e000001"


def test_a_template_gives_the_other_chunks(cli, library, text):
    assert cli("as", "shader.asm", "-o", "out.dxbc", "--like", NAME).exit_code == 0
    old, new = (dxbc.parse((library / name).read_bytes()) for name in (NAME, "out.dxbc"))
    assert [chunk.fourcc for chunk in new.chunks] == [chunk.fourcc for chunk in old.chunks]
    assert new.find("RDEF").data == old.find("RDEF").data
    assert len(new.program_chunk.data) == 4 * 7


def test_exact_text_gives_the_file_back(cli, library):
    data = (library / NAME).read_bytes() + b"more"
    (library / "exact.asm").write_text(exact_listing(data))
    assert cli("as", "exact.asm", "-o", "out.dxbc").exit_code == 0
    assert (library / "out.dxbc").read_bytes() == data


def test_an_edited_exact_listing_is_refreshed(cli, library):
    cli("dis", "--exact", NAME, "-o", "exact.asm")
    text = (library / "exact.asm").read_text()
    assert cli("as", "--refresh", "exact.asm", "-o", "same").exit_code == 0
    assert (library / "same").read_bytes() == (library / NAME).read_bytes()
    (library / "exact.asm").write_text(text.replace("\nret", "\nadd r0.x, r0.x, r0.x\nret"))
    counts = []
    for options in ([], ["--refresh"]):
        assert cli("as", *options, "exact.asm", "-o", "out").exit_code == 0
        stat = dxbc.parse((library / "out").read_bytes()).find("STAT")
        counts.append(parse_stat(stat).instruction_count)
    assert counts[1] == counts[0] + 1
    assert cli("as", "--tokens", "exact.asm", "-o", "tokens").exit_code == 0
    program = dxbc.parse((library / "out").read_bytes()).program_chunk
    assert (library / "tokens").read_bytes() == program.data


def test_mistakes_are_shown_with_their_lines(cli, library):
    (library / "wrong.asm").write_text("ps_5_0\n  mvo r0.x, r1.x\n\tret r0.x // x\n")
    result = cli("as", "wrong.asm", "-o", "out.dxbc")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        "wrong.asm:2:3: error: 'mvo' is no instruction, did you mean mov?",
        "      mvo r0.x, r1.x",
        "      ^",
        "wrong.asm:3:6: error: ret takes no operands, found 1",
        "     ret r0.x // x",
        "         ^",
    ]
    assert not (library / "out.dxbc").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.asm", "-o", "x"), "softd3d: missing.asm: No such file or directory"),
        (("shader.asm", "-o", "x", "--like", "missing"),
         "softd3d: missing: No such file or directory"),
        (("shader.asm", "-o", "no/x"), "softd3d: no/x: No such file or directory"),
        (("shader.asm", "-o", "x", "--like", "shader.asm"),
         "softd3d: shader.asm: no DXBC container, it starts with b'cs_5' (byte offset 0x0)"),
        (("shader.asm", "-o", "x", "--like", NAME, "--tokens"),
         "Error: --tokens and --like exclude each other."),
        (("shader.asm", "-o", "x", "--refresh", "--tokens"),
         "Error: --tokens and --refresh exclude each other."),
        (("-", "-o", "x", "--like", "-"),
         "Error: The listing and the template cannot both be standard input."),
        (("-", "-o", "x", "--like", "shader.asm"),
         "softd3d: shader.asm: no DXBC container, it starts with b'cs_5' (byte offset 0x0)"),
        (("exact.asm", "-o", "x", "--like", NAME),
         "softd3d: exact.asm: an exact listing has all its chunks, none come from a template"),
        (("empty.asm", "-o", "x", "--tokens"),
         "softd3d: empty.asm: no SHDR or SHEX chunk, found no chunks (byte offset 0x1c)"),
        (("old.asm", "-o", "x", "--refresh"),
         "softd3d: old.asm: a shader of model 1 to 3 has no statistics to refresh"),
        (("shader.asm",), "Error: Missing option '-o' / '--output'."),
    ],
)  # fmt: skip
def test_wrong_use(cli, library, text, arguments, message):
    (library / "exact.asm").write_text(exact_listing((library / NAME).read_bytes()))
    (library / "empty.asm").write_text(".container\n")
    (library / "old.asm").write_text("ps_2_0\nmov oC0, c0\n")
    result = cli("as", *arguments, stdin=TEXT.encode())
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == message
    assert not Path("x").exists()


def test_bytes_that_are_no_text_end_in_a_message(cli):
    result = cli("as", "-", "-o", "-", stdin=bytes(range(256)) * 8)
    assert result.exit_code == 2
    assert "-:1:" in result.stderr
    assert ": error: wanted a version such as ps_5_0" in result.stderr
