"""Direct3D 9: a device with its calls, and what they take. docs/direct3d9.md is the guide.

device = softd3d.d3d9.Device(640, 480)
device.set_render_state("CULLMODE", "NONE")
device.draw_primitive_up("TRIANGLELIST", 1, vertices, 16)
"""

from __future__ import annotations

from softd3d.device.d3d9.buffers import IndexBuffer9, VertexBuffer9
from softd3d.device.d3d9.creation_calls import UsageFlags
from softd3d.device.d3d9.declarations import (
    VertexDeclaration9,
    VertexElement9,
    declaration_of_fvf,
)
from softd3d.device.d3d9.device import Device
from softd3d.device.d3d9.queries import IssueFlags, Query9, QueryType
from softd3d.device.d3d9.shaders import PixelShader9, VertexShader9
from softd3d.device.d3d9.state import StreamSource, Viewport9
from softd3d.device.d3d9.state_blocks import StateBlock9, StateBlockType
from softd3d.device.effects9.effect import Effect, EffectPass, EffectPool, EffectTechnique
from softd3d.device.effects9.parameters import EffectParameter
from softd3d.device.effects9.scene import EffectPicture, EffectScene
from softd3d.device.effects9.shader_parameters import ShaderParameters
from softd3d.isa.d3d9.enums import (
    Blend,
    BlendOp,
    ClearFlags,
    ClipPlane,
    CmpFunc,
    ColorWriteEnable,
    Cull,
    DeclType,
    FillMode,
    FogMode,
    Fvf,
    LightType,
    MaterialColorSource,
    PrimitiveType,
    ShadeMode,
    StencilOp,
    TextureAddress,
    TextureArgument,
    TextureCoordinates,
    TextureFilterType,
    TextureOp,
    TextureTransformFlags,
    VertexBlendFlags,
    Wrap,
    ZBufferType,
)
from softd3d.isa.d3d9.states import (
    RenderState,
    SamplerStateType,
    TextureStageState,
    TransformState,
)
from softd3d.isa.sm1.enums import Usage
from softd3d.pipeline.fixed9.state import Light, Material
from softd3d.pipeline.state import Rect
from softd3d.resources.d3d9.locks import LockFlags
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9, Texture9, TextureType

__all__ = [
    "Blend",
    "BlendOp",
    "ClearFlags",
    "ClipPlane",
    "CmpFunc",
    "ColorWriteEnable",
    "Cull",
    "DeclType",
    "Device",
    "Effect",
    "EffectParameter",
    "EffectPass",
    "EffectPicture",
    "EffectPool",
    "EffectScene",
    "EffectTechnique",
    "FillMode",
    "FogMode",
    "Fvf",
    "IndexBuffer9",
    "IssueFlags",
    "Light",
    "LightType",
    "LockFlags",
    "Material",
    "MaterialColorSource",
    "Origin",
    "PixelShader9",
    "Pool",
    "PrimitiveType",
    "Query9",
    "QueryType",
    "Rect",
    "RenderState",
    "SamplerStateType",
    "ShadeMode",
    "ShaderParameters",
    "StateBlock9",
    "StateBlockType",
    "StencilOp",
    "StreamSource",
    "Surface9",
    "Texture9",
    "TextureAddress",
    "TextureArgument",
    "TextureCoordinates",
    "TextureFilterType",
    "TextureOp",
    "TextureStageState",
    "TextureTransformFlags",
    "TextureType",
    "TransformState",
    "Usage",
    "UsageFlags",
    "VertexBlendFlags",
    "VertexBuffer9",
    "VertexDeclaration9",
    "VertexElement9",
    "VertexShader9",
    "Viewport9",
    "Wrap",
    "ZBufferType",
    "declaration_of_fvf",
]
