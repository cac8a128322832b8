"""What a format is: the bits of its texels, blocks or planes, and what a read of them gives.

Formats are rows of `dxgi.py` and `d3d9.py`; both are read out of names by the parsers here.
Spec: D3D11.3 section 19.1; win32 direct3d9 d3dformat.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from enum import Enum, StrEnum

from softd3d.classes import dataclass

__all__ = ["Channel", "ChannelType", "Format", "Plane", "Scheme", "channels_from"]


class ChannelType(StrEnum):
    """What kind of number a channel holds; the value is the word in DXGI's format names."""

    UNORM = "UNORM"
    SRGB = "UNORM_SRGB"
    SNORM = "SNORM"
    UINT = "UINT"
    SINT = "SINT"
    FLOAT = "FLOAT"
    SHAREDEXP = "SHAREDEXP"
    XR_BIAS = "XR_BIAS"
    TYPELESS = "TYPELESS"
    INDEX = "INDEX"  # into a palette

    @property
    def is_integer(self) -> bool:
        """Whether a shader sees an integer; it sees a float32 of all other types."""
        return self in (ChannelType.UINT, ChannelType.SINT)


class Scheme(Enum):
    """How texels lie in memory."""

    TEXELS = "one after another"
    PACKED_422 = "two in a row share chroma, or red and blue"
    BITS = "eight in a byte"
    BLOCKS = "4 x 4 in a compressed block"
    PLANES = "luma and chroma apart"
    BYTES = "vertices, indices, or data of a driver"
    OPAQUE = "known to the driver only"
    NOTHING = "no memory at all"


@dataclass(frozen=True, slots=True)
class Channel:
    """Some bits of a texel.

    component: "r g b a", "l" luminance, "u v w q" signed bump, "y u v" video, "p" palette index,
        "d s" depth and stencil, "e" a shared exponent, "x" bits that no one reads.
    shift: the lowest bit, counted in the texel (or pair) as one little-endian number.
    """

    component: str
    type: ChannelType
    bits: int
    shift: int


@dataclass(frozen=True, slots=True)
class Plane:
    """One plane of a planar format: components of `bits` bits, next to each other.

    width_divisor, height_divisor: how many texels across and down share one of its elements.
    """

    components: str
    bits: int
    width_divisor: int = 1
    height_divisor: int = 1

    @property
    def bytes_per_element(self) -> int:
        return len(self.components) * self.bits // 8


@dataclass(frozen=True, slots=True)
class Format:
    """A format of texels. name: without the prefix of its enum; number: the C enum's.

    channels: lowest bits first; none where a block or plane holds them.
    bytes_per_block: of block_width x block_height texels, the smallest piece that stands alone.
    reads: what a read gives as x, y, z, w: a component each, or a constant "0" or "1".
    parent: the name of the typeless format of its family; "" without one.
    planes: of a planar format, else none.
    """

    name: str
    number: int
    channels: tuple[Channel, ...]
    bytes_per_block: int
    block_width: int = 1
    block_height: int = 1
    scheme: Scheme = Scheme.TEXELS
    reads: str = ""
    parent: str = ""
    planes: tuple[Plane, ...] = field(default=())

    @property
    def bytes_per_texel(self) -> int:
        """Size of a texel of a format that has one after another; 0 for others."""
        return self.bytes_per_block if self.scheme is Scheme.TEXELS else 0

    @property
    def type(self) -> ChannelType:
        """The type of what a read gives first; alpha and stencil may differ from it."""
        found = (self.channel(component) for component in self.reads)
        return next((c for c in found if c is not None), self.channels[0]).type

    @property
    def is_integer(self) -> bool:
        """Whether a shader sees integers."""
        return bool(self.channels) and self.type.is_integer

    @property
    def is_typeless(self) -> bool:
        """Whether only views have a type; the depth-stencil planes' own names are typed."""
        return bool(self.parent) and self.parent == self.name

    @property
    def is_srgb(self) -> bool:
        """Whether reading makes linear numbers of sRGB ones."""
        return self.name.endswith("_SRGB")

    @property
    def is_of_direct3d9(self) -> bool:
        """Whether it is a row of D3DFORMAT: Direct3D 9 narrows floats to nearest."""
        return False

    @property
    def component_types(self) -> frozenset[ChannelType]:
        """The kinds of numbers that reads give; those of blocks are in the name, or UNORM."""
        if self.channels or self.scheme is not Scheme.BLOCKS:
            return frozenset(channel.type for channel in self.channels)
        word = self.name.partition("_")[2]
        if word in _HALVES:
            return frozenset({ChannelType.FLOAT})
        is_snorm = word == ChannelType.SNORM.value
        return frozenset({ChannelType.SNORM if is_snorm else ChannelType.UNORM})

    @property
    def depth_bits(self) -> int:
        return sum(c.bits for c in self.channels if c.component == "d")

    @property
    def stencil_bits(self) -> int:
        return sum(c.bits for c in self.channels if c.component == "s")

    def channel(self, component: str) -> Channel | None:
        """Return the (first) channel of a component, None if the format lacks it."""
        return next((c for c in self.channels if c.component == component), None)


def channels_from(text: str) -> tuple[Channel, ...]:
    """Read channels, lowest bits first, out of a DXGI name or a part of one.

    Each run of letters and widths is followed by its type; no type is UNORM. Alpha is linear and
    without bias whatever its neighbours are.

    >>> [(c.component, c.bits, c.shift) for c in channels_from("B5G6R5_UNORM")]
    [('b', 5, 0), ('g', 6, 5), ('r', 5, 11)]
    """
    channels: list[Channel] = []
    shift = 0
    for widths, word in _RUN.findall(text):
        type_ = ChannelType(word or "UNORM")
        for letter, digits in _WIDTH.findall(widths):
            is_plain = letter == "A" and type_ in (ChannelType.SRGB, ChannelType.XR_BIAS)
            kind = ChannelType.INDEX if letter == "P" else type_
            kind = ChannelType.UNORM if is_plain else kind
            channels.append(Channel(letter.lower(), kind, int(digits), shift))
            shift += int(digits)
    # Unused bits beside others are said to be typeless; they get the type of what is read.
    read = next((c.type for c in channels if c.component != "x"), ChannelType.TYPELESS)
    return tuple(replace(c, type=read) if c.component == "x" else c for c in channels)


_HALVES = ("UF16", "SF16")  # the types of BC6H
_WIDTH = re.compile(r"([A-Z])(\d+)")
_TYPES = "|".join(sorted(ChannelType, key=len, reverse=True))
_RUN = re.compile(rf"((?:[A-Z]\d+_?)+)({_TYPES})?_?")
