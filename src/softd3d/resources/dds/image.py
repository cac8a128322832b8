"""The contents of a DDS file: what its shape is, and its subresources as raw bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.resources.dds.header import AlphaMode, DdsWarning, Dimension
from softd3d.resources.dds.shape import Shape
from softd3d.resources.textures.subresources import mip_extent, row_count, row_pitch

__all__ = ["DdsImage", "level_shape", "slice_bytes"]


@dataclass(frozen=True, slots=True, eq=False)
class DdsImage:
    """An image of any kind that a DDS file can hold.

    shape: what is in it. data: slice by slice, each with its mips, largest first; rows are tight.
    palette: uint8, (256, 4), R G B A, read-only, where texels are indices and a file has it.
    warnings: what was odd about the file.
    """

    shape: Shape
    data: bytes
    palette: NDArray[np.uint8] | None = None
    warnings: tuple[DdsWarning, ...] = ()

    def __post_init__(self) -> None:
        wanted = self.shape.slices * slice_bytes(self.shape)
        if len(self.data) != wanted:
            raise ResourceError(
                f"{self.format.name}: found {len(self.data)} bytes of texels, wanted {wanted}"
            )

    @property
    def format(self) -> Format:
        """A DXGI format, or one of Direct3D 9 where no DXGI format means the same."""
        return self.shape.format

    @property
    def dimension(self) -> Dimension:
        return self.shape.dimension

    @property
    def width(self) -> int:
        return self.shape.width

    @property
    def height(self) -> int:
        return self.shape.height

    @property
    def depth(self) -> int:
        return self.shape.depth

    @property
    def array_size(self) -> int:
        """Elements; cubes, for cubes."""
        return self.shape.array_size

    @property
    def mips(self) -> int:
        return self.shape.mips

    @property
    def is_cube(self) -> bool:
        return bool(self.shape.faces)

    @property
    def faces(self) -> tuple[str, ...]:
        """Names of the faces that a cube has, such as +X, in the order of its slices."""
        return self.shape.faces

    @property
    def slices(self) -> int:
        """The number of images with mips of their own: elements, times faces."""
        return self.shape.slices

    @property
    def alpha_mode(self) -> AlphaMode:
        return self.shape.alpha_mode

    def extent(self, mip_slice: int) -> tuple[int, int, int]:
        """Return width, height and depth of a mip level, in texels.

        Raises:
            ResourceError: there is no such mip.
        """
        mip = integer(mip_slice, "mip_slice", range(self.mips))
        return mip_extent((self.width, self.height, self.depth), mip)

    def subresource(self, mip_slice: int = 0, array_slice: int = 0) -> NDArray[np.uint8]:
        """Return the bytes of a subresource, read-only: (depth, rows, row pitch).

        A row is one of texels, or of blocks; a planar format's planes follow each other.

        Raises:
            ResourceError: there is no such mip or slice.
        """
        mip = integer(mip_slice, "mip_slice", range(self.mips))
        slice_ = integer(array_slice, "array_slice", range(self.slices))
        sizes = [np.prod(level_shape(self.shape, level), dtype=int) for level in range(mip + 1)]
        offset = slice_ * slice_bytes(self.shape) + int(sum(sizes[:-1]))
        found = np.frombuffer(self.data, np.uint8, int(sizes[-1]), offset)
        return found.reshape(level_shape(self.shape, mip))

    def __repr__(self) -> str:
        extents = self.extent(0)[: self.dimension.value - 1]
        parts = [" x ".join(str(n) for n in extents)]
        parts += [f"{self.slices} slices"] if self.slices > 1 else []
        parts += [f"{self.mips} mips"] if self.mips > 1 else []
        return f"DdsImage({', '.join(parts)}, {self.format.name})"


def level_shape(shape: Shape, mip: int) -> tuple[int, int, int]:
    """Return depth, rows and bytes of a row of a mip level."""
    width, height, depth = mip_extent((shape.width, shape.height, shape.depth), mip)
    return depth, row_count(shape.format, height), row_pitch(shape.format, width)


def slice_bytes(shape: Shape) -> int:
    """Return the bytes of a slice with all its mips."""
    total = 0
    for mip in range(shape.mips):
        depth, rows, pitch = level_shape(shape, mip)
        total += depth * rows * pitch
    return total
