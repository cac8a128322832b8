"""Forced sample counts, draws without targets, antialiased lines: values worked by hand.

The left half of a pixel holds the samples of negative x, the right half the others: the edge
between them is a left one of the right half, to which a sample on it belongs.
"""

from __future__ import annotations

from typing import Any

import draw_shaders as scene
import numpy as np
import pytest
from draw_shaders import POSITION, VERTEX, arguments, pixel_shader, shader

import softd3d

F4 = np.float32
LEFT = {1: 0, 4: 0b0101, 8: 0b0011_1010, 16: 0b1001_1101_0001_0110}
"""By count: samples left of the centre in the standard patterns. Of 16, sample 9 is on the line."""
COLOR = "COLOR 0 xyzw 1 float"


@pytest.fixture(autouse=True, params=["interpreter", "jit"])
def engine(request, monkeypatch) -> str:
    monkeypatch.setattr(scene, "ENGINE", request.param)
    return request.param


def forced(count: int, **changes: Any) -> softd3d.RasterizerState:
    return softd3d.RasterizerState(cull_mode="NONE", forced_sample_count=count, **changes)


def half(side: str, width: int = 1) -> np.ndarray:
    """A triangle over the left or right half of a target that is some pixels wide."""
    x = -9.0 if side == "left" else 9.0
    found = np.zeros(3, VERTEX)
    found["POSITION"] = (0, 99, 0.5, 1), (0, -99, 0.5, 1), (x * width, 0, 0.5, 1)
    found["COLOR"] = (0.25, 0.5, 1, 1)
    return found


COVERAGE = shader(
    (POSITION,), ("SV_Target 0 xyzw 0 float",),
    "ps_5_0\ndcl_input vCoverage\ndcl_output o0.xyzw\nutof o0.xyzw, vCoverage.xxxx\nret\n",
)  # fmt: skip
TO_MEMORY = shader(
    (POSITION,), (),
    "ps_5_0\ndcl_uav_raw u0\ndcl_input_ps_siv linear noperspective v0.xy, position\n"
    "dcl_input vCoverage\ndcl_temps 1\nftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(4), r0.x\n"
    "ishl r0.x, r0.x, l(2)\nstore_raw u0.x, r0.x, vCoverage.x\nret\n",
)  # fmt: skip


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("count", LEFT)
def test_forced_samples_are_those_of_the_standard_pattern(count: int, side: str):
    image = np.zeros((1, 1, 4), F4)
    full = (1 << count) - 1
    wanted = LEFT[count] if side == "left" else full ^ LEFT[count]
    result = softd3d.draw(3, **arguments(
        ps=COVERAGE, vertex_buffers=[half(side)], render_targets=[image], rasterizer=forced(count)
    ))  # fmt: skip
    assert image[0, 0].tolist() == [wanted] * 4
    assert result.samples_passed == wanted.bit_count()
    assert result.statistics.ps_invocations == (1 if wanted else 0)


@pytest.mark.parametrize("mask", [0, 1, 2, 0xFFFFFFFE])
def test_the_sample_mask_is_about_the_targets_samples(mask: int):
    """Bit 0 decides whether the pixel is shaded at all; SV_Coverage and the count stay whole."""
    image = np.zeros((1, 1, 4), F4)
    result = softd3d.draw(3, **arguments(
        ps=COVERAGE, vertex_buffers=[half("left")], render_targets=[image], rasterizer=forced(4),
        sample_mask=mask,
    ))  # fmt: skip
    assert image[0, 0, 0] == (5 if mask & 1 else 0)
    assert result.samples_passed == (2 if mask & 1 else 0)


def test_one_forced_sample_writes_every_sample_of_the_mask():
    image = np.zeros((1, 1, 4, 4), F4)
    target = softd3d.Texture2DMS(image, "R32G32B32A32_FLOAT")
    result = softd3d.draw(3, **arguments(
        ps=COVERAGE, vertex_buffers=[half("right")], render_targets=[target], rasterizer=forced(1),
        sample_mask=0b1011,
    ))  # fmt: skip
    assert image[0, 0, :, 0].tolist() == [1, 1, 0, 1]
    assert result.samples_passed == 1


def test_centroid_is_the_first_covered_forced_sample_and_ignores_the_mask():
    """Of the right half's samples of 4 the first is number 1, at (6, -2) / 16 from the centre."""
    ps = shader(
        (POSITION,), ("SV_Target 0 xyzw 0 float",),
        "ps_5_0\ndcl_input_ps_siv linear noperspective centroid v0.xy, position\n"
        "dcl_output o0.xyzw\nmov o0.xyzw, v0.xyxy\nret\n",
    )  # fmt: skip
    image = np.zeros((1, 1, 4), F4)
    softd3d.draw(3, **arguments(
        ps=ps, vertex_buffers=[half("right")], render_targets=[image], rasterizer=forced(4),
        sample_mask=0b0101,
    ))  # fmt: skip
    assert image[0, 0].tolist() == [0.875, 0.375, 0.875, 0.375]


def test_forced_samples_blend_once():
    add = softd3d.BlendState(
        render_target=softd3d.RenderTargetBlendDesc(True, src_blend="ONE", dest_blend="ONE")
    )
    image = np.zeros((1, 1, 4), F4)
    job = softd3d.Draw(**arguments(
        ps=pixel_shader(), vertex_buffers=[half("left")], render_targets=[image],
        rasterizer=forced(8), blend=add,
    ))  # fmt: skip
    job(3)
    job(3)
    assert image[0, 0].tolist() == [0.5, 1, 2, 1]  # alpha is not added


@pytest.mark.parametrize("count", [0, *LEFT])
def test_without_targets_viewports_give_the_size_and_the_state_the_samples(count: int):
    """A viewport of 2.75 x 1.5 pixels: 2 x 1 are drawn, whatever the mask; its middle is 1.375.

    So of pixel 1 samples are covered that lie more than 2 / 16 left of its centre.
    """
    memory = np.full(16, 99, np.uint32)
    result = softd3d.draw(3, **arguments(
        ps=TO_MEMORY, uavs={0: softd3d.RawBuffer(memory)}, vertex_buffers=[half("left", 9)],
        render_targets=None, rasterizer=forced(count), sample_mask=0,
        viewports=[softd3d.Viewport(0, 0, 2.75, 1.5)],
    ))  # fmt: skip
    full = (1 << max(count, 1)) - 1
    part = {0: 0, 1: 0, 4: 0b0100, 8: 0b0011_1000, 16: 0b1001_1100_0001_0100}[count]
    assert memory.tolist() == [full, part or 99] + [99] * 14
    assert result.samples_passed == full.bit_count() + part.bit_count()


def line(*ends: tuple[float, float], size: int = 8) -> np.ndarray:
    """A line between points in pixels."""
    found = np.zeros(len(ends), VERTEX)
    for n, (x, y) in enumerate(ends):
        found["POSITION"][n] = 2 * x / size - 1, 1 - 2 * y / size, 0.5, 1
    found["COLOR"] = (1, 0.5, 0.25, 0.5)
    return found


def antialiased(vertices: np.ndarray, **changes: Any) -> np.ndarray:
    image = np.zeros((8, 8, 4), F4)
    state = softd3d.RasterizerState(antialiased_line_enable=True)
    softd3d.draw(len(vertices), **arguments(
        ps=pixel_shader(), vertex_buffers=[vertices], render_targets=[image], topology="LINELIST",
        rasterizer=state, **changes,
    ))  # fmt: skip
    return image


def test_a_level_line_has_the_area_of_its_rectangle_in_alpha():
    """From x = 1.5 to 4.75 and from y = 2 to 3: half of pixel 1, three quarters of pixel 4."""
    image = antialiased(line((1.5, 2.5), (4.75, 2.5)))
    assert image[2, :, 3].tolist() == [0, 0.25, 0.5, 0.5, 0.375, 0, 0, 0]
    assert image[2, 1:5, :3].tolist() == [[1, 0.5, 0.25]] * 4
    assert not image[[0, 1, 3, 4, 5, 6, 7]].any()


def test_a_line_between_two_rows_is_half_in_each():
    image = antialiased(line((2, 3), (2, 6)))[..., 3]
    assert image[3:6, 1:3].tolist() == [[0.25, 0.25]] * 3
    assert np.count_nonzero(image) == 6


def test_a_diagonal_line_covers_a_quarter_of_the_pixels_beside_it():
    """Its corners lie sqrt(1 / 8) aside in x and y, on the grid 91 / 256; colours have alpha 1/2.

    So the strip is |x - y| <= 182 / 256.
    """
    image = antialiased(line((-4, -4), (12, 12)))[..., 3]
    wide = 182 / 256
    on, beside = (1 - (1 - wide) ** 2) / 2, wide**2 / 4
    for n in range(1, 7):
        np.testing.assert_allclose(image[n, n - 1 : n + 2], [beside, on, beside], rtol=1e-6)
    assert np.count_nonzero(image) == 8 + 2 * 7


def test_blended_antialiased_lines_cover_by_their_area_and_count_as_samples():
    """Over white: 1 - area / 2 * (1 - colour); a line without length is nothing."""
    over = softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(
        True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA",
    ))  # fmt: skip
    image = np.ones((8, 8, 4), F4)
    vertices = np.concatenate([line((1.5, 2.5), (4.75, 2.5)), line((6, 6), (6, 6))])
    result = softd3d.draw(4, **arguments(
        ps=pixel_shader(), vertex_buffers=[vertices], render_targets=[image], topology="LINELIST",
        rasterizer=softd3d.RasterizerState(antialiased_line_enable=True), blend=over,
    ))  # fmt: skip
    assert image[2, :, 1].tolist() == [1, 0.875, 0.75, 0.75, 0.8125, 1, 1, 1]
    assert result.samples_passed == 4


def test_multisampling_wins_over_antialiasing():
    state = softd3d.RasterizerState(antialiased_line_enable=True, multisample_enable=True)
    image = np.zeros((8, 8, 4), F4)
    softd3d.draw(2, **arguments(
        ps=pixel_shader(), vertex_buffers=[line((1.5, 2.5), (4.75, 2.5))], render_targets=[image],
        topology="LINELIST", rasterizer=state,
    ))  # fmt: skip
    assert image[2, :, 3].tolist() == [0, 0.5, 0.5, 0.5, 0.5, 0, 0, 0]
