"""Integer rules that rows share. All of them are defined for every operand; 32-bit lanes wrap.

Primitives leave shifts by 32 or more and division by 0 undefined, so operands are guarded here.
Spec: D3D11.3 sections 22.11 to 22.13.
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, clz, ctz, select, udiv, umul_hi, urem
from softd3d.algebra.value import I32, U32, Value

__all__ = [
    "add_with_carry",
    "bit_field_extract_signed",
    "bit_field_extract_unsigned",
    "bit_field_insert",
    "divide_unsigned",
    "first_bit_high",
    "first_bit_low",
    "first_bit_sign",
    "maximum",
    "minimum",
    "multiply_unsigned",
    "shift_left",
    "shift_right",
    "subtract_with_borrow",
    "sum_of_absolute_differences",
]

_ALL_ONES = 0xFFFFFFFF


def minimum(a: Value, b: Value) -> Value:
    """Return the smaller, signed for int32."""
    return select(a < b, a, b)


def maximum(a: Value, b: Value) -> Value:
    """Return the larger, signed for int32."""
    return select(a < b, b, a)


def shift_left(a: Value, count: Value) -> Value:
    """Shift left by the low 5 bits of `count` (uint32)."""
    return a << bitcast(count & 31, a.type)


def shift_right(a: Value, count: Value) -> Value:
    """Shift right by the low 5 bits of `count` (uint32); int32 fills with the sign."""
    return a >> bitcast(count & 31, a.type)


def multiply_unsigned(a: Value, b: Value) -> tuple[Value, Value]:
    """Return the high and the low dword of the product."""
    return umul_hi(a, b), a * b


def divide_unsigned(a: Value, b: Value) -> tuple[Value, Value]:
    """Return quotient and remainder, both 0xFFFFFFFF for a divisor of 0."""
    none = b.eq(0)
    divisor = select(none, 1, b)
    return select(none, _ALL_ONES, udiv(a, divisor)), select(none, _ALL_ONES, urem(a, divisor))


def add_with_carry(a: Value, b: Value) -> tuple[Value, Value]:
    """Return the sum and its carry, 1 or 0."""
    total = a + b
    return total, select(total < a, a.like(1), a.like(0))


def subtract_with_borrow(a: Value, b: Value) -> tuple[Value, Value]:
    """Return the difference and its borrow, 1 or 0."""
    return a - b, select(a < b, a.like(1), a.like(0))


def bit_field_extract_unsigned(width: Value, offset: Value, a: Value) -> Value:
    """Return the `width` bits (low 5 bits count) of `a` from bit `offset` on, or all there are."""
    # A mask wider than what the shift leaves does nothing, so width + offset > 32 needs no case.
    return shift_right(a, offset) & (shift_left(a.like(1), width) - 1)


def bit_field_extract_signed(width: Value, offset: Value, a: Value) -> Value:
    """As the unsigned form, from an int32, filled with the field's top bit; 0 for no width."""
    width, offset = width & 31, offset & 31
    end = minimum(width + offset, width.like(32))
    drop = width.like(32) - end
    field = shift_right(shift_left(a, drop), drop + offset)
    return select(width.eq(0), 0, field)


def bit_field_insert(width: Value, offset: Value, a: Value, base: Value) -> Value:
    """Replace `width` bits of `base` from bit `offset` on by the low bits of `a`."""
    mask = shift_left(shift_left(a.like(1), width) - 1, offset)
    return (shift_left(a, offset) & mask) | (base & ~mask)


def first_bit_high(a: Value) -> Value:
    """Return the distance of the highest set bit from bit 31, 0xFFFFFFFF for 0."""
    return select(a.eq(0), _ALL_ONES, clz(a))


def first_bit_low(a: Value) -> Value:
    """Return the number of the lowest set bit, 0xFFFFFFFF for 0."""
    return select(a.eq(0), _ALL_ONES, ctz(a))


def first_bit_sign(a: Value) -> Value:
    """Return the distance from bit 31 of the first bit unlike the sign of an int32, or ~0."""
    return first_bit_high(bitcast(a ^ (a >> 31), U32))


def sum_of_absolute_differences(reference: Value, source: Value, total: Value) -> Value:
    """Add |reference - source| of the bytes whose reference is not 0, modulo 2**32.

    Spec: D3D11.3 inst_MSAD lets the sum wrap or saturate; we wrap, like every other integer sum.
    """
    added = total.like(0)
    for shift in (0, 8, 16, 24):
        a = bitcast(reference >> shift & 0xFF, I32)
        b = bitcast(source >> shift & 0xFF, I32)
        difference = bitcast(maximum(a - b, b - a), U32)
        added = added + select(a.eq(0), 0, difference)
    return total + added
