"""What preshaders compute: instructions on float64, registers of float32.

Spec: measured on ID3DXEffect of d3dx9_24 to d3dx9_43, with each opcode at special values. An
instruction computes in float64, component after component, and its results are rounded to float32
when they are stored, those for temporaries, too; literals alone are float64. Direct3D 9 has 23
opcodes. The others that listings know are of Direct3D 10's effects; an effect with one of them
cannot be loaded.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from softd3d.container.comments.ctab import RegisterSet
from softd3d.container.comments.preshader import (
    Preshader,
    PreshaderInstruction,
    PreshaderOpcode,
    PreshaderOperand,
    PreshaderTable,
)
from softd3d.errors import ContainerError

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
_INDEXED = (PreshaderTable.LITERAL, PreshaderTable.INPUT, PreshaderTable.TEMP)


@dataclass(slots=True)
class PreshaderRun:
    """What a preshader has computed: numbers by component, four a register, bools by register."""

    floats: dict[int, float] = field(default_factory=dict[int, float])
    integers: dict[int, int] = field(default_factory=dict[int, int])
    bools: dict[int, bool] = field(default_factory=dict[int, bool])


def check_preshader(preshader: Preshader) -> None:
    """Refuse what Direct3D 9 does not load.

    Raises:
        ContainerError: an opcode is not of Direct3D 9, has another number of inputs, or an operand
            is outside of its table.
    """
    temporaries = _temporaries(preshader)
    sizes = {
        PreshaderTable.LITERAL: len(preshader.literals),
        PreshaderTable.INPUT: _input_count(preshader),
        PreshaderTable.TEMP: temporaries,
    }
    for number, instruction in enumerate(preshader.instructions):
        _check(number, instruction, sizes)


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


def run_preshader(
    preshader: Preshader, inputs: Sequence[float], *, wide: bool = False
) -> PreshaderRun:
    """Return what a preshader computes.

    inputs: the components of its input registers, float32 in value, from c0.x on. wide:
    temporaries keep float64, as where D3DXDisassembleEffect looks for the shader of a pass.

    Raises:
        ContainerError: Direct3D 9 does not load the preshader.
    """
    check_preshader(preshader)
    return run_checked(preshader, inputs, wide=wide)


def run_checked(
    preshader: Preshader, inputs: Sequence[float], *, wide: bool = False
) -> PreshaderRun:
    """Return what `run_preshader` does, for a preshader that `check_preshader` has seen."""
    run = PreshaderRun()
    temporaries = [0.0] * _temporaries(preshader)
    tables = {
        PreshaderTable.LITERAL: preshader.literals,
        PreshaderTable.INPUT: inputs,
        PreshaderTable.TEMP: temporaries,
    }
    rounded = _same if wide else float32
    for instruction in preshader.instructions:
        for at, value in _results(instruction, tables):
            match instruction.output.table:
                case PreshaderTable.TEMP:
                    temporaries[at] = rounded(value)
                case PreshaderTable.OUTPUT_FLOAT:
                    run.floats[at] = float32(value)
                case PreshaderTable.OUTPUT_INT:
                    run.integers[at] = _nearest(value)
                case _:
                    run.bools[at // COMPONENTS] = value != 0
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
        i.output.offset + 1 for i in preshader.instructions if i.output.table is PreshaderTable.TEMP
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


def _check(
    number: int, instruction: PreshaderInstruction, sizes: dict[PreshaderTable, int]
) -> None:
    opcode = instruction.opcode
    name = opcode.name.lower() if isinstance(opcode, PreshaderOpcode) else f"{opcode:#x}"
    where = f"preshader: instruction {number} ({name})"
    wanted = _ARITY.get(opcode)
    if wanted is None:
        raise ContainerError(f"{where} is not an instruction of Direct3D 9")
    if len(instruction.inputs) not in wanted:
        counts = " or ".join(map(str, wanted))
        raise ContainerError(f"{where} has {len(instruction.inputs)} inputs, wanted {counts}")
    for position, operand in enumerate(instruction.inputs):
        count = 1 if instruction.is_scalar and position == 0 else instruction.components
        _check_input(f"{where}: input {position}", operand, count, sizes)
    output = instruction.output
    if output.index is not None or output.table not in (*_OUTPUTS, PreshaderTable.TEMP):
        raise ContainerError(
            f"{where}: writes table {output.table.name}, or with an index, wanted an output or TEMP"
        )
    most = 1 if output.table is PreshaderTable.OUTPUT_BOOL else COMPONENTS
    written = 1 if _is_sum(instruction) else instruction.components
    if written > most or output.offset % COMPONENTS + written > COMPONENTS:
        raise ContainerError(f"{where}: output at component {output.offset} leaves its register")


def _check_input(
    where: str, operand: PreshaderOperand, count: int, sizes: dict[PreshaderTable, int]
) -> None:
    if operand.table not in sizes:
        raise ContainerError(f"{where} reads table {operand.table.name}, wanted one of inputs")
    index = operand.index
    if index is None:
        if operand.offset + count > sizes[operand.table]:
            raise ContainerError(
                f"{where} reads {count} components from {operand.offset} on of "
                f"{sizes[operand.table]} in table {operand.table.name}"
            )
    elif index.table not in sizes or index.offset >= sizes[index.table]:
        raise ContainerError(
            f"{where} has an index at {index.offset} of table {index.table.name}, where none is"
        )


def _results(
    i: PreshaderInstruction, tables: dict[PreshaderTable, Sequence[float]]
) -> Iterator[tuple[int, float]]:
    """Yield where a result goes and what it is; it must be stored before the next one is read."""
    if _is_sum(i):
        # The sum starts with +0, so that no products of -0 give -0
        total = 0.0
        for n in range(i.components):
            a = _read(i.inputs[0], 0 if i.is_scalar else n, tables)
            total += a * _read(i.inputs[1], n, tables)
        yield i.output.offset, total
        return
    compute = _OPERATIONS[i.opcode]
    for n in range(i.components):
        sources = [
            _read(operand, 0 if i.is_scalar and k == 0 else n, tables)
            for k, operand in enumerate(i.inputs)
        ]
        yield i.output.offset + n, compute(*sources)


def _is_sum(i: PreshaderInstruction) -> bool:
    return i.opcode is PreshaderOpcode.DOT


def _read(
    operand: PreshaderOperand, component: int, tables: dict[PreshaderTable, Sequence[float]]
) -> float:
    """Return a component; behind the end of a table, indices go round.

    Input registers go round at the next power of two, and what is not there is 0.
    """
    values = tables[operand.table]
    at = operand.offset + component
    if operand.index is not None:
        index = _nearest(tables[operand.index.table][operand.index.offset])
        at = (at + COMPONENTS * index) & _UINT32
        is_input = operand.table is PreshaderTable.INPUT
        size = 1 << max(len(values) - 1, 0).bit_length() if is_input else len(values)
        at = at % size if size else 0
    return values[at] if at < len(values) else 0.0


def _nearest(value: float) -> int:
    """Round to the nearest int32, ties to even; 0 for what it does not hold."""
    if not -(2.0**31) <= value < 2.0**31:
        return 0
    return round(value)


def _same(value: float) -> float:
    return value


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
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return a if a < b or (a == b and math.copysign(1, a) < 0) else b


def _max(a: float, b: float) -> float:
    return -_min(-a, -b)


def _lt(a: float, b: float) -> float:
    return float(a < b)


def _ge(a: float, b: float) -> float:
    return float(a >= b)


def _dots(*sources: float) -> float:
    """Return the sum of products of the first half with the second."""
    half = len(sources) // 2
    total = 0.0
    for a, b in zip(sources[:half], sources[half:], strict=True):
        total += a * b
    return total


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
    # Direct3D's own gives 0 whatever it divides; its compilers write mul and rcp
    PreshaderOpcode.DIV: lambda a, b: 0.0,  # noqa: ARG005 - two inputs, as other rows of two
    PreshaderOpcode.CMP: lambda a, b, c: b if a >= 0 else c,
    PreshaderOpcode.D3DS_DOTSWIZ: _dots,
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
