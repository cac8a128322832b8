"""Wrong texts: each has its message, line and column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from softd3d.errors import AssemblyError
from softd3d.isa.asm.diagnostic import Diagnostic, ListingError, excerpt
from softd3d.isa.asm.sm4.parser import parse_instruction, parse_program
from softd3d.isa.sm4.enums import ProgramType

WRONG_LINES = Path(__file__).parent / "data/wrong_lines.txt"
LEAST_CASES = 380


def diagnostics(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(ListingError) as caught:
        parse_program(text)
    return [(d.line, d.column, d.message) for d in caught.value.diagnostics]


def test_wrong_lines(golden: Callable[[Path, str], None]) -> None:
    """Each statement of the file is wrong, with one message; `--bless` writes the messages."""
    head, *lines = WRONG_LINES.read_text().splitlines()
    found, version, statements = [head], "", set[str]()
    for line in lines:
        if line.startswith("== "):
            version = line[3:]
        elif line.lstrip(" ").startswith("^ "):
            continue  # a message, which is found anew
        else:
            assert line not in statements, line
            statements.add(line)
        found.append(line)
        if line in statements:
            ((number, column, message),) = diagnostics(f"// a comment\n{version}\nret\n{line}\n")
            assert number == 4, line
            found.append(f"{' ' * (column - 1)}^ {message}")
    assert len(statements) >= LEAST_CASES
    golden(WRONG_LINES, "\n".join(found) + "\n")


NOTHING = "wanted a version such as ps_5_0, found nothing"
UNKNOWN = "is none of shader models 4.0 to 5.1, did you mean"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", (1, 1, NOTHING)),
        ("\n// nothing\n", (3, 1, NOTHING)),
        ("\0", (1, 1, NOTHING)),
        ("ret", (1, 1, "wanted a version such as ps_5_0, found 'ret'")),
        ("\n  ps_5_2", (2, 3, f"'ps_5_2' {UNKNOWN} ps_5_1 or ps_5_0?")),
        ("ps_6_0", (1, 1, f"'ps_6_0' {UNKNOWN} ps_5_0 or ps_4_0?")),
        ("lib_6_0", (1, 1, f"'lib_6_0' {UNKNOWN} lib_5_0 or lib_4_0?")),
        ("qs_4_0", (1, 1, f"'qs_4_0' {UNKNOWN} vs_4_0 or ps_4_0?")),
        ("ps_5", (1, 1, f"{NOTHING[:-7]}'ps_5', did you mean ps_5_1 or ps_5_0?")),
        ("ps_3_0\nmov r0, c0", (2, 1, f"{NOTHING[:-7]}Direct3D 9 code alone")),
        ("vs_2_x\nmov r0, c0\nvs_6_0", (3, 1, f"'vs_6_0' {UNKNOWN} vs_5_0 or vs_4_0?")),
    ],
)
def test_wrong_first_lines(text: str, found: tuple[int, int, str]) -> None:
    assert diagnostics(text) == [found]


def test_several_mistakes_are_found_at_once() -> None:
    text = "ps_5_0\nmov r0.q, r1.x\nret\n  foo // bar\nadd r0.x, r1.x\n"
    assert [(line, column) for line, column, _ in diagnostics(text)] == [(2, 8), (4, 3), (5, 15)]


def test_mistakes_are_counted_up_to_a_limit() -> None:
    assert len(diagnostics("ps_5_0\n" + "foo\n" * 1000)) == 20


@pytest.mark.parametrize(
    ("prefix", "column"),
    [("  12  0x00000204: ", 19), ("0: ", 4), ("\t", 2), ("    ", 5), ("0x00000010:   ", 15)],
)
def test_columns_count_what_stands_before_the_statement(prefix: str, column: int) -> None:
    assert diagnostics(f"ps_5_0\n{prefix}mvo r0.x, r1.x // mvo")[0][:2] == (2, column)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("{ { 1, 2, 3, 4},\n  { 1, 2, 3, x} }", (3, 14, "wanted a number, found 'x'")),
        ("{ { 1, 2, 3, 4},\n  { 1, 2, 3} }", (3, 4, "a row has four numbers, found 3")),
        ("{ { 1, 2, 3, 4},\n  // comment }\n  oops }", (2, 29, "{ is not closed")),
        ("{ { 1, 2, 3, 4},\n\n", (2, 29, "{ is not closed")),
        ("{ { 1, 2, 3, 4}\n  {0x100000000, 0, 0, 0} }",
         (3, 4, "'0x100000000' does not fit 32 bits")),
    ],
)  # fmt: skip
def test_rows_of_immediate_constants(rows: str, found: tuple[int, int, str]) -> None:
    assert found in diagnostics(f"ps_5_0\ndcl_immediateConstantBuffer {rows}\nret")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mov r0.x, l(" + "1" * 2001 + ")", "a number of 2001 digits, at most 2000"),
        ("mov r0.x, l(0." + "1" * 2000 + ")", "a number of 2002 characters, at most 2000"),
        ("mov r0.x, " + "r" * 5000, "a statement of 5010 characters, at most 4096"),
        ("dcl_temps " + "1" * 5000, "a statement of 5010 characters, at most 4096"),
        ("x" * 60, f"'{'x' * 37}...' is no instruction"),
    ],
)
def test_long_lines_are_refused_or_cut(line: str, message: str) -> None:
    ((_, _, found),) = diagnostics(f"ps_5_0\n{line}")
    assert found == message


def test_one_instruction_alone() -> None:
    with pytest.raises(AssemblyError) as caught:
        parse_instruction("  mov r0.x, r1.q", (5, 0), ProgramType.PS)
    assert str(caught.value) == "'q' is no component, wanted x, y, z or w (line 1:16)"


def test_excerpts() -> None:
    assert excerpt("\tmov r0.q", 5) == ("     mov r0.q", "        ^")
    line = "mov r0.x, " + " " * 500 + "r0.q"
    shown, caret = excerpt(line, 514)
    assert shown[len(caret) - 1] == "q"
    assert len(shown) < 210
    found = Diagnostic("'q' is no component", 3, 8, "mov r0.q, v0.x")
    assert str(found).splitlines() == ["'q' is no component", "    mov r0.q, v0.x", "           ^"]
