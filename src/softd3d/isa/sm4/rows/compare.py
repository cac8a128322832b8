"""Comparisons of floats and integers: masks of 0xFFFFFFFF or 0.

Float comparisons flush denormals first; +0 equals -0. Spec: D3D11.3 sections 22.10 and 22.11.
"""

from __future__ import annotations

from softd3d.algebra.value import Value
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_MASK = Controls.PRECISE


@TABLE.opcode(Opcode.EQ, "eq", "m=ff", _MASK, counts=Counts.FLOAT, spec="inst_EQ")
def eq(a: Value, b: Value) -> Value:
    """Whether two floats are equal; false with a NaN."""
    return a.eq(b)


@TABLE.opcode(Opcode.NE, "ne", "m=ff", _MASK, counts=Counts.FLOAT, spec="inst_NE")
def ne(a: Value, b: Value) -> Value:
    """Whether two floats differ; true with a NaN."""
    return a.ne(b)


@TABLE.opcode(Opcode.GE, "ge", "m=ff", _MASK, counts=Counts.FLOAT, spec="inst_GE")
def ge(a: Value, b: Value) -> Value:
    """Whether a float is greater or equal; false with a NaN."""
    return a >= b


@TABLE.opcode(Opcode.LT, "lt", "m=ff", _MASK, counts=Counts.FLOAT, spec="inst_LT")
def lt(a: Value, b: Value) -> Value:
    """Whether a float is less; false with a NaN."""
    return a < b


@TABLE.opcode(Opcode.IEQ, "ieq", "m=ii", _MASK, counts=Counts.INT, spec="inst_IEQ")
def ieq(a: Value, b: Value) -> Value:
    """Whether two integers are equal."""
    return a.eq(b)


@TABLE.opcode(Opcode.INE, "ine", "m=ii", _MASK, counts=Counts.INT, spec="inst_INE")
def ine(a: Value, b: Value) -> Value:
    """Whether two integers differ."""
    return a.ne(b)


@TABLE.opcode(Opcode.IGE, "ige", "m=ii", _MASK, counts=Counts.INT, spec="inst_IGE")
def ige(a: Value, b: Value) -> Value:
    """Whether a signed integer is greater or equal."""
    return a >= b


@TABLE.opcode(Opcode.ILT, "ilt", "m=ii", _MASK, counts=Counts.INT, spec="inst_ILT")
def ilt(a: Value, b: Value) -> Value:
    """Whether a signed integer is less."""
    return a < b


@TABLE.opcode(Opcode.UGE, "uge", "m=uu", _MASK, counts=Counts.UINT, spec="inst_UGE")
def uge(a: Value, b: Value) -> Value:
    """Whether an unsigned integer is greater or equal."""
    return a >= b


@TABLE.opcode(Opcode.ULT, "ult", "m=uu", _MASK, counts=Counts.UINT, spec="inst_ULT")
def ult(a: Value, b: Value) -> Value:
    """Whether an unsigned integer is less."""
    return a < b
