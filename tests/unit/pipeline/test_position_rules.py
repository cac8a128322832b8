"""Snapping, viewports, sample patterns."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from lane_values import f32, f64, u32

from softd3d.errors import ResourceError
from softd3d.pipeline.rasterizer.samples import (
    CENTER_QUALITY,
    SAMPLE_COUNTS,
    STANDARD_QUALITY,
    forced_pattern,
    is_required_count,
    sample_pattern,
)
from softd3d.pipeline.rasterizer.snap import MAXIMUM, MINIMUM, snap
from softd3d.pipeline.rasterizer.viewport import (
    Box,
    ClipPosition,
    ViewportTransform,
    implicit_scissor,
    pixel_box,
    project,
    viewport_index,
    viewport_problem,
)


def test_snapping_rounds_to_even_at_every_tie_below_256_pixels_and_at_its_neighbours() -> None:
    units = np.arange(-(1 << 16), 1 << 16)
    ties = ((units + 0.5) / 256).astype(np.float32)
    assert ((ties.astype(float) * 256 - units) == 0.5).all()
    even = units + units % 2
    np.testing.assert_array_equal(snap(f32(ties)).raw, even)
    below, above = np.nextafter(ties, np.float32(-1e9)), np.nextafter(ties, np.float32(1e9))
    np.testing.assert_array_equal(snap(f32(below)).raw, units)
    np.testing.assert_array_equal(snap(f32(above)).raw, units + 1)
    np.testing.assert_array_equal(snap(f32(units.astype(np.float32) / 256)).raw, units)


def test_snapping_a_double_rounds_once() -> None:
    just_above = np.nextafter(1.5 / 256, 1)
    numbers = [0.5 / 256, 1.5 / 256, just_above, 2.5 / 256, -0.5 / 256, -1.5 / 256]
    found = snap(f64(numbers)).raw.tolist()
    assert found == [round(Fraction(n) * 256) for n in numbers] == [0, 2, 2, 2, 0, -2]


@pytest.mark.parametrize(
    ("position", "wanted"),
    [
        (np.inf, MAXIMUM), (-np.inf, MINIMUM), (1e30, MAXIMUM), (-3e38, MINIMUM),
        (32768.0, MAXIMUM), (32767.998, MAXIMUM), (-32768.0, MINIMUM), (-32769.0, MINIMUM),
        (1e-40, 0), (-0.0, 0),
    ],
)  # fmt: skip
def test_what_lies_outside_of_the_extent_is_held_in_it(position: float, wanted: int) -> None:
    assert snap(f32([position])).raw.tolist() == [wanted]
    assert snap(f64([position])).raw.tolist() == [wanted]


def _project(xyzw: list[float], viewport: list[float]) -> list[float]:
    position = ClipPosition(*(f32([n]) for n in xyzw))
    left, top, width, height, low, high = (np.float32(n) for n in viewport)
    transform = ViewportTransform(*(f32([n]) for n in (left, top, width, height, low, high - low)))
    found = project(position, transform)
    return [n.raw.tolist()[0] for n in (found.x, found.y, found.z, found.clip_z, found.inverse_w)]


def test_a_viewport_maps_minus_1_to_1_with_y_down() -> None:
    assert _project([-1, 1, 0, 1], [2, 3, 8, 4, 0.25, 0.75]) == [2.0, 3.0, 0.25, 0.0, 1.0]
    assert _project([2, -2, 2, 2], [2, 3, 8, 4, 0.25, 0.75]) == [10.0, 7.0, 0.75, 1.0, 0.5]


def test_the_order_of_the_viewports_operations_decides_how_positions_snap() -> None:
    random = np.random.default_rng(1)
    differs = 0
    for x, y, w, left, width in random.uniform(0.1, 9, (500, 5)).astype(np.float32):
        one, half = np.float32(1), np.float32(0.5)
        found = _project([x, y, 0, w], [left, left, width, width, 0, 1])
        assert found[0] == ((x / w + one) * width) * half + left
        assert found[1] == ((one - y / w) * width) * half + left
        assert found[4] == 1 / float(w)
        differs += found[0] != (x / w) * (width * half) + (width * half + left)
    assert differs > 50


@pytest.mark.parametrize(
    ("viewport", "wanted"),
    [
        ((0, 0, 0, 0, 0, 0), None),
        ((-32768, -32768, 65535, 65535, 0, 1), None),
        ((0.5, 0.25, 10.5, 3.125, 0.5, 0.5), None),
        ((-32769, 0, 1, 1, 0, 1), "top left x: found -32769, wanted -32768 or more"),
        ((0, 32767, 1, 1, 0, 1), "top left y + height: found 32768, wanted 32767 or less"),
        ((0, 0, -1, 1, 0, 1), "width: found -1, wanted 0 or more"),
        ((0, 0, 1, float("nan"), 0, 1), "height: found nan, wanted 0 or more"),
        ((0, 0, 1, 1, -0.5, 1), "min depth: found -0.5, wanted 0 to 1"),
        ((0, 0, 1, 1, 0, 1.5), "max depth: found 1.5, wanted min depth (0) to 1"),
        ((0, 0, 1, 1, 0.5, 0.25), "max depth: found 0.25, wanted min depth (0.5) to 1"),
    ],
)
def test_viewports_have_limits(viewport: tuple[float, ...], wanted: str | None) -> None:
    assert viewport_problem(*viewport) == wanted


def test_pixels_lie_in_the_viewport_the_scissor_and_the_target() -> None:
    assert implicit_scissor(0.5, -0.5, 10, 2.75) == Box(0, -1, 10, 2)
    viewport = implicit_scissor(-4, 2, 20.5, 100)
    assert pixel_box(viewport, None, 64, 32) == Box(0, 2, 16, 32)
    assert pixel_box(viewport, Box(3, 0, 99, 9), 64, 32) == Box(3, 2, 16, 9)
    assert pixel_box(viewport, Box(9, 0, 9, 9), 64, 32).is_empty
    assert pixel_box(viewport, Box(0, 0, 0, 0), 64, 32).is_empty
    assert pixel_box(implicit_scissor(3, 3, 0, 8), None, 64, 32).is_empty


def test_a_viewport_index_beyond_15_is_0() -> None:
    assert viewport_index(u32([0, 15, 16, 0xFFFFFFFF])).raw.tolist() == [0, 15, 0, 0]


@pytest.mark.parametrize("count", SAMPLE_COUNTS)
def test_offsets_of_samples_are_looked_up_by_index(count: int) -> None:
    for pattern in (sample_pattern(count), sample_pattern(count, CENTER_QUALITY)):
        index = u32([*range(count), count, 32, 0xFFFFFFFF])
        x, y = (np.broadcast_to(n.raw, count + 3) for n in pattern.offset(index))
        wanted = [*pattern.offsets, (0, 0), (0, 0), (0, 0)]
        assert list(zip(x.tolist(), y.tolist(), strict=True)) == wanted
        assert pattern.full_mask == (1 << count) - 1


def test_standard_patterns_have_one_sample_in_each_column_and_row_from_8_samples_on() -> None:
    for count in (8, 16):
        offsets = np.array(sample_pattern(count, STANDARD_QUALITY).offsets)
        for axis in (0, 1):
            assert len(set(offsets[:, axis].tolist())) == count
    assert sample_pattern(16).extent == (-128, -128, 112, 112)
    assert set(sample_pattern(4, CENTER_QUALITY).offsets) == {(0, 0)}


def test_counts_and_qualities_that_no_target_has_are_refused() -> None:
    with pytest.raises(ResourceError, match="sample count: found 3, wanted 1, 2, 4, 8 or 16"):
        sample_pattern(3)
    with pytest.raises(ResourceError, match="sample quality: found 0x5, wanted 0, 0xffffffff"):
        sample_pattern(4, 5)
    with pytest.raises(ResourceError, match="ForcedSampleCount: found 2, wanted 0, 1, 4, 8 or 16"):
        forced_pattern(2)
    assert forced_pattern(0) is None
    assert forced_pattern(16) == sample_pattern(16)
    assert [n for n in SAMPLE_COUNTS if is_required_count(n, 64)] == [1, 4, 8]
    assert [n for n in SAMPLE_COUNTS if is_required_count(n, 128)] == [1, 4]
