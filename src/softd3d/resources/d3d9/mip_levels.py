"""Levels of textures made of the level above: a box of 2 x 2 texels, in the numbers as stored.

sRGB texels are averaged as they are. Where a level has an odd size, its last row or column does not
count. Spec: win32 "Automatic Generation of Mipmaps (Direct3D 9)", D3DUSAGE_AUTOGENMIPMAP.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.formats.d3d9 import D3D9Format
from softd3d.formats.layout import Channel, ChannelType, Scheme

__all__ = ["halved", "has_generated_levels"]

_T = ChannelType
_WORD = 8  # bytes
_AVERAGED = frozenset([_T.UNORM, _T.SNORM, _T.FLOAT])


def has_generated_levels(format_: D3D9Format) -> bool:
    """Whether levels can be made: of texels one after another, of colours."""
    types = {channel.type for channel in format_.channels}
    return format_.scheme is Scheme.TEXELS and types <= _AVERAGED and not format_.is_depth_stencil


def halved(texels: NDArray[np.uint8], format_: D3D9Format) -> NDArray[np.uint8]:
    """Return the next level. texels: (rows, columns, bytes), as is what it returns.

    Integers are rounded to nearest, halves up; floats are added in float32, rows last.
    """
    rows, columns = (max(n // 2, 1) for n in texels.shape[:2])
    found = np.zeros((rows, columns, max(_WORD, texels.shape[2])), np.uint8)
    for channel in format_.channels:
        if channel.type is _T.FLOAT:
            first, end = channel.shift // 8, (channel.shift + channel.bits) // 8
            dtype = f"<f{channel.bits // 8}"
            whole = np.ascontiguousarray(texels[..., first:end]).view(dtype)[..., 0]
            with np.errstate(all="ignore"):
                mean = (_sums(whole.astype(np.float32)) * np.float32(0.25)).astype(dtype)
            found[..., first:end] = mean[..., None].view(np.uint8)
        else:
            mean = (_sums(_integers(texels, channel)) + 2) >> 2
            bits = (mean & ((1 << channel.bits) - 1)).astype("<u8") << np.uint64(channel.shift)
            found[..., :_WORD].view("<u8")[..., 0] |= bits
    return found[..., : texels.shape[2]]


def _integers(texels: NDArray[np.uint8], channel: Channel) -> NDArray[np.int64]:
    """Return a channel's numbers; the lowest of a signed one means the same as the next."""
    words = np.zeros((*texels.shape[:2], _WORD), np.uint8)
    words[..., : texels.shape[2]] = texels
    bits = words.view("<u8")[..., 0] >> np.uint64(channel.shift)
    numbers = (bits & np.uint64((1 << channel.bits) - 1)).astype(np.int64)
    if channel.type is _T.UNORM:
        return numbers
    half = 1 << channel.bits - 1
    return np.maximum((numbers ^ half) - half, 1 - half)


def _sums(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of 2 x 2 numbers; a single row or column counts twice."""
    return _pairs(_pairs(numbers.T).T)


def _pairs(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of rows 0 and 1, 2 and 3, and so on."""
    if numbers.shape[0] == 1:
        return numbers + numbers
    count = numbers.shape[0] // 2
    return numbers[::2][:count] + numbers[1::2]
