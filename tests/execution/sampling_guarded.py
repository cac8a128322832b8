"""Filter textures that lie between protected pages; print what differs. It may die: run it apart.

Texels next to each other are read at once where the address mode changes neither. These textures
are so small that most lanes are at an edge, and their first and last texels touch the pages.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from guarded_memory import relocate
from sampling_runs import Setup, run
from sampling_shaders import GROUP, Probe, records
from sampling_state import BORDER, CLAMP, MIRROR, MIRROR_ONCE, WRAP, Sampler

import softd3d

EXTENTS = ((1, 1), (2, 1), (1, 2), (3, 5), (17, 4))
MODES = ((WRAP, CLAMP), (MIRROR, MIRROR_ONCE), (CLAMP, WRAP), (BORDER, WRAP))
LANES = (4, 8, 16, 32)
FAR = (1e30, -np.inf, np.nan)


def probes(width: int, height: int) -> np.ndarray[Any, Any]:
    """Return records at, between and around all texels, and far away, in all levels."""
    across, down = ((np.arange(-2 * n - 1, 6 * n + 2) / (4 * n)) for n in (width, height))
    grid = np.array(list(product([*across, *FAR], [*down, *FAR])), np.float32)
    at = np.zeros((-(-len(grid) // GROUP) * GROUP, 4), np.float32)
    at[: len(grid), :2] = grid
    return records(at, lod=np.resize(np.array([0, 0.25, 1, 9], np.float32), len(at)))


def levels(width: int, height: int) -> list[np.ndarray[Any, Any]]:
    """Return a texture's random levels down to one texel."""
    random = np.random.default_rng(5)
    found: list[np.ndarray[Any, Any]] = []
    while not found or width * height > 1:
        width, height = (max(n >> bool(found), 1) for n in (width, height))
        found.append(random.integers(0, 256, (height, width, 4), np.uint8))
    return found


def main() -> None:
    for (width, height), modes in product(EXTENTS, MODES):
        sampler = Sampler(min=True, mag=True, mip=True, address=(*modes, CLAMP))
        setup, given = Setup(Probe("sample_l"), sampler), probes(width, height)
        for at_end in (False, True):
            texture = softd3d.Texture2D(levels(width, height), "R8G8B8A8_UNORM")
            memory = relocate(texture, at_end=at_end)
            wanted, _ = run(setup, texture, given, "interpreter")
            for lanes in LANES:
                found, _ = run(setup, texture, given, "jit", lanes)
                if found.tobytes() != wanted.tobytes() or not memory.is_intact:
                    print("differs:", width, height, modes, at_end, lanes)
    print("done")


if __name__ == "__main__":
    main()
