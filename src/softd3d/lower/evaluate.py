"""Evaluate instructions: read operands, apply the row, finish and write results. Written once.

Both the interpreter and the recording of the IR drive this class; they differ in the algebra and
the registers they supply. What operands, modifiers and masks are is up to the instruction set
(`lower/operands`). Control flow is the engines', not here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.errors import LoweringError, located
from softd3d.isa.machine import Machine
from softd3d.isa.row import Kind, OperandSpec, Row
from softd3d.isa.shader_message import MessageSite
from softd3d.lower.registers import Key, Registers
from softd3d.lower.tree import Item, Loop, Operation

__all__ = ["CarryOut", "Evaluator", "Result", "carry_out"]

CarryOut: TypeAlias = "Callable[[Row, Sequence[object]], object]"
Result: TypeAlias = "tuple[Any, int, Value]"  # destination, component, bits


def carry_out(row: Row, arguments: Sequence[object]) -> object:
    """Return what a row's function gives: values, or tuples of them."""
    assert row.semantics is not None  # noqa: S101 - rows that are carried out have a function
    return row.semantics(*arguments)


class Evaluator(ABC):
    """Evaluates instructions over one machine (with its algebra) and one register file.

    Instructions and operands are those of a subclass's instruction set. carried_out: gives what a
    row's function gives. looks_at_neighbours: whether instructions look at registers of lanes that
    do not execute them.
    """

    looks_at_neighbours = False

    def __init__(
        self, machine: Machine, registers: Registers, carried_out: CarryOut = carry_out
    ) -> None:
        self.m = machine
        self.k = machine.k
        self.registers = registers
        self.carried_out = carried_out

    def run(self, item: Operation) -> None:
        """Evaluate what an item computes and write its results.

        Raises:
            LoweringError: the opcode has no semantics yet. DecodeError: operands do not fit.
        """
        if not item.paired:
            with located(item.instruction.location):
                for result in self.results(item.row, item.instruction):
                    self.write(*result)
            return
        found: list[Result] = []
        for i, row in ((item.instruction, item.row), *item.paired):
            with located(i.location):
                found += self.results(row, i)
        for result in found:
            self.write(*result)

    def results(self, row: Row, i: Any) -> Sequence[Result]:
        """Return what an instruction writes; nothing is written yet."""
        if row.kind is Kind.PURE:
            return self.applied(row, i)
        raise LoweringError(f"{row.mnemonic} is not supported yet")

    def applied(self, row: Row, i: Any) -> list[Result]:
        """Apply a row to each written component, or once if it reads its sources as a whole."""
        destinations, sources = self.split(row, i)
        masks = [self.components(d) for d in destinations]
        before, after = self.leading(row), self.trailing(row, i)
        found: list[Result] = []
        outcome: object = None
        for c in masks[0] if len(masks) == 1 else sorted(frozenset[int]().union(*masks)):
            if outcome is None or row.is_by_component:
                arguments = [
                    self.argument(s, o, c) for s, o in zip(row.sources, sources, strict=True)
                ]
                outcome = self.carried_out(row, (*before, *arguments, *after))
            for n, (spec, d) in enumerate(zip(row.destinations, destinations, strict=True)):
                value = _picked(row, outcome, n, self.picked(row, i, c))
                if value is not None and c in masks[n]:
                    found.append((d, c, self.finished(spec, i, d, c, value)))
        return found

    def picked(self, row: Row, i: Any, component: int) -> int:
        """Return which component of an outcome a component of the destination gets."""
        del row, i
        return component

    def bits(self, value: Value) -> Value:
        """Return a result as the uint32 that a register holds."""
        if value.type is BOOL:
            value = select(value, self.k.const(U32, 0xFFFFFFFF), 0)
        return bitcast(value, U32)

    # What an instruction set says

    @abstractmethod
    def split(self, row: Row, i: Any) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return the destinations and sources of an instruction.

        Raises:
            DecodeError: they do not fit the row.
        """

    @abstractmethod
    def components(self, destination: Any) -> tuple[int, ...]:
        """Return the components that a destination's mask selects, in order."""

    @abstractmethod
    def leading(self, row: Row) -> tuple[object, ...]:
        """Return what a row's function takes before its sources."""

    @abstractmethod
    def trailing(self, row: Row, i: Any) -> tuple[object, ...]:
        """Return what a row's function takes after its sources."""

    @abstractmethod
    def argument(self, spec: OperandSpec, operand: Any, component: int) -> object:
        """Return what a row's function takes for a source, to compute a component."""

    @abstractmethod
    def finished(
        self, spec: OperandSpec, i: Any, destination: Any, component: int, value: Value
    ) -> Value:
        """Return the bits that an instruction writes for what its row gave."""

    @abstractmethod
    def write(self, destination: Any, component: int, bits: Value) -> None:
        """Write a component of a destination."""

    @abstractmethod
    def targets(self, item: Item) -> Iterable[Key]:
        """Return the registers that an item itself may write."""

    @abstractmethod
    def start(self) -> None:
        """Do what precedes the first instruction of a program."""

    @abstractmethod
    def finish(self) -> None:
        """Do what follows the last instruction of a program."""

    @abstractmethod
    def condition(self, row: Row, i: Any) -> Value:
        """Return where a flow instruction's test holds: a BOOL."""

    # Only SM4-5.1 has these

    def selector(self, i: Any) -> Value:
        """Return the scalar uint32 that a switch compares."""
        raise NotImplementedError

    def array_index(self, i: Any) -> Value:
        """Return the array index of the interface that a flow instruction calls: uint32."""
        raise NotImplementedError

    def message(self, site: MessageSite) -> None:
        """Record what the active lanes have to say."""
        raise NotImplementedError

    # Only SM1-3 has counted loops

    def enter_loop(self, item: Loop) -> None:
        """Prepare a counted loop."""
        raise NotImplementedError

    def has_iteration(self, item: Loop) -> Value:
        """Return where a counted loop has another iteration: a BOOL."""
        raise NotImplementedError

    def end_iteration(self, item: Loop) -> None:
        """Count an iteration of a counted loop."""
        raise NotImplementedError

    def leave_loop(self, item: Loop) -> None:
        """Do what is to be done behind a counted loop."""
        raise NotImplementedError


def _picked(row: Row, outcome: object, destination: int, component: int) -> Value | None:
    """Return what a row gave for a component of a destination, None if it has none for it.

    A tuple has the values of several destinations, else those of the first components.
    """
    if not isinstance(outcome, tuple):
        return cast("Value", outcome)
    values = cast("tuple[Value, ...]", outcome)
    place = destination if row.is_by_component or len(row.destinations) > 1 else component
    return values[place] if place < len(values) else None
