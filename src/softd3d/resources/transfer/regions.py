"""Subresources as arrays of bytes that share their memory, and boxes of texels inside them.

A unit is what stands alone in memory: a texel with all its samples, a pair, a block, or a byte of a
buffer. Spec: D3D11.3 section 5.2; win32 D3D11_BOX; "Block Compression (Direct3D 10)", where small
mips of blocks are padded to whole ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer, integers
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.texture import Texture

__all__ = [
    "Box",
    "Buffer",
    "Region",
    "Resource",
    "Subresource",
    "check_resource",
    "region_at",
    "region_of",
    "subresource",
    "subresource_count",
]

Buffer = RawBuffer | StructuredBuffer | TypedBuffer
Resource = Texture | Buffer
_AXES = ("x", "y", "z")
_SIDES = (("left", "right"), ("top", "bottom"), ("front", "back"))


class Box(NamedTuple):
    """D3D11_BOX: texels left <= x < right and so on; bytes, for buffers."""

    left: int
    top: int
    front: int
    right: int
    bottom: int
    back: int

    @property
    def is_empty(self) -> bool:
        return self.left >= self.right or self.top >= self.bottom or self.front >= self.back


@dataclass(frozen=True, slots=True, eq=False)
class Subresource:
    """A mip level of a slice, or all of a buffer.

    name: for messages. units: uint8, (depth, rows, columns, bytes), the resource's own memory.
    extent: width, height, depth in texels. unit: how many texels one unit is wide, high and deep.
    step: bytes that a box of a structured buffer counts in, else 1.
    """

    name: str
    units: NDArray[np.uint8]
    extent: tuple[int, int, int]
    unit: tuple[int, int, int]
    axes: int
    samples: int
    format: Format | None
    step: int = 1


@dataclass(frozen=True, slots=True)
class Region:
    """Units first[0] <= column < first[0] + size[0] and so on: columns, rows, depth."""

    first: tuple[int, int, int]
    size: tuple[int, int, int]

    def of(self, units: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the part of (depth, rows, columns, bytes)."""
        (x, y, z), (columns, rows, depth) = self.first, self.size
        return units[z : z + depth, y : y + rows, x : x + columns]


def check_resource(resource: object, what: str) -> Resource:
    """Return what is a texture or buffer.

    Raises:
        ResourceError: something else.
    """
    if isinstance(resource, (Texture, RawBuffer, StructuredBuffer, TypedBuffer)):
        return resource
    raise ResourceError(f"{what}: found {type(resource).__name__}, wanted a texture or buffer")


def subresource_count(resource: Resource) -> int:
    """Return the number of subresources: mips times slices, 1 for a buffer."""
    if not isinstance(resource, Texture):
        return 1
    return resource.layout.mips * resource.layout.slices


def subresource(resource: Resource, index: int) -> Subresource:
    """Return a subresource by its number.

    Raises:
        ResourceError: there is none with this number.
    """
    count = subresource_count(resource)
    kind = resource.kind.name if isinstance(resource, Texture) else type(resource).__name__
    index = integer(index, f"{kind}: subresource")
    if not 0 <= index < count:
        raise ResourceError(f"{kind}: found subresource {index}, wanted one of {count}")
    name = f"{kind} subresource {index}"
    if isinstance(resource, Texture):
        return _of_texture(resource, index, name)
    whole = resource.describe()
    step = whole.stride if isinstance(resource, StructuredBuffer) else 1
    units = whole.data.reshape(1, 1, whole.size, 1)
    return Subresource(name, units, (whole.size, 1, 1), (1, 1, 1), 0, 1, None, step)


def region_of(box: Box | Sequence[int] | None, of: Subresource) -> Region | None:
    """Return the units in a box, all for None; None for an empty box, which is no error.

    Sides of a box lie between units. The right and bottom ones may also be the edge of a mip whose
    last blocks are not full, or that of these blocks.

    Raises:
        ResourceError: the box is not inside, or a side is not where it may be.
    """
    if box is None:
        depth, rows, columns, _ = of.units.shape
        return Region((0, 0, 0), (columns, rows, depth))
    numbers = integers(
        box, 6, f"{of.name}: box", "left, top, front, right, bottom, back as integers"
    )
    found = Box(*numbers)
    if found.is_empty:
        return None
    first: list[int] = []
    size: list[int] = []
    for axis in range(3):
        low, high = found[axis], found[axis + 3]
        start, end = _range(of, axis, low, high)
        first.append(start)
        size.append(end - start)
    return Region((first[0], first[1], first[2]), (size[0], size[1], size[2]))


def region_at(position: Sequence[int], size: tuple[int, int, int], of: Subresource) -> Region:
    """Return the units at a position in texels, as many as a source has.

    Raises:
        ResourceError: the position is not the first texel of a unit, or they reach beyond the
            subresource.
    """
    x, y, z = integers(position, 3, f"{of.name}: position", "x, y, z as integers")
    columns, rows, depth = of.units.shape[2::-1]
    if size[0] % of.step:
        raise ResourceError(f"{of.name}: found {size[0]} bytes, wanted a multiple of {of.step}")
    first: list[int] = []
    for axis, (at, count, wanted) in enumerate(
        zip((x, y, z), (columns, rows, depth), size, strict=True)
    ):
        unit = of.unit[axis] * (of.step if axis == 0 else 1)
        if at % unit:
            raise ResourceError(
                f"{of.name}: found {_AXES[axis]} {at} for the destination, "
                f"wanted a multiple of {unit}"
            )
        start = at // of.unit[axis]
        if at < 0 or start + wanted > count:
            raise ResourceError(
                f"{of.name}: the copy is out of bounds: found {_AXES[axis]} from {at} to "
                f"{at + wanted * of.unit[axis]}, wanted 0 to {count * of.unit[axis]}"
            )
        first.append(start)
    return Region((first[0], first[1], first[2]), size)


def _of_texture(texture: Texture, index: int, name: str) -> Subresource:
    layout = texture.layout
    slice_, level = divmod(index, layout.mips)
    columns, rows, depth = layout.units(level)
    found = texture.mip(level, slice_)
    return Subresource(
        name, found.reshape(-1).view(np.uint8).reshape(depth, rows, columns, -1),
        layout.extent(level), (layout.block_width, layout.block_height, 1),
        layout.kind.axes, layout.samples, texture.format,
    )  # fmt: skip


def _range(of: Subresource, axis: int, low: int, high: int) -> tuple[int, int]:
    """Return the units between two sides of a box."""
    names, extent, unit = _SIDES[axis], of.extent[axis], of.unit[axis]
    whole = -(-extent // unit) * unit
    step = unit * (of.step if axis == 0 else 1)
    if low < 0 or high > whole:
        raise ResourceError(
            f"{of.name}: the box is out of bounds: found {names[0]} {low} and {names[1]} {high}, "
            f"wanted 0 to {extent}"
        )
    if low % step or (high % step and high != extent):
        raise ResourceError(
            f"{of.name}: found {names[0]} {low} and {names[1]} {high}, wanted multiples of {step}"
        )
    return low // unit, -(-high // unit)
