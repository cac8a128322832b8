"""Which arrays hold texels of a format: dtypes, and how many items make a texel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from softd3d.formats.dxgi import ChannelType, Format

__all__ = ["natural_dtype", "texel_dtypes", "wanted_arrays"]

_WHOLE_BYTES = (8, 16, 32)
_LETTERS = {ChannelType.SNORM: "i", ChannelType.SINT: "i", ChannelType.FLOAT: "f"}


@cache
def texel_dtypes(format_: Format) -> dict[np.dtype[Any], int]:
    """Return the dtypes that texels may have, each with the number of items in a texel.

    Whole texels are unsigned integers. Where all channels are alike and take whole bytes, they may
    be items as well: of their own kind, or unsigned with the same bits. The natural one is last.
    Of texels that share blocks, 4:2:2 units or bytes, the items are the bytes of one of those.
    """
    found: dict[np.dtype[Any], int] = {}
    if not format_.bytes_per_texel and format_.bytes_per_block:
        found[np.dtype(np.uint8)] = format_.bytes_per_block
        return found
    if format_.bytes_per_texel in (1, 2, 4, 8):
        found[np.dtype(f"<u{format_.bytes_per_texel}")] = 1
    bits = {channel.bits for channel in format_.channels}
    if len(bits) == 1 and bits <= set(_WHOLE_BYTES):
        size, count = bits.pop() // 8, len(format_.channels)
        for letter in ("u", _LETTERS.get(format_.type, "u")):
            dtype = np.dtype(f"<{letter}{size}")
            found.pop(dtype, None)
            found[dtype] = count
    return found


def natural_dtype(format_: Format) -> tuple[np.dtype[Any], int]:
    """Return the dtype that suits a format best, and the number of items in a texel."""
    return list(texel_dtypes(format_).items())[-1]


def wanted_arrays(format_: Format, axes: Sequence[str]) -> str:
    """Say which arrays would do, e.g. "uint32 (height, width) or uint8 (height, width, 4)"."""
    words: list[str] = []
    for dtype, items in reversed(texel_dtypes(format_).items()):
        parts = [*axes, str(items)] if items > 1 else list(axes)
        shape = f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
        words.append(f"{dtype} {shape}")
    return f"{' or '.join(words)} for {format_.name}"
