"""The enumerations of SM1-3 token streams, as d3d9types.h numbers them.

Members keep the C spelling without the prefix.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from softd3d.isa.sm1.opcode import Opcode

__all__ = [
    "Comparison",
    "MiscType",
    "Opcode",
    "ProgramType",
    "RasterizerOutput",
    "RegisterType",
    "ResultModifier",
    "SourceModifier",
    "TexldControl",
    "TextureType",
    "Usage",
]


class ProgramType(IntEnum):
    """The shader's stage: bits [31:16] of the version token."""

    VS = 0xFFFE
    PS = 0xFFFF


class RegisterType(IntEnum):
    """D3DSHADER_PARAM_REGISTER_TYPE: bits [12:11] (high part) and [30:28] of a parameter token.

    Three numbers have two names; stage and version decide which is meant.
    """

    TEMP = 0
    INPUT = 1
    CONST = 2
    ADDR = 3  # vertex shaders
    TEXTURE = 3  # pixel shaders
    RASTOUT = 4
    ATTROUT = 5
    TEXCRDOUT = 6  # vertex shaders before 3.0
    OUTPUT = 6  # vertex shaders from 3.0 on
    CONSTINT = 7
    COLOROUT = 8
    DEPTHOUT = 9
    SAMPLER = 10
    CONST2 = 11
    CONST3 = 12
    CONST4 = 13
    CONSTBOOL = 14
    LOOP = 15
    TEMPFLOAT16 = 16
    MISCTYPE = 17
    LABEL = 18
    PREDICATE = 19


class RasterizerOutput(IntEnum):
    """D3DVS_RASTOUT_OFFSETS: register numbers of RASTOUT."""

    POSITION = 0
    FOG = 1
    POINT_SIZE = 2


class MiscType(IntEnum):
    """D3DSHADER_MISCTYPE_OFFSETS: register numbers of MISCTYPE."""

    POSITION = 0
    FACE = 1


class SourceModifier(IntEnum):
    """D3DSHADER_PARAM_SRCMOD_TYPE: bits [27:24] of a source token."""

    NONE = 0
    NEG = 1
    BIAS = 2
    BIASNEG = 3
    SIGN = 4
    SIGNNEG = 5
    COMP = 6
    X2 = 7
    X2NEG = 8
    DZ = 9
    DW = 10
    ABS = 11
    ABSNEG = 12
    NOT = 13


class ResultModifier(IntFlag):
    """D3DSPDM_*: bits [23:20] of a destination token; bit 23 has no meaning."""

    NONE = 0
    SATURATE = 1
    PARTIALPRECISION = 2
    MSAMPCENTROID = 4


class Comparison(IntEnum):
    """D3DSHADER_COMPARISON: bits [18:16] of ifc, breakc and setp tokens."""

    GT = 1
    EQ = 2
    GE = 3
    LT = 4
    NE = 5
    LE = 6


class TexldControl(IntEnum):
    """D3DSI_TEXLD_*: bits [23:16] of the token of texld from 2.0 on."""

    PLAIN = 0
    PROJECT = 1
    BIAS = 2


class Usage(IntEnum):
    """D3DDECLUSAGE: bits [3:0] of the usage token of dcl."""

    POSITION = 0
    BLENDWEIGHT = 1
    BLENDINDICES = 2
    NORMAL = 3
    PSIZE = 4
    TEXCOORD = 5
    TANGENT = 6
    BINORMAL = 7
    TESSFACTOR = 8
    POSITIONT = 9
    COLOR = 10
    FOG = 11
    DEPTH = 12
    SAMPLE = 13


class TextureType(IntEnum):
    """D3DSAMPLER_TEXTURE_TYPE: bits [30:27] of the usage token of a sampler's dcl."""

    UNKNOWN = 0
    TEXTURE_1D = 1  # not in d3d9types.h; no tool writes it
    TEXTURE_2D = 2
    CUBE = 3
    VOLUME = 4
