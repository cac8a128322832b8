"""Texture instructions of pixel shaders, and of vs_3_0.

Up to ps_1_3 the destination's number is the stage, and t# holds its coordinates before it holds
the texel. Spec: Direct3D 9 shader assembly reference, "Texture instructions".
"""

from __future__ import annotations

from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.rows.table import SM2, SM2X, SM3, TEX1, Since, row

__all__: list[str] = []

_PS_1_4: Since = ((1, 4), (1, 4))
_FROM_1_2: Since = ((1, 2), (1, 3))

row(Opcode.TEX, "tex", "x=", "Sample the destination's stage at its coordinates.", ps=TEX1)
row(
    Opcode.TEX, "texld", "x=x",
    "Sample the destination's stage at s0.", ps=_PS_1_4, spec="texld---ps-1-4",
)  # fmt: skip
row(
    Opcode.TEX, "texld", "x=xS",
    "Sample; `texldp` divides the coordinates by w first, `texldb` adds w to the level.",
    ps=SM2, spec="texld---ps-2-0-and-up",
)  # fmt: skip
row(
    Opcode.TEXLDD, "texldd", "x=xSxx",
    "Sample with the level that two gradients of the coordinates give.", ps=SM2X,
)  # fmt: skip
row(Opcode.TEXLDL, "texldl", "x=xS", "Sample at the level in s0.w.", vs=SM3, ps=SM3)
row(
    Opcode.TEXCOORD, "texcoord", "x=",
    "The stage's coordinates, clamped to 0 to 1, as a colour.", ps=TEX1,
)  # fmt: skip
row(Opcode.TEXCOORD, "texcrd", "x=x", "Copy coordinates, unclamped.", ps=_PS_1_4)
row(
    Opcode.TEXKILL, "texkill", "x=",
    "Drop the pixel if a component of the register is negative.", ps=((1, 0), None),
)  # fmt: skip
row(
    Opcode.TEXDEPTH, "texdepth", "x=",
    "Take the pixel's depth from r / g of r5.", ps=_PS_1_4,
)  # fmt: skip

row(
    Opcode.TEXBEM, "texbem", "x=x",
    "Sample at the stage's coordinates, moved by s0.xy turned by the bump matrix.", ps=TEX1,
)  # fmt: skip
row(Opcode.TEXBEML, "texbeml", "x=x", "As texbem, times a luminance from s0.z.", ps=TEX1)
row(Opcode.TEXREG2AR, "texreg2ar", "x=x", "Sample at s0.wx.", ps=TEX1)
row(Opcode.TEXREG2GB, "texreg2gb", "x=x", "Sample at s0.yz.", ps=TEX1)
row(Opcode.TEXREG2RGB, "texreg2rgb", "x=x", "Sample at s0.xyz.", ps=_FROM_1_2)
row(
    Opcode.TEXM3X2PAD, "texm3x2pad", "x=x",
    "First row of a product with a matrix of two rows.", ps=TEX1,
)  # fmt: skip
row(Opcode.TEXM3X2TEX, "texm3x2tex", "x=x", "Last of two rows; sample there.", ps=TEX1)
row(
    Opcode.TEXM3X2DEPTH, "texm3x2depth", "x=x",
    "Last of two rows; their quotient is the pixel's depth.", ps=((1, 3), (1, 3)),
)  # fmt: skip
row(
    Opcode.TEXM3X3PAD, "texm3x3pad", "x=x",
    "First or second row of a product with a matrix of three rows.", ps=TEX1,
)  # fmt: skip
row(Opcode.TEXM3X3, "texm3x3", "x=x", "Last of three rows; the product.", ps=_FROM_1_2)
row(Opcode.TEXM3X3TEX, "texm3x3tex", "x=x", "Last of three rows; sample there.", ps=TEX1)
row(
    Opcode.TEXM3X3SPEC, "texm3x3spec", "x=xx",
    "Last of three rows; sample in the direction of s1 reflected at it.", ps=TEX1,
)  # fmt: skip
row(
    Opcode.TEXM3X3VSPEC, "texm3x3vspec", "x=x",
    "As texm3x3spec, with the direction from w of the three coordinates.", ps=TEX1,
)  # fmt: skip
row(
    Opcode.TEXDP3, "texdp3", "x=x",
    "Dot product of the stage's coordinates and s0.", ps=_FROM_1_2,
)  # fmt: skip
row(Opcode.TEXDP3TEX, "texdp3tex", "x=x", "As texdp3; sample a line there.", ps=_FROM_1_2)
