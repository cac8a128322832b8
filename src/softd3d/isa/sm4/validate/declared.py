"""What a phase of a program declares: the facts that the rules of operands and memory look up.

Reading never fails: what a declaration cannot say (an index that is a register, a missing operand)
is left out, and the rules of declarations report it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from softd3d.classes import dataclass
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    GlobalFlags,
    InterpolationMode,
    Opcode,
    OperandType,
    ResourceDimension,
    SystemName,
    UavFlags,
)
from softd3d.isa.sm4.limits import MAX_STAGE_REGISTERS
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.validate.facts import (
    Array,
    Buffer,
    Element,
    IndexRange,
    Interface,
    Sampler,
    View,
)
from softd3d.isa.sm4.validate.registers import DECLARED_FILES

__all__ = [
    "Declared",
    "constant_index",
    "is_output",
    "mask_bits",
]

_VECTOR_DWORDS = 4
_NO_FLAGS = GlobalFlags(0)


@dataclass(slots=True)
class Declared:
    """The declarations of one phase; `outer` has those of the whole hull shader.

    Lists have every declaration, in order; mappings the first of each register. counts: the first
    declaration of each opcode. ranged: the registers of all index ranges.
    """

    outer: Declared | None = None
    counts: dict[Opcode, Instruction] = field(default_factory=dict[Opcode, Instruction])
    flags: GlobalFlags = _NO_FLAGS
    temps: int = 0
    arrays: dict[int, Array] = field(default_factory=dict[int, Array])
    elements: list[Element] = field(default_factory=list[Element])
    masks: dict[tuple[OperandType, int], int] = field(
        default_factory=dict[tuple[OperandType, int], int]
    )
    vertices: dict[OperandType, int] = field(default_factory=dict[OperandType, int])
    ranges: list[IndexRange] = field(default_factory=list[IndexRange])
    ranged: set[tuple[OperandType, int]] = field(default_factory=set[tuple[OperandType, int]])
    views: list[View] = field(default_factory=list[View])
    view_of: dict[tuple[OperandType, int], View] = field(
        default_factory=dict[tuple[OperandType, int], View]
    )
    samplers: list[Sampler] = field(default_factory=list[Sampler])
    sampler_of: dict[int, Sampler] = field(default_factory=dict[int, Sampler])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    buffer_of: dict[int, Buffer] = field(default_factory=dict[int, Buffer])
    icb: int = 0
    streams: list[int] = field(default_factory=list[int])
    bodies: set[int] = field(default_factory=set[int])
    tables: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    interfaces: dict[int, Interface] = field(default_factory=dict[int, Interface])

    def add(self, instruction: Instruction, version: tuple[int, int]) -> None:
        """Take in a declaration."""
        self.counts.setdefault(instruction.opcode, instruction)
        read = _READERS.get(instruction.opcode)
        files = DECLARED_FILES.get(instruction.opcode)
        if read is not None and (files is None or instruction.operands[0].type in files):
            read(self, instruction, version)

    @property
    def all_flags(self) -> GlobalFlags:
        return self.flags | (self.outer.flags if self.outer else _NO_FLAGS)

    def view(self, kind: OperandType, register: int) -> View | None:
        """Return the view that a register or range names."""
        found = self.view_of.get((kind, register))
        return found or (self.outer.view(kind, register) if self.outer else None)

    def sampler(self, register: int) -> Sampler | None:
        found = self.sampler_of.get(register)
        return found or (self.outer.sampler(register) if self.outer else None)

    def buffer(self, register: int) -> Buffer | None:
        found = self.buffer_of.get(register)
        return found or (self.outer.buffer(register) if self.outer else None)

    def table(self, number: int) -> tuple[int, ...] | None:
        """Return the bodies of a function table, None if it is not declared.

        A table is empty where the compiler has inlined all calls.
        """
        found = self.tables.get(number)
        return found if found is not None or self.outer is None else self.outer.table(number)

    def interface(self, register: int) -> Interface | None:
        found = self.interfaces.get(register)
        return found or (self.outer.interface(register) if self.outer else None)

    @property
    def constants(self) -> int:
        """How many vectors the immediate constant buffer has."""
        return self.icb or (self.outer.constants if self.outer else 0)

    def merge(self, other: Declared) -> None:
        """Take in what another phase declares, for code that several phases call."""
        self.temps = max(self.temps, other.temps)
        for number, array in other.arrays.items():
            self.arrays.setdefault(number, array)
        self.elements += other.elements
        for key, mask in other.masks.items():
            self.masks[key] = self.masks.get(key, 0) | mask
        for kind, count in other.vertices.items():
            self.vertices.setdefault(kind, count)
        self.ranges += other.ranges
        self.ranged |= other.ranged


def constant_index(operand: Operand, place: int) -> int | None:
    """Return an index that is a constant, None if it is a register or missing."""
    if place >= len(operand.indices) or operand.indices[place].relative is not None:
        return None
    return operand.indices[place].immediate


def mask_bits(components: tuple[int, ...]) -> int:
    """Return components as bits, x is 1.

    >>> mask_bits((0, 2))
    5
    """
    return sum(1 << component for component in set(components))


def is_output(element: Element) -> bool:
    """Tell whether an element was declared as an output."""
    return element.instruction.opcode in _OUTPUTS


_OUTPUTS = frozenset({Opcode.DCL_OUTPUT, Opcode.DCL_OUTPUT_SGV, Opcode.DCL_OUTPUT_SIV})
_SCALAR_MASK = 1


def _element(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    operand = i.operands[0]
    last = constant_index(operand, len(operand.indices) - 1) if operand.indices else 0
    is_pixel = i.opcode in _PIXEL_INPUTS
    if last is None:
        return
    vertices = constant_index(operand, 0) if len(operand.indices) > 1 else 0
    mask = mask_bits(operand.selection) if operand.components == 4 else _SCALAR_MASK
    element = Element(
        i, operand.type, last, mask, i.extra[0] & 0xFFFF if i.extra else SystemName.UNDEFINED,
        t.INTERPOLATION.get(i.controls) if is_pixel else InterpolationMode.UNDEFINED,
        vertices or 0, d.streams[-1] if d.streams else 0,
    )  # fmt: skip
    d.elements.append(element)
    key = operand.type, last
    d.masks[key] = d.masks.get(key, 0) | mask
    if vertices:
        d.vertices.setdefault(operand.type, vertices)


_PIXEL_INPUTS = frozenset({Opcode.DCL_INPUT_PS, Opcode.DCL_INPUT_PS_SGV, Opcode.DCL_INPUT_PS_SIV})


def _bounds(operand: Operand, version: tuple[int, int]) -> tuple[int, int, int] | None:
    """Return number, lower and upper bound of what is declared."""
    numbers = [constant_index(operand, place) for place in range(len(operand.indices))]
    if version >= (5, 1):
        if len(numbers) == 3 and None not in numbers:
            return numbers[0] or 0, numbers[1] or 0, numbers[2] or 0
        return None
    if not numbers or numbers[0] is None:
        return None
    return numbers[0], numbers[0], numbers[0]


def _view(
    kind: ViewKind, dimension: ResourceDimension | None = None
) -> Callable[[Declared, Instruction, tuple[int, int]], None]:
    def read(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
        operand = i.operands[0]
        bounds = _bounds(operand, version)
        if bounds is None:
            return
        extra = dict(zip(t.layout(i.opcode, version).dwords, i.extra, strict=False))
        shape = t.DECLARED_DIMENSION.get(i.controls) if dimension is None else dimension
        view = View(
            i, operand.type, bounds[0], kind, shape, bounds[1], bounds[2], extra.get("space", 0),
            extra.get("return type", 0), extra.get("stride", 0),
            has_counter=bool(i.controls & UavFlags.UAV_HAS_ORDER_PRESERVING_COUNTER),
        )  # fmt: skip
        d.views.append(view)
        d.view_of.setdefault((operand.type, view.register), view)

    return read


def _shared(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    number = constant_index(i.operands[0], 0)
    if number is None:
        return
    is_raw = i.opcode is Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_RAW
    stride, count = (0, i.extra[0]) if is_raw else i.extra
    view = View(
        i, i.operands[0].type, number, ViewKind.RAW if is_raw else ViewKind.STRUCTURED,
        ResourceDimension.UNKNOWN, number, number, stride=stride,
        size=count if is_raw else stride * count,
    )  # fmt: skip
    d.views.append(view)
    d.view_of.setdefault((view.type, number), view)


def _sampler(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    bounds = _bounds(i.operands[0], version)
    if bounds is None:
        return
    mode = t.SAMPLER_MODE.get(i.controls)
    sampler = Sampler(i, bounds[0], mode, bounds[1], bounds[2], i.extra[0] if i.extra else 0)
    d.samplers.append(sampler)
    d.sampler_of.setdefault(bounds[0], sampler)


def _buffer(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    operand = i.operands[0]
    number = constant_index(operand, 0)
    if number is None:
        return
    lower = upper = number
    size, space = constant_index(operand, 1) or 0, 0
    if version >= (5, 1):
        lower, upper = constant_index(operand, 1) or 0, constant_index(operand, 2) or 0
        size, space = i.extra[0], i.extra[1]
    dynamic = bool(t.DYNAMIC_INDEXED.get(i.controls))
    buffer = Buffer(i, number, size, dynamic, lower, upper, space)
    d.buffers.append(buffer)
    d.buffer_of.setdefault(number, buffer)


def _array(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    number, count, components = i.extra
    d.arrays.setdefault(number, Array(i, count, components))


def _temps(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    d.temps = max(d.temps, i.extra[0])


def _flags(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    d.flags |= GlobalFlags(i.controls)


def _custom(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    if i.custom_class == CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        d.icb = max(d.icb, len(i.custom) // _VECTOR_DWORDS)


def _index_range(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    operand = i.operands[0]
    first = constant_index(operand, len(operand.indices) - 1) if operand.indices else None
    if first is not None:
        mask = mask_bits(operand.selection)
        d.ranges.append(IndexRange(i, operand.type, first, i.extra[0], mask))
        last = min(first + i.extra[0], MAX_STAGE_REGISTERS)
        d.ranged.update((operand.type, number) for number in range(first, last))


def _stream(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    number = constant_index(i.operands[0], 0)
    if number is not None:
        d.streams.append(number)


def _body(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    d.bodies.add(i.extra[0])


def _table(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    d.tables[i.extra[0]] = i.extra[2:]


def _interface(d: Declared, i: Instruction, version: tuple[int, int]) -> None:
    del version
    number, sites, counts = i.extra[:3]
    d.interfaces.setdefault(number, Interface(i, counts >> 16, sites, i.extra[3:]))


_READERS: dict[Opcode, Callable[[Declared, Instruction, tuple[int, int]], None]] = {
    **dict.fromkeys(
        (
            Opcode.DCL_INPUT, Opcode.DCL_INPUT_SGV, Opcode.DCL_INPUT_SIV, Opcode.DCL_INPUT_PS,
            Opcode.DCL_INPUT_PS_SGV, Opcode.DCL_INPUT_PS_SIV, Opcode.DCL_OUTPUT,
            Opcode.DCL_OUTPUT_SGV, Opcode.DCL_OUTPUT_SIV,
        ),
        _element,
    ),
    Opcode.DCL_RESOURCE: _view(ViewKind.TYPED),
    Opcode.DCL_RESOURCE_RAW: _view(ViewKind.RAW, ResourceDimension.RAW_BUFFER),
    Opcode.DCL_RESOURCE_STRUCTURED: _view(
        ViewKind.STRUCTURED, ResourceDimension.STRUCTURED_BUFFER
    ),
    Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED: _view(ViewKind.TYPED),
    Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW: _view(ViewKind.RAW, ResourceDimension.RAW_BUFFER),
    Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: _view(
        ViewKind.STRUCTURED, ResourceDimension.STRUCTURED_BUFFER
    ),
    Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_RAW: _shared,
    Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED: _shared,
    Opcode.DCL_SAMPLER: _sampler,
    Opcode.DCL_CONSTANT_BUFFER: _buffer,
    Opcode.DCL_INDEXABLE_TEMP: _array,
    Opcode.DCL_TEMPS: _temps,
    Opcode.DCL_GLOBAL_FLAGS: _flags,
    Opcode.CUSTOMDATA: _custom,
    Opcode.DCL_INDEX_RANGE: _index_range,
    Opcode.DCL_STREAM: _stream,
    Opcode.DCL_FUNCTION_BODY: _body,
    Opcode.DCL_FUNCTION_TABLE: _table,
    Opcode.DCL_INTERFACE: _interface,
}  # fmt: skip
