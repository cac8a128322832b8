"""Lanes of the NumPy algebra from arrays, and random snapped positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, F64, I32, U32, Value
from softd3d.pipeline.rasterizer.triangle import Corner, Corners

K = NumpyAlgebra()


def f32(x: Any) -> Value:
    return K.lanes(F32, np.asarray(x, np.float32))


def f64(x: Any) -> Value:
    return K.lanes(F64, np.asarray(x, np.float64))


def i32(x: Any) -> Value:
    return K.lanes(I32, np.asarray(x, np.int32))


def u32(x: Any) -> Value:
    return K.lanes(U32, np.asarray(x, np.uint32))


def corners_of(vertices: Any) -> Corners:
    """Return the corners of triangles: int, (..., 3, 2)."""
    a, b, c = (Corner(i32(vertices[..., n, 0]), i32(vertices[..., n, 1])) for n in range(3))
    return a, b, c


def random_vertices(random: np.random.Generator, count: int, vertices: int) -> Any:
    """Return int64, (count, vertices, 2): small to huge, many on whole pixels, centres, 1/16ths."""
    sizes = np.array([300, 1024, 2048, 2048, 40000, (1 << 23) - 1])
    size = sizes[random.integers(0, sizes.size, count)][:, None, None]
    around = random.integers(-4096, 4096, (count, 1, 2)) * (size < 1 << 20)
    found = around + (random.random((count, vertices, 2)) * (2 * size + 1)).astype(np.int64) - size
    steps = np.array([1, 1, 16, 128, 256])
    step = steps[random.integers(0, steps.size, count)][:, None, None]
    found = found // step * step
    # One of ten triangles is thin, or none at all.
    thin = random.random(count) < 0.1
    found[thin, -1] = (found[thin, 0] + found[thin, 1]) // 2 + random.integers(-1, 2, 2)
    return np.clip(found, -(1 << 23), (1 << 23) - 1)
