"""The queue of fragments in a tile's memory, and where each is in the targets.

Pieces are rasterised one after the other, a block of pixels at a time. The quads that something is
left of go on the queue with all that the pixel shader and the merger want to know of them, so that
full waves are shaded, in order, whatever the size of the pieces. A column of the queue has a dword
for each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import I32, U32, Value
from softd3d.classes import dataclass
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.jit.draw.memory import WORD
from softd3d.jit.draw.recording import DrawRecording

__all__ = ["TILE_MEMORY", "Block", "Queue", "block_of"]

TILE_MEMORY = View(Memory.GROUP_SHARED, "tile", 0, ViewKind.RAW, ResourceDimension.RAW_BUFFER)
"""What a thread has for the tile that it draws: the queue, then copies of the targets."""
_TALL = 16  # lanes from which on a block is two quads high


@dataclass(frozen=True, slots=True)
class Block:
    """The pixels of a wave: how wide and high; in tile memory they lie side by side."""

    width: int
    height: int

    def pixel_of(self, lane: Value) -> tuple[Value, Value]:
        """Return column and row (I32) of a lane (U32): lanes 4n to 4n + 3 are a quad."""
        quad, row = lane >> 2, lane >> 1 & 1
        if self.height == 2:
            return bitcast(quad * 2 + (lane & 1), I32), bitcast(row, I32)
        column = (quad >> 1) * 2 + (lane & 1)
        return bitcast(column, I32), bitcast((quad & 1) * 2 + row, I32)

    @property
    def order(self) -> tuple[int, ...]:
        """Each lane's pixel, counted along the rows."""
        k = NumpyAlgebra()
        lanes = range(self.width * self.height)
        pixels = [self.pixel_of(k.const(U32, lane)) for lane in lanes]
        return tuple(int(y.raw) * self.width + int(x.raw) for x, y in pixels)

    def place(self, x: Value, y: Value, width: Value) -> Value:
        """Return where the quad of a pixel (U32, both even) of a tile is, counted in pixels.

        width: of the tile. Blocks that begin in the first row of a strip, a block high, are whole.
        """
        strip = y >> self.height.bit_length() - 1
        return strip * (width * self.height) + x * self.height + (y & self.height - 1) * 2


def block_of(lanes: int, *, in_rows: bool) -> Block:
    """Return the block of a wave. in_rows: quads come in the order of rows, whatever the lanes."""
    high = 2 if lanes < _TALL or in_rows else 4
    return Block(lanes // high, high)


class Queue:
    """Columns by name, made when something is first put on them. count: lanes on the queue.

    lanes: of a wave; vector: that are put on it at a time, at most. first: where it begins in tile
    memory, in bytes. column_bytes: of a column; if that is always the same, they are at fixed
    distances.
    """

    def __init__(
        self, r: DrawRecording, lanes: int, vector: int, first: Value, column_bytes: Value | int
    ) -> None:
        self.r = r
        self.lanes = lanes
        self.vector = vector
        self.first = first
        self.column_bytes = column_bytes
        self.columns: dict[str, int] = {}
        self.count = r.variable("queued", r.k.const(U32, 0))

    def _address(self, column: Value | int, first: Value, lane: Value) -> Value:
        return self.first + column * self.column_bytes + (first + lane) * WORD

    def put(self, values: dict[str, Value], covered: Value, has_all: Value) -> None:
        """Append the quads that have a covered lane. has_all: whether all lanes are."""
        r, first = self.r, self.r.get(self.count)
        columns = [self.columns.setdefault(name, len(self.columns)) for name in values]

        def store(moved: Iterable[Value], number: Value) -> None:
            at = self.first + first * WORD
            for column, value in zip(columns, moved, strict=True):
                self._append(at, column, value)
            r.set(self.count, first + number)

        def some() -> None:
            keep = r.any_of_quad(covered)
            nodes = (r.k.node("compact", U32, (v.raw, keep.raw)) for v in values.values())
            store(map(r.k.value, nodes), r.lane_count(keep))

        r.branch(has_all, lambda: store(values.values(), first.like(self.vector)), some)

    def _append(self, at: Value, column: int, value: Value) -> None:
        if isinstance(self.column_bytes, int):
            attr = TILE_MEMORY, column * self.column_bytes
            self.r.k.node("store_column", None, (at.raw, value.raw), attr)
        else:
            self._store(at + self.column_bytes * column + self.r.lane * WORD, value)

    def _store(self, at: Value, value: Value) -> None:
        args = (at.raw, value.raw, self.r.mask)
        self.r.k.node("store", None, args, (TILE_MEMORY, WORD))

    def at(self, name: str, first: Value, further: Value | None = None) -> Value:
        """Return what a column, or one `further` on, has for the wave from a lane on, U32."""
        at = self._address(self.columns[name], first, self.r.entry("flat"))
        if further is not None:
            at = at + self.column_bytes * further
        return self.r.word(TILE_MEMORY, at)

    def one(self, name: str, lane: Value) -> Value:
        """Return what one lane has in a column, U32, the same for all."""
        return self.r.word(TILE_MEMORY, self._address(self.columns[name], lane, lane.like(0)))

    def fill_up(self, first: Value, count: Value) -> None:
        """Give a wave of fewer lanes copies of its first quad, which cover nothing.

        They go through the shader as it does.
        """
        lane, samples = self.r.entry("flat"), self.columns["samples"]

        def fill(column: Value) -> None:
            at = self._address(column, first, lane)
            found = self.r.word(TILE_MEMORY, at)
            other = select(column.eq(samples), found.like(0), self.r.first_quad(found))
            self._store(at, select(lane < count, found, other))

        self._each_column(fill)

    def move(self, first: Value) -> None:
        """Move a wave's lanes to the front."""
        lane = self.r.entry("flat")

        def move(column: Value) -> None:
            found = self.r.word(TILE_MEMORY, self._address(column, first, lane))
            self._store(self._address(column, first.like(0), lane), found)

        self._each_column(move)

    def _each_column(self, body: Callable[[Value], None]) -> None:
        """Do something for each column, given its number: a loop, which is short to compile."""
        zero = self.r.k.const(U32, 0)
        self.r.each(zero, zero.like(len(self.columns)), 1, body)

    def drain(self, *, is_last: Value, shade: Callable[[Value], None]) -> None:
        """Shade the waves that are full, and, with the last pieces, what is left."""
        r, lanes = self.r, self.lanes
        count = r.get(self.count)
        full = count & ~(lanes - 1) & 0xFFFFFFFF
        rest = count - full
        is_partial = is_last & rest.ne(0)
        r.where(is_partial, lambda: self.fill_up(full, rest))
        r.each(full.like(0), full + select(is_partial, full.like(lanes), 0), lanes, shade)
        is_moved = rest.ne(0) & full.ne(0) & ~is_last
        r.where(is_moved, lambda: self.move(full))
        r.set(self.count, select(is_last, rest.like(0), rest))
