"""Barriers of native code: where all threads meet, and where they do not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.errors import ExecutionError
from softd3d.jit.engine import compile_kernel
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/interp"))
from program_builder import build

LANES = (4, 8, 16, 32, 64, 256)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("stray", [1, 5, 16, 63])
def test_a_barrier_that_some_threads_miss_is_an_error(lanes: int, stray: int) -> None:
    text = f"ult r0.x, vThreadID.x, l({stray})\nif_nz r0.x\nsync_g_t\nendif\nret"
    bound = build(text, group=(64, 1, 1), shared={0: (16,)})
    with pytest.raises(ExecutionError, match="sync_t in divergent control flow"):
        compile_kernel(bound, lanes=lanes).run(bound, (4, 1, 1))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("threads", [64, 37])
def test_values_pass_through_group_shared_memory_in_a_loop(lanes: int, threads: int) -> None:
    """Each round every thread takes its neighbour's value: after n rounds, the n-th next one's."""
    text = f"""
        mov r0.x, vThreadIDInGroup.x
        iadd r0.y, r0.x, l(1)
        udiv null, r0.y, r0.y, l({threads})
        ishl r1.xy, r0.xyxx, l(2, 2, 0, 0)
        mov r2.x, vThreadID.x
        loop
          uge r0.z, r0.w, l(5)
          breakc_nz r0.z
          store_raw g0.x, r1.x, r2.x
          sync_g_t
          ld_raw r2.x, r1.y, g0.xxxx
          sync_g_t
          iadd r0.w, r0.w, l(1)
        endloop
        ishl r3.x, vThreadID.x, l(2)
        store_raw u0.x, r3.x, r2.x
    """
    out = np.zeros(3 * threads, np.uint32)
    bound = build(text, group=(threads, 1, 1), shared={0: (4 * threads,)}, uavs={0: RawBuffer(out)})
    compile_kernel(bound, lanes=lanes).run(bound, (3, 1, 1))
    wanted = [np.roll(np.arange(g * threads, (g + 1) * threads), -5) for g in range(3)]
    assert np.array_equal(out, np.concatenate(wanted))
