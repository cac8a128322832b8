"""Snapping positions to the rasteriser's grid: 16.8 fixed point.

Spec: D3D11.3 sections 3.4.1, 3.2.4.1 and 15.16.
"""

from __future__ import annotations

from softd3d.algebra.operations import convert, rint, select
from softd3d.algebra.value import I32, Value

__all__ = ["CENTER", "MAXIMUM", "MINIMUM", "PIXEL", "snap"]

PIXEL = 256
"""Units of the grid in a pixel."""
CENTER = 128
"""Where the centre of a pixel lies, from its left or upper edge."""
MINIMUM, MAXIMUM = -(1 << 23), (1 << 23) - 1
"""The extent of the grid: coordinates have 24 bits."""


def snap(position: Value) -> Value:
    """Round a coordinate in pixels (F32 or F64) to 1/256 pixel, ties to even.

    What lies outside of the extent, infinities too, is clamped to it. The primitive of a NaN must
    have been dropped (`clip.has_nan`); its result has no meaning, but is defined.
    """
    scaled = rint(position * float(PIXEL))
    scaled = select(scaled >= float(MINIMUM), scaled, float(MINIMUM))  # so is NaN
    return convert(select(scaled < float(MAXIMUM), scaled, float(MAXIMUM)), I32)
