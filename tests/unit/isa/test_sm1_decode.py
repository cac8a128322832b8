"""Token streams of SM1-3: real ones decode and encode back, broken ones say what is wrong."""

from __future__ import annotations

import dataclasses
import random
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import AssemblyError, DecodeError, ShaderError
from softd3d.isa.asm.sm1.listing import listing
from softd3d.isa.sm1 import tokens
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.encode import encode
from softd3d.isa.sm1.enums import Comparison, Opcode, ProgramType, RegisterType, SourceModifier
from softd3d.isa.sm1.parameters import destination_parameter, source_parameter
from softd3d.isa.sm1.program import (
    IMPLICIT_ADDRESS,
    Comment,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
)
from softd3d.isa.sm1.rows import TABLE

DATA = sorted((Path(__file__).parent / "data/sm1").glob("*.bin"))
VS_1_1, VS_2_0, VS_3_0, PS_1_4, PS_2_0 = 0xFFFE0101, 0xFFFE0200, 0xFFFE0300, 0xFFFF0104, 0xFFFF0200
END = 0xFFFF
R0, V0 = 0x800F0000, 0x90E40000  # destination r0, source v0
MOV_R0_V0 = (0x02000001, R0, V0)


def stream(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def is_stream(data: bytes) -> bool:
    version = int.from_bytes(data[:4], "little")
    return version >> 16 in set(ProgramType) and version & 0xFFFF < 0x400 and not len(data) % 4


@pytest.mark.corpus
def test_every_real_stream_encodes_back_to_its_bytes(shared) -> None:
    samples = (shared / "samples/sm1_3").glob("**/*.bin")
    paths = [path for path in samples if not path.name.startswith("m_")]
    paths += (shared / "corpus/binaries").glob("**/*.bin")
    streams = {path: data for path in paths if is_stream(data := path.read_bytes())}
    assert [path.name for path, data in streams.items() if encode(decode(data)) != data] == []
    assert len(streams) > 1300


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_own_samples_encode_back_to_their_bytes(path: Path) -> None:
    data = path.read_bytes()
    assert encode(decode(data)) == data


# --- parameter tokens -------------------------------------------------------------------------


def test_source_types_modifiers_and_swizzles_exhaustively() -> None:
    read = source_parameter.__wrapped__
    for type_ in RegisterType:
        for modifier in SourceModifier:
            for swizzle in range(256):
                token = 1 << 31 | (type_ & 7) << 28 | (type_ >> 3) << 11
                found = read(token | modifier << 24 | swizzle << 16 | 0x123, None)
                components = tuple(swizzle >> 2 * n & 3 for n in range(4))
                assert found == SourceParameter(type_, 0x123, components, modifier)


def test_register_numbers_and_reserved_bits_of_sources_exhaustively() -> None:
    for number in range(2048):
        for reserved in (0, 1 << 14, 1 << 15, 1 << 31, 1 << 31 | 3 << 14):
            word = (V0 | number) ^ reserved
            program = decode(stream(VS_2_0, 0x02000001, R0, word, END))
            (instruction,) = program.instructions
            assert isinstance(instruction, Instruction)
            assert instruction.sources[0].number == number
            assert instruction.sources[0].reserved == reserved
            assert encode(program) == stream(VS_2_0, 0x02000001, R0, word, END)


def test_destination_masks_modifiers_and_shifts_exhaustively() -> None:
    for bits in range(1 << 12):
        found = destination_parameter(R0 & ~0xF0000 | bits << 16, None)
        assert (found.write_mask, found.modifiers) == (bits & 15, bits >> 4 & 15)
        assert found.shift == (bits >> 8) - (16 if bits >> 8 > 7 else 0)


@pytest.mark.parametrize("number", range(20, 32))
def test_undefined_register_types_are_errors(number: int) -> None:
    word = 1 << 31 | (number & 7) << 28 | (number >> 3) << 11
    with pytest.raises(DecodeError, match=rf"mov: src0 register type {number} is not defined"):
        decode(stream(VS_2_0, 0x02000001, R0, word, END))


@pytest.mark.parametrize("number", [14, 15])
def test_undefined_modifiers_are_errors(number: int) -> None:
    with pytest.raises(DecodeError, match=rf"src0 modifier {number} .*byte offset 0xc"):
        decode(stream(VS_2_0, 0x02000001, R0, V0 | number << 24, END))


# --- relative addressing ----------------------------------------------------------------------


def test_sm1_adds_a0_x_without_a_token() -> None:
    data = stream(VS_1_1, 1, R0, 0xA0E42003, END)
    program = decode(data)
    (mov,) = program.instructions
    assert isinstance(mov, Instruction)
    assert mov.sources == (SourceParameter(RegisterType.CONST, 3, relative=IMPLICIT_ADDRESS),)
    assert encode(program) == data


@pytest.mark.parametrize(
    ("token", "address"),
    [
        (0xB0550000, SourceParameter(RegisterType.ADDR, 0, (1, 1, 1, 1))),
        (0xF0E40800, SourceParameter(RegisterType.LOOP, 0)),
    ],
)
def test_sm2_adds_what_the_next_token_names(token: int, address: SourceParameter) -> None:
    data = stream(VS_2_0, 0x03000001, R0, 0xA0E42003, token, END)
    program = decode(data)
    (mov,) = program.instructions
    assert isinstance(mov, Instruction)
    assert mov.sources[0].relative == address
    assert encode(program) == data


def test_sm3_destinations_may_be_relative() -> None:
    data = stream(VS_3_0, 0x03000001, 0xE00F200C, 0xF0E40800, 0x80E40000, END)
    (mov,) = decode(data).instructions
    assert isinstance(mov, Instruction)
    assert mov.destination == DestinationParameter(
        RegisterType.OUTPUT, 12, relative=SourceParameter(RegisterType.LOOP, 0)
    )
    assert encode(decode(data)) == data


def test_an_address_cannot_be_relative() -> None:
    with pytest.raises(DecodeError, match="src0 address is itself relative"):
        decode(stream(VS_2_0, 0x03000001, R0, 0xA0E42003, 0xB0552000, END))


# --- instructions -----------------------------------------------------------------------------


def test_the_predicate_follows_the_destination() -> None:
    words = (0x14000002, 0x800F0002, 0xBDE41000, 0x80E40002, 0x80E40003)
    (add,) = decode(stream(0xFFFE0201, *words, END)).instructions
    assert isinstance(add, Instruction)
    assert add.predicate == SourceParameter(RegisterType.PREDICATE, 0, modifier=SourceModifier.NOT)
    assert [source.number for source in add.sources] == [2, 3]


def test_comparisons_and_coissue() -> None:
    (test,) = decode(stream(0xFFFE0201, 0x02030029, V0, V0, END)).instructions
    assert isinstance(test, Instruction)
    assert test.comparison is Comparison.GE
    (_, mov) = decode(stream(PS_1_4, 1, R0, V0, 0x40000001, R0, V0, END)).instructions
    assert isinstance(mov, Instruction)
    assert mov.is_coissued


def test_forms_of_sincos_and_tex_depend_on_the_version() -> None:
    assert len(TABLE.variants[Opcode.SINCOS]) == 4
    mnemonics = {
        version: row.mnemonic
        for version in ((1, 1), (1, 4), (2, 0))
        if (row := tokens.row_of(Opcode.TEX, ProgramType.PS, version)) is not None
    }
    assert mnemonics == {(1, 1): "tex", (1, 4): "texld", (2, 0): "texld"}


def test_every_opcode_has_rows_but_comment_and_end() -> None:
    assert set(Opcode) - set(TABLE.variants) == {Opcode.COMMENT, Opcode.END}


def test_comments_stay_where_they_are() -> None:
    data = stream(VS_2_0, *MOV_R0_V0, 0x0002FFFE, 0x42415443, END, 0xFFFE, *MOV_R0_V0, END)
    items = decode(data).instructions
    assert [item.index for item in items if isinstance(item, Comment)] == [1, 2]
    assert items[1] == Comment(b"CTAB\xff\xff\0\0", index=1, offset=16)
    assert encode(decode(data)) == data


def test_bytes_after_the_end_are_kept() -> None:
    program = decode(stream(VS_2_0, END) + b"abc")
    assert program.trailing == b"abc"
    assert encode(program) == stream(VS_2_0, END) + b"abc"


def test_unexplained_dwords_of_an_instruction_are_kept() -> None:
    data = stream(VS_2_0, 0x03000001, R0, V0, 7, END)
    (mov,) = decode(data).instructions
    assert isinstance(mov, Instruction)
    assert mov.trailing == (7,)
    assert encode(decode(data)) == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes, wanted a version token"),
        (stream(0xFFFE0309, END), "version token 0xfffe0309 is none of shader models 1 to 3"),
        (stream(VS_2_0), "no end token .*byte offset 0x4"),
        (stream(VS_2_0, 1 << 16 | END), "end token is 0x0001ffff"),
        (stream(VS_2_0, 0x3F, END), "opcode 63 is not defined in SM1-3"),
        (stream(VS_2_0, 0x02000001, R0), "mov: length is 2 dwords, the data ends after 1"),
        (stream(VS_2_0, 0x01000001, R0, END), "mov: src0 is missing"),
        (stream(VS_2_0, 0x7FFFFFFE, END), "comment: length is 32767 dwords"),
        (stream(VS_1_1, 0x51, 0xA00F0000, 1, 2), "def: immediate is missing"),
    ],
)
def test_errors_say_what_and_where(data: bytes, message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        decode(data)


def test_positions_count_from_the_base() -> None:
    with pytest.raises(DecodeError) as caught:
        decode(stream(VS_2_0, 0x3F, END), base=0x100)
    assert caught.value.location is not None
    assert caught.value.location.offset == 0x104


MOV = Instruction(Opcode.MOV, DestinationParameter(RegisterType.TEMP, 0))


@pytest.mark.parametrize(
    "instruction",
    [
        dataclasses.replace(MOV, is_coissued=True),
        dataclasses.replace(MOV, reserved=1),
        dataclasses.replace(MOV, controls=256),
        dataclasses.replace(MOV, trailing=(0,) * 15),
        dataclasses.replace(MOV, destination=DestinationParameter(RegisterType.TEMP, 2048)),
        dataclasses.replace(MOV, destination=DestinationParameter(RegisterType.TEMP, 0, shift=8)),
        Comment(b"123"),
    ],
)
def test_what_does_not_fit_is_not_encoded(instruction: Instruction | Comment) -> None:
    with pytest.raises(AssemblyError):
        encode(Program(ProgramType.VS, 2, 0, (instruction,)))


# --- properties -------------------------------------------------------------------------------

SWIZZLES = st.tuples(*[st.integers(0, 3)] * 4)
RESERVED = st.sampled_from([0, 1 << 14, 1 << 31])
ADDRESSES = st.builds(
    SourceParameter, st.sampled_from([RegisterType.ADDR, RegisterType.LOOP]), st.just(0), SWIZZLES
)


def sources(addresses: st.SearchStrategy[SourceParameter]) -> st.SearchStrategy[SourceParameter]:
    return st.builds(
        SourceParameter,
        st.sampled_from(RegisterType),
        st.integers(0, 2047),
        SWIZZLES,
        st.sampled_from(SourceModifier),
        st.none() | addresses,
        RESERVED,
    )


@st.composite
def instructions(draw: st.DrawFn, type_: ProgramType, version: tuple[int, int]) -> Instruction:
    is_sm1 = version < (2, 0)
    addresses = st.just(IMPLICIT_ADDRESS) if is_sm1 else ADDRESSES
    opcode = draw(st.sampled_from(sorted(set(Opcode) - {Opcode.COMMENT, Opcode.END, Opcode.DCL})))
    layout = tokens.layout(opcode, type_, version)
    assert layout is not None
    destinations = st.builds(
        DestinationParameter,
        st.sampled_from(RegisterType),
        st.integers(0, 2047),
        st.integers(0, 15),
        st.integers(0, 15),
        st.integers(-8, 7),
        st.none() | addresses,
        RESERVED,
    )
    return Instruction(
        opcode,
        draw(destinations) if layout.has_destination else None,
        tuple(draw(sources(addresses)) for _ in range(layout.sources)),
        draw(st.integers(0, 255)),
        is_sm1 and draw(st.booleans()),
        None if is_sm1 else draw(st.none() | sources(st.nothing())),
        immediates=tuple(draw(st.integers(0, 2**32 - 1)) for _ in range(layout.immediates)),
    )


@st.composite
def programs(draw: st.DrawFn) -> Program:
    type_ = draw(st.sampled_from(ProgramType))
    version = draw(st.sampled_from(sorted(tokens.VERSIONS[type_])))
    comments = st.binary(max_size=12).map(lambda data: Comment(data[: len(data) // 4 * 4]))
    items = draw(st.lists(instructions(type_, version) | comments, max_size=6))
    return Program(type_, *version, tuple(items), draw(st.binary(max_size=5)))


@given(programs())
def test_any_program_decodes_to_itself(program: Program) -> None:
    found = decode(encode(program))
    plain = tuple(dataclasses.replace(item, index=0, offset=0) for item in found.instructions)
    assert dataclasses.replace(found, instructions=plain) == program
    assert listing(found).startswith(f"    {program.profile}\n")


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_damaged_streams_decode_or_raise(path: Path) -> None:
    data = path.read_bytes()
    rnd = random.Random(path.stem)
    outcomes = set()
    for _ in range(300):
        broken = bytearray(data[: rnd.choice((len(data), rnd.randrange(len(data))))])
        for _ in range(rnd.randrange(1, 4)):
            if broken:
                broken[rnd.randrange(len(broken))] = rnd.randrange(256)
        try:
            program = decode(bytes(broken))
        except ShaderError as error:
            assert error.location is not None
            outcomes.add("error")
        else:
            assert encode(program) == broken
            assert listing(program)
            outcomes.add("program")
    assert outcomes == {"error", "program"}
