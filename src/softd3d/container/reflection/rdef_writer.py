"""Writing the RDEF chunk as Microsoft's compiler lays it out, from version 9 to 10.1.

The order is: header, bindings, the bindings' names, constant buffers; for each buffer its name and
variables; for each variable its name, type and default value; last the compiler's name. A type is
preceded by what it refers to. Whatever is equal is stored once, but for types: the compiler writes
one record for each of its own type objects, so that equal types may have several (each array
declaration has its own, and the float of a structure is not that of a variable). Here they are
`VariableType` objects in the same way: one that is used twice is stored once.
"""

from __future__ import annotations

import struct

from softd3d.classes import dataclass
from softd3d.container.dxbc.pool import DataPool, dwords, fitting
from softd3d.container.reflection.enums import (
    CbufferType,
    ResourceReturnType,
    ShaderInputType,
    ShaderVariableClass,
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
    Budget,
    Layout,
    has_sm5_records,
)
from softd3d.container.reflection.resources import (
    STAGES,
    Binding,
    ConstantBuffer,
    ResourceDefinitions,
    Variable,
    VariableType,
)
from softd3d.errors import ContainerError, Location

__all__ = ["build_rdef"]

_NOWHERE = Location()
# Types whose table of members has an offset even if it is empty.
_CLASSES_WITH_MEMBERS = (ShaderVariableClass.STRUCT, ShaderVariableClass.INTERFACE_CLASS)


def build_rdef(definitions: ResourceDefinitions) -> bytes:
    """Return the data of an RDEF chunk; `parse_rdef` reads equal definitions from it.

    The target's shader model decides the layout. A `VariableType` object that occurs several times
    is stored once; equal but distinct ones are stored each.

    Raises:
        ContainerError: a value does not fit its field or the shader model, a name cannot be
            stored, a default value has another size than its variable, a type contains itself or
            nests too deep, or there is more than `parse_rdef` would read.

    >>> build_rdef(ResourceDefinitions(0xFFFF0400, 0, "me", (), ())).hex(" ", 4)
    '00000000 00000000 00000000 1c000000 0004ffff 00000000 1c000000 6d6500ab'
    """
    return _Writer(definitions).chunk()


@dataclass(frozen=True, slots=True)
class _Placed:
    """A written type: its offset, the types it consists of (shared ones repeated), its depth."""

    offset: int
    expanded: int
    depth: int


class _Writer:
    """Writes one chunk; knows the types it has written, and counts as the reader does."""

    def __init__(self, definitions: ResourceDefinitions) -> None:
        self.definitions = definitions
        self.layout = _layout(definitions)
        self.pool = DataPool("RDEF")
        self.budget = Budget()
        self.names: dict[str, int] = {}
        self.types: dict[int, _Placed] = {}
        self.open_types: list[int] = []

    def chunk(self) -> bytes:
        whole = self.definitions
        self.pool.reserve(self.layout.header)
        bindings = self.bindings()
        buffers = self.constant_buffers()
        creator = self.name(whole.creator, "the compiler")
        self.pool.align()
        header = dwords(
            "RDEF",
            constant_buffers=len(whole.constant_buffers),
            constant_buffers_offset=buffers,
            bindings=len(whole.bindings),
            bindings_offset=bindings,
            target=whole.target,
            flags=whole.flags,
            creator=creator,
        )
        self.pool.write(0, header + self.sm5_header())
        return bytes(self.pool.data)

    def sm5_header(self) -> bytes:
        slots = self.definitions.interface_slots
        if not self.layout.is_sm5:
            _refuse("RDEF", "shader model 5", interface_slots=slots)
            return b""
        sizes = struct.pack("<6I", self.layout.header, *self.layout.of_records)
        return self.layout.tag + sizes + dwords("RDEF", interface_slots=slots)

    def name(self, text: str, owner: str) -> int:
        """Write a name; offset 0 means that there is none, as for some types of older compilers."""
        if not text:
            return 0
        offset = self.names.get(text)
        if offset is None:
            offset = self.names[text] = self.pool.name(text, owner)
            self.budget.copy(len(text))
        return offset

    def bindings(self) -> int:
        """Write the bindings and their names; return the offset, which is stored even for none."""
        bindings, size = self.definitions.bindings, self.layout.binding
        self.budget.count(len(bindings))
        start = self.pool.reserve(size * len(bindings))
        for index, binding in enumerate(bindings):
            self.pool.write(start + size * index, self.binding(binding))
        return start

    def binding(self, binding: Binding) -> bytes:
        owner = f"binding {binding.name[:40]!r}"
        what = f"RDEF: {owner}"
        enumerated(ShaderInputType, binding.type, f"{what}: type", _NOWHERE)
        enumerated(ResourceReturnType, binding.return_type, f"{what}: return type", _NOWHERE)
        enumerated(SrvDimension, binding.dimension, f"{what}: dimension", _NOWHERE)
        spaces = {"space": binding.space, "id": binding.id}
        if not self.layout.has_spaces:
            _refuse(what, "shader model 5.1", **spaces)
            spaces = {}
        return dwords(
            what,
            name=self.name(binding.name, owner),
            type=binding.type,
            return_type=binding.return_type,
            dimension=binding.dimension,
            sample_count=_index(binding.sample_count, f"{what}: sample_count"),
            bind_point=binding.bind_point,
            bind_count=binding.bind_count,
            flags=binding.flags,
            **spaces,
        )

    def constant_buffers(self) -> int:
        buffers, size = self.definitions.constant_buffers, self.layout.buffer
        if not buffers:
            return 0
        self.budget.count(len(buffers))
        start = self.pool.reserve(size * len(buffers))
        for index, buffer in enumerate(buffers):
            self.pool.write(start + size * index, self.constant_buffer(buffer))
        return start

    def constant_buffer(self, buffer: ConstantBuffer) -> bytes:
        owner = f"constant buffer {buffer.name[:40]!r}"
        what = f"RDEF: {owner}"
        enumerated(CbufferType, buffer.type, f"{what}: type", _NOWHERE)
        # The order of the arguments is that of the names and variables in the chunk.
        return dwords(
            what,
            name=self.name(buffer.name, owner),
            variables=len(buffer.variables),
            variables_offset=self.variables(buffer.variables),
            size=buffer.size,
            flags=buffer.flags,
            type=buffer.type,
        )

    def variables(self, variables: tuple[Variable, ...]) -> int:
        if not variables:
            return 0
        self.budget.count(len(variables))
        start = self.pool.reserve(self.layout.variable * len(variables))
        for index, variable in enumerate(variables):
            self.pool.write(start + self.layout.variable * index, self.variable(variable))
        return start

    def variable(self, variable: Variable) -> bytes:
        owner = f"variable {variable.name[:40]!r}"
        what = f"RDEF: {owner}"
        name = self.name(variable.name, owner)
        placed = self.type(variable.type, owner)
        self.budget.count(placed.expanded)
        record = dwords(
            what,
            name=name,
            offset=variable.offset,
            size=variable.size,
            flags=variable.flags,
            type=placed.offset,
            default=self.default(variable, what),
        )
        return record + self.slots(variable, what)

    def slots(self, variable: Variable, what: str) -> bytes:
        textures, samplers = variable.texture_count, variable.sampler_count
        if self.layout.has_slots:
            return dwords(
                what,
                start_texture=_index(variable.start_texture, f"{what}: start_texture"),
                texture_count=textures,
                start_sampler=_index(variable.start_sampler, f"{what}: start_sampler"),
                sampler_count=samplers,
            )
        found = (variable.start_texture, textures, variable.start_sampler, samplers)
        if found != (None, 0, None, 0):
            raise ContainerError(
                f"{what}: texture and sampler slots {found} need shader model 5 and has_slots"
            )
        return b""

    def default(self, variable: Variable, what: str) -> int:
        if variable.default is None:
            return 0
        if len(variable.default) != variable.size:
            raise ContainerError(
                f"{what}: the default value has {len(variable.default)} bytes, wanted its size "
                f"of {variable.size}"
            )
        self.budget.copy(variable.size)
        return self.pool.share(bytes(variable.default))

    def type(self, type_: VariableType, owner: str) -> _Placed:
        """Write a type, once however often the same object is used."""
        key = id(type_)
        known = self.types.get(key)
        if known is not None:
            return known
        if key in self.open_types:
            raise ContainerError(f"RDEF: the type of {owner} contains itself")
        self.open_types.append(key)
        placed = self.new_type(type_, owner) if len(self.open_types) <= MAX_TYPE_DEPTH else None
        if placed is None or placed.depth > MAX_TYPE_DEPTH:
            raise ContainerError(f"RDEF: the type of {owner} nests more than {MAX_TYPE_DEPTH} deep")
        self.open_types.pop()
        self.budget.count(placed.expanded)
        self.types[key] = placed
        return placed

    def new_type(self, type_: VariableType, owner: str) -> _Placed:
        if not self.layout.is_sm5:
            _refuse_sm5_parts(type_, owner)
        self.budget.count(len(type_.interfaces) + len(type_.members))
        name = self.name(type_.name, f"the type of {owner}") if self.layout.is_sm5 else 0
        subtype = self.type(type_.subtype, owner) if type_.subtype else None
        interfaces = [self.type(interface, owner) for interface in type_.interfaces]
        interfaces_at = 0
        if interfaces:
            interfaces_at = self.pool.share(
                struct.pack(f"<{len(interfaces)}I", *(placed.offset for placed in interfaces))
            )
        base = self.type(type_.base_class, owner) if type_.base_class else None
        members, members_at = self.members(type_, owner)
        record = _type_numbers(type_, f"RDEF: the type of {owner}") + struct.pack("<I", members_at)
        if self.layout.is_sm5:
            links = (placed.offset if placed else 0 for placed in (subtype, base))
            record += struct.pack("<5I", *links, len(interfaces), interfaces_at, name)
        at = self.pool.reserve(self.layout.type)
        self.pool.write(at, record)
        parts = members + interfaces + [placed for placed in (subtype, base) if placed]
        return _Placed(
            at,
            1 + sum(placed.expanded for placed in parts),
            1 + max((placed.depth for placed in parts), default=0),
        )

    def members(self, type_: VariableType, owner: str) -> tuple[list[_Placed], int]:
        """Write the members' names, types and table; return their types and its offset."""
        types: list[_Placed] = []
        table = bytearray()
        for member in type_.members:
            whose = f"member {member.name[:40]!r} of {owner}"[:200]
            name = self.name(member.name, whose)
            types.append(self.type(member.type, whose))
            table += dwords(
                f"RDEF: {whose}", name=name, type=types[-1].offset, offset=member.offset
            )
        if not types and type_.class_ not in _CLASSES_WITH_MEMBERS:
            return types, 0
        return types, self.pool.share(bytes(table))


def _layout(definitions: ResourceDefinitions) -> Layout:
    if definitions.target >> 16 not in STAGES:
        raise ContainerError(f"RDEF: target {definitions.target:#x} has no known stage")
    if not has_sm5_records(definitions.target):
        return LAYOUT_4
    if definitions.shader_model > (5, 0):
        return LAYOUT_5_1
    return LAYOUT_5_0 if definitions.has_slots else LAYOUT_5_0_BETA


def _type_numbers(type_: VariableType, what: str) -> bytes:
    enumerated(ShaderVariableClass, type_.class_, f"{what}: class", _NOWHERE)
    enumerated(ShaderVariableType, type_.type, f"{what}: type", _NOWHERE)
    values = {
        "class": type_.class_,
        "type": type_.type,
        "rows": type_.rows,
        "columns": type_.columns,
        "elements": type_.elements,
        "number of members": len(type_.members),
    }
    return b"".join(
        fitting(value, 16, f"{what}: {name}").to_bytes(2, "little")
        for name, value in values.items()
    )


def _refuse_sm5_parts(type_: VariableType, owner: str) -> None:
    if type_.name:
        raise ContainerError(
            f"RDEF: the type of {owner} is named {type_.name[:40]!r}, which needs shader model 5"
        )
    if type_.subtype or type_.base_class or type_.interfaces:
        raise ContainerError(
            f"RDEF: the type of {owner} has a subtype, base class or interfaces, which need "
            "shader model 5"
        )


def _refuse(what: str, needed: str, **values: int) -> None:
    """Refuse the first value that is not 0, as only a later shader model stores it."""
    for name, value in values.items():
        if value:
            raise ContainerError(f"{what}: {name} {value} needs {needed}")


def _index(value: int | None, what: str) -> int:
    """Return an index as it is stored; the number that stands for none is no index."""
    if value == NO_INDEX:
        raise ContainerError(f"{what} {value} is what stands for none")
    return NO_INDEX if value is None else value
