"""Which float32 values are no denormals, whatever the lanes hold."""

from __future__ import annotations

from softd3d.algebra.value import F32
from softd3d.ir.graph import Node

__all__ = ["is_flushed"]

_FLUSHING = frozenset(
    {"add", "sub", "mul", "div", "fma", "sqrt", "floor", "ceil", "trunc", "rint", "i32_to_f32",
     "u32_to_f32", "f64_to_f32"}
)  # fmt: skip
_SMALLEST = 0x00800000  # bits of the smallest normal number
_DEEPEST = 8  # steps back from a value; what is further away may be anything


def is_flushed(node: Node, depth: int = 0) -> bool:
    """True for what arithmetic has made, and for choices of such values and constants."""
    if node.is_const:
        magnitude = node.attr & 0x7FFFFFFF
        return magnitude == 0 or magnitude >= _SMALLEST
    if depth > _DEEPEST or node.type is not F32:
        return False
    if node.op in ("neg", "abs", "select"):
        return all(is_flushed(a, depth + 1) for a in node.args[node.op == "select" :])
    return node.op in _FLUSHING
