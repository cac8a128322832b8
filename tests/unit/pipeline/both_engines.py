"""Functions over values on NumPy and in machine code: the same bits, any NaN being any NaN."""

from __future__ import annotations

import numpy as np
from rows import GROUP, Function, Words, native_words, numpy_words

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F32, U32, Value

SPECIAL = np.array(
    [
        0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000,  # zeros, tiny
        0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x3F000000, 0x3EFFFFFF, 0xBF000000,
        0x3B808081, 0x33800000, 0x40000000, 0x41200000, 0xC1200000, 0x477FE000, 0x477FFFFF,
        0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001,
    ],
    np.uint32,
)  # fmt: skip
COUNT = 8 * GROUP


def numbers(columns: int, seed: int, count: int = COUNT) -> list[Words]:
    """Return bits of floats: special ones, some around 0 to 1, some at random."""
    random = np.random.default_rng(seed)
    found: list[Words] = []
    for _ in range(columns):
        column = random.integers(0, 1 << 32, count, np.uint32)
        near = random.random(count) < 0.6
        column[near] = random.uniform(-0.25, 1.25, int(near.sum())).astype(np.float32).view("u4")
        special = random.random(count) < 0.25
        column[special] = random.choice(SPECIAL, int(special.sum()))
        found.append(column)
    return found


def integers(columns: int, seed: int, bits: int = 32, count: int = COUNT) -> list[Words]:
    """Return random integers of so many bits, small and extreme ones among them."""
    random = np.random.default_rng(seed)
    found: list[Words] = []
    for _ in range(columns):
        column = random.integers(0, 1 << bits, count, np.uint64).astype(np.uint32)
        low = random.random(count) < 0.4
        column[low] = random.integers(0, 8, int(low.sum()), np.uint32)
        found.append(column)
    return found


def bits_of(value: Value) -> Value:
    """Return a value as uint32: booleans as 1 and 0, any NaN as one."""
    if value.type is BOOL:
        return select(value, value.k.const(U32, 1), 0)
    if value.type is F32:
        return select(value.ne(value), value.k.const(U32, 0x7FC00000), bitcast(value, U32))
    return bitcast(value, U32)


def on_arrays(function: Function, columns: list[Words]) -> list[Words]:
    """Return what a function of uint32 values gives on arrays, as bits."""
    return numpy_words(lambda words: [bits_of(v) for v in function(words)], columns)


def check_both(function: Function, columns: list[Words], lanes: int = 16) -> list[Words]:
    """Return what both engines give, which must be the same."""
    wanted = on_arrays(function, columns)
    found = native_words(lambda words: [bits_of(v) for v in function(words)], columns, lanes)
    for number, (a, b) in enumerate(zip(wanted, found, strict=True)):
        lane = int(np.argmax(a != b))
        assert (a == b).all(), (
            f"result {number} of {[hex(c[lane]) for c in columns]}: "
            f"NumPy {a[lane]:#x}, LLVM {b[lane]:#x}"
        )
    return wanted


def floats(bits: Words) -> np.ndarray:
    return np.ascontiguousarray(bits).view(np.float32)
