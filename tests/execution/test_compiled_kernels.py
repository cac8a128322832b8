"""Kernels that Microsoft's compiler made, against the same in Python.

Doubles, minimum precision, subroutines and switches, group-shared memory of shader model 4.
The sources are data/*.hlsl; each runs on both engines at every width, and on two threads.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import softd3d

DATA = Path(__file__).parent / "data"
RUNS = [("interpreter", 0, 1), *(("jit", n, t) for n in (4, 8, 16, 32, 64) for t in (1, 2))]
EVERY_RUN = pytest.mark.parametrize(("engine", "lanes", "threads"), RUNS)
Array = np.ndarray
MASK = 0xFFFFFFFF


# Doubles


def double_inputs() -> Array:
    """Return float64, (64, 2): numbers of all sizes, and special ones beside each other."""
    random = np.random.default_rng(7)
    found = random.normal(size=(64, 2)) * 2.0 ** random.integers(-40, 40, (64, 2))
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        5e-324,
        -2e-310,
        1e308,
        -1e308,
        2.0**31,
        -(2.0**32),
    ]
    found[:22, 0] = special * 2
    found[11:33, 1] = special + special[::-1]
    found[40:44] = [[1.5, 1.5], [3.0, -3.0], [1e308, 10], [1e-308, 1e-10]]
    return found


def fused(a: float, b: float, c: float) -> float:
    """Return a * b + c, rounded once."""
    if not np.isfinite([a, b, c]).all():
        return float(np.float64(a) * b + c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return float(np.float64(a) * b + c)
    try:
        return float(exact)
    except OverflowError:
        return np.inf if exact > 0 else -np.inf


def whole(x: float, least: int, most: int) -> int:
    return 0 if np.isnan(x) else int(min(max(x, least), most)) & MASK


def chosen(a: float, b: float, *, largest: bool) -> float:
    """Return dmax or dmin: a number wins over NaN, -0 is below +0."""
    if np.isnan(a) or np.isnan(b):
        return b if np.isnan(a) else a
    order = sorted((a, b), key=lambda x: (x, not np.signbit(x)))
    return order[1] if largest else order[0]


def single(x: float) -> float:
    """Return dtof: to nearest, what is tiny becomes a zero."""
    near = np.float32(x)
    return (
        float(near) if abs(near) >= 2.0**-126 or np.isnan(near) else float(np.copysign(0.0, near))
    )


def double_model(pairs: Array) -> tuple[Array, Array]:
    """Return float64, (n, 10), and uint32, (n, 3): what doubles.hlsl stores but for a float."""
    doubles, words = np.zeros((len(pairs), 10)), np.zeros((len(pairs), 4), np.uint32)
    for i, (a, b) in enumerate(pairs):
        left = pairs[i - 1 if i % 16 else i + 15, 0]
        product, x = a * b, np.float64(1.0)
        for _ in range(i & 7):
            x = (x + abs(b) / x) * 0.5
        table = [a, -b, abs(a), a + b]
        table[(i + 1) & 3] = x
        doubles[i] = [
            fused(a, b, product), product - product / a, x, 1.0 / x,
            a if a < b else b + 1.0, b if b < a else a + 1.0, table[i & 3], table[i >> 2 & 3],
            chosen(left, a, largest=True), chosen(left, a, largest=False),
        ]  # fmt: skip
        tests = int(a != left) + 10 * int(a > b) + 100 * int(not a <= left)
        words[i, 0], words[i, 1] = whole(a, -(2**31), 2**31 - 1), whole(b, 0, MASK)
        words[i, 2] = np.float32(single(a)).view(np.uint32)
        words[i, 3] = tests
    return doubles, words


@EVERY_RUN
@pytest.mark.parametrize("build", ["cs_5_0", "cs_5_0.Od"])
def test_doubles(engine: str, lanes: int, threads: int, build: str) -> None:
    pairs = double_inputs()
    out = np.zeros((len(pairs), 24), np.uint32)
    softd3d.dispatch(
        softd3d.load(DATA / f"doubles.{build}.dxbc"), (len(pairs) // 16, 1, 1),
        srvs={0: softd3d.StructuredBuffer(pairs.view(np.uint32))},
        uavs={0: softd3d.StructuredBuffer(out)}, engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        doubles, words = double_model(pairs)
    found = np.ascontiguousarray(out[:, :20]).view(np.float64)
    same = (found.view(np.uint64) == doubles.view(np.uint64)) | (
        np.isnan(found) & np.isnan(doubles)
    )
    bad = np.argwhere(~same)
    assert not len(bad), [(pairs[i], j, found[i, j], doubles[i, j]) for i, j in bad[:4]]
    nan = np.isnan(pairs[:, 0])
    assert np.isnan(out[nan, 22].view(np.float32)).all()
    words[nan, 2] = out[nan, 22]
    np.testing.assert_array_equal(out[:, 20:], words)


# Minimum precision is 32 bits


@EVERY_RUN
@pytest.mark.parametrize("build", ["cs_5_0", "cs_5_1"])
def test_minimum_precision_is_32_bits(engine: str, lanes: int, threads: int, build: str) -> None:
    """Numbers that 16 bits cannot hold come through: mantissas of 24 bits, products over 65504."""
    f32 = np.float32
    source = np.random.default_rng(3).normal(size=(64, 4)).astype(f32) * f32(300)
    source[::3, 1] /= f32(1000)
    scale, shift, bias = f32([1000.25, 1 / 3, 0, 0.1]), (3, 1), -70000
    constants = np.zeros(8, np.uint32)
    constants[:4] = scale.view(np.uint32)
    constants[4:7] = *shift, bias & MASK
    out = np.zeros((64, 4), f32)
    softd3d.dispatch(
        softd3d.load(DATA / f"minimum.{build}.dxbc"), (4, 1, 1), constants={"K": constants},
        srvs={0: softd3d.StructuredBuffer(source)}, uavs={0: softd3d.StructuredBuffer(out)},
        engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    wanted = np.zeros_like(out)
    for i, v in enumerate(source):
        table = [f32(x * scale[0]) for x in v]
        table[i & 3] = table[i & 3] + scale[1]
        total = table[(i + 1) & 3]
        for _ in range(i):
            total = f32(np.float64(total) * 0.5 + np.float64(v[2]))
        number = int(f32(v[0] * f32(100))) + bias
        number = -number if v[1] > f32(0.25) else number
        mixed = f32(fused(float(v[1]), float(scale[3]), float(table[i & 3])))
        wanted[i] = total, number, (i << shift[0]) >> shift[1], mixed
    np.testing.assert_array_equal(out, wanted)


# Subroutines and switches


def deep(total: int, v: int) -> int:
    return total if v == 3 else (total * 3 + v) & MASK


def early(total: int, v: int) -> int:
    for i in range(v):
        if i == 4:
            return total
        total = (total + i) & MASK
    return total ^ 0x100


def flow_model(v: int) -> int:
    total, kind = v, v & 7
    if kind == 0:
        total = early(total, v)
    elif kind in (1, 2):
        total = early(deep(total, v & 3), 6)
    elif kind == 5:
        inner: dict[int, Callable[[int], int]] = {0: lambda t: deep(t, 7), 1: lambda _: 9}
        total = inner.get(v >> 3, lambda t: early(t, v))(total)
        total = deep(total, v)
    elif kind == 7:
        total = 77
    else:
        total = deep(total, 3) + 11
    for k in range(4):
        case = (v + k) & 3
        if case in (0, 2):
            total += 1000
        elif case == 1:
            total = total * 5 + k
        else:
            total = total + 7 if total & 1 else total ^ 0x55
        total = (total + k) & MASK
        if total % 13 == 5:
            break
    return total


@EVERY_RUN
@pytest.mark.parametrize("build", ["cs_5_0", "cs_4_0"])
def test_subroutines_and_switches(engine: str, lanes: int, threads: int, build: str) -> None:
    values = np.arange(128, dtype=np.uint32)
    values[64:] = np.random.default_rng(5).integers(0, 200, 64)
    out = np.zeros(128, np.uint32)
    softd3d.dispatch(
        softd3d.load(DATA / f"flow.{build}.dxbc"), (4, 1, 1),
        srvs={0: softd3d.StructuredBuffer(values, 4)},
        uavs={0: softd3d.StructuredBuffer(out, 4)}, engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    assert out.tolist() == [flow_model(int(v)) for v in values]


# Shader model 4


@EVERY_RUN
@pytest.mark.parametrize("build", ["cs_4_0", "cs_4_1"])
def test_shared_memory_of_model_4(engine: str, lanes: int, threads: int, build: str) -> None:
    values = np.random.default_rng(6).integers(0, 1 << 32, 120).astype(np.uint32)
    out = np.zeros((120, 2), np.uint32)
    softd3d.dispatch(
        softd3d.load(DATA / f"shared4.{build}.dxbc"), (3, 1, 1),
        srvs={0: softd3d.RawBuffer(values)}, uavs={0: softd3d.RawBuffer(out)},
        engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    wanted: list[list[int]] = []
    for group in values.reshape(3, 40).tolist():
        sums = [
            (sum(group[k] + (group[n - k] ^ (n - k)) for k in range(0, n + 1, 3))
             + group[v % 40] * 3) & MASK
            for n, v in enumerate(group)
        ]  # fmt: skip
        wanted += [[total, sums[39 - n]] for n, total in enumerate(sums)]
    assert out.tolist() == wanted
