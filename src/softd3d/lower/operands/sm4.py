"""Operands of SM4-5.1: registers, swizzles, modifiers, indices, masks.

Spec: D3D11.3 section 22.1 (operands), 22.10 (modifiers), 7.8 (arrays of vectors).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from softd3d.algebra import float_rules
from softd3d.algebra.operations import bitcast, pack64, select
from softd3d.algebra.value import F32, I32, U32, DataType, Value
from softd3d.errors import DecodeError, LoweringError, located
from softd3d.isa.machine import Info, Machine, Memory, View
from softd3d.isa.roles import Flow
from softd3d.isa.row import Kind, OperandSpec, Row
from softd3d.isa.sm4.enums import OperandModifier, OperandType
from softd3d.isa.sm4.program import Index, Instruction, Operand
from softd3d.lower.bound import BoundProgram, register_indices
from softd3d.lower.evaluate import CarryOut, Evaluator, carry_out
from softd3d.lower.inputs import computed_inputs, output_keys
from softd3d.lower.operands.stage_access import StageAccess
from softd3d.lower.registers import Key, Registers, ViewBody
from softd3d.lower.stage import COVERED, OUTPUT_FILES
from softd3d.lower.tree import Item, Jump, Operation

__all__ = ["Operands", "modified", "saturated"]

_TYPES: dict[str, DataType] = {"f": F32, "x": F32, "i": I32, "u": U32, "c": U32, "a": U32, "b": U32}


class Operands(Evaluator):
    """Operands of SM4-5.1, and rows that read and write nothing else.

    Letters are those of a row's signature (`isa/row.py`).
    """

    def __init__(
        self, machine: Machine, registers: Registers, bound: BoundProgram,
        carried_out: CarryOut = carry_out,
    ) -> None:  # fmt: skip
        super().__init__(machine, registers, carried_out)
        self.declarations = bound.declarations
        self.stage = StageAccess(machine, registers, bound)

    # Rows

    def split(self, row: Row, i: Instruction) -> tuple[Sequence[Operand], Sequence[Operand]]:
        count = len(row.destinations)
        if len(i.operands) != count + len(row.sources):
            raise DecodeError(
                f"{row.mnemonic} takes {count + len(row.sources)} operands, found {len(i.operands)}"
            )
        return i.operands[:count], i.operands[count:]

    def components(self, destination: Operand) -> tuple[int, ...]:
        return _written(destination)

    def leading(self, row: Row) -> tuple[object, ...]:
        return (self.m,) if row.kind is Kind.EFFECT else ()

    def trailing(self, row: Row, i: Instruction) -> tuple[object, ...]:
        del row, i
        return ()

    def argument(self, spec: OperandSpec, operand: Operand, component: int) -> object:
        if spec.reads:
            return self.vector(operand, spec.reads, spec.letter)
        if spec.letter == "c":
            return self.single(operand)
        return self.typed(operand, component, spec.letter)

    def finished(
        self, spec: OperandSpec, i: Instruction, destination: Operand, component: int, value: Value
    ) -> Value:
        del destination, component
        return self.bits(saturated(i, spec, value))

    def targets(self, item: Item) -> Iterable[Key]:
        if isinstance(item, Operation):
            i = cast("Instruction", item.instruction)
            if item.row.emits:
                yield from self.stage.counted(i)
            for operand in i.operands[: len(item.row.destinations)]:
                for component in _written(operand):
                    if operand.type is OperandType.TEMP:
                        yield "r", operand.number, component
                    elif operand.type in OUTPUT_FILES and not self.stage.keeps_outputs:
                        yield from output_keys(self.declarations, operand, component)
        elif isinstance(item, Jump) and item.role is Flow.DISCARD:
            yield COVERED

    def start(self) -> None:
        """Do nothing: inputs are read where instructions name them."""

    def finish(self) -> None:
        """Do nothing: outputs are what was written."""

    # Flow

    def condition(self, row: Row, i: Instruction) -> Value:
        del row
        value = self.selector(i)
        return value.ne(0) if i.is_nonzero_test else value.eq(0)

    def selector(self, i: Instruction) -> Value:
        with located(i.location):
            return self.single(i.operands[0])

    def array_index(self, i: Instruction) -> Value:
        with located(i.location):
            return self.index(i.operands[0].indices[-1])

    # Reading

    def _register(self, operand: Operand, component: int) -> Value:
        """Read one component of a register, without modifiers."""
        t = operand.type
        if t is OperandType.TEMP:
            return self.registers.read("r", self._temp(operand), component)
        if t is OperandType.INDEXABLE_TEMP:
            return self._indexed(Memory.INDEXABLE_TEMP, operand, component)
        if t is OperandType.CONSTANT_BUFFER:
            return self._indexed(Memory.CONSTANT, operand, component)
        if t is OperandType.IMMEDIATE_CONSTANT_BUFFER:
            return self._indexed(Memory.IMMEDIATE_CONSTANT, operand, component)
        if t is OperandType.THIS_POINTER:
            return self._this(operand, component)
        return self._input(operand, component)

    def _input(self, operand: Operand, component: int) -> Value:
        """Read an input, of the invocation itself or of a vertex or patch."""
        *others, last = operand.indices or (Index(),)
        number = last.immediate if last.relative is None else self.index(last)
        if others or operand.type is OperandType.INPUT_PATCH_CONSTANT:
            vertex = self.index(others[0]) if others else None
            return self.stage.read(operand.type, vertex, number, component)
        if isinstance(number, int):
            return self.registers.read_input(operand.type, number, component)
        value = self.k.const(U32, 0)
        for n in computed_inputs(self.declarations, operand, component):
            found = self.registers.read_input(operand.type, n, component)
            value = select(number.eq(n), found, value)
        return value

    def _indexed(self, memory: Memory, operand: Operand, component: int) -> Value:
        """Read a vector array: outside is 0. Spec: D3D11.3 section 7.8."""
        index = self._vector_index(operand)

        def read(view: View) -> tuple[Value, ...]:
            return (self.m.load(view, *self._vector_place(view, index, component)),)

        return self.with_view(memory, operand, read)[0]

    def _this(self, operand: Operand, component: int) -> Value:
        """Read where the data of the object at a site is. Spec: D3D11.3 section 22.7.20."""
        site = self.k.const(U32, 0)
        for index in operand.indices:
            site = site + self.index(index)
        return self.registers.linkage.this(self.k, site, component)

    def _vector_index(self, operand: Operand) -> Value:
        if not operand.indices:
            raise DecodeError(f"operand {operand.type.name} has no index")
        return self.index(operand.indices[-1])

    def _vector_place(self, view: View, index: Value, component: int) -> tuple[Value, Value]:
        """Return the byte offset of a component of a vector, and whether it exists."""
        if view.memory is Memory.CONSTANT:
            count = self.m.info(view, Info.COUNT)
        else:
            count = self.k.const(U32, view.size // 16)
        return index * 16 + 4 * component, index < count

    def with_view(self, memory: Memory, operand: Operand, body: ViewBody) -> tuple[Value, ...]:
        """Run `body` with the view that an operand names, or with each that it may name."""
        registers = register_indices(memory, operand)
        if all(i.relative is None for i in registers):
            return body(self.registers.view(memory, operand))
        return self.registers.each_view(memory, operand, self.index(registers[-1]), body)

    def index(self, index: Index) -> Value:
        if index.relative is None:
            return self.k.const(U32, index.immediate)
        value = self.single(index.relative)
        return value + index.immediate if index.immediate else value

    def _raw(self, operand: Operand, position: int) -> Value:
        """Return raw bits of source position 0..3, after swizzle, before modifiers."""
        if operand.type in (OperandType.IMMEDIATE32, OperandType.IMMEDIATE64):
            data = operand.immediate
            if len(data) not in (1, 4):
                raise DecodeError(f"a literal of {len(data)} components")
            return self.k.const(U32, data[position if len(data) > 1 else 0])
        return self._register(operand, operand.source(position))

    def single(self, operand: Operand) -> Value:
        """Read a one-component operand (select 1, or the first of a swizzle) as uint32."""
        return self.typed(operand, 0, "u")

    def typed(self, operand: Operand, position: int, letter: str) -> Value:
        value = bitcast(self._raw(operand, position), _TYPES[letter])
        if operand.modifier is OperandModifier.NONE:
            return value
        if letter == "b":  # a modifier makes a move a float operation
            value = float_rules.flush(modified(bitcast(value, F32), operand.modifier))
            return bitcast(value, U32)
        if value.type is F32 or operand.modifier is OperandModifier.NEG:
            return modified(value, operand.modifier)
        raise DecodeError("an integer operand has an absolute value modifier")

    def vector(self, operand: Operand, count: int, letter: str) -> tuple[Value, ...]:
        return tuple(self.typed(operand, i, letter) for i in range(count))

    def double_source(self, operand: Operand, pair: int) -> Value:
        low, high = (self._raw(operand, 2 * pair + i) for i in range(2))
        value = pack64(low, high)
        if operand.modifier is OperandModifier.NONE:
            return value
        return modified(value, operand.modifier)

    # Writing

    def write(self, destination: Operand, component: int, bits: Value) -> None:
        if destination.type is OperandType.TEMP:
            self.registers.write("r", self._temp(destination), component, bits)
        elif destination.type is OperandType.INDEXABLE_TEMP:
            view = self.registers.view(Memory.INDEXABLE_TEMP, destination)
            at, valid = self._vector_place(view, self._vector_index(destination), component)
            self.m.store(view, at, bits, valid)
        elif destination.type in OUTPUT_FILES:
            self._write_output(destination, component, bits)
        elif destination.type is not OperandType.NULL:
            raise LoweringError(f"writing to {destination.type.name} is not supported yet")

    def _write_output(self, destination: Operand, component: int, bits: Value) -> None:
        keys = output_keys(self.declarations, destination, component)
        last = destination.indices[-1] if destination.indices else Index()
        number = None if last.relative is None else self.index(last)
        if self.stage.keeps_outputs:
            self.stage.keep(keys, number, bits)
        elif number is None:
            self.registers.write(*keys[0], bits)
        else:
            for key in keys:
                before = self.registers.read(*key)
                self.registers.write(*key, select(number.eq(key[1]), bits, before))

    def _temp(self, operand: Operand) -> int:
        number = operand.number
        if number >= self.declarations.temps:
            raise DecodeError(f"r{number} is not declared")
        return number


def _written(destination: Operand) -> tuple[int, ...]:
    """Return the components that a destination names; oMask and its like are encoded without."""
    if destination.type is OperandType.NULL:
        return ()
    if destination.type in OUTPUT_FILES and not destination.components:
        return (0,)
    return destination.mask


def saturated(i: Instruction, spec: OperandSpec, value: Value) -> Value:
    """Return a float result after `_sat`, if the instruction has it."""
    if not i.is_saturated or spec.letter not in "fdb":
        return value
    if spec.letter == "b":
        return bitcast(float_rules.saturate(bitcast(value, F32)), U32)
    return float_rules.saturate(value)


def modified(value: Value, modifier: OperandModifier) -> Value:
    """Return a float after its operand's modifier."""
    if modifier in (OperandModifier.ABS, OperandModifier.ABSNEG):
        value = abs(value)
    if modifier in (OperandModifier.NEG, OperandModifier.ABSNEG):
        value = -value
    return value
