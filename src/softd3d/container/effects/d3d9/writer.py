"""Records of an effect of Direct3D 9 to bytes: the inverse of `reader.py`, to the last bit."""

from __future__ import annotations

import struct

from softd3d.container.comments.ctab import ParameterClass
from softd3d.container.dxbc.pool import fitting
from softd3d.container.effects.d3d9.reader import NUMERIC, SAMPLERS
from softd3d.container.effects.d3d9.records import (
    FX_2_0,
    Effect9,
    EffectType,
    Numbers,
    ObjectIds,
    Parameter,
    Pass,
    PoolString,
    Resource,
    SamplerStates,
    State,
    StoredObject,
    Structures,
    Technique,
    Value,
    Variable,
)
from softd3d.errors import ContainerError

__all__ = ["write_effect9"]

_DWORD = 4


def write_effect9(effect: Effect9) -> bytes:
    """Return prefix, version token, pool, index and objects.

    Raises:
        ContainerError: a value has not the form of its type, a number does not fit, or parts that
            share a place of the pool differ.
    """
    writer = _Writer(effect)
    index = writer.index(effect)
    pool = bytes(writer.pool)
    head = _dwords(FX_2_0, len(pool))
    return b"".join((effect.prefix, head, pool, index, effect.trailing))


def _dwords(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *[fitting(v, 32, "effect: number") for v in values])


class _Writer:
    """Puts what the index refers to into the pool.

    written: for each byte of the pool whether a record has put it there.
    """

    def __init__(self, effect: Effect9) -> None:
        size = fitting(effect.pool_size, 32, "effect: size of the pool")
        self.pool = bytearray(size)
        self.written = bytearray(size)
        for part in effect.unreferenced:
            stop = part.place + len(part.data)
            if part.place < 0 or stop > size:
                raise ContainerError(f"effect: bytes at {part.place:#x} leave the pool of {size}")
            self.pool[part.place : stop] = part.data

    def put(self, data: bytes, place: int | None, what: str) -> int:
        """Write a part of the pool; return where."""
        if place is None:
            self.start()
            self.extend(-len(self.pool) % _DWORD)
            place = len(self.pool)
            self.extend(len(data) + -len(data) % _DWORD)
        stop = place + len(data)
        if place < 0 or stop > len(self.pool):
            raise ContainerError(
                f"effect: {what} of {len(data)} bytes at {place:#x} leaves the pool of "
                f"{len(self.pool)}"
            )
        if any(self.written[place:stop]):
            self.check(data, place, what)
        self.pool[place:stop] = data
        self.written[place:stop] = b"\1" * len(data)
        return place

    def start(self) -> None:
        """Have a pool begin with the dword that stands for strings that are not there."""
        if not self.pool:
            self.extend(_DWORD)

    def extend(self, size: int) -> None:
        self.pool += bytes(size)
        self.written += bytes(size)

    def check(self, data: bytes, place: int, what: str) -> None:
        for n, byte in enumerate(data, place):
            if self.written[n] and self.pool[n] != byte:
                raise ContainerError(
                    f"effect: {what} at {place:#x} differs from another record at {n:#x}"
                )

    def string(self, string: PoolString) -> int:
        if not string.data and string.place in (None, 0):
            self.start()
            if not any(self.pool[:_DWORD]):
                return 0
        return self.put(_dwords(len(string.data)) + string.data, string.place, "string")

    def variable(self, variable: Variable) -> tuple[int, int]:
        type_ = self.put(self.type(variable.type), variable.type_place, "type")
        data = self.value(variable.type, variable.value)
        return type_, self.put(data, variable.value_place, "value")

    def type(self, type_: EffectType) -> bytes:
        name, semantic = self.string(type_.name), self.string(type_.semantic)
        head = _dwords(type_.type, type_.class_, name, semantic, type_.elements)
        if type_.class_ is ParameterClass.STRUCT:
            members = [self.type(member) for member in type_.members]
            return b"".join((head, _dwords(len(members)), *members))
        if type_.class_ is ParameterClass.VECTOR:
            return head + _dwords(type_.columns, type_.rows)
        return head + _dwords(type_.rows, type_.columns) if type_.class_ in NUMERIC else head

    def value(self, type_: EffectType, value: Value) -> bytes:
        elements = max(type_.elements, 1)
        is_object = type_.class_ is ParameterClass.OBJECT
        match value:
            case Numbers(numbers) if type_.class_ in NUMERIC:
                wanted = type_.rows * type_.columns * elements
                _counted(type_, len(numbers), wanted, "numbers")
                return _dwords(*numbers)
            case Structures(found) if type_.class_ is ParameterClass.STRUCT:
                _counted(type_, len(found), elements, "elements")
                return b"".join([self.structure(type_, values) for values in found])
            case SamplerStates(found) if is_object and type_.type in SAMPLERS:
                _counted(type_, len(found), elements, "elements")
                return b"".join([self.sampler(states) for states in found])
            case ObjectIds(ids) if is_object and type_.type not in SAMPLERS:
                _counted(type_, len(ids), elements, "elements")
                return _dwords(*ids)
            case _:
                raise ContainerError(
                    f"effect: {type_.name.text!r} of {type_.class_.name} {type_.type.name} has "
                    f"{type(value).__name__} for a value"
                )

    def structure(self, type_: EffectType, values: tuple[Value, ...]) -> bytes:
        _counted(type_, len(values), len(type_.members), "members")
        pairs = zip(type_.members, values, strict=True)
        return b"".join([self.value(member, value) for member, value in pairs])

    def sampler(self, states: tuple[State, ...]) -> bytes:
        return b"".join((_dwords(len(states)), *[self.state(state) for state in states]))

    def index(self, effect: Effect9) -> bytes:
        counts = len(effect.parameters), len(effect.techniques)
        parts = [_dwords(*counts, effect.block_count, effect.object_count)]
        parts += [self.parameter(parameter) for parameter in effect.parameters]
        parts += [self.technique(technique) for technique in effect.techniques]
        parts.append(_dwords(len(effect.objects), len(effect.resources)))
        parts += [_dwords(stored.id) + _data(stored) for stored in effect.objects]
        parts += [_resource(resource) for resource in effect.resources]
        return b"".join(parts)

    def parameter(self, parameter: Parameter) -> bytes:
        head = *self.variable(parameter.variable), int(parameter.flags)
        return _dwords(*head, len(parameter.annotations)) + self.variables(parameter.annotations)

    def variables(self, variables: tuple[Variable, ...]) -> bytes:
        return b"".join([_dwords(*self.variable(variable)) for variable in variables])

    def technique(self, technique: Technique) -> bytes:
        name = self.string(technique.name)
        head = _dwords(name, len(technique.annotations), len(technique.passes))
        annotations = self.variables(technique.annotations)
        return b"".join((head, annotations, *[self.pass_(pass_) for pass_ in technique.passes]))

    def pass_(self, pass_: Pass) -> bytes:
        head = _dwords(self.string(pass_.name), len(pass_.annotations), len(pass_.states))
        annotations = self.variables(pass_.annotations)
        return b"".join((head, annotations, *[self.state(state) for state in pass_.states]))

    def state(self, state: State) -> bytes:
        return _dwords(state.operation, state.index, *self.variable(state.variable))


def _counted(type_: EffectType, found: int, wanted: int, what: str) -> None:
    if found != wanted:
        raise ContainerError(f"effect: {type_.name.text!r} has {found} {what}, wanted {wanted}")


def _resource(r: Resource) -> bytes:
    return _dwords(r.technique, r.index, r.element, r.state, r.usage) + _data(r)


def _data(stored: StoredObject | Resource) -> bytes:
    wanted = -len(stored.data) % _DWORD
    padding = bytes(wanted) if stored.padding is None else stored.padding
    if len(padding) != wanted:
        raise ContainerError(
            f"effect: {len(stored.data)} bytes are padded by {len(padding)}, wanted {wanted}"
        )
    return _dwords(len(stored.data)) + stored.data + padding
