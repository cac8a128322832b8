"""Calls of a device that make resources, shaders, declarations.

Spec: win32 IDirect3DDevice9, "Methods"; D3DUSAGE.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import flag, flags, integer, integers, member, named, shown
from softd3d.device.d3d9.binding_calls import BindingCalls
from softd3d.device.d3d9.buffers import IndexBuffer9, VertexBuffer9
from softd3d.device.d3d9.declarations import VertexDeclaration9
from softd3d.device.d3d9.null_target import NULL, NullTarget9
from softd3d.device.d3d9.shaders import PixelShader9, VertexShader9, shader_of
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.isa.limits import MAX_TEXTURE_EXTENTS
from softd3d.isa.sm1.limits import MAX_SAMPLES
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9, Texture9, TextureType
from softd3d.resources.texels.dtypes import natural_dtype
from softd3d.resources.views.descriptor import MAX_BYTES

__all__ = ["CreationCalls", "UsageFlags"]


class UsageFlags(IntFlag):
    """D3DUSAGE, those that say what a texture can be."""

    RENDERTARGET = 1
    DEPTHSTENCIL = 2
    DYNAMIC = 0x200
    AUTOGENMIPMAP = 0x400


class CreationCalls(BindingCalls):
    """Make what can be bound. Contents are 0 at first."""

    def create_texture(
        self, width: int, height: int, levels: int = 1, usage: object = 0,
        format: str | int = "A8R8G8B8", pool: object = Pool.DEFAULT,  # noqa: A002 - Direct3D's name
    ) -> Texture9:  # fmt: skip
        """Make a texture. levels: 0 for all. usage: `UsageFlags`, or names joined by "|".

        Raises:
            ResourceError: extents, levels, format, pool and usage do not fit.
        """
        return _texture(TextureType.TEXTURE, (width, height, 1), levels, usage, format, pool)

    def create_cube_texture(
        self, edge: int, levels: int = 1, usage: object = 0,
        format: str | int = "A8R8G8B8", pool: object = Pool.DEFAULT,  # noqa: A002 - as above
    ) -> Texture9:  # fmt: skip
        """Make a cube texture.

        Raises:
            ResourceError: as `create_texture`.
        """
        return _texture(TextureType.CUBE, (edge, edge, 1), levels, usage, format, pool)

    def create_volume_texture(
        self, width: int, height: int, depth: int, levels: int = 1, usage: object = 0,
        format: str | int = "A8R8G8B8", pool: object = Pool.DEFAULT,  # noqa: A002 - as above
    ) -> Texture9:  # fmt: skip
        """Make a volume texture.

        Raises:
            ResourceError: as `create_texture`.
        """
        return _texture(TextureType.VOLUME, (width, height, depth), levels, usage, format, pool)

    def create_render_target(
        self, width: int, height: int, format: str | int = "A8R8G8B8", samples: int = 1,  # noqa: A002
        lockable: object = False,  # noqa: FBT002 - Direct3D's order
    ) -> Surface9:  # fmt: skip
        """Make a render target that is no texture; of format NULL it has no memory.

        Raises:
            ResourceError: size, format and samples do not fit.
        """
        is_lockable = flag(lockable, "lockable")
        return _made(width, height, format, Origin.RENDER_TARGET, samples, is_lockable=is_lockable)

    def create_depth_stencil_surface(
        self, width: int, height: int, format: str | int = "D24S8", samples: int = 1,  # noqa: A002
    ) -> Surface9:  # fmt: skip
        """Make a depth-stencil surface.

        Raises:
            ResourceError: size, format and samples do not fit.
        """
        return _made(width, height, format, Origin.DEPTH_STENCIL, samples)

    def create_offscreen_plain_surface(
        self, width: int, height: int, format: str | int = "A8R8G8B8",  # noqa: A002
        pool: object = Pool.DEFAULT,
    ) -> Surface9:  # fmt: skip
        """Make a surface that is copied from and to.

        Raises:
            ResourceError: size, format and pool do not fit.
        """
        return _made(width, height, format, Origin.OFFSCREEN_PLAIN, 1, _pool(pool))

    def create_vertex_buffer(self, contents: int | NDArray[Any] | bytes) -> VertexBuffer9:
        """Make a vertex buffer of so many bytes, or of an array, whose memory it then is.

        Raises:
            ResourceError: no bytes.
        """
        return VertexBuffer9(contents)

    def create_index_buffer(
        self, contents: int | NDArray[Any] | bytes,
        format: str | int | None = None,  # noqa: A002 - Direct3D's name
    ) -> IndexBuffer9:  # fmt: skip
        """Make an index buffer: format INDEX16 or INDEX32, by default that of an array's dtype.

        Raises:
            ResourceError: no bytes, or another format.
        """
        return IndexBuffer9(contents, format)

    def create_vertex_declaration(self, elements: Iterable[object]) -> VertexDeclaration9:
        """Make a declaration of `VertexElement9`s, or of their members.

        Raises:
            ResourceError: an element is none, or they do not go together.
        """
        return VertexDeclaration9(elements)

    def create_vertex_shader(self, shader: object) -> VertexShader9:
        """Make a vertex shader of a `Shader9`, a decoded program, a path, or tokens as bytes.

        Raises:
            ResourceError: none of these, or a pixel shader. DecodeError: the tokens are malformed.
            OSError: the file cannot be read.
        """
        return shader_of(shader, VertexShader9)

    def create_pixel_shader(self, shader: object) -> PixelShader9:
        """Make a pixel shader; see `create_vertex_shader`."""
        return shader_of(shader, PixelShader9)


def _pool(pool: object) -> Pool:
    if isinstance(pool, str):
        return named(Pool, pool, "pool", "D3DPOOL_")
    return member(Pool, pool, "pool")


def _texture(
    type_: TextureType, extents: tuple[int, int, int], levels: int, usage: object,
    format_: str | int, pool: object,
) -> Texture9:  # fmt: skip
    bits = flags(UsageFlags, usage, "usage", "D3DUSAGE_")
    form = d3d9_format(format_)
    if bits & UsageFlags.DEPTHSTENCIL and not form.is_depth_stencil:
        raise ResourceError(f"create_texture: found DEPTHSTENCIL for {form.name}")
    width, height, depth = extents
    return Texture9(
        width, height, form, levels=levels, type_=type_, depth=depth, pool=_pool(pool),
        is_render_target=bool(bits & UsageFlags.RENDERTARGET),
        is_dynamic=bool(bits & UsageFlags.DYNAMIC),
        is_generated=bool(bits & UsageFlags.AUTOGENMIPMAP),
    )  # fmt: skip


def _made(
    width: object, height: object, format_: str | int, origin: Origin, samples: object,
    pool: Pool = Pool.DEFAULT, *, is_lockable: bool = False,
) -> Surface9:  # fmt: skip
    """Return a surface with memory of its own."""
    size = integers((width, height), 2, "surface", "width and height")
    count = integer(samples, "samples", range(1, MAX_SAMPLES + 1))
    form = d3d9_format(format_)
    largest = MAX_TEXTURE_EXTENTS[2]
    if not all(1 <= n <= largest for n in size):
        raise ResourceError(f"surface: found {shown(size)}, wanted sides of 1 to {largest}")
    rows, columns = -(-size[1] // form.block_height), -(-size[0] // form.block_width)
    if rows * columns * count * form.bytes_per_block > MAX_BYTES:
        raise ResourceError(f"surface: found {shown(size)}, wanted at most {MAX_BYTES} bytes")
    if form.name == NULL and origin is Origin.RENDER_TARGET:
        return NullTarget9(size[0], size[1], count)
    dtype, items = natural_dtype(form)
    shape = (rows, columns, *([count] if count > 1 else []), *([items] if items > 1 else []))
    return Surface9(
        np.zeros(shape, dtype), form, origin=origin, pool=pool, samples=count,
        size=(size[0], size[1]), is_lockable=is_lockable,
    )  # fmt: skip
