"""Lines as rectangles: quadrilateral lines (MultisampleEnable) and alpha antialiased ones.

Both have a rectangle around the segment that is not lengthened, 1.4 pixels wide or 1. Its corners
are computed before snapping. Attributes change along the line only.

Spec: D3D11.3 sections 3.4.4 and 3.4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from softd3d.algebra.operations import convert, select, sqrt
from softd3d.algebra.value import F32, F64, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.snap import PIXEL, snap
from softd3d.pipeline.rasterizer.triangle import Corner, Corners

__all__ = [
    "ALPHA_HALF_WIDTH",
    "QUADRILATERAL_HALF_WIDTH",
    "LineAxis",
    "coverage_of_pixel",
    "has_length",
    "rectangle",
    "rectangle_parameter",
    "set_up_axis",
    "triangles",
]

QUADRILATERAL_HALF_WIDTH = 0.7
ALPHA_HALF_WIDTH = 0.5
_LEAST_AREA = 2.0**-32

Rectangle: TypeAlias = tuple[Corner, Corner, Corner, Corner]
_Point: TypeAlias = tuple[Value, Value]


def has_length(start: _Point, end: _Point) -> Value:
    """Return whether a line between two positions (x, y in pixels, F32) is drawn at all."""
    return start[0].ne(end[0]) | start[1].ne(end[1])


def rectangle(start: _Point, end: _Point, half_width: float) -> Rectangle:
    """Return the snapped corners start - n, end - n, end + n, start + n of a line with length.

    n is as long as half the width and perpendicular to the line.

    Args:
        start: x and y in pixels before snapping, F32.
        end: likewise.
        half_width: `QUADRILATERAL_HALF_WIDTH` or `ALPHA_HALF_WIDTH`.
    """
    (ax, ay), (bx, by) = ((convert(x, F64), convert(y, F64)) for x, y in (start, end))
    dx, dy = bx - ax, by - ay
    length = sqrt(dx * dx + dy * dy)
    nx, ny = -dy / length * half_width, dx / length * half_width
    return (
        Corner(snap(ax - nx), snap(ay - ny)),
        Corner(snap(bx - nx), snap(by - ny)),
        Corner(snap(bx + nx), snap(by + ny)),
        Corner(snap(ax + nx), snap(ay + ny)),
    )


def triangles(corners: Rectangle) -> tuple[Corners, Corners]:
    """Return the two triangles of a quadrilateral line, which are not culled, in their order."""
    a, b, c, d = corners
    return (a, b, c), (a, c, d)


@dataclass(frozen=True, slots=True)
class LineAxis:
    """What a place's parameter on a rectangle is computed from: snapped start, direction, F64.

    square: the squared length, 1 where the snapped ends are the same.
    """

    x: Value
    y: Value
    dx: Value
    dy: Value
    square: Value


def set_up_axis(start: Corner, end: Corner) -> LineAxis:
    """Return the axis of a line between two snapped vertices."""
    dx, dy = convert(end.x - start.x, F64), convert(end.y - start.y, F64)
    square = dx * dx + dy * dy
    square = select(square.eq(0.0), 1.0, square)
    return LineAxis(convert(start.x, F64), convert(start.y, F64), dx, dy, square)


def rectangle_parameter(axis: LineAxis, x: Value, y: Value) -> Value:
    """Return how far from start to end a point's foot is, F64; 0 where both ends are the same.

    x, y: a pixel's centre or a sample, F64, whole numbers of 1/256 pixel. Rounded once.
    """
    return ((x - axis.x) * axis.dx + (y - axis.y) * axis.dy) / axis.square


def coverage_of_pixel(corners: Rectangle, left: Value, top: Value) -> Value:
    """Return the area of a pixel that lies in a rectangle, 0 to 1, F32.

    The shader does not run where it is 0; elsewhere it is multiplied into the alpha of o0, and all
    samples are covered. Areas below 2**-32, less than rounding may leave over, are 0.

    Of any line through the pixel from side to side, the rectangle covers the sum over its edges of
    what lies to the left of the edge, negative for edges that go up.

    Args:
        corners: the snapped corners.
        left: the pixel's left edge, F64, 1/256 pixel.
        top: its upper edge.
    """
    inside = [
        ((convert(c.x, F64) - left) * (1.0 / PIXEL), (convert(c.y, F64) - top) * (1.0 / PIXEL))
        for c in corners
    ]
    total = _left_of_edge(inside[0], inside[1])
    for n in (1, 2, 3):
        total = total + _left_of_edge(inside[n], inside[(n + 1) % 4])
    area = abs(total)
    area = select(area < 1.0, area, 1.0)
    return convert(select(area < _LEAST_AREA, 0.0, area), F32)


def _left_of_edge(start: _Point, end: _Point) -> Value:
    """Return the area of the unit square left of an edge, negative if the edge goes up."""
    (ax, ay), (bx, by) = start, end
    rise = by - ay
    slope = (bx - ax) / select(rise.eq(0.0), 1.0, rise)
    top, bottom = _clamped(ay), _clamped(by)
    # Each end from its own corner, so that what the pixel does not cut is exact.
    xs = [ax + (top - ay) * slope, bx + (bottom - by) * slope]
    return (bottom - top) * _mean_clamped(xs)


def _clamped(x: Value) -> Value:
    """Return a number held within 0 to 1."""
    x = select(x > 0.0, x, 0.0)
    return select(x < 1.0, x, 1.0)


def _mean_clamped(ends: Sequence[Value]) -> Value:
    """Return the mean of `_clamped` over what lies between two numbers."""
    a, b = ends
    low, high = (_clamped(x) for x in ends)
    length = abs(b - a)
    is_cut = low.ne(a) | high.ne(b)
    beyond = abs(_above_one(b) - _above_one(a))
    half = (low + high) * 0.5
    cut = (abs(high - low) * half + beyond) / select(length.eq(0.0), 1.0, length)
    return select(is_cut & length.ne(0.0), cut, half)


def _above_one(x: Value) -> Value:
    return select(x > 1.0, x, 1.0)
