"""What shaders of Direct3D 9 see of textures in its formats.

Depth is read as four equal components; sRGB is a state of the sampler, not part of a format.
Spec: win32 D3DSAMP_SRGBTEXTURE, "Texture Filtering (Direct3D 9)". Depth textures have none: they
are what drivers and translation layers agree on.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format
from softd3d.formats.layout import ChannelType, Scheme

__all__ = ["compares", "sampled_format"]

_SAMPLED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BITS, Scheme.BLOCKS)
_COLORS = frozenset("rgb")  # cards never decoded luminance
_SRGB_BITS = 8
_DXT = frozenset({"BC1_UNORM", "BC2_UNORM", "BC3_UNORM"})
_PACKED_BY_SHADERS = frozenset({"RAWZ"})
_DEPTH_READS = "dddd"


@lru_cache(maxsize=512)
def sampled_format(format_: D3D9Format, *, is_srgb: bool = False) -> D3D9Format:
    """Return what a lookup reads; is_srgb: SRGBTEXTURE, which most formats ignore.

    Raises:
        ResourceError: shaders cannot read the format.

    >>> from softd3d.formats.d3d9 import d3d9_format
    >>> sampled_format(d3d9_format("D24S8")).reads
    'dddd'
    """
    has_palette = any(c.type is ChannelType.INDEX for c in format_.channels)
    has_no_depth = format_.is_depth_stencil and not format_.depth_bits
    if (
        format_.scheme not in _SAMPLED or has_palette or has_no_depth
        or format_.fourcc in _PACKED_BY_SHADERS
    ):  # fmt: skip
        raise ResourceError(f"format {format_.name} cannot be read by shaders of Direct3D 9")
    if format_.is_depth_stencil:
        return replace(format_, reads=_DEPTH_READS)
    if is_srgb and format_.dxgi in _DXT:
        return replace(format_, dxgi=f"{format_.dxgi}_SRGB")
    if not is_srgb or format_.scheme is not Scheme.TEXELS:
        return format_
    channels = tuple(
        replace(c, type=ChannelType.SRGB)
        if c.component in _COLORS and c.bits == _SRGB_BITS and c.type is ChannelType.UNORM
        else c
        for c in format_.channels
    )
    return replace(format_, channels=channels)


def compares(format_: D3D9Format) -> bool:
    """Tell whether a lookup compares with the texel, as with depth formats that are no FourCC's.

    >>> from softd3d.formats.d3d9 import d3d9_format
    >>> compares(d3d9_format("D24S8")), compares(d3d9_format("INTZ"))
    (True, False)
    """
    return format_.is_depth_stencil and not format_.fourcc
