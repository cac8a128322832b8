"""Editing containers: pure functions from the bytes of a container to those of another.

What is written is always a valid container in the layout of `dxbc.build`: the chunks in order,
without gaps, with a fresh checksum of the kind that the input bore (the retail one if the input's
was wrong). Chunks that are not edited keep their bytes; bytes behind the container's stated size
are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from softd3d.classes import dataclass
from softd3d.container.dxbc.checksum import (
    CHECKSUM_OFFSET,
    CHECKSUM_SIZE,
    ChecksumKind,
    checksum_kind,
    computed_checksum,
)
from softd3d.container.dxbc.container import Chunk, Container, build, parse, stored_checksum_kind
from softd3d.errors import ContainerError

__all__ = [
    "ChunkReference",
    "add_chunk",
    "chunk_index",
    "parse_reference",
    "rebuild",
    "remove_chunks",
    "replace_chunk",
    "sign",
]

_REFERENCE = re.compile(r"([\x00-\xff]{4})(?::(\d{1,4}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChunkReference:
    """A FourCC, and which of the chunks that have it, from 0 on; None: not said."""

    fourcc: str
    number: int | None = None

    def __str__(self) -> str:
        return self.fourcc if self.number is None else f"{self.fourcc}:{self.number}"


def parse_reference(text: str) -> ChunkReference:
    """Read `FOURCC` or `FOURCC:N`.

    Raises:
        ContainerError: it is neither.

    >>> parse_reference("ISGN:1")
    ChunkReference(fourcc='ISGN', number=1)
    """
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise ContainerError(f"found {text!r}, wanted a chunk as FOURCC or FOURCC:N")
    return ChunkReference(match[1], int(match[2]) if match[2] else None)


def chunk_index(container: Container, reference: ChunkReference) -> int:
    """Return the place of a chunk in the container's table.

    Raises:
        ContainerError: there is none, or several and the reference does not say which.
    """
    found = _indices(container, reference)
    if len(found) > 1:
        raise ContainerError(
            f"{len(found)} chunks are {reference}, wanted one of {reference}:0 to "
            f"{reference}:{len(found) - 1}"
        )
    return found[0]


def rebuild(data: bytes, chunks: Iterable[Chunk]) -> bytes:
    """Return a container of these chunks that bears the kind of checksum that `data` bears.

    Raises:
        ContainerError: `data` is not a container, or the chunks do not make one.
    """
    return build(chunks, stored_checksum_kind(data) or ChecksumKind.RETAIL)


def replace_chunk(data: bytes, reference: ChunkReference, payload: bytes) -> bytes:
    """Put other data into a chunk.

    Raises:
        ContainerError: `data` is not a container, or the reference is not to one of its chunks.
    """
    container = parse(data)
    index = chunk_index(container, reference)
    chunks = list(container.chunks)
    chunks[index] = Chunk(chunks[index].fourcc, payload)
    return rebuild(data, chunks)


def add_chunk(data: bytes, fourcc: str, payload: bytes, index: int | None = None) -> bytes:
    """Insert a chunk so that it is the one at `index`; None: behind all others.

    Raises:
        ContainerError: `data` is not a container, or there is no such place or FourCC.

    >>> [c.fourcc for c in parse(add_chunk(build([Chunk("STAT", b"")]), "PRIV", b"", 0)).chunks]
    ['PRIV', 'STAT']
    """
    chunks = list(parse(data).chunks)
    place = len(chunks) if index is None else index
    if not 0 <= place <= len(chunks):
        raise ContainerError(f"no place {place}, the container has {len(chunks)} chunks")
    chunks.insert(place, Chunk(fourcc, payload))
    return rebuild(data, chunks)


def remove_chunks(data: bytes, references: Sequence[ChunkReference]) -> bytes:
    """Take chunks out; a reference without a number is to all that have the FourCC.

    Raises:
        ContainerError: `data` is not a container, or a reference is to none of its chunks.
    """
    container = parse(data)
    gone = {index for reference in references for index in _indices(container, reference)}
    return rebuild(data, [c for index, c in enumerate(container.chunks) if index not in gone])


def sign(data: bytes) -> bytes:
    """Write the right checksum into a container and change nothing else, even behind its end.

    One that is right stays, be it retail or debug; a wrong one becomes the retail one.

    Raises:
        ContainerError: `data` is not a container.
    """
    size = parse(data).size
    body = bytes(data[:size])
    if checksum_kind(body) is not None:
        return bytes(data)
    end = CHECKSUM_OFFSET + CHECKSUM_SIZE
    return bytes(data[:CHECKSUM_OFFSET]) + computed_checksum(body) + bytes(data[end:])


def _indices(container: Container, reference: ChunkReference) -> list[int]:
    same = [i for i, chunk in enumerate(container.chunks) if chunk.fourcc == reference.fourcc]
    if reference.number is not None:
        same = same[reference.number : reference.number + 1]
    if not same:
        fourccs = [chunk.fourcc for chunk in container.chunks[:16]]
        near = [f for f in fourccs if f.casefold() == reference.fourcc.casefold() != f]
        hint = f", did you mean {near[0]}?" if near and near[0] != reference.fourcc else ""
        raise ContainerError(
            f"no chunk {reference}, found {' '.join(fourccs) or 'no chunks'}{hint}"
        )
    return same
