"""Enumerations of root signatures, named and numbered as d3d12.h has them."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from softd3d.isa.sampling.state import Filter, TextureAddressMode

__all__ = [
    "ComparisonFunc",
    "DescriptorRangeFlags",
    "DescriptorRangeType",
    "Filter",
    "RootDescriptorFlags",
    "RootParameterType",
    "RootSignatureFlags",
    "RootSignatureVersion",
    "ShaderVisibility",
    "StaticBorderColor",
    "TextureAddressMode",
]


class RootSignatureVersion(IntEnum):
    """D3D_ROOT_SIGNATURE_VERSION; 1.1 gave descriptors and ranges flags."""

    VERSION_1_0 = 1
    VERSION_1_1 = 2


class RootSignatureFlags(IntFlag):
    """D3D12_ROOT_SIGNATURE_FLAGS."""

    NONE = 0
    ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT = 0x1
    DENY_VERTEX_SHADER_ROOT_ACCESS = 0x2
    DENY_HULL_SHADER_ROOT_ACCESS = 0x4
    DENY_DOMAIN_SHADER_ROOT_ACCESS = 0x8
    DENY_GEOMETRY_SHADER_ROOT_ACCESS = 0x10
    DENY_PIXEL_SHADER_ROOT_ACCESS = 0x20
    ALLOW_STREAM_OUTPUT = 0x40
    LOCAL_ROOT_SIGNATURE = 0x80
    DENY_AMPLIFICATION_SHADER_ROOT_ACCESS = 0x100
    DENY_MESH_SHADER_ROOT_ACCESS = 0x200
    CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED = 0x400
    SAMPLER_HEAP_DIRECTLY_INDEXED = 0x800


class RootParameterType(IntEnum):
    """D3D12_ROOT_PARAMETER_TYPE; CONSTANTS_32BIT is ..._32BIT_CONSTANTS."""

    DESCRIPTOR_TABLE = 0
    CONSTANTS_32BIT = 1
    CBV = 2
    SRV = 3
    UAV = 4


class ShaderVisibility(IntEnum):
    """D3D12_SHADER_VISIBILITY."""

    ALL = 0
    VERTEX = 1
    HULL = 2
    DOMAIN = 3
    GEOMETRY = 4
    PIXEL = 5
    AMPLIFICATION = 6
    MESH = 7


class DescriptorRangeType(IntEnum):
    """D3D12_DESCRIPTOR_RANGE_TYPE."""

    SRV = 0
    UAV = 1
    CBV = 2
    SAMPLER = 3


class DescriptorRangeFlags(IntFlag):
    """D3D12_DESCRIPTOR_RANGE_FLAGS (version 1.1)."""

    NONE = 0
    DESCRIPTORS_VOLATILE = 0x1
    DATA_VOLATILE = 0x2
    DATA_STATIC_WHILE_SET_AT_EXECUTE = 0x4
    DATA_STATIC = 0x8
    DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS = 0x10000


class RootDescriptorFlags(IntFlag):
    """D3D12_ROOT_DESCRIPTOR_FLAGS (version 1.1)."""

    NONE = 0
    DATA_VOLATILE = 0x2
    DATA_STATIC_WHILE_SET_AT_EXECUTE = 0x4
    DATA_STATIC = 0x8


class ComparisonFunc(IntEnum):
    """D3D12_COMPARISON_FUNC."""

    NONE = 0
    NEVER = 1
    LESS = 2
    EQUAL = 3
    LESS_EQUAL = 4
    GREATER = 5
    NOT_EQUAL = 6
    GREATER_EQUAL = 7
    ALWAYS = 8


class StaticBorderColor(IntEnum):
    """D3D12_STATIC_BORDER_COLOR."""

    TRANSPARENT_BLACK = 0
    OPAQUE_BLACK = 1
    OPAQUE_WHITE = 2
    OPAQUE_BLACK_UINT = 3
    OPAQUE_WHITE_UINT = 4
