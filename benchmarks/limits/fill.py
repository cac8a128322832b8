"""The tile loop of `fill`: 50 blended layers of R8G8B8A8_UNORM at 1920 x 1080."""

from __future__ import annotations

import numpy as np
from limit import Array, Limit, check_equal, empty
from meshes import HEIGHT, WIDTH

_LAYERS, _FIELDS, _TILE = 50, 16, 64
_F32 = np.float32
_ALPHA = _F32(0.1)
_CLEAR = 0xFF331A1A  # (0.1, 0.1, 0.2, 1)


def prepare() -> Limit:
    """Return the limit."""
    target = empty((HEIGHT, WIDTH), np.uint32)
    layers = np.zeros((_LAYERS, _FIELDS))
    layers[:, :13] = _triangle()

    def before() -> None:
        target[:] = _CLEAR

    def check_target(_threads: int) -> None:
        check_equal(target, _wanted(), "target")

    tiles = WIDTH // _TILE * -(-HEIGHT // _TILE)
    count = WIDTH * HEIGHT * _LAYERS
    return Limit("blended pixel", count, (target, layers), (("run", tiles),), check_target, before)


def _triangle() -> Array:
    """Return the fields of a layer: the triangle of the kit's quad_vs, in 1/256 pixel."""
    right, bottom = 2 * 256 * WIDTH, 256 * HEIGHT
    p, q, r = (0, bottom), (right, bottom), (0, -bottom)
    area = (r[0] - p[0]) * (q[1] - p[1]) - (q[0] - p[0]) * (r[1] - p[1])  # counter-clockwise
    edges = [_edge(r, p), _edge(p, q)]  # opposite of vertices 1 and 2
    return np.array([*edges[0], *edges[1], 1 / area, 0, 2, 0, 1, 0, -2], np.float64)


def _edge(start: tuple[int, int], end: tuple[int, int]) -> tuple[int, int, int]:
    """Return a, b, c of an edge of a triangle that is counter-clockwise on the screen."""
    a, b = end[1] - start[1], start[0] - end[0]
    return a, b, -(a * start[0] + b * start[1])


def _wanted() -> Array:
    """Return the target, as NumPy computes it."""
    a1, b1, c1, a2, b2, c2, inverse, *attributes = _triangle()
    x, y = (256.0 * np.arange(n) + 128 for n in (WIDTH, HEIGHT))
    w1 = (np.add.outer(b1 * y, a1 * x) + c1) * inverse
    w2 = (np.add.outer(b2 * y, a2 * x) + c2) * inverse
    u, v = (
        (base + (w1 * d1 + w2 * d2)).astype(_F32).clip(0, 1)
        for base, d1, d2 in np.reshape(attributes, (2, 3))
    )
    colors = (u * _ALPHA, v * _ALPHA, _F32(0.5) * _ALPHA, _ALPHA)
    result = np.zeros((HEIGHT, WIDTH), np.uint32)
    for channel, source in enumerate(colors):
        codes = np.full((HEIGHT, WIDTH), _CLEAR >> 8 * channel & 255, np.uint32)
        for _ in range(_LAYERS):
            there = codes.astype(_F32) / _F32(255)
            number = (source + there * (_F32(1) - _ALPHA)).clip(0, 1)
            codes = np.floor(number.astype(np.float64) * 255 + 0.5).astype(np.uint32)
        result |= codes << 8 * channel
    return result
