"""How many iterations a loop has: counted where constants decide, else unknown."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.ir.graph import LoopBody, walk
from softd3d.ir.trips import trip_count
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

LOOP = """
    mov r0.x, vThreadID.x
    mov r0.y, l({first})
    loop
      {test}
      breakc_nz r0.z
      {step}
      iadd r1.x, r1.x, r0.x
      {more}
    endloop
    store_raw u0.x, l(0), r1.x
"""
ADD, TEST = "iadd r0.y, r0.y, l(1)", "uge r0.z, r0.y, l(64)"
# first value, test, step, what else is in the loop: iterations that are begun, the last one too
LOOPS: dict[tuple[int, str, str, str], int | None] = {
    (0, TEST, ADD, ""): 65,
    (64, TEST, ADD, ""): 1,
    (3, TEST, "iadd r0.y, r0.y, l(4)", ""): 17,
    (0, "ige r0.z, l(5), r0.y", ADD, ""): 1,
    (0, "ilt r0.z, l(5), r0.y", ADD, ""): 7,
    (-3, "ige r0.z, r0.y, l(0)", ADD, ""): 4,
    (-3, TEST, ADD, ""): 1,
    (128, "uge r0.z, l(0), r0.y", "ushr r0.y, r0.y, l(1)", ""): 9,
    (1, "uge r0.z, r0.y, l(100)", "imul null, r0.y, r0.y, l(3)", ""): 6,
    (1, "ieq r0.z, r0.y, l(0)", "ishl r0.y, r0.y, l(4)", ""): 9,
    (0, "ine r0.z, r0.y, l(6)", ADD, ""): 1,
    (9, TEST, "iadd r0.y, r0.y, l(2)\nand r0.y, r0.y, l(15)", ""): None,  # for ever
    (0, "uge r0.z, r0.y, l(5000)", ADD, ""): None,  # too many to count here
    (0, TEST, "iadd r0.y, r0.y, r0.x", ""): None,
    (0, "uge r0.z, r0.y, r0.x", ADD, ""): None,
    (0, "uge r0.z, r0.x, l(64)", ADD, ""): None,
    (0, TEST, ADD, "breakc_nz r0.x"): None,
    (0, TEST, ADD, "if_nz r0.x\nbreak\nendif"): None,
    (0, TEST, ADD, "if_nz r0.x\nret\nendif"): None,
    (0, "mov r0.z, l(0)", ADD, ""): None,
}


@pytest.mark.parametrize("loop", LOOPS)
def test_iterations(loop: tuple[int, str, str, str]) -> None:
    first, test, step, more = loop
    text = LOOP.format(first=first, test=test, step=step, more=more)
    views = {"uavs": {0: RawBuffer(np.zeros(1, np.uint32))}}
    graph = lower(build(text, **views))
    (body,) = (
        n.attr for n in walk(graph.block) if isinstance(n.attr, LoopBody) and not n.attr.once
    )
    assert trip_count(body) == LOOPS[loop]
