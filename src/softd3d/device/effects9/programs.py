"""Expressions and shaders of an effect with the parameters that they read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import Constant, ConstantTable, RegisterSet
from softd3d.container.comments.execution import (
    PreshaderRun,
    check_preshader,
    initial_inputs,
    run_checked,
)
from softd3d.container.comments.preshader import Preshader
from softd3d.container.listing.stream import constant_table_of, preshader_of
from softd3d.device.effects9.registers import Gather, Lookup, gathered, gathers_of
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.program import Program

__all__ = ["EffectProgram", "Expression", "Registers"]

_COMPONENTS = 4
_FILES = (RegisterSet.FLOAT4, RegisterSet.INT4, RegisterSet.BOOL)


@dataclass(frozen=True, slots=True)
class Registers:
    """Values for registers from `start` on: float32 or int32, (count, 4), or bool, (count,)."""

    register_set: RegisterSet
    start: int
    values: NDArray[Any]


class Expression:
    """A preshader whose inputs are parameters."""

    def __init__(self, preshader: Preshader, lookup: Lookup) -> None:
        """Find the parameters.

        Raises:
            ContainerError: Direct3D 9 does not load the preshader.
        """
        check_preshader(preshader)
        self._preshader = preshader
        table = preshader.constants
        self._gathers = [] if table is None else gathers_of(table, RegisterSet.FLOAT4, lookup)
        self._initial = initial_inputs(preshader)

    def run(self) -> PreshaderRun:
        """Compute with the parameters as they are."""
        inputs = np.array(self._initial, np.float64)
        for gather in self._gathers:
            values = gathered(gather, RegisterSet.FLOAT4).reshape(-1)
            start = _COMPONENTS * gather.start
            with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
                inputs[start : start + values.size] = values
        return run_checked(self._preshader, inputs.tolist())


class EffectProgram:
    """A shader of an effect: its tokens, and what it reads of parameters."""

    def __init__(self, tokens: bytes, lookup: Lookup) -> None:
        """Keep a shader; it is read when it is first applied."""
        self.tokens = tokens
        self._lookup = lookup

    @cached_property
    def stage(self) -> ProgramType:
        """Vertex or pixel shader.

        Raises:
            DecodeError: the tokens are malformed.
        """
        return self._program.type

    @cached_property
    def samplers(self) -> tuple[Constant, ...]:
        """The samplers of its constant table, by the names of parameters."""
        table = self._table
        constants = () if table is None else table.constants
        return tuple(c for c in constants if c.register_set is RegisterSet.SAMPLER)

    def registers(self) -> Iterator[Registers]:
        """Yield what the constant registers hold for the parameters as they are.

        Raises:
            ShaderError: a constant table or the preshader is malformed.
        """
        for register_set, gathers in self._gathers:
            for gather in gathers:
                yield Registers(register_set, gather.start, gathered(gather, register_set))
        if self._expression is not None:
            run = self._expression.run()
            yield from _rows(run.floats)

    @cached_property
    def _program(self) -> Program:
        return decode(self.tokens)

    @cached_property
    def _table(self) -> ConstantTable | None:
        return constant_table_of(self._program)

    @cached_property
    def _gathers(self) -> list[tuple[RegisterSet, list[Gather]]]:
        table = self._table
        if table is None:
            return []
        return [(kind, gathers_of(table, kind, self._lookup)) for kind in _FILES]

    @cached_property
    def _expression(self) -> Expression | None:
        preshader = preshader_of(self._program)
        return None if preshader is None else Expression(preshader, self._lookup)


def _rows(components: dict[int, float]) -> Iterator[Registers]:
    """Yield runs of registers, with 0 for components that were not computed."""
    rows: dict[int, NDArray[np.float32]] = {}
    for at, value in sorted(components.items()):
        register, component = divmod(at, _COMPONENTS)
        rows.setdefault(register, np.zeros(_COMPONENTS, np.float32))[component] = value
    run: list[NDArray[np.float32]] = []
    start = 0
    for register, row in rows.items():
        if run and register != start + len(run):
            yield Registers(RegisterSet.FLOAT4, start, np.array(run))
            run = []
        start = start if run else register
        run.append(row)
    if run:
        yield Registers(RegisterSet.FLOAT4, start, np.array(run))
