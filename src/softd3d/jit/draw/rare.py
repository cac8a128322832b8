"""The way of what native code does not set up: primitives to be clipped, and wireframe.

NumPy makes pieces of them by the same rules; they get records, and rows for their vertices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.jit.draw.memory import (
    IS_FRONT,
    IS_TESTED,
    RECORD_CORNER,
    Field,
    Vertex,
    known_samples,
    record_words,
)
from softd3d.jit.draw.tiles.fans import fan_words
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.boxes import boxes_of
from softd3d.pipeline.primitives.conservative import fans_of
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import spread
from softd3d.pipeline.rasterizer import clip
from softd3d.pipeline.shapes import ConservativeShape, shape_of

__all__ = ["Packed", "packed"]

Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Packed:
    """Pieces as records. vertices: rows of outputs, which follow those that are there already.

    primitive: the number of each piece's primitive. bounds: (4, pieces).
    """

    records: Rows
    vertices: Rows
    primitive: NDArray[np.int64]
    bounds: NDArray[np.int64]


def packed(
    draw: PreparedDraw, pieces: Pieces, leading: Rows, outputs: Sequence[str],
    clip_outputs: Sequence[str], first: int,
) -> Packed:  # fmt: skip
    """Return pieces as records.

    leading: the row of each piece's leading vertex. outputs: in the order of a row. clip_outputs:
    those that are clip distances. first: the number of the first row of vertices.
    """
    count, corners = pieces.count, len(pieces.screen)
    shape = shape_of(draw.rasterizer, draw.pattern, pieces.screen)
    boxes = boxes_of(draw, pieces, shape)
    bounds = np.stack([boxes.left, boxes.top, boxes.right, boxes.bottom])
    records = np.zeros((count, record_words(corners, known_samples(draw, corners))), np.uint32)
    records[:, Field.FLAGS] = np.where(pieces.front, IS_FRONT, 0)
    if isinstance(shape, ConservativeShape):
        has_area = spread(shape.part.has_area, count)
        records[:, Field.FAN] = fan_words(fans_of(pieces.primitive, has_area))
    if draw.rasterizer.depth_clip_enable:
        tested = spread(clip.needs_depth_test(pieces.screen), count) & ~pieces.was_clipped
        records[:, Field.FLAGS] |= np.where(tested, IS_TESTED, 0).astype(np.uint32)
    records[:, Field.VIEWPORT] = pieces.viewport
    records[:, Field.SLICE] = pieces.slice
    records[:, Field.NUMBER] = pieces.number
    records[:, Field.INSTANCE] = pieces.instance
    records[:, Field.LEADING] = leading
    records[:, Field.LEFT : Field.LEFT + 4] = bounds.T.astype(np.int32).view(np.uint32)
    for n, (c, s) in enumerate(zip(pieces.clip, pieces.screen, strict=True)):
        at = Field.CORNERS + RECORD_CORNER * n
        values = {
            Vertex.X: s.x, Vertex.Y: s.y, Vertex.Z: s.z, Vertex.CLIP_Z: s.clip_z, Vertex.W: c.w,
        }  # fmt: skip
        for field, value in values.items():
            records[:, at + field] = _bits(value, count)
        records[:, at + Vertex.ROW] = first + n * count + np.arange(count)
    vertices = _vertices(pieces, outputs, clip_outputs)
    return Packed(records, vertices, pieces.primitive, bounds)


def _vertices(pieces: Pieces, outputs: Sequence[str], clip_outputs: Sequence[str]) -> Rows:
    count, corners = pieces.count, len(pieces.screen)
    found = np.zeros((corners, count, len(outputs)), np.uint32)
    columns = dict(pieces.attributes)
    columns |= dict(zip(clip_outputs, pieces.distances, strict=True))
    for name, values in columns.items():
        place = outputs.index(name)
        for n, value in enumerate(values):
            found[n, :, place] = _bits(value, count)
    return found.reshape(corners * count, len(outputs))


def _bits(value: Value, count: int) -> Rows:
    return np.ascontiguousarray(spread(value, count)).view(np.uint32)
