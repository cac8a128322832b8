"""Conservative rasterisation: touched and inner pixels against an exact model, all small triangles.

The model knows no separating axes: a triangle touches a square if a vertex lies in the square, a
corner of the square in the triangle, or if two sides meet. All in whole numbers: coordinates are
doubled.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from both_engines import check_both
from lane_values import corners_of, f64, i32, random_vertices

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import I32, U32, Value
from softd3d.pipeline.rasterizer import conservative as rules
from softd3d.pipeline.rasterizer.triangle import Corner

OUTER, INNER = 257, 258
"""Half a side of the squares, in 1/512 pixel."""


def _cross(a: Any, b: Any, p: Any) -> Any:
    return (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (
        b[..., 1] - a[..., 1]
    ) * (p[..., 0] - a[..., 0])  # fmt: skip


def _square(pixel: Any, half: int) -> list[Any]:
    center = 512 * pixel + 256
    return [center + np.array(c) * half for c in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def _in_triangle(vertices: list[Any], p: Any) -> Any:
    """Whether p lies in a triangle with an area, its sides included."""
    sides = np.stack([_cross(vertices[n], vertices[n - 2], p) for n in range(3)])
    area = _cross(*vertices)
    return (area != 0) & ((sides >= 0).all(axis=0) | (sides <= 0).all(axis=0))


def _in_box(a: Any, b: Any, p: Any) -> Any:
    low, high = np.minimum(a, b), np.maximum(a, b)
    return ((p >= low) & (p <= high)).all(axis=-1)


def _meet(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Whether two segments have a point in common."""
    one, two = np.sign(_cross(a, b, c)), np.sign(_cross(a, b, d))
    three, four = np.sign(_cross(c, d, a)), np.sign(_cross(c, d, b))
    found = (one * two < 0) & (three * four < 0)
    for sign, start, end, p in ((one, a, b, c), (two, a, b, d), (three, c, d, a), (four, c, d, b)):
        found |= (sign == 0) & _in_box(start, end, p)
    return found


def model_touches(vertices: Any, pixel: Any) -> Any:
    """vertices: int64, (..., 3, 2), 1/256 pixel; pixel: int64, (..., 2)."""
    corners = [2 * vertices[..., n, :] for n in range(3)]
    square = _square(pixel, OUTER)
    found = np.zeros(np.broadcast(vertices[..., 0, 0], pixel[..., 0]).shape, bool)
    for n in range(3):
        found |= _in_box(square[0], square[2], corners[n])
        for m in range(4):
            found |= _meet(corners[n], corners[n - 2], square[m], square[m - 3])
    for corner in square:
        found |= _in_triangle(corners, corner)
    return found


def model_inside(vertices: Any, pixel: Any) -> Any:
    corners = [2 * vertices[..., n, :] for n in range(3)]
    return np.stack([_in_triangle(corners, c) for c in _square(pixel, INNER)]).all(axis=0)


def _found(vertices: Any, pixel: Any) -> tuple[Any, Any]:
    of = rules.conservative_triangle(corners_of(vertices))
    at = i32(pixel[..., 0]), i32(pixel[..., 1])
    yes = of.has_area.k.const(of.has_area.type, 1)
    inside = rules.is_inside(of, at, yes, yes) & of.has_area
    return rules.touches(of, at).raw, inside.raw


def _check(vertices: Any, pixel: Any) -> tuple[Any, Any]:
    touched, inside = _found(vertices, pixel)
    np.testing.assert_array_equal(touched, model_touches(vertices, pixel))
    np.testing.assert_array_equal(inside, model_inside(vertices, pixel))
    return touched, inside


def test_all_triangles_of_few_coordinates() -> None:
    """Every order of every three of 49 points around a pixel: 117,649 triangles, thin ones too."""
    steps = np.array([-1, 0, 1, 100, 255, 256, 257])
    points = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    a, b, c = np.meshgrid(*[np.arange(len(points))] * 3)
    vertices = np.stack([points[n.reshape(-1)] for n in (a, b, c)], axis=1)
    for pixel in ([0, 0], [-1, 0], [1, 1]):
        touched, _ = _check(vertices, np.array(pixel))
        assert touched.any()
        assert pixel == [0, 0] or not touched.all()


def test_squares_around_a_pixel_are_inside_from_one_unit_beyond_on() -> None:
    """Triangles so large that one of their sides matters only."""
    for gap, wanted in ((0, False), (1, True), (2, True)):
        low, high = -gap, 1 << 20
        vertices = np.array([[[low, low], [high, low], [low, high]]])
        _, inside = _check(vertices, np.array([[0, 0]]))
        assert inside.tolist() == [wanted]


def _probes(random: np.random.Generator, vertices: Any, count: int) -> Any:
    """Return pixels at vertices, along edges and around, (n, count, 2)."""
    ends = random.integers(0, 3, (2, vertices.shape[0], count))
    rows = np.arange(vertices.shape[0])[:, None]
    a, b = vertices[rows, ends[0]], vertices[rows, ends[1]]
    at = random.integers(0, 9, (vertices.shape[0], count, 1))
    found = (a + (b - a) * at // 8) // 256 + random.integers(-1, 2, a.shape)
    return np.clip(found, -(1 << 15), (1 << 15) - 1)


def test_random_triangles_touch_and_hold_what_whole_numbers_say() -> None:
    random = np.random.default_rng(11)
    vertices = random_vertices(random, 20_000, 3)[:, None]
    touched, inside = _check(vertices, _probes(random, vertices[:, 0], 12))
    assert 0.1 < touched.mean() < 0.9
    assert 0.001 < inside.mean() < 0.5
    assert not (inside & ~touched).any()


def _clipped_is_empty(vertices: list[tuple[int, int]], pixel: tuple[int, int]) -> bool:
    """Cut a polygon by the sides of the outer square, with fractions; whether nothing is left."""
    polygon = [(Fraction(x), Fraction(y)) for x, y in vertices]
    for axis in (0, 1):
        for sign in (1, -1):
            limit = sign * Fraction(256 * pixel[axis] + 128) + Fraction(OUTER, 2)
            polygon = _cut(polygon, axis, sign, limit)
    return not polygon


def _cut(polygon: Any, axis: int, sign: int, limit: Fraction) -> Any:
    kept = []
    for n, b in enumerate(polygon):
        a = polygon[n - 1]
        before, after = limit - sign * a[axis], limit - sign * b[axis]
        if before * after < 0:
            t = before / (before - after)
            kept.append(tuple(p + t * (q - p) for p, q in zip(a, b, strict=True)))
        if after >= 0:
            kept.append(b)
    return kept


def test_random_triangles_touch_what_cutting_with_fractions_leaves() -> None:
    random = np.random.default_rng(12)
    vertices = random_vertices(random, 10_000, 3)
    pixels = _probes(random, vertices, 1)
    touched, _ = _found(vertices[:, None], pixels)
    for triangle, pixel, found in zip(
        vertices.tolist(), pixels[:, 0].tolist(), touched[:, 0].tolist(), strict=True
    ):
        assert found is not _clipped_is_empty(triangle, pixel), (triangle, pixel)


def test_limits_are_the_pixels_of_the_box_with_its_sides() -> None:
    """A side on a pixel's edge touches both neighbours."""
    vertices = np.array([[[0, 256], [255, 257], [511, 512]]])
    box = rules.conservative_triangle(corners_of(vertices)).limits
    assert [int(n.raw[0]) for n in (box.left, box.top, box.right, box.bottom)] == [-1, 0, 2, 3]


@pytest.mark.parametrize("shift", [(-(1 << 23), -(1 << 23)), ((1 << 23) - 1, (1 << 23) - 1)])
def test_at_the_ends_of_the_grid(shift: tuple[int, int]) -> None:
    vertices = np.array([[shift, (0, 0), (128, 0)], [shift, shift, (0, 1)]])
    pixel = np.array([0, 0])
    _check(vertices, pixel)


def test_edges_between_parts_bound_nothing() -> None:
    """A fan of two around the pixel's corner (0, 0): its middle edge goes through pixel (0, 0)."""
    square = [(-600, -600), (900, -600), (900, 900), (-600, 900)]
    first, second = ([square[0], square[n], square[n + 1]] for n in (1, 2))
    of = rules.conservative_triangle(corners_of(np.array([first, second])))
    at = i32([0, 0]), i32([0, 0])

    def inside(is_first: list[bool], is_last: list[bool]) -> list[bool]:
        flags = [of.has_area.k.lanes(of.has_area.type, np.array(f)) for f in (is_first, is_last)]
        return rules.is_inside(of, at, *flags).raw.tolist()

    assert inside([True, False], [False, True]) == [True, True]
    assert inside([True, True], [True, True]) == [False, False]


def test_points_behind_the_horizon_are_known() -> None:
    assert rules.has_positive_w((f64([1, 1]), f64([-2, 2]), f64([0.5, 0]))).raw.tolist() == [
        False, True,
    ]  # fmt: skip


def test_both_engines_say_the_same() -> None:
    random = np.random.default_rng(13)
    vertices = random_vertices(random, 1024, 3)
    pixels = _probes(random, vertices, 1)[:, 0]
    numbers = np.concatenate([vertices.reshape(-1, 6), pixels], axis=1).astype(np.int32)
    columns = [np.ascontiguousarray(c).view(np.uint32) for c in numbers.T]

    def both(words: list[Value]) -> list[Value]:
        ints = [bitcast(w, I32) for w in words]
        first, second, third = (Corner(ints[2 * n], ints[2 * n + 1]) for n in range(3))
        of = rules.conservative_triangle((first, second, third))
        yes = words[0].eq(words[0])
        found = (
            rules.touches(of, (ints[6], ints[7])),
            rules.is_inside(of, (ints[6], ints[7]), yes, ~yes),
        )
        return [select(f, f.k.const(U32, 1), 0) for f in found]

    touched, _ = check_both(both, columns)
    np.testing.assert_array_equal(touched != 0, model_touches(vertices, pixels))
