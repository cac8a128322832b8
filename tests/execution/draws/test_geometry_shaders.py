"""Geometry shaders of draws on both engines: order, strips, streams, adjacency, what is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from both import compare, drawn_by_reference
from random_draws import bound
from stage_draws import HEAD, WAYS, slot_of, stage_draw, streamed, with_buffers

from softd3d.errors import ResourceError
from softd3d.interp.draw import engine as interpreter
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.jit.draw.engine import compile_draw
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives import geometry as geometry_stage
from softd3d.pipeline.queries import SOStatistics
from softd3d.pipeline.state import PrimitiveTopology

T = PrimitiveTopology
INPUTS = {"point": 1, "line": 2, "triangle": 3, "lineadj": 4, "triangleadj": 6, "patch5": 5}
MAKES = "dcl_outputtopology trianglestrip\n"
POSITION = "dcl_output_siv o0.xyzw, position\n"


def shader(
    body: str, *, takes: str = "triangle", makes: str = "trianglestrip", most: int = 8,
    instances: int = 1, outputs: str = f"{POSITION}dcl_output o1.xyzw\n",
) -> str:  # fmt: skip
    """Return a geometry shader of one stream."""
    count = INPUTS[takes]
    return (
        f"gs_5_0\n{HEAD}dcl_input_siv v[{count}][0].xyzw, position\ndcl_input v[{count}][1].xy\n"
        f"dcl_input vPrim\ndcl_input vGSInstanceID\ndcl_gsinstances {instances}\ndcl_temps 4\n"
        f"dcl_inputprimitive {takes}\ndcl_stream m0\ndcl_outputtopology {makes}\n{outputs}"
        f"dcl_maxout {most}\n{body}ret\n"
    )


def vertex(number: str, w: str = "l(0)") -> str:
    """Return code that emits a vertex: o1 is a vertex id, vPrim, the instance, and w."""
    return (
        f"mov o0.xyzw, v[{number}][0].xyzw\nmov o1.x, v[{number}][1].x\nmov o1.y, vPrim\n"
        f"mov o1.z, vGSInstanceID.x\nmov o1.w, {w}\nemit_stream m0\n"
    )


ALL = slot_of("o1.xyzw")
QUAD = "".join(vertex(str(n), f"l({i})") for i, n in enumerate((0, 1, 2, 0)))


def test_order_is_primitive_instance_emission_and_strips_are_lists() -> None:
    """A strip of four vertices is two triangles: 0 1 2 and 1 3 2. Spec: D3D11.3 13.7."""
    draw = with_buffers(stage_draw(T.TRIANGLELIST, geometry=shader(QUAD, instances=3)), ALL)
    found = streamed(draw, DrawCall(6, 2))
    strip = [(0, 0), (1, 1), (2, 2), (1, 1), (0, 3), (2, 2)]
    assert found == [
        [3 * p + v, p, i, w] for _ in range(2) for p in range(2) for i in range(3) for v, w in strip
    ]
    compare(draw, DrawCall(6, 2), WAYS)


def test_what_is_counted() -> None:
    draw = stage_draw(T.TRIANGLELIST, geometry=shader(QUAD, instances=3))
    statistics = drawn_by_reference(draw, DrawCall(6, 2))[1].statistics
    assert (statistics.gs_invocations, statistics.gs_primitives) == (12, 24)
    assert statistics.c_invocations == 24
    assert statistics.vs_invocations == 12


def test_cuts_end_strips_and_incomplete_ones_vanish() -> None:
    cut = "cut_stream m0\n"
    body = vertex("0") + vertex("1") + cut + vertex("2") + vertex("1") + vertex("0") + cut
    draw = stage_draw(T.TRIANGLELIST, geometry=shader(body))
    draw = with_buffers(draw, slot_of("o1.x"))
    assert [row[0] for row in streamed(draw, DrawCall(3))] == [2, 1, 0]
    lines = replace(draw, geometry=bound(shader(body, makes="linestrip")))
    lines = with_buffers(lines, slot_of("o1.x"))
    assert [row[0] for row in streamed(lines, DrawCall(3))] == [0, 1, 2, 1, 1, 0]
    for one in (draw, lines):
        compare(one, DrawCall(9), WAYS)
    assert drawn_by_reference(draw, DrawCall(3))[1].statistics.gs_primitives == 1


def test_emits_beyond_the_declared_count_are_dropped() -> None:
    draw = stage_draw(T.TRIANGLELIST, geometry=shader(QUAD, makes="pointlist", most=3))
    draw = with_buffers(draw, ALL)
    assert [row[3] for row in streamed(draw, DrawCall(3))] == [0, 1, 2]
    compare(draw, DrawCall(6), WAYS)


def test_no_vertices_at_all() -> None:
    for text in (shader("", most=3), shader(QUAD, most=0)):
        draw = with_buffers(stage_draw(T.TRIANGLELIST, geometry=text), ALL)
        compare(draw, DrawCall(6), WAYS)
        statistics = drawn_by_reference(draw, DrawCall(6))[1].statistics
        assert (statistics.gs_invocations, statistics.gs_primitives) == (2, 0)


@pytest.mark.parametrize(
    ("topology", "takes", "count", "wanted"),
    [
        (T.POINTLIST, "point", 2, [[0], [1]]),
        (T.LINESTRIP, "line", 3, [[0, 1], [1, 2]]),
        (T.TRIANGLESTRIP, "triangle", 4, [[0, 1, 2], [1, 3, 2]]),
        (T.LINELIST_ADJ, "lineadj", 8, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (T.LINESTRIP_ADJ, "lineadj", 5, [[0, 1, 2, 3], [1, 2, 3, 4]]),
        (T.TRIANGLELIST_ADJ, "triangleadj", 6, [[0, 1, 2, 3, 4, 5]]),
        (T.TRIANGLESTRIP_ADJ, "triangleadj", 6, [[0, 1, 2, 5, 4, 3]]),
        (T.PATCHLIST_5, "patch5", 11, [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]),
    ],
)
def test_each_topology_has_its_vertices(
    topology: PrimitiveTopology, takes: str, count: int, wanted: list[list[int]]
) -> None:
    """Adjacent vertices stand between those of the primitive; patches have all control points."""
    body = "".join(vertex(str(n)) for n in range(INPUTS[takes]))
    draw = stage_draw(topology, geometry=shader(body, takes=takes, makes="pointlist"))
    draw = with_buffers(draw, slot_of("o1.xy"))
    assert streamed(draw, DrawCall(count)) == [
        [v, primitive] for primitive, row in enumerate(wanted) for v in row
    ]
    compare(draw, DrawCall(count, 2), WAYS)


STREAMS = f"""gs_5_0
{HEAD}dcl_input_siv v[1][0].xyzw, position
dcl_input v[1][1].xy
dcl_input vPrim
dcl_temps 1
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.x
dcl_stream m2
dcl_outputtopology pointlist
dcl_output_siv o0.xyzw, position
dcl_output o1.x
dcl_maxout 4
mov o0.xyzw, v[0][0].xyzw
mov o1.x, v[0][1].x
emit_stream m2
and r0.x, vPrim, l(1)
if_nz r0.x
  emit_stream m2
endif
mov o0.x, vPrim
emit_stream m0
ret
"""
THREE = slot_of("o0.x"), slot_of("o1.x", 2, 1), slot_of("o0.zw", 2, 3)


def streams_draw(stream: int | None) -> PreparedDraw:
    draw = with_buffers(stage_draw(T.POINTLIST, geometry=STREAMS), *THREE)
    return replace(draw, rasterized_stream=stream)


def test_streams_go_to_buffers_of_their_own() -> None:
    half, one = 0x3F000000, 0x3F800000
    assert streamed(streams_draw(None), DrawCall(3)) == [[0], [1], [2]]
    assert streamed(streams_draw(None), DrawCall(3), 1) == [[0], [1], [1], [2]]
    assert streamed(streams_draw(None), DrawCall(3), 3) == [[half, one]] * 4
    _, result = drawn_by_reference(streams_draw(None), DrawCall(3))
    assert [s.num_primitives_written for s in result.so_statistics] == [3, 0, 4, 0]
    assert result.statistics.gs_primitives == 7
    assert result.statistics.c_invocations == 0


def test_one_stream_is_rasterised() -> None:
    _, result = drawn_by_reference(streams_draw(2), DrawCall(4))
    assert result.statistics.c_invocations == 6
    compare(streams_draw(2), DrawCall(4, 2), WAYS)
    with pytest.raises(ResourceError, match="geometry shader: found no output SV_Position"):
        draw_interpreted(streams_draw(0), DrawCall(4))
    with pytest.raises(ResourceError, match="geometry shader: found no output SV_Position"):
        compile_draw(streams_draw(1))


def test_a_full_stream_does_not_stop_others() -> None:
    draw = streams_draw(2)
    assert draw.stream_output is not None
    small = with_buffers(draw, THREE[1], words=2).stream_output
    assert small is not None
    buffers = {**draw.stream_output.buffers, 1: small.buffers[1]}
    draw = replace(draw, stream_output=replace(draw.stream_output, buffers=buffers))
    compare(draw, DrawCall(5), WAYS)
    _, result = drawn_by_reference(draw, DrawCall(5))
    assert result.so_statistics[0] == SOStatistics(5, 5)
    assert result.so_statistics[2] == SOStatistics(2, 7)


PRIMITIVE_ID = f"{POSITION}dcl_output_sgv o2.x, primitive_id\n"
SHOW_ID = f"""ps_5_0
{HEAD}dcl_input_ps_sgv constant v2.x, primitive_id
dcl_output o0.xyzw
dcl_temps 1
printf "%u", v2.x
utof o0.xyzw, v2.xxxx
ret
"""


def test_pixels_have_the_primitive_id_of_the_leading_vertex() -> None:
    """Vertex n of a strip says 10 + n, so that its triangles, from 0 and 1, have 10 and 11."""
    body = "".join(
        f"mov o0.xyzw, v[{n}][0].xyzw\nmov o2.x, l({10 + i})\nemit_stream m0\n"
        for i, n in enumerate((0, 1, 2, 0))
    )
    text = shader(body, outputs=PRIMITIVE_ID)
    draw = stage_draw(T.TRIANGLELIST, geometry=text, pixel=SHOW_ID)
    _, result = drawn_by_reference(draw, DrawCall(3))
    assert {m.text for m in result.messages} == {"10", "11"}
    compare(draw, DrawCall(3), WAYS)


def test_without_one_they_have_0() -> None:
    draw = stage_draw(T.TRIANGLELIST, geometry=shader(QUAD), pixel=SHOW_ID)
    _, result = drawn_by_reference(draw, DrawCall(9))
    assert {m.text for m in result.messages} == {"0"}
    assert result.poisoned == (("ps v2", "read, but not written by the stage before"),)
    compare(draw, DrawCall(9), WAYS)


def test_inputs_that_nothing_feeds_are_0() -> None:
    text = shader(vertex("0"), makes="pointlist").replace("v[3][1].xy", "v[3][1].xyz")
    text = text.replace("mov o1.w, l(0)", "mov o1.w, v[1][1].z")
    draw = with_buffers(stage_draw(T.TRIANGLELIST, geometry=text), slot_of("o1.xw"))
    assert streamed(draw, DrawCall(6)) == [[0, 0], [3, 0]]
    compare(draw, DrawCall(6), WAYS)


def test_how_many_run_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = with_buffers(stage_draw(T.TRIANGLESTRIP, geometry=shader(QUAD, instances=3)), ALL)
    expected, wanted = drawn_by_reference(draw, DrawCall(9, 3))
    for most, primitives in ((1, 1 << 12), (1 << 24, 1), (2000, 5)):
        monkeypatch.setattr(geometry_stage, "MOST_BYTES", most)
        monkeypatch.setattr(interpreter, "MOST_PRIMITIVES", primitives)
        found, result = drawn_by_reference(draw, DrawCall(9, 3))
        assert result == wanted
        assert all((a == b).all() for a, b in zip(found, expected, strict=True))
        compare(draw, DrawCall(9, 3), WAYS, str(most))


def test_a_shader_that_does_not_say_what_it_makes() -> None:
    draw = stage_draw(T.TRIANGLELIST, geometry=shader(QUAD).replace(MAKES, ""))
    message = "found output topology UNDEFINED of stream 0, wanted POINTLIST"
    with pytest.raises(ResourceError, match=message):
        draw_interpreted(draw, DrawCall(6))
    with pytest.raises(ResourceError, match=message):
        compile_draw(draw)


def test_vertices_without_outputs_can_be_counted() -> None:
    """Only vPrim tells primitives apart; the vertex shader writes nothing at all."""
    text = f"""gs_5_0
{HEAD}dcl_input vPrim
dcl_temps 1
dcl_inputprimitive triangle
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o1.xyzw
dcl_maxout 1
mov o1.xyzw, vPrim.xxxx
emit_stream m0
ret
"""
    draw = stage_draw(T.TRIANGLELIST, geometry=text)
    nothing = bound(f"vs_5_0\n{HEAD}ret\n")
    draw = with_buffers(replace(draw, vertex=nothing, rasterized_stream=None), ALL)
    assert streamed(draw, DrawCall(6, 2)) == [[n] * 4 for n in (0, 1, 0, 1)]
    compare(draw, DrawCall(6, 2), WAYS)
