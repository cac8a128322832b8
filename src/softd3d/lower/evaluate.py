"""Evaluate one instruction: read operands, apply the row, write results. Written once.

Both the interpreter and the recording of the IR drive this class; they differ in the algebra and
the registers they supply. Control flow is theirs, not here.
Spec: D3D11.3 section 22.14 (doubles); operands are in `lower/operands.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from softd3d.algebra import float_rules
from softd3d.algebra.operations import bitcast, high32, low32
from softd3d.algebra.value import F32, U32, Value
from softd3d.errors import DecodeError, LoweringError, located
from softd3d.isa.machine import Machine, Memory, View
from softd3d.isa.row import Controls, Kind, OperandSpec, Row
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import OperandType, SyncFlags
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.lower.operands import Operands

__all__ = ["Evaluator"]

_VIEW, _SAMPLER = object(), object()  # stand for a row's view and sampler among its arguments
_MEMORIES = {
    OperandType.RESOURCE: Memory.RESOURCE,
    OperandType.UNORDERED_ACCESS_VIEW: Memory.UAV,
    OperandType.THREAD_GROUP_SHARED_MEMORY: Memory.GROUP_SHARED,
}


class Evaluator(Operands):
    """Evaluates instructions over one machine (with its algebra) and one register file."""

    def run(self, instruction: Instruction, row: Row) -> None:
        """Evaluate a pure or effect instruction and write its results.

        row: that of its opcode.

        Raises:
            LoweringError: the opcode has no semantics yet. DecodeError: operands do not fit.
        """
        with located(instruction.location):
            if row.kind is Kind.EFFECT and not _is_by_component(row):
                self._effect(row, instruction)
            elif row.kind is Kind.EFFECT:
                self._pure(row, instruction, self.m)
            elif row.kind is not Kind.PURE:
                raise LoweringError(f"{row.mnemonic} is not supported yet")
            elif any(s.letter == "d" for s in (*row.destinations, *row.sources)):
                self._double(row, instruction)
            else:
                self._pure(row, instruction)

    def condition(self, instruction: Instruction) -> Value:
        """Return where a flow instruction's test holds (`_nz` or `_z`): a BOOL."""
        value = self.selector(instruction)
        return value.ne(0) if instruction.is_nonzero_test else value.eq(0)

    def selector(self, instruction: Instruction) -> Value:
        """Return the scalar uint32 that a switch compares."""
        with located(instruction.location):
            return self._single(instruction.operands[0])

    def array_index(self, instruction: Instruction) -> Value:
        """Return the array index of the interface that a flow instruction calls: uint32."""
        with located(instruction.location):
            return self._index(instruction.operands[0].indices[-1])

    def message(self, site: MessageSite) -> None:
        """Record what the active lanes have to say."""
        words: list[Value] = []
        with located(site.location):
            for operand, is_wide in zip(site.operands, site.wide, strict=True):
                if is_wide:
                    value = self._double_source(operand, 0)
                    words += [low32(value), high32(value)]
                else:  # a modifier is one of floats: integers are negated by instructions
                    words.append(bitcast(self._typed(operand, 0, "f"), U32))
            self.m.message(site, tuple(words))

    # Rows

    def _split(self, row: Row, i: Instruction) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
        count = len(row.destinations)
        if len(i.operands) != count + len(row.sources):
            raise DecodeError(
                f"{row.mnemonic} takes {count + len(row.sources)} operands, found {len(i.operands)}"
            )
        return i.operands[:count], i.operands[count:]

    def _pure(self, row: Row, i: Instruction, *machine: Machine) -> None:
        destinations, sources = self._split(row, i)
        pending: list[tuple[Operand, int, Value]] = []
        written = [
            frozenset(d.mask if d.type is not OperandType.NULL else ()) for d in destinations
        ]
        for component in sorted(frozenset[int]().union(*written)):
            arguments = [
                self._argument(s, o, component) for s, o in zip(row.sources, sources, strict=True)
            ]
            results = self.carried_out(row, (*machine, *arguments))
            if not isinstance(results, tuple):
                results = (results,)
            for spec, operand, mask, value in zip(
                row.destinations,
                destinations,
                written,
                cast("tuple[Value, ...]", results),
                strict=True,
            ):
                if component in mask:
                    pending.append((operand, component, _saturated(i, spec, value)))
        for operand, component, value in pending:
            self._write(operand, component, value)

    def carried_out(self, row: Row, arguments: Sequence[object]) -> object:
        """Return what a row's function gives: values, or tuples of them."""
        assert row.semantics is not None  # noqa: S101 - rows that are carried out have a function
        return row.semantics(*arguments)

    def _argument(self, spec: OperandSpec, operand: Operand, component: int) -> object:
        if spec.reads:
            return self._vector(operand, spec.reads, spec.letter)
        if spec.letter == "c":
            return self._single(operand)
        return self._typed(operand, component, spec.letter)

    def _double(self, row: Row, i: Instruction) -> None:
        """Evaluate a row with doubles: the n-th written double or component is computed n-th.

        Results in pairs take sources by position (xy or zw); a one-component result or source
        pairs with the n-th double.
        """
        (destination,), sources = self._split(row, i)
        wide = row.destinations[0].letter == "d"
        mask = destination.mask
        positions = [p for p in (0, 1) if 2 * p in mask] if wide else list(range(len(mask)))
        mixed = any(s.letter == "d" for s in row.sources)
        results: list[Value] = []
        for n, position in enumerate(positions):
            if n > 1:
                raise DecodeError(f"{row.mnemonic} writes more than two results")
            arguments = [
                self._double_source(o, position)
                if s.letter == "d"
                else self._typed(o, position if mixed else n, s.letter)
                for s, o in zip(row.sources, sources, strict=True)
            ]
            result = cast("Value", self.carried_out(row, arguments))
            results.append(_saturated(i, row.destinations[0], result))
        for position, value in zip(positions, results, strict=True):
            if wide:
                self._write(destination, 2 * position, low32(value))
                self._write(destination, 2 * position + 1, high32(value))
            else:
                self._write(destination, mask[position], value)

    def _effect(self, row: Row, i: Instruction) -> None:
        """Evaluate a row with effects: read its operands, run it, write what it returns.

        Operands are read once, before the row runs for each view and sampler that computed
        registers name.
        """
        destinations, sources = self._split(row, i)
        outputs = list(zip(row.destinations, destinations, strict=True))
        inputs = [(s, o) for s, o in outputs if s.letter == "U"]
        inputs += zip(row.sources, sources, strict=True)
        results = [o for s, o in outputs if s.letter != "U"]
        viewed = next(((s, o) for s, o in inputs if s.letter in "UV"), None)
        swizzled = viewed[1] if viewed is not None and viewed[0].letter == "V" else None
        self.m.components = _needed(results, swizzled)
        mask = inputs[0][1].mask if inputs and inputs[0][0].letter == "U" else ()
        arguments = [self._effect_argument(s, o, mask) for s, o in inputs]
        arguments += [read(i) for flag, read in _CONTROL_ARGUMENTS if flag in row.controls]
        written = [
            (n, o, c)
            for n, o in enumerate(results) if o.type is not OperandType.NULL
            for c in o.mask
        ]  # fmt: skip
        sampled = next(((s, o) for s, o in inputs if s.letter == "S"), None)
        run = partial(self._outcome, row, arguments, written, swizzled, sampled)
        if viewed is None:
            values = run(None)
        else:
            values = self._with_view(_memory_of(*viewed), viewed[1], run)
        for (_, operand, component), value in zip(written, values, strict=True):
            self._write(operand, component, value)

    def _outcome(
        self, row: Row, arguments: list[object], written: list[tuple[int, Operand, int]],
        swizzled: Operand | None, sampled: tuple[OperandSpec, Operand] | None, view: View | None,
    ) -> tuple[Value, ...]:  # fmt: skip
        """Run a row with one view; return the bits for each written component."""
        arguments = [view if a is _VIEW else a for a in arguments]
        if sampled is None:
            return self._run_row(row, arguments, written, swizzled)
        spec, operand = sampled

        def run(sampler: SamplerState) -> tuple[Value, ...]:
            given = (sampler, operand.source(0)) if spec.reads else sampler
            complete = [given if a is _SAMPLER else a for a in arguments]
            return self._run_row(row, complete, written, swizzled)

        if all(i.relative is None for i in operand.indices):
            return run(self.registers.sampler(operand))
        return self.registers.each_sampler(operand, self._index(operand.indices[-1]), run)

    def _run_row(
        self, row: Row, arguments: list[object], written: list[tuple[int, Operand, int]],
        swizzled: Operand | None,
    ) -> tuple[Value, ...]:  # fmt: skip
        found = self.carried_out(row, (self.m, *arguments))
        outcome = (found,)
        if Controls.FEEDBACK in row.controls:  # such rows return result and status
            outcome = cast("tuple[object, ...]", found)
        return tuple(self._bits(_picked(outcome[n], swizzled, c)) for n, _, c in written)

    def _effect_argument(
        self, spec: OperandSpec, operand: Operand, mask: tuple[int, ...]
    ) -> object:
        if spec.letter in "UV":
            return _VIEW
        if spec.letter == "S":
            return _SAMPLER
        if spec.letter in "ax":
            return self._vector(operand, 4, spec.letter)
        if spec.letter == "b":  # the value of a store: the components that the mask names
            return tuple(self._typed(operand, c, "b") if c in mask else None for c in range(4))
        if spec.reads > 1:
            return self._vector(operand, spec.reads, spec.letter)
        return self._typed(operand, 0, spec.letter)


def _memory_of(spec: OperandSpec, operand: Operand) -> Memory:
    """Return what a view operand names.

    Raises:
        DecodeError: it is no view, or cannot be written though it is a target.
    """
    memory = _MEMORIES.get(operand.type)
    if memory is None:
        raise DecodeError(f"operand type {operand.type.name} is no memory view")
    if memory is Memory.RESOURCE and spec.letter == "U":
        raise DecodeError("a t# cannot be written")
    return memory


def _is_by_component(row: Row) -> bool:
    """Tell whether an effect row computes, on lanes side by side, rather than access memory."""
    return bool(row.sources) and all(s.letter == "f" and not s.reads for s in row.sources)


def _picked(value: Any, swizzled: Operand | None, component: int) -> Value:
    """Return one component of a row's result; vectors go through the view's swizzle."""
    if not isinstance(value, tuple):
        return value
    if swizzled is not None and swizzled.components == 4:
        component = swizzled.source(component)
    return cast("tuple[Value, ...]", value)[component]


def _needed(results: list[Operand], swizzled: Operand | None) -> tuple[int, ...]:
    """Return the components of a view's texel that the written mask selects."""
    if not results or swizzled is None or results[0].type is OperandType.NULL:
        return ()
    if swizzled.components != 4:
        return results[0].mask
    return tuple(sorted({swizzled.source(c) for c in results[0].mask}))


def _saturated(i: Instruction, spec: OperandSpec, value: Value) -> Value:
    if not i.is_saturated or spec.letter not in "fdb":
        return value
    if spec.letter == "b":
        return bitcast(float_rules.saturate(bitcast(value, F32)), U32)
    return float_rules.saturate(value)


def _offsets(i: Instruction) -> object:
    return i.texel_offsets


_CONTROL_ARGUMENTS: tuple[tuple[Controls, Callable[[Instruction], object]], ...] = (
    (Controls.OFFSETS, _offsets),
    (Controls.RESINFO_TYPE, lambda i: i.controls >> 11 & 3),
    (Controls.SAMPLEINFO_TYPE, lambda i: i.controls >> 11 & 1),
    (Controls.SYNC, lambda i: SyncFlags(i.controls & 0x7800)),
)
