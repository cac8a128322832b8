"""Views of textures: some mip levels and slices, perhaps in another format or dimension.

Spec: D3D11.3 section 5.3 (views), 5.1.9 (casting between formats of a typeless family).
"""

from __future__ import annotations

import math
from dataclasses import replace

from softd3d.arguments import integer, member, real
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.casts import view_formats
from softd3d.formats.layout import Format, Scheme
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.texels.decoded import DecodedCopy, Part
from softd3d.resources.textures.subresources import FACES, Layout
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["TextureView", "check_view_format", "view_of", "whole_view"]

_D = ResourceDimension
_FAMILIES = (
    frozenset({_D.TEXTURE1D, _D.TEXTURE1DARRAY}),
    frozenset({_D.TEXTURE2D, _D.TEXTURE2DARRAY, _D.TEXTURECUBE, _D.TEXTURECUBEARRAY}),
    frozenset({_D.TEXTURE2DMS, _D.TEXTURE2DMSARRAY}),
    frozenset({_D.TEXTURE3D}),
)
_SINGLE = frozenset({_D.TEXTURE1D, _D.TEXTURE2D, _D.TEXTURE2DMS, _D.TEXTURE3D})
_CUBES = frozenset({_D.TEXTURECUBE, _D.TEXTURECUBEARRAY})
_ANY_DWORD = frozenset({"R32_FLOAT", "R32_UINT", "R32_SINT"})
_DWORD = 4


@dataclass(frozen=True, slots=True)
class TextureView:
    """Some subresources of a texture; it shares the texture's memory, or has a decoded copy."""

    descriptor: Descriptor

    def describe(self) -> Descriptor:
        return self.descriptor

    def __repr__(self) -> str:
        d = self.descriptor
        name = "" if d.view_format is None else d.view_format.name
        return (
            f"TextureView({d.dimension.name}, {d.width} x {d.height} x {d.depth}, "
            f"{d.array_size} slices, {d.mip_count} mips, {name})"
        )


def view_of(
    texture: Descriptor, layout: Layout, *, mips: tuple[int, int | None],
    slices: tuple[int, int | None], format_: Format, dimension: ResourceDimension | None,
    min_lod: float,
) -> TextureView:  # fmt: skip
    """Return a view of some mips and slices: the first, and how many, None for all from there on.

    Raises:
        ResourceError: see `Texture.view`.
    """
    name = layout.kind.name
    mip, mip_count = _part(f"{name}: mips", *mips, layout.mips)
    first_slice, slice_count = _part(f"{name}: slices", *slices, layout.slices)
    check_view_format(name, layout, texture.format, format_)
    dimension = texture.dimension if dimension is None else dimension
    dimension = member(ResourceDimension, dimension, f"{name}: dimension")
    _check_dimension(layout, slice_count, texture.dimension, dimension)
    lod = real(min_lod, f"{name}: min_lod")
    if not 0 <= lod < math.inf:
        raise ResourceError(f"{name}: found min_lod {lod}, wanted 0 or more")
    part = Part(mip, mip_count, first_slice, slice_count)
    faces = FACES if dimension in _CUBES else 1
    view = replace(
        texture, array_size=slice_count // faces, mip_count=mip_count, dimension=dimension,
        min_lod=max(lod - mip, 0.0),
    )  # fmt: skip
    if format_.scheme is not Scheme.TEXELS:
        return TextureView(_decoded(view, layout, part, format_))
    return TextureView(_shared(view, layout, part, format_))


def whole_view(texture: Descriptor, layout: Layout, format_: Format) -> Descriptor:
    """Return a view of all of a texture whose texels share units, in a format of such units.

    Raises:
        ResourceError: the decoded copy would be larger than a view may be.
    """
    return _decoded(texture, layout, Part(0, layout.mips, 0, layout.slices), format_)


def check_view_format(name: str, layout: Layout, old: Format | None, new: Format) -> None:
    """Refuse a view whose format is no other reading of a texture's texels.

    Raises:
        ResourceError: as said.
    """
    if old is None or new is old:
        return
    stands_alone = layout.block_width == 1 and new.scheme is Scheme.TEXELS
    is_dword = new.name in _ANY_DWORD and layout.texel == _DWORD
    if stands_alone and (is_dword or _bits(old) == _bits(new)):
        return
    is_family = bool(old.parent) and old.parent == new.parent
    if not is_family and new.name not in view_formats(old):
        raise ResourceError(
            f"{name}: found format {new.name} for a view, wanted one with the channels of "
            f"{old.name}"
        )


def _shared(view: Descriptor, layout: Layout, part: Part, format_: Format) -> Descriptor:
    """Return a view of the texture's own memory."""
    mip, mip_count, first_slice, slice_count = part
    width, height, depth = layout.extent(mip)
    if layout.block_width > 1:  # such a view sees each 4:2:2 unit as a texel
        if mip_count > 1:
            raise ResourceError(
                f"{layout.kind.name}: found {mip_count} mips of a 4:2:2 packed format, wanted one"
            )
        width, height, depth = layout.units(mip)
    levels = view.mips[mip : mip + mip_count]
    start = first_slice * view.array_pitch
    end = (first_slice + slice_count) * view.array_pitch
    if slice_count == 1:  # nothing but these levels, so that other levels may be bound elsewhere
        last = mip + mip_count - 1
        end = start + view.mips[last][0] + layout.level_bytes(last)
        start += levels[0][0]
        levels = tuple((at - view.mips[mip][0], row, whole) for at, row, whole in levels)
    data = view.data[start:end]
    return replace(
        view, data=data, size=data.size, width=width, height=height, depth=depth, mips=levels,
        format=format_,
    )  # fmt: skip


def _decoded(view: Descriptor, layout: Layout, part: Part, format_: Format) -> Descriptor:
    """Return a view of a decoded copy."""
    copy = DecodedCopy(view.data, layout, part, format_)
    width, height, depth = layout.extent(part.mip)
    return replace(
        view, data=copy.data, size=copy.data.size, stride=copy.plain.bytes_per_texel, width=width,
        height=height, depth=depth, array_pitch=copy.array_pitch, mips=copy.levels,
        format=copy.plain, writable=False, decoded=copy,
    )  # fmt: skip


def _part(what: str, first: int, count: int | None, total: int) -> tuple[int, int]:
    """Return the first subresource of a view, and how many it has."""
    first = integer(first, what)
    count = total - first if count is None else integer(count, what)
    if not (0 <= first < total and 0 < count <= total - first):
        raise ResourceError(f"{what}: found {count} from {first} on, wanted some of {total}")
    return first, count


def _bits(format_: Format) -> list[tuple[str, int]]:
    return [(channel.component, channel.bits) for channel in format_.channels]


def _check_dimension(
    layout: Layout, slices: int, old: ResourceDimension, new: ResourceDimension
) -> None:
    name = layout.kind.name
    family = next(f for f in _FAMILIES if old in f)
    if new not in family:
        wanted = ", ".join(sorted(d.name for d in family))
        raise ResourceError(f"{name}: found {new.name} for a view, wanted one of {wanted}")
    wrong = (
        (new in _SINGLE and slices != 1)
        or (new is _D.TEXTURECUBE and slices != FACES)
        or (new is _D.TEXTURECUBEARRAY and slices % FACES)
    )
    if wrong:
        wanted = "1" if new in _SINGLE else "6" if new is _D.TEXTURECUBE else "a multiple of 6"
        raise ResourceError(f"{name}: found {slices} slices for {new.name}, wanted {wanted}")
    if new in _CUBES and layout.width != layout.height:
        raise ResourceError(f"{name}: found no square faces, which {new.name} wants")
