"""Random draws with hull, domain and geometry shaders and stream output: equal on both engines."""

from __future__ import annotations

from typing import Any

import pytest
from both import compare
from random_stages import random_staged_draw

CONFIGURATIONS: list[dict[str, Any]] = [
    {"threads": 2},
    {"lanes": 8, "threads": 2, "tile": (32, 32), "chunk": 40},
    {"lanes": 16, "threads": 1, "tile": (8, 6), "chunk": 130},
    {"lanes": 4, "threads": 2, "tile": (128, 2), "chunk": 290},
]
MESHES = 4  # for each set of shaders with its states: compiling takes most of the time


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 15])
def test_random_stages_draw_the_same_on_both_engines(seed: int) -> None:
    for mesh in range(MESHES):
        draw = random_staged_draw(seed, mesh)
        ways = CONFIGURATIONS[seed % len(CONFIGURATIONS) :][:1]
        label = "\n".join((f"seed {seed}, mesh {mesh}", *draw.texts))
        compare(draw.prepared, draw.call, ways, label)


@pytest.mark.parametrize("seed", [12, 17])
def test_lanes_threads_tiles_and_chunks_change_nothing(seed: int) -> None:
    draw = random_staged_draw(seed, 1)
    compare(draw.prepared, draw.call, CONFIGURATIONS, "\n".join((f"seed {seed}", *draw.texts)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 350))
def test_a_thousand_random_draws_are_the_same_on_both_engines(seed: int) -> None:
    test_random_stages_draw_the_same_on_both_engines(seed)
