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
from softd3d.isa.asm.sm4.printer import InstructionNotes, listing
from softd3d.isa.sm4.decode import decode

DISASSEMBLED = Path(__file__).parent / "data/disassembled_options.txt"
OPTIONS = {
    "old": ListingOptions(dialect=Dialect.D3D9_29),
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
     (0.5, "0.500000", "0.500000"), (2.0**56, f"{2**56}.000000", f"{2**56}.000000"),
     (2.0**64, f"{2**64}.000000", "18446744073709552000.000000"),
     (-(2.0**70), f"-{2**70}.000000", "-1180591620717411300000.000000")],
)  # fmt: skip
def test_old_dialects_round_17_digits_away_from_zero(value: float, new: str, old: str) -> None:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    kind = LiteralKind.FLOAT
    assert literal_writer(Dialect.D3D10_1, Literals.PLAIN, kind)(bits) == new
    assert literal_writer(Dialect.D3D9_30, Literals.PLAIN, kind)(bits) == old
    assert literal_writer(Dialect.D3D9_29, Literals.PLAIN, kind)(bits) == old


def test_negative_zeros_in_immediate_constant_buffers() -> None:
    words = [0x1835, 6, 0x80000000, 0x3F800000, 0, 1, 0x05000036, 0x00100012, 0, 0x00004001]
    program = decode(program_bytes(0x00050050, [*words, 0x80000000]))
    for dialect, text in ((Dialect.D3D10_1, "-0.000000"), (Dialect.D3D9_30, "-0.000000"),
                          (Dialect.D3D9_29, "0x80000000")):  # fmt: skip
        lines = listing(program, None, ListingOptions(dialect)).splitlines()
        assert lines[1:] == [
            f"dcl_immediateConstantBuffer {{ {{ {text}, 1.000000, 0, 1}} }}",
            "mov r0.x, l(-0.000000)",
        ]


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ([0x04000059, 0x00208E46, 0, 4],
         ["dcl_constantbuffer CB0[4], immediateIndexed",
          "dcl_constantbuffer cb0[4], immediateIndexed",
          "dcl_constantbuffer cb0[4], immediateIndexed"]),
        ([0x040000A2, 0x00107000, 0, 16],
         ["dcl_resource_structured t0, 16",
          "dcl_resource_structured t0, 16 ",
          "dcl_resource_structured t0, 16 "]),
        ([0x04000863, 0x00101012, 1, 8],
         ["dcl_input_ps_sgv constant v1.x, instance_id",
          "dcl_input_ps_sgv v1.x, instance_id",
          "dcl_input_ps_sgv v1.x, instance_id"]),
        ([0x0304000D, 0x0010000A, 0], ["discard_nz r0.x", "discard_nz r0.x", "discard r0.x"]),
        ([0x0100886A],
         ["dcl_globalFlags refactoringAllowed | skipOptimization",
          "dcl_globalFlags refactoringAllowed | skipOptimization",
          "dcl_globalFlags refactoringAllowed"]),
        ([0x8A000045, 0x00000201, 0x001000F2, 0, 0x00101046, 0, 0x00107E46, 0, 0x00106000, 0],
         ["sample_aoffimmi(1,0,0) r0.xyzw, v0.xyxx, t0.xyzw, s0",
          "sample_aoffimmi(1,0,0) r0.xyzw, v0.xyxx, t0.xyzw, s0",
          "sample(1,0,0) r0.xyzw, v0.xyxx, t0.xyzw, s0"]),
    ],
)  # fmt: skip
def test_dialects(words: list[int], texts: list[str]) -> None:
    program = decode(program_bytes(0x00000050, words))
    for dialect, text in zip(Dialect, texts, strict=True):
        assert listing(program, None, ListingOptions(dialect)).splitlines() == ["ps_5_0", text]
