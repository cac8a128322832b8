"""Hashes that shader tools know shaders by.

3Dmigoto has three kinds (`shader_hash` in its d3dx.ini), each shown as 16 hex digits: `fnv` over
the whole file, `embedded`, which is the first half of the container's checksum, and `bytecode`,
which covers program and signatures alone and so survives another compiler's reflection data.
DXVK names its dumps by SHA-1; RenoDX uses CRC-32.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cache

from softd3d.container.dxbc.container import Container, is_container, parse
from softd3d.errors import ContainerError
from softd3d.source import Source, read_source

__all__ = ["FNV_BASIS", "HashKind", "bytecode_crc32c", "crc32c", "fnv1_64", "hashes"]

FNV_BASIS = 0xCBF29CE484222325
_FNV_PRIME = 0x100000001B3
_MASK_64 = (1 << 64) - 1
_MASK_32 = (1 << 32) - 1
_CASTAGNOLI = 0x82F63B78  # the polynomial, reflected
_HASHED_CHUNKS = frozenset({"SHDR", "SHEX", "ISGN", "ISG1", "PCSG", "PSG1", "OSGN", "OSG5", "OSG1"})


class HashKind(StrEnum):
    """The kinds of hashes, by the names that users give."""

    CHECKSUM = "checksum"
    SHA256 = "sha256"
    SHA1 = "sha1"
    CRC32 = "crc32"
    FNV1 = "fnv1"
    MIGOTO_FNV = "3dmigoto-fnv"
    MIGOTO_EMBEDDED = "3dmigoto-embedded"
    MIGOTO_BYTECODE = "3dmigoto-bytecode"


def hashes(source: Source, kinds: Iterable[HashKind] = HashKind) -> dict[HashKind, str | None]:
    """Return hashes as their tools write them; None for those of containers if it is none.

    source: a path (str or `pathlib.Path`), or the contents as bytes.

    Raises:
        OSError: the file cannot be read. TypeError: neither a path nor bytes.

    >>> print(hashes(b"123456789")[HashKind.CRC32])
    0xCBF43926
    """
    data = read_source(source)
    container = _container(data)
    return {kind: _HASHES[kind](data, container) for kind in kinds}


def crc32c(data: bytes, start: int = 0) -> int:
    """Return the CRC-32C (Castagnoli) of `data`; `start` is that of what came before it.

    >>> hex(crc32c(b"123456789")), hex(crc32c(b"56789", crc32c(b"1234")))
    ('0xe3069283', '0xe3069283')
    """
    byte_table, low_table, high_table = _crc32c_tables()
    crc = start ^ _MASK_32
    whole = len(data) - len(data) % 4
    for (dword,) in struct.iter_unpack("<I", memoryview(data)[:whole]):
        crc ^= dword
        crc = low_table[crc & 0xFFFF] ^ high_table[crc >> 16]
    for byte in data[whole:]:
        crc = byte_table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ _MASK_32


def fnv1_64(data: bytes, start: int = FNV_BASIS) -> int:
    """Return the 64-bit FNV-1 of `data`: for each byte multiply, then exclusive or.

    `start` is the offset basis, or the hash of what came before. With 0 it is what is called FNV-0,
    which 3Dmigoto uses.

    >>> hex(fnv1_64(b"foobar"))
    '0x340d8765a4dda9c2'
    """
    value = start
    for byte in data:
        value = value * _FNV_PRIME & _MASK_64 ^ byte
    return value


def bytecode_crc32c(container: Container) -> int:
    """Return the CRC-32C of program and signatures, one after the other as they lie in the table.

    0 if there is none of them.
    """
    crc = 0
    for chunk in container.chunks:
        if chunk.fourcc in _HASHED_CHUNKS:
            crc = crc32c(chunk.data, crc)
    return crc


@cache
def _crc32c_tables() -> tuple[list[int], list[int], list[int]]:
    """Return what 8 bits become over 8 bits of message, and low and high 16 bits over 32."""
    single = list(range(256))
    for _ in range(8):
        single = [crc >> 1 ^ (_CASTAGNOLI if crc & 1 else 0) for crc in single]
    high = list(range(1 << 16))
    for _ in range(2):
        high = [single[crc & 0xFF] ^ crc >> 8 for crc in high]
    low = [high[crc & 0xFFFF] ^ crc >> 16 for crc in high]
    return single, low, high


def _container(data: bytes) -> Container | None:
    if not is_container(data):
        return None
    try:
        return parse(data)
    except ContainerError:
        return None


def _embedded(_: bytes, container: Container | None) -> str | None:
    return None if container is None else container.checksum[:8].hex()


def _bytecode(_: bytes, container: Container | None) -> str | None:
    """3Dmigoto itself takes its FNV hash where this one is absent."""
    crc = 0 if container is None else bytecode_crc32c(container)
    return f"{crc:016x}" if crc else None


_HASHES: dict[HashKind, Callable[[bytes, Container | None], str | None]] = {
    HashKind.CHECKSUM: lambda _, container: container.checksum.hex() if container else None,
    HashKind.SHA256: lambda data, _: hashlib.sha256(data).hexdigest(),
    HashKind.SHA1: lambda data, _: hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    HashKind.CRC32: lambda data, _: f"0x{zlib.crc32(data):08X}",
    HashKind.FNV1: lambda data, _: f"{fnv1_64(data):016x}",
    HashKind.MIGOTO_FNV: lambda data, _: f"{fnv1_64(data, 0):016x}",
    HashKind.MIGOTO_EMBEDDED: _embedded,
    HashKind.MIGOTO_BYTECODE: _bytecode,
}
