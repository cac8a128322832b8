"""The scene of `softd3d demo`: spheres on a floor, drawn by shaders of our own.

Each sphere is a cube of six patches, which hull and domain shader tessellate as its size asks for.
"""

from __future__ import annotations

import colorsys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import softd3d
from softd3d.classes import dataclass
from softd3d.cli.progress import progress_bar
from softd3d.device.render.defaults import mipmapped
from softd3d.device.render.meshes import Mesh, mesh_named
from softd3d.resources.textures.texture import Texture
from softd3d.samples import sample

__all__ = ["HEIGHT", "SAMPLES", "WIDTH", "Drawn", "draw_scene"]

WIDTH, HEIGHT, SAMPLES = 400, 225, 4
_TARGET = "R8G8B8A8_UNORM_SRGB"
_FOG = np.array([0.55, 0.66, 0.8])
_EYE, _AT = np.array([0.0, 2.3, -5.4]), np.array([0.0, 0.55, 0.0])
_LIGHT = np.array([-0.55, 0.7, -0.35])
_FLOOR = 14.0  # half of its edge
_RING, _RADIUS = 2.1, 0.5  # of the spheres around the one in the middle
_COUNT = 7
_TEXELS, _BRICKS = 128, 4
_ELEMENTS = {  # format, slot, offset
    "POSITION": ("R32G32B32_FLOAT", 0, 0), "NORMAL": ("R32G32B32_FLOAT", 0, 12),
    "TEXCOORD": ("R32G32_FLOAT", 0, 24),
}  # fmt: skip
_VERTEX = np.dtype([("POSITION", "<f4", 3), ("NORMAL", "<f4", 3), ("TEXCOORD", "<f4", 2)])


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
    floor, cube = mesh_named("quad"), mesh_named("cube")
    jobs = [
        _floor_job(engine, floor, spheres, color, depth),
        _sphere_job(engine, cube, spheres, color, depth),
    ]
    prepared = time.perf_counter()
    with progress_bar(engine, "draws"):
        outcomes = [
            jobs[0].indexed(floor.indices.size),
            jobs[1].instanced(len(cube.positions), _COUNT),
        ]
    resolved = softd3d.Texture2D(np.zeros((HEIGHT, WIDTH, 4), np.uint8), _TARGET)
    softd3d.resolve_subresource(resolved, 0, color, 0)
    end = time.perf_counter()
    statistics = [outcome.statistics for outcome in outcomes]
    return Drawn(
        np.ascontiguousarray(resolved.array[..., :3]),
        sum(s.c_invocations for s in statistics), sum(s.ps_invocations for s in statistics),
        prepared - start, end - prepared,
    )  # fmt: skip


def _floor_job(
    engine: str, floor: Mesh, spheres: NDArray[Any], color: softd3d.Texture2DMS,
    depth: softd3d.Texture2DMS,
) -> softd3d.Draw:  # fmt: skip
    """Return the draw of the quad, laid down with its upper edge away from the viewer."""
    vertices = np.zeros(len(floor.positions), _VERTEX)
    vertices["POSITION"] = _FLOOR * floor.positions[:, [0, 2, 1]]
    vertices["NORMAL"] = (0, 1, 0)
    vertices["TEXCOORD"] = _FLOOR * floor.coordinates
    scene = _constants(spheres)
    return softd3d.Draw(
        vs=sample("draw_scene.vs_5_0.dxbc").read_bytes(), engine=engine,
        input_layout=_layout("POSITION", "NORMAL", "TEXCOORD"),
        vertex_buffers={0: vertices, 1: _floor()}, index_buffer=floor.indices,
        constants={"vs": {0: scene}, "ps": {0: scene}}, **_output(color, depth),
    )  # fmt: skip


def _sphere_job(
    engine: str, cube: Mesh, spheres: NDArray[Any], color: softd3d.Texture2DMS,
    depth: softd3d.Texture2DMS,
) -> softd3d.Draw:  # fmt: skip
    """Return the draw of the spheres: patches, whose control points are a cube's corners."""
    corners = np.zeros(len(cube.positions), _VERTEX)
    corners["POSITION"], corners["TEXCOORD"] = cube.positions, cube.coordinates
    scene = _constants(spheres)
    return softd3d.Draw(
        **{stage: _assembled(f"draw_patches.{stage}_5_0.asm") for stage in ("vs", "hs", "ds")},
        engine=engine, topology="4_CONTROL_POINT_PATCHLIST",
        input_layout=_layout("POSITION", "TEXCOORD"), vertex_buffers={0: corners, 1: spheres},
        constants={"hs": {0: scene}, "ds": {0: scene}, "ps": {0: scene}}, **_output(color, depth),
    )  # fmt: skip


def _assembled(name: str) -> bytes:
    return softd3d.assemble(sample(name).read_text(encoding="utf-8"))


def _layout(*names: str) -> list[softd3d.InputElement]:
    """Return elements of a vertex, and what each instance has."""
    element = softd3d.InputElement
    return [
        *(element(name, 0, *_ELEMENTS[name]) for name in names),
        element("PLACE", 0, "R32G32B32A32_FLOAT", 1, 0, "PER_INSTANCE_DATA", 1),
        element("COLOR", 0, "R32G32B32A32_FLOAT", 1, 16, "PER_INSTANCE_DATA", 1),
    ]


def _constants(spheres: NDArray[Any]) -> NDArray[np.float32]:
    """Return the buffer `Scene` of draw_scene.hlsl, (14, 4)."""
    found = np.zeros((7 + _COUNT, 4), np.float32)
    found[:4] = _view_projection()
    found[4, :3], found[5, :3], found[6, :3] = _EYE, _LIGHT / np.linalg.norm(_LIGHT), _FOG
    found[7:] = spheres["place"]
    return found


def _output(color: softd3d.Texture2DMS, depth: softd3d.Texture2DMS) -> dict[str, Any]:
    """Return what both draws have behind the rasteriser."""
    return {
        "ps": sample("draw_scene.ps_5_0.dxbc").read_bytes(),
        "srvs": {"ps": {"tiles": _tiles()}},
        "samplers": {
            "ps": {"tilesSampler": softd3d.SamplerState("MIN_MAG_MIP_LINEAR", "WRAP", "WRAP")}
        },
        "render_targets": [color], "depth_stencil_view": depth,
        "rasterizer": softd3d.RasterizerState(multisample_enable=True),
    }  # fmt: skip


def _cleared() -> NDArray[np.uint8]:
    """Return samples of the fog's colour, as sRGB codes."""
    codes = np.where(_FOG <= 0.0031308, 12.92 * _FOG, 1.055 * _FOG ** (1 / 2.4) - 0.055)
    found = np.full((HEIGHT, WIDTH, SAMPLES, 4), 255, np.uint8)
    found[..., :3] = np.rint(255 * codes)
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
