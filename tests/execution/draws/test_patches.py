"""Draws of patches on both engines: phases, factors, points, order, what is counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from both import compare, drawn_by_reference
from random_draws import bound
from stage_draws import HEAD, WAYS, slot_of, stage_draw, streamed, with_buffers

from softd3d.errors import ResourceError
from softd3d.interp.draw import engine as interpreter
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.jit.draw.engine import compile_draw
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives import patches as patch_stages
from softd3d.pipeline.primitives.stage_programs import stage_programs
from softd3d.pipeline.state import PrimitiveTopology

T = PrimitiveTopology
EDGES = {
    "tri": ["finalTriUeq0EdgeTessFactor", "finalTriVeq0EdgeTessFactor",
            "finalTriWeq0EdgeTessFactor", "finalTriInsideTessFactor"],
    "quad": ["finalQuadUeq0EdgeTessFactor", "finalQuadVeq0EdgeTessFactor",
             "finalQuadUeq1EdgeTessFactor", "finalQuadVeq1EdgeTessFactor",
             "finalQuadUInsideTessFactor", "finalQuadVInsideTessFactor"],
    "isoline": ["finalLineDensityTessFactor", "finalLineDetailTessFactor"],
}  # fmt: skip
ONE_POINT = """hs_control_point_phase
dcl_input vOutputControlPointID
dcl_input vPrim
dcl_input v[3][1].xy
dcl_output o0.xyzw
dcl_output o1.xy
dcl_temps 1
mov r0.x, vOutputControlPointID
mov o0.xyzw, l(0, 0, 0.5, 1.0)
imul null, o1.x, v[r0.x + 1][1].x, l(10)
iadd o1.y, vPrim, l(100)
ret
"""
"""Two control points, of the second and third vertex: ten times its id, and 100 + vPrim."""


def hull(
    factors: str, *, domain: str = "tri", partitioning: str = "integer",
    output: str = "triangle_cw", points: str = ONE_POINT, outputs: int = 2,
) -> str:  # fmt: skip
    """Return a hull shader. factors: the code of its only fork phase, which writes r0 to r5.x."""
    names = EDGES[domain]
    declared = "".join(f"dcl_output_siv o{n}.x, {name}\n" for n, name in enumerate(names))
    written = "".join(f"mov o{n}.x, r{n}.x\n" for n in range(len(names)))
    return f"""hs_5_0
hs_decls
dcl_input_control_point_count 3
dcl_output_control_point_count {outputs}
dcl_tessellator_domain domain_{domain}
dcl_tessellator_partitioning partitioning_{partitioning}
dcl_tessellator_output_primitive output_{output}
{HEAD}{points}hs_fork_phase
dcl_input vPrim
dcl_input vicp[3][1].xy
{declared}dcl_output o6.y
dcl_temps 7
{factors}{written}mov o6.y, l(77)
ret
"""


def same(factor: str, count: int = 6) -> str:
    """Return code for equal factors."""
    return "".join(f"mov r{n}.x, {factor}\n" for n in range(count))


def domain(kind: str = "tri", points: int = 2, location: str = "xyz") -> str:
    """Return a domain shader: o1 is u, v, w; o2 is control points' data and a patch constant."""
    return f"""ds_5_0
dcl_input_control_point_count {points}
dcl_tessellator_domain domain_{kind}
{HEAD}dcl_input vDomain.{location}
dcl_input vicp[{points}][1].xy
dcl_input vpc6.y
dcl_input vPrim
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_output o2.xyzw
dcl_temps 1
mov o0.xy, vDomain.xyxx
mov o0.zw, l(0, 0, 0.5, 1.0)
mov o1.xyz, vDomain.{location}{location[-1] * (4 - len(location))}
mov o1.w, vPrim
mov o2.x, vicp[0][1].x
mov o2.y, vicp[{points - 1}][1].x
mov o2.z, vicp[0][1].y
mov o2.w, vpc6.y
ret
"""


LOCATION, DATA = slot_of("o1.xy"), slot_of("o2.xyzw o1.w")
ZERO, ONE, HALF = 0, 0x3F800000, 0x3F000000


def patches(hull_text: str, domain_text: str = "") -> PreparedDraw:
    return stage_draw(T.PATCHLIST_3, hull=hull_text, domain=domain_text or domain())


def test_one_triangle_in_the_order_of_the_reference_tessellator() -> None:
    """Factors of 1 give the corners (0,1), (0,0), (1,0); ccw swaps the last two."""
    draw = with_buffers(patches(hull(same("l(1.0)"))), LOCATION)
    assert streamed(draw, DrawCall(3)) == [[ZERO, ONE], [ZERO, ZERO], [ONE, ZERO]]
    compare(draw, DrawCall(3), WAYS)
    draw = with_buffers(patches(hull(same("l(1.0)"), output="triangle_ccw")), LOCATION)
    assert streamed(draw, DrawCall(3)) == [[ZERO, ONE], [ONE, ZERO], [ZERO, ZERO]]
    compare(draw, DrawCall(3), WAYS)


def test_control_points_patch_constants_and_ids_of_each_patch() -> None:
    draw = with_buffers(patches(hull(same("l(1.0)"))), DATA)
    wanted = [
        [10 * (3 * p + 1), 10 * (3 * p + 2), 100 + p, 77, p]
        for _ in range(2) for p in range(3) for _ in range(3)
    ]  # fmt: skip
    assert streamed(draw, DrawCall(11, 2)) == wanted
    compare(draw, DrawCall(11, 2), WAYS)


def test_without_a_control_point_phase_points_pass_through() -> None:
    text = hull(same("l(1.0)"), points="", outputs=3)
    draw = with_buffers(patches(text, domain(points=3)), DATA)
    assert streamed(draw, DrawCall(6)) == [[3 * p, 3 * p + 2, 0, 77, p] for p in (0, 0, 0, 1, 1, 1)]
    compare(draw, DrawCall(6, 3), WAYS)


# The inside factor is 1, the edge factors are vPrim - 1: -1, 0, 1, 2.
VARIED = """itof r0.x, vPrim
add r0.x, r0.x, l(-1.0)
mov r1.x, r0.x
mov r2.x, r0.x
mov r3.x, l(1.0)
"""


def test_culled_patches_have_ids_but_no_points() -> None:
    draw = with_buffers(patches(hull(VARIED)), slot_of("o1.w"))
    found = [row[0] for row in streamed(draw, DrawCall(12))]
    # Edges of 2 and an inside of 1, which counts as 2: a hexagon's six triangles.
    assert found == [2] * 3 + [3] * 18
    statistics = drawn_by_reference(draw, DrawCall(12))[1].statistics
    assert (statistics.hs_invocations, statistics.ds_invocations) == (4, 3 + 7)
    assert (statistics.ia_primitives, statistics.c_invocations) == (4, 7)
    compare(draw, DrawCall(12, 2), WAYS)


@pytest.mark.parametrize("factor", ["l(0)", "l(-1.0)", "l(nan)", "l(-0.0)"])
def test_factors_that_cull(factor: str) -> None:
    text = same("l(3.0)", 3) + "mov r3.x, l(3.0)\n"
    bits = {"l(nan)": "l(0x7fc00000)", "l(-0.0)": "l(0x80000000)"}.get(factor, factor)
    draw = with_buffers(patches(hull(text + f"mov r1.x, {bits}\n")), LOCATION)
    compare(draw, DrawCall(9), WAYS)
    _, result = drawn_by_reference(draw, DrawCall(9))
    assert (result.statistics.hs_invocations, result.statistics.ds_invocations) == (3, 0)
    assert result.so_statistics[0].primitives_storage_needed == 0


def test_a_factor_that_no_phase_writes_is_0() -> None:
    text = hull(same("l(1.0)")).replace("dcl_output_siv o2.x, finalTriWeq0EdgeTessFactor\n", "")
    draw = with_buffers(patches(text.replace("mov o2.x, r2.x\n", "")), LOCATION)
    compare(draw, DrawCall(3), WAYS)
    assert drawn_by_reference(draw, DrawCall(3))[1].statistics.ds_invocations == 0


def test_isolines_are_lines_of_each_line_by_itself() -> None:
    """Density 2, detail 2: lines at v = 0 and 1/2, each of two segments."""
    text = hull(same("l(2.0)", 2), domain="isoline", output="line")
    draw = patches(text, domain("isoline", location="xy"))
    draw = with_buffers(draw, LOCATION)
    u = [ZERO, HALF, HALF, ONE]
    assert streamed(draw, DrawCall(3)) == [[x, v] for v in (ZERO, HALF) for x in u]
    compare(draw, DrawCall(6), WAYS)


def test_points_of_a_quad_are_each_there_once() -> None:
    text = hull(same("l(2.0)"), domain="quad", output="point")
    draw = with_buffers(patches(text, domain("quad", location="xy")), LOCATION)
    found = streamed(draw, DrawCall(3))
    assert len(found) == 9
    assert {tuple(row) for row in found} == {
        (u, v) for u in (ZERO, HALF, ONE) for v in (ZERO, HALF, ONE)
    }
    compare(draw, DrawCall(6), WAYS)


JOIN = """hs_fork_phase
dcl_hs_fork_phase_instance_count 3
dcl_input vForkInstanceID
dcl_output_siv o0.x, finalTriUeq0EdgeTessFactor
dcl_output_siv o1.x, finalTriVeq0EdgeTessFactor
dcl_output_siv o2.x, finalTriWeq0EdgeTessFactor
dcl_temps 1
dcl_indexrange o0.x 3
mov r0.x, vForkInstanceID.x
utof r0.y, vForkInstanceID.x
add r0.y, r0.y, l(1.0)
mov o[r0.x + 0].x, r0.y
ret
hs_join_phase
dcl_hs_join_phase_instance_count 2
dcl_input vJoinInstanceID
dcl_input vpc0.x
dcl_input vpc1.x
dcl_input vpc2.x
dcl_output_siv o3.x, finalTriInsideTessFactor
dcl_output o6.y
dcl_temps 1
add r0.x, vpc0.x, vpc1.x
add r0.x, r0.x, vpc2.x
if_nz vJoinInstanceID.x
  ftou o6.y, r0.x
else
  mov o3.x, l(1.0)
endif
ret
"""


def test_fork_phases_run_for_each_instance_and_join_phases_read_what_they_wrote() -> None:
    """Edges of 1, 2 and 3; their sum is what the second instance of the join phase leaves."""
    whole = hull("")
    text = whole[: whole.index("hs_fork_phase")] + JOIN
    draw = with_buffers(patches(text), DATA)
    found = streamed(draw, DrawCall(3))
    assert {row[3] for row in found} == {6}
    statistics = drawn_by_reference(draw, DrawCall(3))[1].statistics
    assert statistics.ds_invocations == 1 + 2 + 3 + 1  # points on the edges, and the centre
    compare(draw, DrawCall(9, 2), WAYS)


def test_a_geometry_shader_takes_what_the_tessellator_makes() -> None:
    text = f"""gs_5_0
{HEAD}dcl_input_siv v[3][0].xyzw, position
dcl_input v[3][1].xyzw
dcl_input vPrim
dcl_temps 1
dcl_inputprimitive triangle
dcl_stream m0
dcl_outputtopology pointlist
dcl_output_siv o0.xyzw, position
dcl_output o1.xyz
dcl_maxout 1
mov o0.xyzw, v[1][0].xyzw
mov o1.xy, v[1][1].xyxx
mov o1.z, vPrim
emit_stream m0
ret
"""
    draw = replace(patches(hull(VARIED)), geometry=bound(text))
    draw = with_buffers(draw, slot_of("o1.z"))
    assert [row[0] for row in streamed(draw, DrawCall(12))] == [2] + [3] * 6
    statistics = drawn_by_reference(draw, DrawCall(12))[1].statistics
    assert (statistics.gs_invocations, statistics.gs_primitives) == (7, 7)
    compare(draw, DrawCall(12, 2), WAYS)


def test_how_many_patches_run_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = hull(VARIED, partitioning="fractional_odd")
    draw = with_buffers(patches(text), DATA, words=1 << 16)
    expected, wanted = drawn_by_reference(draw, DrawCall(30, 3))
    points = patch_stages.POINTS_AT_ONCE
    for most, together, primitives in ((1, 1, 1 << 12), (1 << 24, 9, 2), (3000, points, 5)):
        monkeypatch.setattr(patch_stages, "MOST_BYTES", most)
        monkeypatch.setattr(patch_stages, "POINTS_AT_ONCE", together)
        monkeypatch.setattr(interpreter, "MOST_PRIMITIVES", primitives)
        found, result = drawn_by_reference(draw, DrawCall(30, 3))
        assert result == wanted
        assert all((a == b).all() for a, b in zip(found, expected, strict=True))
        compare(draw, DrawCall(30, 3), WAYS, str(most))


def test_memory_does_not_grow_with_points() -> None:
    """Quads of 64 segments: each group has at most 2^16 points, some fifteen patches."""
    text = hull(same("l(64.0)"), domain="quad")
    draw = replace(patches(text, domain("quad", location="xy")), rasterized_stream=None)
    counts: list[int] = []
    programs = stage_programs(draw)
    assert [(p.stage, p.number) for p in programs] == [("hs", 0), ("hs", 1), ("ds", 0)]
    run = interpreter.InterpretedRun(draw, DrawCall(3 * 40), None, interpreter.Watch(), 10)
    plain = run.run_program

    def counted(report, program, count, *others):
        counts.append(count)
        return plain(report, program, count, *others)

    stages = run.stages.patches
    assert stages is not None
    stages.run = counted
    run.run(None)
    assert counts == [80, 40, 15 * 4225, 15 * 4225, 10 * 4225]
    assert run.statistics.ds_invocations == 40 * 4225


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("dcl_tessellator_partitioning partitioning_integer\n", "", "TRI, UNDEFINED, TRIANGLE_CW"),
        ("dcl_tessellator_output_primitive output_triangle_cw\n", "", "INTEGER, UNDEFINED, wanted"),
        ("dcl_tessellator_domain domain_tri\n", "", "UNDEFINED, INTEGER, TRIANGLE_CW"),
        ("hs_fork_phase\n", "hs_fork_phase\ndcl_hs_fork_phase_instance_count 129\n", "129 instan"),
    ],
)
def test_hull_shaders_that_leave_things_open(before: str, after: str, message: str) -> None:
    draw = patches(hull(same("l(1.0)")).replace(before, after))
    with pytest.raises(ResourceError, match=message):
        draw_interpreted(draw, DrawCall(6))
    with pytest.raises(ResourceError, match=message):
        compile_draw(draw)


def test_registers_that_domain_and_hull_shader_do_not_share_are_0() -> None:
    """The domain shader has more control points and patch constants than the hull shader leaves."""
    text = domain(points=5).replace("vpc6.y", "vpc31.y").replace("vicp[0][1].y", "vicp[0][9].y")
    text = text.replace(
        "dcl_input vicp[5][1].xy", "dcl_input vicp[5][1].xy\ndcl_input vicp[5][9].xy"
    )
    draw = with_buffers(patches(hull(same("l(1.0)")), text), DATA)
    assert streamed(draw, DrawCall(3)) == [[10, 0, 0, 0, 0]] * 3
    compare(draw, DrawCall(6), WAYS)


def test_a_draw_without_whole_patches() -> None:
    draw = with_buffers(patches(hull(same("l(1.0)"))), LOCATION)
    for call in (DrawCall(2), DrawCall(0), DrawCall(3, 0)):
        compare(draw, call, WAYS)
        assert drawn_by_reference(draw, call)[1].statistics.hs_invocations == 0


def test_instances_begin_with_patch_0() -> None:
    draw = with_buffers(patches(hull(same("l(1.0)"))), slot_of("o1.w"))
    found = np.array(streamed(draw, DrawCall(6, 3)))[:, 0]
    assert found.tolist() == [0, 0, 0, 1, 1, 1] * 3


@pytest.mark.parametrize("count", [0, 3])
def test_hull_shaders_without_control_points_of_their_own(count: int) -> None:
    """The compiler declares as many as come in, an empty phase, and none in the domain shader."""
    text = hull(same("l(1.0)"), points="hs_control_point_phase\nret\n", outputs=count)
    shader = domain(points=1).replace("control_point_count 1", "control_point_count 0")
    shader = "\n".join(line for line in shader.split("\n") if "vicp" not in line)
    draw = with_buffers(patches(text, shader), DATA)
    assert [row[3:] for row in streamed(draw, DrawCall(6))] == [[77, p] for p in (0, 0, 0, 1, 1, 1)]
    compare(draw, DrawCall(9, 2), WAYS)
