"""Group-shared memory of which LLVM can know nothing: what was stored decides."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.jit.codegen.fences import plain_memory
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

PROGRAMS = {
    "ld_raw r1.x, r0.x, t0.xxxx\nstore_raw g0.x, r0.x, r1.x": True,
    "ld_raw r1.xyzw, r0.x, t0.xyzw\nadd r1.x, r1.y, r1.z\nstore_raw g0.xyzw, r0.x, r1.xyzw": True,
    "store_raw g0.x, r0.x, r0.x": False,
    "store_raw g0.x, r0.x, l(1.0)": False,
    "ld_raw r1.x, r0.x, t0.xxxx\nand r1.x, r1.x, l(255)\nstore_raw g0.x, r0.x, r1.x": False,
    "ld_raw r1.x, r0.x, t0.xxxx\nmov r1.x, -r1.x\nstore_raw g0.x, r0.x, r1.x": False,
    "ld_raw r1.x, r0.x, u0.xxxx\nstore_raw g0.x, r0.x, r1.x": False,
    "ld_raw r1.x, r0.x, g0.xxxx\nstore_raw g0.x, r0.x, r1.x": False,
    "ld_raw r1.xy, r0.x, t0.xyxx\nstore_raw g0.x, r0.x, r1.x\nstore_raw g0.x, r1.y, r0.x": False,
    "ld_raw r1.x, r0.x, t0.xxxx\nstore_raw g0.x, r0.x, r1.x\natomic_iadd g0, r0.x, r1.x": False,
    "ld_raw r1.x, r0.x, t0.xxxx\nif_nz r1.x\nstore_raw g0.x, r0.x, r0.x\nendif": False,
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_what_is_stored_decides(text: str) -> None:
    data = RawBuffer(np.zeros(64, np.uint32))
    bound = build(
        f"ishl r0.x, vThreadID.x, l(2)\n{text}\nld_raw r2.x, r0.x, g0.xxxx\n"
        "store_raw u0.x, r0.x, r2.x",
        shared={0: (256,)}, srvs={0: data}, uavs={0: RawBuffer(np.zeros(64, np.uint32))},
    )  # fmt: skip
    assert plain_memory(lower(bound)) == (frozenset({0}) if PROGRAMS[text] else frozenset())
