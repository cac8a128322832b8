"""Depth numbers as 32-bit integers, and the formats that they come from and go to.

The depth-stencil Blt takes every depth through an unsigned 32-bit integer u that stands for
u / (2**32 - 1). These are the ways there and back, over the algebra. Every function takes and
returns uint32 values: codes, integers, or the bits of float32 numbers.

Spec: WDK "Copying Depth-Stencil Values"; docs/depth-stencil-blt.md says how it is read.
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, clz, convert, select
from softd3d.algebra.value import F32, U32, Value
from softd3d.formats.floats import float24_from_number, number_from_float24

__all__ = [
    "float24_from_float32",
    "float24_from_integer",
    "float32_from_float24",
    "float32_from_integer",
    "integer_from_float32",
    "integer_from_unorm",
    "unorm_from_integer",
]

_WORD = 32
_LARGEST = 0xFFFFFFFF
_INFINITY = 0x7F800000  # above it: NaNs and, with the sign bit, all negative numbers
_ONE = 0x3F800000
_ONE_BIASED = 127
_FLOAT24_ONE = 0xF00000


def integer_from_unorm(code: Value, bits: int) -> Value:
    """Widen a code to 32 bits: the bits that are missing on the right repeat the leftmost ones."""
    top = code << (_WORD - bits) if bits < _WORD else code
    filled, result = bits, top
    while filled < _WORD:
        result = result | top >> filled
        filled += bits
    return result


def unorm_from_integer(u: Value, bits: int) -> Value:
    """Drop the bits on the right that a code of `bits` bits has no room for."""
    return u >> (_WORD - bits) if bits < _WORD else u


def integer_from_float32(bits: Value, product: str) -> Value:
    """Return the number, clamped to [0, 1], times 2**32 - 1; NaN gives 0.

    product: how it becomes whole. "nearest": the exact product, rounded to nearest, halves up;
    "truncate": the exact product, rounded down; "binary32": as float32 arithmetic has it, where
    2**32 - 1 is 2**32, rounded down and saturated.
    """
    shift = bits.like(_ONE_BIASED - 1) - (bits >> 23)
    scaled = bits << 8 | 0x80000000  # times 2**-shift: the number times 2**32, below 1
    inside = _PRODUCTS[product](scaled, shift)
    clamped = select(bits < _ONE, inside, _LARGEST)
    return select(bits > _INFINITY, 0, clamped)


def _nearest(scaled: Value, shift: Value) -> Value:
    """Return floor(p - z + 1/2) with p = scaled * 2**-shift and z = p * 2**-32.

    z is less than the last place of p wherever that has a fraction: it only tells that a half goes
    down. From 2**-9 on p is whole, and z takes 1 off it if it is above 1/2 itself.
    """
    below = scaled - 1
    doubled = shift - 1  # the shift that leaves one bit of fraction
    rounded = ((below >> select(doubled < _WORD, doubled, 0)) + 1) >> 1
    whole = select(scaled.eq(0x80000000), scaled, below)
    return select(shift.eq(0), whole, select(doubled < _WORD, rounded, 0))


def _truncate(scaled: Value, shift: Value) -> Value:
    return _shifted_out(scaled - 1, shift)


def _binary32(scaled: Value, shift: Value) -> Value:
    return _shifted_out(scaled, shift)


def _shifted_out(x: Value, shift: Value) -> Value:
    """Return x >> shift, 0 from 32 on."""
    fits = shift < _WORD
    return select(fits, x >> select(fits, shift, 0), 0)


_PRODUCTS = {"nearest": _nearest, "truncate": _truncate, "binary32": _binary32}


def float32_from_integer(u: Value, quotient: str) -> Value:
    """Return the bits of u / (2**32 - 1), a float32.

    quotient: "exact": correctly rounded; "binary32": u is rounded to a float32 and divided by the
    float32 nearest to 2**32 - 1, which is 2**32.
    """
    bits = bitcast(convert(u if quotient == "binary32" else _ties_up(u), F32), U32)
    return select(u.eq(0), 0, bits - (_WORD << 23))


def _ties_up(u: Value) -> Value:
    """Change u so that it rounds to 24 bits as u * (1 + 2**-32 + ...) does.

    That is never a tie, but lies just above one where u is one. Where one bit is dropped, a tie is
    an odd u; where more are, the last bit only tells ties from what is above them.
    """
    return select(u < 1 << 25, u + (u >> 24 & u), u | 1)


def float24_from_integer(u: Value, quotient: str, rounding: str) -> Value:
    """Return u / (2**32 - 1) as a float24.

    quotient: as for `float32_from_integer`; "binary32" rounds a second time.
    rounding: "nearest" (even) or "zero".
    """
    if quotient == "binary32":
        return float24_from_float32(float32_from_integer(u, quotient), rounding)
    zeros = clz(u | 1)
    top = u << zeros
    significand = top >> 11  # 21 bits, the first of them 1
    if rounding == "nearest":  # the quotient is above u * 2**-32: there are no ties
        significand = significand + (top >> 10 & 1)
    normal = significand + ((u.like(13) - zeros) << 20)
    if rounding == "zero":
        normal = select(u.eq(_LARGEST), _FLOAT24_ONE, normal)
    return select(u < 1 << 18, u << 2, normal)


def float32_from_float24(code: Value) -> Value:
    """Widen a float24 to the bits of a float32, exactly."""
    return bitcast(number_from_float24(code), U32)


def float24_from_float32(bits: Value, rounding: str) -> Value:
    """Narrow a float32 to a float24, clamped to [0, 2 - 2**-20]; NaN gives 0.

    rounding: "nearest" (even) or "zero".
    """
    x = bitcast(bits, F32)
    code = float24_from_number(x)
    if rounding == "nearest":
        return code
    is_above = (number_from_float24(code) > x) & code.ne(0)  # 0 is above what was clamped to it
    return select(is_above, code - 1, code)
