"""The listing's words for the members of the token stream's enumerations."""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.isa.sm4.enums import (
    Domain,
    GlobalFlags,
    InterpolationMode,
    OperandType,
    OutputPrimitive,
    Partitioning,
    Primitive,
    PrimitiveTopology,
    ResinfoReturnType,
    ResourceDimension,
    ReturnType,
    SamplerMode,
    SyncFlags,
    SystemName,
    UavFlags,
)

__all__ = ["precision", "sync_ending", "word"]

REGISTERS: dict[OperandType, str] = {
    OperandType.TEMP: "r",
    OperandType.INPUT: "v",
    OperandType.OUTPUT: "o",
    OperandType.INDEXABLE_TEMP: "x",
    OperandType.IMMEDIATE32: "l",
    OperandType.IMMEDIATE64: "d",
    OperandType.SAMPLER: "s",
    OperandType.RESOURCE: "t",
    OperandType.CONSTANT_BUFFER: "cb",
    OperandType.IMMEDIATE_CONSTANT_BUFFER: "icb",
    OperandType.LABEL: "label",
    OperandType.INPUT_PRIMITIVEID: "vPrim",
    OperandType.OUTPUT_DEPTH: "oDepth",
    OperandType.NULL: "null",
    OperandType.RASTERIZER: "rasterizer",
    OperandType.OUTPUT_COVERAGE_MASK: "oMask",
    OperandType.STREAM: "m",
    OperandType.FUNCTION_BODY: "fb",
    OperandType.FUNCTION_TABLE: "ft",
    OperandType.INTERFACE: "fp",
    OperandType.FUNCTION_INPUT: "iv",
    OperandType.FUNCTION_OUTPUT: "ov",
    OperandType.OUTPUT_CONTROL_POINT_ID: "vOutputControlPointID",
    OperandType.INPUT_FORK_INSTANCE_ID: "vForkInstanceID",
    OperandType.INPUT_JOIN_INSTANCE_ID: "vJoinInstanceID",
    OperandType.INPUT_CONTROL_POINT: "vicp",
    OperandType.OUTPUT_CONTROL_POINT: "vocp",
    OperandType.INPUT_PATCH_CONSTANT: "vpc",
    OperandType.INPUT_DOMAIN_POINT: "vDomain",
    OperandType.THIS_POINTER: "this",
    OperandType.UNORDERED_ACCESS_VIEW: "u",
    OperandType.THREAD_GROUP_SHARED_MEMORY: "g",
    OperandType.INPUT_THREAD_ID: "vThreadID",
    OperandType.INPUT_THREAD_GROUP_ID: "vThreadGroupID",
    OperandType.INPUT_THREAD_ID_IN_GROUP: "vThreadIDInGroup",
    OperandType.INPUT_COVERAGE_MASK: "vCoverage",
    OperandType.INPUT_THREAD_ID_IN_GROUP_FLATTENED: "vThreadIDInGroupFlattened",
    OperandType.INPUT_GS_INSTANCE_ID: "vGSInstanceID",
    OperandType.OUTPUT_DEPTH_GREATER_EQUAL: "oDepthGE",
    OperandType.OUTPUT_DEPTH_LESS_EQUAL: "oDepthLE",
    OperandType.CYCLE_COUNTER: "vCycleCounter",
    OperandType.OUTPUT_STENCIL_REF: "oStencilRef",
    OperandType.INNER_COVERAGE: "vInnerCoverage",
}
# Named in capitals from 5.1 on, where the number is that of a range
RANGES = frozenset(
    {
        OperandType.CONSTANT_BUFFER,
        OperandType.RESOURCE,
        OperandType.SAMPLER,
        OperandType.UNORDERED_ACCESS_VIEW,
    }
)
# With two indices, both stand in brackets: the first is a vertex or control point
VERTEX_ARRAYS = frozenset(
    {
        OperandType.INPUT,
        OperandType.OUTPUT,
        OperandType.INPUT_CONTROL_POINT,
        OperandType.OUTPUT_CONTROL_POINT,
    }
)

DIMENSIONS: dict[int, str] = {d: d.name.lower() for d in ResourceDimension if d}
UNKNOWN_DIMENSION = "<unknown dimension>"
UNKNOWN_RETURN_TYPE = "<unknown resource return type>"
RETURN_TYPES: dict[int, str] = {
    **{t: t.name.lower() for t in ReturnType},
    ReturnType.CONTINUED: "<continued>",
    ReturnType.UNUSED: "<unused>",
}
_MIN_PRECISIONS: dict[int, str] = {1: "min16f", 2: "min2_8f", 4: "min16i", 5: "min16u"}
INTERPOLATIONS: dict[int, str] = {
    InterpolationMode.UNDEFINED: "undefined",
    InterpolationMode.CONSTANT: "constant",
    InterpolationMode.LINEAR: "linear",
    InterpolationMode.LINEAR_CENTROID: "linear centroid",
    InterpolationMode.LINEAR_NOPERSPECTIVE: "linear noperspective",
    InterpolationMode.LINEAR_NOPERSPECTIVE_CENTROID: "linear noperspective centroid",
    InterpolationMode.LINEAR_SAMPLE: "linear sample",
    InterpolationMode.LINEAR_NOPERSPECTIVE_SAMPLE: "linear noperspective sample",
}
PRIMITIVES: dict[int, str] = {
    Primitive.UNDEFINED: "undefined",
    Primitive.POINT: "point",
    Primitive.LINE: "line",
    Primitive.TRIANGLE: "triangle",
    Primitive.LINE_ADJ: "lineadj",
    Primitive.TRIANGLE_ADJ: "triangleadj",
    **{p: f"patch{p - Primitive.PATCH_1 + 1}" for p in Primitive if p >= Primitive.PATCH_1},
}
TOPOLOGIES: dict[int, str] = {
    PrimitiveTopology.UNDEFINED: "undefined",
    PrimitiveTopology.POINTLIST: "pointlist",
    PrimitiveTopology.LINESTRIP: "linestrip",
    PrimitiveTopology.TRIANGLESTRIP: "trianglestrip",
}
SAMPLER_MODES: dict[int, str] = {m: f"mode_{m.name.lower()}" for m in SamplerMode}
DOMAINS: dict[int, str] = {d: f"domain_{d.name.lower()}" for d in Domain if d}
PARTITIONINGS: dict[int, str] = {p: f"partitioning_{p.name.lower()}" for p in Partitioning if p}
OUTPUT_PRIMITIVES: dict[int, str] = {p: f"output_{p.name.lower()}" for p in OutputPrimitive if p}
RESINFO_TYPES: dict[int, str] = {
    ResinfoReturnType.FLOAT: "",
    ResinfoReturnType.RCPFLOAT: "_rcpfloat",
    ResinfoReturnType.UINT: "_uint",
}
SAMPLEINFO_TYPES: dict[int, str] = {0: "", 1: "_uint"}
_SYNC_FLAGS: dict[SyncFlags, str] = {
    SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL: "_uglobal",
    SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GROUP: "_ugroup",
    SyncFlags.THREAD_GROUP_SHARED_MEMORY: "_g",
    SyncFlags.THREADS: "_t",
}
UAV_FLAGS: dict[UavFlags, str] = {
    UavFlags.GLOBALLY_COHERENT_ACCESS: "_glc",
    UavFlags.UAV_HAS_ORDER_PRESERVING_COUNTER: "_opc",
    UavFlags.RASTERIZER_ORDERED_ACCESS: "_rov",
}
GLOBAL_FLAGS: dict[GlobalFlags, str] = {
    GlobalFlags.REFACTORING_ALLOWED: "refactoringAllowed",
    GlobalFlags.ENABLE_DOUBLE_PRECISION_FLOAT_OPS: "enableDoublePrecisionFloatOps",
    GlobalFlags.ENABLE_RAW_AND_STRUCTURED_BUFFERS: "enableRawAndStructuredBuffers",
    GlobalFlags.FORCE_EARLY_DEPTH_STENCIL: "forceEarlyDepthStencil",
    GlobalFlags.SKIP_OPTIMIZATION: "skipOptimization",
    GlobalFlags.ENABLE_MINIMUM_PRECISION: "enableMinimumPrecision",
    GlobalFlags.ENABLE_DOUBLE_EXTENSIONS: "enable11_1DoubleExtensions",
    GlobalFlags.ENABLE_SHADER_EXTENSIONS: "enable11_1ShaderExtensions",
    GlobalFlags.ALL_RESOURCES_BOUND: "allResourcesBound",
}
SYSTEM_NAMES: dict[int, str] = {
    SystemName.UNDEFINED: "undefined",
    SystemName.POSITION: "position",
    SystemName.CLIP_DISTANCE: "clip_distance",
    SystemName.CULL_DISTANCE: "cull_distance",
    SystemName.RENDER_TARGET_ARRAY_INDEX: "rendertarget_array_index",
    SystemName.VIEWPORT_ARRAY_INDEX: "viewport_array_index",
    SystemName.VERTEX_ID: "vertex_id",
    SystemName.PRIMITIVE_ID: "primitive_id",
    SystemName.INSTANCE_ID: "instance_id",
    SystemName.IS_FRONT_FACE: "is_front_face",
    SystemName.SAMPLE_INDEX: "sampleIndex",
    SystemName.FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR: "finalQuadUeq0EdgeTessFactor",
    SystemName.FINAL_QUAD_V_EQ_0_EDGE_TESSFACTOR: "finalQuadVeq0EdgeTessFactor",
    SystemName.FINAL_QUAD_U_EQ_1_EDGE_TESSFACTOR: "finalQuadUeq1EdgeTessFactor",
    SystemName.FINAL_QUAD_V_EQ_1_EDGE_TESSFACTOR: "finalQuadVeq1EdgeTessFactor",
    SystemName.FINAL_QUAD_U_INSIDE_TESSFACTOR: "finalQuadUInsideTessFactor",
    SystemName.FINAL_QUAD_V_INSIDE_TESSFACTOR: "finalQuadVInsideTessFactor",
    SystemName.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR: "finalTriUeq0EdgeTessFactor",
    SystemName.FINAL_TRI_V_EQ_0_EDGE_TESSFACTOR: "finalTriVeq0EdgeTessFactor",
    SystemName.FINAL_TRI_W_EQ_0_EDGE_TESSFACTOR: "finalTriWeq0EdgeTessFactor",
    SystemName.FINAL_TRI_INSIDE_TESSFACTOR: "finalTriInsideTessFactor",
    SystemName.FINAL_LINE_DETAIL_TESSFACTOR: "finalLineDetailTessFactor",
    SystemName.FINAL_LINE_DENSITY_TESSFACTOR: "finalLineDensityTessFactor",
}


def precision(number: int) -> str:
    """Return the word for D3D11_SB_OPERAND_MIN_PRECISION; what it does not define is full."""
    return _MIN_PRECISIONS.get(number, "def32")


def sync_ending(controls: int) -> str:
    """Return what the controls of sync add to it; the global fence includes the group's."""
    if controls & SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL:
        controls &= ~SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GROUP
    return "".join(text for flag, text in _SYNC_FLAGS.items() if controls & flag)


def word(words: Mapping[int, str], number: int, unknown: str = "???") -> str:
    """Return the word for a number, `unknown` for one that is not defined.

    >>> word(DIMENSIONS, 3), word(DIMENSIONS, 30, UNKNOWN_DIMENSION)
    ('texture2d', '<unknown dimension>')
    """
    return words.get(number, unknown)
