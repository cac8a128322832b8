"""The meshes that shaders are shown on, and the fixed camera that looks at them.

Axes are Direct3D's: x to the right, y up, z away from the viewer. Vectors are rows: clip positions
are `position @ view @ projection`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import one_of
from softd3d.classes import dataclass

__all__ = ["MESHES", "Camera", "Mesh", "camera_of", "mesh_named", "sphere_mesh"]

Floats = NDArray[np.float64]
_EYE = (1.5, 1.2, -3.0)
_QUAD_EYE = (0.0, 0.0, -1.0)
_FIELD_OF_VIEW = 45.0  # degrees, from top to bottom
_NEAR, _FAR = 0.1, 100.0
_HALF_EDGE = 0.75  # of the cube
# Faces of the cube: normal, tangent; the binormal follows
_FACES = (
    ((1, 0, 0), (0, 0, 1)), ((-1, 0, 0), (0, 0, -1)), ((0, 1, 0), (1, 0, 0)),
    ((0, -1, 0), (1, 0, 0)), ((0, 0, 1), (-1, 0, 0)), ((0, 0, -1), (1, 0, 0)),
)  # fmt: skip
_SQUARE = np.array([(-1, 1), (1, 1), (-1, -1), (1, -1)], np.float64)
_TRIANGLES = np.array([0, 1, 2, 2, 1, 3], np.uint32)


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles: float64 (vertices, 3), but (vertices, 2) texture coordinates; uint32 indices.

    tangents, binormals: unit vectors of growing u and v. directions: what fits to read a cube
    texture with.
    """

    name: str
    positions: Floats
    normals: Floats
    tangents: Floats
    binormals: Floats
    coordinates: Floats
    directions: Floats
    indices: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Camera:
    """Where it is looked from: 4x4 matrices for row vectors, and the eye's place."""

    view: Floats
    projection: Floats
    eye: Floats


def _quad() -> Mesh:
    """Return the whole screen: x and y from -1 to 1, z = 0."""
    flat = np.concatenate([_SQUARE, np.zeros((4, 1))], 1)
    return Mesh(
        "quad", flat, _rows((0, 0, -1), 4), _rows((1, 0, 0), 4), _rows((0, -1, 0), 4),
        _square_coordinates(), flat + np.array([0, 0, 1]), _TRIANGLES,
    )  # fmt: skip


def sphere_mesh(rings: int = 48, sectors: int = 96) -> Mesh:
    """Return the unit sphere; v grows from the upper pole to the lower.

    >>> len(sphere_mesh(2, 3).indices)
    36
    """
    v, u = (grid.ravel() for grid in np.meshgrid(
        np.linspace(0, 1, rings + 1), np.linspace(0, 1, sectors + 1), indexing="ij"
    ))  # fmt: skip
    around, down = 2 * np.pi * u, np.pi * v
    zero = np.zeros_like(u)
    normals = np.stack(
        [-np.sin(around) * np.sin(down), np.cos(down), np.cos(around) * np.sin(down)], 1
    )
    tangents = np.stack([-np.cos(around), zero, -np.sin(around)], 1)
    binormals = np.stack(
        [-np.sin(around) * np.cos(down), -np.sin(down), np.cos(around) * np.cos(down)], 1
    )
    row = sectors + 1
    first = (np.arange(rings)[:, None] * row + np.arange(sectors)).reshape(-1, 1)
    corners = np.array([0, 1, row, row, 1, row + 1])
    return Mesh(
        "sphere", normals, normals, tangents, binormals, np.stack([u, v], 1), normals,
        (first + corners).astype(np.uint32).ravel(),
    )  # fmt: skip


def _cube() -> Mesh:
    """Return a cube with edges of 1.5; each face has the whole texture."""
    normals = np.array([n for n, _ in _FACES], np.float64)
    tangents = np.array([t for _, t in _FACES], np.float64)
    binormals = np.cross(normals, tangents)
    corners = _SQUARE * (1, -1)  # of u and v
    positions = normals[:, None] + (
        corners[:, :1] * tangents[:, None] + corners[:, 1:] * binormals[:, None]
    )
    starts = 4 * np.arange(len(_FACES))[:, None]
    return Mesh(
        "cube", _HALF_EDGE * positions.reshape(-1, 3), np.repeat(normals, 4, 0),
        np.repeat(tangents, 4, 0), np.repeat(binormals, 4, 0),
        np.tile(_square_coordinates(), (len(_FACES), 1)), positions.reshape(-1, 3),
        (starts + _TRIANGLES).astype(np.uint32).ravel(),
    )  # fmt: skip


MESHES: dict[str, Callable[[], Mesh]] = {"quad": _quad, "sphere": sphere_mesh, "cube": _cube}


def mesh_named(name: str) -> Mesh:
    """Return a mesh.

    Raises:
        ResourceError: there is none of that name.

    >>> mesh_named("cube").positions.shape
    (24, 3)
    """
    return MESHES[one_of(name, "mesh", list(MESHES))]()


def camera_of(mesh: Mesh, aspect: float) -> Camera:
    """Return the camera: none for a quad, which fills the target; else at (1.5, 1.2, -3).

    aspect: width by height.
    """
    if mesh.name == "quad":
        return Camera(np.eye(4), np.eye(4), np.array(_QUAD_EYE))
    eye = np.array(_EYE)
    ahead = -eye / np.linalg.norm(eye)
    right = np.cross((0, 1, 0), ahead)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(ahead, right), ahead], 1)
    view = np.eye(4)
    view[:3, :3], view[3, :3] = axes, -eye @ axes
    scale = 1 / np.tan(np.radians(_FIELD_OF_VIEW) / 2)
    narrow = min(1.0, aspect)  # all of the mesh is seen in high pictures, too
    depth = _FAR / (_FAR - _NEAR)
    projection: NDArray[Any] = np.zeros((4, 4))
    projection[0, 0], projection[1, 1] = scale * narrow / aspect, scale * narrow
    projection[2, 2:], projection[3, 2] = (depth, 1), -depth * _NEAR
    return Camera(view, projection, eye)


def _rows(vector: tuple[float, float, float], count: int) -> Floats:
    return np.tile(np.array(vector, np.float64), (count, 1))


def _square_coordinates() -> Floats:
    return (_SQUARE * (1, -1) + 1) / 2
