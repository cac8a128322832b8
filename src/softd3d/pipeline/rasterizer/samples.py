"""Where the samples of a pixel are: standard patterns, the centre pattern, forced counts.

Spec: D3D11.3 sections 3.5 and 19.2.4.
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import I32, Value
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.machine import Info
from softd3d.isa.sample_positions import STANDARD_POSITIONS, SampleQuality

__all__ = [
    "SAMPLE_COUNTS",
    "SamplePattern",
    "is_required_count",
    "rasterizer_pattern",
    "sample_pattern",
]

_UNIT = 16  # the tables are in 1/16 pixel, positions in 1/256
_BITS_PER_SAMPLE = 4
_SAMPLES_PER_DWORD = 8

SAMPLE_COUNTS = tuple(STANDARD_POSITIONS)


@dataclass(frozen=True, slots=True)
class SamplePattern:
    """The samples of a pixel. offsets: x, y of each from the pixel's centre, in 1/256 pixel."""

    offsets: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return len(self.offsets)

    @property
    def is_center(self) -> bool:
        """Whether the only sample is the pixel's centre."""
        return self.offsets == ((0, 0),)

    @property
    def facts(self) -> dict[Info, int]:
        """What shaders may ask."""
        is_standard = self == _PATTERNS[self.count]
        return {
            Info.SAMPLE_COUNT: self.count, Info.STANDARD_SAMPLES: self.count if is_standard else 0
        }  # fmt: skip

    @property
    def full_mask(self) -> int:
        """The coverage of a pixel whose samples are all covered."""
        return (1 << self.count) - 1

    @property
    def extent(self) -> tuple[int, int, int, int]:
        """The least x, least y, greatest x, greatest y among the offsets."""
        xs, ys = zip(*self.offsets, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def offset(self, index: Value) -> tuple[Value, Value]:
        """Return the offset (I32, 1/256 pixel) of the sample with this index (U32).

        An index beyond the last gives the centre: evaluating there is undefined in Direct3D.
        """
        is_sample = index < self.count
        zero = bitcast(index.like(0), I32)
        x, y = (
            select(is_sample, _entry(index, [o[axis] for o in self.offsets]), zero)
            for axis in (0, 1)
        )
        return x, y


def _entry(index: Value, numbers: list[int]) -> Value:
    """Look up a multiple of 16 from -128 to 112, four bits each in one or two dwords."""
    words = [
        sum(
            ((n // _UNIT) & 0xF) << (_BITS_PER_SAMPLE * i)
            for i, n in enumerate(numbers[first : first + _SAMPLES_PER_DWORD])
        )
        for first in range(0, len(numbers), _SAMPLES_PER_DWORD)
    ]
    word = index.like(words[0])
    if len(words) > 1:
        word = select(index < _SAMPLES_PER_DWORD, word, words[1])
    entry = word >> ((index & (_SAMPLES_PER_DWORD - 1)) * _BITS_PER_SAMPLE)
    return bitcast(entry << 28, I32) >> 24  # the sign extended, and times 16


_PATTERNS = {
    count: SamplePattern(tuple((x * _UNIT, y * _UNIT) for x, y in offsets))
    for count, offsets in STANDARD_POSITIONS.items()
}


def sample_pattern(count: int, quality: SampleQuality = SampleQuality.DEFAULT) -> SamplePattern:
    """Return the pattern of a target's SampleDesc.

    Raises:
        ResourceError: no target has this count.

    >>> sample_pattern(2).offsets
    ((64, 64), (-64, -64))
    """
    if count not in _PATTERNS:
        raise ResourceError(f"sample count: found {count}, wanted 1, 2, 4, 8 or 16")
    if quality is SampleQuality.CENTER_MULTISAMPLE_PATTERN:
        return SamplePattern(((0, 0),) * count)
    return _PATTERNS[count]


def rasterizer_pattern(target: SamplePattern, forced_sample_count: int) -> SamplePattern:
    """Return the samples that primitives cover: those of ForcedSampleCount unless it is 0.

    Spec: D3D11.3 3.5.6.
    """
    return _PATTERNS[forced_sample_count] if forced_sample_count else target


def is_required_count(count: int, bits_per_texel: int) -> bool:
    """Whether every device has targets with this many samples. Spec: D3D11.3 19.2.4."""
    return count in (1, 4) or (count == 8 and bits_per_texel < 128)
