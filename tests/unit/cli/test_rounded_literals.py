"""`softd3d as` of default listings whose literals have lost bits."""

from __future__ import annotations

import pytest

from softd3d import assemble, disassemble, disassemble_exact, rounded_literals
from softd3d.isa.asm.options import ListingOptions, Literals

TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_temps 1
dcl_thread_group 1, 1, 1
mov r0.x, l({})
add r0.x, r0.x, l({})
store_raw u0.x, l(0), r0.x
ret
"""


def listed(number: str) -> bytes:
    return assemble(TEXT.format(number, number))


@pytest.mark.parametrize(("number", "count"), [("0.0000001", 1), ("0.33333334", 2), ("1e-6", 2)])
def test_what_a_default_listing_lost_is_named(cli, library, number, count):
    data = listed(number)
    (library / "a.asm").write_text(disassemble(data))
    assert len(rounded_literals(disassemble(data))) == count
    result = cli("as", "a.asm", "-o", "out")
    assert result.exit_code == 0
    assert ": warning: " in result.stderr
    assert "dis --exact" in result.stderr
    assert result.stderr.startswith("softd3d: a.asm:")
    for text in (disassemble_exact(data), disassemble(data, ListingOptions(literals=Literals.HEX))):
        assert rounded_literals(text) == []
        (library / "b.asm").write_text(text)
        assert cli("as", "b.asm", "-o", "out").stderr == ""


@pytest.mark.parametrize("number", ["0", "1.0", "0.5", "-2.25", "0.1", "0.299"])
def test_numbers_that_the_text_holds_are_not_named(cli, library, number):
    (library / "a.asm").write_text(disassemble(listed(number)))
    assert cli("as", "a.asm", "-o", "out").stderr == ""
