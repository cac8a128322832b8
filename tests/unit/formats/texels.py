"""Packing and unpacking of whole arrays of texels, on the NumPy algebra."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32, Value
from softd3d.formats.codec import pack, units, unpack
from softd3d.formats.dxgi import Format

Words = NDArray[np.uint32]  # (texels,)
K = NumpyAlgebra()


def lanes(words: object) -> Value:
    return K.lanes(U32, np.asarray(words, np.uint32))


def codes_to_words(format_: Format, codes: dict[str, NDArray[np.uint64]]) -> list[Words]:
    """Return storage units that hold these channel codes, other channels 0."""
    size, count = units(format_)
    words: list[Words] = []
    for unit in range(count):
        total = np.zeros(1, np.uint64)
        for channel in format_.channels:
            number, shift = divmod(channel.shift, 8 * size)
            if number == unit and channel.component in codes:
                total = total | codes[channel.component] << np.uint64(shift)
        words.append(total.astype(np.uint32))
    return words


def unpacked(format_: Format, words: list[Words]) -> list[Words]:
    """Return the bits of x, y, z, w."""
    shape = np.broadcast_shapes(*(w.shape for w in words))
    return [np.broadcast_to(v.raw, shape) for v in unpack(format_, [lanes(w) for w in words])]


def packed(format_: Format, components: list[Words]) -> list[Words]:
    """Return the storage units of the texels with these component bits."""
    return [np.asarray(v.raw) for v in pack(format_, [lanes(c) for c in components])]


def floats(bits: Words) -> NDArray[np.float32]:
    return np.ascontiguousarray(bits).view(np.float32)
