"""exp2, log2, reciprocal, reciprocal_sqrt, sincos: errors in ULP, special values, bounds.

The exact values come from the long double library where it has 64 bits of mantissa, and from
decimal arithmetic of 50 digits for a few operands anywhere.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra import elementary
from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, Value

LANES = 200_000
K = NumpyAlgebra()
HAS_LONG_DOUBLE = np.finfo(np.longdouble).nmant >= 63
needs_long_double = pytest.mark.skipif(not HAS_LONG_DOUBLE, reason="long double is float64 here")


def sine(x: Value) -> Value:
    return elementary.sincos(x)[0]


def cosine(x: Value) -> Value:
    return elementary.sincos(x)[1]


# name: (function, exact, worst ULP measured and allowed, largest operand, negative operands too)
CASES: dict[str, tuple[Callable[[Value], Value], Callable[[Any], Any], float, float, bool]] = {
    "exp2": (elementary.exp2, np.exp2, 1.02, 150.0, True),
    "log2": (elementary.log2, np.log2, 1.14, np.inf, False),
    "reciprocal": (elementary.reciprocal, lambda x: 1 / x, 0.5, np.inf, True),
    "reciprocal_sqrt": (elementary.reciprocal_sqrt, lambda x: 1 / np.sqrt(x), 1.01, np.inf, False),
    "sine": (sine, np.sin, 1.21, 128 * np.pi, True),
    "cosine": (cosine, np.cos, 1.21, 128 * np.pi, True),
}


def apply(function: Callable[[Value], Value], x: NDArray[Any]) -> NDArray[Any]:
    return function(K.lanes(F32, x)).raw


def random_operands(seed: int, largest: float, negative: bool) -> NDArray[Any]:
    """Return finite normal float32: half of all bit patterns, half uniform or around 1."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0x00800000, 0x7F800000, LANES, dtype=np.uint32)
    x = bits.view(np.float32)
    top = largest if np.isfinite(largest) else 4.0
    x = np.concatenate([x[x <= largest], rng.uniform(0, top, LANES).astype(np.float32)])
    x = np.concatenate([x, rng.uniform(0.5, 2, LANES // 4).astype(np.float32)])
    x = x[x >= 2.0**-126]
    return np.where(rng.integers(0, 2, x.size) == 1, -x, x) if negative else x


def ulp_of(exact: NDArray[Any]) -> NDArray[Any]:
    _, exponent = np.frexp(exact)
    return np.ldexp(np.ones_like(exact), exponent - 24)


@needs_long_double
@pytest.mark.parametrize("name", CASES)
def test_error_in_ulp(name: str) -> None:
    function, exact_function, allowed, largest, negative = CASES[name]
    x = random_operands(len(name), largest, negative)
    found = apply(function, x)
    exact = exact_function(x.astype(np.longdouble))
    normal = (np.abs(exact) >= 2.0**-126) & (np.abs(exact) < 2.0**128 * (1 - 2.0**-25))
    errors = np.abs(found.astype(np.longdouble) - exact)[normal] / ulp_of(exact[normal])
    assert normal.sum() > LANES
    worst = int(np.argmax(errors))
    assert errors[worst] <= allowed, (float(x[normal][worst]), float(errors[worst]))
    tiny = np.abs(exact) < 2.0**-126 * (1 - 2.0**-23)
    assert (found[tiny] == 0).all()
    assert np.isinf(found[np.abs(exact) >= 2.0**128]).all()


@needs_long_double
@pytest.mark.parametrize(("limit", "allowed"), [(2.0**12, 1e-7), (2.0**18, 1e-7)])
def test_sine_and_cosine_of_large_operands(limit: float, allowed: float) -> None:
    x = np.random.default_rng(5).uniform(-limit, limit, LANES).astype(np.float32)
    s, c = elementary.sincos(K.lanes(F32, x))
    wide = x.astype(np.longdouble)
    assert np.abs(s.raw - np.sin(wide)).max() < allowed
    assert np.abs(c.raw - np.cos(wide)).max() < allowed


def test_sine_and_cosine_near_multiples_of_half_pi() -> None:
    """Where the result is tiny, the reduction must keep relative precision."""
    half_pi = Decimal("1.57079632679489661923132169163975144209858469968755")
    multiples = np.array([float(n * half_pi) for n in range(1, 257)], np.float32)
    x = np.concatenate([multiples, np.nextafter(multiples, 0), np.nextafter(multiples, 999)])
    s, c = elementary.sincos(K.lanes(F32, x))
    for operand, sin, cos in zip(x, s.raw, c.raw, strict=True):
        exact = decimal_sine(Decimal(float(operand)))
        other = decimal_sine(Decimal(float(operand)) + half_pi)
        for found, wanted in ((sin, exact), (cos, other)):
            unit = Decimal(float(np.spacing(np.abs(np.float32(float(wanted))))))
            assert abs(Decimal(float(found)) - wanted) <= Decimal("1.21") * unit, float(operand)


def decimal_sine(x: Decimal) -> Decimal:
    """Return sin(x) to about 40 digits by its series, after exact reduction."""
    with decimal.localcontext(prec=60):
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640629")
        turns = (x / pi).to_integral_value()
        r = x - turns * pi
        term, total, n = r, r, 1
        while abs(term) > Decimal("1e-50"):
            term *= -r * r / ((n + 1) * (n + 2))
            total += term
            n += 2
        return -total if int(turns) & 1 else total


def test_results_stay_within_one_and_are_never_nan_for_finite_operands() -> None:
    bits = np.random.default_rng(6).integers(0, 0x7F800000, LANES, dtype=np.uint32)
    for x in (bits.view(np.float32), (bits | 0x80000000).view(np.float32)):
        for result in elementary.sincos(K.lanes(F32, x)):
            assert (np.abs(result.raw) <= 1).all()


def test_sine_and_cosine_of_huge_operands_are_reduced_exactly() -> None:
    bits = np.random.default_rng(7).integers(0x46000000, 0x7F800000, 500, dtype=np.uint32)
    x = np.concatenate([bits.view(np.float32), np.array([400, 8192, 1e20, 3.4e38], np.float32)])
    # The worst of all operands, and those next to multiples of half pi from below.
    worst = np.array([0x482DE819, 0x72187846, 0x72BFA09A, 0x77584625], np.uint32)
    x = np.concatenate([x, worst.view(np.float32)])
    s, c = elementary.sincos(K.lanes(F32, x))
    with decimal.localcontext(prec=110):
        pi = 4 * (4 * inverse_tangent(5) - inverse_tangent(239))
        for operand, sine, cosine in zip(x, s.raw, c.raw, strict=True):
            turns = (Decimal(float(operand)) * 2 / pi).to_integral_value()
            r = float(Decimal(float(operand)) - turns * pi / 2)
            quarter = int(turns) % 4
            wanted = (math.sin(r), math.cos(r), -math.sin(r), -math.cos(r))
            for found, exact in ((sine, wanted[quarter]), (cosine, wanted[(quarter + 1) % 4])):
                unit = float(np.spacing(np.abs(np.float32(exact))))
                assert abs(float(found) - exact) <= 1.71 * unit, float(operand)


def inverse_tangent(n: int) -> Decimal:
    """Return arctan(1 / n) in the current decimal context."""
    power = total = Decimal(1) / n
    k = 1
    while abs(power) > Decimal("1e-105"):
        power, k = -power / (n * n), k + 2
        total += power / k
    return total


def test_powers_of_two_are_exact() -> None:
    whole = np.arange(-126, 128, dtype=np.float32)
    powers = np.ldexp(np.float32(1), whole.astype(int)).astype(np.float32)
    assert np.array_equal(apply(elementary.exp2, whole), powers)
    assert np.array_equal(apply(elementary.log2, powers), whole)
    even = powers[::2]
    assert np.array_equal(apply(elementary.reciprocal_sqrt, even), 1 / np.sqrt(even))


@pytest.mark.parametrize("name", ["exp2", "log2"])
def test_neighbours_at_the_borders_of_the_ranges_are_ordered(name: str) -> None:
    """Results around where the reduction changes its integer must not step backwards by 2 ULP."""
    centres = [-125.5, -2.5, -0.5, 0.5, 1.5, 100.5] if name == "exp2" else [2**0.5, 2**-0.5, 1, 2]
    for centre in centres:
        bits = np.float32(centre).view(np.uint32) + np.arange(-500, 500, dtype=np.int64)
        x = np.sort(bits.astype(np.uint32).view(np.float32))
        found = apply(getattr(elementary, name), x).astype(np.float64)
        unit = np.spacing(np.abs(found).astype(np.float32)).astype(np.float64)
        assert (np.diff(found) >= -2 * unit[1:]).all(), centre


# Results that are not all the nearest float32: another algorithm would show.
BITS = {
    "exp2": "3f892fdf 41000000 431837f0 3f800000 7f800000",
    "log2": "c0549a78 3fcae00d 4036e929 c284e08b 4284e08b",
    "reciprocal_sqrt": "404a62c2 3f13cd3a 3ebe26eb 501502f9 2edbe6ff",
    "sine": "3dcc7577 3e1081c3 3f52b56e 1e3ce508 3f281569",
    "cosine": "3f7eb898 bf7d7026 3f11637b 3f800000 3f411723",
}


@pytest.mark.parametrize("name", BITS)
def test_bits_are_the_same_on_every_machine(name: str) -> None:
    x = np.array([0.1, 3, 7.25, 1e-20, 1e20], np.float32)
    found = apply(CASES[name][0], x).view(np.uint32)
    assert " ".join(f"{b:08x}" for b in found) == BITS[name]
