"""Cull and clip distances, the guard band, and clipping against a model in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from lane_values import f32, f64

from softd3d.pipeline.rasterizer import clip as rules
from softd3d.pipeline.rasterizer.clip_polygon import (
    ClippedVertex,
    GuardBand,
    clip_line,
    clip_triangle,
    clipped_attribute,
    guard_band,
    screen_weights,
)
from softd3d.pipeline.rasterizer.snap import snap
from softd3d.pipeline.rasterizer.triangle import Corner, doubled_area
from softd3d.pipeline.rasterizer.viewport import (
    ClipPosition,
    ScreenPosition,
    ViewportTransform,
    project,
)

NAN, INF = np.nan, np.inf


def _component(*vertices: float) -> Any:
    return [[f32([v]) for v in vertices]]


@pytest.mark.parametrize("depth_clip", [True, False])
@pytest.mark.parametrize("corners", [2, 3])
def test_what_is_out_of_sight_leaves_nothing_to_see(corners: int, *, depth_clip: bool) -> None:
    random, count = np.random.default_rng(corners), 20000
    transform = ViewportTransform(*(f32([n] * count) for n in (0, 0, 1920, 1080, 0, 1)))
    band = guard_band(transform)
    scale = np.float32(10.0) ** random.integers(-9, 3, (count, 1))
    place = random.choice(np.float32([-3, -1, -1e-7, 0, 1e-7, 0.5, 1, 3, 40]), (4, count, corners))
    place += (
        random.normal(0, 0.1, place.shape).astype(np.float32)
        * random.integers(0, 2, count)[:, None]
    )
    place[0] += random.choice(np.float32([0, 40, -40]), (count, 1))
    x, y, z, w = (n * scale for n in place)
    clips = [ClipPosition(*(f32(n[:, c]) for n in (x, y, z, w))) for c in range(corners)]
    both = [(c, project(c, transform)) for c in clips]
    out = rules.is_out_of_sight(both, depth_clip=depth_clip).raw
    needs = rules.needs_clipping(both).raw
    if corners == 3:
        polygon = clip_triangle((clips[0], clips[1], clips[2]), band, depth_clip=depth_clip)
        left, is_empty = [v.position for v in polygon.vertices], polygon.is_empty.raw
    else:
        line = clip_line(clips[0], clips[1], band, depth_clip=depth_clip)
        left, is_empty = [line.start.position, line.end.position], line.is_empty.raw
    places = [project(p, transform) for p in left]
    ends = [np.stack([np.nan_to_num(p.x.raw) for p in places]),
            np.stack([np.nan_to_num(p.y.raw) for p in places])]  # fmt: skip
    unseen = np.zeros(count, bool)
    for n in ends:  # beyond any target, which has 16384 pixels a side at most
        unseen |= (n.max(axis=0) < -1000) | (n.min(axis=0) > 17000)
    assert (is_empty | unseen)[out & needs].all()
    assert np.count_nonzero(out & needs) > count // 20
    if depth_clip:
        assert not (out & ~needs & ~rules.is_outside_depth([s for _, s in both]).raw).any()


@pytest.mark.parametrize(
    ("vertices", "culled", "dropped", "tested"),
    [
        ((1, 1, 1), False, False, False),
        ((-1, 1, 1), False, False, True),
        ((-1, -1, 0.0), False, False, True),
        ((-1, -1, -0.0), False, False, True),
        ((-1, -1, -1), True, True, True),
        ((NAN, 1, 1), False, True, False),
        ((NAN, -1, NAN), True, True, True),
        ((-INF, INF, 0), False, False, True),
        ((-1,), True, True, True),
    ],
)
def test_distances_drop_primitives_and_ask_for_tests(
    vertices: tuple[float, ...], culled: bool, dropped: bool, tested: bool
) -> None:
    component = _component(*vertices)
    assert rules.is_culled_by_distances(component).raw.tolist() == [culled]
    assert rules.is_dropped_by_clip_distances(component).raw.tolist() == [dropped]
    assert rules.needs_distance_test(component[0]).raw.tolist() == [tested]


def test_one_component_of_several_is_enough_to_cull() -> None:
    components = _component(-1, 1, 1) + _component(-1, -2, -3)
    assert rules.is_culled_by_distances(components).raw.tolist() == [True]
    assert rules.is_culled_by_distances(components[:1]).raw.tolist() == [False]


def test_a_sample_is_kept_where_the_interpolated_distance_is_not_negative() -> None:
    weights = [f64([0.5, 0.5, 0.5]), f64([0.25, 0.5, 0.75])]
    distances = [f32([1, 1, 1]), f32([-2, -1, -1])]
    assert rules.distance_passes(weights, distances).raw.tolist() == [True, True, False]
    assert rules.distance_passes((), [f32([1, -0.0, -1])]).raw.tolist() == [True, True, False]
    infinite = [f32([INF, -INF, INF])] * 2
    assert rules.distance_passes(weights, infinite).raw.tolist() == [True, False, True]


def test_depth_is_tested_only_where_a_vertex_is_outside() -> None:
    def of(*depths: float) -> list[ScreenPosition]:
        return [ScreenPosition(*[f32([0])] * 3, f32([z]), f64([1])) for z in depths]

    assert rules.needs_depth_test(of(0, 1, 0.5)).raw.tolist() == [False]
    for outside in (-1e-30, 1.0000001, NAN, INF):
        assert rules.needs_depth_test(of(0, 1, outside)).raw.tolist() == [True]
    assert rules.is_outside_depth(of(-1, -2, -1e-30)).raw.tolist() == [True]
    assert rules.is_outside_depth(of(2, 1.5, INF)).raw.tolist() == [True]
    assert rules.is_outside_depth(of(2, -1, 2)).raw.tolist() == [False]
    assert rules.is_outside_depth(of(1, 2, 2)).raw.tolist() == [False]
    depths = f64([-1e-300, 0, -0.0, 1, np.nextafter(1, 2), NAN])
    assert rules.depth_passes(depths).raw.tolist() == [False, True, True, True, False, False]
    held = rules.within_ends(f64([-0.25, 0, 0.5, 1, 1.25, NAN]))
    assert held.raw.tolist() == [0, 0, 0.5, 1, 1, 0]


VIEWPORT = ViewportTransform(*(f32(n) for n in (0.0, 0.0, 64.0, 32.0, 0.0, 1.0)))


def _positions(xyzw: Any) -> tuple[ClipPosition, ...]:
    """Return positions from an array, (lanes, vertices, 4)."""
    array = np.asarray(xyzw, np.float32)
    return tuple(
        ClipPosition(*(f32(array[:, n, m].copy()) for m in range(4))) for n in range(array.shape[1])
    )


@pytest.mark.parametrize(
    ("vertex", "clipped", "nan", "finite"),
    [
        ((0, 0, 0, 1), False, False, True),
        ((1000, 0, 0, 1), False, False, True),
        ((1022.96875, -2046.9375, 0, 1), False, False, True),  # 32767 pixels, both
        ((1022.9688, 0, 0, 1), True, False, True),
        ((-2000, 0, 0, 1), True, False, True),
        ((0, 3000, 0, 1), True, False, True),
        ((0, 0, 0, 0), True, True, True),
        ((0, 0, 0, -1), True, False, True),
        ((1, 1, 1, 1e-40), True, False, True),
        ((NAN, 0, 0, 1), True, True, False),
        ((0, 0, NAN, 1), False, True, False),
        ((0, 0, 0, NAN), True, True, False),
        ((INF, 0, 0, 1), True, False, False),
        ((0, 0, INF, 1), False, False, False),
        ((5, 5, 0, INF), False, False, False),
    ],
)
def test_a_vertex_decides_whether_its_triangle_is_clipped_or_dropped(
    vertex: tuple[float, ...], clipped: bool, nan: bool, finite: bool
) -> None:
    positions = _positions([[(0, 0, 0, 1), vertex, (1, 1, 1, 1)]])
    screen = [project(p, VIEWPORT) for p in positions]
    found = rules.needs_clipping(list(zip(positions, screen, strict=True)))
    assert found.raw.tolist() == [clipped]
    assert rules.has_nan(screen).raw.tolist() == [nan]
    assert rules.is_finite(positions).raw.tolist() == [finite]


def test_the_guard_band_is_32767_pixels_from_the_origin_of_the_target() -> None:
    viewport = ViewportTransform(*(f32([n]) for n in (10.0, 20.0, 64.0, 32.0, 0.0, 1.0)))
    band = guard_band(viewport)
    for x, y, wanted in ((band.left, band.top, -32767), (band.right, band.bottom, 32767)):
        position = ClipPosition(f32(x.raw), f32(y.raw), f32([0]), f32([1]))
        screen = project(position, viewport)
        assert screen.x.raw[0] == pytest.approx(wanted, abs=0.01)
        assert screen.y.raw[0] == pytest.approx(wanted, abs=0.01)


# The model: lists of vertices that carry fractions.
Vertex = list[Fraction]


def _model_planes(vertices: list[Vertex], band: GuardBand, depth: bool) -> list[Callable[..., Any]]:
    least = max(abs(v[3]) for v in vertices) / (1 << 24)
    left, right, top, bottom = (
        Fraction(float(n.raw)) for n in (band.left, band.right, band.top, band.bottom)
    )
    depths: list[Callable[..., Any]] = [lambda v: v[2], lambda v: v[3] - v[2]]
    return [
        lambda v: v[3] - least, *(depths if depth else []),
        lambda v: v[0] - left * v[3], lambda v: right * v[3] - v[0],
        lambda v: top * v[3] - v[1], lambda v: v[1] - bottom * v[3],
    ]  # fmt: skip


def _model(triangle: Any, band: GuardBand, depth: bool) -> list[Vertex]:
    corners = [[Fraction(float(n)) for n in v] for v in triangle]
    planes = _model_planes(corners, band, depth)
    polygon = [v + [Fraction(int(m == n)) for m in (1, 2)] for n, v in enumerate(corners)]
    for plane in planes:
        found: list[Vertex] = []
        for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            da, db = plane(a), plane(b)
            if da >= 0:
                found.append(a)
            if (da >= 0) != (db >= 0):
                t = da / (da - db)
                found.append([m + t * (n - m) for m, n in zip(a, b, strict=True)])
        polygon = found
    return polygon


def _triangles(seed: int, count: int) -> Any:
    """Return positions: many behind the eye, far outside, or beyond the depth range."""
    random = np.random.default_rng(seed)
    found = random.normal(0, 1, (count, 3, 4))
    found[..., :2] *= random.choice([1, 100, 5000], (count, 3, 1))
    found[: count // 3, :, 3] = np.abs(found[: count // 3, :, 3])
    found[count // 3 : count // 2, :, 2] = 0.25 * np.abs(found[count // 3 : count // 2, :, 3])
    return found.astype(np.float32)


def _numbers(vertex: ClippedVertex) -> Any:
    p = vertex.position
    numbers = np.broadcast_arrays(*(n.raw for n in (p.x, p.y, p.z, p.w, *vertex.weights)))
    return np.stack(numbers, axis=-1).astype(float)


def _without_repeats(points: list[list[float]]) -> list[list[float]]:
    kept = [p for n, p in enumerate(points) if p != points[n - 1]]
    return kept or points[:1]


def _rotated(points: list[list[float]], like: list[float]) -> list[list[float]]:
    distances = [sum(abs(a - b) for a, b in zip(p[4:], like[4:], strict=True)) for p in points]
    n = distances.index(min(distances))
    return points[n:] + points[:n]


@pytest.mark.parametrize("depth", [True, False])
def test_clipped_triangles_are_those_of_the_model_in_fractions(depth: bool) -> None:
    triangles = _triangles(1, 600)
    band = guard_band(VIEWPORT)
    a, b, c = _positions(triangles)
    found = clip_triangle((a, b, c), band, depth_clip=depth)
    assert len(found.vertices) == (10 if depth else 8)
    vertices = np.stack([_numbers(v) for v in found.vertices], axis=1)
    clipped = 0
    for n, triangle in enumerate(triangles):
        wanted = [[float(m) for m in v] for v in _model(triangle, band, depth)]
        assert bool(found.is_empty.raw[n]) == (not wanted)
        if not wanted:
            continue
        polygon = _rotated(_without_repeats(vertices[n].tolist()), wanted[0])
        assert len(polygon) == len(wanted)
        clipped += len(wanted) > 3
        np.testing.assert_allclose(polygon, wanted, rtol=2e-7, atol=2e-7 * np.abs(triangle).max())
    assert clipped > 50


def test_a_triangle_inside_keeps_its_vertices_and_their_order() -> None:
    triangle = [[(0, 0, 0, 1), (1, 0, 0.5, 2), (0, -1, 1, 1)]]
    a, b, c = _positions(triangle)
    found = clip_triangle((a, b, c), guard_band(VIEWPORT), depth_clip=True)
    points = [_numbers(v)[0].tolist() for v in found.vertices]
    assert [p[:4] for p in points[:3]] == [list(map(float, v)) for v in triangle[0]]
    assert all(p == points[2] for p in points[3:])
    assert [p[4:] for p in points[:3]] == [[0, 0], [1, 0], [0, 1]]
    assert len(found.triangles) == 8


def test_edges_as_lines_and_as_those_of_triangles_get_the_same_vertices() -> None:
    triangles = _triangles(2, 400)
    # One w for both, because the first plane depends on the greatest.
    triangles[:, 2, 3] = np.abs(triangles[:, :2, 3]).max(axis=1) * 0.5
    band = guard_band(VIEWPORT)
    a, b, c = _positions(triangles)
    corners = {tuple(p) for v in clip_triangle((a, b, c), band, depth_clip=True).vertices
               for p in _numbers(v)[:, :4].tolist()}  # fmt: skip
    for start, end in ((a, b), (b, a)):
        line = clip_line(start, end, band, depth_clip=True)
        kept = ~line.is_empty.raw
        assert 20 < kept.sum() < 390
        for vertex in (line.start, line.end):
            points = _numbers(vertex)[kept, :4].tolist()
            assert sum(tuple(p) in corners for p in points) == len(points)


def test_clipped_parts_face_as_the_whole_does() -> None:
    triangles = _triangles(3, 500)
    band = guard_band(VIEWPORT)
    a, b, c = _positions(triangles)
    found = clip_triangle((a, b, c), band, depth_clip=True)
    signs = []
    for part in found.triangles:
        screen = [project(v.position, VIEWPORT) for v in part]
        p, q, r = (Corner(snap(s.x), snap(s.y)) for s in screen)
        signs.append(np.where(found.is_empty.raw, 0, np.sign(doubled_area((p, q, r)).raw)))
    x, y, w = (triangles[..., n].astype(float) for n in (0, 1, 3))
    whole = (
        x[:, 0] * (y[:, 1] * w[:, 2] - y[:, 2] * w[:, 1])
        - y[:, 0] * (x[:, 1] * w[:, 2] - x[:, 2] * w[:, 1])
        + w[:, 0] * (x[:, 1] * y[:, 2] - x[:, 2] * y[:, 1])
    )
    drawn = np.stack(signs)
    agree = (drawn == 0) | (drawn == -np.sign(whole))
    # Slivers at the far ends of the guard band may turn over when they are snapped.
    assert agree.mean() > 0.99


def test_attributes_of_new_vertices_come_from_the_original_ones() -> None:
    weights = f64([0, 1, 0, 0.25, 0.25]), f64([0, 0, 1, 0.5, 0.5])
    values = [f32([1e30, 1e30, 1e30, 1, INF]), f32([2, 1, 2, 3, INF]), f32([3, 3, 1.5, 5, INF])]
    found = clipped_attribute(weights, values).raw.tolist()
    assert found == [np.float32(1e30), 1.0, 1.5, 1 + 0.25 * 2 + 0.5 * 4, INF]
    line = clipped_attribute((f64([0, 1, 0.25]), f64([0, 0, 0])), [f32(2.0), f32(4.0)])
    assert line.raw.tolist() == [2.0, 4.0, 2.5]


def test_on_the_screen_weights_count_by_w() -> None:
    first, second = screen_weights(
        (f64([0.5, 0.25, 1]), f64([0, 0.25, 0])), (f32(1.0), f32(3.0), f32(4.0))
    )
    assert first.raw.tolist() == [0.75, 0.75 / 2.25, 1.0]
    assert second.raw.tolist() == [0.0, 1 / 2.25, 0.0]


def test_a_new_vertex_behind_the_eye_has_a_finite_value_that_is_linear_on_the_screen() -> None:
    """An attribute that is x on the screen is still x on the screen at new vertices."""
    triangle = np.array([[(0, 0, 0, 1), (3, 1, 0, 2), (1, 0.5, 0, -1)]], np.float32)
    a, b, c = _positions(triangle)
    found = clip_triangle((a, b, c), guard_band(VIEWPORT), depth_clip=False)
    values = [f32(triangle[:, n, 0] / triangle[:, n, 3]) for n in range(3)]
    for vertex in found.vertices:
        weights = screen_weights(vertex.weights, (a.w, b.w, c.w))
        x = vertex.position.x.raw / vertex.position.w.raw
        np.testing.assert_allclose(clipped_attribute(weights, values).raw, x, rtol=1e-6)
