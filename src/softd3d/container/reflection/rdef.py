"""Reading the RDEF chunk: constant buffers, their variables and types, resource bindings."""

from __future__ import annotations

from dataclasses import replace

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.container.reflection.enums import (
    CbufferType,
    ResourceReturnType,
    ShaderCbufferFlags,
    ShaderInputFlags,
    ShaderInputType,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
    SrvDimension,
    enumerated,
)
from softd3d.container.reflection.rdef_records import (
    LAYOUT_4,
    LAYOUT_5_0,
    LAYOUT_5_0_BETA,
    LAYOUT_5_1,
    MAX_TYPE_DEPTH,
    NO_INDEX,
    TAG_OFFSET,
    Budget,
    Layout,
    has_sm5_records,
)
from softd3d.container.reflection.resources import (
    STAGES,
    Binding,
    ConstantBuffer,
    Member,
    ResourceDefinitions,
    Variable,
    VariableType,
)
from softd3d.errors import ContainerError
from softd3d.isa.record import Bounded

__all__ = [
    "Binding",
    "ConstantBuffer",
    "Member",
    "ResourceDefinitions",
    "Variable",
    "VariableType",
    "parse_rdef",
]


def parse_rdef(chunk: Chunk) -> ResourceDefinitions:
    """Read an RDEF chunk.

    Raises:
        ContainerError: a record leaves the chunk, a value is not defined, a type contains itself,
            or the records expand to too many objects.
    """
    key = chunk.offset, chunk.data
    found = _SEEN.get(key)
    if found is None:
        found = _Reader(chunk.reader()).definitions()
        if len(chunk.data) <= _MOST_KEPT:
            _SEEN[key] = found
    return found


# By place and data of their chunks: shaders with the same resources have the same
_SEEN: Bounded[tuple[int, bytes], ResourceDefinitions] = Bounded(1 << 9)
_MOST_KEPT = 2048  # bytes


@dataclass(frozen=True, slots=True)
class _Typed:
    """A type, the number of types it consists of (shared ones repeated), how deep they nest."""

    type: VariableType
    expanded: int
    depth: int


class _Reader:
    """Reads one chunk: knows its layout and types, and counts what it makes."""

    def __init__(self, reader: ByteReader) -> None:
        self.reader = reader
        self.layout = LAYOUT_4
        self.budget = Budget()
        self.names: dict[int, str] = {}
        self.types: dict[int, _Typed] = {}
        self.open_types: list[int] = []

    def definitions(self) -> ResourceDefinitions:
        head = self.reader.dwords(0, 7)
        buffers, buffers_at, bindings, bindings_at, target, flags, creator = head
        if target >> 16 not in STAGES:
            raise ContainerError(
                f"RDEF: target {target:#010x} has no known stage", self.reader.location(16)
            )
        interface_slots = 0
        if has_sm5_records(target):
            self.layout, interface_slots = _read_layout(self.reader)
        buffer_offsets = self.records(buffers_at, buffers, self.layout.buffer)
        binding_offsets = self.records(bindings_at, bindings, self.layout.binding)
        return ResourceDefinitions(
            target,
            flags,
            self.name(creator),
            tuple(self.constant_buffer(at) for at in buffer_offsets),
            tuple(self.binding(at) for at in binding_offsets),
            interface_slots,
            has_slots=self.layout.has_slots or not self.layout.is_sm5,
        )

    def records(self, offset: int, count: int, stride: int) -> range:
        """Return the offsets of `count` records after counting them and checking their range."""
        self.count(count, offset)
        if offset + count * stride > len(self.reader) and count:
            raise ContainerError(
                f"RDEF: {count} records of {stride} bytes at {offset:#x} leave the "
                f"{len(self.reader)} bytes",
                self.reader.location(min(offset, len(self.reader))),
            )
        return range(offset, offset + count * stride, stride)

    def count(self, objects: int, offset: int) -> None:
        self.budget.count(objects, self.reader.location(min(offset, len(self.reader))))

    def name(self, offset: int) -> str:
        """Return the string at `offset`; offset 0, the header, means that there is none."""
        if offset == 0:
            return ""
        name = self.names.get(offset)
        if name is None:
            name = self.names[offset] = self.reader.string(offset)
            self.budget.copy(len(name), self.reader.location(offset))
        return name

    def binding(self, at: int) -> Binding:
        where = self.reader.location(at)
        name, kind, returned, dimension, samples, point, count, flags = self.reader.dwords(at, 8)
        space, identifier = self.reader.dwords(at + 32, 2) if self.layout.has_spaces else (0, 0)
        return Binding(
            self.name(name),
            enumerated(ShaderInputType, kind, "RDEF: binding type", where),
            enumerated(ResourceReturnType, returned, "RDEF: return type", where),
            enumerated(SrvDimension, dimension, "RDEF: dimension", where),
            _index(samples),
            point,
            count,
            ShaderInputFlags(flags),
            space,
            identifier,
        )

    def constant_buffer(self, at: int) -> ConstantBuffer:
        where = self.reader.location(at)
        name, count, offset, size, flags, kind = self.reader.dwords(at, 6)
        return ConstantBuffer(
            self.name(name),
            tuple(
                self.variable(variable)
                for variable in self.records(offset, count, self.layout.variable)
            ),
            size,
            ShaderCbufferFlags(flags),
            enumerated(CbufferType, kind, "RDEF: constant buffer type", where),
            self.reader.base + at,
        )

    def variable(self, at: int) -> Variable:
        name, offset, size, flags, type_offset, default = self.reader.dwords(at, 6)
        slots = (NO_INDEX, 0, NO_INDEX, 0)
        if self.layout.has_slots:
            slots = self.reader.dwords(at + 24, 4)
        typed = self.variable_type(type_offset)
        self.count(typed.expanded, at)
        value = None
        if default:
            self.budget.copy(size, self.reader.location(at))
            value = self.reader.bytes(default, size)
        return Variable(
            self.name(name),
            offset,
            size,
            ShaderVariableFlags(flags),
            typed.type,
            value,
            _index(slots[0]),
            slots[1],
            _index(slots[2]),
            slots[3],
            self.reader.base + at,
        )

    def variable_type(self, at: int) -> _Typed:
        """Return the type at `at`, read once however often it is named."""
        known = self.types.get(at)
        if known is not None:
            return known
        where = self.reader.location(min(at, len(self.reader)))
        if at in self.open_types:
            raise ContainerError(f"RDEF: the type at {at:#x} contains itself", where)
        self.open_types.append(at)
        typed = self.new_type(at) if len(self.open_types) <= MAX_TYPE_DEPTH else None
        if typed is None or typed.depth > MAX_TYPE_DEPTH:
            raise ContainerError(f"RDEF: types nest more than {MAX_TYPE_DEPTH} deep", where)
        self.open_types.pop()
        self.count(typed.expanded, at)
        self.types[at] = typed
        return typed

    def new_type(self, at: int) -> _Typed:
        where = self.reader.location(at)
        dwords = self.reader.dwords(at, 4)
        class_, kind, rows, columns, elements, count = (
            dword >> shift & 0xFFFF for dword in dwords[:3] for shift in (0, 16)
        )
        links = self.reader.dwords(at + 16, 5) if self.layout.is_sm5 else (0, 0, 0, 0, 0)
        fields = [self.member(m) for m in self.records(dwords[3], count, self.layout.member)]
        interfaces = [
            self.variable_type(self.reader.u32(i)) for i in self.records(links[3], links[2], 4)
        ]
        subtype, base = (self.variable_type(link) if link else None for link in links[:2])
        parts = [typed for _, typed in fields] + interfaces + [t for t in (subtype, base) if t]
        type_ = VariableType(
            enumerated(ShaderVariableClass, class_, "RDEF: variable class", where),
            enumerated(ShaderVariableType, kind, "RDEF: variable type", where),
            rows,
            columns,
            elements,
            tuple(member for member, _ in fields),
            self.name(links[4]),
            subtype.type if subtype else None,
            base.type if base else None,
            tuple(typed.type for typed in interfaces),
        )
        return _Typed(
            type_,
            1 + sum(typed.expanded for typed in parts),
            1 + max((typed.depth for typed in parts), default=0),
        )

    def member(self, at: int) -> tuple[Member, _Typed]:
        name, type_offset, offset = self.reader.dwords(at, 3)
        typed = self.variable_type(type_offset)
        return Member(self.name(name), typed.type, offset), typed


def _read_layout(reader: ByteReader) -> tuple[Layout, int]:
    """Return what the shader model 5 part of the header says: layout, interface slots."""
    tag = reader.bytes(TAG_OFFSET, 4)
    least = next((layout for layout in (LAYOUT_5_0, LAYOUT_5_1) if layout.tag == tag), None)
    if least is None:
        raise ContainerError(
            f"RDEF: header tag {tag!r} is not defined", reader.location(TAG_OFFSET)
        )
    _, buffer, binding, variable, type_, member, slots = reader.dwords(TAG_OFFSET + 4, 7)
    found = replace(
        least, buffer=buffer, binding=binding, variable=variable, type=type_, member=member
    )
    if least is LAYOUT_5_0 and variable == LAYOUT_5_0_BETA.variable:
        least = LAYOUT_5_0_BETA
    pairs = zip(found.of_records, least.of_records, strict=True)
    if any(size < wanted for size, wanted in pairs):
        raise ContainerError(
            f"RDEF: record sizes {found.of_records} are too short, wanted {least.of_records}",
            reader.location(TAG_OFFSET),
        )
    return found, slots


def _index(value: int) -> int | None:
    return None if value == NO_INDEX else value
