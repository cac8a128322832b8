"""Elementary functions of a scalar, and derivatives.

A scalar source takes one component. Errors: those of `algebra/elementary.py`, also where a page
allows 10 bits. Spec: Direct3D 9 shader assembly reference, "Instructions" of each version.
"""

from __future__ import annotations

from softd3d.algebra import elementary
from softd3d.algebra.legacy_float import fraction_and_power
from softd3d.algebra.value import Value
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.rows.table import ALWAYS, SM2, SM3, Since, pure

__all__: list[str] = []

_SM1: Since = ((1, 0), (1, 1))
_SM2_ONLY: Since = ((2, 0), (2, 255))


@pure(Opcode.RCP, "rcp", "f=f1", vs=ALWAYS, ps=SM2)
def rcp(p: Profile, a: Value) -> Value:
    """Reciprocal of a scalar.

    Exact for 1; of 0 it is FLT_MAX, or infinity in the profile ieee.
    """
    return p.reciprocal(a)


@pure(Opcode.RSQ, "rsq", "f=f1", vs=ALWAYS, ps=SM2)
def rsq(p: Profile, a: Value) -> Value:
    """Reciprocal square root of a scalar's size.

    Exact for 1; of 0 it is FLT_MAX, or infinity in the profile ieee.
    """
    return p.reciprocal_sqrt(a)


@pure(Opcode.EXP, "exp", "f=f1", vs=ALWAYS, ps=SM2)
def exp(_: Profile, a: Value) -> Value:
    """2 to the power of a scalar.

    Integers give exact powers; results below 2**-126 are 0.
    """
    return elementary.exp2(a)


@pure(Opcode.LOG, "log", "f=f1", vs=ALWAYS, ps=SM2)
def log(p: Profile, a: Value) -> Value:
    """Base 2 logarithm of a scalar's size.

    Of 0 it is -FLT_MAX, or -infinity in the profile ieee.
    """
    return p.logarithm(a)


@pure(Opcode.EXPP, "expp", "x=f1", vs=_SM1)
def expp_parts(_: Profile, a: Value) -> tuple[Value, ...]:
    """2 to the power of a scalar, with its parts: 2**floor(s0), s0 - floor(s0), 2**s0, 1."""
    return fraction_and_power(a)


@pure(Opcode.EXPP, "expp", "f=f1", vs=SM2)
def expp(_: Profile, a: Value) -> Value:
    """2 to the power of a scalar; 10 bits would be enough."""
    return elementary.exp2(a)


@pure(Opcode.LOGP, "logp", "x=f1", vs=_SM1)
def logp_parts(p: Profile, a: Value) -> tuple[Value, ...]:
    """Base 2 logarithm of a scalar's size, with its parts: exponent, mantissa, logarithm, 1.

    The mantissa is at least 1 and below 2. In the profile documented all four are the logarithm.
    """
    return p.logarithm_parts(a)


@pure(Opcode.LOGP, "logp", "f=f1", vs=SM2)
def logp(p: Profile, a: Value) -> Value:
    """Base 2 logarithm of a scalar's size; 10 bits would be enough."""
    return p.logarithm(a)


@pure(Opcode.POW, "pow", "f=f1f1", vs=SM2, ps=SM2)
def pow_(p: Profile, a: Value, b: Value) -> Value:
    """The size of a scalar to the power of another.

    For drivers 2**(s1 * log2|s0|) with their product and logarithm; else by IEEE 754. Both give 1
    for a power of 0.
    """
    return p.power(a, b)


@pure(Opcode.SINCOS, "sincos", "x=f1xx", vs=_SM2_ONLY, ps=_SM2_ONLY)
def sincos_by_series(_: Profile, a: Value, _s1: object, _s2: object) -> tuple[Value, Value]:
    """Cosine to x and sine to y; s1 and s2, the constants of hardware's series, are not needed.

    The page leaves z, and of x and y what is not written, undefined: all keep their values here.
    """
    sine, cosine = elementary.sincos(a)
    return cosine, sine


@pure(Opcode.SINCOS, "sincos", "x=f1", vs=SM3, ps=SM3)
def sincos(_: Profile, a: Value) -> tuple[Value, Value]:
    """Cosine to x and sine to y.

    Exact to 2 units in the last place, also outside [-pi, pi], where the page promises nothing.
    """
    sine, cosine = elementary.sincos(a)
    return cosine, sine
