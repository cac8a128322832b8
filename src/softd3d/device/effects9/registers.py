"""From parameters to registers: what a constant table says, as places to gather from.

The registers of constants in files of float4, int4 and bools, for shaders and for preshaders.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import (
    Constant,
    ConstantTable,
    ConstantType,
    ParameterClass,
    ParameterType,
    RegisterSet,
)
from softd3d.device.effects9.slots import Slot
from softd3d.device.effects9.store import Store
from softd3d.errors import ContainerError

__all__ = ["Gather", "Lookup", "gathered", "gathers_of", "set_defaults"]

MAX_REGISTERS = 1 << 16
"""Registers of all constants of a table; software vertex processing has 8,192 of each."""
_COMPONENTS = 4
_MAX_ELEMENTS = 1 << 16
Lookup = Callable[[str], tuple[Slot, Store] | None]
"""Gives a parameter by its name; None if there is none."""
_Places = dict[ParameterType, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Numbers of one type. sources: units of the parameter; targets: components of registers."""

    kind: ParameterType
    sources: NDArray[np.intp]
    targets: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Gather:
    """What a constant takes from a parameter.

    start, count: its registers. default: what the table itself holds, which counts if no parameter
    has the name (store is None then).
    """

    name: str
    start: int
    count: int
    store: Store | None
    parts: tuple[Part, ...]
    is_scalar: bool
    default: tuple[int, ...] | None


def gathers_of(table: ConstantTable, register_set: RegisterSet, lookup: Lookup) -> list[Gather]:
    """Return what fills the registers of a set.

    Raises:
        ContainerError: the registers are more than any device has.
    """
    found = [c for c in table.constants if c.register_set is register_set]
    if sum(c.register_count for c in found) > MAX_REGISTERS or any(
        c.register_index + c.register_count > MAX_REGISTERS for c in found
    ):
        raise ContainerError(
            f"constant table: more than {MAX_REGISTERS} registers, or registers beyond that"
        )
    return [_gather(c, lookup(c.name)) for c in found]


def gathered(gather: Gather, register_set: RegisterSet) -> NDArray[np.generic]:
    """Return the registers of a constant: float32 or int32, (count, 4), or bool, (count,).

    Components that the constant does not have are 0.
    """
    width = 1 if register_set is RegisterSet.BOOL else _COMPONENTS
    dtype = np.float32 if register_set is RegisterSet.FLOAT4 else np.int32
    registers = np.zeros(width * gather.count, dtype)
    if gather.is_scalar and register_set is RegisterSet.INT4:
        registers[2::_COMPONENTS] = 1  # a number of rounds; what aL grows by is 1 then
    if gather.store is not None:
        for part in gather.parts:
            dwords = gather.store.numbers[part.sources]
            registers[part.targets] = _converted(dwords, part.kind, register_set)
    elif gather.default is not None:
        words = np.array(gather.default[: registers.size], np.uint32).view(dtype)
        registers[: words.size] = words
    return registers != 0 if width == 1 else registers.reshape(-1, _COMPONENTS)


def set_defaults(gather: Gather, register_set: RegisterSet) -> None:
    """Give the parameter of a constant the numbers that the table itself holds."""
    if gather.store is None or gather.default is None:
        return
    words = np.array(gather.default, np.uint32)
    is_float = register_set is RegisterSet.FLOAT4
    for part in gather.parts:
        taken = words[np.minimum(part.targets, words.size - 1)] if words.size else words
        if part.kind is ParameterType.FLOAT:
            values = taken if is_float else taken.view(np.int32).astype(np.float32).view(np.uint32)
        else:
            values = _whole(taken.view(np.float32)).view(np.uint32) if is_float else taken
        if words.size:
            gather.store.numbers[part.sources] = values


def _converted(
    dwords: NDArray[np.uint32], kind: ParameterType, register_set: RegisterSet
) -> NDArray[np.generic]:
    """Return numbers of a parameter's type as those of a register file."""
    if kind is ParameterType.BOOL:
        dwords = (dwords != 0).astype(np.uint32)
    is_float = kind is ParameterType.FLOAT
    if register_set is RegisterSet.FLOAT4:
        return dwords.view(np.float32) if is_float else dwords.view(np.int32).astype(np.float32)
    if register_set is RegisterSet.BOOL:
        values = dwords.view(np.float32) if is_float else dwords
        return (values != 0).astype(np.int32)
    if not is_float:
        return dwords.view(np.int32)
    return _whole(dwords.view(np.float32))


def _whole(values: NDArray[np.float32]) -> NDArray[np.int32]:
    """Truncate as cvttss2si: what int32 does not hold becomes the lowest."""
    fits = (values > -(2.0**31) - 1) & (values < 2.0**31)
    whole = np.where(fits, values, 0).astype(np.int32)
    return np.where(fits, whole, np.int32(np.iinfo(np.int32).min))


def _gather(constant: Constant, found: tuple[Slot, Store] | None) -> Gather:
    places: _Places = {}
    if found is not None:
        width = 1 if constant.register_set is RegisterSet.BOOL else _COMPONENTS
        _Walk(constant.register_count, width, places).variable(constant.type, found[0], 0)
    return Gather(
        constant.name,
        constant.register_index,
        constant.register_count,
        None if found is None else found[1],
        tuple(
            Part(kind, *np.array(pairs, np.intp).T.copy())
            for kind, pairs in places.items()
            if pairs
        ),
        constant.type.class_ is ParameterClass.SCALAR,
        constant.default,
    )


class _Walk:
    """Goes through a type and a parameter side by side.

    count: registers there are; width: components of one; places: which number goes where.
    """

    def __init__(self, count: int, width: int, places: _Places) -> None:
        self.count = count
        self.width = width
        self.places = places

    def variable(self, type_: ConstantType, slot: Slot | None, register: int) -> int:
        """Add what a variable has from a register on; return the register behind it."""
        elements = min(max(type_.elements, 1), _MAX_ELEMENTS)
        for number in range(elements):
            if register >= self.count:
                break
            start = register
            register = self.element(type_, _element(slot, number), register)
            if register == start:
                break  # it has no registers, and neither have the others
        return register

    def element(self, type_: ConstantType, slot: Slot | None, register: int) -> int:
        if type_.class_ is ParameterClass.STRUCT:
            members = {} if slot is None else {member.name: member for member in slot.members}
            for member in type_.members:
                register = self.variable(member.type, members.get(member.name), register)
            return register
        if type_.class_ is ParameterClass.OBJECT:
            return register
        return self.numbers(type_, slot, register)

    def numbers(self, type_: ConstantType, slot: Slot | None, register: int) -> int:
        by_columns = type_.class_ is ParameterClass.MATRIX_COLUMNS
        outer, inner = type_.rows, min(type_.columns, _COMPONENTS)
        if by_columns:
            outer, inner = type_.columns, min(type_.rows, _COMPONENTS)
        is_bool = self.width == 1
        registers = outer * inner if is_bool else outer
        if slot is None or not slot.is_numeric:
            return register + registers
        pairs = self.places.setdefault(slot.type, [])
        for n in range(min(outer, self.count)):
            for k in range(inner):
                row, column = (k, n) if by_columns else (n, k)
                target = register + n * inner + k if is_bool else (register + n) * _COMPONENTS + k
                if row < slot.rows and column < slot.columns and target < self.width * self.count:
                    pairs.append((slot.start + row * slot.columns + column, target))
        return register + registers


def _element(slot: Slot | None, number: int) -> Slot | None:
    if slot is None:
        return None
    if not slot.elements:
        return slot if number == 0 else None
    return slot.element(number) if number < slot.elements else None
