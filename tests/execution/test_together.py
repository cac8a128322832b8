"""Accesses of all vectors of a wave at once: where some lanes are outside of a view."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.interp import interpret
from softd3d.jit.compiling.build import module_text
from softd3d.jit.engine import compile_kernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import StructuredBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/interp"))
from program_builder import build

GROUPS = {
    (256, 1, 1): (3, 1, 1),
    (16, 16, 1): (2, 2, 1),
    (16, 8, 4): (1, 1, 2),
    (8, 8, 1): (3, 2, 1),
}
CANARY = 0xA5A5A5A5
# Threads go through rows of 64 elements; the first index is moved by `first`.
TEXT = """
    imad r0.x, vThreadID.y, l(64), vThreadID.x
    imad r0.x, vThreadID.z, l(512), r0.x
    iadd r0.x, r0.x, l({first})
    loop
      uge r0.z, r0.w, l(3)
      breakc_nz r0.z
      ishl r0.y, r0.w, l(5)
      iadd r0.y, r0.x, r0.y
      ld_structured r1.y, r0.y, l(0), t0.xxxx
      store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r1.y
      sync_g_t
      ld_structured r1.z, vThreadIDInGroupFlattened.x, l(0), g0.xxxx
      iadd r1.x, r1.x, r1.z
      iadd r0.w, r0.w, l(1)
    endloop
    store_structured u0.x, r0.x, l(0), r1.x
"""


def bound(
    size: tuple[int, int, int], first: int, sizes: tuple[int, int]
) -> tuple[BoundProgram, np.ndarray]:
    """Return a program and the memory around what it stores to; sizes: elements of t0 and u0."""
    around = [np.full(5000, CANARY, np.uint32) for _ in range(2)]
    source, target = (a[1000 : 1000 + n] for a, n in zip(around, sizes, strict=True))
    source[:] = np.arange(1, source.size + 1) * 0x01010101
    threads = int(np.prod(size))
    program = build(
        TEXT.format(first=first), group=size, shared={0: (4, threads)},
        srvs={0: StructuredBuffer(source, 4)}, uavs={0: StructuredBuffer(target, 4)},
    )  # fmt: skip
    return program, around[1]


@pytest.mark.parametrize("size", GROUPS)
@pytest.mark.parametrize("lanes", [0, 8, 32, 64, 256])
def test_lanes_outside(size: tuple[int, int, int], lanes: int) -> None:
    """Lanes that are outside read 0 and store nothing, whatever the others of their wave do."""
    for first, *sizes in (
        (0, 4000, 4000), (0, 257, 300), (0, 15, 17), (0, 1, 1), (-1, 700, 900), (-40, 256, 255),
        (0x7FFFFFF0, 512, 512), (0xFFFFFF00, 513, 511), (5, 512, 1023), (-300, 16, 160),
    ):  # fmt: skip
        wanted_program, wanted = bound(size, first, (sizes[0], sizes[1]))
        interpret(wanted_program, GROUPS[size])
        program, found = bound(size, first, (sizes[0], sizes[1]))
        compile_kernel(program, lanes=lanes).run(program, GROUPS[size])
        assert np.array_equal(found, wanted), (first, sizes)


def test_one_comparison_is_for_all() -> None:
    """A wave of 16 rows asks once for each access, and its masks are out of the way."""
    program, _ = bound((16, 16, 1), 0, (4000, 4000))
    text = module_text(lower(program), program.declarations, 256).text
    assert text.count("branch_weights") >= 2
    assert text.count("@llvm.usub.sat.i32(i32") - text.count("declare i32 @llvm.usub.sat.i32") == 2
