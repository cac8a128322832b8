"""Native draws that are stopped, or asked for what does not fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_draws import bound, random_draw

from softd3d.errors import ExecutionError, LoweringError
from softd3d.jit.draw.engine import compile_draw
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, VertexStream
from softd3d.pipeline.state import PrimitiveTopology, RasterizerState, Viewport
from softd3d.resources.views.descriptor import MAX_BYTES

HEAD = "dcl_globalFlags refactoringAllowed\n"
COVERING = f"""vs_5_0
{HEAD}dcl_input_sgv v0.x, vertex_id
dcl_output_siv o0.xyzw, position
dcl_temps 1
and r0.xy, v0.xxxx, l(1, 2, 0, 0)
utof r0.xy, r0.xyxx
mad o0.xy, r0.xyxx, l(4.0, 2.0, 0, 0), l(-1.0, -1.0, 0, 0)
mov o0.zw, l(0, 0, 0.5, 1.0)
ret
"""
LOOPING = f"""ps_5_0
{HEAD}dcl_output o0.xyzw
dcl_temps 1
mov r0.x, l(0)
loop
  ige r0.y, r0.x, l(%d)
  breakc_nz r0.y
  iadd r0.x, r0.x, l(1)
endloop
utof o0.xyzw, r0.xxxx
ret
"""


def draw_of(iterations: int) -> PreparedDraw:
    """Return a draw that covers its target, and loops in each pixel."""
    base = random_draw(3).prepared
    return replace(
        base, vertex=bound(COVERING), pixel=bound(LOOPING % iterations), inputs=(),
        vertex_buffers={}, topology=PrimitiveTopology.TRIANGLELIST, sample_mask=0xFFFFFFFF,
        rasterizer=RasterizerState(cull_mode=1), viewports=(Viewport(0, 0, 44, 44, 0, 1),),
    )  # fmt: skip


def test_a_budget_counts_the_loops_of_the_whole_draw_and_nothing_else() -> None:
    compiled = compile_draw(draw_of(20_000), lanes=8)
    few = DrawCall(3)
    assert compiled.draw(few, budget=44 * 44 * 20_000).statistics.ps_invocations == 44 * 44
    with pytest.raises(ExecutionError, match="budget") as raised:
        compiled.draw(few, budget=1_000_000)
    assert raised.value.outcome is not None
    without = compile_draw(draw_of(0), lanes=8)
    assert without.draw(few, budget=1).statistics.c_primitives == 1


def test_a_watch_ends_a_draw_of_endless_shaders() -> None:
    compiled = compile_draw(draw_of(0x7FFFFFFF), lanes=8)
    with pytest.raises(ExecutionError, match="time"):
        compiled.draw(DrawCall(3), watch=Watch(seconds=0.2))


def test_progress_comes_for_every_chunk() -> None:
    seen: list[tuple[int, int]] = []
    compiled = compile_draw(draw_of(1), lanes=8, chunk=2)
    compiled.draw(DrawCall(3 * 5, 2), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 6) for n in range(1, 7)]


def test_buffers_beyond_the_reach_of_offsets_are_refused() -> None:
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (MAX_BYTES + 1,), (0,))
    draw = random_draw(0).prepared
    draw = replace(draw, vertex_buffers={0: VertexStream(huge, 28)})
    with pytest.raises(LoweringError, match="2 GiB"):
        compile_draw(draw, lanes=8).draw(DrawCall(3))
