"""What benchmarks/draws.py draws: scenes that grow in one thing while all else stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import softd3d

__all__ = ["SERIES", "Series", "Work"]

_COLUMNS = """//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
"""
_SIDE = 1024  # pixels of square targets
_MOST_IN_A_GRID = 1_000_000  # triangles; beyond, the grid is drawn several times
_CELL = 2.0  # pixels between vertices of small triangles
_OFFSET = 0.3  # of grids: no vertex lies at a pixel's centre
_LIT_CELLS = 128
_ATTRIBUTE_CELLS = 32


@dataclass(frozen=True, slots=True)
class Work:
    """A prepared draw. run: draws once; before: makes targets fresh, untimed; count: of units."""

    run: Callable[[], object]
    before: Callable[[], object]
    count: int


@dataclass(frozen=True, slots=True)
class Series:
    """Draws that differ in one number. axis: what grows; unit: what its constant is for."""

    name: str
    title: str
    axis: str
    unit: str
    values: tuple[int, ...]
    make: Callable[[int, int], Work]  # of a value and a number of threads, 0 for all


def _signature(kind: str, rows: list[tuple[str, int, int, str]]) -> str:
    """Return a signature: name, index, register and system value of float4s."""
    lines = "".join(
        f"// {name:<20} {index:>5}   xyzw {register:>8} {system:>8}   float   xyzw\n"
        for name, index, register, system in rows
    )
    return f"// {kind} signature:\n{_COLUMNS}{lines}//\n"


def _attributes(count: int) -> list[tuple[str, int, int, str]]:
    return [("TEXCOORD", n, n + 1, "NONE") for n in range(count)]


def _vertex_shader(copies: int) -> softd3d.Shader:
    """Return a shader with a position times a matrix, and multiples of an attribute."""
    given = _signature("Input", [("POSITION", 0, 0, "NONE"), ("TEXCOORD", 0, 1, "NONE")])
    left = _signature("Output", [("SV_Position", 0, 0, "POS"), *_attributes(copies)])
    outputs = "".join(f"dcl_output o{n + 1}.xyzw\n" for n in range(copies))
    products = "".join(
        f"mul o{n + 1}.xyzw, v1.xyzw, l({', '.join([str(1 - n / 64)] * 4)})\n"
        for n in range(copies)
    )
    rows = "".join(f"dp4 o0.{c}, v0.xyzw, cb0[{n}].xyzw\n" for n, c in enumerate("xyzw"))
    return _assembled(
        f"{given}{left}vs_5_0\ndcl_constantbuffer cb0[4], immediateIndexed\n"
        "dcl_input v0.xyzw\ndcl_input v1.xyzw\n"
        f"dcl_output_siv o0.xyzw, position\n{outputs}{rows}{products}ret\n"
    )


def _pixel_shader(attributes: int, body: str, declarations: str = "") -> softd3d.Shader:
    given = _signature("Input", [("SV_Position", 0, 0, "POS"), *_attributes(attributes)])
    left = _signature("Output", [("SV_Target", 0, 0, "TARGET")])
    inputs = "".join(f"dcl_input_ps linear v{n + 1}.xyzw\n" for n in range(attributes))
    return _assembled(f"{given}{left}ps_5_0\n{declarations}{inputs}dcl_output o0.xyzw\n{body}ret\n")


def _assembled(text: str) -> softd3d.Shader:
    return softd3d.load(softd3d.assemble(text))


_PLAIN = "mov o0.xyzw, v1.xyzw\n"
_THIN = "mov o0.xyz, v1.xyzx\nmov o0.w, l(0.1)\n"
_LIT = """
dp3 r0.w, v1.xyzx, v1.xyzx
rsq r0.w, r0.w
mul r0.xyz, r0.wwww, v1.xyzx
add r1.xyz, -v2.xyzx, l(0.5, 0.5, 3.0, 0)
dp3 r1.w, r1.xyzx, r1.xyzx
rsq r1.w, r1.w
mul r1.xyz, r1.wwww, r1.xyzx
add r2.xyz, -v2.xyzx, l(0.5, 0.5, 9.0, 0)
dp3 r2.w, r2.xyzx, r2.xyzx
rsq r2.w, r2.w
mad r2.xyz, r2.xyzx, r2.wwww, r1.xyzx
dp3 r2.w, r2.xyzx, r2.xyzx
rsq r2.w, r2.w
mul r2.xyz, r2.wwww, r2.xyzx
dp3 r3.x, r0.xyzx, r1.xyzx
dp3 r3.y, r0.xyzx, r2.xyzx
max r3.xy, r3.xyxx, l(0, 0.0001, 0, 0)
log r3.y, r3.y
mul r3.y, r3.y, l(32.0)
exp r3.y, r3.y
mad o0.xyz, r3.xxxx, l(0.7, 0.5, 0.3, 0), r3.yyyy
mov o0.w, l(1.0)
"""
_LIT_DECLARATIONS = "dcl_temps 4\n"


def _sum_of(attributes: int) -> str:
    if attributes == 1:
        return _PLAIN
    adds = "".join(f"add r0.xyzw, r0.xyzw, v{n}.xyzw\n" for n in range(3, attributes + 1))
    return f"add r0.xyzw, v1.xyzw, v2.xyzw\n{adds}mov o0.xyzw, r0.xyzw\n"


def _grid(columns: int, rows: int) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return vertices of a grid, positions in cells, and indices of its triangles."""
    vertices = np.zeros((rows + 1, columns + 1), [("POSITION", "f4", 4), ("TEXCOORD", "f4", 4)])
    y, x = np.mgrid[: rows + 1, : columns + 1]
    vertices["POSITION"] = np.stack([x, y, 0.25 + 0.5 * y / rows, np.ones_like(x)], -1)
    vertices["TEXCOORD"] = np.stack([x / columns, y / rows, np.full(x.shape, 0.6), x % 2], -1)
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns))[..., None]
    cell = np.array([0, 1, columns + 1, columns + 1, 1, columns + 2])
    return vertices.ravel(), (corner + cell).astype(np.uint32).ravel()


def _matrix(width: int, height: int, cell: tuple[float, float], offset: float) -> NDArray[Any]:
    """Return rows that take cells to clip space, the first cell at `offset` pixels."""
    (x, y), (left, top) = cell, (2 * offset / width, 2 * offset / height)
    rows = [[2 * x / width, 0, 0, left - 1], [0, -2 * y / height, 0, 1 - top], [0, 0, 1, 0],
            [0, 0, 0, 1]]  # fmt: skip
    return np.array(rows, np.float32)


def _texture(width: int, height: int, samples: int) -> Any:
    if samples == 1:
        return softd3d.Texture2D(np.zeros((height, width, 4), np.uint8), "R8G8B8A8_UNORM")
    texels = np.zeros((height, width, samples), np.uint32)
    return softd3d.Texture2DMS(texels, "R8G8B8A8_UNORM")


def _depths(width: int, height: int, samples: int) -> Any:
    if samples == 1:
        return softd3d.Texture2D(np.zeros((height, width), np.float32), "D32_FLOAT")
    return softd3d.Texture2DMS(np.zeros((height, width, samples), np.float32), "D32_FLOAT")


@dataclass(frozen=True, slots=True)
class _Scene:
    """A grid over a target, in pixels; depth: a D32_FLOAT buffer, LESS_EQUAL."""

    width: int
    height: int
    cells: tuple[int, int]
    cell: tuple[float, float]
    ps: softd3d.Shader
    attributes: int = 1
    instances: int = 1
    samples: int = 1
    depth: bool = False
    blend: bool = False

    def work(self, threads: int, count: int) -> Work:
        """Return the prepared draw."""
        vertices, indices = _grid(*self.cells)
        color = _texture(self.width, self.height, self.samples)
        depth = _depths(self.width, self.height, self.samples) if self.depth else None
        matrix = _matrix(self.width, self.height, self.cell, _OFFSET if self.depth else 0.0)
        target = softd3d.RenderTargetBlendDesc(
            self.blend, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA",
            dest_blend_alpha="INV_SRC_ALPHA",
        )  # fmt: skip
        draw = softd3d.Draw(
            vs=_vertex_shader(self.attributes), ps=self.ps, vertex_buffers=[vertices],
            index_buffer=indices, constants={"vs": {0: matrix}}, render_targets=[color],
            depth_stencil_view=depth, rasterizer=softd3d.RasterizerState(cull_mode="NONE"),
            depth_stencil=softd3d.DepthStencilState(self.depth, depth_func="LESS_EQUAL"),
            blend=softd3d.BlendState(render_target=target), threads=threads,
        )  # fmt: skip
        draw.indexed_instanced(0, 1)  # code is loaded, nothing is drawn

        def before() -> None:
            softd3d.clear_render_target_view(color, (0, 0, 0, 0))
            if depth is not None:
                softd3d.clear_depth_stencil_view(depth)

        return Work(lambda: draw.indexed_instanced(indices.size, self.instances), before, count)


def _triangles(wanted: int, threads: int) -> Work:
    """About so many triangles of two pixels each, with depth test."""
    in_a_grid = min(wanted, _MOST_IN_A_GRID)
    rows = round((in_a_grid / 4) ** 0.5)
    columns = round(in_a_grid / 2 / rows)
    instances = -(-wanted // _MOST_IN_A_GRID)
    scene = _Scene(
        2048, 1024, (columns, rows), (_CELL, _CELL), _pixel_shader(1, _PLAIN), depth=True,
        instances=instances,
    )  # fmt: skip
    return scene.work(threads, 2 * rows * columns * instances)


def _full(
    side: int, threads: int, body: str, *, instances: int = 1, blend: bool = False,
    samples: int = 1,
) -> Work:  # fmt: skip
    """Two triangles over a square target."""
    scene = _Scene(
        side, side, (1, 1), (side, side), _pixel_shader(1, body), instances=instances,
        blend=blend, samples=samples,
    )  # fmt: skip
    return scene.work(threads, side * side * instances * samples)


def _pixels(side: int, threads: int) -> Work:
    return _full(side, threads, _PLAIN)


def _overdraw(layers: int, threads: int) -> Work:
    return _full(_SIDE, threads, _THIN, instances=layers, blend=True)


def _samples(samples: int, threads: int) -> Work:
    return _full(_SIDE, threads, _PLAIN, samples=samples)


def _lit(samples: int, threads: int) -> Work:
    """A lit mesh of 32,768 triangles of 32 pixels each, with depth test."""
    scene = _Scene(
        _SIDE, _SIDE, (_LIT_CELLS, _LIT_CELLS), (_SIDE / _LIT_CELLS,) * 2,
        _pixel_shader(2, _LIT, _LIT_DECLARATIONS), attributes=2, samples=samples, depth=True,
    )  # fmt: skip
    return scene.work(threads, _SIDE * _SIDE * samples)


def _interpolated(attributes: int, threads: int) -> Work:
    """So many float4s, summed in each pixel of a mesh of 2,048 triangles."""
    ps = _pixel_shader(attributes, _sum_of(attributes), "dcl_temps 1\n")
    scene = _Scene(
        _SIDE, _SIDE, (_ATTRIBUTE_CELLS,) * 2, (_SIDE / _ATTRIBUTE_CELLS,) * 2, ps,
        attributes=attributes,
    )  # fmt: skip
    return scene.work(threads, _SIDE * _SIDE * attributes)


_SAMPLES = (1, 2, 4, 8, 16)
SERIES = {
    series.name: series
    for series in (
        Series("triangles", "Triangles of two pixels", "triangles", "triangle",
               (1_000, 10_000, 100_000, 1_000_000, 10_000_000), _triangles),
        Series("pixels", "Square targets, one attribute", "pixels a side", "pixel",
               (64, 128, 256, 512, 1024, 2048, 4096), _pixels),
        Series("overdraw", "Blended layers over 1024 x 1024 pixels", "layers", "blended pixel",
               (1, 3, 10, 30, 100), _overdraw),
        Series("samples", "Samples a pixel, one attribute, 1024 x 1024", "samples", "sample",
               _SAMPLES, _samples),
        Series("lit samples", "Samples a pixel, lit mesh, 1024 x 1024", "samples", "sample",
               _SAMPLES, _lit),
        Series("attributes", "Interpolated float4s, 1024 x 1024", "float4s", "float4 of a pixel",
               (1, 2, 4, 8, 16, 31), _interpolated),
    )
}  # fmt: skip
"""By name. 31 float4s beside the position are the 32 registers that a stage may hand on."""
