"""Depth-stencil formats of D3DDDIFORMAT as data, and how a Blt turns texels of one into another.

The formats are the rows of `d3d9` that have depth or stencil and are no FourCC. Microsoft promises
a layout for D16_LOCKABLE alone; that of the opaque formats is ours, and matters only where raw
texels are looked at.

Spec: D3DDDIFORMAT (d3dukmdt.h); WDK "Copying Depth-Stencil Values". What that page leaves open is
decided by `Readings`; docs/depth-stencil-blt.md discusses each.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from typing import Literal, get_args, get_type_hints

from softd3d.algebra.value import Value
from softd3d.arguments import close_words, one_of, shown, whole
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.depth_codes import (
    float24_from_float32,
    float24_from_integer,
    float32_from_float24,
    float32_from_integer,
    integer_from_float32,
    integer_from_unorm,
    unorm_from_integer,
)
from softd3d.formats.layout import Channel, ChannelType

__all__ = [
    "DEPTH",
    "DEPTH_STENCIL_FORMATS",
    "PAGE_READINGS",
    "STENCIL",
    "DepthStencilFormat",
    "Readings",
    "channel_code",
    "converted_texel",
    "depth_number",
    "depth_stencil_format",
    "reads_destination",
    "shared_components",
]

DEPTH, STENCIL = "d", "s"
"""Components of channels; bits that no one reads are "x"."""
_FLOAT32_BITS = 32


@dataclass(frozen=True, slots=True)
class DepthStencilFormat:
    """A depth-stencil format. name: without the prefix D3DDDIFMT_; number: the C enum's.

    channels: lowest bits first; the components are `DEPTH`, `STENCIL` and "x".
    """

    name: str
    number: int
    channels: tuple[Channel, ...]
    bytes_per_texel: int

    @property
    def is_lockable(self) -> bool:
        """Whether applications can look at the texels; otherwise the format is opaque."""
        return self.name.endswith(_LOCKABLE)

    @property
    def depth(self) -> Channel | None:
        """The depth channel: UNORM, or FLOAT of 32 bits (binary32) or 24 bits (20e4)."""
        return self.channel(DEPTH)

    @property
    def stencil(self) -> Channel | None:
        """The stencil channel."""
        return self.channel(STENCIL)

    def channel(self, component: str) -> Channel | None:
        """Return the channel of a component, None if the format lacks it."""
        return next((c for c in self.channels if c.component == component), None)


@dataclass(frozen=True, slots=True)
class Readings:
    """How the page is read where it leaves something open; what stands first is the default.

    product: of a float depth and 2**32 - 1 (see `integer_from_float32`).
    quotient: of an integer and 2**32 - 1 where the destination is a float.
    float_to_float: whether float depths go through the integer too, or directly.
    float24: how a float24 is rounded.
    missing: what happens to bits of the destination that the source has no channel for.
    pairs: which formats may be copied: those of the page-or-equal ones, those of the page only,
        or all that share a channel.
    s8: whether S8_LOCKABLE also counts as an opaque format, as the page's "except D*_LOCKABLE" says
        by the letter. It matters for the copy to itself if `pairs` is "page".
    extras: whether to mirror, stretch and honour colour keys, which the page does not ask for.
    """

    product: Literal["nearest", "truncate", "binary32"] = "nearest"
    quotient: Literal["exact", "binary32"] = "exact"
    float_to_float: Literal["integer", "direct"] = "integer"
    float24: Literal["nearest", "zero"] = "nearest"
    missing: Literal["keep", "zero"] = "keep"
    pairs: Literal["page-or-equal", "page", "all"] = "page-or-equal"
    s8: Literal["lockable", "opaque"] = "lockable"
    extras: Literal["refuse", "perform"] = "refuse"

    def __post_init__(self) -> None:
        """Refuse words that are no reading.

        Raises:
            ResourceError: as said.
        """
        for name, choices in self.choices().items():
            one_of(getattr(self, name), f"reading {name}", choices)

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Return the words that each reading may be, the default first."""
        hints = get_type_hints(cls)
        return {field.name: get_args(hints[field.name]) for field in fields(cls)}


PAGE_READINGS = Readings()
"""The recommended readings."""

_LOCKABLE = "_LOCKABLE"
_PREFIXES = ("D3DDDIFMT_", "D3DFMT_")


def depth_stencil_format(name: str | int | DepthStencilFormat) -> DepthStencilFormat:
    """Return a format by name (with or without D3DDDIFMT_ or D3DFMT_), by number, or as it is.

    Raises:
        ResourceError: there is no such depth-stencil format.

    >>> depth_stencil_format("D24S8").depth
    Channel(component='d', type=<ChannelType.UNORM: 'UNORM'>, bits=24, shift=8)
    """
    if isinstance(name, DepthStencilFormat):
        return name
    if isinstance(name, str):
        stem = name
        for prefix in _PREFIXES:
            stem = stem.removeprefix(prefix)
        if stem in DEPTH_STENCIL_FORMATS:
            return DEPTH_STENCIL_FORMATS[stem]
        hint = close_words(stem, DEPTH_STENCIL_FORMATS)
        raise ResourceError(f"there is no depth-stencil format {shown(name)}{hint}")
    with suppress(TypeError):
        number = whole(name)
        found = next((f for f in DEPTH_STENCIL_FORMATS.values() if f.number == number), None)
        if found is not None:
            return found
    raise ResourceError(f"there is no depth-stencil format number {shown(name)}")


def shared_components(
    source: DepthStencilFormat, destination: DepthStencilFormat
) -> tuple[str, ...]:
    """Return the components that both formats have: what a copy copies."""
    return tuple(c for c in (DEPTH, STENCIL) if source.channel(c) and destination.channel(c))


def reads_destination(
    source: DepthStencilFormat, destination: DepthStencilFormat, readings: Readings
) -> bool:
    """Tell whether a copied texel depends on what was in the destination before."""
    if source is destination or readings.missing == "zero":
        return False
    return _written_bits(source, destination) != (1 << 8 * destination.bytes_per_texel) - 1


def converted_texel(
    source: DepthStencilFormat,
    destination: DepthStencilFormat,
    texel: Value,
    old: Value | None,
    readings: Readings,
) -> Value:
    """Return a texel of the source as the destination has it (uint32, unused upper bits 0).

    Texels of the same format stay as they are, bit by bit: numbers out of range, NaN, and X too.
    The formats must share a component. old: the destination's texel before, where
    `reads_destination` says that it is needed.
    """
    if source is destination:
        return texel
    result = old
    if old is not None:
        result = old & ~_written_bits(source, destination)
    for component in shared_components(source, destination):
        here, there = source.channel(component), destination.channel(component)
        assert here is not None  # noqa: S101 - shared components are of both
        assert there is not None  # noqa: S101
        code = channel_code(source, here, texel)
        code = (_depth if component == DEPTH else _stencil)(here, there, code, readings)
        code = code << there.shift if there.shift else code
        result = code if result is None else result | code
    assert result is not None  # noqa: S101 - some component is shared
    return result


def channel_code(format_: DepthStencilFormat, channel: Channel, texel: Value) -> Value:
    """Return the code of a channel, in the low bits of a uint32 and 0 above."""
    word = texel >> channel.shift if channel.shift else texel
    ends = channel.shift + channel.bits == 8 * format_.bytes_per_texel
    return word if ends else word & (1 << channel.bits) - 1


def depth_number(channel: Channel, code: Value) -> Value:
    """Return the float32 bits of a float depth's code."""
    return code if channel.bits == _FLOAT32_BITS else float32_from_float24(code)


def _depth(here: Channel, there: Channel, code: Value, readings: Readings) -> Value:
    """Convert a depth through the 32-bit integer; the page has all sources go that way."""
    is_float = here.type is ChannelType.FLOAT
    if not is_float:
        u = integer_from_unorm(code, here.bits)
    elif there.type is ChannelType.FLOAT and readings.float_to_float == "direct":
        number = depth_number(here, code)
        return number if there.bits == _FLOAT32_BITS else _narrowed(number, readings)
    else:
        u = integer_from_float32(depth_number(here, code), readings.product)
    if there.type is not ChannelType.FLOAT:
        return unorm_from_integer(u, there.bits)
    if there.bits == _FLOAT32_BITS:
        return float32_from_integer(u, readings.quotient)
    return float24_from_integer(u, readings.quotient, readings.float24)


def _narrowed(number: Value, readings: Readings) -> Value:
    return float24_from_float32(number, readings.float24)


def _stencil(here: Channel, there: Channel, code: Value, _: Readings) -> Value:
    """Widen with zeros on the left; or drop the leftmost bits, which is no clamp."""
    return code & (1 << there.bits) - 1 if there.bits < here.bits else code


def _written_bits(source: DepthStencilFormat, destination: DepthStencilFormat) -> int:
    shared = shared_components(source, destination)
    return sum((1 << c.bits) - 1 << c.shift for c in destination.channels if c.component in shared)


DEPTH_STENCIL_FORMATS: dict[str, DepthStencilFormat] = {
    row.name: DepthStencilFormat(row.name, row.number, row.channels, row.bytes_per_block)
    for row in D3D9_FORMATS.values()
    if row.is_depth_stencil and not row.fourcc
}
"""The formats by name, without the prefix D3DDDIFMT_, in the order of the enumeration."""
