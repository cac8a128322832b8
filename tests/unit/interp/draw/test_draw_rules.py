"""Rules of whole draws: forced samples, views only, statistics, messages, limits, wireframe."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.errors import ExecutionError, ResourceError, ShaderError
from softd3d.interp.draw import engine
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall
from softd3d.pipeline.state import BlendState, RasterizerState, RenderTargetBlendDesc
from softd3d.resources.buffers.buffer import RawBuffer

from draws import HEAD, PIXEL, VERTEX, picture, prepared, shader, target, vertices  # isort: skip

WHOLE = vertices([(-1, 1, 0.5, 1), (3, 1, 0.5, 1), (-1, -3, 0.5, 1)])
HALF = vertices([(-1, 1, 0.5, 1), (1, 1, 0.5, 1), (-1, -1, 0.5, 1)])
COVERAGE = f"""ps_5_0
{HEAD}dcl_input vCoverage
dcl_output o0.xyzw
utof o0.xyzw, vCoverage.xxxx
ret
"""
COUNTING = f"""vs_5_0
{HEAD}dcl_uav_raw u0
dcl_input v0.xyzw
dcl_output_siv o0.xyzw, position
dcl_temps 1
imm_atomic_iadd r0.x, u0, l(0), l(1)
mov o0.xyzw, v0.xyzw
ret
"""
ENDLESS = f"ps_5_0\n{HEAD}dcl_output o0.xyzw\nloop\nendloop\nmov o0.xyzw, l(0,0,0,0)\nret\n"


def forced(count: int, **changes: object):
    state = RasterizerState(cull_mode="NONE", forced_sample_count=count)
    return prepared(HALF, ps=COVERAGE, targets=(target(width=8, height=8),), rasterizer=state,
                    **changes)  # type: ignore[arg-type]  # fmt: skip


@pytest.mark.parametrize("count", [4, 8, 16])
def test_forced_samples_cover_and_count_but_are_no_samples_of_the_target(count: int):
    draw = forced(count)
    result = draw_interpreted(draw, DrawCall(3))
    masks = picture(draw.targets[0])[0, :, :, 0, 0].astype(np.uint32)
    assert result.samples_passed == int(np.bitwise_count(masks).sum())
    assert masks[0, 0] == (1 << count) - 1
    assert 0 < masks[3, 4] < (1 << count) - 1
    assert draw_interpreted(forced(count, sample_mask=2), DrawCall(3)).samples_passed == 0
    assert (
        draw_interpreted(forced(count, sample_mask=2), DrawCall(3)).statistics.ps_invocations == 0
    )


def test_one_forced_sample_writes_all_samples_of_the_mask():
    state = RasterizerState(cull_mode="NONE", forced_sample_count=1)
    draw = prepared(WHOLE, targets=(target(width=2, height=2, samples=4),), rasterizer=state,
                    sample_mask=0b1010)  # fmt: skip
    assert draw_interpreted(draw, DrawCall(3)).samples_passed == 4
    assert picture(draw.targets[0])[0, 0, 0, :, 0].tolist() == [0, 1, 0, 1]


def test_without_targets_the_sample_mask_does_not_count():
    memory = np.zeros(1, np.uint32)
    ps = shader(f"ps_5_0\n{HEAD}dcl_uav_raw u0\natomic_iadd u0, l(0), l(1)\nret\n",
                uavs={0: RawBuffer(memory)})  # fmt: skip
    draw = prepared(WHOLE, ps=ps, sample_mask=0, width=10, height=6)
    result = draw_interpreted(draw, DrawCall(3))
    assert memory[0] == result.samples_passed == 60


def test_statistics_count_vertices_once_also_across_parts(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(3)
    indices = rng.integers(0, 50, 300).astype(np.uint32)
    data = vertices(rng.uniform(-1, 1, (50, 4)) * [1, 1, 0, 0] + [0, 0, 0.5, 1])
    memory = np.zeros(1, np.uint32)
    for vs in (VERTEX, shader(COUNTING, uavs={0: RawBuffer(memory)})):
        for most in (1 << 12, 10):
            monkeypatch.setattr(engine, "MOST_PRIMITIVES", most)
            memory[0] = 0
            draw = prepared(data, vs=vs, ps=None, indices=indices, targets=(target(),))
            result = draw_interpreted(draw, DrawCall(300, 2, is_indexed=True))
            assert result.statistics.vs_invocations == 2 * np.unique(indices).size
            assert memory[0] in (0, 2 * np.unique(indices).size)
            assert result.statistics.ia_primitives == 200
            assert result.statistics.c_invocations == 0


def test_vertices_of_strips_run_once_if_that_can_be_told(monkeypatch: pytest.MonkeyPatch):
    memory = np.zeros(1, np.uint32)
    vs = shader(COUNTING, uavs={0: RawBuffer(memory)})
    data = vertices(np.zeros((20, 4)))
    monkeypatch.setattr(engine, "MOST_PRIMITIVES", 3)
    draw = prepared(data, vs=vs, ps=None, topology="TRIANGLESTRIP", targets=(target(),))
    assert draw_interpreted(draw, DrawCall(20, 2)).statistics.vs_invocations == 40
    assert memory[0] == 40


def test_what_is_culled_clipped_or_outside_is_no_primitive_of_the_rasteriser():
    triangles = [
        [(-1, 1, 0.5, 1), (1, 1, 0.5, 1), (-1, -1, 0.5, 1)],
        [(-1, 1, 0.5, 1), (-1, -1, 0.5, 1), (1, 1, 0.5, 1)],  # faces the back
        [(2, 1, 0.5, 1), (3, 1, 0.5, 1), (2, -1, 0.5, 1)],  # beside the viewport
        [(-1, 1, 2, 1), (1, 1, 2, 1), (-1, -1, 2, 1)],  # behind the far plane
        [(0, 0, 0.5, 1)] * 3,
        [(-1, 1, 0.5, 1), (1, 1, 0.5, 1), (float("nan"), -1, 0.5, 1)],
    ]
    draw = prepared(vertices(triangles), targets=(target(),), rasterizer=RasterizerState())
    statistics = draw_interpreted(draw, DrawCall(18)).statistics
    assert (statistics.c_invocations, statistics.c_primitives) == (6, 1)
    assert statistics.ps_invocations == 120


def test_budget_time_and_cancelling_stop_a_draw_and_what_was_drawn_stays():
    draw = prepared(WHOLE, ps=ENDLESS, targets=(target(),))
    with pytest.raises(ExecutionError, match="budget of 1000"):
        draw_interpreted(draw, DrawCall(3), budget=1000)
    with pytest.raises(ExecutionError, match="time limit"):
        draw_interpreted(draw, DrawCall(3), watch=Watch(seconds=0.05))
    with pytest.raises(ExecutionError, match="cancelled"):
        draw_interpreted(draw, DrawCall(3), watch=Watch(should_stop=lambda: True))


def test_the_budget_is_of_the_whole_draw():
    draw = prepared(WHOLE, targets=(target(),))
    assert draw_interpreted(draw, DrawCall(3, 4), budget=60).samples_passed == 1024
    many = DrawCall(3, 5000)
    with pytest.raises(ExecutionError, match="budget of 60 instructions is spent") as caught:
        draw_interpreted(draw, many, budget=60)
    assert caught.value.outcome is not None


def test_progress_counts_parts(monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[int, int]] = []
    draw = prepared(np.tile(WHOLE, (4, 1)), targets=(target(),))
    draw_interpreted(draw, DrawCall(12), progress=lambda *n: seen.append(n))
    monkeypatch.setattr(engine, "MOST_PRIMITIVES", 3)
    draw_interpreted(draw, DrawCall(12, 2), progress=lambda *n: seen.append(n))
    assert seen == [(1, 1), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_inputs_that_no_output_feeds_are_zero_and_noted():
    ps = PIXEL.replace("v1", "v3")
    draw = prepared(WHOLE, ps=ps, targets=(target(),))
    result = draw_interpreted(draw, DrawCall(3))
    assert result.poisoned == (("ps v3", "read, but not written by the stage before"),)
    assert not picture(draw.targets[0]).any()


def test_what_is_missing_is_named():
    no_position = VERTEX.replace("dcl_output_siv o0.xyzw, position", "dcl_output o0.xyzw")
    with pytest.raises(ResourceError, match="no output SV_Position"):
        draw_interpreted(prepared(WHOLE, vs=no_position, targets=(target(),)), DrawCall(3))


def test_wireframe_of_a_triangle_that_is_clipped_has_the_original_edges_only():
    """One vertex lies behind the eye: its two edges leave the picture, no edge is made."""
    added = BlendState(render_target=RenderTargetBlendDesc(True, src_blend="ONE", dest_blend="ONE"))
    state = RasterizerState("WIREFRAME", "NONE")
    where = [(-0.5, -0.5, 0.5, 1), (0.5, -0.5, 0.5, 1), (0, -0.5, 0.5, -0.25)]
    draw = prepared(vertices(where), targets=(target(),), rasterizer=state, blend=added)
    result = draw_interpreted(draw, DrawCall(3))
    image = picture(draw.targets[0])[0, :, :, 0, 0]
    solid = prepared(vertices(where), targets=(target(),), blend=added)
    draw_interpreted(solid, DrawCall(3))
    assert image.any()
    assert result.statistics.c_primitives == 1
    bottom = np.flatnonzero(image[11:13].any(axis=0))
    assert bottom.min() in (3, 4)
    assert bottom.max() >= 11
    outside = picture(solid.targets[0])[0, :, :, 0, 0] == 0
    grown = np.zeros_like(outside)
    inside = ~outside
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            grown |= np.roll(inside, (dy, dx), (0, 1))
    assert not (image.astype(bool) & ~grown).any()
    interior = inside.copy()
    for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        interior &= np.roll(inside, (dy, dx), (0, 1))
    assert (image[interior] == 0).mean() > 0.5  # nothing across the middle, as a clipped edge is


def test_shaders_may_ask_for_the_samples_of_the_rasteriser():
    asking = f"""ps_5_0
{HEAD}dcl_output o0.xyzw
dcl_temps 1
sampleinfo r0.x, rasterizer.x
mov o0.xw, r0.xxxx
samplepos r0.xy, rasterizer.xyzw, l(1)
mov o0.yz, r0.xxyx
ret
"""
    for samples, wanted in ((4, [4, 0.375, -0.125, 4]), (1, [1, 0, 0, 1])):
        draw = prepared(WHOLE, ps=asking, targets=(target(width=2, height=2, samples=samples),))
        draw_interpreted(draw, DrawCall(3))
        assert picture(draw.targets[0])[0, 1, 1, 0].tolist() == wanted


def test_messages_are_those_of_vertices_then_those_of_pixels_in_order(
    monkeypatch: pytest.MonkeyPatch,
):
    def speaking(text: str, message: str, argument: str) -> str:
        before, _, after = text.partition(HEAD)
        declarations, _, code = after.partition("mov o0")
        return f'{before}{HEAD}{declarations}printf "{message}", {argument}\nmov o0{code}'

    vs = VERTEX.replace("dcl_input v1.xyzw", "dcl_input v1.xyzw\ndcl_input_sgv v2.x, vertex_id")
    try:
        draw = prepared(np.tile(WHOLE, (2, 1)), vs=speaking(vs, "v %u", "v2.x"),
                        ps=speaking(PIXEL, "p %f", "v1.x"), targets=(target(width=2, height=1),),
                        width=2, height=1)  # fmt: skip
    except ShaderError as error:
        pytest.skip(str(error))
    wanted = draw_interpreted(draw, DrawCall(6, 2))
    assert [m.group for m in wanted.messages[:12]] == [
        (vertex, instance, 0) for instance in (0, 1) for vertex in range(6)
    ]
    assert [(m.thread[:2], m.group[0]) for m in wanted.messages[12:]] == [
        ((primitive, instance), x) for instance in (0, 1) for primitive in (0, 1) for x in (0, 1)
    ]
    monkeypatch.setattr(engine, "MOST_PRIMITIVES", 1)
    assert draw_interpreted(draw, DrawCall(6, 2)).messages == wanted.messages
    few = draw_interpreted(draw, DrawCall(6, 2), max_messages=14)
    assert few.messages == wanted.messages[:14]
    assert few.messages_dropped == len(wanted.messages) - 14
