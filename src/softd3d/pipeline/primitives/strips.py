"""Vertices that geometry shaders emit as primitives: strips become lists. Spec: D3D11.3 13.7."""

from __future__ import annotations

import numpy as np

from softd3d.classes import dataclass
from softd3d.pipeline.primitives.records import Bools, Rows, lanes, spread
from softd3d.pipeline.state.enums import PrimitiveTopology
from softd3d.pipeline.topology import completed, corners

__all__ = ["Completed", "primitives_of_strips"]


@dataclass(frozen=True, slots=True)
class Completed:
    """Primitives in the order in which vertices complete them; what is incomplete is not there.

    where: places of their vertices, (corners, primitives); the leading vertex first. last: places
    of those that complete them.
    """

    where: Rows
    last: Rows


def primitives_of_strips(topology: PrimitiveTopology, starts: Bools) -> Completed:
    """Return the primitives of strips that follow each other.

    topology: POINTLIST, LINESTRIP or TRIANGLESTRIP. starts: whether a vertex is the first one of a
    strip, (vertices,); the first vertex is, in any case.
    """
    place: Rows = np.arange(starts.size, dtype=np.int64)
    start = np.maximum.accumulate(np.where(starts, place, 0))
    is_complete, number = completed(topology, lanes((place - start).astype(np.uint32)))
    last = np.flatnonzero(spread(is_complete, starts.size))
    number = lanes(np.array(spread(number, starts.size)[last]))
    rows = [start[last] + spread(corner, last.size) for corner in corners(topology, number)]
    return Completed(np.stack(rows), last)
