"""Where the texels of a view lie, and what filters see of them.

Filters blend normalised channels in units of their codes: there the texels of 8-bit formats are
small whole numbers, so that a bilinear result is exact until it is scaled, once.
Spec: D3D11.3 sections 5.2, 7.18.9.1 (border colours), 19.1.3.3 (missing components).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, convert, select
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.codec import units, unpack
from softd3d.formats.conversions import scaled_code
from softd3d.formats.layout import Channel, ChannelType, Format, Scheme
from softd3d.formats.rules import CODES, D3D10
from softd3d.isa.machine import Info, Machine, MipInfo, View
from softd3d.isa.sampling.comparison import compared, quantised
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import ResourceDimension

__all__ = [
    "COORDINATES",
    "EXTENTS",
    "Level",
    "Reader",
    "Texel",
    "has_least_level",
    "level_at",
    "mip_extent",
]

Texel: TypeAlias = "tuple[Value, ...]"  # the components that a reader is asked for
_D = ResourceDimension
# How many coordinates address a texel, and whether one more selects the array slice.
COORDINATES: dict[ResourceDimension, tuple[int, bool]] = {
    _D.BUFFER: (1, False),
    _D.TEXTURE1D: (1, False),
    _D.TEXTURE1DARRAY: (1, True),
    _D.TEXTURE2D: (2, False),
    _D.TEXTURE2DARRAY: (2, True),
    _D.TEXTURE2DMS: (2, False),
    _D.TEXTURE2DMSARRAY: (2, True),
    _D.TEXTURE3D: (3, False),
    _D.TEXTURECUBE: (2, False),
    _D.TEXTURECUBEARRAY: (2, True),
}
EXTENTS = (Info.WIDTH, Info.HEIGHT, Info.DEPTH)
_PITCHES = (MipInfo.ROW_PITCH, MipInfo.SLICE_PITCH)
_CONSTANTS, _ONE_BITS = "01", 0x3F800000
_UNORM_RANGE, _SNORM_RANGE = (0.0, 1.0), (-1.0, 1.0)
_FLOAT_RANGES = {16: (-65504.0, 65504.0), 11: (0.0, 65024.0), 10: (0.0, 64512.0)}
_RANGES = {
    ChannelType.UNORM: _UNORM_RANGE,
    ChannelType.SRGB: _UNORM_RANGE,
    ChannelType.SNORM: _SNORM_RANGE,
    ChannelType.SHAREDEXP: (0.0, 65408.0),
    ChannelType.XR_BIAS: (-384 / 510, 639 / 510),
}


def mip_extent(m: Machine, view: View, field: Info, level: Value | None) -> Value:
    """Return an extent at a mip level (below 32): halved each time, rounded down, at least 1."""
    extent = m.info(view, field)
    if level is None:
        return extent
    smaller = extent >> level
    return select(smaller.eq(0) & extent.ne(0), 1, smaller)


def _present_extent(halved: Value) -> Value:
    """Return the extent of a mip level; where there is no texture, nothing is read."""
    return select(halved < 1, 1, halved)


def has_least_level(m: Machine, view: View) -> Value:
    """Tell whether the view has the least level of detail that its resource lets shaders read."""
    last = convert(bitcast(m.info(view, Info.MIP_COUNT), I32) - 1, F32)
    return ~(last < view.min_lod)


@dataclass(frozen=True, slots=True)
class Level:
    """A mip level of each lane. extents: uint32, texels along each coordinate.

    base: byte offset of its first texel in the first slice. pitches: bytes of rows and of planes.
    """

    extents: tuple[Value, ...]
    base: Value
    pitches: tuple[Value, ...]


def level_at(m: Machine, view: View, level: Value) -> Level:
    """Return where a mip level lies; it must be below MIP_COUNT or 0."""
    count, _ = COORDINATES[view.dimension]
    extents = tuple(_present_extent(m.info(view, field) >> level) for field in EXTENTS[:count])
    pitches = tuple(m.mip(view, field, level) for field in _PITCHES[: count - 1])
    return Level(extents, m.mip(view, MipInfo.OFFSET, level), pitches)


class Reader:
    """Reads texels of a typed view for a sampler, as what is filtered.

    components: those of the result that are wanted, of x, y, z, w; a comparison gives one.
    exact: whether texels are handed on as they are, and not blended. reference: float32, to compare
    with. exists: BOOL, where there is a level to read; None: everywhere.
    """

    def __init__(
        self, m: Machine, view: View, sampler: SamplerState, components: tuple[int, ...], *,
        exact: bool, reference: Value | None = None, exists: Value | None = None,
    ) -> None:  # fmt: skip
        assert view.format is not None  # noqa: S101 - callers deal with unbound views
        self.m = m
        self.view = view
        self.sampler = sampler
        self.format: Format = view.format
        self.exact = exact
        if self.format.is_integer and (not exact or reference is not None):
            raise ResourceError(
                f"{view.register}: format {self.format.name} holds integers, which cannot be "
                "filtered or compared; wanted a sampler with the filter MIN_MAG_MIP_POINT"
            )
        self.wanted = components if reference is None else (0,)
        # Components that the format lacks are constants: there is nothing to filter.
        self.components = tuple(c for c in self.wanted if self.format.reads[c] not in _CONSTANTS)
        self.rules = D3D10 if exact and reference is None else CODES
        self.reference = None if reference is None else quantised(self.format, reference)
        # Where a bound view has no texels at all, nothing is read; all lanes agree on that.
        self.valid = m.info(view, Info.MIP_COUNT).ne(0)
        if exists is not None:
            self.valid = self.valid & exists

    @property
    def may_be_infinite(self) -> bool:
        """Whether texels can hold infinities and NaN."""
        return self.reference is None and self.format.type is ChannelType.FLOAT

    def read(self, at: Value, inside: Value | None = None) -> Texel:
        """Return the texel at a byte offset; the border colour where it is not `inside`.

        Its components are float32, or uint32 of an integer format.

        The caller guarantees that the offset is in the view, where `inside` or everywhere.
        """
        return self.texel(self.words(at, inside), inside)

    @property
    def has_dwords(self) -> bool:
        """Whether a texel is one dword, so that two neighbours can be read at once."""
        return units(self.format) == (4, 1) and self.view.stride == 4

    def words(self, at: Value, where: Value | None) -> list[Value]:
        """Return the storage units of the texel at a byte offset, 0 where there is none."""
        size, count = units(self.format)
        valid = self.valid if where is None else self.valid & where
        return [
            self.m.load(self.view, at + size * i if i else at, valid, size) for i in range(count)
        ]

    def pair(self, at: Value, where: Value) -> tuple[Value, Value]:
        """Return the texel at a byte offset and the next in its row, of formats of dwords."""
        return self.m.load_pair(self.view, at, self.valid & where)

    def texel(self, words: Sequence[Value], inside: Value | None = None) -> Texel:
        """Return what a filter sees of a texel's storage units; see `read`."""
        bits = unpack(self.format, words, self.rules)
        texel = tuple(
            bits[c] if self.format.is_integer
            else self._code_above(c, words) if self._shift(c)
            else bitcast(bits[c], F32)
            for c in self.components
        )  # fmt: skip
        if inside is not None:
            edge = self.valid & ~inside
            border = (self._border(c) for c in self.components)
            texel = tuple(select(edge, b, t) for b, t in zip(border, texel, strict=True))
        if self.reference is None:
            return texel
        return (compared(self.sampler, self.reference, texel[0]),)

    def finish(self, texel: Texel) -> tuple[Value | None, ...]:
        """Return the result of a filter: components that were not wanted are None."""
        if self.reference is not None:
            return (texel[0],) * 4
        result: list[Value | None] = [self._constant(c) for c in range(4)]
        for component, value in zip(self.components, texel, strict=True):
            largest = self._largest_code(component)
            scale = 1 if largest is None else largest << self._shift(component)
            result[component] = scaled_code(value, scale)
        return tuple(result)

    def _constant(self, component: int) -> Value | None:
        """Return a component that the format lacks, None if it has it."""
        if self.format.reads[component] not in _CONSTANTS:
            return None
        one = 1 if self.format.is_integer else _ONE_BITS
        return self.m.k.const(U32, one if self.format.reads[component] == "1" else 0)

    def _channel(self, component: int) -> Channel:
        channel = self.format.channel(self.format.reads[component])
        assert channel is not None  # noqa: S101 - `components` are those that the format has
        return channel

    def _largest_code(self, component: int) -> int | None:
        """Return the code of 1.0, if the component is a code; else None."""
        channel = self._channel(component)
        if self.rules is D3D10:
            return None
        if channel.type is ChannelType.UNORM:
            return (1 << channel.bits) - 1
        return (1 << channel.bits - 1) - 1 if channel.type is ChannelType.SNORM else None

    def _border(self, component: int) -> Value:
        """Return the border colour as a texel has it: clamped to the format's range."""
        k = self.m.k
        channel = self._channel(component)
        number = _clamped(self.sampler.border_color[component], channel)
        if channel.type.is_integer:
            return k.const(U32, int(number))
        value = k.const(F32, number)
        largest = self._largest_code(component)
        return value if largest is None else value * float(largest << self._shift(component))

    def _shift(self, component: int) -> int:
        """Return by how many bits a code is blended above its own place, which saves a shift.

        That of a linear UNORM channel in the middle of a unit; then all numbers are so much larger.
        """
        channel = self._channel(component)
        size = 8 * units(self.format)[0]
        shift = channel.shift % size
        is_code = self.rules is not D3D10 and self.reference is None
        is_in_middle = shift > 0 and shift + channel.bits < size
        is_plain = channel.type is ChannelType.UNORM and self.format.scheme is Scheme.TEXELS
        return shift if is_code and is_in_middle and is_plain else 0

    def _code_above(self, component: int, words: Sequence[Value]) -> Value:
        """Return a code times 2**shift, float32, exactly."""
        channel = self._channel(component)
        unit, shift = divmod(channel.shift, 8 * units(self.format)[0])
        masked = words[unit] & (((1 << channel.bits) - 1) << shift)
        return convert(bitcast(masked, I32), F32)


def _clamped(number: float, channel: Channel) -> float:
    """Clamp to what a channel can hold."""
    if channel.type is ChannelType.UINT:
        low, high = 0.0, float((1 << channel.bits) - 1)
    elif channel.type is ChannelType.SINT:
        high = float((1 << channel.bits - 1) - 1)
        low = -high - 1
    elif channel.type is ChannelType.FLOAT:
        low, high = _FLOAT_RANGES.get(channel.bits, (number, number))
    else:
        low, high = _RANGES[channel.type]
    return max(low, min(number, high))
