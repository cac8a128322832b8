"""Triangles: coverage against an exact model, meshes without cracks, blocks, facing, bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coverage_model import triangle_covers
from lane_values import corners_of, f64, i32, random_vertices

from softd3d.isa.sample_positions import SampleQuality
from softd3d.pipeline.rasterizer import triangle as rules
from softd3d.pipeline.rasterizer.blocks import (
    ALL_QUADS,
    IS_SMALL,
    SMALL,
    SmallCover,
    small_cover,
)
from softd3d.pipeline.rasterizer.samples import (
    SAMPLE_COUNTS,
    SamplePattern,
    sample_pattern,
)
from softd3d.pipeline.rasterizer.triangle import Triangle
from softd3d.pipeline.state.enums import CullMode

PATTERNS = [sample_pattern(n) for n in SAMPLE_COUNTS] + [
    sample_pattern(4, SampleQuality.CENTER_MULTISAMPLE_PATTERN)
]


def _set_up(vertices: Any) -> tuple[Triangle, Any]:
    corners = corners_of(vertices)
    area = rules.doubled_area(corners)
    return rules.set_up(corners, area), area.raw


def _covered(vertices: Any, x: Any, y: Any) -> Any:
    triangle, area = _set_up(vertices)
    return (area != 0) & rules.covers(triangle, f64(x), f64(y)).raw


def _probes(random: np.random.Generator, vertices: Any, count: int) -> tuple[Any, Any]:
    """Return points at vertices, on edges where they meet the grid, and around, (n, count) each."""
    ends = random.integers(0, 3, (2, vertices.shape[0], count))
    rows = np.arange(vertices.shape[0])[:, None]
    a, b = vertices[rows, ends[0]], vertices[rows, ends[1]]
    at = random.integers(0, 9, (vertices.shape[0], count, 1))
    points = a + (b - a) * at // 8 + random.integers(-2, 3, a.shape) * 8 * (at % 2)
    return points[..., 0], points[..., 1]


def test_a_hundred_thousand_random_triangles_cover_what_exact_integers_say() -> None:
    random = np.random.default_rng(1)
    vertices = random_vertices(random, 100_000, 3)[:, None]
    x, y = _probes(random, vertices[:, 0], 12)
    wanted = triangle_covers(vertices, x, y)
    found = _covered(vertices, x, y)
    assert 0.05 < wanted.mean() < 0.95
    np.testing.assert_array_equal(found, wanted)


def test_the_order_of_vertices_changes_no_coverage() -> None:
    random = np.random.default_rng(2)
    vertices = random_vertices(random, 5000, 3)[:, None]
    x, y = _probes(random, vertices[:, 0], 12)
    first = _covered(vertices, x, y)
    for order in ((1, 2, 0), (2, 0, 1), (0, 2, 1)):
        np.testing.assert_array_equal(_covered(vertices[..., order, :], x, y), first)


def _mesh(random: np.random.Generator, cells: int, size: int) -> Any:
    """Return the triangles of a jittered grid from 0 to cells * size, either diagonal."""
    grid = np.stack(np.mgrid[0 : cells + 1, 0 : cells + 1], axis=-1)[..., ::-1] * size
    jitter = random.integers(-size // 5, size // 5 + 1, grid.shape)
    # Half of the vertices lie on the samples' grid.
    jitter = jitter // 16 * 16 + jitter % 16 * random.integers(0, 2, (cells + 1, cells + 1, 1))
    jitter[0] = jitter[-1] = jitter[:, 0] = jitter[:, -1] = 0
    grid = grid + jitter
    found = []
    for row in range(cells):
        for column in range(cells):
            a, b = grid[row, column], grid[row, column + 1]
            c, d = grid[row + 1, column + 1], grid[row + 1, column]
            halves = ([a, b, c], [a, c, d]) if random.random() < 0.5 else ([a, b, d], [d, b, c])
            found += [h[::-1] if random.random() < 0.5 else h for h in halves]
    return np.array(found)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: f"{p.count}-{p.offsets[0]}")
def test_a_jittered_mesh_covers_every_sample_once(pattern: SamplePattern) -> None:
    random = np.random.default_rng(pattern.count)
    pixels = 12
    mesh = _mesh(random, 8, pixels * 256 // 8)
    y, x = np.mgrid[0:pixels, 0:pixels] * 256 + 128
    offsets = np.array(pattern.offsets)
    px = (x[..., None] + offsets[:, 0]).reshape(1, -1)
    py = (y[..., None] + offsets[:, 1]).reshape(1, -1)
    counts = _covered(mesh[:, None], px, py).sum(axis=0)
    assert (counts == 1).all()


def _bits(cover: SmallCover, sample: int, column: int, row: int) -> Any:
    """Return what a cover says of a sample of a pixel."""
    quad, pixel = 4 * (row // 2) + column // 2, 2 * (row % 2) + column % 2
    word = cover.samples[sample][quad // 8].raw
    return word >> np.uint32(4 * (quad % 8) + pixel) & 1


@pytest.mark.parametrize("pattern", PATTERNS[:3] + PATTERNS[-1:], ids=lambda p: f"{p.count}")
@pytest.mark.parametrize("scale", [200, 900, 1900, 4500, 1 << 22])
def test_small_triangles_know_what_they_cover(scale: int, pattern: SamplePattern) -> None:
    random, count = np.random.default_rng(scale), 4000
    middle = random.integers(-(1 << 14), 1 << 14, (count, 1, 2)) * 256
    vertices = middle // (1 if scale < 1 << 20 else 1 << 10)
    vertices = vertices + random.integers(-scale, scale + 1, (count, 3, 2))
    vertices[::5] = vertices[::5] // 128 * 128  # edges go through centres
    triangle, area = _set_up(vertices)
    corners = corners_of(vertices)
    limits = rules.bounds(corners, pattern.extent)
    sides = [limits.left.raw, limits.top.raw, limits.right.raw, limits.bottom.raw]
    low, high = random.integers(-1, 3, (2, 2, count))
    box = rules.Bounds(*(i32(n) for n in (
        sides[0] + low[0], sides[1] + low[1], sides[0] + low[0] + high[0], sides[3] - high[1],
    )))  # fmt: skip
    for bounds in (limits, rules.intersected(limits, box)):
        cover = small_cover(corners, limits, bounds, pattern.offsets)
        found = cover.quads.raw
        left, top = bounds.left.raw & -2, bounds.top.raw & -2
        is_small = (found & IS_SMALL) != 0
        fits = (bounds.right.raw - left <= SMALL) & (bounds.bottom.raw - top <= SMALL)
        assert not (is_small & ~fits).any()
        own = (sides[2] - sides[0] <= SMALL) & (sides[3] - sides[1] <= SMALL)
        assert is_small[fits & own].all()
        some = is_small & (area != 0) & (bounds.right.raw > bounds.left.raw)
        some &= bounds.bottom.raw > bounds.top.raw
        quads = np.zeros(count, np.uint32)
        for row, column in np.ndindex(SMALL, SMALL):
            x, y = left + column, top + row
            inside = (x >= bounds.left.raw) & (x < bounds.right.raw)
            inside &= (y >= bounds.top.raw) & (y < bounds.bottom.raw)
            for sample, (dx, dy) in enumerate(pattern.offsets):
                at = f64(x * 256.0 + 128 + dx), f64(y * 256.0 + 128 + dy)
                wanted = (inside & rules.covers(triangle, *at).raw).astype(np.uint32)
                bits = _bits(cover, sample, column, row)
                np.testing.assert_array_equal(bits[some], wanted[some])
                assert not bits[~is_small].any()
                quads |= wanted << np.uint32(4 * (row // 2) + column // 2)
        assert (found[~is_small] == 0).all()
        np.testing.assert_array_equal(found[some] & ALL_QUADS, quads[some])
        assert some.any() == (scale < 1 << 20)


def test_the_bits_of_a_small_triangle_by_hand() -> None:
    """Centres of the lower left half of 4 x 4 pixels; those on the slope are on a right edge."""
    vertices = np.array([[[0, 0], [1024, 1024], [0, 1024]]])
    corners = corners_of(vertices)
    limits = rules.bounds(corners, sample_pattern(1).extent)
    whole = small_cover(corners, limits, limits, [(0, 0)])
    assert whole.quads.raw.tolist() == [IS_SMALL | 0b0011_0001]  # not the upper right quad
    assert [n.raw.tolist() for n in whole.samples[0]] == [[0x4F0004], [0]]
    cut = rules.Bounds(i32([1]), i32([2]), i32([2]), i32([4]))  # the column 1 from row 2 on
    some = small_cover(corners, limits, cut, [(0, 0)])
    assert some.quads.raw.tolist() == [IS_SMALL | 0b0001]
    assert [n.raw.tolist() for n in some.samples[0]] == [[0b1010], [0]]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: f"{p.count}-{p.offsets[0]}")
def test_no_sample_outside_of_the_bounds_is_covered_and_they_are_tight(
    pattern: SamplePattern,
) -> None:
    random = np.random.default_rng(5)
    vertices = random.integers(-600, 600, (3000, 3, 2))
    box = rules.bounds(corners_of(vertices), pattern.extent)
    edges = [n.raw for n in (box.left, box.top, box.right, box.bottom)]
    offsets = np.array(pattern.offsets)
    pixels = np.arange(-5, 6)
    seen = pixels[:, None] * 256 + 128 + offsets[None, :, 0]
    low, high = vertices[..., 0].min(axis=1), vertices[..., 0].max(axis=1)
    within = (seen >= low[:, None, None]) & (seen < high[:, None, None])
    within = within.any(axis=2)
    first = np.where(within.any(axis=1), pixels[within.argmax(axis=1)], 99)
    last = np.where(within.any(axis=1), pixels[10 - within[:, ::-1].argmax(axis=1)], -99)
    has = within.any(axis=1)
    assert (edges[0][has] == first[has]).all()
    assert (edges[2][has] == last[has] + 1).all()
    if pattern.count == 1:
        assert (edges[0][~has] >= edges[2][~has]).all()


def test_whole_pixels_are_bounded_by_floor_and_ceiling() -> None:
    vertices = np.array([[[0, 1], [256, 257], [-1, 512]]])
    box = rules.bounds(corners_of(vertices), rules.WHOLE_PIXEL)
    assert [int(n.raw[0]) for n in (box.left, box.top, box.right, box.bottom)] == [-1, 0, 1, 2]
    cut = rules.intersected(box, rules.Bounds(i32([0]), i32([0]), i32([8]), i32([1])))
    assert [int(n.raw[0]) for n in (cut.left, cut.top, cut.right, cut.bottom)] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("counter_clockwise", "mode", "kept"),
    [  # of triangles that are clockwise, counter-clockwise, without area
        (False, CullMode.NONE, [1, 1, 1]),
        (False, CullMode.FRONT, [0, 1, 1]),
        (False, CullMode.BACK, [1, 0, 0]),
        (True, CullMode.NONE, [1, 1, 1]),
        (True, CullMode.FRONT, [1, 0, 1]),
        (True, CullMode.BACK, [0, 1, 0]),
    ],
)
def test_a_triangle_without_area_faces_the_back_in_either_setting(
    counter_clockwise: bool, mode: CullMode, kept: list[int]
) -> None:
    clockwise = [[0, 0], [256, 0], [0, 256]]
    vertices = np.array([clockwise, clockwise[::-1], [[0, 0], [256, 256], [512, 512]]])
    area = rules.doubled_area(corners_of(vertices))
    front = rules.is_front_facing(area, front_counter_clockwise=counter_clockwise)
    culled = np.broadcast_to(rules.is_culled(front, mode).raw, 3)
    assert [int(not c) for c in culled] == kept
    assert area.raw.tolist() == [65536.0, -65536.0, 0.0]


def test_values_of_edges_are_exact_at_the_ends_of_the_grid() -> None:
    low, high = -(1 << 23), (1 << 23) - 1
    vertices = np.array([[[low, low], [high, low], [high, high]]])
    triangle, area = _set_up(vertices)
    for n, edge in enumerate(triangle.edges):
        a, b = vertices[0, (n + 1) % 3].tolist(), vertices[0, (n + 2) % 3].tolist()
        for x, y in ([0, 0], [low, high], [high, low], [12345, -54321]):
            wanted = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
            assert int(rules.edge_value(edge, f64([x]), f64([y])).raw[0]) == wanted
    assert int(area[0]) == ((1 << 24) - 1) ** 2
