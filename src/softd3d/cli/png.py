"""PNG files of 8-bit RGB images, written with the standard library alone.

Spec: Portable Network Graphics, third edition, section 5 (datastream) and 11 (chunks).
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["png_bytes"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB = 2  # colour type


def png_bytes(image: NDArray[np.uint8]) -> bytes:
    """Return the PNG file of an image, uint8, (height, width, 3).

    >>> png_bytes(np.zeros((1, 1, 3), np.uint8))[1:4]
    b'PNG'
    """
    height, width, _ = image.shape
    # Each row starts with its filter: 1, the difference from the pixel to the left.
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 1
    left = np.pad(image, ((0, 0), (1, 0), (0, 0)))[:, :-1]
    rows[:, 1:] = (image - left).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, _RGB, 0, 0, 0)
    return (
        _SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
