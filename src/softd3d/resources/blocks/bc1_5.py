"""BC1 to BC5 blocks to components: the exact fraction of what a block says, rounded once.

A colour of BC1 to BC3 is a fraction of its 5 or 6 bits: endpoints are codes / 31 and codes / 63,
and thirds and halves lie between those fractions, not between endpoints that were made bytes first.
What comes of it is the nearest code of 8 bits (halves up) or the nearest float32. D3D11.3 section
19.5 tolerates this and several other answers; it is what DirectXTex gives, too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softd3d.formats.layout import ChannelType
from softd3d.resources.blocks.bits import looked_up
from softd3d.resources.texels.code_tables import linear_numbers

__all__ = [
    "CODES",
    "Values",
    "decode_bc1",
    "decode_bc2",
    "decode_bc3",
    "decode_bc4",
    "decode_bc5",
    "numbers_of",
]

_TEXELS = 16
_PART = np.uint64(21)  # bits of each of three parts of a number, more than any step needs
_FIVE_BITS, _SIX_BITS = np.uint64(31), np.uint64(63)
# Colours are sums of sixths of the difference of two codes, because 2 and 3 steps both divide 6.
_SIX, _FOUR, _THREE, _TWO = (np.uint64(i) for i in (6, 4, 3, 2))
_COLOUR_BITS = np.uint64(511)  # hold 6 * 63
_OPAQUE = np.uint64(1 << 63)
# Codes of texels by the byte (2 bits each), and by the 12 bits (3 bits each), that hold them.
_TWO_BITS = (np.arange(256)[:, None] >> np.arange(0, 8, 2) & 3).astype(np.uint8)
_FOUR_BITS = (np.arange(256)[:, None] >> np.arange(0, 8, 4) & 15).astype(np.uint8)
# Interpolated numbers are sums of 35ths, because 5 and 7 steps both divide 35.
_PARTS = 35
_SEVEN = np.array([[7 - i, i] for i in (0, 7, *range(1, 7))], np.int32) * 5
_FIVE = np.array([[5 - i, i] for i in (0, 5, *range(1, 5))], np.int32) * 7


class Values(NamedTuple):
    """What fractions become: a table for each denominator, by numerator; all of one dtype."""

    five_bits: NDArray[Any]  # red and blue, of 6 * 31
    six_bits: NDArray[Any]  # green, of 6 * 63
    alpha: NDArray[Any]  # of 35 * 255


_DENOMINATORS = (6 * 31, 6 * 63, _PARTS * 255)


def _nearest_codes(denominator: int) -> NDArray[np.uint8]:
    numerators = np.arange(denominator + 1)
    return ((numerators * (2 * 255) + denominator) // (2 * denominator)).astype(np.uint8)


CODES = Values(*(_nearest_codes(denominator) for denominator in _DENOMINATORS))
"""Codes of 8 bits, uint8: the nearest, of two the larger."""


@lru_cache(maxsize=2)
def numbers_of(curve: ChannelType) -> Values:
    """Return tables of float32: of colours as they are (UNORM), or made linear (SRGB)."""
    red, green, alpha = (_numbers(denominator) for denominator in _DENOMINATORS)
    if curve is ChannelType.SRGB:
        return Values(linear_numbers(red), linear_numbers(green), alpha)
    return Values(red, green, alpha)


def _numbers(denominator: int, lowest: int = 0) -> NDArray[np.float32]:
    """Return the float32 of each numerator; negative ones are found from the end."""
    return (np.array([*range(denominator + 1), *range(lowest, 0)]) / denominator).astype(np.float32)


_UNSIGNED_NUMBERS = _numbers(255 * _PARTS)
_SIGNED_NUMBERS = _numbers(127 * _PARTS, -127 * _PARTS)


def decode_bc1(blocks: NDArray[np.uint8], values: Values = CODES) -> NDArray[Any]:
    """Decode blocks (blocks, 8) to RGBA, (blocks, 16 texels, 4), in the dtype of the tables."""
    return _colours(blocks, values, punch_through=True)


def decode_bc2(blocks: NDArray[np.uint8], values: Values = CODES) -> NDArray[Any]:
    """Decode blocks (blocks, 16), with explicit alpha of 4 bits, like `decode_bc1`."""
    texels = _colours(blocks[:, 8:], values, punch_through=False)
    fifteen = values.alpha[:: 17 * _PARTS]
    texels[..., 3] = fifteen[_FOUR_BITS[blocks[:, :8]].reshape(-1, _TEXELS)]
    return texels


def decode_bc3(blocks: NDArray[np.uint8], values: Values = CODES) -> NDArray[Any]:
    """Decode blocks (blocks, 16), with interpolated alpha, like `decode_bc1`."""
    texels = _colours(blocks[:, 8:], values, punch_through=False)
    ends = blocks[:, :2].astype(np.int32)
    parts = _parts(ends, ends, 0, 255)
    texels[..., 3] = looked_up(values.alpha[parts], _three_bits(blocks))
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


def _colours(blocks: NDArray[np.uint8], values: Values, *, punch_through: bool) -> NDArray[Any]:
    """Return the texels of colour blocks (blocks, 8): (blocks, 16, 4).

    punch_through: whether a first endpoint that is not larger chooses three colours and
    transparent black.
    """
    ends = np.ascontiguousarray(blocks[:, :4]).view("<u2").astype(np.uint64)
    first, second = ends[:, 0], ends[:, 1]
    a, b = _separated(first), _separated(second)
    parts = np.empty((len(blocks), 4), np.uint64)
    parts[:, 0], parts[:, 1] = a * _SIX, b * _SIX
    parts[:, 2], parts[:, 3] = a * _FOUR + b * _TWO, a * _TWO + b * _FOUR
    parts |= _OPAQUE
    if punch_through:
        is_three = first <= second
        parts[:, 2] = np.where(is_three, (a + b) * _THREE | _OPAQUE, parts[:, 2])
        parts[:, 3] = np.where(is_three, np.uint64(0), parts[:, 3])
    indices = _TWO_BITS[blocks[:, 4:8]].reshape(-1, _TEXELS)
    texels = looked_up(_texels(parts, values), indices)
    return texels.view(values.alpha.dtype).reshape(-1, _TEXELS, 4)


def _separated(end: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the red, green and blue of B5G6R5 endpoints in 21-bit parts of one number."""
    red, green, blue = end >> np.uint64(11), end >> np.uint64(5) & _SIX_BITS, end & _FIVE_BITS
    return (blue << _PART | green) << _PART | red


def _texels(parts: NDArray[np.uint64], values: Values) -> NDArray[Any]:
    """Return what parts mean, four components an item: uint32 of bytes, complex128 of floats."""
    found = np.empty((*parts.shape, 4), values.alpha.dtype)
    found[..., 0] = values.five_bits[parts & _COLOUR_BITS]
    found[..., 1] = values.six_bits[parts >> _PART & _COLOUR_BITS]
    found[..., 2] = values.five_bits[parts >> _PART + _PART & _COLOUR_BITS]
    found[..., 3] = np.where(parts >= _OPAQUE, values.alpha[-1], values.alpha[0])
    return found.view(np.uint32 if found.itemsize == 1 else np.complex128)[..., 0]


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
