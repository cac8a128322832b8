"""Read and write the operands of instructions: registers, swizzles, modifiers, indices.

Spec: D3D11.3 section 22.1 (operands), 22.10 (modifiers), 7.8 (arrays of vectors).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from softd3d.algebra import float_rules
from softd3d.algebra.operations import bitcast, pack64, select
from softd3d.algebra.value import BOOL, F32, I32, U32, DataType, Value
from softd3d.errors import DecodeError, LoweringError
from softd3d.isa.machine import Info, Machine, Memory, View
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import OperandModifier, OperandType
from softd3d.isa.sm4.program import Index, Operand
from softd3d.lower.bound import register_indices
from softd3d.lower.linkage import Linkage

__all__ = ["Operands", "Registers", "SamplerBody", "ViewBody"]

ViewBody: TypeAlias = "Callable[[View], tuple[Value, ...]]"
SamplerBody: TypeAlias = "Callable[[SamplerState], tuple[Value, ...]]"
_TYPES: dict[str, DataType] = {"f": F32, "x": F32, "i": I32, "u": U32, "c": U32, "a": U32, "b": U32}


class Registers(Protocol):
    """The register file and bindings of an evaluation. All values are raw uint32 bits."""

    def read_temp(self, index: int, component: int) -> Value: ...

    def write_temp(self, index: int, component: int, value: Value) -> None: ...

    def read_input(self, type_: OperandType, component: int) -> Value: ...

    def view(self, memory: Memory, operand: Operand) -> View:
        """Return the view that a t#, u#, g#, cb, icb or x# operand names."""
        ...

    def each_view(
        self, memory: Memory, operand: Operand, register: Value, body: ViewBody
    ) -> tuple[Value, ...]:
        """Run `body` with every view that a computed register number names, for its lanes only.

        register: uint32; where nothing is bound to it the view is an unbound one. Returns for each
        lane what the body returned for it, values of type uint32.
        """
        ...

    def sampler(self, operand: Operand) -> SamplerState:
        """Return the sampler that an s# operand names."""
        ...

    @property
    def linkage(self) -> Linkage:
        """What the program's interfaces are bound to."""
        ...

    def each_sampler(
        self, operand: Operand, register: Value, body: SamplerBody
    ) -> tuple[Value, ...]:
        """Do as `each_view` for samplers; where there is none it is the default one."""
        ...


class Operands:
    """Operands over one machine (with its algebra) and one register file.

    Letters are those of a row's signature (`isa/row.py`).
    """

    def __init__(self, machine: Machine, registers: Registers) -> None:
        self.m = machine
        self.k = machine.k
        self.registers = registers

    # Reading

    def _register(self, operand: Operand, component: int) -> Value:
        """Read one component of a register, without modifiers."""
        t = operand.type
        if t is OperandType.TEMP:
            return self.registers.read_temp(operand.number, component)
        if t is OperandType.INDEXABLE_TEMP:
            return self._indexed(Memory.INDEXABLE_TEMP, operand, component)
        if t is OperandType.CONSTANT_BUFFER:
            return self._indexed(Memory.CONSTANT, operand, component)
        if t is OperandType.IMMEDIATE_CONSTANT_BUFFER:
            return self._indexed(Memory.IMMEDIATE_CONSTANT, operand, component)
        if t is OperandType.THIS_POINTER:
            return self._this(operand, component)
        return self.registers.read_input(t, component)

    def _indexed(self, memory: Memory, operand: Operand, component: int) -> Value:
        """Read a vector array: outside is 0. Spec: D3D11.3 section 7.8."""
        index = self._vector_index(operand)

        def read(view: View) -> tuple[Value, ...]:
            return (self.m.load(view, *self._vector_place(view, index, component)),)

        return self._with_view(memory, operand, read)[0]

    def _this(self, operand: Operand, component: int) -> Value:
        """Read where the data of the object at a site is. Spec: D3D11.3 section 22.7.20."""
        site = self.k.const(U32, 0)
        for index in operand.indices:
            site = site + self._index(index)
        return self.registers.linkage.this(self.k, site, component)

    def _vector_index(self, operand: Operand) -> Value:
        if not operand.indices:
            raise DecodeError(f"operand {operand.type.name} has no index")
        return self._index(operand.indices[-1])

    def _vector_place(self, view: View, index: Value, component: int) -> tuple[Value, Value]:
        """Return the byte offset of a component of a vector, and whether it exists."""
        if view.memory is Memory.CONSTANT:
            count = self.m.info(view, Info.COUNT)
        else:
            count = self.k.const(U32, view.size // 16)
        return index * 16 + 4 * component, index < count

    def _with_view(self, memory: Memory, operand: Operand, body: ViewBody) -> tuple[Value, ...]:
        """Run `body` with the view that an operand names, or with each that it may name."""
        registers = register_indices(memory, operand)
        if all(i.relative is None for i in registers):
            return body(self.registers.view(memory, operand))
        return self.registers.each_view(memory, operand, self._index(registers[-1]), body)

    def _index(self, index: Index) -> Value:
        if index.relative is None:
            return self.k.const(U32, index.immediate)
        value = self._single(index.relative)
        return value + index.immediate if index.immediate else value

    def _raw(self, operand: Operand, position: int) -> Value:
        """Return raw bits of source position 0..3, after swizzle, before modifiers."""
        if operand.type in (OperandType.IMMEDIATE32, OperandType.IMMEDIATE64):
            data = operand.immediate
            if len(data) not in (1, 4):
                raise DecodeError(f"a literal of {len(data)} components")
            return self.k.const(U32, data[position if len(data) > 1 else 0])
        return self._register(operand, operand.source(position))

    def _single(self, operand: Operand) -> Value:
        """Read a one-component operand (select 1, or the first of a swizzle) as uint32."""
        return self._typed(operand, 0, "u")

    def _typed(self, operand: Operand, position: int, letter: str) -> Value:
        value = bitcast(self._raw(operand, position), _TYPES[letter])
        if operand.modifier is OperandModifier.NONE:
            return value
        if letter == "b":  # a modifier makes a move a float operation
            value = float_rules.flush(_modified(bitcast(value, F32), operand.modifier))
            return bitcast(value, U32)
        if value.type is F32 or operand.modifier is OperandModifier.NEG:
            return _modified(value, operand.modifier)
        raise DecodeError("an integer operand has an absolute value modifier")

    def _vector(self, operand: Operand, count: int, letter: str) -> tuple[Value, ...]:
        return tuple(self._typed(operand, i, letter) for i in range(count))

    def _double_source(self, operand: Operand, pair: int) -> Value:
        low, high = (self._raw(operand, 2 * pair + i) for i in range(2))
        value = pack64(low, high)
        if operand.modifier is OperandModifier.NONE:
            return value
        return _modified(value, operand.modifier)

    # Writing

    def _write(self, operand: Operand, component: int, value: Value) -> None:
        value = self._bits(value)
        if operand.type is OperandType.TEMP:
            self.registers.write_temp(operand.number, component, value)
        elif operand.type is OperandType.INDEXABLE_TEMP:
            view = self.registers.view(Memory.INDEXABLE_TEMP, operand)
            at, valid = self._vector_place(view, self._vector_index(operand), component)
            self.m.store(view, at, value, valid)
        elif operand.type is not OperandType.NULL:
            raise LoweringError(f"writing to {operand.type.name} is not supported yet")

    def _bits(self, value: Value) -> Value:
        """Return a result as the uint32 that a register holds."""
        if value.type is BOOL:
            value = select(value, self.k.const(U32, 0xFFFFFFFF), 0)
        return bitcast(value, U32)


def _modified(value: Value, modifier: OperandModifier) -> Value:
    if modifier in (OperandModifier.ABS, OperandModifier.ABSNEG):
        value = abs(value)
    if modifier in (OperandModifier.NEG, OperandModifier.ABSNEG):
        value = -value
    return value
