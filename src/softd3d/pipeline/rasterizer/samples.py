"""Where the samples of a pixel are: standard patterns, the centre pattern, forced counts.

Spec: D3D11.3 sections 3.5 and 19.2.4.
"""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import I32, Value
from softd3d.errors import ResourceError

__all__ = [
    "CENTER_QUALITY",
    "SAMPLE_COUNTS",
    "STANDARD_QUALITY",
    "SamplePattern",
    "is_required_count",
    "rasterizer_pattern",
    "sample_pattern",
]

STANDARD_QUALITY = 0xFFFFFFFF  # D3D11_STANDARD_MULTISAMPLE_PATTERN
CENTER_QUALITY = 0xFFFFFFFE  # D3D11_CENTER_MULTISAMPLE_PATTERN
_UNIT = 16  # the tables are in 1/16 pixel, positions in 1/256
_BITS_PER_SAMPLE = 4
_SAMPLES_PER_DWORD = 8

_STANDARD: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((4, 4), (-4, -4)),
    4: ((-2, -6), (6, -2), (-6, 2), (2, 6)),
    8: ((1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)),
    16: (
        (1, 1), (-1, -3), (-3, 2), (4, -1), (-5, -2), (2, 5), (5, 3), (3, -5),
        (-2, 6), (0, -7), (-4, -6), (-6, 4), (-8, 0), (7, -4), (6, 7), (-7, -8),
    ),
}  # fmt: skip
SAMPLE_COUNTS = tuple(_STANDARD)


@dataclass(frozen=True, slots=True)
class SamplePattern:
    """The samples of a pixel. offsets: x, y of each from the pixel's centre, in 1/256 pixel."""

    offsets: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return len(self.offsets)

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
    for count, offsets in _STANDARD.items()
}


def sample_pattern(count: int, quality: int = 0) -> SamplePattern:
    """Return the pattern of a target's SampleDesc; quality 0 is the standard pattern.

    Spec: D3D11.3 19.2.4, which leaves qualities other than the two named ones free.

    Raises:
        ResourceError: no target has this count or quality.

    >>> sample_pattern(2).offsets
    ((64, 64), (-64, -64))
    """
    if count not in _PATTERNS:
        raise ResourceError(f"sample count: found {count}, wanted 1, 2, 4, 8 or 16")
    if quality == CENTER_QUALITY:
        return SamplePattern(((0, 0),) * count)
    if quality not in (0, STANDARD_QUALITY):
        raise ResourceError(
            f"sample quality: found {quality:#x}, wanted 0, {STANDARD_QUALITY:#x} (standard "
            f"pattern) or {CENTER_QUALITY:#x} (centre pattern)"
        )
    return _PATTERNS[count]


def rasterizer_pattern(target: SamplePattern, forced_sample_count: int) -> SamplePattern:
    """Return the samples that primitives cover: those of ForcedSampleCount unless it is 0.

    Spec: D3D11.3 3.5.6.
    """
    return _PATTERNS[forced_sample_count] if forced_sample_count else target


def is_required_count(count: int, bits_per_texel: int) -> bool:
    """Whether every device has targets with this many samples. Spec: D3D11.3 19.2.4."""
    return count in (1, 4) or (count == 8 and bits_per_texel < 128)
