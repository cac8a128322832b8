"""Float32 arithmetic with fractions, one number at a time: what rules are compared with."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

__all__ = ["add", "bits_of", "flush", "multiply", "number_of", "rounded", "same", "subtract"]

LEAST = Fraction(1, 1 << 126)  # below this, rounded to 24 bits, it is zero
LARGEST = Fraction((1 << 24) - 1) * (1 << 104)


def number_of(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(number: float) -> int:
    return struct.unpack("<I", struct.pack("<f", number))[0]


def flush(x: float) -> float:
    return math.copysign(0.0, x) if abs(x) < LEAST else x


def rounded(x: Fraction) -> float:
    """Return the nearest float32, ties to even; tiny ones are 0, too large ones infinite."""
    if not x:
        return 0.0
    magnitude = abs(x)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (exponent - 23)
    nearest = round(magnitude / unit) * unit  # Python rounds ties to even
    if nearest < LEAST:
        return math.copysign(0.0, x)
    if nearest > LARGEST:
        return math.copysign(math.inf, x)
    return math.copysign(float(nearest), x)


def _exact(
    a: float, b: float, ieee: Callable[[float, float], float],
    exact: Callable[[Fraction, Fraction], Fraction],
) -> float:  # fmt: skip
    a, b = flush(a), flush(b)
    if not (math.isfinite(a) and math.isfinite(b)):
        return ieee(a, b)
    result = exact(Fraction(a), Fraction(b))
    return rounded(result) if result else ieee(a, b)  # which has the sign of a zero


def multiply(a: float, b: float) -> float:
    found = _exact(a, b, lambda x, y: x * y, lambda x, y: x * y)
    negative = math.copysign(1, a) * math.copysign(1, b) < 0
    return -0.0 if found == 0 and negative else abs(found) if found == 0 else found


def add(a: float, b: float) -> float:
    return _exact(a, b, lambda x, y: x + y, lambda x, y: x + y)


def subtract(a: float, b: float) -> float:
    return add(a, -b)


def same(a: float, b: float) -> bool:
    """Whether two numbers have the same bits, or both are NaN."""
    return (math.isnan(a) and math.isnan(b)) or bits_of(a) == bits_of(b)
