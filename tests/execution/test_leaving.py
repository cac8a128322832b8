"""Lanes that leave all together where others may have left one by one: random programs found it.

Nobody waits in the default case, but the JIT cannot know: the exits are no jumps, so code goes on
behind them although no lane is left.
"""

from __future__ import annotations

import numpy as np
import pytest

import softd3d

ENDS = {
    "condition of a register": "retc_z r5.x",
    "condition that is always true": "and r5.y, r4.x, l(3)\nretc_z r5.y",
    "no condition": "ret",
    "in branches": "if_z r5.x\nif_z r5.x\nret\nendif\nendif",
    "in a switch": "switch r5.x\ncase l(0)\nret\ndefault\nbreak\nendswitch",
    "in a loop": "loop\nretc_z r5.x\nbreakc_nz r5.x\nendloop",
}
TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 6
dcl_thread_group 64, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
ld_raw r5.x, l(0), t0.xxxx
switch r5.x
default
and r2.x, r0.x, l(4)
breakc_nz r2.x
break
case l(0)
{end}
break
endswitch
if_z r5.x
store_raw u0.x, r0.x, l(7)
endif
store_raw u0.x, r0.x, l(1)
ret
"""


@pytest.mark.parametrize("engine", ["interpreter", 4, 16, 32, 64])
@pytest.mark.parametrize("end", ENDS)
def test_nobody_goes_on_behind_an_exit_that_all_take(end: str, engine: str | int) -> None:
    shader = softd3d.load(softd3d.assemble(TEXT.format(end=ENDS[end])))
    options = {"engine": engine} if isinstance(engine, str) else {"lanes": engine}
    for value in (0, 1):
        out = np.zeros(64, np.uint32)
        softd3d.dispatch(
            shader, (1, 1, 1), srvs={0: softd3d.RawBuffer(np.array([value], np.uint32))},
            uavs={0: softd3d.RawBuffer(out)}, **options,
        )  # fmt: skip
        assert out.tolist() == [value] * 64
