"""State objects of the pipeline, with Direct3D's names in Python's spelling and its defaults."""

from softd3d.pipeline.state.blend import BlendState, RenderTargetBlendDesc
from softd3d.pipeline.state.depth_stencil import DepthStencilOpDesc, DepthStencilState
from softd3d.pipeline.state.enums import (
    Blend,
    BlendOp,
    ColorWriteEnable,
    ConservativeRasterizationMode,
    CullMode,
    DepthWriteMask,
    FillMode,
    InputClassification,
    LogicOp,
    PrimitiveTopology,
    StencilOp,
)
from softd3d.pipeline.state.input_layout import (
    APPEND_ALIGNED_ELEMENT,
    InputElement,
)
from softd3d.pipeline.state.rasterizer import (
    RasterizerState,
    RasterizerState9,
    Rect,
    ReversibleViewport,
    Viewport,
)
from softd3d.pipeline.state.stream_output import (
    SO_NO_RASTERIZED_STREAM,
    SODeclarationEntry,
    StreamOutput,
)

__all__ = [
    "APPEND_ALIGNED_ELEMENT",
    "SO_NO_RASTERIZED_STREAM",
    "Blend",
    "BlendOp",
    "BlendState",
    "ColorWriteEnable",
    "ConservativeRasterizationMode",
    "CullMode",
    "DepthStencilOpDesc",
    "DepthStencilState",
    "DepthWriteMask",
    "FillMode",
    "InputClassification",
    "InputElement",
    "LogicOp",
    "PrimitiveTopology",
    "RasterizerState",
    "RasterizerState9",
    "Rect",
    "RenderTargetBlendDesc",
    "ReversibleViewport",
    "SODeclarationEntry",
    "StencilOp",
    "StreamOutput",
    "Viewport",
]
