"""Snapping, viewports, sample patterns."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from lane_values import f32, f64, u32

from softd3d.errors import ResourceError
from softd3d.isa.sample_positions import SampleQuality
from softd3d.pipeline.rasterizer.samples import (
    SAMPLE_COUNTS,
    is_required_count,
    rasterizer_pattern,
    sample_pattern,
)
from softd3d.pipeline.rasterizer.snap import MAXIMUM, MINIMUM, snap
from softd3d.pipeline.rasterizer.viewport import (
    ClipPosition,
    ViewportTransform,
    project,
    viewport_index,
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


def test_a_viewport_index_beyond_15_is_0() -> None:
    assert viewport_index(u32([0, 15, 16, 0xFFFFFFFF])).raw.tolist() == [0, 15, 0, 0]


@pytest.mark.parametrize("count", SAMPLE_COUNTS)
def test_offsets_of_samples_are_looked_up_by_index(count: int) -> None:
    for pattern in (
        sample_pattern(count),
        sample_pattern(count, SampleQuality.CENTER_MULTISAMPLE_PATTERN),
    ):
        index = u32([*range(count), count, 32, 0xFFFFFFFF])
        x, y = (np.broadcast_to(n.raw, count + 3) for n in pattern.offset(index))
        wanted = [*pattern.offsets, (0, 0), (0, 0), (0, 0)]
        assert list(zip(x.tolist(), y.tolist(), strict=True)) == wanted
        assert pattern.full_mask == (1 << count) - 1


def test_standard_patterns_have_one_sample_in_each_column_and_row_from_8_samples_on() -> None:
    for count in (8, 16):
        offsets = np.array(
            sample_pattern(count, SampleQuality.STANDARD_MULTISAMPLE_PATTERN).offsets
        )
        for axis in (0, 1):
            assert len(set(offsets[:, axis].tolist())) == count
    assert sample_pattern(16).extent == (-128, -128, 112, 112)
    assert set(sample_pattern(4, SampleQuality.CENTER_MULTISAMPLE_PATTERN).offsets) == {(0, 0)}


def test_counts_that_no_target_has_are_refused() -> None:
    with pytest.raises(ResourceError, match="sample count: found 3, wanted 1, 2, 4, 8 or 16"):
        sample_pattern(3)


def test_a_forced_sample_count_takes_the_place_of_the_targets() -> None:
    target = sample_pattern(4)
    assert rasterizer_pattern(target, 0) is target
    assert rasterizer_pattern(target, 16) == sample_pattern(16)


def test_every_device_has_targets_of_4_samples_and_of_8_but_for_128_bits() -> None:
    assert [n for n in SAMPLE_COUNTS if is_required_count(n, 64)] == [1, 4, 8]
    assert [n for n in SAMPLE_COUNTS if is_required_count(n, 128)] == [1, 4]
