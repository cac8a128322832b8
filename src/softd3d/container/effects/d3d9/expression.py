"""What expressions in an effect of Direct3D 9 give for the initial values of its parameters.

A preshader computes in float64. Its constant table has the initial values of what it reads, so
that no parameter need be looked up. Listings need this to know which element of an array is meant.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from softd3d.container.comments.ctab import ConstantTable, RegisterSet
from softd3d.container.comments.preshader import (
    Preshader,
    PreshaderInstruction,
    PreshaderOpcode,
    PreshaderOperand,
    PreshaderTable,
)

__all__ = ["initial_result"]

_REGISTER_COMPONENTS = 4
_Tables = dict[PreshaderTable, dict[int, float]]


def initial_result(preshader: Preshader) -> float | None:
    """Return the first component that an expression computes.

    None if it uses an instruction that is not among those that an index may be made of.
    """
    tables: _Tables = {table: {} for table in PreshaderTable}
    tables[PreshaderTable.LITERAL] = dict(enumerate(preshader.literals))
    if preshader.constants is not None:
        tables[PreshaderTable.INPUT] = _inputs(preshader.constants)
    for instruction in preshader.instructions:
        if not _execute(instruction, tables):
            return None
    return tables[PreshaderTable.OUTPUT_FLOAT].get(0)


def _inputs(table: ConstantTable) -> dict[int, float]:
    values: dict[int, float] = {}
    for constant in table.constants:
        if constant.register_set is RegisterSet.FLOAT4 and constant.default is not None:
            dwords = constant.default
            numbers = struct.unpack(f"<{len(dwords)}f", struct.pack(f"<{len(dwords)}I", *dwords))
            values.update(enumerate(numbers, _REGISTER_COMPONENTS * constant.register_index))
    return values


def _execute(i: PreshaderInstruction, tables: _Tables) -> bool:
    """Carry out an instruction; return whether that was possible."""
    if i.output.index is not None or not isinstance(i.opcode, PreshaderOpcode):
        return False
    target = tables[i.output.table]
    if i.opcode is PreshaderOpcode.DOT and len(i.inputs) == 2:
        a, b = [[_read(s, n, tables) for n in range(i.components)] for s in i.inputs]
        target[i.output.offset] = sum(x * y for x, y in zip(a, b, strict=True))
        return True
    arity, compute = _OPERATIONS.get(i.opcode, (0, None))
    if compute is None or len(i.inputs) != arity:
        return False
    results: list[float] = []
    for n in range(i.components):
        first = 0 if i.is_scalar else n
        sources = [_read(s, first if k == 0 else n, tables) for k, s in enumerate(i.inputs)]
        try:
            results.append(compute(*sources))
        except (ArithmeticError, ValueError):
            results.append(math.nan)
    target.update(enumerate(results, i.output.offset))
    return True


def _read(operand: PreshaderOperand, component: int, tables: _Tables) -> float:
    """Return a component; 0 where nothing was written."""
    offset = operand.offset + component
    if operand.index is not None:
        index = tables[operand.index.table].get(operand.index.offset, 0.0)
        offset += _REGISTER_COMPONENTS * (int(index) if math.isfinite(index) else 0)
    return tables[operand.table].get(offset, 0.0)


def _rcp(a: float) -> float:
    return 1 / a if a else math.inf


def _frc(a: float) -> float:
    return a - math.floor(a)


def _log(a: float) -> float:
    return math.log2(abs(a)) if a else 0.0


def _rsq(a: float) -> float:
    return 1 / math.sqrt(abs(a)) if a else math.inf


def _lt(a: float, b: float) -> float:
    return 1.0 if a < b else 0.0


def _ge(a: float, b: float) -> float:
    return 1.0 if a >= b else 0.0


_OPERATIONS: dict[PreshaderOpcode, tuple[int, Callable[..., float]]] = {
    PreshaderOpcode.MOV: (1, lambda a: a),
    PreshaderOpcode.NEG: (1, lambda a: -a),
    PreshaderOpcode.RCP: (1, _rcp),
    PreshaderOpcode.FRC: (1, _frc),
    PreshaderOpcode.EXP: (1, lambda a: 2.0**a),
    PreshaderOpcode.LOG: (1, _log),
    PreshaderOpcode.RSQ: (1, _rsq),
    PreshaderOpcode.SQRT: (1, math.sqrt),
    PreshaderOpcode.SIN: (1, math.sin),
    PreshaderOpcode.COS: (1, math.cos),
    PreshaderOpcode.MIN: (2, min),
    PreshaderOpcode.MAX: (2, max),
    PreshaderOpcode.LT: (2, _lt),
    PreshaderOpcode.GE: (2, _ge),
    PreshaderOpcode.ADD: (2, lambda a, b: a + b),
    PreshaderOpcode.MUL: (2, lambda a, b: a * b),
    PreshaderOpcode.CMP: (3, lambda a, b, c: b if a >= 0 else c),
}
