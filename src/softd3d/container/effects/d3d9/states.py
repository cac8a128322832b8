"""What effects of Direct3D 9 assign to: the numbers, names and types of all states.

Spec: win32 "Effect States (Direct3D 9)". Each number was measured by compiling an assignment to
the name with d3dx9_24, d3dx9_43 and d3dcompiler_47.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from softd3d.container.comments.ctab import ParameterType
from softd3d.container.effects.d3d9 import values as v

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


_RENDER = (
    (0x00, "ZEnable", 7, v.Z_BUFFERS),
    (0x01, "FillMode", 8, v.FILLS),
    (0x02, "ShadeMode", 9, v.SHADES),
    (0x03, "ZWriteEnable", 14, v.BOOLEANS),
    (0x04, "AlphaTestEnable", 15, v.BOOLEANS),
    (0x05, "LastPixel", 16, v.BOOLEANS),
    (0x06, "SrcBlend", 19, v.BLENDS),
    (0x07, "DestBlend", 20, v.BLENDS),
    (0x08, "CullMode", 22, v.CULLS),
    (0x09, "ZFunc", 23, v.COMPARISONS),
    (0x0A, "AlphaRef", 24, v.NUMBER),
    (0x0B, "AlphaFunc", 25, v.COMPARISONS),
    (0x0C, "DitherEnable", 26, v.BOOLEANS),
    (0x0D, "AlphaBlendEnable", 27, v.BOOLEANS),
    (0x0E, "FogEnable", 28, v.BOOLEANS),
    (0x0F, "SpecularEnable", 29, v.BOOLEANS),
    (0x10, "FogColor", 34, v.HEX),
    (0x11, "FogTableMode", 35, v.FOGS),
    (0x12, "FogStart", 36, None),
    (0x13, "FogEnd", 37, None),
    (0x14, "FogDensity", 38, None),
    (0x15, "RangeFogEnable", 48, v.BOOLEANS),
    (0x16, "StencilEnable", 52, v.BOOLEANS),
    (0x17, "StencilFail", 53, v.STENCILS),
    (0x18, "StencilZFail", 54, v.STENCILS),
    (0x19, "StencilPass", 55, v.STENCILS),
    (0x1A, "StencilFunc", 56, v.COMPARISONS),
    (0x1B, "StencilRef", 57, v.NUMBER),
    (0x1C, "StencilMask", 58, v.HEX),
    (0x1D, "StencilWriteMask", 59, v.HEX),
    (0x1E, "TextureFactor", 60, v.HEX),
    (0x1F, "Wrap0", 128, v.WRAPS),
    (0x20, "Wrap1", 129, v.WRAPS),
    (0x21, "Wrap2", 130, v.WRAPS),
    (0x22, "Wrap3", 131, v.WRAPS),
    (0x23, "Wrap4", 132, v.WRAPS),
    (0x24, "Wrap5", 133, v.WRAPS),
    (0x25, "Wrap6", 134, v.WRAPS),
    (0x26, "Wrap7", 135, v.WRAPS),
    (0x27, "Wrap8", 198, v.WRAPS),
    (0x28, "Wrap9", 199, v.WRAPS),
    (0x29, "Wrap10", 200, v.WRAPS),
    (0x2A, "Wrap11", 201, v.WRAPS),
    (0x2B, "Wrap12", 202, v.WRAPS),
    (0x2C, "Wrap13", 203, v.WRAPS),
    (0x2D, "Wrap14", 204, v.WRAPS),
    (0x2E, "Wrap15", 205, v.WRAPS),
    (0x2F, "Clipping", 136, v.BOOLEANS),
    (0x30, "Lighting", 137, v.BOOLEANS),
    (0x31, "Ambient", 139, v.HEX),
    (0x32, "FogVertexMode", 140, v.FOGS),
    (0x33, "ColorVertex", 141, v.BOOLEANS),
    (0x34, "LocalViewer", 142, v.BOOLEANS),
    (0x35, "NormalizeNormals", 143, v.BOOLEANS),
    (0x36, "DiffuseMaterialSource", 145, v.SOURCES),
    (0x37, "SpecularMaterialSource", 146, v.SOURCES),
    (0x38, "AmbientMaterialSource", 147, v.SOURCES),
    (0x39, "EmissiveMaterialSource", 148, v.SOURCES),
    (0x3A, "VertexBlend", 151, v.VERTEX_BLENDS),
    (0x3B, "ClipPlaneEnable", 152, v.CLIP_PLANES),
    (0x3C, "PointSize", 154, None),
    (0x3D, "PointSize_Min", 155, None),
    (0x3E, "PointSize_Max", 166, None),
    (0x3F, "PointSpriteEnable", 156, v.BOOLEANS),
    (0x40, "PointScaleEnable", 157, v.BOOLEANS),
    (0x41, "PointScale_A", 158, None),
    (0x42, "PointScale_B", 159, None),
    (0x43, "PointScale_C", 160, None),
    (0x44, "MultiSampleAntialias", 161, v.BOOLEANS),
    (0x45, "MultiSampleMask", 162, v.HEX),
    (0x46, "PatchEdgeStyle", 163, v.PATCH_EDGES),
    (0x47, "DebugMonitorToken", 165, v.NUMBER),
    (0x48, "IndexedVertexBlendEnable", 167, v.BOOLEANS),
    (0x49, "ColorWriteEnable", 168, v.COLOR_WRITES),
    (0x4A, "TweenFactor", 170, None),
    (0x4B, "BlendOp", 171, v.BLEND_OPS),
    (0x4C, "PositionDegree", 172, v.DEGREES),
    (0x4D, "NormalDegree", 173, v.DEGREES),
    (0x4E, "ScissorTestEnable", 174, v.BOOLEANS),
    (0x4F, "SlopeScaleDepthBias", 175, None),
    (0x50, "AntialiasedLineEnable", 176, v.BOOLEANS),
    (0x51, "MinTessellationLevel", 178, None),
    (0x52, "MaxTessellationLevel", 179, None),
    (0x53, "AdaptiveTess_X", 180, None),
    (0x54, "AdaptiveTess_Y", 181, None),
    (0x55, "AdaptiveTess_Z", 182, None),
    (0x56, "AdaptiveTess_W", 183, None),
    (0x57, "EnableAdaptiveTessellation", 184, v.BOOLEANS),
    (0x58, "TwoSidedStencilMode", 185, v.BOOLEANS),
    (0x59, "CCW_StencilFail", 186, v.STENCILS),
    (0x5A, "CCW_StencilZFail", 187, v.STENCILS),
    (0x5B, "CCW_StencilPass", 188, v.STENCILS),
    (0x5C, "CCW_StencilFunc", 189, v.COMPARISONS),
    (0x5D, "ColorWriteEnable1", 190, v.COLOR_WRITES),
    (0x5E, "ColorWriteEnable2", 191, v.COLOR_WRITES),
    (0x5F, "ColorWriteEnable3", 192, v.COLOR_WRITES),
    (0x60, "BlendFactor", 193, v.HEX),
    (0x61, "SRGBWriteEnable", 194, v.BOOLEANS),
    (0x62, "DepthBias", 195, None),
    (0x63, "SeparateAlphaBlendEnable", 206, v.BOOLEANS),
    (0x64, "SrcBlendAlpha", 207, v.ALPHA_BLENDS),
    (0x65, "DestBlendAlpha", 208, v.ALPHA_BLENDS),
    (0x66, "BlendOpAlpha", 209, v.BLEND_OPS),
)
_TEXTURE_STAGE = (
    (0x67, "ColorOp", 1, v.TEXTURE_OPS),
    (0x68, "ColorArg0", 26, v.TEXTURE_ARGUMENTS),
    (0x69, "ColorArg1", 2, v.TEXTURE_ARGUMENTS),
    (0x6A, "ColorArg2", 3, v.TEXTURE_ARGUMENTS),
    (0x6B, "AlphaOp", 4, v.TEXTURE_OPS),
    (0x6C, "AlphaArg0", 27, v.TEXTURE_ARGUMENTS),
    (0x6D, "AlphaArg1", 5, v.TEXTURE_ARGUMENTS),
    (0x6E, "AlphaArg2", 6, v.TEXTURE_ARGUMENTS),
    (0x6F, "ResultArg", 28, v.TEXTURE_ARGUMENTS),
    (0x70, "BumpEnvMat00", 7, None),
    (0x71, "BumpEnvMat01", 8, None),
    (0x72, "BumpEnvMat10", 9, None),
    (0x73, "BumpEnvMat11", 10, None),
    (0x74, "TexCoordIndex", 11, v.TEXCOORDS),
    (0x75, "BumpEnvLScale", 22, None),
    (0x76, "BumpEnvLOffset", 23, None),
    (0x77, "TextureTransformFlags", 24, v.TRANSFORMS),
    (0x78, "Constant", 32, v.HEX),
)
_SAMPLER = (
    (0xA5, "AddressU", 1, v.ADDRESSES),
    (0xA6, "AddressV", 2, v.ADDRESSES),
    (0xA7, "AddressW", 3, v.ADDRESSES),
    (0xA8, "BorderColor", 4, v.HEX),
    (0xA9, "MagFilter", 5, v.FILTERS),
    (0xAA, "MinFilter", 6, v.FILTERS),
    (0xAB, "MipFilter", 7, v.FILTERS),
    (0xAC, "MipMapLodBias", 8, None),
    (0xAD, "MaxMipLevel", 9, v.NUMBER),
    (0xAE, "MaxAnisotropy", 10, v.NUMBER),
    (0xAF, "SRGBTexture", 11, v.BOOLEANS),
    (0xB0, "ElementIndex", 12, v.NUMBER),
    (0xB1, "DMapOffset", 13, v.NUMBER),
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
