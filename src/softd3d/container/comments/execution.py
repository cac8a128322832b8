"""What preshaders compute, in float64; results for constants and states are rounded to float32.

Spec: measured on ID3DXEffect of d3dx9_43, with each opcode at special values. An instruction reads
all of its sources before it stores results. Indices are truncated; behind the end of a table they
go round. Direct3D 9 does nothing for opcodes that it does not know, and reads memory of others
where inputs are missing; both are refused here. Noise is not supported yet.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from softd3d.container.comments.ctab import RegisterSet
from softd3d.container.comments.preshader import (
    Preshader,
    PreshaderInstruction,
    PreshaderOpcode,
    PreshaderOperand,
    PreshaderTable,
)
from softd3d.errors import ContainerError, LoweringError

__all__ = [
    "PreshaderRun",
    "check_preshader",
    "float32",
    "initial_inputs",
    "run_checked",
    "run_preshader",
]

COMPONENTS = 4
"""Components of a register."""
MAX_REGISTERS = 1 << 16
_UINT32 = 0xFFFFFFFF
_OUTPUTS = (
    PreshaderTable.OUTPUT_FLOAT,
    PreshaderTable.OUTPUT_BOOL,
    PreshaderTable.OUTPUT_INT,
)
_READ = (PreshaderTable.LITERAL, PreshaderTable.INPUT, PreshaderTable.TEMP)
_NOISE = (PreshaderOpcode.NOISE, PreshaderOpcode.D3DS_NOISESWIZ)


@dataclass(slots=True)
class PreshaderRun:
    """What a preshader has computed: float32 numbers by component, four a register."""

    floats: dict[int, float] = field(default_factory=dict[int, float])


def check_preshader(preshader: Preshader) -> None:
    """Refuse what Direct3D 9 does not compute, or not by rule.

    Raises:
        ContainerError: an opcode is not of Direct3D 9 or has another number of inputs, or an
            operand is in another table. LoweringError: noise.
    """
    _temporaries(preshader)
    for number, instruction in enumerate(preshader.instructions):
        _check(number, instruction)


def initial_inputs(preshader: Preshader) -> list[float]:
    """Return the input registers as the constant table initialises them, 0 where it does not."""
    values = [0.0] * _input_count(preshader)
    for constant in () if preshader.constants is None else preshader.constants.constants:
        if constant.register_set is RegisterSet.FLOAT4 and constant.default is not None:
            dwords = constant.default
            start = COMPONENTS * constant.register_index
            values[start : start + len(dwords)] = struct.unpack(
                f"<{len(dwords)}f", struct.pack(f"<{len(dwords)}I", *dwords)
            )
    return values


def run_preshader(preshader: Preshader, inputs: Sequence[float]) -> PreshaderRun:
    """Return what a preshader computes.

    inputs: the components of its input registers, float32 in value, from c0.x on.

    Raises:
        ContainerError: an instruction is none of Direct3D 9. LoweringError: noise.
    """
    check_preshader(preshader)
    return run_checked(preshader, inputs)


def run_checked(preshader: Preshader, inputs: Sequence[float]) -> PreshaderRun:
    """Return what `run_preshader` does, for a preshader that `check_preshader` has seen."""
    run = PreshaderRun()
    temporaries = [0.0] * _temporaries(preshader)
    outputs: dict[int, float] = {}
    tables = {
        PreshaderTable.LITERAL: preshader.literals,
        PreshaderTable.INPUT: inputs,
        PreshaderTable.TEMP: temporaries,
    }
    for instruction in preshader.instructions:
        results = _results(instruction, tables)
        at = instruction.output.offset
        if instruction.output.table is PreshaderTable.TEMP:
            temporaries[at : at + len(results)] = results
        else:
            outputs.update(enumerate(results, at))
    run.floats = {at: float32(value) for at, value in outputs.items()}
    return run


def float32(value: float) -> float:
    """Round to float32.

    >>> float32(1e39), float32(0.5)
    (inf, 0.5)
    """
    return ctypes.c_float(value).value


def _temporaries(preshader: Preshader) -> int:
    """Return how many components of temporaries are written, in whole registers."""
    ends = [
        i.output.offset + COMPONENTS
        for i in preshader.instructions
        if i.output.table is PreshaderTable.TEMP
    ]
    registers = (max(ends, default=0) + COMPONENTS - 1) // COMPONENTS
    if registers > MAX_REGISTERS:
        raise ContainerError(f"preshader: {registers} temporaries, wanted at most {MAX_REGISTERS}")
    return COMPONENTS * registers


def _input_count(preshader: Preshader) -> int:
    """Return how many components the registers of the constant table have."""
    constants = () if preshader.constants is None else preshader.constants.constants
    ends = [
        c.register_index + c.register_count
        for c in constants
        if c.register_set is RegisterSet.FLOAT4
    ]
    return COMPONENTS * max(ends, default=0)


def _check(number: int, instruction: PreshaderInstruction) -> None:
    opcode = instruction.opcode
    name = opcode.name.lower() if isinstance(opcode, PreshaderOpcode) else f"{opcode:#x}"
    where = f"preshader: instruction {number} ({name})"
    if opcode in _NOISE:
        raise LoweringError(f"{where} is not supported yet")
    wanted = _ARITY.get(opcode)
    if wanted is None:
        raise ContainerError(f"{where} is not an instruction of Direct3D 9")
    if len(instruction.inputs) not in wanted:
        counts = " or ".join(map(str, wanted))
        raise ContainerError(f"{where} has {len(instruction.inputs)} inputs, wanted {counts}")
    if instruction.is_scalar and wanted != (2,):
        raise ContainerError(f"{where} has a scalar input, wanted that of instructions with two")
    for position, operand in enumerate(instruction.inputs):
        index = operand.index
        if operand.table not in _READ or (index is not None and index.table not in _READ):
            raise ContainerError(f"{where}: input {position} reads a table that is none of inputs")
    output = instruction.output
    if output.index is not None or output.table not in (*_OUTPUTS, PreshaderTable.TEMP):
        raise ContainerError(
            f"{where}: writes table {output.table.name}, or with an index, wanted an output or TEMP"
        )


def _results(i: PreshaderInstruction, tables: dict[PreshaderTable, Sequence[float]]) -> list[float]:
    """Return the results of a checked instruction, one a component; a sum is one."""
    sources = [
        _read(operand, 1 if i.is_scalar and k == 0 else i.components, tables)
        for k, operand in enumerate(i.inputs)
    ]
    if i.is_scalar:
        sources[0] *= i.components
    if i.opcode is PreshaderOpcode.DOT:
        return [_sum_of_products(*sources)]
    if i.opcode is PreshaderOpcode.D3DS_DOTSWIZ:
        first = [source[0] for source in sources]
        half = len(first) // 2
        return [_sum_of_products(first[:half], first[half:])]
    compute = _OPERATIONS[i.opcode]
    return [compute(*components) for components in zip(*sources, strict=True)]


def _sum_of_products(a: Sequence[float], b: Sequence[float]) -> float:
    """Return a sum that starts with +0, so that no products of -0 give -0."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def _read(
    operand: PreshaderOperand, count: int, tables: dict[PreshaderTable, Sequence[float]]
) -> list[float]:
    """Return components; where the first of them goes beyond the end of a table, it goes round.

    Input registers go round at the next power of two, literals at their number, temporaries do not;
    what is not there is 0.
    """
    values = tables[operand.table]
    at = operand.offset
    if operand.index is not None:
        chosen = _read(PreshaderOperand(operand.index.table, operand.index.offset), 1, tables)
        at = (at + COMPONENTS * _truncated(chosen[0])) & _UINT32
    if operand.table is PreshaderTable.INPUT:
        at %= 1 << max(len(values) - 1, 0).bit_length()
    elif operand.table is PreshaderTable.LITERAL and values:
        at %= len(values)
    found = list(values[at : at + count])
    return found + [0.0] * (count - len(found))


def _truncated(value: float) -> int:
    """Return the low 32 bits of the whole number, as cvttsd2si makes it of float64."""
    return int(value) & _UINT32 if -(2.0**63) <= value < 2.0**63 else 0


def _or_nan(function: Callable[..., float]) -> Callable[..., float]:
    """Return a function that gives NaN where Python's raises an error."""

    def computed(*arguments: float) -> float:
        try:
            return function(*arguments)
        except ValueError:
            return math.nan

    return computed


def _rcp(a: float) -> float:
    return 1 / a if a else math.copysign(math.inf, a)


def _frc(a: float) -> float:
    # Python's floor is an int, which has no -0; Direct3D's gives +0 for it
    return a - math.floor(a) + 0.0 if math.isfinite(a) else math.nan


def _exp(a: float) -> float:
    try:
        return 2.0**a
    except OverflowError:
        return math.inf


def _log(a: float) -> float:
    return math.log2(abs(a)) if a else 0.0


def _rsq(a: float) -> float:
    return 1 / math.sqrt(abs(a)) if a else math.inf


def _min(a: float, b: float) -> float:
    return a if a < b else b  # noqa: FURB136 - of NaN and zeros, too


def _max(a: float, b: float) -> float:
    return a if a > b else b  # noqa: FURB136 - as above


def _lt(a: float, b: float) -> float:
    return float(a < b)


def _ge(a: float, b: float) -> float:
    return float(a >= b)


_OPERATIONS: dict[int, Callable[..., float]] = {
    PreshaderOpcode.MOV: lambda a: a,
    PreshaderOpcode.NEG: lambda a: -a,
    PreshaderOpcode.RCP: _rcp,
    PreshaderOpcode.FRC: _frc,
    PreshaderOpcode.EXP: _exp,
    PreshaderOpcode.LOG: _log,
    PreshaderOpcode.RSQ: _rsq,
    PreshaderOpcode.SIN: _or_nan(math.sin),
    PreshaderOpcode.COS: _or_nan(math.cos),
    PreshaderOpcode.ASIN: _or_nan(math.asin),
    PreshaderOpcode.ACOS: _or_nan(math.acos),
    PreshaderOpcode.ATAN: math.atan,
    PreshaderOpcode.MIN: _min,
    PreshaderOpcode.MAX: _max,
    PreshaderOpcode.LT: _lt,
    PreshaderOpcode.GE: _ge,
    PreshaderOpcode.ADD: lambda a, b: a + b,
    PreshaderOpcode.MUL: lambda a, b: a * b,
    PreshaderOpcode.ATAN2: math.atan2,
    # Direct3D does nothing for it; its compilers write mul and rcp
    PreshaderOpcode.DIV: lambda a, b: 0.0,  # noqa: ARG005 - two inputs, as other rows of two
    PreshaderOpcode.CMP: lambda a, b, c: b if a >= 0 else c,
}
_ARITY: dict[int, tuple[int, ...]] = {
    **{opcode: (1,) for opcode in _OPERATIONS if opcode < PreshaderOpcode.MIN},
    **{
        opcode: (2,)
        for opcode in _OPERATIONS
        if PreshaderOpcode.MIN <= opcode < PreshaderOpcode.CMP
    },
    PreshaderOpcode.CMP: (3,),
    PreshaderOpcode.DOT: (2,),
    PreshaderOpcode.D3DS_DOTSWIZ: (6, 8),
}
