"""Enumerations of the reflection and signature chunks, as the public headers number them.

They are not the enumerations of the token stream: dimensions and system values differ there.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from functools import cache
from typing import Any, TypeVar

from softd3d.errors import ContainerError, Location

__all__ = [
    "CbufferType",
    "MinPrecision",
    "RegisterComponentType",
    "ResourceReturnType",
    "ShaderCbufferFlags",
    "ShaderInputFlags",
    "ShaderInputType",
    "ShaderVariableClass",
    "ShaderVariableFlags",
    "ShaderVariableType",
    "SrvDimension",
    "SystemValue",
    "enumerated",
]


class ShaderInputType(IntEnum):
    """D3D_SHADER_INPUT_TYPE (d3dcommon.h): what a binding binds.

    d3dcompiler_40 and 41, betas of shader model 5, wrote 11 for append buffers and 12, which no
    longer means anything, for consume buffers.
    """

    CBUFFER = 0
    TBUFFER = 1
    TEXTURE = 2
    SAMPLER = 3
    UAV_RWTYPED = 4
    STRUCTURED = 5
    UAV_RWSTRUCTURED = 6
    BYTEADDRESS = 7
    UAV_RWBYTEADDRESS = 8
    UAV_APPEND_STRUCTURED = 9
    UAV_CONSUME_STRUCTURED = 10
    UAV_RWSTRUCTURED_WITH_COUNTER = 11
    BETA_CONSUME_STRUCTURED = 12


class ResourceReturnType(IntEnum):
    """D3D_RESOURCE_RETURN_TYPE (d3dcommon.h); NONE is what bindings without texels store."""

    NONE = 0
    UNORM = 1
    SNORM = 2
    SINT = 3
    UINT = 4
    FLOAT = 5
    MIXED = 6
    DOUBLE = 7
    CONTINUED = 8


class SrvDimension(IntEnum):
    """D3D_SRV_DIMENSION (d3dcommon.h)."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8
    TEXTURECUBE = 9
    TEXTURECUBEARRAY = 10
    BUFFEREX = 11


class ShaderInputFlags(IntFlag):
    """D3D_SHADER_INPUT_FLAGS (d3dcommon.h).

    The two TEXTURE_COMPONENT bits hold the number of components minus one.
    """

    NONE = 0
    USERPACKED = 1
    COMPARISON_SAMPLER = 2
    TEXTURE_COMPONENT_0 = 4
    TEXTURE_COMPONENT_1 = 8
    UNUSED = 16


class CbufferType(IntEnum):
    """D3D_CBUFFER_TYPE (d3dcommon.h)."""

    CBUFFER = 0
    TBUFFER = 1
    INTERFACE_POINTERS = 2
    RESOURCE_BIND_INFO = 3


class ShaderCbufferFlags(IntFlag):
    """D3D_SHADER_CBUFFER_FLAGS (d3dcommon.h)."""

    NONE = 0
    USERPACKED = 1


class ShaderVariableFlags(IntFlag):
    """D3D_SHADER_VARIABLE_FLAGS (d3dcommon.h)."""

    NONE = 0
    USERPACKED = 1
    USED = 2
    INTERFACE_POINTER = 4
    INTERFACE_PARAMETER = 8


class ShaderVariableClass(IntEnum):
    """D3D_SHADER_VARIABLE_CLASS (d3dcommon.h)."""

    SCALAR = 0
    VECTOR = 1
    MATRIX_ROWS = 2
    MATRIX_COLUMNS = 3
    OBJECT = 4
    STRUCT = 5
    INTERFACE_CLASS = 6
    INTERFACE_POINTER = 7


class ShaderVariableType(IntEnum):
    """D3D_SHADER_VARIABLE_TYPE (d3dcommon.h)."""

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
    UINT = 19
    UINT8 = 20
    GEOMETRYSHADER = 21
    RASTERIZER = 22
    DEPTHSTENCIL = 23
    BLEND = 24
    BUFFER = 25
    CBUFFER = 26
    TBUFFER = 27
    TEXTURE1DARRAY = 28
    TEXTURE2DARRAY = 29
    RENDERTARGETVIEW = 30
    DEPTHSTENCILVIEW = 31
    TEXTURE2DMS = 32
    TEXTURE2DMSARRAY = 33
    TEXTURECUBEARRAY = 34
    HULLSHADER = 35
    DOMAINSHADER = 36
    INTERFACE_POINTER = 37
    COMPUTESHADER = 38
    DOUBLE = 39
    RWTEXTURE1D = 40
    RWTEXTURE1DARRAY = 41
    RWTEXTURE2D = 42
    RWTEXTURE2DARRAY = 43
    RWTEXTURE3D = 44
    RWBUFFER = 45
    BYTEADDRESS_BUFFER = 46
    RWBYTEADDRESS_BUFFER = 47
    STRUCTURED_BUFFER = 48
    RWSTRUCTURED_BUFFER = 49
    APPEND_STRUCTURED_BUFFER = 50
    CONSUME_STRUCTURED_BUFFER = 51
    MIN8FLOAT = 52
    MIN10FLOAT = 53
    MIN16FLOAT = 54
    MIN12INT = 55
    MIN16INT = 56
    MIN16UINT = 57
    INT16 = 58
    UINT16 = 59
    FLOAT16 = 60
    INT64 = 61
    UINT64 = 62


class SystemValue(IntEnum):
    """D3D_NAME (d3dcommon.h): the meaning of a signature element for the pipeline."""

    UNDEFINED = 0
    POSITION = 1
    CLIP_DISTANCE = 2
    CULL_DISTANCE = 3
    RENDER_TARGET_ARRAY_INDEX = 4
    VIEWPORT_ARRAY_INDEX = 5
    VERTEX_ID = 6
    PRIMITIVE_ID = 7
    INSTANCE_ID = 8
    IS_FRONT_FACE = 9
    SAMPLE_INDEX = 10
    FINAL_QUAD_EDGE_TESSFACTOR = 11
    FINAL_QUAD_INSIDE_TESSFACTOR = 12
    FINAL_TRI_EDGE_TESSFACTOR = 13
    FINAL_TRI_INSIDE_TESSFACTOR = 14
    FINAL_LINE_DETAIL_TESSFACTOR = 15
    FINAL_LINE_DENSITY_TESSFACTOR = 16
    BARYCENTRICS = 23
    SHADINGRATE = 24
    CULLPRIMITIVE = 25
    TARGET = 64
    DEPTH = 65
    COVERAGE = 66
    DEPTH_GREATER_EQUAL = 67
    DEPTH_LESS_EQUAL = 68
    STENCIL_REF = 69
    INNER_COVERAGE = 70


class RegisterComponentType(IntEnum):
    """D3D_REGISTER_COMPONENT_TYPE (d3dcommon.h); 4 and up come from newer writers only."""

    UNKNOWN = 0
    UINT32 = 1
    SINT32 = 2
    FLOAT32 = 3
    UINT16 = 4
    SINT16 = 5
    FLOAT16 = 6
    UINT64 = 7
    SINT64 = 8
    FLOAT64 = 9


class MinPrecision(IntEnum):
    """D3D_MIN_PRECISION (d3dcommon.h)."""

    DEFAULT = 0
    FLOAT_16 = 1
    FLOAT_2_8 = 2
    RESERVED = 3
    SINT_16 = 4
    UINT_16 = 5
    ANY_16 = 0xF0
    ANY_10 = 0xF1


_E = TypeVar("_E", bound=IntEnum)


def enumerated(kind: type[_E], value: int, what: str, location: Location) -> _E:
    """Return the member of `kind` with the value.

    Raises:
        ContainerError: there is none; `what` names the field.
    """
    found: _E | None = _members(kind).get(value)
    if found is None:
        raise ContainerError(f"{what} {value} is not defined in {kind.__name__}", location)
    return found


@cache
def _members(kind: type[IntEnum]) -> dict[int, Any]:
    """Return the members by value, which is quicker to ask than the enumeration."""
    return {int(member): member for member in kind}
