"""GenerateMips: each mip level from the one above, through a box filter.

Texels become numbers, linear ones for sRGB formats, are averaged over the width, then the height,
then the depth, and stored as any number is; the next level starts from what was stored. What lies
under a texel counts by its share: of an odd extent three texels count, the outer ones in part.
Direct3D leaves the filter to the driver. Spec: win32 ID3D11DeviceContext::GenerateMips; D3D11.3
section 5.2.4 (extents of mips), 19.1 (formats).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.formats.support import Use, uses
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.predicate import Predicate, is_skipped
from softd3d.resources.textures.subresources import FACES, mip_extent
from softd3d.resources.textures.texture import Texture
from softd3d.resources.textures.views import TextureView
from softd3d.resources.transfer.conversion import decode, encode
from softd3d.resources.transfer.filters import halved, items_under
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["generate_mips"]

_BAND = 1 << 18  # texels of the larger level at a time
_CUBES = (ResourceDimension.TEXTURECUBE, ResourceDimension.TEXTURECUBEARRAY)
Level = NDArray[np.uint8]  # (depth, rows, columns, bytes)


def generate_mips(texture: Texture | TextureView, *, predicate: Predicate | None = None) -> None:
    """Fill the lower mip levels of a texture, or of a view, of all its slices.

    A view starts at its first mip and ends at its last, and says what a typeless texture holds.
    predicate: may skip it.

    Raises:
        ResourceError: something else than a texture, a format without such filtering (where
            Direct3D does nothing), a mapped subresource, or a read-only array.

    >>> from softd3d.resources.textures.texture import Texture2D
    >>> image = Texture2D.from_bytes(bytes([0, 100, 50, 50, 0]), "R8_UNORM", 2, 2, mip_levels=2)
    >>> generate_mips(image)
    >>> image.mip(1).tolist()
    [[50]]
    """
    if is_skipped(predicate):
        return
    whole = _described(texture)
    format_ = _checked_format(whole)
    if not whole.writable:
        raise ResourceError("generate_mips: the texture's array is read-only")
    slices = whole.array_size * (FACES if whole.dimension in _CUBES else 1)
    for slice_ in range(slices):
        for mip in range(1, whole.mip_count):
            _halve(_level(whole, slice_, mip - 1), _level(whole, slice_, mip), format_)


def _described(texture: object) -> Descriptor:
    if not isinstance(texture, (Texture, TextureView)):
        raise ResourceError(
            f"generate_mips: found {type(texture).__name__}, wanted a texture or a view of one"
        )
    if isinstance(texture, Texture) and texture.mapped:
        raise ResourceError(f"generate_mips: subresource {min(texture.mapped)} is mapped")
    return texture.describe()


def _checked_format(whole: Descriptor) -> Format:
    format_ = whole.view_format
    if format_ is None or Use.MIP_GENERATION not in uses(format_):
        name = "none" if format_ is None else format_.name
        raise ResourceError(
            f"generate_mips: format {name} has no mips made (wanted one of numbers that is "
            "rendered to and sampled)"
        )
    return format_


def _level(whole: Descriptor, slice_: int, mip: int) -> Level:
    """Return a mip level of a slice; it shares the texture's memory."""
    width, height, depth = mip_extent((whole.width, whole.height, whole.depth), mip)
    size = depth * height * width * whole.stride
    start = slice_ * whole.array_pitch + whole.mips[mip][0]
    return whole.data[start : start + size].reshape(depth, height, width, whole.stride)


def _halve(larger: Level, smaller: Level, format_: Format) -> None:
    """Write a level, layer by layer and in bands of rows."""
    depth, rows, columns, size = smaller.shape
    high, tall, wide, _ = larger.shape
    step = max(1, _BAND // (2 * wide))
    for z in range(depth):
        for start in range(0, rows, step):
            end = min(rows, start + step)
            under = larger[items_under(z, z + 1, high), items_under(start, end, tall)]
            numbers = decode(under if size > 1 else under[..., 0], format_)
            numbers = halved(halved(numbers, 2, wide), 1, tall, start)
            texels = np.ascontiguousarray(encode(halved(numbers, 0, high, z), format_))
            smaller[z, start:end] = texels.view(np.uint8).reshape(end - start, columns, size)
