"""Constant tables of SM1-3: the comment CTAB, which says what the constant registers hold.

Layout: D3DXSHADER_CONSTANTTABLE and its records (d3dx9shader.h); offsets count from behind the
four characters.
"""

from __future__ import annotations

from enum import IntEnum

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.reflection.enums import enumerated
from softd3d.errors import ContainerError

__all__ = [
    "TAG",
    "Constant",
    "ConstantTable",
    "ConstantType",
    "ParameterClass",
    "ParameterType",
    "RegisterSet",
    "StructMember",
    "parse_ctab",
]

TAG = b"CTAB"
MAX_TYPES = 1 << 14
MAX_TYPE_DEPTH = 32
MAX_COPIED_BYTES = 1 << 20
_HEADER_SIZE = 28
_CONSTANT_SIZE = 20
_TYPE_SIZE = 16
_MEMBER_SIZE = 8
_DWORD = 4


class RegisterSet(IntEnum):
    """D3DXREGISTER_SET."""

    BOOL = 0
    INT4 = 1
    FLOAT4 = 2
    SAMPLER = 3


class ParameterClass(IntEnum):
    """D3DXPARAMETER_CLASS."""

    SCALAR = 0
    VECTOR = 1
    MATRIX_ROWS = 2
    MATRIX_COLUMNS = 3
    OBJECT = 4
    STRUCT = 5


class ParameterType(IntEnum):
    """D3DXPARAMETER_TYPE."""

    VOID = 0
    BOOL = 1
    INT = 2
    FLOAT = 3
    STRING = 4
    TEXTURE = 5
    TEXTURE1D = 6
    TEXTURE2D = 7
    TEXTURE3D = 8
    TEXTURECUBE = 9
    SAMPLER = 10
    SAMPLER1D = 11
    SAMPLER2D = 12
    SAMPLER3D = 13
    SAMPLERCUBE = 14
    PIXELSHADER = 15
    VERTEXSHADER = 16
    PIXELFRAGMENT = 17
    VERTEXFRAGMENT = 18
    UNSUPPORTED = 19


@dataclass(frozen=True, slots=True)
class StructMember:
    """A named part of a structure."""

    name: str
    type: ConstantType


@dataclass(frozen=True, slots=True)
class ConstantType:
    """D3DXSHADER_TYPEINFO; elements: 1 if it is not an array."""

    class_: ParameterClass
    type: ParameterType
    rows: int
    columns: int
    elements: int
    members: tuple[StructMember, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    """D3DXSHADER_CONSTANTINFO: a variable and the registers it lies in.

    register_count may be less than the type needs, where the shader does not use its end.
    default: the initial dwords of its registers, 4 a register (1 of a bool register); None if
    there are none.
    """

    name: str
    register_set: RegisterSet
    register_index: int
    register_count: int
    type: ConstantType
    default: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ConstantTable:
    """D3DXSHADER_CONSTANTTABLE; version: the shader's version token, target: its profile.

    creator: the compiler's name; None if the table does not give it.
    """

    creator: str | None
    target: str
    version: int
    flags: int
    constants: tuple[Constant, ...]


def parse_ctab(data: bytes, base: int = 0) -> ConstantTable:
    """Read the payload of a CTAB comment, without the four characters.

    base: where `data` starts in the whole input, in bytes, for positions in errors.

    Raises:
        ContainerError: a record leaves the data, a number has no meaning, or types nest or repeat
            to more than `MAX_TYPES`.
    """
    return _Reader(ByteReader(data, base, "CTAB")).table()


class _Reader:
    """Counts what it makes: names, values and types may be shared by any number of constants."""

    def __init__(self, reader: ByteReader) -> None:
        self.reader = reader
        self.types = 0
        self.copied = 0

    def table(self) -> ConstantTable:
        reader = self.reader
        size, creator, version, count, records, flags, target = reader.dwords(0, 7)
        if size < _HEADER_SIZE:
            raise ContainerError(
                f"CTAB: header of {size} bytes, wanted {_HEADER_SIZE}", reader.location(0)
            )
        if count * _CONSTANT_SIZE > len(reader):
            raise ContainerError(
                f"CTAB: {count} constants do not fit {len(reader)} bytes", reader.location(12)
            )
        constants = tuple(self.constant(records + _CONSTANT_SIZE * n) for n in range(count))
        return ConstantTable(
            self.name(creator) if creator else None,
            self.name(target) if target else "",
            version,
            flags,
            constants,
        )

    def constant(self, at: int) -> Constant:
        name, sets, counts, type_at, default_at = self.reader.dwords(at, _CONSTANT_SIZE // _DWORD)
        register_set = enumerated(
            RegisterSet, sets & 0xFFFF, "CTAB: register set", self.reader.location(at + _DWORD)
        )
        count = counts & 0xFFFF
        type_ = self.type(type_at, 0)
        default = self.default(default_at, register_set, count) if default_at else None
        return Constant(self.name(name), register_set, sets >> 16, count, type_, default)

    def default(self, at: int, register_set: RegisterSet, count: int) -> tuple[int, ...]:
        dwords = count if register_set is RegisterSet.BOOL else 4 * count
        self.copy(_DWORD * dwords, at)
        return self.reader.dwords(at, dwords)

    def type(self, at: int, depth: int) -> ConstantType:
        self.types += 1
        if self.types > MAX_TYPES or depth > MAX_TYPE_DEPTH:
            raise ContainerError(
                f"CTAB: types nest deeper than {MAX_TYPE_DEPTH} or are more than {MAX_TYPES}",
                self.reader.location(min(at, len(self.reader))),
            )
        kind, shape, lengths, members_at = self.reader.dwords(at, _TYPE_SIZE // _DWORD)
        place = self.reader.location(at)
        class_ = enumerated(ParameterClass, kind & 0xFFFF, "CTAB: class", place)
        count = lengths >> 16 if class_ is ParameterClass.STRUCT else 0
        return ConstantType(
            class_,
            enumerated(ParameterType, kind >> 16, "CTAB: type", place),
            shape & 0xFFFF,
            shape >> 16,
            lengths & 0xFFFF,
            tuple([self.member(members_at + _MEMBER_SIZE * n, depth) for n in range(count)]),
        )

    def member(self, at: int, depth: int) -> StructMember:
        name, type_at = self.reader.dwords(at, _MEMBER_SIZE // _DWORD)
        return StructMember(self.name(name), self.type(type_at, depth + 1))

    def name(self, at: int) -> str:
        text = self.reader.string(at)
        self.copy(len(text), at)
        return text

    def copy(self, size: int, at: int) -> None:
        self.copied += size
        if self.copied > MAX_COPIED_BYTES:
            raise ContainerError(
                f"CTAB: names and values of more than {MAX_COPIED_BYTES} bytes in all",
                self.reader.location(min(at, len(self.reader))),
            )
