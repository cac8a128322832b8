"""What can be told of the order in which the shaders of a draw run: by UAVs, and messages.

Direct3D leaves that order free (D3D11.3 section 4.2); here it is fixed, however much runs together.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.machine import Memory
from softd3d.lower.bound import BoundProgram
from softd3d.lower.structure import analyse
from softd3d.pipeline.prepared import PreparedDraw

__all__ = ["has_effects", "runs_in_step", "writes_views", "written_slots"]

_Range = tuple[int, int]


def has_effects(bound: BoundProgram) -> bool:
    """Whether it can be told how often an invocation runs: it writes to UAVs, or has messages.

    Spec: D3D11.3 section 9, which leaves the number of a vertex's invocations free.
    """
    return writes_views(bound) or bool(analyse(bound.program, bound.linkage).messages)


def writes_views(bound: BoundProgram) -> bool:
    """Whether a shader has UAVs."""
    return any(memory is Memory.UAV for memory, _ in bound.declarations.views)


def written_slots(bound: BoundProgram) -> set[int]:
    """Return the slots of a shader's UAVs among its descriptors, without unbound ones."""
    return {v.slot for v in bound.views.values() if v.memory is Memory.UAV and v.is_bound}


def runs_in_step(draw: PreparedDraw) -> bool:
    """Whether two stages have UAVs of the same memory.

    Primitives then go through all stages singly; else many go through one stage, then the next.
    """
    written = [_written(bound) for bound in draw.stages.values() if writes_views(bound)]
    return any(
        a < d and c < b
        for one, other in combinations(written, 2)
        for a, b in one
        for c, d in other
    )  # fmt: skip


def _written(bound: BoundProgram) -> list[_Range]:
    """Return the memory of a shader's UAVs and their counters: from where to where."""
    found: list[_Range] = []
    for slot in sorted(written_slots(bound)):
        descriptor = bound.descriptors[slot]
        found.append(_range(descriptor.data))
        if descriptor.counter is not None:
            found.append(_range(descriptor.counter.view(np.uint8)))
    return found


def _range(data: NDArray[np.uint8]) -> _Range:
    start = data.ctypes.data
    return start, start + data.nbytes
