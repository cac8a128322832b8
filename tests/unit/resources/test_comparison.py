"""Each rule of comparison: what it lets pass and what not."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from softd3d.errors import ResourceError
from softd3d.resources.cases.comparison import Mismatch, RuleType, Tolerance, compare_dwords

R = RuleType
F = R.FLOAT32


def _float(x: float) -> int:
    return struct.unpack("<I", struct.pack("<f", x))[0]


ONE = _float(1.0)


@pytest.mark.parametrize(
    ("rule", "expected", "found", "good"),
    [
        (Tolerance(R.BITS32), 0x7FC00000, 0x7FC00001, False),
        (Tolerance(R.BITS32), 5, 5, True),
        (Tolerance(R.IGNORE), 5, 6, True),
        (Tolerance(F), ONE, ONE, True),
        (Tolerance(F), ONE, ONE + 1, False),
        (Tolerance(F), 0x7FC00000, 0xFF800001, True),
        (Tolerance(F), 0x7F800000, 0x7F800000, True),
        (Tolerance(F, abs=1e30), 0x7F800000, 0x7F7FFFFF, False),
        (Tolerance(F, ulp=2, rel=1.0, abs=1.0), 0x7F800000, 0x7F7FFFFF, False),
        (Tolerance(F, ulp=2, rel=1.0, abs=1.0), 0x7F800000, 0xFF800000, False),
        (Tolerance(F, ulp=2, rel=1.0, abs=1.0), ONE, 0x7FC00000, False),
        (Tolerance(F, ulp=2, rel=1.0, abs=1.0), 0x7FC00000, ONE, False),
        (Tolerance(F, ulp=2), ONE, ONE + 2, True),
        (Tolerance(F, ulp=2), ONE, ONE - 3, False),
        (Tolerance(F, ulp=2), 1, 0x80000001, True),  # across zero
        (Tolerance(F, ulp=2), 2, 0x80000001, False),
        (Tolerance(F, rel=1e-3), _float(1000), _float(1001), True),
        (Tolerance(F, rel=1e-3), _float(1000), _float(1001.1), False),
        (Tolerance(F, abs=0.5), _float(1000), _float(999.5), True),
        (Tolerance(F, abs=0.5), _float(1000), _float(999.4), False),
        (Tolerance(F), 0, 0x80000000, False),
        (Tolerance(F, abs=1e-5), 0, 0x80000000, True),
        (Tolerance(F, zero_sign=False), 0, 0x80000000, True),
        (Tolerance(F, zero_sign=True, abs=1e-5), 0, 0x80000000, False),
        (Tolerance(F, abs=1.2e-38, zero_sign=False), 0x007FFFFF, 0x80000000, True),
        (Tolerance(R.HALF_IN_LOW16), 0x7E00, 0xFE01, True),
        (Tolerance(R.HALF_IN_LOW16), 0x3C00, 0x3C01, False),
        (Tolerance(R.HALF_IN_LOW16), 0x7C00, 0x7E00, False),
        (Tolerance(R.HALF_IN_LOW16), 0x3C00, 0x00013C00, False),
        (Tolerance(R.HALF_PAIR), 0x7E003C00, 0x7FFF3C00, True),
        (Tolerance(R.HALF_PAIR), 0x7E003C00, 0x3C007E00, False),
        (Tolerance(R.UNORM8X4), 0x01020304, 0x01020304, True),
        (Tolerance(R.UNORM8X4), 0x01020304, 0x01020305, False),
        (Tolerance(R.UNORM8X4, ulp=0.6), 0x01020304, 0x02010403, True),
        (Tolerance(R.UNORM8X4, ulp=0.6), 0x01020304, 0x03020304, False),
        (Tolerance(R.UNORM8X4, ulp=0.6), 0x0000FF00, 0x00010000, False),
        (Tolerance(R.SNORM8X4), 0x80000000, 0x81000000, True),
        (Tolerance(R.SNORM8X4, ulp=0.6), 0x000000FF, 0x00000000, True),
        (Tolerance(R.SNORM8X4, ulp=0.6), 0x0000007F, 0x00000080, False),
    ],
)
def test_rules(rule: Tolerance, expected: int, found: int, good: bool) -> None:
    pair = [struct.pack("<I", x) for x in (expected, found)]
    mismatches = compare_dwords(*pair, [rule])
    assert (mismatches == []) is good
    if not good:
        assert mismatches[0].index == 0
        assert (mismatches[0].expected, mismatches[0].found) == (expected, found)


@pytest.mark.parametrize(
    ("expected", "found", "bad"),
    [
        ((0, 0x3FF00000), (0, 0x3FF00000), []),
        ((0, 0x3FF00000), (1, 0x3FF00000), [0]),
        ((0, 0x3FF00000), (1, 0xBFF00000), [0, 1]),
        ((0, 0x7FF80000), (7, 0xFFF00000), []),
        ((0, 0x7FF00000), (1, 0x7FF00000), [0]),  # infinity is no NaN
        ((0, 0x7FF80000), (0, 0x7FF00000), [1]),
    ],
)
def test_halves_of_doubles(expected: tuple, found: tuple, bad: list[int]) -> None:
    rules = [Tolerance(R.FLOAT64_LO), Tolerance(R.FLOAT64_HI)]
    pair = [struct.pack("<2I", *x) for x in (expected, found)]
    assert [m.index for m in compare_dwords(*pair, rules)] == bad


def test_rules_cycle() -> None:
    rules = [Tolerance(R.BITS32), Tolerance(R.IGNORE), Tolerance(R.BITS32)]
    expected, found = np.zeros(8, np.uint32), np.ones(8, np.uint32)
    places = [m.index for m in compare_dwords(expected.tobytes(), found.tobytes(), rules)]
    assert places == [0, 2, 3, 5, 6]


def test_rows_without_order() -> None:
    rules = [Tolerance(R.BITS32)]
    expected = np.array([[1, 2], [3, 4], [3, 4]], np.uint32).tobytes()
    assert not compare_dwords(
        expected, np.array([[3, 4], [1, 2], [3, 4]], np.uint32).tobytes(), rules, 8
    )
    twice = np.array([[3, 4], [1, 2], [1, 2]], np.uint32).tobytes()
    assert compare_dwords(expected, twice, rules, 8)
    assert compare_dwords(expected, np.array([2, 1, 3, 4, 3, 4], np.uint32).tobytes(), rules, 8)


def test_incomplete_last_dword() -> None:
    assert not compare_dwords(b"abcde", b"abcde", [Tolerance(R.BITS32)])
    assert [m.index for m in compare_dwords(b"abcde", b"abcdf", [Tolerance(R.BITS32)])] == [1]
    assert compare_dwords(b"", b"", [Tolerance(R.UNORM8X4)]) == []


def test_distance_and_text() -> None:
    (mismatch,) = compare_dwords(
        struct.pack("<I", ONE), struct.pack("<I", ONE + 3), [Tolerance(F, ulp=1)]
    )
    assert mismatch == Mismatch(0, ONE, ONE + 3, F, 3)
    assert str(mismatch) == (
        "dword 0: expected 0x3f800000, found 0x3f800003 (float32, 3 ULP apart)"
    )
    (nan,) = compare_dwords(struct.pack("<I", ONE), struct.pack("<I", 0x7FC00000), [Tolerance(F)])
    assert str(nan) == "dword 0: expected 0x3f800000, found 0x7fc00000 (float32)"


def test_sizes_must_agree() -> None:
    with pytest.raises(ResourceError) as raised:
        compare_dwords(bytes(8), bytes(4), [Tolerance(R.BITS32)])
    assert str(raised.value) == "found 4 bytes, expected 8"
