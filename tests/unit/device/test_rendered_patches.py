"""Pictures through hull, domain and geometry shaders: the mesh as patches, lines and points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from draw_shaders import POSITION, shader
from small_stages import geometry_shader

from softd3d.device.render.patches import shape_of
from softd3d.device.render.scene import Scene
from softd3d.errors import ResourceError

SIZE = (40, 30)
ROWS = (POSITION, "TEXCOORD 0 xy 1 float")
FACTORS = {
    "tri": ["TriUeq0Edge", "TriVeq0Edge", "TriWeq0Edge", "TriInside"],
    "quad": [
        "QuadUeq0Edge", "QuadVeq0Edge", "QuadUeq1Edge", "QuadVeq1Edge", "QuadUInside",
        "QuadVInside",
    ],
}  # fmt: skip


def pixel_shader() -> Any:
    """Texture coordinates as a colour."""
    return shader(
        ROWS, ("SV_Target 0 xyzw 0 float",),
        "ps_5_0\ndcl_input_ps linear v1.xy\ndcl_output o0.xyzw\nmov o0.xy, v1.xyxx\n"
        "mov o0.zw, l(0, 0, 0, 1.0)\nret\n",
    )  # fmt: skip


def hull_shader(points: int, factor: int = 3, rows: tuple[str, ...] = ROWS) -> Any:
    domain = "tri" if points == 3 else "quad"
    forks = "".join(
        f"hs_fork_phase\ndcl_output_siv o{n}.x, final{name}TessFactor\nmov o{n}.x, l({factor}.0)\n"
        "ret\n"
        for n, name in enumerate(FACTORS[domain])
    )
    return shader(
        rows, rows,
        f"hs_5_0\nhs_decls\ndcl_input_control_point_count {points}\n"
        f"dcl_output_control_point_count {points}\ndcl_tessellator_domain domain_{domain}\n"
        "dcl_tessellator_partitioning partitioning_integer\n"
        f"dcl_tessellator_output_primitive output_triangle_cw\n{forks}",
    )  # fmt: skip


def domain_shader(points: int) -> Any:
    """The point between a patch's corners, in clip space, and its texture coordinates."""
    edge = int(points**0.5)
    corners = [0, edge - 1, points - edge, points - 1]
    code = ""
    for register, mask in ((0, "xyzw"), (1, "xy")):
        c = [f"vicp[{n}][{register}].{mask}{mask[:1] * (4 - len(mask))}" for n in corners]
        out = f"o{register}.{mask}"
        if points == 3:
            code += f"mul r0.xyzw, vDomain.xxxx, {c[0].replace(f'[{corners[0]}]', '[0]')}\n"
            for n, component in ((1, "y"), (2, "z")):
                code += (
                    f"mad r0.xyzw, vDomain.{component * 4}, {c[0].replace('[0]', f'[{n}]', 1)}, "
                )
                code += "r0.xyzw\n"
        else:
            for n, row in enumerate((c[:2], c[2:])):
                code += f"add r{n}.xyzw, {row[1]}, -{row[0]}\n"
                code += f"mad r{n}.xyzw, vDomain.xxxx, r{n}.xyzw, {row[0]}\n"
            code += "add r1.xyzw, r1.xyzw, -r0.xyzw\nmad r0.xyzw, vDomain.yyyy, r1.xyzw, r0.xyzw\n"
        code += f"mov {out}, r0.xyzw\n"
    domain, mask = ("tri", "xyz") if points == 3 else ("quad", "xy")
    return shader(
        ROWS, ROWS,
        f"ds_5_0\ndcl_input_control_point_count {points}\ndcl_tessellator_domain domain_{domain}\n"
        f"dcl_input vDomain.{mask}\ndcl_input vicp[{points}][0].xyzw\n"
        f"dcl_input vicp[{points}][1].xy\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xy\n"
        f"dcl_temps 2\n{code}ret\n",
    )  # fmt: skip


def drawn(mesh: str, engine: str = "interpreter", **shaders: Any) -> Any:
    scene = Scene(pixel_shader(), mesh=mesh, size=SIZE, **shaders)
    rendering = scene.render(engine=engine)
    assert rendering.outcome.poisoned == ()
    return rendering


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("points", [3, 4, 9, 16, 25])
@pytest.mark.parametrize("mesh", ["quad", "cube"])
def test_flat_faces_look_as_they_do_without_patches(mesh: str, points: int, engine: str) -> None:
    wanted = drawn(mesh).colors
    found = drawn(mesh, engine, hs=hull_shader(points), ds=domain_shader(points))
    # Points are snapped to 1/256 pixel; a pixel on a silhouette may fall to either side.
    same = np.isclose(found.colors, wanted, atol=5e-3).all(axis=-1)
    assert same.mean() > 0.99
    statistics = found.outcome.statistics
    faces = (1 if mesh == "quad" else 6) * (2 if points == 3 else 1)
    assert statistics.hs_invocations == faces
    assert statistics.ds_invocations == faces * (12 if points == 3 else 16)


@pytest.mark.parametrize("points", [3, 4, 9])
def test_a_sphere_is_72_patches_or_144_triangles(points: int) -> None:
    wanted = drawn("sphere").colors
    found = drawn("sphere", hs=hull_shader(points), ds=domain_shader(points))
    same = np.isclose(found.colors, wanted, atol=0.1).all(axis=-1)
    assert same.mean() > 0.9
    patches = 144 if points == 3 else 72
    assert found.outcome.statistics.hs_invocations == patches


@pytest.mark.parametrize("points", [4, 16])
def test_patches_of_a_sphere_meet(points: int) -> None:
    shape = shape_of("sphere", hull_shader(points), None)
    edge = int(points**0.5)
    patches = shape.mesh.indices.reshape(6, 12, edge, edge)
    assert (patches[:, :-1, :, -1] == patches[:, 1:, :, 0]).all()
    assert (patches[:-1, :, -1] == patches[1:, :, 0]).all()


def test_what_a_hull_shader_reads_is_said_and_fed() -> None:
    rows = (POSITION, "NORMAL 0 xyz 1 float", "COLOR 0 xyzw 2 float")
    scene = Scene(
        pixel_shader(), hs=hull_shader(4, rows=rows), ds=domain_shader(4), mesh="cube", size=SIZE
    )
    assert scene.said()[0] == "NORMAL0 gets the normal"
    assert scene.said()[1].startswith("COLOR0 gets a colour by position")


@pytest.mark.parametrize("mesh", ["quad", "sphere", "cube"])
def test_a_geometry_shader_gets_the_triangles(mesh: str) -> None:
    wanted = drawn(mesh)
    gs = shader(
        ROWS, tuple(f"m0:{row}" for row in ROWS),
        "gs_5_0\ndcl_input_siv v[3][0].xyzw, position\ndcl_input v[3][1].xy\n"
        "dcl_inputprimitive triangle\ndcl_stream m0\ndcl_outputtopology trianglestrip\n"
        "dcl_output_siv o0.xyzw, position\ndcl_output o1.xy\ndcl_maxout 3\n"
        + "".join(
            f"mov o0.xyzw, v[{n}][0].xyzw\nmov o1.xy, v[{n}][1].xyxx\nemit_stream m0\n"
            for n in range(3)
        )
        + "ret\n",
    )  # fmt: skip
    found = drawn(mesh, gs=gs)
    assert np.array_equal(found.colors, wanted.colors)
    assert found.outcome.statistics.gs_primitives == wanted.outcome.statistics.ia_primitives


@pytest.mark.parametrize(
    ("primitive", "topology", "count"), [("point", "pointlist", 24), ("line", "linestrip", 30)]
)
def test_a_geometry_shader_may_take_points_or_lines(
    primitive: str, topology: str, count: int
) -> None:
    """A cube has 24 vertices, and 6 faces of 5 sides each."""
    gs = geometry_shader(primitive, topology)
    scene = Scene(pixel_shader(), gs=gs, mesh="cube", size=SIZE)
    assert scene.render(engine="interpreter").outcome.statistics.gs_invocations == count


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hs": lambda: hull_shader(5), "ds": lambda: domain_shader(4)},
         "hs: found a hull shader of 5 control points, wanted 3, 4, 9, 16 or 25"),
        ({"gs": lambda: geometry_shader("lineadj")},
         "gs: found a geometry shader of LINE_ADJ primitives, wanted POINT, LINE or TRIANGLE"),
        ({"hs": lambda: domain_shader(4)}, "hs: found a domain shader"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        Scene(pixel_shader(), **{stage: make() for stage, make in given.items()})


def test_hull_and_domain_shader_go_together() -> None:
    scene = Scene(pixel_shader(), hs=hull_shader(4), size=SIZE)
    with pytest.raises(ResourceError, match="hull shader"):
        scene.render(engine="interpreter")
