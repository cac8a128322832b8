"""What shaders need to know of textures of Direct3D 9: where their texels lie, and in which format.

A texture's memory is one block: of a cube face by face, each with its levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.formats.d3d9 import D3D9Format
from softd3d.formats.d3d9_views import sampled_format
from softd3d.formats.layout import Scheme
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.textures.subresources import FACES, Kind, Layout
from softd3d.resources.textures.views import whole_view
from softd3d.resources.views.descriptor import Descriptor
from softd3d.resources.views.origin import origin_of

__all__ = ["CUBE", "TEXTURE", "VOLUME", "described", "layout_of"]

_D = ResourceDimension
TEXTURE = Kind("Texture9", _D.TEXTURE2D, 2)
CUBE = Kind("Texture9", _D.TEXTURECUBE, 2, faces=FACES)
VOLUME = Kind("Texture9", _D.TEXTURE3D, 3)


def layout_of(
    kind: Kind, extents: tuple[int, int, int], levels: int, format_: D3D9Format
) -> Layout:
    """Return where the levels of a texture lie; kind: one of the three above."""
    return Layout(
        kind, *extents, kind.faces, levels, 1, format_.bytes_per_block, format_.block_width,
        format_.block_height,
    )  # fmt: skip


def described(
    memory: NDArray[np.uint8], layout: Layout, format_: D3D9Format, *, is_srgb: bool
) -> Descriptor:
    """Return the description of a texture as samplers with this SRGBTEXTURE read it.

    memory: uint8, (layout.bytes,).

    Raises:
        ResourceError: shaders cannot read the format, or its decoded copy would be too large.
    """
    shown = sampled_format(format_, is_srgb=is_srgb)
    kind = layout.kind
    whole = Descriptor(
        data=memory, size=memory.size, count=0, stride=layout.texel, width=layout.width,
        height=layout.height, depth=layout.depth, array_size=1, mip_count=layout.mips,
        sample_count=1, array_pitch=layout.slice_bytes, mips=layout.levels(), format=shown,
        kind=ViewKind.TYPED, dimension=kind.dimension, counter=None, writable=False,
        origin=origin_of(memory),
    )  # fmt: skip
    return whole if shown.scheme is Scheme.TEXELS else whole_view(whole, layout, shown)
