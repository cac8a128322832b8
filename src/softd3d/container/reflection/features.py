"""The SFI0 chunk: what the shader needs beyond its feature level."""

from __future__ import annotations

from enum import IntFlag

from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.pool import fitting

__all__ = [
    "FEATURE_TEXTS",
    "ShaderFeatures",
    "build_features",
    "feature_texts",
    "parse_features",
]


class ShaderFeatures(IntFlag):
    """Bits of SFI0; names as D3D_SHADER_REQUIRES_* (d3d11shader.h) where that has the bit.

    RAW_AND_STRUCTURED_BUFFERS is the exception: reflection drops it and uses its number for forced
    early depth and stencil tests, which a token of the program says. Bits of shader model 6 stay
    unnamed.
    """

    NONE = 0
    DOUBLES = 1 << 0
    RAW_AND_STRUCTURED_BUFFERS = 1 << 1
    UAVS_AT_EVERY_STAGE = 1 << 2
    UAVS_64 = 1 << 3
    MINIMUM_PRECISION = 1 << 4
    DOUBLE_EXTENSIONS_11_1 = 1 << 5
    SHADER_EXTENSIONS_11_1 = 1 << 6
    LEVEL_9_COMPARISON_FILTERING = 1 << 7
    TILED_RESOURCES = 1 << 8
    STENCIL_REF = 1 << 9
    INNER_COVERAGE = 1 << 10
    TYPED_UAV_LOAD_ADDITIONAL_FORMATS = 1 << 11
    ROVS = 1 << 12
    VIEWPORT_AND_RT_ARRAY_INDEX_FROM_ANY_SHADER_FEEDING_RASTERIZER = 1 << 13


_EARLY_DEPTH_STENCIL_TEXT = "Early depth-stencil"
FEATURE_TEXTS: dict[ShaderFeatures, str] = {
    ShaderFeatures.DOUBLES: "Double-precision floating point",
    ShaderFeatures.RAW_AND_STRUCTURED_BUFFERS: "Raw and Structured buffers",
    ShaderFeatures.UAVS_AT_EVERY_STAGE: "UAVs at every shader stage",
    ShaderFeatures.UAVS_64: "64 UAV slots",
    ShaderFeatures.MINIMUM_PRECISION: "Minimum-precision data types",
    ShaderFeatures.DOUBLE_EXTENSIONS_11_1: "Double-precision extensions for 11.1",
    ShaderFeatures.SHADER_EXTENSIONS_11_1: "Shader extensions for 11.1",
    ShaderFeatures.LEVEL_9_COMPARISON_FILTERING: "Comparison filtering for feature level 9",
    ShaderFeatures.TILED_RESOURCES: "Tiled resources",
    ShaderFeatures.STENCIL_REF: "PS Output Stencil Ref",
    ShaderFeatures.INNER_COVERAGE: "PS Inner Coverage",
    ShaderFeatures.TYPED_UAV_LOAD_ADDITIONAL_FORMATS: "Typed UAV Load Additional Formats",
    ShaderFeatures.ROVS: "Raster Ordered UAVs",
    ShaderFeatures.VIEWPORT_AND_RT_ARRAY_INDEX_FROM_ANY_SHADER_FEEDING_RASTERIZER: (
        "SV_RenderTargetArrayIndex or SV_ViewportArrayIndex from any shader feeding rasterizer"
    ),
}
"""A text for each bit, lowest first: that of Microsoft's disassembler where it prints the bit."""


def parse_features(chunk: Chunk) -> ShaderFeatures:
    """Read an SFI0 chunk, 64 bits.

    Raises:
        ContainerError: it is shorter.
    """
    low, high = chunk.reader().dwords(0, 2)
    return ShaderFeatures(low | high << 32)


def build_features(features: ShaderFeatures) -> bytes:
    """Return the data of an SFI0 chunk, 8 bytes.

    Raises:
        ContainerError: it has bits beyond the 64.

    >>> build_features(ShaderFeatures.TILED_RESOURCES).hex()
    '0001000000000000'
    """
    return fitting(features, 64, "SFI0: features").to_bytes(8, "little")


def feature_texts(
    features: ShaderFeatures, *, forces_early_depth_stencil: bool = False
) -> list[str]:
    """Return what Microsoft's disassembler notes as required functionality, line by line.

    It says nothing of raw and structured buffers, and puts forced early depth-stencil tests (of
    dcl_globalFlags) in their place.

    >>> feature_texts(ShaderFeatures.TILED_RESOURCES | ShaderFeatures.DOUBLES)
    ['Double-precision floating point', 'Tiled resources']
    """
    if not features and not forces_early_depth_stencil:
        return []
    texts = dict(FEATURE_TEXTS)
    raw = ShaderFeatures.RAW_AND_STRUCTURED_BUFFERS
    texts[raw] = _EARLY_DEPTH_STENCIL_TEXT
    shown = features | raw if forces_early_depth_stencil else features & ~raw
    return [text for feature, text in texts.items() if feature in shown]
