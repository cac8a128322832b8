"""Hull, domain and geometry shaders and stream output: what Direct3D rejects when it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from draw_shaders import arguments, constant_pixel, full_screen, quad, shader
from small_stages import domain_shader, geometry_shader, hull_shader, position_shader

import softd3d
from softd3d.errors import ResourceError, ShaderError

E = softd3d.SODeclarationEntry
POSITION = np.dtype([("POSITION", "f4", 4)])
ENTRIES = [E(0, "SV_Position")]


def vertices(count: int = 3) -> np.ndarray:
    return np.zeros(count, POSITION)


def staged(**changes: Any) -> dict[str, Any]:
    """What draws positions without colours, with changes."""
    return arguments(
        **{
            "vs": position_shader(), "ps": constant_pixel(), "vertex_buffers": [vertices()],
            "constants": {"ps": {0: np.zeros(4, np.float32)}}, **changes,
        }
    )  # fmt: skip


def read_only() -> np.ndarray:
    array = np.zeros(16, np.float32)
    array.flags.writeable = False
    return array


def streamed(*entries: Any, strides: Any = None, stream: int | None = None) -> dict[str, Any]:
    made = softd3d.StreamOutput(entries or ENTRIES, strides, stream)
    return {"ps": None, "constants": None, "render_targets": [], "stream_output": made}


MULTISTREAM = """gs_5_0
dcl_input_siv v[1][0].xyzw, position
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology linestrip
dcl_output_siv o0.xyzw, position
dcl_stream m1
dcl_outputtopology pointlist
dcl_output o0.x
dcl_maxout 1
ret
"""
SHARED = np.zeros(16, np.float32)


def two_streams() -> softd3d.Shader:
    row = "SV_Position 0 xyzw 0 float"
    return shader((row,), (f"m0:{row}", "m1:A 0 x 0 float"), MULTISTREAM)


REFUSED: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "hull shader alone": (
        lambda: {"hs": hull_shader(), "topology": "PATCHLIST_3"},
        "hull shader: found one without a domain shader, wanted both",
    ),
    "domain shader alone": (
        lambda: {"ds": domain_shader()},
        "domain shader: found one without a hull shader, wanted both",
    ),
    "another stage": (
        lambda: {"gs": hull_shader()},
        "gs: found a hull shader (hs_5_0), wanted a geometry shader of model 4.0 to 5.1",
    ),
    "triangles into a hull shader": (
        lambda: {"hs": hull_shader(), "ds": domain_shader()},
        ("topology: found TRIANGLELIST with a hull shader, wanted patches of its 3 control points, "
        "PATCHLIST_3"),
    ),
    "other patches": (
        lambda: {"hs": hull_shader(), "ds": domain_shader(), "topology": "PATCHLIST_4"},
        "topology: found PATCHLIST_4, wanted PATCHLIST_3: the hull shader takes 3 control points",
    ),
    "domains": (
        lambda: {"hs": hull_shader(), "ds": domain_shader(domain="quad"), "topology": 35},
        "domain shader: found the domain QUAD, wanted TRI as the hull shader has",
    ),
    "control points": (
        lambda: {"hs": hull_shader(out=4), "ds": domain_shader(), "topology": 35},
        "domain shader: found 3 control points, wanted 4 as the hull shader gives",
    ),
    "patches to the rasteriser": (
        lambda: {"topology": "PATCHLIST_3"},
        ("topology: found PATCHLIST_3 without hull and domain shaders, wanted these, a geometry "
        "shader, or stream output without a rasterised stream"),
    ),
    "primitives of a geometry shader": (
        lambda: {"gs": geometry_shader("line", "linestrip")},
        "geometry shader: found that it takes LINE, wanted TRIANGLE as topology TRIANGLELIST has",
    ),
    "adjacency": (
        lambda: {"gs": geometry_shader("triangle"), "topology": "TRIANGLESTRIP_ADJ"},
        ("geometry shader: found that it takes TRIANGLE, wanted TRIANGLE_ADJ as topology "
        "TRIANGLESTRIP_ADJ has"),
    ),
    "patches into a geometry shader": (
        lambda: {"gs": geometry_shader("triangle"), "topology": "PATCHLIST_3"},
        "geometry shader: found that it takes TRIANGLE, wanted PATCH_3 as topology PATCHLIST_3 has",
    ),
    "what the tessellator makes": (
        lambda: {
            "hs": hull_shader(primitive="point"), "ds": domain_shader(), "topology": 35,
            "gs": geometry_shader(),
        },
        "geometry shader: found that it takes TRIANGLE, wanted POINT as the tessellator makes them",
    ),
    "lines are what isolines are made of": (
        lambda: {
            "hs": hull_shader(2, 2, "isoline", "triangle_cw"), "topology": 34,
            "ds": domain_shader(2, "isoline"), "gs": geometry_shader(),
        },
        "geometry shader: found that it takes TRIANGLE, wanted LINE as the tessellator makes them",
    ),
    "too much output": (
        lambda: {"gs": geometry_shader(out=257)},
        "geometry shader: found 257 vertices of 4 components, wanted at most 1024 components",
    ),
    "too many vertices of instances": (
        lambda: {"gs": geometry_shader(out=33, instances=32)},
        "geometry shader: found 32 instances of 33 vertices, wanted at most 1024 vertices",
    ),
    "strips in several streams": (
        lambda: {"gs": two_streams(), "topology": "POINTLIST"},
        "geometry shader: found LINESTRIP in stream 0 of 2, wanted POINTLIST in all",
    ),
    "bindings of a stage that is not there": (
        lambda: {"gs": geometry_shader(), "srvs": {"hs": {}}},
        "srvs: found stage 'hs', the draw has vs and gs and ps",
    ),
    "entries": (
        lambda: {"stream_output": [E(0, "TEXCOORD", 3)]},
        ("stream output: found entry TEXCOORD3 of stream 0, wanted an output of the vertex shader: "
        "SV_Position"),
    ),
    "rasterised stream": (
        lambda: streamed(stream=1),
        "stream_output rasterized_stream: found 1 without a geometry shader, wanted 0 or None",
    ),
    "no list of targets": (
        lambda: streamed() | {"so_targets": 5},
        "so_targets: found int, wanted a dictionary of slots, or a list",
    ),
    "slot": (
        lambda: streamed() | {"so_targets": {4: SHARED}}, "so_targets: found slot 4, wanted 0 to 3",
    ),
    "no target": (
        lambda: streamed() | {"so_targets": ["x"]},
        "stream output target 0: found str, wanted an array, or a buffer of softd3d",
    ),
    "vertex buffer": (
        lambda: streamed() | {"so_targets": [softd3d.VertexBuffer(SHARED)]},
        "stream output target 0: found VertexBuffer, wanted a StreamOutputTarget",
    ),
    "offset": (
        lambda: streamed() | {"so_targets": [softd3d.StreamOutputTarget(SHARED, 2)]},
        "stream output target 0 offset: found 2, wanted a multiple of 4, or -1",
    ),
    "another offset": (
        lambda: streamed() | {"so_targets": [softd3d.StreamOutputTarget(SHARED, -4)]},
        "stream output target 0 offset: found -4, wanted -1 to 4294967295",
    ),
    "appending to an array": (
        lambda: streamed() | {"so_targets": [softd3d.StreamOutputTarget(SHARED, -1)]},
        "stream output target 0 offset: found -1 (append) with an array",
    ),
    "read-only": (
        lambda: streamed() | {"so_targets": [read_only()]},
        "stream output target 0: the array must be writable, found a read-only one",
    ),
    "a target read": (
        lambda: streamed() | {
            "so_targets": [SHARED], "vertex_buffers": [softd3d.VertexBuffer(SHARED, 16)],
            "input_layout": [softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT")],
        },
        "stream output target 0: shares memory with vertex buffer 0",
    ),
    "a target twice": (
        lambda: streamed(*ENTRIES, E(0, None, 0, 0, 1, 1)) | {"so_targets": [SHARED, SHARED]},
        "stream output target 0: shares memory with stream output target 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_was_found_and_wanted(name):
    make, text = REFUSED[name]
    with pytest.raises(ShaderError) as caught:
        softd3d.Draw(**staged(**make()))
    assert str(caught.value).startswith(text)


def test_a_predicate_skips_while_its_result_is_the_value():
    hidden, seen = (softd3d.Predicate(result=passed) for passed in (False, True))
    assert (hidden.skips, seen.skips) == (True, False)
    assert softd3d.Predicate(True, value=True).skips
    image = np.zeros((4, 4, 4), np.float32)
    job = softd3d.Draw(**arguments(render_targets=[image]), predicate=hidden)
    result = job(6)
    assert result.samples_passed == 0
    assert not image.any()
    job.predicate = seen
    assert job(6).samples_passed == 16
    job.predicate = None
    assert job(6).occlusion_predicate
    job.predicate = "hidden"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ResourceError, match="predicate: found str, wanted a Predicate, or None"):
        job(6)


def test_clears_can_be_skipped():
    skip = softd3d.Predicate(False, False)
    image, depth = np.ones((2, 2, 4), np.float32), np.ones((2, 2), np.float32)
    words = softd3d.RawBuffer(np.ones(2, np.uint32))
    typed = softd3d.TypedBuffer(np.ones(2, np.float32), "R32_FLOAT")
    softd3d.clear_render_target_view(image, (0, 0, 0, 0), predicate=skip)
    softd3d.clear_depth_stencil_view(depth, depth=0, predicate=skip)
    softd3d.clear_uav_uint(words, (0, 0, 0, 0), predicate=skip)
    softd3d.clear_uav_float(typed, (0, 0, 0, 0), predicate=skip)
    assert image.all()
    assert depth.all()
    assert words.array.all()
    assert typed.array.all()
    softd3d.clear_uav_uint(words, (0, 0, 0, 0), predicate=softd3d.Predicate(True, False))
    assert not words.array.any()


def test_a_dispatch_can_be_skipped():
    code = "cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nstore_raw u0.x, l(0), l(7)\nret\n"
    out = np.zeros(1, np.uint32)
    job = softd3d.Dispatch(
        softd3d.assemble(code), 1, uavs={0: out}, engine="interpreter",
        predicate=softd3d.Predicate(True, True),
    )  # fmt: skip
    job()
    assert out[0] == 0
    job.predicate = softd3d.Predicate(True, False)
    job()
    assert out[0] == 7


def test_draw_auto_wants_a_buffer_that_knows_how_far_it_is_filled():
    job = softd3d.Draw(**arguments())
    with pytest.raises(ResourceError, match="vertex buffer 0: found an array, wanted a buffer"):
        job.auto()
    job = softd3d.Draw(**arguments(vs=full_screen(), ps=constant_pixel(), vertex_buffers=None,
                                   constants={0: bytes(16)}))  # fmt: skip
    with pytest.raises(ResourceError, match="vertex buffer 0: found none, wanted a buffer"):
        job.auto()


def test_draw_auto_takes_the_vertices_behind_the_offset():
    """Vertices of 32 bytes: whole ones between the offset and where stream output has ended."""
    buffer = softd3d.StructuredBuffer(quad())
    for filled, offset, wanted in ((0, 0, 0), (96, 0, 3), (191, 0, 5), (192, 32, 5), (32, 64, 0)):
        buffer.filled_size = filled
        job = softd3d.Draw(
            **arguments(vertex_buffers=[softd3d.VertexBuffer(buffer, 32, offset)],
                        topology="POINTLIST")
        )  # fmt: skip
        assert job.auto().statistics.ia_vertices == wanted
    nothing = softd3d.VertexBuffer(buffer, 0)
    assert softd3d.Draw(**arguments(vertex_buffers=[nothing])).auto().statistics.ia_vertices == 0


def test_how_far_a_buffer_is_filled_can_be_set():
    for buffer in (
        softd3d.RawBuffer(SHARED), softd3d.StructuredBuffer(SHARED, 4),
        softd3d.TypedBuffer(SHARED, "R32_FLOAT"),
    ):  # fmt: skip
        assert buffer.filled_size == 0
        buffer.filled_size = 12
        assert buffer.filled_size == 12
        with pytest.raises(ResourceError, match="filled_size: found -1, wanted 0 to 4294967295"):
            buffer.filled_size = -1
