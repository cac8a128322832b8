"""Native bookkeeping of draws against slow models: unique vertices, lists of pieces, bins."""

from __future__ import annotations

from itertools import repeat

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.jit.draw import vertex_sets
from softd3d.jit.draw.bins import Bounds, Grid, Pieces, bins_of, listed_pieces
from softd3d.jit.draw.memory import DRAWN, HIDDEN, RARE
from softd3d.jit.draw.scratch import Scratch, scratch_memory
from softd3d.jit.draw.vertex_sets import TabledVertices
from softd3d.pipeline.primitives.unique import SortedVertices

RANGES = [(0, 1), (0, 40), (7, 900), (0xFFFFFFFF - 50, 1 << 32), (0, 1 << 32)]


@pytest.mark.parametrize(("least", "end"), RANGES)
@pytest.mark.parametrize("corners", [1, 3, 6])
def test_unique_vertices_are_those_of_the_sort(least: int, end: int, corners: int) -> None:
    random, sets = np.random.default_rng(corners), TabledVertices(Scratch())
    for count in (1, 2, 50, 333):
        planar = random.integers(least, end, (corners, count), np.uint32)
        listed = random.integers(least, end, (count, corners), np.uint32).T
        odd = np.frombuffer(b"x" + listed.T.tobytes(), np.uint8)[1:].view(np.uint32)
        for vertices in (planar, listed, odd.reshape(count, corners).T):
            found, where = sets.unique(vertices)
            wanted, places = SortedVertices().unique(vertices)
            assert found.tolist() == wanted.tolist()
            assert where.tolist() == places.tolist()
            assert np.array_equal(found[where], vertices)


def test_vertices_count_once_in_an_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vertex_sets, "_MARKED", 1 << 10)
    random, sets = np.random.default_rng(5), TabledVertices(Scratch())
    for instance in (0, 1, 5):
        seen: set[int] = set()
        for end in (10, 100, 1 << 10, 1 << 20, 1 << 32, 50):
            vertices = np.unique(random.integers(0, end, 200, np.uint32))
            new = set(vertices.tolist()) - seen
            seen |= new
            assert sets.add(instance, vertices) == len(new)
            assert sets.add(instance, vertices) == 0


def test_indices_that_change_meanwhile_touch_nothing_else() -> None:
    vertices = np.array([[5, 6, 7]], np.uint32)
    table, found, where = (np.full(3, 0xFFFFFFFF, np.uint32) for _ in range(3))
    for least, entries in ((6, 2), (5, 2)):
        outcome = vertex_sets._UNIQUE.run(
            (vertices, table, found, where), 1, 3, 12, 4, least, entries
        )
        assert outcome == [-1]


def test_scratch_memory_is_lent_and_grows() -> None:
    scratch = Scratch()
    small = scratch.dwords("a", 6).reshape(3, 2)
    small[:] = 1
    assert small.ctypes.data % 64 == 0
    more = np.full((5, 2), 2, np.uint32)
    found = scratch.extended(small, more)
    assert found.tolist() == [[1, 1]] * 3 + [[2, 2]] * 5
    assert found.ctypes.data == small.ctypes.data
    lots = np.full((4000, 2), 3, np.uint32)
    assert scratch.extended(small, lots).tolist() == [[1, 1]] * 3 + [[3, 3]] * 4000
    assert scratch.extended(more, lots).tolist() == [[2, 2]] * 5 + [[3, 3]] * 4000
    assert scratch.zeros("b", 5).tolist() == [0] * 5
    with scratch_memory() as first, scratch_memory() as second:
        assert first is not second
    with scratch_memory() as again:
        assert again in (first, second)


def _bounds(random: np.random.Generator, count: int, width: int, height: int) -> Bounds:
    x, y = (np.sort(random.integers(0, n + 1, (2, count)), axis=0) for n in (width, height))
    left, top, right, bottom = (a.astype(np.int32) for a in (x[0], y[0], x[1], y[1]))
    return left, top, right, bottom


def test_lists_of_pieces() -> None:
    random = np.random.default_rng(1)
    for count in (1, 40, 999):
        bounds = _bounds(random, count, 3, 3)
        status = random.choice(np.array([0, DRAWN, HIDDEN, RARE], np.uint32), count)
        has_pixels = (bounds[2] > bounds[0]) & (bounds[3] > bounds[1])
        rows, seen, rare = listed_pieces(status, bounds, np.empty(count + 1, np.uint32))
        assert rows.tolist() == np.flatnonzero((status == DRAWN) & has_pixels).tolist()
        assert seen == np.count_nonzero(((status == DRAWN) | (status == HIDDEN)) & has_pixels)
        assert rare == np.count_nonzero(status == RARE)


Tiles = list[tuple[list[int], list[int]]]


def _model(row: NDArray[np.uint32], bounds: Bounds, size: tuple[int, int]) -> Tiles:
    found: dict[tuple[int, int], list[int]] = {}
    for r in row.tolist():
        left, top, right, bottom = (int(side[r]) for side in bounds)
        for y in range(top // size[1], (bottom - 1) // size[1] + 1):
            for x in range(left // size[0], (right - 1) // size[0] + 1):
                found.setdefault((y, x), []).append(r)
    return [
        ([x * size[0], y * size[1], (x + 1) * size[0], (y + 1) * size[1]], found[y, x])
        for y, x in sorted(found)
    ]


@pytest.mark.parametrize("size", [(64, 64), (2, 2), (6, 10), (200, 100)])
def test_bins_hold_pieces_in_order(size: tuple[int, int]) -> None:
    random, scratch = np.random.default_rng(3), Scratch()
    width, height = 150, 90
    for count, most in ((0, 5), (1, 1), (70, 1000), (70, 9)):
        bounds = _bounds(random, 100, width, height)
        some = np.flatnonzero((bounds[2] > bounds[0]) & (bounds[3] > bounds[1]))
        row = random.choice(some, min(count, some.size), replace=False).astype(np.uint32)
        start = 0
        for bins in bins_of(
            Pieces(row, bounds), Grid.of(width, height, size), 8, most, scratch, repeat("list")
        ):
            part = row[start : start + most]
            tiles = [(t[:4].tolist(), bins.list[t[4] : t[5]].tolist()) for t in bins.tiles]
            assert tiles == _model(part, bounds, size)
            assert bins.waves >= bins.list.size
            start += most
        assert start >= row.size


def test_bins_of_more_than_fits_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softd3d.jit.draw.bins._MOST_ENTRIES", 30)
    random, size = np.random.default_rng(4), (4, 4)
    bounds = _bounds(random, 60, 16, 16)  # one piece touches at most 16 tiles
    row = np.flatnonzero((bounds[2] > bounds[0]) & (bounds[3] > bounds[1])).astype(np.uint32)
    found: dict[tuple[int, ...], list[int]] = {}
    for bins in bins_of(
        Pieces(row, bounds), Grid.of(16, 16, size), 16, 1000, Scratch(), repeat("list")
    ):
        assert bins.list.size <= 30
        for t in bins.tiles:
            found.setdefault(tuple(t[:4].tolist()), []).extend(bins.list[t[4] : t[5]].tolist())
    assert [(list(k), v) for k, v in found.items()] != []
    assert sorted((list(k), v) for k, v in found.items()) == sorted(_model(row, bounds, size))
