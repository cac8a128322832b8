"""Hashes: published vectors, and what each is of."""

from __future__ import annotations

import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.container import Chunk, build, parse
from softd3d.container.dxbc.hashes import (
    FNV_BASIS,
    HashKind,
    bytecode_crc32c,
    crc32c,
    fnv1_64,
    hashes,
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),  # RFC 3720 B.4, from here on
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_crc32c(data, expected) -> None:
    assert crc32c(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", FNV_BASIS),
        (b"a", 0xAF63BD4C8601B7BE),
        (b"b", 0xAF63BD4C8601B7BD),
        (b"foobar", 0x340D8765A4DDA9C2),
    ],
)
def test_fnv1(data, expected) -> None:
    assert fnv1_64(data) == expected


def test_fnv0_of_its_authors_signature_is_the_basis() -> None:
    """The offset basis of FNV-1 was made by FNV-0."""
    assert fnv1_64(b"chongo <Landon Curt Noll> /\\../\\", 0) == FNV_BASIS
    assert fnv1_64(b"", 0) == 0


def bitwise_crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@given(st.binary(max_size=70), st.binary(max_size=70))
def test_hashes_go_on(first, second) -> None:
    assert crc32c(first + second) == bitwise_crc32c(first + second)
    assert crc32c(second, crc32c(first)) == crc32c(first + second)
    assert fnv1_64(second, fnv1_64(first)) == fnv1_64(first + second)


def test_the_bytecode_hash_is_of_program_and_signatures() -> None:
    names = ["RDEF", "OSG5", "SHEX", "STAT", "ISGN", "SDBG", "PSG1", "RTS0"]
    data = build(Chunk(name, name.lower().encode()) for name in names)
    assert bytecode_crc32c(parse(data)) == crc32c(b"osg5shexisgnpsg1")
    assert hashes(data)[HashKind.MIGOTO_BYTECODE] == f"{crc32c(b'osg5shexisgnpsg1'):016x}"
    assert hashes(build([Chunk("RTS0", b"abcd")]))[HashKind.MIGOTO_BYTECODE] is None


def test_texts_are_as_the_tools_write_them() -> None:
    data = build([Chunk("SHEX", b"1234")])
    assert (
        hashes(data)
        == {
            "checksum": data[4:20].hex(),
            "sha256": hashlib.sha256(data).hexdigest(),
            "sha1": hashlib.sha1(data).hexdigest(),  # noqa: S324 - DXVK's choice
            "crc32": f"0x{zlib.crc32(data):08X}",
            "fnv1": f"{fnv1_64(data):016x}",
            "3dmigoto-fnv": f"{fnv1_64(data, 0):016x}",
            "3dmigoto-embedded": data[4:12].hex(),
            "3dmigoto-bytecode": f"{crc32c(b'1234'):016x}",
        }
    )


@given(st.binary(max_size=80), st.booleans())
def test_any_bytes_have_hashes(tail, is_framed) -> None:
    data = b"DXBC" + tail if is_framed else tail
    found = hashes(data)
    of_containers = {HashKind.CHECKSUM, HashKind.MIGOTO_EMBEDDED, HashKind.MIGOTO_BYTECODE}
    assert {kind for kind, text in found.items() if text is None} == of_containers


def test_only_what_is_asked_for() -> None:
    assert hashes(b"", [HashKind.SHA1]) == {"sha1": hashlib.sha1(b"").hexdigest()}  # noqa: S324
