"""BC1 to BC5 blocks to components.

BC1 to BC3 are decoded in 8-bit integers as the specification's listing does: endpoints promoted by
repeating their upper bits, thirds and halves cut off. BC4 and BC5 give the exact fraction, rounded
once to float32. Spec: D3D11.3 section 19.5; all of it lies within what that tolerates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.resources.block_bits import looked_up

__all__ = ["decode_bc1", "decode_bc2", "decode_bc3", "decode_bc4", "decode_bc5"]

_TEXELS = 16
_PART = np.uint64(21)  # bits of each of three parts of a number, more than any step needs
_BYTES = np.uint64(0xFF | 0xFF << 21 | 0xFF << 42)
_BYTE_OF = tuple(np.uint64(0xFF << 8 * i) for i in range(3))
_OPAQUE = np.uint64(0xFF000000)
_FIVE_BITS, _SIX_BITS = np.uint64(31), np.uint64(63)
# Codes of texels by the byte (2 bits each), and by the 12 bits (3 bits each), that hold them.
_TWO_BITS = (np.arange(256)[:, None] >> np.arange(0, 8, 2) & 3).astype(np.uint8)
_FOUR_BITS = (np.arange(256)[:, None] >> np.arange(0, 8, 4) & 15).astype(np.uint8)
# Interpolated numbers are sums of 35ths, because 5 and 7 steps both divide 35.
_PARTS = 35
_SEVEN = np.array([[7 - i, i] for i in (0, 7, *range(1, 7))], np.int32) * 5
_FIVE = np.array([[5 - i, i] for i in (0, 5, *range(1, 5))], np.int32) * 7


def decode_bc1(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode blocks (blocks, 8) to RGBA codes, uint8, (blocks, 16 texels, 4)."""
    return _components(_colours(blocks, punch_through=True))


def decode_bc2(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode blocks (blocks, 16), with explicit alpha of 4 bits, like `decode_bc1`."""
    texels = _components(_colours(blocks[:, 8:], punch_through=False))
    alpha = _FOUR_BITS[blocks[:, :8]].reshape(-1, _TEXELS)
    texels[..., 3] = alpha * np.uint8(17)
    return texels


def decode_bc3(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode blocks (blocks, 16), with interpolated alpha, like `decode_bc1`."""
    texels = _components(_colours(blocks[:, 8:], punch_through=False))
    ends = blocks[:, :2].astype(np.int32)
    parts = _parts(ends, ends, 0, 255)
    texels[..., 3] = looked_up((parts // _PARTS).astype(np.uint8), _three_bits(blocks))
    return texels


def decode_bc4(blocks: NDArray[np.uint8], *, is_signed: bool) -> NDArray[np.float32]:
    """Decode blocks (blocks, 8) to numbers, float32, (blocks, 16 texels)."""
    if is_signed:
        codes = blocks[:, :2].view(np.int8).astype(np.int32)
        parts = _parts(codes, np.maximum(codes, -127), -127, 127)
        table = _SIGNED_NUMBERS
    else:
        codes = blocks[:, :2].astype(np.int32)
        parts = _parts(codes, codes, 0, 255)
        table = _UNSIGNED_NUMBERS
    return looked_up(table[parts], _three_bits(blocks))


def decode_bc5(blocks: NDArray[np.uint8], *, is_signed: bool) -> NDArray[np.float32]:
    """Decode blocks (blocks, 16) to red and green, float32, (blocks, 16 texels, 2)."""
    halves = (blocks[:, :8], blocks[:, 8:])
    return np.stack([decode_bc4(half, is_signed=is_signed) for half in halves], axis=2)


def _numbers(largest: int, lowest: int) -> NDArray[np.float32]:
    """Return the float32 of each count of parts; negative counts are found from the end."""
    counts = [*range(largest * _PARTS + 1), *range(lowest * _PARTS, 0)]
    return (np.array(counts) / (largest * _PARTS)).astype(np.float32)


_UNSIGNED_NUMBERS = _numbers(255, 0)
_SIGNED_NUMBERS = _numbers(127, -127)


def _colours(blocks: NDArray[np.uint8], *, punch_through: bool) -> NDArray[np.uint32]:
    """Return the texels of colour blocks (blocks, 8), packed RGBA.

    punch_through: whether a first endpoint that is not larger chooses three colours and
    transparent black.
    """
    ends = np.ascontiguousarray(blocks[:, :4]).view("<u2").astype(np.uint64)
    first, second = ends[:, 0], ends[:, 1]
    a, b = _promoted(first), _promoted(second)
    third, two_thirds = _thirds(a + a + b), _thirds(a + b + b)
    palette = np.empty((len(blocks), 4), np.uint32)
    if punch_through:
        is_three = first <= second
        third = np.where(is_three, a + b >> np.uint64(1) & _BYTES, third)
        palette[:, 3] = np.where(is_three, 0, _packed(two_thirds))
    else:
        palette[:, 3] = _packed(two_thirds)
    palette[:, 0], palette[:, 1], palette[:, 2] = _packed(a), _packed(b), _packed(third)
    indices = _TWO_BITS[blocks[:, 4:8]].reshape(-1, _TEXELS)
    return looked_up(palette, indices)


def _promoted(end: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return B5G6R5 endpoints as 8-bit red, green and blue in 21-bit parts of one number."""
    red, green, blue = end >> np.uint64(11), end >> np.uint64(5) & _SIX_BITS, end & _FIVE_BITS
    three, two, four = np.uint64(3), np.uint64(2), np.uint64(4)
    wide = blue << three | blue >> two
    wide = wide << _PART | green << two | green >> four
    return wide << _PART | red << three | red >> two


def _thirds(sums: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a third of each part, cut off: 683 / 2048 is close enough up to 3 * 255."""
    return sums * np.uint64(683) >> np.uint64(11) & _BYTES


def _packed(parts: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return parts as bytes, red lowest, with an opaque alpha."""
    red, green, blue = (parts >> np.uint64(13 * i) & _BYTE_OF[i] for i in range(3))
    return (red | green | blue | _OPAQUE).astype(np.uint32)


def _components(texels: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return texels.view(np.uint8).reshape(-1, _TEXELS, 4)


def _parts(
    compared: NDArray[np.int32], ends: NDArray[np.int32], lowest: int, largest: int
) -> NDArray[np.int32]:
    """Return the palettes, (blocks, 8), in 35ths of a code."""
    seven = ends @ _SEVEN.T
    five = np.full_like(seven, largest * _PARTS)
    five[:, :6] = ends @ _FIVE.T
    five[:, 6] = lowest * _PARTS
    return np.where((compared[:, 0] > compared[:, 1])[:, None], seven, five)


def _three_bits(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the 3-bit indices behind two endpoints, (blocks, 16)."""
    stream = np.ascontiguousarray(blocks[:, :8]).view("<u8")[:, 0] >> np.uint64(16)
    shifts = np.arange(0, 3 * _TEXELS, 3, dtype=np.uint64)
    return (stream[:, None] >> shifts & np.uint64(7)).astype(np.uint8)
