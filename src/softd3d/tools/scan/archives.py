"""Members of compressed files, with bounds on what they may unpack to."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["MAX_ARCHIVE_BYTES", "MAX_MEMBERS", "MAX_MEMBER_BYTES", "is_compressed", "members"]

MAX_MEMBER_BYTES = 1 << 28
MAX_ARCHIVE_BYTES = 1 << 32
MAX_MEMBERS = 1 << 16

_GZIP = b"\x1f\x8b\x08"
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_ZLIB_METHOD = 0x78
_BLOCK = 1 << 20  # of unpacked bytes
_PACKED_BLOCK = 1 << 14  # small: what follows an empty gzip member is copied for each of them
_ZSTD: Any = getattr(zipfile, "zstd", None)  # from Python 3.14 on, with an error of its own kind
# zipfile raises these for damaged, encrypted and unknown members.
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError,
    NotImplementedError, MemoryError, *([] if _ZSTD is None else [_ZSTD.ZstdError]),
)  # fmt: skip


def members(path: Path, problems: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of what a zip, gzip or zlib file holds; of other files nothing.

    Members of a zip file that are not compressed are left out: they lie in the file as they are.
    What is damaged or larger than MAX_MEMBER_BYTES comes as far as it goes, and `problems` says so.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(3)
        if start == _GZIP or _is_zlib(start):
            file.seek(0)
            name = path.stem if start == _GZIP else "zlib"
            yield name, _inflated(file, name, problems)
        elif zipfile.is_zipfile(file):
            yield from _zip_members(file, problems)


def is_compressed(path: Path) -> bool:
    """Tell whether a file is of a kind that `members` unpacks: zip, gzip or zlib.

    Of a file that only begins like a zlib stream, its first bytes must unpack.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_PACKED_BLOCK)
        if start.startswith(_GZIP):
            return True
        if _is_zlib(start):
            try:
                return bool(zlib.decompressobj().decompress(start, 1))
            except zlib.error:
                return False
        if not zipfile.is_zipfile(file):
            return False
        with suppress(*_BROKEN), zipfile.ZipFile(file) as archive:
            return any(e.compress_type != zipfile.ZIP_STORED for e in archive.infolist())
    return True


def _is_zlib(start: bytes) -> bool:
    """Tell whether these are the two bytes of a zlib header (RFC 1950)."""
    header = int.from_bytes(start[:2], "big")
    return header >> 8 == _ZLIB_METHOD and header % 31 == 0 and not header & 0x20


def _inflated(file: BinaryIO, name: str, problems: list[str]) -> bytes:
    """Return what a gzip file, of one or more members in a row, or a zlib stream holds."""
    inflater = zlib.decompressobj(_GZIP_OR_ZLIB)
    out = bytearray()
    try:
        while len(out) <= MAX_MEMBER_BYTES:
            if inflater.eof:
                rest = inflater.unused_data or file.read(_PACKED_BLOCK)
                if len(rest) < len(_GZIP):
                    rest += file.read(_PACKED_BLOCK)
                if not rest.startswith(_GZIP):
                    break
                inflater = zlib.decompressobj(_GZIP_OR_ZLIB)
            else:
                rest = inflater.unconsumed_tail or file.read(_PACKED_BLOCK)
            if not rest:
                problems.append(f"{name}: the compressed data ends early")
                break
            out += inflater.decompress(rest, _BLOCK)
    except zlib.error as error:
        problems.append(f"{name}: {error}")
    return _bounded(out, name, problems)


def _zip_members(file: BinaryIO, problems: list[str]) -> Iterator[tuple[str, bytes]]:
    left = MAX_ARCHIVE_BYTES
    try:
        archive = zipfile.ZipFile(file)
    except _BROKEN as error:
        problems.append(f"zip: {error}")
        return
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MAX_MEMBERS:
            problems.append(f"zip: {len(entries)} members, only {MAX_MEMBERS} were looked at")
        for entry in entries[:MAX_MEMBERS]:
            if entry.compress_type == zipfile.ZIP_STORED:
                continue
            if left <= 0:
                problems.append(f"zip: unpacks to more than {MAX_ARCHIVE_BYTES} bytes, stopped")
                return
            data = _zip_member(archive, entry, problems)
            left -= len(data)
            yield entry.filename, data


def _zip_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, problems: list[str]) -> bytes:
    out = bytearray()
    try:
        with archive.open(entry) as member:
            while len(out) <= MAX_MEMBER_BYTES and (block := member.read(_BLOCK)):
                out += block
    except _BROKEN as error:
        problems.append(f"{entry.filename}: {error}")
    return _bounded(out, entry.filename, problems)


def _bounded(out: bytearray, name: str, problems: list[str]) -> bytes:
    if len(out) > MAX_MEMBER_BYTES:
        problems.append(f"{name}: only the first {MAX_MEMBER_BYTES} bytes were looked at")
        del out[MAX_MEMBER_BYTES:]
    return bytes(out)
