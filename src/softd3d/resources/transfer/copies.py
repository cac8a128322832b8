"""CopyResource, CopySubresourceRegion and UpdateSubresource: bits are moved, never converted.

What leaves Direct3D's behaviour undefined and its debug layer complaining is refused here.
docs/copies.md lists the choices. Spec: win32 ID3D11DeviceContext::CopyResource,
::CopySubresourceRegion, ::UpdateSubresource, ID3D11DeviceContext1::CopySubresourceRegion1, and
"Format Conversion Using Direct3D 10.1" in "Block Compression (Direct3D 10)".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import instance, integer, integers
from softd3d.errors import ResourceError
from softd3d.formats.casts import can_copy
from softd3d.formats.layout import Format, Scheme
from softd3d.resources.predicate import Predicate, is_skipped
from softd3d.resources.textures.texture import Texture
from softd3d.resources.transfer.regions import (
    Box,
    Resource,
    Subresource,
    check_resource,
    region_at,
    region_of,
    subresource,
    subresource_count,
)

__all__ = ["can_reinterpret", "check_writable", "copy_resource", "copy_subresource_region",
           "update_subresource"]  # fmt: skip

# What Direct3D 10.1 lets copies take for each other: texels of integers, and by the size of a unit
# what may be on the other side. BC6H and BC7 are younger than that table.
_INTEGERS = {
    4: ("R32_UINT", "R32_SINT"),
    8: ("R16G16B16A16_UINT", "R16G16B16A16_SINT", "R32G32_UINT", "R32G32_SINT"),
    16: ("R32G32B32A32_UINT", "R32G32B32A32_SINT"),
}
_SHARED_EXPONENT = "R9G9B9E5_SHAREDEXP"


def can_reinterpret(source: Format, destination: Format) -> bool:
    """Whether a copy may take texels of one format for units of another, bit by bit.

    >>> from softd3d.formats.dxgi import dxgi_format
    >>> can_reinterpret(dxgi_format("R32G32_UINT"), dxgi_format("BC1_UNORM"))
    True
    """
    size = source.bytes_per_block
    if size != destination.bytes_per_block:
        return False
    names = _INTEGERS.get(size, ())
    return any(
        integers.name in names and _is_packed(other)
        for integers, other in ((source, destination), (destination, source))
    )


def copy_resource(
    destination: Resource, source: Resource, *, predicate: Predicate | None = None
) -> None:
    """Copy all of a resource to another of the same type and size, unless `predicate` skips it.

    Raises:
        ResourceError: resources that are the same one, differ in type, size, mips, slices or
            samples, or have formats that are not of a family; one is mapped, the destination
            read-only.

    >>> from softd3d.resources.textures.texture import Texture2D
    >>> here = Texture2D(np.arange(4, dtype=np.float32).reshape(2, 2), "R32_FLOAT")
    >>> there = Texture2D(np.zeros((2, 2), np.uint32), "R32_UINT")
    >>> copy_resource(there, here)
    >>> hex(there.array[0, 1])
    '0x3f800000'
    """
    what = "copy_resource"
    if is_skipped(predicate):
        return
    check_resource(source, f"{what}: source")
    check_resource(destination, f"{what}: destination")
    if source is destination:
        raise ResourceError(f"{what}: found one resource as source and destination, wanted two")
    check_writable(destination, what)
    count = subresource_count(source)
    pairs = [
        (_unmapped(destination, index, what), _unmapped(source, index, what))
        for index in range(min(count, subresource_count(destination)))
    ]
    _check_pair(pairs[0][0], pairs[0][1], what)
    sizes = [r.layout.mips if isinstance(r, Texture) else 1 for r in (source, destination)]
    if sizes[0] != sizes[1] or count != subresource_count(destination):
        raise ResourceError(
            f"{what}: found {_counts(source)} and {_counts(destination)}, wanted them the same"
        )
    for there, here in pairs:
        if there.units.shape != here.units.shape:
            raise ResourceError(
                f"{what}: found {_extent(here)} and {_extent(there)}, wanted the same dimensions"
            )
    copies = [here.units.copy() if _share(there, here) else here.units for there, here in pairs]
    for (there, _), units in zip(pairs, copies, strict=True):
        there.units[...] = units


def copy_subresource_region(
    destination: Resource, destination_subresource: int, position: Sequence[int],
    source: Resource, source_subresource: int, box: Box | Sequence[int] | None = None,
    *, overlap: bool = False, predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Copy a box of texels, or of bytes of a buffer.

    Where both share memory, the result is as if the source were copied first.

    Args:
        destination: what is written, in place.
        destination_subresource: see `subresource_index`.
        position: x, y, z of the texel that the first one goes to.
        source: what is read.
        source_subresource: see `subresource_index`.
        box: left, top, front, right, bottom, back; by default all. Nothing is done for an empty
            one.
        overlap: whether source and destination may be the same subresource, as Direct3D 11.1
            allows with a driver that knows CopyWithOverlap.
        predicate: may skip the copy.

    Raises:
        ResourceError: something of different types, formats that are not of a family, a box that
            is out of bounds or not made of whole blocks, part of a depth-stencil or multisampled
            subresource; one that is mapped, a destination that is read-only.
    """
    what = "copy_subresource_region"
    instance(overlap, bool, f"{what}: overlap")
    if is_skipped(predicate):
        return
    check_resource(source, f"{what}: source")
    check_resource(destination, f"{what}: destination")
    check_writable(destination, what)
    here = _unmapped(source, source_subresource, what)
    there = _unmapped(destination, destination_subresource, what)
    if source is destination and source_subresource == destination_subresource and not overlap:
        raise ResourceError(
            f"{what}: found {here.name} as source and destination, wanted two subresources; "
            "overlap=True allows it, as Direct3D 11.1 may"
        )
    _check_pair(there, here, what)
    position = integers(position, 3, f"{what}: position", "x, y, z as integers")
    region = region_of(box, here)
    if region is None:
        return
    if _must_be_whole(here) or _must_be_whole(there):
        _check_whole(there, here, position, box, what)
    written = region_at(position, region.size, there).of(there.units)
    read = region.of(here.units)
    written[...] = read.copy() if np.may_share_memory(written, read) else read


def update_subresource(
    destination: Resource, destination_subresource: int, box: Box | Sequence[int] | None,
    data: bytes | bytearray | memoryview | NDArray[Any],
    row_pitch: int | None = None, depth_pitch: int | None = None,
    *, predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Write data of the caller's to a box of a subresource.

    Args:
        destination: what is written, in place.
        destination_subresource: see `subresource_index`.
        box: see `copy_subresource_region`; the data's first texel is the box's first.
        data: bytes, or an array that is C-contiguous.
        row_pitch: bytes from a row of texels or blocks to the next; by default as many as a row
            of the box has. Not looked at for one row.
        depth_pitch: bytes from a layer of a volume to the next; by default its rows'.
        predicate: may skip the update.

    Raises:
        ResourceError: a box that is out of bounds or not made of whole blocks, too little data, a
            pitch too small for its rows; a destination with depth or stencil or several samples,
            one that is mapped or read-only.
    """
    what = "update_subresource"
    if is_skipped(predicate):
        return
    check_resource(destination, f"{what}: destination")
    check_writable(destination, what)
    there = _unmapped(destination, destination_subresource, what)
    if _must_be_whole(there):
        kind = "multisampled" if there.samples > 1 else "depth-stencil"
        raise ResourceError(f"{what}: {there.name} is {kind}, which cannot be updated")
    region = region_of(box, there)
    if region is None:
        return
    written = region.of(there.units)
    written[...] = _source_units(data, written.shape, (row_pitch, depth_pitch), what)


def check_writable(resource: Resource, what: str) -> None:
    """Refuse a resource over a read-only array, which is an immutable one.

    Raises:
        ResourceError: as said.
    """
    if not resource.array.flags.writeable:
        raise ResourceError(f"{what}: the destination's array is read-only")


def _is_packed(format_: Format) -> bool:
    is_block = format_.scheme is Scheme.BLOCKS and not format_.is_typeless
    return is_block or format_.name == _SHARED_EXPONENT


def _unmapped(resource: Resource, index: int, what: str) -> Subresource:
    found = subresource(resource, index)
    if index in resource.mapped:
        raise ResourceError(f"{what}: {found.name} is mapped")
    return found


def _check_pair(there: Subresource, here: Subresource, what: str) -> None:
    """Refuse subresources that cannot be copied to each other, whatever their sizes."""
    if there.axes != here.axes:
        raise ResourceError(
            f"{what}: found {here.name} and {there.name}, wanted resources of the same type"
        )
    if here.format is not None and there.format is not None:
        if not (can_copy(here.format, there.format) or can_reinterpret(here.format, there.format)):
            raise ResourceError(
                f"{what}: found formats {here.format.name} and {there.format.name}, wanted the "
                "same or two of a typeless format's family"
            )
    elif here.step != there.step and 1 not in (here.step, there.step):
        raise ResourceError(
            f"{what}: found structures of {here.step} and {there.step} bytes, wanted the same"
        )
    if here.samples != there.samples:
        raise ResourceError(
            f"{what}: found {here.samples} and {there.samples} samples, wanted as many"
        )


def _must_be_whole(of: Subresource) -> bool:
    has_depth = of.format is not None and bool(of.format.depth_bits)
    return has_depth or of.samples > 1


def _check_whole(
    there: Subresource, here: Subresource, position: Sequence[int],
    box: Box | Sequence[int] | None, what: str,
) -> None:  # fmt: skip
    kind = "multisampled" if here.samples > 1 else "depth-stencil"
    if box is not None or any(position):
        raise ResourceError(
            f"{what}: found part of a {kind} subresource, wanted no box and position 0, 0, 0"
        )
    if here.extent != there.extent:
        raise ResourceError(
            f"{what}: found {_extent(here)} and {_extent(there)}, wanted the same dimensions of "
            f"{kind} subresources"
        )


def _share(there: Subresource, here: Subresource) -> bool:
    return np.may_share_memory(there.units, here.units)


def _extent(of: Subresource) -> str:
    return f"{of.name} of " + " x ".join(str(n) for n in of.extent)


def _counts(resource: Resource) -> str:
    if isinstance(resource, Texture):
        layout = resource.layout
        return f"{layout.mips} mips of {layout.slices} slices"
    return "a buffer"


def _source_units(
    data: object, shape: tuple[int, ...], pitches: tuple[int | None, int | None], what: str
) -> NDArray[np.uint8]:
    """Return the caller's data as (depth, rows, columns, bytes), a view."""
    flat = _bytes_of(data, what)
    depth, rows, columns, size = shape
    row_bytes = columns * size
    row = _pitch(pitches[0], row_bytes, rows, f"{what}: row pitch")
    layer = _pitch(pitches[1], (rows - 1) * row + row_bytes, depth, f"{what}: depth pitch")
    if pitches[1] is None:
        layer = rows * row
    wanted = (depth - 1) * layer + (rows - 1) * row + row_bytes
    if flat.size < wanted:
        raise ResourceError(f"{what}: found {flat.size} bytes of data, wanted {wanted}")
    return np.lib.stride_tricks.as_strided(
        flat, shape, (layer, row, size, 1), writeable=False
    )  # within `wanted` bytes


def _pitch(pitch: int | None, smallest: int, count: int, what: str) -> int:
    """Return a pitch; what has no second row or layer ignores it."""
    if pitch is None or count == 1:
        return smallest
    number = integer(pitch, what)
    if number < smallest:
        raise ResourceError(f"{what}: found {number} bytes, wanted at least {smallest}")
    return number


def _bytes_of(data: object, what: str) -> NDArray[np.uint8]:
    if isinstance(data, np.ndarray):
        array = cast("NDArray[Any]", data)
        if not array.flags.c_contiguous or array.dtype.hasobject:
            raise ResourceError(f"{what}: found an array that is not C-contiguous numbers")
        return np.asarray(array).reshape(-1).view(np.uint8)
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ResourceError(f"{what}: found {type(data).__name__}, wanted bytes or an array")
    view = memoryview(cast("bytes", data))
    if not view.c_contiguous:
        raise ResourceError(f"{what}: found a memoryview that is not contiguous")
    return np.frombuffer(view.cast("B"), np.uint8)
