"""Floats of 10, 11, 16 and 24 bits and with a shared exponent: to float32 and back.

Widening is exact. Narrowing rounds towards zero (Direct3D 10 and later) or to nearest even
(Direct3D 9, and what texture tools do). Spec: D3D11.3 sections 3.1 and 3.2.3.
"""

from __future__ import annotations

from softd3d.algebra.float_rules import float16_to_float32, float32_to_float16, maximum, minimum
from softd3d.algebra.operations import bitcast, convert, rint, select
from softd3d.algebra.value import F32, I32, U32, Value

__all__ = [
    "float24_from_number",
    "nearest_small_float_from_number",
    "number_from_float24",
    "number_from_shared_exponent",
    "number_from_small_float",
    "shared_exponent_from_numbers",
    "small_float_from_number",
]

_HALF = 16
_MAGNITUDE = 0x7FFFFFFF
_INFINITY = 0x7F800000
_REBIAS = (127 - 15) << 23  # what a float32's exponent has more than that of 5 bits


def number_from_small_float(code: Value, bits: int) -> Value:
    """Widen a float of 16, 11 or 10 bits, exactly. Those below 16 have no sign."""
    return float16_to_float32(code if bits == _HALF else code << (_HALF - 1 - bits))


def small_float_from_number(x: Value, bits: int) -> Value:
    """Round to a float of 16, 11 or 10 bits towards zero; finite overflow gives the largest number.

    Without a sign bit (11, 10), negative numbers and -infinity give 0. NaN and infinity stay.
    """
    half = float32_to_float16(x)
    if bits == _HALF:
        return half
    # Cutting a float16 that was rounded towards zero rounds towards zero once more: the same.
    magnitude = half & 0x7FFF
    negative = (half & 0x8000).ne(0) & x.eq(x)
    return select(negative, 0, magnitude >> (_HALF - 1 - bits))


def nearest_small_float_from_number(x: Value, bits: int) -> Value:
    """Round to a float of 16, 11 or 10 bits to nearest even; overflow gives infinity.

    Without a sign bit (11, 10), negative numbers and -infinity give 0. NaN stays.
    """
    mantissa_bits = bits - 6 if bits == _HALF else bits - 5
    cut = 23 - mantissa_bits
    word = bitcast(x, U32)
    magnitude = word & _MAGNITUDE
    rounded = magnitude + ((1 << cut - 1) - 1) + (magnitude >> cut & 1)
    code = (rounded - _REBIAS) >> cut
    infinity = 31 << mantissa_bits
    code = select(code < infinity, code, infinity)
    # Adding the power of two whose unit is that of the denormals rounds to them.
    unit = bitcast(x.like(2.0 ** (9 - mantissa_bits)), U32)
    denormal = bitcast(bitcast(magnitude, F32) + 2.0 ** (9 - mantissa_bits), U32) - unit
    code = select(magnitude < _REBIAS + (1 << 23), denormal, code)
    code = select(magnitude > _INFINITY, infinity | 1 << mantissa_bits - 1, code)
    if bits == _HALF:
        return code | (word >> 16 & 0x8000)
    return select((word > _MAGNITUDE) & x.eq(x), 0, code)


# Float24 of D24FS8: 4 bits of exponent, biased by 15, 20 of mantissa; no sign, infinity or NaN.

_LARGEST_FLOAT24 = 2.0 - 2.0**-20


def number_from_float24(code: Value) -> Value:
    """Return the number of a 24-bit float, exactly."""
    mantissa = code & 0xFFFFF
    exponent = code >> 20
    normal = bitcast((exponent + (127 - 15)) << 23 | mantissa << 3, F32)
    denormal = convert(bitcast(mantissa, I32), F32) * 2.0**-34
    return select(exponent.eq(0), denormal, normal)


def float24_from_number(x: Value) -> Value:
    """Return the nearest 24-bit float, ties to even, of x clamped to its range; NaN gives 0."""
    inside = minimum(maximum(x, x.like(0.0)), x.like(_LARGEST_FLOAT24))
    bits = bitcast(inside, U32)
    normal = (bits + 3 + (bits >> 3 & 1) - _REBIAS) >> 3
    # What is large must not reach the conversion to int32, whatever is then selected.
    small = select(inside < 2.0**-14, inside, 0.0)
    denormal = bitcast(convert(rint(small * 2.0**34), I32), U32)
    return select(inside < 2.0**-14, denormal, normal)


# R9G9B9E5: number = mantissa * 2**(exponent - 24), no hidden bit, no sign.

_LARGEST_SHARED = 65408.0  # 511 * 2**7
_SMALLEST_EXPONENT = 127 - 16  # float32 exponent bits of the numbers that have exponent code 0


def number_from_shared_exponent(word: Value, shift: int) -> Value:
    """Return the number whose 9-bit mantissa starts at bit `shift` of an R9G9B9E5 texel."""
    scale = bitcast(((word >> 27) + (127 - 24)) << 23, F32)
    return convert(bitcast((word >> shift) & 0x1FF, I32), F32) * scale


def shared_exponent_from_numbers(red: Value, green: Value, blue: Value) -> Value:
    """Return an R9G9B9E5 texel: the largest number's exponent, mantissas to nearest even.

    NaN and negative numbers give 0, larger ones than 65408 give that.
    """
    numbers = [_clamped(x) for x in (red, green, blue)]
    largest = maximum(maximum(numbers[0], numbers[1]), numbers[2])
    bits = bitcast(largest, U32) >> 23
    exponent = select(bits < _SMALLEST_EXPONENT, _SMALLEST_EXPONENT, bits) - _SMALLEST_EXPONENT
    # A mantissa that rounds up to 512 needs the next exponent; at 65408 none does.
    overflows = rint(largest * _shared_scale(exponent)).eq(512.0)
    exponent = select(overflows, exponent + 1, exponent)
    scale = _shared_scale(exponent)
    word = exponent << 27
    for number, x in enumerate(numbers):
        word = word | bitcast(convert(rint(x * scale), I32), U32) << 9 * number
    return word


def _clamped(x: Value) -> Value:
    return minimum(maximum(x, x.like(0.0)), x.like(_LARGEST_SHARED))


def _shared_scale(exponent: Value) -> Value:
    """Return 2**(24 - exponent), always a normal number."""
    return bitcast((exponent.like(127 + 24) - exponent) << 23, F32)
