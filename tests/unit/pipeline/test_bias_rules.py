"""Depth bias: units of formats, slopes, clamps, triangles without area."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lane_values import corners_of, f32

from softd3d.pipeline.rasterizer.bias import DepthBias, depth_bias, depth_slope
from softd3d.pipeline.rasterizer.triangle import doubled_area

# dz/dx is -2 / 16, dz/dy 5 / 16 a pixel.
VERTICES = np.array([[0, 0], [4096, 0], [0, 4096]])
DEPTHS = [0.0, -2.0, 5.0]


def _bias(state: DepthBias, depths: Any = (0.0, 0.0, 0.0), vertices: Any = VERTICES) -> float:
    corners = corners_of(np.asarray(vertices)[None])
    values = tuple(f32([z]) for z in depths)
    found = depth_bias(state, corners, values, doubled_area(corners))
    return float(np.broadcast_to(found.raw, 1)[0])


def _float32(x: float) -> float:
    return float(np.float32(x))


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("number", [1, -3, 0x7FFFFFFF, -0x80000000])
def test_a_unit_of_a_unorm_format_is_one_code(bits: int, number: int) -> None:
    unit = np.float32(1 / (2**bits - 1))
    assert _bias(DepthBias(number, unorm_bits=bits)) == np.float32(number) * unit


def test_without_a_depth_buffer_24_bits_count() -> None:
    assert _bias(DepthBias(16)) == np.float32(16) * np.float32(1 / (2**24 - 1))


@pytest.mark.parametrize(
    ("depths", "exponent"),
    [
        ((0.5, 0.25, 0.0), -1),
        ((0.9, 1.0, 0.0), 0),
        ((-3.0, 1.0, 0.0), 1),
        ((2.0**-100, 0.0, -0.0), -100),
        ((2.0**100, 1.0, 1.0), 100),
    ],
)
def test_a_unit_of_a_float_format_is_the_last_bit_of_the_greatest_depth(
    depths: tuple[float, ...], exponent: int
) -> None:
    for number in (1, -7, 0x7FFFFFFF):
        wanted = _float32(float(np.float32(number)) * 2.0 ** (exponent - 23))
        assert _bias(DepthBias(number, unorm_bits=None), depths) == wanted


def test_where_all_depths_are_0_the_unit_is_that_of_the_least_exponent() -> None:
    many = 1 << 24
    assert _bias(DepthBias(many, unorm_bits=None)) == many * 2.0**-149
    assert _bias(DepthBias(1, unorm_bits=None)) == 0.0  # a denormal


def test_the_slope_is_that_of_the_steeper_axis_a_pixel() -> None:
    state = DepthBias(slope_scaled_depth_bias=2.0)
    assert _bias(state, DEPTHS) == 2.0 * 5 / 16
    assert _bias(state, DEPTHS, VERTICES[::-1]) == _bias(state, DEPTHS[::-1])
    for order in ((1, 2, 0), (2, 1, 0)):
        assert _bias(state, [DEPTHS[n] for n in order], VERTICES[list(order)]) == 0.625


def test_the_sum_of_both_terms_is_held_by_the_clamp() -> None:
    unit = np.float32(1 / (2**24 - 1))
    both = DepthBias(1 << 20, slope_scaled_depth_bias=2.0)
    total = np.float32(1 << 20) * unit + np.float32(0.625)
    assert _bias(both, DEPTHS) == total
    assert _bias(DepthBias(1 << 20, 0.5, 2.0), DEPTHS) == 0.5
    assert _bias(DepthBias(1 << 20, 0.75, 2.0), DEPTHS) == total
    assert _bias(DepthBias(1 << 20, -0.5, 2.0), DEPTHS) == total
    assert _bias(DepthBias(-(1 << 20), -0.5, -2.0), DEPTHS) == -0.5
    assert _bias(DepthBias(-(1 << 20), 0.5, -2.0), DEPTHS) == -total


def test_a_triangle_without_area_has_no_slope_and_no_nan() -> None:
    for vertices in ([[0, 0], [256, 256], [512, 512]], [[5, 5]] * 3):
        assert _bias(DepthBias(0, 0.25, 1.0), DEPTHS, vertices) == 0.0


def test_no_bias_at_all_is_known_beforehand() -> None:
    assert DepthBias(0, 0.5, 0.0).is_zero
    assert not DepthBias(1).is_zero
    assert not DepthBias(0, 0.0, -0.5).is_zero


def test_slopes_are_exact_on_random_planes_of_whole_numbers() -> None:
    random = np.random.default_rng(1)
    vertices = random.integers(-100, 100, (2000, 3, 2)) * 256
    corners = corners_of(vertices)
    area = doubled_area(corners)
    a, b = 3.0, -5.0
    depths = tuple(f32((vertices[:, n] * (a, b)).sum(axis=1) / 256) for n in range(3))
    found = depth_slope(corners, depths, area).raw
    np.testing.assert_array_equal(found, np.where(area.raw == 0, 0, 5.0))
