"""UpdateSurface, UpdateTexture, GetRenderTargetData and ColorFill of Direct3D 9.

Spec: win32 IDirect3DDevice9::UpdateSurface, ::UpdateTexture, ::GetRenderTargetData, ::ColorFill.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softd3d.arguments import integer, integers
from softd3d.errors import ResourceError
from softd3d.formats.rules import D3D9
from softd3d.resources.d3d9.rectangles import Rect, check_surface, rect_of, units_in
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9, Texture9
from softd3d.resources.texels.yuv import yuv_from_rgb
from softd3d.resources.transfer.conversion import decode, encode

__all__ = ["color_fill", "get_render_target_data", "update_surface", "update_texture"]

_CPU_SOURCES = (Origin.TEXTURE, Origin.OFFSCREEN_PLAIN)
_LARGEST_COLOR = 0xFFFFFFFF


def update_surface(
    source: Surface9, source_rect: Rect | Sequence[int] | None, destination: Surface9,
    destination_point: Sequence[int] | None = None,
) -> None:  # fmt: skip
    """Copy a rectangle from system memory to the default pool.

    Args:
        source: a texture or off-screen plain surface in SYSTEMMEM.
        source_rect: left, top, right, bottom in texels; None for all.
        destination: what is written, in place; in DEFAULT.
        destination_point: x, y of the texel that the first one goes to; None for 0, 0.

    Raises:
        ResourceError: pools, kinds or formats that the page does not allow, several samples, depth
            and stencil, a rectangle that does not fit or is not made of whole blocks.
    """
    what = "update_surface"
    check_surface(source, what)
    check_surface(destination, what, writes=True)
    _check_update(source, destination, what)
    here = rect_of(source_rect, source, f"{what}: source")
    point = (0, 0) if destination_point is None else destination_point
    x, y = integers(point, 2, f"{what}: point", "x, y as integers")
    width, height = here.size
    there = rect_of((x, y, x + width, y + height), destination, f"{what}: destination")
    written, read = units_in(destination, there), units_in(source, here)
    written[...] = read.copy() if np.may_share_memory(written, read) else read


def update_texture(source: Texture9, destination: Texture9) -> None:
    """Copy a texture from system memory to one in the default pool, level by level.

    Where the source has more levels, its largest ones are left out. All of a level is copied, not
    only what is dirty, as Direct3D may do. Of a destination that generates levels it is the first.

    Raises:
        ResourceError: textures of other types, formats or sizes, or in other pools; a source with
            fewer levels; a surface that is locked.
    """
    skipped = _skipped_levels(source, destination)
    for level in range(destination.levels):
        for slice_ in range(destination.slices(level)):
            here = source.surface(level + skipped, slice_)
            destination.surface(level, slice_).units[...] = here.units


def get_render_target_data(render_target: Surface9, destination: Surface9) -> None:
    """Copy a render target to a surface in system memory.

    Raises:
        ResourceError: no render target in DEFAULT, no texture or off-screen plain surface in
            SYSTEMMEM, several samples, another size or format.
    """
    what = "get_render_target_data"
    check_surface(render_target, what)
    check_surface(destination, what, writes=True)
    if not render_target.origin.is_render_target:
        raise ResourceError(f"{what}: {render_target} is no render target")
    if render_target.samples > 1:
        raise ResourceError(f"{what}: {render_target} is multisampled; stretch_rect averages it")
    if destination.origin not in _CPU_SOURCES or destination.pool is not Pool.SYSTEMMEM:
        raise ResourceError(
            f"{what}: found {destination}, wanted a texture or off-screen plain surface in "
            "SYSTEMMEM"
        )
    sizes = [(s.width, s.height, s.format) for s in (render_target, destination)]
    if sizes[0] != sizes[1]:
        raise ResourceError(
            f"{what}: found {render_target} and {destination}, wanted the same size and format"
        )
    destination.units[...] = render_target.units.copy()


def color_fill(surface: Surface9, rect: Rect | Sequence[int] | None, color: int) -> None:
    """Fill a rectangle with a colour, converted to the surface's format.

    Args:
        surface: a render target or off-screen plain surface in DEFAULT.
        rect: left, top, right, bottom in texels; None for all.
        color: D3DCOLOR, 0xAARRGGBB. For YUV formats it is converted too.

    Raises:
        ResourceError: a surface that the page does not allow, a rectangle that is empty, out of
            bounds or not made of whole blocks, a format that colours are not converted to.

    >>> surface = Surface9(np.zeros((1, 2), np.uint16), "R5G6B5")
    >>> color_fill(surface, (1, 0, 2, 1), 0xFFFF0000)
    >>> [hex(texel) for texel in surface.array[0]]
    ['0x0', '0xf800']
    """
    what = "color_fill"
    check_surface(surface, what, writes=True)
    is_allowed = surface.origin.is_render_target or surface.origin is Origin.OFFSCREEN_PLAIN
    if not is_allowed or surface.pool is not Pool.DEFAULT:
        raise ResourceError(
            f"{what}: found {surface}, wanted a render target or off-screen plain surface in "
            "DEFAULT"
        )
    found = rect_of(rect, surface, what)
    color = integer(color, f"{what}: colour")
    if not 0 <= color <= _LARGEST_COLOR:
        raise ResourceError(f"{what}: found colour {color}, wanted 0 to {_LARGEST_COLOR:#x}")
    units_in(surface, found)[...] = _unit_of(surface, color)


def _unit_of(surface: Surface9, color: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Return the bytes of a texel, pair or block of one colour."""
    format_ = surface.format
    numbers = decode(np.array([[color]], np.uint32), "A8R8G8B8", D3D9)
    if format_.channel("y") is not None:
        numbers = yuv_from_rgb(numbers)
    texels = np.broadcast_to(numbers, (format_.block_height, format_.block_width, 4))
    unit = np.ascontiguousarray(encode(np.ascontiguousarray(texels), format_, D3D9))
    return unit.view(np.uint8).reshape(format_.bytes_per_block)


def _skipped_levels(source: object, destination: object) -> int:
    """Return how many levels only the source has, after checking that the others match."""
    what = "update_texture"
    if not isinstance(source, Texture9) or not isinstance(destination, Texture9):
        found = f"{type(source).__name__} and {type(destination).__name__}"
        raise ResourceError(f"{what}: found {found}, wanted two Texture9")
    _check_pools(source, destination, what)
    if (source.type, source.format) != (destination.type, destination.format):
        raise ResourceError(
            f"{what}: found {source} and {destination}, wanted the same type and format"
        )
    skipped = 0 if destination.is_generated else source.levels - destination.levels
    if skipped < 0:
        raise ResourceError(f"{what}: found {source} with fewer levels than {destination}")
    for level in range(destination.levels):
        if _extent(source, level + skipped) != _extent(destination, level):
            raise ResourceError(f"{what}: found {source} and {destination}, wanted matching levels")
        for slice_ in range(destination.slices(level)):
            check_surface(source.surface(level + skipped, slice_), what)
            check_surface(destination.surface(level, slice_), what)
    return skipped


def _extent(texture: Texture9, level: int) -> tuple[int, int, int]:
    """Return width, height and slices of a level."""
    top = texture.surface(level)
    return top.width, top.height, texture.slices(level)


def _check_update(source: Surface9, destination: Surface9, what: str) -> None:
    _check_pools(source, destination, what)
    if source.format != destination.format or source.format.is_depth_stencil:
        raise ResourceError(
            f"{what}: found {source} and {destination}, wanted one format, without depth or stencil"
        )
    if source.samples > 1 or destination.samples > 1:
        raise ResourceError(f"{what}: found a multisampled surface, wanted 1 sample")
    if source.origin not in _CPU_SOURCES:
        raise ResourceError(f"{what}: {source} cannot be the source")


def _check_pools(source: Surface9 | Texture9, destination: Surface9 | Texture9, what: str) -> None:
    if source.pool is not Pool.SYSTEMMEM or destination.pool is not Pool.DEFAULT:
        raise ResourceError(
            f"{what}: found {source.pool.name} and {destination.pool.name}, wanted a source in "
            "SYSTEMMEM and a destination in DEFAULT"
        )
