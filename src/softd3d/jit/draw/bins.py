"""Bins: which pieces touch which tiles, in order, as native code."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.jit.draw.memory import DRAWN, HIDDEN, RARE, Tile
from softd3d.jit.draw.routines import Routine
from softd3d.jit.draw.scratch import Scratch

__all__ = ["Bins", "Bounds", "Grid", "Pieces", "bins_of", "listed_pieces"]

_MOST_ENTRIES = 1 << 18  # of the lists of all tiles together
_SIDES = ("left", "top", "right", "bottom")
_LISTED = Routine(
    "pieces", ("status", *_SIDES, "rows"), ("count",), 3,
    drawn=DRAWN, hidden=HIDDEN, rare_status=RARE,
)  # fmt: skip
_BINS = Routine(
    "bins", ("rows", *_SIDES, "counts", "spans", "tiles", "list"),
    ("start", "end", "width", "height", "across", "down", "most", "wave_shift"), 4,
    tile_words=len(Tile), **{f"tile_{field.name.lower()}": int(field) for field in Tile},
)  # fmt: skip

Bounds = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Left, top, right, bottom of records: pixels that each may touch, (records,) each."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces in the order of drawing: rows of their records, whose bounds are not empty."""

    row: NDArray[np.uint32]
    bounds: Bounds

    @property
    def count(self) -> int:
        return self.row.size


@dataclass(frozen=True, slots=True)
class Bins:
    """What one run of the tile kernel draws, until the next one is asked for.

    tiles: a row for each that has pieces, as `Tile` says. list: rows of records by tile. waves:
    that the pieces of all tiles have, at most.
    """

    tiles: NDArray[np.uint32]
    list: NDArray[np.uint32]
    waves: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Tiles of a target. size: of a tile in pixels, even. count: tiles across and down."""

    size: tuple[int, int]
    count: tuple[int, int]

    @classmethod
    def of(cls, width: int, height: int, size: tuple[int, int]) -> Grid:
        across, down = -(-width // size[0]), -(-height // size[1])
        return cls(size, (max(across, 1), max(down, 1)))


def listed_pieces(
    status: NDArray[np.uint32], bounds: Bounds, rows: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], int, int]:
    """Return the rows of what is drawn as it is; how many are seen; how many are rare.

    status: of each primitive, as the setup kernel says. bounds: of its record. Seen are those that
    have pixels, whether or not they cover a sample. rows: memory, one dword more than primitives.
    """
    count, seen, rare = _LISTED.run((status, *bounds, rows), status.size)
    return rows[:count], seen, rare


def bins_of(
    pieces: Pieces, grid: Grid, lanes: int, most: int, scratch: Scratch, lists: Iterator[str]
) -> Iterator[Bins]:
    """Yield the tiles that pieces touch, so many pieces at a time that memory is bounded.

    lanes: of a wave. most: pieces at a time. lists: names of memory for each list.
    """
    tiles = grid.count[0] * grid.count[1]
    entries = max(_MOST_ENTRIES, tiles)
    counts = scratch.zeros("pieces of tiles", tiles)
    start = 0
    while start < pieces.count:
        end = min(start + most, pieces.count)
        spans = scratch.dwords("spans", 2 * (end - start))
        rows = scratch.dwords("tiles", len(Tile) * tiles)
        list_ = scratch.dwords(next(lists), entries)
        start, made, size, waves = _BINS.run(
            (pieces.row, *pieces.bounds, counts, spans, rows, list_), start, end, *grid.size,
            *grid.count, entries, (lanes // 2).bit_length() - 1,
        )  # fmt: skip
        yield Bins(rows[: len(Tile) * made].reshape(made, len(Tile)), list_[:size], waves)
