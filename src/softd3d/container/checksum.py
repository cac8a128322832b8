"""The checksum of a DXBC container: MD5 rounds with a padding of its own.

The digest covers everything after the digest itself. Where MD5 ends a message with its length,
this one starts the last block with the length and ends it with a second, odd form of it, so the
library function cannot compute it: it exposes neither its state nor a way to replace the padding.
It can check one, though, hundreds of times as fast (`checksum_kind`).

There are two kinds, which differ in those two dwords. Shaders that only run with Direct3D's debug
layer (with printf or abort, for example) bear the debug kind.

Rounds: RFC 1321; padding: measured on real containers.
"""

from __future__ import annotations

import struct
from enum import StrEnum
from hashlib import md5
from math import floor, sin

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
_INITIAL = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)


def _steps(stride: int, start: int, first: int) -> list[tuple[int, ...]]:
    """Return (constant, dword of the block) of the 16 steps of a round, four steps together."""
    steps = [(floor(abs(sin(first + i + 1)) * 2**32), (start + stride * i) % 16) for i in range(16)]
    return [tuple(number for step in steps[i : i + 4] for number in step) for i in range(0, 16, 4)]


_ROUND_F = _steps(1, 0, 0)
_ROUND_G = _steps(5, 1, 16)
_ROUND_H = _steps(3, 5, 32)
_ROUND_I = _steps(7, 0, 48)


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
    return next((kind for kind in ChecksumKind if _is_checksum(stored, data, kind)), None)


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
    state = _compress(struct.unpack("<4I", stored), struct.unpack("<16I", end))
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
    state = _INITIAL
    for part in (covered[:whole], _last_blocks(covered, kind)):
        for block in struct.iter_unpack("<16I", part):
            state = _compress(state, block)
    return struct.pack("<4I", *state)


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


def _compress(state: tuple[int, ...], x: tuple[int, ...]) -> tuple[int, ...]:
    """Return the MD5 state after one block of 16 dwords (RFC 1321 section 3.4).

    Four steps are written out at a time, so that the four registers need not change places.
    """
    a, b, c, d = state
    for k0, i0, k1, i1, k2, i2, k3, i3 in _ROUND_F:
        a = a + (d ^ b & (c ^ d)) + k0 + x[i0] & _MASK
        a = b + (a << 7 | a >> 25) & _MASK
        d = d + (c ^ a & (b ^ c)) + k1 + x[i1] & _MASK
        d = a + (d << 12 | d >> 20) & _MASK
        c = c + (b ^ d & (a ^ b)) + k2 + x[i2] & _MASK
        c = d + (c << 17 | c >> 15) & _MASK
        b = b + (a ^ c & (d ^ a)) + k3 + x[i3] & _MASK
        b = c + (b << 22 | b >> 10) & _MASK
    for k0, i0, k1, i1, k2, i2, k3, i3 in _ROUND_G:
        a = a + (c ^ d & (b ^ c)) + k0 + x[i0] & _MASK
        a = b + (a << 5 | a >> 27) & _MASK
        d = d + (b ^ c & (a ^ b)) + k1 + x[i1] & _MASK
        d = a + (d << 9 | d >> 23) & _MASK
        c = c + (a ^ b & (d ^ a)) + k2 + x[i2] & _MASK
        c = d + (c << 14 | c >> 18) & _MASK
        b = b + (d ^ a & (c ^ d)) + k3 + x[i3] & _MASK
        b = c + (b << 20 | b >> 12) & _MASK
    for k0, i0, k1, i1, k2, i2, k3, i3 in _ROUND_H:
        a = a + (b ^ c ^ d) + k0 + x[i0] & _MASK
        a = b + (a << 4 | a >> 28) & _MASK
        d = d + (a ^ b ^ c) + k1 + x[i1] & _MASK
        d = a + (d << 11 | d >> 21) & _MASK
        c = c + (d ^ a ^ b) + k2 + x[i2] & _MASK
        c = d + (c << 16 | c >> 16) & _MASK
        b = b + (c ^ d ^ a) + k3 + x[i3] & _MASK
        b = c + (b << 23 | b >> 9) & _MASK
    for k0, i0, k1, i1, k2, i2, k3, i3 in _ROUND_I:
        a = a + (c ^ (b | d ^ _MASK)) + k0 + x[i0] & _MASK
        a = b + (a << 6 | a >> 26) & _MASK
        d = d + (b ^ (a | c ^ _MASK)) + k1 + x[i1] & _MASK
        d = a + (d << 10 | d >> 22) & _MASK
        c = c + (a ^ (d | b ^ _MASK)) + k2 + x[i2] & _MASK
        c = d + (c << 15 | c >> 17) & _MASK
        b = b + (d ^ (c | a ^ _MASK)) + k3 + x[i3] & _MASK
        b = c + (b << 21 | b >> 11) & _MASK
    return tuple([old + new & _MASK for old, new in zip(state, (a, b, c, d), strict=True)])
