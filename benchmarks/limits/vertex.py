"""The vertex stage: the kit's mesh of a million vertices, a matrix, twelve words out."""

from __future__ import annotations

import numpy as np
from limit import THREADS, Array, Limit, check, check_equal, empty
from meshes import knot, matrix

_LANES, _RING, _WORDS = 16, 256, 12
_CLOSE = 1e-6  # of the largest number: fused or not
_ORDER = np.arange(_LANES).reshape(4, 4).T.ravel()  # of vertices in a block of results


def prepare() -> Limit:
    """Return the limit."""
    vertices, _ = knot()
    vertices = vertices[: len(vertices) // _LANES * _LANES]
    blocks = len(vertices) // _LANES
    results = empty((THREADS, _RING, _WORDS, _LANES), np.float32)

    def check_rings(threads: int) -> None:
        for thread in range(threads):
            end = blocks * (thread + 1) // threads
            _check_block_by_block(vertices, results[thread], end)

    return Limit("vertex", len(vertices), (vertices, matrix(), results), (("run", blocks),),
                 check_rings)  # fmt: skip


def _check_block_by_block(vertices: Array, ring: Array, end: int) -> None:
    """Compare what a thread's ring holds, its last blocks, with NumPy's results."""
    numbers = np.arange(end - _RING, end)
    given = vertices.reshape(-1, _LANES, 8)[numbers][:, _ORDER]
    columns = matrix().reshape(4, 4).astype(np.float64)
    position = given[..., :3].astype(np.float64) @ columns[:3] + columns[3]
    found = ring[numbers % _RING].swapaxes(1, 2)
    difference = np.abs(found[..., :4] - position).max() / np.abs(position).max()
    check(difference < _CLOSE, f"positions differ by {difference:.1e}")
    check_equal(found[..., 4:9], given[..., 3:], "words that are copied")
    check_equal(found[..., 9:], given[..., :3], "positions of the mesh")
