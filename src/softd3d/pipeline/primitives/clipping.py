"""Pieces clipped: nearly all are left as they are. Spec: D3D11.3 section 15.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.pieces import Pieces, Vertices, transform_of
from softd3d.pipeline.primitives.records import joined, spread, taken
from softd3d.pipeline.rasterizer import clip, clip_polygon
from softd3d.pipeline.rasterizer.clip_polygon import ClippedVertex
from softd3d.pipeline.rasterizer.viewport import ViewportTransform, project
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
    parts: list[Pieces] = []
    for vertices in made:
        part = _part(pieces, vertices, transform, links)
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


def _part(
    pieces: Pieces, vertices: Sequence[ClippedVertex], transform: ViewportTransform,
    links: Sequence[Link],
) -> Pieces:  # fmt: skip
    """Return pieces with new vertices."""
    ws = [p.w for p in pieces.clip]
    on_screen = [clip_polygon.screen_weights(v.weights, (ws[0], ws[1], ws[-1])) for v in vertices]
    in_space = [v.weights for v in vertices]
    flat = {link.source for link in links if link.mode in NOPERSPECTIVE_MODES}
    positions = tuple(v.position for v in vertices)
    return replace(
        pieces, clip=positions, screen=tuple(project(p, transform) for p in positions),
        attributes={
            name: _attribute(on_screen if name in flat else in_space, values)
            for name, values in pieces.attributes.items()
        },
        distances=tuple(
            tuple(clip_polygon.clipped_attribute(w, values) for w in in_space)
            for values in pieces.distances
        ),
        was_clipped=np.ones(pieces.count, np.bool_),
    )  # fmt: skip


def _attribute(weights: Sequence[tuple[Value, Value]], values: Vertices) -> Vertices:
    floats = [bitcast(v, F32) for v in values]
    return tuple(bitcast(clip_polygon.clipped_attribute(w, floats), U32) for w in weights)
