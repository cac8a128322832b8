"""The mesh after each stage as arrays: fields by semantics, primitives, nothing changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from draw_shaders import arguments, constant_pixel, pixel_shader, quad, shader, vertex_shader
from small_stages import domain_shader, geometry_shader, hull_shader, position_shader

import softd3d
from softd3d.errors import ResourceError

CORNERS = np.zeros(4, [("POSITION", "f4", 4)])
CORNERS["POSITION"] = (-1, 1, 0, 1), (1, 1, 0, 1), (-1, -1, 0, 1), (1, -1, 0, 1)


def job(**changes: Any) -> softd3d.Draw:
    return softd3d.Draw(
        **arguments(
            **{
                "vs": position_shader(), "ps": constant_pixel(), "vertex_buffers": [CORNERS],
                "constants": {"ps": {0: bytes(16)}}, **changes,
            }
        )
    )  # fmt: skip


def test_vertices_have_fields_named_by_semantics():
    draw = softd3d.Draw(**arguments())
    found = softd3d.stage_outputs(draw, "vs", vertex_count=6)
    assert found.vertices.dtype.names == ("SV_Position", "COLOR")
    assert (found.vertices["SV_Position"] == quad()["POSITION"]).all()
    assert (found.vertices["COLOR"] == quad()["COLOR"]).all()
    assert found.primitives.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.primitive_ids.tolist() == [0, 1]
    assert found.patch_constants is None


def test_vertices_of_strips_are_shared_and_triangles_turn_the_same_way():
    found = softd3d.stage_outputs(job(topology="TRIANGLESTRIP"), "vs", vertex_count=4)
    assert found.vertices.size == 4
    assert found.primitives.tolist() == [[0, 1, 2], [1, 3, 2]]


def test_the_last_call_is_taken_and_instances_have_their_numbers():
    draw = job()
    with pytest.raises(ResourceError, match="stage_outputs: found no call, wanted vertex_count"):
        softd3d.stage_outputs(draw, "vs")
    draw.instanced(3, 2)
    found = softd3d.stage_outputs(draw, "vs")
    assert found.instance_ids.tolist() == [0, 1]
    assert found.primitive_ids.tolist() == [0, 0]
    assert softd3d.stage_outputs(draw, "vs", vertex_count=2).primitives.size == 0


def test_a_stage_that_is_not_there():
    draw = job()
    with pytest.raises(ResourceError, match="stage: found 'gs', wanted vs"):
        softd3d.stage_outputs(draw, "gs", vertex_count=3)


def tessellated(**changes: Any) -> softd3d.Draw:
    return job(hs=hull_shader(), ds=domain_shader(), topology="PATCHLIST_3", **changes)


def test_control_points_and_patch_constants():
    found = softd3d.stage_outputs(tessellated(), "hs", vertex_count=3)
    assert (found.vertices["SV_Position"] == CORNERS["POSITION"][:3]).all()
    assert found.primitives.tolist() == [[0, 1, 2]]
    assert found.patch_constants is not None
    names = ("SV_TessFactor", "SV_TessFactor1", "SV_TessFactor2", "SV_InsideTessFactor")
    assert found.patch_constants.dtype.names == names
    assert found.patch_constants.tolist() == [(2.0, 2.0, 2.0, 2.0)]


def test_points_of_the_tessellator():
    """Factors of 2: edges in halves, and one point in the middle."""
    found = softd3d.stage_outputs(tessellated(), "ds", vertex_count=3)
    places = {tuple(p) for p in found.vertices["SV_Position"][:, :2].tolist()}
    middle = {(-1 / 3, 1 / 3)}
    assert {p for p in places if abs(p[0]) in (0, 1)} == {
        (-1, 1), (1, 1), (-1, -1), (0, 1), (0, 0), (-1, 0),
    }  # fmt: skip
    assert len(places) == 7
    assert np.allclose(sorted(places - {p for p in places if abs(p[0]) in (0, 1)}), sorted(middle),
                       atol=1e-4)  # fmt: skip
    assert found.primitives.shape == (6, 3)
    assert set(found.primitive_ids.tolist()) == {0}
    corners = found.vertices["SV_Position"][found.primitives][..., :2]
    edges = corners[:, 1:] - corners[:, :1]
    areas = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    assert np.isclose(abs(areas).sum(), 4.0, atol=1e-3)


def test_strips_of_a_geometry_shader_come_as_lists():
    found = softd3d.stage_outputs(
        job(gs=geometry_shader("lineadj", "trianglestrip"), topology="LINELIST_ADJ"), "gs",
        vertex_count=4,
    )  # fmt: skip
    assert (found.vertices["SV_Position"] == CORNERS["POSITION"]).all()
    assert found.primitives.tolist() == [[0, 1, 2], [1, 3, 2]]


TWO = """gs_5_0
dcl_input_siv v[1][0].xyzw, position
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output_siv o0.xyzw, position
dcl_stream m2
dcl_outputtopology pointlist
dcl_output o0.x
dcl_output o0.z
dcl_maxout 3
mov o0.xyzw, v[0][0].xyzw
emit_stream m0
mov o0.x, l(7)
mov o0.z, l(1.5)
emit_stream m2
emit_stream m2
ret
"""


def test_each_stream_has_its_outputs():
    row = "SV_Position 0 xyzw 0 float"
    gs = shader((row,), (f"m0:{row}", "m2:N 1 x 0 uint", "m2:A 0 z 0 float"), TWO)
    draw = job(gs=gs, topology="POINTLIST")
    first = softd3d.stage_outputs(draw, "gs", vertex_count=2)
    assert (first.vertices["SV_Position"] == CORNERS["POSITION"][:2]).all()
    other = softd3d.stage_outputs(draw, "gs", stream=2, vertex_count=2)
    assert other.vertices.dtype == np.dtype([("N1", "u4"), ("A", "f4")])
    assert other.vertices["N1"].tolist() == [7] * 4
    assert other.vertices["A"].tolist() == [1.5] * 4
    with pytest.raises(ResourceError, match="stream: found 1, wanted 0 or 2"):
        softd3d.stage_outputs(draw, "gs", stream=1, vertex_count=2)


def test_a_geometry_shader_without_outputs_leaves_nothing():
    row = "SV_Position 0 xyzw 0 float"
    code = "gs_4_0\ndcl_input_siv v[1][0].xyzw, position\ndcl_inputprimitive point\nret\n"
    draw = job(
        gs=shader((row,), (), code), topology="POINTLIST", ps=None, constants=None,
        render_targets=[], stream_output=softd3d.StreamOutput([], rasterized_stream=None),
    )  # fmt: skip
    found = softd3d.stage_outputs(draw, "gs", vertex_count=2)
    assert found.vertices.size == found.primitives.size == 0
    assert draw(2).statistics.gs_invocations == 2


def test_nothing_changes():
    image = np.zeros((4, 4, 4), np.float32)
    buffer = softd3d.RawBuffer(np.zeros((8, 4), np.float32))
    draw = job(
        render_targets=[image], stream_output=[softd3d.SODeclarationEntry(0, "SV_Position")],
        so_targets=[buffer],
    )  # fmt: skip
    softd3d.stage_outputs(draw, "vs", vertex_count=3)
    assert not image.any()
    assert not buffer.array.any()
    assert buffer.filled_size == 0


def test_a_shader_without_signatures_has_fields_by_registers():
    code = vertex_shader().program
    from softd3d.isa.sm4.encode import encode

    bare = softd3d.load(encode(code))
    layout = [
        softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT"),
        softd3d.InputElement("COLOR", 0, "R32G32B32A32_FLOAT"),
    ]
    draw = softd3d.Draw(
        **arguments(vs=bare, ps=pixel_shader(), vertex_buffers=[], input_layout=layout[:0])
    )
    found = softd3d.stage_outputs(draw, "vs", vertex_count=3)
    assert found.vertices.dtype.names == ("o0", "o1")


def test_progress_is_that_of_the_draw():
    done: list[tuple[int, int]] = []
    draw = job(progress=lambda part, parts: done.append((part, parts)))
    softd3d.stage_outputs(draw, "vs", vertex_count=3)
    assert done
    assert done[-1][0] == done[-1][1]
