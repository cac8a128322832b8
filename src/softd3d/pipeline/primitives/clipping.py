"""Pieces clipped: nearly all are left as they are. Spec: D3D11.3 section 15.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.classes import dataclass
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.pieces import Pieces, Vertices, transform_of
from softd3d.pipeline.primitives.records import joined, spread, taken
from softd3d.pipeline.rasterizer import clip, clip_polygon
from softd3d.pipeline.rasterizer.clip_polygon import ClippedVertex
from softd3d.pipeline.rasterizer.viewport import (
    ClipPosition,
    ScreenPosition,
    ViewportTransform,
    project,
)
from softd3d.pipeline.stages import NOPERSPECTIVE_MODES, Link

__all__ = ["clipped"]

_CORNERS_OF_TRIANGLE = 3
_Clipped = tuple[Sequence[tuple[ClippedVertex, ...]], Value]


def clipped(draw: PreparedDraw, pieces: Pieces, links: Sequence[Link]) -> Pieces:
    """Drop what cannot be drawn and clip what must be; the order stays."""
    count = pieces.count
    needs = spread(_needs_clipping(draw, pieces), count)
    good = ~needs & ~spread(clip.has_nan(pieces.screen), count)
    if draw.rasterizer.depth_clip_enable:
        good &= ~spread(clip.is_outside_depth(pieces.screen), count)
    kept = taken(pieces, np.flatnonzero(good))
    needs = needs & spread(clip.is_finite(pieces.clip), count)
    if not needs.any() or len(pieces.clip) == 1:  # a point is drawn whole, or not at all
        return kept
    parts = [kept, *_parts(draw, taken(pieces, np.flatnonzero(needs)), links)]
    every = joined(parts, [part.count for part in parts])
    return taken(every, np.argsort(every.primitive, kind="stable"))


def _needs_clipping(draw: PreparedDraw, pieces: Pieces) -> Value:
    at_depth = draw.clips_at_depth and len(pieces.clip) == _CORNERS_OF_TRIANGLE
    vertices = list(zip(pieces.clip, pieces.screen, strict=True))
    return clip.needs_clipping(vertices, at_depth=at_depth)


def _parts(draw: PreparedDraw, pieces: Pieces, links: Sequence[Link]) -> list[Pieces]:
    """Return the first triangle or line of each piece, the second one, and so on."""
    transform = transform_of(draw, pieces.viewport)
    made, is_empty = _clipped(draw, pieces, transform)
    new = _NewVertices(pieces, transform, links)
    parts: list[Pieces] = []
    for vertices in made:
        part = new.part(vertices)
        dropped = is_empty | clip.has_nan(part.screen)
        parts.append(taken(part, np.flatnonzero(~spread(dropped, part.count))))
    return [part for part in parts if part.count]


def _clipped(draw: PreparedDraw, pieces: Pieces, transform: ViewportTransform) -> _Clipped:
    band, depth_clip = clip_polygon.guard_band(transform), draw.rasterizer.depth_clip_enable
    if len(pieces.clip) == 2:
        line = clip_polygon.clip_line(*pieces.clip, band, depth_clip=depth_clip)
        return [(line.start, line.end)], line.is_empty
    a, b, c = pieces.clip
    polygon = clip_polygon.clip_triangle((a, b, c), band, depth_clip=depth_clip)
    return polygon.triangles, polygon.is_empty


@dataclass(frozen=True, slots=True)
class _NewVertex:
    """What pieces have at a new vertex, as `Pieces` says."""

    clip: ClipPosition
    screen: ScreenPosition
    attributes: dict[str, Value]
    distances: tuple[Value, ...]


class _NewVertices:
    """The new vertices of pieces, each made once: triangles share them."""

    def __init__(self, pieces: Pieces, transform: ViewportTransform, links: Sequence[Link]) -> None:
        self.pieces = pieces
        self.transform = transform
        self.flat = {link.source for link in links if link.mode in NOPERSPECTIVE_MODES}
        self.known: dict[int, _NewVertex] = {}  # by the vertex's id

    def part(self, vertices: Sequence[ClippedVertex]) -> Pieces:
        """Return pieces with new vertices, which stay alive."""
        pieces = self.pieces
        corners = [self._vertex(v) for v in vertices]
        return replace(
            pieces, clip=tuple(c.clip for c in corners), screen=tuple(c.screen for c in corners),
            attributes={name: tuple(c.attributes[name] for c in corners)
                        for name in pieces.attributes},
            distances=tuple(
                tuple(c.distances[n] for c in corners) for n in range(len(pieces.distances))
            ),
            was_clipped=np.ones(pieces.count, np.bool_),
        )  # fmt: skip

    def _vertex(self, vertex: ClippedVertex) -> _NewVertex:
        found = self.known.get(id(vertex))
        if found is None:
            found = self.known[id(vertex)] = self._made(vertex)
        return found

    def _made(self, vertex: ClippedVertex) -> _NewVertex:
        pieces, ws = self.pieces, [p.w for p in self.pieces.clip]
        on_screen = clip_polygon.screen_weights(vertex.weights, (ws[0], ws[1], ws[-1]))
        return _NewVertex(
            vertex.position, project(vertex.position, self.transform),
            {
                name: _attribute(on_screen if name in self.flat else vertex.weights, values)
                for name, values in pieces.attributes.items()
            },
            tuple(clip_polygon.clipped_attribute(vertex.weights, v) for v in pieces.distances),
        )  # fmt: skip


def _attribute(weights: tuple[Value, Value], values: Vertices) -> Value:
    floats = [bitcast(v, F32) for v in values]
    return bitcast(clip_polygon.clipped_attribute(weights, floats), U32)
