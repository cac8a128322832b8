"""Cubes: from a direction to a face and its coordinates, and over the edges of faces.

Faces are in the order of resources: +X -X +Y -Y +Z -Z. Spec: D3D11.3 sections 5.3.8, 7.18.7,
7.18.11 (derivatives), 7.18.12 (edges).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, convert, rarely, select
from softd3d.algebra.value import F32, U32, Value
from softd3d.classes import dataclass
from softd3d.isa.sampling.coordinates import Linear, fixed_point, least, most, split

__all__ = [
    "Face",
    "Taps",
    "corner_filled",
    "derivative_on_face",
    "face_of",
    "face_taps",
    "position_on_face",
    "spilled",
]

Vector: TypeAlias = "tuple[Value, Value, Value]"
_SIGN, _MINUS_INFINITY = 0x80000000, 0xFF800000


@dataclass(frozen=True, slots=True)
class Face:
    """A face of each lane: BOOL, which axis it is across, and whether on the negative side."""

    is_x: Value
    is_y: Value
    is_negative: Value

    @property
    def number(self) -> Value:
        """The face as an array slice of the cube, uint32."""
        k = self.is_x.k
        axis = select(self.is_x, k.const(U32, 0), select(self.is_y, k.const(U32, 2), 4))
        return axis + select(self.is_negative, k.const(U32, 1), 0)

    def minor(self, v: Vector) -> tuple[Value, Value]:
        """Return a vector's components to the right and down on the face."""
        x, y, z = v
        right_of_x = select(self.is_negative, z, -z)
        right_of_z = select(self.is_negative, -x, x)
        down_of_y = select(self.is_negative, -z, z)
        right = select(self.is_x, right_of_x, select(self.is_y, x, right_of_z))
        return right, select(self.is_y, down_of_y, -y)

    def major(self, v: Vector) -> Value:
        """Return a vector's component out of the face."""
        x, y, z = v
        across = select(self.is_x, x, select(self.is_y, y, z))
        return select(self.is_negative, -across, across)

    def vector(self, right: Value, down: Value, out: Value) -> Vector:
        """Return the vector with these components on the face: `minor` and `major` undone."""
        along = select(self.is_negative, -out, out)
        x_of_z = select(self.is_negative, -right, right)
        z_of_x = select(self.is_negative, right, -right)
        z_of_y = select(self.is_negative, -down, down)
        return (
            select(self.is_x, along, select(self.is_y, right, x_of_z)),
            select(self.is_y, along, -down),
            select(self.is_x, z_of_x, select(self.is_y, z_of_y, along)),
        )


def face_of(direction: Vector) -> Face:
    """Return the face that a direction (float32) meets; of equal components Z wins, then Y.

    -0 is negative, NaN is not: its sign is no part of a result.
    """
    x, y, z = (abs(c) for c in direction)
    is_z = (z >= x) & (z >= y)
    is_y = ~is_z & (y >= x)
    is_x = ~(is_z | is_y)
    across = select(is_x, direction[0], select(is_y, direction[1], direction[2]))
    bits = bitcast(across, U32)
    return Face(is_x, is_y, (bits >= _SIGN) & (bits <= _MINUS_INFINITY))


def position_on_face(face: Face, direction: Vector) -> tuple[Value, Value]:
    """Return a direction's coordinates on its face: float32, 0 to 1, 0 for NaN."""
    right, down = face.minor(direction)
    out = abs(face.major(direction))
    found = (minor / out * 0.5 + 0.5 for minor in (right, down))
    # Beyond 0 to 1 is only what a NaN elsewhere in the direction gives.
    u, v = (_saturated(c) for c in found)
    return u, v


def _saturated(x: Value) -> Value:
    x = select(x > 0.0, x, 0.0)
    return select(x < 1.0, x, 1.0)


def derivative_on_face(face: Face, direction: Vector, derivative: Vector) -> tuple[Value, Value]:
    """Return the derivative of coordinates on a face from that of the direction."""
    out = abs(face.major(direction))
    change = face.major(derivative)
    square = out * out
    u, v = (
        (out * moved - minor * change) / square * 0.5
        for minor, moved in zip(face.minor(direction), face.minor(derivative), strict=True)
    )
    return u, v


def spilled(face: Face, x: Value, y: Value, extent: Value) -> tuple[Face, Value, Value]:
    """Return face and texel of one that lies beyond one edge of a face at most.

    x, y, extent: int32; x or y may be -1 or extent. In units of half a texel from the middle of a
    cube whose edge is 2 * extent, what sticks out beyond an edge is bent over it: there its own
    component is extent, and that out of the old face is smaller by half a texel.
    """
    right, down = (most(least(t * 2 + 1 - extent, extent), -extent) for t in (x, y))
    is_beyond = (x < 0) | (x >= extent) | (y < 0) | (y >= extent)
    out = select(is_beyond, extent - 1, extent)
    vector = face.vector(right, down, out)
    sizes = [_magnitude(c) for c in vector]
    is_x, is_y = sizes[0].eq(extent), sizes[1].eq(extent)
    across = select(is_x, vector[0], select(is_y, vector[1], vector[2]))
    other = Face(is_x, ~is_x & is_y, across < 0)
    new_x, new_y = ((c + extent - 1) >> 1 for c in other.minor(vector))
    # Beyond a corner there is no texel; what is read for it is not used, but it must be inside.
    new_x, new_y = (most(least(c, extent - 1), 0) for c in (new_x, new_y))
    return other, new_x, new_y


@dataclass(frozen=True, slots=True)
class Taps:
    """Texels of a filter on a cube. places: what `place` gave, uint32; one, or four, x fastest.

    weights: of the right and the lower ones. corners: BOOL, which of four is beyond a corner.
    """

    places: tuple[Value, ...]
    weights: tuple[Value, ...]
    corners: tuple[Value, ...]


def face_taps(
    face: Face, u: Value, v: Value, extent: Value, linear: Linear,
    place: Callable[[Face, Value, Value], Value],
) -> Taps:  # fmt: skip
    """Return the texels around a position on a face, those over its edges included."""
    firsts: list[Value] = []
    weights: list[Value] = []
    for coordinate in (u, v):
        first, weight = split(fixed_point(coordinate * convert(extent, F32)), linear)
        if linear is not True:  # the end of the face belongs to its last texel
            first = least(first, extent - 1)
        firsts.append(first)
        weights += [] if weight is None else [weight]
    left, top = firsts
    if not weights:
        return Taps((place(face, left, top),), (), ())
    texels = [(x, y) for y in (top, top + 1) for x in (left, left + 1)]
    beyond_x, beyond_y = ((t < 0, t + 1 >= extent) for t in firsts)
    corners = tuple(x & y for y in beyond_y for x in beyond_x)
    is_beyond = beyond_x[0] | beyond_x[1] | beyond_y[0] | beyond_y[1]
    places = rarely(
        is_beyond,
        tuple(place(face, x, y) for x, y in texels),
        lambda: tuple(place(*spilled(face, x, y, extent)) for x, y in texels),
    )
    return Taps(places, tuple(weights), corners)


def corner_filled(
    texels: list[tuple[Value, ...]], corners: tuple[Value, ...]
) -> list[tuple[Value, ...]]:
    """Replace a texel beyond a corner by the mean of the three others.

    Of integers, by the one beside it.
    """
    count = len(texels[0])
    usual = tuple(value for texel in texels for value in texel)

    def filled() -> tuple[Value, ...]:
        return tuple(
            select(corner, _corner([t[c] for t in texels], n), texels[n][c])
            for n, corner in enumerate(corners)
            for c in range(count)
        )

    any_corner = corners[0] | corners[1] | corners[2] | corners[3]
    flat = rarely(any_corner, usual, filled)
    return [flat[n * count : (n + 1) * count] for n in range(len(texels))]


def _corner(values: list[Value], missing: int) -> Value:
    if values[0].type is not F32:
        return values[missing ^ 1]
    a, b, c = (v for n, v in enumerate(values) if n != missing)
    return (a + b + c) / 3.0


def _magnitude(x: Value) -> Value:
    """Return the magnitude of an int32."""
    return select(x < 0, -x, x)
