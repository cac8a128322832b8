"""Aliased lines: the diamond-exit rule, exactly; and which of the three line algorithms applies.

A pixel is lit if the line, walked from start to end, leaves the pixel's diamond: some point of it
is inside, and its end is not. A line of 45 degrees or less (x-major) passes at most one diamond of
each column, because in its direction a diamond first grows, then shrinks, no slower than the line
climbs. So of each column it lights, if any, the pixel in which it crosses the column's middle, or
the one in which it starts, if that is behind the middle. The same holds for the rows of other lines
(y-major). Here major is the axis along which a line goes farther, minor the other.

Spec: D3D11.3 section 3.4.3 and its picture.
"""

from __future__ import annotations

from enum import Enum

from softd3d.algebra import integer
from softd3d.algebra.operations import convert, floor, select
from softd3d.algebra.value import F64, I32, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.snap import CENTER, PIXEL
from softd3d.pipeline.rasterizer.triangle import Corner

__all__ = [
    "Line",
    "LineAlgorithm",
    "LitPixel",
    "line_algorithm",
    "line_parameter",
    "lit_pixel",
    "set_up_line",
]

_PIXEL_BITS = 8


class LineAlgorithm(Enum):
    """How lines, and the edges of triangles in wireframe, become pixels."""

    ALIASED = "aliased"
    QUADRILATERAL = "quadrilateral"
    ALPHA_ANTIALIASED = "alpha antialiased"


def line_algorithm(*, multisample_enable: bool, antialiased_line_enable: bool) -> LineAlgorithm:
    """Return the algorithm that a rasteriser state chooses. Spec: D3D11.3 15.14.

    >>> line_algorithm(multisample_enable=True, antialiased_line_enable=True)
    <LineAlgorithm.QUADRILATERAL: 'quadrilateral'>
    """
    if multisample_enable:
        return LineAlgorithm.QUADRILATERAL
    if antialiased_line_enable:
        return LineAlgorithm.ALPHA_ANTIALIASED
    return LineAlgorithm.ALIASED


@dataclass(frozen=True, slots=True)
class Line:
    """An aliased line. All but is_x_major are I32; coordinates are in 1/256 pixel.

    first, last: the columns (x-major) or rows that may have a lit pixel, last inclusive. A line
    without length has one, which is not lit.
    """

    is_x_major: Value
    start_major: Value
    start_minor: Value
    end_major: Value
    end_minor: Value
    first: Value
    last: Value


def set_up_line(start: Corner, end: Corner) -> Line:
    """Return a line between two snapped vertices; x-major includes slopes of 45 degrees."""
    is_x_major = _magnitude(end.x - start.x) >= _magnitude(end.y - start.y)
    start_major, end_major = select(is_x_major, start.x, start.y), select(is_x_major, end.x, end.y)
    start_minor, end_minor = select(is_x_major, start.y, start.x), select(is_x_major, end.y, end.x)
    first, last = _pixel_of(start_major), _pixel_of(end_major)
    return Line(
        is_x_major,
        start_major,
        start_minor,
        end_major,
        end_minor,
        integer.minimum(first, last),
        integer.maximum(first, last),
    )


def _magnitude(a: Value) -> Value:
    return integer.maximum(a, -a)


def _pixel_of(coordinate: Value) -> Value:
    """Return the pixel whose diamond may contain a point: one on a boundary belongs to the former.

    Bottom corners belong to the pixel above, right corners, if to any, to the one on the left.
    """
    return (coordinate - 1) >> _PIXEL_BITS


@dataclass(frozen=True, slots=True)
class LitPixel:
    """The pixel of one column (x-major) or row. minor: its row or column, I32.

    is_lit: whether the line lights it; minor means nothing where it is not.
    """

    minor: Value
    is_lit: Value


def lit_pixel(line: Line, major: Value, *, last_pixel: bool = False) -> LitPixel:
    """Return the pixel that a line lights in one column (x-major) or row, number `major` (I32).

    All samples of a lit pixel are covered. last_pixel: whether a line with a length also lights the
    pixel in whose diamond it ends (win32 D3DRS_LASTPIXEL).
    """
    center = (major << _PIXEL_BITS) + CENTER
    goes_up = line.start_major < line.end_major
    is_started = select(goes_up, center >= line.start_major, line.start_major >= center)
    reaches = select(goes_up, line.end_major >= center, center >= line.end_major)
    crossing = _crossing(line, center)
    minor = select(is_started, crossing, _pixel_of(line.start_minor))
    starts_inside = _is_in_diamond(line, line.start_major, line.start_minor, major, minor)
    ends_inside = _is_in_diamond(line, line.end_major, line.end_minor, major, minor)
    is_lit = select(is_started, reaches, starts_inside) & ~ends_inside
    if not last_pixel:
        return LitPixel(minor, is_lit)
    last = _pixel_of(line.end_minor)
    ends = _is_in_diamond(line, line.end_major, line.end_minor, major, last)
    ends = ends & line.start_major.ne(line.end_major)
    return LitPixel(select(ends, last, minor), is_lit | ends)


def _crossing(line: Line, center: Value) -> Value:
    """Return the pixel along the minor axis where a line crosses a centre; exact.

    The quotient is below 2**16 with a divisor below 2**32, so a whole number is either met exactly
    or missed by more than the rounding of a double.
    """
    length = line.end_major - line.start_major
    sign = select(length < 0, length.like(-1), 1)
    divisor = convert(integer.maximum(length * sign, length.like(1)), F64)
    rise = convert((line.end_minor - line.start_minor) * sign, F64)
    run = convert(center - line.start_major, F64)
    scaled = convert(line.start_minor, F64) * divisor + rise * run
    return convert(floor((scaled - 1.0) / (divisor * float(PIXEL))), I32)


def _is_in_diamond(
    line: Line, point_major: Value, point_minor: Value, major: Value, minor: Value
) -> Value:
    """Return whether a point lies in a pixel's diamond.

    Of the boundary the lower edges with the bottom corner belong to it, and, for y-major lines,
    the right corner.
    """
    u = point_major - ((major << _PIXEL_BITS) + CENTER)
    v = point_minor - ((minor << _PIXEL_BITS) + CENTER)
    distance = _magnitude(u) + _magnitude(v)
    x, y = select(line.is_x_major, u, v), select(line.is_x_major, v, u)
    is_right_corner = ~line.is_x_major & x.eq(CENTER)  # y is 0 there
    on_boundary = distance.eq(CENTER) & ((y > 0) | is_right_corner)
    return (distance < CENTER) | on_boundary


def line_parameter(line: Line, major: Value) -> Value:
    """Return how far from start to end a pixel's centre is along the major axis: 0 to 1, F64.

    End pixels may lie beyond, by less than half a pixel. Direct3D leaves the choice free.
    """
    center = (major << _PIXEL_BITS) + CENTER
    run = convert(center - line.start_major, F64)
    return run / convert(line.end_major - line.start_major, F64)
