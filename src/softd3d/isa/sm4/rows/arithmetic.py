"""Float32 arithmetic: add to sincos.

Every primitive flushes denormal operands and results and rounds to nearest even. Spec: D3D11.3
sections 3.1 and 22.10.
"""

from __future__ import annotations

from softd3d.algebra import elementary, float_rules
from softd3d.algebra.operations import ceil, floor, fma, rint, sqrt, trunc
from softd3d.algebra.value import Value
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_FLOAT = Controls.SATURATE | Controls.PRECISE

Vector = tuple[Value, ...]


@TABLE.opcode(Opcode.ADD, "add", "f=ff", _FLOAT, counts=Counts.FLOAT, spec="inst_ADD")
def add(a: Value, b: Value) -> Value:
    """Add two floats."""
    return a + b


@TABLE.opcode(Opcode.MUL, "mul", "f=ff", _FLOAT, counts=Counts.FLOAT, spec="inst_MUL")
def mul(a: Value, b: Value) -> Value:
    """Multiply two floats.

    0 times infinity is NaN. Never fused with an addition that follows.
    """
    return a * b


@TABLE.opcode(Opcode.MAD, "mad", "f=fff", _FLOAT, counts=Counts.FLOAT, spec="inst_MAD")
def mad(a: Value, b: Value, c: Value) -> Value:
    """Multiply two floats and add a third.

    Rounded once; two roundings are allowed too, so hardware may differ in the last bit.
    """
    return fma(a, b, c)


@TABLE.opcode(Opcode.DIV, "div", "f=ff", _FLOAT, counts=Counts.FLOAT, spec="inst_DIV")
def div(a: Value, b: Value) -> Value:
    """Divide two floats.

    Correctly rounded; multiplying by a reciprocal is allowed too. x / 0 is infinity, 0 / 0 NaN.
    """
    return a / b


def dot(a: Vector, b: Vector) -> Value:
    """Return the dot product: the product of x, then a fused multiply-add for each of y, z, w."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = fma(x, y, total)
    return total


@TABLE.opcode(Opcode.DP2, "dp2", "f=f2f2", _FLOAT, counts=Counts.FLOAT, spec="inst_DP2")
def dp2(a: Vector, b: Vector) -> Value:
    """Dot product of the x and y components.

    x first, then y by a fused multiply-add.
    """
    return dot(a, b)


@TABLE.opcode(Opcode.DP3, "dp3", "f=f3f3", _FLOAT, counts=Counts.FLOAT, spec="inst_DP3")
def dp3(a: Vector, b: Vector) -> Value:
    """Dot product of the x, y and z components.

    x first, then y and z by fused multiply-adds. _sat applies to the sum only.
    """
    return dot(a, b)


@TABLE.opcode(Opcode.DP4, "dp4", "f=f4f4", _FLOAT, counts=Counts.FLOAT, spec="inst_DP4")
def dp4(a: Vector, b: Vector) -> Value:
    """Dot product of all four components.

    x first, then y, z and w by fused multiply-adds. _sat applies to the sum only.
    """
    return dot(a, b)


@TABLE.opcode(Opcode.EXP, "exp", "f=f", _FLOAT, counts=Counts.FLOAT, spec="inst_EXP")
def exp(a: Value) -> Value:
    """Two to the power of a float.

    Integers give exact powers; results below 2**-126 are 0. Allowed error: 2**-21, relative.
    """
    return elementary.exp2(a)


@TABLE.opcode(Opcode.LOG, "log", "f=f", _FLOAT, counts=Counts.FLOAT, spec="inst_LOG")
def log(a: Value) -> Value:
    """Logarithm to base two.

    Zeros and denormals give -infinity, negative numbers NaN. Allowed error: 2**-21, absolute for
    operands from 0.5 to 2 and relative elsewhere.
    """
    return elementary.log2(a)


@TABLE.opcode(Opcode.RCP, "rcp", "f=f", _FLOAT, counts=Counts.NONE, spec="inst_RCP", since=(5, 0))
def rcp(a: Value) -> Value:
    """One divided by a float.

    Correctly rounded; the allowed error is 2**-21, relative.
    """
    return elementary.reciprocal(a)


@TABLE.opcode(Opcode.RSQ, "rsq", "f=f", _FLOAT, counts=Counts.FLOAT, spec="inst_RSQ")
def rsq(a: Value) -> Value:
    """One divided by the square root of a float.

    Zeros and denormals give infinity of their sign, negative numbers NaN. Allowed error: 2**-21,
    relative.
    """
    return elementary.reciprocal_sqrt(a)


@TABLE.opcode(Opcode.SQRT, "sqrt", "f=f", _FLOAT, counts=Counts.FLOAT, spec="inst_SQRT")
def sqrt_(a: Value) -> Value:
    """Square root.

    Correctly rounded; -0 gives -0, negative numbers NaN. Allowed error: 1 ULP.
    """
    return sqrt(a)


@TABLE.opcode(Opcode.SINCOS, "sincos", "ff=f", _FLOAT, counts=Counts.FLOAT, spec="inst_SINCOS")
def sincos(a: Value) -> tuple[Value, Value]:
    """Sine and cosine of an angle in radians.

    Infinities give NaN. Allowed error: 0.0008 up to 100 pi; no rule for larger operands.
    """
    return elementary.sincos(a)


@TABLE.opcode(Opcode.MIN, "min", "f=ff", _FLOAT, counts=Counts.FLOAT, spec="inst_MIN")
def min_(a: Value, b: Value) -> Value:
    """Smaller of two floats.

    A number wins over a NaN; -0 is below +0; denormals come back as zeros.
    """
    return float_rules.minimum(a, b)


@TABLE.opcode(Opcode.MAX, "max", "f=ff", _FLOAT, counts=Counts.FLOAT, spec="inst_MAX")
def max_(a: Value, b: Value) -> Value:
    """Larger of two floats.

    A number wins over a NaN; +0 is above -0; denormals come back as zeros.
    """
    return float_rules.maximum(a, b)


@TABLE.opcode(
    Opcode.FRC, "frc", "f=f", _FLOAT, counts=Counts.FLOAT | Counts.CONVERSION, spec="inst_FRC"
)
def frc(a: Value) -> Value:
    """Fractional part: a float minus the largest integer that is not above it.

    -0 gives +0, infinities NaN. The rounded difference of a tiny negative number is 1.
    """
    return float_rules.fraction(a)


@TABLE.opcode(
    Opcode.ROUND_NE, "round_ne", "f=f", _FLOAT, counts=Counts.FLOAT | Counts.CONVERSION,
    spec="inst_ROUND_NE",
)  # fmt: skip
def round_ne(a: Value) -> Value:
    """Round to the nearest integer, ties to even; the sign of a zero result is kept."""
    return rint(a)


@TABLE.opcode(
    Opcode.ROUND_NI, "round_ni", "f=f", _FLOAT, counts=Counts.FLOAT | Counts.CONVERSION,
    spec="inst_ROUND_NI",
)  # fmt: skip
def round_ni(a: Value) -> Value:
    """Round towards minus infinity; -0 stays -0."""
    return floor(a)


@TABLE.opcode(
    Opcode.ROUND_PI, "round_pi", "f=f", _FLOAT, counts=Counts.FLOAT | Counts.CONVERSION,
    spec="inst_ROUND_PI",
)  # fmt: skip
def round_pi(a: Value) -> Value:
    """Round towards plus infinity; numbers between -1 and -0 give -0."""
    return ceil(a)


@TABLE.opcode(
    Opcode.ROUND_Z, "round_z", "f=f", _FLOAT, counts=Counts.FLOAT | Counts.CONVERSION,
    spec="inst_ROUND_Z",
)  # fmt: skip
def round_z(a: Value) -> Value:
    """Round towards zero; numbers between -1 and -0 give -0."""
    return trunc(a)
