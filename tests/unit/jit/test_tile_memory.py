"""Where pixels and fragments lie in a tile's memory, and that there is room for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32
from softd3d.jit.draw.memory import QUEUED_WAVES, band_rows, queue_lanes, tile_lanes
from softd3d.jit.draw.tiles.fragments import Block, block_of

VECTORS = [4, 8, 16]
SIZES = [(2, 2), (2, 6), (6, 2), (10, 14), (64, 64), (70, 18)]  # of tiles, even
K = NumpyAlgebra()


def _place(block: Block, x: int, y: int, width: int) -> int:
    at, of = (K.const(U32, n) for n in (x, y)), K.const(U32, width)
    return int(block.place(*at, of).raw)


def _blocks() -> list[Block]:
    found = {block_of(n, in_rows=in_rows) for n in VECTORS for in_rows in (False, True)}
    return sorted(found, key=lambda block: (block.width, block.height))


def test_blocks_by_hand() -> None:
    sizes = [(b.width, b.height) for b in _blocks()]
    assert sizes == [(2, 2), (4, 2), (4, 4), (8, 2)]
    assert block_of(16, in_rows=False) == Block(4, 4)
    assert block_of(16, in_rows=True) == Block(8, 2)
    assert Block(4, 2).order == (0, 1, 4, 5, 2, 3, 6, 7)
    assert Block(4, 4).order == (0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
    # In a tile of 10 pixels a strip of 4 rows has 40: quads go down, then to the right.
    places = [_place(Block(4, 4), x, y, 10) for x, y in [(0, 0), (0, 2), (2, 0), (4, 2), (2, 4)]]
    assert places == [0, 4, 8, 20, 48]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("block", _blocks(), ids=str)
def test_pixels_of_a_block_lie_side_by_side_in_memory_of_the_tile(
    block: Block, size: tuple[int, int]
) -> None:
    """From any even column on, in a row where a strip begins; each pixel has its own place."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(np.uint32)
    even = K.lanes(U32, x - x % 2), K.lanes(U32, y - y % 2)
    quads = block.place(*even, K.const(U32, width)).raw
    places = quads + (x & 1) + 2 * (y & 1)
    assert np.unique(places).size == width * height
    down, right = (n.reshape(-1) for n in np.divmod(block.order, block.width))
    lanes, most = right.size, 0
    for top in range(0, height, block.height):
        for left in range(0, width, 2):
            first = int(places[top, left])
            most = max(most, first + lanes)
            inside = (top + down < height) & (left + right < width)
            mine = places[(top + down)[inside], (left + right)[inside]]
            assert mine.tolist() == (first + np.flatnonzero(inside)).tolist()
    assert places.max() < most
    for wave in (lanes, 2 * lanes, 4 * lanes):
        assert most <= tile_lanes(width, height, wave)


def test_room_of_a_tile_by_hand() -> None:
    assert queue_lanes(64, 8, 1, in_rows=False) == (64 + 8) * 16 + 36 * 8
    assert queue_lanes(64, 32, 16, in_rows=False) == (64 + 32) * 16 * 16 + 36 * 32
    assert queue_lanes(800, 4, 1, in_rows=True) == (800 + 4) * 2 + 36 * 4
    assert tile_lanes(64, 32, 8) == 64 * 36 + 16


@pytest.mark.parametrize("in_rows", [False, True])
@pytest.mark.parametrize("invocations", [1, 4])
@pytest.mark.parametrize("vector", VECTORS)
def test_a_queue_has_room_for_a_band_behind_waves_that_are_there(
    vector: int, invocations: int, in_rows: bool
) -> None:
    """The worst that may come: a band of blocks that are all covered, on a queue nearly full.

    Vectors are stored whole where less is left of them; waves that are not full are filled up.
    """
    block = block_of(vector, in_rows=in_rows)
    for lanes in (vector, 2 * vector, 4 * vector):
        for width in range(2, 70, 2):
            count, end = QUEUED_WAVES * lanes - 4, 0
            for _ in range(0, band_rows(in_rows=in_rows), block.height):
                for x in range(0, width, block.width):
                    inside = min(block.width, width - x) * block.height
                    for _ in range(invocations):
                        end = max(end, count + vector)
                        count += inside
            end = max(end, -(-count // lanes) * lanes)
            room = queue_lanes(width, lanes, invocations, in_rows=in_rows)
            assert end <= room
            assert room - end <= (invocations * band_rows(in_rows=in_rows) + 6) * lanes  # no waste


def test_room_grows_with_what_it_is_for() -> None:
    """Values of the algebra give the numbers that Python does: kernels and callers agree."""
    for width, height, lanes in np.ndindex(5, 5, 3):
        w, h, n = 2 * width + 2, 2 * height + 2, 8 << lanes
        values = K.const(U32, w), K.const(U32, h)
        assert int(tile_lanes(*values, n).raw) == tile_lanes(w, h, n)
        for in_rows in (False, True):
            found = queue_lanes(values[0], n, 3, in_rows=in_rows)
            assert int(found.raw) == queue_lanes(w, n, 3, in_rows=in_rows)
