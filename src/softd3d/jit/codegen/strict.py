"""Float32 primitives for kernels that hold float64: denormals are flushed by explicit code.

Flush-to-zero hardware modes also flush doubles, which Direct3D forbids. So such kernels run in the
default mode, and each float32 primitive flushes what it reads and returns. Whether a rounded result
is tiny is decided at a scale where no denormals arise: the same decision as the hardware's.
"""

from __future__ import annotations

from softd3d.algebra.float_rules import flush
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, U32, DataType, Value
from softd3d.jit.codegen.processors import Emitting, Primitives

__all__ = ["apply", "needs_care"]

_ARITHMETIC = frozenset(
    {"add", "sub", "mul", "div", "fma", "sqrt", "floor", "ceil", "trunc", "rint"}
)
_READING = frozenset({"lt", "ge", "eq", "ne", "f32_to_f64"})
_SCALE, _SCALED_MIN = 2.0**64, 2.0**-62
_TINY = 2.0**-126 - 2.0**-151


def needs_care(op: str, type_: DataType, operands: list[tuple[DataType, str]]) -> bool:
    """True for float32 primitives that must flush."""
    if op == "f64_to_f32":
        return True
    is_float32 = bool(operands) and operands[0][0] is F32
    return is_float32 and ((op in _ARITHMETIC and type_ is F32) or op in _READING)


def apply(
    primitives: Primitives,
    op: str,
    type_: DataType,
    operands: list[tuple[DataType, str]],
    lanes: int,
) -> str:
    """Emit a float32 primitive with flushes; return the result's name."""
    k = Emitting(primitives, lanes)
    values = k.values(operands)
    if op == "f64_to_f32":
        result = k.apply(op, type_, values)
        return _zero_if(abs(values[0]) < _TINY, result).raw
    values = tuple(flush(v) for v in values)
    result = k.apply(op, type_, values)
    if op in _READING:
        return result.raw
    if op not in ("mul", "div", "fma"):
        return flush(result).raw
    scaled = k.apply(op, type_, _scaled(op, values))
    return _zero_if(abs(scaled) < _SCALED_MIN, result).raw


def _scaled(op: str, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return operands whose result is 2**64 times as large."""
    a, b, *rest = values
    if op == "div":
        return a * _SCALE, b
    smaller = abs(a) < abs(b)  # scaling the smaller factor cannot overflow a tiny product
    factors = select(smaller, a * _SCALE, a), select(smaller, b, b * _SCALE)
    return (*factors, *(c * _SCALE for c in rest))


def _zero_if(condition: Value, result: Value) -> Value:
    zero = bitcast(bitcast(result, U32) & 0x80000000, F32)
    return select(condition, zero, result)
