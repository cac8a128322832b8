"""Map and Unmap: the memory of a subresource as an array, for as long as a block of code runs.

Usage and CPU access flags are not modelled: any resource can be mapped, but for multisampled ones.
Spec: win32 ID3D11DeviceContext::Map, D3D11_MAP, D3D11_MAPPED_SUBRESOURCE.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import member
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.resources.textures.texture import Texture
from softd3d.resources.transfer.copies import check_writable
from softd3d.resources.transfer.regions import Resource, Subresource, check_resource, subresource

__all__ = ["MapType", "MappedSubresource", "map_subresource"]


class MapType(IntEnum):
    """D3D11_MAP (d3d11.h)."""

    READ = 1
    WRITE = 2
    READ_WRITE = 3
    WRITE_DISCARD = 4
    WRITE_NO_OVERWRITE = 5


@dataclass(frozen=True, slots=True, eq=False)
class MappedSubresource:
    """D3D11_MAPPED_SUBRESOURCE, and the same memory as texels; read-only after the block.

    data: uint8, (depth, rows, row_pitch). row_pitch, depth_pitch: bytes from one row of texels or
    blocks to the next, and from one layer of a volume to the next; they are tight. texels: as
    `Texture.mip` gives them for one slice; for a buffer the bytes, (size,).
    """

    data: NDArray[np.uint8]
    row_pitch: int
    depth_pitch: int
    texels: NDArray[Any]


@contextmanager
def map_subresource(
    resource: Resource, index: int = 0, map_type: MapType | int = MapType.READ_WRITE
) -> Generator[MappedSubresource, None, None]:
    """Map a subresource for a block of code; until its end nothing else may copy from or to it.

    Args:
        resource: of which a subresource is mapped.
        index: see `subresource_index`.
        map_type: READ gives read-only arrays, all others ones to write to. WRITE_DISCARD leaves
            the contents undefined in Direct3D; here they become 0. WRITE_NO_OVERWRITE is WRITE,
            and for buffers only.

    Raises:
        ResourceError: no such subresource or type; it is mapped already, multisampled, or to be
            written over a read-only array; WRITE_NO_OVERWRITE of a texture.

    >>> from softd3d.resources.textures.texture import Texture2D
    >>> image = Texture2D(np.zeros((2, 3), np.uint16), "R16_UNORM")
    >>> with map_subresource(image, 0, MapType.WRITE) as mapped:
    ...     mapped.texels[1, 2] = 7
    ...     mapped.row_pitch
    6
    >>> image.array.tolist()
    [[0, 0, 0], [0, 0, 7]]
    """
    check_resource(resource, "map_subresource")
    of = subresource(resource, index)
    type_ = member(MapType, map_type, "map_subresource: type")
    _check_mappable(resource, of, index, type_)
    mapped = _mapped(resource, of, index)
    if type_ is MapType.WRITE_DISCARD:
        mapped.data[...] = 0
    arrays = (mapped.data, mapped.texels)
    for array in arrays:
        array.flags.writeable = type_ is not MapType.READ
    resource.mapped.add(index)
    try:
        yield mapped
    finally:
        resource.mapped.discard(index)
        for array in arrays:  # a pointer that is no longer to be used
            array.flags.writeable = False


def _check_mappable(resource: Resource, of: Subresource, index: int, type_: MapType) -> None:
    if of.samples > 1:
        raise ResourceError(f"map_subresource: {of.name} is multisampled, which cannot be mapped")
    if index in resource.mapped:
        raise ResourceError(f"map_subresource: {of.name} is mapped already")
    if type_ is MapType.WRITE_NO_OVERWRITE and isinstance(resource, Texture):
        raise ResourceError(
            f"map_subresource: found WRITE_NO_OVERWRITE for {of.name}, which is for buffers"
        )
    if type_ is not MapType.READ:
        check_writable(resource, "map_subresource")


def _mapped(resource: Resource, of: Subresource, index: int) -> MappedSubresource:
    depth, rows, columns, size = of.units.shape
    data = of.units.reshape(depth, rows, columns * size)
    if isinstance(resource, Texture):
        slice_, level = divmod(index, resource.layout.mips)
        texels = resource.mip(level, slice_)
    else:
        texels = of.units.reshape(-1)
    return MappedSubresource(data, columns * size, rows * columns * size, texels)
