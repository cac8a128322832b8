"""The chunks of HLSL libraries (lib_4_0 to lib_5_0): LIBH, LIBF and LFS0.

A library is a container with one LIBF chunk a function, in the order of LIBH's list. A LIBF chunk
is a container again: code (stage 0xFFF0), reflection, and the function's parameters (LFS0).

Layout: measured on the compiler's output.
"""

from __future__ import annotations

from enum import IntFlag

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk, Container, parse
from softd3d.container.dxbc.pool import DataPool, dwords
from softd3d.container.reflection.enums import ShaderVariableClass, ShaderVariableType, enumerated
from softd3d.errors import ContainerError, Location
from softd3d.isa.sm4.enums import InterpolationMode

__all__ = [
    "Level9Stages",
    "LibraryEntry",
    "LibraryFunction",
    "LibraryHeader",
    "LibraryParameter",
    "LibrarySignature",
    "ParameterFlags",
    "build_library_function",
    "build_library_header",
    "build_library_signature",
    "parse_library_function",
    "parse_library_header",
    "parse_library_signature",
    "read_names",
]

MAX_FUNCTIONS = 4096
MAX_PARAMETERS = 1024
_LAYOUT_VERSION = 1
_NO_REGISTER = 0xFFFFFFFF
_HEADER_DWORDS = 5
_PARAMETER_DWORDS = 12
_RECORDS_OFFSET = 8


class Level9Stages(IntFlag):
    """For which stages a function also has Direct3D 9 code (Aon9 chunks)."""

    NONE = 0
    VERTEX = 1
    PIXEL = 2


class ParameterFlags(IntFlag):
    """D3D_PARAMETER_FLAGS (d3dcommon.h)."""

    NONE = 0
    IN = 1
    OUT = 2


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A function that the library exports."""

    name: str
    level9: Level9Stages


@dataclass(frozen=True, slots=True)
class LibraryHeader:
    """The LIBH chunk. flags: 0 wherever it was looked at."""

    creator: str
    functions: tuple[LibraryEntry, ...]
    flags: int = 0


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """The LIBF chunk. data: a whole container, as `container.dxbc.container.build` makes it."""

    data: bytes

    @property
    def container(self) -> Container:
        """The container read; its offsets count from its own start.

        Raises:
            ContainerError: `data` is not a container.
        """
        return parse(self.data)


@dataclass(frozen=True, slots=True)
class LibraryParameter:
    """A parameter of a function (D3D11_PARAMETER_DESC).

    semantic: with its index, such as "TEXCOORD3"; empty if there is none. rows, columns: 0 for
    type VOID. Registers are the first of v# and o#, None where the parameter has none; components
    the first of that register, 0 is x.
    """

    name: str
    semantic: str
    type: ShaderVariableType
    class_: ShaderVariableClass
    rows: int
    columns: int
    interpolation: InterpolationMode
    flags: ParameterFlags
    first_in_register: int | None
    first_in_component: int | None
    first_out_register: int | None
    first_out_component: int | None


@dataclass(frozen=True, slots=True)
class LibrarySignature:
    """The LFS0 chunk: first what the function returns, under its own name, then its parameters.

    A function that returns nothing has a first entry of type VOID.
    """

    parameters: tuple[LibraryParameter, ...]


def parse_library_header(chunk: Chunk) -> LibraryHeader:
    """Read a LIBH chunk.

    Raises:
        ContainerError: its layout is not version 1, a record or name leaves the chunk, or there
            are more than `MAX_FUNCTIONS` functions.
    """
    reader = chunk.reader()
    version, creator_at, flags, count, at = reader.dwords(0, _HEADER_DWORDS)
    if version != _LAYOUT_VERSION:
        raise ContainerError(
            f"{reader.what}: version {version} is not defined, wanted {_LAYOUT_VERSION}",
            reader.location(0),
        )
    _check_count(reader, count, MAX_FUNCTIONS, "functions", 12)
    records = reader.dwords(at, 2 * count)
    return LibraryHeader(
        reader.string(creator_at),
        tuple(
            LibraryEntry(reader.string(name_at), Level9Stages(stages))
            for stages, name_at in zip(records[::2], records[1::2], strict=True)
        ),
        flags,
    )


def read_names(container: Container) -> list[str]:
    """Return the names of a library's functions, none if it has no list of them.

    Raises:
        ContainerError: the list is malformed.
    """
    chunk = container.find("LIBH")
    return [] if chunk is None else [f.name for f in parse_library_header(chunk).functions]


def build_library_header(header: LibraryHeader) -> bytes:
    """Write the data of a LIBH chunk, laid out as the compiler does.

    Raises:
        ContainerError: a name cannot be stored, or a number does not fit 32 bits.
    """
    records_at = 4 * _HEADER_DWORDS
    pool = DataPool("LIBH")
    pool.reserve(records_at + 8 * len(header.functions))
    records = dwords(
        "LIBH",
        version=_LAYOUT_VERSION,
        creator=pool.name(header.creator, "the creator"),
        flags=header.flags,
        function_count=len(header.functions),
        functions=records_at,
    )
    for entry in header.functions:
        records += dwords("LIBH", level9=entry.level9, name=pool.name(entry.name, "a function"))
    pool.write(0, records)
    return bytes(pool.data)


def parse_library_function(chunk: Chunk) -> LibraryFunction:
    """Read a LIBF chunk: the container of one function, which holds no functions of its own.

    Raises:
        ContainerError: it is no container, or a library in itself.
    """
    function = LibraryFunction(chunk.data)
    try:
        nested = function.container.find("LIBF", "LIBH")
    except ContainerError as error:
        raise ContainerError(
            f"{chunk.fourcc}: {error.message}", _shifted(error.location, chunk.data_offset)
        ) from None
    if nested is not None:
        raise ContainerError(
            f"{chunk.fourcc}: a library function cannot contain a library ({nested.fourcc})",
            Location(offset=chunk.data_offset + nested.offset),
        )
    return function


def build_library_function(function: LibraryFunction) -> bytes:
    """Return the data of a LIBF chunk."""
    return function.data


def parse_library_signature(chunk: Chunk) -> LibrarySignature:
    """Read an LFS0 chunk.

    Raises:
        ContainerError: a record or name leaves the chunk, a value is not defined, or there are
            more than `MAX_PARAMETERS` parameters.
    """
    reader = chunk.reader()
    count, at = reader.dwords(0, 2)
    _check_count(reader, count, MAX_PARAMETERS, "parameters", 0)
    size = 4 * _PARAMETER_DWORDS
    return LibrarySignature(tuple(_parameter(reader, at + size * index) for index in range(count)))


def _parameter(reader: ByteReader, at: int) -> LibraryParameter:
    name, semantic, kind, class_, rows, columns, interpolation, flags, *firsts = reader.dwords(
        at, _PARAMETER_DWORDS
    )
    what, where = reader.what, reader.location(at)
    return LibraryParameter(
        reader.string(name),
        reader.string(semantic) if semantic else "",
        enumerated(ShaderVariableType, kind, f"{what}: parameter type", where),
        enumerated(ShaderVariableClass, class_, f"{what}: parameter class", where),
        rows,
        columns,
        enumerated(InterpolationMode, interpolation, f"{what}: interpolation mode", where),
        ParameterFlags(flags),
        *(None if number == _NO_REGISTER else number for number in firsts),
    )


def build_library_signature(signature: LibrarySignature) -> bytes:
    """Write the data of an LFS0 chunk, laid out as the compiler does.

    Raises:
        ContainerError: a name cannot be stored, or a number does not fit 32 bits.
    """
    parameters = signature.parameters
    pool = DataPool("LFS0")
    pool.reserve(_RECORDS_OFFSET + 4 * _PARAMETER_DWORDS * len(parameters))
    records = dwords("LFS0", count=len(parameters), parameters=_RECORDS_OFFSET)
    records += b"".join(_parameter_bytes(parameter, pool) for parameter in parameters)
    pool.write(0, records)
    pool.align()
    return bytes(pool.data)


def _parameter_bytes(p: LibraryParameter, pool: DataPool) -> bytes:
    return dwords(
        "LFS0",
        name=pool.name(p.name, "a parameter"),
        semantic=pool.name(p.semantic, p.name) if p.semantic else 0,
        type=p.type,
        class_=p.class_,
        rows=p.rows,
        columns=p.columns,
        interpolation=p.interpolation,
        flags=p.flags,
        first_in_register=_stored(p.first_in_register),
        first_in_component=_stored(p.first_in_component),
        first_out_register=_stored(p.first_out_register),
        first_out_component=_stored(p.first_out_component),
    )


def _stored(number: int | None) -> int:
    return _NO_REGISTER if number is None else number


def _check_count(reader: ByteReader, count: int, most: int, what: str, at: int) -> None:
    if count > most:
        raise ContainerError(
            f"{reader.what}: {count} {what}, the limit is {most}", reader.location(at)
        )


def _shifted(location: Location | None, by: int) -> Location:
    offset = location.offset if location is not None else None
    return Location(offset=(offset or 0) + by)
