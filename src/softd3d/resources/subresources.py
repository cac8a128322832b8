"""Where the subresources of a texture lie: sizes of mip levels, offsets and pitches.

All subresources are in one block, slice by slice, each with its mip levels; rows are tight.
Spec: D3D11.3 section 5.2 (subresources); limits in section 21.
"""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.views import MAX_BYTES

__all__ = ["FACES", "Kind", "Layout"]

FACES = 6
_MAX_EXTENTS = {1: 16384, 2: 16384, 3: 2048}
_MAX_SLICES = 2048
_SAMPLES = (1, 2, 4, 8, 16, 32)


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
    """Extents of a texture, checked by `check`. texel: bytes. slices: faces, for cubes."""

    kind: Kind
    width: int
    height: int
    depth: int
    slices: int
    mips: int
    samples: int
    texel: int

    def check(self) -> None:
        """Check against Direct3D's limits and those of 31-bit offsets.

        Raises:
            ResourceError: a number is out of range.
        """
        kind = self.kind
        for number, name in enumerate(("width", "height", "depth")):
            largest = _MAX_EXTENTS[kind.axes] if number < kind.axes else 1
            self._check_range(name, self._extents[number], largest)
        self._check_slices()
        largest = 1 if kind.is_multisampled else max(self._extents).bit_length()
        self._check_range("mips", self.mips, largest)
        if self.samples not in (_SAMPLES if kind.is_multisampled else (1,)):
            wanted = "a power of two up to 32" if kind.is_multisampled else "1"
            raise ResourceError(f"{kind.name}: found samples {self.samples}, wanted {wanted}")
        if self.bytes > MAX_BYTES:
            raise ResourceError(
                f"{kind.name}: found {self.bytes} bytes, wanted at most {MAX_BYTES}"
            )

    def _check_slices(self) -> None:
        kind = self.kind
        if kind.faces == 1:
            self._check_range("slices", self.slices, _MAX_SLICES if kind.is_array else 1)
            return
        largest = _MAX_SLICES // kind.faces * kind.faces if kind.is_array else kind.faces
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
        width, height, depth = (max(1, n >> level) for n in self._extents)
        return width, height, depth

    def shape(self, level: int, *, with_slices: bool = True) -> tuple[int, ...]:
        """Return the shape of a mip level's array, without an axis of channels."""
        slices = (self.slices,) if self.kind.has_slices and with_slices else ()
        samples = (self.samples,) if self.kind.is_multisampled else ()
        return (*slices, *self.extent(level)[self.kind.axes - 1 :: -1], *samples)

    def level_bytes(self, level: int) -> int:
        """Return the bytes of a mip level of one slice."""
        width, height, depth = self.extent(level)
        return width * height * depth * self.samples * self.texel

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
            width, height, _ = self.extent(level)
            row = width * self.samples * self.texel
            found.append((offset, row, row * height))
            offset += self.level_bytes(level)
        return tuple(found)
