"""What a triangle decides as a whole: facing, culling, depth bias; and wireframe's edges.

Spec: D3D11.3 sections 15.10 to 15.13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.clipping import clipped
from softd3d.pipeline.primitives.conservative import flattened, speakers
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import Bools, chosen, lanes, spread, taken
from softd3d.pipeline.rasterizer import triangle
from softd3d.pipeline.rasterizer.bias import depth_bias
from softd3d.pipeline.rasterizer.wireframe import EDGES
from softd3d.pipeline.shapes import corners_of
from softd3d.pipeline.stages import Link
from softd3d.pipeline.state.enums import CullMode, FillMode

__all__ = ["drawn"]


_CORNERS_OF_TRIANGLE = 3


@dataclass(frozen=True, slots=True)
class _Facing:
    """bias: F32, None where the states have none."""

    is_front: Bools
    is_culled: Bools
    has_area: Bools
    bias: Value | None


def drawn(draw: PreparedDraw, pieces: Pieces, links: Sequence[Link]) -> Pieces:
    """Return the points, lines or triangles that are rasterised, in order.

    pieces: what culling by distances has left.
    """
    if not pieces.count:
        return pieces
    if len(pieces.screen) < _CORNERS_OF_TRIANGLE:
        return clipped(draw, pieces, links)
    if draw.rasterizer.fill_mode is FillMode.WIREFRAME:
        return _wireframe(draw, pieces, links)
    return _filled(draw, clipped(draw, pieces, links))


def _filled(draw: PreparedDraw, pieces: Pieces) -> Pieces:
    """Return the clipped triangles that are drawn, with their facing and bias."""
    facing = _facing(draw, pieces)
    if draw.is_conservative:
        return _conservative(pieces, facing)
    biased = _biased(pieces, facing.bias)
    drawn = ~facing.is_culled & facing.has_area
    return taken(replace(biased, front=facing.is_front), np.flatnonzero(drawn))


def _conservative(pieces: Pieces, facing: _Facing) -> Pieces:
    """Return the triangles that are drawn conservatively, also those without area.

    Parts of a clipped triangle face where the first one with an area does, and have its bias.
    """
    speaks, number = speakers(pieces.primitive, facing.has_area)
    spoken = speaks[number]
    bias = facing.bias
    if bias is not None:
        bias = lanes(np.array(spread(bias, pieces.count)[spoken]))
    # Where the fan repeats a vertex, a part with another one has this segment, too.
    _, q, r = corners_of(pieces.screen)
    repeats = spread(q.x.eq(r.x) & q.y.eq(r.y), pieces.count) & facing.has_area[spoken]
    rows = np.flatnonzero(~facing.is_culled[spoken] & ~repeats)
    biased = replace(_biased(pieces, bias), front=facing.is_front[spoken])
    return flattened(taken(biased, rows), facing.has_area[rows])


def _wireframe(draw: PreparedDraw, whole: Pieces, links: Sequence[Link]) -> Pieces:
    """Return the edges of triangles that are drawn, clipped as lines.

    What a triangle decides it decides as if it were solid: one that must be clipped, by the first
    of its parts that has an area.

    whole: triangles before clipping.
    """
    parts = clipped(draw, whole, links)
    facing = _facing(draw, parts)
    speaks, _ = speakers(parts.primitive, facing.has_area)
    speaks = speaks[~facing.is_culled[speaks]]
    mine = taken(whole, np.searchsorted(whole.primitive, parts.primitive[speaks]))
    edges = clipped(draw, _edges(replace(mine, front=facing.is_front[speaks])), links)
    if facing.bias is None:
        return edges
    owner = np.searchsorted(mine.primitive, edges.primitive)
    bias = np.array(spread(facing.bias, parts.count)[speaks])
    return _biased(edges, lanes(bias[owner]))


def _facing(draw: PreparedDraw, pieces: Pieces) -> _Facing:
    p, q, r = corners_of(pieces.screen)
    area = triangle.doubled_area((p, q, r))
    state = draw.rasterizer
    front = triangle.is_front_facing(area, front_counter_clockwise=state.front_counter_clockwise)
    culled = triangle.is_culled(front, CullMode(state.cull_mode))
    bias = draw.bias
    a, b, c = (s.z for s in pieces.screen)
    return _Facing(
        np.array(spread(front, pieces.count)), np.array(spread(culled, pieces.count)),
        np.array(spread(area.ne(0.0), pieces.count)),
        None if bias.is_zero else depth_bias(bias, (p, q, r), (a, b, c), area),
    )  # fmt: skip


def _biased(pieces: Pieces, bias: Value | None) -> Pieces:
    if bias is None:
        return pieces
    return replace(pieces, screen=tuple(replace(s, z=s.z + bias) for s in pieces.screen))


def _edges(pieces: Pieces) -> Pieces:
    """Return the edges of triangles as lines, three in a row of each."""
    rows = np.repeat(np.arange(pieces.count), len(EDGES))
    mine = taken(pieces, rows)
    starts, ends = (np.tile(corners, pieces.count) for corners in zip(*EDGES, strict=True))
    return replace(
        mine,
        clip=(chosen(mine.clip, starts), chosen(mine.clip, ends)),
        screen=(chosen(mine.screen, starts), chosen(mine.screen, ends)),
        attributes={n: (chosen(v, starts), chosen(v, ends)) for n, v in mine.attributes.items()},
        distances=tuple((chosen(v, starts), chosen(v, ends)) for v in mine.distances),
    )
