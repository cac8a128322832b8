"""What was seen before gives the same text and the same tokens as what is new."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_strategies import programs
from token_streams import program_bytes

from softd3d.errors import AssemblyError, DecodeError
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals
from softd3d.isa.asm.sm4.parser import parse_listing, parse_program
from softd3d.isa.asm.sm4.printer import program_code, token_code
from softd3d.isa.sm4.decode import TokenStream, decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.program import Program

PS_5_0 = 0x50
RET = 0x0100003E
OPTIONS = st.builds(
    ListingOptions, dialect=st.sampled_from(Dialect), literals=st.sampled_from(Literals)
)
BLOCK = "ps_5_0\ndcl_immediateConstantBuffer { { 1.0, 0, 0, 0},\n { 2.0, 0, 0, 0} }\nret\n"


@given(programs(), OPTIONS)
def test_lines_by_bytes_are_those_of_decoded_programs(
    program: Program, options: ListingOptions
) -> None:
    data = encode(program)
    new, again = (token_code(TokenStream(data), options) for _ in range(2))
    decoded = program_code(decode(data), options)
    assert new.lines == again.lines == decoded.lines
    assert new.global_flags == again.global_flags == decoded.global_flags


@given(programs())
def test_decoding_again_gives_an_equal_program(program: Program) -> None:
    data = encode(program)
    first = decode(data)
    assert decode(data) == first
    assert [i.index for i in first.instructions] == list(range(len(first.instructions)))
    moved = decode(data, 100).instructions
    assert [i.offset for i in moved] == [i.offset + 100 for i in first.instructions]


@pytest.mark.parametrize("text", [BLOCK, "ps_5_0\nmov r0.x, l(1.0) // one\n  7: ret\n"])
def test_lines_that_were_parsed_before_mean_the_same(text: str) -> None:
    first, again = parse_listing(text), parse_listing(text)
    assert first.program == again.program
    assert first.lines == again.lines
    assert first.code == again.code == encode(first.program)


def test_rows_of_a_block_go_with_its_first_line_every_time() -> None:
    shorter = BLOCK.replace(",\n { 2.0, 0, 0, 0} }", " }")
    sizes = [len(parse_program(text).instructions[0].custom) for text in (BLOCK, shorter) * 2]
    assert sizes == [8, 4, 8, 4]


def test_versions_do_not_share_what_they_have_seen() -> None:
    line = "\nld_raw r0.x, l(0), t0.xxxx"
    for version, indices in (("ps_5_0", 1), ("ps_5_1", 2), ("ps_5_0", 1)):
        view = "t0[0].xxxx" if indices == 2 else "t0.xxxx"
        text = f"{version}{line.replace('t0.xxxx', view)}\nret"
        assert len(parse_program(text).instructions[0].operands[-1].indices) == indices
    with pytest.raises(AssemblyError, match="indices"):
        parse_program(f"ps_5_1{line}")


def test_errors_have_their_place_every_time() -> None:
    bad = 0x030007FF  # an opcode that is not defined
    for count in (1, 3, 1):
        data = program_bytes(PS_5_0, [RET] * count + [bad, 0, 0])
        with pytest.raises(DecodeError, match="opcode 2047") as caught:
            token_code(TokenStream(data, 8))
        assert caught.value.location is not None
        assert caught.value.location.instruction == count
        assert caught.value.location.offset == 8 + 8 + 4 * count
    for lines in (1, 2):
        with pytest.raises(AssemblyError) as failed:
            parse_program("ps_5_0\n" + "ret\n" * lines + "mov r0.x\n")
        assert f"{lines + 2}:" in str(failed.value)
