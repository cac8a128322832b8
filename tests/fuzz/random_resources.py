"""Memory for random programs: registers with their declarations, contents, and comparison rules.

Every view that a random program may name is one `Slot`. What its declaration says and how a
resource for it is made stand side by side, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from softd3d.formats.dxgi import FORMATS, ChannelType
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.cases.comparison import RuleType, Tolerance
from softd3d.resources.texels.dtypes import natural_dtype
from softd3d.resources.textures import texture as textures

__all__ = ["DUMP_RULES", "FORMATS_READ", "FORMATS_WRITTEN", "TEXTURES", "Slot", "word_of", "words"]

_SPECIAL = np.array(
    [
        0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x80800000, 0x3F800000, 0xBF800000,
        0x3F000000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001,
        0x4F000000, 0xCF000000, 0x42C80000, 2, 3, 4, 7, 31, 32, 0xFFFFFFFF, 0x7FFFFFFF, 0xFFFFFFFC,
        0x7FF00000, 0xFFF80000, 0x3FF00000, 0xC0080000, 0x41E00000,
    ],
    np.uint32,
)  # fmt: skip
# name in a declaration: class and the shape of mip 0 without channels. Extents differ on purpose.
TEXTURES: dict[str, tuple[type[textures.Texture], tuple[int, ...]]] = {
    "texture1d": (textures.Texture1D, (9,)),
    "texture1darray": (textures.Texture1DArray, (3, 5)),
    "texture2d": (textures.Texture2D, (4, 7)),
    "texture2darray": (textures.Texture2DArray, (3, 4, 6)),
    "texture3d": (textures.Texture3D, (3, 2, 5)),
    "texture2dms(4)": (textures.Texture2DMS, (3, 2, 4)),
    "texture2dmsarray(2)": (textures.Texture2DMSArray, (2, 3, 3, 2)),
    "texturecube": (textures.TextureCube, (6, 4, 4)),
    "texturecubearray": (textures.TextureCubeArray, (12, 3, 3)),
}
FORMATS_READ = (
    "R32_UINT", "R32_FLOAT", "R32G32B32A32_SINT", "R32G32_FLOAT", "R8G8B8A8_UNORM", "R8_SINT",
    "R16G16_FLOAT", "R16G16B16A16_SNORM", "R10G10B10A2_UNORM", "R11G11B10_FLOAT", "R16_UINT",
    "R9G9B9E5_SHAREDEXP", "R8G8B8A8_UNORM_SRGB",
)  # fmt: skip
# Written formats: how a dword of them is compared.
FORMATS_WRITTEN: dict[str, RuleType] = {
    "R32_UINT": RuleType.BITS32, "R32_SINT": RuleType.BITS32, "R32_FLOAT": RuleType.FLOAT32,
    "R32G32B32A32_FLOAT": RuleType.FLOAT32, "R32G32_UINT": RuleType.BITS32,
    "R16G16_FLOAT": RuleType.HALF_PAIR, "R8G8B8A8_UNORM": RuleType.BITS32,
    "R16G16_SNORM": RuleType.BITS32, "R8_UINT": RuleType.BITS32, "R16_SINT": RuleType.BITS32,
}  # fmt: skip
_BITS, _FLOAT = Tolerance(RuleType.BITS32), Tolerance(RuleType.FLOAT32)
_DOUBLE = (Tolerance(RuleType.FLOAT64_LO), Tolerance(RuleType.FLOAT64_HI))
# A thread's final registers: four of exact bits, two of floats, one of two doubles; then elements
# of arrays: two of exact bits, two of floats.
DUMP_RULES = (_BITS,) * 16 + (_FLOAT,) * 8 + _DOUBLE * 2 + (_BITS,) * 8 + (_FLOAT,) * 8


def word_of(format_name: str) -> str:
    """Return the return type that a declaration gives for a format."""
    kinds = {channel.type for channel in FORMATS[format_name].channels}
    if ChannelType.UINT in kinds:
        return "uint"
    return "sint" if ChannelType.SINT in kinds else "float"


@dataclass(frozen=True)
class Slot:
    """One register, or a range of them. kind: raw, structured, buffer, or a key of TEXTURES.

    size: bytes of buffers (0: empty, None: not bound). counter: "alloc", "consume" or none.
    rules: for the comparison of what is written. shape: of a written texture.
    length: of the range. gaps: numbers in it to which nothing is bound. formats: of its resources,
    if they are not all alike.
    """

    name: str
    kind: str
    size: int | None = 64
    stride: int = 4
    format: str = ""
    mips: int = 1
    counter: str = ""
    rules: tuple[Tolerance, ...] = (_BITS,)
    shape: tuple[int, ...] = ()
    length: int = 1
    gaps: frozenset[int] = frozenset()
    formats: tuple[str, ...] = ()

    @property
    def is_uav(self) -> bool:
        return self.name[0] == "u"

    @property
    def number(self) -> int:
        return int(self.name[1:])

    @property
    def count(self) -> int:
        """Elements of a buffer."""
        if self.size is None:
            return 0
        size = FORMATS[self.format].bytes_per_texel if self.format else self.stride
        return self.size // size

    def declaration(self, *, ranges: bool) -> str:
        """Return the declaration. ranges: in the notation of version 5.1."""
        letter, n = self.name[0], self.number
        name = f"{letter.upper()}{n}[{n}:{n + self.length - 1}]" if ranges else self.name
        space = ", space=0" if ranges else ""
        head = "dcl_uav_" if self.is_uav else "dcl_resource_"
        if self.kind == "raw":
            return f"{head}raw {name}{space}"
        if self.kind == "structured":
            tail = "_opc" if self.counter else ""
            return f"{head}structured{tail} {name}, {self.stride}{space}"
        typed = "typed_" if self.is_uav else ""
        types = ",".join([word_of(self.format)] * 4)
        return f"{head}{typed}{self.kind} ({types}) {name}{space}"

    def members(self, rng: Generator) -> Iterator[tuple[int, Any]]:
        """Yield the register numbers of the range, each with its resource, None if unbound."""
        for n in range(self.length):
            one = (
                replace(self, format=self.formats[n % len(self.formats)]) if self.formats else self
            )
            yield self.number + n, None if n in self.gaps else one.make(rng)

    def make(self, rng: Generator) -> Any:
        """Return a resource with contents that the generator's state decides; None if unbound."""
        if self.size is None:
            return None
        if self.kind == "raw":
            return RawBuffer(words(rng, self.size))
        if self.kind == "structured":
            start = int(rng.choice((0, 1, 7, 0xFFFFFFFF))) if self.counter else None
            return StructuredBuffer(words(rng, self.size), self.stride, counter=start)
        format_ = FORMATS[self.format]
        dtype, items = natural_dtype(format_)
        tail = (items,) if items > 1 else ()
        if self.kind == "buffer":
            return TypedBuffer(_texels(rng, (self.count,), dtype, tail), self.format)
        make, shape = TEXTURES[self.kind]
        levels = [_texels(rng, self.shape or shape, dtype, tail)]
        for level in range(1, self.mips):
            slices = len(shape) - make.kind.axes  # an axis before the others, if there are any
            smaller = (*shape[:slices], *(max(1, n >> level) for n in shape[slices:]))
            levels.append(_texels(rng, smaller, dtype, tail))
        return make(levels if self.mips > 1 else levels[0], self.format)


def words(rng: Generator, size: int) -> np.ndarray:
    """Return `size` bytes as uint32: special values, small numbers, floats and any bits."""
    count = -(-size // 4)
    found, kind = rng.integers(0, 1 << 32, (2, count), dtype=np.uint32)
    kind &= 3
    floats = (found.astype(np.float32) / np.float32(1 << 30) - 2).view(np.uint32)
    special = _SPECIAL[found % np.uint32(len(_SPECIAL))]
    return np.choose(kind, (found, special, found & 31, floats))


def _texels(
    rng: Generator, shape: tuple[int, ...], dtype: Any, tail: tuple[int, ...]
) -> np.ndarray:
    whole = (*shape, *tail)
    size = int(np.prod(whole)) * np.dtype(dtype).itemsize
    return words(rng, size).view(np.uint8)[:size].view(dtype).reshape(whole)
