"""Formats of Direct3D 9 as targets and depth buffers, and its float depth bias, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from both import compare
from draws9 import FULL_SCREEN, WAYS, picture, prepared, target, vertices
from numpy.typing import NDArray

from softd3d.formats.dxgi import dxgi_format
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, Target
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilOpDesc,
    DepthStencilState,
    RasterizerState,
    RenderTargetBlendDesc,
)

CALL = DrawCall(3)
VS = "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_position o0\ndcl_color o1\nmov o0, v0\nmov o1, v1"
PS = "ps_3_0\ndcl_color v0\nmov oC0, v0"
DEPTH_PS = "ps_2_0\ndcl v0\nmov oC0, v0\nmov oDepth, v0.x"
WORDS = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8", 16: "<u4"}


def drawn(draw: PreparedDraw) -> None:
    compare(draw, CALL, WAYS[1:])
    draw_interpreted(draw, CALL)


def colored(*color: float) -> NDArray[np.float32]:
    return vertices(FULL_SCREEN, [color] * 3)


@pytest.mark.parametrize(
    ("format_", "color", "texel"),
    [
        ("A8R8G8B8", (1, 0.5, 0.25, 0), 0x00FF8040),
        ("A8B8G8R8", (1, 0.5, 0.25, 0), 0x004080FF),
        ("X8R8G8B8", (1, 0.5, 0.25, 0), 0xFFFF8040),
        ("R5G6B5", (1, 0.5, 0, 0), 0xF800 | 32 << 5),
        ("X1R5G5B5", (0, 0, 1, 0), 0x801F),
        ("A1R5G5B5", (0, 0, 1, 0.4), 0x001F),
        ("A4R4G4B4", (0.2, 0.4, 0.6, 0.8), 0xC369),
        ("A2B10G10R10", (1, 0, 0, 1), 0xC00003FF),
        ("A2R10G10B10", (1, 0, 0, 1), 0xFFF00000),
        ("G16R16", (1, 0.5, 9, 9), 0x8000FFFF),
        ("A8", (0, 0, 0, 0.2), 51),
        ("R16F", (1 + 2**-11 + 2**-12, 0, 0, 0), 0x3C01),  # to nearest, not towards zero
        ("R32F", (2.5, 0, 0, 0), 0x40200000),
    ],
)
def test_colors(format_: str, color: tuple[float, ...], texel: int) -> None:
    rt = target(format_)
    drawn(prepared(VS, PS, colored(*color), targets=(rt,)))
    found = picture(rt, WORDS[rt.format.bytes_per_block])
    assert {hex(n) for n in found.flat} == {hex(texel)}


@pytest.mark.parametrize(("format_", "alpha"), [("X8R8G8B8", 1.0), ("A8R8G8B8", 0.0)])
def test_alpha_that_a_format_lacks_is_1_where_it_is_blended(format_: str, alpha: float) -> None:
    rt = target(format_)
    blend = BlendState(
        render_target=RenderTargetBlendDesc(True, src_blend="DEST_ALPHA", dest_blend="ZERO")
    )
    drawn(prepared(VS, PS, colored(1, 1, 1, 1), targets=(rt,), blend=blend))
    assert picture(rt, np.uint8)[0, 0, 0] == 255 * alpha


def test_srgb() -> None:
    rt = target(dxgi_format("B8G8R8A8_UNORM_SRGB"))
    rt.data[:] = 0x80
    blend = BlendState(
        render_target=RenderTargetBlendDesc(True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA")
    )
    drawn(prepared(VS, PS, colored(1, 1, 1, 0.5), targets=(rt,), blend=blend))
    # 0x80 is 0.2158 linear; half of it and half of 1 is 0.6079, which is 0xCD.
    assert picture(rt, np.uint8)[0, 0, :3].tolist() == [0xCD, 0xCD, 0xCD]


# Depth

DEPTHS: list[tuple[str, float, int]] = [
    ("D16", 0.5, 0x8000), ("D16_LOCKABLE", 1.0, 0xFFFF), ("D15S1", 0.5, 0x4000 << 1),
    ("S1D15", 0.25, 0x2000), ("D24S8", 0.5, 0x80000000), ("S8D24", 0.5, 0x800000),
    ("D24X8", 1.0, 0xFFFFFF00), ("D24X4S4", 0.5, 0x80000000), ("D24FS8", 0.5, 0xE0000000),
    ("D32F_LOCKABLE", 0.5, 0x3F000000), ("D32", 0.5, 0x80000000), ("DF16", 0.5, 0x8000),
    ("INTZ", 0.5, 0x800000),
]  # fmt: skip


def at_depth(z: float) -> NDArray[np.float32]:
    return vertices([(x, y, z, 1) for x, y, _, _ in FULL_SCREEN], [(1, 1, 1, 1)])


@pytest.mark.parametrize(("format_", "z", "texel"), DEPTHS)
def test_depths(format_: str, z: float, texel: int) -> None:
    depth = target(format_)
    depth.data[:] = 0xFF if format_ != "D24FS8" else 0xF0
    states = DepthStencilState(depth_func="LESS_EQUAL")
    unused = {"D24X8": 0xFF, "D24X4S4": 0xFF, "D24S8": 0xFF, "D15S1": 1}.get(format_, 0)
    unused |= {"S1D15": 0x8000, "S8D24": 0xFF000000, "INTZ": 0xFF000000, "D24FS8": 0xF0}.get(
        format_, 0
    )
    if format_ == "D32F_LOCKABLE":
        depth.data.view(np.float32)[:] = 1.0
    drawn(prepared(VS, PS, at_depth(z), depth=depth, depth_stencil=states))
    found = picture(depth, WORDS[depth.format.bytes_per_block])
    assert {hex(n) for n in found.flat} == {hex(texel | unused)}
    # What lies behind fails, also where the test compares codes.
    before = depth.data.copy()
    drawn(prepared(VS, PS, at_depth(min(z + 0.01, 1)), depth=depth, depth_stencil=states))
    if z < 1:
        np.testing.assert_array_equal(depth.data, before)


@pytest.mark.parametrize(
    ("format_", "most"), [("D15S1", 1), ("D24X4S4", 15), ("D24S8", 255), ("S8_LOCKABLE", 255)]
)
def test_stencil_has_as_many_bits_as_its_format(format_: str, most: int) -> None:
    depth = target(format_)
    steps = ("INCR_SAT", most), ("INCR", 0), ("DECR", most), ("INVERT", 0), ("REPLACE", 0xF5 & most)
    picture(depth, WORDS[depth.format.bytes_per_block])[:] = most
    for op, wanted in steps:
        face = DepthStencilOpDesc(op, op, op)
        states = DepthStencilState(
            depth_enable=False, stencil_enable=True, front_face=face, back_face=face
        )
        drawn(prepared(VS, PS, at_depth(0.5), depth=depth, depth_stencil=states, stencil_ref=0xF5))
        found = picture(depth, WORDS[depth.format.bytes_per_block])
        assert {n & most for n in found.flat} == {wanted}, op


def test_a_depth_of_the_shader_stays_in_the_viewport() -> None:
    depth = target("D32F_LOCKABLE")
    depth.data.view(np.float32)[:] = 1.0
    for given, wanted in ((0.25, 0.25), (-7.0, 0.0)):
        draw = prepared(VS, DEPTH_PS, colored(given, 0, 0, 0), depth=depth)
        drawn(draw)
        assert picture(depth)[2, 2] == wanted


# Depth bias


def biased(offset: float, slope: float, **more: Any) -> NDArray[np.float32]:
    depth = target("D32F_LOCKABLE")
    depth.data.view(np.float32)[:] = 1.0
    # z goes from 0.25 by 1/32 a pixel along x.
    data = vertices([(-1, 1, 0.25, 1), (3, 1, 0.75, 1), (-1, -3, 0.25, 1)], [(0.125, 1, 1, 1)])
    raster = RasterizerState(cull_mode="NONE", slope_scaled_depth_bias=slope)
    draw = prepared(
        VS, more.get("ps", PS), data, depth=depth, rasterizer=raster, depth_offset=offset
    )
    drawn(draw)
    return picture(depth)[..., 0]


def test_bias_is_a_float_that_is_added() -> None:
    columns = np.arange(8, dtype=np.float32) / 32 + np.float32(0.25)
    for offset, slope in ((0.0, 0.0), (0.125, 0.0), (0.0, 2.0), (-0.125, -1.0)):
        wanted = columns + np.float32(offset + slope / 32)
        np.testing.assert_array_equal(biased(offset, slope), np.tile(wanted, (8, 1)))
    assert set(biased(-3.0, 0.0).flat) == {0.0}
    assert set(biased(0.5, 0.0, ps=DEPTH_PS).flat) == {0.125}  # not on a depth of the shader


def test_bias_of_a_draw_without_is_that_of_the_state() -> None:
    state = RasterizerState(cull_mode="NONE", depth_bias=1 << 21)
    depth: Target = target("D16")
    draw = prepared(VS, PS, at_depth(0.5), depth=depth, rasterizer=state)
    assert not draw.bias.is_zero
    assert replace(draw, depth_offset=0.0).bias.is_zero
