"""`sample`: 2048 x 2048 bilinear reads of a mip-mapped RGBA8 texture, rotated and minified."""

from __future__ import annotations

import numpy as np
from limit import Array, Limit, check, empty

_SIZE, _LEVELS, _GROUP = 2048, 5, 16
_F32 = np.float32
_SINE, _COSINE, _MINIFIED = _F32(0.2588190), _F32(0.9659258), _F32(1.7)
_CHECKED = 37  # every so many rows


def prepare() -> Limit:
    """Return the limit."""
    mips = _mips()
    texels = empty((sum(mip.size for mip in mips),), np.uint32)
    texels[:] = np.concatenate([mip.ravel() for mip in mips])
    starts = np.cumsum([0, *(mip.size for mip in mips[:-1])]).astype(np.int32)
    image = empty((_SIZE, _SIZE), np.uint32)

    def check_image(_threads: int) -> None:
        for y in range(0, _SIZE, _CHECKED):
            found = image[y].view(np.uint8).reshape(_SIZE, 4)
            different = np.abs(found - _row(mips, y)).max()
            check(different == 0, f"row {y} differs from NumPy's by {different}")

    arrays = (texels, starts, image)
    return Limit("pixel", _SIZE * _SIZE, arrays, (("run", _SIZE // _GROUP),), check_image)


def _mips() -> list[Array]:
    """Return levels of random texels; rows and levels end with what they start with."""
    random = np.random.default_rng(1)
    sizes = [_SIZE >> level for level in range(_LEVELS)]
    levels = [random.integers(0, 1 << 32, (size, size), np.uint32) for size in sizes]
    return [np.pad(level, ((0, 1), (0, 1)), "wrap") for level in levels]


def _row(mips: list[Array], y: int) -> Array:
    """Return a row of pixels, int32 (2048, 4), as NumPy computes it."""
    x, y_part = (np.arange(_SIZE) + 0.5) / _SIZE, _F32((y + 0.5) / _SIZE)
    # Products of x are exact in float64, so each sum is rounded once.
    u = (x * _COSINE + float(y_part * -_SINE)).astype(_F32) * _MINIFIED
    v = (x * _SINE + float(y_part * _COSINE)).astype(_F32) * _MINIFIED
    pixels = np.empty((_SIZE, 4), np.int32)
    for level, mip in enumerate(mips):
        here = (np.arange(_SIZE) // _GROUP * _GROUP + 256) >> 9 == level
        pixels[here] = _bilinear(mip, u[here], v[here])
    return pixels


def _bilinear(mip: Array, u: Array, v: Array) -> Array:
    size = mip.shape[0] - 1
    places = [
        ((c - np.floor(c)) * _F32(256 * size) + _F32(0.5)).astype(np.int32) - 128 for c in (u, v)
    ]
    (column, line), (wu, wv) = (
        [(p >> 8) % size for p in places], [(p & 255)[:, None] / 256 for p in places]
    )  # fmt: skip
    codes = mip.view(np.uint8).reshape(size + 1, size + 1, 4).astype(np.float64)
    rows = [codes[line + n, column] * (1 - wu) + codes[line + n, column + 1] * wu for n in range(2)]
    return np.rint(rows[0] * (1 - wv) + rows[1] * wv).astype(np.int32)
