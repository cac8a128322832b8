"""Tokens taken apart and made again: every layout, any dword; the decoders say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d import sm1, sm4
from softd3d.bits import Field, SignedField, SplitField
from softd3d.errors import AssemblyError, DecodeError
from softd3d.isa.layout import TokenField, TokenLayout
from softd3d.isa.sm1.parameters import destination_parameter, source_parameter
from softd3d.isa.sm4.rows import TABLE

DWORDS = st.integers(0, 0xFFFFFFFF)
VERSIONS = [(1, 1), (2, 0), (3, 0)]
LAYOUTS = [
    *(value for space in (sm1, sm4) for value in vars(space).values()
      if isinstance(value, TokenLayout)),
    *(sm1.instruction_layout(opcode, version) for opcode in sm1.Opcode for version in VERSIONS),
    *(sm4.opcode_layout(opcode) for opcode in sm4.Opcode),
]  # fmt: skip


@given(st.sampled_from(LAYOUTS), DWORDS)
def test_any_dword_comes_apart_and_back(layout, dword):
    token = layout.decode(dword)
    assert int(layout.encode(**token.values())) == int(token) == dword
    assert len(str(token).split("\n")) == len(layout.fields) + 1
    assert len(repr(token)) <= 100


def test_fields_cover_every_bit_once():
    for layout in LAYOUTS:
        masks = [field.bits.mask for field in layout.fields]
        assert sum(masks) == 0xFFFFFFFF
        assert len({field.name for field in layout.fields}) == len(masks)


@given(DWORDS)
def test_parameters_say_what_their_tokens_say(dword):
    token = sm1.SOURCE_PARAMETER.decode(dword)
    try:
        read = source_parameter(dword, None)
    except ValueError:  # a type or a modifier without meaning
        known = isinstance(token["modifier"], sm1.SourceModifier)
        assert not (known and isinstance(token["type"], sm1.RegisterType))
        return
    swizzle = tuple(token[f"swizzle_{c}"] for c in "xyzw")
    assert (read.type, read.number, read.modifier) == (
        token["type"],
        token["number"],
        token["modifier"],
    )
    assert read.swizzle == swizzle
    token = sm1.DESTINATION_PARAMETER.decode(dword)
    written = destination_parameter(dword, None)
    assert (written.write_mask, written.modifiers, written.shift) == (
        token["write_mask"],
        token["modifiers"],
        token["shift"],
    )


def test_an_opcode_has_the_controls_of_its_row():
    names = {
        opcode: {field.name for field in sm4.opcode_layout(opcode).fields} for opcode in sm4.Opcode
    }
    assert {"saturate", "precise"} <= names[sm4.Opcode.MAD]
    assert "saturate" not in names[sm4.Opcode.IADD]
    assert "test" in names[sm4.Opcode.IF]
    assert "return_type" in names[sm4.Opcode.RESINFO]
    assert {"threads", "unordered_access_view_memory_global"} <= names[sm4.Opcode.SYNC]
    assert {"dimension", "sample_count"} <= names[sm4.Opcode.DCL_RESOURCE]
    assert "class" in names[sm4.Opcode.CUSTOMDATA]
    assert set(TABLE.rows) == set(names)


def test_versions_use_bits_of_instructions_differently():
    token = sm1.instruction_token(0x43000042, (2, 0))
    assert (token["length"], token["predicated"]) == (3, 0)
    assert sm1.instruction_token(0x40000042, (1, 1))["coissue"] == 1
    assert sm1.instruction_token(0x0003005E, (3, 0))["comparison"] is sm1.Comparison.GE
    assert sm1.instruction_token(0x01010042, (3, 0))["controls"] is sm1.TexldControl.PROJECT
    assert sm1.instruction_token(0x0022FFFE, (3, 0))["length"] == 0x22


ERRORS = [
    (lambda: sm1.SOURCE_PARAMETER.encode(number=2048), "number is 2048, wanted 0 to 2047"),
    (lambda: sm1.SOURCE_PARAMETER.encode(type=32), "type is 32, wanted 0 to 31"),
    (lambda: sm1.SOURCE_PARAMETER.encode(swizzle_x=-1), "swizzle_x is -1, wanted 0 to 3"),
    (lambda: sm1.DESTINATION_PARAMETER.encode(shift=8), "shift is 8, wanted -8 to 7"),
    (lambda: sm1.USAGE.encode(usge=1), "no field usge, wanted one of usage, "),
    (lambda: sm1.USAGE.decode(0)["mask"], "usage token: no field mask, wanted one of"),
]


@pytest.mark.parametrize(("make", "message"), ERRORS)
def test_what_does_not_fit_is_an_error(make, message):
    with pytest.raises(AssemblyError, match=message):
        make()


NO_TOKENS = [
    (lambda: sm1.SOURCE_PARAMETER.decode(-1), "found -1, wanted a dword"),
    (lambda: sm4.VERSION.decode(1 << 32), "found 4294967296, wanted a dword"),
    (lambda: sm4.opcode_token(107), "opcode 107 is not defined in SM4-5.1"),
    (lambda: sm1.instruction_token(97, (2, 0)), "opcode 97 is not defined in SM1-3"),
    (lambda: sm4.extended_opcode_token(4), "type 4 is not defined"),
    (lambda: sm4.operand_token(14), "component selection mode 3 is not defined"),
]


@pytest.mark.parametrize(("read", "message"), NO_TOKENS)
def test_what_no_layout_fits_is_an_error(read, message):
    with pytest.raises(DecodeError, match=message):
        read()


def test_two_fields_of_one_bit_are_a_mistake():
    fields = [TokenField("a", Field(3, 0), ""), TokenField("b", Field(5, 3), "")]
    with pytest.raises(AssemblyError, match="field b has bits of another"):
        TokenLayout("token", fields)


@pytest.mark.parametrize("bits", [SplitField(Field(12, 11), Field(30, 28)), SignedField(27, 24)])
def test_numbers_come_back_from_their_bits(bits):
    low, high = bits.range
    for number in range(low, high + 1):
        assert bits.get(bits.put(number) | ~bits.mask & 0xFFFFFFFF) == number
        assert bits.put(number) & ~bits.mask == 0
    for number in (low - 1, high + 1):
        with pytest.raises(ValueError, match=str(number)):
            bits.put(number)
