"""The NumPy algebra's float primitives against exact rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import fma, sqrt
from softd3d.algebra.value import F32, F64, Value

LANES = 3000
SPECIAL = (
    0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x00800001, 0x00FFFFFE, 0x00FFFFFF, 0x01000000,
    0x1F800000, 0x20000001, 0x33800000, 0x3F000001, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x40490FDB,
    0x4B7FFFFF, 0x4B800000, 0x5F800001, 0x7E800000, 0x7E800001, 0x7F000000, 0x7F7FFFFF,
)  # fmt: skip


def round_fraction(exact: Fraction, digits: int, lowest: int, highest: int, flush: bool) -> float:
    """Round to nearest even at `digits` bits; below 2**lowest flush, or lose bits gradually."""
    if exact == 0:
        return 0.0
    size, sign = abs(exact), 1 if exact > 0 else -1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, -(10**9) if flush else lowest) - digits + 1)
    rounded = round(exact / unit) * unit  # Fraction's round takes ties to even
    if abs(rounded) >= Fraction(2) ** (highest + 1):
        return sign * math.inf
    if flush and abs(rounded) < Fraction(2) ** lowest:
        return sign * 0.0
    return float(rounded) if rounded else sign * 0.0


def to_f32(exact: Fraction) -> float:
    return round_fraction(exact, 24, -126, 127, flush=True)


def to_f64(exact: Fraction) -> float:
    return round_fraction(exact, 53, -1022, 1023, flush=False)


def operands(seed: int, close: bool) -> NDArray[Any]:
    """Return finite float32 lanes: special values and random ones, of all or of close exponents."""
    rng = np.random.default_rng(seed)
    special = rng.choice(np.array(SPECIAL, np.uint32), LANES)
    exponents = rng.integers(118, 134, LANES) if close else rng.integers(0, 255, LANES)
    random = exponents.astype(np.uint32) << 23 | rng.integers(0, 1 << 23, LANES, dtype=np.uint32)
    signs = rng.integers(0, 2, LANES, dtype=np.uint32) << np.uint32(31)
    return (np.where(rng.random(LANES) < 0.4, special, random).astype(np.uint32) | signs).view(
        np.float32
    )


def flushed(x: float) -> Fraction:
    return Fraction(0) if abs(x) < 2.0**-126 else Fraction(x)


FUNCTIONS: dict[str, tuple[int, Callable[..., Value], Callable[..., Fraction | None]]] = {
    "add": (2, lambda a, b: a + b, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b, lambda a, b: a * b),
    "div": (2, lambda a, b: a / b, lambda a, b: a / b if b else None),
    "fma": (3, fma, lambda a, b, c: a * b + c),
}


@pytest.mark.parametrize("close", [False, True], ids=["any-exponents", "close-exponents"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32_is_rounded_once_and_flushed(name: str, close: bool) -> None:
    count, function, exact = FUNCTIONS[name]
    k = NumpyAlgebra()
    lanes = [operands(len(name) * 10 + i, close) for i in range(count)]
    found = function(*(k.lanes(F32, x) for x in lanes)).raw
    for row in zip(found, *lanes, strict=True):
        wanted = exact(*(flushed(float(x)) for x in row[1:]))
        if wanted is not None:
            assert float(row[0]) == to_f32(wanted), [float(x).hex() for x in row]


def test_fma_of_products_that_nearly_cancel() -> None:
    k, rng = NumpyAlgebra(), np.random.default_rng(7)
    a, b = (rng.uniform(1, 2, LANES).astype(np.float32) for _ in range(2))
    c = -(a * b) * rng.choice([1.0, 1 + 2.0**-23, 1 - 2.0**-23], LANES).astype(np.float32)
    scale = np.ldexp(np.float32(1), rng.integers(-70, 20, LANES)).astype(np.float32)
    a, c = a * scale, (c * scale).astype(np.float32)
    found = fma(*(k.lanes(F32, x) for x in (a, b, c))).raw
    for r, *row in zip(found, a, b, c, strict=True):
        x, y, z = (flushed(float(v)) for v in row)
        assert float(r) == to_f32(x * y + z)


@pytest.mark.parametrize("addend", [2.0**-60, -(2.0**-60), 2.0**-100, -(2.0**-100), 0.0])
@pytest.mark.parametrize("bits", [1, 3, 4093])
def test_fma_next_to_the_middle_between_two_numbers(bits: int, addend: float) -> None:
    """The product is a middle, as is what limits the flush; alone, and beside what is none."""
    k = NumpyAlgebra()
    a, b, c = (np.float32(x) for x in (1 + 2.0**-12, 1 + bits * 2.0**-12, addend))
    limit = (np.float32(2.0**-60), np.float32(2.0**-66 * (1 - 2.0**-24)), np.float32(0))
    for row in ((a, b, c), (a, -b, c), limit):
        for beside in ([], [np.float32(0.3)]):
            lanes = [np.array([x, *beside], np.float32) for x in row]
            found = fma(*(k.lanes(F32, x) for x in lanes)).raw
            for r, *operands_ in zip(found, *lanes, strict=True):
                x, y, z = (flushed(float(v)) for v in operands_)
                assert float(r) == to_f32(x * y + z)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64_is_rounded_once_and_keeps_denormals(name: str) -> None:
    count, function, exact = FUNCTIONS[name]
    k, rng = NumpyAlgebra(), np.random.default_rng(11)
    lanes = [
        np.ldexp(rng.uniform(-2, 2, LANES), rng.integers(-560, 500, LANES)) for _ in range(count)
    ]
    lanes[0][: LANES // 4] = np.ldexp(rng.uniform(1, 2, LANES // 4), -1030)
    if count == 3:  # an addend that matters
        factors = rng.choice([-1.0, 1e-16, 1e16, -1 - 2.0**-52], LANES)
        with np.errstate(over="ignore"):
            lanes[2] = lanes[0] * lanes[1] * factors
    found = function(*(k.lanes(F64, x) for x in lanes)).raw
    for row in zip(found, *lanes, strict=True):
        parts = [float(x) for x in row[1:]]
        if all(map(math.isfinite, parts)):
            wanted = exact(*map(Fraction, parts))
            assert wanted is None or float(row[0]) == to_f64(wanted), [x.hex() for x in parts]


def test_sqrt_is_correctly_rounded() -> None:
    x = np.abs(operands(3, close=False))
    found = sqrt(NumpyAlgebra().lanes(F32, x)).raw
    for operand, root in zip(x, found, strict=True):
        exact, r = flushed(float(operand)), Fraction(float(root))
        half_ulp = Fraction(float(np.spacing(root))) / 2
        assert (r - half_ulp) ** 2 <= exact <= (r + half_ulp) ** 2 or exact == r == 0


def test_the_smallest_normal_survives_rounding_only_from_24_bits_up() -> None:
    k = NumpyAlgebra()

    def product(a: int, b: int) -> int:
        lanes = (k.lanes(F32, np.array([x], np.uint32).view(np.float32)) for x in (a, b))
        x, y = lanes
        return int((x * y).raw.view(np.uint32)[0])

    # (1 - 2**-24) and (1 - 2**-46) times 2**-126: the first is exact in 24 bits, and too small.
    assert product(0x00FFFFFF, 0x3F000000) == 0
    assert product(0x00FFFFFE, 0x3F000001) == 0x00800000
