"""Parameters of an effect, and annotations: values by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from softd3d.arguments import instance
from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.container.effects.d3d9.records import Parameter, Variable
from softd3d.device.effects9.slots import Slot, find_slot, slot_of
from softd3d.device.effects9.store import Store, get_value, initial_store, set_value
from softd3d.errors import ResourceError

__all__ = ["EffectParameter", "annotation_values", "found_parameter", "listed", "parameter_of"]

_LISTED = 8
_DTYPES = {
    ParameterType.BOOL: np.dtype(np.bool_),
    ParameterType.INT: np.dtype(np.int32),
    ParameterType.FLOAT: np.dtype(np.float32),
}


class EffectParameter:
    """A parameter of an effect, a member or an element of one.

    name: the path it was found by, such as `lights[1].color`. annotations: of a whole parameter,
    by name.
    """

    def __init__(
        self, name: str, slot: Slot, store: Store, annotations: Mapping[str, Any] | None = None
    ) -> None:
        self.name = name
        self.annotations: Mapping[str, Any] = MappingProxyType(dict(annotations or {}))
        self.slot = slot
        self.store = store

    @property
    def semantic(self) -> str:
        """Its semantic; empty if it has none."""
        return self.slot.semantic

    @property
    def class_(self) -> ParameterClass:
        """D3DXPARAMETER_CLASS."""
        return self.slot.class_

    @property
    def type(self) -> ParameterType:
        """D3DXPARAMETER_TYPE."""
        return self.slot.type

    @property
    def elements(self) -> int:
        """Elements of an array; 0 if it is none."""
        return self.slot.elements

    @property
    def members(self) -> tuple[str, ...]:
        """The names of a structure's members."""
        return tuple(member.name for member in self.slot.members)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its value: (elements, rows, columns), without what it does not have."""
        return self.slot.shape

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """Of its numbers: bool, int32 or float32; None for objects and structures."""
        return _DTYPES.get(self.slot.type) if self.slot.is_numeric else None

    @property
    def value(self) -> Any:
        """What it is set to; a copy.

        Numbers are an array of `shape`, strings str, textures what the caller has set, shaders
        their tokens, structures a dict; arrays of structures or objects are lists. None: no object.

        Raises, when set:
            ResourceError: shape, kind of numbers, object or member is not that of the parameter.
        """
        return get_value(self.slot, self.store)

    @value.setter
    def value(self, value: Any) -> None:
        before = self.store.numbers.copy(), dict(self.store.objects)
        try:
            set_value(self.slot, self.store, value, self.name)
        except ResourceError:
            self.store.numbers[:], self.store.objects = before
            raise

    def __getitem__(self, step: int | str) -> EffectParameter:
        """Return an element, or a member.

        Raises:
            ResourceError: there is no such one.
        """
        text = f"[{step}]" if isinstance(step, int) else f".{instance(step, str, self.name)}"
        slot = find_slot(self.slot, text, self.name + text)
        return EffectParameter(self.name + text, slot, self.store)

    def __repr__(self) -> str:
        return f"<EffectParameter {self.name}, {self.slot.type.name.lower()} {self.shape}>"


def parameter_of(record: Parameter, number: int, data: Mapping[int, bytes]) -> EffectParameter:
    """Return a parameter with its first value; data: of stored objects, by id.

    Raises:
        ContainerError: a value has not the form of its type.
    """
    slot = slot_of(record.variable.type)
    store = initial_store(slot, record.variable.value, data, number)
    return EffectParameter(slot.name, slot, store, annotation_values(record.annotations, data))


def found_parameter(parameters: Mapping[str, EffectParameter], path: str) -> EffectParameter:
    """Return a parameter, or a member or element of one.

    Raises:
        ResourceError: there is no such one.
    """
    whole = parameters.get(instance(path, str, "effect: parameter"))
    if whole is not None:
        return whole
    end = min((at for at in (path.find("."), path.find("[")) if at >= 0), default=len(path))
    found = parameters.get(path[:end])
    if found is None:
        raise ResourceError(f"no parameter {path[:end]!r}, wanted one of {listed(parameters)}")
    return EffectParameter(path, find_slot(found.slot, path[end:], path), found.store)


def listed(names: Iterable[str]) -> str:
    """Return the first names, for errors."""
    known = list(names)
    more = ", ..." if len(known) > _LISTED else ""
    return ", ".join(known[:_LISTED]) + more or "none"


def annotation_values(annotations: Iterable[Variable], data: Mapping[int, bytes]) -> dict[str, Any]:
    """Return annotations by name.

    Raises:
        ContainerError: a value has not the form of its type.
    """
    values: dict[str, Any] = {}
    for annotation in annotations:
        slot = slot_of(annotation.type)
        values[slot.name] = get_value(slot, initial_store(slot, annotation.value, data))
    return values
