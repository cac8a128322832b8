"""Stream output of draws: where writing begins and goes on, draws of what was written, queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from draw_shaders import VERTEX, arguments, quad, shader, vertex_shader

import softd3d
from softd3d.errors import ResourceError

E = softd3d.SODeclarationEntry
ENGINES = ["interpreter", "jit"]
WHOLE = [E(0, "SV_Position"), E(0, "COLOR")]
HEAD = [E(0, "SV_Position", 0, 0, 2)]


def points(**changes: Any) -> dict[str, Any]:
    """What streams the corners of a quad out and draws nothing."""
    return arguments(
        **{
            "vs": vertex_shader(), "ps": None, "render_targets": [], "topology": "POINTLIST",
            "stream_output": softd3d.StreamOutput(WHOLE, rasterized_stream=None), **changes,
        }
    )  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_vertices_are_written_in_place(engine):
    out = np.zeros(6, VERTEX)
    result = softd3d.draw(6, **points(so_targets=[out], engine=engine))
    assert (out == quad()).all()
    assert result.so_statistics[0] == softd3d.SOStatistics(6, 6)
    assert not result.so_overflow_predicate


def test_calls_append_and_so_do_other_draws():
    buffer = softd3d.RawBuffer(np.zeros((8, 8), np.float32))
    job = softd3d.Draw(**points(so_targets=[softd3d.StreamOutputTarget(buffer, 32)]))
    assert buffer.filled_size == 32
    job(1)
    job(1, 1)
    assert buffer.filled_size == 96
    target = softd3d.StreamOutputTarget(buffer, softd3d.SO_APPEND)
    softd3d.draw(1, start_vertex_location=2, **points(so_targets=[target]))
    assert buffer.filled_size == 128
    wanted = np.zeros((8, 8), np.float32)
    wanted[1:4] = quad().view(np.float32).reshape(6, 8)[:3]
    assert (buffer.array == wanted).all()


def test_an_array_goes_on_within_a_draw_only():
    out = np.zeros(4, VERTEX)
    for _ in range(2):
        job = softd3d.Draw(**points(so_targets=[out]))
        job(1)
        job(1, 1)
        assert (out[:2] == quad()[:2]).all()
        assert not out[2:].view(np.float32).any()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_written_can_be_drawn(engine):
    """A quad goes through stream output, and is drawn by DrawAuto from there."""
    buffer = softd3d.StructuredBuffer(np.zeros(16, VERTEX))
    softd3d.draw(6, **points(so_targets=[buffer], topology="TRIANGLELIST", engine=engine))
    image = np.zeros((4, 4, 4), np.float32)
    job = softd3d.Draw(**arguments(vertex_buffers=[buffer], render_targets=[image], engine=engine))
    result = job.auto()
    assert (result.samples_passed, result.statistics.ia_vertices) == (16, 6)
    assert (image == np.array([1, 0.5, 0.25, 1])).all()


def test_what_does_not_fit_is_an_overflow():
    out = np.zeros(4, VERTEX)
    result = softd3d.draw(6, **points(so_targets=[out], topology="TRIANGLELIST"))
    assert result.so_statistics[0] == softd3d.SOStatistics(1, 2)
    assert result.so_overflow_predicate
    assert not result.so_statistics[1].overflow
    assert (out[:3] == quad()[:3]).all()
    assert not out[3:].view(np.float32).any()


def test_a_slot_without_buffer_is_full_and_a_buffer_without_entries_is_left_alone():
    spare = np.zeros(4, np.float32)
    result = softd3d.draw(3, **points(so_targets={1: spare}))
    assert result.so_statistics[0] == softd3d.SOStatistics(0, 3)
    assert not spare.any()
    assert softd3d.draw(3, **points(so_targets=None)).so_overflow_predicate


def test_a_list_of_entries_goes_on_to_the_rasteriser():
    out, image = np.zeros((6, 2), np.float32), np.zeros((4, 4, 4), np.float32)
    result = softd3d.draw(
        6, **arguments(stream_output=HEAD, so_targets=[out], render_targets=[image])
    )
    assert result.samples_passed == 16
    assert (out == quad()["POSITION"][:, :2]).all()


def test_stream_output_alone_needs_neither_targets_nor_viewports():
    """The rasteriser is on with the default states, and has no viewport."""
    out = np.zeros((3, 2), np.float32)
    changes = {"stream_output": HEAD, "so_targets": [out], "topology": "TRIANGLELIST"}
    result = softd3d.draw(3, **points(**changes))
    assert (result.samples_passed, result.statistics.c_invocations) == (0, 1)
    assert (out == quad()["POSITION"][:3, :2]).all()


def test_a_draw_that_is_refused_leaves_its_buffers_as_they_are():
    buffer = softd3d.RawBuffer(np.zeros((8, 8), np.float32))
    buffer.filled_size = 64
    with pytest.raises(ResourceError):
        softd3d.Draw(**points(so_targets=[buffer], viewports=5))
    assert buffer.filled_size == 64


def test_memory_that_is_gone_is_noticed():
    out = np.zeros(6, VERTEX)
    job = softd3d.Draw(**points(so_targets=[out]))
    out.resize(12, refcheck=False)
    with pytest.raises(ResourceError, match="stream output target 0: the array's memory has been"):
        job(3)
    out = np.zeros(6, VERTEX)
    job = softd3d.Draw(**points(so_targets=[out]))
    out.flags.writeable = False
    with pytest.raises(ResourceError, match="stream output target 0: the array has been made read"):
        job(3)


def test_pixel_history_writes_nothing():
    buffer = softd3d.RawBuffer(np.zeros((12, 2), np.float32))
    job = softd3d.Draw(**arguments(stream_output=HEAD, so_targets=[buffer]))
    job(6)
    buffer.array[...] = 9
    assert len(softd3d.pixel_history(job, 0, 0)) == 1
    assert (buffer.array == 9).all()
    assert buffer.filled_size == 48


SPLIT = """gs_5_0
dcl_input v[1][0].xy
dcl_temps 1
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.xy
dcl_maxout 2
mul r0.y, v[0][0].y, l(0.5)
add r0.x, v[0][0].x, -v[0][0].y
mov o0.xy, r0.xyxx
emit_stream m0
add r0.x, v[0][0].x, v[0][0].y
mov o0.xy, r0.xyxx
emit_stream m0
ret
"""


def splitting() -> dict[str, Any]:
    """Shaders that make two points of each: place minus and plus step, with half the step."""
    pair = "POINT 0 xy 0 float"
    vs = shader((pair,), (pair,), "vs_5_0\ndcl_input v0.xy\ndcl_output o0.xy\n"
                "mov o0.xy, v0.xyxx\nret\n")  # fmt: skip
    output = softd3d.StreamOutput([E(0, "POINT", 0, 0, 2)], rasterized_stream=None)
    return points(vs=vs, gs=shader((pair,), (f"m0:{pair}",), SPLIT), stream_output=output)


@pytest.mark.parametrize("engine", ENGINES)
def test_points_multiply_from_buffer_to_buffer(engine):
    """From 0 with step 16: after five rounds all odd numbers from -31 to 31, in this order.

    The sixth round would need 64 points, and 32 have room: 16 invocations' worth.
    """
    dtype = np.dtype([("POINT", "f4", 2)])
    buffers = [softd3d.StructuredBuffer(np.zeros(32, dtype)) for _ in range(2)]
    buffers[0].array["POINT"][0] = 0, 16
    buffers[0].filled_size = dtype.itemsize
    for number in range(5):
        source, target = buffers[number % 2], buffers[1 - number % 2]
        job = softd3d.Draw(
            **splitting() | {"engine": engine, "vertex_buffers": [source], "so_targets": [target]}
        )
        result = job.auto()
        assert result.statistics.gs_invocations == 1 << number
        assert result.so_statistics[0] == softd3d.SOStatistics(2 << number, 2 << number)
    found = buffers[1].array["POINT"]
    assert found[:, 0].tolist() == list(range(-31, 32, 2))
    assert (found[:, 1] == 0.5).all()
    job = softd3d.Draw(
        **splitting()
        | {"engine": engine, "vertex_buffers": [buffers[1]], "so_targets": [buffers[0]]}
    )
    result = job.auto()
    assert result.so_statistics[0] == softd3d.SOStatistics(32, 64)
    assert buffers[0].array["POINT"][:, 0].tolist() == [
        n + side for n in range(-31, 1, 2) for side in (-0.5, 0.5)
    ]
    job.predicate = softd3d.Predicate(result.so_overflow_predicate, value=True)
    assert job.auto().so_statistics[0] == softd3d.SOStatistics(0, 0)
    assert buffers[0].filled_size == 32 * dtype.itemsize
