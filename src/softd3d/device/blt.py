"""The depth-stencil Blt: copies between an opaque surface and one that applications can lock.

Spec: WDK "Copying Depth-Stencil Values" ("the page"), D3DDDI_BLTFLAGS, and Direct3D 9Ex "Reading
Depth/Stencil Buffers". docs/depth-stencil-blt.md takes the page sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntFlag
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer, integers, one_of, shown
from softd3d.device.blt_engines import ENGINES, Area, convert_area
from softd3d.errors import ResourceError
from softd3d.formats.depth_stencil import (
    PAGE_READINGS,
    DepthStencilFormat,
    Readings,
    depth_stencil_format,
    shared_components,
)
from softd3d.jit.abi import MAX_THREADS
from softd3d.resources.textures.depth_stencil import Surface

__all__ = ["BltFlags", "blt"]


class BltFlags(IntFlag):
    """D3DDDI_BLTFLAGS (d3dumddi.h), those that a depth-stencil Blt can be asked for."""

    POINT = 0x01
    LINEAR = 0x02
    SRC_COLOR_KEY = 0x04
    DST_COLOR_KEY = 0x08
    MIRROR_LEFT_RIGHT = 0x10
    MIRROR_UP_DOWN = 0x20


_COLOR_KEY = BltFlags.SRC_COLOR_KEY | BltFlags.DST_COLOR_KEY
_MIRROR = BltFlags.MIRROR_LEFT_RIGHT | BltFlags.MIRROR_UP_DOWN
_KNOWN = BltFlags.POINT | BltFlags.LINEAR | _COLOR_KEY | _MIRROR
_PAGE = 'WDK "Copying Depth-Stencil Values"'
_PERFORM = 'the reading extras="perform" allows it'


class _Rect(NamedTuple):
    """Texels left <= x < right, top <= y < bottom."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    def of(self, surface: Surface) -> NDArray[Any]:
        return surface.texels[self.top : self.bottom, self.left : self.right]


def blt(
    source: Surface, destination: Surface, source_rect: Sequence[int] | None = None,
    point: Sequence[int] = (0, 0), *, destination_rect: Sequence[int] | None = None,
    flags: BltFlags | int = BltFlags.POINT, color_key: int = 0,
    readings: Readings = PAGE_READINGS,
    supported: Collection[str | int | DepthStencilFormat] | None = None,
    engine: str | None = None, threads: int = 0,
) -> None:  # fmt: skip
    """Copy a rectangle of texels, converted to the destination's format.

    Channels that only the source has are dropped; those that only the destination has stay. Where
    the surfaces share memory, the result is as if the source were copied first.

    Args:
        source: what is read.
        destination: what is written, in place.
        source_rect: left, top, right, bottom in texels, the last two exclusive; by default all.
        point: x, y of the destination's texel that the first one goes to.
        destination_rect: instead of `point`. Another size than the source's is a stretch.
        flags: as a driver gets them; sampling is by point always.
        color_key: the raw texel that a colour key compares with.
        readings: of what the page leaves open; the defaults are the recommended ones.
        supported: formats of the driver that is modelled; by default all.
        engine: "jit", "interpreter", or None for what is quicker. The bits are the same.
        threads: of the CPU, for the JIT; 0 for all.

    Raises:
        ResourceError: the pair of formats is refused, a rectangle is empty or reaches beyond its
            surface, something is asked for that the page does not, or the array is read-only.

    >>> packed = Surface(np.array([[0xFFFFFF07]], np.uint32), "D24S8")
    >>> numbers = Surface(np.zeros((1, 1), np.float32), "D32F_LOCKABLE")
    >>> blt(packed, numbers)
    >>> numbers.array.item()
    1.0
    """
    _check_types(source, destination, readings)
    _check_formats(source.format, destination.format, readings, supported)
    flags = _checked_flags(flags, readings)
    key = integer(color_key, "blt: colour key")
    _check_run(engine, threads)
    rect = _rect_of(source_rect, source, "source")
    target = _target(rect, point, destination_rect, destination)
    _check_sizes(rect, target, readings)
    written = target.of(destination)
    texels = _sampled(rect.of(source), written, flags)
    kept = _kept_texels(texels, written, flags, key)
    before = None if kept is None else written.copy()
    convert_area(
        Area(source.format, texels), Area(destination.format, written), readings, engine, threads
    )
    if kept is not None and before is not None:
        np.copyto(written, before, where=kept)


def _check_types(source: object, destination: object, readings: object) -> None:
    for surface in (source, destination):
        if not isinstance(surface, Surface):
            raise ResourceError(f"blt: found {type(surface).__name__}, wanted a Surface")
    if isinstance(destination, Surface) and not destination.array.flags.writeable:
        raise ResourceError("blt: the destination's array is read-only")
    if not isinstance(readings, Readings):
        raise ResourceError(f"blt: found readings {shown(readings)}, wanted Readings(...)")


def _check_formats(
    source: DepthStencilFormat,
    destination: DepthStencilFormat,
    readings: Readings,
    supported: Collection[str | int | DepthStencilFormat] | None,
) -> None:
    """Refuse what the runtime refuses, and what the driver does not have."""
    if supported is not None:
        known = {depth_stencil_format(name).name for name in supported}
        for format_ in (source, destination):
            if format_.name not in known:
                raise ResourceError(
                    f"blt: format {format_.name} is not one that the driver supports ({_PAGE}: "
                    "conversions are for driver-supported formats)"
                )
    pair = f"{source.name} to {destination.name}"
    if not shared_components(source, destination):
        raise ResourceError(
            f"blt: {pair} is refused: the formats share no channel, and the runtime does not let "
            f"such surfaces be copied ({_PAGE})"
        )
    if readings.pairs == "all" or (source is destination and readings.pairs == "page-or-equal"):
        return
    if not _is_of_page(source, destination, readings):
        kind = "lockable" if source.is_lockable else "opaque"
        raise ResourceError(
            f"blt: {pair} is refused: both are {kind}, and conversions are from opaque formats to "
            f'lockable ones or back ({_PAGE}); the reading pairs="all" allows it'
        )


def _is_of_page(
    source: DepthStencilFormat, destination: DepthStencilFormat, readings: Readings
) -> bool:
    """Tell whether one side is opaque and the other lockable."""

    def is_opaque(format_: DepthStencilFormat) -> bool:
        return not format_.is_lockable or (readings.s8 == "opaque" and format_.depth is None)

    return (is_opaque(source) and destination.is_lockable) or (
        source.is_lockable and is_opaque(destination)
    )


def _checked_flags(value: object, readings: Readings) -> BltFlags:
    if not isinstance(value, int) or value & ~int(_KNOWN):
        raise ResourceError(f"blt: found flags {shown(value)}, wanted BltFlags")
    flags = BltFlags(value)
    if flags & BltFlags.LINEAR:
        raise ResourceError(
            f"blt: linear filtering is refused: depth-stencil copies sample by point ({_PAGE})"
        )
    for asked, word in ((_MIRROR, "mirroring"), (_COLOR_KEY, "colour keying")):
        if flags & asked and readings.extras == "refuse":
            raise ResourceError(
                f"blt: {word} is refused: it is not required of a depth-stencil copy ({_PAGE}); "
                f"{_PERFORM}"
            )
    return flags


def _rect_of(rect: Sequence[int] | None, surface: Surface, what: str) -> _Rect:
    if rect is None:
        return _Rect(0, 0, surface.width, surface.height)
    numbers = integers(rect, 4, f"blt: {what} rectangle", "left, top, right, bottom as integers")
    found = _Rect(*numbers)
    inside = found.left >= 0 and found.top >= 0
    if found.is_empty or not inside or found.right > surface.width or found.bottom > surface.height:
        state = "is empty" if found.is_empty else "is not inside the surface"
        raise ResourceError(
            f"blt: the {what} rectangle {tuple(found)} {state} of {surface.width} x "
            f"{surface.height} texels"
        )
    return found


def _target(
    rect: _Rect, point: Sequence[int], given: Sequence[int] | None, destination: Surface
) -> _Rect:
    x, y = integers(point, 2, "blt: point", "x, y as integers")
    if given is None:
        given = (x, y, x + rect.right - rect.left, y + rect.bottom - rect.top)
    elif (x, y) != (0, 0):
        raise ResourceError("blt: found both a point and a destination rectangle, wanted one")
    return _rect_of(given, destination, "destination")


def _check_run(engine: object, threads: object) -> None:
    if engine is not None:
        one_of(engine, "blt: engine", ENGINES)
    integer(threads, "blt: threads", range(MAX_THREADS + 1))


def _check_sizes(rect: _Rect, target: _Rect, readings: Readings) -> None:
    sizes = [(r.right - r.left, r.bottom - r.top) for r in (rect, target)]
    if sizes[0] != sizes[1] and readings.extras == "refuse":
        found = " and ".join(f"{width} x {height}" for width, height in sizes)
        raise ResourceError(
            f"blt: found rectangles of {found} texels: stretching is refused, it is not required "
            f"of a depth-stencil copy ({_PAGE}); {_PERFORM}"
        )


def _sampled(texels: NDArray[Any], written: NDArray[Any], flags: BltFlags) -> NDArray[Any]:
    """Return the source's texels under the centres of the destination's; not in its memory."""
    is_mirrored = bool(flags & _MIRROR)
    if not is_mirrored and texels.shape == written.shape:
        return texels.copy() if np.may_share_memory(texels, written) else texels
    rows, columns = (
        _centres(count, wanted) for count, wanted in zip(texels.shape, written.shape, strict=True)
    )
    if flags & BltFlags.MIRROR_UP_DOWN:
        rows = rows[::-1]
    if flags & BltFlags.MIRROR_LEFT_RIGHT:
        columns = columns[::-1]
    return texels[rows[:, None], columns]


def _centres(count: int, wanted: int) -> NDArray[np.int64]:
    return (2 * np.arange(wanted, dtype=np.int64) + 1) * count // (2 * wanted)


def _kept_texels(
    texels: NDArray[Any], written: NDArray[Any], flags: BltFlags, color_key: int
) -> NDArray[np.bool_] | None:
    """Return where colour keys forbid to write, None where nothing does."""
    kept = None
    if flags & BltFlags.SRC_COLOR_KEY:
        kept = texels == color_key
    if flags & BltFlags.DST_COLOR_KEY:
        other = written != color_key
        kept = other if kept is None else kept | other
    return kept
