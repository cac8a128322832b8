"""The RTS0 chunk: a Direct3D 12 root signature of version 1.0 or 1.1.

Names follow the D3D12_ROOT_* structures of d3d12.h. The layout written is the compilers' own:
header, parameters, what each parameter points to in their order, static samplers.
"""

from __future__ import annotations

import struct
from enum import IntFlag
from typing import TypeAlias

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.pool import dwords
from softd3d.container.reflection.enums import enumerated
from softd3d.container.reflection.root_signature_enums import (
    ComparisonFunc,
    DescriptorRangeFlags,
    DescriptorRangeType,
    Filter,
    RootDescriptorFlags,
    RootParameterType,
    RootSignatureFlags,
    RootSignatureVersion,
    ShaderVisibility,
    StaticBorderColor,
    TextureAddressMode,
)
from softd3d.errors import ContainerError, Location

__all__ = [
    "FLOAT32_MAX",
    "OFFSET_APPEND",
    "UNBOUNDED",
    "DescriptorRange",
    "DescriptorTable",
    "RootConstants",
    "RootDescriptor",
    "RootParameter",
    "RootSignature",
    "StaticSampler",
    "build_root_signature",
    "parse_root_signature",
]

UNBOUNDED = 0xFFFFFFFF
"""`DescriptorRange.descriptor_count` of an unbounded range."""
OFFSET_APPEND = 0xFFFFFFFF
"""`DescriptorRange.offset` of a range that follows the one before it."""
FLOAT32_MAX = (2 - 2**-23) * 2.0**127
"""`StaticSampler.max_lod` that sets no limit."""
MAX_RANGES = 1 << 14
_HEADER_SIZE = 24
_PARAMETER_SIZE = 12
_SAMPLER = struct.Struct("<4If3I2f3I")


@dataclass(frozen=True, slots=True)
class DescriptorRange:
    """D3D12_DESCRIPTOR_RANGE1. descriptor_count: may be `UNBOUNDED`; offset: `OFFSET_APPEND`.

    offset: descriptors from the start of the table. flags: NONE in version 1.0.
    """

    type: DescriptorRangeType
    descriptor_count: int
    base_register: int
    space: int = 0
    flags: DescriptorRangeFlags = DescriptorRangeFlags.NONE
    offset: int = OFFSET_APPEND


@dataclass(frozen=True, slots=True)
class DescriptorTable:
    """D3D12_ROOT_DESCRIPTOR_TABLE1."""

    ranges: tuple[DescriptorRange, ...]


@dataclass(frozen=True, slots=True)
class RootConstants:
    """D3D12_ROOT_CONSTANTS: `value_count` dwords seen as the constant buffer `register`."""

    register: int
    space: int
    value_count: int


@dataclass(frozen=True, slots=True)
class RootDescriptor:
    """D3D12_ROOT_DESCRIPTOR1. flags: NONE in version 1.0."""

    register: int
    space: int = 0
    flags: RootDescriptorFlags = RootDescriptorFlags.NONE


_Payload: TypeAlias = DescriptorTable | RootConstants | RootDescriptor
_PAYLOADS = {
    RootParameterType.DESCRIPTOR_TABLE: DescriptorTable,
    RootParameterType.CONSTANTS_32BIT: RootConstants,
    RootParameterType.CBV: RootDescriptor,
    RootParameterType.SRV: RootDescriptor,
    RootParameterType.UAV: RootDescriptor,
}


@dataclass(frozen=True, slots=True)
class RootParameter:
    """D3D12_ROOT_PARAMETER1. payload: a table, constants or a descriptor, as the type says."""

    type: RootParameterType
    payload: _Payload
    visibility: ShaderVisibility = ShaderVisibility.ALL


@dataclass(frozen=True, slots=True)
class StaticSampler:
    """D3D12_STATIC_SAMPLER_DESC; the defaults are those of HLSL's `StaticSampler(...)`."""

    register: int
    space: int = 0
    filter: Filter = Filter.ANISOTROPIC
    address_u: TextureAddressMode = TextureAddressMode.WRAP
    address_v: TextureAddressMode = TextureAddressMode.WRAP
    address_w: TextureAddressMode = TextureAddressMode.WRAP
    mip_lod_bias: float = 0.0
    max_anisotropy: int = 16
    comparison_func: ComparisonFunc = ComparisonFunc.LESS_EQUAL
    border_color: StaticBorderColor = StaticBorderColor.OPAQUE_WHITE
    min_lod: float = 0.0
    max_lod: float = FLOAT32_MAX
    visibility: ShaderVisibility = ShaderVisibility.ALL


@dataclass(frozen=True, slots=True)
class RootSignature:
    """What the pipeline binds, and how; bits of `flags` that have no name are kept."""

    version: RootSignatureVersion
    flags: RootSignatureFlags
    parameters: tuple[RootParameter, ...] = ()
    static_samplers: tuple[StaticSampler, ...] = ()


def parse_root_signature(chunk: Chunk) -> RootSignature:
    """Read an RTS0 chunk.

    Raises:
        ContainerError: version or an enumerated value is not defined, a record leaves the chunk,
            or the tables have more than `MAX_RANGES` ranges together.
    """
    reader = chunk.reader()
    number, count, at, sampler_count, samplers_at, flags = reader.dwords(0, 6)
    version = enumerated(
        RootSignatureVersion, number, f"{reader.what}: version", reader.location(0)
    )
    return RootSignature(
        version,
        RootSignatureFlags(flags),
        _Reader(reader, version).parameters(count, at),
        _static_samplers(reader, sampler_count, samplers_at),
    )


class _Reader:
    """Reads parameters; `ranges_left` bounds tables that share their ranges."""

    def __init__(self, reader: ByteReader, version: RootSignatureVersion) -> None:
        self.reader = reader
        self.has_flags = version >= RootSignatureVersion.VERSION_1_1
        self.ranges_left = MAX_RANGES

    def parameters(self, count: int, at: int) -> tuple[RootParameter, ...]:
        dwords = self.reader.dwords(at, 3 * count)
        return tuple(
            self.parameter(at + 4 * index, *dwords[index : index + 3])
            for index in range(0, 3 * count, 3)
        )

    def parameter(self, at: int, kind: int, visibility: int, payload_at: int) -> RootParameter:
        what, where = self.reader.what, self.reader.location(at)
        type_ = enumerated(RootParameterType, kind, f"{what}: parameter type", where)
        shown = enumerated(ShaderVisibility, visibility, f"{what}: visibility", where)
        payload: _Payload
        if type_ is RootParameterType.DESCRIPTOR_TABLE:
            payload = DescriptorTable(self.ranges(payload_at, where))
        elif type_ is RootParameterType.CONSTANTS_32BIT:
            payload = RootConstants(*self.reader.dwords(payload_at, 3))
        else:
            register, space, *flags = self.reader.dwords(payload_at, 2 + self.has_flags)
            payload = RootDescriptor(register, space, RootDescriptorFlags(flags[0] if flags else 0))
        return RootParameter(type_, payload, shown)

    def ranges(self, table_at: int, where: Location) -> tuple[DescriptorRange, ...]:
        count, at = self.reader.dwords(table_at, 2)
        self.ranges_left -= count
        if self.ranges_left < 0:
            raise ContainerError(
                f"{self.reader.what}: more than {MAX_RANGES} descriptor ranges", where
            )
        dwords = 5 + self.has_flags
        return tuple(self.range(at + 4 * dwords * index, dwords) for index in range(count))

    def range(self, at: int, dwords: int) -> DescriptorRange:
        kind, count, register, space, *flags, offset = self.reader.dwords(at, dwords)
        return DescriptorRange(
            enumerated(
                DescriptorRangeType,
                kind,
                f"{self.reader.what}: descriptor range type",
                self.reader.location(at),
            ),
            count,
            register,
            space,
            DescriptorRangeFlags(flags[0] if flags else 0),
            offset,
        )


def _static_samplers(reader: ByteReader, count: int, at: int) -> tuple[StaticSampler, ...]:
    size = _SAMPLER.size
    data = reader.bytes(at, size * count)
    return tuple(
        _static_sampler(reader, at + size * index, data[size * index : size * (index + 1)])
        for index in range(count)
    )


def _static_sampler(reader: ByteReader, at: int, record: bytes) -> StaticSampler:
    what, where = f"{reader.what}: static sampler", reader.location(at)
    (
        filter_,
        *modes,
        bias,
        anisotropy,
        comparison,
        border,
        least,
        most,
        register,
        space,
        visibility,
    ) = _SAMPLER.unpack(record)
    u, v, w = (enumerated(TextureAddressMode, m, f"{what} address mode", where) for m in modes)
    return StaticSampler(
        register,
        space,
        enumerated(Filter, filter_, f"{what} filter", where),
        u,
        v,
        w,
        bias,
        anisotropy,
        enumerated(ComparisonFunc, comparison, f"{what} comparison", where),
        enumerated(StaticBorderColor, border, f"{what} border color", where),
        least,
        most,
        enumerated(ShaderVisibility, visibility, f"{what} visibility", where),
    )


def build_root_signature(signature: RootSignature) -> bytes:
    """Write the data of an RTS0 chunk; that of the compilers comes out as it was.

    Raises:
        ContainerError: a payload is not what its type says, a value does not fit its field, or a
            signature of version 1.0 has flags that only 1.1 can store.
    """
    parameters, payloads = bytearray(), bytearray()
    payloads_at = _HEADER_SIZE + _PARAMETER_SIZE * len(signature.parameters)
    has_flags = signature.version >= RootSignatureVersion.VERSION_1_1
    for parameter in signature.parameters:
        at = payloads_at + len(payloads)
        parameters += dwords(
            "RTS0", type=parameter.type, visibility=parameter.visibility, payload=at
        )
        payloads += _payload_bytes(parameter, at, has_flags=has_flags)
    header = dwords(
        "RTS0",
        version=signature.version,
        parameter_count=len(signature.parameters),
        parameters=_HEADER_SIZE,
        static_sampler_count=len(signature.static_samplers),
        static_samplers=payloads_at + len(payloads),
        flags=signature.flags,
    )
    samplers = (_sampler_bytes(sampler) for sampler in signature.static_samplers)
    return b"".join((header, parameters, payloads, *samplers))


def _payload_bytes(parameter: RootParameter, at: int, *, has_flags: bool) -> bytes:
    payload = parameter.payload
    if type(payload) is not _PAYLOADS[parameter.type]:
        raise ContainerError(
            f"RTS0: a {parameter.type.name} parameter cannot have a {type(payload).__name__}"
        )
    match payload:
        case DescriptorTable(ranges):
            head = dwords("RTS0", range_count=len(ranges), ranges=at + 8)
            return head + b"".join(_range_bytes(r, has_flags=has_flags) for r in ranges)
        case RootConstants():
            return dwords(
                "RTS0",
                register=payload.register,
                space=payload.space,
                value_count=payload.value_count,
            )
        case RootDescriptor():
            flags = _flag_fields(payload.flags, has_flags=has_flags)
            return dwords("RTS0", register=payload.register, space=payload.space, **flags)


def _range_bytes(found: DescriptorRange, *, has_flags: bool) -> bytes:
    flags = _flag_fields(found.flags, has_flags=has_flags)
    return dwords(
        "RTS0",
        type=found.type,
        descriptor_count=found.descriptor_count,
        base_register=found.base_register,
        space=found.space,
        **flags,
        offset=found.offset,
    )


def _flag_fields(flags: IntFlag, *, has_flags: bool) -> dict[str, int]:
    if has_flags:
        return {"flags": flags}
    if flags:
        raise ContainerError("RTS0: a root signature of version 1.0 cannot have descriptor flags")
    return {}


def _sampler_bytes(sampler: StaticSampler) -> bytes:
    try:
        return _SAMPLER.pack(
            sampler.filter,
            sampler.address_u,
            sampler.address_v,
            sampler.address_w,
            sampler.mip_lod_bias,
            sampler.max_anisotropy,
            sampler.comparison_func,
            sampler.border_color,
            sampler.min_lod,
            sampler.max_lod,
            sampler.register,
            sampler.space,
            sampler.visibility,
        )
    except (struct.error, OverflowError):
        raise ContainerError("RTS0: a static sampler's value does not fit its field") from None
