"""How effects of Direct3D 9 write the values of states: by name, as flags, or in hex.

Spec: win32 "Effect States (Direct3D 9)", whose names are those of d3d9types.h without prefix; that
the compiler takes them for these numbers was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum, IntFlag

from softd3d.classes import dataclass
from softd3d.isa.d3d9 import enums as e

__all__ = [
    "ADDRESSES",
    "ALPHA_BLENDS",
    "BLENDS",
    "BLEND_OPS",
    "BOOLEANS",
    "CLIP_PLANES",
    "COLOR_WRITES",
    "COMPARISONS",
    "CULLS",
    "DEGREES",
    "FILLS",
    "FILTERS",
    "FOGS",
    "FVFS",
    "HEX",
    "LIGHTS",
    "NUMBER",
    "PATCH_EDGES",
    "SHADES",
    "SOURCES",
    "STENCILS",
    "TEXCOORDS",
    "TEXTURE_ARGUMENTS",
    "TEXTURE_OPS",
    "TRANSFORMS",
    "VERTEX_BLENDS",
    "WRAPS",
    "Z_BUFFERS",
    "StateValues",
]

_A, _C, _X = e.TextureArgument, e.TextureCoordinates, e.TextureTransformFlags


@dataclass(frozen=True, slots=True)
class StateValues:
    """How the value of a state is written.

    names: of whole values, or of what the bits in `field_mask` can be. flags: of single bits, which
    are written behind that. prefix: of the names in d3d9types.h.
    """

    names: Mapping[int, str] = field(default_factory=dict[int, str])
    flags: Mapping[int, str] = field(default_factory=dict[int, str])
    field_mask: int = 0xFFFFFFFF
    is_hex: bool = False
    prefix: str = ""

    def text(self, value: int) -> str:
        """Return a value (32 bits) as source text.

        >>> COLOR_WRITES.text(7)
        'RED | GREEN | BLUE'
        >>> CULLS.text(9)
        '9'
        """
        if self.is_hex:
            return f"{value:#010x}"
        whole, rest = value & self.field_mask, value & ~self.field_mask
        words = [name for bit, name in self.flags.items() if rest & bit]
        if rest & ~sum(bit for bit in self.flags):
            return f"{value:#x}"
        if whole in self.names:
            words.insert(0, self.names[whole])
        elif whole or not words:
            words.insert(0, str(whole))
        return " | ".join(words)


def _named(numbers: type[IntEnum], *without: int, prefix: str) -> StateValues:
    """Return values that are the numbers of an enumeration; without: some that effects lack."""
    names = {m.value: m.name for m in numbers if m not in without}
    return StateValues(names, prefix=prefix)


def _flags(bits: type[IntFlag], prefix: str = "") -> StateValues:
    """Return values that are sets of bits, from the lowest on."""
    names = {m.value: str(m.name) for m in bits}
    return StateValues(flags=names, field_mask=0, prefix=prefix)


NUMBER = StateValues()
HEX = StateValues(is_hex=True)
BOOLEANS = StateValues({0: "FALSE", 1: "TRUE"})
Z_BUFFERS = _named(e.ZBufferType, prefix="D3DZB_")
FILLS = _named(e.FillMode, prefix="D3DFILL_")
SHADES = _named(e.ShadeMode, prefix="D3DSHADE_")
BLENDS = _named(e.Blend, e.Blend.SRCCOLOR2, e.Blend.INVSRCCOLOR2, prefix="D3DBLEND_")
ALPHA_BLENDS = StateValues(
    {
        number: name
        for number, name in BLENDS.names.items()
        if number in (1, 2, 5, 6, 7, 8, 11, 14, 15)
    },
    prefix=BLENDS.prefix,
)
BLEND_OPS = _named(e.BlendOp, prefix="D3DBLENDOP_")
CULLS = _named(e.Cull, prefix="D3DCULL_")
COMPARISONS = _named(e.CmpFunc, prefix="D3DCMP_")
FOGS = _named(e.FogMode, prefix="D3DFOG_")
STENCILS = _named(e.StencilOp, prefix="D3DSTENCILOP_")
WRAPS = _flags(e.Wrap)
SOURCES = _named(e.MaterialColorSource, prefix="D3DMCS_")
VERTEX_BLENDS = StateValues(
    {0: "DISABLE", 1: "1WEIGHTS", 2: "2WEIGHTS", 3: "3WEIGHTS", 255: "TWEENING", 256: "0WEIGHTS"},
    prefix="D3DVBF_",
)
CLIP_PLANES = _flags(e.ClipPlane)
PATCH_EDGES = _named(e.PatchEdgeStyle, prefix="D3DPATCHEDGE_")
COLOR_WRITES = _flags(e.ColorWriteEnable, prefix="D3DCOLORWRITEENABLE_")
DEGREES = _named(e.DegreeType, prefix="D3DDEGREE_")
TEXTURE_OPS = _named(e.TextureOp, prefix="D3DTOP_")
TEXTURE_ARGUMENTS = StateValues(
    {n: str(_A(n).name) for n in range(_A.CONSTANT + 1)},
    {int(flag): str(flag.name) for flag in (_A.COMPLEMENT, _A.ALPHAREPLICATE)},
    _A.SELECTMASK,
    prefix="D3DTA_",
)
TEXCOORDS = StateValues(
    flags={
        int(flag): str(flag.name)
        for flag in (_C.CAMERASPACENORMAL, _C.CAMERASPACEPOSITION, _C.SPHEREMAP)
    },
    field_mask=0xFFFF,
    prefix="D3DTSS_TCI_",
)
TRANSFORMS = StateValues(
    {n: str(_X(n).name) for n in range(_X.COUNT4 + 1)},
    {int(_X.PROJECTED): "PROJECTED"},
    0xFF,
    prefix="D3DTTFF_",
)
FVFS = HEX  # its parts overlap, so that no text of theirs is the only one
LIGHTS = _named(e.LightType, prefix="D3DLIGHT_")
ADDRESSES = _named(e.TextureAddress, prefix="D3DTADDRESS_")
FILTERS = _named(e.TextureFilterType, prefix="D3DTEXF_")
