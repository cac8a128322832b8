"""Tables of what the codec makes of narrow codes, and of numbers for narrow codes.

Reading: the component of every code, also of two bytes at once. Writing: floats are told apart by
their upper 16 bits, and within such a bucket by one threshold; for codes of up to 8 bits no bucket
has more than one. The codec fills all tables, so they hold no rule of their own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, U32
from softd3d.formats.conversions import srgb_to_linear
from softd3d.formats.layout import ChannelType
from softd3d.formats.rules import Rules

__all__ = ["codes_of", "decoding_table", "has_encoding_table", "linear_numbers", "read_bytes"]

_ALGEBRA = NumpyAlgebra()
_PIECE = 1 << 16
_WIDEST_ENCODED = 8
_ENCODED = (ChannelType.UNORM, ChannelType.SNORM, ChannelType.SRGB)
_BUCKET_BITS = 16


@lru_cache(maxsize=64)
def decoding_table(type_: ChannelType, bits: int, rules: Rules) -> NDArray[np.uint32]:
    """Return the component bits of all codes of a channel, (2**bits,)."""
    table = _converted(np.arange(1 << bits, dtype=np.uint32), bits, rules.to_component[type_])
    table.flags.writeable = False
    return table


def linear_numbers(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return sRGB numbers in [0, 1] made linear."""
    return np.asarray(srgb_to_linear(_ALGEBRA.lanes(F32, numbers)).raw)


def read_bytes(
    codes: NDArray[np.uint8], types: tuple[ChannelType | int, ...], rules: Rules,
    out: NDArray[Any],
) -> None:  # fmt: skip
    """Write the components of codes of one byte each to `out`; both (texels, 4).

    types: of each component; 0 or 1 for what is constant, whatever its code. INDEX in a float32
    array gives the code as a number.
    """
    pairs, wide = codes.view("<u2"), out.view("<u8")
    if types[:2] == types[2:]:
        np.take(_pair_table(types[0], types[1], rules, out.dtype), pairs, out=wide, mode="clip")
        return
    for half in (0, 1):
        table = _pair_table(types[2 * half], types[2 * half + 1], rules, out.dtype)
        wide[:, half] = np.take(table, pairs[:, half], mode="clip")


@lru_cache(maxsize=16)
def _pair_table(
    first: ChannelType | int, second: ChannelType | int, rules: Rules, dtype: np.dtype[Any]
) -> NDArray[np.uint64]:
    """Return two components for every two bytes, the first in the lower half."""
    table = np.empty((256, 256, 2), dtype)  # second code, first code
    table[:, :, 0] = _byte_table(first, rules, dtype)
    table[:, :, 1] = _byte_table(second, rules, dtype)[:, None]
    return table.view("<u8").reshape(-1)


def _byte_table(type_: ChannelType | int, rules: Rules, dtype: np.dtype[Any]) -> NDArray[Any]:
    if isinstance(type_, int):
        return np.full(256, type_, dtype)
    table = decoding_table(type_, 8, rules)
    return table.astype(dtype) if type_ is ChannelType.INDEX else table.view(dtype)


def has_encoding_table(type_: ChannelType, bits: int) -> bool:
    """Whether numbers become codes of this kind by a table."""
    return type_ in _ENCODED and bits <= _WIDEST_ENCODED


def codes_of(
    numbers: NDArray[np.float32], type_: ChannelType, bits: int, rules: Rules
) -> NDArray[np.uint32]:
    """Return the codes of numbers, of any shape."""
    words = np.ascontiguousarray(numbers).view(np.uint32).reshape(-1)
    out = np.empty(words.shape, np.uint32)
    table = _encoding_table(type_, bits, rules) if has_encoding_table(type_, bits) else None
    for start in range(0, len(words), _PIECE):
        piece = words[start : start + _PIECE]
        if table is None:
            out[start : start + _PIECE] = _converted(piece, bits, rules.from_component[type_])
        else:
            below, above, threshold = table
            bucket = piece >> np.uint32(_BUCKET_BITS)
            is_above = piece >= threshold[bucket]
            out[start : start + _PIECE] = np.where(is_above, above[bucket], below[bucket])
    return out.reshape(numbers.shape)


@lru_cache(maxsize=32)
def _encoding_table(
    type_: ChannelType, bits: int, rules: Rules
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]:
    """Return the codes below and from the threshold of each bucket on, and the threshold."""
    convert = rules.from_component[type_]
    first = np.arange(1 << 32 - _BUCKET_BITS, dtype=np.uint32) << np.uint32(_BUCKET_BITS)
    last = first | np.uint32((1 << _BUCKET_BITS) - 1)
    below, above = (_converted(words, bits, convert) for words in (first, last))
    split = np.flatnonzero(below != above)
    low, high = first[split].copy(), last[split].copy()  # codes of low are below, of high above
    for _ in range(_BUCKET_BITS):
        middle = low + (high - low) // np.uint32(2)
        is_above = _converted(middle, bits, convert) != below[split]
        high, low = np.where(is_above, middle, high), np.where(is_above, low, middle)
    threshold = first.copy()
    threshold[split] = high
    return below.astype(np.uint8), above.astype(np.uint8), threshold


def _converted(words: NDArray[np.uint32], bits: int, convert: Any) -> NDArray[np.uint32]:
    """Return what a conversion over the algebra gives, in pieces."""
    parts = [
        np.asarray(convert(_ALGEBRA.lanes(U32, words[start : start + _PIECE]), bits).raw)
        for start in range(0, max(len(words), 1), _PIECE)
    ]
    return np.concatenate(parts)
