"""Textures over NumPy arrays, and views of them.

A texture over one array is written in place, as buffers are. One of several mip levels holds a
copy of them, which `mip` shows. Spec: D3D11.3 section 5 (resources, subresources, views).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import buffer_of, integer, named
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import Format, dxgi_format
from softd3d.formats.layout import Scheme
from softd3d.formats.shader_views import alternatives, readable_format
from softd3d.isa.machine import ViewKind
from softd3d.isa.sample_positions import SampleQuality
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.texels.dtypes import natural_dtype, texel_dtypes, wanted_arrays
from softd3d.resources.textures.subresources import FACES, Kind, Layout
from softd3d.resources.textures.views import TextureView, view_of
from softd3d.resources.views.descriptor import Descriptor, byte_view, check_array
from softd3d.resources.views.origin import origin_of

__all__ = [
    "Texture",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "TextureCube",
    "TextureCubeArray",
]

_D = ResourceDimension
_STORED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BITS, Scheme.BLOCKS)


class Texture:
    """What all kinds of textures have in common; a subclass names its kind.

    format: of its texels or blocks. Typeless, depth-stencil and video textures are bound to
        shaders through views in the formats that these see.
    sample_quality: where its samples are, if it is multisampled.
    layout: where its subresources lie. mapped: the numbers of subresources that are mapped now.
    """

    kind: ClassVar[Kind]

    def __init__(
        self, array: NDArray[Any] | Sequence[NDArray[Any]], format: str | int | Format,  # noqa: A002
        *, sample_quality: SampleQuality | str | int = 0,
    ) -> None:  # fmt: skip
        """Wrap one array, or copy a list of arrays: one for each mip level, largest first.

        Args:
            array: (slices, depth, height, width, samples), as far as the kind has them, and an
                axis of channels if the items are channels and there are several. For formats of
                blocks, 4:2:2 units or bits: rows and columns of those, uint8 with an axis of bytes.
            format: what the texels are.
            sample_quality: of a multisampled texture: where its samples are.

        Raises:
            ResourceError: shape, dtype or layout do not fit the format and kind.
        """
        self.format = _stored_format(format)
        self.sample_quality = self._quality(sample_quality)
        self.mapped: set[int] = set()
        levels = _levels(array, self.kind)
        self._shown: Descriptor | None = None
        self._dtype, self._items = levels[0].dtype, self._items_of(levels[0])
        self.layout = self._layout_of(levels[0], len(levels))
        self.layout.check()
        self._check_levels(levels)
        if len(levels) == 1:
            self._data = byte_view(levels[0], self.kind.name)
            self._array = levels[0]
        else:
            self._data = np.zeros(self.layout.bytes, np.uint8)
            for number, level in enumerate(levels):
                self.mip(number)[...] = level
            self._array = self.mip(0)
        self._descriptor = self._describe()

    @classmethod
    def from_bytes(
        cls, data: bytes | bytearray | memoryview, format: str | int | Format,  # noqa: A002
        width: int, height: int = 1, depth: int = 1, array_size: int = 1, mip_levels: int = 1,
        sample_count: int = 1, sample_quality: SampleQuality | str | int = 0,
    ) -> Self:  # fmt: skip
        """Make a texture of a copy of its subresources: slice by slice, each with its mips.

        array_size: slices; 6 for a cube, six times as many as cubes for an array of them.

        Raises:
            ResourceError: an extent out of range, or another number of bytes than they make.
        """
        self = cls.__new__(cls)
        self.format = _stored_format(format)
        self.sample_quality = cls._quality(sample_quality)
        self.mapped = set()
        self._shown = None
        names = ("width", "height", "depth", "array_size", "mip_levels", "sample_count")
        given = (width, height, depth, array_size, mip_levels, sample_count)
        for name, value in zip(names, given, strict=True):
            integer(value, f"{cls.kind.name}: {name}")
        self.layout = Layout(cls.kind, *given, *_block(self.format))
        self.layout.check()
        contents = buffer_of(data, f"{cls.kind.name}: data")
        if len(contents) != self.layout.bytes:
            raise ResourceError(
                f"{cls.kind.name}: found {len(contents)} bytes, wanted {self.layout.bytes}"
            )
        self._data = np.frombuffer(bytearray(contents), np.uint8)
        self._dtype, self._items = natural_dtype(self.format)
        self._array = self.mip(0)
        self._descriptor = self._describe()
        return self

    @property
    def array(self) -> NDArray[Any]:
        """The caller's own array, or mip 0 of all slices where the texture holds a copy."""
        return self._array

    def mip(self, mip_slice: int, array_slice: int | None = None) -> NDArray[Any]:
        """Return a mip level, of one slice or of all, as an array that shares the texture's memory.

        Raises:
            ResourceError: there is no such level or slice.
        """
        layout = self.layout
        level = integer(mip_slice, f"{self.kind.name}: mip_slice", range(layout.mips))
        start = layout.levels()[level][0]
        slices = self._data.reshape(layout.slices, -1)
        level_of_slices = slices[:, start : start + layout.level_bytes(level)].view(self._dtype)
        channels = (self._items,) if self._items > 1 else ()
        shape = layout.shape(level, with_slices=False)
        found = level_of_slices.reshape(layout.slices, *shape, *channels)
        if array_slice is not None:
            return found[integer(array_slice, f"{self.kind.name}: array_slice", range(len(found)))]
        return found if self.kind.has_slices else found[0]

    def tobytes(self) -> bytes:
        """Return a copy of the contents: slice by slice, each with its mips."""
        return self._data.tobytes()

    @property
    def is_centered(self) -> bool:
        """Whether all samples are at the centres of their pixels."""
        return self.sample_quality is SampleQuality.CENTER_MULTISAMPLE_PATTERN

    @property
    def whole(self) -> Descriptor:
        """All its subresources in its own format, whether shaders can read that or not."""
        return self._descriptor

    def describe(self) -> Descriptor:
        """Return what shaders need to know.

        Raises:
            ResourceError: they cannot read the format; perhaps a view of another can be bound.
        """
        readable_format(self.format)
        if self._shown is None:
            is_plain = self.format.scheme is Scheme.TEXELS
            self._shown = self._descriptor if is_plain else self.view().descriptor
        return self._shown

    def view(
        self, most_detailed_mip: int = 0, mip_levels: int | None = None,
        first_array_slice: int = 0, array_size: int | None = None,
        format: str | int | Format | None = None,  # noqa: A002
        dimension: ResourceDimension | None = None, min_lod: float = 0.0,
    ) -> TextureView:  # fmt: skip
        """Return a view of some subresources, to be bound like a texture.

        A UAV sees the view's first mip only. By default: all mips and slices from the first on, in
        the texture's format and dimension. Slices of cubes are faces.
        dimension: e.g. TEXTURE2DARRAY for faces of a cube.
        min_lod: the least level of detail that shaders may read, counted from the texture's first
        level, as SetResourceMinLOD has it (D3D11.3 section 5.8).

        Raises:
            ResourceError: subresources that are not there; a format of another family and with
                other channels, where it is not R32_FLOAT, R32_UINT or R32_SINT for texels of 32
                bits; one that shaders cannot read; a dimension that does not fit; a negative
                min_lod.
        """
        return view_of(
            self._descriptor, self.layout, mips=(most_detailed_mip, mip_levels),
            slices=(first_array_slice, array_size), dimension=dimension, min_lod=min_lod,
            format_=readable_format(self.format if format is None else format),
        )  # fmt: skip

    def __repr__(self) -> str:
        layout = self.layout
        parts = [" x ".join(str(n) for n in layout.extent(0)[: self.kind.axes])]
        parts += [f"{layout.slices} slices"] if self.kind.has_slices else []
        parts += [f"{layout.mips} mips"] if layout.mips > 1 else []
        parts += [f"{layout.samples} samples"] if self.kind.is_multisampled else []
        return f"{self.kind.name}({', '.join(parts)}, {self.format.name})"

    @classmethod
    def _quality(cls, value: SampleQuality | str | int) -> SampleQuality:
        what = f"{cls.kind.name}: sample_quality"
        found = named(SampleQuality, value, what, "D3D11_")
        if found and not cls.kind.is_multisampled:
            raise ResourceError(f"{what}: found {found.name}, wanted 0: there is one sample")
        return found

    def _items_of(self, level: NDArray[Any]) -> int:
        """Return the number of items in a texel, after checking dtype and number of axes."""
        axes = self.kind.axis_names
        items = texel_dtypes(self.format).get(level.dtype)
        tail = () if items == 1 else (items,)
        if items is None or level.shape[len(axes) :] != tail or level.ndim < len(axes):
            raise ResourceError(
                f"{self.kind.name}: found {level.dtype} {level.shape}, "
                f"wanted {wanted_arrays(self.format, axes)}"
            )
        return items

    def _layout_of(self, level: NDArray[Any], mips: int) -> Layout:
        names = self.kind.axis_names
        found = dict(zip(names, level.shape[: len(names)], strict=True))
        width, height, depth, slices, samples = (
            found.get(name, 1) for name in ("width", "height", "depth", "slices", "samples")
        )
        texel, wide, high = _block(self.format)
        return Layout(
            self.kind, width * wide, height * high, depth, slices, mips, samples, texel, wide, high
        )

    def _check_levels(self, levels: Sequence[NDArray[Any]]) -> None:
        channels = (self._items,) if self._items > 1 else ()
        for number, level in enumerate(levels):
            wanted = (*self.layout.shape(number), *channels)
            if level.shape != wanted or level.dtype != self._dtype:
                raise ResourceError(
                    f"{self.kind.name}: mip {number}: found {level.dtype} {level.shape}, "
                    f"wanted {self._dtype} {wanted}"
                )

    def _describe(self) -> Descriptor:
        layout = self.layout
        return Descriptor(
            data=self._data, size=self._data.size, count=0, stride=layout.texel,
            width=layout.width, height=layout.height, depth=layout.depth,
            array_size=layout.slices // self.kind.faces, mip_count=layout.mips,
            sample_count=layout.samples, array_pitch=layout.slice_bytes, mips=layout.levels(),
            format=self.format, kind=ViewKind.TYPED, dimension=self.kind.dimension, counter=None,
            writable=bool(self._data.flags.writeable),
            origin=origin_of(self._array, self._data),
            standard_samples=0 if self.is_centered else layout.samples,
        )  # fmt: skip


def _stored_format(name: str | int | Format) -> Format:
    """Return a format whose texels lie in one array of texels, blocks, 4:2:2 units or bytes.

    Raises:
        ResourceError: there is no such format, or it is another one.
    """
    found = dxgi_format(name)
    if found.scheme not in _STORED:
        raise ResourceError(
            f"format {found.name} cannot be a texture's: {found.scheme.value}{alternatives(found)}"
        )
    return found


def _block(format_: Format) -> tuple[int, int, int]:
    """Return bytes, width and height of the smallest piece of a format that stands alone."""
    return format_.bytes_per_block, format_.block_width, format_.block_height


def _levels(array: object, kind: Kind) -> list[NDArray[Any]]:
    """Return the arrays of the mip levels."""
    levels = list(cast("list[object]", array)) if isinstance(array, (list, tuple)) else [array]
    if not levels:
        raise ResourceError(f"{kind.name}: found no mip levels, wanted at least one")
    for level in levels:
        check_array(level, kind.name)
    return cast("list[NDArray[Any]]", levels)


class Texture1D(Texture):
    """A row of texels: array (width,), and channels.

    >>> Texture1D(np.zeros((5, 4), np.uint8), "R8G8B8A8_UNORM")
    Texture1D(5, R8G8B8A8_UNORM)
    """

    kind = Kind("Texture1D", _D.TEXTURE1D, 1)


class Texture1DArray(Texture):
    """Rows of texels: array (slices, width), and channels."""

    kind = Kind("Texture1DArray", _D.TEXTURE1DARRAY, 1, is_array=True)


class Texture2D(Texture):
    """An image: array (height, width), and channels.

    >>> Texture2D([np.zeros((4, 4), np.float32), np.ones((2, 2), np.float32)], "R32_FLOAT")
    Texture2D(4 x 4, 2 mips, R32_FLOAT)
    """

    kind = Kind("Texture2D", _D.TEXTURE2D, 2)


class Texture2DArray(Texture):
    """Images: array (slices, height, width), and channels."""

    kind = Kind("Texture2DArray", _D.TEXTURE2DARRAY, 2, is_array=True)


class Texture2DMS(Texture):
    """A multisampled image: array (height, width, samples), and channels."""

    kind = Kind("Texture2DMS", _D.TEXTURE2DMS, 2, is_multisampled=True)


class Texture2DMSArray(Texture):
    """Multisampled images: array (slices, height, width, samples), and channels."""

    kind = Kind("Texture2DMSArray", _D.TEXTURE2DMSARRAY, 2, is_array=True, is_multisampled=True)


class Texture3D(Texture):
    """A volume: array (depth, height, width), and channels."""

    kind = Kind("Texture3D", _D.TEXTURE3D, 3)


class TextureCube(Texture):
    """Six faces, +X -X +Y -Y +Z -Z: array (6, size, size), and channels."""

    kind = Kind("TextureCube", _D.TEXTURECUBE, 2, faces=FACES)


class TextureCubeArray(Texture):
    """Cubes: array (6 * cubes, size, size), and channels."""

    kind = Kind("TextureCubeArray", _D.TEXTURECUBEARRAY, 2, is_array=True, faces=FACES)
