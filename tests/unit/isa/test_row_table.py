"""What a table of rows refuses, and that rows, not lists elsewhere, say what opcodes are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import softd3d
from softd3d.isa.roles import Counts, Flow
from softd3d.isa.row import Kind, Table
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows import TABLE

PACKAGE = Path(softd3d.__file__).parent
# A test of an instruction for certain opcodes: `i.opcode is Opcode.X`, `opcode in {Opcode.X`
TEST_OF_OPCODE = re.compile(r"\bopcode (is|is not|in|not in|==|!=) [({]*\w*Opcode\.")


def test_a_row_that_does_not_say_what_it_counts_as_is_refused() -> None:
    table = Table(has_statistics=True)
    with pytest.raises(ValueError, match=r"^nop: counts= has to say what statistics count it as$"):
        table.flow(Opcode.NOP, "nop", Flow.NOP, spec="inst_NOP", doc="Do nothing.")
    table.flow(Opcode.NOP, "nop", Flow.NOP, counts=Counts.NONE, spec="inst_NOP", doc="Do nothing.")


def test_a_row_without_documentation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^nop: no documentation$"):
        Table().later(Opcode.NOP, "nop", spec="inst_NOP", doc="")


def test_two_rows_of_one_opcode_and_version_are_refused() -> None:
    table = Table()
    table.later(Opcode.NOP, "nop", spec="inst_NOP", doc="Do nothing.", until=(4, 1))
    table.later(Opcode.NOP, "nop", spec="inst_NOP", doc="Do nothing.", since=(5, 0))
    with pytest.raises(ValueError, match=r"^nop: opcode 58 has a row already$"):
        table.later(Opcode.NOP, "nop", spec="inst_NOP", doc="Do nothing.")


def test_every_opcode_has_a_row() -> None:
    assert set(Opcode) == {row.opcode for row in TABLE.rows.values()}


def test_counts_agree_with_what_rows_compute() -> None:
    """A float, int or uint row has operands of that type; a conversion has two types.

    Shifts and logic are bits to their rows, and Microsoft's compiler decides what they count as.
    """
    letters = {Counts.FLOAT: "fd", Counts.INT: "iu", Counts.UINT: "u"}
    for row in TABLE.rows.values():
        if row.kind is Kind.PURE and row.counts in letters:
            assert row.sources[0].letter in letters[row.counts], row.mnemonic
        if row.counts is Counts.CONVERSION:
            assert row.sources[0].letter != row.destinations[0].letter, row.mnemonic


@pytest.mark.parametrize("room", sorted(path.name for path in PACKAGE.iterdir() if path.is_dir()))
def test_only_isa_and_container_ask_for_certain_opcodes(room: str) -> None:
    if room in {"isa", "container"}:
        return
    found = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if TEST_OF_OPCODE.search(line)
    ]
    assert found == []
