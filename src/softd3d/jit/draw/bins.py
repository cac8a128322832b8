"""Bins: which pieces touch which tiles, in order. Bookkeeping on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softd3d.jit.draw.memory import Tile

__all__ = ["Bins", "Pieces", "bins_of"]

_MOST_ENTRIES = 1 << 18  # of the lists of all tiles together
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces in the order of drawing: rows of their records, and the pixels that they may touch.

    bounds: left, top, right, bottom, (4, pieces); none is empty.
    """

    row: NDArray[np.uint32]
    bounds: _Numbers

    @property
    def count(self) -> int:
        return self.row.size


@dataclass(frozen=True, slots=True)
class Bins:
    """tiles: a row for each that has pieces, as `Tile` says. list: rows of records by tile."""

    tiles: NDArray[np.uint32]
    list: NDArray[np.uint32]


def bins_of(pieces: Pieces, tile: tuple[int, int], most: int) -> Iterator[Bins]:
    """Yield the tiles that pieces touch, so many pieces at a time that memory is bounded.

    tile: its width and height. most: pieces at a time.
    """
    size = np.array([*tile, *tile])[:, None]
    first, last = pieces.bounds[:2] // size[:2], (pieces.bounds[2:] - 1) // size[:2]
    wide, high = last - first + 1
    counts = wide * high
    ends = np.cumsum(counts)
    start = done = 0
    while start < pieces.count:
        end = int(np.searchsorted(ends, done + _MOST_ENTRIES, side="right"))
        end = min(max(end, start + 1), start + most)
        some = slice(start, end)
        yield _bins(pieces.row[some], first[:, some], wide[some], counts[some], tile)
        start, done = end, int(ends[end - 1])


def _bins(
    row: NDArray[np.uint32], first: _Numbers, wide: _Numbers, counts: _Numbers,
    tile: tuple[int, int],
) -> Bins:  # fmt: skip
    piece = np.repeat(np.arange(row.size), counts)
    place = np.arange(piece.size) - np.repeat(np.cumsum(counts) - counts, counts)
    down, across = np.divmod(place, wide[piece])
    x, y = first[0][piece] + across, first[1][piece] + down
    number = y << 32 | x
    order = np.argsort(number, kind="stable")
    number = number[order]
    starts = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]))
    tiles = np.empty((starts.size, len(Tile)), np.uint32)
    left, top = (number[starts] & 0xFFFFFFFF) * tile[0], (number[starts] >> 32) * tile[1]
    ends = np.append(starts[1:], number.size)
    columns = (left, top, left + tile[0], top + tile[1], starts, ends)
    for field, column in zip(Tile, columns, strict=True):
        tiles[:, field] = column
    return Bins(tiles, row[piece[order]])
