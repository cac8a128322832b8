"""From shaded vertices to what the rasteriser takes: culling by distances, viewport, clipping.

Spec: D3D11.3 sections 15.4 to 15.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import BOOL, F32, Value
from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import InterpolationMode
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.records import Bools, K, Numbers, Rows, lanes, spread, taken
from softd3d.pipeline.rasterizer import clip
from softd3d.pipeline.rasterizer.viewport import (
    MAX_VIEWPORTS,
    ClipPosition,
    ScreenPosition,
    ViewportTransform,
    project,
    viewport_index,
)
from softd3d.pipeline.stages import Link, RasterizerInputs

__all__ = ["Pieces", "Vertices", "pieces_of", "transform_of"]

Vertices: TypeAlias = tuple[Value, ...]
"""One value for each vertex of a piece."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Primitives, or the triangles or lines that clipping and wireframe made of them, in order.

    primitive: its number in the part. number: SV_PrimitiveID. clip, screen: each vertex.
    attributes: outputs that are interpolated, by name, U32. distances: for each component of
    SV_ClipDistance, F32. leading: outputs at the leading vertex, by name, U32. viewport: index.
    slice: SV_RenderTargetArrayIndex. was_clipped: whether clipping made it. front: whether it faces
    the front.
    """

    primitive: Rows
    number: Numbers
    instance: Numbers
    clip: tuple[ClipPosition, ...]
    screen: tuple[ScreenPosition, ...]
    attributes: dict[str, Vertices]
    distances: tuple[Vertices, ...]
    leading: dict[str, Value]
    viewport: Rows
    slice: Numbers
    was_clipped: Bools
    front: Bools

    @property
    def count(self) -> int:
        return self.primitive.size


class _Assembled:
    """The outputs of primitives' vertices."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.corners = block.corners
        self.count = block.count

    def at(self, name: str, corner: int) -> Value:
        return lanes(self.block.outputs[name][self.block.where[corner]])

    def bits(self, name: str) -> Vertices:
        return tuple(self.at(name, corner) for corner in range(self.corners))

    def floats(self, name: str) -> Vertices:
        return tuple(bitcast(v, F32) for v in self.bits(name))

    def leading(self, name: str | None) -> Numbers:
        """Return an output at the leading vertices, 0 if there is none."""
        if name is None:
            return np.zeros(self.count, np.uint32)
        return np.array(self.at(name, 0).raw)


def pieces_of(
    draw: PreparedDraw, taken_inputs: RasterizerInputs, links: Sequence[Link], block: Block
) -> Pieces:
    """Return what culling by distances leaves of primitives, before clipping."""
    every = _Assembled(block)
    clips = _positions(every, taken_inputs)
    index = spread(viewport_index(lanes(every.leading(taken_inputs.viewport_index))), every.count)
    viewport = index.astype(np.int64)
    transform = transform_of(draw, viewport)
    sources = [link for link in links if link.source is not None]
    pieces = Pieces(
        np.arange(every.count, dtype=np.int64), block.number, block.instance, clips,
        tuple(project(c, transform) for c in clips),
        {
            link.source: every.bits(link.source) for link in sources
            if link.source is not None and link.mode is not InterpolationMode.CONSTANT
        },
        tuple(every.floats(name) for name in taken_inputs.clip),
        {link.source: every.at(link.source, 0) for link in sources if link.source is not None},
        viewport, every.leading(taken_inputs.slice_index),
        np.zeros(every.count, np.bool_), np.ones(every.count, np.bool_),
    )  # fmt: skip
    dropped = K.const(BOOL, 0)
    if taken_inputs.cull:
        distances = [every.floats(name) for name in taken_inputs.cull]
        dropped = dropped | clip.is_culled_by_distances(distances)
    if pieces.distances:
        dropped = dropped | clip.is_dropped_by_clip_distances(pieces.distances)
    return taken(pieces, np.flatnonzero(~spread(dropped, every.count)))


def _positions(every: _Assembled, inputs: RasterizerInputs) -> tuple[ClipPosition, ...]:
    x, y, z, w = (every.floats(name) for name in inputs.position)
    return tuple(ClipPosition(*position) for position in zip(x, y, z, w, strict=True))


def transform_of(draw: PreparedDraw, viewport: Rows) -> ViewportTransform:
    """Return the viewport of each piece; one that is not set is all zero."""
    table = np.zeros((MAX_VIEWPORTS, 6), np.float32)
    for n, v in enumerate(draw.viewports):
        depth_range = np.float32(v.max_depth) - np.float32(v.min_depth)
        table[n] = v.top_left_x, v.top_left_y, v.width, v.height, v.min_depth, depth_range
    rows = table[viewport]
    return ViewportTransform(*(lanes(np.ascontiguousarray(column)) for column in rows.T))
