"""Rules of containers: what the compiler writes breaks none, each broken part has its code."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from softd3d.container.dxbc import container as dxbc
from softd3d.container.dxbc.container import Chunk
from softd3d.container.validate.container import validate_container
from softd3d.container.validate.rules import CONTAINER_RULES
from softd3d.errors import ContainerError, Finding, Severity
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.enums import (
    Domain,
    InterpolationMode,
    Opcode,
    OperandType,
    ResourceDimension,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand
from softd3d.shaders.shader import load_shader
from softd3d.tools.validation.binary import NOT_A_SHADER, RULES, validate

DATA = Path(__file__).parent / "data"
Edit = Callable[[list[Chunk]], list[Chunk]]

PS, PACKING, STRIDE = "inheritance.ps_5_0", "packing.cs_5_0", "cs_structured_stride.cs_5_0"
SPACES, DOUBLES, GS = "cs_sm51_spaces.cs_5_1", "cs_double_11_1.cs_5_0", "gs_strips_streams.gs_5_0"
LIBRARY = "chunk_kinds/library.lib_5_0"
PARAMETER_REGISTER = 8 + 48 + 32  # of the first parameter's input, behind the result of 48 bytes
HS, LEVEL_9 = "hs_ds_tri.hs_5_0.hmain.PARTinteger", "vs_transform.vs_4_0_level_9_1"


def data_of(name: str) -> bytes:
    return (DATA / f"{name}.dxbc").read_bytes()


def poke(fourcc: str, at: int, value: int) -> Edit:
    """Write a dword into a chunk's data."""

    def edit(chunks: list[Chunk]) -> list[Chunk]:
        return [
            replace(c, data=c.data[:at] + struct.pack("<I", value) + c.data[at + 4 :])
            if c.fourcc == fourcc else c
            for c in chunks
        ]  # fmt: skip

    return edit


def drop(fourcc: str) -> Edit:
    return lambda chunks: [c for c in chunks if c.fourcc != fourcc]


def append(fourcc: str, data: bytes) -> Edit:
    return lambda chunks: [*chunks, Chunk(fourcc, data)]


def rename(old: str, new: str) -> Edit:
    return lambda chunks: [replace(c, fourcc=new) if c.fourcc == old else c for c in chunks]


def shorten(fourcc: str, size: int) -> Edit:
    return lambda chunks: [
        replace(c, data=c.data[:size]) if c.fourcc == fourcc else c for c in chunks
    ]


def swap(fourcc: str, name: str) -> Edit:
    """Take a chunk from another container."""
    other = dxbc.parse(data_of(name)).find(fourcc)
    assert other is not None
    return lambda chunks: [other if c.fourcc == fourcc else c for c in chunks]


def program(edit: Callable[[tuple[Instruction, ...]], list[Instruction]]) -> Edit:
    """Change the instructions of the program."""

    def changed(chunk: Chunk) -> Chunk:
        old = decode(chunk.data)
        return replace(chunk, data=encode(replace(old, instructions=tuple(edit(old.instructions)))))

    return lambda chunks: [changed(c) if c.fourcc in ("SHDR", "SHEX") else c for c in chunks]


def without(opcode: Opcode) -> Edit:
    return program(lambda old: [i for i in old if i.opcode is not opcode])


def controls(opcode: Opcode, value: int) -> Edit:
    return program(lambda old: [
        replace(i, controls=value) if i.opcode is opcode else i for i in old
    ])  # fmt: skip


def first(new: Instruction) -> Edit:
    return program(lambda old: [new, *old])


def in_function(edit: Edit) -> Edit:
    """Change the container of a library's first function."""

    def changed(chunk: Chunk) -> Chunk:
        return replace(chunk, data=dxbc.build(edit(list(dxbc.parse(chunk.data).chunks))))

    return lambda chunks: [changed(chunks[0]), *chunks[1:]]


def found(name: str, edit: Edit) -> list[Finding]:
    chunks = list(dxbc.parse(data_of(name)).chunks)
    return validate_container(dxbc.build(edit(chunks)))


LEVEL_9_PART = dxbc.parse(data_of(LEVEL_9)).chunks[0].data
ODEPTH = Instruction(Opcode.DCL_OUTPUT, (Operand(OperandType.OUTPUT_DEPTH, 1),))
U8 = Instruction(
    Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW,
    (Operand(OperandType.UNORDERED_ACCESS_VIEW, 0, indices=(Index(8),)),),
)
T0 = Instruction(
    Opcode.DCL_RESOURCE,
    (Operand(OperandType.RESOURCE, 0, indices=(Index(0),)),),
    ResourceDimension.TEXTURE2D << 11,
    (0x5555,),
)

# code, container, edit, the finding's chunk. Fields of signatures and bindings lie at the offsets
# that the public headers give: an element has 24 bytes from 8 on, the register at 16, masks at 20.
BROKEN: list[tuple[str, str, Edit, str | None]] = [
    ("FILE-005", PACKING, drop("SHEX"), None),
    ("FILE-005", PACKING, rename("SHEX", "DXIL"), "DXIL"),
    ("FILE-005", PACKING, append("SHDR", b""), "SHDR"),
    ("FILE-006", PACKING, append("STAT", bytes(148)), "STAT"),
    ("FILE-007", PACKING, shorten("STAT", 100), "STAT"),
    ("FILE-007", PACKING, shorten("RDEF", 40), "RDEF"),
    ("FILE-007", PS, shorten("OSGN", 12), "OSGN"),
    ("FILE-007", DOUBLES, shorten("SFI0", 4), "SFI0"),
    ("FILE-007", LEVEL_9, shorten("Aon9", 8), "Aon9"),
    ("FILE-008", PACKING, rename("SHEX", "SHDR"), "SHDR"),
    ("SIG-001", PS, poke("OSGN", 8 + 16, 5), None),
    ("SIG-001", LEVEL_9, poke("ISGN", 8 + 16, 9), None),
    ("SIG-002", PS, poke("OSGN", 8 + 20, 0x1), None),
    ("SIG-003", LEVEL_9, poke("OSGN", 8 + 8, 2), None),
    ("SIG-004", HS, poke("PCSG", 8 + 24 + 20, 0x10F), "PCSG"),
    ("SIG-005", PS, drop("OSGN"), None),
    ("SIG-005", HS, drop("PCSG"), None),
    ("SIG-006", PS, poke("ISGN", 8 + 16, 1), "ISGN"),
    ("SIG-007", PS, poke("OSGN", 8 + 20, 0), "OSGN"),
    ("SIG-008", PS, first(ODEPTH), None),
    ("SIG-009", PS, controls(Opcode.DCL_INPUT_PS, InterpolationMode.LINEAR << 11), None),
    ("SIG-010", PS, poke("OSGN", 8 + 16, 32), "OSGN"),
    ("FEAT-001", DOUBLES, drop("SFI0"), None),
    ("FEAT-001", DOUBLES, poke("SFI0", 0, 1), "SFI0"),
    ("FEAT-002", STRIDE, append("SFI0", struct.pack("<Q", 1)), "SFI0"),
    ("STAT-001", PACKING, poke("STAT", 0, 999), "STAT"),
    ("STAT-001", PACKING, poke("STAT", 4, 999), "STAT"),
    ("STAT-001", GS, poke("STAT", 4 * 13, 999), "STAT"),
    ("FEAT-001", STRIDE, first(U8), None),
    ("RDEF-001", PACKING, without(Opcode.DCL_CONSTANT_BUFFER), "RDEF"),
    ("RDEF-003", PACKING, swap("RDEF", STRIDE), None),
    ("RDEF-005", SPACES, program(lambda old: [
        replace(i, extra=(9, *i.extra[1:])) if i.opcode is Opcode.DCL_CONSTANT_BUFFER else i
        for i in old]), None),
    ("RDEF-002", PACKING, swap("RDEF", SPACES), None),
    ("RDEF-004", PACKING, poke("RDEF", 16, 0xFFFF0500), "RDEF"),
    ("SIG-011", HS, controls(Opcode.DCL_TESS_DOMAIN, Domain.ISOLINE << 11), "PCSG"),
    ("LIB-001", LIBRARY, drop("LIBH"), None),
    ("LIB-001", LIBRARY, lambda chunks: chunks[1:], "LIBH"),
    ("LIB-002", LIBRARY, in_function(drop("LFS0")), None),
    ("LIB-003", LIBRARY, in_function(poke("LFS0", PARAMETER_REGISTER, 9)), None),
    ("FILE-005", LIBRARY, in_function(drop("SHEX")), None),
    ("FILE-007", LIBRARY, poke("LIBH", 0, 9), "LIBH"),
    ("FILE-007", LIBRARY, poke("LIBF", 0, 9), "LIBF"),
    ("FILE-007", LIBRARY, in_function(shorten("LFS0", 8)), "LFS0"),
    ("FILE-007", LEVEL_9, poke("Aon9", 12, 1 << 20), "Aon9"),
    ("AON9-001", LEVEL_9, poke("Aon9", 4, 0xFFFF0200), "Aon9"),
    ("AON9-002", PS, append("Aon9", LEVEL_9_PART), "Aon9"),
    ("AON9-003", LEVEL_9, first(T0), None),
]  # fmt: skip


@pytest.mark.parametrize("path", sorted(DATA.glob("*.dxbc")), ids=lambda path: path.name)
def test_containers_of_the_compiler_break_no_rule(path):
    assert [str(f) for f in validate_container(path.read_bytes())] == []


@pytest.mark.parametrize("path", sorted(DATA.glob("chunk_kinds/library*.dxbc")),
                         ids=lambda path: path.name)  # fmt: skip
def test_libraries_of_the_compiler_break_no_rule(path):
    assert [str(f) for f in validate_container(path.read_bytes())] == []


def test_findings_in_a_function_name_it_and_have_the_place_in_the_library():
    (finding,) = [f for f in found(LIBRARY, in_function(without(Opcode.DCL_TEMPS)))
                  if f.code == "SM4-REG-001"][:1]  # fmt: skip
    assert finding.message.startswith("shade: ")
    first = dxbc.parse(data_of(LIBRARY)).chunks[0]
    assert first.data_offset < (finding.location.offset or 0) < first.data_offset + len(first.data)


def test_loading_what_holds_several_programs_says_what_it_is():
    with pytest.raises(ContainerError, match=r"library \(functions shade, twice, nothing\)"):
        load_shader(data_of(LIBRARY))
    with pytest.raises(ContainerError, match="an effect"):
        load_shader(data_of("chunk_kinds/effect.fx_4_0"))
    with pytest.raises(ContainerError, match="no list of its functions"):
        load_shader(dxbc.build(drop("LIBH")(list(dxbc.parse(data_of(LIBRARY)).chunks))))


@pytest.mark.parametrize(
    ("code", "name", "edit", "chunk"),
    [pytest.param(*b, id=f"{b[0]}-{n}") for n, b in enumerate(BROKEN)],
)
def test_a_broken_container_has_its_code_at_its_chunk(code, name, edit, chunk):
    assert (f"DXBC-{code}", chunk) in [(f.code, f.location.chunk) for f in found(name, edit)]


ELSEWHERE = {"FILE-001", "FILE-002", "FILE-003", "FILE-004", "FILE-009"}  # below
EFFECTS = {f"FX-00{number}" for number in range(1, 7)}  # in test_validate_effect.py


def test_every_rule_has_a_broken_container():
    assert {f"DXBC-{code}" for code in {code for code, *_ in BROKEN} | ELSEWHERE | EFFECTS} == set(
        CONTAINER_RULES
    )


def codes(data: bytes) -> list[str]:
    return [f.code for f in validate(data)]


def test_a_cut_container_is_one_finding_with_its_place():
    (finding,) = validate(data_of(PS)[:-4])
    assert (finding.code, finding.severity) == ("DXBC-FILE-001", Severity.ERROR)
    assert finding.location.offset == 24


def test_a_root_signature_alone_is_no_error_unless_it_is_malformed():
    path = next(DATA.glob("chunk_kinds/*root*.dxbc"))
    signature = next(c for c in dxbc.parse(path.read_bytes()).chunks if c.fourcc == "RTS0")
    assert validate(dxbc.build([Chunk("RTS0", signature.data)])) == []
    (finding,) = validate(dxbc.build([Chunk("RTS0", signature.data[:-4])]))
    assert finding.code == "DXBC-FILE-007"
    assert finding.location.chunk == "RTS0"


def test_a_wrong_checksum_and_trailing_bytes_are_warnings():
    data = bytearray(data_of(PS))
    data[4] ^= 1
    assert codes(bytes(data)) == ["DXBC-FILE-002"]
    assert codes(data_of(PS) + b"more") == ["DXBC-FILE-003"]
    assert {f.severity for f in validate(bytes(data) + b"more")} == {Severity.WARNING}


def test_an_unaligned_chunk_is_a_warning():
    chunks = dxbc.parse(data_of(STRIDE)).chunks
    data = bytearray(dxbc.build([*chunks, Chunk("PRIV", b"x" * 8)]))
    at = int.from_bytes(data[32 + 4 * len(chunks) : 36 + 4 * len(chunks)], "little")
    data[32 + 4 * len(chunks) : 36 + 4 * len(chunks)] = (at + 1).to_bytes(4, "little")
    data[at : at + 16] = b"\0PRIV" + (3).to_bytes(4, "little") + b"x" * 7
    assert "DXBC-FILE-004" in codes(bytes(data))


def test_a_broken_token_stream_is_one_finding_with_its_place():
    (finding,) = validate(bytes.fromhex("40000500 04000000 3e000001 6b000001"))
    assert finding.code == "SM4-TOK-015"
    assert (finding.location.instruction, finding.location.offset) == (1, 12)


def test_offsets_count_from_the_start_of_the_container():
    chunks = dxbc.parse(data_of(PS))
    (finding,) = [
        f for f in found(PS, without(Opcode.DCL_OUTPUT)) if f.code == "SM4-REG-007"
    ]  # fmt: skip
    chunk = chunks.program_chunk
    assert chunk.data_offset < (finding.location.offset or 0) < chunk.data_offset + len(chunk.data)


@pytest.mark.parametrize("data", [b"", b"DX", b"DDS " + bytes(124), b"\xff\xff\x00\x02" * 4])
def test_what_is_no_shader_of_these_models_is_one_finding(data):
    assert codes(data) == [NOT_A_SHADER]


def test_shaders_can_be_validated_as_they_are():
    assert validate(load_shader(data_of(PS))) == []


def test_bytes_changed_at_random_never_fail():
    source = random.Random(3)
    for path in [*sorted(DATA.glob("*.dxbc")), *DATA.glob("chunk_kinds/library*.dxbc")]:
        good = path.read_bytes()
        for _ in range(25):
            data = bytearray(good)
            for _ in range(source.randrange(1, 8)):
                data[source.randrange(len(data))] = source.getrandbits(8)
            assert all(f.code in RULES for f in validate(bytes(data)))


@pytest.mark.corpus
def test_sample_containers_break_no_rule(sample_containers):
    found = {path.name: codes(path.read_bytes()) for path in sample_containers}
    assert {name: broken for name, broken in found.items() if broken} == {}


@pytest.mark.corpus
def test_corpus_containers_have_no_errors(corpus_containers):
    for path in corpus_containers[::4]:
        data = path.read_bytes()
        if any(c.fourcc in ("SHDR", "SHEX") for c in dxbc.parse(data).chunks):
            errors = [str(f) for f in validate(data) if f.severity is Severity.ERROR]
            assert errors == [], path.name
