"""Instructions of SM4-5.1 that touch memory, and those of doubles.

Views, samplers and what reads them is shared with what a row says of its operands: the letters are
those of `isa/row.py`. Spec: D3D11.3 section 22.14 (doubles).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from softd3d.algebra.operations import bitcast, high32, low32, select
from softd3d.algebra.value import F32, U32, Value
from softd3d.errors import DecodeError, located
from softd3d.isa.machine import RASTERIZER, InputComponent, Memory, View
from softd3d.isa.row import Controls, Kind, OperandSpec, Row
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import OperandType, ProgramType, SyncFlags
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.lower.evaluate import Result, carry_out
from softd3d.lower.inputs import computed_inputs, is_declared
from softd3d.lower.operands.sm4 import Operands, modified, saturated

__all__ = ["Sm4Evaluator"]

_VIEW, _SAMPLER = object(), object()  # stand for a row's view and sampler among its arguments
_MEMORIES = {
    OperandType.RESOURCE: Memory.RESOURCE,
    OperandType.UNORDERED_ACCESS_VIEW: Memory.UAV,
    OperandType.THREAD_GROUP_SHARED_MEMORY: Memory.GROUP_SHARED,
    OperandType.RASTERIZER: Memory.RASTERIZER,
}


class Sm4Evaluator(Operands):
    """Evaluates the instructions of SM4-5.1."""

    def results(self, row: Row, i: Instruction) -> Sequence[Result]:
        if row.emits:
            carry_out(row, (self.stage, *self.stage.streams(i)))  # never shared: registers change
            return []
        if row.sources and row.sources[0].letter == "e":
            return self._evaluated(row, i)
        if row.kind is Kind.EFFECT and not _is_by_component(row):
            return self._effect(row, i)
        if row.kind is Kind.EFFECT:
            return self.applied(row, i)
        if row.is_wide and row.kind is Kind.PURE:
            return self._double(row, i)
        return super().results(row, i)

    def message(self, site: MessageSite) -> None:
        """Record what the active lanes have to say."""
        words: list[Value] = []
        with located(site.location):
            for operand, is_wide in zip(site.operands, site.wide, strict=True):
                if is_wide:
                    value = self.double_source(operand, 0)
                    words += [low32(value), high32(value)]
                else:  # a modifier is one of floats: integers are negated by instructions
                    words.append(bitcast(self.typed(operand, 0, "f"), U32))
            self.m.message(site, tuple(words))

    def _evaluated(self, row: Row, i: Instruction) -> list[Result]:
        """Evaluate an input register at another place.

        Its row is never shared as a function (`lower/functions.py`): inputs are not there inside.
        """
        (destination,), (source, *others) = self.split(row, i)
        numbers = [
            self.vector(o, s.reads, s.letter) for s, o in zip(row.sources[1:], others, strict=True)
        ]
        found: list[Result] = []
        for component in self.components(destination):
            value = self._evaluated_input(row, source, component, numbers)
            result = modified(bitcast(value, F32), source.modifier)
            found.append(
                (destination, component, self.bits(saturated(i, row.destinations[0], result)))
            )
        return found

    def _evaluated_input(
        self, row: Row, source: Operand, component: int, numbers: Sequence[object]
    ) -> Value:
        """Return a component at the place, 0 if it is not declared.

        Raises:
            DecodeError: the operand is no input register that is declared.
        """
        if source.type is not OperandType.INPUT or len(source.indices) != 1:
            raise DecodeError("only input registers can be evaluated")
        place, index, value = source.source(component), source.indices[0], self.k.const(U32, 0)

        def evaluated(number: int) -> Value:
            return cast("Value", carry_out(row, (self.m, InputComponent(number, place), *numbers)))

        if index.relative is None:
            is_there = is_declared(
                self.declarations, source.type, index.immediate, place, of_vertices=False
            )
            return evaluated(index.immediate) if is_there else value
        computed = self.index(index)
        for number in computed_inputs(self.declarations, source, place):
            value = select(computed.eq(number), evaluated(number), value)
        return value

    def _double(self, row: Row, i: Instruction) -> list[Result]:
        """Evaluate a row with doubles: the n-th written double or component is computed n-th.

        Results in pairs take sources by position (xy or zw); a one-component result or source
        pairs with the n-th double.
        """
        (destination,), sources = self.split(row, i)
        wide = row.destinations[0].letter == "d"
        mask = destination.mask
        positions = [p for p in (0, 1) if 2 * p in mask] if wide else list(range(len(mask)))
        mixed = any(s.letter == "d" for s in row.sources)
        results: list[Value] = []
        for n, position in enumerate(positions):
            if n > 1:
                raise DecodeError(f"{row.mnemonic} writes more than two results")
            arguments = [
                self.double_source(o, position)
                if s.letter == "d"
                else self.typed(o, position if mixed else n, s.letter)
                for s, o in zip(row.sources, sources, strict=True)
            ]
            result = cast("Value", self.carried_out(row, arguments))
            results.append(saturated(i, row.destinations[0], result))
        found: list[Result] = []
        for position, value in zip(positions, results, strict=True):
            if wide:
                found.append((destination, 2 * position, low32(value)))
                found.append((destination, 2 * position + 1, high32(value)))
            else:
                found.append((destination, mask[position], self.bits(value)))
        return found

    def _effect(self, row: Row, i: Instruction) -> list[Result]:
        """Evaluate a row with effects: read its operands, run it; return what is to be written.

        Operands are read once, before the row runs for each view and sampler that computed
        registers name.
        """
        destinations, sources = self.split(row, i)
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
            memory = _memory_of(*viewed)
            if memory is Memory.RASTERIZER:
                values = run(self._rasterizer())
            else:
                values = self.with_view(memory, viewed[1], run)
        return [(o, c, value) for (_, o, c), value in zip(written, values, strict=True)]

    def _rasterizer(self) -> View:
        if self.declarations.stage is not ProgramType.PS:
            raise DecodeError("only pixel shaders can ask for the rasterizer's samples")
        return RASTERIZER

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
        return self.registers.each_sampler(operand, self.index(operand.indices[-1]), run)

    def _run_row(
        self, row: Row, arguments: list[object], written: list[tuple[int, Operand, int]],
        swizzled: Operand | None,
    ) -> tuple[Value, ...]:  # fmt: skip
        # What the rasteriser has is an input, which is not there inside of shared functions.
        carried_out = carry_out if RASTERIZER in arguments else self.carried_out
        found = carried_out(row, (self.m, *arguments))
        outcome = (found,)
        if Controls.FEEDBACK in row.controls:  # such rows return result and status
            outcome = cast("tuple[object, ...]", found)
        return tuple(self.bits(_picked(outcome[n], swizzled, c)) for n, _, c in written)

    def _effect_argument(
        self, spec: OperandSpec, operand: Operand, mask: tuple[int, ...]
    ) -> object:
        if spec.letter in "UV":
            return _VIEW
        if spec.letter == "S":
            return _SAMPLER
        if spec.letter in "ax":
            return self.vector(operand, 4, spec.letter)
        if spec.letter == "b":  # the value of a store: the components that the mask names
            return tuple(self.typed(operand, c, "b") if c in mask else None for c in range(4))
        if spec.reads > 1:
            return self.vector(operand, spec.reads, spec.letter)
        return self.typed(operand, 0, spec.letter)


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


def _offsets(i: Instruction) -> object:
    return i.texel_offsets


_CONTROL_ARGUMENTS: tuple[tuple[Controls, Callable[[Instruction], object]], ...] = (
    (Controls.OFFSETS, _offsets),
    (Controls.RESINFO_TYPE, lambda i: i.controls >> 11 & 3),
    (Controls.SAMPLEINFO_TYPE, lambda i: i.controls >> 11 & 1),
    (Controls.SYNC, lambda i: SyncFlags(i.controls & 0x7800)),
)
