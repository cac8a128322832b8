"""PNG files of grey, RGB or RGBA images, written with the standard library alone.

Spec: Portable Network Graphics, third edition, section 5 (datastream) and 11 (chunks).
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["png_bytes"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}  # by the number of channels


def png_bytes(image: NDArray[Any]) -> bytes:
    """Return the PNG file of an image: uint8 or uint16, (height, width, 1, 3 or 4 channels).

    >>> png_bytes(np.zeros((1, 1, 3), np.uint8))[1:4]
    b'PNG'
    """
    height, width, channels = image.shape
    samples = image.astype(image.dtype.newbyteorder(">"))
    pixel = channels * image.itemsize
    lines = np.ascontiguousarray(samples).view(np.uint8).reshape(height, width * pixel)
    # Each row starts with its filter: 1, the difference from the pixel to the left.
    rows = np.empty((height, 1 + width * pixel), np.uint8)
    rows[:, 0] = 1
    rows[:, 1:] = lines
    rows[:, 1 + pixel :] -= lines[:, :-pixel]
    header = struct.pack(
        ">IIBBBBB", width, height, 8 * image.itemsize, _COLOUR_TYPES[channels], 0, 0, 0
    )
    return (
        _SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
