"""Double precision: one float64 in each register pair, low dword first.

IEEE 754, nearest even, denormals honoured. Spec: D3D11.3 sections 3.1.4 and 22.14.
"""

from __future__ import annotations

from softd3d.algebra import float_rules
from softd3d.algebra.operations import convert, fma
from softd3d.algebra.value import F32, F64, Value
from softd3d.isa.roles import Counts, Extension
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_FLOAT = Controls.SATURATE | Controls.PRECISE
_PRECISE = Controls.PRECISE
_VERSION = (5, 0)


@TABLE.opcode(
    Opcode.DADD, "dadd", "d=dd", _FLOAT, counts=Counts.NONE, spec="inst_DADD", since=_VERSION
)
def dadd(a: Value, b: Value) -> Value:
    """Add two doubles."""
    return a + b


@TABLE.opcode(
    Opcode.DMUL, "dmul", "d=dd", _FLOAT, counts=Counts.NONE, spec="inst_DMUL", since=_VERSION
)
def dmul(a: Value, b: Value) -> Value:
    """Multiply two doubles."""
    return a * b


@TABLE.opcode(
    Opcode.DDIV,
    "ddiv",
    "d=dd",
    _FLOAT,
    counts=Counts.NONE,
    spec="inst_DDIV",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def ddiv(a: Value, b: Value) -> Value:
    """Divide two doubles, correctly rounded. Needs the 11.1 double extensions."""
    return a / b


@TABLE.opcode(
    Opcode.DFMA,
    "dfma",
    "d=ddd",
    _FLOAT,
    counts=Counts.FLOAT,
    spec="inst_DFMA",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def dfma(a: Value, b: Value, c: Value) -> Value:
    """Multiply two doubles and add a third, rounded once. Needs the 11.1 double extensions."""
    return fma(a, b, c)


@TABLE.opcode(
    Opcode.DRCP,
    "drcp",
    "d=d",
    _FLOAT,
    counts=Counts.NONE,
    spec="inst_DRCP",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def drcp(a: Value) -> Value:
    """One divided by a double, correctly rounded (1 ULP is allowed).

    Needs the 11.1 double extensions.
    """
    return 1.0 / a


@TABLE.opcode(
    Opcode.DMIN, "dmin", "d=dd", _FLOAT, counts=Counts.NONE, spec="inst_DMIN", since=_VERSION
)
def dmin(a: Value, b: Value) -> Value:
    """Smaller of two doubles; a number wins over a NaN, -0 is below +0."""
    return float_rules.minimum(a, b)


@TABLE.opcode(
    Opcode.DMAX, "dmax", "d=dd", _FLOAT, counts=Counts.NONE, spec="inst_DMAX", since=_VERSION
)
def dmax(a: Value, b: Value) -> Value:
    """Larger of two doubles; a number wins over a NaN, +0 is above -0."""
    return float_rules.maximum(a, b)


@TABLE.opcode(
    Opcode.DEQ, "deq", "m=dd", _PRECISE, counts=Counts.NONE, spec="inst_DEQ", since=_VERSION
)
def deq(a: Value, b: Value) -> Value:
    """Whether two doubles are equal; false with a NaN. One mask for each double."""
    return a.eq(b)


@TABLE.opcode(
    Opcode.DNE, "dne", "m=dd", _PRECISE, counts=Counts.NONE, spec="inst_DNE", since=_VERSION
)
def dne(a: Value, b: Value) -> Value:
    """Whether two doubles differ; true with a NaN. One mask for each double."""
    return a.ne(b)


@TABLE.opcode(
    Opcode.DGE, "dge", "m=dd", _PRECISE, counts=Counts.NONE, spec="inst_DGE", since=_VERSION
)
def dge(a: Value, b: Value) -> Value:
    """Whether a double is greater or equal; false with a NaN. One mask for each double."""
    return a >= b


@TABLE.opcode(
    Opcode.DLT, "dlt", "m=dd", _PRECISE, counts=Counts.NONE, spec="inst_DLT", since=_VERSION
)
def dlt(a: Value, b: Value) -> Value:
    """Whether a double is less; false with a NaN. One mask for each double."""
    return a < b


@TABLE.opcode(
    Opcode.DTOF, "dtof", "f=d", _FLOAT, counts=Counts.CONVERSION, spec="inst_DTOF", since=_VERSION
)
def dtof(a: Value) -> Value:
    """Double to the nearest float; float denormals become zeros."""
    return convert(a, F32)


@TABLE.opcode(
    Opcode.FTOD, "ftod", "d=f", _FLOAT, counts=Counts.CONVERSION, spec="inst_FTOD", since=_VERSION
)
def ftod(a: Value) -> Value:
    """Float to double, exactly; float denormals become zeros."""
    return convert(a, F64)


@TABLE.opcode(
    Opcode.DTOI,
    "dtoi",
    "i=d",
    _PRECISE,
    counts=Counts.CONVERSION,
    spec="inst_DTOI",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def dtoi(a: Value) -> Value:
    """Double to signed integer, towards zero; clamped, NaN gives 0.

    Needs the 11.1 double extensions.
    """
    return float_rules.float_to_int32(a)


@TABLE.opcode(
    Opcode.DTOU,
    "dtou",
    "u=d",
    _PRECISE,
    counts=Counts.CONVERSION,
    spec="inst_DTOU",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def dtou(a: Value) -> Value:
    """Double to unsigned integer, towards zero; clamped, NaN gives 0.

    Needs the 11.1 double extensions.
    """
    return float_rules.float_to_uint32(a)


@TABLE.opcode(
    Opcode.ITOD,
    "itod",
    "d=i",
    _PRECISE,
    counts=Counts.CONVERSION,
    spec="inst_ITOD",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def itod(a: Value) -> Value:
    """Signed integer to double, exactly. Needs the 11.1 double extensions."""
    return convert(a, F64)


@TABLE.opcode(
    Opcode.UTOD,
    "utod",
    "d=u",
    _PRECISE,
    counts=Counts.CONVERSION,
    spec="inst_UTOD",
    since=_VERSION,
    extension=Extension.DOUBLES,
)
def utod(a: Value) -> Value:
    """Unsigned integer to double, exactly. Needs the 11.1 double extensions."""
    return convert(a, F64)
