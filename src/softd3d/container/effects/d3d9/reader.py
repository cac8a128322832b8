"""The bytes of an effect of Direct3D 9 to records.

Types and values may be referred to by any number of records, so that what a file unfolds to is
bounded: by its length in bytes, and by a limit on the number of records.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from softd3d.bits import ByteReader
from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.container.effects.d3d9.records import (
    Annotation,
    Effect9,
    EffectType,
    Numbers,
    ObjectIds,
    Parameter,
    ParameterFlags,
    Pass,
    PoolBytes,
    PoolString,
    Resource,
    ResourceUsage,
    SamplerStates,
    State,
    StoredObject,
    Structures,
    Technique,
    Value,
    Variable,
)
from softd3d.container.reflection.enums import enumerated
from softd3d.errors import ContainerError

__all__ = ["HEADER_SIZE", "MAX_DEPTH", "NUMERIC", "SAMPLERS", "read_effect9"]

HEADER_SIZE = 8
MAX_RECORDS = 1 << 17
MAX_DEPTH = 16
MAX_SHARING = 8
NUMERIC = frozenset(
    (
        ParameterClass.SCALAR,
        ParameterClass.VECTOR,
        ParameterClass.MATRIX_ROWS,
        ParameterClass.MATRIX_COLUMNS,
    )
)
SAMPLERS = frozenset(
    (
        ParameterType.SAMPLER,
        ParameterType.SAMPLER1D,
        ParameterType.SAMPLER2D,
        ParameterType.SAMPLER3D,
        ParameterType.SAMPLERCUBE,
    )
)
_DWORD = 4
_STATE_DWORDS = 4

_Item = TypeVar("_Item")


def read_effect9(data: bytes, start: int, prefix: bytes) -> Effect9:
    """Read the effect whose version token is at `start`; the token is not looked at.

    Raises:
        ContainerError: a record leaves its part of the data, a number has no meaning, or records
            nest or repeat too much.
    """
    body = ByteReader(memoryview(data)[start + _DWORD :], start + _DWORD, "effect")
    size = body.u32(0)
    pool = _Pool(
        ByteReader(body.bytes(_DWORD, size), start + HEADER_SIZE, "effect pool"),
        MAX_SHARING * len(data),
    )
    return _Index(body, pool, _DWORD + size).effect(prefix, size)


class _Pool:
    """Reads types and values, and notes which bytes they are.

    covered: ranges that records refer to. records, copied: how many were made, and from how many
    bytes; limit: of these.
    """

    def __init__(self, reader: ByteReader, limit: int) -> None:
        self.reader = reader
        self.limit = limit
        self.covered: list[tuple[int, int]] = []
        self.records = 0
        self.copied = 0

    def count(self, at: int, size: int) -> None:
        self.records += 1
        self.copied += size
        if self.records > MAX_RECORDS or self.copied > self.limit:
            raise ContainerError(
                f"effect: more than {MAX_RECORDS} records, or records share more than "
                f"{self.limit} bytes of the pool",
                self.reader.location(min(at, len(self.reader))),
            )

    def cover(self, start: int, stop: int) -> None:
        self.covered.append((start, stop))

    def string(self, at: int) -> PoolString:
        size = self.reader.u32(at)
        if at == 0 and size == 0:
            return PoolString(b"", 0)  # the dword that stands for strings that are not there
        self.count(at, size)
        self.cover(at, at + _DWORD + size)
        return PoolString(self.reader.bytes(at + _DWORD, size), at)

    def variable(self, type_at: int, value_at: int, depth: int = 0) -> Variable:
        type_, type_end = self.type(type_at, depth)
        self.cover(type_at, type_end)
        value, value_end = self.value(type_, value_at, depth)
        self.cover(value_at, value_end)
        return Variable(type_, value, type_at, value_at)

    def type(self, at: int, depth: int) -> tuple[EffectType, int]:
        """Return the type at a place, and where what follows it is."""
        self.nested(at, depth)
        number, kind, name, semantic, elements = self.reader.dwords(at, 5)
        self.count(at, 5 * _DWORD)
        place = self.reader.location(at)
        class_ = enumerated(ParameterClass, kind, "effect: class", place)
        type_ = enumerated(ParameterType, number, "effect: type", place)
        at += 5 * _DWORD
        rows = columns = 0
        members: list[EffectType] = []
        if class_ is ParameterClass.STRUCT:
            count = self.reader.u32(at)
            at += _DWORD
            for _ in range(count):
                member, at = self.type(at, depth + 1)
                members.append(member)
        elif class_ is ParameterClass.VECTOR:
            columns, rows = self.reader.dwords(at, 2)
            at += 2 * _DWORD
        elif class_ in NUMERIC:
            rows, columns = self.reader.dwords(at, 2)
            at += 2 * _DWORD
        names = self.string(name), self.string(semantic)
        return EffectType(class_, type_, *names, elements, rows, columns, tuple(members)), at

    def value(self, type_: EffectType, at: int, depth: int) -> tuple[Value, int]:
        """Return a value of a type at a place, and where what follows it is."""
        self.nested(at, depth)
        elements = max(type_.elements, 1)
        if type_.class_ in NUMERIC:
            count = type_.rows * type_.columns * elements
            numbers = self.reader.dwords(at, count)
            self.count(at, _DWORD * count)
            return Numbers(numbers), at + _DWORD * count
        if type_.class_ is ParameterClass.STRUCT:
            return self.structures(type_, elements, at, depth)
        if type_.type in SAMPLERS:
            return self.samplers(elements, at, depth)
        ids = self.reader.dwords(at, elements)
        self.count(at, _DWORD * elements)
        return ObjectIds(ids), at + _DWORD * elements

    def structures(
        self, type_: EffectType, elements: int, at: int, depth: int
    ) -> tuple[Structures, int]:
        found: list[tuple[Value, ...]] = []
        for _ in range(elements):
            self.count(at, 0)
            values: list[Value] = []
            for member in type_.members:
                value, at = self.value(member, at, depth + 1)
                values.append(value)
            found.append(tuple(values))
        return Structures(tuple(found)), at

    def samplers(self, elements: int, at: int, depth: int) -> tuple[SamplerStates, int]:
        found: list[tuple[State, ...]] = []
        for _ in range(elements):
            count = self.reader.u32(at)
            self.count(at, _DWORD)
            at += _DWORD
            states: list[State] = []
            for _ in range(count):
                operation, index, type_at, value_at = self.reader.dwords(at, _STATE_DWORDS)
                at += _DWORD * _STATE_DWORDS
                variable = self.variable(type_at, value_at, depth + 1)
                states.append(State(operation, index, variable))
            found.append(tuple(states))
        return SamplerStates(tuple(found)), at

    def nested(self, at: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ContainerError(
                f"effect: types or samplers nest deeper than {MAX_DEPTH}",
                self.reader.location(min(at, len(self.reader))),
            )

    def unreferenced(self) -> tuple[PoolBytes, ...]:
        """Return the ranges that no record covers."""
        found: list[PoolBytes] = []
        end = 0
        for start, stop in [*sorted(self.covered), (len(self.reader), len(self.reader))]:
            if start > end:
                found.append(PoolBytes(end, self.reader.bytes(end, start - end)))
            end = max(end, stop)
        return tuple(found)


class _Index:
    """Reads what follows the pool; position: the next byte of `reader`."""

    def __init__(self, reader: ByteReader, pool: _Pool, position: int) -> None:
        self.reader = reader
        self.pool = pool
        self.position = position

    def effect(self, prefix: bytes, pool_size: int) -> Effect9:
        parameter_count, technique_count, block_count, object_count = self.take(4)
        parameters = self.many(parameter_count, self.parameter)
        techniques = self.many(technique_count, self.technique)
        stored, resources = self.take(2)
        return Effect9(
            parameters,
            techniques,
            self.many(stored, self.object),
            self.many(resources, self.resource),
            block_count,
            object_count,
            prefix,
            pool_size,
            self.pool.unreferenced(),
            self.reader.bytes(self.position, len(self.reader) - self.position),
        )

    def take(self, count: int) -> tuple[int, ...]:
        dwords = self.reader.dwords(self.position, count)
        self.position += _DWORD * count
        return dwords

    def many(self, count: int, read: Callable[[], _Item]) -> tuple[_Item, ...]:
        # Each record has two dwords at least, so that the data bounds their number
        return tuple([read() for _ in range(min(count, len(self.reader)))])

    def variable(self) -> Variable:
        type_at, value_at = self.take(2)
        return self.pool.variable(type_at, value_at)

    def annotations(self, count: int) -> tuple[Annotation, ...]:
        return self.many(count, self.variable)

    def parameter(self) -> Parameter:
        variable = self.variable()
        flags, annotations = self.take(2)
        return Parameter(variable, ParameterFlags(flags), self.annotations(annotations))

    def technique(self) -> Technique:
        name, annotation_count, passes = self.take(3)
        annotations = self.annotations(annotation_count)
        return Technique(self.pool.string(name), self.many(passes, self.pass_), annotations)

    def pass_(self) -> Pass:
        name, annotation_count, states = self.take(3)
        annotations = self.annotations(annotation_count)
        return Pass(self.pool.string(name), self.many(states, self.state), annotations)

    def state(self) -> State:
        operation, index = self.take(2)
        return State(operation, index, self.variable())

    def object(self) -> StoredObject:
        (number,) = self.take(1)
        return StoredObject(number, *self.data())

    def resource(self) -> Resource:
        *place, usage = self.take(5)
        where = self.reader.location(self.position - _DWORD)
        technique, index, element, state = place
        kind = enumerated(ResourceUsage, usage, "effect: usage of a resource", where)
        return Resource(technique, index, element, state, kind, *self.data())

    def data(self) -> tuple[bytes, bytes]:
        """Return sized bytes and what pads them."""
        (size,) = self.take(1)
        data = self.reader.bytes(self.position, size)
        padding = self.reader.bytes(self.position + size, -size % _DWORD)
        self.position += size + len(padding)
        return data, padding
