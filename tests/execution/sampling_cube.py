"""Cubes for the model of sampling: which face a direction meets, and what lies beyond an edge.

A face is an axis and a sign; its u and v are axes with signs too. Spec: D3D11.3 sections 7.18.7 and
7.18.12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sampling_state import flushed

__all__ = ["FACES", "face_of", "fold", "project"]

f32 = np.float32

FACES = (
    (0, 1, (2, -1), (1, -1)),
    (0, -1, (2, 1), (1, -1)),
    (1, 1, (0, 1), (2, 1)),
    (1, -1, (0, 1), (2, -1)),
    (2, 1, (0, 1), (1, -1)),
    (2, -1, (0, -1), (1, -1)),
)


def face_of(direction: Sequence[Any]) -> int:
    """Return the face that a direction meets: Z wins ties, then Y; NaN is not negative."""
    x, y, z = (abs(c) for c in direction)
    axis = 2 if z >= x and z >= y else 1 if y >= x else 0
    across = direction[axis]
    return 2 * axis + bool(np.signbit(across) and not np.isnan(across))


def project(direction: Sequence[Any], face: int) -> list[Any]:
    """Return u and v on a face, each from 0 to 1, or NaN.

    They leave that range only where a NaN has chosen another face than the largest component's.
    """
    axis, _, *minors = FACES[face]
    direction = [flushed(c) for c in direction]
    major = abs(direction[axis])
    found = [f32(f32(f32(s * direction[a]) / major) * f32(0.5) + f32(0.5)) for a, s in minors]
    return [np.clip(c, f32(0), f32(1)) for c in found]


def fold(face: int, x: int, y: int, size: int) -> tuple[int, int, int] | None:
    """Return face, x and y of a texel one step off a face at most; None at a corner.

    In units of half a texel from the middle of a cube of edge 2 * size: what sticks out beyond an
    edge is bent over it, so that its major coordinate shrinks instead.
    """
    inside_x, inside_y = 0 <= x < size, 0 <= y < size
    if not inside_x and not inside_y:
        return None
    if inside_x and inside_y:
        return face, x, y
    axis, sign, u, v = FACES[face]
    point = [0, 0, 0]
    point[axis] = sign * (size - 1)
    for (a, s), t in ((u, x), (v, y)):
        point[a] = s * max(-size, min(2 * t + 1 - size, size))
    new = next(2 * a + (c < 0) for a, c in enumerate(point) if abs(c) == size)
    return new, *((s * point[a] + size - 1) // 2 for a, s in FACES[new][2:])  # pyright: ignore[reportReturnType]
