"""The quads of a small triangle, as many at a time as a vector has room for.

Which they are, and which samples are covered in them, is known from setup. So no lane is spent on
quads that the triangle does not touch.
"""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast, convert, ctz, select
from softd3d.algebra.value import BOOL, F64, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.jit.draw.memory import RECORD_CORNER, Field, Tile
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.piece import Piece
from softd3d.lower.invocations import QUAD
from softd3d.lower.registers import Key
from softd3d.pipeline.rasterizer import triangle
from softd3d.pipeline.rasterizer.blocks import ALL_QUADS, IS_SMALL, QUADS, SMALL
from softd3d.pipeline.rasterizer.snap import PIXEL
from softd3d.pipeline.shapes import Point, Shape, TriangleShape

__all__ = ["PackedQuads"]

_COUNT = QUADS * QUADS
_WORD_QUADS = _COUNT // 2
_ROW = (1 << QUADS) - 1
_COLUMN = ALL_QUADS // _ROW


@dataclass(frozen=True, slots=True)
class _Quads:
    """Of each lane: the number of its quad, U32; column and row of its pixel, I32; samples, U32."""

    quad: Value
    place: Point
    samples: Value


class PackedQuads:
    """Of one triangle. first: the pixel from which they count; quads: those in the tile, bits."""

    def __init__(
        self, r: DrawRecording, piece: Piece, tile: Mapping[Tile, Value], vector: int
    ) -> None:  # fmt: skip
        self.r = r
        self.piece = piece
        self.vector = vector
        self.is_small = (piece.flags & IS_SMALL).ne(0)
        left, top = piece.signed(Field.LEFT) & -2, piece.signed(Field.TOP) & -2
        self.first: Point = left, top
        all_ = piece.flags & ALL_QUADS
        sides = (tile[Tile.LEFT], left), (tile[Tile.TOP], top)
        ends = (left, tile[Tile.RIGHT]), (top, tile[Tile.BOTTOM])
        is_cut = r.k.const(BOOL, 0)
        for start, own in sides:
            is_cut = is_cut | (start > own)
        for own, end in ends:
            is_cut = is_cut | (own + SMALL > end)

        def inside() -> tuple[Value, ...]:
            (low_x, low_y), (high_x, high_y) = (
                [_quads(tile[side] - own) for side, own in zip(both, self.first, strict=True)]
                for both in ((Tile.LEFT, Tile.TOP), (Tile.RIGHT, Tile.BOTTOM))
            )
            one = all_.like(1)
            columns = ((one << high_x) - (one << low_x)) * _COLUMN
            rows = (one << high_y * QUADS) - (one << low_y * QUADS)
            return (all_ & columns & rows,)

        (self.quads,) = r.k.rarely(is_cut, (all_,), inside)

    def next(self, key: Key) -> _Quads:
        """Take the first quads off those that a variable has bits for, of which there is one."""
        r, rest = self.r, self.r.get(key)
        first = ctz(rest)
        lane, quad = r.lane, first
        for n in range(self.vector // QUAD):
            if n:  # those that are too many are the first one again, and cover nothing
                number = select(rest.eq(0), first + _COUNT, ctz(rest))
                quad = select((lane >> 2).eq(n), number, quad)
            rest = rest & rest - 1
        r.set(key, rest)
        is_there, quad = quad < _COUNT, quad & _COUNT - 1
        column = quad & QUADS - 1
        place = column * 2 + (lane & 1), (quad >> 2) * 2 + (lane >> 1 & 1)
        at = (quad & _WORD_QUADS - 1) * QUAD + (lane & QUAD - 1)
        samples = lane.like(0)
        for n in range(self.piece.samples):
            words = Field.CORNERS + RECORD_CORNER * self.piece.corners + 2 * n
            low, high = self.piece.field(words), self.piece.field(words + 1)
            bit = select(quad < _WORD_QUADS, low, high) >> at & 1
            samples = samples | bit << n if n else bit
        x, y = (bitcast(n, I32) for n in place)
        return _Quads(quad, (x, y), select(is_there, samples, 0))

    def steps(self, place: Point, shape: Shape) -> list[Value]:
        """Return by how much E of the edges that weights are made of grows from the first pixel."""
        assert isinstance(shape, TriangleShape)  # noqa: S101 - of small triangles
        dx, dy = (convert(n * PIXEL, F64) for n in place)
        return [triangle.edge_step(edge, dx, dy) for edge in shape.edges.edges[1:]]

    def pixel(self, quad: Value) -> Point:
        """Return the first pixel of quads by number, I32."""
        column, row = (bitcast(n * 2, I32) for n in (quad & QUADS - 1, quad >> 2))
        return self.first[0] + column, self.first[1] + row


def _quads(distance: Value) -> Value:
    """Return how many quads there are up to a distance in pixels, at most, U32."""
    low = integer.maximum(distance, distance.like(0))
    return bitcast(integer.minimum(low, low.like(SMALL)) >> 1, U32)
