"""PNG files of grey, RGB or RGBA images, also animated, written with the standard library alone.

Spec: Portable Network Graphics, third edition, section 5 (datastream) and 11 (chunks).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["apng_bytes", "png_bytes"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}  # by the number of channels
_BAND_BYTES = 1 << 20
_WHOLE_FRAME = (0, 0)  # dispose: nothing; blend: replace what was there


def png_bytes(image: NDArray[Any]) -> bytes:
    """Return the PNG file of an image: uint8 or uint16, (height, width, 1, 3 or 4 channels).

    >>> png_bytes(np.zeros((1, 1, 3), np.uint8))[1:4]
    b'PNG'
    """
    data = _chunk(b"IDAT", _compressed(image))
    return _SIGNATURE + _header(image) + data + _chunk(b"IEND", b"")


def apng_bytes(images: Sequence[NDArray[Any]], rate: int) -> bytes:
    """Return the animated PNG file of images of one shape and dtype, shown over and over.

    rate: images a second, up to 65535. A reader without animations shows the first image.
    Spec: Portable Network Graphics, third edition, section 11.3.6 (acTL, fcTL, fdAT).

    >>> b"acTL" in apng_bytes([np.zeros((1, 1, 3), np.uint8)] * 2, 25)
    True
    """
    first = images[0]
    height, width = first.shape[:2]
    chunks = [_header(first), _chunk(b"acTL", struct.pack(">II", len(images), 0))]
    number = 0  # of the frame's chunks, which are counted through
    for index, image in enumerate(images):
        place = struct.pack(">IIIIIHH", number, width, height, 0, 0, 1, rate)
        chunks.append(_chunk(b"fcTL", place + bytes(_WHOLE_FRAME)))
        number += 1
        data = _compressed(image)
        if index == 0:
            chunks.append(_chunk(b"IDAT", data))
        else:
            chunks.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
    return b"".join([_SIGNATURE, *chunks, _chunk(b"IEND", b"")])


def _header(image: NDArray[Any]) -> bytes:
    height, width, channels = image.shape
    kind = _COLOUR_TYPES[channels]
    return _chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, 8 * image.itemsize, kind, 0, 0, 0)
    )


def _compressed(image: NDArray[Any]) -> bytes:
    height, width, channels = image.shape
    samples = image.astype(image.dtype.newbyteorder(">"))
    pixel = channels * image.itemsize
    lines = np.ascontiguousarray(samples).view(np.uint8).reshape(height, width * pixel)
    # Each row starts with its filter: 1, the difference from the pixel to the left.
    rows = np.empty((height, 1 + width * pixel), np.uint8)
    rows[:, 0] = 1
    rows[:, 1:] = lines
    rows[:, 1 + pixel :] -= lines[:, :-pixel]
    stream = zlib.compressobj(9)
    step = max(1, _BAND_BYTES // rows.shape[1])  # an interrupt waits for no more than this
    parts = [stream.compress(rows[n : n + step].tobytes()) for n in range(0, height, step)]
    return b"".join((*parts, stream.flush()))


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
