"""Token streams of SM4.0-5.1: real ones decode and encode back, broken ones say what is wrong."""

from __future__ import annotations

import dataclasses
import random
import struct

import pytest
from token_streams import program_bytes

from softd3d.errors import AssemblyError, DecodeError, ShaderError
from softd3d.isa.asm.sm4.printer import listing
from softd3d.isa.row import Kind
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Opcode,
    OperandModifier,
    OperandType,
    ProgramType,
    ResourceDimension,
    ReturnType,
    SelectionMode,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program
from softd3d.isa.sm4.rows.table import TABLE

CS_5_0, CS_5_1, PS_4_0 = 0x00050050, 0x00050051, 0x00000040
R0_X = [0x00100012, 0]  # destination r0.x
R1_X = [0x0010000A, 1]  # source r1.x


@pytest.mark.corpus
def test_every_real_program_encodes_back_to_its_bytes(chunks) -> None:
    different = [path.name for path, chunk in chunks if encode(decode(chunk.data)) != chunk.data]
    assert different == []
    assert len(chunks) >= 1486


@pytest.mark.corpus
def test_offsets_count_from_the_base(samples) -> None:
    _, chunk = samples[0]
    program = decode(chunk.data, chunk.data_offset)
    assert program.instructions[0].offset == chunk.data_offset + 8
    assert [i.index for i in program.instructions] == list(range(len(program.instructions)))


def test_every_opcode_has_a_row() -> None:
    assert [code.name for code in Opcode if code not in TABLE.rows] == []


def test_rows_without_semantics_are_flow_and_declarations() -> None:
    bare = {row.kind for row in TABLE.rows.values() if row.semantics is None}
    assert bare == {Kind.FLOW, Kind.DECLARATION}


def test_fields_of_an_instruction() -> None:
    # sample_indexable_aoffimmi(1,-2,0)(texture2d)(float x4) with precise xy and saturate
    tokens = [
        Opcode.SAMPLE | 1 << 13 | 3 << 19 | 1 << 31,
        0x80000001 | 1 << 9 | 14 << 13,
        0x80000002 | 3 << 6,
        0x00000003 | 5 << 6 | 5 << 10 | 5 << 14 | 5 << 18,
        0x001000F2, 3,  # r3.xyzw
        0x80100E46, 0x00000041, 1,  # -r1.xyzw
        0x00107E46, 2,  # t2.xyzw
        0x00106000, 7,  # s7
    ]  # fmt: skip
    instruction = decode(program_bytes(0x00000050, tokens)).instructions[0]
    assert instruction.is_saturated
    assert instruction.precise_mask == 3
    assert instruction.texel_offsets == (1, -2, 0)
    assert instruction.dimension is ResourceDimension.TEXTURE2D
    assert instruction.return_types == (ReturnType.FLOAT,) * 4
    target, address, texture, sampler = instruction.operands
    assert target.mask == (0, 1, 2, 3)
    assert address.modifier is OperandModifier.NEG
    assert (texture.type, texture.indices[0].immediate) == (OperandType.RESOURCE, 2)
    assert (sampler.type, sampler.components) == (OperandType.SAMPLER, 0)


def test_nested_relative_operands() -> None:
    """The source is x1[x2[r3.y + 4].z + 5].w."""
    source = [0x0620303A, 1, 5, 0x0620302A, 2, 4, 0x0010001A, 3]
    instruction = decode(program_bytes(CS_5_0, [Opcode.MOV, *R0_X, *source])).instructions[0]
    outer = instruction.operands[1].indices[1]
    assert (outer.immediate, outer.representation) == (5, 3)
    assert outer.relative is not None
    inner = outer.relative.indices[1]
    assert inner.relative == Operand(OperandType.TEMP, 4, SelectionMode.SELECT_1, (1,), (Index(3),))


def test_64_bit_indices_have_the_high_dword_first() -> None:
    # The array x1, at r3.y plus a constant of 64 bits.
    source = [0x0820303A, 1, 5, 7, 0x0010001A, 3]
    data = program_bytes(CS_5_0, [Opcode.MOV, *R0_X, *source])
    index = decode(data).instructions[0].operands[1].indices[1]
    assert (index.immediate, index.representation) == (5 << 32 | 7, 4)
    assert encode(decode(data)) == data


def test_double_literals_have_four_dwords() -> None:
    source = [0x00005002, 0, 0x3FF80000, 1, 2]
    data = program_bytes(CS_5_0, [Opcode.DMOV, 0x00100032, 0, *source])
    assert decode(data).instructions[0].operands[1].immediate == (0, 0x3FF80000, 1, 2)


def test_declarations_of_5_1_have_ranges_and_a_space() -> None:
    view = [0x00307000, 4, 0, 0xFFFFFFFF]
    tokens = [Opcode.DCL_RESOURCE | 3 << 11, *view, 0x5555, 9]
    instruction = decode(program_bytes(CS_5_1, tokens)).instructions[0]
    assert [index.immediate for index in instruction.operands[0].indices] == [4, 0, 0xFFFFFFFF]
    assert instruction.extra == (0x5555, 9)
    # The same dwords in 5.0: the space is not explained there.
    instruction = decode(program_bytes(CS_5_0, tokens)).instructions[0]
    assert (instruction.extra, instruction.trailing) == ((0x5555,), (9,))


def test_a_stray_dword_after_samplepos_is_kept() -> None:
    tokens = [Opcode.SAMPLE_POS, *R0_X, 0x00107E46, 0, *R1_X, 0]
    data = program_bytes(CS_5_0, tokens)
    assert decode(data).instructions[0].trailing == (0,)
    assert encode(decode(data)) == data


def test_unused_bits_of_an_operand_are_kept() -> None:
    data = program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x00100F0A, 1])
    operand = decode(data).instructions[0].operands[1]
    assert (operand.selection, operand.padding) == ((0,), 0xF00)
    assert encode(decode(data)) == data


def test_interfaces_and_calls() -> None:
    program = decode(
        program_bytes(
            CS_5_0,
            [Opcode.DCL_FUNCTION_TABLE, 3, 2, 8, 9],
            [Opcode.DCL_INTERFACE | 1 << 11, 1, 2, 3 << 16 | 2, 3, 4],
            [Opcode.INTERFACE_CALL, 5, 0x00213000, 1, 2],
        )
    )
    table, interface, call = program.instructions
    assert table.extra == (3, 2, 8, 9)
    assert interface.extra == (1, 2, 3 << 16 | 2, 3, 4)
    assert call.extra == (5,)
    assert [index.immediate for index in call.operands[0].indices] == [1, 2]
    assert encode(program) == encode(decode(encode(program)))


def test_custom_data() -> None:
    icb = CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER
    data = program_bytes(CS_5_0, [53 | icb << 11, 6, 1, 2, 3, 4], [53 | 77 << 11, 2])
    first, second = decode(data).instructions
    assert (first.custom_class, first.custom) == (icb, (1, 2, 3, 4))
    assert (second.custom_class, second.custom) == (77, ())
    assert encode(decode(data)) == data


BROKEN = [
    (b"", "program: 0 bytes are not a whole number of dwords and at least two (byte offset 0x100)"),
    (
        program_bytes(CS_5_0)[:7],
        "program: 7 bytes are not a whole number of dwords and at least two (byte offset 0x100)",
    ),
    (
        struct.pack("<2I", CS_5_0, 3),
        "program: length is 3 dwords, found 2 (byte offset 0x104)",
    ),
    (program_bytes(0x00060050), "program: type 6 is not defined (byte offset 0x100)"),
    (
        program_bytes(0x00050060),
        "program: version token 0x00050060 is none of shader models 4.0 to 5.1 (byte offset 0x100)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.RET], [300]),
        "opcode 300 is not defined in SM5.0 (instruction 1, byte offset 0x10c)",
    ),
    (
        struct.pack("<3I", CS_5_0, 3, Opcode.RET),
        "ret: instruction length is 0 (instruction 0, byte offset 0x108)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV | 9 << 24, *R0_X]),
        "mov: length is 9 dwords, the program ends after 3 (instruction 0, byte offset 0x108)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MAD, *R0_X, *R1_X, *R1_X]),
        "mad src2: the instruction ends before it (instruction 0, byte offset 0x124)",
    ),
    (
        program_bytes(CS_5_1, [Opcode.MAD, *R0_X, *R1_X, *R1_X, 0x0012B00A, 0]),
        "mad src2: operand type 43 is not defined in SM5.1 (instruction 0, byte offset 0x124)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, 0x00100013, 0, *R1_X]),
        "mov dst: component count code 3 is not defined (instruction 0, byte offset 0x10c)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x0010000E, 0]),
        "mov src0: component selection mode 3 is not defined (instruction 0, byte offset 0x114)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x0150000A, 0]),
        "mov src0: representation 5 of index 0 is not defined (instruction 0, byte offset 0x114)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x8010000A, 0x41 | 1 << 8, 0]),
        "mov src0: operand modifier 5 is not defined (instruction 0, byte offset 0x118)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x8010000A, 2, 0]),
        "mov src0: extended operand type 2 is not defined (instruction 0, byte offset 0x118)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x0090000A, 0x00100E46, 0]),
        "mov src0 index: it must select one component (instruction 0, byte offset 0x118)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.MOV, *R0_X, *[0x0090000A] * 3, *R1_X]),
        (
            "mov src0 index index: relative indices are nested deeper than 2 "
            "(instruction 0, byte offset 0x120)"
        ),
    ),
    (
        program_bytes(CS_5_0, [Opcode.LD | 1 << 31, 9, *R0_X, 0x00100E46, 0, 0x00107E46, 0]),
        "ld: extended opcode type 9 is not defined (instruction 0, byte offset 0x10c)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.LD | 1 << 31, 2 | 13 << 6, *R0_X, *R1_X, *R1_X]),
        "ld: resource dimension 13 is not defined (instruction 0, byte offset 0x10c)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.LD | 1 << 31, 3, *R0_X, *R1_X, *R1_X]),
        "ld: resource return type 0 is not defined (instruction 0, byte offset 0x10c)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.LD | 1 << 31, 0x80000000]),
        (
            "ld extended opcode token: the instruction ends before it "
            "(instruction 0, byte offset 0x110)"
        ),
    ),
    (
        program_bytes(CS_5_0, [Opcode.DCL_THREAD_GROUP, 8, 8]),
        "dcl_thread_group z: the instruction ends before it (instruction 0, byte offset 0x114)",
    ),
    (
        program_bytes(CS_5_0, [Opcode.DCL_FUNCTION_TABLE, 0, 2, 1]),
        "dcl_function_table: 2 ids wanted, found 1 (instruction 0, byte offset 0x110)",
    ),
    (
        program_bytes(CS_5_0, [53, 1]),
        (
            "customdata: length is 1 dwords, the program ends after 2 "
            "(instruction 0, byte offset 0x10c)"
        ),
    ),
    (
        program_bytes(CS_5_0, [53, 3]),
        (
            "customdata: length is 3 dwords, the program ends after 2 "
            "(instruction 0, byte offset 0x10c)"
        ),
    ),
    (
        program_bytes(CS_5_0, [53]),
        "customdata length: the instruction ends before it (instruction 0, byte offset 0x10c)",
    ),
]


@pytest.mark.parametrize(("data", "text"), BROKEN, ids=[text for _, text in BROKEN])
def test_broken_streams_say_what_and_where(data: bytes, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(data, 0x100)
    assert str(caught.value) == text


@pytest.mark.corpus
def test_5000_mutations_raise_only_shader_errors(samples) -> None:
    rng = random.Random(4)
    programs = [list(struct.unpack(f"<{len(c.data) // 4}I", c.data)) for _, c in samples]
    programs = [words for words in programs if len(words) < 1000]
    decoded = 0
    for _ in range(5000):
        words = list(rng.choice(programs))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(words))
            match rng.randrange(4):
                case 0:
                    words[at] = rng.getrandbits(32)
                case 1:
                    words[at] ^= 1 << rng.randrange(32)
                case 2:
                    words[at] = rng.choice(words)
                case _:
                    del words[at]
                    words += [0]
        data = struct.pack(f"<{len(words)}I", *words)
        try:
            program = decode(data)
        except ShaderError:
            continue
        decoded += 1
        assert encode(program) == data
        assert listing(program, 0).startswith(program.profile)
    assert decoded > 500


def test_nesting_does_not_blow_up_the_text() -> None:
    program = decode(program_bytes(CS_5_0, *[[Opcode.LOOP]] * 5000))
    assert len(listing(program)) < 5000 * 200


def test_changed_operands_are_encoded_as_changed() -> None:
    data = program_bytes(CS_5_0, [Opcode.MOV, *R0_X, 0x8010000A, 0x41, 1])
    program = decode(data)
    move = program.instructions[0]
    source = dataclasses.replace(move.operands[1], modifier=OperandModifier.ABS)
    changed = dataclasses.replace(move, operands=(move.operands[0], source))
    again = decode(encode(dataclasses.replace(program, instructions=(changed,))))
    assert again.instructions[0].operands[1].modifier is OperandModifier.ABS


def _of(*instructions: Instruction) -> Program:
    return Program(ProgramType.CS, 5, 0, instructions)


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        (
            Instruction(Opcode.DCL_FUNCTION_TABLE, extra=(0, 200, *range(200))),
            "DCL_FUNCTION_TABLE: 203 dwords, at most 127 (instruction 0, byte offset 0x0)",
        ),
        (
            Instruction(Opcode.LD, texel_offsets=(8, 0, 0)),
            "LD: texel offset 8 is outside -8 to 7 (instruction 0, byte offset 0x0)",
        ),
        (
            Instruction(Opcode.MOV, operands=(Operand(OperandType.TEMP, 3),)),
            "MOV: operand of 3 components (instruction 0, byte offset 0x0)",
        ),
        (
            Instruction(Opcode.NOP, controls=1),
            "NOP: controls 0x1 leave their bits (instruction 0, byte offset 0x0)",
        ),
        (
            Instruction(Opcode.DCL_TEMPS, extra=(1 << 32,)),
            "program: a dword does not fit 32 bits",
        ),
    ],
)
def test_what_cannot_be_encoded_says_so(instruction: Instruction, text: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        encode(_of(instruction))
    assert str(caught.value) == text


def test_a_version_that_does_not_fit() -> None:
    with pytest.raises(AssemblyError):
        encode(Program(ProgramType.CS, 16, 0, ()))
