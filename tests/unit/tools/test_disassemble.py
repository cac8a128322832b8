"""Listings by content, and exact listings that give every byte back."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import softd3d
from softd3d.container.assembly.containers import assemble, assemble_tokens
from softd3d.container.dxbc.container import Chunk, build, parse
from softd3d.errors import DecodeError, ShaderError
from softd3d.isa.asm.options import ListingOptions, Literals
from softd3d.tools.text.disassembler import disassemble, disassemble_exact

DATA = Path(__file__).parents[1] / "container/data"
SAMPLES = sorted(DATA.glob("*.dxbc"))
NOT_COMMENTS = ("//", "#line")


def code_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(NOT_COMMENTS)]


def test_a_loaded_shader_is_listed_too() -> None:
    for data in (SAMPLES[0].read_bytes(), softd3d.assemble("ps_2_0\nmov oC0, c0")):
        shader = softd3d.load(data)
        assert disassemble(shader) == disassemble(data) == str(shader)
        assert disassemble_exact(shader) == disassemble_exact(data)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_exact_listings_give_the_file_back(path: Path) -> None:
    data = path.read_bytes()
    assert assemble(disassemble_exact(data)) == data


@pytest.mark.corpus
def test_exact_listings_of_the_samples(shared: Path) -> None:
    paths = sorted((shared / "samples/sm4_5").glob("*.dxbc"))
    assert len(paths) > 200
    for path in paths:
        data = path.read_bytes()
        text = disassemble_exact(data)
        assert assemble(text) == data, path.name
        assert ".tokens" not in text, path.name


@pytest.mark.corpus
@pytest.mark.slow
def test_exact_listings_of_the_corpus(shared: Path) -> None:
    checked = 0
    for path in sorted((shared / "corpus").rglob("*.bin")):
        data = path.read_bytes()
        if data[:4] == b"DXBC":
            assert assemble(disassemble_exact(data)) == data, path.name
            checked += 1
    assert checked > 1000


def test_bare_programs_too() -> None:
    data = parse(SAMPLES[0].read_bytes()).program_chunk.data
    assert assemble_tokens(disassemble_exact(data)) == data
    assert code_of(disassemble(data)) == code_of(disassemble(SAMPLES[0].read_bytes()))


def test_exact_listings_have_the_header_as_comments() -> None:
    for path in SAMPLES:
        data = path.read_bytes()
        header, _, rest = disassemble_exact(data).partition(".container\n")
        plain = disassemble(data).splitlines()
        lines = header.splitlines()
        assert len(lines) > 10, path.name
        assert [line.removeprefix("//").lstrip() for line in lines[1:]] == [
            line.removeprefix("//").lstrip() for line in plain[: len(lines) - 1]
        ], path.name
        assert all(line.startswith("//") for line in lines)
        assert rest


def test_names_that_look_like_directives_are_comments() -> None:
    data = SAMPLES[0].read_bytes()
    creator, name = b"Shader Compiler", b"\n.tail\r.chunk X"
    assert data.count(creator) == 1
    named = build(parse(data.replace(creator, name)).chunks)
    text = disassemble_exact(named)
    assert "\n//.tail\n//.chunk X" in text
    assert assemble(text) == named


def test_without_header_where_a_chunk_is_malformed() -> None:
    container = parse(SAMPLES[0].read_bytes())
    chunks = [
        Chunk(chunk.fourcc, b"broken" if chunk.fourcc == "RDEF" else chunk.data)
        for chunk in container.chunks
    ]
    data = build(chunks)
    text = disassemble_exact(data)
    assert text.splitlines()[1] == ".container"
    assert ".program" in text
    assert assemble(text) == data


def test_options_reach_listings_of_direct3d_9() -> None:
    data = struct.pack("<8I", 0xFFFF0200, 0x05000051, 0xA00F0000, 0x3F800000, 0, 0, 0, 0xFFFF)
    options = ListingOptions(literals=Literals.HEX, offsets=True)
    assert disassemble(data, options).splitlines()[1] == (
        "0x00000004:     def c0, 0x3f800000, 0x00000000, 0x00000000, 0x00000000"
    )


def test_broken_programs_are_bytes() -> None:
    data = build([Chunk("SHEX", b"not a program"), Chunk("ISGN", b"nor a signature")])
    assert assemble(disassemble_exact(data)) == data


def test_what_is_no_shader_is_refused() -> None:
    with pytest.raises(DecodeError, match="not a shader"):
        disassemble(b"hello")


@given(st.data())
def test_damaged_files_come_back_or_are_refused(data: st.DataObject) -> None:
    original = data.draw(st.sampled_from(SAMPLES)).read_bytes()
    damaged = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(20, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        text = disassemble_exact(bytes(damaged))
    except ShaderError:
        return
    assert assemble(text) == bytes(damaged)


def test_code_alone() -> None:
    data = SAMPLES[0].read_bytes()
    text = disassemble(data, ListingOptions(code_only=True))
    assert text.splitlines() == [
        line for line in disassemble(data).splitlines() if not line.startswith("//")
    ]
