"""What shaders between vertices and pixels are shown on: the meshes as patches, lines or points."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.device.render.meshes import Mesh, mesh_named, sphere_mesh
from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import Primitive
from softd3d.shaders.shader import Shader

__all__ = ["Shape", "shape_of"]

_RINGS, _SECTORS = 6, 12  # patches of a sphere
_CORNERS = 4  # of a face of the quad and the cube
_TRIANGLE = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """A mesh whose indices are primitives of a topology. corners: of a primitive."""

    mesh: Mesh
    topology: str = "TRIANGLELIST"
    corners: int = 3


def shape_of(name: str, hull: Shader | None, geometry: Shader | None) -> Shape:
    """Return a mesh as what the shader behind the vertex shader takes; without one, triangles.

    Patches have 3 control points, which are triangles, or a square number: rows along v of points
    along u.

    Raises:
        ResourceError: there is no such mesh, or the shader takes other primitives.
    """
    mesh = mesh_named(name)
    if hull is not None:
        points = hull.declarations.primitives.input_points
        return Shape(_patches(mesh, points), f"{points}_CONTROL_POINT_PATCHLIST", points)
    if geometry is None:
        return Shape(mesh)
    taken = geometry.declarations.primitives.primitive
    if taken is Primitive.TRIANGLE:
        return Shape(mesh)
    if taken is Primitive.LINE:
        return Shape(_lines(mesh), "LINELIST", 2)
    if taken is Primitive.POINT:
        return Shape(_points(mesh), "POINTLIST", 1)
    raise ResourceError(
        f"gs: found a geometry shader of {taken.name} primitives, wanted POINT, LINE or TRIANGLE"
    )


def _patches(mesh: Mesh, points: int) -> Mesh:
    """Return patches of so many control points; a sphere is of few, which are to be divided."""
    edge = isqrt(points)
    if points == _TRIANGLE:
        return sphere_mesh(_RINGS, _SECTORS) if mesh.name == "sphere" else mesh
    if edge < 2 or edge * edge != points:
        raise ResourceError(
            f"hs: found a hull shader of {points} control points, wanted 3, 4, 9, 16 or 25"
        )
    if mesh.name == "sphere":
        fine = sphere_mesh(_RINGS * (edge - 1), _SECTORS * (edge - 1))
        return replace(fine, indices=_of_grid(_RINGS, _SECTORS, edge))
    return _divided(mesh, edge)


def _of_grid(rows: int, columns: int, edge: int) -> NDArray[np.uint32]:
    """Return patches of a grid of vertices; neighbours share those of their edge."""
    step = edge - 1
    width = columns * step + 1
    first = (np.arange(rows)[:, None] * width + np.arange(columns)) * step
    inside = np.arange(edge)[:, None] * width + np.arange(edge)
    return (first.reshape(-1, 1) + inside.reshape(-1)).astype(np.uint32).ravel()


def _divided(mesh: Mesh, edge: int) -> Mesh:
    """Return flat faces as patches of edge by edge control points."""
    v, u = (n.ravel() for n in np.meshgrid(*[np.linspace(0, 1, edge)] * 2, indexing="ij"))
    weights = np.stack([(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v], 1)

    def between(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        faces = numbers.reshape(-1, _CORNERS, numbers.shape[1])
        return (weights @ faces).reshape(-1, numbers.shape[1])

    positions = between(mesh.positions)
    return Mesh(
        mesh.name, positions, between(mesh.normals), between(mesh.tangents),
        between(mesh.binormals), between(mesh.coordinates), between(mesh.directions),
        np.arange(len(positions), dtype=np.uint32),
    )  # fmt: skip


def _lines(mesh: Mesh) -> Mesh:
    """Return the sides of the triangles, each once."""
    sides = mesh.indices.reshape(-1, 3)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    return replace(mesh, indices=np.unique(np.sort(sides, axis=1), axis=0).ravel())


def _points(mesh: Mesh) -> Mesh:
    return replace(mesh, indices=np.arange(len(mesh.positions), dtype=np.uint32))
