"""The state of MD5 after whole blocks, which `hashlib` computes but does not give away.

OpenSSL has a function for it, and nearly every Python brings OpenSSL along: that is a thousand
times as fast as these few lines. Where the function is not found, or does not give what is
expected of it, they do the work.

Rounds: RFC 1321.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from math import floor, sin

__all__ = ["INITIAL", "compress", "openssl", "state_after"]

INITIAL = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
_MASK = 0xFFFFFFFF
_CONTEXT_DWORDS = 23  # of OpenSSL's MD5_CTX: state, length in bits, block, bytes in the block


def _steps(stride: int, start: int, first: int) -> list[tuple[int, ...]]:
    """Return (constant, dword of the block) of the 16 steps of a round, four steps together."""
    steps = [(floor(abs(sin(first + i + 1)) * 2**32), (start + stride * i) % 16) for i in range(16)]
    return [tuple(number for step in steps[i : i + 4] for number in step) for i in range(0, 16, 4)]


_ROUND_F = _steps(1, 0, 0)
_ROUND_G = _steps(5, 1, 16)
_ROUND_H = _steps(3, 5, 32)
_ROUND_I = _steps(7, 0, 48)


def state_after(data: bytes) -> tuple[int, ...]:
    """Return the state after the 64-byte blocks of `data`, which must be whole.

    >>> state_after(b"") == INITIAL
    True
    """
    native = openssl()
    return _written_out(data) if native is None else native(data)


def _written_out(data: bytes) -> tuple[int, ...]:
    state = INITIAL
    for block in struct.iter_unpack("<16I", data):
        state = compress(state, block)
    return state


@cache
def openssl() -> Callable[[bytes], tuple[int, ...]] | None:
    """Return OpenSSL's function in the form of `_written_out`, None if it cannot be had."""
    try:
        import _hashlib  # noqa: PLC0415 - missing where Python was built without OpenSSL
        import ctypes  # noqa: PLC0415 - 3 ms, and only who writes checksums needs it

        # What the module is linked with is found through it, wherever that lies.
        library = ctypes.CDLL(_hashlib.__file__)
        start, update = library.MD5_Init, library.MD5_Update
    except (ImportError, OSError, AttributeError):
        return None
    context_of = ctypes.c_uint32 * (2 * _CONTEXT_DWORDS)  # room to spare
    start.argtypes = [ctypes.c_void_p]
    update.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]

    def native(data: bytes) -> tuple[int, ...]:
        context = context_of()
        start(context)
        update(context, data, len(data))
        return tuple(context[:4])

    sample = bytes(range(128))
    return native if native(sample) == _written_out(sample) else None


def compress(state: tuple[int, ...], x: tuple[int, ...]) -> tuple[int, ...]:
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
