"""Arithmetic by component: moves, sums, products, choices.

Products are the profile's; every step rounds once. Spec: Direct3D 9 shader assembly reference,
"Instructions" of each version.
"""

from __future__ import annotations

from softd3d.algebra import float_rules
from softd3d.algebra.legacy_float import chosen, nearest_address
from softd3d.algebra.operations import select
from softd3d.algebra.value import Value
from softd3d.isa.row import Controls
from softd3d.isa.sm1.comparison import compared
from softd3d.isa.sm1.enums import Comparison, Opcode
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.rows.table import ALWAYS, SM2, SM2X, pure

__all__: list[str] = []


@pure(Opcode.NOP, "nop", "=", vs=ALWAYS, ps=ALWAYS)
def nop(_: Profile) -> tuple[Value, ...]:
    """Do nothing."""
    return ()


@pure(Opcode.MOV, "mov", "f=f", vs=ALWAYS, ps=ALWAYS)
def mov(_: Profile, a: Value) -> Value:
    """Copy a register, denormals and NaN included.

    To a0 as an integer: in vs_1_1 rounded as the profile says, later to the nearest.
    """
    return a


@pure(Opcode.MOVA, "mova", "i=f", vs=SM2)
def mova(_: Profile, a: Value) -> Value:
    """Round to the nearest integer, for the address register.

    Ties go to the even one. NaN gives 0.
    """
    return nearest_address(a)


@pure(Opcode.ADD, "add", "f=ff", vs=ALWAYS, ps=ALWAYS)
def add(_: Profile, a: Value, b: Value) -> Value:
    """Add."""
    return a + b


@pure(Opcode.SUB, "sub", "f=ff", vs=ALWAYS, ps=ALWAYS)
def sub(_: Profile, a: Value, b: Value) -> Value:
    """Subtract.

    Infinity minus infinity is NaN.
    """
    return a - b


@pure(Opcode.MUL, "mul", "f=ff", vs=ALWAYS, ps=ALWAYS)
def mul(p: Profile, a: Value, b: Value) -> Value:
    """Multiply.

    0 times anything is +0 for drivers.
    """
    return p.multiply(a, b)


@pure(Opcode.MAD, "mad", "f=fff", vs=ALWAYS, ps=ALWAYS)
def mad(p: Profile, a: Value, b: Value, c: Value) -> Value:
    """Multiply and add, with a rounding between."""
    return p.multiply(a, b) + c


@pure(Opcode.LRP, "lrp", "f=fff", vs=SM2, ps=ALWAYS)
def lrp(p: Profile, a: Value, b: Value, c: Value) -> Value:
    """Interpolate: s0 * (s1 - s2) + s2.

    The other form, s0 * s1 + (1 - s0) * s2, has other last bits, and other infinities.
    """
    return p.multiply(a, b - c) + c


@pure(Opcode.MIN, "min", "f=ff", vs=ALWAYS, ps=SM2)
def min_(p: Profile, a: Value, b: Value) -> Value:
    """Take the smaller.

    With a NaN the second, except in the profile ieee. Denormals come back as zeros.
    """
    return p.minimum(a, b)


@pure(Opcode.MAX, "max", "f=ff", vs=ALWAYS, ps=SM2)
def max_(p: Profile, a: Value, b: Value) -> Value:
    """Take the larger.

    With a NaN the second, except in the profile ieee. Denormals come back as zeros.
    """
    return p.maximum(a, b)


@pure(Opcode.SLT, "slt", "f=ff", vs=ALWAYS)
def slt(_: Profile, a: Value, b: Value) -> Value:
    """1 where s0 < s1, else 0; 0 with a NaN."""
    return select(a < b, a.like(1.0), 0.0)


@pure(Opcode.SGE, "sge", "f=ff", vs=ALWAYS)
def sge(_: Profile, a: Value, b: Value) -> Value:
    """1 where s0 >= s1, else 0; 0 with a NaN."""
    return select(a >= b, a.like(1.0), 0.0)


@pure(Opcode.CMP, "cmp", "f=fff", ps=((1, 2), None))
def cmp(_: Profile, a: Value, b: Value, c: Value) -> Value:
    """s1 where s0 >= 0, else s2.

    -0 counts as 0; a NaN gives s2. Denormals come back as zeros.
    """
    return chosen(a >= 0.0, b, c)


@pure(Opcode.CND, "cnd", "f=f1ff", Controls.COISSUE, ps=((1, 0), (1, 3)))
def cnd(p: Profile, a: Value, b: Value, c: Value, is_colour_of_pair: bool) -> Value:  # noqa: FBT001
    """s1 where r0.a > 0.5, else s2; a NaN gives s2.

    For drivers always s1, if it is the later half of a co-issued pair and writes more than alpha.
    """
    if is_colour_of_pair and p.pairs_ignore_cnd:
        return b
    return chosen(a > 0.5, b, c)


@pure(Opcode.CND, "cnd", "f=fff", ps=((1, 4), (1, 4)))
def cnd_by_component(_: Profile, a: Value, b: Value, c: Value) -> Value:
    """s1 where s0 > 0.5, else s2; a NaN gives s2."""
    return chosen(a > 0.5, b, c)


@pure(Opcode.ABS, "abs", "f=f", vs=SM2, ps=SM2)
def abs_(_: Profile, a: Value) -> Value:
    """Clear the sign bit, of zeros and NaN too."""
    return abs(a)


@pure(Opcode.SGN, "sgn", "f=fff", vs=SM2)
def sgn(_: Profile, a: Value, _s1: Value, _s2: Value) -> Value:
    """The sign as -1, 0 or 1; s1 and s2 are scratch registers, which keep their values here.

    0 for both zeros; 1 for NaN, as the page's formula has it.
    """
    return select(a < 0.0, -1.0, select(a.eq(0.0), a.like(0.0), 1.0))


@pure(Opcode.FRC, "frc", "f=f", vs=ALWAYS, ps=SM2)
def frc(_: Profile, a: Value) -> Value:
    """Fraction: s0 minus the largest integer not above it.

    NaN for infinities; the rounded difference of a tiny negative number is 1.
    """
    return float_rules.fraction(a)


@pure(Opcode.SETP, "setp", "m=ff", Controls.COMPARISON, vs=SM2X, ps=SM2X, spec="setp-comp")
def setp(_: Profile, a: Value, b: Value, comparison: Comparison) -> Value:
    """Set the predicate from a comparison, per component.

    With a NaN only `ne` holds.
    """
    return compared(comparison, a, b)
