"""Literals as Microsoft's disassembler (D3DDisassemble 10.1) writes them."""

from __future__ import annotations

import struct

__all__ = ["double_text", "float_text", "integer_text", "unsigned_text", "untyped_text"]

_LARGEST_DECIMAL = 10000
_NEGATIVE = 0xFFFFFFF0
_FLOAT_EXPONENT = 0x7F800000
_FLOAT_MANTISSA = 0x007FFFFF
_SMALL_INTEGER = 0x00700000
_NEGATIVE_QUIET_NAN = 0xFFC00000


def float_text(bits: int) -> str:
    """Write the float32 of some bits with six decimals, and infinities as the old C library does.

    >>> float_text(0x3F800000), float_text(0x80000000), float_text(0xFF800000)
    ('1.000000', '-0.000000', '-1.#INF00')
    """
    if bits & _FLOAT_EXPONENT == _FLOAT_EXPONENT:
        sign = "-" if bits >> 31 else ""
        if not bits & _FLOAT_MANTISSA:
            return f"{sign}1.#INF00"
        return f"{sign}1.#IND00" if bits == _NEGATIVE_QUIET_NAN else f"{sign}1.#QNAN0"
    return f"{struct.unpack('<f', struct.pack('<I', bits))[0]:f}"


def integer_text(bits: int) -> str:
    """Write a signed integer: large ones in hex.

    >>> integer_text(10000), integer_text(10001), integer_text(0xFFFF0000)
    ('10000', '0x00002711', '-65536')
    """
    value = bits - (bits >> 31 << 32)
    return f"0x{bits:08x}" if value > _LARGEST_DECIMAL else str(value)


def unsigned_text(bits: int) -> str:
    """Write an unsigned integer: large ones in hex, the largest as small negative numbers."""
    if bits > _NEGATIVE:
        return str(bits - (1 << 32))
    return f"0x{bits:08x}" if bits > _LARGEST_DECIMAL else str(bits)


def untyped_text(bits: int) -> str:
    """Write bits of unknown type: what looks like a small integer as one, else a float.

    >>> untyped_text(0), untyped_text(0x3F800000), untyped_text(0xFFFFFFFF)
    ('0', '1.000000', '-1')
    """
    value = bits - (bits >> 31 << 32)
    if -_SMALL_INTEGER <= value <= _SMALL_INTEGER:
        return integer_text(bits)
    return float_text(bits)


def double_text(low: int, high: int) -> str:
    """Write the float64 of two dwords with six decimals."""
    exponent = 0x7FF00000
    if high & exponent == exponent:
        sign = "-" if high >> 31 else ""
        return f"{sign}1.#INF00" if not low and not high & 0xFFFFF else f"{sign}1.#QNAN0"
    return f"{struct.unpack('<d', struct.pack('<II', low, high))[0]:f}"
