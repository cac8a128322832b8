"""Scanning files for shader binaries: carving, and what each find is."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from softd3d.classes import dataclass
from softd3d.container.dxbc.carve import Hit, HitKind, Source, carve
from softd3d.container.dxbc.checksum import ChecksumKind, checksum_kind
from softd3d.container.dxbc.container import parse
from softd3d.shaders.identify import identify
from softd3d.tools.scan.archives import members

__all__ = ["BinaryKind", "FoundBinary", "scan_file", "scan_source"]

_IDENTIFYING = 8  # bytes: version token and length


class BinaryKind(StrEnum):
    """Kinds of finds."""

    DXBC = "DXBC"
    DXIL = "DXIL"
    SM1 = "SM1-3"


@dataclass(frozen=True, slots=True)
class FoundBinary:
    """A shader and where it lies.

    Args:
        offset: in bytes, in the file or in its member. size: in bytes.
        kind: DXIL for a container with a program of shader model 6.
        profile: such as `ps_2_0`; empty for a container without a program or effect.
        checksum: of a container; None if it is wrong, or there is none.
        sha256: in hex.
        member: of a compressed file; empty if it lies in the file itself.
        parent: offset of the container that it is nested in.
    """

    offset: int
    size: int
    kind: BinaryKind
    profile: str
    checksum: ChecksumKind | None
    sha256: str
    member: str = ""
    parent: int | None = None

    @property
    def is_signed(self) -> bool:
        """Whether the checksum is right; token streams have none and count as signed."""
        return self.kind is BinaryKind.SM1 or self.checksum is not None


def scan_file(
    path: str | os.PathLike[str],
    problems: list[str],
    *,
    nested: bool = False,
    decompress: bool = False,
) -> Iterator[tuple[FoundBinary, bytes]]:
    """Yield the finds in a file, and their bytes, in the order of the offsets.

    Args:
        path: a file of any kind and size; it is memory-mapped.
        problems: gets a text for each member that cannot be unpacked whole.
        nested: whether finds that lie in others come too.
        decompress: whether to look into zip, gzip and zlib files as well.

    Raises:
        OSError: the file cannot be read.
    """
    path = Path(path)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                yield from scan_source(data, nested=nested)
    if decompress:
        for name, unpacked in members(path, problems):
            yield from scan_source(unpacked, nested=nested, member=name)


def scan_source(
    data: Source, *, nested: bool = False, member: str = ""
) -> Iterator[tuple[FoundBinary, bytes]]:
    """Yield the finds in `data`, and their bytes, in the order of the offsets.

    >>> [found.profile for found, _ in scan_source(bytes.fromhex("0002ffff 01000002"))]
    []
    """
    for hit in carve(data, nested=nested):
        found = data[hit.offset : hit.end]
        yield _described(hit, found, member), found


def _described(hit: Hit, data: bytes, member: str) -> FoundBinary:
    kind, checksum = BinaryKind.SM1, None
    profile = identify(data[:_IDENTIFYING]).profile
    if hit.kind is HitKind.CONTAINER:
        kind, profile = _program_of(data)
        checksum = checksum_kind(data)
    digest = hashlib.sha256(data).hexdigest()
    return FoundBinary(
        hit.offset, hit.size, kind, profile, checksum, digest, member, hit.parent
    )  # fmt: skip


def _program_of(data: bytes) -> tuple[BinaryKind, str]:
    container = parse(data)
    chunk = container.find("SHEX", "SHDR")
    if chunk is not None:
        return BinaryKind.DXBC, identify(chunk.data[:_IDENTIFYING]).profile
    chunk = container.find("DXIL", "ILDB")
    if chunk is not None:
        return BinaryKind.DXIL, identify(chunk.data[:_IDENTIFYING]).profile
    effect = container.find("FX10")
    return BinaryKind.DXBC, "" if effect is None else identify(effect.data[:_IDENTIFYING]).profile
