"""Both sets of rules against exact arithmetic, and against vectors of an exact converter."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, U32
from softd3d.errors import ResourceError
from softd3d.formats.conversions import (
    number_from_unorm,
    sint_from_number,
    uint_from_number,
    unorm_from_number,
)
from softd3d.formats.floats import (
    float24_from_number,
    nearest_small_float_from_number,
    number_from_float24,
    number_from_shared_exponent,
    number_from_small_float,
    small_float_from_number,
)
from softd3d.formats.layout import ChannelType
from softd3d.formats.rules import D3D9, D3D10, rules_named

K = NumpyAlgebra()
RANDOM = np.random.default_rng(19)
MANTISSA = {16: 10, 11: 6, 10: 5}


def _codes(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate(parts).astype(np.uint32)


def _numbers(function, codes: np.ndarray, *arguments: int) -> np.ndarray:
    return np.asarray(function(K.lanes(U32, codes), *arguments).raw)


def _from(function, numbers: np.ndarray, *arguments: int) -> np.ndarray:
    return np.asarray(function(K.lanes(F32, numbers), *arguments).raw)


def test_unorm_of_24_bits_is_correctly_rounded() -> None:
    codes = np.arange(1 << 24, dtype=np.uint32)[::7]
    # A float64 quotient, rounded again, is the float32 quotient (53 >= 2 * 24 + 2 bits).
    wanted = (codes / np.float64((1 << 24) - 1)).astype(np.float32)
    np.testing.assert_array_equal(_numbers(number_from_unorm, codes, 24), wanted)


@pytest.mark.slow
def test_every_unorm_of_24_bits_is_correctly_rounded() -> None:
    for start in range(0, 1 << 24, 1 << 20):
        codes = np.arange(start, start + (1 << 20), dtype=np.uint32)
        wanted = (codes / np.float64((1 << 24) - 1)).astype(np.float32)
        np.testing.assert_array_equal(_numbers(number_from_unorm, codes, 24), wanted)


def test_unorm_of_32_bits_is_correctly_rounded() -> None:
    powers = np.array([1 << n for n in range(32)], np.uint64)
    codes = _codes(
        RANDOM.integers(0, 1 << 32, 500), powers, powers - 1, powers + powers // 2**24,
        powers * 2 - 1, [0x01000001, 0x01000003, 0x03000002, 0xFFFFFF7F, 0xFFFFFF80, 0xFFFFFF81],
    )  # fmt: skip
    for code, number in zip(codes, _numbers(number_from_unorm, codes, 32), strict=True):
        exact = Fraction(int(code), (1 << 32) - 1)
        error = abs(Fraction(float(number)) - exact)
        for way in (-1, 2):
            other = np.nextafter(number, np.float32(way))
            assert error <= abs(Fraction(float(other)) - exact), hex(code)


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6, 8, 10, 15, 16, 24, 32])
def test_numbers_to_unorm_are_exact(bits: int) -> None:
    largest = (1 << bits) - 1
    near = np.array([(k + 0.5) / largest for k in {0, 1, largest // 3, largest // 2, largest - 1}])
    near = near.astype(np.float32)
    numbers = np.concatenate([
        near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(2)),
        RANDOM.random(400, np.float32), RANDOM.random(100, np.float32) ** 8,
        np.array([0, 1, 0.5, 1 - 2.0**-24, 0.5 + 2.0**-24, 2.0**-149, -1, 2, np.inf], np.float32),
    ])  # fmt: skip
    codes = _from(unorm_from_number, numbers, bits)
    for x, code in zip(numbers, codes, strict=True):
        inside = Fraction(float(np.clip(x, 0, 1)))
        assert code == int(inside * largest + Fraction(1, 2)), x
    assert _from(unorm_from_number, np.array([np.nan], np.float32), bits)[0] == 0


def _exact_small(bits: int, code: int) -> Fraction:
    mantissa_bits = MANTISSA[bits]
    exponent, mantissa = code >> mantissa_bits & 31, code & (1 << mantissa_bits) - 1
    if exponent == 0:
        return Fraction(mantissa, 1 << mantissa_bits + 14)
    return Fraction((1 << mantissa_bits) + mantissa, 1 << mantissa_bits) * Fraction(2) ** (
        exponent - 15
    )


def test_all_halves_widen_as_in_ieee_754() -> None:
    codes = np.arange(1 << 16, dtype=np.uint32)
    with np.errstate(invalid="ignore"):  # signalling NaN, on Arm
        wanted = codes.astype(np.uint16).view(np.float16).astype(np.float32)
    np.testing.assert_array_equal(_numbers(number_from_small_float, codes, 16), wanted)


@pytest.mark.parametrize("bits", [10, 11])
def test_all_small_floats_widen_exactly(bits: int) -> None:
    codes = np.arange(31 << MANTISSA[bits], dtype=np.uint32)
    found = _numbers(number_from_small_float, codes, bits)
    assert [Fraction(float(x)) for x in found] == [_exact_small(bits, int(c)) for c in codes]


def _around_halves() -> np.ndarray:
    """Return all halves, the middles between them, and their neighbours, of both signs."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    middles = (halves[:-1] + halves[1:]) / np.float32(2)
    some = np.concatenate([halves, middles, [65519.99, 65520, 65536, 3e38, np.inf]])
    some = some.astype(np.float32)
    every = [some, np.nextafter(some, np.float32(0)), np.nextafter(some, np.float32(np.inf))]
    return np.concatenate([*every, -np.concatenate(every)])


def test_direct3d_9_rounds_halves_to_nearest_even() -> None:
    numbers = _around_halves()
    with np.errstate(over="ignore"):
        wanted = numbers.astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(_from(nearest_small_float_from_number, numbers, 16), wanted)


def test_direct3d_10_rounds_halves_towards_zero() -> None:
    numbers = _around_halves()
    codes = _from(small_float_from_number, numbers, 16)
    value = codes.astype(np.uint16).view(np.float16).astype(np.float32)
    finite = np.isfinite(numbers)
    assert (np.abs(value[finite]) <= np.abs(numbers[finite])).all()
    assert np.isfinite(value[finite]).all()
    magnitude = (codes & 0x7FFF).astype(np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaN, on Arm
        following = (magnitude + np.uint16(1)).view(np.float16).astype(np.float32)
    assert (following[finite] > np.abs(numbers[finite])).all()
    assert (np.signbit(value) == np.signbit(numbers)).all()


@pytest.mark.parametrize("bits", [10, 11])
def test_nearest_floats_without_a_sign(bits: int) -> None:
    values = [_exact_small(bits, code) for code in range(31 << MANTISSA[bits])]
    for code in range(0, len(values) - 1, 13):
        low, high = values[code], values[code + 1]
        middle = np.array([float((low + high) / 2)], np.float32)
        around = np.concatenate(
            [np.nextafter(middle, np.float32(0)), middle, np.nextafter(middle, np.float32(9e9))]
        )
        found = _from(nearest_small_float_from_number, around, bits).tolist()
        assert found == [code, code + code % 2, code + 1]
    special = np.array([-1, -0.0, -np.inf, np.inf, 1e9, np.nan], np.float32)
    codes = _from(nearest_small_float_from_number, special, bits)
    infinity = 31 << MANTISSA[bits]
    assert codes[:5].tolist() == [0, 0, 0, infinity, infinity]
    assert codes[5] > infinity


def test_float24() -> None:
    codes = np.arange(0, 1 << 24, 17, dtype=np.uint32)
    numbers = _numbers(number_from_float24, codes)
    exponent, mantissa = codes >> 20, (codes & 0xFFFFF).astype(np.float64)
    exact = np.where(
        exponent == 0, mantissa * 2.0**-34, (mantissa + 2**20) * 2.0 ** (exponent - 35.0)
    )
    np.testing.assert_array_equal(numbers, exact)
    np.testing.assert_array_equal(_from(float24_from_number, numbers), codes)
    middle = ((exact[:-1] + exact[1:]) / 2).astype(np.float32)
    special = np.array([1, 2, np.nan, -1, np.inf], np.float32)
    assert [hex(c) for c in _from(float24_from_number, special)] == [
        "0xf00000", "0xffffff", "0x0", "0x0", "0xffffff",
    ]  # fmt: skip
    between = _from(float24_from_number, middle)
    assert ((between >= codes[:-1]) & (between <= codes[1:])).all()


def test_all_shared_exponent_numbers_are_exact() -> None:
    mantissa = np.arange(512, dtype=np.uint32)
    for exponent in range(32):
        words = mantissa << np.uint32(9) | np.uint32(exponent << 27)
        exact = mantissa * 2.0 ** (exponent - 24)
        np.testing.assert_array_equal(_numbers(number_from_shared_exponent, words, 9), exact)


def _vectors(shared: Path, name: str) -> list[dict]:
    return json.loads((shared / "dds" / "conv" / f"{name}.json").read_text())["vectors"]


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "bits"), [("float16", 16), ("float10", 10)])
def test_vectors_of_both_roundings(shared: Path, name: str, bits: int) -> None:
    vectors = [v for v in _vectors(shared, name) if not v.get("any_nan")]
    numbers = np.array([int(v["x"], 16) for v in vectors], np.uint32)
    for rules, key in ((D3D10, "rtz"), (D3D9, "rne")):
        codes = rules.from_component[ChannelType.FLOAT](K.lanes(U32, numbers), bits)
        for vector, code in zip(vectors, np.asarray(codes.raw), strict=True):
            assert code == vector[key], (rules.name, vector)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["uint8", "uint16", "sint8", "sint16"])
def test_vectors_of_integers(shared: Path, name: str) -> None:
    vectors = _vectors(shared, name)
    numbers = np.array([int(v["x"], 16) for v in vectors], np.uint32).view(np.float32)
    type_ = ChannelType(name[:4].upper())
    whole = uint_from_number if type_ is ChannelType.UINT else sint_from_number
    components = _from(whole, numbers).view(np.uint32)
    codes = D3D10.from_component[type_](K.lanes(U32, components), int(name[4:]))
    for vector, code in zip(vectors, np.asarray(codes.raw), strict=True):
        assert code == vector["expected"], vector


@pytest.mark.corpus
def test_vectors_of_unorm32(shared: Path) -> None:
    vectors = _vectors(shared, "unorm32")
    numbers = np.array([int(v["x"], 16) for v in vectors], np.uint32).view(np.float32)
    for vector, code in zip(vectors, _from(unorm_from_number, numbers, 32), strict=True):
        assert code == vector["expected"], vector


def test_names_of_rules() -> None:
    assert rules_named("d3d9") is D3D9
    assert rules_named(D3D10) is D3D10
    with pytest.raises(ResourceError, match="rules: found 'd3d8', wanted d3d10 or d3d9"):
        rules_named("d3d8")
