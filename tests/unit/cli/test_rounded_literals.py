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


@pytest.mark.parametrize(
    ("number", "count"), [("0.0000001", 2), ("0.33333334", 2), ("1e-6", 2), ("-1e-9", 2)]
)
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


@pytest.mark.parametrize("number", ["1.0", "0.5", "-2.25", "0.1", "0.299"])
def test_numbers_that_the_text_holds_are_not_named(cli, library, number):
    (library / "a.asm").write_text(disassemble(listed(number)))
    assert cli("as", "a.asm", "-o", "out").stderr == ""


def test_long_lines_take_no_long_time() -> None:
    numbers = "l(0.000000, 0.000000, 0.000000, 0.000000)"
    for head in ("a" * 200_000, "a " * 100_000, "add" + " " * 200_000, ".x " * 70_000):
        assert len(rounded_literals(f"ps_5_0\n{head} {numbers}\nret")) == 4


@pytest.mark.parametrize(
    ("code", "columns"),
    [
        ("max r0.x, r0.x, l(0.000000)", [19]),
        ("max r0.xz, r0.xxzx, l(1.000000, 0.000000, 0.000000, 0.000000)", [43]),
        ("max r0.y, r0.xxzx, l(1.000000, 0.000000, 0.000000, 0.000000)", [32]),
        ("   3: mul_sat r0.xy, r0.xyxx, l(0.500000, 0.250000, 0.000000, 0.000000)", []),
        ("dp3 r0.x, r0.xyzx, l(0.500000, 0.000000, 0.250000, 0.000000)", [32, 52]),
        ("mov r0.xy, l(0.500000, 0, 0, 0)", []),
        ("dadd r0.xy, r0.xyxy, d(0.000000l, 1.500000l)", [24]),
        ("dadd r0.xy, r0.xyxy, d(1.414214l, 1.500000l)", [24]),
        ("add r0.x, r0.x, l(0.0)", []),
        ("add r0.x, r0.x, l(0)", []),
        ("add r0.x, r0.x, l(16777216.000000)", []),
    ],
)
def test_zeros_that_are_used_and_may_be_small_numbers_are_named(code: str, columns: list[int]):
    found = rounded_literals(f"ps_5_0\n{code}\nret")
    assert [f.location.column for f in found] == columns
    assert {f.location.line for f in found} <= {2}
