"""Surfaces as render targets and depth-stencil views of draws.

Spec: win32 IDirect3DDevice9::SetRenderTarget, ::SetDepthStencilSurface, D3DFORMAT.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.null_target import NULL
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format
from softd3d.formats.dxgi import DXGI_FORMATS, Format
from softd3d.formats.layout import Scheme
from softd3d.pipeline.prepared import Target
from softd3d.resources.d3d9.surfaces import Surface9
from softd3d.resources.views.origin import Held, Origin, origin_of

__all__ = ["BoundTarget", "DrawTargets", "bound_target", "target_format", "targets_of"]

_ALIGNMENT = 4  # bytes
_SRGB = {"A8R8G8B8": "B8G8R8A8_UNORM_SRGB", "X8R8G8B8": "B8G8R8X8_UNORM_SRGB"}
"""The formats that SRGBWRITEENABLE works for."""


@dataclass(frozen=True, slots=True)
class BoundTarget:
    """A surface as a draw sees it, and where its memory is."""

    target: Target
    held: Held


def target_format(format_: D3D9Format, *, is_srgb: bool = False) -> Format:
    """Return how the pipeline reads and writes a surface; is_srgb: as SRGBWRITEENABLE says."""
    srgb = _SRGB.get(format_.name) if is_srgb else None
    return format_ if srgb is None else DXGI_FORMATS[srgb]


def bound_target(surface: Surface9, name: str, *, is_srgb: bool = False) -> BoundTarget:
    """Return a surface as a target.

    name: in errors. is_srgb: whether SRGBWRITEENABLE is on.

    Raises:
        ResourceError: the surface is read-only, of blocks, or its texels do not lie next to
            each other.
    """
    array, size = surface.units, surface.format.bytes_per_block
    if surface.format.scheme is not Scheme.TEXELS:
        raise ResourceError(f"{name}: {surface} cannot be drawn to")
    if not array.flags.writeable:
        raise ResourceError(f"{name}: the array of {surface} is read-only")
    data, offset = _memory(array, name)
    step = size * surface.samples
    row = array.strides[0] if surface.height > 1 else step * surface.width
    is_tight = surface.width == 1 or array.strides[1] == step
    if surface.samples > 1:
        is_tight = is_tight and array.strides[2] == size
    last = offset + row * (surface.height - 1) + step * surface.width
    is_inside = step * surface.width <= row and last <= data.size
    if not is_tight or not is_inside or (offset | row) % min(size, _ALIGNMENT):
        raise ResourceError(
            f"{name}: the texels of {surface} have strides {array.strides}, wanted them next to "
            "each other"
        )
    target = Target(
        name, target_format(surface.format, is_srgb=is_srgb), data, offset, row,
        row * surface.height, surface.width, surface.height, 1, surface.samples,
    )  # fmt: skip
    return BoundTarget(target, Held(_origin(surface), name, is_written=True))


def _memory(array: NDArray[np.uint8], name: str) -> tuple[NDArray[np.uint8], int]:
    """Return all of the memory that an array lies in, as bytes, and where it begins there."""
    owner: NDArray[np.generic] = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    start = owner.__array_interface__["data"][0]
    if not owner.flags.c_contiguous or start % _ALIGNMENT:
        raise ResourceError(
            f"{name}: found an array whose memory is not contiguous, or does not start at a "
            f"multiple of {_ALIGNMENT} bytes"
        )
    data = np.asarray(owner).reshape(-1).view(np.uint8)
    return data, array.__array_interface__["data"][0] - start


def _origin(surface: Surface9) -> Origin:
    return origin_of(surface.array)


@dataclass(frozen=True, slots=True)
class DrawTargets:
    """The targets of a draw.

    slots: without empty ones at the end. size: width and height of what is drawn to. facts: of
    them that code depends on.
    """

    slots: tuple[Target | None, ...]
    depth: Target | None
    size: tuple[int, int]
    samples: int
    held: tuple[Held, ...]

    @property
    def facts(self) -> tuple[object, ...]:
        """Format and samples of each target and of depth; None where there is none."""
        every = (*self.slots, self.depth)
        return tuple(None if t is None else (t.format.name, t.samples) for t in every)


def targets_of(
    surfaces: Sequence[Surface9 | None], depth: Surface9 | None, written: Collection[int], *,
    is_srgb: bool,
) -> DrawTargets:  # fmt: skip
    """Return the targets of a draw.

    surfaces: by slot. written: the slots that the pixel program writes; others keep what they have.
    is_srgb: SRGBWRITEENABLE.

    Raises:
        ResourceError: as `bound_target`; there is no target 0; targets of other sizes or samples.
    """
    first = surfaces[0]
    if first is None:
        raise ResourceError("draw: found no render target 0")
    for slot, surface in enumerate(surfaces):
        if surface is not None and not _is_alike(surface, first):
            raise ResourceError(
                f"draw: render target {slot} is {surface}, wanted size and samples of {first}"
            )
    width, height = first.width, first.height
    if depth is not None:
        if depth.samples != first.samples:
            raise ResourceError(f"draw: found {depth} with {first}, wanted as many samples")
        width, height = min(width, depth.width), min(height, depth.height)
    bound = [
        bound_target(surface, f"render target {slot}", is_srgb=is_srgb)
        if surface is not None and slot in written and surface.format.name != NULL
        else None
        for slot, surface in enumerate(surfaces)
    ]
    while bound and bound[-1] is None:
        bound.pop()
    seen = None if depth is None else bound_target(depth, "depth-stencil surface")
    return DrawTargets(
        tuple(None if b is None else b.target for b in bound),
        None if seen is None else seen.target, (width, height), first.samples,
        tuple(b.held for b in (*bound, seen) if b is not None),
    )  # fmt: skip


def _is_alike(a: Surface9, b: Surface9) -> bool:
    return (a.width, a.height, a.samples) == (b.width, b.height, b.samples)
