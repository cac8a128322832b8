"""Format strings of messages, as C's printf has them, on operands that are bits."""

from __future__ import annotations

import struct

import pytest

from softd3d.errors import Location
from softd3d.isa.shader_message import MessageKind, MessageSite
from softd3d.lower.printf import MAX_WIDTH, format_message


def said(text: str, *operands: float, is_format: bool = True) -> str:
    """Format integers as they are, and Python's floats as float32."""
    words = [
        struct.unpack("<I", struct.pack("<f", x))[0] if isinstance(x, float) else x & 0xFFFFFFFF
        for x in operands
    ]
    wide = (False,) * len(words)
    site = MessageSite(0, MessageKind.PRINTF, text, is_format, (), wide, Location())
    return format_message(site, words)


# What glibc's printf writes for the same arguments
CASES = [
    ("%d %i %u", (-5, 7, -1), "-5 7 4294967295"),
    ("%5d|%-5d|%05d|%+d|% d", (42, 42, 42, 42, 42), "   42|42   |00042|+42| 42"),
    ("%+u % u %+x", (1, 1, 255), "1 1 ff"),
    ("%x %X %o", (0xBEEF, 0xBEEF, 8), "beef BEEF 10"),
    ("%#x %#X %#o %#x %#o", (255, 255, 8, 0, 0), "0xff 0XFF 010 0 0"),
    ("%08x %#010x %-#8xq", (0xAB, 0xAB, 0xAB), "000000ab 0x000000ab 0xab    q"),
    ("%.3d %6.3d %-6.3d| %06.3d %.0d|", (7, 7, 7, 7, 0), "007    007 007   |    007 |"),
    ("%.3d", (-7,), "-007"),
    ("%05d", (-42,), "-0042"),
    ("%f %e %g", (1.5, 1.5, 1.5), "1.500000 1.500000e+00 1.5"),
    ("%.2f %10.3f|%-10.1f|%+.1f|%010.2f", (2.5, 2.5, 2.5, 2.5, -2.5),
     "2.50      2.500|2.5       |+2.5|-000002.50"),
    ("%F %E %G", (float("inf"), 1e-20, 1e20), "INF 1.000000E-20 1E+20"),
    ("%f %08f|%-6f|", (float("-inf"), float("inf"), float("nan")), "-inf      inf|nan   |"),
    ("%.0f %.0f", (0.5, 1.5), "0 2"),
    ("%c%c%3c|%-3c|", (65, 0x142, 67, 68), "AB  C|D  |"),
    ("%*d|%*d|%.*f", (5, 42, -5, 42, 1, 2.25), "   42|42   |2.2"),
    ("%ld %lld %hd %I64d %zu", (1, 2, 3, 4, 5), "1 2 3 4 5"),
    ("100%% %d%%", (5,), "100% 5%"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "operands", "wanted"), CASES)
def test_conversions(text: str, operands: tuple[float, ...], wanted: str):
    assert said(text, *operands) == wanted


def test_what_c_does_not_define_has_a_meaning():
    assert said("%s %p %n|", 255, 0xABC, 1) == "0x000000ff 00000ABC |"
    assert said("%d %f %") == "%d %f %"
    assert said("%d %d", 1) == "1 %d"
    assert said("%q %y %", 1) == "%q %y %"
    assert said("none") == "none"
    assert said("%d", 1, 2, 3) == "1"


def test_widths_are_bounded():
    assert said("%999999999d", 1) == "1".rjust(MAX_WIDTH)
    assert len(said("%99999999999999999999999f", 1.0)) == MAX_WIDTH
    assert len(said("%*d", 0x7FFFFFFF, 1)) == MAX_WIDTH
    assert len(said("%.999999999d", 1)) == MAX_WIDTH


def test_plain_texts_are_not_formatted():
    assert said("100% %d", 1, is_format=False) == "100% %d"


def test_a_nan_has_no_sign():
    assert said("%f %+f", -0x400000, -0x400000) == "nan +nan"


def said_of(text: str, *operands: tuple[int, bool]) -> str:
    """Format operands given as bits, and whether each is a double."""
    words: list[int] = []
    for bits, is_double in operands:
        words += [bits & 0xFFFFFFFF, bits >> 32] if is_double else [bits]
    wide = tuple(is_double for _, is_double in operands)
    site = MessageSite(0, MessageKind.PRINTF, text, True, (), wide, Location())
    assert site.dwords == len(words)
    return format_message(site, words)


def test_doubles_are_two_words_low_before_high():
    tenth, third = 0x3FB999999999999A, 0xBFD5555555555555
    assert said_of("%.17g %u %.17g", (tenth, True), (7, False), (third, True)) == (
        "0.10000000000000001 7 -0.33333333333333331"
    )
    assert said_of("%f", (0x7FF0000000000000, True)) == "inf"
    assert said_of("%.3g", (1, True)) == "4.94e-324"
    assert said_of("%d %x %u", (tenth, True), (tenth, True), (5, False)) == (
        "-1717986918 9999999a 5"  # the low word
    )


@pytest.mark.parametrize(
    ("text", "bits", "wanted"),
    [
        ("%s", 0, "0x00000000"), ("%s", 0xABC, "0x00000abc"), ("%s", 0xFFFFFFFF, "0xffffffff"),
        ("%14s|", 0xABC, "    0x00000abc|"), ("%-14s|", 0xABC, "0x00000abc    |"),
        ("%014s|", 0xABC, "    0x00000abc|"), ("%p", 0, "00000000"), ("%p", 0xABC, "00000ABC"),
        ("%10p|", 0xABC, "  00000ABC|"), ("%-10p|", 0xABC, "00000ABC  |"),
        ("%#06x", 0xAB, "0x00ab"), ("%#6x", 0xAB, "  0xab"), ("%-#6x|", 0xAB, "0xab  |"),
        ("%#06X", 0, "000000"), ("%#.4x", 0xAB, "0x00ab"), ("%#8.4x", 0xAB, "  0x00ab"),
        ("%08X", 0xAB, "000000AB"), ("%04x", 0xABCDE, "abcde"), ("%#06o", 8, "000010"),
    ],
)  # fmt: skip
def test_hexadecimal_is_padded(text: str, bits: int, wanted: str):
    assert said_of(text, (bits, False)) == wanted
