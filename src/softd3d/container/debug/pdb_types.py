"""CodeView type records of a PDB, as far as naming a part of a variable needs them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum
from operator import itemgetter

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.errors import ContainerError

__all__ = ["TypeTable", "parse_types", "part_name"]

MAX_TYPES = 1 << 18
MAX_DEPTH = 32
_HEADER_DWORDS = 5
_NUMERIC_LEAVES = {0x8000: 1, 0x8001: 2, 0x8002: 2, 0x8003: 4, 0x8004: 4}
_FIRST_NUMERIC_LEAF = 0x8000
_FORWARD_REFERENCE = 0x80
_COMPONENTS = "xyzw"
_DWORD = 4
_DOUBLE = 0x41
OVERRUN = "offset overruns length for type in PDB"
NO_CHILD = "could not get find UDT child with correct offset in PDB"


class Leaf(IntEnum):
    """LEAF_ENUM_e of cvinfo.h."""

    MODIFIER = 0x1001
    FIELDLIST = 0x1203
    BCLASS = 0x1400
    CLASS = 0x1504
    STRUCTURE = 0x1505
    MEMBER = 0x150D
    STRIDED_ARRAY = 0x1516
    HLSL = 0x1517
    MODIFIER_EX = 0x1518
    VECTOR = 0x151B
    MATRIX = 0x151C


_SIZE_OFFSETS: dict[int, int] = {
    Leaf.CLASS: 16,
    Leaf.STRUCTURE: 16,
    Leaf.STRIDED_ARRAY: 12,
    Leaf.VECTOR: 8,
    Leaf.MATRIX: 17,
}
_SIMPLE_SIZES = {_DOUBLE: 8}
_INNER_LEAVES = frozenset(
    {Leaf.MODIFIER, Leaf.MODIFIER_EX, Leaf.STRIDED_ARRAY, Leaf.CLASS, Leaf.STRUCTURE}
)


_Member = tuple[str, int, int]
"""Name, type and offset; a base class has no name."""


@dataclass(frozen=True, slots=True)
class TypeTable:
    """The records by type index; complete: classes by name, for references that only name them.

    members: of the lists of fields that were looked at, by type index: offsets and members, in
    ascending order.
    """

    records: Mapping[int, tuple[int, ByteReader]]
    complete: Mapping[str, int]
    members: dict[int, tuple[list[int], list[_Member]]] = field(
        default_factory=dict[int, "tuple[list[int], list[_Member]]"]
    )


def parse_types(reader: ByteReader) -> TypeTable:
    """Read the records of a type stream (TPI).

    Raises:
        ContainerError: a record leaves the stream, or there are more than `MAX_TYPES`.
    """
    _, at, first, end, size = reader.dwords(0, _HEADER_DWORDS)
    stop = at + size
    if not 0 <= end - first <= MAX_TYPES:
        raise ContainerError(f"{reader.what}: {end - first} types, the limit is {MAX_TYPES}")
    records: dict[int, tuple[int, ByteReader]] = {}
    complete: dict[str, int] = {}
    for index in range(first, end):
        if at >= stop:
            break
        length, leaf = _u16(reader, at), _u16(reader, at + 2)
        record = ByteReader(reader.bytes(at + 4, length - 2), what=reader.what)
        records[index] = leaf, record
        if leaf in (Leaf.CLASS, Leaf.STRUCTURE) and not _u16(record, 2) & _FORWARD_REFERENCE:
            complete[_class_name(record)] = index
        at += 2 + length
    return TypeTable(records, complete)


def part_name(types: TypeTable, index: int, offset: int) -> tuple[str, str]:
    """Return how HLSL writes the component at a byte offset of a type, e.g. ".pos.x".

    Nothing where the type has no parts. The second text is Microsoft's complaint if the type has
    none at this offset, as some of 5.1 have not: their compiler gives arrays no size.

    Raises:
        ContainerError: a record is malformed, or types nest more than `MAX_DEPTH` deep.
    """
    name = ""
    for _ in range(MAX_DEPTH):
        leaf, record = types.records.get(index, (0, None))
        if record is None or leaf not in _INNER_LEAVES:
            return name + _last_part(leaf, record, offset), ""
        if leaf == Leaf.STRIDED_ARRAY:
            if offset >= _number(record, 12)[0]:
                return "", OVERRUN
            place, offset = divmod(offset, max(record.u32(8), 1))
            name += f"[{place}]"
        elif leaf in (Leaf.CLASS, Leaf.STRUCTURE):
            member = _member(types, record, offset)
            if member is None:
                return "", NO_CHILD
            name, index, offset = name + member[0], member[1], offset - member[2]
            continue
        index = record.u32(0)
    raise ContainerError(f"PDB: types nest more than {MAX_DEPTH} deep")


def _last_part(leaf: int, record: ByteReader | None, offset: int) -> str:
    """Return the name of a component, of a type that is not made of others."""
    if record is None:
        return ""
    match leaf:
        case Leaf.VECTOR:
            size, _ = _number(record, 8)
            return _component(offset * record.u32(4) // max(size, 1))
        case Leaf.HLSL:
            return _component(offset // _DWORD)
        case Leaf.MATRIX:
            return _matrix_part(record, offset)
        case _:
            return ""


def _component(place: int) -> str:
    return f".{_COMPONENTS[place]}" if place < len(_COMPONENTS) else ""


def _matrix_part(record: ByteReader, offset: int) -> str:
    rows, columns, stride = record.dwords(4, 3)
    is_row_major = record.bytes(16, 1)[0] & 1
    lines, inner = (rows, columns) if is_row_major else (columns, rows)
    size, _ = _number(record, 17)
    component = max((size - (lines - 1) * stride) // max(inner, 1), 1)
    line, place = divmod(offset, max(stride, 1))
    row, column = (line, place // component) if is_row_major else (place // component, line)
    return f"._m{row}{column}"


def _member(types: TypeTable, record: ByteReader, offset: int) -> _Member | None:
    """Return the name of the member at an offset with its dot, its type and its own offset."""
    if _u16(record, 2) & _FORWARD_REFERENCE:
        index = types.complete.get(_class_name(record))
        if index is None:
            return None
        record = types.records[index][1]
    starts, members = _members(types, record.u32(4))
    place = bisect_right(starts, offset) - 1
    if place < 0:
        return None
    name, type_, start = members[place]
    if offset >= start + _size(types, type_):
        return None
    return f".{name}" if name else "", type_, start


def _members(types: TypeTable, index: int) -> tuple[list[int], list[_Member]]:
    """Return the members of a list of fields, in ascending order; it is read once."""
    known = types.members.get(index)
    if known is None:
        leaf, record = types.records.get(index, (0, None))
        fields = _fields(record) if record is not None and leaf == Leaf.FIELDLIST else []
        fields.sort(key=itemgetter(2))
        known = types.members[index] = [start for _, _, start in fields], fields
    return known


def _size(types: TypeTable, index: int) -> int:
    """Return the bytes of a type, 4 if it is one without known size."""
    for _ in range(MAX_DEPTH):
        leaf, record = types.records.get(index, (0, None))
        if record is None:
            break
        if leaf in (Leaf.MODIFIER, Leaf.MODIFIER_EX):
            index = record.u32(0)
            continue
        at = _SIZE_OFFSETS.get(leaf)
        return _DWORD if at is None else _number(record, at)[0]
    return _SIMPLE_SIZES.get(index, _DWORD)


def _fields(fields: ByteReader) -> list[_Member]:
    """Return name, type and offset of the members and, without name, of the base classes.

    What follows something else, such as methods, is left out: members come first.
    """
    found: list[_Member] = []
    at = 0
    while at + 8 <= len(fields):
        if fields.data[at] >= 0xF0:  # padding that says how much of it there is
            at += max(fields.data[at] & 15, 1)
            continue
        leaf = _u16(fields, at)
        if leaf not in (Leaf.MEMBER, Leaf.BCLASS):
            break
        type_ = fields.u32(at + 4)
        start, at = _number(fields, at + 8)
        name = ""
        if leaf == Leaf.MEMBER:
            name = fields.string(at)
            at += len(name) + 1
        found.append((name, type_, start))
    return found


def _class_name(record: ByteReader) -> str:
    _, at = _number(record, 16)
    return record.string(at)


def _number(reader: ByteReader, at: int) -> tuple[int, int]:
    """Return a number of variable length, and the offset behind it."""
    value = _u16(reader, at)
    if value < _FIRST_NUMERIC_LEAF:
        return value, at + 2
    size = _NUMERIC_LEAVES.get(value)
    if size is None:
        raise ContainerError(f"{reader.what}: number leaf {value:#x} is not defined")
    return int.from_bytes(reader.bytes(at + 2, size), "little"), at + 2 + size


def _u16(reader: ByteReader, at: int) -> int:
    return int.from_bytes(reader.bytes(at, 2), "little")
