"""Dynamic linkage by the caller: class instances for the interface slots of a shader.

The manner is that of ID3D11ClassLinkage: instances by the names that the shader has, or made from
a class and the places of its data. Spec: D3D11.3 section 7.19.6.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping
from typing import SupportsIndex

from softd3d.arguments import items, shown
from softd3d.classes import dataclass
from softd3d.container.reflection.enums import CbufferType
from softd3d.container.reflection.interfaces import Interfaces
from softd3d.container.reflection.resources import ResourceDefinitions
from softd3d.errors import ContainerError, ResourceError
from softd3d.isa.limits import (
    MAX_CONSTANT_BUFFER_SLOTS,
    MAX_CONSTANT_VECTORS,
    MAX_RESOURCE_SLOTS,
    MAX_SAMPLER_SLOTS,
)
from softd3d.isa.machine import Memory
from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.linkage import (
    Linkage,
    LinkageDeclarations,
    LinkedObject,
    computed_registers,
    sites_read,
)
from softd3d.shaders.shader import Shader

__all__ = ["ClassInstance", "link", "linkage_data"]

_ELEMENT = re.compile(r"(.+)\[(\d{1,5})\]")
_MOST_LISTED = 8
_MOST_COUNTED = 1024  # of a list, which may be endless
_PLACES = (
    ("constant_buffer", MAX_CONSTANT_BUFFER_SLOTS),
    ("vector", MAX_CONSTANT_VECTORS),
    ("texture", MAX_RESOURCE_SLOTS),
    ("sampler", MAX_SAMPLER_SLOTS),
)


@dataclass(frozen=True, slots=True)
class ClassInstance:
    """An instance made from a class (ID3D11ClassLinkage::CreateClassInstance).

    type: the class's name. constant_buffer: slot that holds its members; vector: their offset in
    it, in vectors of 16 bytes. texture, sampler: the first t# and s# of its objects.

    >>> ClassInstance("Blur", constant_buffer=1, vector=2).texture
    0
    """

    type: str
    constant_buffer: int = 0
    vector: int = 0
    texture: int = 0
    sampler: int = 0


@dataclass(frozen=True, slots=True)
class _Slot:
    """An interface slot. name, interface: empty where the shader's names were stripped.

    choices: function table by class name.
    """

    number: int
    name: str
    interface: str
    choices: dict[str, int]

    def __str__(self) -> str:
        named = f" ({self.name})" if self.name else ""
        return f"interface slot {self.number}{named}"

    @property
    def wanted(self) -> str:
        kind = f"{self.interface}, which" if self.interface else "an interface that"
        return f"wanted {kind} {_listed(self.choices)} implement{'s' * (len(self.choices) == 1)}"


def link(shader: Shader, interfaces: Mapping[int | str, object] | None) -> Linkage:
    """Bind class instances to the interface slots of a shader.

    interfaces: by slot number, or by the variable's name (`name[1]` of an array, or `name` with a
    list for a whole array). Values: an instance's name in the shader (`name[1]` of an array of
    instances), a `ClassInstance`, or the name of a class whose methods read no members: compilers
    may keep no instances of such.

    Raises:
        ResourceError: a slot that the program uses is not given, a key names no slot, a value no
            instance, or the instance's class does not implement the slot's interface.
        ContainerError: the shader's tables of classes contradict its program.
        DecodeError: the program's declarations of interfaces are malformed.
    """
    declared = shader.linkage
    if interfaces is not None and not isinstance(interfaces, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ResourceError(
            f"interfaces: found {type(interfaces).__name__}, wanted a dictionary of slots"
        )
    if not declared.interfaces:
        if interfaces:
            raise ResourceError("interfaces: the shader has no interfaces")
        return Linkage()
    tables = shader.interfaces
    if tables is None:
        raise ResourceError("the shader has interfaces, but no IFCE chunk that says what they are")
    linker = _Linker(shader, tables, declared)
    for key, value in (interfaces or {}).items():
        linker.give(key, value)
    linker.check_complete(set(sites_read(shader.program, declared)))
    return Linkage(declared, linker.objects)


def linkage_data(shader: Shader) -> dict[str, list[dict[str, object]]] | None:
    """Return what a shader wants linked, as JSON data: interface slots, and its instances.

    None if it has no classes. Names are empty where they were stripped.

    Raises:
        ContainerError, DecodeError: as `link`.
    """
    tables = shader.interfaces
    if tables is None:
        return None
    slots = _slots(tables, shader.linkage, _names(shader.reflection))
    types = dict(enumerate(t.name for t in tables.types))
    return {
        "slots": [
            {"slot": s.number, "name": s.name, "interface": s.interface, "classes": [*s.choices]}
            for s in slots
        ],
        "instances": [
            {"name": i.name, "class": types.get(i.type, ""), "elements": max(i.elements, 1)}
            for i in tables.instances
        ],
    }


class _Linker:
    """Resolves keys and values against a shader's tables."""

    def __init__(self, shader: Shader, tables: Interfaces, declared: LinkageDeclarations) -> None:
        self.shader = shader
        self.tables = tables
        self.declared = declared
        self.names = _names(shader.reflection)
        self.slots = {s.number: s for s in _slots(tables, declared, self.names)}
        self.objects: dict[int, LinkedObject] = {}

    def give(self, key: object, value: object) -> None:
        numbers = self._numbers(key)
        for number, one in zip(numbers, _as_many(key, value, len(numbers)), strict=True):
            if number in self.objects:
                raise ResourceError(f"{self.slots[number]}: given twice in interfaces")
            self.objects[number] = self._object(self.slots[number], one)

    def check_complete(self, used: set[int]) -> None:
        for number in sorted(used & self.slots.keys()):
            if number not in self.objects:
                slot = self.slots[number]
                raise ResourceError(f"{slot}: not in interfaces; {slot.wanted}")

    def _numbers(self, key: object) -> list[int]:
        numbers: list[int] = []
        if isinstance(key, str):
            named = _ELEMENT.fullmatch(key)
            first, length = self.names.get(named[1] if named else key, ("", 0, 0))[1:]
            if named:
                first, length = first + int(named[2]), int(int(named[2]) < length)
            numbers = list(range(first, first + length))
        elif isinstance(key, SupportsIndex) and not isinstance(key, bool):
            numbers = [operator.index(key)]
        if not numbers or not all(number in self.slots for number in numbers):
            known = [s.name or str(s.number) for s in self.slots.values()]
            raise ResourceError(
                f"interfaces: {shown(key)} is no interface slot; there are {_listed(known)}"
            )
        return numbers

    def _object(self, slot: _Slot, value: object) -> LinkedObject:
        if isinstance(value, ClassInstance):
            name, found, data = value.type, f"class {value.type}", _data(slot, value)
        elif isinstance(value, str):
            name, data = self._instance(slot, value)
            found = f"{value} of class {name}"
        else:
            raise ResourceError(
                f"{slot}: found {type(value).__name__}, wanted an instance's name or a "
                "ClassInstance"
            )
        if name not in slot.choices:
            raise ResourceError(f"{slot}: found {found}, {slot.wanted}")
        linked = LinkedObject(slot.choices[name], data)
        self._check_declared(slot, name, linked)
        return linked

    def _check_declared(self, slot: _Slot, name: str, linked: LinkedObject) -> None:
        """Refuse a class whose methods read registers where the shader declares none.

        Of several that a class has one is enough: methods may leave some of them unread.
        """
        of = next(t for t in self.tables.types if t.name == name)
        known = self.shader.declarations
        textures = [v for v in known.views.values() if v.memory is Memory.RESOURCE]
        buffer, _, texture, sampler = linked.data
        places = {
            OperandType.RESOURCE: ("textures", "t", texture, of.textures, textures),
            OperandType.SAMPLER: ("samplers", "s", sampler, of.samplers, known.samplers.values()),
            OperandType.CONSTANT_BUFFER: (
                "members", "cb", buffer, min(of.constant_buffer_stride, 1), known.buffers.values()
            ),
        }  # fmt: skip
        read = computed_registers(self.shader.program, self.declared.tables[linked.table])
        for type_ in (t for t in places if t in read):
            what, prefix, first, count, declared = places[type_]
            last = first + count - 1
            if count and not any(d.lower <= last and first <= d.upper for d in declared):
                where = f"{prefix}{first}" + (f" to {prefix}{last}" if count > 1 else "")
                raise ResourceError(
                    f"{slot}: class {name} has {what} in {where}, which the shader does not declare"
                )

    def _instance(self, slot: _Slot, text: str) -> tuple[str, tuple[int, int, int, int]]:
        """Return class and data of an instance by its name, of an array's with its index."""
        named = _ELEMENT.fullmatch(text)
        name, index = (named[1], int(named[2])) if named else (text, 0)
        found = next((i for i in self.tables.instances if i.name == name), None)
        is_array = found is not None and found.elements > 1
        if found is None and self._has_no_data(text):
            return text, (0, 0, 0, 0)
        if found is None or index >= max(found.elements, 1) or bool(named) != is_array:
            hint = f" (or ClassInstance({shown(text)}, ...))" if text in slot.choices else ""
            raise ResourceError(
                f"{slot}: found {shown(text)}, which is no class instance; there are "
                f"{_listed(_instances(self.tables))}{hint}; {slot.wanted}"
            )
        if found.type >= len(self.tables.types):
            raise ContainerError(f"IFCE: {found.name} is of type {found.type}, which is not there")
        of = self.tables.types[found.type]
        vector = (found.base_constant_buffer_offset or 0) + index * of.constant_buffer_stride
        texture = (found.base_texture or 0) + index * of.textures
        sampler = (found.base_sampler or 0) + index * of.samplers
        return of.name, (found.constant_buffer or 0, vector, texture, sampler)

    def _has_no_data(self, name: str) -> bool:
        """Tell whether a class has nothing that an instance could say where it lies."""
        return any(
            t.name == name and not (t.constant_buffer_stride or t.textures or t.samplers)
            for t in self.tables.types
        )


def _as_many(key: object, value: object, wanted: int) -> list[object]:
    """Return one instance for each of the slots that a key means."""
    found = shown(value) if isinstance(value, str) else type(value).__name__
    values = items(value, max(wanted, _MOST_COUNTED))
    if values is not None:
        if len(values) == wanted:
            return list(values)
        found = "a list of 1 instance" if len(values) == 1 else f"a list of {len(values)} instances"
    elif wanted == 1:
        return [value]
    if wanted == 1:
        raise ResourceError(
            f"interfaces: {shown(key)} is one slot, found {found}, wanted one instance"
        )
    raise ResourceError(
        f"interfaces: {shown(key)} is an array of {wanted} slots, found {found}, wanted a list of "
        f"{wanted} instances"
    )


def _names(definitions: ResourceDefinitions | None) -> dict[str, tuple[str, int, int]]:
    """Return (interface, first slot, slots) of the interface variables that a shader uses."""
    return {
        v.name: (v.type.name, v.offset, max(v.type.elements, 1))
        for b in (definitions.constant_buffers if definitions else ())
        if b.type is CbufferType.INTERFACE_POINTERS
        for v in b.variables
        if v.is_used
    }


def _slots(
    tables: Interfaces, declared: LinkageDeclarations, names: dict[str, tuple[str, int, int]]
) -> list[_Slot]:
    slots: list[_Slot] = []
    for record in tables.slots:
        if any(t >= len(tables.types) for t in record.types):
            raise ContainerError("IFCE: an interface slot names a type that is not there")
        choices = {
            tables.types[t].name: n for t, n in zip(record.types, record.tables, strict=True)
        }
        if any(n not in declared.tables for n in choices.values()):
            raise ContainerError("IFCE: an interface slot names a table that is not declared")
        for number in range(len(slots), len(slots) + record.span):
            if declared.at(number) is None:
                raise ContainerError(f"IFCE: interface slot {number} is not declared")
            slots.append(_Slot(number, *_named(names, number), choices))
    missing = [s for i in declared.interfaces for s in i.sites if s >= len(slots)]
    if missing:
        raise ContainerError(f"IFCE: interface slot {missing[0]} of the program is not there")
    return slots


def _named(names: dict[str, tuple[str, int, int]], number: int) -> tuple[str, str]:
    """Return the variable that a slot belongs to, with its element, and the interface."""
    for name, (interface, first, length) in names.items():
        if first <= number < first + length:
            return name if length == 1 else f"{name}[{number - first}]", interface
    return "", ""


def _data(slot: _Slot, instance: ClassInstance) -> tuple[int, int, int, int]:
    data: list[int] = []
    for name, limit in _PLACES:
        value = getattr(instance, name)
        if not isinstance(value, int) or not 0 <= value < limit:
            raise ResourceError(f"{slot}: {name} is {shown(value)}, wanted 0 to {limit - 1}")
        data.append(value)
    return data[0], data[1], data[2], data[3]


def _instances(tables: Interfaces) -> list[str]:
    return [
        i.name if i.elements <= 1 else f"{i.name}[0-{i.elements - 1}]" for i in tables.instances
    ]


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    shown = [*every[:_MOST_LISTED], *(["..."] if len(every) > _MOST_LISTED else [])]
    return ", ".join(shown) or "none"
