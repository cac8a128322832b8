"""What a state of a pass or of a sampler is set to: numbers, or an object of a parameter.

Spec: measured on ID3DXEffect of d3dx9_43. Numbers become what the state takes: float, or whole
numbers by truncation; four numbers for a state of one are a colour, as D3DCOLOR.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import ParameterType
from softd3d.container.comments.execution import PreshaderRun
from softd3d.container.comments.preshader import parse_preshader
from softd3d.container.effects.d3d9.records import (
    Numbers,
    ObjectIds,
    Resource,
    ResourceUsage,
    State,
)
from softd3d.container.effects.d3d9.references import (
    element_index,
    element_selector,
    parameter_name,
)
from softd3d.container.effects.d3d9.states import STATES, StateInfo, state_name
from softd3d.device.effects9.programs import EffectProgram, Expression
from softd3d.device.effects9.registers import Lookup
from softd3d.device.effects9.slots import Slot, has_numbers
from softd3d.device.effects9.store import Store
from softd3d.errors import ContainerError, ResourceError

__all__ = ["Assignment", "assignment_of"]

_COMPONENTS = 4
_UINT32 = 0xFFFFFFFF
_LOWEST = -(2**31)
_MOST_NUMBERS = 1 << 16
_ELEMENT = re.compile(r"(.*)\[(\d{1,9})\]\Z", re.DOTALL)
_Found = tuple[Slot, Store]


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """A state and what it is set to.

    type, shape: of numbers; (elements, rows, columns). numbers: dwords that never change.
    expression: what computes them. parameter: the object, or array of them, that a name leads to,
    of which `expression` chooses the element if there is one. program: a shader that belongs to the
    state. None for those that do not apply; all are None for NULL.
    """

    info: StateInfo
    index: int
    place: str
    type: ParameterType
    shape: tuple[int, int, int]
    numbers: NDArray[np.uint32] | None = None
    expression: Expression | None = None
    parameter: _Found | None = None
    program: EffectProgram | None = None

    def dwords(self) -> NDArray[np.uint32]:
        """Return what the state is set to now, as words of `type`, row by row: uint32, (n,).

        Raises:
            ResourceError: an object is assigned. ContainerError: an expression is malformed.
        """
        if self.numbers is not None:
            return self.numbers
        if self.parameter is not None and self.parameter[0].is_numeric:
            slot, store = self.parameter
            return store.numbers[slot.start : slot.start + slot.size]
        if self.expression is None or self.parameter is not None:
            raise ResourceError(f"{self.place}: an object is assigned, wanted numbers")
        return self._computed(self.expression.run())

    def floats(self) -> NDArray[np.float32]:
        """Return the numbers as floats: float32, (n,)."""
        dwords = self.dwords()
        is_float = self.type is ParameterType.FLOAT
        return dwords.view(np.float32) if is_float else dwords.view(np.int32).astype(np.float32)

    def integers(self) -> NDArray[np.int32]:
        """Return the numbers as whole ones, of floats without their fractions: int32, (n,)."""
        dwords = self.dwords()
        if self.type is not ParameterType.FLOAT:
            return dwords.view(np.int32)
        return np.array([_truncated(v) for v in dwords.view(np.float32).tolist()], np.int32)

    def dword(self) -> int:
        """Return the one number that a state takes: a float's bits, a whole number, or a colour.

        Raises:
            ResourceError: as `dwords`, or there is no number.
        """
        dwords = self.dwords()
        if not dwords.size:
            raise ResourceError(f"{self.place}: is set to nothing, wanted a number")
        if self.info.type is ParameterType.FLOAT:
            return int(self.floats()[:1].view(np.uint32)[0])
        if dwords.size >= _COMPONENTS:
            return _color(self.floats()[:_COMPONENTS].tolist())
        return int(self.integers()[0]) & _UINT32

    def unit(self) -> _Found | None:
        """Return the object that the state is set to: its slot and where it is kept.

        Raises:
            ResourceError: the element that an expression chooses is not there, or numbers are
                assigned.
        """
        if self.parameter is None:
            if self.expression is not None or (self.numbers is not None and self.numbers.any()):
                raise ResourceError(f"{self.place}: numbers are assigned, wanted an object")
            return None
        slot, store = self.parameter
        if self.expression is None or not slot.elements:
            return slot, store
        index = element_index(self.expression.run())
        if not 0 <= index < slot.elements:
            raise ResourceError(
                f"{self.place}: element {index} is chosen of {slot.name}, which has {slot.elements}"
            )
        return slot.element(index), store

    def _computed(self, run: PreshaderRun) -> NDArray[np.uint32]:
        """Return what registers hold, which are the columns of each element."""
        elements, rows, columns = self.shape
        values = [
            run.floats.get(_COMPONENTS * (element * columns + column) + row, 0.0)
            for element in range(elements)
            for row in range(rows)
            for column in range(columns)
        ]
        if self.type is ParameterType.FLOAT:
            return np.array(values, np.float32).view(np.uint32)
        whole = _bool if self.type is ParameterType.BOOL else _truncated
        return np.array([whole(v) for v in values], np.int32).view(np.uint32)


def assignment_of(
    state: State, resource: Resource | None, lookup: Lookup, place: str
) -> Assignment:
    """Return what a state is set to; place: of the state, in words.

    Raises:
        ContainerError: the state is none, or what it refers to is malformed or is not there.
    """
    info = STATES.get(state.operation)
    if info is None:
        raise ContainerError(f"{place}: state {state.operation} is not defined")
    return _assignment(state, info, resource, lookup, f"{place}, {state_name(state.operation)}")


def _assignment(
    state: State, info: StateInfo, resource: Resource | None, lookup: Lookup, place: str
) -> Assignment:
    type_, value = state.variable.type, state.variable.value
    is_numeric = has_numbers(type_.class_, type_.type)
    shape = (max(type_.elements, 1), type_.rows, type_.columns) if is_numeric else (0, 0, 0)
    if math.prod(shape) > _MOST_NUMBERS:
        raise ContainerError(f"{place}: is set to more than {_MOST_NUMBERS} numbers")
    made: dict[str, Any] = {}
    if resource is None:
        if isinstance(value, Numbers):
            made["numbers"] = np.array(value.dwords, np.uint32)
        elif not isinstance(value, ObjectIds):
            raise ContainerError(f"{place}: is set to a structure or to a sampler without a name")
    elif resource.usage is ResourceUsage.PARAMETER:
        made["parameter"] = _parameter(parameter_name(resource), lookup, place)
    elif resource.usage is ResourceUsage.ELEMENT:
        name, code = element_selector(resource)
        made["parameter"] = _parameter(name, lookup, place)
        made["expression"] = Expression(parse_preshader(*code), lookup)
    elif is_numeric:
        made["expression"] = Expression(parse_preshader(resource.data), lookup)
    elif resource.data:
        made["program"] = EffectProgram(resource.data, lookup)
    return Assignment(
        info,
        state.index,
        place,
        type_.type,
        shape,
        **made,
    )


def _parameter(name: str, lookup: Lookup, place: str) -> _Found:
    found = lookup(name)
    if found is not None:
        return found
    match = _ELEMENT.match(name)
    found = None if match is None else lookup(match[1])
    if match is None or found is None:
        raise ContainerError(f"{place}: no parameter has the name {name!r}")
    slot, store = found
    index = int(match[2])
    if index >= slot.elements:
        raise ContainerError(f"{place}: {name!r} is not among the {slot.elements} elements")
    return slot.element(index), store


def _truncated(value: float) -> int:
    """Return a whole number as cvttss2si makes it: the lowest int32 where none holds it."""
    return int(value) if _LOWEST - 1 < value < -_LOWEST else _LOWEST


def _bool(value: float) -> int:
    return int(value != 0)


def _color(components: list[float]) -> int:
    """Return red, green, blue and alpha as D3DCOLOR has them."""
    red, green, blue, alpha = [
        int(min(max(v, 0.0), 1.0) * 255 + 0.5) if not math.isnan(v) else 0 for v in components
    ]
    return alpha << 24 | red << 16 | green << 8 | blue
