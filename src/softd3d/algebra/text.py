"""The text algebra: prints what a function over values computes, for the manual."""

from __future__ import annotations

from softd3d.algebra.value import DataType, Value

__all__ = ["TextAlgebra"]

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^",
    "shl": "<<", "shr": ">>", "lt": "<", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip


class TextAlgebra:
    """Raw values are strings: the formula so far."""

    def const(self, type_: DataType, value: float) -> Value:
        number = float(value) if type_.is_float else int(value)
        return Value(self, type_, repr(number))

    def name(self, type_: DataType, name: str) -> Value:
        """Return a variable."""
        return Value(self, type_, name)

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        raw = [str(a.raw) for a in args]
        if name in _SIGNS:
            return Value(self, type_, f"({raw[0]} {_SIGNS[name]} {raw[1]})")
        if name == "neg":
            return Value(self, type_, f"-{raw[0]}")
        if name == "bitcast":
            return Value(self, type_, f"as_{type_.value}({raw[0]})")
        return Value(self, type_, f"{name}({', '.join(raw)})")
