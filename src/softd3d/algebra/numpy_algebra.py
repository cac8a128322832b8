"""The NumPy algebra: exact reference values of every primitive, over arrays of lanes.

Raw values are arrays of shape (lanes,) or () for what is the same in every lane.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import BOOL, F32, F64, I32, U32, DataType, Value
from softd3d.errors import InternalError

__all__ = ["NumpyAlgebra", "dtype_of"]

Lanes = NDArray[Any]  # shape (lanes,) or ()

_DTYPES = {
    F32: np.dtype(np.float32),
    F64: np.dtype(np.float64),
    I32: np.dtype(np.int32),
    U32: np.dtype(np.uint32),
    BOOL: np.dtype(np.bool_),
}
_MIN_NORMAL = np.float32(2.0**-126)
# Below this an exact value, rounded to 24 bits without a lower exponent limit, is no normal
# float32: it becomes zero even where gradual underflow would round it up to 2**-126.
_TINY = 2.0**-126 - 2.0**-151
# The bits that a float64 has and a float32 has not, and what they are in the middle between two.
_BELOW_F32, _MIDDLE = np.int64((1 << 29) - 1), np.int64(1 << 28)


def dtype_of(type_: DataType) -> np.dtype[Any]:
    """Return the dtype of a type's lanes."""
    return _DTYPES[type_]


def flush(x: Lanes) -> Lanes:
    """Replace float32 denormals by zeros of the same sign."""
    is_tiny = np.abs(x) < _MIN_NORMAL
    return np.where(is_tiny, np.copysign(np.float32(0), x), x) if is_tiny.any() else x


def round_to_f32(x: Lanes) -> Lanes:
    """Round float64 to float32 once, flushing results that are tiny after rounding.

    `x` must be exact, or rounded to odd, so that no double rounding can happen.
    """
    r = x.astype(np.float32)
    is_tiny = np.abs(x) < _TINY
    return np.where(is_tiny, np.copysign(np.float32(0), r), r) if is_tiny.any() else r


def _f32_mul(a: Lanes, b: Lanes) -> Lanes:
    return round_to_f32(flush(a).astype(np.float64) * flush(b).astype(np.float64))


def _f32_div(a: Lanes, b: Lanes) -> Lanes:
    # A float64 quotient of float32 numbers rounds to float32 as the exact one does (53 >= 2*24+2).
    return round_to_f32(flush(a).astype(np.float64) / flush(b).astype(np.float64))


def _f32_fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    product = flush(a).astype(np.float64) * flush(b).astype(np.float64)  # exact: 48 bits
    addend = flush(c).astype(np.float64)
    total = np.asarray(product + addend)
    # Rounding twice differs from rounding once only where the first meets the middle between two
    # float32 numbers, as the limit of what is tiny is one.
    is_middle = total.view(np.int64) & _BELOW_F32 == _MIDDLE
    return round_to_f32(_sum_rounded_to_odd(product, addend) if is_middle.any() else total)


def _sum_rounded_to_odd(a: Lanes, b: Lanes) -> Lanes:
    """Return a + b in float64; where inexact, the neighbour with an odd last bit.

    (Boldo and Melquiond, Emulation of FMA and correctly rounded sums.)
    """
    total = a + b
    rest = total - a
    error = (a - (total - rest)) + (b - rest)  # TwoSum: exact
    bits = np.ascontiguousarray(total).view(np.int64).reshape(np.shape(total))
    away = (error > 0) == (total > 0)  # the exact sum lies farther from zero than total
    adjust = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    moved = bits + np.where(away, 1, -1)
    return np.where(adjust, moved, bits).astype(np.int64).view(np.float64)


def _f64_fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    a, b, c = np.broadcast_arrays(a, b, c)
    out = [_f64_fma_lane(*map(float, lane)) for lane in zip(a.flat, b.flat, c.flat, strict=True)]
    return np.array(out, np.float64).reshape(a.shape)


def _f64_fma_lane(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        product = a * b if not (math.isfinite(a) and math.isfinite(b)) else 0.0
        return product + c
    from fractions import Fraction  # noqa: PLC0415 - where a processor has no such instruction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if a == 0 or b == 0 else _zero_of_exact_cancellation()
    try:
        return exact.numerator / exact.denominator  # int / int is correctly rounded
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _zero_of_exact_cancellation() -> float:
    return 0.0  # x - x is +0 in round-to-nearest


def _f32(function: Callable[..., Lanes]) -> Callable[..., Lanes]:
    """Flush the operands, and the result where it is a float32."""

    def flushed(*args: Lanes) -> Lanes:
        out = function(*(flush(a) for a in args))
        return flush(out) if out.dtype == np.float32 else out

    return flushed


def _wide_high(dtype: type, shift_dtype: type) -> Callable[..., Lanes]:
    def high(a: Lanes, b: Lanes) -> Lanes:
        return ((a.astype(dtype) * b.astype(dtype)) >> dtype(32)).astype(shift_dtype)

    return high


def _popcount(a: Lanes) -> Lanes:
    return np.bitwise_count(a).astype(np.uint32)


def _widen(a: Lanes) -> Lanes:
    return flush(a).astype(np.float64)


def _clz(a: Lanes) -> Lanes:
    for shift in (1, 2, 4, 8, 16):
        a = a | a >> np.uint32(shift)
    return (np.uint32(32) - np.bitwise_count(a)).astype(np.uint32)


def _ctz(a: Lanes) -> Lanes:
    return np.bitwise_count(~a & (a - np.uint32(1))).astype(np.uint32)


def _bitreverse(a: NDArray[np.uint32]) -> Lanes:
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        m, s = np.uint32(mask), np.uint32(shift)
        a = (a >> s & m) | (a & m) << s
    return a >> np.uint32(16) | a << np.uint32(16)


def _view(dtype: np.dtype[Any]) -> Callable[[Lanes], Lanes]:
    def view(a: Lanes) -> Lanes:
        return a.view(dtype)

    return view


def _pack64(low: Lanes, high: Lanes) -> Lanes:
    bits = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
    return np.asarray(bits).view(np.float64)


def _dword(shift: int) -> Callable[[Lanes], Lanes]:
    def dword(a: Lanes) -> Lanes:
        return (a.view(np.uint64) >> np.uint64(shift)).astype(np.uint32)

    return dword


def _divide(function: Callable[..., Lanes]) -> Callable[..., Lanes]:
    def guarded(a: Lanes, b: Lanes) -> Lanes:
        return function(a, b).astype(np.uint32)

    return guarded


def _to(dtype: np.dtype[Any]) -> Callable[[Lanes], Lanes]:
    def cast(a: Lanes) -> Lanes:
        return a.astype(dtype)

    return cast


# Functions by primitive and operand type; the general form where a type has none of its own.
_GENERAL: dict[str, Callable[..., Lanes]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "fma": _f64_fma,
    "sqrt": np.sqrt, "neg": np.negative, "abs": np.abs, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "rint": np.rint, "umul_hi": _wide_high(np.uint64, np.uint32),
    "imul_hi": _wide_high(np.int64, np.int32), "udiv": _divide(np.floor_divide),
    "urem": _divide(np.remainder), "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "not": np.invert, "shl": np.left_shift, "shr": np.right_shift,
    "popcount": _popcount, "clz": _clz, "ctz": _ctz,
    "bitreverse": _bitreverse, "lt": np.less, "ge": np.greater_equal, "eq": np.equal,
    "ne": np.not_equal, "select": np.where, "pack64": _pack64, "low32": _dword(0),
    "high32": _dword(32), "i32_to_f32": _to(_DTYPES[F32]), "u32_to_f32": _to(_DTYPES[F32]),
    "f32_to_i32": _to(_DTYPES[I32]), "f32_to_u32": _to(_DTYPES[U32]),
    "i32_to_f64": _to(_DTYPES[F64]), "u32_to_f64": _to(_DTYPES[F64]),
    "f64_to_i32": _to(_DTYPES[I32]), "f64_to_u32": _to(_DTYPES[U32]),
    "f32_to_f64": _widen, "f64_to_f32": round_to_f32,
}  # fmt: skip
_FLOAT32: dict[str, Callable[..., Lanes]] = {
    "mul": _f32_mul, "div": _f32_div, "fma": _f32_fma,
    **{name: _f32(_GENERAL[name]) for name in (
        "add", "sub", "sqrt", "floor", "ceil", "trunc", "rint", "lt", "ge", "eq", "ne")},
}  # fmt: skip
_CASTS = {F32: _view(_DTYPES[F32]), I32: _view(_DTYPES[I32]), U32: _view(_DTYPES[U32])}


class NumpyAlgebra:
    """Evaluate primitives at once, on arrays."""

    def const(self, type_: DataType, value: float) -> Value:
        if type_ in (I32, U32):
            bits = np.array(int(value) & 0xFFFFFFFF, np.uint32)
            return Value(self, type_, bits.view(_DTYPES[type_])[()].reshape(()))
        with np.errstate(all="ignore"):
            return Value(self, type_, np.array(value, _DTYPES[type_]))

    def lanes(self, type_: DataType, array: Lanes) -> Value:
        """Wrap an array of lanes; its dtype must be the one of `type_`."""
        if array.dtype != _DTYPES[type_]:
            raise InternalError(f"{array.dtype} lanes are no {type_.value}")
        return Value(self, type_, array)

    def rarely(
        self, condition: Value, usual: tuple[Value, ...],
        function: Callable[[], tuple[Value, ...]],
    ) -> tuple[Value, ...]:  # fmt: skip
        """Select what `function` gives; see `operations.rarely`. It is not called for no lane."""
        if not np.any(condition.raw):
            return usual
        pairs = zip(function(), usual, strict=True)
        return tuple(self.apply("select", a.type, (condition, a, b)) for a, b in pairs)

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        raw = [np.asarray(a.raw) for a in args]
        if name == "bitcast":
            function = _CASTS[type_]
        else:
            table = _FLOAT32 if args[-1].type is F32 and name in _FLOAT32 else _GENERAL
            function = table[name]
        with np.errstate(all="ignore"):
            return Value(self, type_, np.asarray(function(*raw)))
