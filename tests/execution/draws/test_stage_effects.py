"""UAVs of all stages: one order on both engines, however much runs together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from both import compare, drawn_by_reference
from numpy.typing import NDArray
from random_draws import bound
from stage_draws import HEAD, VERTEX, WAYS, stage_draw
from test_patches import domain, hull, same

from softd3d.interp.draw import engine as interpreter
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives import geometry as geometry_stage
from softd3d.pipeline.primitives import patches as patch_stages
from softd3d.pipeline.primitives.effects import runs_in_step
from softd3d.pipeline.state import PrimitiveTopology

T = PrimitiveTopology
TAGS = {"vs": 1, "point": 2, "fork": 3, "ds": 4, "gs": 5, "ps": 6}


def note(stage: str, number: str, register: str = "r0") -> str:
    """Return code that appends 16 * number + the stage's tag to u7, a counter before a list."""
    r = register
    return (
        f"imm_atomic_iadd {r}.x, u7, l(0), l(1)\nishl {r}.x, {r}.x, l(2)\n"
        f"iadd {r}.x, {r}.x, l(4)\nimad {r}.y, {number}, l(16), l({TAGS[stage]})\n"
        f"store_raw u7.x, {r}.x, {r}.y\n"
    )


DECLARED = "dcl_uav_raw u7\n"
NOTING_VERTEX = VERTEX.replace(HEAD, HEAD + DECLARED).replace(
    "and r0.xy", note("vs", "v0.x") + "and r0.xy"
)
TAKES = f"""gs_5_0
{HEAD}{DECLARED}dcl_input_siv v[3][0].xyzw, position
dcl_input vPrim
dcl_input vGSInstanceID
dcl_gsinstances 2
dcl_temps 1
dcl_inputprimitive triangle
dcl_stream m0
dcl_outputtopology trianglestrip
dcl_output_siv o0.xyzw, position
dcl_output_sgv o1.x, primitive_id
dcl_maxout 3
{note("gs", "vPrim")}"""
PASSING = "".join(
    f"mov o0.xyzw, v[{n}][0].xyzw\nmov o1.x, vPrim\nemit_stream m0\n" for n in range(3)
)
NOTING_PIXEL = f"""ps_5_0
{HEAD}{DECLARED}dcl_input_ps_sgv constant v1.x, primitive_id
dcl_temps 1
{note("ps", "v1.x")}ret
"""


def noted(draw: PreparedDraw, call: DrawCall, memory: NDArray[np.uint32]) -> list[tuple[int, int]]:
    """Return (stage's tag, number) of all notes in order; leave the memory as it was."""
    before = memory.copy()
    interpreter.draw_interpreted(draw, call)
    found = memory[1 : 1 + int(memory[0])].tolist()
    memory[...] = before
    return [(word % 16, word // 16) for word in found]


def vertices_and_more(memory: NDArray[np.uint32]) -> PreparedDraw:
    uavs = {"u7": memory}
    draw = stage_draw(T.TRIANGLELIST)
    return replace(
        draw, vertex=bound(NOTING_VERTEX, uavs=uavs),
        geometry=bound(f"{TAKES}{PASSING}ret\n", uavs=uavs), pixel=None, rasterized_stream=None,
    )  # fmt: skip


def test_stages_that_share_a_view_take_primitives_singly() -> None:
    memory = np.zeros(256, np.uint32)
    draw = vertices_and_more(memory)
    assert runs_in_step(draw)
    one = [(1, 0), (1, 1), (1, 2), (5, 0), (5, 0), (1, 3), (1, 4), (1, 5), (5, 1), (5, 1)]
    assert noted(draw, DrawCall(6), memory) == one
    assert noted(draw, DrawCall(6, 2), memory) == one * 2
    compare(draw, DrawCall(9, 2), WAYS)


def test_pixels_of_a_primitive_come_before_the_next_primitive() -> None:
    memory = np.zeros(1 << 14, np.uint32)
    draw = vertices_and_more(memory)
    draw = replace(draw, pixel=bound(NOTING_PIXEL, uavs={"u7": memory}), rasterized_stream=0)
    found = [pair for pair in noted(draw, DrawCall(6), memory) if pair[0] != 1]
    pixels = sum(1 for tag, number in found if (tag, number) == (6, 0)) // 2
    assert pixels > 10
    first = [(5, 0)] * 2 + [(6, 0)] * 2 * pixels
    assert found[: len(first)] == first
    assert found[len(first)] == (5, 1)
    compare(draw, DrawCall(6, 2), WAYS)


def test_stages_with_memory_of_their_own_need_not_wait_for_each_other() -> None:
    one, other = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    draw = vertices_and_more(one)
    draw = replace(draw, geometry=bound(f"{TAKES}{PASSING}ret\n", uavs={"u7": other}))
    assert not runs_in_step(draw)
    assert noted(draw, DrawCall(6), one) == [(1, n) for n in range(6)]
    compare(draw, DrawCall(6, 3), WAYS)
    whole = np.zeros(64, np.uint32)
    parts = {"u7": whole[:32]}, {"u7": whole[16:48]}, {"u7": whole[48:]}
    vertex, geometry = (bound(NOTING_VERTEX, uavs=parts[0]), f"{TAKES}{PASSING}ret\n")
    for uavs, is_shared in ((parts[1], True), (parts[2], False)):
        mine = replace(draw, vertex=vertex, geometry=bound(geometry, uavs=uavs))
        assert runs_in_step(mine) is is_shared


def test_phases_of_a_patch_come_before_those_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = np.zeros(256, np.uint32)
    text = hull(same("l(1.0)")).replace(HEAD, HEAD + DECLARED)
    text = text.replace("mov r0.x, vOutput", f"{note('point', 'vPrim')}mov r0.x, vOutput")
    text = text.replace("mov r0.x, l(1.0)", f"{note('fork', 'vPrim')}mov r0.x, l(1.0)")
    draw = stage_draw(T.PATCHLIST_3, hull=hull(same("l(1.0)")), domain=domain())
    draw = replace(draw, hull=bound(text, uavs={"u7": memory}), rasterized_stream=None)
    wanted = [(tag, patch) for patch in range(3) for tag in (2, 2, 3)]
    for most in (1 << 24, 1):
        monkeypatch.setattr(patch_stages, "MOST_BYTES", most)
        assert noted(draw, DrawCall(9), memory) == wanted
        compare(draw, DrawCall(9, 2), WAYS)


def test_domain_shaders_run_in_the_order_of_points(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = np.zeros(256, np.uint32)
    text = domain().replace(HEAD, HEAD + DECLARED)
    text = text.replace("mov o0.xy,", f"{note('ds', 'vPrim')}mov o0.xy,", 1)
    draw = stage_draw(T.PATCHLIST_3, hull=hull(same("l(2.0)")), domain=domain())
    draw = replace(draw, domain=bound(text, uavs={"u7": memory}), rasterized_stream=None)
    for points in (1 << 16, 1):
        monkeypatch.setattr(patch_stages, "POINTS_AT_ONCE", points)
        assert noted(draw, DrawCall(6), memory) == [(4, 0)] * 7 + [(4, 1)] * 7
        compare(draw, DrawCall(6, 2), WAYS)


def test_geometry_shaders_run_in_the_order_of_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = np.zeros(256, np.uint32)
    text = f"{TAKES}{PASSING}ret\n".replace(note("gs", "vPrim"), note("gs", "vGSInstanceID.x"))
    draw = stage_draw(T.TRIANGLELIST)
    draw = replace(draw, geometry=bound(text, uavs={"u7": memory}), rasterized_stream=None)
    for most in (1 << 24, 1):
        monkeypatch.setattr(geometry_stage, "MOST_BYTES", most)
        assert noted(draw, DrawCall(6), memory) == [(5, 0), (5, 1)] * 2
        compare(draw, DrawCall(9, 2), WAYS)


def test_effects_of_invocations_that_emit_nothing_stay() -> None:
    memory = np.zeros(64, np.uint32)
    draw = replace(stage_draw(T.TRIANGLELIST), geometry=bound(f"{TAKES}ret\n", uavs={"u7": memory}))
    compare(draw, DrawCall(6), WAYS)
    result = drawn_by_reference(draw, DrawCall(6))[1]
    assert result.statistics.gs_primitives == 0
    assert len(noted(draw, DrawCall(6), memory)) == 4
