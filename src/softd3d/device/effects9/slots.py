"""Where parameters of an effect, their members and elements lie: a tree of places.

A parameter's value is a row of units: numbers row by row, element by element, members one after
another, as ID3DXEffect::GetValue gives them; an object (string, texture, shader, sampler) is one
unit.
"""

from __future__ import annotations

import re
from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.container.effects.d3d9.records import EffectType
from softd3d.errors import ResourceError

__all__ = ["Slot", "find_slot", "has_numbers", "slot_of"]

_NUMBERS = (ParameterType.BOOL, ParameterType.INT, ParameterType.FLOAT)
_NOT_NUMERIC = (ParameterClass.OBJECT, ParameterClass.STRUCT)
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d{1,9})\]")


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter, member or element. start: its first unit; unit_count: of one element.

    elements: 0 if it is no array. members: of the first element.
    """

    name: str
    semantic: str
    class_: ParameterClass
    type: ParameterType
    rows: int
    columns: int
    elements: int
    start: int
    unit_count: int
    members: tuple[Slot, ...] = ()

    @property
    def size(self) -> int:
        """Units of all elements."""
        return self.unit_count * max(self.elements, 1)

    @property
    def is_numeric(self) -> bool:
        return has_numbers(self.class_, self.type)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers, or of its objects if it is an array of them."""
        array = (self.elements,) if self.elements else ()
        match self.class_:
            case ParameterClass.VECTOR:
                return (*array, self.columns)
            case ParameterClass.MATRIX_ROWS | ParameterClass.MATRIX_COLUMNS:
                return (*array, self.rows, self.columns)
            case _:
                return array

    def element(self, index: int) -> Slot:
        """Return one element; `moved` members and all."""
        return moved(replace(self, elements=0), index * self.unit_count)


def has_numbers(class_: ParameterClass, type_: ParameterType) -> bool:
    """Return whether values of a type are numbers."""
    return type_ in _NUMBERS and class_ not in _NOT_NUMERIC


def moved(slot: Slot, units: int) -> Slot:
    """Return a slot that lies `units` further."""
    if not units:
        return slot
    members = tuple([moved(member, units) for member in slot.members])
    return replace(slot, start=slot.start + units, members=members)


def slot_of(type_: EffectType, start: int = 0) -> Slot:
    """Return the place of a value of a type, its members included."""
    members: list[Slot] = []
    at = start
    for member in type_.members:
        members.append(slot_of(member, at))
        at += members[-1].size
    if type_.class_ is ParameterClass.STRUCT:
        units = at - start
    else:
        units = type_.rows * type_.columns if has_numbers(type_.class_, type_.type) else 1
    return Slot(
        type_.name.text,
        type_.semantic.text,
        type_.class_,
        type_.type,
        type_.rows,
        type_.columns,
        type_.elements,
        start,
        units,
        tuple(members),
    )


def find_slot(slot: Slot, path: str, whole: str) -> Slot:
    """Return what a path such as `.lights[1].color` leads to.

    whole: the path that errors quote.

    Raises:
        ResourceError: there is no such member or element.
    """
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            raise ResourceError(f"effect: {whole!r} is no name of a parameter, member or element")
        at = match.end()
        slot = _step(slot, match, whole)
    return slot


def _step(slot: Slot, match: re.Match[str], whole: str) -> Slot:
    if match[2] is not None:
        index = int(match[2])
        if index >= slot.elements:
            raise ResourceError(
                f"effect: {whole!r}: element {index} of {slot.name}, which has {slot.elements}"
            )
        return slot.element(index)
    for member in slot.members if not slot.elements else ():
        if member.name == match[1]:
            return member
    names = ", ".join(member.name for member in slot.members) or "none"
    array = ", an array: name an element" if slot.elements else ""
    raise ResourceError(
        f"effect: {whole!r}: {slot.name} has no member {match[1]} (members {names}{array})"
    )
