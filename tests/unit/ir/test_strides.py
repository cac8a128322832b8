"""How far an address moves in an iteration of a loop: found where it is constant, else nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.ir.strides import load_strides
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

LOOP = """
    mov r0.x, vThreadID.x
    loop
      uge r0.z, r0.w, l(64)
      breakc_nz r0.z
      {lines}
      ld_raw r1.y, r2.x, t0.xxxx
      {end}
      iadd r1.z, r1.z, r1.y
      iadd r0.w, r0.w, l(4)
    endloop
    store_raw u0.x, l(0), r1.z
"""
# By what a raw load's offset grows where r0.w grows by 4; it is rounded down to dwords.
LINES: dict[str, int | None] = {
    "mov r2.x, r0.w": 4,
    "mov r2.x, r0.x": None,  # it stays where it is
    "imul null, r2.x, r0.w, l(12)": 48,
    "imul null, r2.x, l(12), r0.w": 48,
    "imul null, r2.x, r0.w, l(-12)": -48,
    "imul null, r2.x, r0.w, r0.w": None,
    "imul null, r2.x, r0.w, r0.x": None,
    "imul null, r2.x, r0.x, r0.w": None,
    "ishl r2.x, r0.w, l(4)": 64,
    "ishl r2.x, l(4), r0.w": None,
    "iadd r2.x, r0.w, r0.x": 4,
    "iadd r2.x, r0.w, r0.w": 8,
    "iadd r2.x, r0.x, -r0.w": None,  # of a negation nothing is known
    "iadd r2.x, r0.w, l(3)": 4,
    "and r2.x, r0.w, l(-4)": 4,
    "and r2.x, l(-4), r0.w": 4,
    "and r2.x, r0.w, l(-8)": None,
    "and r2.x, r0.w, l(28)": None,  # clears more than low bits
    "and r2.x, r0.w, r0.x": None,
    "ushr r2.x, r0.w, l(1)": None,
    "utof r2.x, r0.w\nftou r2.x, r2.x": None,
    "mov r2.x, r1.y": None,  # what was loaded before
    "ishl r2.x, r0.w, l(18)": 1 << 20,
    "imul null, r2.x, r0.w, l(0x40001)": None,  # too far for a walk through memory
    "imul null, r2.x, r0.w, l(-0x40000)": -1 << 20,
    "iadd r2.x, r2.x, l(0xFFFFFFF8)": -8,
    "mov r2.x, r2.y\niadd r2.y, r2.y, l(16)": 16,
    "mov r2.x, r2.y\nimul null, r2.y, r2.y, l(3)": None,
    "mov r2.x, r2.y\niadd r2.y, r2.y, r0.x": None,
    "mov r2.x, r2.y\nmov r2.y, l(16)": None,
}


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("inside", ["loop", "if", "else", "switch"])
def test_strides(lines: str, inside: str) -> None:
    before, after = {
        "loop": ("", ""),
        "if": ("if_nz r0.x", "endif"),
        "else": ("if_nz r0.x\nelse", "endif"),
        "switch": ("switch r0.x\ncase l(1)", "break\nendswitch"),
    }[inside]
    text = LOOP.format(lines=f"{lines}\n{before}", end=after)
    data = RawBuffer(np.zeros(256, np.uint32))
    bound = build(text, srvs={0: data}, uavs={0: RawBuffer(np.zeros(4, np.uint32))})
    wanted = LINES[lines]
    assert list(load_strides(lower(bound)).values()) == ([] if wanted is None else [wanted])


def test_only_loads_in_loops_have_strides() -> None:
    text = "iadd r0.y, vThreadID.x, l(4)\nld_raw r1.x, r0.y, t0.xxxx\nstore_raw u0.x, r0.y, r1.x"
    data = RawBuffer(np.zeros(256, np.uint32))
    bound = build(text, srvs={0: data}, uavs={0: RawBuffer(np.zeros(4, np.uint32))})
    assert load_strides(lower(bound)) == {}
