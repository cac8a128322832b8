"""The DXBC container: header, chunk table, checksum; reading and building.

All integers are little-endian. Layout: "DXBC", 16 bytes of checksum, version, total size, chunk
count, one offset per chunk; a chunk is its FourCC, its byte size and its data.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.checksum import (
    CHECKSUM_OFFSET,
    CHECKSUM_SIZE,
    ChecksumKind,
    checksum_kind,
    computed_checksum,
)
from softd3d.errors import ContainerError, Location

__all__ = [
    "Chunk",
    "ChunkTable",
    "Container",
    "build",
    "chunk_table",
    "computed_checksum",
    "is_container",
    "parse",
    "stored_checksum_kind",
    "table_end",
]

MAGIC = b"DXBC"
HEADER_SIZE = 32
MAX_CHUNKS = 4096
VERSION, VERSION_OFFSET = 1, CHECKSUM_OFFSET + CHECKSUM_SIZE
CHUNK_HEADER_SIZE = 8
_DWORD = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One part of a container. offset: where its header lies, in bytes from the container's start.

    Offsets in error messages count from there too; a chunk made by hand has offset 0.
    """

    fourcc: str
    data: bytes
    offset: int = 0

    @property
    def data_offset(self) -> int:
        return self.offset + CHUNK_HEADER_SIZE

    def reader(self) -> ByteReader:
        """Return a bounds-checked reader of the data whose errors name the chunk."""
        return ByteReader(self.data, self.data_offset, self.fourcc)


@dataclass(frozen=True, slots=True)
class Container:
    """A parsed container; chunks are in the order of the table, size is the header's, in bytes.

    checksum_kind: who accepts the checksum; None if it is wrong.
    """

    checksum: bytes
    version: int
    chunks: tuple[Chunk, ...]
    size: int
    checksum_kind: ChecksumKind | None = None

    def find(self, *fourccs: str) -> Chunk | None:
        """Return the first chunk that has one of the FourCCs, None if there is none."""
        for chunk in self.chunks:
            if chunk.fourcc in fourccs:
                return chunk
        return None

    @property
    def program_chunk(self) -> Chunk:
        """The chunk with the shader model 4-5.1 tokens.

        Raises:
            ContainerError: there is none; says so if the program is one of shader model 6.
        """
        chunk = self.find("SHEX", "SHDR")
        if chunk is not None:
            return chunk
        dxil = self.find("DXIL")
        if dxil is not None:
            raise ContainerError(
                "the program is DXIL (shader model 6), wanted a SHDR or SHEX chunk "
                "(shader model 4 to 5.1)",
                Location(offset=dxil.offset),
            )
        found = " ".join(chunk.fourcc for chunk in self.chunks[:16]) or "no chunks"
        raise ContainerError(
            f"no SHDR or SHEX chunk, found {found}", Location(offset=HEADER_SIZE - 4)
        )


def is_container(data: bytes | memoryview) -> bool:
    """Tell whether the bytes start like a DXBC container.

    >>> is_container(build([])), is_container(b"DDS ")
    (True, False)
    """
    return data[:4] == MAGIC


def parse(data: bytes) -> Container:
    """Read the container at the start of `data`; bytes behind its stated size are ignored.

    A wrong checksum is no error: some tools write containers without a valid one. Direct3D refuses
    those, we let callers warn. Chunks may have any alignment, as unpadded ones do occur, but may
    not share bytes.

    Raises:
        ContainerError: magic, version, size, chunk table or a chunk's range is wrong.

    >>> parse(build([Chunk("STAT", bytes(116))])).chunks[0].offset
    36
    """
    table = chunk_table(data)
    chunks = tuple(
        Chunk(
            data[start : start + 4].decode("latin-1"),
            bytes(data[start + CHUNK_HEADER_SIZE : stop]),
            start,
        )
        for start, stop in table.ranges
    )
    kind = checksum_kind(data[: table.size])
    return Container(table.checksum, VERSION, chunks, table.size, kind)


class ChunkTable(NamedTuple):
    """What the head of a container says: its size, and where each chunk begins and ends."""

    checksum: bytes
    size: int
    ranges: list[tuple[int, int]]


def chunk_table(data: bytes | memoryview) -> ChunkTable:
    """Return the header and chunk table of the container that `data` begins with, checked.

    Raises:
        ContainerError: there is none, the table is not in it, or chunks leave it or overlap.
    """
    reader = ByteReader(data, what="container")
    if not is_container(data):
        found = bytes(data[:4])
        raise ContainerError(f"no DXBC container, it starts with {found!r}", Location(offset=0))
    checksum = reader.bytes(CHECKSUM_OFFSET, CHECKSUM_SIZE)
    version, size, count = reader.dwords(VERSION_OFFSET, 3)
    if version != VERSION:
        raise ContainerError(
            f"container: version {version:#x} is not defined, wanted {VERSION:#x}",
            Location(offset=VERSION_OFFSET),
        )
    if not HEADER_SIZE <= size <= len(data):
        raise ContainerError(
            f"container: header says {size} bytes, found {len(data)}", Location(offset=24)
        )
    if count > MAX_CHUNKS or table_end(count) > size:
        raise ContainerError(
            f"container: {count} chunks do not fit {size} bytes (and the limit of {MAX_CHUNKS})",
            Location(offset=28),
        )
    return ChunkTable(checksum, size, _ranges(memoryview(data)[:size], count))


def table_end(count: int) -> int:
    """Return where a chunk table of so many entries ends, and the first chunk begins."""
    return HEADER_SIZE + 4 * count


def _ranges(data: memoryview, count: int) -> list[tuple[int, int]]:
    """Return where each chunk begins and ends, which do not overlap."""
    ranges = [
        (offset, _chunk_end(data, offset, table_end(index)))
        for index, offset in enumerate(struct.unpack_from(f"<{count}I", data, HEADER_SIZE))
    ]
    # Shared bytes would let a small file ask for thousands of large copies.
    end = table_end(count)
    for start, stop, index in sorted((*place, n) for n, place in enumerate(ranges)):
        if start < end:
            raise ContainerError(
                f"container: chunk {index} starts at {start:#x}, before {end:#x} where what "
                "precedes it ends",
                Location(offset=table_end(index)),
            )
        end = stop
    return ranges


def _chunk_end(data: memoryview, offset: int, entry: int) -> int:
    """Return the end of the chunk at `offset`, checked; `entry` is the table entry to blame."""
    if offset + CHUNK_HEADER_SIZE > len(data):
        raise ContainerError(
            f"container: chunk at {offset:#x} leaves the {len(data)} bytes",
            Location(offset=entry),
        )
    end = offset + CHUNK_HEADER_SIZE + _DWORD.unpack_from(data, offset + 4)[0]
    if end > len(data):
        name = bytes(data[offset : offset + 4]).decode("latin-1")
        raise ContainerError(
            f"container: chunk {name} ends at {end:#x}, the container at {len(data):#x}",
            Location(offset=offset + 4),
        )
    return end


def stored_checksum_kind(data: bytes) -> ChecksumKind | None:
    """Return the kind of the checksum that a container bears, None if it is wrong.

    Raises:
        ContainerError: `data` is not a container.
    """
    return parse(data).checksum_kind


def build(chunks: Iterable[Chunk], kind: ChecksumKind = ChecksumKind.RETAIL) -> bytes:
    """Lay the chunks out in order without gaps and sign the container.

    Microsoft's tools write chunks so, even behind one of odd size, and refuse any other layout.
    The chunks' own offsets do not matter. Building the chunks of a container that was laid out so
    gives the same bytes again, if `kind` is that of its checksum.

    Raises:
        ContainerError: a FourCC is not four Latin-1 characters, or there is too much.
    """
    parts, offsets = list(chunks), list[int]()
    if len(parts) > MAX_CHUNKS:
        raise ContainerError(f"container: {len(parts)} chunks, the limit is {MAX_CHUNKS}")
    body = bytearray()
    for chunk in parts:
        offsets.append(table_end(len(parts)) + len(body))
        body += _fourcc_bytes(chunk.fourcc) + struct.pack("<I", len(chunk.data)) + chunk.data
    size = table_end(len(parts)) + len(body)
    if size > 0xFFFFFFFF:
        raise ContainerError(f"container: {size} bytes do not fit its 32-bit size")
    covered = struct.pack(f"<{3 + len(parts)}I", VERSION, size, len(parts), *offsets) + body
    digest = computed_checksum(MAGIC + bytes(CHECKSUM_SIZE) + covered, kind)
    return MAGIC + digest + covered


def _fourcc_bytes(fourcc: str) -> bytes:
    if len(fourcc) != 4 or any(ord(character) > 255 for character in fourcc):
        raise ContainerError(f"container: {fourcc!r} is not a FourCC")
    return fourcc.encode("latin-1")
