"""Listings of SM1-3 programs against those of Microsoft's disassembler."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from softd3d.isa.asm.options import ListingOptions, Literals
from softd3d.isa.asm.sm1.listing import Note, listing
from softd3d.isa.asm.sm1.numbers import float_text
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.encode import encode

DATA = sorted((Path(__file__).parent / "data/sm1").glob("*.bin"))
MORE_OPERANDS = (Path(__file__).parent / "data/sm1_operands.txt").read_text().splitlines()[1:]
VS_1_1, VS_2_0, PS_1_1, PS_2_0 = 0xFFFE0101, 0xFFFE0200, 0xFFFF0101, 0xFFFF0200
END = 0xFFFF
MOV = (1, 0x800F0000, 0x90E40000)
TEX = (0x42, 0xB00F0000)
COISSUE = 1 << 30
# Those of the files *.a4.txt
ALL_OPTIONS = ListingOptions(literals=Literals.HEX, numbers=True, offsets=True)


def text(*words: int) -> list[str]:
    return listing(decode(struct.pack(f"<{len(words)}I", *words))).splitlines()


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_own_samples_are_identical(path: Path) -> None:
    assert listing(decode(path.read_bytes())) == path.with_suffix(".txt").read_bytes().decode(
        "latin-1"
    )


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_numbers_offsets_and_hex_literals_are_identical(path: Path) -> None:
    text = listing(decode(path.read_bytes()), options=ALL_OPTIONS)
    assert text == path.with_suffix(".a4.txt").read_bytes().decode("latin-1")


@pytest.mark.parametrize("row", MORE_OPERANDS)
def test_tokens_behind_the_operands_are_listed_and_kept(row: str) -> None:
    stream, _, line = row.partition(" ")
    program = decode(bytes.fromhex(stream))
    assert listing(program).splitlines()[1] == line
    assert encode(program) == bytes.fromhex(stream)


def test_lines_without_slots_have_no_number_but_phase_has() -> None:
    words = (0xFFFF0104, 0xFFFD, *MOV, MOV[0] | COISSUE, *MOV[1:], 0, END)
    program = decode(struct.pack(f"<{len(words)}I", *words), 500)
    assert listing(program, options=ListingOptions(numbers=True)).splitlines()[1:5] == [
        "   0:     phase", "   0:     mov r0, v0", "        + mov r0, v0", "          nop",
    ]  # fmt: skip
    assert listing(program, options=ListingOptions(offsets=True)).splitlines()[:3] == [
        "    ps_1_4", "0x00000004:     phase", "0x00000008:     mov r0, v0",
    ]  # fmt: skip


def test_coissue_is_marked_where_it_has_no_meaning_too() -> None:
    mov = (0x02000001, *MOV[1:])
    lines = text(PS_2_0, *mov, mov[0] | COISSUE, *mov[1:], END)
    assert lines[1:] == [
        "    mov r0, v0", "  + mov r0, v0", "", "// approximately 1 instruction slot used",
    ]  # fmt: skip


@pytest.mark.corpus
def test_assembled_samples_are_identical(shared) -> None:
    paths = sorted((shared / "samples/sm1_3/asm").glob("*.bin"))
    paths += sorted((shared / "samples/sm1_3/tokens").glob("*.bin"))
    different = [
        path.name
        for path in paths
        if listing(decode(path.read_bytes()))
        != path.with_suffix(".txt").read_bytes().decode("latin-1")
    ]
    assert different == []
    assert len(paths) == 334


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (0x80000000, "-0"),
        (0x00000001, "1.40129846e-045"),
        (0x4E6E6B28, "1e+009"),
        (0x3F7FFFFF, "0.99999994"),
        (0xFF800000, "-1.#INF"),
        (0xFFC00000, "-1.#IND"),
        (0xFFC00001, "-1.#QNAN"),
        (0x7F800001, "1.#QNAN"),
    ],
)
def test_floats_are_those_of_the_old_c_library(bits: int, expected: str) -> None:
    assert float_text(bits) == expected


@pytest.mark.parametrize(
    ("words", "slots"),
    [
        ((*MOV, MOV[0] | COISSUE, *MOV[1:]), "1 instruction slot used"),
        ((*TEX, MOV[0] | COISSUE, *MOV[1:]), "2 instruction slots used (1 texture, 1 arithmetic)"),
        ((MOV[0] | COISSUE, *MOV[1:]), "1 instruction slot used"),
        ((0xFFFD,), "0 instruction slots used"),
    ],
)
def test_coissue_takes_the_place_of_an_arithmetic_slot(words: tuple[int, ...], slots: str) -> None:
    assert text(PS_1_1, *words, END)[-1] == f"// approximately {slots}"


def test_a_predicate_takes_a_slot() -> None:
    lines = text(VS_2_0, 0x13000001, 0x800F0000, 0xBDE41000, 0x90E40000, END)
    assert lines[1] == "    (!p0) mov r0, v0"
    assert lines[-1] == "// approximately 2 instruction slots used"


def test_macros_of_vs_1_1_take_more_slots() -> None:
    exp = (0x800F0000, 0x90E40000)
    assert text(VS_1_1, 14, *exp, END)[-1] == "// approximately 10 instruction slots used"
    assert text(VS_2_0, 0x0200000E, *exp, END)[-1] == "// approximately 1 instruction slot used"


@pytest.mark.parametrize(
    ("version", "usage", "register", "expected"),
    [
        (PS_2_0, 0x80000000, 0xB00F0000, "dcl t0"),
        (PS_2_0, 0x80000003, 0x900F0000, "dcl_normal v0"),
        (PS_2_0, 0xA0000000, 0xA00F0801, "dcl_volume s1"),
        (PS_2_0, 0x88000000, 0xA00F0801, "dcl_unknown s1"),
        (VS_2_0, 0x80000000, 0x900F0000, "dcl_position v0"),
        (VS_2_0, 0x800F0005, 0x90030000, "dcl_texcoord15 v0.xy"),
        (VS_2_0, 0x8000000E, 0x900F0000, "dcl_unknown v0"),
    ],
)
def test_declarations(version: int, usage: int, register: int, expected: str) -> None:
    assert text(version, 0x0200001F, usage, register, END)[1] == f"    {expected}"


def test_software_constants_have_four_files() -> None:
    lines = text(0xFFFE02FF, 0x02000001, 0x800F0000, 0xB0E40801, END)
    assert lines[1] == "    mov r0, c2049"


def test_nesting_is_indented_to_a_limit() -> None:
    depth = 3000
    program = (0x01000026, 0xF0E40000) * depth + (0x00000027,) * depth
    lines = text(VS_2_0, *program, END)
    assert lines[3] == "        rep i0"
    assert max(len(line) for line in lines) < 200


def test_notes_stand_before_and_behind_their_instructions() -> None:
    program = decode(struct.pack("<8I", PS_2_0, *(0x02000001, *MOV[1:]) * 2, END))
    notes = (Note(), Note('#line 3 "a.fx"', "::x<0>"))
    assert listing(program, notes).splitlines()[1:5] == [
        "    mov r0, v0",
        "",
        '#line 3 "a.fx"',
        "    mov r0, v0  // ::x<0>",
    ]
