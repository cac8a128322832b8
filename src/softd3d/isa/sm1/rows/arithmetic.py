"""Arithmetic: per component, dot products, matrix macros, elementary functions, choices.

Spec: Direct3D 9 shader assembly reference, "Instructions" of each version.
"""

from __future__ import annotations

from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.rows.table import ALWAYS, SM2, SM2X, SM3, row

__all__: list[str] = []


row(Opcode.NOP, "nop", "=", "Do nothing.", vs=ALWAYS, ps=ALWAYS)
row(
    Opcode.MOV, "mov", "f=f",
    "Copy a register; to a0 in vs_1_1 as an integer, rounded towards minus infinity.",
    vs=ALWAYS, ps=ALWAYS,
)  # fmt: skip
row(
    Opcode.MOVA, "mova", "i=f",
    "Round to the nearest integer, for the address register.", vs=SM2,
)  # fmt: skip
row(Opcode.ADD, "add", "f=ff", "Add.", vs=ALWAYS, ps=ALWAYS)
row(Opcode.SUB, "sub", "f=ff", "Subtract.", vs=ALWAYS, ps=ALWAYS)
row(Opcode.MUL, "mul", "f=ff", "Multiply; 0 times anything is 0.", vs=ALWAYS, ps=ALWAYS)
row(
    Opcode.MAD, "mad", "f=fff",
    "Multiply and add, with a rounding between.", vs=ALWAYS, ps=ALWAYS,
)  # fmt: skip
row(
    Opcode.LRP, "lrp", "f=fff",
    "Interpolate: s0 * (s1 - s2) + s2.", vs=SM2, ps=ALWAYS,
)  # fmt: skip
row(Opcode.MIN, "min", "f=ff", "Take the smaller; with a NaN the second.", vs=ALWAYS, ps=SM2)
row(Opcode.MAX, "max", "f=ff", "Take the larger; with a NaN the second.", vs=ALWAYS, ps=SM2)
row(Opcode.SLT, "slt", "f=ff", "1 where s0 < s1, else 0.", vs=ALWAYS)
row(Opcode.SGE, "sge", "f=ff", "1 where s0 >= s1, else 0.", vs=ALWAYS)
row(
    Opcode.CMP, "cmp", "f=fff",
    "s1 where s0 >= 0, else s2.", ps=((1, 2), None),
)  # fmt: skip
row(
    Opcode.CND, "cnd", "f=fff",
    "s1 where s0 > 0.5, else s2; before ps_1_4 s0 must be r0.a.", ps=((1, 0), (1, 4)),
)  # fmt: skip
row(Opcode.ABS, "abs", "f=f", "Clear the sign.", vs=SM2, ps=SM2)
row(
    Opcode.SGN, "sgn", "f=fff",
    "The sign as -1, 0 or 1; s1 and s2 are scratch registers.", vs=SM2,
)  # fmt: skip
row(
    Opcode.FRC, "frc", "f=f",
    "Fraction: s0 minus the largest integer not above it.", vs=ALWAYS, ps=SM2,
)  # fmt: skip

row(Opcode.DP3, "dp3", "f=f3f3", "Dot product of three components.", vs=ALWAYS, ps=ALWAYS)
row(Opcode.DP4, "dp4", "f=f4f4", "Dot product of four components.", vs=ALWAYS, ps=((1, 2), None))
row(
    Opcode.DP2ADD, "dp2add", "f=f2f2f1",
    "Dot product of two components, plus a scalar.", ps=SM2,
)  # fmt: skip
row(Opcode.CRS, "crs", "x=xx", "Cross product of xyz.", vs=SM2, ps=SM2)
row(Opcode.NRM, "nrm", "x=x", "Divide all components by the length of xyz.", vs=SM2, ps=SM2)
row(Opcode.DST, "dst", "x=xx", "Distance vector: 1, s0.y * s1.y, s0.z, s1.w.", vs=ALWAYS)
row(Opcode.LIT, "lit", "x=x", "Lighting coefficients from dot products and a power.", vs=ALWAYS)
_MATRIX_DOC = "{} dot products of {}: row i of the matrix is register s1 + i."
for _code, _rows, _columns in (
    (Opcode.M4X4, 4, 4),
    (Opcode.M4X3, 3, 4),
    (Opcode.M3X4, 4, 3),
    (Opcode.M3X3, 3, 3),
    (Opcode.M3X2, 2, 3),
):
    row(_code, _code.name.lower(), "x=xx", _MATRIX_DOC.format(_rows, _columns), vs=ALWAYS, ps=SM2)

row(Opcode.RCP, "rcp", "f=f1", "Reciprocal of a scalar.", vs=ALWAYS, ps=SM2)
row(Opcode.RSQ, "rsq", "f=f1", "Reciprocal square root of a scalar's size.", vs=ALWAYS, ps=SM2)
row(Opcode.EXP, "exp", "f=f1", "2 to the power of a scalar.", vs=ALWAYS, ps=SM2)
row(Opcode.LOG, "log", "f=f1", "Base 2 logarithm of a scalar's size.", vs=ALWAYS, ps=SM2)
row(
    Opcode.EXPP, "expp", "f=f1",
    "2 to the power of a scalar, to 10 bits; in vs_1_1 with its parts.", vs=ALWAYS,
)  # fmt: skip
row(
    Opcode.LOGP, "logp", "f=f1",
    "Base 2 logarithm of a scalar's size, to 10 bits; in vs_1_1 with its parts.", vs=ALWAYS,
)  # fmt: skip
row(Opcode.POW, "pow", "f=f1f1", "The size of a scalar to the power of another.", vs=SM2, ps=SM2)
_SM2_ONLY = ((2, 0), (2, 255))
row(
    Opcode.SINCOS, "sincos", "x=f1xx",
    "Cosine to x and sine to y; s1 and s2 are the constants of the series.",
    vs=_SM2_ONLY, ps=_SM2_ONLY,
)  # fmt: skip
row(Opcode.SINCOS, "sincos", "x=f1", "Cosine to x and sine to y.", vs=SM3, ps=SM3)
row(Opcode.DSX, "dsx", "f=f", "Rate of change in the direction of screen x.", ps=SM2X)
row(Opcode.DSY, "dsy", "f=f", "Rate of change in the direction of screen y.", ps=SM2X)
row(
    Opcode.BEM, "bem", "x=xx",
    "Add s1.xy, turned by the bump matrix of the destination's stage, to s0.xy.",
    ps=((1, 4), (1, 4)),
)  # fmt: skip
