"""Float rules of Direct3D 9 beside those of IEEE 754: products, reciprocals, logarithms, choices.

Each rule that sources disagree about has a function for each answer. `isa/sm1/profile.py` says
which profile takes which, docs/numbers-d3d9.md why. A comparison that chooses between its own
operands may become one machine instruction that flushes denormals, so choices end in a flush.
"""

from __future__ import annotations

import math

from softd3d.algebra import elementary
from softd3d.algebra.float_rules import float_to_int32, flush
from softd3d.algebra.operations import bitcast, convert, floor, rint, select
from softd3d.algebra.value import F32, I32, U32, Value

__all__ = [
    "LARGEST",
    "bounded",
    "chosen",
    "fraction_and_power",
    "log2",
    "log2_finite",
    "log2_parts",
    "log2_parts_finite",
    "log2_scalar",
    "maximum_of_page",
    "minimum_of_page",
    "multiply",
    "multiply_legacy",
    "nearest_address",
    "power",
    "power_legacy",
    "quotient",
    "quotient_or_one",
    "reciprocal_finite",
    "reciprocal_sqrt",
    "reciprocal_sqrt_finite",
    "whole_address",
]

LARGEST = float.fromhex("0x1.fffffep127")
"""FLT_MAX."""
_EXPONENT_BIAS = 127
_MANTISSA = 0x007FFFFF
_ONE_BITS = 0x3F800000


# Products


def multiply(a: Value, b: Value) -> Value:
    """Return the product of IEEE 754: 0 times infinity is NaN."""
    return a * b


def multiply_legacy(a: Value, b: Value) -> Value:
    """Return the product, but +0 where a factor is a zero, whatever the other is."""
    return select(a.eq(0.0) | b.eq(0.0), 0.0, a * b)


def quotient(a: Value, b: Value) -> Value:
    """Return a / b of IEEE 754."""
    return a / b


def quotient_or_one(a: Value, b: Value) -> Value:
    """Return a / b, and 1 where b is 0."""
    return select(b.eq(0.0), 1.0, a / b)


# Elementary functions


def reciprocal_finite(x: Value) -> Value:
    """Return 1 / x, and FLT_MAX for both zeros."""
    return select(x.eq(0.0), LARGEST, elementary.reciprocal(x))


def reciprocal_sqrt(x: Value) -> Value:
    """Return 1 / sqrt(|x|): infinity for zeros."""
    return elementary.reciprocal_sqrt(abs(x))


def reciprocal_sqrt_finite(x: Value) -> Value:
    """Return 1 / sqrt(|x|), and FLT_MAX for zeros."""
    return select(x.eq(0.0), LARGEST, reciprocal_sqrt(x))


def log2(x: Value) -> Value:
    """Return the binary logarithm of |x|: minus infinity for zeros."""
    return elementary.log2(abs(x))


def log2_finite(x: Value) -> Value:
    """Return the binary logarithm of |x|, and -FLT_MAX for zeros."""
    return select(x.eq(0.0), -LARGEST, log2(x))


def power(x: Value, y: Value) -> Value:
    """Return |x| to the power of y as IEEE 754 has it: 1 if x is 1 or -1, or y is a zero."""
    exponent = y * log2(x)
    return select(y.eq(0.0) | abs(x).eq(1.0), 1.0, elementary.exp2(exponent))


def power_legacy(x: Value, y: Value) -> Value:
    """Return 2 to the power of the legacy product of y and the finite logarithm of |x|."""
    return elementary.exp2(multiply_legacy(y, log2_finite(x)))


# The parts that expp and logp of vs_1_1 return


def fraction_and_power(x: Value) -> tuple[Value, Value, Value, Value]:
    """Return 2**floor(x), x - floor(x), 2**x and 1."""
    whole = floor(x)
    return elementary.exp2(whole), x - whole, elementary.exp2(x), x.like(1.0)


def log2_scalar(x: Value) -> tuple[Value, Value, Value, Value]:
    """Return the finite logarithm of |x| four times."""
    value = log2_finite(x)
    return value, value, value, value


def log2_parts_finite(x: Value) -> tuple[Value, Value, Value, Value]:
    """Return exponent and mantissa of |x|, the logarithm, and 1; -FLT_MAX and 1 for zeros."""
    return _parts(x, log2_finite(x), -LARGEST)


def log2_parts(x: Value) -> tuple[Value, Value, Value, Value]:
    """Return exponent and mantissa of |x|, the logarithm, and 1; -infinity and 1 for zeros."""
    return _parts(x, log2(x), -math.inf)


def _parts(x: Value, logarithm: Value, of_zero: float) -> tuple[Value, Value, Value, Value]:
    """Return the four parts; infinities and NaN are their own exponents."""
    magnitude = abs(x)
    bits = bitcast(magnitude, U32)
    exponent = convert(bitcast(bits >> 23, I32) - _EXPONENT_BIAS, F32)
    mantissa = bitcast((bits & _MANTISSA) | _ONE_BITS, F32)
    is_number = (magnitude < math.inf) & magnitude.ne(0.0)
    exponent = select(is_number, exponent, magnitude)
    exponent = select(magnitude.eq(0.0), of_zero, exponent)
    mantissa = select(is_number, mantissa, select(x.ne(x), x, 1.0))
    return exponent, mantissa, logarithm, x.like(1.0)


# Choices


def chosen(condition: Value, a: Value, b: Value) -> Value:
    """Return `a` where a comparison holds, else `b`; flushed, if they are floats."""
    value = select(condition, a, b)
    return flush(value) if value.type is F32 else value


def minimum_of_page(a: Value, b: Value) -> Value:
    """Return a if a < b, else b: with a NaN the second."""
    return chosen(a < b, a, b)


def maximum_of_page(a: Value, b: Value) -> Value:
    """Return a if a >= b, else b: with a NaN the second."""
    return chosen(a >= b, a, b)


def bounded(x: Value, limit: float) -> Value:
    """Clamp to [-limit, limit]; NaN passes."""
    above = select(x < -limit, -limit, x)
    return chosen(x > limit, x.like(limit), above)


# Addresses


def whole_address(x: Value) -> Value:
    """Return the largest integer not above x, as int32; out of range is clamped, NaN gives 0."""
    return float_to_int32(floor(x))


def nearest_address(x: Value) -> Value:
    """Return the integer nearest to x, ties to even, as int32; out of range is clamped."""
    return float_to_int32(rint(x))
