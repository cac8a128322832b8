"""Primitives where processors differ, as code that gives the same bits on all of them.

* Without FMA (x86 before 2013) and without SSE4.1, LLVM would call the C library for `fma` and
  `floor`: slow, and as right and as flushing as the library is. Here they are vector code.
* In flush mode, Arm decides before rounding whether a result is tiny, x86 after. They differ for
  exact values from 2^-126 - 2^-151 up to 2^-126, which only products and fused sums can have: a
  quotient of 24-bit numbers is not so near to a power of two, and a tiny sum is exact.
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, convert, high32, low32, pack64, select
from softd3d.algebra.value import F32, F64, U32, DataType, Value
from softd3d.ir.recorder import Recorder
from softd3d.jit.codegen.fma64 import fma64
from softd3d.jit.codegen.types import constant, llvm_type, primitive
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.compiling.target import Processor

__all__ = ["Emitting", "Primitives"]

_ROUNDING = frozenset({"floor", "ceil", "trunc", "rint"})
# The bits that a float64 has and a float32 has not: their lower dword, and the middle between two.
_BELOW_F32, _MIDDLE = (1 << 29) - 1, 1 << 28
_STEP = 2.0**-40  # of a float64: more than its last bit, less than half of a float32's
_SCALE, _SCALED_MIN, _MIN_BITS = 2.0**24, 2.0**-102, 0x00800000


class Primitives:
    """Emits primitives for a processor. flushes: the code runs in flush mode."""

    def __init__(self, w: Writer, processor: Processor, *, flushes: bool) -> None:
        self.w = w
        self.processor = processor
        self.is_early = processor.flushes_early and flushes

    def apply(
        self, op: str, type_: DataType, operands: list[tuple[DataType, str]], lanes: int
    ) -> str:
        """Emit one primitive on scalars (lanes 0) or vectors; return the result's name."""
        plain = _Plain(self, lanes)
        if op == "fma" and not self.processor.fuses:
            if type_ is F64:
                return self._fma64([name for _, name in operands], lanes)
            return _fused(*plain.values(operands)).raw
        if op in _ROUNDING and not self.processor.rounds:
            return _rounded(op, *plain.values(operands)).raw
        if self.is_early and op in ("mul", "fma") and type_ is F32:
            return _tiny_after_rounding(op, plain.values(operands)).raw
        return plain.native(op, type_, operands)

    def _fma64(self, operands: list[str], lanes: int) -> str:
        """Call our function for each lane."""
        w = self.w
        w.declare(fma64())
        call = "call double @softd3d_fma64("
        if not lanes:
            return w.emit(call + ", ".join(f"double {name}" for name in operands) + ")")
        ty, result = llvm_type(F64, lanes), "poison"
        for lane in range(lanes):
            parts = [w.emit(f"extractelement {ty} {name}, i32 {lane}") for name in operands]
            one = w.emit(call + ", ".join(f"double {name}" for name in parts) + ")")
            result = w.emit(f"insertelement {ty} {result}, double {one}, i32 {lane}")
        return result


class Emitting:
    """An algebra whose values are LLVM names: evaluating emits code."""

    def __init__(self, primitives: Primitives, lanes: int) -> None:
        self.primitives = primitives
        self.lanes = lanes

    def const(self, type_: DataType, value: float) -> Value:
        node = Recorder().const(type_, value).raw
        return Value(self, type_, constant(type_, node.attr, self.lanes))

    def values(self, operands: list[tuple[DataType, str]]) -> tuple[Value, ...]:
        return tuple(Value(self, type_, name) for type_, name in operands)

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        operands = [(a.type, a.raw) for a in args]
        return Value(self, type_, self.primitives.apply(name, type_, operands, self.lanes))


class _Plain(Emitting):
    """The same, with nothing but what LLVM makes of primitives."""

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        return Value(self, type_, self.native(name, type_, [(a.type, a.raw) for a in args]))

    def native(self, name: str, type_: DataType, operands: list[tuple[DataType, str]]) -> str:
        w = self.primitives.w
        return primitive(w.emit, w.declare, name, type_, operands, self.lanes)


def _fused(a: Value, b: Value, c: Value) -> Value:
    """Return a * b + c in float32, rounded once: the interpreter's way, in float64.

    The product is exact. Rounding the sum twice goes wrong only where the first rounding meets the
    middle between two float32 numbers; the sum is moved off it, towards the exact one.
    """
    # LLVM would widen a literal without flushing it.
    a, b, c = (convert(x.k.apply("fence", F32, (x,)), F64) for x in (a, b, c))
    product = a * b
    total = product + c
    rest = total - product
    error = (product - (total - rest)) + (c - rest)  # exact; NaN for infinities
    is_middle = (low32(total) & _BELOW_F32).eq(_MIDDLE)
    step = abs(total) * _STEP
    moved = total + select(error > 0.0, step, select(error < 0.0, -step, error.like(0.0)))
    return select(is_middle, convert(moved, F32), convert(total, F32))


def _rounded(op: str, x: Value) -> Value:
    """Return x rounded to a whole number, with its sign."""
    limit, one, zero = x.like(2.0**23 if x.type is F32 else 2.0**52), x.like(1.0), x.like(0.0)
    size = abs(x)
    nearest = (size + limit) - limit  # no fraction has room beside the limit
    lower = nearest - select(nearest > size, one, zero)
    upper = nearest + select(nearest < size, one, zero)
    is_negative = x < 0.0
    whole = {
        "rint": nearest,
        "trunc": lower,
        "floor": select(is_negative, upper, lower),
        "ceil": select(is_negative, lower, upper),
    }[op]
    return select(size < limit, _signed(whole, x), x)


def _signed(size: Value, like: Value) -> Value:
    """Return a number that is not negative with the sign of another."""
    if size.type is F64:
        sign = high32(like) & 0x80000000
        return pack64(low32(size), high32(size) | sign)
    return bitcast(bitcast(size, U32) | (bitcast(like, U32) & 0x80000000), F32)


def _tiny_after_rounding(op: str, values: tuple[Value, ...]) -> Value:
    """Return a product or fused sum: where it was flushed too early, the smallest normal number.

    2^24 times as large, it is exactly 2^-102 then. Nothing overflows where that can be: a factor of
    a result so small is below 2^24.
    """
    a, b, *rest = values
    k = a.k
    result = k.apply(op, F32, values)
    scaled = k.apply(op, F32, (a * _SCALE, b, *(c * _SCALE for c in rest)))
    bits = bitcast(result, U32)
    missing = select(abs(scaled).eq(_SCALED_MIN), bits.like(_MIN_BITS), bits.like(0))
    return bitcast(bits | missing, F32)
