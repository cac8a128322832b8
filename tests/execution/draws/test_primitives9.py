"""Points with a size, sprites, FILLMODE POINT and WRAPn: against models of pixels, both engines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from both import compare
from draws9 import POSITION_AND_COLOR, WAYS, picture, prepared, program, target, vertices
from numpy.typing import NDArray

from softd3d.interp.draw.engine import draw_interpreted
from softd3d.isa.d3d9.enums import Cull, Wrap
from softd3d.lower.d3d9.state_file import put_clip_planes
from softd3d.pipeline.d3d9.pixel import PixelFacts, coordinate_sets, pixel_stage
from softd3d.pipeline.d3d9.primitives import PrimitiveFacts, point_numbers, primitive_stage
from softd3d.pipeline.d3d9.vertex import vertex_stage
from softd3d.pipeline.prepared import DrawCall, PreparedDraw

SIZE = 16
SIZED = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\nmov oPts, v1.x"
UNSIZED = (
    "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_position o0\ndcl_color o2\nmov o0, v0\nmov o2, v1"
)
WHITE = "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0"
COLORED = "ps_2_0\ndcl v0\nmov oC0, v0"
SETS = "ps_3_0\ndcl_texcoord3 v0\ndcl_texcoord v1\nmov r0, v0\nmov r0.z, v1.y\nmov oC0, r0"


def draw_of(
    vs: str, ps: str, data: NDArray[np.float32], facts: PrimitiveFacts, numbers: dict[str, Any],
    *, clip_planes: int = 0, planes: Any = None, is_flat: bool = False, topology: str = "",
) -> PreparedDraw:  # fmt: skip
    topology = topology or {1: "POINTLIST", 2: "LINELIST", 3: "TRIANGLELIST"}[facts.corners]
    draw = prepared(vs, WHITE, data, targets=(target("A32B32G32R32F", SIZE, SIZE),),
                    topology=topology)  # fmt: skip
    vertex = vertex_stage(program(vs), POSITION_AND_COLOR, clip_planes=clip_planes)
    if planes is not None:
        put_clip_planes(vertex.bound.constants[4], planes)
    buffer = point_numbers(SIZE, SIZE, **numbers).view(np.uint32)
    stage = primitive_stage(vertex, facts, buffer)
    pixel = pixel_stage(program(ps), stage.outputs, PixelFacts(is_flat=is_flat))
    return replace(draw, vertex=vertex.bound, geometry=stage.bound, pixel=pixel)


def drawn(draw: PreparedDraw, count: int) -> NDArray[np.float32]:
    call = DrawCall(count)
    compare(draw, call, WAYS[1:])
    draw_interpreted(draw, call)
    assert draw.targets[0] is not None
    return picture(draw.targets[0])


def at(points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return clip-space positions of pixels (x, y)."""
    clip = np.ones((len(points), 4))
    clip[:, 0] = points[:, 0] / (SIZE / 2) - 1
    clip[:, 1] = 1 - points[:, 1] / (SIZE / 2)
    clip[:, 2] = 0.5
    return clip.astype(np.float32)


def covered(points: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return how many points cover each pixel: centres from x - s / 2 up to, not at, x + s / 2."""
    rows, columns = np.mgrid[0:SIZE, 0:SIZE]
    found = np.zeros((SIZE, SIZE), int)
    for (x, y), s in zip(points, sizes, strict=True):
        if not (0 <= x <= SIZE and 0 <= y <= SIZE):
            continue
        across = (columns >= x - s / 2) & (columns < x + s / 2)
        found += across & (rows >= y - s / 2) & (rows < y + s / 2)
    return found


def test_random_points_cover_what_the_model_says() -> None:
    rng = np.random.default_rng(9)
    points = rng.integers(-32, 16 * SIZE + 32, (40, 2)) / 16
    points[:4] = (0, 0), (SIZE, SIZE), (SIZE, 3), (5, 5)
    sizes = rng.integers(0, 100, 40) / 16
    data = vertices(at(points), np.repeat(sizes[:, None], 4, 1))
    facts = PrimitiveFacts(1)
    for least, most in ((1.0, 64.0), (0.0, 2.5)):
        draw = draw_of(SIZED, WHITE, data, facts, {"least": least, "most": most})
        wanted = covered(points, np.clip(sizes, least, most)) > 0
        np.testing.assert_array_equal(drawn(draw, 40)[..., 0] > 0, wanted)


def test_the_state_is_the_size_of_points_without_one() -> None:
    points = np.array([(4.0, 4.0)])
    draw = draw_of(UNSIZED, WHITE, vertices(at(points), [(1, 1, 1, 1)]), PrimitiveFacts(1),
                   {"size": 3.0})  # fmt: skip
    np.testing.assert_array_equal(drawn(draw, 1)[..., 0], covered(points, np.array([3.0])))


def test_sprites_replace_all_coordinate_sets() -> None:
    points = np.array([(6.0, 9.0)])
    assert coordinate_sets(program(SETS)) == (0, 3)
    facts = PrimitiveFacts(1, sprites=coordinate_sets(program(SETS)))
    draw = draw_of(UNSIZED, SETS, vertices(at(points), [(9, 9, 9, 9)]), facts, {"size": 4.0})
    found = drawn(draw, 1)
    for i in range(4):
        for j in range(4):
            assert found[7 + j, 4 + i].tolist() == [i / 4, j / 4, j / 4, 1]


def test_a_point_is_drawn_wholly_if_its_centre_is_in_view() -> None:
    points = np.array([(-1.0, 4.0), (8.0, 8.0), (8.0, 4.0)])
    clip = at(points)
    clip[2, 2] = 1.5  # behind the far plane
    data = vertices(clip, [(1, 1, 1, 1)] * 3)
    whole = drawn(draw_of(UNSIZED, WHITE, data, PrimitiveFacts(1), {"size": 4.0}), 3)
    np.testing.assert_array_equal(whole[..., 0], covered(points[1:2], np.array([4.0])))
    cut = drawn(draw_of(UNSIZED, WHITE, data, PrimitiveFacts(1, is_cut=True), {"size": 4.0}), 3)
    wanted = covered(points[1:2], np.array([4.0]))
    wanted[2:6, 0:1] = 1  # columns -3 to 0 of the first point
    np.testing.assert_array_equal(cut[..., 0], wanted)


@pytest.mark.parametrize(("offset", "is_there"), [(0.25, True), (-0.25, False)])
def test_clip_planes_drop_points_by_their_centre(offset: float, is_there: bool) -> None:
    points = np.array([(8.0, 8.0)])  # the middle of clip space
    draw = draw_of(
        UNSIZED, WHITE, vertices(at(points), [(1, 1, 1, 1)]), PrimitiveFacts(1), {"size": 6.0},
        clip_planes=2, planes={1: (1, 0, 0, offset)},
    )  # fmt: skip
    assert drawn(draw, 1)[..., 0].sum() == (36 if is_there else 0)


TRIANGLE = np.array([(3.0, 3.0), (12.0, 3.0), (3.0, 12.0)])
"""Clockwise."""


@pytest.mark.parametrize(
    ("cull", "order", "is_there"),
    [
        (Cull.NONE, (0, 1, 2), True), (Cull.NONE, (0, 2, 1), True), (Cull.CW, (0, 1, 2), False),
        (Cull.CW, (0, 2, 1), True), (Cull.CCW, (0, 1, 2), True), (Cull.CCW, (0, 2, 1), False),
    ],
)  # fmt: skip
def test_triangles_as_points(cull: Cull, order: tuple[int, ...], is_there: bool) -> None:
    points = TRIANGLE[list(order)]
    clip = at(points) * np.array([[1.0], [2.0], [0.5]], np.float32)  # with w of their own
    colors = [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)]
    facts = PrimitiveFacts(3, cull=cull)
    draw = draw_of(UNSIZED, COLORED, vertices(clip, colors), facts, {"size": 2.0})
    found = drawn(draw, 3)
    wanted = np.zeros_like(found)
    for (x, y), color in zip(points.astype(int), colors, strict=True):
        wanted[y - 1 : y + 1, x - 1 : x + 1] = color
    np.testing.assert_array_equal(found, wanted if is_there else 0)


def test_points_of_flat_triangles_have_the_first_color() -> None:
    colors = [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)]
    facts = PrimitiveFacts(3, is_flat=True)
    data = vertices(at(TRIANGLE), colors)
    found = drawn(draw_of(UNSIZED, COLORED, data, facts, {"size": 2.0}, is_flat=True), 3)
    assert {tuple(texel) for texel in found.reshape(-1, 4)} == {(0, 0, 0, 0), (1, 0, 0, 1)}


# Wrapping

WRAPPED = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oT1, v1"
SHOWN = "ps_2_0\ndcl t1\nmov oC0, t1"


def test_coordinates_go_the_short_way_round() -> None:
    corners = np.array([(0.0, 0.0), (16.0, 0.0), (0.0, 16.0)])
    sets = [(0.9, 0.9, 0.9, 1), (0.1, 0.1, 2.9, 1), (0.9, 0.4, -1.1, 1)]
    facts = PrimitiveFacts(3, squares=False, wraps=((1, Wrap.COORD0 | Wrap.COORD2),))
    data = vertices(at(corners), sets)
    found = drawn(draw_of(WRAPPED, SHOWN, data, facts, {}), 3)
    # x goes from 0.9 to 1.1 along the columns, y, which does not wrap, from 0.9 down to 0.1; z is
    # the same in whole numbers everywhere.
    np.testing.assert_allclose(found[0, :, 0], 0.9 + 0.2 * np.arange(16) / 16, atol=1e-6)
    np.testing.assert_allclose(found[0, :, 1], 0.9 - 0.8 * np.arange(16) / 16, atol=1e-6)
    np.testing.assert_allclose(found[0:16, 0, 2], 0.9, atol=1e-6)


def test_half_a_turn_goes_forward() -> None:
    ends = np.array([(0.0, 4.0), (16.0, 4.0)])
    for first, second, last in ((0.25, 0.75, 0.75), (0.75, 0.25, 1.25), (0.0, 3.0, 0.0)):
        facts = PrimitiveFacts(2, squares=False, wraps=((1, Wrap.COORD0),))
        data = vertices(at(ends), [(first,) * 4, (second,) * 4])
        found = drawn(draw_of(WRAPPED, SHOWN, data, facts, {}), 2)[4]
        # A line's pixels have the numbers of its centres: from the first pixel on.
        wanted = first + (last - first) * np.arange(16) / 16
        np.testing.assert_allclose(found[:, 0], wanted, atol=1e-6)
        np.testing.assert_allclose(found[:, 1], first + (second - first) * np.arange(16) / 16,
                                   atol=1e-6)  # fmt: skip


def test_clip_distances_pass() -> None:
    corners = np.array([(0.0, 0.0), (32.0, 0.0), (0.0, 32.0)])
    facts = PrimitiveFacts(3, squares=False, wraps=((1, Wrap.COORD0),))
    draw = draw_of(WRAPPED, WHITE, vertices(at(corners), [(0, 0, 0, 1)] * 3), facts, {},
                   clip_planes=1, planes={0: (1, 0, 0, 0.5)})  # fmt: skip
    found = drawn(draw, 3)[..., 0]
    np.testing.assert_array_equal(found, np.mgrid[0:SIZE, 0:SIZE][1] >= 4)
