"""Surfaces and textures of Direct3D 9: arrays with a format, a pool and a way they were made.

Spec: win32 IDirect3DSurface9, D3DSURFACE_DESC, D3DPOOL, D3DUSAGE, "Using Compressed Textures
(Direct3D 9)".
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import instance, integer, integers, member, numbered
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format, d3d9_format
from softd3d.formats.layout import Scheme
from softd3d.isa.limits import MAX_TEXTURE_EXTENTS
from softd3d.isa.sm1.limits import MAX_SAMPLES
from softd3d.resources.d3d9.descriptions import CUBE, TEXTURE, VOLUME, described, layout_of
from softd3d.resources.d3d9.mip_levels import halved, has_generated_levels
from softd3d.resources.texels.dtypes import natural_dtype, texel_dtypes, wanted_arrays
from softd3d.resources.textures.depth_stencil import Surface
from softd3d.resources.views.descriptor import MAX_BYTES, Descriptor, check_array

__all__ = ["Origin", "Pool", "Surface9", "Texture9", "TextureType"]

_STORED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BITS, Scheme.BLOCKS)


class Pool(IntEnum):
    """D3DPOOL (d3d9types.h)."""

    DEFAULT = 0
    MANAGED = 1
    SYSTEMMEM = 2
    SCRATCH = 3


class Origin(Enum):
    """How a surface was made, which the tables of the copying calls ask for."""

    TEXTURE = "texture"
    RENDER_TARGET_TEXTURE = "render-target texture"
    RENDER_TARGET = "render target"
    OFFSCREEN_PLAIN = "off-screen plain surface"
    DEPTH_STENCIL = "depth-stencil surface"

    @property
    def is_render_target(self) -> bool:
        return self in (Origin.RENDER_TARGET, Origin.RENDER_TARGET_TEXTURE)


class TextureType(Enum):
    """Which interface a texture has."""

    TEXTURE = "IDirect3DTexture9"
    CUBE = "IDirect3DCubeTexture9"
    VOLUME = "IDirect3DVolumeTexture9"


class Surface9:
    """A two-dimensional surface over the caller's array, which copies to it change.

    >>> Surface9(np.zeros((4, 4, 4), np.uint8), "A8R8G8B8", origin=Origin.RENDER_TARGET)
    Surface9(4 x 4, A8R8G8B8, render target in DEFAULT)
    """

    def __init__(
        self, array: NDArray[Any], format_: str | int | D3D9Format, *,
        origin: Origin = Origin.OFFSCREEN_PLAIN, pool: Pool = Pool.DEFAULT, samples: int = 1,
        size: tuple[int, int] | None = None, is_lockable: bool = False, is_dynamic: bool = False,
    ) -> None:  # fmt: skip
        """Wrap `array`, (height, width), with any strides between texels.

        Args:
            array: texels as `Texture2D` takes them; rows and columns of blocks or 4:2:2 units, with
                their bytes. With several samples these are the axis after the width.
            format_: by name, number or FourCC.
            origin: how it was made.
            pool: where it lies.
            samples: of a multisampled surface.
            size: width and height in texels, where the last blocks are not full.
            is_lockable: of a render target, as CreateRenderTarget's argument.
            is_dynamic: of a texture, as D3DUSAGE_DYNAMIC.

        Raises:
            ResourceError: array, size and format do not fit, or it cannot be made so.
        """
        self.format = d3d9_format(format_)
        self.origin, self.pool = (
            member(Origin, origin, "Surface9: origin"),
            member(Pool, pool, "Surface9: pool"),
        )
        self.samples = integer(samples, "Surface9: samples")
        self.is_lockable = instance(is_lockable, bool, "Surface9: is_lockable")
        self.is_dynamic = instance(is_dynamic, bool, "Surface9: is_dynamic")
        self.is_locked = False
        self.array = array
        self._items = self._check_array()
        self._check_origin()
        rows, columns = array.shape[:2]
        wide, high = self.format.block_width, self.format.block_height
        size = (columns * wide, rows * high) if size is None else size
        self.width, self.height = integers(size, 2, "Surface9: size", "width and height")
        if -(-self.width // wide) != columns or -(-self.height // high) != rows:
            raise ResourceError(
                f"Surface9: found {columns} x {rows} units for {self.width} x {self.height} texels "
                f"of {self.format.name}"
            )

    @property
    def units(self) -> NDArray[np.uint8]:
        """The surface's memory: (rows, columns, bytes), or (rows, columns, samples, bytes)."""
        whole = self.array if self._items > 1 else self.array[..., None]
        return np.asarray(whole).view(np.uint8)

    def depth_stencil(self) -> Surface:
        """Return the same memory as the depth-stencil Blt takes it, with its depth and stencil.

        Raises:
            ResourceError: no depth-stencil format of D3DDDIFORMAT, or several samples.
        """
        if self.samples > 1:
            raise ResourceError(f"Surface9: found {self.samples} samples, wanted 1 for a Surface")
        return Surface(self.array, self.format.name)

    def _check_array(self) -> int:
        """Return the number of items of a unit."""
        check_array(self.array, f"Surface9 of {self.format.name}")
        if self.format.scheme not in _STORED:
            raise ResourceError(
                f"Surface9: format {self.format.name} is no surface's: {self.format.scheme.value}"
            )
        if not 1 <= self.samples <= MAX_SAMPLES or self.samples & (self.samples - 1):
            raise ResourceError(
                f"Surface9: found {self.samples} samples, wanted a power of two up to {MAX_SAMPLES}"
            )
        axes = ("height", "width", "samples")[: 3 if self.samples > 1 else 2]
        items = texel_dtypes(self.format).get(self.array.dtype)
        shape = self.array.shape
        tail = (*([self.samples] if self.samples > 1 else []), *([items] if items != 1 else []))
        if items is None or len(shape) != 2 + len(tail) or shape[2:] != tail or 0 in shape:
            raise ResourceError(
                f"Surface9: found {self.array.dtype} {shape}, "
                f"wanted {wanted_arrays(self.format, axes)}"
            )
        is_tight = items == 1 or self.array.strides[-1] == self.array.itemsize
        if not is_tight or max(shape[:2]) > MAX_TEXTURE_EXTENTS[2]:
            raise ResourceError(
                f"Surface9: found {shape} with strides {self.array.strides}, wanted at most "
                f"{MAX_TEXTURE_EXTENTS[2]} rows and columns of texels whose bytes are neighbours"
            )
        return items

    def _check_origin(self) -> None:
        is_depth, origin = self.format.is_depth_stencil, self.origin
        wrong = (
            (origin is Origin.DEPTH_STENCIL and not is_depth)
            or (is_depth and origin not in (Origin.DEPTH_STENCIL, Origin.TEXTURE))
            or (self.pool is Pool.MANAGED and origin is Origin.OFFSCREEN_PLAIN)
            or (self.samples > 1 and origin not in (Origin.RENDER_TARGET, Origin.DEPTH_STENCIL))
            or (self.pool is not Pool.DEFAULT and (origin.is_render_target or is_depth))
            or (self.format.scheme is Scheme.BLOCKS and origin.is_render_target)
        )
        if wrong:
            samples = f" with {self.samples} samples" if self.samples > 1 else ""
            raise ResourceError(
                f"Surface9: {self.format.name}{samples} cannot be a {origin.value} in "
                f"{self.pool.name}"
            )

    def __repr__(self) -> str:
        samples = f", {self.samples} samples" if self.samples > 1 else ""
        return (
            f"Surface9({self.width} x {self.height}{samples}, {self.format.name}, "
            f"{self.origin.value} in {self.pool.name})"
        )


class Texture9:
    """A texture, cube or volume of Direct3D 9 with memory of its own, all 0 at first.

    memory: uint8, (bytes,), all levels; `layout` says where. lod: the largest level that lookups
    may use, as SetLOD has it; the caller changes it. is_generated: whether levels are made of the
    first one, as AUTOGENMIPMAP has it; `levels` is 1 then, and no other has surfaces.

    >>> Texture9(8, 4, "DXT1", levels=0).surface(3).array.shape
    (1, 1, 8)
    """

    def __init__(
        self, width: int, height: int, format_: str | int | D3D9Format, *, levels: int = 1,
        type_: TextureType = TextureType.TEXTURE, depth: int = 1, pool: Pool = Pool.DEFAULT,
        is_render_target: bool = False, is_dynamic: bool = False, is_generated: bool = False,
    ) -> None:  # fmt: skip
        """Make the surfaces of all levels.

        levels: how many; 0 for all down to 1 x 1; 0 or 1 if they are generated. depth: of a volume.

        Raises:
            ResourceError: extents, levels, format, pool and usage do not fit, or it is too large.
        """
        self.format = d3d9_format(format_)
        self.type, self.pool = (
            member(TextureType, type_, "Texture9: type"),
            member(Pool, pool, "Texture9: pool"),
        )
        names = "width, height, depth and levels as integers"
        numbers = integers((width, height, depth, levels), 4, "Texture9", names)
        extents, levels = (numbers[0], numbers[1], numbers[2]), numbers[3]
        _check_extents(self.type, extents)
        self.is_generated = instance(is_generated, bool, "Texture9: is_generated")
        most = max(extents).bit_length()
        if not 0 <= levels <= (1 if is_generated else most):
            most = 1 if is_generated else most
            raise ResourceError(f"Texture9: found {levels} levels, wanted 0 to {most}")
        self._check_stored()
        self.levels = 1 if is_generated else levels or most
        stored = most if is_generated else self.levels
        self.layout = layout_of(_KINDS[self.type], extents, stored, self.format)
        self._made_of: NDArray[np.uint8] | None = None
        if self.layout.bytes > MAX_BYTES:
            raise ResourceError(
                f"Texture9: found {self.layout.bytes} bytes, wanted at most {MAX_BYTES}"
            )
        self.lod = 0
        self.memory = np.zeros(self.layout.bytes, np.uint8)
        instance(is_render_target, bool, "Texture9: is_render_target")
        origin = Origin.RENDER_TARGET_TEXTURE if is_render_target else Origin.TEXTURE
        self._made_as = origin, is_dynamic
        self._make()

    def _make(self) -> None:
        """Make the surfaces over the texture's memory."""
        self._described: dict[bool, Descriptor] = {}
        slices = _KINDS[self.type].faces
        self._surfaces = [
            [self._made(level, slice_) for slice_ in range(slices * self.layout.extent(level)[2])]
            for level in range(self.layout.mips)
        ]

    def generate_mip_sub_levels(self) -> None:
        """Make all levels behind the first again, as GenerateMipSubLevels does.

        Raises:
            ResourceError: the texture is not made so.
        """
        if not self.is_generated:
            raise ResourceError("generate_mip_sub_levels: the texture has levels of its own")
        for above, level in zip(self._surfaces, self._surfaces[1:], strict=False):
            for source, target in zip(above, level, strict=True):
                target.units[...] = halved(source.units, self.format)
        self._made_of = np.stack([surface.units for surface in self._surfaces[0]])

    def refresh_levels(self) -> None:
        """Make generated levels again if the first has changed since.

        Raises:
            ResourceError: the texture is not made so.
        """
        made_of = self._made_of
        top = self._surfaces[0]
        if made_of is None or any(
            (then != now.units).any() for then, now in zip(made_of, top, strict=True)
        ):
            self.generate_mip_sub_levels()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of, whose surfaces are over its own memory again."""
        made = ("_surfaces", "_described")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make()

    def surface(self, level: int = 0, slice_: int = 0) -> Surface9:
        """Return a level of a texture, of a face of a cube, or of a layer of a volume.

        Raises:
            ResourceError: there is none.
        """
        return numbered(self._surfaces[self._level(level)], slice_, "Texture9: slice")

    def slices(self, level: int) -> int:
        """Return the number of faces or layers of a level.

        Raises:
            ResourceError: there is no such level.
        """
        return len(self._surfaces[self._level(level)])

    def description(self, *, is_srgb: bool = False) -> Descriptor:
        """Return what shaders need to know, made once; is_srgb: SRGBTEXTURE of the sampler.

        Raises:
            ResourceError: they cannot read the format.
        """
        found = self._described.get(is_srgb)
        if found is None:
            found = described(self.memory, self.layout, self.format, is_srgb=is_srgb)
            self._described[is_srgb] = found
        return found

    def _level(self, level: int) -> int:
        return integer(level, "Texture9: level", range(self.levels))

    def _check_stored(self) -> None:
        if self.format.scheme not in _STORED:
            raise ResourceError(
                f"Texture9: format {self.format.name} is no texture's: {self.format.scheme.value}"
            )
        if not self.is_generated:
            return
        is_kept = self.pool in (Pool.DEFAULT, Pool.MANAGED)
        if self.type is TextureType.VOLUME or not is_kept or not has_generated_levels(self.format):
            raise ResourceError(
                f"Texture9: levels of {self.format.name} in {self.pool.name} cannot be generated "
                f"for {self.type.value}"
            )

    def _made(self, level: int, slice_: int) -> Surface9:
        """Return a surface over the texture's memory."""
        layout, (origin, is_dynamic) = self.layout, self._made_as
        columns, rows, depth = layout.units(level)
        at, _, plane = layout.levels()[level]
        face, layer = divmod(slice_, depth)
        start = face * layout.slice_bytes + at + layer * plane
        dtype, items = natural_dtype(self.format)
        shape = (rows, columns, *([items] if items > 1 else []))
        return Surface9(
            self.memory[start : start + plane].view(dtype).reshape(shape), self.format,
            origin=origin, pool=self.pool, size=layout.extent(level)[:2], is_dynamic=is_dynamic,
        )  # fmt: skip

    def __repr__(self) -> str:
        top = self._surfaces[0]
        depth = f" x {len(top)}" if self.type is TextureType.VOLUME else ""
        return (
            f"Texture9({self.type.name.lower()} {top[0].width} x {top[0].height}{depth}, "
            f"{self.levels} levels, {self.format.name} in {self.pool.name})"
        )


_KINDS = {TextureType.TEXTURE: TEXTURE, TextureType.CUBE: CUBE, TextureType.VOLUME: VOLUME}


def _check_extents(type_: TextureType, extents: tuple[int, int, int]) -> None:
    largest = MAX_TEXTURE_EXTENTS[3 if type_ is TextureType.VOLUME else 2]
    width, height, depth = extents
    fits = all(1 <= n <= largest for n in extents)
    is_flat = type_ is TextureType.VOLUME or depth == 1
    if not fits or not is_flat or (type_ is TextureType.CUBE and width != height):
        found = " x ".join(str(n) for n in extents)
        raise ResourceError(
            f"Texture9: found {found} for {type_.value}, wanted 1 to {largest}, square faces, and "
            "a depth of 1 but for volumes"
        )
