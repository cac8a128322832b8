"""Rasteriser ordered views: at each pixel, accesses are in the order of primitives.

Programmable blending through such a view equals the blending of the output merger; both in float32.
"""

from __future__ import annotations

from typing import Any

import draw_shaders as scene
import numpy as np
import pytest
from draw_shaders import VERTEX, arguments, pixel_shader, shader

import softd3d

F4 = np.float32
POSITION = "SV_Position 0 xyzw 0 float"
COLOR = "COLOR 0 xyzw 1 float"
CULL_NONE = softd3d.RasterizerState(cull_mode="NONE")
OVER = softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(
    True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA", src_blend_alpha="ZERO",
    dest_blend_alpha="ONE",
))  # fmt: skip


@pytest.fixture(autouse=True, params=["interpreter", "jit"])
def engine(request, monkeypatch) -> str:
    monkeypatch.setattr(scene, "ENGINE", request.param)
    return request.param


def ordered(declaration: str, body: str, *, flat: bool = True) -> softd3d.Shader:
    """A pixel shader of a colour that writes to u0; r1.x is x, r1.y is y, r1.z their number."""
    mode = "constant" if flat else "linear"
    return shader(
        (POSITION, COLOR), (),
        "ps_5_0\n" + declaration + "\n"
        "dcl_input_ps_siv linear noperspective v0.xy, position\n"
        f"dcl_input_ps {mode} v1.xyzw\ndcl_temps 4\n"
        "ftou r1.xy, v0.xyxx\nimad r1.z, r1.y, l(16), r1.x\n" + body + "\nret\n",
    )  # fmt: skip


def whole(*colors: tuple[float, ...]) -> np.ndarray:
    """Return a triangle over everything for each colour."""
    found = np.zeros((len(colors), 3), VERTEX)
    found["POSITION"] = (-1, 1, 0.5, 1), (7, 1, 0.5, 1), (-1, -7, 0.5, 1)
    found["COLOR"] = np.array(colors, F4)[:, None]
    return found.reshape(-1)


def soup(count: int, seed: int) -> np.ndarray:
    """Overlapping triangles of many sizes; colours and alphas are multiples of 1/16."""
    rng = np.random.default_rng(seed)
    found = np.zeros((count, 3), VERTEX)
    sizes = rng.choice([0.2, 0.6, 2.0], (count, 1, 1))
    found["POSITION"][..., :2] = rng.uniform(-1, 1, (count, 1, 2)) + (
        rng.uniform(-1, 1, (count, 3, 2)) * sizes
    )
    found["POSITION"][..., 2:] = 0.5, 1
    found["COLOR"] = (rng.integers(0, 17, (count, 1, 4)) / 16).astype(F4)
    return found.reshape(-1)


BLENDS = """
mul r2.xyz, v1.xyzx, v1.wwww
add r2.w, -v1.w, l(1.0)
mul r3.xyz, r0.xyzx, r2.wwww
add r0.xyz, r2.xyzx, r3.xyzx
"""
VIEWS = {
    "texture": (
        "dcl_uav_typed_texture2d_rov (float,float,float,float) u0",
        "ld_uav_typed r0.xyzw, r1.xyyy, u0.xyzw" + BLENDS
        + "store_uav_typed u0.xyzw, r1.xyyy, r0.xyzw",
    ),
    "buffer": (
        "dcl_uav_typed_buffer_rov (float,float,float,float) u0",
        "ld_uav_typed r0.xyzw, r1.zzzz, u0.xyzw" + BLENDS
        + "store_uav_typed u0.xyzw, r1.zzzz, r0.xyzw",
    ),
    "structured": (
        "dcl_uav_structured_rov u0, 16",
        "ld_structured r0.xyzw, r1.z, l(0), u0.xyzw" + BLENDS
        + "store_structured u0.xyzw, r1.z, l(0), r0.xyzw",
    ),
    "raw": (
        "dcl_uav_raw_rov u0",
        "ishl r1.z, r1.z, l(4)\nld_raw r0.xyzw, r1.z, u0.xyzw" + BLENDS
        + "store_raw u0.xyzw, r1.z, r0.xyzw",
    ),
    "coherent": (
        "dcl_uav_structured_glc_rov u0, 16",
        "ld_structured r0.xyzw, r1.z, l(0), u0.xyzw" + BLENDS
        + "store_structured u0.xyzw, r1.z, l(0), r0.xyzw",
    ),
    "not ordered": (  # loads are in order, too
        "dcl_uav_structured u0, 16",
        "ld_structured r0.xyzw, r1.z, l(0), u0.xyzw" + BLENDS
        + "store_structured u0.xyzw, r1.z, l(0), r0.xyzw",
    ),
}  # fmt: skip


def view(name: str, memory: np.ndarray) -> Any:
    flat = memory.reshape(-1, 4)
    if name == "texture":
        return softd3d.Texture2D(memory, "R32G32B32A32_FLOAT")
    if name == "buffer":
        return softd3d.TypedBuffer(flat, "R32G32B32A32_FLOAT")
    return softd3d.RawBuffer(memory) if name == "raw" else softd3d.StructuredBuffer(flat, 16)


@pytest.mark.parametrize("name", VIEWS)
def test_blending_through_a_view_is_blending(name: str):
    """120 triangles, some ten at a pixel; the order tells in nearly every one."""
    vertices = soup(120, 1)
    memory, image = np.zeros((16, 16, 4), F4), np.zeros((16, 16, 4), F4)
    ps = ordered(*VIEWS[name])
    result = softd3d.draw(360, **arguments(
        ps=ps, uavs={0: view(name, memory)}, render_targets=None, vertex_buffers=[vertices],
        rasterizer=CULL_NONE, viewports=[softd3d.Viewport(0, 0, 16, 16)],
    ))  # fmt: skip
    softd3d.draw(360, **arguments(
        ps=pixel_shader(), render_targets=[image], vertex_buffers=[vertices], blend=OVER,
        rasterizer=CULL_NONE,
    ))  # fmt: skip
    assert result.statistics.ps_invocations > 8 * 256
    assert memory[..., :3].any()
    np.testing.assert_array_equal(memory[..., :3], image[..., :3])


def test_samples_blend_through_a_view_in_sample_frequency():
    """The same shader blends into a view, a place for each sample, and is blended into a target."""
    ps = shader(
        (POSITION, COLOR, "SV_SampleIndex 0 x 2 uint"), ("SV_Target 0 xyzw 0 float",),
        "ps_5_0\ndcl_uav_structured_rov u1, 16\n"
        "dcl_input_ps_siv linear noperspective sample v0.xy, position\n"
        "dcl_input_ps constant v1.xyzw\ndcl_input_ps_sgv constant v2.x, sampleIndex\n"
        "dcl_output o0.xyzw\ndcl_temps 4\nftou r1.xy, v0.xyxx\nimad r1.z, r1.y, l(16), r1.x\n"
        "imad r1.z, r1.z, l(4), v2.x\nld_structured r0.xyzw, r1.z, l(0), u1.xyzw" + BLENDS
        + "store_structured u1.xyzw, r1.z, l(0), r0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n",
    )  # fmt: skip
    memory, image = np.zeros((1024, 4), F4), np.zeros((16, 16, 4, 4), F4)
    softd3d.draw(120, **arguments(
        ps=ps, uavs={1: softd3d.StructuredBuffer(memory, 16)}, blend=OVER, rasterizer=CULL_NONE,
        render_targets=[softd3d.Texture2DMS(image, "R32G32B32A32_FLOAT")],
        vertex_buffers=[soup(40, 2)],
    ))  # fmt: skip
    assert memory.any()
    np.testing.assert_array_equal(memory.reshape(image.shape)[..., :3], image[..., :3])


def test_doubling_comes_before_subtracting():
    """One pixel, two primitives: 1 * 2 - 1 = 1; the other way round it is 0."""
    vertices = whole((2, 0, 0, 0), (1, -1, 0, 0))
    memory = np.ones(1, F4)
    ps = ordered(
        "dcl_uav_raw_rov u0",
        "ld_raw r0.x, l(0), u0.x\nmad r0.x, r0.x, v1.x, v1.y\nstore_raw u0.x, l(0), r0.x",
    )
    softd3d.draw(6, **arguments(
        ps=ps, uavs={0: softd3d.RawBuffer(memory)}, render_targets=None,
        vertex_buffers=[vertices], rasterizer=CULL_NONE, viewports=[softd3d.Viewport(0, 0, 1, 1)],
    ))  # fmt: skip
    assert memory.tolist() == [1]


def test_atomics_through_a_view_and_instances_are_in_order():
    """Each primitive appends its number as a digit: x = 8 * x + n."""
    vertices = whole(*((n, 0, 0, 0) for n in range(1, 6)))
    memory = np.zeros(4, np.uint32)
    ps = ordered(
        "dcl_uav_structured_rov u0, 4",
        "and r1.z, r1.x, l(3)\nftou r0.y, v1.x\nld_structured r0.x, r1.z, l(0), u0.x\n"
        "imad r0.z, r0.x, l(8), r0.y\nmov r1.w, l(0)\n"
        "imm_atomic_cmp_exch r2.x, u0, r1.zwzz, r0.x, r0.z",
    )
    job = softd3d.Draw(**arguments(
        ps=ps, uavs={0: softd3d.StructuredBuffer(memory, 4)}, render_targets=None,
        vertex_buffers=[vertices], rasterizer=CULL_NONE, viewports=[softd3d.Viewport(0, 0, 4, 1)],
    ))  # fmt: skip
    job.instanced(15, 2)
    assert memory.tolist() == [int("1234512345", 8)] * 4
