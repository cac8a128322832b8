"""Planar video formats: planes to Y, U, V of each texel and back, chroma repeated, not filtered."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.layout import ChannelType, Format, Plane
from softd3d.formats.rules import Rules
from softd3d.resources.texels.code_tables import codes_of, decoding_table

__all__ = ["joined_planes", "split_planes"]

_ORDER = "yuv"


def joined_planes(planes: list[NDArray[Any]], format_: Format, rules: Rules) -> NDArray[np.float32]:
    """Return Y, U, V and 1 of each texel, float32, (..., height, width, 4).

    planes: uint8 or uint16; (..., height, width), divided as the plane is and rounded up, with a
    last axis of 2 where it holds U and V.

    Raises:
        ResourceError: a plane has another dtype or shape.
    """
    luma = planes[0]
    if luma.ndim < 2:
        raise ResourceError(f"found luma {luma.shape}, wanted (..., height, width)")
    out = np.ones((*luma.shape, 4), np.float32)
    for plane, array in zip(format_.planes, planes, strict=True):
        wanted = _shape(luma.shape, plane)
        if array.shape != wanted or array.dtype != _dtype(plane):
            raise ResourceError(
                f"found {array.dtype} {array.shape} for plane {plane.components}, "
                f"wanted {_dtype(plane)} {wanted}"
            )
        table = decoding_table(ChannelType.UNORM, plane.bits, rules).view(np.float32)
        numbers = table[array].reshape(*_extent(luma.shape, plane), -1)
        height, width = luma.shape[-2:]
        for i, component in enumerate(plane.components):
            whole = numbers[..., i].repeat(plane.height_divisor, -2)[..., :height, :]
            whole = whole.repeat(plane.width_divisor, -1)[..., :width]
            out[..., _ORDER.index(component)] = whole
    return out


def split_planes(values: NDArray[Any], format_: Format, rules: Rules) -> list[NDArray[Any]]:
    """Return the planes of Y, U, V, (..., height, width, 4), chroma of the upper left texels."""
    planes: list[NDArray[Any]] = []
    for plane in format_.planes:
        chosen = values[..., :: plane.height_divisor, :: plane.width_divisor, :]
        parts = [
            codes_of(
                chosen[..., _ORDER.index(component)].astype(np.float32),
                ChannelType.UNORM,
                plane.bits,
                rules,
            )
            for component in plane.components
        ]
        planes.append((parts[0] if len(parts) == 1 else np.stack(parts, -1)).astype(_dtype(plane)))
    return planes


def _dtype(plane: Plane) -> np.dtype[Any]:
    return np.dtype(f"<u{plane.bits // 8}")


def _extent(shape: tuple[int, ...], plane: Plane) -> tuple[int, ...]:
    *outer, height, width = shape
    return (*outer, -(-height // plane.height_divisor), -(-width // plane.width_divisor))


def _shape(shape: tuple[int, ...], plane: Plane) -> tuple[int, ...]:
    items = len(plane.components)
    return (*_extent(shape, plane), *([items] if items > 1 else []))
