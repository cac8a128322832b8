"""The IFCE chunk: the classes and interface slots of a shader with dynamic linkage (SM5).

Layout: nine dwords of counts and offsets; slot records, class types, class instances; lists of type
and table numbers; names. The last two dwords of the head mean nothing: compilers left there
whatever the memory held.
"""

from __future__ import annotations

import struct

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.errors import ContainerError

__all__ = [
    "ClassInstance",
    "ClassType",
    "InterfaceSlots",
    "Interfaces",
    "build_interfaces",
    "parse_interfaces",
]

MAX_LISTED = 1 << 16
MAX_NAME_BYTES = 1 << 20
_HEADER = struct.Struct("<9I")
_SLOTS = struct.Struct("<4I")
_TYPE = struct.Struct("<I4H")
_INSTANCE = struct.Struct("<I6H")
_NOTHING = 0xFFFF
_PADDING = b"\xab"


@dataclass(frozen=True, slots=True)
class ClassType:
    """A class that implements an interface; other tables name it by its place in the list.

    id: 0 wherever it was looked at. constant_buffer_stride: 16-byte registers of an instance's
    members; textures, samplers: how many of them an instance has.
    """

    name: str
    id: int
    constant_buffer_stride: int
    textures: int
    samplers: int


@dataclass(frozen=True, slots=True)
class ClassInstance:
    """A variable of a class type (D3D11_CLASS_INSTANCE_DESC), or an array of `elements`.

    type: its place in the list of types. Base offset: in registers of 16 bytes, in the constant
    buffer of that slot. None: it has no constants, textures, samplers.
    """

    name: str
    type: int
    elements: int
    constant_buffer: int | None
    base_constant_buffer_offset: int | None
    base_texture: int | None
    base_sampler: int | None


@dataclass(frozen=True, slots=True)
class InterfaceSlots:
    """Neighbouring slots with the same choices: a class type, and its function table.

    span: number of slots. types: places in the list of class types. tables: ft# numbers.
    """

    span: int
    types: tuple[int, ...]
    tables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Interfaces:
    """A parsed IFCE chunk. total_slots: as stored. unused: the two meaningless dwords."""

    types: tuple[ClassType, ...]
    instances: tuple[ClassInstance, ...]
    slots: tuple[InterfaceSlots, ...]
    total_slots: int
    unused: tuple[int, int] = (0, 0)


def parse_interfaces(chunk: Chunk) -> Interfaces:
    """Read an IFCE chunk.

    Raises:
        ContainerError: a record, list or name leaves the chunk, or its lists and names overlap to
            more than `MAX_LISTED` numbers or `MAX_NAME_BYTES` bytes.

    >>> parse_interfaces(Chunk("IFCE", build_interfaces(Interfaces((), (), (), 0)))).total_slots
    0
    """
    return _Reader(chunk.reader()).interfaces()


class _Reader:
    """Reads one chunk and counts what it makes, as lists and names may overlap."""

    def __init__(self, reader: ByteReader) -> None:
        self.reader = reader
        self.listed = 0
        self.name_bytes = 0

    def interfaces(self) -> Interfaces:
        head = self.reader.dwords(0, 9)
        instance_count, type_count, slot_count, total = head[:4]
        instances_at, types_at, slots_at, *unused = head[4:]
        slots = self.records(_SLOTS, slots_at, slot_count)
        types = self.records(_TYPE, types_at, type_count)
        instances = self.records(_INSTANCE, instances_at, instance_count)
        return Interfaces(
            tuple(ClassType(self.name(record[0]), *record[1:]) for record in types),
            tuple(self.instance(*record) for record in instances),
            tuple(
                InterfaceSlots(span, self.numbers("H", ids, count), self.numbers("I", at, count))
                for span, count, ids, at in slots
            ),
            total,
            (unused[0], unused[1]),
        )

    def instance(self, name: int, type_: int, elements: int, *places: int) -> ClassInstance:
        bases = (None if number == _NOTHING else number for number in places)
        return ClassInstance(self.name(name), type_, elements, *bases)

    def records(self, layout: struct.Struct, at: int, count: int) -> list[tuple[int, ...]]:
        data = self.reader.bytes(at, layout.size * count) if count else b""
        return list(layout.iter_unpack(data))

    def numbers(self, letter: str, at: int, count: int) -> tuple[int, ...]:
        self.listed += count
        if self.listed > MAX_LISTED:
            raise ContainerError(
                f"IFCE: its slots list more than {MAX_LISTED} numbers",
                self.reader.location(min(at, len(self.reader))),
            )
        layout = struct.Struct(f"<{count}{letter}")
        return layout.unpack(self.reader.bytes(at, layout.size))

    def name(self, at: int) -> str:
        name = self.reader.string(at)
        self.name_bytes += len(name)
        if self.name_bytes > MAX_NAME_BYTES:
            raise ContainerError(
                f"IFCE: names take more than {MAX_NAME_BYTES} bytes", self.reader.location(at)
            )
        return name


def build_interfaces(interfaces: Interfaces) -> bytes:
    """Return the data of an IFCE chunk, laid out as the compiler does it.

    What `parse_interfaces` made of a compiler's chunk gives the same bytes again.

    Raises:
        ContainerError: a number does not fit its field, a name is not Latin-1.
    """
    types, instances, slots = interfaces.types, interfaces.instances, interfaces.slots
    types_at = _HEADER.size + _SLOTS.size * len(slots)
    instances_at = types_at + _TYPE.size * len(types)
    lists_at = instances_at + _INSTANCE.size * len(instances)
    try:
        lists, records = _lists(slots, lists_at)
        names, offsets = _names([*instances, *types], lists_at + len(lists))
        body = b"".join(records)
        for type_, name in zip(types, offsets[len(instances) :], strict=True):
            stride = type_.constant_buffer_stride
            body += _TYPE.pack(name, type_.id, stride, type_.textures, type_.samplers)
        for instance, name in zip(instances, offsets, strict=False):
            body += _packed_instance(instance, name)
        counts = len(instances), len(types), len(slots), interfaces.total_slots
        head = _HEADER.pack(*counts, instances_at, types_at, _HEADER.size, *interfaces.unused)
    except (struct.error, UnicodeEncodeError) as error:
        raise ContainerError(f"IFCE: cannot be built, {error}") from error
    return head + body + lists + names


def _packed_instance(i: ClassInstance, name: int) -> bytes:
    places = (
        i.constant_buffer,
        i.base_constant_buffer_offset,
        i.base_texture,
        i.base_sampler,
    )
    bases = (_NOTHING if place is None else place for place in places)
    return _INSTANCE.pack(name, i.type, i.elements, *bases)


def _lists(slots: tuple[InterfaceSlots, ...], at: int) -> tuple[bytes, list[bytes]]:
    """Return the lists of all slots, and the slots' records, which say where the lists are."""
    pool, records = b"", list[bytes]()
    for slot in slots:
        count = len(slot.types)
        types_at = at + len(pool)
        pool += _padded(struct.pack(f"<{count}H", *slot.types))
        records.append(_SLOTS.pack(slot.span, count, types_at, at + len(pool)))
        pool += struct.pack(f"<{count}I", *slot.tables)
    return pool, records


def _names(named: list[ClassInstance | ClassType], at: int) -> tuple[bytes, list[int]]:
    """Return the names, equal ones once, and where each object's name is."""
    pool, places = b"", dict[str, int]()
    for thing in named:
        if thing.name not in places:
            places[thing.name] = at + len(pool)
            pool += _padded(thing.name.encode("latin-1") + b"\0")
    return pool, [places[thing.name] for thing in named]


def _padded(data: bytes) -> bytes:
    return data + _PADDING * (-len(data) % 4)
