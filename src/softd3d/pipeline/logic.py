"""Logic operations on the bits of integer targets. Spec: D3D11.3 section 17.7."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.value import Value
from softd3d.pipeline.state.enums import LogicOp

__all__ = ["logic_result", "uses_destination_bits"]

_ALL_BITS = 0xFFFFFFFF
_WITHOUT_DESTINATION = (LogicOp.CLEAR, LogicOp.SET, LogicOp.COPY, LogicOp.COPY_INVERTED)


def logic_result(operation: LogicOp, source: Value, destination: Value) -> Value:
    """Return the bits (uint32) of an operation, over all 32 bits."""
    return _OPERATIONS[operation](source, destination)


def uses_destination_bits(operation: LogicOp) -> bool:
    """Whether the result depends on what the target holds."""
    return operation not in _WITHOUT_DESTINATION


_OPERATIONS: dict[LogicOp, Callable[[Value, Value], Value]] = {
    LogicOp.CLEAR: lambda s, _: s.like(0),
    LogicOp.SET: lambda s, _: s.like(_ALL_BITS),
    LogicOp.COPY: lambda s, _: s,
    LogicOp.COPY_INVERTED: lambda s, _: ~s,
    LogicOp.NOOP: lambda _, d: d,
    LogicOp.INVERT: lambda _, d: ~d,
    LogicOp.AND: lambda s, d: s & d,
    LogicOp.NAND: lambda s, d: ~(s & d),
    LogicOp.OR: lambda s, d: s | d,
    LogicOp.NOR: lambda s, d: ~(s | d),
    LogicOp.XOR: lambda s, d: s ^ d,
    LogicOp.EQUIV: lambda s, d: ~(s ^ d),
    LogicOp.AND_REVERSE: lambda s, d: s & ~d,
    LogicOp.AND_INVERTED: lambda s, d: ~s & d,
    LogicOp.OR_REVERSE: lambda s, d: s | ~d,
    LogicOp.OR_INVERTED: lambda s, d: ~s | d,
}
