"""Numbers of SM1-3 texts to bits, as Microsoft's assembler reads them.

It reads decimals as float64 and rounds once more to float32; too large ones are infinite. Integers
stand for floats too. `asfloat(0x...)`, which only the exact dialect has, gives the bits themselves.
"""

from __future__ import annotations

import re
import struct
from functools import lru_cache

from softd3d.isa.asm.diagnostic import Mistake, shown

__all__ = ["FLOAT", "INTEGER", "dword", "float_bits", "integer", "signed_integer"]

_SPECIAL = {"INF": 0x7F800000, "IND": 0xFFC00000, "QNAN": 0x7FE00000, "SNAN": 0x7FE00000}
_SIGN = 1 << 31
_MOST_DIGITS = 11  # in octal, of 32 bits
_LONGEST = 2000  # characters of a float

# A 0 in front means octal, so that 08 is a 0 with an 8 behind it
INTEGER = r"(?:0x[0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)[uUlL]{0,2}"
_DECIMAL = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
FLOAT = rf"(?:1\.\#(?:{'|'.join(_SPECIAL)})|{_DECIMAL})[fFhHlL]?"
_ASFLOAT = re.compile(r"asfloat\s*\(\s*(0x[0-9a-fA-F]{1,8})\s*\)\Z", re.ASCII)
_SIGNED = re.compile(r"([+-]?)\s*(.*)\Z", re.ASCII | re.DOTALL)
_IS_INTEGER = re.compile(rf"{INTEGER}\Z")
_IS_FLOAT = re.compile(rf"{FLOAT}\Z")


@lru_cache(maxsize=16384)
def float_bits(text: str) -> int:
    """Return the bits of a component of def, which `text` writes with or without a sign.

    Raises:
        Mistake: it is no number, or an integer of more than 32 bits.

    >>> hex(float_bits("1.5f")), hex(float_bits("- 1")), hex(float_bits("1e50"))
    ('0x3fc00000', '0xbf800000', '0x7f800000')
    """
    exact = _ASFLOAT.match(text)
    if exact is not None:
        return dword(exact.group(1))
    sign, number, at = _signed(text)
    is_float = _IS_FLOAT.match(number) is not None
    bits = _decimal(number, at) if is_float else _rounded(float(integer(number, at)))
    return bits ^ _SIGN if sign == "-" else bits


def signed_integer(text: str) -> int:
    """Return the bits of a component of defi, which has 32 of them whatever the sign.

    Raises:
        Mistake: it is no integer, or one of more than 32 bits.

    >>> hex(signed_integer("-1"))
    '0xffffffff'
    """
    sign, number, at = _signed(text)
    if _IS_FLOAT.match(number):
        raise Mistake(f"wanted an integer, found {shown(number)}", at)
    value = integer(number, at)
    return (-value if sign == "-" else value) & 0xFFFFFFFF


def integer(text: str, at: int = 0) -> int:
    """Return an unsigned number in decimal, hex or octal, whose type suffix says nothing.

    at: where it stands, for the error.

    Raises:
        Mistake: it is none, or has more than 32 bits.
    """
    if not _IS_INTEGER.match(text):
        raise Mistake(f"wanted a number, found {shown(text)}", at)
    digits = text.rstrip("uUlL")
    value = 1 << 32
    base = 16 if digits[:2] == "0x" else 8 if digits[0] == "0" else 10
    significant = digits.lstrip("0x") or "0"
    if len(significant) <= _MOST_DIGITS:
        value = int(significant, base)
    if value >= 1 << 32:
        raise Mistake(f"{shown(text)} does not fit 32 bits", at)
    return value


def dword(text: str) -> int:
    """Return a hex number of up to eight digits."""
    return int(text, 16)


def _signed(text: str) -> tuple[str, str, int]:
    found = _SIGNED.match(text)
    if found is None:
        return "", text, 0
    return found.group(1), found.group(2), found.start(2)


def _decimal(text: str, at: int) -> int:
    if len(text) > _LONGEST:
        raise Mistake(f"a number of {len(text)} characters, at most {_LONGEST}", at)
    special = next((bits for name, bits in _SPECIAL.items() if text.startswith(f"1.#{name}")), None)
    if special is not None:
        return special
    return _rounded(float(text.rstrip("fFhHlL")))


def _rounded(value: float) -> int:
    """Return a float64 rounded to float32; what is too large becomes infinite."""
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return _SPECIAL["INF"]
