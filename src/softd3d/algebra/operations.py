"""Functions over values: one for each primitive that has no operator, typed and checked."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.value import BOOL, F64, I32, PRIMITIVES, U32, DataType, Value

__all__ = [
    "bitcast",
    "bitreverse",
    "ceil",
    "clz",
    "convert",
    "ctz",
    "floor",
    "fma",
    "high32",
    "imul_hi",
    "low32",
    "pack64",
    "popcount",
    "rarely",
    "rint",
    "select",
    "sqrt",
    "trunc",
    "udiv",
    "umul_hi",
    "urem",
]


def fma(a: Value, b: Value | float, c: Value | float) -> Value:
    """Return a * b + c, rounded once."""
    b, c = (x if isinstance(x, Value) else a.like(x) for x in (b, c))
    return a.k.apply("fma", a.type, (a, b, c))


def select(condition: Value, a: Value | float, b: Value | float) -> Value:
    """Return `a` where `condition` is true, else `b`; one of them may be a number."""
    if condition.type is not BOOL:
        raise TypeError(f"select wants a bool condition, found {condition.type.value}")
    if not isinstance(a, Value):
        if not isinstance(b, Value):
            raise TypeError("select wants at least one value")
        a = b.like(a)
    elif not isinstance(b, Value):
        b = a.like(b)
    if a.type is not b.type:
        raise TypeError(f"select of {a.type.value} and {b.type.value}")
    return a.k.apply("select", a.type, (condition, a, b))


def rarely(
    condition: Value, usual: tuple[Value, ...], function: Callable[[], tuple[Value, ...]]
) -> tuple[Value, ...]:
    """Return what `function` gives where `condition` is true, else `usual`.

    The same as a `select` of each, but an algebra that makes code may skip `function` where no
    lane needs it.
    """
    branch = getattr(condition.k, "rarely", None)
    if branch is not None:
        return branch(condition, usual, function)
    return tuple(select(condition, a, b) for a, b in zip(function(), usual, strict=True))


def bitcast(a: Value, type_: DataType) -> Value:
    """Return the same 32 bits as `type_`."""
    return a if a.type is type_ else a.k.apply("bitcast", type_, (a,))


def convert(a: Value, type_: DataType) -> Value:
    """Convert the number. Float to integer truncates and must be in range: clamp before."""
    name = f"{a.type.value}_to_{type_.value}"
    if name not in PRIMITIVES:
        raise TypeError(f"no conversion {name}")
    return a.k.apply(name, type_, (a,))


def sqrt(a: Value) -> Value:
    """Return the square root."""
    return a.k.apply("sqrt", a.type, (a,))


def floor(a: Value) -> Value:
    """Round towards minus infinity."""
    return a.k.apply("floor", a.type, (a,))


def ceil(a: Value) -> Value:
    """Round towards plus infinity."""
    return a.k.apply("ceil", a.type, (a,))


def trunc(a: Value) -> Value:
    """Round towards zero."""
    return a.k.apply("trunc", a.type, (a,))


def rint(a: Value) -> Value:
    """Round to the nearest integer, ties to even."""
    return a.k.apply("rint", a.type, (a,))


def umul_hi(a: Value, b: Value) -> Value:
    """Return the high dword of the unsigned product."""
    return a.k.apply("umul_hi", U32, (a, b))


def imul_hi(a: Value, b: Value) -> Value:
    """Return the high dword of the signed product."""
    return a.k.apply("imul_hi", I32, (a, b))


def udiv(a: Value, b: Value) -> Value:
    """Return the unsigned quotient; `b` must not be 0 in any lane."""
    return a.k.apply("udiv", U32, (a, b))


def urem(a: Value, b: Value) -> Value:
    """Return the unsigned remainder; `b` must not be 0 in any lane."""
    return a.k.apply("urem", U32, (a, b))


def popcount(a: Value) -> Value:
    """Return the number of set bits."""
    return a.k.apply("popcount", U32, (a,))


def clz(a: Value) -> Value:
    """Return the number of leading zeros, 32 for 0."""
    return a.k.apply("clz", U32, (a,))


def ctz(a: Value) -> Value:
    """Return the number of trailing zeros, 32 for 0."""
    return a.k.apply("ctz", U32, (a,))


def bitreverse(a: Value) -> Value:
    """Return the bits in reverse order."""
    return a.k.apply("bitreverse", U32, (a,))


def pack64(low: Value, high: Value) -> Value:
    """Return the float64 with these dwords."""
    return low.k.apply("pack64", F64, (low, high))


def low32(a: Value) -> Value:
    """Return the low dword of a float64."""
    return a.k.apply("low32", U32, (a,))


def high32(a: Value) -> Value:
    """Return the high dword of a float64."""
    return a.k.apply("high32", U32, (a,))
