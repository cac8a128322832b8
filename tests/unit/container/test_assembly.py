"""Texts to containers: rebuilt from a listing's comments, like a template, and byte by byte."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.assembly import assemble, assemble_tokens
from softd3d.container.assembly_header import read_signature_tables
from softd3d.container.checksum import ChecksumKind, checksum_kind
from softd3d.container.dxbc import Chunk, build, parse
from softd3d.container.exact_text import exact_listing, is_exact_listing, read_exact_listing
from softd3d.container.listing import container_listing
from softd3d.container.signature import (
    INPUT_SIGNATURES,
    OUTPUT_SIGNATURES,
    PATCH_CONSTANT_SIGNATURES,
    parse_signature,
)
from softd3d.errors import AssemblyError, ContainerError, ShaderError
from softd3d.isa.asm.diagnostic import ListingError
from softd3d.isa.asm.exact import exact_code
from softd3d.isa.asm.lexer import source_lines
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import ProgramType

EXACT = ListingOptions(literals=Literals.EXACT)
SIGNATURES = (*INPUT_SIGNATURES, *OUTPUT_SIGNATURES, *PATCH_CONSTANT_SIGNATURES)

VERTEX_SHADER = """\
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// POSITION                 0   xyzw        0     NONE   float   xyzw
// BLENDINDICES             3    y w        1     NONE    uint
// SV_VertexID              0   x           2   VERTID    uint   x
//
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// A_NAME_LONGER_THAN_THE_COLUMN     1   xyz         0     NONE  min16f   xy
// SV_Position              0   xyzw        1      POS   float   xyzw
//
vs_5_0
dcl_globalFlags refactoringAllowed | enableMinimumPrecision
dcl_input v0.xyzw
dcl_output o0.xy {min16f}
dcl_output_siv o1.xyzw, position
mov o0.xy {min16f}, v0.xyxx
mov o1.xyzw, v0.xyzw
ret
// Approximately 3 instruction slots used
"""


def program_of(data: bytes):
    chunk = parse(data).program_chunk
    return decode(chunk.data, chunk.data_offset)


# Comments


def test_a_container_from_a_listing_alone() -> None:
    data = assemble(VERTEX_SHADER)
    container = parse(data)
    assert [chunk.fourcc for chunk in container.chunks] == ["ISG1", "OSG1", "SHEX", "SFI0", "STAT"]
    assert checksum_kind(data) is ChecksumKind.RETAIL
    inputs = parse_signature(container.chunks[0]).elements
    assert [(e.name, e.semantic_index, e.register, e.mask, e.rw_mask) for e in inputs] == [
        ("POSITION", 0, 0, 15, 15), ("BLENDINDICES", 3, 1, 10, 0), ("SV_VertexID", 0, 2, 1, 1),
    ]  # fmt: skip
    outputs = parse_signature(container.chunks[1]).elements
    assert [(e.name, e.mask, e.rw_mask, e.min_precision.name) for e in outputs] == [
        ("A_NAME_LONGER_THAN_THE_COLUMN", 7, 12, "FLOAT_16"), ("SV_Position", 15, 0, "DEFAULT"),
    ]  # fmt: skip


def test_columns_may_have_lost_the_blanks_at_their_ends() -> None:
    stripped = "\r\n".join(line.rstrip() for line in VERTEX_SHADER.splitlines())
    assert assemble(stripped) == assemble(VERTEX_SHADER)


def test_tables_may_follow_direct3d_9_code() -> None:
    before = "// Level9 shader bytecode:\n//\n    vs_2_x\n    mov oPos, v0\n\n"
    assert assemble(before + VERTEX_SHADER) == assemble(VERTEX_SHADER)


def test_small_containers_come_back_from_their_listings(small_containers: list[Path]) -> None:
    for path in small_containers:
        container = parse(path.read_bytes())
        text = container_listing(container, EXACT)
        if container.find(*SIGNATURES) is None or "undecipherable" in text:
            continue
        rebuilt = parse(assemble(text))
        for chunk in rebuilt.chunks:
            stored = container.find(chunk.fourcc)
            if chunk.fourcc != "STAT":
                assert stored is not None, (path.name, chunk.fourcc)
                assert stored.data == chunk.data, (path.name, chunk.fourcc)


@pytest.mark.corpus
def test_signatures_of_the_corpus_come_back_from_their_tables(
    sample_containers: list[Path], corpus_containers: list[Path]
) -> None:
    count, different = 0, []
    for path in [*sample_containers, *corpus_containers]:
        container = parse(path.read_bytes())
        if container.find("SHEX", "SHDR") is None or container.find(*SIGNATURES) is None:
            continue
        program = program_of(path.read_bytes())
        dialect = list(Dialect)[count % len(Dialect)]
        if container.find("ISG1") is not None and not dialect.habits.knows_new_signatures:
            dialect = Dialect.D3D10_1
        lines = source_lines(container_listing(container, ListingOptions(dialect)))
        tables = read_signature_tables(lines, program.type)
        assert tables.diagnostics == []
        for kinds, table in (
            (INPUT_SIGNATURES, tables.inputs),
            (OUTPUT_SIGNATURES, tables.outputs),
            (PATCH_CONSTANT_SIGNATURES, tables.patch_constants),
        ):
            chunk = container.find(*kinds)
            if chunk is not None:
                count += 1
                stored = [replace(e, mask_rest=0) for e in parse_signature(chunk).elements]
                if table is None or list(table.elements) != stored:
                    different.append((path.name, chunk.fourcc))
    assert different == []
    assert count > 1000


def test_a_compute_shader_needs_no_tables() -> None:
    text = "cs_5_0\ndcl_input vThreadID.x\ndcl_thread_group 4, 1, 1\nret"
    chunks = [chunk.fourcc for chunk in parse(assemble(text)).chunks]
    assert chunks == ["ISGN", "OSGN", "SHEX", "STAT"]


@pytest.mark.parametrize(
    ("text", "fourccs"),
    [
        ("ps_4_0\nret", ["ISGN", "OSGN", "SHDR", "STAT"]),
        ("cs_4_0\nret", ["ISGN", "OSGN", "SHEX", "STAT"]),
        ("vs_4_0\ndcl_resource_raw t0\nret", ["ISGN", "OSGN", "SHEX", "STAT"]),
        ("gs_4_0\nret", ["ISGN", "OSGN", "SHDR", "STAT"]),
        ("gs_5_0\nret", ["ISGN", "OSG5", "SHEX", "STAT"]),
        ("hs_5_0\nhs_decls", ["ISGN", "OSGN", "PCSG", "SHEX", "STAT"]),
        ("ds_5_0\nret", ["ISGN", "PCSG", "OSGN", "SHEX", "STAT"]),
    ],
)
def test_chunks_by_stage_and_version(text: str, fourccs: list[str]) -> None:
    assert [chunk.fourcc for chunk in parse(assemble(text)).chunks] == fourccs


def test_shaders_for_the_debug_layer_bear_its_checksum() -> None:
    assert checksum_kind(assemble("cs_5_0\nabort\nret")) is ChecksumKind.DEBUG
    assert checksum_kind(assemble('cs_5_0\nprintf "x"\nret')) is ChecksumKind.DEBUG


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ps_5_0\ndcl_input_ps linear v0.x\nret", (2, 1)),
        ("ps_5_0\n  dcl_output o0.x\nret", (2, 3)),
        ("gs_5_0\nret\ndcl_input vPrim", (3, 1)),
        ("ds_5_0\ndcl_input vpc0.x", (2, 1)),
    ],
)
def test_declared_values_need_tables(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(ListingError, match="no signature table of it") as caught:
        assemble(text)
    found = caught.value.diagnostics[0]
    assert (found.line, found.column) == place
    assert len(assemble_tokens(text)) >= 16  # which needs none


def test_functions_of_libraries_are_tokens_only() -> None:
    with pytest.raises(ListingError, match="no container of its own"):
        assemble("lib_5_0\nret")
    assert assemble_tokens("lib_5_0\nret").hex(" ", 4) == "5000f0ff 03000000 3e000001"


TABLE = VERTEX_SHADER.splitlines()[5]
COLUMNS = (
    "signature table: wanted name, index, mask, register, system value, format and used components"
)
FAR = "it starts at 0x8000, more than 256 bytes after 0x24; write what lies between with .bytes"


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("// POSITION                 0   xyzw        0     NOEN   float   xyzw", 51,
         "signature table: 'NOEN' is no system value, did you mean NONE?"),
        ("// POSITION                 0   xyzw        0     NONE   flaot   xyzw", 58,
         "signature table: 'flaot' is no format, did you mean float?"),
        ("// POSITION                 0   xyzw 4294967295     NONE   float   xyzw", 38,
         "register 4294967295 does not fit"),
        ("// POSITION", 3, COLUMNS),
        ("// POSITION                 0   xyzw", 3, COLUMNS),
    ],
)  # fmt: skip
def test_wrong_tables(line: str, column: int, message: str) -> None:
    with pytest.raises(ListingError) as caught:
        assemble(VERTEX_SHADER.replace(TABLE, line))
    (found,) = caught.value.diagnostics
    assert (found.line, found.column, found.message) == (6, column, message)


# A template


def test_like_a_template_only_the_program_and_what_follows_from_it_change(
    small_containers: list[Path],
) -> None:
    for path in small_containers:
        data = path.read_bytes()
        code = exact_code(program_of(data))
        assert assemble(code, data) == data, path.name
        longer = parse(assemble(f"{code}\nnop", data))
        for old, new in zip(parse(data).chunks, longer.chunks, strict=True):
            same = old.data == new.data
            assert same == (old.fourcc not in ("SHDR", "SHEX", "STAT")), (path.name, old.fourcc)


def test_features_appear_and_disappear_with_the_program() -> None:
    plain = assemble("cs_5_0\nret")
    doubles = "cs_5_0\ndcl_globalFlags enableDoublePrecisionFloatOps\nret"
    with_doubles = assemble(doubles, plain)
    fourccs = [chunk.fourcc for chunk in parse(with_doubles).chunks]
    assert fourccs == ["ISGN", "OSGN", "SHEX", "SFI0", "STAT"]
    assert with_doubles == assemble(doubles)
    assert assemble("cs_5_0\nret", with_doubles) == plain


def test_a_template_of_another_stage_is_refused() -> None:
    template = assemble("cs_5_0\nret")
    with pytest.raises(ContainerError, match="its program is of stage cs, the text's is ps_5_0"):
        assemble("ps_5_0\nret", template)
    with pytest.raises(ContainerError, match="no SHDR or SHEX chunk"):
        assemble("ps_5_0\nret", build([]))


# Exact text


def exact(data: bytes) -> str:
    try:
        code = exact_code(program_of(data))
    except ShaderError:
        code = None
    return exact_listing(data, code)


def test_small_containers_have_an_exact_text(small_containers: list[Path]) -> None:
    for path in small_containers:
        data = path.read_bytes()
        text = exact(data)
        assert is_exact_listing(text)
        assert "\n.program " in text
        assert "\n.checksum" not in text
        assert read_exact_listing(text) == assemble(text) == data, path.name


@pytest.mark.corpus
def test_all_containers_have_an_exact_text(
    sample_containers: list[Path], corpus_containers: list[Path]
) -> None:
    for path in [*sample_containers, *corpus_containers][::3]:
        data = path.read_bytes()
        assert read_exact_listing(exact(data)) == data, path.name


CODE = build([Chunk("SHEX", assemble_tokens("cs_5_0\nret")), Chunk("ABCD", b"hello")])


def with_bytes(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def moved(data: bytes, gap: bytes) -> bytes:
    """Put a gap before the last chunk and behind it."""
    (at,) = struct.unpack_from("<I", data, 36)
    shifted = with_bytes(data, 36, struct.pack("<I", at + len(gap)))
    shifted = with_bytes(shifted, 24, struct.pack("<I", len(data) + 2 * len(gap)))
    return shifted[:at] + gap + shifted[at:] + gap


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (CODE, ".program SHEX"),
        (CODE + b"tail", ".tail"),
        (with_bytes(CODE, 4, bytes(16)), f".checksum {'0' * 32}"),
        (build([Chunk("SHEX", b"")], ChecksumKind.DEBUG), ".checksum debug"),
        (build([Chunk("\0\1\2\xff", b"x")]), ".chunk 0xff020100"),
        (build([Chunk("// x", b"x")]), ".chunk 0x78202f2f"),
        (build([Chunk("odd1", b"x"), Chunk("odd2", b"y")]), ".chunk odd2 at 0x31"),
        (build([]), ".container"),
        (moved(CODE, bytes(8)), ".size 89"),
        (moved(CODE, b"gap!"), ".bytes at 0x3c"),
        (moved(CODE, bytes(400)), ".bytes at 0x3c"),
        (moved(CODE, bytes(3)), ".chunk ABCD at 0x3f"),
    ],
)
def test_unusual_containers_come_back(data: bytes, line: str) -> None:
    text = exact(data)
    assert line in text.splitlines()
    assert read_exact_listing(text) == data


def test_the_order_of_the_chunk_table_is_kept() -> None:
    data = build([Chunk("AAAA", b"1234"), Chunk("BBBB", b"5678")])
    first, second = struct.unpack_from("<2I", data, 32)
    swapped = with_bytes(data, 32, struct.pack("<2I", second, first))
    assert read_exact_listing(exact(swapped)) == swapped


def test_code_that_does_not_give_the_program_back_is_not_used() -> None:
    for code in ("cs_5_0\nnop", "wrong", "cs_5_0\nret\n.tail\n"):
        text = exact_listing(CODE, code)
        assert ".chunk SHEX" in text
        assert read_exact_listing(text) == CODE


def test_without_checksum_the_container_is_signed() -> None:
    text = exact(with_bytes(CODE, 4, bytes(16)))
    assert read_exact_listing(text.replace(f".checksum {'0' * 32}\n", "")) == CODE


def test_edited_code_makes_a_longer_chunk() -> None:
    data = read_exact_listing(exact(CODE).replace("\nret", "\nnop\nret"))
    assert [i.opcode.name for i in program_of(data).instructions] == ["NOP", "RET"]
    assert parse(data).chunks[1].data == b"hello"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("\n.chunk ABCD\n.container", 2, 1, "wanted .container, found '.chunk'"),
        ("00 11\n.container", 1, 1, "wanted a directive such as .chunk, found '00 11'"),
        (".container\n00", 2, 1, "wanted a directive such as .chunk, found '00'"),
        (".container\n.chunk", 2, 1, "wanted a FourCC such as SHEX, found nothing"),
        (".container\n.chunk ABC", 2, 1, "wanted a FourCC such as SHEX, found 'ABC'"),
        (".container\n .chunk ABCD at 12", 2, 2,
         "wanted a place such as `at 0x44`, found '.chunk ABCD at 12'"),
        (".container\n.chnk ABCD", 2, 1, "'.chnk' is no directive, did you mean .chunk?"),
        (".container\n.chunk ABCD\n00 1", 3, 1, "wanted bytes in hex, found '00 1'"),
        (".container\n.chunk ABCD\n  0g", 3, 3, "wanted bytes in hex, found '0g'"),
        (".container\n.checksum 00", 2, 1, "wanted a checksum of 32 hex digits, found '00'"),
        (".container\n.checksum", 2, 1, ".checksum is not followed by what it needs"),
        (".container\n.size x", 2, 1, ".size is not followed by what it needs"),
        (".container\n.size 10", 2, 1, "the container of 10 bytes has parts up to 32"),
        (".container\n.size 4294967295", 2, 1,
         "the container of 4294967295 bytes has parts up to 32"),
        (".container\n.bytes 00", 2, 1, "wanted .bytes at 0xOFFSET"),
        (".container\n.bytes at 0x10\n00", 2, 1,
         "it starts at 0x10, before 0x20 where what precedes it ends"),
        (".container\n.chunk ABCD at 0x20", 2, 1,
         "it starts at 0x20, before 0x24 where what precedes it ends"),
        (".container\n.chunk ABCD at 0x8000", 2, 1, FAR),
        (".container\n.chunk ABCD at 0xffffffff", 2, 1,
         "a container has at most 268435456 bytes"),
        (".container\n.program SHEX\nps_5_0\n  mvo r0.x, r1.x", 4, 3,
         "'mvo' is no instruction, did you mean mov?"),
        (".container\n.program SHEX\n.tail", 2, 1,
         "wanted a version such as ps_5_0, found nothing"),
        (".container\n.program SHEX\nps_5_0\nret\n.container", 5, 1, "a second .container"),
        (".container\n" + ".chunk ABCD\n" * 4097, 4098, 1, "more than 4096 chunks"),
    ],
)  # fmt: skip
def test_wrong_exact_texts(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ListingError) as caught:
        assemble(text)
    (found,) = caught.value.diagnostics
    assert (found.line, found.column, found.message) == (line, column, message)


@given(st.lists(st.tuples(st.text("ABab12 /\xff", min_size=4, max_size=4), st.binary(max_size=40)),
                max_size=4), st.binary(max_size=5))  # fmt: skip
def test_any_chunks_come_back(chunks: list[tuple[str, bytes]], tail: bytes) -> None:
    data = build([Chunk(fourcc, contents) for fourcc, contents in chunks]) + tail
    assert read_exact_listing(exact_listing(data)) == data


LINES = st.sampled_from(
    [".container", ".chunk ABCD", ".chunk ABCD at 0x44", ".program SHEX", "ps_5_0", "ret", ".tail",
     "00 11", ".size 100", ".bytes at 0x30", ".checksum debug", ".tokens 0x0100003e", "// x",
     "// Input signature:", "// A  0   xyzw  0 NONE float   xyzw", "dcl_input v0.x", "\0"]
)  # fmt: skip


@given(st.lists(LINES | st.text(max_size=12), max_size=12))
def test_any_lines_end_in_bytes_or_an_error(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        data = assemble(text)
    except AssemblyError as error:
        assert error.location is not None
        assert error.location.line is not None
    else:
        parse(data)


def test_stage_decides_what_used_means() -> None:
    table = """\
// Patch Constant signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_TessFactor            0   x           0 QUADEDGE   float   x
"""
    masks = []
    for stage in (ProgramType.HS, ProgramType.DS):
        found = read_signature_tables(source_lines(table), stage).patch_constants
        assert found is not None
        masks.append(found.elements[0].rw_mask)
    assert masks == [14, 1]
