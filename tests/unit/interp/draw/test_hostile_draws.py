"""Hostile draws: a result or a ShaderError, in bounded time, and nothing beside the targets."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from softd3d.errors import ExecutionError, ShaderError
from softd3d.formats.dxgi import dxgi_format
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, IndexStream, VertexStream
from softd3d.pipeline.state import (
    BlendState,
    RasterizerState,
    Rect,
    RenderTargetBlendDesc,
    Viewport,
)

from draws import HEAD, PIXEL, VERTEX, prepared, target, vertices  # isort: skip

GUARD = 64
SECONDS = 0.5
TOPOLOGIES = ("POINTLIST", "LINELIST", "LINESTRIP", "TRIANGLELIST", "TRIANGLESTRIP",
              "TRIANGLELIST_ADJ", "TRIANGLESTRIP_ADJ", "LINELIST_ADJ")  # fmt: skip
FORMATS = ("R32G32B32A32_FLOAT", "R8G8B8A8_UNORM", "B5G6R5_UNORM", "R16G16_SINT", "R8_UINT",
           "R11G11B10_FLOAT", "R16_FLOAT")  # fmt: skip
WILD = np.array(
    [0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40, -1e-40, 32767, 0.5, 1e10, -1e-3],
    np.float32,
)  # fmt: skip
INDEXED = f"""vs_5_0
{HEAD}dcl_input v0.xyzw
dcl_input v1.xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_output_siv o2.x, rendertarget_array_index
dcl_output_siv o2.y, viewport_array_index
dcl_output_siv o3.x, clip_distance
dcl_output_siv o3.y, cull_distance
mov o0.xyzw, v0.xyzw
mov o1.xyzw, v1.xyzw
mov o2.xy, v1.xyxx
mov o3.xy, v1.zwzz
ret
"""


def wild_vertices(rng: np.random.Generator, count: int) -> np.ndarray:
    plain = rng.uniform(-2, 2, (count, 8)).astype(np.float32)
    plain[:, 3] = 1
    return np.where(rng.random((count, 8)) < 0.25, rng.choice(WILD, (count, 8)), plain)


def guards_hold(made: object) -> bool:
    return bool((made.data[:GUARD] == 0xA5).all() and (made.data[-GUARD:] == 0xA5).all())


@pytest.mark.parametrize("seed", range(60))
def test_wild_draws_give_a_result_or_an_error_and_write_into_targets_only(seed: int):
    rng = np.random.default_rng(seed)
    width, height = (int(n) for n in rng.choice([1, 2, 7, 16], 2))
    samples = int(rng.choice([1, 2, 4, 16]))
    colors = target(str(rng.choice(FORMATS)), width, height, slices=2, samples=samples, guard=GUARD)
    depth = target("D24_UNORM_S8_UINT", width, height, slices=2, samples=samples, guard=GUARD)
    state = RasterizerState(
        str(rng.choice(["SOLID", "WIREFRAME"])), "NONE", depth_bias=int(rng.integers(-9, 9)),
        slope_scaled_depth_bias=float(rng.choice([0, 1, -3e38])), depth_bias_clamp=0.5,
        depth_clip_enable=bool(rng.integers(2)), multisample_enable=bool(rng.integers(2)),
        antialiased_line_enable=bool(rng.integers(2)), scissor_enable=bool(rng.integers(2)),
    )  # fmt: skip
    blend = BlendState(
        render_target=RenderTargetBlendDesc(bool(rng.integers(2)), src_blend="DEST_COLOR")
    )
    data = np.ascontiguousarray(wild_vertices(rng, 12))
    indices = rng.choice([0, 1, 5, 11, 12, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF], 24).astype(np.uint32)
    is_indexed = bool(rng.integers(2))
    draw = prepared(
        data, vs=INDEXED, topology=str(rng.choice(TOPOLOGIES)), targets=(colors,), depth=depth,
        indices=indices if is_indexed else None, rasterizer=state, blend=blend,
        viewports=(Viewport(0, 0, width, height, 0, 1), Viewport(-32768, -32768, 65535, 65535)),
        scissors=(Rect(0, 0, 5, 5), Rect(-(1 << 31), -5, (1 << 31) - 1, 9)),
    )  # fmt: skip
    stride = int(rng.choice([0, 4, 7, 32, 2048, 0xFFFFFFFF]))
    stream = VertexStream(data.reshape(-1).view(np.uint8), stride, int(rng.choice([0, 3, 380])))
    draw = replace(draw, vertex_buffers={0: stream})
    call = DrawCall(
        24, int(rng.integers(1, 4)), int(rng.choice([0, 3, 0xFFFFFFFF])),
        int(rng.choice([0, 0xFFFFFFFF])), int(rng.choice([0, -1, -(1 << 31)])), is_indexed,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        draw_interpreted(draw, call)
    assert guards_hold(colors)
    assert guards_hold(depth)


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize(
    ("count", "instances"),
    [(0xFFFFFFFF, 1), (3, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF)],
)
def test_huge_counts_stop_in_time(count: int, instances: int, is_indexed: bool):
    made = target(guard=GUARD)
    data = vertices([(-1, 1, 0, 1), (1, 1, 0, 1), (-1, -1, 0, 1)])
    indices = np.array([0, 1, 2], np.uint32) if is_indexed else None
    draw = prepared(data, targets=(made,), indices=indices)
    start = time.monotonic()
    with pytest.raises(ExecutionError, match="time limit"):
        draw_interpreted(
            draw, DrawCall(count, instances, is_indexed=is_indexed), watch=Watch(seconds=SECONDS)
        )
    assert time.monotonic() - start < SECONDS + 5
    assert guards_hold(made)


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_draws_without_a_primitive_end_at_once(count: int, is_indexed: bool):
    indices = np.array([0, 1, 2], np.uint32) if is_indexed else None
    draw = prepared(vertices(np.zeros((3, 4))), targets=(target(),), indices=indices)
    result = draw_interpreted(draw, DrawCall(count, 0xFFFFFFFF, is_indexed=is_indexed))
    assert result.statistics.vs_invocations == 0
    nothing = draw_interpreted(draw, DrawCall(0xFFFFFFFF, 0, is_indexed=is_indexed))
    assert nothing.samples_passed == 0


def test_cuts_alone_make_no_primitive_in_any_number_of_instances():
    draw = prepared(vertices(np.zeros((3, 4))), targets=(target(),), topology="TRIANGLESTRIP",
                    indices=np.full(9000, 0xFFFF, np.uint16))  # fmt: skip
    result = draw_interpreted(draw, DrawCall(9000, 0xFFFFFFFF, is_indexed=True))
    assert result.statistics.ia_primitives == 0


def test_targets_of_no_size_and_buffers_of_none():
    empty = np.zeros(0, np.uint8)
    draw = prepared(vertices([(-1, 1, 0, 1), (3, 1, 0, 1), (-1, -3, 0, 1)]),
                    targets=(target(width=1, height=1),))  # fmt: skip
    none = replace(draw, width=0, height=0)
    assert draw_interpreted(none, DrawCall(3)).samples_passed == 0
    for stream in (VertexStream(empty, 32), VertexStream(np.zeros(7, np.uint8), 1, 0xFFFFFFFF)):
        result = draw_interpreted(replace(draw, vertex_buffers={0: stream}), DrawCall(30))
        assert result.samples_passed == 0
    index = IndexStream(empty, dxgi_format("R16_UINT"), 0xFFFFFFFE)
    result = draw_interpreted(replace(draw, index_buffer=index), DrawCall(30, is_indexed=True))
    assert result.samples_passed == 0
    result = draw_interpreted(replace(draw, viewports=()), DrawCall(3))
    assert result.samples_passed == 0


def test_large_targets_and_many_layers_take_bounded_parts():
    """A triangle of 16384 pixels along the diagonal of its box; thousands at one pixel."""
    thin = vertices([(-1, 1, 0, 1), (1, -1, 0, 1), (1, -0.9999, 0, 1)])
    views = (Viewport(0, 0, 16384, 16384),)
    draw = prepared(thin, ps=None, width=16384, height=16384, viewports=views)
    draw = replace(draw, depth_stencil=replace(draw.depth_stencil, depth_enable=True))
    with pytest.raises(ExecutionError, match="time limit"):
        draw_interpreted(draw, DrawCall(3), watch=Watch(seconds=SECONDS))
    many = np.tile(vertices([(-1, 1, 0, 1), (3, 1, 0, 1), (-1, -3, 0, 1)]), (1000, 1))
    deep = prepared(many, targets=(target(width=1, height=1),))
    assert draw_interpreted(deep, DrawCall(3000)).samples_passed == 1000


def test_wild_shaders_are_refused_or_run():
    for text in (PIXEL.replace("v1", "v31"), PIXEL.replace("linear", "constant"),
                 PIXEL.replace("o0", "o7")):  # fmt: skip
        try:
            draw_interpreted(prepared(vertices(np.zeros((3, 4))), ps=text, vs=VERTEX,
                                      targets=(target(),)), DrawCall(3))  # fmt: skip
        except ShaderError as error:
            assert error.message
