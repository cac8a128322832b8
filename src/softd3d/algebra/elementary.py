"""exp2, log2, reciprocal, reciprocal square root, sine and cosine of float32.

Polynomials and fused multiply-adds over float32 and integers only: no library function, no float64
(kernels run with denormals off, which doubles must not see), no estimate instruction (those differ
between CPUs). So every engine and every machine gives the same bits.

Worst errors in ULP over all 2**32 operands: exp2 1.020, log2 1.133, reciprocal 0.5,
reciprocal_sqrt 1.001, sincos 1.205 below `SINCOS_LIMIT` and 1.709 from there on.
benchmarks/elementary.py measures them; docs/numbers.md has the table. Direct3D 11 allows 4 to 8
ULP, and 0.0008 absolute for sincos up to 100 pi.

Coefficients are minimax fits for relative error, rounded to float32 from the lowest degree up with
the others fitted again. Rounding to an integer by adding and subtracting 1.5 * 2**23 leaves the
integer in the low bits of the sum, which saves a conversion and is defined for every operand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from softd3d.algebra.operations import bitcast, convert, fma, rarely, select, umul_hi
from softd3d.algebra.value import F32, I32, U32, Value

__all__ = ["SINCOS_LIMIT", "exp2", "log2", "polynomial", "reciprocal", "reciprocal_sqrt", "sincos"]

_ROUNDER = 12582912.0  # 1.5 * 2**23
_INFINITY_BITS = 0x7F800000
_SMALLEST_BITS = 0x00800000  # of the smallest normal number
_INFINITY = math.inf
_NAN = math.nan


def _by_parity(x: Value, square: Value, coefficients: tuple[float, ...]) -> Value:
    """Return the polynomial with these coefficients, lowest first; even and odd powers apart.

    Two short chains instead of a long one: one operation more, half the latency.
    """
    even = polynomial(square, coefficients[0::2])
    return fma(x, polynomial(square, coefficients[1::2]), even)


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """Return a polynomial by Horner's rule; coefficients: that of x ** 0 first, float32."""
    total = x.like(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = fma(x, total, c)
    return total


# (2**f - 1) / f for |f| <= 1/2; 2**f to 2**-28.
_EXP2 = (
    0.6931471824645996, 0.24022647738456726, 0.05550359562039375,
    0.009618501178920269, 0.001339098671451211, 0.00015328574227169156,
)  # fmt: skip


def exp2(x: Value) -> Value:
    """Return 2**x; powers with whole exponents are exact, what is below 2**-126 is 0."""
    rounded = x + _ROUNDER
    f = x - (rounded - _ROUNDER)  # exact
    mantissa = fma(f, _by_parity(f, f * f, _EXP2), 1.0)
    # The mantissa is in [2**-0.5, 2**0.5], so the sum of exponents cannot leave the normal range
    # for -126 <= x < 128; elsewhere it is meaningless, and replaced.
    power = bitcast(bitcast(mantissa, U32) + (bitcast(rounded, U32) << 23), F32)
    power = select(x < 128.0, power, x * _INFINITY)  # infinity, or NaN
    return select(x < -126.0, 0.0, power)


# (log2(1 + f) / f - log2(e)) / f for sqrt(1/2) <= 1 + f <= sqrt(2); log2(1 + f) to 2**-27.7.
_LOG2 = (
    -0.7213473320007324, 0.4808982014656067, -0.36069849133491516,
    0.2885715067386627, -0.2395767718553543, 0.20448872447013855,
    -0.19127647578716278, 0.18702799081802368, -0.11054276674985886,
)  # fmt: skip
_LOG2_E = 1.4426950216293335  # float32, and what it lacks:
_LOG2_E_REST = 1.925963033500011e-08
_SQRT_HALF_BITS = 0x3F3504F3


def log2(x: Value) -> Value:
    """Return the binary logarithm; 0 for 1.

    Zeros and denormals give minus infinity, negative numbers NaN.
    """
    bits = bitcast(x, I32)
    exponent = bits - _SQRT_HALF_BITS >> 23
    f = bitcast(bits - (exponent << 23), F32) - 1.0  # exact
    whole = convert(exponent, F32)
    square = f * f
    high = f * _LOG2_E
    rest = fma(f, _LOG2_E_REST, fma(f, _LOG2_E, -high))
    rest = fma(square, _by_parity(f, square, _LOG2), rest)
    total = whole + high
    rest = rest + (high - (total - whole))  # what the sum has lost, exactly
    result = select(x.eq(_INFINITY), x, total + rest)
    return select(x > 0.0, result, select(x.eq(0.0), x.like(-_INFINITY), _NAN))


def reciprocal(x: Value) -> Value:
    """Return 1 / x, correctly rounded; infinity of the same sign for zeros and denormals."""
    return 1.0 / x


# 1 / sqrt(s) for the s = x * seed**2 that the integer seed gives, to 2**-15.9. The usual
# 0x5F3759DF makes s straddle 1; this one makes the range of s narrower (0.75 to 0.844).
_SEED = 0x5F200000
_SEED_FIX = (2.1023550033569336, -1.760928750038147, 0.6631532311439514)


def reciprocal_sqrt(x: Value) -> Value:
    """Return 1 / sqrt(x): signed infinity for zeros and denormals, NaN for negative numbers.

    13 operations and a question for special cases, against a square root and a division, which
    take 512-bit units some 30 cycles: halving the bits gives a seed, a quadratic in its error
    2**-15.9, one Newton step the rest.
    """
    bits = bitcast(x, U32)
    y = bitcast(bits.like(_SEED) - (bits >> 1), F32)
    y = y * polynomial(x * y * y, _SEED_FIX)
    error = fma(-(x * y), y, 1.0)
    y = fma(y * 0.5, error, y)
    is_special = bits - _SMALLEST_BITS >= _INFINITY_BITS - _SMALLEST_BITS  # or negative
    (result,) = rarely(is_special, (y,), lambda: (_reciprocal_sqrt_of_others(x),))
    return result


def _reciprocal_sqrt_of_others(x: Value) -> Value:
    """Return 1 / sqrt(x) for zeros, denormals, infinity, negative numbers and NaN.

    1 / x has the right value for all but the last two, and exchanging the exponents of 0 and
    infinity is that.
    """
    swapped = bitcast((bitcast(x, U32) & 0xFF800000) ^ _INFINITY_BITS, F32)
    return select(x >= 0.0, swapped, _NAN)


_TWO_OVER_PI = 0.6366197466850281
# pi / 2 in three parts. The second has 16 bits: its product with an integer up to 256 is exact. It
# is positive, so that what is subtracted from -0 is 0.
_HALF_PI = (1.570796251296997, 7.549715519417077e-08, 7.443547731314504e-13)
SINCOS_LIMIT = 400.0
"""From this magnitude on, sincos reduces by the longer product; before, multiples stay exact."""
# pi / 2 in two parts: the nearest float32, and 16 bits of what it lacks.
_NEAREST_HALF_PI = (1.5707963705062866, -4.3711224861908704e-08)
# 32 zeros, then the bits of 2 / pi behind the point.
_TWO_OVER_PI_BITS = (
    0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
)  # fmt: skip
# (1 - sin(r) / r) / r**2 and (cos(r) - 1 + r**2 / 2) / r**4 in r**2, for |r| <= pi / 4.
_SIN = (0.16666655242443085, -0.008332188241183758, 0.0001951800804818049)
_COS = (0.04166664555668831, -0.00138873013202101, 2.4430670237052254e-05)


def sincos(x: Value) -> tuple[Value, Value]:
    """Return sine and cosine of x in radians; NaN for infinities."""
    is_large = ~(abs(x) < SINCOS_LIMIT)
    sine, cosine = rarely(is_large, _sincos_small(x), lambda: _sincos_large(x))
    return sine, cosine


def _sincos_small(x: Value) -> tuple[Value, Value]:
    """Return sine and cosine of x = n * pi / 2 + r - rest, |r| <= pi / 4."""
    rounded = fma(x, _TWO_OVER_PI, _ROUNDER)
    n = rounded - _ROUNDER
    large = fma(n, -_HALF_PI[0], x)  # exact
    r = fma(n, -_HALF_PI[1], large)
    rest = fma(n, _HALF_PI[2], fma(n, _HALF_PI[1], r - large))
    return _of_quadrant(bitcast(rounded, U32), r, rest)


def _sincos_large(x: Value) -> tuple[Value, Value]:
    magnitude = abs(x)
    sine, cosine = _of_quadrant(*_reduce_large(magnitude))
    sine = bitcast(bitcast(sine, U32) ^ (bitcast(x, U32) & 0x80000000), F32)
    is_finite = magnitude < _INFINITY
    return select(is_finite, sine, _NAN), select(is_finite, cosine, _NAN)


def _of_quadrant(quadrant: Value, r: Value, rest: Value) -> tuple[Value, Value]:
    """Return sine and cosine of quadrant * pi / 2 + r - rest."""
    square = r * r
    sine = r - fma(r * square, polynomial(square, _SIN), rest)
    cosine = fma(square, fma(square, polynomial(square, _COS), -0.5), 1.0)
    swap = (quadrant & 1).ne(0)
    sign, cosine_sign = (n << 30 & 0x80000000 for n in (quadrant, quadrant + 1))
    return (
        bitcast(bitcast(select(swap, cosine, sine), U32) ^ sign, F32),
        bitcast(bitcast(select(swap, sine, cosine), U32) ^ cosine_sign, F32),
    )


def _reduce_large(x: Value) -> tuple[Value, Value, Value]:
    """Return n (uint32), r and its rest: x = n * pi / 2 + r - rest, |r| <= pi / 4, x >= 0.

    By a product with the 96 bits of 2 / pi that matter (Payne, Hanek).
    x is M * 2**(e - 150). Of M * (2 / pi) * 2**(e - 150) modulo 4 only the bits of 2 / pi with
    weights from 2 downwards count: those from bit e - 120 of `_TWO_OVER_PI_BITS` on.
    """
    bits = bitcast(x, U32)
    m = (bits & 0x007FFFFF) | 0x00800000
    position = (bits >> 23) - 120
    word, shift = position >> 5, position & 31
    windows = [_windowed(word, n) for n in range(4)]
    w0, w1, w2 = (
        (windows[n] << shift) | ((windows[n + 1] >> 1) >> (shift.like(31) - shift))
        for n in range(3)
    )
    middle = m * w1 + umul_hi(m, w2)
    carry = select(middle < m * w1, middle.like(1), 0)
    top = m * w0 + umul_hi(m, w1) + carry  # 2 bits of quadrant, 30 and 32 bits of fraction
    n = (top + 0x20000000) >> 30
    high = top - (n << 30)
    # Magnitudes, because the parts of a small negative number would cancel; one unit of 2**-62 off.
    sign = high & 0x80000000
    flip = bitcast(bitcast(high, I32) >> 31, U32)
    high, middle = high ^ flip, middle ^ flip
    tail = high & 0xFFF
    a = convert(bitcast(high - tail, I32), F32) * 2.0**-30  # exact, as is the next
    b = fma(convert(middle, F32), 2.0**-62, convert(bitcast(tail, I32), F32) * 2.0**-30)
    turns = a + b
    left = b - (turns - a)
    half_pi, lacking = _NEAREST_HALF_PI
    r = turns * half_pi
    rest = fma(turns, -half_pi, r) - fma(turns, lacking, left * half_pi)
    return n, bitcast(bitcast(r, U32) ^ sign, F32), bitcast(bitcast(rest, U32) ^ sign, F32)


def _windowed(word: Value, first: int) -> Value:
    """Return word number `word` + `first` of the bits of 2 / pi; `word` is at most 4."""
    chosen = word.like(_TWO_OVER_PI_BITS[first])
    for n in range(1, 5):
        chosen = select(word.eq(n), _TWO_OVER_PI_BITS[first + n], chosen)
    return chosen
