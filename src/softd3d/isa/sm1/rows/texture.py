"""Texture instructions of ps_2_0 and later, of ps_1_4, and of vs_3_0.

The function of a row with effects takes the machine, the profile, the sources, then what its
controls say. Spec: Direct3D 9 shader assembly reference, "Texture instructions"; docs of choices:
docs/numbers-d3d9.md, "Textures".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from softd3d.algebra.float_rules import saturate
from softd3d.algebra.operations import select
from softd3d.algebra.value import Value
from softd3d.isa.roles import Flow
from softd3d.isa.row import Controls
from softd3d.isa.sm1.enums import Opcode, TexldControl
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.rows.lookups import by_derivatives, in_quad, is_cube, with_level
from softd3d.isa.sm1.rows.table import ALWAYS, SM2, SM2X, SM3, TEX1, Since, effect, pure, row

if TYPE_CHECKING:
    from softd3d.isa.machine import Machine
    from softd3d.isa.sampling.d3d9.sample import Texel, Texture

__all__ = ["depth_of"]

Vector: TypeAlias = "tuple[Value, ...]"
_PS_1_4: Since = ((1, 4), (1, 4))


@effect(Opcode.TEX, "tex", "x=", Controls.PROJECTED | Controls.STAGE_TEXTURE, ps=TEX1)
def tex(m: Machine, p: Profile, coordinates: Vector, texture: Texture) -> Texel:
    """Sample the destination's stage at its coordinates."""
    return in_quad(m, p, texture, coordinates)


@effect(
    Opcode.TEX, "texld", "x=x", Controls.STAGE_TEXTURE, ps=_PS_1_4, spec="texld---ps-1-4"
)  # fmt: skip
def texld_of_stage(m: Machine, p: Profile, coordinates: Vector, texture: Texture) -> Texel:
    """Sample the destination's stage at s0."""
    return in_quad(m, p, texture, coordinates)


@effect(
    Opcode.TEX,
    "texld",
    "x=xS",
    Controls.LOOKUP | Controls.QUAD,
    ps=SM2,
    spec="texld---ps-2-0-and-up",
)
def texld(
    m: Machine, p: Profile, coordinates: Vector, texture: Texture, kind: TexldControl
) -> Texel:
    """Sample; `texldp` divides the coordinates by w first, `texldb` adds w to the level.

    The quotient is that of IEEE 754. Directions in cubes are not divided.
    """
    x, y, z, w = coordinates
    if kind is TexldControl.PROJECT and not is_cube(texture):
        x, y, z = x / w, y / w, z / w
    bias = w if kind is TexldControl.BIAS else None
    return in_quad(m, p, texture, (x, y, z, w), bias)


@effect(Opcode.TEXLDD, "texldd", "x=xSxx", ps=SM2X)
def texldd(
    m: Machine, p: Profile, coordinates: Vector, texture: Texture, dx: Vector, dy: Vector
) -> Texel:
    """Sample with the level that two gradients of the coordinates give."""
    return by_derivatives(m, p, texture, coordinates, dx, dy)


@effect(Opcode.TEXLDL, "texldl", "x=xS", vs=SM3, ps=SM3)
def texldl(m: Machine, p: Profile, coordinates: Vector, texture: Texture) -> Texel:
    """Sample at the level in s0.w."""
    return with_level(m, p, texture, coordinates, coordinates[3])


@pure(Opcode.TEXCOORD, "texcoord", "x=", Controls.COORDINATES, ps=TEX1)
def texcoord(_: Profile, coordinates: Vector) -> Vector:
    """The stage's coordinates, clamped to 0 to 1, as a colour with an alpha of 1."""
    x, y, z, w = coordinates
    return saturate(x), saturate(y), saturate(z), w.like(1.0)


@pure(Opcode.TEXCOORD, "texcrd", "x=x", ps=_PS_1_4)
def texcrd(_: Profile, coordinates: Vector) -> Vector:
    """Copy coordinates, unclamped; w is not written."""
    return coordinates[:3]


row(
    Opcode.TEXKILL, "texkill", "x=",
    "Drop the pixel if a component of the register is negative.", ps=ALWAYS, role=Flow.DISCARD,
)  # fmt: skip


def depth_of(z: Value, w: Value) -> Value:
    """Return z / w as a depth, clamped to 0 to 1; it is 1 if w is 0."""
    return saturate(select(w.eq(0.0), 1.0, z / w))


@pure(
    Opcode.TEXDEPTH, "texdepth", "x=", Controls.CONTENTS | Controls.DEPTH, ps=_PS_1_4
)  # fmt: skip
def texdepth(_: Profile, contents: Vector) -> Value:
    """Take the pixel's depth from r / g of r5, of which g counts as 1 at most.

    The quotient is clamped to 0 to 1; where g is 0 it is 1.
    """
    r, g = contents[:2]
    return depth_of(r, select(g < 1.0, g, 1.0))
