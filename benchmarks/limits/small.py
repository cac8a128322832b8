"""Small triangles: the kit's mesh of two million, from screen positions to depth and numbers."""

from __future__ import annotations

import numpy as np
from limit import THREADS, Array, Limit, check, check_equal, empty
from meshes import HEIGHT, WIDTH, knot, matrix

_LANES, _BLOCK, _PIXEL, _CENTER = 16, 4, 256, 128
_LONGEST = 16  # pixels
_BLOCKS = (HEIGHT // _BLOCK, WIDTH // _BLOCK, _BLOCK * _BLOCK)
_CLEAR = np.float32(1)
_NONE = -1
_PART = 1 << 17  # triangles that NumPy takes at once


def prepare() -> Limit:
    """Return the limit."""
    vertices, indices = knot()
    positions = _on_screen(vertices)
    triangles = indices.size // 3 // _LANES * _LANES
    indices = indices[: 3 * triangles].copy()
    depth = [empty(_BLOCKS, np.float32) for _ in range(THREADS)]
    numbers = [empty(_BLOCKS, np.int32) for _ in range(THREADS)]
    wanted: list[tuple[Array, Array]] = []

    def before() -> None:
        for n in range(THREADS):
            depth[n][:], numbers[n][:] = _CLEAR, _NONE

    def check_target(_threads: int) -> None:
        if not wanted:
            wanted.append(_wanted(positions, indices.reshape(-1, 3)))
        check_equal(_in_rows(depth[0]), wanted[0][0], "depth")
        check_equal(_in_rows(numbers[0]), wanted[0][1], "numbers of triangles")

    return Limit(
        "triangle", triangles, (positions, indices, *depth, *numbers),
        (("run", triangles // _LANES), ("merge", _BLOCKS[0] * _BLOCKS[1])),
        check_target, before, shared=("merge",),
    )  # fmt: skip


def _on_screen(vertices: Array) -> Array:
    """Return x, y in pixels, z and 1 of vertices, float32."""
    clip = vertices[:, :3] @ matrix().reshape(4, 4)[:3] + matrix()[12:]
    x, y, z = (clip[:, :3] / clip[:, 3:]).T
    half = np.float32(0.5)
    screen = (x + 1) * half * WIDTH, (1 - y) * half * HEIGHT, z, np.ones_like(z)
    return np.stack(screen, 1).astype(np.float32)


def _in_rows(blocks: Array) -> Array:
    rows, columns, _ = blocks.shape
    split = blocks.reshape(rows, columns, _BLOCK, _BLOCK)
    return split.swapaxes(1, 2).reshape(HEIGHT, WIDTH)


def _wanted(positions: Array, indices: Array) -> tuple[Array, Array]:
    """Return depth and numbers of triangles by rows: of each pixel the nearest, then the first."""
    places, depths, numbers = [], [], []
    for start in range(0, len(indices), _PART):
        for place, z, triangle in _fragments(positions, indices[start : start + _PART]):
            places.append(place)
            depths.append(z)
            numbers.append(triangle + start)
    place, z, number = map(np.concatenate, (places, depths, numbers))
    order = np.lexsort((number, z, place))
    place, first = np.unique(place[order], return_index=True)
    found = order[first]
    depth, nearest = np.full(HEIGHT * WIDTH, _CLEAR), np.full(HEIGHT * WIDTH, _NONE, np.int32)
    closer = z[found] < _CLEAR
    depth[place[closer]], nearest[place[closer]] = z[found][closer], number[found][closer]
    return depth.reshape(HEIGHT, WIDTH), nearest.reshape(HEIGHT, WIDTH)


def _fragments(positions: Array, indices: Array) -> list[tuple[Array, Array, Array]]:
    """Return pixels, depths and triangles of covered pixels, pixel by pixel of the bounds."""
    x, y = (np.rint(positions[indices, n] * np.float32(_PIXEL)).astype(np.int64) for n in (0, 1))
    area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])
    left, top = (n.min(1) + _CENTER - 1 >> 8 for n in (x, y))
    wide, high = (n.max(1) - _CENTER >> 8 for n in (x, y))
    wide, high = wide - left + 1, high - top + 1
    check(max(wide.max(), high.max()) <= _LONGEST, "a triangle is too long")
    check(min(left.min(), top.min()) >= 0, "a triangle is outside of the target")
    is_inside = (left + wide).max() <= WIDTH and (top + high).max() <= HEIGHT
    check(is_inside, "a triangle is outside of the target")
    base, *deltas = _depths(positions, indices)
    found = []
    for row in range(high.max()):
        for column in range(wide[high > row].max(initial=0)):
            near = np.flatnonzero((area != 0) & (column < wide) & (row < high))
            px, py = left[near] + column, top[near] + row
            edges = _edges(
                x[near], y[near], area[near] < 0, px * _PIXEL + _CENTER, py * _PIXEL + _CENTER
            )
            inside = np.logical_and.reduce([e >= least for e, least in edges])
            inverse = 1 / np.abs(area[near]).astype(np.float64)
            w1, w2 = ((edges[n][0] * inverse)[inside] for n in (1, 2))
            kept = near[inside]
            z = base[kept] + (w1 * deltas[0][kept] + w2 * deltas[1][kept])
            found.append(((py * WIDTH + px)[inside], z.astype(np.float32), kept))
    return found


def _depths(positions: Array, indices: Array) -> tuple[Array, Array, Array]:
    z = positions[indices, 2].astype(np.float64)
    return z[:, 0], z[:, 1] - z[:, 0], z[:, 2] - z[:, 0]


def _edges(x: Array, y: Array, flips: Array, at_x: Array, at_y: Array) -> list[tuple[Array, Array]]:
    """Return E of each edge at points, and the least that covers: 0 for top, left ones, else 1."""
    found = []
    for start, end in ((1, 2), (2, 0), (0, 1)):
        dx, dy = x[:, end] - x[:, start], y[:, end] - y[:, start]
        a, b = np.where(flips, dy, -dy), np.where(flips, -dx, dx)
        is_top_left = (a > 0) | ((a == 0) & (b > 0))
        found.append((a * (at_x - x[:, start]) + b * (at_y - y[:, start]), 1 - is_top_left))
    return found
