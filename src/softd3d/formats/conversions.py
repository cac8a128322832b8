"""Channel codes to float32 and back: normalised, sRGB, biased, small and shared-exponent numbers.

Everything but sRGB is exact: the result is that of unlimited precision, rounded once by the rule
that the function states. Codes are uint32 or int32 values, numbers are float32 values.

Spec: D3D11.3 section 3.2 (data conversion), 19.1.2 (reading and writing back changes nothing).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from softd3d.algebra.float_rules import (
    float16_to_float32,
    float32_to_float16,
    maximum,
    minimum,
    saturate,
)
from softd3d.algebra.operations import bitcast, convert, floor, fma, rint, select, sqrt
from softd3d.algebra.value import F32, I32, U32, Value

__all__ = [
    "linear_to_srgb",
    "number_from_shared_exponent",
    "number_from_small_float",
    "number_from_snorm",
    "number_from_srgb",
    "number_from_unorm",
    "number_from_xr_bias",
    "shared_exponent_from_numbers",
    "sign_extended",
    "small_float_from_number",
    "snorm_from_number",
    "srgb_to_linear",
    "unorm_from_number",
    "xr_bias_from_number",
]

_WORD = 32
_HALF = 16
_XR_ONE, _XR_ZERO, _XR_LARGEST = 510.0, 384.0, 1023
_SRGB_LINEAR = 0.04045  # up to here an sRGB number is 12.92 times the linear one
_LINEAR_END = 0.0031308  # which is up to here


def sign_extended(code: Value, bits: int) -> Value:
    """Return the low `bits` bits of a uint32 as a signed number, int32."""
    value = bitcast(code, I32)
    return value if bits == _WORD else (value << (_WORD - bits)) >> (_WORD - bits)


# Normalised integers


def number_from_unorm(code: Value, bits: int) -> Value:
    """Return code / (2**bits - 1), correctly rounded."""
    return _quotient(bitcast(code, I32), (1 << bits) - 1)


def number_from_snorm(code: Value, bits: int) -> Value:
    """Return code / (2**(bits - 1) - 1), correctly rounded; the lowest code is -1 like the next."""
    largest = (1 << bits - 1) - 1
    value = sign_extended(code, bits)
    return _quotient(select(value < -largest, -largest, value), largest)


def unorm_from_number(x: Value, bits: int) -> Value:
    """Return floor(x * (2**bits - 1) + 0.5) of x clamped to [0, 1]; NaN gives 0. bits: up to 16."""
    return bitcast(_nearest_code(saturate(x), (1 << bits) - 1), U32)


def snorm_from_number(x: Value, bits: int) -> Value:
    """Return x clamped to [-1, 1] times the largest code, rounded to nearest, halves outwards.

    NaN gives 0; the lowest code is never the result. bits: up to 16.
    """
    code = _nearest_code(saturate(abs(x)), (1 << bits - 1) - 1)
    code = select(x < 0.0, -code, code)
    return bitcast(code, U32) & ((1 << bits) - 1)


def _quotient(numerator: Value, divisor: int) -> Value:
    """Return int32 / constant, correctly rounded.

    The reciprocal in two parts gives the bits of a division, for all numerators and divisors used
    here (a test tries each one), in a third of its time.
    """
    if divisor == 1:
        return convert(numerator, F32)
    high = _float32(1.0 / divisor)
    low = _float32(1.0 / divisor - high)
    number = convert(numerator, F32)
    return fma(number, high, number * low)


def _nearest_code(x: Value, largest: int) -> Value:
    """Return floor(x * largest + 0.5) as int32, exactly; x is in [0, 1] and largest below 2**16."""
    scaled = floor(fma(x, float(largest), 0.5))
    # fma rounds, perhaps up to a whole number. Here the sign of what is left is exact.
    too_large = fma(x, float(largest), 0.5 - scaled) < 0.0
    return convert(select(too_large, scaled - 1.0, scaled), I32)


def _float32(x: float) -> float:
    return struct.unpack("<f", struct.pack("<f", x))[0]


# sRGB

# w**0.8 and s**(2/3) around 1, in w - 1 from -0.7003 and s - 1 from -0.7635; minimax fits for
# relative error (2**-22.8, 2**-21.5), rounded to float32 from the lowest degree up. The first
# coefficient is 1, so that 1 maps to 1.
_POWER_4_5 = (
    1.0, 0.7999834418296814, -0.08065462112426758, 0.023125410079956055, -0.0754333958029747,
    -0.19344480335712433, -0.41395145654678345, -0.4236990213394165, -0.19903625547885895,
)  # fmt: skip
_POWER_2_3 = (
    1.0, 0.6667141914367676, -0.10897021740674973, 0.08267230540513992, 0.2238638997077942,
    1.0903499126434326, 2.660578727722168, 3.934694290161133, 3.142951488494873,
    1.091907024383545,
)  # fmt: skip


def srgb_to_linear(c: Value) -> Value:
    """Return c / 12.92, or ((c + 0.055) / 1.055)**2.4 above 0.04045; c is in [0, 1].

    0 and 1 are exact. The power is v**2 * w**0.8 with w = sqrt(v).
    """
    v = fma(c, 1.0 / 1.055, 0.055 / 1.055)  # 1 for 1
    power = v * v * _polynomial(sqrt(v) - 1.0, _POWER_4_5)
    return select(c <= _SRGB_LINEAR, c * (1.0 / 12.92), power)


def linear_to_srgb(x: Value) -> Value:
    """Return 12.92 * x, or 1.055 * x**(1 / 2.4) - 0.055 above 0.0031308; x is in [0, 1].

    The power is s * s**(2/3) with s = x**(1/4).
    """
    s = sqrt(sqrt(x))
    power = s * _polynomial(s - 1.0, _POWER_2_3)
    return select(x <= _LINEAR_END, x * 12.92, fma(power, 1.055, -0.055))


def number_from_srgb(code: Value, bits: int) -> Value:
    """Return the linear number of an sRGB code."""
    return srgb_to_linear(number_from_unorm(code, bits))


def _polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    total = x.like(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = fma(x, total, c)
    return total


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


# Floats of 10, 11 and 16 bits


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
