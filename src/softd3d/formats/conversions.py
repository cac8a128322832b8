"""Channel codes to float32 and back: normalised, sRGB and biased numbers, and integers.

Everything but sRGB is exact: the result is that of unlimited precision, rounded once by the rule
that the function states. Codes are uint32 or int32 values, numbers are float32 values.

Spec: D3D11.3 section 3.2 (data conversion), 19.1.2 (reading and writing back changes nothing).
"""

from __future__ import annotations

import struct

from softd3d.algebra.elementary import polynomial
from softd3d.algebra.float_rules import float_to_int32, float_to_uint32, maximum, minimum, saturate
from softd3d.algebra.operations import bitcast, convert, floor, fma, rint, select, sqrt
from softd3d.algebra.value import F32, I32, U32, Value

__all__ = [
    "clamped_sint",
    "clamped_uint",
    "code_of_snorm",
    "linear_to_srgb",
    "number_from_snorm",
    "number_from_srgb",
    "number_from_unorm",
    "number_from_xr_bias",
    "scaled_code",
    "sign_extended",
    "sint_from_number",
    "snorm_from_number",
    "srgb_to_linear",
    "uint_from_number",
    "unorm_from_number",
    "xr_bias_from_number",
]

_WORD = 32
_EXACT = 24  # every integer of so many bits is a float32
_WHOLE = 2.0**23  # from here to twice that, the float32 are the integers
_XR_ONE, _XR_ZERO, _XR_LARGEST = 510.0, 384.0, 1023
_SRGB_BITS = 8
_SRGB_LINEAR = 0.04045  # up to here an sRGB number is 12.92 times the linear one
_LINEAR_END = 0.0031308  # which is up to here


def sign_extended(code: Value, bits: int) -> Value:
    """Return the low `bits` bits of a uint32 as a signed number, int32."""
    value = bitcast(code, I32)
    return value if bits == _WORD else (value << (_WORD - bits)) >> (_WORD - bits)


# Normalised integers


def number_from_unorm(code: Value, bits: int) -> Value:
    """Return code / (2**bits - 1), correctly rounded."""
    if bits == _WORD:
        # Just above code / 2**32, so what would be a tie lies above it: fill in the last bit.
        odd = code & select(code >= 1 << 25, code.like(0), code >> 24)
        sticky = select(code >= 1 << 25, code | 1, code + odd)
        return convert(sticky, F32) * 2.0**-32
    return _quotient(bitcast(code, I32), (1 << bits) - 1)


def number_from_snorm(code: Value, bits: int) -> Value:
    """Return code / (2**(bits - 1) - 1), correctly rounded; the lowest code is -1 like the next."""
    return scaled_code(code_of_snorm(code, bits), (1 << bits - 1) - 1)


def code_of_snorm(code: Value, bits: int) -> Value:
    """Return a code as a float32; the lowest is like the next. bits: up to 24."""
    largest = (1 << bits - 1) - 1
    value = sign_extended(code, bits)
    return convert(select(value < -largest, -largest, value), F32)


def unorm_from_number(x: Value, bits: int) -> Value:
    """Return floor(x * (2**bits - 1) + 0.5) of x clamped to [0, 1]; NaN gives 0."""
    if bits > _EXACT - 8:
        return _nearest_wide_code(saturate(x), bits)
    return bitcast(_nearest_code(saturate(x), (1 << bits) - 1), U32)


def snorm_from_number(x: Value, bits: int) -> Value:
    """Return x clamped to [-1, 1] times the largest code, rounded to nearest, halves outwards.

    NaN gives 0; the lowest code is never the result. bits: up to 16.
    """
    code = _nearest_code(saturate(abs(x)), (1 << bits - 1) - 1)
    code = select(x < 0.0, -code, code)
    return bitcast(code, U32) & ((1 << bits) - 1)


def _quotient(numerator: Value, divisor: int) -> Value:
    """Return int32 / constant, correctly rounded."""
    return scaled_code(convert(numerator, F32), divisor)


def scaled_code(number: Value, divisor: int) -> Value:
    """Return a float32 / constant; of whole numbers, correctly rounded.

    The reciprocal in two parts gives the bits of a division, for all numerators and divisors used
    here (a test tries each one), in a third of its time.
    """
    if divisor == 1:
        return number
    high = _float32(1.0 / divisor)
    low = _float32(1.0 / divisor - high)
    return fma(number, high, number * low)


def _nearest_code(x: Value, largest: int) -> Value:
    """Return floor(x * largest + 0.5) as int32, exactly; x is in [0, 1], largest 2**n - 1.

    Added to 2**23, the product is rounded to a whole number, once, in the low bits of the float32.
    Of ties, only that of 0.5 is a number here: from n = 2 on the even code is the upper one.
    """
    if largest == 1:
        return convert(select(x >= 0.5, x.like(1.0), 0.0), I32)
    code = bitcast(fma(x, float(largest), _WHOLE), I32)
    return code & ((1 << largest.bit_length()) - 1)


def _nearest_wide_code(x: Value, bits: int) -> Value:
    """Return floor(x * (2**bits - 1) + 0.5) as uint32, exactly; x is in [0, 1], bits 24 or more.

    x * 2**bits is exact, and from 2**23 upwards whole: then subtracting x costs one above 0.5.
    """
    half = select(x < 0.5, x, 0.5)  # twice that, so that the conversion to uint32 is in range
    scaled = half * 2.0**bits
    whole = floor(scaled)
    code = convert(whole, U32)
    code = select((scaled - whole) - 0.5 >= x, code + 1, code)
    # Above 0.5: 2**bits - 1 minus the code that 1 - x would have, rounded the other way.
    rest = (1.0 - x) * 2.0**bits
    above = convert(select(x < 0.5, 0.0, rest), U32)
    return select(x > 0.5, code.like((1 << bits) - 1) - above, code)


def _float32(x: float) -> float:
    return struct.unpack("<f", struct.pack("<f", x))[0]


# sRGB

# w**0.8 around 1, in w - 1 from -0.6947: a fit for relative error, its coefficients chosen among
# the float32 neighbours so that all 8-bit codes come out within 2 ULP. s**(2/3) around 1, in s - 1
# from -0.7635: a minimax fit (2**-21.5). From the lowest degree up; the first coefficient is 1, so
# that 1 maps to 1.
_POWER_4_5 = (
    1.0, 0.8000032305717468, -0.07984039932489395, 0.03475599363446236, 0.006060291547328234,
    0.1258656233549118, 0.3212876319885254, 0.565021812915802, 0.5197932720184326,
    0.21831533312797546,
)  # fmt: skip
# ((code / 255) + 0.055) / 1.055 is a multiple of the code and a constant, chosen the same way.
_SRGB_SCALE, _SRGB_OFFSET = 0.0037171265576034784, 0.05213271081447601
_POWER_2_3 = (
    1.0, 0.6667141914367676, -0.10897021740674973, 0.08267230540513992, 0.2238638997077942,
    1.0903499126434326, 2.660578727722168, 3.934694290161133, 3.142951488494873,
    1.091907024383545,
)  # fmt: skip


def srgb_to_linear(c: Value) -> Value:
    """Return c / 12.92, or ((c + 0.055) / 1.055)**2.4 above 0.04045; c is in [0, 1].

    0 and 1 are exact. The power is v**2 * w**0.8 with w = sqrt(v).
    """
    power = _power_2_4(fma(c, 1.0 / 1.055, 0.055 / 1.055))  # of 1 for 1
    return select(c <= _SRGB_LINEAR, c * (1.0 / 12.92), power)


def linear_to_srgb(x: Value) -> Value:
    """Return 12.92 * x, or 1.055 * x**(1 / 2.4) - 0.055 above 0.0031308; x is in [0, 1].

    The power is s * s**(2/3) with s = x**(1/4).
    """
    s = sqrt(sqrt(x))
    power = s * polynomial(s - 1.0, _POWER_2_3)
    return select(x <= _LINEAR_END, x * 12.92, fma(power, 1.055, -0.055))


def number_from_srgb(code: Value, bits: int) -> Value:
    """Return the linear number of an sRGB code; of 8 bits within 2 ULP, 0 and 1 exact.

    Wider or narrower codes go through their number first.
    """
    if bits != _SRGB_BITS:
        return srgb_to_linear(number_from_unorm(code, bits))
    number = convert(bitcast(code, I32), F32)
    power = _power_2_4(fma(number, _SRGB_SCALE, _SRGB_OFFSET))
    linear = _quotient(bitcast(code, I32), 255) * (1.0 / 12.92)
    return select(number <= 255 * _SRGB_LINEAR, linear, power)


def _power_2_4(v: Value) -> Value:
    return v * v * polynomial(sqrt(v) - 1.0, _POWER_4_5)


# XR_BIAS


def number_from_xr_bias(code: Value) -> Value:
    """Return (code - 384) / 510, correctly rounded: codes 384 to 894 are 0 to 1."""
    return _quotient(bitcast(code, I32) - int(_XR_ZERO), int(_XR_ONE))


def xr_bias_from_number(x: Value) -> Value:
    """Return floor(x * 510 + 384.5) clamped to [0, 1023]; NaN gives the code of 0."""
    inside = minimum(maximum(select(x.eq(x), x, 0.0), x.like(-1.0)), x.like(2.0))
    scaled = floor(fma(inside, _XR_ONE, _XR_ZERO + 0.5))
    too_large = fma(inside, _XR_ONE, _XR_ZERO + 0.5 - scaled) < 0.0
    code = convert(select(too_large, scaled - 1.0, scaled), I32)
    return bitcast(select(code < 0, 0, select(code < _XR_LARGEST, code, _XR_LARGEST)), U32)


# Integers


def clamped_uint(code: Value, bits: int) -> Value:
    """Return a uint32, clamped to `bits` bits."""
    largest = (1 << bits) - 1
    return select(code < largest, code, largest)


def clamped_sint(value: Value, bits: int) -> Value:
    """Return an int32, clamped to a signed number of `bits` bits, as those bits of a uint32."""
    lowest, largest = -(1 << bits - 1), (1 << bits - 1) - 1
    value = select(value < lowest, lowest, select(value < largest, value, largest))
    return bitcast(value, U32) & ((1 << bits) - 1)


def uint_from_number(x: Value) -> Value:
    """Return the nearest uint32, ties to even; out of range is clamped, NaN gives 0."""
    return float_to_uint32(rint(x))


def sint_from_number(x: Value) -> Value:
    """Return the nearest int32, ties to even; out of range is clamped, NaN gives 0."""
    return float_to_int32(rint(x))
