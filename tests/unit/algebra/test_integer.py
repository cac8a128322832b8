"""Integer rules against Python's unbounded integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra import integer
from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import imul_hi
from softd3d.algebra.value import I32, U32

MASK = 0xFFFFFFFF
SPECIAL = (0, 1, 2, 3, 31, 32, 33, 63, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, MASK)


def signed(x: int) -> int:
    return x - (x >> 31 << 32)


def divide(a: int, b: int) -> tuple[int, int]:
    return divmod(a, b) if b else (MASK, MASK)


def field(width: int, offset: int, a: int) -> str:
    """Return the field as binary digits, cut off at bit 31."""
    digits = f"{a:032b}"[::-1]
    return digits[offset & 31 :][: width & 31][::-1]


def extract_unsigned(width: int, offset: int, a: int) -> int:
    return int(field(width, offset, a) or "0", 2)


def extract_signed(width: int, offset: int, a: int) -> int:
    digits = field(width, offset, a)
    return int(digits or "0", 2) - (1 << len(digits) if digits.startswith("1") else 0)


def insert(width: int, offset: int, a: int, base: int) -> int:
    digits = list(f"{base:032b}"[::-1])
    for i in range(width & 31):
        if (offset & 31) + i < 32:
            digits[(offset & 31) + i] = str(a >> i & 1)
    return int("".join(digits[::-1]), 2)


def first_high(a: int) -> int:
    return 32 - a.bit_length() if a else MASK


def first_low(a: int) -> int:
    return f"{a:b}"[::-1].index("1") if a else MASK


def first_sign(a: int) -> int:
    digits = f"{a:032b}"
    return digits.find("0" if a >> 31 else "1") & MASK


def msad(reference: int, source: int, total: int) -> int:
    pairs = zip(reference.to_bytes(4, "little"), source.to_bytes(4, "little"), strict=True)
    return total + sum(abs(r - s) for r, s in pairs if r) & MASK


# name: (types of the sources, our function, the definition); i sources reach both as signed.
CASES: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    "minimum signed": ("ii", integer.minimum, min),
    "maximum signed": ("ii", integer.maximum, max),
    "minimum unsigned": ("uu", integer.minimum, min),
    "maximum unsigned": ("uu", integer.maximum, max),
    "shift_left": ("uu", integer.shift_left, lambda a, n: a << (n & 31)),
    "shift_right signed": ("iu", integer.shift_right, lambda a, n: a >> (n & 31)),
    "shift_right unsigned": ("uu", integer.shift_right, lambda a, n: a >> (n & 31)),
    "multiply_unsigned": ("uu", integer.multiply_unsigned, lambda a, b: (a * b >> 32, a * b)),
    "imul_hi": ("ii", imul_hi, lambda a, b: a * b >> 32),
    "divide_unsigned": ("uu", integer.divide_unsigned, divide),
    "add_with_carry": ("uu", integer.add_with_carry, lambda a, b: (a + b, a + b >> 32)),
    "subtract_with_borrow": ("uu", integer.subtract_with_borrow, lambda a, b: (a - b, a < b)),
    "bit_field_extract_unsigned": ("uuu", integer.bit_field_extract_unsigned, extract_unsigned),
    "bit_field_extract_signed": ("uui", integer.bit_field_extract_signed, extract_signed),
    "bit_field_insert": ("uuuu", integer.bit_field_insert, insert),
    "first_bit_high": ("u", integer.first_bit_high, first_high),
    "first_bit_low": ("u", integer.first_bit_low, first_low),
    "first_bit_sign": ("i", integer.first_bit_sign, lambda a: first_sign(a & MASK)),
    "sum_of_absolute_differences": ("uuu", integer.sum_of_absolute_differences, msad),
}


def lanes(seed: int) -> NDArray[Any]:
    """Return uint32 lanes: special values, random values, and small ones."""
    rng = np.random.default_rng(seed)
    kinds = [
        rng.choice(np.array(SPECIAL, np.uint32), 1500),
        rng.integers(0, 1 << 32, 1500, dtype=np.uint32),
        rng.integers(0, 70, 1500, dtype=np.uint32),
    ]
    return rng.permutation(np.concatenate(kinds))


@pytest.mark.parametrize("name", CASES)
def test_against_unbounded_integers(name: str) -> None:
    types, function, definition = CASES[name]
    k = NumpyAlgebra()
    columns = [lanes(i) for i in range(len(types))]
    sources = [
        k.lanes(I32, c.view(np.int32)) if t == "i" else k.lanes(U32, c)
        for t, c in zip(types, columns, strict=True)
    ]
    found = function(*sources)
    found = [v.raw.view(np.uint32) for v in (found if isinstance(found, tuple) else (found,))]
    for index, row in enumerate(zip(*columns, strict=True)):
        values = [signed(int(x)) if t == "i" else int(x) for t, x in zip(types, row, strict=True)]
        if name == "bit_field_extract_signed":
            values[2] &= MASK
        wanted = definition(*values)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        assert [int(f[index]) for f in found] == [int(w) & MASK for w in wanted], values
