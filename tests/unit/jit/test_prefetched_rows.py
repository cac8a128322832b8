"""Prefetches of rows: asked for one by one in an inner loop, and only where that is of use."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.jit.compiling.build import module_text
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import StructuredBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

TEXT = """
    loop
      uge r0.z, r0.w, l(4)
      breakc_nz r0.z
      imad r0.y, r0.w, l({rows}), vThreadIDInGroup.y
      imad r0.y, r0.y, l(1024), vThreadIDInGroup.x
      ld_structured r1.y, r0.y, l(0), t0.xxxx
      mov r2.x, l(0)
      loop
        uge r2.y, r2.x, l({inner})
        breakc_nz r2.y
        mad r1.x, r1.x, r1.y, l(1.0)
        {more}
        iadd r2.x, r2.x, l(1)
      endloop
      sync_g_t
      iadd r0.w, r0.w, l(1)
    endloop
    store_structured u0.x, vThreadIDInGroupFlattened.x, l(0), r1.x
"""
NOTHING = ""
# rows that an iteration goes on by, iterations of the inner loop, what else is there: prefetches
PROGRAMS: dict[tuple[int, int, str], int] = {
    (16, 16, NOTHING): 2,  # each row may lie in two lines
    (16, 8, NOTHING): 4,
    (16, 3, NOTHING): 0,  # too many at a time
    (16, 200, NOTHING): 0,  # the same ones again and again
    (16, 16, "sync_g_t"): 0,
    (0, 16, NOTHING): 0,  # stays where it is
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_rows_ahead(case: tuple[int, int, str]) -> None:
    rows, inner, more = case
    bound = build(
        TEXT.format(rows=rows, inner=inner, more=more), group=(16, 16, 1),
        srvs={0: StructuredBuffer(np.zeros(1 << 16, np.uint32), 4)},
        uavs={0: StructuredBuffer(np.zeros(256, np.uint32), 4)},
    )  # fmt: skip
    graph = lower(bound)
    text = module_text(graph, bound.declarations, 256).text
    assert text.count("call void @llvm.prefetch") == (PROGRAMS[case] or (16 if not rows else 0))
