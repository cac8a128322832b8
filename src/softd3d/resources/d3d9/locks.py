"""LockRect: the memory of a rectangle of a surface, for as long as a block of code runs.

Spec: win32 IDirect3DSurface9::LockRect, D3DLOCK, D3DFORMAT (which depth formats are lockable).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import shown
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.resources.d3d9.rectangles import Rect, check_surface, rect_of, units_in
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9

__all__ = ["LockFlags", "LockedRect", "lock_rect"]


class LockFlags(IntFlag):
    """D3DLOCK (d3d9types.h), those that LockRect takes."""

    READONLY = 0x10
    NOSYSLOCK = 0x800
    DISCARD = 0x2000
    DONOTWAIT = 0x4000
    NO_DIRTY_UPDATE = 0x8000


_ALL = sum(LockFlags)


@dataclass(frozen=True, slots=True, eq=False)
class LockedRect:
    """D3DLOCKED_RECT: memory of the surface; read-only after the block.

    pitch: bytes from a row of texels or blocks to the next; the array's. units: uint8, (rows,
    columns, bytes). texels: the same as the array's items.
    """

    pitch: int
    units: NDArray[np.uint8]
    texels: NDArray[Any]


@contextmanager
def lock_rect(
    surface: Surface9, rect: Rect | Sequence[int] | None = None, flags: LockFlags | int = 0
) -> Generator[LockedRect, None, None]:
    """Lock a rectangle of a surface for a block of code; until its end no call takes the surface.

    Args:
        surface: of which a rectangle is locked.
        rect: left, top, right, bottom in texels; by default all.
        flags: READONLY gives read-only arrays. DISCARD leaves the contents undefined in Direct3D;
            here they become 0. The others change nothing: dirty regions are not recorded.

    Raises:
        ResourceError: a surface that cannot be locked or is locked already, a rectangle that is
            empty, out of bounds or not made of whole blocks, flags that do not go together.

    >>> surface = Surface9(np.zeros((2, 2), np.uint16), "R5G6B5", pool=Pool.SYSTEMMEM)
    >>> with lock_rect(surface, (1, 0, 2, 2)) as locked:
    ...     locked.texels[...] = 9
    >>> surface.array.tolist()
    [[0, 9], [0, 9]]
    """
    check_surface(surface, "lock_rect")
    chosen = _checked_flags(flags, surface, has_rect=rect is not None)
    _check_lockable(surface)
    is_read = bool(chosen & LockFlags.READONLY)
    check_surface(surface, "lock_rect", writes=not is_read)
    found = rect_of(rect, surface, "lock_rect")
    units = units_in(surface, found)
    texels = _texels(surface, found)
    if chosen & LockFlags.DISCARD:
        units[...] = 0
    for array in (units, texels):
        array.flags.writeable = not is_read
    surface.is_locked = True
    try:
        yield LockedRect(surface.units.strides[0], units, texels)
    finally:
        surface.is_locked = False
        for array in (units, texels):  # a pointer that is no longer to be used
            array.flags.writeable = False


def _checked_flags(value: object, surface: Surface9, *, has_rect: bool) -> LockFlags:
    if not isinstance(value, int) or value & ~_ALL:
        raise ResourceError(f"lock_rect: found flags {shown(value)}, wanted LockFlags")
    flags = LockFlags(value)
    if not flags & LockFlags.DISCARD:
        return flags
    if has_rect or flags & LockFlags.READONLY:
        raise ResourceError(
            "lock_rect: found DISCARD with a rectangle or READONLY, wanted all of the surface"
        )
    if not surface.is_dynamic:
        raise ResourceError(f"lock_rect: found DISCARD for {surface}, which is not dynamic")
    return flags


def _check_lockable(surface: Surface9) -> None:
    """Refuse surfaces whose memory applications cannot reach."""
    origin = surface.origin
    if surface.samples > 1 or origin is Origin.RENDER_TARGET_TEXTURE:
        allowed = False
    elif surface.format.is_depth_stencil:
        allowed = surface.format.is_lockable
    elif origin is Origin.RENDER_TARGET:
        allowed = surface.is_lockable
    elif origin is Origin.TEXTURE:
        allowed = surface.pool is not Pool.DEFAULT or surface.is_dynamic
    else:
        allowed = True
    if not allowed:
        raise ResourceError(f"lock_rect: {surface} cannot be locked")


def _texels(surface: Surface9, rect: Rect) -> NDArray[Any]:
    wide, high = surface.format.block_width, surface.format.block_height
    rows = slice(rect.top // high, -(-rect.bottom // high))
    return surface.array[rows, rect.left // wide : -(-rect.right // wide)]
