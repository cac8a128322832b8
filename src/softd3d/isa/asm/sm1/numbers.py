"""Literals of SM1-3 as D3DDisassemble 10.1 writes them."""

from __future__ import annotations

import re
import struct

__all__ = ["double_text", "float_text", "integer_text"]

_EXPONENT = 0x7F800000
_MANTISSA = 0x007FFFFF
_INDEFINITE = 0xFFC00000
_TWO_DIGITS = re.compile(r"e([+-])(\d\d)$")


def float_text(bits: int, digits: int = 9) -> str:
    """Write a float32; nine significant digits give its bits back.

    >>> float_text(0x3F800000), float_text(0x3DCCCCCD), float_text(0x80000000)
    ('1', '0.100000001', '-0')
    >>> float_text(0x322BCC77), float_text(0x7F800000)
    ('9.99999994e-009', '1.#INF')
    """
    if bits & _EXPONENT == _EXPONENT:
        sign = "-" if bits >> 31 else ""
        if not bits & _MANTISSA:
            return f"{sign}1.#INF"
        return "-1.#IND" if bits == _INDEFINITE else f"{sign}1.#QNAN"
    return double_text(struct.unpack("<f", struct.pack("<I", bits))[0], digits)


def double_text(value: float, digits: int) -> str:
    """Write a finite number; exponents have three digits, as in the C library of the time."""
    return _TWO_DIGITS.sub(r"e\g<1>0\2", f"{value:.{digits}g}")


def integer_text(bits: int) -> str:
    """Write a 32-bit integer in decimal.

    >>> integer_text(0xFFFFFFFF)
    '-1'
    """
    return str(bits - (bits >> 31 << 32))
