"""How effects of Direct3D 9 write the values of states: by name, as flags, or in hex.

Spec: win32 "Effect States (Direct3D 9)", whose names are those of d3d9types.h without prefix; that
the compiler takes them for these numbers was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class StateValues:
    """How the value of a state is written.

    names: of whole values, or of what the bits in `field_mask` can be. flags: of single bits, which
    are written behind that.
    """

    names: Mapping[int, str] = field(default_factory=dict[int, str])
    flags: Mapping[int, str] = field(default_factory=dict[int, str])
    field_mask: int = 0xFFFFFFFF
    is_hex: bool = False

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


def _named(names: str, start: int = 1) -> StateValues:
    """Return values that are counted from `start` on."""
    return StateValues(dict(enumerate(names.split(), start)))


def _flags(names: str) -> StateValues:
    """Return values that are sets of bits, from the lowest on."""
    return StateValues(flags={1 << n: name for n, name in enumerate(names.split())}, field_mask=0)


NUMBER = StateValues()
HEX = StateValues(is_hex=True)
BOOLEANS = _named("FALSE TRUE", 0)
Z_BUFFERS = _named("FALSE TRUE USEW", 0)
FILLS = _named("POINT WIREFRAME SOLID")
SHADES = _named("FLAT GOURAUD PHONG")
BLENDS = _named(
    "ZERO ONE SRCCOLOR INVSRCCOLOR SRCALPHA INVSRCALPHA DESTALPHA INVDESTALPHA DESTCOLOR "
    "INVDESTCOLOR SRCALPHASAT BOTHSRCALPHA BOTHINVSRCALPHA BLENDFACTOR INVBLENDFACTOR"
)
ALPHA_BLENDS = StateValues(
    {
        number: name
        for number, name in BLENDS.names.items()
        if number in (1, 2, 5, 6, 7, 8, 11, 14, 15)
    }
)
BLEND_OPS = _named("ADD SUBTRACT REVSUBTRACT MIN MAX")
CULLS = _named("NONE CW CCW")
COMPARISONS = _named("NEVER LESS EQUAL LESSEQUAL GREATER NOTEQUAL GREATEREQUAL ALWAYS")
FOGS = _named("NONE EXP EXP2 LINEAR", 0)
STENCILS = _named("KEEP ZERO REPLACE INCRSAT DECRSAT INVERT INCR DECR")
WRAPS = _flags("COORD0 COORD1 COORD2 COORD3")
SOURCES = _named("MATERIAL COLOR1 COLOR2", 0)
VERTEX_BLENDS = StateValues(
    {0: "DISABLE", 1: "1WEIGHTS", 2: "2WEIGHTS", 3: "3WEIGHTS", 255: "TWEENING", 256: "0WEIGHTS"}
)
CLIP_PLANES = _flags("CLIPPLANE0 CLIPPLANE1 CLIPPLANE2 CLIPPLANE3 CLIPPLANE4 CLIPPLANE5")
PATCH_EDGES = _named("DISCRETE CONTINUOUS", 0)
COLOR_WRITES = _flags("RED GREEN BLUE ALPHA")
DEGREES = StateValues({1: "LINEAR", 2: "QUADRATIC", 3: "CUBIC", 5: "QUINTIC"})
TEXTURE_OPS = _named(
    "DISABLE SELECTARG1 SELECTARG2 MODULATE MODULATE2X MODULATE4X ADD ADDSIGNED ADDSIGNED2X "
    "SUBTRACT ADDSMOOTH BLENDDIFFUSEALPHA BLENDTEXTUREALPHA BLENDFACTORALPHA BLENDTEXTUREALPHAPM "
    "BLENDCURRENTALPHA PREMODULATE MODULATEALPHA_ADDCOLOR MODULATECOLOR_ADDALPHA "
    "MODULATEINVALPHA_ADDCOLOR MODULATEINVCOLOR_ADDALPHA BUMPENVMAP BUMPENVMAPLUMINANCE "
    "DOTPRODUCT3 MULTIPLYADD LERP"
)
TEXTURE_ARGUMENTS = StateValues(
    _named("DIFFUSE CURRENT TEXTURE TFACTOR SPECULAR TEMP CONSTANT", 0).names,
    {0x10: "COMPLEMENT", 0x20: "ALPHAREPLICATE"},
    0xF,
)
TEXCOORDS = StateValues(
    flags={
        0x10000: "CAMERASPACENORMAL",
        0x20000: "CAMERASPACEPOSITION",
        0x40000: "SPHEREMAP",
    },
    field_mask=0xFFFF,
)
TRANSFORMS = StateValues(
    _named("DISABLE COUNT1 COUNT2 COUNT3 COUNT4", 0).names, {0x100: "PROJECTED"}, 0xFF
)
FVFS = HEX  # its parts overlap, so that no text of theirs is the only one
LIGHTS = _named("POINT SPOT DIRECTIONAL")
ADDRESSES = _named("WRAP MIRROR CLAMP BORDER MIRRORONCE")
FILTERS = StateValues(
    {
        0: "NONE",
        1: "POINT",
        2: "LINEAR",
        3: "ANISOTROPIC",
        6: "PYRAMIDALQUAD",
        7: "GAUSSIANQUAD",
    }
)
