"""The pixels that pieces may touch. Spec: D3D11.3 sections 15.7, 15.8."""

from __future__ import annotations

import numpy as np

from softd3d.classes import dataclass
from softd3d.isa.limits import MAX_VIEWPORTS
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import Bools, Rows, spread
from softd3d.pipeline.shapes import Shape

__all__ = ["Boxes", "boxes_of"]


@dataclass(frozen=True, slots=True)
class Boxes:
    """The pixels that each piece may cover; right and bottom are exclusive."""

    left: Rows
    top: Rows
    right: Rows
    bottom: Rows

    @property
    def is_empty(self) -> Bools:
        return (self.right <= self.left) | (self.bottom <= self.top)


def boxes_of(draw: PreparedDraw, pieces: Pieces, shape: Shape) -> Boxes:
    """Return the bounds of pieces within viewport, scissor and targets."""
    limits, count = shape.limits, pieces.count
    own = [
        spread(n, count).astype(np.int64)
        for n in (limits.left, limits.top, limits.right, limits.bottom)
    ]
    table = np.zeros((MAX_VIEWPORTS, 4), np.int64)
    for n, box in enumerate(draw.boxes):
        table[n] = box.left, box.top, box.right, box.bottom
    left, top, right, bottom = table[pieces.viewport].T
    return Boxes(
        np.maximum(own[0], left), np.maximum(own[1], top),
        np.minimum(own[2], right), np.minimum(own[3], bottom),
    )  # fmt: skip
