"""Random draws: the same bits on both engines, whatever the lanes, threads, tiles and chunks."""

from __future__ import annotations

from typing import Any

import pytest
from both import compare
from random_draws import random_draw

CONFIGURATIONS: list[dict[str, Any]] = [
    {"threads": 2},
    {"lanes": 8, "threads": 2, "tile": (32, 32), "chunk": 40},
    {"lanes": 16, "threads": 1, "tile": (8, 6), "chunk": 3},
    {"lanes": 4, "threads": 2, "tile": (128, 2), "chunk": 9},
    {"lanes": 32, "threads": 2, "tile": (64, 12), "chunk": 20},
    {"lanes": 64, "threads": 1, "tile": (16, 16), "chunk": 5},
    {"lanes": 8, "threads": 0, "tile": (16, 64), "chunk": 6},  # a batch ahead
]
MESHES = 8  # for each pair of shaders with its states: compiling takes most of the time


@pytest.mark.parametrize("seed", [*range(24), 226])  # in 226 the order of quads and samples shows
def test_random_draws_are_the_same_on_both_engines(seed: int) -> None:
    for mesh in range(MESHES):
        draw = random_draw(seed, mesh)
        ways = CONFIGURATIONS[seed % len(CONFIGURATIONS) :][:1]
        compare(draw.prepared, draw.call, ways, f"seed {seed}, mesh {mesh}\n{draw.texts}")


@pytest.mark.parametrize("seed", range(24, 29))
def test_lanes_threads_tiles_and_chunks_change_nothing(seed: int) -> None:
    draw = random_draw(seed, 1)
    compare(draw.prepared, draw.call, CONFIGURATIONS, f"seed {seed}\n{draw.texts}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 350))
def test_two_thousand_random_draws_are_the_same_on_both_engines(seed: int) -> None:
    test_random_draws_are_the_same_on_both_engines(seed)
