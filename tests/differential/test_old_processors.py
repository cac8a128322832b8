"""Processors without FMA and SSE4.1, on this one: code for them gives the interpreter's bits."""

from __future__ import annotations

import platform

import numpy as np
import pytest
import test_rows
from numpy.typing import NDArray
from rows import Function, Words, native_words, numpy_words, run_native, run_numpy, same

from softd3d.algebra.operations import (
    bitcast,
    ceil,
    floor,
    fma,
    high32,
    low32,
    pack64,
    rint,
    trunc,
)
from softd3d.algebra.value import F32, U32, Value
from softd3d.isa.row import Row
from softd3d.jit.compiling.target import Target, code_for, host

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="code for x86-64 runs on x86-64 only"
)
OLD = ["x86-64", "x86-64-v2"]
Doubles = NDArray[np.float64]


def words(values: Doubles) -> list[Words]:
    pairs = values.astype(np.float64).view(np.uint32).reshape(-1, 2)
    return [np.ascontiguousarray(half) for half in pairs.T]


def doubles(random: np.random.Generator, count: int) -> Doubles:
    """Return float64 numbers of all kinds: any bits, near to denormals, small, special."""
    any_bits = random.integers(0, 1 << 64, count, dtype=np.uint64).view(np.float64)
    near = np.ldexp(random.uniform(-2, 2, count), random.integers(-540, -480, count))
    small = random.integers(-5, 6, count).astype(float)
    special = random.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 2**-1022, 1e308], count)
    return np.choose(random.integers(0, 4, count), [any_bits, near, small, special])


def float64_fma(w: list[Value]) -> list[Value]:
    result = fma(pack64(w[0], w[1]), pack64(w[2], w[3]), pack64(w[4], w[5]))
    return [low32(result), high32(result)]


@pytest.mark.parametrize("lanes", [4, 8])
def test_fma_of_float64_without_the_instruction(lanes: int) -> None:
    random = np.random.default_rng(11)
    a, b, c = (doubles(random, 1 << 14) for _ in range(3))
    with np.errstate(all="ignore"):  # sums that cancel
        c = np.where(random.random(c.size) < 0.3, np.nextafter(-(a * b), random.choice([-1, 1])), c)
    inputs = [half for values in (a, b, c) for half in words(values)]
    compare(float64_fma, inputs, "x86-64-v2", lanes)


def rounded(w: list[Value]) -> list[Value]:
    number = pack64(w[0], w[1])
    found: list[Value] = []
    for function in (floor, ceil, trunc, rint):
        result = function(number)
        found += [low32(result), high32(result)]
    return found


@pytest.mark.parametrize("lanes", [4, 8])
def test_float64_is_rounded_without_the_instruction(lanes: int) -> None:
    random = np.random.default_rng(12)
    halves = random.integers(-9, 10, 1 << 12) / 2
    large = np.ldexp(random.uniform(-2, 2, 1 << 12), random.integers(0, 60, 1 << 12))
    compare(
        rounded, words(np.concatenate([halves, large, doubles(random, 1 << 12)])), "x86-64", lanes
    )


def compare(function: Function, inputs: list[Words], cpu: str, lanes: int) -> None:
    """Compare pairs of dwords, which are float64 numbers, between the engines."""
    wanted = numpy_words(function, inputs)
    with code_for(Target(host().triple, cpu, "")):
        found = native_words(function, inputs, lanes)
    for n in range(0, len(wanted), 2):
        a, b = (np.stack(pair[n : n + 2], -1).view(np.float64)[:, 0] for pair in (wanted, found))
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        kept = ~np.isnan(a)
        np.testing.assert_array_equal(a.view(np.uint64)[kept], b.view(np.uint64)[kept])


def singles(random: np.random.Generator, count: int) -> Words:
    """Return float32 bits: any, near the smallest normal number, near whole numbers."""
    any_bits = random.integers(0, 1 << 32, count, dtype=np.uint32)
    tiny = random.integers(0, 1 << 25, count, dtype=np.uint32) | any_bits & 0x80000000
    whole = (random.integers(-99, 99, count) / 2).astype(np.float32).view(np.uint32)
    return np.choose(random.integers(0, 3, count), [any_bits, tiny, whole]).astype(np.uint32)


def float32_operations(w: list[Value]) -> list[Value]:
    a, b, c = (bitcast(x, F32) for x in w)
    results = [fma(a, b, c), fma(a, b, 1e-40), a * b, floor(a), ceil(a), trunc(a), rint(a)]
    return [bitcast(r, U32) for r in results]


def float32_beside_float64(w: list[Value]) -> list[Value]:
    double = pack64(w[0], w[1])  # the kernel runs without the flush mode then
    return [*float32_operations(w), low32(double), high32(double)]


@pytest.mark.parametrize("function", [float32_operations, float32_beside_float64])
@pytest.mark.parametrize("cpu", OLD)
@pytest.mark.parametrize("lanes", [4, 8])
def test_float32_operations(function: Function, cpu: str, lanes: int) -> None:
    random = np.random.default_rng(13)
    a, b, c = (singles(random, 1 << 14) for _ in range(3))
    with np.errstate(all="ignore"):  # sums that cancel, in part or down to the last bit
        product = a.view(np.float32).astype(np.float64) * b.view(np.float32)
        c = np.where(random.random(c.size) < 0.5, (-product).astype(np.float32).view(np.uint32), c)
    wanted = numpy_words(function, [a, b, c])
    with code_for(Target(host().triple, cpu, "")):
        found = native_words(function, [a, b, c], lanes)
    for x, y in zip(wanted, found, strict=True):
        nan = np.isnan(x.view(np.float32)) & np.isnan(y.view(np.float32))
        np.testing.assert_array_equal(x[~nan], y[~nan])


@pytest.mark.slow
@pytest.mark.parametrize("row", test_rows.PURE, ids=lambda r: r.mnemonic)
@pytest.mark.parametrize("cpu", OLD)
def test_every_row(row: Row, cpu: str) -> None:
    inputs = test_rows.inputs(row)
    wanted = run_numpy(row, inputs)
    with code_for(Target(host().triple, cpu, "")):
        found = run_native(row, inputs, 8)
    assert all(equal.all() for equal in same(row, wanted, found))
