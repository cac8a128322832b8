"""Depth and stencil of depth-stencil textures, each as an array of its own.

Spec: D3D11.3 section 19.1 (formats); win32 D3D11_DEPTH_STENCIL_VIEW_DESC for what a typeless
texture is seen as. Surfaces of Direct3D 9 have `Surface.depth` and `Surface.stencil`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import instance
from softd3d.errors import ResourceError
from softd3d.formats.casts import members
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format
from softd3d.resources.textures.texture import Texture
from softd3d.resources.transfer.conversion import decode

__all__ = ["depth_plane", "stencil_plane"]


def depth_plane(
    texture: Texture, mip_slice: int = 0, array_slice: int | None = None
) -> NDArray[np.float32]:
    """Return a copy of the depths of a mip level, of one slice or of all, as numbers.

    A typeless texture is seen in the depth-stencil format of its family.

    Raises:
        ResourceError: no depth-stencil format, mip or slice.

    >>> from softd3d.resources.textures.texture import Texture2D
    >>> packed = Texture2D(np.array([[0x07FFFFFF]], np.uint32), "D24_UNORM_S8_UINT")
    >>> depth_plane(packed).item(), stencil_plane(packed).item()
    (1.0, 7)
    """
    return _component(texture, mip_slice, array_slice, "d", "depth").astype(np.float32)


def stencil_plane(
    texture: Texture, mip_slice: int = 0, array_slice: int | None = None
) -> NDArray[np.uint8]:
    """Return a copy of the stencil values of a mip level, of one slice or of all.

    Raises:
        ResourceError: no format with stencil, no such mip or slice.
    """
    return _component(texture, mip_slice, array_slice, "s", "stencil").astype(np.uint8)


def _component(
    texture: Texture, mip_slice: int, array_slice: int | None, component: str, what: str
) -> NDArray[Any]:
    format_ = _depth_stencil(instance(texture, Texture, f"{what}_plane: texture").format)
    if format_ is None or component not in format_.reads:
        raise ResourceError(f"format {texture.format.name} has no {what} channel")
    texels = texture.mip(mip_slice, array_slice)
    return decode(texels, format_)[..., format_.reads.index(component)]


def _depth_stencil(format_: Format) -> Format | None:
    """Return the depth-stencil format that views of a texture may have, None if none may."""
    if format_.depth_bits:
        return format_
    if not format_.is_typeless:
        return None
    return next((f for f in members(DXGI_FORMATS[format_.parent]) if f.depth_bits), None)
