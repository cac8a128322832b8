"""What the recorder need not record: operations that change nothing, and bits that are never set.

Only integers and BOOL are simplified: float operations flush, and round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softd3d.algebra.value import BOOL, F32, U32
from softd3d.ir.graph import ALL_BITS, Node

__all__ = ["possible_bits", "simplify_integer", "simplify_select"]


def simplify_select(args: tuple[Node, ...]) -> Node | None:
    """Return what a selection is the same as, None if it is needed."""
    condition, a, b = args
    if a is b:
        return a
    if condition.is_const:
        return a if condition.attr else b
    if a.type is BOOL and a.is_const and b.is_const:
        return condition if a.attr else None
    return None


def simplify_integer(name: str, args: tuple[Node, ...]) -> Node | int | None:
    """Return what an operation on integers or BOOL is the same as: a value, or a constant's bits.

    None if it is needed.
    """
    rule = _INTEGER_RULES.get(name)
    return None if rule is None else rule(*args)


def possible_bits(node: Node) -> int:
    """Return a mask of the bits of an integer node that may be set."""
    if node.type is None or node.type.is_float or node.type is BOOL:
        return ALL_BITS
    op, args = node.op, node.args
    if op in _BITS_OF_TWO:
        return _BITS_OF_TWO[op](args[0].bits, args[1].bits) & ALL_BITS
    if op == "select":
        return args[1].bits | args[2].bits
    if op == "shl" and args[1].is_const:
        return args[0].bits << args[1].attr & ALL_BITS
    if op == "shr" and args[1].is_const and node.type is U32:
        return args[0].bits >> args[1].attr
    if op == "bitcast" and args[0].type is not F32:
        return args[0].bits
    return ALL_BITS


def _const_of(a: Node, b: Node) -> tuple[Node, int | None]:
    """Return (other, constant) of a commutative pair."""
    if b.is_const:
        return a, b.attr
    return (b, a.attr) if a.is_const else (a, None)


def _simplify_add(a: Node, b: Node) -> Node | int | None:
    other, c = _const_of(a, b)
    return other if c == 0 else None


def _simplify_sub(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return 0
    return a if b.is_const and b.attr == 0 else None


def _simplify_mul(a: Node, b: Node) -> Node | int | None:
    other, c = _const_of(a, b)
    return other if c == 1 else 0 if c == 0 else None


def _simplify_and(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return a
    other, c = _const_of(a, b)
    if c is None:
        return None
    if other.type is BOOL:
        return other if c else 0
    if c & other.bits == 0:
        return 0
    return other if other.bits & ~c == 0 else None


def _simplify_or(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return a
    other, c = _const_of(a, b)
    if c is None:
        return None
    if c == 0:
        return other
    return 1 if other.type is BOOL else None


def _simplify_shift(a: Node, b: Node) -> Node | int | None:
    return a if b.is_const and b.attr == 0 else None


def _simplify_not(a: Node) -> Node | int | None:
    return a.args[0] if a.op == "not" else None


def _simplify_eq(a: Node, b: Node) -> Node | int | None:
    return 1 if a is b else None


def _simplify_ne(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return 0
    if a.op == "select" and b.is_const and b.attr == 0:  # a mask that is tested
        condition, mask, zero = a.args
        if mask.is_const and mask.attr and zero.is_const and zero.attr == 0:
            return condition
    return None


def _simplify_lt(a: Node, b: Node) -> Node | int | None:
    if a is b or (a.type is U32 and b.is_const and b.attr == 0):
        return 0
    return None


def _simplify_ge(a: Node, b: Node) -> Node | int | None:
    if a is b or (a.type is U32 and b.is_const and b.attr == 0):
        return 1
    return None


_INTEGER_RULES: dict[str, Any] = {
    "add": _simplify_add, "sub": _simplify_sub, "mul": _simplify_mul, "and": _simplify_and,
    "or": _simplify_or, "xor": _simplify_add, "shl": _simplify_shift, "shr": _simplify_shift,
    "not": _simplify_not, "eq": _simplify_eq, "ne": _simplify_ne, "lt": _simplify_lt,
    "ge": _simplify_ge,
}  # fmt: skip


def _up_to(maximum: int, zeros: int) -> int:
    """Return the bits of numbers up to `maximum` whose low `zeros` bits are 0."""
    maximum = min(maximum, ALL_BITS)
    return (1 << maximum.bit_length()) - 1 >> zeros << zeros


def _trailing_zeros(bits: int) -> int:
    return (bits & -bits).bit_length() - 1 if bits else 32


def _bits_of_sum(a: int, b: int) -> int:
    if a & b == 0:
        return a | b
    return _up_to(a + b, min(_trailing_zeros(a), _trailing_zeros(b)))


def _bits_of_product(a: int, b: int) -> int:
    return _up_to(a * b, min(_trailing_zeros(a) + _trailing_zeros(b), 32))


_BITS_OF_TWO: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a | b,
    "add": _bits_of_sum,
    "mul": _bits_of_product,
    "sub": lambda a, b: _up_to(ALL_BITS, min(_trailing_zeros(a), _trailing_zeros(b))),
}
