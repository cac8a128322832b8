"""Integer arithmetic: 32-bit lanes that wrap.

Spec: D3D11.3 section 22.11. A neg modifier is two's complement; abs does not exist here.
"""

from __future__ import annotations

from softd3d.algebra import integer
from softd3d.algebra.operations import imul_hi
from softd3d.algebra.value import Value
from softd3d.isa.roles import Counts, Extension
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_INTEGER = Controls.PRECISE


@TABLE.opcode(Opcode.IADD, "iadd", "i=ii", _INTEGER, counts=Counts.INT, spec="inst_IADD")
def iadd(a: Value, b: Value) -> Value:
    """Add two integers, signed or unsigned."""
    return a + b


@TABLE.opcode(Opcode.IMAD, "imad", "i=iii", _INTEGER, counts=Counts.INT, spec="inst_IMAD")
def imad(a: Value, b: Value, c: Value) -> Value:
    """Multiply two integers and add a third; the low 32 bits."""
    return a * b + c


@TABLE.opcode(Opcode.UMAD, "umad", "u=uuu", _INTEGER, counts=Counts.NONE, spec="inst_UMAD")
def umad(a: Value, b: Value, c: Value) -> Value:
    """Multiply two unsigned integers and add a third; the low 32 bits, the same as imad's."""
    return a * b + c


@TABLE.opcode(Opcode.IMUL, "imul", "ii=ii", _INTEGER, counts=Counts.INT, spec="inst_IMUL")
def imul(a: Value, b: Value) -> tuple[Value, Value]:
    """Multiply two signed integers: high dword, low dword."""
    return imul_hi(a, b), a * b


@TABLE.opcode(Opcode.UMUL, "umul", "uu=uu", _INTEGER, counts=Counts.NONE, spec="inst_UMUL")
def umul(a: Value, b: Value) -> tuple[Value, Value]:
    """Multiply two unsigned integers: high dword, low dword."""
    return integer.multiply_unsigned(a, b)


@TABLE.opcode(Opcode.UDIV, "udiv", "uu=uu", _INTEGER, counts=Counts.UINT, spec="inst_UDIV")
def udiv(a: Value, b: Value) -> tuple[Value, Value]:
    """Divide two unsigned integers: quotient, remainder.

    A divisor of 0 gives 0xFFFFFFFF for both.
    """
    return integer.divide_unsigned(a, b)


@TABLE.opcode(Opcode.INEG, "ineg", "i=i", _INTEGER, counts=Counts.INT, spec="inst_INEG")
def ineg(a: Value) -> Value:
    """Negate an integer; -2**31 stays."""
    return -a


@TABLE.opcode(Opcode.IMAX, "imax", "i=ii", _INTEGER, counts=Counts.INT, spec="inst_IMAX")
def imax(a: Value, b: Value) -> Value:
    """Larger of two signed integers."""
    return integer.maximum(a, b)


@TABLE.opcode(Opcode.IMIN, "imin", "i=ii", _INTEGER, counts=Counts.INT, spec="inst_IMIN")
def imin(a: Value, b: Value) -> Value:
    """Smaller of two signed integers."""
    return integer.minimum(a, b)


@TABLE.opcode(Opcode.UMAX, "umax", "u=uu", _INTEGER, counts=Counts.UINT, spec="inst_UMAX")
def umax(a: Value, b: Value) -> Value:
    """Larger of two unsigned integers."""
    return integer.maximum(a, b)


@TABLE.opcode(Opcode.UMIN, "umin", "u=uu", _INTEGER, counts=Counts.UINT, spec="inst_UMIN")
def umin(a: Value, b: Value) -> Value:
    """Smaller of two unsigned integers."""
    return integer.minimum(a, b)


@TABLE.opcode(
    Opcode.UADDC, "uaddc", "uu=uu", _INTEGER, counts=Counts.NONE, spec="inst_UADDC", since=(5, 0)
)
def uaddc(a: Value, b: Value) -> tuple[Value, Value]:
    """Add two unsigned integers: sum, carry (1 or 0)."""
    return integer.add_with_carry(a, b)


@TABLE.opcode(
    Opcode.USUBB, "usubb", "uu=uu", _INTEGER, counts=Counts.NONE, spec="inst_USUBB", since=(5, 0)
)
def usubb(a: Value, b: Value) -> tuple[Value, Value]:
    """Subtract two unsigned integers: difference, borrow (1 or 0)."""
    return integer.subtract_with_borrow(a, b)


@TABLE.opcode(
    Opcode.MSAD,
    "msad",
    "u=uuu",
    _INTEGER,
    counts=Counts.UINT,
    spec="inst_MSAD",
    since=(5, 0),
    extension=Extension.SHADERS,
)
def msad(reference: Value, source: Value, total: Value) -> Value:
    """Add the absolute differences of four packed bytes to a sum.

    Bytes whose reference is 0 are skipped. The sum wraps; saturating is allowed too.
    """
    return integer.sum_of_absolute_differences(reference, source, total)
