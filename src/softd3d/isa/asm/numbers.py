"""Literals as Microsoft's disassembler (D3DDisassemble 10.1) writes them."""

from __future__ import annotations

import struct

__all__ = ["double_text", "float_text", "integer_text", "untyped_text"]

_LARGEST_DECIMAL = 10000
_EXPONENT = 0x7F800000
_MANTISSA = 0x007FFFFF
_NEGATIVE_ZERO = 0x80000000
_INDEFINITE = 0xFFC00000
_EXPONENT_64 = 0x7FF << 52
_MANTISSA_64 = (1 << 52) - 1
_QUIET_64 = 1 << 51


def float_text(bits: int) -> str:
    """Write a float32 with six decimals, and infinities and NaNs as the old C library does.

    >>> float_text(0x3F800000), float_text(0x80000000), float_text(0xFF800000)
    ('1.000000', '-0.000000', '-1.#INF00')
    """
    if bits & _EXPONENT == _EXPONENT:
        sign = "-" if bits >> 31 else ""
        if not bits & _MANTISSA:
            return f"{sign}1.#INF00"
        return "-1.#IND00" if bits == _INDEFINITE else f"{sign}1.#QNAN0"
    return f"{struct.unpack('<f', struct.pack('<I', bits))[0]:f}"


def integer_text(bits: int) -> str:
    """Write a 32-bit integer: up to 10000 either way in decimal, others in hex.

    >>> integer_text(10000), integer_text(10001), integer_text(0xFFFFFFFB)
    ('10000', '0x00002711', '-5')
    """
    value = bits - (bits >> 31 << 32)
    return str(value) if abs(value) <= _LARGEST_DECIMAL else f"0x{bits:08x}"


def untyped_text(bits: int) -> str:
    """Write bits of unknown type: a float if they are a normal one or -0, else an integer.

    >>> untyped_text(0), untyped_text(0x3F800000), untyped_text(0xFFFFFFFF)
    ('0', '1.000000', '-1')
    """
    exponent = bits & _EXPONENT
    is_float = exponent not in (0, _EXPONENT) or bits == _NEGATIVE_ZERO
    return float_text(bits) if is_float else integer_text(bits)


def double_text(low: int, high: int) -> str:
    """Write the float64 of two dwords with six decimals.

    >>> double_text(0, 0x3FF80000), double_text(1, 0x7FF00000)
    ('1.500000', '1.#SNAN0')
    """
    bits = high << 32 | low
    if bits & _EXPONENT_64 == _EXPONENT_64:
        sign = "-" if bits >> 63 else ""
        mantissa = bits & _MANTISSA_64
        if not mantissa:
            return f"{sign}1.#INF00"
        if sign and mantissa == _QUIET_64:
            return "-1.#IND00"
        return f"{sign}1.#{'Q' if mantissa & _QUIET_64 else 'S'}NAN0"
    return f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:f}"
