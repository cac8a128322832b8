"""What native code has for the stages between vertices and pixels does what NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.isa.sm4.enums import PrimitiveTopology as EmittedTopology
from softd3d.jit.draw.between.means import CompiledMeans
from softd3d.jit.draw.scratch import Scratch
from softd3d.lower.primitive_stage import Stream
from softd3d.lower.stage_memory import EMITTED, STARTS_STRIP, StageArray
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.means import Means
from softd3d.pipeline.primitives.vertex_rows import runs_of

RUNS = [((0, 0, 8),), ((3, 0, 1), (0, 5, 2)), ((1, 2, 31), (0, 0, 1)), ((4, 1, 7), (20, 9, 15))]


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("corners", [0, 1, 2, 3, 32])
def test_rows_are_moved_alike(runs: tuple[tuple[int, int, int], ...], corners: int) -> None:
    random = np.random.default_rng(corners)
    source = random.integers(1 << 32, size=(50, 37), dtype=np.uint32)
    where = None
    if corners:
        where = random.integers(50, size=(corners, 9), dtype=np.uint32)
        where = where[:, :7] if corners % 2 else np.ascontiguousarray(where.T).T
    count = 50 if where is None else where.size
    found, wanted = (np.full((count + 2, 40), 7, np.uint32) for _ in range(2))
    CompiledMeans(Scratch(), None, 1, Watch()).move(source, found[1:-1], runs, where)
    Means().move(source, wanted[1:-1], runs, where)
    np.testing.assert_array_equal(found, wanted)


def test_rows_that_are_where_they_go_stay_as_they_are() -> None:
    rows = np.arange(24, dtype=np.uint32).reshape(6, 4)
    CompiledMeans(Scratch(), None, 1, Watch()).move(rows, rows, [(0, 0, 4)], None)
    assert rows.reshape(-1).tolist() == list(range(24))


@pytest.mark.parametrize("topology", ["POINTLIST", "LINESTRIP", "TRIANGLESTRIP"])
@pytest.mark.parametrize("most", [1, 3, 9])
def test_strips_of_several_streams_are_taken_apart_alike(topology: str, most: int) -> None:
    random = np.random.default_rng(most)
    layout = StageArray(EMITTED[0], most, 2, 9)
    for lanes in (0, 1, 70):
        words = random.integers(1 << 32, size=(lanes, most, 9), dtype=np.uint32)
        starts = np.where(random.random((lanes, most)) < 0.3, STARTS_STRIP, 0)
        words[..., 0] = random.integers(3, size=(lanes, most)) | starts
        counts = random.integers(most + 1, size=lanes, dtype=np.uint32)
        for number in range(3):
            stream = Stream(number, EmittedTopology[topology])
            wanted = Means().emitted(words, counts, layout, stream)
            native = CompiledMeans(Scratch(), None, 1, Watch())
            found = native.emitted(words, counts, layout, stream)
            if wanted is None or not wanted.lane.size:
                assert found is None
                continue
            assert found is not None
            np.testing.assert_array_equal(found.lane, wanted.lane)
            row = np.flatnonzero(
                (np.arange(most) < counts[:, None]) & (words[..., 0] & 3 == number)
            )
            np.testing.assert_array_equal(found.where, row[wanted.where])


def test_runs_are_as_long_as_they_can_be() -> None:
    words = {"o0.x": 0, "o0.y": 1, "o1.x": 4}
    assert runs_of(words, []) == ()
    assert runs_of(words, [(1, "o0.x"), (2, "o0.y"), (3, "o1.x")]) == ((0, 1, 2), (4, 3, 1))
    assert runs_of(words, [(0, "o0.y"), (1, "o0.x")]) == ((1, 0, 1), (0, 1, 1))
    assert runs_of(words, [(0, "o2.x")]) is None
