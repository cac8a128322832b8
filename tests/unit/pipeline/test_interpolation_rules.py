"""Interpolation against fractions; equal values, infinities; centroids and pulled places."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from lane_values import corners_of, f32, f64, i32, u32

from softd3d.algebra.value import Value
from softd3d.pipeline import interpolation as rules
from softd3d.pipeline.rasterizer import triangle
from softd3d.pipeline.rasterizer.samples import SAMPLE_COUNTS, sample_pattern

ULP = Fraction(1, 1 << 24)


class _Fixture:
    """Triangles with points, and the weights of the code."""

    def __init__(self, vertices: Any, w: Any, x: Any, y: Any) -> None:
        corners = corners_of(vertices)
        area = triangle.doubled_area(corners)
        self.triangle = triangle.set_up(corners, area)
        self.linear = rules.triangle_weights(
            self.triangle, rules.inverse_area(self.triangle), f64(x), f64(y)
        )
        ws = [f32(w[:, n]) for n in range(3)]
        self.terms = rules.over_w(self.linear, [1.0 / f64(n.raw) for n in ws])
        equal = rules.has_equal_bits(ws)
        self.perspective = rules.perspective_weights(self.linear, self.terms, equal)


def _random(seed: int, count: int) -> tuple[Any, Any, Any, Any, Any]:
    """Return vertices, w, values, and points inside of the triangles."""
    random = np.random.default_rng(seed)
    vertices = random.integers(-3000, 3000, (count, 3, 2))
    p, q = vertices[:, 1] - vertices[:, 0], vertices[:, 2] - vertices[:, 0]
    vertices = vertices[p[:, 0] * q[:, 1] != p[:, 1] * q[:, 0]]
    count = len(vertices)
    w = np.exp(random.uniform(-5, 5, (count, 3))).astype(np.float32)
    w[::5] = w[::5, :1]
    values = random.normal(0, 10, (count, 3)).astype(np.float32)
    values[::7] = values[::7, :1]
    at = random.dirichlet((1, 1, 1), count)
    x, y = (np.rint((vertices[..., n] * at).sum(axis=1)) for n in (0, 1))
    return vertices, w, values, x, y


def _fractions(vertices: Any, x: float, y: float) -> list[Fraction]:
    """Return barycentrics by Cramer's rule."""
    (ax, ay), (bx, by), (cx, cy) = vertices.tolist()
    det = Fraction((by - cy) * (ax - cx) + (cx - bx) * (ay - cy))
    first = ((by - cy) * (Fraction(x) - cx) + (cx - bx) * (Fraction(y) - cy)) / det
    second = ((cy - ay) * (Fraction(x) - cx) + (ax - cx) * (Fraction(y) - cy)) / det
    return [first, second, 1 - first - second]


def test_attributes_are_half_a_unit_of_the_greatest_vertex_value_from_fractions() -> None:
    vertices, w, values, x, y = _random(1, 3000)
    found = _Fixture(vertices, w, x, y)
    attribute = rules.set_up_attribute([f32(values[:, n]) for n in range(3)])
    linear = rules.value_at(attribute, found.linear).raw
    perspective = rules.value_at(attribute, found.perspective).raw
    depth = rules.w_at(found.terms).raw
    for n in range(len(vertices)):
        weights = _fractions(vertices[n], x[n], y[n])
        v = [Fraction(float(a)) for a in values[n]]
        over = [a / Fraction(float(b)) for a, b in zip(weights, w[n], strict=True)]
        # A point that was rounded to the grid may lie outside, by little.
        size = max(map(abs, v)) * max(1, *map(abs, weights)) * (ULP + Fraction(1, 1 << 48))
        wanted = sum(a * b for a, b in zip(weights, v, strict=True))
        assert abs(Fraction(float(linear[n])) - wanted) <= size
        if min(weights) < 0:
            continue
        wanted = sum(a * b for a, b in zip(over, v, strict=True)) / sum(over)
        assert abs(Fraction(float(perspective[n])) - wanted) <= size
        wanted = 1 / sum(over)
        assert abs(Fraction(float(depth[n])) - wanted) <= wanted * (ULP + Fraction(1, 1 << 45))


def test_the_order_of_operations_is_the_one_that_is_written_down() -> None:
    vertices, w, values, x, y = _random(2, 2000)
    found = _Fixture(vertices, w, x, y)
    p, v = vertices.astype(float), values.astype(float)
    area = (p[:, 1, 0] - p[:, 0, 0]) * (p[:, 2, 1] - p[:, 0, 1])
    area -= (p[:, 2, 0] - p[:, 0, 0]) * (p[:, 1, 1] - p[:, 0, 1])
    e1 = (p[:, 0, 0] - p[:, 2, 0]) * (y - p[:, 2, 1]) - (p[:, 0, 1] - p[:, 2, 1]) * (x - p[:, 2, 0])
    e2 = (p[:, 1, 0] - p[:, 0, 0]) * (y - p[:, 0, 1]) - (p[:, 1, 1] - p[:, 0, 1]) * (x - p[:, 0, 0])
    sign, inverse = np.sign(area), 1 / np.abs(area)
    l1, l2 = e1 * sign * inverse, e2 * sign * inverse
    q = [n / 1 * (1 / w[:, i].astype(float)) for i, n in enumerate((1 - l1 - l2, l1, l2))]
    d = (q[0] + q[1]) + q[2]
    equal = (w == w[:, :1]).all(axis=1)
    p1, p2 = np.where(equal, l1, q[1] * (1 / d)), np.where(equal, l2, q[2] * (1 / d))
    same = (values == values[:, :1]).all(axis=1)
    attribute = rules.set_up_attribute([f32(values[:, n]) for n in range(3)])
    for weights, (a, b) in ((found.linear, (l1, l2)), (found.perspective, (p1, p2))):
        wanted = v[:, 0] + (a * (v[:, 1] - v[:, 0]) + b * (v[:, 2] - v[:, 0]))
        np.testing.assert_array_equal(rules.double_at(attribute, weights).raw, wanted)
        wanted = np.where(same, values[:, 0], wanted.astype(np.float32))
        np.testing.assert_array_equal(rules.value_at(attribute, weights).raw, wanted)
    np.testing.assert_array_equal(rules.w_at(found.terms).raw, (1 / d).astype(np.float32))


@pytest.mark.parametrize("bits", [0x80000000, 0x7F800000, 0xFFC12345, 0x00000001, 0x3DCCCCCD])
def test_what_is_the_same_at_all_vertices_keeps_its_bits(bits: int) -> None:
    vertices, w, _, x, y = _random(3, 50)
    found = _Fixture(vertices, w, x + 100000, y)
    value = np.full(len(x), bits, np.uint32).view(np.float32)
    attribute = rules.set_up_attribute([f32(value)] * 3)
    result = rules.value_at(attribute, found.perspective).raw
    assert set(result.view(np.uint32).tolist()) == {bits}


def test_infinities_follow_ieee_and_tiny_results_flush() -> None:
    vertices, w, _, x, y = _random(4, 20)
    found = _Fixture(vertices, w, x, y)
    inf = np.full(len(x), np.inf, np.float32)
    one = np.ones_like(inf)
    attribute = rules.set_up_attribute([f32(inf), f32(one), f32(one)])
    assert np.isnan(rules.value_at(attribute, found.linear).raw).all()
    tiny = np.full(len(x), 2.0**-126, np.float32)
    attribute = rules.set_up_attribute([f32(tiny), f32(0 * one), f32(0 * one)])
    assert set(np.abs(rules.value_at(attribute, found.linear).raw).tolist()) <= {0.0, 2.0**-126}


def test_w_comes_back_where_all_vertices_have_the_same() -> None:
    vertices, w, _, x, y = _random(5, 2000)
    w[:] = w[:, :1]
    found = _Fixture(vertices, w, x, y)
    np.testing.assert_array_equal(rules.w_at(found.terms).raw, w[:, 0])


def _along(values: list[float], w: list[float], t: float) -> tuple[float, float, float]:
    """Return a line's linear and perspective value and w."""
    ws = [f32([n]) for n in w]
    weights = (f64([t]),)
    terms = rules.over_w(weights, [1.0 / f64(n.raw) for n in ws])
    perspective = rules.perspective_weights(weights, terms, rules.has_equal_bits(ws))
    attribute = rules.set_up_attribute([f32([n]) for n in values])
    found = [rules.value_at(attribute, n) for n in (weights, perspective)]
    return tuple(float(n.raw[0]) for n in (*found, rules.w_at(terms)))  # type: ignore[return-value]


def test_lines_have_the_weights_1_minus_t_and_t() -> None:
    assert _along([10, 20], [1, 1], 0.25) == (12.5, 12.5, 1.0)
    assert _along([10, 20], [1, 3], 0.5) == (15.0, 12.5, 1.5)
    assert _along([10, 20], [2, 2], 1.125) == (21.25, 21.25, 2.0)
    assert _along([np.inf, np.inf], [1, 4], 0.5)[:2] == (np.inf, np.inf)


def test_points_have_the_values_of_their_vertex() -> None:
    inverse = 1.0 / f64([4.0])
    terms = rules.over_w((), [inverse])
    attribute = rules.set_up_attribute([f32([7.0])])
    assert rules.perspective_weights((), terms, rules.has_equal_bits([f32([4.0])])) == ()
    assert rules.value_at(attribute, ()).raw.tolist() == [7.0]
    assert rules.double_at(attribute, ()).raw.tolist() == [7.0]
    assert rules.w_at(terms).raw.tolist() == [4.0]


@pytest.mark.parametrize(
    ("coverage", "mask", "wanted"),
    [  # of four samples
        (0b1111, 0xFFFFFFFF, 32),
        (0b1110, 0xFFFFFFFF, 1),
        (0b1000, 0b1000, 3),
        (0b0110, 0b0110, 1),
        (0, 0xFFFFFFFF, 32),
        (0, 0b1111, 32),
        (0, 0b1100, 2),
        (0, 0, 32),
    ],
)
def test_the_centroid_is_the_centre_or_the_first_sample_covered_or_in_the_mask(
    coverage: int, mask: int, wanted: int
) -> None:
    pattern = sample_pattern(4)
    found = rules.centroid_sample(u32([coverage]), u32([mask]), pattern)
    assert found.raw.tolist() == [wanted]
    x, y = rules.centroid_offset(u32([coverage]), u32([mask]), pattern)
    offset = (0, 0) if wanted == 32 else pattern.offsets[wanted]
    assert (x.raw.tolist(), y.raw.tolist()) == ([offset[0]], [offset[1]])


def test_with_one_sample_the_centroid_is_the_centre() -> None:
    for coverage in (0, 1):
        x, y = rules.centroid_offset(u32([coverage]), u32([1]), sample_pattern(1))
        assert (x.raw.tolist(), y.raw.tolist()) == ([0], [0])
    assert SAMPLE_COUNTS[0] == 1


def test_snapped_offsets_are_four_bits_with_a_sign() -> None:
    numbers = i32([0, 1, 7, 8, 15, -1, 16, 0x7FFFFFF8])
    wanted = [n * 16 for n in (0, 1, 7, -8, -1, -1, 0, -8)]
    assert rules.snapped_offset(numbers).raw.tolist() == wanted


def test_places_and_positions_of_pixels() -> None:
    x: Value = rules.place(i32([0, 3, -2]), i32([0, -128, 112]))
    assert x.raw.tolist() == [128, 768, -272]
    assert rules.position(x).raw.tolist() == [0.5, 3.0, -1.0625]
    assert rules.place(i32([16383])).raw.tolist() == [16383 * 256 + 128]
