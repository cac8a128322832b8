"""Moves: copies of bits. Float modifiers and _sat are applied by whoever evaluates the row.

Spec: D3D11.3 section 22.14; a condition is true if any of its 32 bits is set, so -0.0 is true.
"""

from __future__ import annotations

from softd3d.algebra.operations import select
from softd3d.algebra.value import Value
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_MOVE = Controls.SATURATE | Controls.PRECISE


@TABLE.opcode(Opcode.MOV, "mov", "b=b", _MOVE, counts=Counts.MOV, spec="inst_MOV")
def mov(a: Value) -> Value:
    """Copy 32 bits, whatever they mean."""
    return a


@TABLE.opcode(Opcode.MOVC, "movc", "b=ubb", _MOVE, counts=Counts.MOVC, spec="inst_MOVC")
def movc(condition: Value, a: Value, b: Value) -> Value:
    """Copy the second source where any bit of the first is set, else the third."""
    return select(condition.ne(0), a, b)


@TABLE.opcode(
    Opcode.SWAPC, "swapc", "bb=ubb", _MOVE, counts=Counts.NONE, spec="inst_SWAPC", since=(5, 0)
)
def swapc(condition: Value, a: Value, b: Value) -> tuple[Value, Value]:
    """Copy the last two sources, exchanged where any bit of the first is set."""
    exchange = condition.ne(0)
    return select(exchange, b, a), select(exchange, a, b)


@TABLE.opcode(Opcode.DMOV, "dmov", "d=d", _MOVE, counts=Counts.NONE, spec="inst_DMOV", since=(5, 0))
def dmov(a: Value) -> Value:
    """Copy a double."""
    return a


@TABLE.opcode(
    Opcode.DMOVC, "dmovc", "d=udd", _MOVE, counts=Counts.NONE, spec="inst_DMOVC", since=(5, 0)
)
def dmovc(condition: Value, a: Value, b: Value) -> Value:
    """Copy the second source where any bit of the condition is set, else the third.

    The first double looks at x of the first source after its swizzle, the second at y.
    """
    return select(condition.ne(0), a, b)
