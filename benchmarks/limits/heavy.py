"""The arithmetic of `heavy`: 100 rounds of sin, cos and mad for each of 1920 x 1080 pixels."""

from __future__ import annotations

import numpy as np
from limit import Array, Limit, check_equal, empty
from meshes import HEIGHT, WIDTH

from softd3d.algebra.elementary import sincos
from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import fma
from softd3d.algebra.value import F32

_ROUNDS = 100
_CHECKED = 541  # every so many rows


def prepare() -> Limit:
    """Return the limit."""
    image = empty((HEIGHT, WIDTH), np.float32)

    def check_image(_threads: int) -> None:
        check_equal(image[::_CHECKED], _wanted(), "v")

    count = WIDTH * HEIGHT * _ROUNDS
    return Limit("round of a pixel", count, (image,), (("run", HEIGHT),), check_image)


def _wanted() -> Array:
    """Return some rows, as softd3d's functions over NumPy compute them."""
    x, y = (
        (np.arange(n, dtype=np.float32) + np.float32(0.5)) / np.float32(n) for n in (WIDTH, HEIGHT)
    )
    across, down = np.meshgrid(x, y[::_CHECKED])
    k = NumpyAlgebra()
    v, uv_y = k.lanes(F32, across.ravel()), k.lanes(F32, down.ravel())
    for _ in range(_ROUNDS):
        cosine = sincos(fma(v, 0.7, uv_y))[1]
        v = fma(sincos(v)[0], 1.3, cosine)
    return v.raw.reshape(across.shape)
