"""Texture address instructions of ps_1_0 to ps_1_3: a stage is sampled where another one says.

The destination's number is the stage: its texture, its coordinates (as interpolated, whatever t#
holds by now) and its bump environment. Instructions with several rows hold the first ones' dot
products in t# until the last one. Spec: Direct3D 9 shader assembly reference, "Texture
instructions" of ps_1_X.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from softd3d.algebra.value import Value
from softd3d.isa.row import Controls
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.rows.lookups import in_quad
from softd3d.isa.sm1.rows.table import TEX1, Since, effect, pure
from softd3d.isa.sm1.rows.texture import depth_of
from softd3d.isa.sm1.rows.vector import displaced

if TYPE_CHECKING:
    from softd3d.isa.machine import Machine
    from softd3d.isa.sampling.d3d9.sample import Texel, Texture

__all__: list[str] = []

Vector: TypeAlias = "tuple[Value, ...]"
Matrix: TypeAlias = "tuple[Value, Value, Value, Value]"
_FROM_1_2: Since = ((1, 2), (1, 3))
_COORDINATES = Controls.COORDINATES
_ROWS = Controls.COORDINATES | Controls.ROWS
_TEXTURE = Controls.STAGE_TEXTURE
_BUMP = Controls.BUMP_MATRIX | Controls.PROJECTED | Controls.STAGE_TEXTURE


def _sampled(m: Machine, p: Profile, texture: Texture, *at: Value) -> Texel:
    """Sample at the coordinates given; those that are not are 0."""
    rest = (at[0].like(0.0),) * (4 - len(at))
    return in_quad(m, p, texture, (*at, *rest))


@effect(Opcode.TEXBEM, "texbem", "x=x", _BUMP, ps=TEX1)
def texbem(
    m: Machine, p: Profile, a: Vector, matrix: Matrix, coordinates: Vector, texture: Texture
) -> Texel:
    """Sample at the stage's coordinates, moved by s0.xy turned by the bump matrix.

    Only the coordinates are projected, before the sum.
    """
    u, v = displaced(p, coordinates, a, matrix)
    return in_quad(m, p, texture, (u, v, *coordinates[2:]))


@effect(Opcode.TEXBEML, "texbeml", "x=x", _BUMP | Controls.LUMINANCE, ps=TEX1)
def texbeml(
    m: Machine, p: Profile, a: Vector, matrix: Matrix, luminance: tuple[Value, Value],
    coordinates: Vector, texture: Texture,
) -> Texel:  # fmt: skip
    """As texbem, times a luminance from s0.z: scaled and moved, and not clamped.

    luminance: D3DTSS_BUMPENVLSCALE, D3DTSS_BUMPENVLOFFSET.
    """
    scale, offset = luminance
    factor = p.multiply(a[2], scale) + offset
    texel = texbem(m, p, a, matrix, coordinates, texture)
    return tuple(None if c is None else p.multiply(c, factor) for c in texel)


@effect(Opcode.TEXREG2AR, "texreg2ar", "x=x", _TEXTURE, ps=TEX1)
def texreg2ar(m: Machine, p: Profile, a: Vector, texture: Texture) -> Texel:
    """Sample at s0.wx."""
    return _sampled(m, p, texture, a[3], a[0])


@effect(Opcode.TEXREG2GB, "texreg2gb", "x=x", _TEXTURE, ps=TEX1)
def texreg2gb(m: Machine, p: Profile, a: Vector, texture: Texture) -> Texel:
    """Sample at s0.yz."""
    return _sampled(m, p, texture, a[1], a[2])


@effect(Opcode.TEXREG2RGB, "texreg2rgb", "x=x", _TEXTURE, ps=_FROM_1_2)
def texreg2rgb(m: Machine, p: Profile, a: Vector, texture: Texture) -> Texel:
    """Sample at s0.xyz."""
    return _sampled(m, p, texture, *a[:3])


def _row(p: Profile, a: Vector, coordinates: Vector) -> Value:
    return p.dot(coordinates[:3], a[:3])


@pure(Opcode.TEXM3X2PAD, "texm3x2pad", "x=x", _COORDINATES, ps=TEX1)
def texm3x2pad(p: Profile, a: Vector, coordinates: Vector) -> Value:
    """First row of a product with a matrix of two rows."""
    return _row(p, a, coordinates)


@effect(Opcode.TEXM3X2TEX, "texm3x2tex", "x=x", _ROWS | _TEXTURE, ps=TEX1)
def texm3x2tex(
    m: Machine, p: Profile, a: Vector, coordinates: Vector, rows: tuple[Value, Value],
    texture: Texture,
) -> Texel:  # fmt: skip
    """Last of two rows; sample there."""
    return _sampled(m, p, texture, rows[1], _row(p, a, coordinates))


@pure(Opcode.TEXM3X2DEPTH, "texm3x2depth", "x=x", _ROWS | Controls.DEPTH, ps=((1, 3), (1, 3)))
def texm3x2depth(p: Profile, a: Vector, coordinates: Vector, rows: tuple[Value, Value]) -> Value:
    """Last of two rows; their quotient is the pixel's depth.

    It is clamped to 0 to 1, and 1 where the second row is 0.
    """
    return depth_of(rows[1], _row(p, a, coordinates))


@pure(Opcode.TEXM3X3PAD, "texm3x3pad", "x=x", _COORDINATES, ps=TEX1)
def texm3x3pad(p: Profile, a: Vector, coordinates: Vector) -> Value:
    """First or second row of a product with a matrix of three rows."""
    return _row(p, a, coordinates)


@pure(Opcode.TEXM3X3, "texm3x3", "x=x", _ROWS, ps=_FROM_1_2)
def texm3x3(p: Profile, a: Vector, coordinates: Vector, rows: tuple[Value, Value]) -> Vector:
    """Last of three rows; the product, with an alpha of 1."""
    return *rows, _row(p, a, coordinates), rows[0].like(1.0)


@effect(Opcode.TEXM3X3TEX, "texm3x3tex", "x=x", _ROWS | _TEXTURE, ps=TEX1)
def texm3x3tex(
    m: Machine, p: Profile, a: Vector, coordinates: Vector, rows: tuple[Value, Value],
    texture: Texture,
) -> Texel:  # fmt: skip
    """Last of three rows; sample there."""
    return _sampled(m, p, texture, *rows, _row(p, a, coordinates))


def _reflected(p: Profile, normal: Vector, eye: Vector) -> Vector:
    """Return 2 (N.E) / (N.N) N - E; neither is normalised before."""
    factor = p.multiply(p.dot(normal, eye), p.reciprocal(p.dot(normal, normal)))
    factor = factor + factor
    return tuple(p.multiply(factor, n) - e for n, e in zip(normal, eye, strict=True))


@effect(Opcode.TEXM3X3SPEC, "texm3x3spec", "x=xx", _ROWS | _TEXTURE, ps=TEX1)
def texm3x3spec(
    m: Machine, p: Profile, a: Vector, eye: Vector, coordinates: Vector,
    rows: tuple[Value, Value], texture: Texture,
) -> Texel:  # fmt: skip
    """Last of three rows; sample in the direction of s1 reflected at it."""
    normal = *rows, _row(p, a, coordinates)
    return _sampled(m, p, texture, *_reflected(p, normal, eye[:3]))


@effect(
    Opcode.TEXM3X3VSPEC, "texm3x3vspec", "x=x", _ROWS | Controls.EYE | _TEXTURE, ps=TEX1
)  # fmt: skip
def texm3x3vspec(
    m: Machine, p: Profile, a: Vector, coordinates: Vector, rows: tuple[Value, Value],
    eye: Vector, texture: Texture,
) -> Texel:  # fmt: skip
    """As texm3x3spec, with the direction from w of the three coordinates."""
    normal = *rows, _row(p, a, coordinates)
    return _sampled(m, p, texture, *_reflected(p, normal, eye))


@pure(Opcode.TEXDP3, "texdp3", "x=x", _COORDINATES, ps=_FROM_1_2)
def texdp3(p: Profile, a: Vector, coordinates: Vector) -> Value:
    """Dot product of the stage's coordinates and s0."""
    return _row(p, a, coordinates)


@effect(Opcode.TEXDP3TEX, "texdp3tex", "x=x", _COORDINATES | _TEXTURE, ps=_FROM_1_2)
def texdp3tex(m: Machine, p: Profile, a: Vector, coordinates: Vector, texture: Texture) -> Texel:
    """As texdp3; sample a line there."""
    return _sampled(m, p, texture, _row(p, a, coordinates))
