"""The listing's switches: numbers, offsets, hex literals, the older dialect, exact literals."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from token_streams import program_bytes

from softd3d.isa.asm.numbers import LiteralKind, double_writer, exact_float_text, literal_writer
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals
from softd3d.isa.asm.printer import InstructionNotes, listing
from softd3d.isa.sm4.decode import decode

DISASSEMBLED = Path(__file__).parent / "data/disassembled_options.txt"
OPTIONS = {
    "old": ListingOptions(dialect=Dialect.D3D9_30),
    "hex": ListingOptions(literals=Literals.HEX),
    "num": ListingOptions(numbers=True, offsets=True),
}
RET = 0x0100003E


@pytest.mark.parametrize("name", OPTIONS)
def test_options_print_as_microsoft_prints_them(name: str) -> None:
    wrong: list[tuple[str, str]] = []
    checked = 0
    for line in DISASSEMBLED.read_text().splitlines()[1:]:
        option, tokens, want = line.split("\t")
        if option != name:
            continue
        version, *words = (int(token, 16) for token in tokens.split())
        text = listing(decode(program_bytes(version, words)), None, OPTIONS[name])
        got = "\\n".join(text.splitlines()[1:])
        checked += 1
        if got != want:
            wrong.append((want, got))
    assert wrong == []
    assert checked > 150


def test_numbers_alone_and_offsets_alone() -> None:
    program = decode(program_bytes(0x00050050, [0x02000068, 1, RET]))
    assert listing(program, None, ListingOptions(numbers=True)).splitlines() == [
        "      cs_5_0",
        "      dcl_temps 1",
        "   0: ret ",
    ]
    assert listing(program, None, ListingOptions(offsets=True)).splitlines() == [
        "0x00000000: cs_5_0",
        "0x00000008: dcl_temps 1",
        "0x00000010: ret ",
    ]


def test_offsets_count_from_the_program() -> None:
    data = program_bytes(0x00050050, [RET])
    options = ListingOptions(offsets=True)
    assert listing(decode(data, 1000), None, options) == listing(decode(data), None, options)


def test_notes_stand_around_instructions() -> None:
    program = decode(program_bytes(0x00050050, [0x02000068, 1, RET]))
    notes = {
        1: InstructionNotes(("", "#line 3"), "// r0.x <- a"),
        -1: InstructionNotes(("// end",)),
    }
    assert listing(program, 1, notes=notes).splitlines() == [
        "cs_5_0",
        "dcl_temps 1",
        "",
        "#line 3",
        "ret   // r0.x <- a",
        "// end",
        "// Approximately 1 instruction slots used",
    ]


@given(st.integers(0, 0xFFFFFFFF))
def test_exact_floats_read_back(bits: int) -> None:
    text = exact_float_text(bits)
    if text.startswith("0x"):
        assert int(text, 16) == bits
        assert bits & 0x7F800000 == 0x7F800000
    else:
        assert struct.unpack("<I", struct.pack("<f", float(text)))[0] == bits
        assert set(".e") & set(text)


@pytest.mark.parametrize(
    ("bits", "text"),
    [(0, "0.0"), (0x80000000, "-0.0"), (1, "1.4013e-45"), (0x3EAAAAAB, "0.33333334"),
     (0x7F7FFFFF, "3.4028235e+38"), (0x4B800000, "16777216.0"), (0x3F800001, "1.0000001")],
)  # fmt: skip
def test_exact_floats_are_short(bits: int, text: str) -> None:
    assert exact_float_text(bits) == text


@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
def test_exact_doubles_read_back(low: int, high: int) -> None:
    text = double_writer(Dialect.D3D10_1, Literals.EXACT)(low, high)
    assert text.endswith("l")
    bits = high << 32 | low
    if text.startswith("0x"):
        assert int(text[:-1], 16) == bits
    else:
        assert struct.unpack("<Q", struct.pack("<d", float(text[:-1])))[0] == bits


@pytest.mark.parametrize(
    ("value", "new", "old"),
    [(0.0078125, "0.007812", "0.007813"), (-0.0234375, "-0.023438", "-0.023438"),
     (0.5, "0.500000", "0.500000"), (2.0**64, f"{2**64}.000000", f"{2**64}.000000")],
)  # fmt: skip
def test_the_old_dialect_rounds_ties_away_from_zero(value: float, new: str, old: str) -> None:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    kind = LiteralKind.FLOAT
    assert literal_writer(Dialect.D3D10_1, Literals.PLAIN, kind)(bits) == new
    assert literal_writer(Dialect.D3D9_30, Literals.PLAIN, kind)(bits) == old
