"""Rules for comparing an execution case's outputs with what was expected, dword by dword.

A rule belongs to a dword's position in the output. Tolerances are for outside references only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import ResourceError

__all__ = ["Mismatch", "RuleType", "Tolerance", "compare_dwords"]

Words = NDArray[np.uint32]  # (dwords,)
Bools = NDArray[np.bool_]
_INFINITY = 0x7F800000
_HALF_INFINITY = 0x7C00
_DOUBLE_INFINITY = 0x7FF00000  # its upper dword


class RuleType(StrEnum):
    """How a dword is compared; the value is the word in case files."""

    BITS32 = "bits32"
    FLOAT32 = "float32"
    HALF_IN_LOW16 = "half_in_low16"
    HALF_PAIR = "half_pair"
    UNORM8X4 = "unorm8x4"
    SNORM8X4 = "snorm8x4"
    FLOAT64_LO = "float64_lo"
    FLOAT64_HI = "float64_hi"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The rule of a dword. ulp, rel, abs: any one of them suffices.

    zero_sign: whether zeros of different sign differ; None says yes if nothing else is tolerated.
    """

    type: RuleType
    ulp: float = 0.0
    rel: float = 0.0
    abs: float = 0.0
    zero_sign: bool | None = None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A dword that is not as expected. index: in dwords, of the sorted rows if rows have no order.

    ulp: how many float32 numbers lie between, None unless both are float32 numbers.
    """

    index: int
    expected: int
    found: int
    rule: RuleType
    ulp: int | None = None

    def __str__(self) -> str:
        distance = "" if self.ulp is None else f", {self.ulp} ULP apart"
        return (
            f"dword {self.index}: expected {self.expected:#010x}, found {self.found:#010x} "
            f"({self.rule}{distance})"
        )


def compare_dwords(
    expected: bytes, found: bytes, rules: Sequence[Tolerance], row_bytes: int | None = None
) -> list[Mismatch]:
    """Return the dwords that break their rule, in order.

    Args:
        expected: what was wanted; the last dword may be incomplete.
        found: as many bytes.
        rules: one for each dword, cycled.
        row_bytes: if set, both are multisets of rows of so many bytes; rows are sorted first.

    Raises:
        ResourceError: the sizes differ.
    """
    if len(expected) != len(found):
        raise ResourceError(f"found {len(found)} bytes, expected {len(expected)}")
    want, have = _words(expected, row_bytes), _words(found, row_bytes)
    good = np.ones(want.shape, np.bool_)
    number_of_rule = np.arange(want.size) % len(rules)
    for rule in dict.fromkeys(rules):
        numbers = [number for number, other in enumerate(rules) if other == rule]
        places = np.flatnonzero(np.isin(number_of_rule, numbers))
        good[places] = _COMPARISONS[rule.type](rule, want, have, places)
    return [_mismatch(int(at), want, have, rules) for at in np.flatnonzero(~good)]


def _words(data: bytes, row_bytes: int | None) -> Words:
    if row_bytes:
        rows = range(0, len(data), row_bytes)
        data = b"".join(sorted(data[at : at + row_bytes] for at in rows))
    return np.frombuffer(data + bytes(-len(data) % 4), np.uint32)


def _mismatch(at: int, want: Words, have: Words, rules: Sequence[Tolerance]) -> Mismatch:
    rule = rules[at % len(rules)]
    pair = np.array([want[at], have[at]], np.uint32)
    is_number = rule.type is RuleType.FLOAT32 and not _is_nan(pair).any()
    ulp = int(_distance(pair[:1], pair[1:])[0]) if is_number else None
    return Mismatch(at, int(want[at]), int(have[at]), rule.type, ulp)


def _bits32(_: Tolerance, want: Words, have: Words, at: NDArray[Any]) -> Bools:
    return want[at] == have[at]


def _ignore(_: Tolerance, __: Words, ___: Words, at: NDArray[Any]) -> Bools:
    return np.ones(at.shape, np.bool_)


def _is_nan(words: Words) -> Bools:
    return (words & 0x7FFFFFFF) > _INFINITY


def _distance(want: Words, have: Words) -> NDArray[np.int64]:
    """Return how many steps of float32 lie between; zeros of both signs are one number."""
    want_step, have_step = (
        np.where(words >> 31 != 0, -1, 1) * (words & 0x7FFFFFFF).astype(np.int64)
        for words in (want, have)
    )
    return np.abs(want_step - have_step)


def _float32(rule: Tolerance, want: Words, have: Words, at: NDArray[Any]) -> Bools:
    w, h = want[at], have[at]
    with np.errstate(invalid="ignore"):
        a, b = (words.view(np.float32).astype(np.float64) for words in (w, h))
        gap = np.abs(a - b)
        near = (gap <= rule.abs) | (gap <= rule.rel * np.abs(a)) | (_distance(w, h) <= rule.ulp)
    near &= np.isfinite(a) & np.isfinite(b)
    zero_sign = rule.zero_sign
    if zero_sign is None:
        zero_sign = not (rule.ulp or rule.rel or rule.abs)
    if zero_sign:
        near &= ~((a == 0) & (b == 0))
    return (w == h) | near | (_is_nan(w) & _is_nan(h))


def _halves(is_pair: bool) -> Callable[..., Bools]:  # noqa: FBT001
    def same(_: Tolerance, want: Words, have: Words, at: NDArray[Any]) -> Bools:
        w, h = want[at], have[at]
        good = _same_half(w, h, 0)
        return good & (_same_half(w, h, 16) if is_pair else (w >> 16 == h >> 16))

    return same


def _same_half(want: Words, have: Words, shift: int) -> Bools:
    w, h = (words >> np.uint32(shift) & np.uint32(0xFFFF) for words in (want, have))
    both_nan = ((w & 0x7FFF) > _HALF_INFINITY) & ((h & 0x7FFF) > _HALF_INFINITY)
    return (w == h) | both_nan


def _bytes(dtype: str, lowest: int) -> Callable[..., Bools]:
    """Compare four codes; `lowest` and below are one number (SNORM has two codes for -1)."""

    def near(rule: Tolerance, want: Words, have: Words, at: NDArray[Any]) -> Bools:
        codes = (
            np.maximum(words[at].view(dtype).astype(np.int64), lowest) for words in (want, have)
        )
        w, h = (c.reshape(-1, 4) for c in codes)
        # The expected code is a rounded one (up to 0.5); a code within `ulp` of the unrounded
        # number is this far from it.
        return np.abs(w - h).max(axis=1, initial=0) <= int(rule.ulp + 0.5)

    return near


def _float64(partner: int) -> Callable[..., Bools]:
    """Compare one half of a float64; `partner`: where its other half is. Any NaN is any other."""

    def same(_: Tolerance, want: Words, have: Words, at: NDArray[Any]) -> Bools:
        other = np.clip(at + partner, 0, want.size - 1)
        low, high = (at, other) if partner > 0 else (other, at)
        both_nan = _is_nan64(want[low], want[high]) & _is_nan64(have[low], have[high])
        return (want[at] == have[at]) | both_nan

    return same


def _is_nan64(low: Words, high: Words) -> Bools:
    magnitude = high & 0x7FFFFFFF
    return (magnitude > _DOUBLE_INFINITY) | ((magnitude == _DOUBLE_INFINITY) & (low != 0))


_COMPARISONS: Mapping[RuleType, Callable[[Tolerance, Words, Words, NDArray[Any]], Bools]] = {
    RuleType.BITS32: _bits32,
    RuleType.FLOAT32: _float32,
    RuleType.HALF_IN_LOW16: _halves(is_pair=False),
    RuleType.HALF_PAIR: _halves(is_pair=True),
    RuleType.UNORM8X4: _bytes("u1", 0),
    RuleType.SNORM8X4: _bytes("i1", -127),
    RuleType.FLOAT64_LO: _float64(1),
    RuleType.FLOAT64_HI: _float64(-1),
    RuleType.IGNORE: _ignore,
}
