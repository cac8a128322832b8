"""Clears: all formats and views, rectangles, read-only parts, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import softd3d
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import ChannelType
from softd3d.formats.pipeline_views import is_render_target
from softd3d.formats.shader_views import is_unordered
from softd3d.resources.texels.dtypes import natural_dtype

F4 = np.float32
TARGETS = [name for name, f in DXGI_FORMATS.items() if is_render_target(f)]
UNORDERED = [name for name, f in DXGI_FORMATS.items() if is_unordered(f)]


def texture(name: str, *shape: int, kind: str = "Texture2D") -> softd3d.Texture2D:
    dtype, items = natural_dtype(DXGI_FORMATS[name])
    tail = (items,) if items > 1 else ()
    return getattr(softd3d, kind)(np.zeros((*shape, *tail), dtype), name)


def encoded(name: str, color: tuple[float, ...]) -> bytes:
    type_ = DXGI_FORMATS[name].type
    integers = {ChannelType.UINT: np.uint32, ChannelType.SINT: np.int32}
    return softd3d.encode(np.array(color).astype(integers.get(type_, F4)), name).tobytes()


@pytest.mark.parametrize("name", [n for n in TARGETS if "X8" not in n])
def test_every_format_is_cleared_as_it_is_encoded(name):
    target = texture(name, 3, 5)
    color = (1.0, 0.25, 0.5, 0.75) if not DXGI_FORMATS[name].is_integer else (1, 2, 3, 1)
    softd3d.clear_render_target_view(target, color)
    assert target.tobytes() == encoded(name, color) * 15


def test_bits_without_meaning_become_ones():
    target = texture("B8G8R8X8_UNORM", 1, 1)
    softd3d.clear_render_target_view(target, (0, 0, 1, 0))
    assert target.tobytes() == b"\xff\x00\x00\xff"


@pytest.mark.parametrize(
    ("name", "color", "expected"),
    [
        ("R8_UINT", (300.9, 0, 0, 0), 255), ("R8_UINT", (-1, 0, 0, 0), 0),
        ("R8_UINT", (3.99, 0, 0, 0), 3), ("R8_SINT", (-300, 0, 0, 0), -128),
        ("R16_SINT", (-1.9, 0, 0, 0), -1), ("R32_UINT", (float("inf"), 0, 0, 0), 0xFFFFFFFF),
        ("R8_UNORM", (2, 0, 0, 0), 255), ("R8_SNORM", (-2, 0, 0, 0), -127),
        ("R32_FLOAT", (2, 0, 0, 0), 2.0),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_clamped(name, color, expected):
    target = texture(name, 1, 1)
    softd3d.clear_render_target_view(target, color)
    assert target.array.item() == expected


def test_rectangles_are_clipped_and_empty_ones_ignored():
    image = np.zeros((4, 6), F4)
    rects = [softd3d.Rect(1, 1, 3, 2), (5, -3, 99, 1), (2, 2, 2, 9), (9, 9, 12, 12)]
    softd3d.clear_render_target_view(image, (1, 0, 0, 0), rects)
    expected = np.zeros((4, 6), F4)
    expected[1, 1:3] = expected[0, 5] = 1
    assert np.array_equal(image, expected)


def test_all_samples_slices_and_nothing_else_of_a_view_are_cleared():
    target = texture("R32_FLOAT", 3, 2, 4, 2, kind="Texture2DMSArray")
    view = softd3d.RenderTargetView(target, first_array_slice=1, array_size=1)
    softd3d.clear_render_target_view(view, (1, 0, 0, 0), [(1, 0, 2, 2)])
    expected = np.zeros((3, 2, 4, 2), F4)
    expected[1, :, 1] = 1
    assert np.array_equal(target.array, expected)


def test_depth_and_stencil_are_cleared_apart():
    depth = texture("D24_UNORM_S8_UINT", 1, 1)
    softd3d.clear_depth_stencil_view(depth, depth=0.5, stencil=0x1AB)
    assert depth.array.item() == 0xAB800000
    softd3d.clear_depth_stencil_view(depth, "DEPTH", 7.0, 1)
    assert depth.array.item() == 0xABFFFFFF
    softd3d.clear_depth_stencil_view(depth, "D3D11_CLEAR_STENCIL", 0.0, 1)
    assert depth.array.item() == 0x01FFFFFF


def test_bits_beside_depth_and_stencil_stay():
    depth = softd3d.Texture2D(np.full((1, 1), (1 << 64) - 1, np.uint64), "D32_FLOAT_S8X24_UINT")
    softd3d.clear_depth_stencil_view(depth, depth=1.0, stencil=2)
    assert depth.array.item() == 0xFFFFFF02_3F800000


@pytest.mark.parametrize(("flags", "expected"), [("depth|stencil", 0x05FFFFFF)])
def test_read_only_parts_are_left(flags, expected):
    texels = np.full((1, 1), 0x05000000, np.uint32)
    texture_ = softd3d.Texture2D(texels, "R24G8_TYPELESS")
    view = softd3d.DepthStencilView(texture_, "D24_UNORM_S8_UINT", read_only_stencil=True)
    softd3d.clear_depth_stencil_view(view, flags, stencil=9)
    assert texels.item() == expected


@pytest.mark.parametrize("name", UNORDERED)
def test_unordered_access_views_take_low_bits_and_numbers(name):
    format_ = DXGI_FORMATS[name]
    target = texture(name, 2, 2)
    softd3d.clear_uav_uint(target, (0xFFFFFFF1, 0xFFFFFFF2, 3, 0xFFFFFFFF))
    texel = int.from_bytes(target.tobytes()[: format_.bytes_per_block], "little")
    for channel in format_.channels:
        value = (0xFFFFFFF1, 0xFFFFFFF2, 3, 0xFFFFFFFF)["rgba".index(channel.component)]
        assert texel >> channel.shift & (1 << channel.bits) - 1 == value & (1 << channel.bits) - 1
    if not format_.is_integer:
        softd3d.clear_uav_float(target, (1.0, 0.25, 0.5, 0.75), [(1, 1, 2, 2)])
        assert target.tobytes()[-format_.bytes_per_block :] == encoded(name, (1.0, 0.25, 0.5, 0.75))


def test_buffers_are_cleared_as_dwords():
    for buffer in (softd3d.RawBuffer(np.zeros(3, np.uint32)),
                   softd3d.StructuredBuffer(np.zeros((2, 3), np.uint32))):  # fmt: skip
        softd3d.clear_uav_uint(buffer, (7, 1, 2, 3))
        assert (buffer.array == 7).all()


def test_arrays_are_cleared_as_texels():
    words, image, bits = np.zeros(3, np.uint32), np.zeros((2, 3, 2), F4), np.zeros((2, 2, 4), "u1")
    softd3d.clear_uav_uint(words, (7, 1, 2, 3))
    assert (words == 7).all()
    softd3d.clear_uav_float(image, (0.5, 2, 0, 0), [(0, 0, 1, 2)])
    assert (image[:, 0] == (0.5, 2)).all()
    assert not image[:, 1:].any()
    softd3d.clear_uav_float(bits, (1, 0, 0.2, 0))
    assert (bits == (255, 0, 51, 0)).all()
    softd3d.clear_uav_uint(bits, (1, 2, 3, 0x104))
    assert (bits == (1, 2, 3, 4)).all()


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "colour": (
        lambda: softd3d.clear_render_target_view(np.zeros((2, 2), F4), (1, 2)),
        "color: found (1, 2), wanted 4 numbers",
    ),
    "rectangles of a volume": (
        lambda: softd3d.clear_render_target_view(
            texture("R32_FLOAT", 2, 2, 2, kind="Texture3D"), (0, 0, 0, 0), [(0, 0, 1, 1)]
        ),
        "rects: found some for a 3D texture, wanted None",
    ),
    "rectangle": (
        lambda: softd3d.clear_render_target_view(np.zeros((2, 2), F4), (0, 0, 0, 0), [(1, 2)]),
        "rects[0]: found (1, 2), wanted a Rect, or left, top, right, bottom as integers",
    ),
    "array of samples": (
        lambda: softd3d.clear_render_target_view(np.zeros((2, 2, 4, 4), F4), (0, 0, 0, 0)),
        "clear_render_target_view: found an array of 4 axes, wanted height, width and channels; ",
    ),
    "format": (
        lambda: softd3d.clear_render_target_view(texture("D32_FLOAT", 2, 2), (0, 0, 0, 0)),
        "clear_render_target_view: format D32_FLOAT cannot be rendered to",
    ),
    "flags": (
        lambda: softd3d.clear_depth_stencil_view(np.zeros((2, 2), F4), "COLOR"),
        "clear_flags: found 'COLOR', wanted DEPTH, STENCIL, or both, joined by |",
    ),
    "numbers for integers": (
        lambda: softd3d.clear_uav_float(texture("R32_UINT", 2, 2), (0, 0, 0, 0)),
        "clear_uav_float: found format R32_UINT, wanted one of no integers",
    ),
    "unordered format": (
        lambda: softd3d.clear_uav_uint(texture("R8G8B8A8_UNORM_SRGB", 2, 2), (0, 0, 0, 0)),
        "clear_uav_uint: format R8G8B8A8_UNORM_SRGB cannot be a UAV",
    ),
    "numbers for a raw buffer": (
        lambda: softd3d.clear_uav_float(softd3d.RawBuffer(np.zeros(1, F4)), (0, 0, 0, 0)),
        "clear_uav_float: found RawBuffer, wanted an array, a texture, a view of one, or a typed",
    ),
    "doubles": (
        lambda: softd3d.clear_uav_uint(np.zeros(4), (0, 0, 0, 0)),
        "clear_uav_uint: no format is like float64; use .astype(numpy.float32) for the values",
    ),
    "rectangles of a raw buffer": (
        lambda: softd3d.clear_uav_uint(softd3d.RawBuffer(np.zeros(1, F4)), (0, 0, 0, 0), []),
        "rects: found some for a raw or structured buffer, wanted None",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, text = REFUSED[name]
    with pytest.raises(ResourceError) as caught:
        call()
    assert str(caught.value).startswith(text)
