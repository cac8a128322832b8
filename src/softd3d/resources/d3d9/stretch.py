"""StretchRect: copies between surfaces that may convert, stretch and filter.

Which pairs of surfaces are taken is a table of the page, its part for drivers of Direct3D 9; which
formats are converted is what CheckDeviceFormatConversion may allow. docs/copies.md lists the
choices. Spec: win32 IDirect3DDevice9::StretchRect, IDirect3D9::CheckDeviceFormatConversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import named
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format
from softd3d.formats.layout import Scheme
from softd3d.formats.rules import D3D9
from softd3d.resources.d3d9.rectangles import Rect, check_surface, rect_of, units_in
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9
from softd3d.resources.texels.yuv import rgb_from_yuv
from softd3d.resources.transfer.conversion import decode, encode
from softd3d.resources.transfer.filters import mean, stretched

__all__ = ["TextureFilter", "stretch_rect"]

_WHAT = "stretch_rect"


class TextureFilter(IntEnum):
    """D3DTEXTUREFILTERTYPE (d3d9types.h), those that StretchRect takes."""

    NONE = 0
    POINT = 1
    LINEAR = 2


_BACK_BUFFERS = frozenset(["A2R10G10B10", "A8R8G8B8", "X8R8G8B8", "A1R5G5B5", "X1R5G5B5", "R5G6B5"])
_TARGETS = _BACK_BUFFERS | {
    "R8G8B8", "A16B16G16R16", "A2B10G10R10", "A8B8G8R8", "X8B8G8R8", "A16B16G16R16F",
    "A32B32G32R32F",
}  # fmt: skip
_YUV_BITS = 8


def stretch_rect(
    source: Surface9, source_rect: Rect | Sequence[int] | None, destination: Surface9,
    destination_rect: Rect | Sequence[int] | None = None,
    filter_: TextureFilter | int | str = TextureFilter.NONE,
) -> None:  # fmt: skip
    """Copy a rectangle to another, of another size or format perhaps.

    Formats that are the same keep their bits, unless something is averaged. Point sampling takes
    the texel under the centre; linear filtering goes between the nearest centres inside the
    source rectangle. A multisampled source is averaged first.

    Args:
        source: what is read.
        source_rect: left, top, right, bottom in texels; None for all.
        destination: what is written, in place. It may be the source, if nothing is stretched.
        destination_rect: see `source_rect`.
        filter_: a member, its number or its name; NONE is POINT.

    Raises:
        ResourceError: surfaces, formats or rectangles that the page does not allow.

    >>> small = Surface9(np.array([[1, 2]], np.uint16), "R5G6B5", origin=Origin.RENDER_TARGET)
    >>> large = Surface9(np.zeros((1, 4), np.uint16), "R5G6B5", origin=Origin.RENDER_TARGET)
    >>> stretch_rect(small, None, large)
    >>> large.array.tolist()
    [[1, 1, 2, 2]]
    """
    check_surface(source, _WHAT)
    check_surface(destination, _WHAT, writes=True)
    chosen = named(TextureFilter, filter_, f"{_WHAT}: filter", "D3DTEXF_")
    for surface in (source, destination):
        if surface.pool is not Pool.DEFAULT:
            raise ResourceError(f"{_WHAT}: {surface} is not in the default pool")
    here = rect_of(source_rect, source, f"{_WHAT}: source")
    there = rect_of(destination_rect, destination, f"{_WHAT}: destination")
    is_stretch = here.size != there.size
    if source.format.is_depth_stencil or destination.format.is_depth_stencil:
        _check_depth(source, here, destination, there)
    else:
        _check_origins(source, destination, is_stretch=is_stretch)
        _check_formats(source.format, destination.format, is_stretch=is_stretch)
        _check_samples(source, here, destination, there)
    written = units_in(destination, there)
    moved = _moved_bits(source, here, destination, there.size, chosen)
    written[...] = _converted(source, here, destination, there, chosen) if moved is None else moved


def _check_depth(source: Surface9, here: Rect, destination: Surface9, there: Rect) -> None:
    """Refuse everything but copies of whole surfaces that are alike."""
    for surface, rect in ((source, here), (destination, there)):
        if surface.origin is not Origin.DEPTH_STENCIL:
            raise ResourceError(f"{_WHAT}: {surface} is no plain depth-stencil surface")
        if rect.size != (surface.width, surface.height):
            raise ResourceError(
                f"{_WHAT}: found the rectangle {tuple(rect)}, wanted all of {surface}"
            )
    alike = source.format == destination.format and source.samples == destination.samples
    if not alike or here.size != there.size or source is destination:
        raise ResourceError(
            f"{_WHAT}: found {source} and {destination}, wanted two of the same format, size and "
            "samples"
        )


def _check_origins(source: Surface9, destination: Surface9, *, is_stretch: bool) -> None:
    pair = f"{source} to {destination}"
    to_plain = destination.origin is Origin.OFFSCREEN_PLAIN
    if to_plain and (is_stretch or source.origin is not Origin.OFFSCREEN_PLAIN):
        raise ResourceError(
            f"{_WHAT}: {pair} is refused: an off-screen plain surface takes only another one, "
            "unstretched"
        )
    if not to_plain and not destination.origin.is_render_target:
        raise ResourceError(f"{_WHAT}: {pair} is refused: wanted a render target to copy to")
    if is_stretch and source is destination:
        raise ResourceError(f"{_WHAT}: {pair} is refused: stretching wants two surfaces")


def _check_formats(source: D3D9Format, destination: D3D9Format, *, is_stretch: bool) -> None:
    is_compressed = Scheme.BLOCKS in (source.scheme, destination.scheme)
    if is_stretch and is_compressed:
        raise ResourceError(
            f"{_WHAT}: {source.name} to {destination.name}: compressed surfaces are not stretched"
        )
    if source == destination:
        return
    is_source = source.name in _BACK_BUFFERS or bool(source.fourcc and _is_decoded(source))
    if not is_source or destination.name not in _TARGETS:
        raise ResourceError(
            f"{_WHAT}: {source.name} to {destination.name} is refused: wanted the same format, or "
            "a FourCC or back buffer format to one of unsigned RGB"
        )


def _is_decoded(format_: D3D9Format) -> bool:
    """Whether a FourCC format's texels are colours that can be had: YUV of 8 bits, or RGB."""
    luma = format_.channel("y")
    return (luma is None or luma.bits == _YUV_BITS) and "p" not in format_.reads


def _check_samples(source: Surface9, here: Rect, destination: Surface9, there: Rect) -> None:
    if destination.samples == 1:
        return
    whole = (source.width, source.height) == here.size and here.size == there.size
    alike = source.samples == destination.samples and source.format == destination.format
    if not whole or not alike or (destination.width, destination.height) != there.size:
        raise ResourceError(
            f"{_WHAT}: found {source} to {destination}, wanted all of a surface alike as the "
            "source of a multisampled one"
        )


def _moved_bits(
    source: Surface9, here: Rect, destination: Surface9, size: tuple[int, int],
    filter_: TextureFilter,
) -> NDArray[np.uint8] | None:  # fmt: skip
    """Return the units to write where no texel's value is computed, else None."""
    if source.format != destination.format or source.samples != destination.samples:
        return None
    units = units_in(source, here)
    if here.size != size:
        if filter_ is TextureFilter.LINEAR or source.format.scheme is not Scheme.TEXELS:
            return None
        units = _under_centres(units, here.size, size)
    return units.copy() if np.may_share_memory(units, destination.array) else units


def _converted(
    source: Surface9, here: Rect, destination: Surface9, there: Rect, filter_: TextureFilter
) -> NDArray[np.uint8]:
    """Return the units to write, by way of components."""
    width, height = there.size
    numbers = _numbers(source, here)
    if here.size != there.size:
        if filter_ is TextureFilter.LINEAR:
            numbers = stretched(stretched(numbers, 1, width), 0, height)
        else:
            numbers = _under_centres(numbers, here.size, there.size)
    if source.format != destination.format and source.format.channel("y") is not None:
        numbers = rgb_from_yuv(numbers)
    texels = np.ascontiguousarray(encode(numbers, destination.format, D3D9))
    shape = units_in(destination, there).shape
    return texels.view(np.uint8).reshape(shape)


def _numbers(source: Surface9, here: Rect) -> NDArray[np.float32]:
    """Return the components of a rectangle's texels, (height, width, 4)."""
    units = units_in(source, here)
    whole = decode(units if units.shape[-1] > 1 else units[..., 0], source.format, D3D9)
    if source.samples > 1:
        whole = mean(whole, 2)
    width, height = here.size
    return whole[:height, :width]


def _under_centres(
    texels: NDArray[Any], here: tuple[int, int], there: tuple[int, int]
) -> NDArray[Any]:
    """Return the texels under the centres of a rectangle of another size."""
    columns, rows = (
        (2 * np.arange(wanted, dtype=np.int64) + 1) * count // (2 * wanted)
        for count, wanted in zip(here, there, strict=True)
    )
    return texels[rows[:, None], columns]
