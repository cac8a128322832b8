"""Texts to containers: rebuilt from a listing's comments, like a template, and byte by byte."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.assembly.containers import assemble, assemble_tokens
from softd3d.container.assembly.header import read_signature_tables
from softd3d.container.dxbc.checksum import ChecksumKind, checksum_kind
from softd3d.container.dxbc.container import Chunk, build, parse
from softd3d.container.listing.container import container_listing
from softd3d.container.listing.exact import exact_listing, is_exact_listing, read_exact_listing
from softd3d.container.reflection.signature import (
    INPUT_SIGNATURES,
    OUTPUT_SIGNATURES,
    PATCH_CONSTANT_SIGNATURES,
    parse_signature,
)
from softd3d.errors import AssemblyError, ContainerError, ShaderError
from softd3d.isa.asm.diagnostic import ListingError
from softd3d.isa.asm.lexer import source_lines
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals
from softd3d.isa.asm.sm4.exact import exact_code, sure_code
from softd3d.isa.asm.sm4.printer import program_code
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


@pytest.mark.parametrize("blanks", [" ", "\t", "      "])
def test_columns_may_stand_anywhere(blanks: str) -> None:
    """With any blanks between the fields, and masks without blanks inside, left or right."""
    lines = VERTEX_SHADER.splitlines()
    for at, line in enumerate(lines):
        if line[:2] == "//" and "float" in line + line.replace("uint", "float"):
            fields = line[2:].replace("y w", "yw").split()
            lines[at] = "//" + blanks + blanks.join(fields)
    assert lines != VERTEX_SHADER.splitlines()
    assert assemble("\n".join(lines)) == assemble(VERTEX_SHADER)


def test_values_without_a_register_may_stand_anywhere() -> None:
    rows = (
        "// SV_Depth                 0    N/A   oDepth    DEPTH   float    YES",
        "// SV_Depth 0 N/A oDepth DEPTH float YES",
        "//SV_Depth 0 N/A  special DEPTH float   YES",
    )
    text = "// Output signature:\n//\n{}\nps_5_0\ndcl_output oDepth\nmov oDepth, l(1.0)\nret"
    (data,) = {assemble(text.format(row)) for row in rows}
    (element,) = parse_signature(parse(data).chunks[1]).elements
    assert (element.register, element.mask, element.rw_mask) == (None, 1, 14)


def test_many_wrong_rows_are_counted_up_to_a_limit() -> None:
    with pytest.raises(ListingError) as caught:
        assemble(VERTEX_SHADER.replace(TABLE, "// A 0\n" * 100))
    assert len(caught.value.diagnostics) == 20


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
AT = "signature table: "
FAR = "it starts at 0x8000, more than 256 bytes after 0x24; write what lies between with .bytes"


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("// POSITION                 0   xyzw        0     NOEN   float   xyzw", 51,
         f"{AT}'NOEN' is no system value, did you mean NONE?"),
        ("// POSITION                 0   xyzw        0     NONE   flaot   xyzw", 58,
         f"{AT}'flaot' is no format, did you mean float?"),
        ("// POSITION                 0   xyzw 4294967295     NONE   float   xyzw", 38,
         f"{AT}register 4294967295 does not fit"),
        ("// POSITION", 12, f"{AT}wanted a semantic index, found nothing"),
        ("//  POSITION0 xyzw 0", 15, f"{AT}wanted a semantic index, found 'xyzw'"),
        ("// A 4294967296 x 0", 6, f"{AT}index 4294967296 does not fit"),
        ("// A 0 yx 0 NONE float", 8, f"{AT}wanted a mask such as xyz or y w, or N/A, found 'yx'"),
        ("// A 0 3 NONE float", 8, f"{AT}wanted a mask such as xyz or y w, or N/A, found '3'"),
        ("// POSITION       0   xyzw", 27, f"{AT}wanted a register's number, found nothing"),
        ("// A 0 xyzw v0 NONE float", 13,
         f"{AT}wanted a register's number, found 'v0'; without one the mask is N/A"),
        ("// A 0 N/A 2 NONE float", 12, f"{AT}register '2' needs a mask, found N/A"),
        ("// A 0 x 2", 11, f"{AT}wanted a system value, found nothing"),
        ("// A 0 x 2 NONE", 16, f"{AT}wanted a format, found nothing"),
        ("// A 0 x 2 NONE float used", 23,
         f"{AT}wanted the used components, such as xyz or y w, found 'used'"),
        ("// A 0 N/A x NONE float x", 25, f"{AT}wanted YES or NO: whether it is used, found 'x'"),
        ("// " + "A" * 2000, 1, f"{AT}a line of more than 1000 characters"),
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


# Refreshing

STALE = VERTEX_SHADER.replace("mov o0.xy", "add o0.xy {min16f}, v0.xyxx, v0.xyxx\nmov o0.xy")
WITHOUT = VERTEX_SHADER.replace(" | enableMinimumPrecision", "")


def contents(data: bytes) -> list[tuple[str, bytes]]:
    return [(chunk.fourcc, chunk.data) for chunk in parse(data).chunks]


def test_a_refreshed_exact_listing_has_the_chunks_of_its_program() -> None:
    data = assemble(VERTEX_SHADER)
    text = exact(data)
    assert assemble(text, refresh=True) == data
    edited = text.replace("mov o0", "add o0.xy {min16f}, v0.xyxx, v0.xyxx\nmov o0")
    assert assemble(edited) != assemble(STALE)
    assert assemble(edited, refresh=True) == assemble(STALE)


def test_refreshing_adds_and_removes_features() -> None:
    plain, doubles = "cs_5_0\nret", "cs_5_0\ndcl_globalFlags enableDoublePrecisionFloatOps\nret"
    for before, after in ((plain, doubles), (doubles, plain)):
        text = exact(assemble(before))
        start = text.index("cs_5_0")
        stop = text.index("\n.chunk", start)
        assert assemble(text[:start] + after + text[stop:], refresh=True) == assemble(after)


def test_refreshing_a_template_or_a_listing_too() -> None:
    data = assemble(VERTEX_SHADER)
    stale = build([Chunk(f, b"" if f == "STAT" else d) for f, d in contents(data)])
    assert assemble(VERTEX_SHADER, stale) == stale
    assert assemble(VERTEX_SHADER, stale, refresh=True) == data
    assert assemble(VERTEX_SHADER, refresh=True) == data


def test_refreshing_adds_no_statistics_and_keeps_the_rest() -> None:
    chunks = [*(c for c in contents(assemble(VERTEX_SHADER)) if c[0] != "STAT"), ("PRIV", b"me!!")]
    data = build([Chunk(*chunk) for chunk in chunks], ChecksumKind.DEBUG) + b"tail"
    assert assemble(exact(data), refresh=True) == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".container\n.chunk ABCD\n", "no SHDR or SHEX chunk"),
        (".container\n.chunk DXIL\n", "the program is DXIL"),
        (".container\n.chunk SHEX\n50000000 00000000", "program"),
    ],
)
def test_what_has_no_program_cannot_be_refreshed(text: str, message: str) -> None:
    with pytest.raises(ShaderError, match=message):
        assemble(text, refresh=True)


def test_exact_listings_take_no_template_and_give_their_tokens() -> None:
    with pytest.raises(AssemblyError, match="none come from a template"):
        assemble(exact(CODE), CODE)
    assert assemble_tokens(exact(CODE)) == parse(CODE).program_chunk.data
    with pytest.raises(ContainerError, match="no SHDR or SHEX chunk"):
        assemble_tokens(".container")


# Exact text


def exact(data: bytes) -> str:
    try:
        program = program_of(data)
        codes = (program_code(program, EXACT).text, lambda: sure_code(program))
    except ShaderError:
        codes = ()
    return exact_listing(data, codes)


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
        text = exact_listing(CODE, [lambda code=code: code])
        assert ".chunk SHEX" in text
        assert read_exact_listing(text) == CODE


def test_without_checksum_the_container_is_signed() -> None:
    text = exact(with_bytes(CODE, 4, bytes(16)))
    assert read_exact_listing(text.replace(f".checksum {'0' * 32}\n", "")) == CODE


def test_edited_code_makes_a_longer_chunk() -> None:
    data = read_exact_listing(exact(CODE).replace("\nret", "\nnop\nret"))
    assert [i.opcode.name for i in program_of(data).instructions] == ["NOP", "RET"]
    assert parse(data).chunks[1].data == b"hello"


def test_the_first_line_may_be_missing_but_not_name_another_version() -> None:
    text = exact(CODE)
    first, _, rest = text.partition("\n")
    assert first == "// softd3d exact listing 1"
    assert assemble(rest) == assemble(f"\n  {first} \n{rest}") == CODE
    for wrong, column in ((f"{first}0", 26), (first[:-1] + "2", 26), (first[:-2], 25)):
        for body in (rest, "ps_5_0\nret", ""):
            with pytest.raises(
                ListingError, match="wanted an exact listing of version 1"
            ) as caught:
                assemble(f"\n{wrong}\n{body}")
            (found,) = caught.value.diagnostics
            assert (found.line, found.column) == (2, column)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("// softd3d exact listing 1\nps_5_0", 2, 1,
         "wanted a directive such as .chunk, found 'ps_5_0'"),
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
