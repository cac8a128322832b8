"""Registers that differ between the vectors of a wave: each looks at another kind of view."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.device.bind import bind
from softd3d.interp import interpret
from softd3d.jit.cache.disk import DiskCache
from softd3d.jit.compiling import compiler
from softd3d.jit.engine import compile_kernel
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

sys.path.insert(0, str(Path(__file__).parent))
from guarded_memory import relocate

THREADS = 64
HEAD = """cs_5_1
dcl_resource_buffer (float,float,float,float) T0[0:1], space=0
dcl_uav_raw U0[0:0], space=0
dcl_uav_structured_opc U1[1:3], 4, space=1
dcl_input vThreadIDInGroup.xy
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
dcl_thread_group 16, 4, 1
ishl r3.x, vThreadIDInGroupFlattened.x, l(4)
and r1.x, vThreadIDInGroup.y, l(1)
"""
LOADS = """ld r2.xyzw, l(511, 0, 0, 0), T0[r1.x + 0].xyzw
store_raw U0[0].xyzw, r3.x, r2.xyzw
ret
"""
COUNTS = """imm_atomic_alloc r2.x, U1[vThreadIDInGroup.y + 1]
store_raw U0[0].x, r3.x, r2.x
ret
"""


def results(text: str, lanes: int, srvs: dict[Any, Any], uavs: dict[Any, Any]) -> np.ndarray:
    """Run on the JIT, or on the interpreter for 0 lanes; return what u0 holds."""
    out = np.zeros((THREADS, 4), np.uint32)
    shader = load_shader(assemble_tokens(HEAD + text))
    bound = bind(shader, constants={}, srvs=srvs, uavs={**uavs, 0: RawBuffer(out)}, samplers={})
    if lanes:
        kernel = compile_kernel(bound, lanes=lanes, cache=DiskCache(None))
        kernel.run(bound, (1, 1, 1), threads=1)
    else:
        interpret(bound, (1, 1, 1))
    return out


def loads_beside_protected_pages() -> None:
    """Row 1 looks at a small buffer, with an index that is inside both, scaled, of the large one.

    The optimiser might take the load away: it is left out.
    """
    compiler.LARGE_LINES = 0
    large = np.random.default_rng(1).random((512, 4)).astype(np.float32)
    small = np.arange(4096).astype(np.uint8)
    srvs = {0: TypedBuffer(large, "R32G32B32A32_FLOAT"), 1: TypedBuffer(small, "R8_UNORM")}
    kept = [relocate(buffer, at_end=True) for buffer in srvs.values()]
    wanted = results(LOADS, 0, srvs, {})
    for lanes in (16, 32, 64):
        assert np.array_equal(results(LOADS, lanes, srvs, {}), wanted), f"{lanes} lanes"
    assert all(memory.is_intact for memory in kept)


def test_a_vector_that_is_off_reads_nothing() -> None:
    here = Path(__file__)
    script = (
        f"import sys; sys.path[:0] = {[str(here.parent), *sys.path]!r}\n"
        f"import {here.stem} as test; test.loads_beside_protected_pages()"
    )
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-2000:]}"


@pytest.mark.parametrize("lanes", [0, 4, 16, 32, 64])
def test_a_vector_that_is_off_counts_nothing(lanes: int) -> None:
    """Rows 0 to 2 count in three buffers, of which one is unbound; row 3 names none."""
    buffers = {n: StructuredBuffer(np.zeros(1, np.uint32), 4, 10 * n) for n in (2, 3)}
    uavs: dict[Any, Any] = {(n, 1): buffers.get(n) for n in (1, 2, 3)}
    found = results(COUNTS, lanes, {}, uavs)[:, 0].reshape(4, 16)
    assert np.sort(found[1]).tolist() == list(range(20, 36))
    assert np.sort(found[2]).tolist() == list(range(30, 46))
    assert not found[0].any()
    assert not found[3].any()
    assert [buffers[n].counter for n in (2, 3)] == [36, 46]
