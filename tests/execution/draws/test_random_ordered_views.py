"""Random draws whose pixels change what earlier primitives left in a view, on both engines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from both import compare
from random_draws import HEAD, bound, random_draw
from test_random_draws import CONFIGURATIONS

ORDERED = f"""ps_5_0
{HEAD.strip()}{{flags}}
dcl_uav_structured_rov u7, 8
dcl_input_ps_siv linear noperspective v0.xy, position
dcl_input_ps linear v1.xyzw
dcl_input_ps_sgv constant v2.x, primitive_id
dcl_output o0.xyzw
dcl_temps 3
ftou r0.xy, v0.xyxx
imad r0.x, r0.y, l(44), r0.x
ld_structured r1.xy, r0.x, l(0), u7.xyxx
mul r1.z, r1.x, l(0.5)
add r1.z, r1.z, v1.x
{{middle}}
imad r1.w, r1.y, l(5), v2.x
iadd r1.w, r1.w, l(1)
store_structured u7.xy, r0.x, l(0), r1.zwzz
utof o0.xyzw, r1.yyyy
ret
"""
"""A float that is halved and added to, and a number whose digits are primitives' ids."""
MIDDLES = [
    "",
    "lt r2.x, v1.y, l(0.3)\ndiscard_nz r2.x",
    "deriv_rtx_coarse r2.x, r1.x\nadd r1.z, r1.z, r2.x",
]


@pytest.mark.parametrize("seed", range(12))
def test_the_order_at_a_pixel_is_the_same_on_both_engines(seed: int) -> None:
    flags = " | forceEarlyDepthStencil" if seed % 4 == 0 else ""
    text = ORDERED.format(flags=flags, middle=MIDDLES[seed % 3])
    for mesh in range(3):
        draw = random_draw(800 + seed, mesh)
        memory = np.zeros(44 * 44 * 2, np.uint32)
        pixel = bound(text, uavs={"u7": memory.view(np.uint8)})
        prepared = replace(draw.prepared, pixel=pixel)
        ways = CONFIGURATIONS[seed % len(CONFIGURATIONS) :][:1]
        compare(prepared, draw.call, ways, f"seed {seed}, mesh {mesh}\n{text}")
