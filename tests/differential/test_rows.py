"""Every pure row, over all pairs of special values and random bits: NumPy and LLVM agree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from rows import GROUP, Words, run_native, run_numpy, same, words_of

from softd3d.isa.row import Kind, Row
from softd3d.isa.sm4.rows import TABLE

PURE = [row for row in TABLE.rows.values() if row.kind is Kind.PURE]
SPECIAL = np.array(
    [
        0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF,  # zeros and denormals
        0x800000, 0x80800000, 0x800001, 0x33800000,  # around the smallest normal number
        0x3F800000, 0xBF800000, 0x3EFFFFFF, 0x3F000000, 0x40200000, 0xC0600000,
        0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,  # largest and infinite
        0x7FC00000, 0xFFC00001, 0x7F800001,  # NaNs
        0x4B800001, 0x4F000000, 0xCF000000, 0x4F800000, 0x42C80000, 0x46000000, 0x60AD78EC,
        2, 31, 32, 0xFFFFFFFF, 0x7FFFFFFF, 0x00FFFFFF,
    ],
    np.uint32,
)  # fmt: skip


def inputs(row: Row) -> list[Words]:
    """Return operands: all pairs of special values first, then special and random ones mixed."""
    random = np.random.default_rng(row.opcode)
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.uint32)
    count = -(-(len(pairs) + 4000) // GROUP) * GROUP
    columns: list[Words] = []
    for number in range(sum(words_of(row))):
        column = random.integers(0, 1 << 32, count, dtype=np.uint32)
        special = random.random(count) < 0.5
        column[special] = random.choice(SPECIAL, special.sum())
        if number < 2:
            column[: len(pairs)] = pairs[:, number]
        columns.append(column)
    return columns


@pytest.mark.parametrize("row", PURE, ids=lambda row: row.mnemonic)
def test_numpy_and_llvm_agree(row: Row) -> None:
    columns = inputs(row)
    wanted = run_numpy(row, columns)
    for lanes in (4, 8, 16) if row.mnemonic in ("mad", "sincos", "udiv", "dmul") else (16,):
        found = run_native(row, columns, lanes)
        for number, good in enumerate(same(row, wanted, found)):
            lane = int(np.argmin(good))
            assert good.all(), (
                f"result {number} of lane {lane}, {lanes} wide: "
                f"operands {[hex(c[lane]) for c in columns]}, "
                f"NumPy {wanted[number][lane]:#x}, LLVM {found[number][lane]:#x}"
            )
