"""Patches through hull shader, tessellator and domain shader: what `softd3d.tessellate` says."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from draw_shaders import POSITION, constant_pixel, shader

import softd3d

ENGINES = ["interpreter", "jit"]
NAN, INF = float("nan"), float("inf")
DOMAINS = {"isoline": (2, 0), "tri": (3, 1), "quad": (4, 2)}  # factors of edges and insides
PARTITIONINGS = ["integer", "pow2", "fractional_odd", "fractional_even"]
TOPOLOGIES = {"isoline": ["point", "line"], "tri": ["point", "triangle_cw"]}
TOPOLOGIES["quad"] = ["triangle_cw", "triangle_ccw"]
CORNERS = {"point": 1, "line": 2, "triangle_cw": 3, "triangle_ccw": 3}
NAMES = {
    "isoline": ["LineDensity", "LineDetail"],
    "tri": ["TriUeq0Edge", "TriVeq0Edge", "TriWeq0Edge", "TriInside"],
    "quad": [
        "QuadUeq0Edge", "QuadVeq0Edge", "QuadUeq1Edge", "QuadVeq1Edge", "QuadUInside",
        "QuadVInside",
    ],
}  # fmt: skip
ROWS = ("EDGES 0 xyzw 0 float", "INSIDES 0 xy 1 float", "BOX 0 xyzw 2 float")
VERTEX = np.dtype([("EDGES", "<f4", 4), ("INSIDES", "<f4", 2), ("BOX", "<f4", 4)])
WRITTEN = np.dtype([("at", "<f4", 3), ("patch", "<u4")])
ENTRIES = [
    softd3d.SODeclarationEntry(0, "LOCATION", 0, 0, 3),
    softd3d.SODeclarationEntry(0, "PATCH", 0, 0, 1),
]


def vertex_shader() -> softd3d.Shader:
    return shader(
        ROWS, ROWS,
        "vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xy\ndcl_input v2.xyzw\ndcl_output o0.xyzw\n"
        "dcl_output o1.xy\ndcl_output o2.xyzw\nmov o0.xyzw, v0.xyzw\nmov o1.xy, v1.xyxx\n"
        "mov o2.xyzw, v2.xyzw\nret\n",
    )  # fmt: skip


def hull_shader(domain: str, partitioning: str, output: str) -> softd3d.Shader:
    """One control point, which says the factors; each factor has a fork phase of its own."""
    places = [f"0].{c}" for c in "xyzw"[: DOMAINS[domain][0]]]
    places += ["1].x", "1].y"]
    forks = "".join(
        "hs_fork_phase\ndcl_input vicp[1][0].xyzw\ndcl_input vicp[1][1].xy\n"
        f"dcl_output_siv o{n}.x, final{name}TessFactor\nmov o{n}.x, vicp[0][{place}\nret\n"
        for n, (name, place) in enumerate(zip(NAMES[domain], places, strict=False))
    )
    return shader(
        ROWS, ROWS,
        "hs_5_0\nhs_decls\ndcl_input_control_point_count 1\ndcl_output_control_point_count 1\n"
        f"dcl_tessellator_domain domain_{domain}\n"
        f"dcl_tessellator_partitioning partitioning_{partitioning}\n"
        f"dcl_tessellator_output_primitive output_{output}\n{forks}",
    )  # fmt: skip


def domain_shader(domain: str) -> softd3d.Shader:
    """LOCATION and PATCH: vDomain and vPrim."""
    mask = "xyz" if domain == "tri" else "xy"
    return shader(
        ROWS, ("LOCATION 0 xyz 0 float", "PATCH 0 x 1 uint"),
        f"ds_5_0\ndcl_input_control_point_count 1\ndcl_tessellator_domain domain_{domain}\n"
        f"dcl_input vDomain.{mask}\ndcl_input vPrim\ndcl_output o0.xyz\ndcl_output o1.x\n"
        f"mov o0.xyz, l(0, 0, 0, 0)\nmov o0.{mask}, vDomain.xyzx\nmov o1.x, vPrim\nret\n",
    )  # fmt: skip


def box_shader() -> softd3d.Shader:
    """The point of a box in clip space: BOX has its left and upper corner, and its size."""
    return shader(
        ROWS, (POSITION,),
        "ds_5_0\ndcl_input_control_point_count 1\ndcl_tessellator_domain domain_quad\n"
        "dcl_input vDomain.xy\ndcl_input vicp[1][2].xyzw\ndcl_output_siv o0.xyzw, position\n"
        "mad o0.xy, vDomain.xyxx, vicp[0][2].zwzz, vicp[0][2].xyxx\n"
        "mov o0.zw, l(0, 0, 0.5, 1.0)\nret\n",
    )  # fmt: skip


def patches(domain: str, rows: Any) -> Any:
    """Return vertices with factors, one a patch."""
    edges, insides = DOMAINS[domain]
    found = np.zeros(len(rows), VERTEX)
    for vertex, row in zip(found, rows, strict=True):
        vertex["EDGES"][:edges] = row[:edges]
        vertex["INSIDES"][:insides] = row[edges:]
    return found


def streamed(
    domain: str, partitioning: str, output: str, rows: Any, engine: str, instances: int = 1
) -> tuple[Any, softd3d.DrawResult]:
    """Return what a draw of patches streams out, and its result."""
    wanted = expected(domain, partitioning, output, rows)
    room = np.zeros(instances * len(wanted) + CORNERS[output], WRITTEN)
    result = softd3d.Draw(
        vs=vertex_shader(), hs=hull_shader(domain, partitioning, output),
        ds=domain_shader(domain), topology="1_CONTROL_POINT_PATCHLIST", engine=engine,
        vertex_buffers=[patches(domain, rows)], so_targets=[room],
        stream_output=softd3d.StreamOutput(ENTRIES, rasterized_stream=None),
    ).instanced(len(rows), instances)  # fmt: skip
    return room, result


def tessellated(domain: str, partitioning: str, output: str, row: Any) -> softd3d.Tessellation:
    edges, insides = DOMAINS[domain]
    return softd3d.tessellate(
        domain, partitioning, output, row[:edges], row[edges : edges + insides]
    )


def expected(domain: str, partitioning: str, output: str, rows: Any) -> Any:
    """Return what the tessellator by itself makes of patches, one vertex after another."""
    parts: list[Any] = []
    for number, row in enumerate(rows):
        made = tessellated(domain, partitioning, output, row)
        part = np.zeros(made.indices.size, WRITTEN)
        part["at"][:, : made.locations.shape[1]] = made.locations[made.indices]
        part["patch"] = number
        parts.append(part)
    return np.concatenate(parts)


def some_factors(domain: str, count: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    columns = sum(DOMAINS[domain])
    rows = random.uniform(0.5, 7, (count, columns)).astype(np.float32)
    special = random.choice(np.array([NAN, 0, -1, 1, 2, INF, 1e-40], np.float32), rows.shape)
    return np.where(random.random(rows.shape) < 0.07, special, rows)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("domain", "partitioning", "output"),
    [(d, p, o) for d, p in product(DOMAINS, PARTITIONINGS) for o in TOPOLOGIES[d]],
)
def test_patches_come_as_the_tessellator_makes_them(
    domain: str, partitioning: str, output: str, engine: str
) -> None:
    """In order, patch after patch; locations and SV_PrimitiveID reach the domain shader."""
    rows = some_factors(domain, 12, 3)
    wanted = expected(domain, partitioning, output, rows)
    found, result = streamed(domain, partitioning, output, rows, engine)
    assert (found[: len(wanted)] == wanted).all()
    assert not found[len(wanted) :]["at"].any()
    count = len(wanted) // CORNERS[output]
    assert result.so_statistics[0] == softd3d.SOStatistics(count, count)
    points = [len(tessellated(domain, partitioning, output, row).fixed) for row in rows]
    assert result.statistics.hs_invocations == len(rows)
    assert result.statistics.ds_invocations == sum(points)


@pytest.mark.parametrize("engine", ENGINES)
def test_patches_count_from_0_in_each_instance(engine: str) -> None:
    rows = some_factors("tri", 5, 4)
    wanted = np.tile(expected("tri", "fractional_odd", "triangle_cw", rows), 3)
    found, result = streamed("tri", "fractional_odd", "triangle_cw", rows, engine, instances=3)
    assert (found[: len(wanted)] == wanted).all()
    assert result.statistics.hs_invocations == 15


@pytest.mark.parametrize("engine", ENGINES)
def test_more_points_than_are_together_come_in_order(engine: str) -> None:
    rows = np.full((20, 6), 64, np.float32)
    rows[7, 2], rows[11:13, 0] = 1, 0
    wanted = expected("quad", "integer", "triangle_cw", rows)
    found, _ = streamed("quad", "integer", "triangle_cw", rows, engine)
    assert (found[: len(wanted)] == wanted).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("partitioning", PARTITIONINGS)
def test_neighbours_cover_every_pixel_once(partitioning: str, engine: str) -> None:
    """Boxes whose shared edges have the same factors: no cracks, and nothing is drawn twice."""
    across, down = 4, 3
    random = np.random.default_rng(5)
    rows = random.uniform(1, 9, (down, across, 6)).astype(np.float32)
    rows[:, 1:, 0] = rows[:, :-1, 2]  # U == 0 is what U == 1 of the box before is
    rows[1:, :, 1] = rows[:-1, :, 3]
    vertices = patches("quad", rows.reshape(-1, 6)).reshape(down, across)
    for (y, x), vertex in np.ndenumerate(vertices):
        vertex["BOX"] = (2 * x / across - 1, 1 - 2 * y / down, 2 / across, -2 / down)
    image = np.zeros((96, 128, 4), np.float32)
    target = softd3d.RenderTargetBlendDesc(
        blend_enable=True, src_blend="ONE", dest_blend="ONE", src_blend_alpha="ONE",
        dest_blend_alpha="ONE",
    )  # fmt: skip
    softd3d.draw(
        vertices.size, vs=vertex_shader(), hs=hull_shader("quad", partitioning, "triangle_cw"),
        ds=box_shader(), ps=constant_pixel(), topology="1_CONTROL_POINT_PATCHLIST", engine=engine,
        vertex_buffers=[vertices.reshape(-1)], render_targets=[image],
        constants={"ps": {0: np.ones(4, np.float32)}},
        blend=softd3d.BlendState(render_target=[target]),
        rasterizer=softd3d.RasterizerState(cull_mode="NONE"),
    )  # fmt: skip
    assert image.min() >= 1
    # Slivers that rounding turns over draw what their neighbours draw, too.
    assert image.max() == 1 or partitioning.startswith("fractional")
