"""Packing and unpacking of whole arrays of texels, on the NumPy algebra."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, U32, Value
from softd3d.formats.codec import pack, units, unpack
from softd3d.formats.dxgi import Format

Words = NDArray[np.uint32]  # (texels,)


class Texels:
    """Texels as arrays of storage units, components as arrays of bits."""

    def __init__(self) -> None:
        self.k = NumpyAlgebra()

    def number(self, x: NDArray[np.float32]) -> Value:
        return self.k.lanes(F32, x)

    def with_codes(self, format_: Format, codes: dict[str, NDArray[np.uint64]]) -> list[Words]:
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

    def unpacked(self, format_: Format, words: list[Words]) -> list[Words]:
        """Return the bits of x, y, z, w."""
        shape = np.broadcast_shapes(*(w.shape for w in words))
        values = unpack(format_, [self._lanes(w) for w in words])
        return [np.broadcast_to(v.raw, shape) for v in values]

    def packed(self, format_: Format, components: list[Words]) -> list[Words]:
        """Return the storage units of the texels with these component bits."""
        return [np.asarray(v.raw) for v in pack(format_, [self._lanes(c) for c in components])]

    def floats(self, bits: Words) -> NDArray[np.float32]:
        return np.ascontiguousarray(bits).view(np.float32)

    def _lanes(self, words: Words) -> Value:
        return self.k.lanes(U32, np.asarray(words, np.uint32))


@pytest.fixture(scope="session")
def texels() -> Texels:
    return Texels()
