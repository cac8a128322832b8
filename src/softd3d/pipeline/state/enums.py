"""The enumerations of pipeline states (d3d11.h, d3dcommon.h); members keep the C names."""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = [
    "Blend",
    "BlendOp",
    "ColorWriteEnable",
    "ConservativeRasterizationMode",
    "CullMode",
    "DepthWriteMask",
    "FillMode",
    "InputClassification",
    "LogicOp",
    "PrimitiveTopology",
    "StencilOp",
]


class PrimitiveTopology(IntEnum):
    """D3D11_PRIMITIVE_TOPOLOGY: how vertices become primitives.

    PATCHLIST_n is n_CONTROL_POINT_PATCHLIST in C, whose names are no names in Python.
    """

    UNDEFINED = 0
    POINTLIST = 1
    LINELIST = 2
    LINESTRIP = 3
    TRIANGLELIST = 4
    TRIANGLESTRIP = 5
    LINELIST_ADJ = 10
    LINESTRIP_ADJ = 11
    TRIANGLELIST_ADJ = 12
    TRIANGLESTRIP_ADJ = 13
    PATCHLIST_1 = 33
    PATCHLIST_2 = 34
    PATCHLIST_3 = 35
    PATCHLIST_4 = 36
    PATCHLIST_5 = 37
    PATCHLIST_6 = 38
    PATCHLIST_7 = 39
    PATCHLIST_8 = 40
    PATCHLIST_9 = 41
    PATCHLIST_10 = 42
    PATCHLIST_11 = 43
    PATCHLIST_12 = 44
    PATCHLIST_13 = 45
    PATCHLIST_14 = 46
    PATCHLIST_15 = 47
    PATCHLIST_16 = 48
    PATCHLIST_17 = 49
    PATCHLIST_18 = 50
    PATCHLIST_19 = 51
    PATCHLIST_20 = 52
    PATCHLIST_21 = 53
    PATCHLIST_22 = 54
    PATCHLIST_23 = 55
    PATCHLIST_24 = 56
    PATCHLIST_25 = 57
    PATCHLIST_26 = 58
    PATCHLIST_27 = 59
    PATCHLIST_28 = 60
    PATCHLIST_29 = 61
    PATCHLIST_30 = 62
    PATCHLIST_31 = 63
    PATCHLIST_32 = 64

    @property
    def control_points(self) -> int:
        """Control points of a patch, 0 of other topologies."""
        return max(self - 32, 0)

    @property
    def has_adjacency(self) -> bool:
        return PrimitiveTopology.LINELIST_ADJ <= self <= PrimitiveTopology.TRIANGLESTRIP_ADJ


class FillMode(IntEnum):
    """D3D11_FILL_MODE."""

    WIREFRAME = 2
    SOLID = 3


class CullMode(IntEnum):
    """D3D11_CULL_MODE: which triangles are not drawn."""

    NONE = 1
    FRONT = 2
    BACK = 3


class ConservativeRasterizationMode(IntEnum):
    """D3D11_CONSERVATIVE_RASTERIZATION_MODE."""

    OFF = 0
    ON = 1


class DepthWriteMask(IntEnum):
    """D3D11_DEPTH_WRITE_MASK."""

    ZERO = 0
    ALL = 1


class StencilOp(IntEnum):
    """D3D11_STENCIL_OP: what a test's outcome does to the stored stencil value."""

    KEEP = 1
    ZERO = 2
    REPLACE = 3
    INCR_SAT = 4
    DECR_SAT = 5
    INVERT = 6
    INCR = 7
    DECR = 8


class Blend(IntEnum):
    """D3D11_BLEND: what a colour is multiplied by."""

    ZERO = 1
    ONE = 2
    SRC_COLOR = 3
    INV_SRC_COLOR = 4
    SRC_ALPHA = 5
    INV_SRC_ALPHA = 6
    DEST_ALPHA = 7
    INV_DEST_ALPHA = 8
    DEST_COLOR = 9
    INV_DEST_COLOR = 10
    SRC_ALPHA_SAT = 11
    BLEND_FACTOR = 14
    INV_BLEND_FACTOR = 15
    SRC1_COLOR = 16
    INV_SRC1_COLOR = 17
    SRC1_ALPHA = 18
    INV_SRC1_ALPHA = 19

    @property
    def is_color(self) -> bool:
        """Whether it differs between red, green and blue by a pixel's colours: none of alpha."""
        return self.name.removeprefix("INV_") in ("SRC_COLOR", "DEST_COLOR", "SRC1_COLOR")

    @property
    def is_dual_source(self) -> bool:
        """Whether it takes the pixel shader's second output."""
        return self >= Blend.SRC1_COLOR


class BlendOp(IntEnum):
    """D3D11_BLEND_OP: how source and destination are joined. MIN and MAX ignore factors."""

    ADD = 1
    SUBTRACT = 2
    REV_SUBTRACT = 3
    MIN = 4
    MAX = 5


class LogicOp(IntEnum):
    """D3D11_LOGIC_OP: operations on the bits of source and destination."""

    CLEAR = 0
    SET = 1
    COPY = 2
    COPY_INVERTED = 3
    NOOP = 4
    INVERT = 5
    AND = 6
    NAND = 7
    OR = 8
    NOR = 9
    XOR = 10
    EQUIV = 11
    AND_REVERSE = 12
    AND_INVERTED = 13
    OR_REVERSE = 14
    OR_INVERTED = 15


class ColorWriteEnable(IntFlag):
    """D3D11_COLOR_WRITE_ENABLE: bits of the components that are written."""

    RED = 1
    GREEN = 2
    BLUE = 4
    ALPHA = 8
    ALL = 15


class InputClassification(IntEnum):
    """D3D11_INPUT_CLASSIFICATION: what an element's data belongs to."""

    PER_VERTEX_DATA = 0
    PER_INSTANCE_DATA = 1
