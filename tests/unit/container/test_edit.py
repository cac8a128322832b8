"""Editing, stripping, signing and parts; the expected results are Microsoft's.

data/edited_by_d3dcompiler.json holds, for containers by name, the first 16 digits of the SHA-256 of
what D3DStripShader, D3DGetBlobPart and D3DSetBlobPart of d3dcompiler_47 returned for each flag and
part; what is not listed failed. The container `every` is built here.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.checksum import ChecksumKind, checksum_kind, computed_checksum
from softd3d.container.dxbc.container import Chunk, build, parse, stored_checksum_kind
from softd3d.container.dxbc.edit import (
    ChunkReference,
    add_chunk,
    chunk_index,
    parse_reference,
    rebuild,
    remove_chunks,
    replace_chunk,
    sign,
)
from softd3d.container.dxbc.parts import SETTABLE_PARTS, BlobPart, get_part, set_part
from softd3d.container.dxbc.strip import STRIPPED_CHUNKS, StripFlags, strip
from softd3d.errors import ContainerError, ShaderError

DATA = Path(__file__).parent / "data"
REAL = json.loads((DATA / "edited_by_d3dcompiler.json").read_text())
EVERY = [
    "SHEX", "RDEF", "STAT", "SDBG", "SPDB", "RPLY", "CRPT", "PERF", "SDTL", "SMID", "PRIV", "RTS0",
    "Aon9", "XNAP", "XNAS", "ILDB", "ILDN", "ISGN", "ISG1", "OSGN", "OSG5", "OSG1", "PCSG", "PSG1",
    "LIBF", "SFI0",
]  # fmt: skip
PAYLOADS = {
    BlobPart.PRIVATE_DATA: b"private",
    BlobPart.DEBUG_NAME: b"private",
    BlobPart.ROOT_SIGNATURE: build([Chunk("XXXX", b"x"), Chunk("RTS0", b"root signature")]),
}


def container(*fourccs: str) -> bytes:
    return build([Chunk(fourcc, fourcc.encode()) for fourcc in fourccs])


def names(data: bytes) -> list[str]:
    return [chunk.fourcc for chunk in parse(data).chunks]


def contents(data: bytes) -> list[tuple[str, bytes]]:
    return [(chunk.fourcc, chunk.data) for chunk in parse(data).chunks]


def with_checksum(data: bytes, checksum: bytes) -> bytes:
    return data[:4] + checksum + data[20:]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@pytest.fixture(params=REAL)
def named(request) -> tuple[str, bytes]:
    name = request.param
    if name != "every":
        return name, (DATA / name).read_bytes()
    chunks = [Chunk(n, n.encode() * 2 + b"?" * (i % 3)) for i, n in enumerate(EVERY)]
    return name, build(chunks)


def test_strip_is_microsofts(named) -> None:
    name, data = named
    for flags in (1, 2, 4, 8, 16, 31):
        assert digest(strip(data, StripFlags(flags))) == REAL[name][f"strip {flags}"], flags


def test_parts_are_microsofts(named) -> None:
    name, data = named
    for part in BlobPart:
        expected = REAL[name].get(f"get {part:d}")
        if expected is None:
            with pytest.raises(ContainerError, match=f"no part {part.label}"):
                get_part(data, part)
        else:
            assert digest(get_part(data, part)) == expected, part


def test_set_parts_are_microsofts(named) -> None:
    name, data = named
    for part, payload in PAYLOADS.items():
        assert digest(set_part(data, part, payload)) == REAL[name][f"set {part:d}"], part


def test_all_that_can_be_set_is_set() -> None:
    assert set(SETTABLE_PARTS) == set(PAYLOADS)


@pytest.mark.parametrize(
    ("part", "payload", "text"),
    [
        (BlobPart.PRIVATE_DATA, b"", "cannot be empty"),
        (BlobPart.PDB, b"pdb", "the part pdb cannot be set, wanted one of private-data"),
        (BlobPart.ROOT_SIGNATURE, b"not a container", "no DXBC container"),
        (BlobPart.ROOT_SIGNATURE, build([]), "no part root-signature: no chunk RTS0"),
    ],
)
def test_parts_that_cannot_be_set(part, payload, text) -> None:
    with pytest.raises(ContainerError, match=text):
        set_part(container("SHEX"), part, payload)


def test_newer_signatures_count() -> None:
    data = container("ISGN", "ISG1", "OSGN", "OSG1", "PSG1", "PCSG")
    assert names(get_part(data, BlobPart.ALL_SIGNATURES)) == ["ISG1", "OSG1", "PSG1"]


def test_references() -> None:
    assert parse_reference("ISGN") == ChunkReference("ISGN")
    assert parse_reference("A:B::12") == ChunkReference("A:B:", 12)
    assert str(parse_reference("SHEX:0")) == "SHEX:0"
    for text in ("", "ISG", "ISGN1", "ISGN:", "ISGN:x", "ISGN:-1", "ISG\u0151"):
        with pytest.raises(ContainerError, match="wanted a chunk as FOURCC"):
            parse_reference(text)


def test_chunks_are_found_by_number() -> None:
    parsed = parse(container("STAT", "PRIV", "STAT"))
    assert chunk_index(parsed, ChunkReference("STAT", 1)) == 2
    assert chunk_index(parsed, ChunkReference("PRIV")) == 1
    with pytest.raises(ContainerError, match="2 chunks are STAT, wanted one of STAT:0 to STAT:1"):
        chunk_index(parsed, ChunkReference("STAT"))
    with pytest.raises(ContainerError, match="no chunk STAT:2, found STAT PRIV STAT"):
        chunk_index(parsed, ChunkReference("STAT", 2))


def test_replace_keeps_the_others() -> None:
    data = container("STAT", "PRIV", "STAT")
    edited = replace_chunk(data, ChunkReference("STAT", 1), b"odd")
    assert contents(edited) == [("STAT", b"STAT"), ("PRIV", b"PRIV"), ("STAT", b"odd")]
    assert checksum_kind(edited) is ChecksumKind.RETAIL
    assert replace_chunk(edited, ChunkReference("STAT", 1), b"STAT") == data


@pytest.mark.parametrize(
    ("index", "expected"),
    [(None, ["AAAA", "BBBB", "NEW!"]), (0, ["NEW!", "AAAA", "BBBB"]), (2, ["AAAA", "BBBB", "NEW!"]),
     (1, ["AAAA", "NEW!", "BBBB"])],
)  # fmt: skip
def test_add(index, expected) -> None:
    edited = add_chunk(container("AAAA", "BBBB"), "NEW!", b"12345", index)
    assert names(edited) == expected


def test_add_wants_a_place_and_a_fourcc() -> None:
    with pytest.raises(ContainerError, match="no place 2, the container has 1 chunks"):
        add_chunk(container("AAAA"), "BBBB", b"", 2)
    with pytest.raises(ContainerError, match="is not a FourCC"):
        add_chunk(container("AAAA"), "BBB", b"")


def test_remove() -> None:
    data = container("STAT", "PRIV", "STAT", "RDEF")
    assert names(remove_chunks(data, [ChunkReference("STAT")])) == ["PRIV", "RDEF"]
    both = [ChunkReference("STAT", 0), ChunkReference("RDEF")]
    assert names(remove_chunks(data, both)) == ["PRIV", "STAT"]
    with pytest.raises(ContainerError, match="no chunk SHEX"):
        remove_chunks(data, [ChunkReference("STAT"), ChunkReference("SHEX")])


def test_debug_checksums_stay_debug() -> None:
    data = container("RDEF", "SHEX")
    debug = with_checksum(data, computed_checksum(data, ChecksumKind.DEBUG))
    assert stored_checksum_kind(debug) is ChecksumKind.DEBUG
    assert stored_checksum_kind(strip(debug, StripFlags.REFLECTION_DATA)) is ChecksumKind.DEBUG
    assert rebuild(debug, parse(debug).chunks) == debug == sign(debug)
    signature = get_part(add_chunk(debug, "ISGN", b"i"), BlobPart.INPUT_SIGNATURE)
    assert stored_checksum_kind(signature) is ChecksumKind.RETAIL


@pytest.mark.corpus
def test_debug_checksums_are_those_of_real_shaders(shared: Path) -> None:
    """The compiler signs shaders with printf and abort so."""
    for profile in ("cs_4_0", "cs_5_0"):
        data = (shared / "samples" / "sm4_5" / f"cs_abort_printf.{profile}.dxbc").read_bytes()
        assert stored_checksum_kind(data) is ChecksumKind.DEBUG


def test_sign_changes_the_checksum_alone() -> None:
    data = container("SHEX")
    damaged = with_checksum(data, bytes(16)) + b"trailing"
    assert stored_checksum_kind(damaged) is None
    assert sign(damaged) == data + b"trailing"


def test_gaps_are_closed() -> None:
    """Microsoft's tools refuse them, whatever is between the chunks."""
    data = container("AAAA", "BBBB")
    gap = bytearray(data[:52] + b"\xcc" * 5 + data[52:] + b"\xee" * 3)
    struct.pack_into("<2I", gap, 24, len(gap), 2)
    struct.pack_into("<I", gap, 36, 57)
    assert names(bytes(gap)) == ["AAAA", "BBBB"]
    assert rebuild(bytes(gap), parse(bytes(gap)).chunks) == data
    assert strip(bytes(gap), StripFlags.NONE) == data


@pytest.mark.corpus
def test_strip_of_real_shaders(corpus_containers: list[Path]) -> None:
    for path in corpus_containers[::4]:
        data = path.read_bytes()
        assert strip(data, StripFlags.NONE) == data or stored_checksum_kind(data) is None, path
        stripped = strip(data, ~StripFlags.NONE)
        gone = {name for kinds in STRIPPED_CHUNKS.values() for name in kinds}
        assert contents(stripped) == [c for c in contents(data) if c[0] not in gone], path.name
        assert stored_checksum_kind(stripped) is not None


CHUNKS = st.lists(
    st.builds(Chunk, st.text(st.characters(max_codepoint=255), min_size=4, max_size=4),
              st.binary(max_size=40)),
    max_size=6,
)  # fmt: skip


@given(CHUNKS, CHUNKS)
def test_edits_can_be_undone(before: list[Chunk], added: list[Chunk]) -> None:
    data = build(before)
    edited = data
    for chunk in added:
        edited = add_chunk(edited, chunk.fourcc, chunk.data, 0)
    for _ in added:
        first = parse(edited).chunks[0].fourcc
        edited = remove_chunks(edited, [ChunkReference(first, 0)])
    assert edited == data


@given(st.binary(max_size=200), st.sampled_from(BlobPart), st.booleans())
def test_any_bytes_end_in_a_shader_error_or_a_container(tail, part, is_framed) -> None:
    data = container("PRIV", "RTS0", "ISGN")[:32] + tail if is_framed else tail
    actions = (
        lambda: sign(data),
        lambda: strip(data, StripFlags.PRIVATE_DATA),
        lambda: set_part(data, part, tail),
        lambda: add_chunk(data, "PRIV", tail),
        lambda: remove_chunks(data, [ChunkReference("PRIV")]),
        lambda: replace_chunk(data, ChunkReference("PRIV"), tail),
    )
    for action in actions:
        try:
            result = action()
        except ShaderError:
            continue
        assert stored_checksum_kind(result) is not None
    try:
        get_part(data, part)
    except ShaderError as error:
        assert error.message
