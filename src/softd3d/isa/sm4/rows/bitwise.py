"""Bit operations: logic, shifts, bit fields, bit searches.

Spec: D3D11.3 sections 22.12 and 22.13. Only the low 5 bits of a shift count, width or offset are
looked at, so a width of 32 means 0.
"""

from __future__ import annotations

from softd3d.algebra import integer
from softd3d.algebra.operations import bitreverse, popcount
from softd3d.algebra.value import Value
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_BITS = Controls.PRECISE


@TABLE.opcode(Opcode.AND, "and", "u=uu", _BITS, counts=Counts.UINT, spec="inst_AND")
def and_(a: Value, b: Value) -> Value:
    """Bitwise and."""
    return a & b


@TABLE.opcode(Opcode.OR, "or", "u=uu", _BITS, counts=Counts.UINT, spec="inst_OR")
def or_(a: Value, b: Value) -> Value:
    """Bitwise or."""
    return a | b


@TABLE.opcode(Opcode.XOR, "xor", "u=uu", _BITS, counts=Counts.UINT, spec="inst_XOR")
def xor(a: Value, b: Value) -> Value:
    """Bitwise exclusive or."""
    return a ^ b


@TABLE.opcode(Opcode.NOT, "not", "u=u", _BITS, counts=Counts.UINT, spec="inst_NOT")
def not_(a: Value) -> Value:
    """Bitwise complement."""
    return ~a


@TABLE.opcode(Opcode.ISHL, "ishl", "u=uu", _BITS, counts=Counts.INT, spec="inst_ISHL")
def ishl(a: Value, count: Value) -> Value:
    """Shift left by 0 to 31 bits."""
    return integer.shift_left(a, count)


@TABLE.opcode(Opcode.ISHR, "ishr", "i=iu", _BITS, counts=Counts.INT, spec="inst_ISHR")
def ishr(a: Value, count: Value) -> Value:
    """Shift a signed integer right by 0 to 31 bits, filling with its sign."""
    return integer.shift_right(a, count)


@TABLE.opcode(Opcode.USHR, "ushr", "u=uu", _BITS, counts=Counts.UINT, spec="inst_USHR")
def ushr(a: Value, count: Value) -> Value:
    """Shift right by 0 to 31 bits, filling with zeros."""
    return integer.shift_right(a, count)


@TABLE.opcode(
    Opcode.COUNTBITS, "countbits", "u=u", _BITS, counts=Counts.NONE, spec="inst_COUNTBITS",
    since=(5, 0),
)  # fmt: skip
def countbits(a: Value) -> Value:
    """Number of set bits."""
    return popcount(a)


@TABLE.opcode(
    Opcode.FIRSTBIT_HI, "firstbit_hi", "u=u", _BITS, counts=Counts.NONE, spec="inst_FIRSTBIT_HI",
    since=(5, 0),
)  # fmt: skip
def firstbit_hi(a: Value) -> Value:
    """Highest set bit, counted from bit 31 downwards; 0xFFFFFFFF if there is none.

    HLSL's firstbithigh counts from bit 0: the compiler subtracts.
    """
    return integer.first_bit_high(a)


@TABLE.opcode(
    Opcode.FIRSTBIT_LO, "firstbit_lo", "u=u", _BITS, counts=Counts.NONE, spec="inst_FIRSTBIT_LO",
    since=(5, 0),
)  # fmt: skip
def firstbit_lo(a: Value) -> Value:
    """Lowest set bit, counted from bit 0 upwards; 0xFFFFFFFF if there is none."""
    return integer.first_bit_low(a)


@TABLE.opcode(
    Opcode.FIRSTBIT_SHI, "firstbit_shi", "u=i", _BITS, counts=Counts.NONE, spec="inst_FIRSTBIT_SHI",
    since=(5, 0),
)  # fmt: skip
def firstbit_shi(a: Value) -> Value:
    """First bit unlike the sign, counted from bit 31 downwards; 0xFFFFFFFF for 0 and -1."""
    return integer.first_bit_sign(a)


@TABLE.opcode(
    Opcode.UBFE, "ubfe", "u=uuu", _BITS, counts=Counts.NONE, spec="inst_UBFE", since=(5, 0)
)
def ubfe(width: Value, offset: Value, a: Value) -> Value:
    """Extract a bit field, filled with zeros.

    A field that leaves the dword ends at bit 31.
    """
    return integer.bit_field_extract_unsigned(width, offset, a)


@TABLE.opcode(
    Opcode.IBFE, "ibfe", "i=uui", _BITS, counts=Counts.NONE, spec="inst_IBFE", since=(5, 0)
)
def ibfe(width: Value, offset: Value, a: Value) -> Value:
    """Extract a bit field, filled with its top bit.

    A field that leaves the dword ends at bit 31.
    """
    return integer.bit_field_extract_signed(width, offset, a)


@TABLE.opcode(Opcode.BFI, "bfi", "u=uuuu", _BITS, counts=Counts.NONE, spec="inst_BFI", since=(5, 0))
def bfi(width: Value, offset: Value, a: Value, base: Value) -> Value:
    """Insert the low bits of the third source into a bit field of the fourth.

    What leaves the dword is dropped; a width of 0 gives the fourth source.
    """
    return integer.bit_field_insert(width, offset, a, base)


@TABLE.opcode(
    Opcode.BFREV, "bfrev", "u=u", _BITS, counts=Counts.NONE, spec="inst_BFREV", since=(5, 0)
)
def bfrev(a: Value) -> Value:
    """Bits in reverse order."""
    return bitreverse(a)
