"""What effects of Direct3D 9 assign to: the numbers, names and types of all states.

Spec: win32 "Effect States (Direct3D 9)". Each number was measured by compiling an assignment to
the name with d3dx9_24, d3dx9_43 and d3dcompiler_47.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import ParameterType
from softd3d.container.effects.d3d9 import values as v
from softd3d.isa.d3d9.states import RenderState, SamplerStateType, TextureStageState

__all__ = ["STATES", "StateGroup", "StateInfo", "state_name"]


class StateGroup(StrEnum):
    """Which call of IDirect3DDevice9 sets a state."""

    RENDER = "SetRenderState"
    TEXTURE_STAGE = "SetTextureStageState"
    PATCH = "SetNPatchMode"
    FVF = "SetFVF"
    TRANSFORM = "SetTransform"
    MATERIAL = "SetMaterial"
    LIGHT = "SetLight"
    LIGHT_ENABLE = "LightEnable"
    VERTEX_SHADER = "SetVertexShader"
    PIXEL_SHADER = "SetPixelShader"
    VERTEX_CONSTANT = "SetVertexShaderConstant"
    PIXEL_CONSTANT = "SetPixelShaderConstant"
    TEXTURE = "SetTexture"
    SAMPLER = "SetSamplerState"
    SAMPLER_OBJECT = "a sampler's states"


@dataclass(frozen=True, slots=True)
class StateInfo:
    """A state. number: the operation in files; name: as documented, in sources its case is free.

    target: D3DRENDERSTATETYPE, D3DTEXTURESTAGESTATETYPE or D3DSAMPLERSTATETYPE, 0 in other groups.
    type: FLOAT, INT for all dwords, or of what object. rows, columns: of its value, 0 if
    any. is_indexed: a number in brackets follows the name.
    """

    number: int
    name: str
    group: StateGroup
    target: int
    type: ParameterType
    values: v.StateValues = v.NUMBER
    rows: int = 1
    columns: int = 1
    is_indexed: bool = True


def state_name(number: int) -> str:
    """Return the documented name, or the number of a state that is none.

    >>> state_name(8), state_name(500)
    ('CullMode', 'State500')
    """
    info = STATES.get(number)
    return f"State{number}" if info is None else info.name


def _group(
    group: StateGroup, rows: tuple[tuple[int, str, int, v.StateValues | None], ...]
) -> list[StateInfo]:
    """Return states that are one number each: how its dword is written, None for a float."""
    return [
        StateInfo(
            number,
            name,
            group,
            target,
            ParameterType.FLOAT if values is None else ParameterType.INT,
            values or v.NUMBER,
            is_indexed=group is not StateGroup.RENDER,
        )
        for number, name, target, values in rows
    ]


_R, _S, _F = RenderState, TextureStageState, SamplerStateType
_RENDER = (
    (0x00, "ZEnable", _R.ZENABLE, v.Z_BUFFERS),
    (0x01, "FillMode", _R.FILLMODE, v.FILLS),
    (0x02, "ShadeMode", _R.SHADEMODE, v.SHADES),
    (0x03, "ZWriteEnable", _R.ZWRITEENABLE, v.BOOLEANS),
    (0x04, "AlphaTestEnable", _R.ALPHATESTENABLE, v.BOOLEANS),
    (0x05, "LastPixel", _R.LASTPIXEL, v.BOOLEANS),
    (0x06, "SrcBlend", _R.SRCBLEND, v.BLENDS),
    (0x07, "DestBlend", _R.DESTBLEND, v.BLENDS),
    (0x08, "CullMode", _R.CULLMODE, v.CULLS),
    (0x09, "ZFunc", _R.ZFUNC, v.COMPARISONS),
    (0x0A, "AlphaRef", _R.ALPHAREF, v.NUMBER),
    (0x0B, "AlphaFunc", _R.ALPHAFUNC, v.COMPARISONS),
    (0x0C, "DitherEnable", _R.DITHERENABLE, v.BOOLEANS),
    (0x0D, "AlphaBlendEnable", _R.ALPHABLENDENABLE, v.BOOLEANS),
    (0x0E, "FogEnable", _R.FOGENABLE, v.BOOLEANS),
    (0x0F, "SpecularEnable", _R.SPECULARENABLE, v.BOOLEANS),
    (0x10, "FogColor", _R.FOGCOLOR, v.HEX),
    (0x11, "FogTableMode", _R.FOGTABLEMODE, v.FOGS),
    (0x12, "FogStart", _R.FOGSTART, None),
    (0x13, "FogEnd", _R.FOGEND, None),
    (0x14, "FogDensity", _R.FOGDENSITY, None),
    (0x15, "RangeFogEnable", _R.RANGEFOGENABLE, v.BOOLEANS),
    (0x16, "StencilEnable", _R.STENCILENABLE, v.BOOLEANS),
    (0x17, "StencilFail", _R.STENCILFAIL, v.STENCILS),
    (0x18, "StencilZFail", _R.STENCILZFAIL, v.STENCILS),
    (0x19, "StencilPass", _R.STENCILPASS, v.STENCILS),
    (0x1A, "StencilFunc", _R.STENCILFUNC, v.COMPARISONS),
    (0x1B, "StencilRef", _R.STENCILREF, v.NUMBER),
    (0x1C, "StencilMask", _R.STENCILMASK, v.HEX),
    (0x1D, "StencilWriteMask", _R.STENCILWRITEMASK, v.HEX),
    (0x1E, "TextureFactor", _R.TEXTUREFACTOR, v.HEX),
    (0x1F, "Wrap0", _R.WRAP0, v.WRAPS),
    (0x20, "Wrap1", _R.WRAP1, v.WRAPS),
    (0x21, "Wrap2", _R.WRAP2, v.WRAPS),
    (0x22, "Wrap3", _R.WRAP3, v.WRAPS),
    (0x23, "Wrap4", _R.WRAP4, v.WRAPS),
    (0x24, "Wrap5", _R.WRAP5, v.WRAPS),
    (0x25, "Wrap6", _R.WRAP6, v.WRAPS),
    (0x26, "Wrap7", _R.WRAP7, v.WRAPS),
    (0x27, "Wrap8", _R.WRAP8, v.WRAPS),
    (0x28, "Wrap9", _R.WRAP9, v.WRAPS),
    (0x29, "Wrap10", _R.WRAP10, v.WRAPS),
    (0x2A, "Wrap11", _R.WRAP11, v.WRAPS),
    (0x2B, "Wrap12", _R.WRAP12, v.WRAPS),
    (0x2C, "Wrap13", _R.WRAP13, v.WRAPS),
    (0x2D, "Wrap14", _R.WRAP14, v.WRAPS),
    (0x2E, "Wrap15", _R.WRAP15, v.WRAPS),
    (0x2F, "Clipping", _R.CLIPPING, v.BOOLEANS),
    (0x30, "Lighting", _R.LIGHTING, v.BOOLEANS),
    (0x31, "Ambient", _R.AMBIENT, v.HEX),
    (0x32, "FogVertexMode", _R.FOGVERTEXMODE, v.FOGS),
    (0x33, "ColorVertex", _R.COLORVERTEX, v.BOOLEANS),
    (0x34, "LocalViewer", _R.LOCALVIEWER, v.BOOLEANS),
    (0x35, "NormalizeNormals", _R.NORMALIZENORMALS, v.BOOLEANS),
    (0x36, "DiffuseMaterialSource", _R.DIFFUSEMATERIALSOURCE, v.SOURCES),
    (0x37, "SpecularMaterialSource", _R.SPECULARMATERIALSOURCE, v.SOURCES),
    (0x38, "AmbientMaterialSource", _R.AMBIENTMATERIALSOURCE, v.SOURCES),
    (0x39, "EmissiveMaterialSource", _R.EMISSIVEMATERIALSOURCE, v.SOURCES),
    (0x3A, "VertexBlend", _R.VERTEXBLEND, v.VERTEX_BLENDS),
    (0x3B, "ClipPlaneEnable", _R.CLIPPLANEENABLE, v.CLIP_PLANES),
    (0x3C, "PointSize", _R.POINTSIZE, None),
    (0x3D, "PointSize_Min", _R.POINTSIZE_MIN, None),
    (0x3E, "PointSize_Max", _R.POINTSIZE_MAX, None),
    (0x3F, "PointSpriteEnable", _R.POINTSPRITEENABLE, v.BOOLEANS),
    (0x40, "PointScaleEnable", _R.POINTSCALEENABLE, v.BOOLEANS),
    (0x41, "PointScale_A", _R.POINTSCALE_A, None),
    (0x42, "PointScale_B", _R.POINTSCALE_B, None),
    (0x43, "PointScale_C", _R.POINTSCALE_C, None),
    (0x44, "MultiSampleAntialias", _R.MULTISAMPLEANTIALIAS, v.BOOLEANS),
    (0x45, "MultiSampleMask", _R.MULTISAMPLEMASK, v.HEX),
    (0x46, "PatchEdgeStyle", _R.PATCHEDGESTYLE, v.PATCH_EDGES),
    (0x47, "DebugMonitorToken", _R.DEBUGMONITORTOKEN, v.NUMBER),
    (0x48, "IndexedVertexBlendEnable", _R.INDEXEDVERTEXBLENDENABLE, v.BOOLEANS),
    (0x49, "ColorWriteEnable", _R.COLORWRITEENABLE, v.COLOR_WRITES),
    (0x4A, "TweenFactor", _R.TWEENFACTOR, None),
    (0x4B, "BlendOp", _R.BLENDOP, v.BLEND_OPS),
    (0x4C, "PositionDegree", _R.POSITIONDEGREE, v.DEGREES),
    (0x4D, "NormalDegree", _R.NORMALDEGREE, v.DEGREES),
    (0x4E, "ScissorTestEnable", _R.SCISSORTESTENABLE, v.BOOLEANS),
    (0x4F, "SlopeScaleDepthBias", _R.SLOPESCALEDEPTHBIAS, None),
    (0x50, "AntialiasedLineEnable", _R.ANTIALIASEDLINEENABLE, v.BOOLEANS),
    (0x51, "MinTessellationLevel", _R.MINTESSELLATIONLEVEL, None),
    (0x52, "MaxTessellationLevel", _R.MAXTESSELLATIONLEVEL, None),
    (0x53, "AdaptiveTess_X", _R.ADAPTIVETESS_X, None),
    (0x54, "AdaptiveTess_Y", _R.ADAPTIVETESS_Y, None),
    (0x55, "AdaptiveTess_Z", _R.ADAPTIVETESS_Z, None),
    (0x56, "AdaptiveTess_W", _R.ADAPTIVETESS_W, None),
    (0x57, "EnableAdaptiveTessellation", _R.ENABLEADAPTIVETESSELLATION, v.BOOLEANS),
    (0x58, "TwoSidedStencilMode", _R.TWOSIDEDSTENCILMODE, v.BOOLEANS),
    (0x59, "CCW_StencilFail", _R.CCW_STENCILFAIL, v.STENCILS),
    (0x5A, "CCW_StencilZFail", _R.CCW_STENCILZFAIL, v.STENCILS),
    (0x5B, "CCW_StencilPass", _R.CCW_STENCILPASS, v.STENCILS),
    (0x5C, "CCW_StencilFunc", _R.CCW_STENCILFUNC, v.COMPARISONS),
    (0x5D, "ColorWriteEnable1", _R.COLORWRITEENABLE1, v.COLOR_WRITES),
    (0x5E, "ColorWriteEnable2", _R.COLORWRITEENABLE2, v.COLOR_WRITES),
    (0x5F, "ColorWriteEnable3", _R.COLORWRITEENABLE3, v.COLOR_WRITES),
    (0x60, "BlendFactor", _R.BLENDFACTOR, v.HEX),
    (0x61, "SRGBWriteEnable", _R.SRGBWRITEENABLE, v.BOOLEANS),
    (0x62, "DepthBias", _R.DEPTHBIAS, None),
    (0x63, "SeparateAlphaBlendEnable", _R.SEPARATEALPHABLENDENABLE, v.BOOLEANS),
    (0x64, "SrcBlendAlpha", _R.SRCBLENDALPHA, v.ALPHA_BLENDS),
    (0x65, "DestBlendAlpha", _R.DESTBLENDALPHA, v.ALPHA_BLENDS),
    (0x66, "BlendOpAlpha", _R.BLENDOPALPHA, v.BLEND_OPS),
)
_TEXTURE_STAGE = (
    (0x67, "ColorOp", _S.COLOROP, v.TEXTURE_OPS),
    (0x68, "ColorArg0", _S.COLORARG0, v.TEXTURE_ARGUMENTS),
    (0x69, "ColorArg1", _S.COLORARG1, v.TEXTURE_ARGUMENTS),
    (0x6A, "ColorArg2", _S.COLORARG2, v.TEXTURE_ARGUMENTS),
    (0x6B, "AlphaOp", _S.ALPHAOP, v.TEXTURE_OPS),
    (0x6C, "AlphaArg0", _S.ALPHAARG0, v.TEXTURE_ARGUMENTS),
    (0x6D, "AlphaArg1", _S.ALPHAARG1, v.TEXTURE_ARGUMENTS),
    (0x6E, "AlphaArg2", _S.ALPHAARG2, v.TEXTURE_ARGUMENTS),
    (0x6F, "ResultArg", _S.RESULTARG, v.TEXTURE_ARGUMENTS),
    (0x70, "BumpEnvMat00", _S.BUMPENVMAT00, None),
    (0x71, "BumpEnvMat01", _S.BUMPENVMAT01, None),
    (0x72, "BumpEnvMat10", _S.BUMPENVMAT10, None),
    (0x73, "BumpEnvMat11", _S.BUMPENVMAT11, None),
    (0x74, "TexCoordIndex", _S.TEXCOORDINDEX, v.TEXCOORDS),
    (0x75, "BumpEnvLScale", _S.BUMPENVLSCALE, None),
    (0x76, "BumpEnvLOffset", _S.BUMPENVLOFFSET, None),
    (0x77, "TextureTransformFlags", _S.TEXTURETRANSFORMFLAGS, v.TRANSFORMS),
    (0x78, "Constant", _S.CONSTANT, v.HEX),
)
_SAMPLER = (
    (0xA5, "AddressU", _F.ADDRESSU, v.ADDRESSES),
    (0xA6, "AddressV", _F.ADDRESSV, v.ADDRESSES),
    (0xA7, "AddressW", _F.ADDRESSW, v.ADDRESSES),
    (0xA8, "BorderColor", _F.BORDERCOLOR, v.HEX),
    (0xA9, "MagFilter", _F.MAGFILTER, v.FILTERS),
    (0xAA, "MinFilter", _F.MINFILTER, v.FILTERS),
    (0xAB, "MipFilter", _F.MIPFILTER, v.FILTERS),
    (0xAC, "MipMapLodBias", _F.MIPMAPLODBIAS, None),
    (0xAD, "MaxMipLevel", _F.MAXMIPLEVEL, v.NUMBER),
    (0xAE, "MaxAnisotropy", _F.MAXANISOTROPY, v.NUMBER),
    (0xAF, "SRGBTexture", _F.SRGBTEXTURE, v.BOOLEANS),
    (0xB0, "ElementIndex", _F.ELEMENTINDEX, v.NUMBER),
    (0xB1, "DMapOffset", _F.DMAPOFFSET, v.NUMBER),
)
_G = StateGroup
_T = ParameterType
_OTHERS = [
    StateInfo(0x79, "PatchSegments", _G.PATCH, 0, _T.FLOAT, is_indexed=False),
    StateInfo(0x7A, "FVF", _G.FVF, 0, _T.INT, v.FVFS, is_indexed=False),
    StateInfo(
        0x7B, "ProjectionTransform", _G.TRANSFORM, 0, _T.FLOAT, v.NUMBER, 4, 4, is_indexed=False
    ),
    StateInfo(0x7C, "ViewTransform", _G.TRANSFORM, 0, _T.FLOAT, v.NUMBER, 4, 4, is_indexed=False),
    StateInfo(0x7D, "WorldTransform", _G.TRANSFORM, 0, _T.FLOAT, v.NUMBER, 4, 4),
    StateInfo(0x7E, "TextureTransform", _G.TRANSFORM, 0, _T.FLOAT, v.NUMBER, 4, 4),
    StateInfo(0x7F, "MaterialDiffuse", _G.MATERIAL, 0, _T.FLOAT, v.NUMBER, 1, 4, is_indexed=False),
    StateInfo(0x80, "MaterialAmbient", _G.MATERIAL, 0, _T.FLOAT, v.NUMBER, 1, 4, is_indexed=False),
    StateInfo(0x81, "MaterialSpecular", _G.MATERIAL, 0, _T.FLOAT, v.NUMBER, 1, 4, is_indexed=False),
    StateInfo(0x82, "MaterialEmissive", _G.MATERIAL, 0, _T.FLOAT, v.NUMBER, 1, 4, is_indexed=False),
    StateInfo(0x83, "MaterialPower", _G.MATERIAL, 0, _T.FLOAT, is_indexed=False),
    StateInfo(0x84, "LightType", _G.LIGHT, 0, _T.INT, v.LIGHTS),
    StateInfo(0x85, "LightDiffuse", _G.LIGHT, 0, _T.FLOAT, v.NUMBER, 1, 4),
    StateInfo(0x86, "LightSpecular", _G.LIGHT, 0, _T.FLOAT, v.NUMBER, 1, 4),
    StateInfo(0x87, "LightAmbient", _G.LIGHT, 0, _T.FLOAT, v.NUMBER, 1, 4),
    StateInfo(0x88, "LightPosition", _G.LIGHT, 0, _T.FLOAT, v.NUMBER, 1, 3),
    StateInfo(0x89, "LightDirection", _G.LIGHT, 0, _T.FLOAT, v.NUMBER, 1, 3),
    StateInfo(0x8A, "LightRange", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x8B, "LightFalloff", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x8C, "LightAttenuation0", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x8D, "LightAttenuation1", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x8E, "LightAttenuation2", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x8F, "LightTheta", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x90, "LightPhi", _G.LIGHT, 0, _T.FLOAT),
    StateInfo(0x91, "LightEnable", _G.LIGHT_ENABLE, 0, _T.INT, v.BOOLEANS),
    StateInfo(0x92, "VertexShader", _G.VERTEX_SHADER, 0, _T.VERTEXSHADER, is_indexed=False),
    StateInfo(0x93, "PixelShader", _G.PIXEL_SHADER, 0, _T.PIXELSHADER, is_indexed=False),
    StateInfo(0xA4, "Texture", _G.TEXTURE, 0, _T.TEXTURE),
    StateInfo(0xB2, "Sampler", _G.SAMPLER_OBJECT, 0, _T.SAMPLER),
]


def _constants(first: int, stage: str, group: StateGroup) -> list[StateInfo]:
    """Return the states that set constant registers; any number of them, or a fixed one."""
    types = {"F": _T.FLOAT, "B": _T.BOOL, "I": _T.INT, "": _T.FLOAT}
    names = [(letter, type_, 0, 0) for letter, type_ in types.items()]
    names += [(str(rows), _T.FLOAT, rows, 4) for rows in range(1, 5)]
    return [
        StateInfo(
            first + n, f"{stage}ShaderConstant{suffix}", group, 0, type_, v.NUMBER, rows, columns
        )
        for n, (suffix, type_, rows, columns) in enumerate(names)
    ]


STATES = MappingProxyType(
    {
        info.number: info
        for info in (
            *_group(StateGroup.RENDER, _RENDER),
            *_group(StateGroup.TEXTURE_STAGE, _TEXTURE_STAGE),
            *_OTHERS,
            *_constants(0x94, "Vertex", StateGroup.VERTEX_CONSTANT),
            *_constants(0x9C, "Pixel", StateGroup.PIXEL_CONSTANT),
            *_group(StateGroup.SAMPLER, _SAMPLER),
        )
    }
)
"""All states by number."""
