"""Messages of shaders in draws: the same on both engines, in the order of invocations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from both import drawn_by_reference
from random_draws import bound, random_draw

from softd3d.interp.draw.engine import draw_interpreted
from softd3d.jit.draw.engine import compile_draw
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.state import PrimitiveTopology, RasterizerState

HEAD = "dcl_globalFlags refactoringAllowed\n"
VERTEX = f"""vs_5_0
{HEAD}dcl_input_sgv v0.x, vertex_id
dcl_output_siv o0.xyzw, position
dcl_temps 1
ieq r0.x, v0.x, l(2)
if_nz r0.x
  printf "vertex %u", v0.x
endif
and r0.xy, v0.xxxx, l(1, 2, 0, 0)
utof r0.xy, r0.xyxx
mad o0.xy, r0.xyxx, l(0.4, 0.2, 0, 0), l(-0.3, -0.3, 0, 0)
mov o0.zw, l(0, 0, 0.5, 1.0)
ret
"""
PIXEL = f"""ps_5_0
{HEAD}dcl_input_ps_siv linear noperspective v0.xy, position
%s
dcl_output o0.xyzw
dcl_temps 2
printf "x %%f", v0.x
ftoi r0.x, v0.y
and r0.x, r0.x, l(1)
if_nz r0.x
  printf "odd %%u %%f", %s, v0.y
endif
mov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)
ret
"""
ONCE = PIXEL % ("dcl_input_ps_sgv constant v1.x, primitive_id", "v1.x")
EACH_SAMPLE = PIXEL % ("dcl_input_ps_sgv constant v1.x, sampleIndex", "v1.x")


def draw_of(pixel: str, samples_like: int = 1) -> PreparedDraw:
    """Return a draw of two small triangles to a target of so many samples."""
    seed = next(
        n for n in range(100, 200)
        if random_draw(n).prepared.pattern.count == samples_like
        and random_draw(n).prepared.depth is None
        and any(random_draw(n).prepared.targets)
        and not random_draw(n).prepared.is_forced
    )  # fmt: skip
    base = random_draw(seed).prepared
    return replace(
        base, vertex=bound(VERTEX), pixel=bound(pixel), inputs=(), vertex_buffers={},
        topology=PrimitiveTopology.TRIANGLESTRIP, sample_mask=0xFFFFFFFF,
        rasterizer=RasterizerState(cull_mode=1, multisample_enable=True),
    )  # fmt: skip


@pytest.mark.parametrize("limit", [1000, 7, 0])
@pytest.mark.parametrize(("pixel", "samples"), [(ONCE, 1), (EACH_SAMPLE, 4)])
@pytest.mark.parametrize("lanes", [4, 16])
def test_messages_are_in_the_order_of_invocations(
    pixel: str, samples: int, lanes: int, limit: int
) -> None:
    draw, call = draw_of(pixel, samples), DrawCall(4, 2)
    expected = draw_interpreted(draw, call, max_messages=limit)
    compiled = compile_draw(draw, lanes=lanes, chunk=1)
    found = compiled.draw(call, max_messages=limit)
    assert found.messages == expected.messages
    assert len(found.messages) == min(limit, len(found.messages) + found.messages_dropped)
    assert found == expected


def test_an_abort_ends_the_draw_and_keeps_what_was_said_before() -> None:
    text = ONCE.replace("mov o0", "ige r0.x, r0.x, l(1)\nif_nz r0.x\nabort\nendif\nmov o0")
    draw, call = draw_of(text), DrawCall(3)
    _, expected = drawn_by_reference(draw, call)
    found = compile_draw(draw, lanes=8).draw(call)
    assert found.messages == expected.messages
    assert found.aborted == expected.aborted
    assert np.all(np.array(found.aborted) >= 0)
