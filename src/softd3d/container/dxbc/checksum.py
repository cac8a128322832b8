"""The checksum of a DXBC container: MD5 rounds with a padding of its own.

The digest covers everything after the digest itself. Where MD5 ends a message with its length,
this one starts the last block with the length and ends it with a second, odd form of it, so
`hashlib` cannot compute it: it exposes neither its state nor a way to replace the padding. It can
check one, though (`checksum_kind`).

There are two kinds, which differ in those two dwords. Shaders that only run with Direct3D's debug
layer (with printf or abort, for example) bear the debug kind.

Padding: measured on real containers.
"""

from __future__ import annotations

import struct
from enum import StrEnum
from hashlib import md5
from itertools import count

from softd3d.container.dxbc.md5 import compress, openssl, state_after
from softd3d.errors import ContainerError, Location

__all__ = [
    "CHECKSUM_OFFSET",
    "CHECKSUM_SIZE",
    "ChecksumKind",
    "checksum_kind",
    "computed_checksum",
]

CHECKSUM_OFFSET = 4
CHECKSUM_SIZE = 16
_COVERED_OFFSET = 20
_BLOCK = 64
_MASK = 0xFFFFFFFF
_FEW = 64  # checks that take no longer than finding OpenSSL's function
_CHECKED = count()


class ChecksumKind(StrEnum):
    """Who accepts a container: every Direct3D, or only one with its debug layer on."""

    RETAIL = "retail"
    DEBUG = "debug"


def checksum_kind(data: bytes) -> ChecksumKind | None:
    """Return the kind of the checksum that the container `data` bears, None if it is wrong.

    Pass the container without anything that follows it.

    Raises:
        ContainerError: `data` is too short to have a digest.

    >>> checksum_kind(b"DXBC" + bytes(28))
    """
    stored = bytes(data[CHECKSUM_OFFSET : CHECKSUM_OFFSET + CHECKSUM_SIZE])
    is_many = next(_CHECKED) >= _FEW and openssl() is not None
    is_right = _is_computed if is_many else _is_checksum
    return next((kind for kind in ChecksumKind if is_right(stored, data, kind)), None)


def _is_computed(stored: bytes, data: bytes, kind: ChecksumKind) -> bool:
    """Tell whether a digest is right, with OpenSSL's function: quicker once that is found."""
    return computed_checksum(data, kind) == stored


def _is_checksum(stored: bytes, data: bytes, kind: ChecksumKind) -> bool:
    """Tell whether a digest is right, without computing it.

    The library's MD5 of the padded message is the digest that we want, put through one more block:
    the padding that MD5 itself adds. Only that block has to be gone through here.
    """
    _check_size(data)
    covered = memoryview(data)[_COVERED_OFFSET:]
    whole = len(covered) - len(covered) % _BLOCK
    padded = md5(covered[:whole], usedforsecurity=False)
    last = _last_blocks(covered, kind)
    padded.update(last)
    end = struct.pack("<B55xQ", 0x80, 8 * (whole + len(last)))
    state = compress(struct.unpack("<4I", stored), struct.unpack("<16I", end))
    return struct.pack("<4I", *state) == padded.digest()


def computed_checksum(data: bytes, kind: ChecksumKind = ChecksumKind.RETAIL) -> bytes:
    """Return the 16 bytes that belong at offset 4 of the container `data`.

    All of `data` behind the digest counts: pass the container without anything that follows it.

    Raises:
        ContainerError: `data` is too short to have a digest.

    >>> computed_checksum(b"DXBC" + bytes(28)).hex()
    'e55305cd46c414ba2586e02e1981aa12'
    """
    _check_size(data)
    covered = memoryview(data)[_COVERED_OFFSET:]
    whole = len(covered) - len(covered) % _BLOCK
    return struct.pack("<4I", *state_after(bytes(covered[:whole]) + _last_blocks(covered, kind)))


def _check_size(data: bytes) -> None:
    if len(data) < _COVERED_OFFSET:
        raise ContainerError(
            f"checksum: {len(data)} bytes are too few for a container", Location(offset=len(data))
        )


def _last_blocks(covered: memoryview, kind: ChecksumKind) -> bytes:
    """Return the one or two padded blocks at the end of the message."""
    size = len(covered)
    tail = bytes(covered[size - size % _BLOCK :])
    first, last = (struct.pack("<I", number & _MASK) for number in _length_dwords(size, kind))
    if len(tail) < _BLOCK - 8:
        return (first + tail + b"\x80").ljust(_BLOCK - 4, b"\0") + last
    return (tail + b"\x80").ljust(_BLOCK, b"\0") + first.ljust(_BLOCK - 4, b"\0") + last


def _length_dwords(size: int, kind: ChecksumKind) -> tuple[int, int]:
    """Return the two forms of the message's size in bytes, of which the low 32 bits count."""
    if kind is ChecksumKind.DEBUG:
        return size << 4 | 0xF, size << 2 | 0x10000000
    return size << 3, (size << 3 & _MASK) >> 2 | 1
