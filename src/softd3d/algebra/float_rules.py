"""The float rules that rows share: flush, min, max, saturate, fraction, and conversions.

Comparisons flush float32 denormals, selections do not, and a compiler may or may not turn a
comparison and a selection into one instruction that does. So whatever could select a denormal ends
in `flush`, which looks at bits only. Spec: D3D11.3 sections 3.1 and 3.2.
"""

from __future__ import annotations

import math

from softd3d.algebra.operations import (
    bitcast,
    convert,
    floor,
    high32,
    low32,
    pack64,
    select,
)
from softd3d.algebra.value import F32, F64, I32, U32, Value

__all__ = [
    "float16_to_float32",
    "float32_to_float16",
    "float_to_int32",
    "float_to_uint32",
    "flush",
    "fraction",
    "maximum",
    "minimum",
    "saturate",
]

_SIGN = 0x80000000
_MAGNITUDE = 0x7FFFFFFF
_EXPONENT = 0x7F800000  # also the bits of infinity
_ALL_ONES = 0xFFFFFFFF
_SMALLEST = 2.0**-126  # normal float32; float64 has smaller ones, which need no such care


def flush(x: Value) -> Value:
    """Replace float32 denormals by zeros of the same sign; float64 passes unchanged."""
    is_flushed = getattr(x.k, "is_flushed", None)
    if x.type is F64 or (is_flushed is not None and is_flushed(x)):
        return x
    bits = bitcast(x, U32)
    return bitcast(select((bits & _EXPONENT).eq(0), bits & _SIGN, bits), F32)


def minimum(a: Value, b: Value) -> Value:
    """Return the smaller; a number wins over a NaN, -0 is below +0, the result is flushed.

    Spec: D3D11.3 22.10 min allows any order of zeros; we take the one of IEEE 754-2019
    minimumNumber.
    """
    a, b, limit = _with_limit_last(a, b)
    if limit is not None and (limit != 0 or _is_negative(limit)):
        smaller = select(a < b, a, b)
        return smaller if limit <= 0 else flush(smaller)  # less than that is normal
    smaller = select((a < b) | b.ne(b), a, b)
    return flush(select(a.eq(b), _with_bits_of_both(a, b, smallest=True), smaller))


def maximum(a: Value, b: Value) -> Value:
    """Return the larger; a number wins over a NaN, +0 is above -0, the result is flushed.

    Spec: D3D11.3 22.10 max; IEEE 754-2019 maximumNumber.
    """
    a, b, limit = _with_limit_last(a, b)
    if limit is not None and (limit != 0 or not _is_negative(limit)):
        larger = select(b < a, a, b)
        return larger if limit >= 0 else flush(larger)  # more than that is normal
    larger = select((b < a) | b.ne(b), a, b)
    return flush(select(a.eq(b), _with_bits_of_both(a, b, smallest=False), larger))


def _with_limit_last(a: Value, b: Value) -> tuple[Value, Value, float | None]:
    """Return the operands, a constant last, and its number, for algebras that know constants.

    None for what is no normal number or zero, as if it were not known.
    """
    number_of = getattr(a.k, "number_of", None)
    if number_of is None:
        return a, b, None
    limit = number_of(b)
    if limit is None and number_of(a) is not None:
        a, b, limit = b, a, number_of(a)
    is_usual = limit is not None and (limit == 0 or _SMALLEST <= abs(limit) < math.inf)
    return a, b, limit if is_usual else None


def _is_negative(number: float) -> bool:
    return math.copysign(1, number) < 0


def _with_bits_of_both(a: Value, b: Value, *, smallest: bool) -> Value:
    """Return equal numbers joined: zeros get a sign if either (or only if both) have one."""
    if a.type is F64:
        low, high = low32(a), high32(a)
        other = high32(b)
        return pack64(low, high | other if smallest else high & other)
    x, y = bitcast(a, U32), bitcast(b, U32)
    return bitcast(x | y if smallest else x & y, F32)


def saturate(x: Value) -> Value:
    """Clamp to [0, 1]: NaN and -0 give +0.

    What passes the first comparison is normal (float32), so nothing needs a flush.
    """
    positive = select(x > 0.0, x, 0.0)
    return select(positive < 1.0, positive, 1.0)


def fraction(x: Value) -> Value:
    """Return x - floor(x): +0 for -0, NaN for infinities.

    Rounded once, so that a negative number above -2**-25 gives 1.
    """
    return x - floor(x)


def float_to_int32(x: Value) -> Value:
    """Truncate a float32 or float64 to int32; out of range is clamped, NaN gives 0."""
    too_large = x >= 2.0**31
    too_small = x < -(2.0**31)
    # The conversion primitive is undefined out of range: guard its operand, not its result.
    inside = convert(select(too_large | too_small | x.ne(x), x.like(0.0), x), I32)
    return select(too_large, 0x7FFFFFFF, select(too_small, -0x80000000, inside))


def float_to_uint32(x: Value) -> Value:
    """Truncate a float32 or float64 to uint32; out of range is clamped, NaN gives 0."""
    too_large = x >= 2.0**32
    inside = convert(select((x > 0.0) & ~too_large, x, 0.0), U32)
    return select(too_large, _ALL_ONES, inside)


def float32_to_float16(x: Value) -> Value:
    """Round a float32 towards zero to float16; return its bits, upper half 0.

    Finite overflow gives the largest number, float16 denormals are produced, float32 denormals
    give signed zeros, a NaN the quiet NaN 0x7E00. Spec: D3D11.3 3.2.3.
    """
    bits = bitcast(x, U32)
    magnitude = bits & _MAGNITUDE
    normal = (magnitude - 0x38000000) >> 13  # re-bias by 127 - 15, drop 13 mantissa bits
    # Below 2**-14 the unit is 2**-24; from 2**-25 downwards, 31 shifts everything out.
    distance = magnitude.like(126) - (magnitude >> 23)
    significand = (magnitude & 0x007FFFFF) | 0x00800000
    denormal = significand >> select(distance < 31, distance, 31)
    half = select(magnitude < 0x38800000, denormal, normal)
    half = select(magnitude >= 0x47800000, 0x7BFF, half)
    half = select(magnitude.eq(_EXPONENT), 0x7C00, half)
    half = select(magnitude > _EXPONENT, 0x7E00, half)
    return half | (bits >> 16 & 0x8000)


def float16_to_float32(bits: Value) -> Value:
    """Widen the float16 in the low half of `bits` (uint32), exactly; denormals become normal."""
    magnitude = bits & 0x7FFF
    normal = (magnitude << 13) + 0x38000000
    special = (magnitude << 13) | _EXPONENT
    denormal = bitcast(convert(bitcast(magnitude, I32), F32) * 2.0**-24, U32)
    wide = select(magnitude < 0x0400, denormal, select(magnitude < 0x7C00, normal, special))
    return bitcast(wide | (bits & 0x8000) << 16, F32)
