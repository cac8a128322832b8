"""Numbers of a text to bits: float32 and float64 correctly rounded, integers, bits in hex.

A token with a point or an exponent is a float, a plain integer is a 32-bit integer, 0x starts
bits. The infinities and NaNs of the old C library, which say less than their bits, have one
meaning each.
"""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from functools import lru_cache
from math import isinf

from softd3d.isa.asm.diagnostic import Mistake, shown

__all__ = ["double_bits", "float_bits", "integer", "literal_bits"]

_HEX = re.compile(r"0[xX][0-9a-fA-F]+\Z")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_LONGEST = 2000  # characters; Python refuses to convert integers of more than 4300 digits
_SIGN, _SIGN_64 = 1 << 31, 1 << 63

# -1.#IND is the one negative NaN that has a name; other negative NaNs get the next bits.
_SPECIAL: dict[str, int] = {
    **dict.fromkeys(("inf", "+inf", "1.#inf00", "1.#inf"), 0x7F800000),
    **dict.fromkeys(("-inf", "-1.#inf00", "-1.#inf"), 0xFF800000),
    **dict.fromkeys(("nan", "1.#qnan0", "1.#qnan", "1.#ind00", "1.#ind"), 0x7FC00000),
    **dict.fromkeys(("-1.#ind00", "-1.#ind"), 0xFFC00000),
    **dict.fromkeys(("-nan", "-1.#qnan0", "-1.#qnan"), 0xFFC00001),
    **dict.fromkeys(("1.#snan0", "1.#snan"), 0x7F800001),
    **dict.fromkeys(("-1.#snan0", "-1.#snan"), 0xFF800001),
}


@lru_cache(maxsize=16384)
def literal_bits(text: str) -> int:
    """Return the 32 bits of a literal's component.

    Raises:
        Mistake: it is no number, or does not fit.

    >>> hex(literal_bits("1.5")), literal_bits("-1") == 0xFFFFFFFF, literal_bits("0x10")
    ('0x3fc00000', True, 16)
    """
    if _INTEGER.match(text):
        value = _whole(text)
        if not -(1 << 31) <= value < 1 << 32:
            raise Mistake(f"integer {shown(text)} does not fit 32 bits")
        return value & 0xFFFFFFFF
    if _HEX.match(text):
        return _hexadecimal(text, 32)
    return float_bits(text)


def float_bits(text: str) -> int:
    """Return the bits of a float32 written in decimal, or of an infinity or NaN."""
    special = _SPECIAL.get(text.lower())
    if special is not None:
        return special
    value = _decimal(text, "float32")
    try:
        packed = struct.pack("<f", value)
    except OverflowError as error:
        raise Mistake(f"{shown(text)} does not fit float32") from error
    bits = int.from_bytes(packed, "little")
    return bits if _unpacked(bits) == value else _without_double_rounding(text, value, bits)


def _without_double_rounding(text: str, value: float, bits: int) -> int:
    """Correct `bits` if the text lies beside a tie of float32 that its nearest double is on."""
    near = _unpacked(bits)
    towards = 1 if abs(value) > abs(near) else -1
    other_bits = bits + towards
    other = _unpacked(other_bits)
    if value - near != other - value:  # exact: both are multiples of the double's last place
        return bits
    exact, tie = Fraction(text), Fraction(value)
    if exact == tie:
        return bits
    return other_bits if (exact > tie) == (other > near) else bits


def _unpacked(bits: int) -> float:
    (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    return float(value)


@lru_cache(maxsize=1024)
def double_bits(text: str) -> int:
    """Return the 64 bits of one number of `d(...)`, with or without the final l.

    Raises:
        Mistake: it is no number, or does not fit.

    >>> hex(double_bits("1.5l"))
    '0x3ff8000000000000'
    """
    number = text[:-1].rstrip() if text[-1:] in ("l", "L") else text
    if _HEX.match(number):
        return _hexadecimal(number, 64)
    special = _SPECIAL.get(number.lower())
    if special is not None:
        exponent_and_mantissa = special & ~_SIGN
        payload = exponent_and_mantissa & 0x7FFFFF
        wide = 0x7FF << 52 | (payload & 0x400000) << 29 | payload & 0x3FFFFF
        return wide | (_SIGN_64 if special & _SIGN else 0)
    return int.from_bytes(struct.pack("<d", _decimal(number, "float64")), "little")


def integer(text: str, bits: int = 32, what: str = "a number") -> int:
    """Return an unsigned count or register number in decimal or hex.

    Raises:
        Mistake: it is none, or needs more bits.

    >>> integer("12"), integer("0x10")
    (12, 16)
    """
    if _HEX.match(text):
        return _hexadecimal(text, bits)
    if not _INTEGER.match(text) or text[0] in "+-":
        raise Mistake(f"wanted {what}, found {shown(text)}")
    value = _whole(text)
    if value >= 1 << bits:
        raise Mistake(f"{shown(text)} does not fit {bits} bits")
    return value


def _whole(text: str) -> int:
    if len(text) > _LONGEST:
        raise Mistake(f"a number of {len(text)} digits, at most {_LONGEST}")
    return int(text)


def _hexadecimal(text: str, bits: int) -> int:
    value = int(text, 16) if len(text) <= _LONGEST else 1 << bits
    if value >= 1 << bits:
        raise Mistake(f"{shown(text)} does not fit {bits} bits")
    return value


def _decimal(text: str, wanted: str) -> float:
    """Return the nearest float64, whatever is wanted of it."""
    if not _FLOAT.match(text):
        raise Mistake(f"wanted a number, found {shown(text)}")
    if len(text) > _LONGEST:
        raise Mistake(f"a number of {len(text)} characters, at most {_LONGEST}")
    value = float(text)
    if isinf(value):
        raise Mistake(f"{shown(text)} does not fit {wanted}")
    return value
