"""Lines by all three algorithms, and points, against exact models; parameters along lines."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from coverage_model import line_covers, point_covers
from lane_values import f32, f64, i32, random_vertices

from softd3d.pipeline.rasterizer import line as rules
from softd3d.pipeline.rasterizer import wide_line
from softd3d.pipeline.rasterizer.line import LineAlgorithm
from softd3d.pipeline.rasterizer.point import point_bounds
from softd3d.pipeline.rasterizer.point import point_covers as covers_point
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.rasterizer.triangle import (
    WHOLE_PIXEL,
    Corner,
    bounds,
    covers,
    doubled_area,
    set_up,
)

Points = list[tuple[Fraction, Fraction]]


def _line(ends: Any) -> rules.Line:
    start, end = (Corner(i32(ends[..., n, 0]), i32(ends[..., n, 1])) for n in (0, 1))
    return rules.set_up_line(start, end)


def _lit(ends: Any, pixel_x: Any, pixel_y: Any) -> Any:
    """Return whether the code lights pixels: those of its first to last columns (or rows)."""
    line = _line(ends)
    major = np.where(line.is_x_major.raw, pixel_x, pixel_y)
    minor = np.where(line.is_x_major.raw, pixel_y, pixel_x)
    found = rules.lit_pixel(line, i32(major))
    in_range = (major >= line.first.raw) & (major <= line.last.raw)
    return in_range & found.is_lit.raw & (found.minor.raw == minor)


def test_a_hundred_thousand_short_lines_light_what_exact_integers_say() -> None:
    random = np.random.default_rng(1)
    count = 100_000
    steps = np.array([1, 16, 64, 128])[random.integers(0, 4, count)][:, None, None]
    ends = random.integers(-512, 513, (count, 2, 2)) // steps * steps
    ends[::50, 1] = ends[::50, 0]  # no length
    # Some are exactly on the diagonals of pixels.
    diagonal = random.integers(-400, 400, (count // 10, 1)) * random.choice([-1, 1], (1, 2))
    ends[::10, 1] = ends[::10, 0] + diagonal
    pixels = np.arange(-4, 5)
    x, y = pixels[None, None, :], pixels[None, :, None]
    for part in np.split(ends[:, None, None], 10):
        wanted = line_covers(part, x, y)
        np.testing.assert_array_equal(_lit(part, x, y), wanted)
        assert wanted.any(axis=(1, 2)).mean() > 0.4


def test_long_lines_light_what_exact_integers_say() -> None:
    random = np.random.default_rng(2)
    ends = random_vertices(random, 4000, 2)[:, None]
    line = _line(ends)
    first, last = line.first.raw.astype(np.int64), line.last.raw.astype(np.int64)
    major = first + (random.random((4000, 6)) * (last - first + 1)).astype(np.int64)
    major[:, 0], major[:, 1] = first[:, 0], last[:, 0]
    found = rules.lit_pixel(line, i32(major))
    for around in (-1, 0, 1):
        minor = found.minor.raw + around
        x = np.where(line.is_x_major.raw, major, minor)
        y = np.where(line.is_x_major.raw, minor, major)
        wanted = line_covers(ends, x, y)
        np.testing.assert_array_equal(found.is_lit.raw & (around == 0), wanted)


def test_beside_its_first_and_last_column_a_line_lights_nothing() -> None:
    random = np.random.default_rng(3)
    ends = random.integers(-1024, 1025, (2000, 1, 2, 2))
    line = _line(ends)
    x, y = np.arange(-7, 8)[None, :], np.arange(-7, 8)[None, :]
    for shift in range(-7, 8):
        wanted = line_covers(ends, x, np.roll(y, shift))
        major = np.where(line.is_x_major.raw, x, np.roll(y, shift))
        beside = (major < line.first.raw) | (major > line.last.raw)
        assert not (wanted & beside).any()


def test_a_line_cut_anywhere_lights_the_same_pixels_once() -> None:
    random = np.random.default_rng(8)
    steps = random.integers(-40, 41, (500, 2)) * np.array([[1, 16]]).T[random.integers(0, 2, 500)]
    start = random.integers(-512, 513, (500, 2))
    cut, end = start + steps * random.integers(0, 10, (500, 1)), start + steps * 10
    x, y = np.arange(-40, 41)[None, None, :], np.arange(-40, 41)[None, :, None]
    whole, first, second = (
        _lit(np.stack(ends, axis=1)[:, None, None], x, y)
        for ends in ((start, end), (start, cut), (cut, end))
    )
    assert not (first & second).any()
    np.testing.assert_array_equal(first | second, whole)


@pytest.mark.parametrize(
    ("multisample", "antialiased", "wanted"),
    [
        (False, False, LineAlgorithm.ALIASED),
        (False, True, LineAlgorithm.ALPHA_ANTIALIASED),
        (True, False, LineAlgorithm.QUADRILATERAL),
        (True, True, LineAlgorithm.QUADRILATERAL),
    ],
)
def test_multisample_enable_wins_over_antialiased_line_enable(
    multisample: bool, antialiased: bool, wanted: LineAlgorithm
) -> None:
    found = rules.line_algorithm(
        multisample_enable=multisample, antialiased_line_enable=antialiased
    )
    assert found is wanted


def test_the_parameter_is_the_centres_place_along_the_major_axis() -> None:
    ends = np.array([[[64, 10], [1000, 500]], [[10, 1000], [500, 64]]])
    found = rules.line_parameter(_line(ends), i32([1, 1])).raw.tolist()
    assert found == [(384 - 64) / 936, (384 - 1000) / -936]


def _rectangle(ends: Any, half_width: float) -> wide_line.Rectangle:
    start, end = ((f32(ends[..., n, 0]), f32(ends[..., n, 1])) for n in (0, 1))
    return wide_line.rectangle(start, end, half_width)


def _corners(rectangle: wide_line.Rectangle) -> Any:
    return np.stack([np.stack([c.x.raw, c.y.raw], axis=-1) for c in rectangle], axis=-2)


def test_a_rectangle_is_as_wide_as_said_and_no_longer_than_its_line() -> None:
    ends = np.array([[[1.0, 2.0], [5.0, 2.0]], [[1.0, 2.0], [4.0, 6.0]]])
    corners = _corners(_rectangle(ends, wide_line.QUADRILATERAL_HALF_WIDTH))
    assert corners[0].tolist() == [[256, 333], [1280, 333], [1280, 691], [256, 691]]
    n = np.array([-0.8, 0.6]) * 0.7
    for corner, at, sign in zip(corners[1], (0, 1, 1, 0), (-1, -1, 1, 1), strict=True):
        assert corner.tolist() == np.rint((ends[1][at] + sign * n) * 256).tolist()


def test_the_two_triangles_of_a_quadrilateral_line_cover_no_sample_twice() -> None:
    random = np.random.default_rng(4)
    ends = random.uniform(0, 8, (500, 1, 2, 2))
    y, x = (n.reshape(1, -1) * 16.0 + 8 for n in np.mgrid[0:128, 0:128][:, ::3, ::3])
    total = np.zeros((500, x.size), int)
    rectangle = _rectangle(ends, wide_line.QUADRILATERAL_HALF_WIDTH)
    for corners in wide_line.triangles(rectangle):
        area = doubled_area(corners)
        total += (area.raw != 0) & covers(set_up(corners, area), f64(x), f64(y)).raw
    assert total.max() == 1


def test_a_line_without_length_is_not_drawn_as_a_rectangle() -> None:
    points = f32([1.0, 1.0, 1.0]), f32([2.0, 2.0, 2.0])
    others = f32([1.0, 1.0, 1.5]), f32([2.0, 3.0, 2.0])
    assert wide_line.has_length(points, others).raw.tolist() == [False, True, True]


def test_the_parameter_of_a_rectangle_is_the_foot_of_a_point() -> None:
    start, end = (
        Corner(i32([0, 0, 7]), i32([0, 0, 7])),
        Corner(i32([300, 0, 7]), i32([400, 256, 7])),
    )
    axis = wide_line.set_up_axis(start, end)
    found = wide_line.rectangle_parameter(axis, f64([300.0, 99.0, 1.0]), f64([400.0, -128.0, 5.0]))
    assert found.raw.tolist() == [1.0, -0.5, 0.0]


def _clip_to_unit(points: Points) -> Points:
    """Clip a polygon to the square from 0 to 1, plane by plane, in fractions."""
    for axis in (0, 1):
        for keep, at in ((1, Fraction(0)), (-1, Fraction(1))):
            found: Points = []
            for a, b in zip(points, points[1:] + points[:1], strict=True):
                da, db = (a[axis] - at) * keep, (b[axis] - at) * keep
                if da >= 0:
                    found.append(a)
                if da * db < 0:
                    t = da / (da - db)
                    found.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
            points = found
    return points


def _area(points: Points) -> Fraction:
    pairs = zip(points, points[1:] + points[:1], strict=True)
    return abs(sum((a[0] * b[1] - b[0] * a[1] for a, b in pairs), Fraction(0))) / 2


def test_coverage_of_an_antialiased_line_is_the_area_in_fractions() -> None:
    random = np.random.default_rng(6)
    ends = random.uniform(-3, 5, (400, 2, 2)) * random.choice([1, 1, 50], (400, 1, 1))
    ends[:80] = np.round(ends[:80])
    ends[80:120, 1, 0] = ends[80:120, 0, 0]
    ends[300:, 1] = ends[300:, 0] + random.uniform(-0.3, 0.3, (100, 2))
    rectangle = _rectangle(ends, wide_line.ALPHA_HALF_WIDTH)
    corners = _corners(rectangle)
    for left, top in ((0, 0), (1, 0), (2, 3), (-1, 1)):
        k = wide_line.coverage_of_pixel(rectangle, f64(left * 256), f64(top * 256)).raw
        for found, polygon in zip(k.tolist(), corners.tolist(), strict=True):
            points = [(Fraction(x, 256) - left, Fraction(y, 256) - top) for x, y in polygon]
            wanted = _area(_clip_to_unit(points))
            if wanted < Fraction(1, 1 << 33):
                assert found == 0
            assert abs(Fraction(found) - wanted) <= wanted / (1 << 24) + Fraction(1, 1 << 32)


def test_all_pixels_together_have_the_area_of_the_rectangle_and_none_outside_has_any() -> None:
    ends = np.array([[[0.5, 0.5], [9.5, 6.25]], [[3.0, 3.0], [7.0, 3.0]]])[:, None]
    rectangle = _rectangle(ends, wide_line.ALPHA_HALF_WIDTH)
    y, x = (n.reshape(1, -1) for n in np.mgrid[-2:10, -2:12])
    found = wide_line.coverage_of_pixel(rectangle, f64(x * 256), f64(y * 256)).raw
    for n, corners in enumerate(_corners(rectangle)[:, 0].tolist()):
        whole = _area([(Fraction(a, 256), Fraction(b, 256)) for a, b in corners])
        assert found[n].astype(float).sum() == pytest.approx(float(whole), abs=1e-6)
    box = bounds(tuple(rectangle), WHOLE_PIXEL)
    inside = (x >= box.left.raw) & (x < box.right.raw) & (y >= box.top.raw) & (y < box.bottom.raw)
    assert not found[~inside].any()
    # The level line from 3, 3 to 7, 3 covers two rows of four pixels, half each.
    assert sorted(set(found[1].tolist())) == [0.0, 0.5]
    assert (found[1] == 0.5).sum() == 8


def test_a_hundred_thousand_points_cover_what_exact_integers_say() -> None:
    random = np.random.default_rng(7)
    center = random.integers(-600, 600, (100_000, 1, 2))
    pattern = sample_pattern(8)
    offsets = np.array(pattern.offsets)
    at = center // 256 * 256 + random.integers(-1, 2, (100_000, 6, 2)) * 256 + 128
    at += offsets[random.integers(0, 8, (100_000, 6))]
    corner = Corner(i32(center[..., 0]), i32(center[..., 1]))
    found = covers_point(corner, i32(at[..., 0]), i32(at[..., 1])).raw
    np.testing.assert_array_equal(found, point_covers(center, at[..., 0], at[..., 1]))
    box = point_bounds(corner, pattern)
    x, y = at[..., 0] // 256, at[..., 1] // 256
    inside = (x >= box.left.raw) & (x < box.right.raw) & (y >= box.top.raw) & (y < box.bottom.raw)
    assert not (found & ~inside).any()
    assert ((box.right.raw - box.left.raw) <= 2).all()


def test_a_point_is_the_square_of_two_triangles() -> None:
    for x, y in ((0, 0), (100, -3), (128, 128)):
        a, b, c, d = (
            Corner(i32([x + dx]), i32([y + dy]))
            for dx, dy in ((-128, -128), (128, -128), (128, 128), (-128, 128))
        )
        py, px = (n.reshape(1, -1) for n in np.mgrid[-300:300:4, -300:300:4])
        both = [
            covers(set_up(t, doubled_area(t)), f64(px), f64(py)).raw for t in ((a, b, c), (a, c, d))
        ]
        found = covers_point(Corner(i32([x]), i32([y])), i32(px), i32(py)).raw
        np.testing.assert_array_equal(found, both[0] ^ both[1])
