"""What block formats share: bit fields of 128 bits, partitions, indices, weights, palettes.

All functions work on arrays of blocks. Spec: win32 direct3d11 bc6h-format and bc7-format.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ANCHORS",
    "PARTITIONS",
    "WEIGHTS",
    "Blocks",
    "interpolated",
    "looked_up",
    "texel_indices",
]

_TEXELS = 16
_HALF = 64

WEIGHTS: dict[int, NDArray[np.int32]] = {
    2: np.array([0, 21, 43, 64], np.int32),
    3: np.array([0, 9, 18, 27, 37, 46, 55, 64], np.int32),
    4: np.array([0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64], np.int32),
}
"""Weights of the second endpoint, in 64ths, by the bits of an index."""

# Which texels are in the second of two subsets, the first texel in bit 0.
_TWO = """
cccc 8888 eeee ecc8 c880 feec fec8 ec80 c800 ffec fe80 e800 ffe8 ff00 fff0 f000
f710 008e 7100 08ce 008c 7310 3100 8cce 088c 3110 6666 366c 17e8 0ff0 718e 399c
aaaa f0f0 5a5a 33cc 3c3c 55aa 9696 a55a 73ce 13c8 324c 3bdc 6996 c33c 9966 0660
0272 04e4 4e40 2720 c936 936c 39c6 639c 9336 9cc6 817e e718 ccf0 0fcc 7744 ee22
"""
# Which of three subsets each texel is in, the first texel first.
_THREE = """
0011001102212222 0001001122112221 0000200122112211 0222002200110111 0000000011221122
0011001100220022 0022002211111111 0011001122112211 0000000011112222 0000111111112222
0000111122222222 0012001200120012 0112011201120112 0122012201220122 0011011211221222
0011200122002220 0001001101121122 0111001120012200 0000112211221122 0022002200221111
0111011102220222 0001000122212221 0000001101220122 0000110022102210 0122012200110000
0012001211222222 0110122112210110 0000011012211221 0022110211020022 0110011020022222
0011012201220011 0000200022112221 0000000211221222 0222002200120011 0011001200220222
0120012001200120 0000111122220000 0120120120120120 0120201212010120 0011220011220011
0011112222000011 0101010122222222 0000000021212121 0022112200221122 0022001100220011
0220122102201221 0101222222220101 0000212121212121 0101010101012222 0222011102220111
0002111200021112 0000211221122112 0222011101110222 0002111211120002 0110011001102222
0000000021122112 0110011022222222 0022001100110022 0022112211220022 0000000000002112
0002000100020001 0222122202221222 0101222222222222 0111201122012220
"""
# The texel of the second or third subset whose index lacks its highest bit, which is 0.
_ANCHOR_OF_TWO = "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f"
_SECOND_OF_THREE = "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33"
_THIRD_OF_THREE = "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8"


def _digits(text: str) -> NDArray[np.uint8]:
    return np.array([int(digit, 16) for digit in text], np.uint8)


PARTITIONS: dict[int, NDArray[np.uint8]] = {
    2: np.array(
        [[int(word, 16) >> i & 1 for i in range(_TEXELS)] for word in _TWO.split()], np.uint8
    ),
    3: np.array([_digits(word) for word in _THREE.split()]),
}
"""The subset of each texel, (64, 16), by the number of subsets. BC6H has the first 32 of two."""
ANCHORS: dict[int, NDArray[np.uint8]] = {
    2: _digits(_ANCHOR_OF_TWO)[:, None],
    3: np.stack([_digits(_SECOND_OF_THREE), _digits(_THIRD_OF_THREE)], 1),
}
"""The anchors of all subsets but the first, whose anchor is texel 0: (64, subsets - 1)."""


class Blocks:
    """128-bit blocks, (blocks,), read as numbers from the lowest bit up."""

    def __init__(self, blocks: NDArray[np.uint8]) -> None:
        """Take blocks: uint8, (blocks, 16)."""
        halves = np.ascontiguousarray(blocks).view("<u8")
        self.low, self.high = halves[:, 0], halves[:, 1]

    def bits(self, offset: int, count: int) -> NDArray[np.uint64]:
        """Return `count` bits (at most 64) from bit `offset` on."""
        if offset >= _HALF:
            found = self.high >> np.uint64(offset - _HALF)
        elif offset + count <= _HALF:
            found = self.low >> np.uint64(offset)
        else:
            found = self.low >> np.uint64(offset) | self.high << np.uint64(_HALF - offset)
        return found if count == _HALF else found & np.uint64((1 << count) - 1)

    def number(self, offset: int, count: int) -> NDArray[np.int32]:
        """Return `count` bits (at most 16) as int32."""
        return self.bits(offset, count).astype(np.int32)


def texel_indices(
    stream: NDArray[np.uint64], bits: int, anchors: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Return the index of each texel, uint8, (blocks, 16).

    stream: indices of `bits` bits, the first in the lowest bits, anchors one bit shorter. anchors:
    (blocks, subsets - 1), those of subsets but the first.
    """
    stream = _with_zero(stream, np.uint64(bits - 1))
    if anchors is not None:
        # From the lowest upwards, so that each is where it would be with all bits before it.
        for anchor in np.sort(anchors, axis=1).T:
            stream = _with_zero(
                stream, anchor.astype(np.uint64) * np.uint64(bits) + np.uint64(bits - 1)
            )
    shifts = np.arange(_TEXELS, dtype=np.uint64) * np.uint64(bits)
    found = stream[:, None] >> shifts & np.uint64((1 << bits) - 1)
    return found.astype(np.uint8)


def _with_zero(
    stream: NDArray[np.uint64], at: NDArray[np.uint64] | np.uint64
) -> NDArray[np.uint64]:
    """Put a 0 bit in at bit `at`, moving up what is there and above."""
    below = stream & ((np.uint64(1) << at) - np.uint64(1))
    return below | (stream ^ below) << np.uint64(1)


def interpolated(
    first: NDArray[np.int32], second: NDArray[np.int32], weights: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return palettes: endpoints (..., channels) give (..., entries, channels), int32."""
    a = first[..., None, :]
    palette = (second[..., None, :] - a) * weights[:, None]
    palette += 64 * a + 32  # a * (64 - w) + b * w + 32
    palette >>= 6
    return palette


def looked_up(palette: NDArray[Any], index: NDArray[np.uint8]) -> NDArray[Any]:
    """Return entries of each block's palette: (blocks, entries), (blocks, 16) give (blocks, 16)."""
    rows = np.arange(len(palette), dtype=np.intp)[:, None] * palette.shape[1]
    return np.take(palette.reshape(-1), rows + index, mode="clip")
