"""Flush, min, max, saturate, and the conversions, against independent definitions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra import float_rules
from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, F64, U32, Value

BITS = np.array(
    [
        0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x00800001, 0x3F000000, 0x3F7FFFFF,
        0x3F800000, 0x3F800001, 0x40000000, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000,
        0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000,
    ],
    np.uint32,
)  # fmt: skip
BITS = np.concatenate([BITS, BITS | np.uint32(0x80000000)])
DOUBLES = np.array(
    [0.0, 5e-324, 1e-310, 2.0**-1022, 0.5, 1.0, 1.5, 2147483647.5, 2.0**31, 2.0**31 + 1,
     4294967295.5, 2.0**32, 1e300, np.inf, np.nan]
)  # fmt: skip
DOUBLES = np.concatenate([DOUBLES, -DOUBLES])
K = NumpyAlgebra()


def f32(bits: NDArray[Any]) -> Value:
    return K.lanes(F32, np.ascontiguousarray(bits, np.uint32).view(np.float32))


def u32(bits: NDArray[Any]) -> Value:
    return K.lanes(U32, np.ascontiguousarray(bits, np.uint32))


def plain(x: float, flush: bool) -> float:
    return math.copysign(0.0, x) if flush and abs(x) < 2.0**-126 else x


def order(x: float) -> tuple[float, float]:
    return x, math.copysign(1, x)


def test_flush_keeps_the_sign_and_everything_else() -> None:
    found = float_rules.flush(f32(BITS)).raw.view(np.uint32)
    exponent = BITS >> 23 & 0xFF
    assert np.array_equal(found, np.where(exponent == 0, BITS & 0x80000000, BITS))


@pytest.mark.parametrize("type_", [F32, F64])
@pytest.mark.parametrize("name", ["minimum", "maximum"])
def test_minimum_and_maximum(name: str, type_: Any) -> None:
    values = BITS.view(np.float32) if type_ is F32 else DOUBLES
    a, b = np.array(list(product(values, values)), values.dtype).T
    function, pick = getattr(float_rules, name), min if name == "minimum" else max
    found = function(K.lanes(type_, a.copy()), K.lanes(type_, b.copy())).raw
    for x, y, r in zip(a, b, found, strict=True):
        numbers = [plain(float(v), type_ is F32) for v in (x, y) if not math.isnan(v)]
        if numbers:
            wanted = pick(numbers, key=order)
            assert (float(r), math.copysign(1, r)) == (wanted, math.copysign(1, wanted)), (x, y)
        else:
            assert math.isnan(r)


@pytest.mark.parametrize("type_", [F32, F64])
def test_saturate(type_: Any) -> None:
    values = BITS.view(np.float32) if type_ is F32 else DOUBLES
    found = float_rules.saturate(K.lanes(type_, values)).raw
    for x, r in zip(values, found, strict=True):
        flushed = plain(float(x), type_ is F32)
        wanted = 0.0 if math.isnan(flushed) or flushed <= 0 else min(flushed, 1.0)
        assert float(r) == wanted, x
        assert not np.signbit(r), x


@pytest.mark.parametrize("type_", [F32, F64])
def test_conversions_to_integers_truncate_and_clamp(type_: Any) -> None:
    rng = np.random.default_rng(1)
    if type_ is F32:
        random = rng.integers(0, 1 << 32, 5000, dtype=np.uint32)
        around = rng.integers(0x4E000000, 0x50000000, 5000, dtype=np.uint32)
        values = np.concatenate([BITS, random, around, around | 0x80000000]).view(np.float32)
    else:
        values = np.concatenate([DOUBLES, rng.uniform(-(2.0**33), 2.0**33, 5000)])
    x = K.lanes(type_, values)
    signed = float_rules.float_to_int32(x).raw
    unsigned = float_rules.float_to_uint32(x).raw
    for v, i, u in zip(map(float, values), signed, unsigned, strict=True):
        whole = 0 if math.isnan(v) else int(v) if math.isfinite(v) else int(v > 0) * 2**40 - 2**39
        assert int(i) == min(max(whole, -(2**31)), 2**31 - 1)
        assert int(u) == min(max(whole, 0), 2**32 - 1)


def test_float16_to_float32_is_exact_for_all_bits() -> None:
    half = np.arange(1 << 16, dtype=np.uint32)
    found = float_rules.float16_to_float32(u32(half | 0xABCD0000)).raw
    with np.errstate(invalid="ignore"):  # signalling NaN, on Arm
        wanted = half.astype(np.uint16).view(np.float16).astype(np.float32)
    nan = np.isnan(wanted)
    assert np.array_equal(np.isnan(found), nan)
    assert np.array_equal(found.view(np.uint32)[~nan], wanted.view(np.uint32)[~nan])


def test_float32_to_float16_inverts_all_numbers() -> None:
    half = np.arange(1 << 16, dtype=np.uint32)
    numbers = half[(half & 0x7FFF) <= 0x7C00]
    wide = float_rules.float16_to_float32(u32(numbers))
    assert np.array_equal(float_rules.float32_to_float16(wide).raw, numbers)


def test_float32_to_float16_rounds_towards_zero() -> None:
    rng = np.random.default_rng(2)
    # Both neighbours of every float16 boundary, then random bits of all and of useful exponents.
    half = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    near = np.concatenate([half - 1, half, half + 1])[1:]
    useful = rng.integers(0x33000000, 0x47900000, 20000, dtype=np.uint32)
    anything = rng.integers(0, 0x7F800000, 20000, dtype=np.uint32)
    bits = np.concatenate([near, useful, anything]).astype(np.uint32)
    bits = bits[bits < 0x7F800000]
    found = float_rules.float32_to_float16(f32(bits)).raw
    negative = float_rules.float32_to_float16(f32(bits | 0x80000000)).raw
    assert np.array_equal(negative, found | 0x8000)
    values = bits.view(np.float32).astype(np.float64)
    low = found.astype(np.uint16).view(np.float16).astype(np.float64)
    next_ = (found + 1).astype(np.uint16).view(np.float16).astype(np.float64)
    assert (found <= 0x7BFF).all()
    assert (low <= values).all()
    assert ((values < next_) | (found == 0x7BFF)).all()


def test_nan_and_infinity_to_float16() -> None:
    bits = np.array([0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF], np.uint32)
    found = float_rules.float32_to_float16(f32(bits)).raw
    assert [hex(h) for h in found] == ["0x7c00", "0xfc00", "0x7e00", "0xfe00"]


def test_fraction_is_exact_for_positive_numbers() -> None:
    bits = np.random.default_rng(3).integers(0x30000000, 0x4C000000, 2000, dtype=np.uint32)
    found = float_rules.fraction(f32(bits)).raw
    for x, r in zip(bits.view(np.float32), found, strict=True):
        assert Fraction(float(r)) == Fraction(float(x)) % 1
