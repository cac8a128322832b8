"""Chunks of shader model 6 containers: DXIL and ILDB programs, ILDN, HASH, PSV0, RDAT.

They are read as far as it takes to say what a file is; LLVM bitcode is left alone.

Spec: DxilContainer.h of the DirectX Shader Compiler; measured on its output.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag

from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.pool import ALIGNMENT, dwords, fitting
from softd3d.container.reflection.enums import enumerated
from softd3d.errors import ContainerError

__all__ = [
    "DxilProgram",
    "DxilShaderKind",
    "PipelineStateValidation",
    "RuntimeData",
    "RuntimeDataPart",
    "ShaderDebugName",
    "ShaderHash",
    "ShaderHashFlags",
    "build_debug_name",
    "build_dxil",
    "build_psv",
    "build_runtime_data",
    "build_shader_hash",
    "is_dxil_program",
    "parse_debug_name",
    "parse_dxil",
    "parse_psv",
    "parse_runtime_data",
    "parse_shader_hash",
]

_MAGIC = b"DXIL"
_MAGIC_OFFSET = 8
_HEADER_SIZE = 24
_DIGEST_SIZE = 16


class DxilShaderKind(IntEnum):
    """DXIL::ShaderKind."""

    PIXEL = 0
    VERTEX = 1
    GEOMETRY = 2
    HULL = 3
    DOMAIN = 4
    COMPUTE = 5
    LIBRARY = 6
    RAY_GENERATION = 7
    INTERSECTION = 8
    ANY_HIT = 9
    CLOSEST_HIT = 10
    MISS = 11
    CALLABLE = 12
    MESH = 13
    AMPLIFICATION = 14
    NODE = 15


_PREFIXES = {
    DxilShaderKind.PIXEL: "ps",
    DxilShaderKind.VERTEX: "vs",
    DxilShaderKind.GEOMETRY: "gs",
    DxilShaderKind.HULL: "hs",
    DxilShaderKind.DOMAIN: "ds",
    DxilShaderKind.COMPUTE: "cs",
    DxilShaderKind.MESH: "ms",
    DxilShaderKind.AMPLIFICATION: "as",
}


@dataclass(frozen=True, slots=True)
class DxilProgram:
    """A DXIL or ILDB chunk, or the STAT of shader model 6: a module of LLVM bitcode.

    shader_model, dxil_version: (major, minor). body: everything behind the header, the bitcode
    being `bitcode_size` bytes at `bitcode_offset`, counted from the header's "DXIL".
    length_dwords: of the chunk, as stated.
    """

    kind: DxilShaderKind
    shader_model: tuple[int, int]
    dxil_version: tuple[int, int]
    length_dwords: int
    bitcode_offset: int
    bitcode_size: int
    body: bytes

    @property
    def profile(self) -> str:
        """The compiler's name of the target, such as "ps_6_0"; "lib" for all that have no own."""
        major, minor = self.shader_model
        return f"{_PREFIXES.get(self.kind, 'lib')}_{major}_{minor}"

    @property
    def bitcode(self) -> bytes:
        start = self.bitcode_offset + _MAGIC_OFFSET - _HEADER_SIZE
        return self.body[start : start + self.bitcode_size]


class ShaderHashFlags(IntFlag):
    """DxilShaderHashFlags."""

    NONE = 0
    INCLUDES_SOURCE = 1


@dataclass(frozen=True, slots=True)
class ShaderHash:
    """The HASH chunk. digest: 16 bytes, MD5 of the bitcode, or of the source too."""

    flags: ShaderHashFlags
    digest: bytes


@dataclass(frozen=True, slots=True)
class ShaderDebugName:
    """The ILDN chunk: the file that has the debug information. flags: 0 wherever it is defined."""

    name: str
    flags: int = 0


@dataclass(frozen=True, slots=True)
class PipelineStateValidation:
    """The PSV0 chunk. info: the stage's facts, longer in later versions (24, 36, 52 bytes ...).

    resources: a record each, all of one size. rest: strings, indices, signature elements and
    dependency tables of versions from 1 on, as they are.
    """

    info: bytes
    resources: tuple[bytes, ...]
    rest: bytes


@dataclass(frozen=True, slots=True)
class RuntimeDataPart:
    """A table of the run-time data. type: 1 strings, 2 indices, 3 resources, 4 functions ..."""

    type: int
    data: bytes


@dataclass(frozen=True, slots=True)
class RuntimeData:
    """The RDAT chunk: what a library's functions use. version: 0x10 wherever it was looked at."""

    version: int
    parts: tuple[RuntimeDataPart, ...]


def is_dxil_program(chunk: Chunk) -> bool:
    """Tell whether the chunk starts like a DXIL program; a STAT chunk may be either kind."""
    return chunk.data[_MAGIC_OFFSET : _MAGIC_OFFSET + len(_MAGIC)] == _MAGIC


def parse_dxil(chunk: Chunk) -> DxilProgram:
    """Read the header of a DXIL program.

    Raises:
        ContainerError: there is no such header, its shader kind is not defined, or the bitcode
            leaves the chunk.
    """
    reader = chunk.reader()
    version, length, _, dxil_version, offset, size = reader.dwords(0, 6)
    if not is_dxil_program(chunk):
        raise ContainerError(
            f"{chunk.fourcc}: no DXIL program header", reader.location(_MAGIC_OFFSET)
        )
    if offset < _HEADER_SIZE - _MAGIC_OFFSET:
        raise ContainerError(
            f"{chunk.fourcc}: bitcode at {offset:#x} lies in the header", reader.location(16)
        )
    reader.bytes(_MAGIC_OFFSET + offset, size)
    kind = enumerated(
        DxilShaderKind, version >> 16, f"{chunk.fourcc}: shader kind", reader.location(0)
    )
    return DxilProgram(
        kind,
        (version >> 4 & 0xFFF, version & 0xF),
        (dxil_version >> 8, dxil_version & 0xFF),
        length,
        offset,
        size,
        chunk.data[_HEADER_SIZE:],
    )


def build_dxil(program: DxilProgram) -> bytes:
    """Write the data of a DXIL, ILDB or shader model 6 STAT chunk.

    Raises:
        ContainerError: a number does not fit its field.
    """
    (major, minor), (dxil_major, dxil_minor) = program.shader_model, program.dxil_version
    for number, bits in ((major, 12), (minor, 4), (dxil_major, 24), (dxil_minor, 8)):
        fitting(number, bits, "DXIL: part of a version")
    version = program.kind << 16 | major << 4 | minor
    header = dwords("DXIL", version=version, length_dwords=program.length_dwords) + _MAGIC
    bitcode = dwords(
        "DXIL",
        dxil_version=dxil_major << 8 | dxil_minor,
        bitcode_offset=program.bitcode_offset,
        bitcode_size=program.bitcode_size,
    )
    return header + bitcode + program.body


def parse_shader_hash(chunk: Chunk) -> ShaderHash:
    """Read a HASH chunk.

    Raises:
        ContainerError: it is not of 20 bytes.
    """
    reader = chunk.reader()
    _check_end(chunk, 4 + _DIGEST_SIZE)
    return ShaderHash(ShaderHashFlags(reader.u32(0)), reader.bytes(4, _DIGEST_SIZE))


def build_shader_hash(found: ShaderHash) -> bytes:
    """Write the data of a HASH chunk.

    Raises:
        ContainerError: the digest is not of 16 bytes, or the flags do not fit 32 bits.
    """
    if len(found.digest) != _DIGEST_SIZE:
        raise ContainerError(f"HASH: a digest of {len(found.digest)} bytes, wanted {_DIGEST_SIZE}")
    return dwords("HASH", flags=found.flags) + found.digest


def parse_debug_name(chunk: Chunk) -> ShaderDebugName:
    """Read an ILDN chunk.

    Raises:
        ContainerError: the name leaves the chunk or has no NUL where it ends.
    """
    reader = chunk.reader()
    flags, length = struct.unpack("<2H", reader.bytes(0, 4))
    name = reader.bytes(4, length + 1)
    if name.find(0) != length:
        raise ContainerError(
            f"{chunk.fourcc}: the name does not end after {length} bytes", reader.location(4)
        )
    _check_end(chunk, _padded(4 + length + 1))
    return ShaderDebugName(name[:-1].decode("latin-1"), flags)


def build_debug_name(found: ShaderDebugName) -> bytes:
    """Write the data of an ILDN chunk, padded to dwords.

    Raises:
        ContainerError: the name has a NUL, is not Latin-1 or is longer than 65535 characters.
    """
    name = found.name
    if "\0" in name or len(name) > 0xFFFF or any(ord(character) > 0xFF for character in name):
        raise ContainerError("ILDN: a name is Latin-1 without NUL, at most 65535 characters")
    data = (
        struct.pack("<2H", fitting(found.flags, 16, "ILDN: flags"), len(name))
        + name.encode("latin-1")
        + b"\0"
    )
    return data.ljust(_padded(len(data)), b"\0")


def parse_psv(chunk: Chunk) -> PipelineStateValidation:
    """Read a PSV0 chunk.

    Raises:
        ContainerError: the facts or the resource records leave the chunk, or records are empty.
    """
    reader = chunk.reader()
    info_size = reader.u32(0)
    info = reader.bytes(4, info_size)
    at = 4 + info_size
    count = reader.u32(at)
    at += 4
    resources: tuple[bytes, ...] = ()
    if count:
        size = reader.u32(at)
        if not size:
            raise ContainerError(
                f"{chunk.fourcc}: resource records of 0 bytes", reader.location(at)
            )
        records = reader.bytes(at + 4, size * count)
        resources = tuple(records[i : i + size] for i in range(0, len(records), size))
        at += 4 + len(records)
    return PipelineStateValidation(info, resources, reader.bytes(at, len(reader) - at))


def build_psv(found: PipelineStateValidation) -> bytes:
    """Write the data of a PSV0 chunk.

    Raises:
        ContainerError: the resource records are empty or of different sizes.
    """
    sizes = {len(record) for record in found.resources}
    if len(sizes) > 1 or 0 in sizes:
        raise ContainerError(f"PSV0: resource records of {sorted(sizes)} bytes, wanted one size")
    parts = [dwords("PSV0", info_size=len(found.info)), found.info]
    parts.append(dwords("PSV0", resource_count=len(found.resources)))
    parts += (dwords("PSV0", record_size=size) for size in sizes)
    return b"".join((*parts, *found.resources, found.rest))


def parse_runtime_data(chunk: Chunk) -> RuntimeData:
    """Read an RDAT chunk.

    Raises:
        ContainerError: a part leaves the chunk, or does not follow the one before it.
    """
    reader = chunk.reader()
    version, count = reader.dwords(0, 2)
    end = 8 + 4 * count
    parts: list[RuntimeDataPart] = []
    for index, at in enumerate(reader.dwords(8, count)):
        # Parts that share bytes would let a small chunk ask for many large copies.
        if at != end:
            raise ContainerError(
                f"{chunk.fourcc}: part {index} is at {at:#x}, wanted {end:#x}",
                reader.location(8 + 4 * index),
            )
        type_, size = reader.dwords(at, 2)
        parts.append(RuntimeDataPart(type_, reader.bytes(at + 8, size)))
        end = at + 8 + size
    _check_end(chunk, end)
    return RuntimeData(version, tuple(parts))


def build_runtime_data(found: RuntimeData) -> bytes:
    """Write the data of an RDAT chunk.

    Raises:
        ContainerError: a number does not fit 32 bits.
    """
    at = 8 + 4 * len(found.parts)
    offsets, bodies = bytearray(), bytearray()
    for part in found.parts:
        offsets += dwords("RDAT", part=at + len(bodies))
        bodies += dwords("RDAT", type=part.type, size=len(part.data)) + part.data
    head = dwords("RDAT", version=found.version, part_count=len(found.parts))
    return head + offsets + bodies


def _check_end(chunk: Chunk, wanted: int) -> None:
    if len(chunk.data) != wanted:
        raise ContainerError(
            f"{chunk.fourcc}: {len(chunk.data)} bytes, wanted {wanted}",
            chunk.reader().location(0),
        )


def _padded(size: int) -> int:
    return size + -size % ALIGNMENT
