"""Arithmetic on vectors: dot products, matrix macros, normals, and bump mapping.

Sums run from x upwards; each product and each sum is rounded. Spec: Direct3D 9 shader assembly
reference, "Instructions" of each version.
"""

from __future__ import annotations

from typing import TypeAlias

from softd3d.algebra.legacy_float import chosen
from softd3d.algebra.value import Value
from softd3d.isa.row import Controls
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.rows.table import ALWAYS, SM2, pure

__all__: list[str] = []

Vector: TypeAlias = "tuple[Value, ...]"


@pure(Opcode.DP3, "dp3", "f=f3f3", vs=ALWAYS, ps=ALWAYS)
def dp3(p: Profile, a: Vector, b: Vector) -> Value:
    """Dot product of three components."""
    return p.dot(a, b)


@pure(Opcode.DP4, "dp4", "f=f4f4", vs=ALWAYS, ps=((1, 2), None))
def dp4(p: Profile, a: Vector, b: Vector) -> Value:
    """Dot product of four components."""
    return p.dot(a, b)


@pure(Opcode.DP2ADD, "dp2add", "f=f2f2f1", ps=SM2)
def dp2add(p: Profile, a: Vector, b: Vector, c: Value) -> Value:
    """Dot product of two components, plus a scalar."""
    return p.dot(a, b) + c


def _matrix_4(p: Profile, a: Vector, rows: tuple[Vector, ...]) -> Vector:
    """Dot products of four components: row i of the matrix is register s1 + i.

    An address that is added to s1 counts for all rows. Write masks beyond the rows have no effect.
    """
    return tuple(p.dot(a, row) for row in rows)


def _matrix_3(p: Profile, a: Vector, rows: tuple[Vector, ...]) -> Vector:
    """Dot products of three components: row i of the matrix is register s1 + i.

    An address that is added to s1 counts for all rows. Write masks beyond the rows have no effect.
    """
    return tuple(p.dot(a[:3], row[:3]) for row in rows)


pure(Opcode.M4X4, "m4x4", "x=xM4", vs=ALWAYS, ps=SM2)(_matrix_4)
pure(Opcode.M4X3, "m4x3", "x=xM3", vs=ALWAYS, ps=SM2)(_matrix_4)
pure(Opcode.M3X4, "m3x4", "x=xM4", vs=ALWAYS, ps=SM2)(_matrix_3)
pure(Opcode.M3X3, "m3x3", "x=xM3", vs=ALWAYS, ps=SM2)(_matrix_3)
pure(Opcode.M3X2, "m3x2", "x=xM2", vs=ALWAYS, ps=SM2)(_matrix_3)


@pure(Opcode.CRS, "crs", "x=xx", vs=SM2, ps=SM2)
def crs(p: Profile, a: Vector, b: Vector) -> Vector:
    """Cross product of xyz."""
    turns = ((1, 2), (2, 0), (0, 1))
    return tuple(p.multiply(a[i], b[j]) - p.multiply(a[j], b[i]) for i, j in turns)


@pure(Opcode.NRM, "nrm", "x=x", vs=SM2, ps=SM2)
def nrm(p: Profile, a: Vector) -> Vector:
    """Divide all components by the length of xyz.

    That is, multiply with the reciprocal square root of the squared length: what is too short or
    too long for its square is not normal afterwards.
    """
    factor = p.reciprocal_sqrt(p.dot(a[:3], a[:3]))
    return tuple(p.multiply(x, factor) for x in a)


@pure(Opcode.DST, "dst", "x=xx", vs=ALWAYS)
def dst(p: Profile, a: Vector, b: Vector) -> Vector:
    """Distance vector: 1, s0.y * s1.y, s0.z, s1.w."""
    return a[0].like(1.0), p.multiply(a[1], b[1]), a[2], b[3]


_HIGHEST_POWER = 127.9961


@pure(Opcode.LIT, "lit", "x=x", vs=ALWAYS)
def lit(p: Profile, a: Vector) -> Vector:
    """Lighting coefficients from dot products and a power: 1, diffuse, specular, 1.

    Diffuse is s0.x where that is above 0, else 0. Specular is s0.y to the power of s0.w (up to
    127.9961 and down to its negative) where s0.x and s0.y are above 0, else 0. A NaN in x or y is
    not above 0; one in w makes specular NaN.
    """
    x, y, _, w = a
    exponent = chosen(w < -_HIGHEST_POWER, w.like(-_HIGHEST_POWER), w)
    exponent = chosen(w > _HIGHEST_POWER, w.like(_HIGHEST_POWER), exponent)
    zero, one = x.like(0.0), x.like(1.0)
    is_lit = x > 0.0
    specular = chosen(is_lit & (y > 0.0), p.power(y, exponent), zero)
    return one, chosen(is_lit, x, zero), specular, one


@pure(Opcode.BEM, "bem", "x=xx", Controls.BUMP_MATRIX, ps=((1, 4), (1, 4)))
def bem(p: Profile, a: Vector, b: Vector, matrix: tuple[Value, Value, Value, Value]) -> Vector:
    """Add s1.xy, turned by the bump matrix of the destination's stage, to s0.xy.

    matrix: D3DTSS_BUMPENVMAT00, 01, 10, 11.
    """
    return displaced(p, a, b, matrix)


def displaced(p: Profile, a: Vector, b: Vector, matrix: tuple[Value, ...]) -> Vector:
    """Return a.xy and the sum of b.xy turned by a bump matrix."""
    m00, m01, m10, m11 = matrix
    return (
        a[0] + p.multiply(m00, b[0]) + p.multiply(m10, b[1]),
        a[1] + p.multiply(m01, b[0]) + p.multiply(m11, b[1]),
    )
