"""Views of textures: some mip levels and slices, perhaps in another format or dimension.

Spec: D3D11.3 section 5.3 (views), 5.1.9 (casting between formats of a typeless family).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import Format
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.subresources import FACES, Layout
from softd3d.resources.views import Descriptor

__all__ = ["TextureView", "view_of"]

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
    """Some subresources of a texture; it shares the texture's memory."""

    descriptor: Descriptor

    def describe(self) -> Descriptor:
        return self.descriptor

    def __repr__(self) -> str:
        d = self.descriptor
        name = "" if d.format is None else d.format.name
        return (
            f"TextureView({d.dimension.name}, {d.width} x {d.height} x {d.depth}, "
            f"{d.array_size} slices, {d.mip_count} mips, {name})"
        )


def view_of(
    texture: Descriptor, layout: Layout, *, mip: int, mips: int | None, first_slice: int,
    slices: int | None, format_: Format, dimension: ResourceDimension | None,
) -> TextureView:  # fmt: skip
    """Return a view of `mips` levels from `mip` on and `slices` slices from `first_slice` on.

    Raises:
        ResourceError: see `Texture.view`.
    """
    name = layout.kind.name
    mip_count = _part(f"{name}: mips", mip, mips, layout.mips)
    slice_count = _part(f"{name}: slices", first_slice, slices, layout.slices)
    _check_format(name, layout, texture.format, format_)
    dimension = texture.dimension if dimension is None else dimension
    _check_dimension(layout, slice_count, texture.dimension, dimension)
    levels = texture.mips[mip : mip + mip_count]
    start = first_slice * texture.array_pitch
    end = (first_slice + slice_count) * texture.array_pitch
    if slice_count == 1:  # nothing but these levels, so that other levels may be bound elsewhere
        last = mip + mip_count - 1
        end = start + texture.mips[last][0] + layout.level_bytes(last)
        start += levels[0][0]
        levels = tuple((at - texture.mips[mip][0], row, whole) for at, row, whole in levels)
    data = texture.data[start:end]
    width, height, depth = layout.extent(mip)
    faces = FACES if dimension in _CUBES else 1
    return TextureView(
        replace(
            texture, data=data, size=data.size, width=width, height=height, depth=depth,
            array_size=slice_count // faces, mip_count=mip_count, mips=levels, format=format_,
            dimension=dimension,
        )
    )  # fmt: skip


def _part(what: str, first: int, count: int | None, total: int) -> int:
    """Return how many subresources a view has."""
    count = total - first if count is None else count
    if not (0 <= first < total and 0 < count <= total - first):
        raise ResourceError(f"{what}: found {count} from {first} on, wanted some of {total}")
    return count


def _check_format(name: str, layout: Layout, old: Format | None, new: Format) -> None:
    if old is None or (new.name in _ANY_DWORD and layout.texel == _DWORD):
        return
    is_family = bool(old.parent) and old.parent == new.parent
    if not is_family and _bits(old) != _bits(new):
        raise ResourceError(
            f"{name}: found format {new.name} for a view, wanted one with the channels of "
            f"{old.name}"
        )


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
