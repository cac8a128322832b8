"""What Direct3D rejects in a draw is refused: stage or slot, what was found, what was wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from draw_shaders import (
    arguments,
    constant_pixel,
    full_screen,
    pixel_shader,
    quad,
    reading_pixel,
    shader,
    vertex_shader,
)

import softd3d
from softd3d.errors import ResourceError, ShaderError

F4 = np.float32


def floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, F4)


def texture(*shape: int, name: str = "R8G8B8A8_UNORM") -> softd3d.Texture2D:
    return softd3d.Texture2D(np.zeros(shape, np.uint32), name)


def read_only() -> np.ndarray:
    array = floats(4, 4, 4)
    array.flags.writeable = False
    return array


SHARED = floats(4, 4, 4)
READS_T0 = reading_pixel(
    "ld_indexable(texture2d)(float,float,float,float) o0.xyzw, l(0,0,0,0), t0.xyzw\n",
    "dcl_resource_texture2d (float,float,float,float) t0\n",
)
WRITES_U0 = reading_pixel(
    "store_raw u0.x, l(0), l(1)\nmov o0.xyzw, l(0,0,0,0)\n", "dcl_uav_raw u0\n"
)
READS_CB0 = constant_pixel()
LAYOUT = [
    softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT"),
    softd3d.InputElement("COLOR", 0, "R32G32B32A32_FLOAT"),
]
DUAL = softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(True, src_blend="SRC1_COLOR"))
LOGIC = softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(False, True))

REFUSED: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "no shader": (lambda: {"vs": None}, "vs: found NoneType, wanted"),
    "another stage": (
        lambda: {"vs": pixel_shader()},
        "vs: found a pixel shader (ps_5_0), wanted a vertex shader of model 4.0 to 5.1",
    ),
    "pixel shader": (
        lambda: {"ps": vertex_shader()},
        "ps: found a vertex shader (vs_5_0), wanted a pixel shader",
    ),
    "topology": (lambda: {"topology": 6}, "topology: found 6"),
    "state of another kind": (
        lambda: {"blend": softd3d.RasterizerState()},
        "blend: found RasterizerState, wanted a BlendState",
    ),
    "blend factor": (lambda: {"blend_factor": (1, 1)}, "blend_factor: found (1, 1), wanted four"),
    "sample mask": (lambda: {"sample_mask": -1}, "sample_mask: found -1, wanted 0 to 4294967295"),
    "stencil ref": (lambda: {"stencil_ref": "x"}, "stencil_ref: found 'x', wanted a whole number"),
    "missing element": (
        lambda: {"input_layout": LAYOUT[:1]},
        "input layout: vertex shader input v1 is COLOR, found POSITION, wanted an element COLOR",
    ),
    "no layout": (
        lambda: {"vertex_buffers": [floats(3, 8)]},
        "vertex buffer 0: found dtype float32, wanted one with fields named by semantics",
    ),
    "slot without buffer": (
        lambda: {"input_layout": LAYOUT, "vertex_buffers": {1: quad()}},
        "vertex buffer 0: not in vertex_buffers, but the layout has POSITION there",
    ),
    "slot": (lambda: {"vertex_buffers": {32: quad()}}, "vertex_buffers: found slot 32, wanted 0"),
    "stride that is known too small": (
        lambda: {"input_layout": LAYOUT, "vertex_buffers": [floats(3, 4)]},
        "vertex buffer 0: COLOR ends at byte 32, beyond the 16 bytes of an item; give the stride",
    ),
    "stride": (
        lambda: {"vertex_buffers": [softd3d.VertexBuffer(quad(), 4096)]},
        "vertex buffer 0 stride: found 4096, wanted 0 to 2048",
    ),
    "vertices that are none": (
        lambda: {"vertex_buffers": ["x"], "input_layout": LAYOUT},
        "vertex buffer 0: found str, wanted an array, or a buffer",
    ),
    "raw buffer without stride": (
        lambda: {"vertex_buffers": [softd3d.RawBuffer(floats(8))], "input_layout": LAYOUT},
        "vertex buffer 0: found a RawBuffer, wanted its stride",
    ),
    "index dtype": (
        lambda: {"index_buffer": np.zeros(3, np.int64)},
        "index buffer: found an array of int64, wanted uint16 or uint32; use .astype",
    ),
    "index format": (
        lambda: {"index_buffer": softd3d.IndexBuffer(np.zeros(3, np.uint8), "R8_UINT")},
        "index buffer: found format R8_UINT, wanted R16_UINT or R32_UINT",
    ),
    "index offset": (
        lambda: {"index_buffer": softd3d.IndexBuffer(np.zeros(4, np.uint16), offset=3)},
        "index buffer offset: found 3, wanted a multiple of 2 for R16_UINT",
    ),
    "nine targets": (lambda: {"render_targets": [None] * 9}, "render_targets: found more than 8"),
    "no list of targets": (lambda: {"render_targets": 5}, "render_targets: found int, wanted"),
    "an array for a list": (
        lambda: {"render_targets": floats(4, 4, 4)},
        "render_targets: found ndarray, wanted a list of them",
    ),
    "32 samples": (
        lambda: {"render_targets": [softd3d.Texture2DMS(floats(4, 4, 32), "R32_FLOAT")]},
        "render target 0: found 32 samples, wanted 1, 2, 4, 8 or 16",
    ),
    "five channels": (
        lambda: {"render_targets": [floats(4, 4, 5)]},
        "render target 0: no format is like float32 with 5 channels; name one, as in Render",
    ),
    "three channels": (
        lambda: {"render_targets": [floats(4, 4, 3)]},
        "render target 0: format R32G32B32_FLOAT cannot be rendered to",
    ),
    "compressed target": (
        lambda: {
            "render_targets": [softd3d.Texture2D(np.zeros((1, 1, 8), np.uint8), "BC1_UNORM")]
        },
        "render target 0: format BC1_UNORM cannot be rendered to",
    ),
    "typeless target": (
        lambda: {"render_targets": [texture(4, 4, name="R8G8B8A8_TYPELESS")]},
        "render target 0: format R8G8B8A8_TYPELESS cannot be rendered to",
    ),
    "view of another family": (
        lambda: {"render_targets": [softd3d.RenderTargetView(texture(4, 4), "R16_FLOAT")]},
        "render target 0: Texture2D: found format R16_FLOAT for a view",
    ),
    "mip": (
        lambda: {"render_targets": [softd3d.RenderTargetView(texture(4, 4), mip_slice=1)]},
        "render target 0: mip_slice: found 1, wanted 0 to 0",
    ),
    "slices": (
        lambda: {"render_targets": [softd3d.RenderTargetView(texture(4, 4), array_size=2)]},
        "render target 0: array_size: found 2, wanted 1 to 1",
    ),
    "read-only target": (
        lambda: {"render_targets": [read_only()]},
        "render target 0: the array must be writable, found a read-only one",
    ),
    "sizes": (
        lambda: {"render_targets": [floats(4, 4, 4), None, floats(4, 8, 4)]},
        "render target 2: found size 8 x 4, wanted 4 x 4 as render target 0 has",
    ),
    "size of depth": (
        lambda: {"depth_stencil_view": floats(8, 4)},
        "depth-stencil view: found size 4 x 8, wanted 4 x 4 as render target 0 has",
    ),
    "samples": (
        lambda: {
            "render_targets": [
                floats(4, 4, 4), softd3d.Texture2DMS(floats(4, 4, 2), "R32_FLOAT")
            ]
        },
        "render target 1: found number of samples 2, wanted 1 as render target 0 has",
    ),
    "slices of targets": (
        lambda: {
            "render_targets": [
                floats(4, 4, 4), softd3d.Texture2DArray(floats(3, 4, 4), "R32_FLOAT")
            ]
        },
        "render target 1: found number of slices 3, wanted 1 as render target 0 has",
    ),
    "kinds": (
        lambda: {
            "render_targets": [floats(1, 4, 4), softd3d.Texture1D(floats(4), "R32_FLOAT")]
        },
        "render target 1: found kind of resource 1D texture, wanted 2D texture",
    ),
    "same view twice": (
        lambda: {"render_targets": [SHARED, SHARED]},
        "render target 0: shares memory with render target 1",
    ),
    "depth format": (
        lambda: {"depth_stencil_view": texture(4, 4)},
        "depth-stencil view: found format R8G8B8A8_UNORM, wanted D32_FLOAT_S8X24_UINT, D32_FLOAT",
    ),
    "depth array": (
        lambda: {"depth_stencil_view": np.zeros((4, 4), np.int8)},
        "depth-stencil view: found an array of int8, wanted float32 (D32_FLOAT), uint16",
    ),
    "render target as depth": (
        lambda: {"depth_stencil_view": softd3d.RenderTargetView(texture(4, 4))},
        "depth-stencil view: found RenderTargetView, wanted an array, a texture, or a Depth",
    ),
    "depth as render target": (
        lambda: {"render_targets": [softd3d.DepthStencilView(floats(4, 4))]},
        "render target 0: found a DepthStencilView, wanted a RenderTargetView",
    ),
    "no size": (
        lambda: {"render_targets": []},
        "viewports: found none, and no target that has a size; wanted one",
    ),
    "viewports": (lambda: {"viewports": [1]}, "viewports: found [1], wanted a list of Viewport"),
    "17 viewports": (
        lambda: {"viewports": [softd3d.Viewport()] * 17}, "viewports: found more than 16",
    ),
    "scissors": (lambda: {"scissors": [(0, 0, 1, 1)]}, "scissors: found [(0, 0, 1, 1)], wanted"),
    "forced samples and depth": (
        lambda: {
            "rasterizer": softd3d.RasterizerState(forced_sample_count=4),
            "depth_stencil_view": floats(4, 4),
        },
        "rasterizer forced_sample_count: found 4 with a depth-stencil view, wanted none",
    ),
    "forced samples and samples": (
        lambda: {
            "rasterizer": softd3d.RasterizerState(forced_sample_count=4),
            "render_targets": [softd3d.Texture2DMS(floats(4, 4, 2), "R32_FLOAT")],
        },
        "rasterizer forced_sample_count: found 4 with 2 samples in render target 0, wanted 1",
    ),
    "logic operations on numbers": (
        lambda: {"blend": LOGIC},
        "render target 0: found format R32G32B32A32_FLOAT with logic_op_enable, wanted a UINT",
    ),
    "u# below the targets": (
        lambda: {"ps": WRITES_U0, "uavs": {0: np.zeros(4, np.uint32)}},
        "pixel shader: found u0 beside 1 render target, wanted u1 or higher; up to",
    ),
    "missing constants": (
        lambda: {"ps": READS_CB0},
        "pixel shader: b0: not in constants; bind it, or None to leave it unbound",
    ),
    "missing texture": (
        lambda: {"ps": READS_T0, "srvs": {"ps": {}}},
        "pixel shader: t0: not in srvs",
    ),
    "stage that is not there": (
        lambda: {"srvs": {"gs": {}}}, "srvs: found stage 'gs', the draw has vs and ps",
    ),
    "key of no stage": (
        lambda: {"constants": {3: bytes(16)}},
        "constants: neither vertex shader nor pixel shader has 3",
    ),
    "constants of another number": (
        lambda: {"ps": READS_CB0, "constants": {3: bytes(16)}},
        "constants: neither vertex shader nor pixel shader has 3; vertex shader: it has no b#",
    ),
    "stage in capitals": (
        lambda: {"srvs": {"PS": {0: None}}}, "srvs: found stage 'PS', wanted 'ps'",
    ),
    "lanes": (lambda: {"lanes": 32}, "lanes: found 32, wanted 0, 4, 8 or 16"),
    "lanes that nothing has": (lambda: {"lanes": 5}, "lanes: found 5, wanted 0, 4, 8 or 16"),
    "topology that is nearly one": (
        lambda: {"topology": "TRIANGLES"},
        "topology: found 'TRIANGLES', wanted a name such as TRIANGLELIST, or its number; close: TR",
    ),
    "no dictionary": (lambda: {"samplers": 5}, "samplers: found int, wanted a dictionary"),
    "wrong kind of view": (
        lambda: {"ps": READS_T0, "srvs": {0: softd3d.Texture2D(np.zeros((1, 1), np.uint32),
                                                               "R32_UINT")}},
        "pixel shader: t0: found format R32_UINT, the shader wants float components",
    ),
    "target read": (
        lambda: {
            "ps": READS_T0, "srvs": {0: SHARED}, "render_targets": [SHARED],
        },
        "render target 0: shares memory with pixel shader t0",
    ),
    "target as vertices": (
        lambda: {
            "render_targets": [SHARED], "input_layout": LAYOUT,
            "vertex_buffers": [softd3d.VertexBuffer(SHARED, 32)],
        },
        "render target 0: shares memory with vertex buffer 0",
    ),
    "target as indices": (
        lambda: {
            "render_targets": [SHARED],
            "index_buffer": softd3d.IndexBuffer(SHARED, "R32_UINT"),
        },
        "render target 0: shares memory with index buffer",
    ),
    "no position": (
        lambda: {"vs": NO_POSITION, "vertex_buffers": []},
        "vertex shader: found no output SV_Position of four components",
    ),
}  # fmt: skip


def _no_position() -> softd3d.Shader:
    from draw_shaders import shader

    return shader(
        (), ("COLOR 0 xyzw 1 float",),
        "vs_5_0\ndcl_output o1.xyzw\nmov o1.xyzw, l(0,0,0,0)\nret\n",
    )  # fmt: skip


NO_POSITION = _no_position()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_was_found_and_wanted(name):
    make, text = REFUSED[name]
    with pytest.raises(ShaderError) as caught:
        softd3d.Draw(**arguments(**make()))
    assert str(caught.value).startswith(text)


CALLS: dict[str, tuple[Callable[[softd3d.Draw], object], str]] = {
    "count": (lambda d: d(-1), "vertex_count: found -1, wanted 0 to 4294967295"),
    "start": (lambda d: d(3, 1 << 32), "start_vertex_location: found 4294967296, wanted 0 to"),
    "instances": (lambda d: d.instanced(3, -1), "instance_count: found -1, wanted 0 to"),
    "no index buffer": (lambda d: d.indexed(3), "index_buffer: found none, wanted one"),
    "base": (
        lambda d: d.indexed(3, base_vertex_location=1 << 31),
        "base_vertex_location: found 2147483648, wanted -2147483648 to 2147483647",
    ),
    "arguments outside": (
        lambda d: d.indirect(np.zeros(4, np.uint32), 4),
        "arguments: bytes 4 to 19 are not all in the buffer, which has 16",
    ),
    "five arguments": (
        lambda d: d.indexed_indirect(np.zeros(4, np.uint32)),
        "arguments: bytes 0 to 19 are not all in the buffer, which has 16",
    ),
    "offset": (
        lambda d: d.indirect(np.zeros(8, np.uint32), 2),
        "offset: found 2, wanted a multiple of 4",
    ),
    "both counts": (
        lambda d: d.once(3, index_count=3), "vertex_count, index_count: found both, wanted one",
    ),
    "no count": (lambda d: d.once(), "vertex_count, index_count: found none, wanted one of them"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_are_refused(name):
    call, text = CALLS[name]
    with pytest.raises(ResourceError) as caught:
        call(softd3d.Draw(**arguments()))
    assert str(caught.value).startswith(text)


def test_a_draw_needs_a_vertex_shader():
    with pytest.raises(TypeError, match="vs"):
        softd3d.draw(3, render_targets=[floats(4, 4, 4)])


def test_an_array_that_was_resized_is_refused():
    array = np.zeros((4, 4, 4), F4)
    job = softd3d.Draw(**arguments(render_targets=[array]))
    array.resize((1, 1, 4), refcheck=False)
    with pytest.raises(ResourceError, match="render target 0: the array's memory has been resized"):
        job(6)


def test_a_target_that_was_made_read_only_is_refused():
    array = np.zeros((4, 4, 4), F4)
    job = softd3d.Draw(**arguments(render_targets=[array]))
    array.flags.writeable = False
    with pytest.raises(ResourceError, match="render target 0: the array has been made read-only"):
        job(6)


FLOAT = (
    "the pixel shader writes float, the format is R32G32B32A32_UINT: the bits are taken as they are"
)
NOTES: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "output of another type": (
        {"render_targets": [np.zeros((4, 4, 4), np.uint32)]},
        ("render target 0", FLOAT),
    ),
    "target without output": (
        {"render_targets": [floats(4, 4, 4), floats(4, 4, 4)]},
        ("render target 1", "the pixel shader writes no such output: the target is left as it is"),
    ),
    "second source beside targets": (
        {"render_targets": [floats(4, 4, 4), floats(4, 4, 4)], "blend": DUAL},
        ("render target 1", "blending with the second source goes with render target 0 alone"),
    ),
    "second source that is not written": (
        {"blend": DUAL},
        ("ps o1.xyz", "the second source of blending, which the shader does not write: it is 0"),
    ),
    "blending of integers": (
        {"render_targets": [np.zeros((4, 4, 4), np.uint32)], "ps": pixel_shader("uint"),
         "blend": softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(True))},
        ("render target 0", "blend_enable with format R32G32B32A32_UINT: it is not blended"),
    ),
    "input that nothing writes": (
        {"vs": full_screen(), "vertex_buffers": []},
        ("ps v1", "read, but not written by the stage before"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_what_direct3d_leaves_undefined_is_noted_and_an_error_if_strict(name):
    changes, note = NOTES[name]
    assert note in softd3d.draw(3, **arguments(**changes)).poisoned
    with pytest.raises(ResourceError):
        softd3d.Draw(**arguments(**changes, strict=True))


def test_what_is_undefined_is_noted_once():
    row = softd3d.Texture1D(floats(4), "R32_FLOAT")
    result = softd3d.draw(6, **arguments(ps=READS_T0, srvs={0: row}))
    ((register, rule),) = result.poisoned
    assert register == "ps t0"
    assert rule.startswith("found a 1D texture (R32_FLOAT), the shader declares a 2D texture")


def test_nothing_is_noted_of_a_second_source_that_is_written():
    dual = shader(
        ("SV_Position 0 xyzw 0 float",),
        ("SV_Target 0 xyzw 0 float", "SV_Target 1 w 1 float"),
        "ps_5_0\ndcl_output o0.xyzw\ndcl_output o1.w\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\n"
        "mov o1.w, l(0.5)\nret\n",
    )  # fmt: skip
    blend = softd3d.RenderTargetBlendDesc(True, src_blend="SRC1_ALPHA", dest_blend="SRC1_ALPHA")
    state = softd3d.BlendState(render_target=blend)
    assert softd3d.draw(3, **arguments(ps=dual, blend=state, strict=True)).poisoned == ()
