"""The enumerations of Direct3D 9 (d3d9types.h); members keep the C names, without their prefix.

The C names that begin with a digit have the digit at the end: D3DVBF_1WEIGHTS is WEIGHTS1.
D3DDECLUSAGE is `isa.sm1.enums.Usage`. Spec: win32 "Direct3D 9 Enumerations" and "Constants".
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = [
    "Blend",
    "BlendOp",
    "ClearFlags",
    "ClipPlane",
    "CmpFunc",
    "ColorWriteEnable",
    "Cull",
    "DeclType",
    "DegreeType",
    "FillMode",
    "FogMode",
    "Fvf",
    "LightType",
    "MaterialColorSource",
    "PatchEdgeStyle",
    "PrimitiveType",
    "ShadeMode",
    "StencilOp",
    "TextureAddress",
    "TextureArgument",
    "TextureCoordinates",
    "TextureFilterType",
    "TextureOp",
    "TextureTransformFlags",
    "VertexBlendFlags",
    "Wrap",
    "ZBufferType",
]


class ZBufferType(IntEnum):
    """D3DZBUFFERTYPE."""

    FALSE = 0
    TRUE = 1
    USEW = 2


class FillMode(IntEnum):
    """D3DFILLMODE."""

    POINT = 1
    WIREFRAME = 2
    SOLID = 3


class ShadeMode(IntEnum):
    """D3DSHADEMODE."""

    FLAT = 1
    GOURAUD = 2
    PHONG = 3


class Blend(IntEnum):
    """D3DBLEND; the last two are of Direct3D 9Ex."""

    ZERO = 1
    ONE = 2
    SRCCOLOR = 3
    INVSRCCOLOR = 4
    SRCALPHA = 5
    INVSRCALPHA = 6
    DESTALPHA = 7
    INVDESTALPHA = 8
    DESTCOLOR = 9
    INVDESTCOLOR = 10
    SRCALPHASAT = 11
    BOTHSRCALPHA = 12
    BOTHINVSRCALPHA = 13
    BLENDFACTOR = 14
    INVBLENDFACTOR = 15
    SRCCOLOR2 = 16
    INVSRCCOLOR2 = 17


class BlendOp(IntEnum):
    """D3DBLENDOP."""

    ADD = 1
    SUBTRACT = 2
    REVSUBTRACT = 3
    MIN = 4
    MAX = 5


class Cull(IntEnum):
    """D3DCULL."""

    NONE = 1
    CW = 2
    CCW = 3


class CmpFunc(IntEnum):
    """D3DCMPFUNC."""

    NEVER = 1
    LESS = 2
    EQUAL = 3
    LESSEQUAL = 4
    GREATER = 5
    NOTEQUAL = 6
    GREATEREQUAL = 7
    ALWAYS = 8


class FogMode(IntEnum):
    """D3DFOGMODE."""

    NONE = 0
    EXP = 1
    EXP2 = 2
    LINEAR = 3


class StencilOp(IntEnum):
    """D3DSTENCILOP."""

    KEEP = 1
    ZERO = 2
    REPLACE = 3
    INCRSAT = 4
    DECRSAT = 5
    INVERT = 6
    INCR = 7
    DECR = 8


class MaterialColorSource(IntEnum):
    """D3DMATERIALCOLORSOURCE."""

    MATERIAL = 0
    COLOR1 = 1
    COLOR2 = 2


class PatchEdgeStyle(IntEnum):
    """D3DPATCHEDGESTYLE."""

    DISCRETE = 0
    CONTINUOUS = 1


class DegreeType(IntEnum):
    """D3DDEGREETYPE."""

    LINEAR = 1
    QUADRATIC = 2
    CUBIC = 3
    QUINTIC = 5


class TextureOp(IntEnum):
    """D3DTEXTUREOP."""

    DISABLE = 1
    SELECTARG1 = 2
    SELECTARG2 = 3
    MODULATE = 4
    MODULATE2X = 5
    MODULATE4X = 6
    ADD = 7
    ADDSIGNED = 8
    ADDSIGNED2X = 9
    SUBTRACT = 10
    ADDSMOOTH = 11
    BLENDDIFFUSEALPHA = 12
    BLENDTEXTUREALPHA = 13
    BLENDFACTORALPHA = 14
    BLENDTEXTUREALPHAPM = 15
    BLENDCURRENTALPHA = 16
    PREMODULATE = 17
    MODULATEALPHA_ADDCOLOR = 18
    MODULATECOLOR_ADDALPHA = 19
    MODULATEINVALPHA_ADDCOLOR = 20
    MODULATEINVCOLOR_ADDALPHA = 21
    BUMPENVMAP = 22
    BUMPENVMAPLUMINANCE = 23
    DOTPRODUCT3 = 24
    MULTIPLYADD = 25
    LERP = 26


class LightType(IntEnum):
    """D3DLIGHTTYPE."""

    POINT = 1
    SPOT = 2
    DIRECTIONAL = 3


class TextureAddress(IntEnum):
    """D3DTEXTUREADDRESS."""

    WRAP = 1
    MIRROR = 2
    CLAMP = 3
    BORDER = 4
    MIRRORONCE = 5


class TextureFilterType(IntEnum):
    """D3DTEXTUREFILTERTYPE."""

    NONE = 0
    POINT = 1
    LINEAR = 2
    ANISOTROPIC = 3
    PYRAMIDALQUAD = 6
    GAUSSIANQUAD = 7


class TextureArgument(IntFlag):
    """D3DTA: one of the numbers up to CONSTANT, and flags."""

    DIFFUSE = 0
    CURRENT = 1
    TEXTURE = 2
    TFACTOR = 3
    SPECULAR = 4
    TEMP = 5
    CONSTANT = 6
    SELECTMASK = 0xF
    COMPLEMENT = 0x10
    ALPHAREPLICATE = 0x20


class TextureCoordinates(IntFlag):
    """D3DTSS_TCI: the high bits of TEXCOORDINDEX; together they count from 0 to 4."""

    PASSTHRU = 0
    CAMERASPACENORMAL = 0x10000
    CAMERASPACEPOSITION = 0x20000
    CAMERASPACEREFLECTIONVECTOR = 0x30000
    SPHEREMAP = 0x40000


class TextureTransformFlags(IntFlag):
    """D3DTEXTURETRANSFORMFLAGS: a count, and PROJECTED."""

    DISABLE = 0
    COUNT1 = 1
    COUNT2 = 2
    COUNT3 = 3
    COUNT4 = 4
    PROJECTED = 0x100


class VertexBlendFlags(IntEnum):
    """D3DVERTEXBLENDFLAGS."""

    DISABLE = 0
    WEIGHTS1 = 1
    WEIGHTS2 = 2
    WEIGHTS3 = 3
    TWEENING = 255
    WEIGHTS0 = 256


class Wrap(IntFlag):
    """D3DWRAP: coordinates that are interpolated the short way around; U, V, W are the first."""

    COORD0 = 1
    COORD1 = 2
    COORD2 = 4
    COORD3 = 8


class ClipPlane(IntFlag):
    """D3DCLIPPLANE: values of CLIPPLANEENABLE."""

    CLIPPLANE0 = 1
    CLIPPLANE1 = 2
    CLIPPLANE2 = 4
    CLIPPLANE3 = 8
    CLIPPLANE4 = 16
    CLIPPLANE5 = 32


class ColorWriteEnable(IntFlag):
    """D3DCOLORWRITEENABLE."""

    RED = 1
    GREEN = 2
    BLUE = 4
    ALPHA = 8


class PrimitiveType(IntEnum):
    """D3DPRIMITIVETYPE."""

    POINTLIST = 1
    LINELIST = 2
    LINESTRIP = 3
    TRIANGLELIST = 4
    TRIANGLESTRIP = 5
    TRIANGLEFAN = 6


class ClearFlags(IntFlag):
    """D3DCLEAR."""

    TARGET = 1
    ZBUFFER = 2
    STENCIL = 4


class DeclType(IntEnum):
    """D3DDECLTYPE."""

    FLOAT1 = 0
    FLOAT2 = 1
    FLOAT3 = 2
    FLOAT4 = 3
    D3DCOLOR = 4
    UBYTE4 = 5
    SHORT2 = 6
    SHORT4 = 7
    UBYTE4N = 8
    SHORT2N = 9
    SHORT4N = 10
    USHORT2N = 11
    USHORT4N = 12
    UDEC3 = 13
    DEC3N = 14
    FLOAT16_2 = 15
    FLOAT16_4 = 16
    UNUSED = 17


class Fvf(IntFlag):
    """D3DFVF: a position (POSITION_MASK), what follows it, and the count of coordinate sets.

    Bits 16 + 2i and 17 + 2i say the size of set i: TEXTUREFORMAT2 to TEXTUREFORMAT1.
    """

    XYZ = 0x002
    XYZRHW = 0x004
    XYZB1 = 0x006
    XYZB2 = 0x008
    XYZB3 = 0x00A
    XYZB4 = 0x00C
    XYZB5 = 0x00E
    XYZW = 0x4002
    POSITION_MASK = 0x400E
    NORMAL = 0x010
    PSIZE = 0x020
    DIFFUSE = 0x040
    SPECULAR = 0x080
    TEX1 = 0x100
    TEX2 = 0x200
    TEX3 = 0x300
    TEX4 = 0x400
    TEX5 = 0x500
    TEX6 = 0x600
    TEX7 = 0x700
    TEX8 = 0x800
    TEXCOUNT_MASK = 0xF00
    LASTBETA_UBYTE4 = 0x1000
    LASTBETA_D3DCOLOR = 0x8000
