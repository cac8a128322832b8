"""The constants of generated vertex programs, from states: float32, computed in float64.

A matrix for row vectors fills registers with its columns, for `dp4`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.d3d9.colors import color_components
from softd3d.isa.d3d9.states import RenderState, TransformState
from softd3d.isa.sm1.limits import MAX_ACTIVE_LIGHTS, MAX_CLIP_PLANES, WORLD_MATRICES
from softd3d.pipeline.fixed9.state import FixedFunctionState, Light
from softd3d.pipeline.fixed9.writer import Generated

__all__ = ["Rows", "argb", "clip_planes", "vertex_constants"]

_R, _S = RenderState, TransformState
Rows: TypeAlias = "NDArray[np.floating[Any]]"
_SINGULAR = 1e-12
"""A determinant this small beside the product of the rows' lengths says nothing."""


def vertex_constants(generated: Generated, state: FixedFunctionState) -> NDArray[np.float32]:
    """Return what a vertex program's registers hold from c0 on: float32, (n, 4).

    Registers that the program defines itself are 0.
    """
    values = _Values(state)
    found = np.zeros((generated.rows, 4), np.float32)
    with np.errstate(all="ignore"):
        for c in generated.constants:
            rows = _VALUES[c.name](values, c.index or 0)
            found[c.register : c.register + c.rows, : rows.shape[-1]] = rows
    return found


def clip_planes(state: FixedFunctionState) -> NDArray[np.float32]:
    """Return the planes 0 to 5 of the fixed function in clip space: float32, (6, 4).

    They are given in world space: what is kept has dot(position, plane) of at least 0.
    """
    planes = np.zeros((MAX_CLIP_PLANES, 4))
    for number, plane in state.clip_planes.items():
        if 0 <= number < MAX_CLIP_PLANES:
            planes[number] = plane
    with np.errstate(all="ignore"):
        matrix = _matrix(state, _S.VIEW) @ _matrix(state, _S.PROJECTION)
        return (planes @ _inverse_or_nearest(matrix).T).astype(np.float32)


def argb(word: int) -> Rows:
    """Return red, green, blue and alpha of a D3DCOLOR: float64, (1, 4), 0 to 1."""
    return np.array([color_components(word)])


# Matrices


def _matrix(state: FixedFunctionState, number: int) -> Rows:
    return state.transform(number).astype(np.float64)


def _inverse(matrix: Rows) -> Rows | None:
    """Return the inverse; None of a matrix that has none."""
    lengths = math.sqrt(math.prod((matrix * matrix).sum(axis=1).tolist()))
    determinant = abs(float(np.linalg.det(matrix)))
    if not (math.isfinite(lengths) and determinant > _SINGULAR * lengths):
        return None
    return np.linalg.inv(matrix)


def _inverse_or_nearest(matrix: Rows) -> Rows:
    """Return the inverse, or what is left of it: a projection may flatten depth."""
    if not np.isfinite(matrix).all():
        return np.zeros_like(matrix)
    found = _inverse(matrix)
    try:
        return np.linalg.pinv(matrix) if found is None else found
    except np.linalg.LinAlgError:
        return np.zeros_like(matrix)


def _unit(vector: Rows) -> Rows:
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector


class _Values:
    """A state, and products of its matrices that several constants need."""

    def __init__(self, state: FixedFunctionState) -> None:
        self.state = state
        self.lights: tuple[Light, ...] = tuple(state.lit_by(MAX_ACTIVE_LIGHTS))
        self.view = _matrix(state, _S.VIEW)
        self._world_views: dict[int, Rows] = {}

    def world_view(self, number: int) -> Rows:
        found = self._world_views.get(number)
        if found is None:
            found = self._world_views[number] = _matrix(self.state, _S.WORLD + number) @ self.view
        return found


def _columns(matrix: Rows) -> Rows:
    return matrix.T


def _world_views(values: _Values, _: int) -> Rows:
    worlds = np.broadcast_to(np.eye(4), (WORLD_MATRICES, 4, 4)).copy()
    for number, matrix in values.state.transforms.items():
        if 0 <= number - _S.WORLD < WORLD_MATRICES:
            worlds[number - _S.WORLD] = matrix
    return (worlds @ values.view).swapaxes(1, 2).reshape(-1, 4)


def _normals(values: _Values, _: int) -> Rows:
    """Return columns of the inverse's transpose; of a singular matrix its own."""
    matrix = values.world_view(0)
    inverse = _inverse(matrix) if np.isfinite(matrix).all() else None
    return (matrix.T if inverse is None else inverse)[:3, :3]


def _view_projection(values: _Values, _: int) -> Rows:
    projection = _matrix(values.state, _S.PROJECTION)
    return _columns(values.world_view(0) @ projection)


# Lights


def _light_direction(values: _Values, index: int) -> Rows:
    """Return where the light comes from."""
    direction = np.array(values.lights[index].direction, np.float64)
    return -_unit(direction @ values.view[:3, :3])


def _light_position(values: _Values, index: int) -> Rows:
    light = values.lights[index]
    place = np.array([*light.position, 1.0], np.float64) @ values.view
    place[3] = light.range
    return place


def _light_attenuation(values: _Values, index: int) -> Rows:
    light = values.lights[index]
    return np.array([light.attenuation0, light.attenuation1, light.attenuation2])


def _light_cone(values: _Values, index: int) -> Rows:
    """Return the outer and inner cosine, what their difference is divided by, and the falloff."""
    light = values.lights[index]
    inner, outer = np.cos(np.array([light.theta, light.phi]) / 2)
    scale = 1 / (inner - outer) if inner > outer else 0.0
    return np.array([outer, inner, scale, light.falloff])


# Others


def _fog(values: _Values, _: int) -> Rows:
    """Return the end, what a distance is divided by, and the density."""
    state = values.state
    start, end = state.number(_R.FOGSTART), state.number(_R.FOGEND)
    return np.array([end, 1 / (end - start) if end != start else 0.0, state.number(_R.FOGDENSITY)])


def _point_scale(values: _Values, _: int) -> Rows:
    state = values.state
    return np.array([state.number(s) for s in (_R.POINTSCALE_A, _R.POINTSCALE_B, _R.POINTSCALE_C)])


def _point_size(values: _Values, _: int) -> Rows:
    state = values.state
    height = state.viewport[3]
    return np.array([state.number(_R.POINTSIZE), height, state.number(_R.POINTSIZE_MAX)])


def _viewport_center(values: _Values, _: int) -> Rows:
    x, y, width, height = values.state.viewport
    return np.array([x + width / 2, y + height / 2])


def _viewport_scale(values: _Values, _: int) -> Rows:
    sizes = np.array(values.state.viewport[2:], np.float64)
    return np.where(sizes == 0, 0, 2 / sizes) * (1, -1)


_VALUES: Mapping[str, Callable[[_Values, int], Rows]] = {
    "world_view_projection": _view_projection,
    "world_view": lambda values, index: _columns(values.world_view(index)),
    "world_views": _world_views,
    "projection": lambda values, _: _columns(_matrix(values.state, _S.PROJECTION)),
    "normals": _normals,
    "texture_matrix": lambda values, index: _columns(_matrix(values.state, _S.TEXTURE0 + index)),
    "tween_factor": lambda values, _: np.array([values.state.number(_R.TWEENFACTOR)]),
    "ambient": lambda values, _: argb(values.state.render(_R.AMBIENT)),
    "material_diffuse": lambda values, _: np.array(values.state.material.diffuse),
    "material_ambient": lambda values, _: np.array(values.state.material.ambient),
    "material_specular": lambda values, _: np.array(values.state.material.specular),
    "material_emissive": lambda values, _: np.array(values.state.material.emissive),
    "material_power": lambda values, _: np.array([values.state.material.power]),
    "light_ambient": lambda values, index: np.array(values.lights[index].ambient),
    "light_diffuse": lambda values, index: np.array(values.lights[index].diffuse),
    "light_specular": lambda values, index: np.array(values.lights[index].specular),
    "light_direction": _light_direction,
    "light_position": _light_position,
    "light_attenuation": _light_attenuation,
    "light_cone": _light_cone,
    "fog": _fog,
    "point_scale": _point_scale,
    "point_size": _point_size,
    "viewport_center": _viewport_center,
    "viewport_scale": _viewport_scale,
}
