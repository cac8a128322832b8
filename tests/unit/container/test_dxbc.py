"""Header, chunk table, checksum; building; every way in which the frame can be broken."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.checksum import ChecksumKind, checksum_kind
from softd3d.container.dxbc.container import (
    Chunk,
    build,
    computed_checksum,
    is_container,
    parse,
    stored_checksum_kind,
)
from softd3d.errors import ContainerError


def patched(data: bytes, offset: int, *dwords: int) -> bytes:
    new = struct.pack(f"<{len(dwords)}I", *dwords)
    return data[:offset] + new + data[offset + len(new) :]


@pytest.fixture
def plain() -> bytes:
    """Two chunks: AAAA at 40 with 8 bytes, BBBB at 56 with 4; 68 bytes in all."""
    return build([Chunk("AAAA", b"12345678"), Chunk("BBBB", b"abcd")])


def test_layout(plain: bytes) -> None:
    container = parse(plain)
    assert [(c.fourcc, c.data, c.offset) for c in container.chunks] == [
        ("AAAA", b"12345678", 40),
        ("BBBB", b"abcd", 56),
    ]
    assert (container.version, container.size) == (1, 68)
    assert container.checksum == plain[4:20]
    assert container.chunks[1].data_offset == 64
    assert is_container(plain)
    assert not is_container(plain[1:])


def test_trailing_bytes_are_no_part_of_the_container(plain: bytes) -> None:
    assert parse(plain + b"junk") == parse(plain)
    assert stored_checksum_kind(plain + b"junk") == "retail"


def test_chunks_follow_odd_sizes_directly() -> None:
    """Microsoft's tools refuse a gap."""
    container = parse(build([Chunk("PRIV", b"12345"), Chunk("STAT", b"1234")]))
    assert [(c.data, c.offset) for c in container.chunks] == [(b"12345", 40), (b"1234", 53)]


def test_unaligned_chunks_are_read(plain: bytes) -> None:
    data = plain[:56] + b"\0" + plain[56:]
    container = parse(patched(data, 24, len(data), 2, 40, 57))
    assert container.chunks[1] == Chunk("BBBB", b"abcd", 57)


def test_find_takes_the_first() -> None:
    container = parse(build([Chunk("OSG5", b"5"), Chunk("OSGN", b"n"), Chunk("OSGN", b"m")]))
    found = container.find("OSGN")
    assert found is not None
    assert found.data == b"n"
    assert container.find("OSGN", "OSG5") == container.chunks[0]
    assert container.find("SHEX") is None


@pytest.mark.parametrize(
    ("fourccs", "expected"), [(["SHDR"], "SHDR"), (["STAT", "SHEX", "DXIL"], "SHEX")]
)
def test_program_chunk(fourccs: list[str], expected: str) -> None:
    container = parse(build([Chunk(fourcc, b"1234") for fourcc in fourccs]))
    assert container.program_chunk.fourcc == expected


@pytest.mark.parametrize(
    ("fourccs", "words", "offset"),
    [(["STAT", "DXIL"], ["DXIL", "shader model 6"], 52), (["RTS0"], ["no SHDR", "RTS0"], 28)],
)
def test_no_program(fourccs: list[str], words: list[str], offset: int) -> None:
    container = parse(build([Chunk(fourcc, b"1234") for fourcc in fourccs]))
    with pytest.raises(ContainerError) as caught:
        _ = container.program_chunk
    assert all(word in caught.value.message for word in words)
    assert caught.value.location is not None
    assert caught.value.location.offset == offset


@pytest.mark.parametrize(
    ("at", "dwords", "blamed", "words"),
    [
        (0, (0x20534444,), 0, "no DXBC"),
        (20, (2,), 20, "version 0x2"),
        (24, (69,), 24, "69 bytes, found 68"),
        (24, (31,), 24, "31 bytes"),
        (24, (67,), 60, "ends at 0x44"),
        (28, (10,), 28, "10 chunks"),
        (28, (0xFFFFFFFF,), 28, "4294967295 chunks"),
        (32, (0xFFFFFFFC,), 32, "leaves"),
        (32, (61,), 32, "leaves"),
        (32, (28,), 32, "starts at 0x1c"),
        (36, (48,), 52, "ends"),
        (36, (40,), 36, "starts at 0x28"),
        (60, (5,), 60, "BBBB ends at 0x45"),
        (60, (0xFFFFFFFF,), 60, "BBBB ends"),
    ],
)
def test_broken_frame(
    plain: bytes, at: int, dwords: tuple[int, ...], blamed: int, words: str
) -> None:
    with pytest.raises(ContainerError) as caught:
        parse(patched(plain, at, *dwords))
    assert words in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.offset == blamed


def test_every_truncation_is_an_error(plain: bytes) -> None:
    for size in range(len(plain)):
        with pytest.raises(ContainerError) as caught:
            parse(plain[:size])
        assert caught.value.location is not None


def test_many_chunks_cannot_share_bytes() -> None:
    count = 4096
    start = 32 + 4 * count
    body = struct.pack("<4sI", b"AAAA", 1 << 20) + bytes(1 << 20)
    head = struct.pack("<3I", 1, start + len(body), count) + struct.pack("<I", start) * count
    with pytest.raises(ContainerError, match="chunk 1 starts"):
        parse(b"DXBC" + bytes(16) + head + body)


@pytest.mark.parametrize("fourcc", ["ABC", "ABCDE", "AB\u0151D"])
def test_build_wants_fourccs(fourcc: str) -> None:
    with pytest.raises(ContainerError, match="FourCC"):
        build([Chunk(fourcc, b"")])


def test_checksum_of_every_padding_case() -> None:
    """A flipped bit anywhere is noticed, for each length of the last block."""
    for size in range(1, 129):
        data = build([Chunk("PRIV", bytes(range(size)))])
        assert stored_checksum_kind(data) is not None
        assert stored_checksum_kind(data[:-1] + bytes([data[-1] ^ 1])) is None
        assert stored_checksum_kind(patched(data, 4, 0)) is None


def test_checksum_needs_a_header() -> None:
    with pytest.raises(ContainerError):
        computed_checksum(b"DXBC")


def check_frames(paths: list[Path]) -> set[str]:
    """Check that building gives the same bytes; return the files with another checksum."""
    wrong = set[str]()
    for path in paths:
        data = path.read_bytes()
        container = parse(data)
        assert container.size == len(data), path.name
        rebuilt = build(container.chunks)
        assert rebuilt[20:] == data[20:] or "unaligned" in path.name, path.name
        if container.checksum != rebuilt[4:20] and stored_checksum_kind(data) is None:
            wrong.add(path.name)
    return wrong


def test_small_containers(small_containers: list[Path]) -> None:
    assert check_frames(small_containers) == set()


def test_sample_containers(sample_containers: list[Path]) -> None:
    assert check_frames(sample_containers) == set()


def test_corpus_containers(corpus_containers: list[Path]) -> None:
    assert check_frames(corpus_containers) == set()


@given(st.binary(min_size=0, max_size=300), st.sampled_from(ChecksumKind), st.integers(0, 127))
def test_checking_agrees_with_computing(body: bytes, kind: ChecksumKind, bit: int) -> None:
    unsigned = b"DXBC" + bytes(16) + body
    digest = computed_checksum(unsigned, kind)
    assert checksum_kind(b"DXBC" + digest + body) is kind
    wrong = (int.from_bytes(digest, "little") ^ 1 << bit).to_bytes(16, "little")
    assert checksum_kind(b"DXBC" + wrong + body) is None
