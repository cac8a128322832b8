"""The scene of `softd3d demo`: spheres on a floor, drawn by two compiled shaders of our own."""

from __future__ import annotations

import colorsys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import softd3d
from softd3d.device.render.defaults import mipmapped
from softd3d.device.render.meshes import Mesh, mesh_named, sphere_mesh
from softd3d.resources.textures.texture import Texture
from softd3d.samples import sample

__all__ = ["HEIGHT", "RINGS", "SAMPLES", "WIDTH", "Drawn", "draw_scene"]

WIDTH, HEIGHT, SAMPLES = 400, 225, 4
RINGS = 24  # of triangles, from pole to pole of a sphere
_TARGET = "R8G8B8A8_UNORM_SRGB"
_FOG = np.array([0.55, 0.66, 0.8])
_EYE, _AT = np.array([0.0, 2.3, -5.4]), np.array([0.0, 0.55, 0.0])
_LIGHT = np.array([-0.55, 0.7, -0.35])
_FLOOR = 14.0  # half of its edge
_RING, _RADIUS = 2.1, 0.5  # of the spheres around the one in the middle
_COUNT = 7
_TEXELS, _BRICKS = 128, 4


@dataclass(frozen=True, slots=True)
class Drawn:
    """The picture, uint8 (height, width, 3), what was counted, and seconds."""

    picture: NDArray[np.uint8]
    triangles: int
    invocations: int
    prepared: float
    ran: float


def draw_scene(engine: str) -> Drawn:
    """Draw the floor and the spheres, and resolve the samples."""
    start = time.perf_counter()
    color = softd3d.Texture2DMS(_cleared(), _TARGET)
    depth = softd3d.Texture2DMS(np.ones((HEIGHT, WIDTH, SAMPLES), np.float32), "D32_FLOAT")
    spheres = _spheres()
    ball = sphere_mesh(RINGS, 2 * RINGS)
    floor = mesh_named("quad")
    jobs = [
        _job(engine, _vertices(floor, is_floor=True), floor.indices, _floor(), spheres, color,
             depth),
        _job(engine, _vertices(ball), ball.indices, spheres, spheres, color, depth),
    ]  # fmt: skip
    prepared = time.perf_counter()
    outcomes = [
        jobs[0].indexed(floor.indices.size),
        jobs[1].indexed_instanced(ball.indices.size, _COUNT),
    ]
    resolved = softd3d.Texture2D(np.zeros((HEIGHT, WIDTH, 4), np.uint8), _TARGET)
    softd3d.resolve_subresource(resolved, 0, color, 0)
    end = time.perf_counter()
    statistics = [outcome.statistics for outcome in outcomes]
    return Drawn(
        np.ascontiguousarray(resolved.array[..., :3]),
        sum(s.ia_primitives for s in statistics), sum(s.ps_invocations for s in statistics),
        prepared - start, end - prepared,
    )  # fmt: skip


def _job(
    engine: str, vertices: NDArray[Any], indices: NDArray[np.uint32], places: NDArray[Any],
    spheres: NDArray[Any], color: softd3d.Texture2DMS, depth: softd3d.Texture2DMS,
) -> softd3d.Draw:  # fmt: skip
    scene = {
        "viewProjection": _view_projection(), "eye": _EYE, "fog": _FOG,
        "light": _LIGHT / np.linalg.norm(_LIGHT), "spheres": spheres["place"],
    }  # fmt: skip
    element = softd3d.InputElement
    return softd3d.Draw(
        vs=sample("draw_scene.vs_5_0.dxbc").read_bytes(),
        ps=sample("draw_scene.ps_5_0.dxbc").read_bytes(), engine=engine,
        input_layout=[
            element("POSITION", 0, "R32G32B32_FLOAT"), element("NORMAL", 0, "R32G32B32_FLOAT"),
            element("TEXCOORD", 0, "R32G32_FLOAT"),
            element("PLACE", 0, "R32G32B32A32_FLOAT", 1, 0, "PER_INSTANCE_DATA", 1),
            element("COLOR", 0, "R32G32B32A32_FLOAT", 1, 16, "PER_INSTANCE_DATA", 1),
        ],
        vertex_buffers={0: vertices, 1: places}, index_buffer=indices,
        constants={"vs": {"Scene": scene}, "ps": {"Scene": scene}},
        srvs={"tiles": _tiles()},
        samplers={"tilesSampler": softd3d.SamplerState("MIN_MAG_MIP_LINEAR", "WRAP", "WRAP")},
        render_targets=[color], depth_stencil_view=depth,
        rasterizer=softd3d.RasterizerState(multisample_enable=True),
    )  # fmt: skip


def _cleared() -> NDArray[np.uint8]:
    """Return samples of the fog's colour, as sRGB codes."""
    codes = np.where(_FOG <= 0.0031308, 12.92 * _FOG, 1.055 * _FOG ** (1 / 2.4) - 0.055)
    found = np.full((HEIGHT, WIDTH, SAMPLES, 4), 255, np.uint8)
    found[..., :3] = np.rint(255 * codes)
    return found


def _vertices(mesh: Mesh, *, is_floor: bool = False) -> NDArray[Any]:
    dtype = [("POSITION", "<f4", 3), ("NORMAL", "<f4", 3), ("TEXCOORD", "<f4", 2)]
    found = np.zeros(len(mesh.positions), dtype)
    found["POSITION"], found["NORMAL"] = mesh.positions, mesh.normals
    found["TEXCOORD"] = mesh.coordinates * (4, 2)
    if is_floor:  # the quad laid down, with its upper edge away from the viewer
        found["POSITION"] = _FLOOR * mesh.positions[:, [0, 2, 1]]
        found["NORMAL"] = (0, 1, 0)
        found["TEXCOORD"] = mesh.coordinates * _FLOOR
    return found


def _places(count: int) -> NDArray[Any]:
    return np.zeros(count, [("place", "<f4", 4), ("color", "<f4", 4)])


def _floor() -> NDArray[Any]:
    found = _places(1)
    found["place"], found["color"] = (0, 0, 0, 1), (0.85, 0.85, 0.85, 0.6)
    return found


def _spheres() -> NDArray[Any]:
    """Return a large sphere, and smaller ones of all hues around it."""
    found = _places(_COUNT)
    found[0] = (0, 1, 0, 1), (0.95, 0.93, 0.9, 1)
    for n in range(1, _COUNT):
        angle = 2 * np.pi * (n + 0.5) / (_COUNT - 1)
        found[n] = (
            (_RING * np.cos(angle), _RADIUS, _RING * np.sin(angle), _RADIUS),
            (*colorsys.hsv_to_rgb((n - 1) / (_COUNT - 1), 0.75, 0.9), 0.8),
        )
    return found


def _tiles() -> Texture:
    """Return squares of two greys, with joints."""
    place = np.arange(_TEXELS) * 2 * _BRICKS / _TEXELS
    is_dark = (np.floor(place)[:, None] + np.floor(place)) % 2 == 1
    is_joint = (place % 1 < 0.06)[:, None] | (place % 1 < 0.06)
    grey = np.where(is_joint, 90, np.where(is_dark, 170, 235)).astype(np.uint8)
    return mipmapped(np.stack([grey, grey, grey, np.full_like(grey, 255)], -1), "R8G8B8A8_UNORM")


def _view_projection() -> NDArray[np.float32]:
    ahead = (_AT - _EYE) / np.linalg.norm(_AT - _EYE)
    right = np.cross((0, 1, 0), ahead)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(ahead, right), ahead], 1)
    view = np.eye(4)
    view[:3, :3], view[3, :3] = axes, -_EYE @ axes
    near, far, scale = 0.2, 60.0, 2.2
    projection = np.array([
        [scale * HEIGHT / WIDTH, 0, 0, 0], [0, scale, 0, 0],
        [0, 0, far / (far - near), 1], [0, 0, -near * far / (far - near), 0],
    ])  # fmt: skip
    return (view @ projection).astype(np.float32)
