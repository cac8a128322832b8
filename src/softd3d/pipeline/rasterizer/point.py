"""Points: squares of one pixel around the snapped vertex, sample by sample.

Spec: D3D11.3 sections 3.4.6 and 15.14.2.
"""

from __future__ import annotations

from softd3d.algebra.value import Value
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.rasterizer.snap import CENTER
from softd3d.pipeline.rasterizer.triangle import Bounds, Corner, bounds

__all__ = ["point_bounds", "point_covers"]


def point_covers(center: Corner, x: Value, y: Value) -> Value:
    """Return whether a point covers a sample at x, y (I32, 1/256 pixel).

    The left and upper sides of the square belong to it, the right and lower ones do not, as if it
    were two triangles.
    """
    dx, dy = x - center.x, y - center.y
    return (dx >= -CENTER) & (dx < CENTER) & (dy >= -CENTER) & (dy < CENTER)


def point_bounds(center: Corner, pattern: SamplePattern) -> Bounds:
    """Return the pixels that a point may touch: up to four if they have several samples."""
    return bounds(
        (
            Corner(center.x - CENTER, center.y - CENTER),
            Corner(center.x + CENTER, center.y + CENTER),
        ),
        pattern.extent,
    )
