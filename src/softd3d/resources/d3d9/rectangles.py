"""Rectangles of surfaces of Direct3D 9, in texels, and the units inside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integers
from softd3d.errors import ResourceError
from softd3d.resources.d3d9.surfaces import Surface9

__all__ = ["Rect", "check_surface", "rect_of", "units_in"]


class Rect(NamedTuple):
    """RECT: texels left <= x < right, top <= y < bottom."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.right - self.left, self.bottom - self.top


def check_surface(surface: object, what: str, *, writes: bool = False) -> Surface9:
    """Return a surface that may be used now.

    Raises:
        ResourceError: no surface, one that is locked, or one to write to over a read-only array.
    """
    if not isinstance(surface, Surface9):
        raise ResourceError(f"{what}: found {type(surface).__name__}, wanted a Surface9")
    if surface.is_locked:
        raise ResourceError(f"{what}: {surface} is locked")
    if writes and not surface.array.flags.writeable:
        raise ResourceError(f"{what}: the destination's array is read-only")
    return surface


def rect_of(rect: Rect | Sequence[int] | None, surface: Surface9, what: str) -> Rect:
    """Return a rectangle inside a surface, all of it for None.

    Sides lie between blocks or 4:2:2 units where the format has them, or at the right and bottom
    edges.

    Raises:
        ResourceError: it is empty, reaches beyond the surface, or a side is not where it may be.
    """
    if rect is None:
        return Rect(0, 0, surface.width, surface.height)
    names = "left, top, right, bottom as integers"
    found = Rect(*integers(rect, 4, f"{what}: rectangle", names))
    width, height = found.size
    is_inside = found.left >= 0 and found.top >= 0
    is_inside &= found.right <= surface.width and found.bottom <= surface.height
    if width <= 0 or height <= 0 or not is_inside:
        state = "is not inside the surface" if width > 0 and height > 0 else "is empty"
        raise ResourceError(
            f"{what}: the rectangle {tuple(found)} {state} of {surface.width} x {surface.height} "
            "texels"
        )
    wide, high = surface.format.block_width, surface.format.block_height
    fits = found.left % wide == found.top % high == 0
    fits &= found.right % wide == 0 or found.right == surface.width
    fits &= found.bottom % high == 0 or found.bottom == surface.height
    if not fits:
        raise ResourceError(
            f"{what}: found the rectangle {tuple(found)}, wanted sides at multiples of "
            f"{wide} x {high} texels of {surface.format.name} or at the edge"
        )
    return found


def units_in(surface: Surface9, rect: Rect) -> NDArray[np.uint8]:
    """Return the units in a rectangle, the surface's own memory."""
    wide, high = surface.format.block_width, surface.format.block_height
    rows = slice(rect.top // high, -(-rect.bottom // high))
    return surface.units[rows, rect.left // wide : -(-rect.right // wide)]
