"""Pixel shaders that compute which input they read or evaluate: as if chosen by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from both import compare, drawn_by_reference
from numpy.typing import NDArray

from softd3d.pipeline.prepared import DrawCall, PreparedDraw

sys.path.insert(0, str(Path(__file__).parents[2] / "unit/interp/draw"))
from draws import prepared, target, vertices

HEAD = "dcl_globalFlags refactoringAllowed\n"
VERTEX = f"""vs_5_0
{HEAD}dcl_input v0.xyzw
dcl_input v1.xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_output o2.xyzw
dcl_output o3.xyzw
mov o0.xyzw, v0.xyzw
mov o1.xyzw, v1.xyzw
mul o2.xyzw, v1.wzyx, v0.xxxx
add o3.xyzw, v1.yyzz, v0.yxyx
ret
"""
PIXEL = f"""ps_5_0
{HEAD}dcl_input_ps_siv linear noperspective v0.x, position
dcl_input_ps linear v1.xyzw
dcl_input_ps linear v2.xyzw
dcl_input_ps linear v3.xyzw
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_temps 3
%sftou r0.x, v0.x
and r0.x, r0.x, l(3)
%s
mov o0.xyzw, r1.xyzw
mov o1.xyzw, r2.xyzw
ret
"""
COMPUTED = """mov r1.xyzw, v[r0.x + 1].wzyx
eval_sample_index r2.xyzw, v[r0.x + 1].xyzw, l(0)"""
CHOSEN = """mov r1.xyzw, l(0, 0, 0, 0)
mov r2.xyzw, l(0, 0, 0, 0)
switch r0.x
case l(0)
  mov r1.xyzw, v1.wzyx
  eval_sample_index r2.xyzw, v1.xyzw, l(0)
  break
case l(1)
  mov r1.xyzw, v2.wzyx
  eval_sample_index r2.xyzw, v2.xyzw, l(0)
  break
case l(2)
  mov r1.xyzw, v3.wzyx
  eval_sample_index r2.xyzw, v3.xyzw, l(0)
  break
default
  break
endswitch"""
CORNERS = [[-0.9, -0.8, 0.1, 1], [-0.7, 0.9, 0.5, 2], [0.95, 0.2, 0.9, 1.5]]
COLORS = [[1, 2, 3, 4], [0.5, 0.25, 0.125, 7], [-1, 5, -3, 0]]


def draw_of(text: str, samples: int) -> PreparedDraw:
    ranged = "dcl_indexrange v1.xyzw 3\n" if text is COMPUTED else ""
    targets = tuple(target(samples=samples) for _ in range(2))
    return prepared(
        vertices(CORNERS, COLORS), vs=VERTEX, ps=PIXEL % (ranged, text), targets=targets
    )


@pytest.mark.parametrize("samples", [1, 4])
def test_computed_inputs_are_those_that_are_named(samples: int):
    call = DrawCall(3)
    written: list[list[NDArray[np.uint8]]] = []
    for text in (COMPUTED, CHOSEN):
        draw = draw_of(text, samples)
        written.append(drawn_by_reference(draw, call)[0])
        compare(draw, call, ({"lanes": 4}, {"lanes": 8, "threads": 2}, {"lanes": 16}))
    for computed, chosen in zip(*written, strict=True):
        assert computed.any()
        assert (computed == chosen).all()
