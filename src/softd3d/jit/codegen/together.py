"""Accesses of all parts of a wave at once, where one comparison tells that all lanes are valid.

Nearly always they are. Then no part needs a mask, and the addresses of parts are a constant apart:
without this, finding out what is valid took matmul three times as long as loading it.
"""

from __future__ import annotations

from softd3d.algebra.value import U32
from softd3d.ir.analysis import UNIFORM
from softd3d.ir.graph import Node
from softd3d.jit.codegen.types import constant
from softd3d.jit.codegen.values import ValueEmitter

__all__ = ["TogetherEmitter"]


class TogetherEmitter(ValueEmitter):
    """Tells whether conditions hold in all lanes of a wave."""

    def everywhere(self, condition: Node) -> str | None:
        """Return whether a condition holds in all lanes of all parts, a scalar.

        None if that is not the question whether numbers that count up are below a bound.
        """
        if self._is_uniform_in_wave(condition):
            return self.unshifted(condition)
        if condition.op == "and":
            return self._both(*map(self.everywhere, condition.args))
        return self._all_below(*condition.args) if condition.op == "lt" else None

    def _both(self, a: str | None, b: str | None) -> str | None:
        if a is None or b is None or "true" in (a, b):
            return b if a == "true" else a if b == "true" else None
        return self.w.emit(f"and i1 {a}, {b}")

    def _all_below(self, number: Node, bound: Node) -> str | None:
        """Return whether numbers are below a bound: the first one is, by the span of all."""
        step, growth = self.shapes.of(number), self.growth(number)
        if (
            number.type is not U32 or number.number in self.names.apart
            or step is None or step < 0 or growth < 0
            or not self._is_uniform_in_wave(bound)
        ):  # fmt: skip
            return None
        span, w = step * (self.lanes - 1) + growth * (self.parts - 1), self.w
        if bound.is_const:
            limit = constant(U32, max(bound.attr - span, 0), 0)
        else:
            w.declare("declare i32 @llvm.usub.sat.i32(i32, i32)")
            limit = w.emit(f"call i32 @llvm.usub.sat.i32(i32 {self.unshifted(bound)}, i32 {span})")
        return w.emit(f"icmp ult i32 {self.unshifted(number)}, {limit}")

    def _is_uniform_in_wave(self, node: Node) -> bool:
        return (self.shapes.whole or self.shapes).of(node) == UNIFORM
