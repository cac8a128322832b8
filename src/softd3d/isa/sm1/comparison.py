"""The comparisons of SM1-3, which setp, if and break share."""

from __future__ import annotations

from softd3d.algebra.value import Value
from softd3d.isa.sm1.enums import Comparison

__all__ = ["compared"]


def compared(comparison: Comparison, a: Value, b: Value) -> Value:
    """Return where a comparison holds; with a NaN only `ne` does."""
    if comparison is Comparison.GT:
        return a > b
    if comparison is Comparison.EQ:
        return a.eq(b)
    if comparison is Comparison.GE:
        return a >= b
    if comparison is Comparison.LT:
        return a < b
    return a.ne(b) if comparison is Comparison.NE else a <= b
