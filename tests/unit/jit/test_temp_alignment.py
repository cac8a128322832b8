"""Elements of indexable temps: code must not claim that they lie better than they do."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.jit.compiling.build import module_text
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

ELEMENT = re.compile(r"(%\S+) = getelementptr <(\d+) x i32>, ptr")
ACCESS = re.compile(r"(?:load|store) <\d+ x i32>.*ptr (%[^,\s]+), align (\d+)")


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_elements_are_aligned_to_a_vector_of_lanes(lanes: int) -> None:
    """Of narrower vectors every other element is no multiple of 64 bytes from the first.

    A random program crashed: LLVM made one aligned move of two neighbours.
    """
    bound = build(
        "mov r0.x, cb0[0].x\nmov x0[r0.x + 1].xy, cb0[0].xyzw\nmov x0[1].z, cb0[0].y\n"
        "store_raw u0.xyzw, l(0), x0[r0.x + 0].xyzw",
        group=(16, 1, 1), indexable={0: 3}, uavs={0: RawBuffer(np.zeros(4, np.uint32))},
        constants={0: np.zeros(4, np.uint32)},
    )  # fmt: skip
    text = module_text(lower(bound), bound.declarations, lanes).text
    elements = {m[1]: 4 * int(m[2]) for m in ELEMENT.finditer(text)}
    claimed = [(int(m[2]), elements[m[1]]) for m in ACCESS.finditer(text) if m[1] in elements]
    assert len(claimed) >= 6
    assert all(align <= size for align, size in claimed)
