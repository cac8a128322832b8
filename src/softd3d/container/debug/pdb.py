"""Program databases: the SPDB chunk of debug builds, and .pdb files beside stripped shaders.

A PDB is an MSF 7.00 file: blocks of one size, of which a directory makes numbered streams; stream 1
lists names for some of them.

Layout: "Microsoft C/C++ MSF 7.00", then block size, free map, number of blocks, bytes of the
directory, a zero, the block that lists the blocks of the directory.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.errors import ContainerError

__all__ = ["Pdb", "extract_pdb", "is_pdb", "parse_pdb"]

MAGIC = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"
MAX_STREAMS = 1 << 12
MAX_NAMES = 1 << 12
_BLOCK_SIZES = (512, 1024, 2048, 4096)
_NO_STREAM = 0xFFFFFFFF
_INFORMATION = 1
_NAMES_OFFSET = 28


@dataclass(frozen=True, slots=True)
class Pdb:
    """The streams of a PDB by number, and the numbers of those that have names."""

    streams: tuple[bytes, ...]
    names: Mapping[str, int]

    def reader(self, number: int, what: str) -> ByteReader:
        """Return a reader of a stream; offsets in its errors count from the stream's start.

        Raises:
            ContainerError: there is no such stream.
        """
        if number >= len(self.streams):
            raise ContainerError(f"PDB: no stream {number} ({what}), there are {len(self.streams)}")
        return ByteReader(self.streams[number], what=f"PDB {what}")


def is_pdb(data: bytes) -> bool:
    """Tell whether the bytes start like a PDB.

    >>> is_pdb(b"DXBC")
    False
    """
    return data[: len(MAGIC)] == MAGIC


def extract_pdb(chunk: Chunk) -> bytes:
    """Return the PDB file in an SPDB chunk, as tools take it.

    Raises:
        ContainerError: the chunk does not hold one.
    """
    if not is_pdb(chunk.data):
        raise ContainerError(
            f"{chunk.fourcc}: no PDB, it starts with {chunk.data[:4]!r}", chunk.reader().location(0)
        )
    return chunk.data


def parse_pdb(data: bytes, base: int = 0) -> Pdb:
    """Read the streams of a PDB.

    base: where `data` starts in the whole input, in bytes; positions in errors count from there.

    Raises:
        ContainerError: it is no PDB, a block is outside the file or belongs to two streams, or
            there are more than `MAX_STREAMS` streams.
    """
    reader = ByteReader(data, base, "PDB")
    if not is_pdb(data):
        raise ContainerError(f"PDB: it starts with {data[:4]!r}", reader.location(0))
    size, _, count, directory_size, _, map_block = reader.dwords(len(MAGIC), 6)
    if size not in _BLOCK_SIZES or count * size > len(data):
        raise ContainerError(
            f"PDB: {count} blocks of {size} bytes in {len(data)} bytes",
            reader.location(len(MAGIC)),
        )
    blocks = _Blocks(reader, size, count)
    directory_blocks = -(-directory_size // size)
    if directory_blocks > count:
        raise ContainerError(
            f"PDB: a directory of {directory_size} bytes in {len(data)} bytes",
            reader.location(len(MAGIC)),
        )
    numbers = reader.dwords(map_block * size, directory_blocks)
    directory = ByteReader(blocks.joined(numbers, directory_size), what="PDB directory")
    streams = _streams(directory, blocks)
    return Pdb(streams, _names(streams))


class _Blocks:
    """Joins blocks, each once: so all streams together are no longer than the file."""

    def __init__(self, reader: ByteReader, size: int, count: int) -> None:
        self.reader = reader
        self.size = size
        self.free = set(range(count))

    def joined(self, numbers: tuple[int, ...], size: int) -> bytes:
        parts: list[bytes] = []
        for number in numbers:
            if number not in self.free:
                raise ContainerError(
                    f"PDB: block {number} does not exist or belongs to two streams",
                    self.reader.location(0),
                )
            self.free.remove(number)
            parts.append(self.reader.bytes(number * self.size, self.size))
        return b"".join(parts)[:size]


def _streams(directory: ByteReader, blocks: _Blocks) -> tuple[bytes, ...]:
    count = directory.u32(0)
    if count > MAX_STREAMS:
        raise ContainerError(f"PDB: {count} streams, the limit is {MAX_STREAMS}")
    sizes = directory.dwords(4, count)
    at = 4 + 4 * count
    streams: list[bytes] = []
    for size in sizes:
        number = 0 if size == _NO_STREAM else -(-size // blocks.size)
        if 4 * number > len(directory):
            raise ContainerError(f"PDB: a stream of {size} bytes is longer than the file")
        streams.append(blocks.joined(directory.dwords(at, number), size))
        at += 4 * number
    return tuple(streams)


def _names(streams: tuple[bytes, ...]) -> dict[str, int]:
    """Return the table of named streams: a pool of names and a hash table of (name, stream)."""
    if len(streams) <= _INFORMATION:
        return {}
    reader = ByteReader(streams[_INFORMATION], what="PDB stream 1")
    pool = _NAMES_OFFSET + 4
    at = pool + reader.u32(_NAMES_OFFSET)
    count = reader.u32(at)
    if count > MAX_NAMES:
        raise ContainerError(f"PDB: {count} names, the limit is {MAX_NAMES}")
    at += 8  # count and capacity
    for _ in range(2):  # the bit sets of used and of deleted places
        at += 4 + 4 * reader.u32(at)
    pairs = struct.iter_unpack("<II", reader.bytes(at, 8 * count))
    return {reader.string(pool + name): number for name, number in pairs}
