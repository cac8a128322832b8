"""Shader models in draws: level 9, doubles and minimum precision in vertex and pixel shaders."""

from __future__ import annotations

from pathlib import Path

import draw_shaders as scene
import numpy as np
import pytest
from draw_shaders import POSITION, arguments, pixel_shader, quad, shader, vertex_shader

import softd3d

F4 = np.float32
COLOR = "COLOR 0 xyzw 1 float"
LEVEL_9 = [(v, p) for v in ("9_1", "9_3") for p in ("9_1", "9_3")]


@pytest.fixture(autouse=True, params=["interpreter", "jit"])
def engine(request, monkeypatch) -> str:
    monkeypatch.setattr(scene, "ENGINE", request.param)
    return request.param


def _drawn_with_texture(shared: Path, vs: str, ps: str) -> np.ndarray:
    """Draw what vs_transform and ps_sample_basic make of a skewed quad."""
    folder = shared / "samples/sm4_5"
    rng = np.random.default_rng(4)
    vertices = np.zeros(6, [("POSITION", "f4", 3), ("NORMAL", "f4", 3), ("TEXCOORD", "f4", 2)])
    vertices["POSITION"] = quad()["POSITION"][:, :3]
    vertices["NORMAL"] = rng.uniform(-1, 1, (6, 3))
    vertices["TEXCOORD"] = rng.uniform(0, 1, (6, 2))
    constants = np.zeros((5, 4), F4)
    constants[:4] = [[1, 0.25, 0, 0], [0, 0.5, 0.25, 0], [0, 0, 0.5, 0.25], [0.25, 0, 0, 1]]
    constants[4] = 0.5, 1.5, 1, 0.75
    image = np.zeros((16, 16, 4), F4)
    texture = softd3d.Texture2D(rng.random((8, 8, 4)).astype(F4), "R32G32B32A32_FLOAT")
    softd3d.draw(6, **arguments(
        vs=folder / f"vs_transform.{vs}.dxbc", ps=folder / f"ps_sample_basic.{ps}.dxbc",
        vertex_buffers=[vertices], constants={"vs": {0: constants}}, srvs={"ps": {0: texture}},
        samplers={"ps": {0: softd3d.SamplerState()}}, render_targets=[image],
        rasterizer=softd3d.RasterizerState(cull_mode="NONE"),
    ))  # fmt: skip
    return image


@pytest.mark.parametrize(("vs", "ps"), LEVEL_9)
def test_shaders_of_level_9_run_their_code_of_model_4(shared: Path, vs: str, ps: str):
    """As from feature level 10 on, where the Direct3D 9 code beside it does not count."""
    wanted = _drawn_with_texture(shared, "vs_4_0", "ps_4_0")
    found = _drawn_with_texture(shared, f"vs_4_0_level_{vs}", f"ps_4_0_level_{ps}")
    assert len(np.unique(wanted)) > 100
    np.testing.assert_array_equal(found, wanted)


def test_a_pixel_shader_of_level_9_discards(shared: Path):
    """ps_alpha_test_fog: fog of (0.5, 0.25, 0), cut off below an alpha of 0.5."""
    images = []
    for profile in ("ps_4_0", "ps_4_0_level_9_1"):
        vs = shader(
            ("POSITION 0 xyzw 0 float", COLOR), (POSITION, "TEXCOORD 0 xy 1 float",
                                                 "COLOR 0 xyzw 2 float"),
            "vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\n"
            "dcl_output o1.xy\ndcl_output o2.xyzw\nmov o0.xyzw, v0.xyzw\nmov o1.xy, v0.xyxx\n"
            "mov o2.xyzw, v1.xyzw\nret\n",
        )  # fmt: skip
        vertices = quad()
        vertices["COLOR"] = np.linspace(0, 1, 24).reshape(6, 4)
        texture = softd3d.Texture2D(np.ones((1, 1, 4), F4), "R32G32B32A32_FLOAT")
        image = np.full((8, 8, 4), -1, F4)
        softd3d.draw(6, **arguments(
            vs=vs, ps=shared / f"samples/sm4_5/ps_alpha_test_fog.{profile}.dxbc",
            vertex_buffers=[vertices], render_targets=[image], srvs={"ps": {0: texture}},
            samplers={"ps": {0: softd3d.SamplerState()}},
            constants={"ps": {0: np.array([0.5, 0.25, 0, 1, 0.25, 2, 0.5, 0], F4)}},
        ))  # fmt: skip
        images.append(image)
    assert 0 < np.count_nonzero(images[0][..., 3] == -1) < 64
    np.testing.assert_array_equal(images[1], images[0])


DOUBLES = """dcl_temps 2
ftod r0.xyzw, {0}.xyxx
dadd r1.xyzw, r0.xyzw, d(16777216.000000l, 16777216.000000l)
dadd r1.xyzw, r1.xyzw, d(-16777216.000000l, -16777216.000000l)
dtof r0.xy, r1.xyzw
mov {1}.xy, r0.xyxx
mov {1}.zw, l(0, 0, 0, 1.0)
"""
"""x + 2^24 - 2^24: float32 would lose what is below 2."""


def _vertex(body: str) -> softd3d.Shader:
    return shader(
        ("POSITION 0 xyzw 0 float", COLOR), (POSITION, COLOR),
        "vs_5_0\ndcl_globalFlags enableDoublePrecisionFloatOps\ndcl_input v0.xyzw\n"
        "dcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\n"
        + body.format("v1", "o1") + "mov o0.xyzw, v0.xyzw\nret\n",
    )  # fmt: skip


def _pixel(body: str) -> softd3d.Shader:
    return shader(
        (POSITION, COLOR), ("SV_Target 0 xyzw 0 float",),
        "ps_5_0\ndcl_globalFlags enableDoublePrecisionFloatOps\ndcl_input_ps linear v1.xyzw\n"
        "dcl_output o0.xyzw\n" + body.format("v1", "o0") + "ret\n",
    )  # fmt: skip


@pytest.mark.parametrize("where", ["vs", "ps", "both"])
def test_doubles_in_vertex_and_pixel_shaders(where: str):
    vs = _vertex(DOUBLES) if where != "ps" else vertex_shader()
    ps = _pixel(DOUBLES) if where != "vs" else pixel_shader()
    image = np.zeros((4, 4, 4), F4)
    softd3d.draw(6, **arguments(
        vs=vs, ps=ps, vertex_buffers=[quad((1.25, 3.0, 9, 9))], render_targets=[image],
    ))  # fmt: skip
    assert (image == (1.25, 3, 0, 1)).all()


def test_a_shader_with_doubles_flushes_as_others_do():
    """Half of 2^-126 is 0: x in the shader, y in blending, though doubles must not flush."""
    ps = _pixel(DOUBLES + "mul {1}.x, {0}.x, l(0x00800000)\n")
    blend = softd3d.BlendState(
        render_target=softd3d.RenderTargetBlendDesc(True, src_blend="BLEND_FACTOR")
    )
    image = np.ones((4, 4, 4), F4)
    softd3d.draw(6, **arguments(
        ps=ps, vertex_buffers=[quad((0.5, 0.5, 0, 0))], render_targets=[image], blend=blend,
        blend_factor=(1, 2.0**-126, 1, 1),
    ))  # fmt: skip
    assert not image[..., :2].any()


def test_minimum_precision_changes_nothing():
    """16-bit floats and integers are computed in 32 bits, which Direct3D allows."""
    head = "dcl_globalFlags enableMinimumPrecision\n"
    vs = shader(
        ("POSITION 0 xyzw 0 float", COLOR), (POSITION, COLOR),
        f"vs_5_0\n{head}dcl_input v0.xyzw\ndcl_input v1.xyzw\n"
        "dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw {min16f}\ndcl_temps 1\n"
        "mov o0.xyzw, v0.xyzw\nmul r0.xyzw {min16f}, v1.xyzw {def32 as min16f}, "
        "l(3.0, 3.0, 3.0, 3.0) {def32 as min16f}\nmov o1.xyzw {min16f}, r0.xyzw {min16f}\nret\n",
    )  # fmt: skip
    ps = shader(
        (POSITION, COLOR), ("SV_Target 0 xyzw 0 float",),
        f"ps_5_0\n{head}dcl_input_ps linear v1.xyzw {{min16f}}\ndcl_output o0.xyzw\ndcl_temps 1\n"
        "ftoi r0.x {min16i}, v1.x {min16f}\niadd r0.x {min16i}, r0.x {min16i}, "
        "l(100000) {def32 as min16i}\nitof o0.x, r0.x {min16i}\nmov o0.yzw, v1.yyzw {min16f}\n"
        "ret\n",
    )  # fmt: skip
    image = np.zeros((4, 4, 4), F4)
    exact = np.array([4000 / 3, 1 + 2.0**-20, 1 / 3, 1e20], F4)
    softd3d.draw(6, **arguments(
        vs=vs, ps=ps, vertex_buffers=[quad(exact)], render_targets=[image],
    ))  # fmt: skip
    product = exact * F4(3)
    wanted = np.array([100000 + int(product[0]), *product[1:]], F4)
    assert (image == wanted).all()


def test_u_registers_of_model_5_1_have_their_own_numbers_beside_render_targets():
    """And in each stage and space, as in Direct3D 12: here all are u0, beside target 0."""
    vs = shader(
        ("SV_VertexID 0 x 0 uint",), (POSITION,),
        "vs_5_1\ndcl_uav_raw U0[0:0], space=0\ndcl_input_sgv v0.x, vertex_id\n"
        "dcl_output_siv o0.xyzw, position\ndcl_temps 1\nishl r0.x, v0.x, l(1)\n"
        "and r0.x, r0.x, l(2)\nand r0.y, v0.x, l(2)\nutof r0.xy, r0.xyxx\n"
        "mad o0.xy, r0.xyxx, l(2.0, -2.0, 0, 0), l(-1.0, 1.0, 0, 0)\nmov o0.zw, l(0, 0, 0.5, 1.0)\n"
        "atomic_iadd U0[0], l(0), l(1)\nret\n",
    )  # fmt: skip
    ps = shader(
        (POSITION,), ("SV_Target 0 xyzw 0 float",),
        "ps_5_1\ndcl_uav_raw U0[0:0], space=0\ndcl_uav_raw U1[0:0], space=1\ndcl_output o0.xyzw\n"
        "atomic_iadd U0[0], l(0), l(1)\natomic_iadd U1[0], l(0), l(2)\n"
        "mov o0.xyzw, l(1.0, 2.0, 3.0, 4.0)\nret\n",
    )  # fmt: skip
    vertices, pixels, twice = (np.zeros(1, np.uint32) for _ in range(3))
    image = np.zeros((4, 4, 4), F4)
    softd3d.draw(
        3, vs=vs, ps=ps, uavs={"vs": {0: vertices}, "ps": {0: pixels, (0, 1): twice}},
        render_targets=[image], engine=scene.ENGINE, strict=True,
    )  # fmt: skip
    assert (image == (1, 2, 3, 4)).all()
    assert (vertices[0], pixels[0], twice[0]) == (3, 16, 32)
