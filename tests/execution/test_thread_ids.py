"""Thread ids of group shapes that do and do not fit the lanes, on both engines."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.interp import interpret
from softd3d.jit.engine import compile_kernel
from softd3d.resources.buffers.buffer import StructuredBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/interp"))
from program_builder import build

GROUPS = (2, 3, 2)
SHAPES = [
    (1, 1, 1), (64, 1, 1), (16, 4, 1), (8, 8, 1), (32, 2, 2), (3, 5, 2), (5, 1, 1), (1, 7, 3),
    (4, 4, 4), (48, 1, 2), (24, 2, 1), (2, 2, 16), (17, 3, 1),
]  # fmt: skip
TEXT = """
    imul null, r1.xyz, vThreadGroupID.xyzx, l(1, 1, 1, 0)
    imad r0.x, vThreadGroupID.z, l(3), vThreadGroupID.y
    imad r0.x, r0.x, l(2), vThreadGroupID.x
    imad r0.x, r0.x, l({threads}), vThreadIDInGroupFlattened.x
    mov r2.xyz, vThreadID.xyzx
    mov r3.xyz, vThreadIDInGroup.xyzx
    store_structured u0.xyz, r0.x, l(0), r1.xyzx
    store_structured u0.xyz, r0.x, l(12), r2.xyzx
    store_structured u0.xyz, r0.x, l(24), r3.xyzx
"""


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_ids(shape: tuple[int, int, int]) -> None:
    x, y, z = shape
    threads = x * y * z
    total = threads * GROUPS[0] * GROUPS[1] * GROUPS[2]
    number = np.arange(total)
    group = number // threads
    groups = np.stack([group % 2, group // 2 % 3, group // 6], axis=1)
    flat = number % threads
    local = np.stack([flat % x, flat // x % y, flat // (x * y)], axis=1)
    wanted = np.concatenate([groups, groups * np.array(shape) + local, local], axis=1)
    for lanes in (0, 4, 8, 16, 32, 64, 128, 256):
        found = np.zeros((total, 9), np.uint32)
        bound = build(TEXT.format(threads=threads), group=shape, uavs={0: StructuredBuffer(found)})
        if lanes:
            compile_kernel(bound, lanes=lanes).run(bound, GROUPS)
        else:
            interpret(bound, GROUPS)
        assert np.array_equal(found, wanted), f"{lanes} lanes"
