"""The enumerations of SM4.0-5.1 token streams, as d3d12TokenizedProgramFormat.hpp numbers them.

Members keep the C spelling without the prefix.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from softd3d.isa.sm4.opcode import Opcode

__all__ = [
    "ConstantBufferAccess",
    "CustomDataClass",
    "Domain",
    "ExtendedOpcodeType",
    "GlobalFlags",
    "InterpolationMode",
    "MinPrecision",
    "Opcode",
    "OperandModifier",
    "OperandType",
    "OutputPrimitive",
    "Partitioning",
    "Primitive",
    "PrimitiveTopology",
    "ProgramType",
    "ResinfoReturnType",
    "ResourceDimension",
    "ReturnType",
    "SamplerMode",
    "SelectionMode",
    "SyncFlags",
    "SystemName",
    "UavFlags",
]


class ProgramType(IntEnum):
    """D3D10_SB_TOKENIZED_PROGRAM_TYPE: the pipeline stage, bits [31:16] of the version token.

    LIB: a function of a library (lib_4_0 to lib_5_0), which no pipeline runs.
    """

    PS = 0
    VS = 1
    GS = 2
    HS = 3
    DS = 4
    CS = 5
    LIB = 0xFFF0


class OperandType(IntEnum):
    """D3D10_SB_OPERAND_TYPE: the register file, bits [19:12] of an operand token."""

    TEMP = 0
    INPUT = 1
    OUTPUT = 2
    INDEXABLE_TEMP = 3
    IMMEDIATE32 = 4
    IMMEDIATE64 = 5
    SAMPLER = 6
    RESOURCE = 7
    CONSTANT_BUFFER = 8
    IMMEDIATE_CONSTANT_BUFFER = 9
    LABEL = 10
    INPUT_PRIMITIVEID = 11
    OUTPUT_DEPTH = 12
    NULL = 13
    RASTERIZER = 14
    OUTPUT_COVERAGE_MASK = 15
    STREAM = 16
    FUNCTION_BODY = 17
    FUNCTION_TABLE = 18
    INTERFACE = 19
    FUNCTION_INPUT = 20
    FUNCTION_OUTPUT = 21
    OUTPUT_CONTROL_POINT_ID = 22
    INPUT_FORK_INSTANCE_ID = 23
    INPUT_JOIN_INSTANCE_ID = 24
    INPUT_CONTROL_POINT = 25
    OUTPUT_CONTROL_POINT = 26
    INPUT_PATCH_CONSTANT = 27
    INPUT_DOMAIN_POINT = 28
    THIS_POINTER = 29
    UNORDERED_ACCESS_VIEW = 30
    THREAD_GROUP_SHARED_MEMORY = 31
    INPUT_THREAD_ID = 32
    INPUT_THREAD_GROUP_ID = 33
    INPUT_THREAD_ID_IN_GROUP = 34
    INPUT_COVERAGE_MASK = 35
    INPUT_THREAD_ID_IN_GROUP_FLATTENED = 36
    INPUT_GS_INSTANCE_ID = 37
    OUTPUT_DEPTH_GREATER_EQUAL = 38
    OUTPUT_DEPTH_LESS_EQUAL = 39
    CYCLE_COUNTER = 40
    OUTPUT_STENCIL_REF = 41
    INNER_COVERAGE = 42


class SelectionMode(IntEnum):
    """D3D10_SB_OPERAND_4_COMPONENT_SELECTION_MODE: how a four-component operand chooses."""

    MASK = 0
    SWIZZLE = 1
    SELECT_1 = 2


class OperandModifier(IntEnum):
    """D3D10_SB_OPERAND_MODIFIER: what is done to a source after its swizzle."""

    NONE = 0
    NEG = 1
    ABS = 2
    ABSNEG = 3


class MinPrecision(IntEnum):
    """D3D11_SB_OPERAND_MIN_PRECISION: how few bits an operand may be computed with."""

    DEFAULT = 0
    FLOAT_16 = 1
    FLOAT_2_8 = 2
    SINT_16 = 4
    UINT_16 = 5


class ExtendedOpcodeType(IntEnum):
    """D3D10_SB_EXTENDED_OPCODE_TYPE: what an extended opcode token says."""

    EMPTY = 0
    SAMPLE_CONTROLS = 1
    RESOURCE_DIM = 2
    RESOURCE_RETURN_TYPE = 3


class ResourceDimension(IntEnum):
    """D3D10_SB_RESOURCE_DIMENSION (and D3D11_SB_...): the shape of a resource."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE2D = 3
    TEXTURE2DMS = 4
    TEXTURE3D = 5
    TEXTURECUBE = 6
    TEXTURE1DARRAY = 7
    TEXTURE2DARRAY = 8
    TEXTURE2DMSARRAY = 9
    TEXTURECUBEARRAY = 10
    RAW_BUFFER = 11
    STRUCTURED_BUFFER = 12


class ReturnType(IntEnum):
    """D3D10_SB_RESOURCE_RETURN_TYPE: the type of one component that a typed view returns."""

    UNORM = 1
    SNORM = 2
    SINT = 3
    UINT = 4
    FLOAT = 5
    MIXED = 6
    DOUBLE = 7
    CONTINUED = 8
    UNUSED = 9


class CustomDataClass(IntEnum):
    """D3D10_SB_CUSTOMDATA_CLASS: what a customdata block holds."""

    COMMENT = 0
    DEBUGINFO = 1
    OPAQUE = 2
    DCL_IMMEDIATE_CONSTANT_BUFFER = 3
    SHADER_MESSAGE = 4
    SHADER_CLIP_PLANE_CONSTANT_MAPPINGS_FOR_DX9 = 5


class InterpolationMode(IntEnum):
    """D3D10_SB_INTERPOLATION_MODE: how a pixel shader input varies over a primitive."""

    UNDEFINED = 0
    CONSTANT = 1
    LINEAR = 2
    LINEAR_CENTROID = 3
    LINEAR_NOPERSPECTIVE = 4
    LINEAR_NOPERSPECTIVE_CENTROID = 5
    LINEAR_SAMPLE = 6
    LINEAR_NOPERSPECTIVE_SAMPLE = 7


class Primitive(IntEnum):
    """D3D10_SB_PRIMITIVE: what a geometry shader takes (PATCH_n: n control points)."""

    UNDEFINED = 0
    POINT = 1
    LINE = 2
    TRIANGLE = 3
    LINE_ADJ = 6
    TRIANGLE_ADJ = 7
    PATCH_1 = 8
    PATCH_2 = 9
    PATCH_3 = 10
    PATCH_4 = 11
    PATCH_5 = 12
    PATCH_6 = 13
    PATCH_7 = 14
    PATCH_8 = 15
    PATCH_9 = 16
    PATCH_10 = 17
    PATCH_11 = 18
    PATCH_12 = 19
    PATCH_13 = 20
    PATCH_14 = 21
    PATCH_15 = 22
    PATCH_16 = 23
    PATCH_17 = 24
    PATCH_18 = 25
    PATCH_19 = 26
    PATCH_20 = 27
    PATCH_21 = 28
    PATCH_22 = 29
    PATCH_23 = 30
    PATCH_24 = 31
    PATCH_25 = 32
    PATCH_26 = 33
    PATCH_27 = 34
    PATCH_28 = 35
    PATCH_29 = 36
    PATCH_30 = 37
    PATCH_31 = 38
    PATCH_32 = 39


class PrimitiveTopology(IntEnum):
    """D3D10_SB_PRIMITIVE_TOPOLOGY: what a geometry shader emits."""

    UNDEFINED = 0
    POINTLIST = 1
    LINELIST = 2
    LINESTRIP = 3
    TRIANGLELIST = 4
    TRIANGLESTRIP = 5
    LINELIST_ADJ = 10
    LINESTRIP_ADJ = 11
    TRIANGLELIST_ADJ = 12
    TRIANGLESTRIP_ADJ = 13


class SamplerMode(IntEnum):
    """D3D10_SB_SAMPLER_MODE, bits [14:11] of dcl_sampler."""

    DEFAULT = 0
    COMPARISON = 1
    MONO = 2


class ConstantBufferAccess(IntEnum):
    """D3D10_SB_CONSTANT_BUFFER_ACCESS_PATTERN, bit 11 of dcl_constantbuffer."""

    IMMEDIATE_INDEXED = 0
    DYNAMIC_INDEXED = 1


class ResinfoReturnType(IntEnum):
    """D3D10_SB_RESINFO_INSTRUCTION_RETURN_TYPE, bits [12:11] of resinfo."""

    FLOAT = 0
    RCPFLOAT = 1
    UINT = 2


class SystemName(IntEnum):
    """D3D10_SB_NAME: the system value of a declared input or output, bits [15:0] of its token."""

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
    FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR = 11
    FINAL_QUAD_V_EQ_0_EDGE_TESSFACTOR = 12
    FINAL_QUAD_U_EQ_1_EDGE_TESSFACTOR = 13
    FINAL_QUAD_V_EQ_1_EDGE_TESSFACTOR = 14
    FINAL_QUAD_U_INSIDE_TESSFACTOR = 15
    FINAL_QUAD_V_INSIDE_TESSFACTOR = 16
    FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR = 17
    FINAL_TRI_V_EQ_0_EDGE_TESSFACTOR = 18
    FINAL_TRI_W_EQ_0_EDGE_TESSFACTOR = 19
    FINAL_TRI_INSIDE_TESSFACTOR = 20
    FINAL_LINE_DETAIL_TESSFACTOR = 21
    FINAL_LINE_DENSITY_TESSFACTOR = 22


class Domain(IntEnum):
    """D3D11_SB_TESSELLATOR_DOMAIN, bits [12:11] of dcl_tessellator_domain."""

    UNDEFINED = 0
    ISOLINE = 1
    TRI = 2
    QUAD = 3


class Partitioning(IntEnum):
    """D3D11_SB_TESSELLATOR_PARTITIONING, bits [13:11] of dcl_tessellator_partitioning."""

    UNDEFINED = 0
    INTEGER = 1
    POW2 = 2
    FRACTIONAL_ODD = 3
    FRACTIONAL_EVEN = 4


class OutputPrimitive(IntEnum):
    """D3D11_SB_TESSELLATOR_OUTPUT_PRIMITIVE, bits [13:11] of its declaration."""

    UNDEFINED = 0
    POINT = 1
    LINE = 2
    TRIANGLE_CW = 3
    TRIANGLE_CCW = 4


class GlobalFlags(IntFlag):
    """D3D10_SB_GLOBAL_FLAG_...: controls of dcl_globalFlags, in place."""

    REFACTORING_ALLOWED = 1 << 11
    ENABLE_DOUBLE_PRECISION_FLOAT_OPS = 1 << 12
    FORCE_EARLY_DEPTH_STENCIL = 1 << 13
    ENABLE_RAW_AND_STRUCTURED_BUFFERS = 1 << 14
    SKIP_OPTIMIZATION = 1 << 15
    ENABLE_MINIMUM_PRECISION = 1 << 16
    ENABLE_DOUBLE_EXTENSIONS = 1 << 17
    ENABLE_SHADER_EXTENSIONS = 1 << 18
    ALL_RESOURCES_BOUND = 1 << 19


class SyncFlags(IntFlag):
    """D3D11_SB_SYNC_...: controls of sync, in place (listing letters in brackets).

    THREADS (t): barrier over the group. The others are fences: over group-shared memory (g), UAVs
    as the group sees them (ugroup), UAVs as the device sees them (uglobal).
    """

    THREADS = 1 << 11
    THREAD_GROUP_SHARED_MEMORY = 1 << 12
    UNORDERED_ACCESS_VIEW_MEMORY_GROUP = 1 << 13
    UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL = 1 << 14


class UavFlags(IntFlag):
    """D3D11_SB_GLOBALLY_COHERENT_ACCESS and kin: controls of dcl_uav_*, in place."""

    GLOBALLY_COHERENT_ACCESS = 1 << 16
    RASTERIZER_ORDERED_ACCESS = 1 << 17
    UAV_HAS_ORDER_PRESERVING_COUNTER = 1 << 23
