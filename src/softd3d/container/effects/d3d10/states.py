"""What passes and state blocks of Direct3D 10 effects assign to: names, types and values.

Spec: win32 "Effect State Groups (Direct3D 10)". Names and types were measured by compiling an
assignment, or by putting each number into one, and listing it with d3dcompiler_47.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from softd3d.classes import dataclass
from softd3d.container.effects.d3d10.enums import EffectState as S
from softd3d.container.effects.d3d10.enums import ObjectType as O
from softd3d.isa.sampling.state import ComparisonFunc, Filter, TextureAddressMode

__all__ = ["PASS_STATES", "STATES", "EffectStateInfo", "StateType"]

_FIRST_FILTER_OF_11_1 = 0x100
_ANISOTROPIC_OF_11_1 = ("MIN_MAG_ANISOTROPIC_MIP_POINT", "COMPARISON_MIN_MAG_ANISOTROPIC_MIP_POINT")


class StateType(StrEnum):
    """Types of states, as listings write them; those of objects are not written."""

    BOOL = "bool"
    BYTE = "byte"
    UINT = "uint"
    FLOAT = "float"
    TEXTURE = "Texture"
    OBJECT = ""


@dataclass(frozen=True, slots=True)
class EffectStateInfo:
    """A state. block: the type of the object that it is part of, None for one of a pass.

    count: of the numbers in its value. names: of values that have one. is_indexed: there are
    several, such as blend targets. objects: the types of variables that can be assigned, empty for
    numbers.
    """

    name: str
    type: StateType
    block: O | None
    names: Mapping[int, str]
    count: int = 1
    is_indexed: bool = False
    objects: tuple[O, ...] = ()


_Rows = tuple[tuple[S, str, StateType, Mapping[int, str]], ...]


def _numbered(first: int, names: str) -> dict[int, str]:
    return dict(enumerate(names.split(), first))


_NONE: dict[int, str] = {}
_BOOLS = _numbered(0, "FALSE TRUE")
_FILLS = {2: "WIREFRAME", 3: "SOLID"}
_CULLS = _numbered(1, "NONE FRONT BACK")
_WRITES = _numbered(0, "ZERO ALL")
_COMPARISONS = {int(member): member.name for member in ComparisonFunc}
_STENCIL_OPS = _numbered(1, "KEEP ZERO REPLACE INCR_SAT DECR_SAT INVERT INCR DECR")
_BLENDS = {
    **_numbered(
        1,
        "ZERO ONE SRC_COLOR INV_SRC_COLOR SRC_ALPHA INV_SRC_ALPHA DEST_ALPHA INV_DEST_ALPHA "
        "DEST_COLOR INV_DEST_COLOR SRC_ALPHA_SAT",
    ),
    **_numbered(
        14, "BLEND_FACTOR INV_BLEND_FACTOR SRC1_COLOR INV_SRC1_COLOR SRC1_ALPHA INV_SRC1_ALPHA"
    ),
}
_BLEND_OPS = _numbered(1, "ADD SUBTRACT REV_SUBTRACT MIN MAX")
_FILTERS = {
    int(member): member.name
    for member in Filter
    if member < _FIRST_FILTER_OF_11_1 and member.name not in _ANISOTROPIC_OF_11_1
} | {1 << 31: "TEXT_1BIT"}
_ADDRESSES = {int(member): member.name for member in TextureAddressMode}

_VERTEX = (O.VERTEX_SHADER, O.VERTEX_SHADER_5)
_PIXEL = (O.PIXEL_SHADER, O.PIXEL_SHADER_5)
_GEOMETRY = (O.GEOMETRY_SHADER, O.GEOMETRY_SHADER_SO, O.GEOMETRY_SHADER_5)
_TEXTURES = (
    *(O(number) for number in range(O.TEXTURE, O.TEXTURE_CUBE + 1)),
    O.BUFFER,
    O.TEXTURE_CUBE_ARRAY,
)


def _rows(block: O | None, rows: _Rows) -> dict[S, EffectStateInfo]:
    return {
        state: EffectStateInfo(
            name, type_, block, names, 4 if state in _COLORS else 1, state in _INDEXED
        )
        for state, name, type_, names in rows
    }


def _object(name: str, *objects: O, is_indexed: bool = False) -> EffectStateInfo:
    return EffectStateInfo(name, StateType.OBJECT, None, _NONE, 1, is_indexed, objects)


_INDEXED = frozenset(
    {
        S.BLEND_ENABLE, S.SRC_BLEND, S.DEST_BLEND, S.BLEND_OP, S.SRC_BLEND_ALPHA,
        S.DEST_BLEND_ALPHA, S.BLEND_OP_ALPHA, S.RENDER_TARGET_WRITE_MASK,
    }
)  # fmt: skip
_COLORS = (S.AB_BLEND_FACTOR, S.BORDER_COLOR)
_BOOL, _BYTE, _UINT, _FLOAT = StateType.BOOL, StateType.BYTE, StateType.UINT, StateType.FLOAT

PASS_STATES: dict[S, EffectStateInfo] = {
    S.RASTERIZER_STATE: _object("RasterizerState", O.RASTERIZER),
    S.DEPTH_STENCIL_STATE: _object("DepthStencilState", O.DEPTH_STENCIL),
    S.BLEND_STATE: _object("BlendState", O.BLEND),
    S.RENDER_TARGET_VIEW: _object("RenderTargetView", O.RENDER_TARGET_VIEW, is_indexed=True),
    S.DEPTH_STENCIL_VIEW: _object("DepthStencilView", O.DEPTH_STENCIL_VIEW, is_indexed=True),
    S.GENERATE_MIPS: EffectStateInfo(
        "GenerateMips", StateType.TEXTURE, None, _NONE, objects=_TEXTURES
    ),
    S.VERTEX_SHADER: _object("VertexShader", *_VERTEX),
    S.PIXEL_SHADER: _object("PixelShader", *_PIXEL),
    S.GEOMETRY_SHADER: _object("GeometryShader", *_GEOMETRY),
    S.HULL_SHADER: _object("HullShader", O.HULL_SHADER_5),
    S.DOMAIN_SHADER: _object("DomainShader", O.DOMAIN_SHADER_5),
    S.COMPUTE_SHADER: _object("ComputeShader", O.COMPUTE_SHADER_5),
    **_rows(
        None,
        (
            (S.DS_STENCIL_REF, "DS_StencilRef", _UINT, _NONE),
            (S.AB_BLEND_FACTOR, "AB_BlendFactor", _FLOAT, _NONE),
            (S.AB_SAMPLE_MASK, "AB_SampleMask", _UINT, _NONE),
        ),
    ),
}
"""What a pass can set."""

_RASTERIZER: _Rows = (
    (S.FILL_MODE, "FillMode", _UINT, _FILLS),
    (S.CULL_MODE, "CullMode", _UINT, _CULLS),
    (S.FRONT_COUNTER_CLOCKWISE, "FrontCounterClockwise", _BOOL, _BOOLS),
    (S.DEPTH_BIAS, "DepthBias", _UINT, _NONE),
    (S.DEPTH_BIAS_CLAMP, "DepthBiasClamp", _FLOAT, _NONE),
    (S.SLOPE_SCALED_DEPTH_BIAS, "SlopeScaledDepthBias", _FLOAT, _NONE),
    (S.DEPTH_CLIP_ENABLE, "DepthClipEnable", _BOOL, _BOOLS),
    (S.SCISSOR_ENABLE, "ScissorEnable", _BOOL, _BOOLS),
    (S.MULTISAMPLE_ENABLE, "MultisampleEnable", _BOOL, _BOOLS),
    (S.ANTIALIASED_LINE_ENABLE, "AntialiasedLineEnable", _BOOL, _BOOLS),
)
_DEPTH_STENCIL: _Rows = (
    (S.DEPTH_ENABLE, "DepthEnable", _BOOL, _BOOLS),
    (S.DEPTH_WRITE_MASK, "DepthWriteMask", _UINT, _WRITES),
    (S.DEPTH_FUNC, "DepthFunc", _UINT, _COMPARISONS),
    (S.STENCIL_ENABLE, "StencilEnable", _BOOL, _BOOLS),
    (S.STENCIL_READ_MASK, "StencilReadMask", _BYTE, _NONE),
    (S.STENCIL_WRITE_MASK, "StencilWriteMask", _BYTE, _NONE),
    (S.FRONT_FACE_STENCIL_FAIL, "FrontFaceStencilFail", _UINT, _STENCIL_OPS),
    (S.FRONT_FACE_STENCIL_DEPTH_FAIL, "FrontFaceStencilDepthFail", _UINT, _STENCIL_OPS),
    (S.FRONT_FACE_STENCIL_PASS, "FrontFaceStencilPass", _UINT, _STENCIL_OPS),
    (S.FRONT_FACE_STENCIL_FUNC, "FrontFaceStencilFunc", _UINT, _COMPARISONS),
    (S.BACK_FACE_STENCIL_FAIL, "BackFaceStencilFail", _UINT, _STENCIL_OPS),
    (S.BACK_FACE_STENCIL_DEPTH_FAIL, "BackFaceStencilDepthFail", _UINT, _STENCIL_OPS),
    (S.BACK_FACE_STENCIL_PASS, "BackFaceStencilPass", _UINT, _STENCIL_OPS),
    (S.BACK_FACE_STENCIL_FUNC, "BackFaceStencilFunc", _UINT, _COMPARISONS),
)
_BLEND: _Rows = (
    (S.ALPHA_TO_COVERAGE_ENABLE, "AlphaToCoverageEnable", _BOOL, _BOOLS),
    (S.BLEND_ENABLE, "BlendEnable", _BOOL, _BOOLS),
    (S.SRC_BLEND, "SrcBlend", _UINT, _BLENDS),
    (S.DEST_BLEND, "DestBlend", _UINT, _BLENDS),
    (S.BLEND_OP, "BlendOp", _UINT, _BLEND_OPS),
    (S.SRC_BLEND_ALPHA, "SrcBlendAlpha", _UINT, _BLENDS),
    (S.DEST_BLEND_ALPHA, "DestBlendAlpha", _UINT, _BLENDS),
    (S.BLEND_OP_ALPHA, "BlendOpAlpha", _UINT, _BLEND_OPS),
    (S.RENDER_TARGET_WRITE_MASK, "RenderTargetWriteMask", _BYTE, _NONE),
)
_SAMPLER: _Rows = (
    (S.FILTER, "Filter", _UINT, _FILTERS),
    (S.ADDRESS_U, "AddressU", _UINT, _ADDRESSES),
    (S.ADDRESS_V, "AddressV", _UINT, _ADDRESSES),
    (S.ADDRESS_W, "AddressW", _UINT, _ADDRESSES),
    (S.MIP_LOD_BIAS, "MipLODBias", _FLOAT, _NONE),
    (S.MAX_ANISOTROPY, "MaxAnisotropy", _UINT, _NONE),
    (S.COMPARISON_FUNC, "ComparisonFunc", _UINT, _COMPARISONS),
    (S.BORDER_COLOR, "BorderColor", _FLOAT, _NONE),
    (S.MIN_LOD, "MinLOD", _FLOAT, _NONE),
    (S.MAX_LOD, "MaxLOD", _FLOAT, _NONE),
)

STATES: dict[S, EffectStateInfo] = {
    **PASS_STATES,
    **_rows(O.RASTERIZER, _RASTERIZER),
    **_rows(O.DEPTH_STENCIL, _DEPTH_STENCIL),
    **_rows(O.BLEND, _BLEND),
    **_rows(O.SAMPLER, _SAMPLER),
    S.TEXTURE: EffectStateInfo("Texture", StateType.OBJECT, O.SAMPLER, _NONE, objects=_TEXTURES),
}
"""Every state."""
