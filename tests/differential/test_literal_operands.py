"""Literals that LLVM folds, at every place of every operation: the operands are still flushed."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from rows import native_words, numpy_words

from softd3d.algebra.float_rules import maximum, minimum
from softd3d.algebra.operations import bitcast, fma
from softd3d.algebra.value import F32, U32, Value

LITERALS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-40, -1e-40, math.inf, -math.inf, math.nan)
BITS = (0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x3F7FFFFF, 0x40490FDB, 0x7F7FFFFF, 0x7F800000,
        0x7FC00000)  # fmt: skip
PAIRS = np.array([(a ^ s, b ^ t) for a, b in product(BITS, BITS)
                  for s, t in product((0, 1 << 31), repeat=2)], np.uint32)  # fmt: skip
X, Y = (np.resize(column, 448) for column in PAIRS.T)

OPERATIONS: dict[str, Callable[[Value, Value, Value], Value]] = {
    "x + c": lambda x, _, c: x + c, "c + x": lambda x, _, c: c + x,
    "x - c": lambda x, _, c: x - c, "c - x": lambda x, _, c: c - x,
    "x * c": lambda x, _, c: x * c, "c * x": lambda x, _, c: c * x,
    "x / c": lambda x, _, c: x / c, "c / x": lambda x, _, c: c / x,
    "x * c + y": lambda x, y, c: fma(x, c, y), "c * x + y": lambda x, y, c: fma(c, x, y),
    "x * y + c": fma, "x * c + c": lambda x, _, c: fma(x, c, c),
    "-x * c": lambda x, _, c: -x * c, "|x| * c": lambda x, _, c: abs(x) * c,
    "min(x, c)": lambda x, _, c: minimum(x, c), "max(c, x)": lambda x, _, c: maximum(c, x),
    "min(c, x * y)": lambda x, y, c: minimum(c, x * y),
    "max(x + y, -|x + y|)": lambda x, y, c: maximum(x + y, -abs(x + y)) * c,
    "max(x * y, c)": lambda x, y, c: maximum(x * y, c),
}  # fmt: skip


def _every_literal(operation: Callable[[Value, Value, Value], Value]) -> Callable[..., list[Value]]:
    def apply(words: list[Value]) -> list[Value]:
        x, y = (bitcast(w, F32) for w in words)
        return [bitcast(operation(x, y, x.like(c)), U32) for c in LITERALS]

    return apply


@pytest.mark.parametrize("name", OPERATIONS)
def test_operands_beside_literals_are_flushed(name: str) -> None:
    function = _every_literal(OPERATIONS[name])
    wanted, found = numpy_words(function, [X, Y]), native_words(function, [X, Y], 16)
    for literal, a, b in zip(LITERALS, wanted, found, strict=True):
        both_nan = np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
        wrong = np.flatnonzero((a != b) & ~both_nan)
        assert not wrong.size, (
            f"c = {literal}, x = {X[wrong[0]]:#x}, y = {Y[wrong[0]]:#x}: "
            f"found {b[wrong[0]]:#x}, wanted {a[wrong[0]]:#x}"
        )
