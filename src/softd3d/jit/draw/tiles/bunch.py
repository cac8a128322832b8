"""Pieces that follow each other on a tile's list, set up together: a lane for each.

What is the same for all pixels of a piece (edges, reciprocals, what attributes gain) is hundreds of
operations, which take as long for one piece as for a vector of them. So it is computed for as many
as a vector has lanes, and kept in tile memory, a column for each number, and broadcast from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F64, U32, DataType, Value
from softd3d.classes import dataclass
from softd3d.isa.machine import View
from softd3d.isa.sm4.enums import InterpolationMode
from softd3d.jit.draw.memory import BUNCH_COLUMN, WORD, Field, Tile, raw_view
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.facts import TilePlan
from softd3d.jit.draw.tiles.fragments import TILE_MEMORY
from softd3d.jit.draw.tiles.piece import Piece
from softd3d.pipeline.interpolation import Attribute
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.rasterizer.triangle import Bounds, Edge, Triangle
from softd3d.pipeline.shapes import Shape, TriangleShape, shape_of
from softd3d.pipeline.stages import Link

__all__ = ["Bunch", "BunchPiece", "is_bunched"]

_ROW = 4  # words that are loaded at once
_CORNERS = 3
_BITS = 32  # of a word


@dataclass(frozen=True, slots=True)
class _Column:
    offset: int
    type: DataType


class Columns:
    """Numbers of the pieces of a bunch by name. first: where they begin in tile memory."""

    def __init__(self, r: DrawRecording, lanes: int, first: Value) -> None:
        self.r = r
        self.lanes = lanes
        self.first = first
        self.columns: dict[str, _Column] = {}

    def put(self, name: str, value: Value) -> None:
        if value.type is BOOL:
            value = select(value, value.k.const(U32, 1), 0)
        column = self.columns[name] = _Column(self._offset(len(self.columns)), value.type)
        args = self.first.raw, value.raw
        self.r.k.node("store_column", None, args, (TILE_MEMORY, column.offset))

    def get(self, name: str, lane: Value) -> Value:
        """Return what a lane has (U32, the same for all)."""
        column = self.columns[name]
        size = BUNCH_COLUMN if column.type is F64 else WORD
        at = self.first + lane * size
        attr = TILE_MEMORY, column.offset
        return self.r.k.value(self.r.k.node("load_column", column.type, (at.raw,), attr))

    def _offset(self, number: int) -> int:
        return number * self.lanes * BUNCH_COLUMN


class Bunch:
    """Filled triangles. first: where their numbers begin in tile memory, in bytes."""

    def __init__(
        self, r: DrawRecording, draw: PreparedDraw, plan: TilePlan, tile: Mapping[Tile, Value],
        first: Value,
    ) -> None:  # fmt: skip
        self.r = r
        self.draw = draw
        self.plan = plan
        self.tile = tile
        self.columns = Columns(r, plan.facts.vector, first)
        self.sources = interpolated(plan.facts.links)

    def piece(self, piece: Piece, place: Value, row: Value) -> BunchPiece:
        """Return a piece that has been set up, given its place on the list.

        row: of pixels, where it goes on.
        """
        lane = (place - self.tile[Tile.START]) & (self.plan.facts.vector - 1)
        is_next = lane.eq(0) & row.eq(self.tile[Tile.TOP])
        self.r.where(is_next, lambda: self.set_up(place))
        return BunchPiece(piece, self, lane)

    def row(self, place: Value) -> Value:
        """Return the number of a piece's record."""
        return self.r.word(raw_view("list", self.plan.views.list), place * WORD)

    def set_up(self, place: Value) -> None:
        """Set up the pieces from a place on; lanes behind the last one have that."""
        last = self.tile[Tile.END] - 1
        row = self.row(integer.minimum(place + self.r.lane, last))
        piece = self.plan.piece(self.r, row, RowPiece)
        put = self.columns.put
        self._put_shape(shape_of(self.draw.rasterizer, self.draw.pattern, piece.screen))
        for n, inverse in enumerate(piece.inverse_w):
            put(f"inverse w{n}", inverse)
        put("has equal w", piece.has_equal_w)
        put("is flat", piece.depth.is_constant)
        self._put_attribute("depth", piece.depth)
        words = [piece.number.like(0) for _ in range(self.words)]
        for n, source in enumerate(self.sources):
            attribute, (word, bit) = piece.attribute(source), divmod(n, _BITS)
            self._put_attribute(source, attribute)
            words[word] = words[word] | select(attribute.is_constant, row.like(1 << bit), 0)
        for n, word in enumerate(words):
            put(f"constants {n}", word)

    @property
    def words(self) -> int:
        """How many say which attributes are the same at all vertices, a bit each."""
        return -(-len(self.sources) // _BITS)

    def _put_shape(self, shape: Shape) -> None:
        put = self.columns.put
        assert isinstance(shape, TriangleShape)  # noqa: S101 - of filled triangles
        for n, edge in enumerate(shape.edges.edges):
            put(f"a{n}", edge.a)
            put(f"b{n}", edge.b)
            put(f"c{n}", edge.c)
            put(f"covering c{n}", edge.covering_c)
        put("area", shape.edges.area)
        put("inverse area", shape.inverse)

    def _put_attribute(self, name: str, attribute: Attribute) -> None:
        self.columns.put(f"{name} first", attribute.first)
        self.columns.put(f"{name} base", attribute.base)
        for n, delta in enumerate(attribute.deltas):
            self.columns.put(f"{name} delta{n}", delta)


class RowPiece(Piece):
    """Pieces of lanes, whose words are loaded four at a time."""

    def __init__(
        self, r: DrawRecording, records: View, vertices: View, row: Value, corners: int,
        samples: int, outputs: tuple[str, ...],
    ) -> None:  # fmt: skip
        self.found: dict[tuple[int, int, int], tuple[Value, ...]] = {}
        super().__init__(r, records, vertices, row, corners, samples, outputs)

    def word(self, view: View, base: Value, number: int, size: int) -> Value:
        first = min(number // _ROW * _ROW, size - _ROW)
        key = view.slot, base.raw.number, first
        if key not in self.found:
            self.found[key] = self.r.row(view, base + WORD * first)
        return self.found[key][number - first]


class BunchPiece(Piece):
    """One piece of a bunch, which has been set up."""

    def __init__(self, piece: Piece, bunch: Bunch, lane: Value) -> None:
        self.bunch = bunch
        self.lane = lane
        super().__init__(
            piece.r,
            piece.records,
            piece.vertices,
            piece.row,
            piece.corners,
            piece.samples,
            piece.outputs,
        )

    def known(self, name: str) -> Value:
        return self.bunch.columns.get(name, self.lane)

    @property
    def inverse_w(self) -> Sequence[Value]:
        return [self.known(f"inverse w{n}") for n in range(_CORNERS)]

    @property
    def has_equal_w(self) -> Value:
        return self.known("has equal w").ne(0)

    @property
    def depth(self) -> Attribute:
        return self._attribute("depth", self.known("is flat").ne(0))

    @property
    def shape(self) -> TriangleShape:
        first, second, third = (
            Edge(*(self.known(f"{name}{n}") for name in ("a", "b", "c", "covering c")))
            for n in range(_CORNERS)
        )
        area = self.known("area")
        limits = Bounds(
            *(self.signed(f) for f in (Field.LEFT, Field.TOP, Field.RIGHT, Field.BOTTOM))
        )
        return TriangleShape(
            limits, Triangle((first, second, third), area), self.known("inverse area")
        )

    def attribute(self, source: str) -> Attribute:
        """Return an output; `unless_constant` sees to those that are the same at all vertices."""
        return self._attribute(source, self.row.k.const(BOOL, 0))

    def _attribute(self, name: str, is_constant: Value) -> Attribute:
        first, base = self.known(f"{name} first"), self.known(f"{name} base")
        deltas = tuple(self.known(f"{name} delta{n}") for n in range(_CORNERS - 1))
        return Attribute(first, base, deltas, is_constant)

    def unless_constant(self, values: dict[str, Value], links: Iterable[Link]) -> dict[str, Value]:
        sources = self.bunch.sources
        mine = {k.name: sources.index(k.source) for k in links if k.source and _varies(k)}
        words = [self.known(f"constants {n}") for n in range(self.bunch.words)]

        def constants() -> tuple[Value, ...]:
            found: list[Value] = []
            for name, n in mine.items():
                is_constant = (words[n // _BITS] >> n % _BITS & 1).ne(0)
                first = bitcast(self.known(f"{sources[n]} first"), U32)
                found.append(select(is_constant, first, values[name]))
            return tuple(found)

        if not words:
            return values
        some, *others = words
        for word in others:
            some = some | word
        usual = tuple(values[name] for name in mine)
        found = self.r.k.rarely(some.ne(0), usual, constants)
        return values | dict(zip(mine, found, strict=True))

    def prepare(self, links: Iterable[Link]) -> None:
        super().prepare(k for k in links if not _varies(k))


def _varies(link: Link) -> bool:
    """Whether an input is interpolated."""
    is_made = link.source is None or link.is_made_by_rasterizer
    return not (is_made or link.mode is InterpolationMode.CONSTANT)


def interpolated(links: Iterable[Link]) -> tuple[str, ...]:
    """Return the outputs that are interpolated."""
    return tuple(dict.fromkeys(k.source for k in links if k.source is not None and _varies(k)))


def is_bunched(draw: PreparedDraw, corners: int) -> bool:
    """Whether pieces of a draw are set up together."""
    return corners == _CORNERS and not draw.is_conservative
