"""Pieces on the grid: which samples they cover, and the weights of their vertices at a point.

A shape is a table like the pieces it is made of; fragments, with rows picked by piece, ask the
same questions. Coordinates of points are I32, 1/256 pixel; pixels are I32. Spec: D3D11.3 section
3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from softd3d.algebra.operations import convert, select
from softd3d.algebra.value import BOOL, F64, Value
from softd3d.classes import dataclass
from softd3d.pipeline import interpolation
from softd3d.pipeline.interpolation import Weights
from softd3d.pipeline.rasterizer import conservative, line, point, triangle, wide_line
from softd3d.pipeline.rasterizer.line import LineAlgorithm
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.rasterizer.snap import PIXEL, snap
from softd3d.pipeline.rasterizer.triangle import Bounds, Corner
from softd3d.pipeline.rasterizer.viewport import ScreenPosition
from softd3d.pipeline.state import RasterizerState, RasterizerState9
from softd3d.pipeline.state.enums import ConservativeRasterizationMode

__all__ = [
    "ConservativeShape",
    "Grid",
    "Offset",
    "Point",
    "RectangleShape",
    "Shape",
    "TriangleShape",
    "corners_of",
    "shape_of",
]

Point: TypeAlias = tuple[Value, Value]
"""x, y."""
Offset: TypeAlias = tuple[Value | int, Value | int]
"""From a pixel's centre: x, y, 1/256 pixel."""


class Shape(Protocol):
    """What rasterised pieces have in common."""

    @property
    def limits(self) -> Bounds:
        """The pixels that each piece may touch."""
        ...

    def covers(self, at: Point, pixel: Point) -> Value:
        """Return whether samples at points of pixels are covered."""
        ...

    def weights(self, at: Point, pixel: Point) -> Weights:
        """Return the weights of the vertices at points of pixels."""
        ...


class Grid:
    """A shape seen by pixels that keep their distances from one that moves.

    columns, rows: of each lane's pixel from the first one, I32. steps: by how much E of each edge
    grows so far. What is the same wherever the first pixel is is computed once. Answers have the
    bits of the shape's own.
    """

    def __init__(
        self, shape: Shape, columns: Value, rows: Value, steps: Sequence[Value] = ()
    ) -> None:
        self.shape = shape
        self.columns, self.rows = columns, rows
        self.steps = steps
        if isinstance(shape, TriangleShape) and not steps:
            dx, dy = (convert(n * PIXEL, F64) for n in (columns, rows))
            self.steps = [triangle.edge_step(e, dx, dy) for e in shape.edges.edges]

    def pixel(self, first: Point) -> Point:
        """Return the pixels where the first one is at a place."""
        return first[0] + self.columns, first[1] + self.rows

    def covers(self, first: Point, offset: Offset) -> Value:
        """Return whether samples are covered; offset: of all, from the pixels' centres."""
        if not isinstance(self.shape, TriangleShape):
            pixel = self.pixel(first)
            return self.shape.covers(_at(pixel, offset), pixel)
        x, y = (convert(n, F64) for n in _at(first, offset))
        edges = self.shape.edges.edges
        one, two, three = (
            ((e.a * x + e.b * y) + e.covering_c) + step >= 0.0
            for e, step in zip(edges, self.steps, strict=True)
        )
        return one & two & three

    def weights(self, first: Point, offset: Offset) -> Weights:
        """Return the weights of the vertices at samples; offset as in `covers`."""
        if not isinstance(self.shape, TriangleShape):
            pixel = self.pixel(first)
            return self.shape.weights(_at(pixel, offset), pixel)
        x, y = (convert(n, F64) for n in _at(first, offset))
        edges = self.shape.edges.edges
        return tuple(
            (triangle.edge_value(e, x, y) + step) * self.shape.inverse
            for e, step in zip(edges[1:], self.steps[1:], strict=True)
        )


def _at(pixel: Point, offset: Offset) -> Point:
    x, y = (interpolation.place(n, d) for n, d in zip(pixel, offset, strict=True))
    return x, y


def corners_of(screen: Sequence[ScreenPosition]) -> tuple[Corner, ...]:
    """Return the snapped vertices."""
    return tuple(Corner(snap(s.x), snap(s.y)) for s in screen)


def shape_of(
    state: RasterizerState, pattern: SamplePattern, screen: Sequence[ScreenPosition]
) -> Shape:
    """Return the shape of pieces by their vertices.

    Triangles must have an area, but for conservative rasterisation. That is of triangles only:
    Direct3D leaves undefined what it makes of points and lines, which are drawn as ever.
    """
    corners = corners_of(screen)
    if len(corners) == 1:
        (center,) = corners
        return PointShape(point.point_bounds(center, pattern), center)
    if len(corners) == 2:
        return _line(state, pattern, screen, (corners[0], corners[1]))
    p, q, r = corners
    if state.conservative_raster is ConservativeRasterizationMode.ON:
        found = conservative.conservative_triangle((p, q, r))
        inverse = interpolation.inverse_area(found.triangle)
        return ConservativeShape(found, select(found.has_area, inverse, 0.0))
    edges = triangle.set_up((p, q, r), triangle.doubled_area((p, q, r)))
    limits = triangle.bounds(corners, pattern.extent)
    return TriangleShape(limits, edges, interpolation.inverse_area(edges))


def _line(
    state: RasterizerState, pattern: SamplePattern, screen: Sequence[ScreenPosition],
    corners: tuple[Corner, Corner],
) -> Shape:  # fmt: skip
    start, end = corners
    algorithm = line.line_algorithm(
        multisample_enable=state.multisample_enable,
        antialiased_line_enable=state.antialiased_line_enable,
    )
    if algorithm is LineAlgorithm.ALIASED:
        limits = triangle.bounds(corners, triangle.WHOLE_PIXEL)
        has_last = isinstance(state, RasterizerState9) and state.last_pixel
        return LineShape(_grown(limits), line.set_up_line(start, end), has_last)
    is_alpha = algorithm is LineAlgorithm.ALPHA_ANTIALIASED
    (ax, ay), (bx, by) = ((s.x, s.y) for s in screen)
    is_drawn = wide_line.has_length((ax, ay), (bx, by))
    # Without length there is no direction: any other end keeps the arithmetic defined.
    bx = select(is_drawn, bx, ax + 1.0)
    half_width = wide_line.ALPHA_HALF_WIDTH if is_alpha else wide_line.QUADRILATERAL_HALF_WIDTH
    rectangle = wide_line.rectangle((ax, ay), (bx, by), half_width)
    extent = triangle.WHOLE_PIXEL if is_alpha else pattern.extent
    limits = _grown(triangle.bounds(rectangle, extent))
    first, second = wide_line.triangles(rectangle)
    return RectangleShape(
        limits, rectangle, wide_line.set_up_axis(start, end), is_drawn,
        (_half(first), _half(second)), is_alpha,
    )  # fmt: skip


def _grown(limits: Bounds) -> Bounds:
    """Return bounds with a pixel more on each side: lines light pixels whose centre they miss."""
    return Bounds(limits.left - 1, limits.top - 1, limits.right + 1, limits.bottom + 1)


@dataclass(frozen=True, slots=True)
class TriangleShape:
    """Filled triangles."""

    limits: Bounds
    edges: triangle.Triangle
    inverse: Value

    def covers(self, at: Point, pixel: Point) -> Value:
        del pixel
        x, y = (convert(n, F64) for n in at)
        return triangle.covers(self.edges, x, y)

    def weights(self, at: Point, pixel: Point) -> Weights:
        del pixel
        x, y = (convert(n, F64) for n in at)
        return interpolation.triangle_weights(self.edges, self.inverse, x, y)


@dataclass(frozen=True, slots=True)
class ConservativeShape:
    """Triangles that cover all samples of the pixels that they touch; some have no area.

    inverse: of the area, 0 where there is none: all weight is then vertex 0's.
    """

    part: conservative.ConservativeTriangle
    inverse: Value

    @property
    def limits(self) -> Bounds:
        return self.part.limits

    def covers(self, at: Point, pixel: Point) -> Value:
        del at
        return conservative.touches(self.part, pixel)

    def weights(self, at: Point, pixel: Point) -> Weights:
        del pixel
        x, y = (convert(n, F64) for n in at)
        return interpolation.triangle_weights(self.part.triangle, self.inverse, x, y)


@dataclass(frozen=True, slots=True)
class LineShape:
    """Aliased lines. last_pixel: whether they light the pixel that they end in."""

    limits: Bounds
    line: line.Line
    last_pixel: bool

    def _major_minor(self, pixel: Point) -> Point:
        x, y = pixel
        is_x = self.line.is_x_major
        return select(is_x, x, y), select(is_x, y, x)

    def covers(self, at: Point, pixel: Point) -> Value:
        del at
        major, minor = self._major_minor(pixel)
        lit = line.lit_pixel(self.line, major, last_pixel=self.last_pixel)
        inside = (major >= self.line.first) & (self.line.last >= major)
        return inside & lit.is_lit & lit.minor.eq(minor)

    def weights(self, at: Point, pixel: Point) -> Weights:
        del at
        return (line.line_parameter(self.line, self._major_minor(pixel)[0]),)


@dataclass(frozen=True, slots=True)
class _Half:
    """One of the two triangles of a quadrilateral line."""

    edges: triangle.Triangle
    has_area: Value


def _half(corners: triangle.Corners) -> _Half:
    area = triangle.doubled_area(corners)
    return _Half(triangle.set_up(corners, area), area.ne(0.0))


@dataclass(frozen=True, slots=True)
class RectangleShape:
    """Quadrilateral lines, and alpha antialiased ones. is_drawn: whether a line has a length."""

    limits: Bounds
    corners: wide_line.Rectangle
    axis: wide_line.LineAxis
    is_drawn: Value
    halves: tuple[_Half, _Half]
    is_alpha: bool

    def covers(self, at: Point, pixel: Point) -> Value:
        if self.is_alpha:
            return self.is_drawn & (self.area(pixel) > 0.0)
        x, y = (convert(n, F64) for n in at)
        found = x.k.const(BOOL, 0)
        for half in self.halves:
            found = found | (half.has_area & triangle.covers(half.edges, x, y))
        return self.is_drawn & found

    def area(self, pixel: Point) -> Value:
        """Return how much of pixels is covered, F32."""
        left, top = (convert(n << 8, F64) for n in pixel)
        return wide_line.coverage_of_pixel(self.corners, left, top)

    def weights(self, at: Point, pixel: Point) -> Weights:
        del pixel
        x, y = (convert(n, F64) for n in at)
        return (wide_line.rectangle_parameter(self.axis, x, y),)


@dataclass(frozen=True, slots=True)
class PointShape:
    """Points."""

    limits: Bounds
    center: Corner

    def covers(self, at: Point, pixel: Point) -> Value:
        del pixel
        return point.point_covers(self.center, *at)

    def weights(self, at: Point, pixel: Point) -> Weights:
        del at, pixel
        return ()
