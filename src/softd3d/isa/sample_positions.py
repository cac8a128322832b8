"""Where the samples of a multisampled pixel are. Spec: D3D11.3 section 19.2.4.1."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["STANDARD_POSITIONS", "SampleQuality"]

STANDARD_POSITIONS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((4, 4), (-4, -4)),
    4: ((-2, -6), (6, -2), (-6, 2), (2, 6)),
    8: ((1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)),
    16: (
        (1, 1), (-1, -3), (-3, 2), (4, -1), (-5, -2), (2, 5), (5, 3), (3, -5),
        (-2, 6), (0, -7), (-4, -6), (-6, 4), (-8, 0), (7, -4), (6, 7), (-7, -8),
    ),
}  # fmt: skip
"""The standard patterns by sample count: x, y in 1/16 pixel from the centre."""


class SampleQuality(IntEnum):
    """DXGI_SAMPLE_DESC.Quality: 0, or one of D3D11_STANDARD_MULTISAMPLE_QUALITY_LEVELS."""

    DEFAULT = 0  # the standard pattern, too
    STANDARD_MULTISAMPLE_PATTERN = 0xFFFFFFFF
    CENTER_MULTISAMPLE_PATTERN = 0xFFFFFFFE
