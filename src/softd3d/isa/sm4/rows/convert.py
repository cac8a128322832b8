"""Conversions between float32, integers and float16. Spec: D3D11.3 sections 3.2 and 22.13."""

from __future__ import annotations

from softd3d.algebra import float_rules
from softd3d.algebra.operations import convert
from softd3d.algebra.value import F32, Value
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_PRECISE = Controls.PRECISE


@TABLE.opcode(Opcode.FTOI, "ftoi", "i=f", _PRECISE, counts=Counts.CONVERSION, spec="inst_FTOI")
def ftoi(a: Value) -> Value:
    """Float to signed integer, towards zero.

    Out of range is clamped; NaN gives 0.
    """
    return float_rules.float_to_int32(a)


@TABLE.opcode(Opcode.FTOU, "ftou", "u=f", _PRECISE, counts=Counts.CONVERSION, spec="inst_FTOU")
def ftou(a: Value) -> Value:
    """Float to unsigned integer, towards zero.

    Out of range is clamped, negative numbers to 0; NaN gives 0.
    """
    return float_rules.float_to_uint32(a)


@TABLE.opcode(Opcode.ITOF, "itof", "f=i", _PRECISE, counts=Counts.CONVERSION, spec="inst_ITOF")
def itof(a: Value) -> Value:
    """Signed integer to the nearest float, ties to even."""
    return convert(a, F32)


@TABLE.opcode(Opcode.UTOF, "utof", "f=u", _PRECISE, counts=Counts.CONVERSION, spec="inst_UTOF")
def utof(a: Value) -> Value:
    """Unsigned integer to the nearest float, ties to even."""
    return convert(a, F32)


@TABLE.opcode(
    Opcode.F32TOF16, "f32tof16", "u=f", _PRECISE, counts=Counts.NONE, spec="inst_F32TOF16",
    since=(5, 0),
)  # fmt: skip
def f32tof16(a: Value) -> Value:
    """Float32 to float16 in the low half, zeros in the high half.

    Rounded towards zero: finite numbers never give infinity. Float16 denormals are produced.
    """
    return float_rules.float32_to_float16(a)


@TABLE.opcode(
    Opcode.F16TOF32, "f16tof32", "f=u", _PRECISE, counts=Counts.NONE, spec="inst_F16TOF32",
    since=(5, 0),
)  # fmt: skip
def f16tof32(a: Value) -> Value:
    """Float16 in the low half to float32, exactly; the high half is ignored."""
    return float_rules.float16_to_float32(a)
