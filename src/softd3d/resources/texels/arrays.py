"""Arrays of texels as arrays of units: what shapes are taken, and how they are given back.

A unit is what stands alone in memory: a texel, a pair, a byte of bits or a block.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS, d3d9_format
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import Format
from softd3d.formats.rules import D3D9, Rules
from softd3d.resources.texels.dtypes import natural_dtype, texel_dtypes

__all__ = ["Units", "any_format", "from_units", "to_units", "unit_shape"]

Units = NDArray[np.uint8]  # (units, bytes of each)


def any_format(name: str | int | Format, rules: Rules) -> Format:
    """Return a format of either API; where both have a name or number, the rules say whose it is.

    Raises:
        ResourceError: neither has it.
    """
    if isinstance(name, Format):
        return name
    if not isinstance(name, str):
        return d3d9_format(name) if rules is D3D9 else dxgi_format(name)
    d3d9_name = name.removeprefix("D3DFMT_").removeprefix("D3DDDIFMT_")
    if rules is D3D9:
        is_d3d9 = d3d9_name in D3D9_FORMATS or name.removeprefix("DXGI_FORMAT_") not in DXGI_FORMATS
    else:
        is_d3d9 = d3d9_name in D3D9_FORMATS and name not in DXGI_FORMATS
    return d3d9_format(name) if is_d3d9 else dxgi_format(name)


def to_units(array: NDArray[Any], format_: Format) -> tuple[Units, tuple[int, ...]]:
    """Return an array of texels as units, and the shape of what it is an array of.

    Raises:
        ResourceError: the array has not the dtype or the last axis that the format wants.
    """
    size = format_.bytes_per_block
    items: int | None
    if size == 0:
        raise ResourceError(f"format {format_.name} has no texels: {format_.scheme.value}")
    if array.dtype == np.uint8 and size > 1:
        items = size
    elif array.dtype == np.uint8:
        items = 1
    else:
        items = texel_dtypes(format_).get(array.dtype) if format_.bytes_per_texel else None
    if items is None or (items > 1 and (array.ndim == 0 or array.shape[-1] != items)):
        raise ResourceError(
            f"found {array.dtype} {array.shape}, wanted {_wanted(format_)} for {format_.name}"
        )
    shape = array.shape[:-1] if items > 1 else array.shape
    flat = np.ascontiguousarray(array).reshape(math.prod(shape), items)
    return flat.view(np.uint8), shape


def from_units(units: Units, shape: tuple[int, ...], format_: Format) -> NDArray[Any]:
    """Return units as an array of the dtype that suits the format best: uint8 for blocks."""
    if not format_.bytes_per_texel:
        return units.reshape((*shape, *([format_.bytes_per_block] if units.shape[1] > 1 else [])))
    found = texel_dtypes(format_)
    if not found:
        return units.reshape(*shape, format_.bytes_per_block)
    dtype, items = natural_dtype(format_)
    return units.view(dtype).reshape((*shape, *([items] if items > 1 else [])))


def unit_shape(shape: tuple[int, ...], format_: Format) -> tuple[int, ...]:
    """Return how many units hold texels of this shape (..., height, width).

    Raises:
        ResourceError: an extent is no multiple of the unit's.
    """
    if format_.block_width == format_.block_height == 1:
        return shape
    axes = 2 if format_.block_height > 1 else 1
    extent = (format_.block_height, format_.block_width)[2 - axes :]
    if len(shape) < axes or any(n % size for n, size in zip(shape[-axes:], extent, strict=True)):
        wanted = " x ".join(str(size) for size in reversed(extent))
        raise ResourceError(
            f"found texels {shape}, wanted multiples of {wanted} for {format_.name}"
        )
    return (*shape[:-axes], *(n // size for n, size in zip(shape[-axes:], extent, strict=True)))


def _wanted(format_: Format) -> str:
    """Say which arrays would do."""
    size = format_.bytes_per_block
    words = ["uint8" + (f" with a last axis of {size}" if size > 1 else "")]
    found = texel_dtypes(format_) if format_.bytes_per_texel else {}
    for dtype, items in found.items():
        if dtype != np.uint8:
            words.append(f"{dtype}" + (f" with one of {items}" if items > 1 else ""))
    return ", or ".join(words)
