"""The texels of DDS images: decoded, converted to other formats, and as textures for shaders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS, FORMATS
from softd3d.formats.layout import Format, Plane, Scheme
from softd3d.formats.rules import Rules
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage, level_shape, slice_bytes
from softd3d.resources.dds.pixel_formats import dxgi_twin
from softd3d.resources.dds.shape import Shape
from softd3d.resources.textures.subresources import FACES
from softd3d.resources.textures.texture import (
    Texture,
    Texture1D,
    Texture1DArray,
    Texture2D,
    Texture2DArray,
    Texture3D,
    TextureCube,
    TextureCubeArray,
)
from softd3d.resources.transfer.conversion import convert, decode, encode

__all__ = ["converted", "decoded_level", "decoded_subresource", "selected", "to_texture", "viewed"]

_CLASSES: dict[tuple[Dimension, bool], type[Texture]] = {
    (Dimension.TEXTURE1D, False): Texture1D,
    (Dimension.TEXTURE1D, True): Texture1DArray,
    (Dimension.TEXTURE2D, False): Texture2D,
    (Dimension.TEXTURE2D, True): Texture2DArray,
    (Dimension.TEXTURE3D, False): Texture3D,
}


def decoded_level(image: DdsImage, mip: int = 0, rules: str | Rules = "d3d10") -> NDArray[Any]:
    """Return the components of a mip level of all slices: (slices, depth, height, width, 4).

    float32, or uint32 or int32 for formats of integers, as `conversion.decode` gives them.

    Raises:
        ResourceError: there is no such level, the format is typeless, or a palette is missing.
    """
    values = decode(_texels(image, mip), image.format, rules, image.palette)
    width, height, _ = image.extent(mip)
    return values[:, :, :height, :width]


def decoded_subresource(
    image: DdsImage, mip_slice: int = 0, array_slice: int = 0, rules: str | Rules = "d3d10"
) -> NDArray[Any]:
    """Return the components of a subresource: (depth, height, width, 4); see `decoded_level`."""
    return decoded_level(selected(image, mip_slice, array_slice), 0, rules)[0]


def selected(image: DdsImage, mip: int | None, slice_: int | None) -> DdsImage:
    """Return an image of one mip level, of one slice, or of both; None keeps all.

    A slice of a cube is a 2D texture.

    Raises:
        ResourceError: there is no such mip or slice.
    """
    shape = image.shape
    if mip is None and slice_ is None:
        return image
    image.subresource(mip or 0, slice_ or 0)  # checks both
    slices = np.frombuffer(image.data, np.uint8).reshape(image.slices, -1)
    if slice_ is not None:
        slices = slices[slice_ : slice_ + 1]
        shape = replace(shape, array_size=1, faces=())
    if mip is not None:
        start = _level_start(shape, mip)
        slices = slices[:, start : start + _level_bytes(shape, mip)]
        width, height, depth = image.extent(mip)
        shape = replace(shape, width=width, height=height, depth=depth, mips=1)
    return replace(image, shape=shape, data=slices.tobytes())


def viewed(image: DdsImage, format_: Format) -> DdsImage:
    """Return an image whose bits are taken for another format, as a view would.

    Raises:
        ResourceError: its texels, blocks or planes have another size.
    """
    own = image.format
    facts = [(f.bytes_per_block, f.block_width, f.block_height, f.planes) for f in (own, format_)]
    if facts[0] != facts[1]:
        raise ResourceError(f"format {own.name} cannot be viewed as {format_.name}: another layout")
    return replace(image, shape=replace(image.shape, format=format_, legacy=None))


def converted(image: DdsImage, format_: Format, rules: str | Rules = "d3d10") -> DdsImage:
    """Return an image with the texels of all subresources converted; see `conversion.convert`.

    Edges are repeated where blocks reach beyond them.

    Raises:
        ResourceError: a format is typeless or cannot be written, or a palette is missing.
    """
    if format_ == image.format:
        return image
    shape = replace(image.shape, format=format_, legacy=None)
    levels = [
        _converted_level(image, format_, mip, rules).reshape(image.slices, -1)
        for mip in range(image.mips)
    ]
    data = np.concatenate(levels, axis=1).tobytes()
    return DdsImage(shape, data, None, image.warnings)


def to_texture(image: DdsImage) -> Texture:
    """Return a texture for shaders, with all mips and slices.

    Formats that a shader can read are kept to the bit, Direct3D 9's as the DXGI format with the
    same components. Others, and blocks whose extents are no multiples of 4, become
    R32G32B32A32_FLOAT, which holds their values exactly.

    Raises:
        ResourceError: the format is typeless, a palette is missing, a cube lacks faces, or an
            extent is beyond Direct3D's limits.
    """
    shape = image.shape
    if shape.faces and len(shape.faces) < FACES:
        raise ResourceError("a cube without all its faces is no texture of Direct3D 11")
    twin = dxgi_twin(shape.format)
    if twin is None or not _is_kept(shape, twin):
        twin = DXGI_FORMATS["R32G32B32A32_FLOAT"]
        image = converted(image, twin)
    is_array = shape.array_size > 1
    class_ = _CLASSES[shape.dimension, is_array]
    if shape.faces:
        class_ = TextureCubeArray if is_array else TextureCube
    return class_.from_bytes(
        image.data, twin, shape.width, shape.height, shape.depth, shape.slices, shape.mips
    )


def _is_kept(shape: Shape, twin: Format) -> bool:
    """Whether a texture can have the format, and so the bytes as they are."""
    if twin.scheme is not Scheme.BLOCKS:
        return twin.name in FORMATS
    is_whole = not (shape.width % twin.block_width or shape.height % twin.block_height)
    return is_whole and not twin.is_typeless and shape.dimension is not Dimension.TEXTURE1D


def _level_bytes(shape: Shape, mip: int) -> int:
    depth, rows, pitch = level_shape(shape, mip)
    return depth * rows * pitch


def _level_start(shape: Shape, mip: int) -> int:
    return sum(_level_bytes(shape, level) for level in range(mip))


def _texels(image: DdsImage, mip: int) -> Any:
    """Return a level of all slices as `conversion` takes it: an array, or a list of planes."""
    image.subresource(mip)  # checks it
    shape, format_ = image.shape, image.format
    whole = np.frombuffer(image.data, np.uint8).reshape(image.slices, slice_bytes(shape))
    start = _level_start(shape, mip)
    level = whole[:, start : start + _level_bytes(shape, mip)]
    rows = np.ascontiguousarray(level).reshape(image.slices, *level_shape(shape, mip))
    if format_.planes:
        return _planes(rows, format_, image.extent(mip))
    size = format_.bytes_per_block
    return rows.reshape(*rows.shape[:3], -1, size) if size > 1 else rows


def _plane_extent(plane: Plane, extent: tuple[int, int, int]) -> tuple[int, int]:
    """Return rows, and bytes of each that count, of a plane."""
    width, height, _ = extent
    columns = -(-width // plane.width_divisor)
    return -(-height // plane.height_divisor), columns * plane.bytes_per_element


def _planes(
    rows: NDArray[np.uint8], format_: Format, extent: tuple[int, int, int]
) -> list[NDArray[Any]]:
    """Return the planes of a level; they follow each other in rows of one pitch."""
    planes: list[NDArray[Any]] = []
    start = 0
    for plane in format_.planes:
        count, size = _plane_extent(plane, extent)
        own = np.ascontiguousarray(rows[:, :, start : start + count, :size])
        items = own.view(f"<u{plane.bits // 8}")
        pairs = len(plane.components) > 1
        planes.append(items.reshape(*items.shape[:3], -1, 2) if pairs else items)
        start += count
    return planes


def _converted_level(
    image: DdsImage, format_: Format, mip: int, rules: str | Rules
) -> NDArray[np.uint8]:
    """Return the bytes of a level of all slices in another format, (slices, depth, rows, pitch)."""
    width, height, depth = image.extent(mip)
    _, rows, pitch = level_shape(replace(image.shape, format=format_), mip)
    if not format_.planes and format_.block_width == format_.block_height == 1:
        texels = convert(_texels(image, mip), image.format, format_, rules, image.palette)
        inside = np.ascontiguousarray(texels[:, :, :height, :width])
        return inside.view(np.uint8).reshape(image.slices, depth, rows, pitch)
    values = decoded_level(image, mip, rules)
    margins = (-height % format_.block_height, -width % format_.block_width)
    edges = ((0, 0), (0, 0), (0, margins[0]), (0, margins[1]), (0, 0))
    texels = encode(np.pad(values, edges, mode="edge"), format_, rules)
    if not format_.planes:
        return texels.view(np.uint8).reshape(image.slices, depth, rows, pitch)
    out = np.zeros((image.slices, depth, rows, pitch), np.uint8)
    start = 0
    for plane, array in zip(format_.planes, texels, strict=True):
        count, _ = _plane_extent(plane, (width, height, depth))
        lines = np.ascontiguousarray(array[:, :, :count]).view(np.uint8)
        lines = lines.reshape(image.slices, depth, count, -1)
        out[:, :, start : start + count, : lines.shape[3]] = lines
        start += count
    return out
