"""Where a dword of a case's output lies in a render target: pixel, slice, sample, component."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.resources.cases.comparison import Mismatch
from softd3d.resources.textures.texture import Texture
from softd3d.resources.transfer.conversion import decode

__all__ = ["components", "place_of"]

_DWORD = 4
_BITS = 32
_NAMES = {"r": "red", "g": "green", "b": "blue", "a": "alpha", "d": "depth", "s": "stencil"}


def place_of(target: Texture, register: str, mismatch: Mismatch) -> str:
    """Say where a dword that is not as wanted lies, such as `pixel (3, 1), sample 2, red`.

    >>> from softd3d.resources.cases.comparison import RuleType
    >>> from softd3d.resources.textures.texture import Texture2D
    >>> target = Texture2D(np.zeros((2, 4, 2), np.uint8), "R8G8_UNORM")
    >>> place_of(target, "rt0", Mismatch(3, 0, 0xFF000000, RuleType.BITS32))
    'pixel (3, 1), green'
    """
    format_ = target.format
    bit = _first_bit(mismatch.expected ^ mismatch.found)
    if _has_dwords(target, register):
        texel, component = divmod(mismatch.index, _DWORD)
        letter = "rgba"[component]
    else:
        at = mismatch.index * _BITS + bit
        texel, inside = divmod(at, 8 * format_.bytes_per_block)
        letter = next(
            (c.component for c in format_.channels if c.shift <= inside < c.shift + c.bits), ""
        )
    layout = target.layout
    pixel, sample = divmod(texel, layout.samples)
    row, x = divmod(pixel, layout.width)
    slice_, y = divmod(row, layout.height)
    parts = [f"pixel ({x}, {y})"]
    parts += [f"slice {slice_}"] if layout.slices > 1 else []
    parts += [f"sample {sample}"] if layout.samples > 1 else []
    parts += [_NAMES[letter]] if letter in _NAMES else []
    return ", ".join(parts)


def components(target: Texture, register: str, data: bytes) -> NDArray[Any]:
    """Return the components of an output, (slices * height, width * samples, 4).

    Of depth and stencil these are the first two.
    """
    layout = target.layout
    shape = layout.slices * layout.height, layout.width * layout.samples
    if _has_dwords(target, register):
        dtype = decode(target.array[:0], target.format).dtype
        return np.frombuffer(data, dtype).reshape(*shape, 4)
    size = target.format.bytes_per_block
    texels = np.frombuffer(data, np.uint8).reshape(*shape, *((size,) if size > 1 else ()))
    return decode(texels, target.format)


def _has_dwords(target: Texture, register: str) -> bool:
    """Whether an output has four dwords a sample; else it has the texels."""
    return register != "depth" and target.layout.samples > 1


def _first_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1 if bits else 0
