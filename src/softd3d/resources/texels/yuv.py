"""YUV of 8 bits to RGB and back, in the integer arithmetic that Microsoft publishes for it.

Video range: Y from 16 to 235, U and V from 16 to 240. Spec: win32 medfound "Recommended 8-Bit YUV
Formats for Video Rendering", "Converting Between YUV and RGB".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["rgb_from_yuv", "yuv_from_rgb"]

_LARGEST = 255
_TO_RGB = np.array([[298, 0, 409], [298, -100, -208], [298, 516, 0]])
_TO_YUV = np.array([[66, 129, 25], [-38, -74, 112], [112, -94, -18]])
_ZERO = np.array([16, 128, 128])
Components = NDArray[np.float32]


def rgb_from_yuv(values: Components) -> Components:
    """Return R, G, B and alpha of Y, U, V and alpha, all float32 (..., 4) of 8-bit codes / 255.

    >>> rgb_from_yuv(np.array([235, 128, 128, 255], np.float32) / 255).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    sums = (_codes(values) - _ZERO) @ _TO_RGB.T + 128 >> 8
    return _with_alpha(np.clip(sums, 0, _LARGEST), values)


def yuv_from_rgb(values: Components) -> Components:
    """Return Y, U, V and alpha of R, G, B and alpha, all float32 (..., 4) of 8-bit codes / 255."""
    sums = (_codes(values) @ _TO_YUV.T + 128 >> 8) + _ZERO
    return _with_alpha(sums, values)


def _codes(values: Components) -> NDArray[np.int64]:
    """Return the nearest codes: of NaN 0, of what is out of range the last ones."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        units = np.fmin(np.fmax(values[..., :3], np.float32(0)), np.float32(1))
    return np.rint(units * np.float32(_LARGEST)).astype(np.int64)


def _with_alpha(codes: NDArray[Any], values: Components) -> Components:
    out = values.copy()
    out[..., :3] = codes.astype(np.float32) / np.float32(_LARGEST)
    return out
