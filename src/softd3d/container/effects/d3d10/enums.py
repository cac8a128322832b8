"""Enumerations of effects; the numbers are those of the compiler's output.

Spec: names follow Microsoft's Effects 11 (EVarType, EObjectType, ECompilerAssignmentType) and its
effect state names; STATE numbers were compared with the disassembler's listing.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["AssignmentType", "EffectState", "ObjectType", "ScalarType", "VarType"]


class VarType(IntEnum):
    """EVarType: what kind of type a record describes."""

    NUMERIC = 1
    OBJECT = 2
    STRUCT = 3
    INTERFACE = 4


class ScalarType(IntEnum):
    """EScalarType: how a number is stored."""

    FLOAT = 1
    INT = 2
    UINT = 3
    BOOL = 4


class ObjectType(IntEnum):
    """EObjectType; those in ..._5 have the longer initializers of fx_5_0."""

    STRING = 1
    BLEND = 2
    DEPTH_STENCIL = 3
    RASTERIZER = 4
    PIXEL_SHADER = 5
    VERTEX_SHADER = 6
    GEOMETRY_SHADER = 7
    GEOMETRY_SHADER_SO = 8
    TEXTURE = 9
    TEXTURE_1D = 10
    TEXTURE_1D_ARRAY = 11
    TEXTURE_2D = 12
    TEXTURE_2D_ARRAY = 13
    TEXTURE_2D_MS = 14
    TEXTURE_2D_MS_ARRAY = 15
    TEXTURE_3D = 16
    TEXTURE_CUBE = 17
    CONSTANT_BUFFER = 18
    RENDER_TARGET_VIEW = 19
    DEPTH_STENCIL_VIEW = 20
    SAMPLER = 21
    BUFFER = 22
    TEXTURE_CUBE_ARRAY = 23
    COUNT = 24
    PIXEL_SHADER_5 = 25
    VERTEX_SHADER_5 = 26
    GEOMETRY_SHADER_5 = 27
    COMPUTE_SHADER_5 = 28
    HULL_SHADER_5 = 29
    DOMAIN_SHADER_5 = 30
    RW_TEXTURE_1D = 31
    RW_TEXTURE_1D_ARRAY = 32
    RW_TEXTURE_2D = 33
    RW_TEXTURE_2D_ARRAY = 34
    RW_TEXTURE_3D = 35
    RW_BUFFER = 36
    BYTE_ADDRESS_BUFFER = 37
    RW_BYTE_ADDRESS_BUFFER = 38
    STRUCTURED_BUFFER = 39
    RW_STRUCTURED_BUFFER = 40
    RW_STRUCTURED_BUFFER_ALLOC = 41
    RW_STRUCTURED_BUFFER_CONSUME = 42
    APPEND_STRUCTURED_BUFFER = 43
    CONSUME_STRUCTURED_BUFFER = 44


class AssignmentType(IntEnum):
    """ECompilerAssignmentType: what stands on the right-hand side."""

    CONSTANT = 1
    VARIABLE = 2
    CONST_INDEX = 3
    VARIABLE_INDEX = 4
    EXPRESSION_INDEX = 5
    EXPRESSION = 6
    INLINE_SHADER = 7
    INLINE_SHADER_5 = 8


class EffectState(IntEnum):
    """What an assignment of a pass or a state block sets."""

    RASTERIZER_STATE = 0
    DEPTH_STENCIL_STATE = 1
    BLEND_STATE = 2
    RENDER_TARGET_VIEW = 3
    DEPTH_STENCIL_VIEW = 4
    GENERATE_MIPS = 5
    VERTEX_SHADER = 6
    PIXEL_SHADER = 7
    GEOMETRY_SHADER = 8
    DS_STENCIL_REF = 9
    AB_BLEND_FACTOR = 10
    AB_SAMPLE_MASK = 11
    FILL_MODE = 12
    CULL_MODE = 13
    FRONT_COUNTER_CLOCKWISE = 14
    DEPTH_BIAS = 15
    DEPTH_BIAS_CLAMP = 16
    SLOPE_SCALED_DEPTH_BIAS = 17
    DEPTH_CLIP_ENABLE = 18
    SCISSOR_ENABLE = 19
    MULTISAMPLE_ENABLE = 20
    ANTIALIASED_LINE_ENABLE = 21
    DEPTH_ENABLE = 22
    DEPTH_WRITE_MASK = 23
    DEPTH_FUNC = 24
    STENCIL_ENABLE = 25
    STENCIL_READ_MASK = 26
    STENCIL_WRITE_MASK = 27
    FRONT_FACE_STENCIL_FAIL = 28
    FRONT_FACE_STENCIL_DEPTH_FAIL = 29
    FRONT_FACE_STENCIL_PASS = 30
    FRONT_FACE_STENCIL_FUNC = 31
    BACK_FACE_STENCIL_FAIL = 32
    BACK_FACE_STENCIL_DEPTH_FAIL = 33
    BACK_FACE_STENCIL_PASS = 34
    BACK_FACE_STENCIL_FUNC = 35
    ALPHA_TO_COVERAGE_ENABLE = 36
    BLEND_ENABLE = 37
    SRC_BLEND = 38
    DEST_BLEND = 39
    BLEND_OP = 40
    SRC_BLEND_ALPHA = 41
    DEST_BLEND_ALPHA = 42
    BLEND_OP_ALPHA = 43
    RENDER_TARGET_WRITE_MASK = 44
    FILTER = 45
    ADDRESS_U = 46
    ADDRESS_V = 47
    ADDRESS_W = 48
    MIP_LOD_BIAS = 49
    MAX_ANISOTROPY = 50
    COMPARISON_FUNC = 51
    BORDER_COLOR = 52
    MIN_LOD = 53
    MAX_LOD = 54
    TEXTURE = 55
    HULL_SHADER = 56
    DOMAIN_SHADER = 57
    COMPUTE_SHADER = 58
