"""Where the subresources of a texture lie: sizes of mip levels, offsets and pitches.

All subresources are in one block, slice by slice, each with its mip levels; rows are tight.
Spec: D3D11.3 section 5.2 (subresources) and 19.5.2 (compressed ones); limits in section 21.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.isa.limits import MAX_TEXTURE_EXTENTS, MAX_TEXTURE_SLICES, SAMPLE_COUNTS
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.views.descriptor import MAX_BYTES

__all__ = [
    "FACES",
    "Kind",
    "Layout",
    "mip_extent",
    "row_count",
    "row_pitch",
    "subresource_index",
]

FACES = 6


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of texture. axes: 1 to 3 of width, height, depth. faces: slices of one element."""

    name: str
    dimension: ResourceDimension
    axes: int
    is_array: bool = False
    is_multisampled: bool = False
    faces: int = 1

    @property
    def has_slices(self) -> bool:
        """Whether arrays have an axis of slices."""
        return self.is_array or self.faces > 1

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The axes of an array, before one of channels."""
        slices = ("slices",) if self.has_slices else ()
        samples = ("samples",) if self.is_multisampled else ()
        return (*slices, *("depth", "height", "width")[3 - self.axes :], *samples)


@dataclass(frozen=True, slots=True)
class Layout:
    """Extents of a texture in texels, checked by `check`. slices: faces, for cubes.

    texel: bytes of a texel, or of what block_width x block_height texels share.
    """

    kind: Kind
    width: int
    height: int
    depth: int
    slices: int
    mips: int
    samples: int
    texel: int
    block_width: int = 1
    block_height: int = 1

    def check(self) -> None:
        """Check against Direct3D's limits and those of 31-bit offsets.

        Raises:
            ResourceError: a number is out of range.
        """
        kind = self.kind
        for number, name in enumerate(("width", "height", "depth")):
            largest = MAX_TEXTURE_EXTENTS[kind.axes] if number < kind.axes else 1
            self._check_range(name, self._extents[number], largest)
        self._check_slices()
        largest = 1 if kind.is_multisampled else max(self._extents).bit_length()
        self._check_range("mips", self.mips, largest)
        if self.samples not in (SAMPLE_COUNTS if kind.is_multisampled else (1,)):
            wanted = f"a power of two up to {SAMPLE_COUNTS[-1]}" if kind.is_multisampled else "1"
            raise ResourceError(f"{kind.name}: found samples {self.samples}, wanted {wanted}")
        self._check_blocks()
        if self.bytes > MAX_BYTES:
            raise ResourceError(
                f"{kind.name}: found {self.bytes} bytes, wanted at most {MAX_BYTES}"
            )

    def _check_blocks(self) -> None:
        """Refuse texels that share memory where a kind has none, and parts of blocks at the top."""
        kind, wide, high = self.kind, self.block_width, self.block_height
        if wide * high == 1:
            return
        if kind.is_multisampled or (high > 1 and kind.axes == 1):
            raise ResourceError(f"{kind.name}: found blocks of {wide} x {high} texels, wanted none")
        if self.width % wide or self.height % high:
            raise ResourceError(
                f"{kind.name}: found {self.width} x {self.height} texels, wanted multiples of "
                f"{wide} x {high}, as Direct3D does of the first mip of formats of such blocks"
            )

    def _check_slices(self) -> None:
        kind = self.kind
        if kind.faces == 1:
            self._check_range("slices", self.slices, MAX_TEXTURE_SLICES if kind.is_array else 1)
            return
        largest = MAX_TEXTURE_SLICES // kind.faces * kind.faces if kind.is_array else kind.faces
        if not 0 < self.slices <= largest or self.slices % kind.faces:
            wanted = f"a multiple of 6 up to {largest}" if kind.is_array else "6"
            raise ResourceError(f"{kind.name}: found {self.slices} slices, wanted {wanted}")
        if self.width != self.height:
            raise ResourceError(
                f"{kind.name}: found faces of {self.width} x {self.height}, wanted squares"
            )

    def _check_range(self, name: str, value: int, largest: int) -> None:
        if not 1 <= value <= largest:
            wanted = f"1 to {largest}" if largest > 1 else "1"
            raise ResourceError(f"{self.kind.name}: found {name} {value}, wanted {wanted}")

    @property
    def _extents(self) -> tuple[int, int, int]:
        return self.width, self.height, self.depth

    def extent(self, level: int) -> tuple[int, int, int]:
        """Return width, height and depth of a mip level: halved, rounded down, at least 1."""
        return mip_extent(self._extents, level)

    def units(self, level: int) -> tuple[int, int, int]:
        """Return columns, rows and depth of a mip level, in blocks where the format has them."""
        width, height, depth = self.extent(level)
        return -(-width // self.block_width), -(-height // self.block_height), depth

    def shape(self, level: int, *, with_slices: bool = True) -> tuple[int, ...]:
        """Return the shape of a mip level's array, without an axis of channels."""
        slices = (self.slices,) if self.kind.has_slices and with_slices else ()
        samples = (self.samples,) if self.kind.is_multisampled else ()
        return (*slices, *self.units(level)[self.kind.axes - 1 :: -1], *samples)

    def level_bytes(self, level: int) -> int:
        """Return the bytes of a mip level of one slice."""
        columns, rows, depth = self.units(level)
        return columns * rows * depth * self.samples * self.texel

    @property
    def slice_bytes(self) -> int:
        return sum(self.level_bytes(level) for level in range(self.mips))

    @property
    def bytes(self) -> int:
        return self.slices * self.slice_bytes

    def levels(self) -> tuple[tuple[int, int, int], ...]:
        """Return (offset, row pitch, slice pitch) of each mip level inside a slice, in bytes."""
        found: list[tuple[int, int, int]] = []
        offset = 0
        for level in range(self.mips):
            columns, rows, _ = self.units(level)
            row = columns * self.samples * self.texel
            found.append((offset, row, row * rows))
            offset += self.level_bytes(level)
        return tuple(found)


def subresource_index(mip_slice: int, array_slice: int, mip_levels: int) -> int:
    """Return the number of a subresource of a texture with `mip_levels` levels.

    Spec: win32 D3D11CalcSubresource.

    >>> subresource_index(2, 3, 5)
    17
    """
    return mip_slice + array_slice * mip_levels


def mip_extent(extents: tuple[int, int, int], level: int) -> tuple[int, int, int]:
    """Return width, height and depth of a mip level: halved, rounded down, at least 1.

    >>> mip_extent((5, 3, 1), 1)
    (2, 1, 1)
    """
    width, height, depth = (max(1, n >> level) for n in extents)
    return width, height, depth


def row_pitch(format_: Format, width: int) -> int:
    """Return the bytes of a tight row of texels, of blocks, or of a planar format's luma.

    >>> from softd3d.formats.dxgi import dxgi_format
    >>> row_pitch(dxgi_format("BC1_UNORM"), 5), row_pitch(dxgi_format("NV12"), 5)
    (16, 6)
    """
    blocks = -(-width // format_.block_width)
    if format_.planes:
        return blocks * format_.block_width * format_.planes[0].bytes_per_element
    return blocks * format_.bytes_per_block


def row_count(format_: Format, height: int) -> int:
    """Return how many rows of that pitch a 2D image has.

    The planes of a planar format follow each other, with rows of the luma's pitch whatever is in
    them.

    >>> from softd3d.formats.dxgi import dxgi_format
    >>> row_count(dxgi_format("BC1_UNORM"), 5), row_count(dxgi_format("NV12"), 5)
    (2, 8)
    """
    if format_.planes:
        return sum(-(-height // plane.height_divisor) for plane in format_.planes)
    return -(-height // format_.block_height)
