"""Bindings of hull, domain and geometry shaders; inputs that the stage before does not write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from draw_shaders import POSITION, arguments, constant_pixel, shader
from small_stages import (
    domain_shader,
    factor_rows,
    geometry_shader,
    hull_shader,
    position_shader,
)

import softd3d
from softd3d.errors import ResourceError

ENGINES = ["interpreter", "jit"]
CORNERS = np.zeros(3, [("POSITION", "f4", 4)])
CORNERS["POSITION"] = (-1, 1, 0.5, 1), (1, 1, 0.5, 1), (-1, -1, 0.5, 1)


def staged(**changes: Any) -> dict[str, Any]:
    return arguments(
        **{
            "vs": position_shader(), "ps": constant_pixel(), "vertex_buffers": [CORNERS],
            "constants": {"ps": {0: np.ones(4, np.float32)}}, **changes,
        }
    )  # fmt: skip


def scaling() -> softd3d.Shader:
    """A geometry shader: points times cb2[0]; the number of each primitive to u1."""
    row = "SV_Position 0 xyzw 0 float"
    return shader(
        (row,), (f"m0:{row}",),
        "gs_5_0\ndcl_constantbuffer cb2[1], immediateIndexed\ndcl_uav_raw u1\n"
        "dcl_input_siv v[1][0].xyzw, position\ndcl_input vPrim\ndcl_temps 1\n"
        "dcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\n"
        "dcl_output_siv o0.xyzw, position\ndcl_maxout 1\n"
        "ishl r0.x, vPrim, l(2)\niadd r0.y, vPrim, l(1)\nstore_raw u1.x, r0.x, r0.y\n"
        "mul o0.xyzw, v[0][0].xyzw, cb2[0].xyzw\nemit_stream m0\nret\n",
    )  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("by_stage", [False, True])
def test_each_stage_gets_what_is_its_own(engine, by_stage):
    """By stage, or in one dictionary: only the geometry shader has cb2, only the pixel's cb0."""
    half, words = np.array([0.5, 0.5, 1, 1], np.float32), np.zeros(3, np.uint32)
    constants = {"gs": {2: half}, "ps": {0: np.ones(4, np.float32)}}
    flat = {2: half, 0: np.ones(4, np.float32)}
    out = np.zeros((3, 4), np.float32)
    result = softd3d.draw(
        3, **staged(
            gs=scaling(), topology="POINTLIST", engine=engine,
            constants=constants if by_stage else flat,
            uavs={"gs": {1: words}} if by_stage else {1: words},
            stream_output=[softd3d.SODeclarationEntry(0, "SV_Position")], so_targets=[out],
        )
    )  # fmt: skip
    assert out.tolist() == [[-0.5, 0.5, 0.5, 1], [0.5, 0.5, 0.5, 1], [-0.5, -0.5, 0.5, 1]]
    assert words.tolist() == [1, 2, 3]
    assert result.poisoned == ()
    assert result.statistics.gs_invocations == 3


def test_a_missing_binding_names_the_stage():
    with pytest.raises(ResourceError, match="geometry shader: b2: not in constants; bind it"):
        softd3d.Draw(**staged(gs=scaling(), topology=1, uavs={1: None}))
    two = [np.zeros((4, 4, 4), np.float32) for _ in range(2)]
    with pytest.raises(ResourceError, match="found u1 beside 2 render targets, wanted u2 or high"):
        softd3d.Draw(**staged(gs=scaling(), topology=1, render_targets=two))
    words = np.zeros(16, np.float32)
    with pytest.raises(ResourceError, match="geometry shader u1: shares memory with vertex buffer"):
        softd3d.Draw(
            **staged(
                gs=scaling(), topology=1, uavs={1: words},
                constants={2: bytes(16), 0: bytes(16)},
                vertex_buffers=[softd3d.VertexBuffer(words, 16)],
                input_layout=[softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT")],
            )
        )  # fmt: skip


UNFED: dict[str, tuple[dict[str, Any], str]] = {
    "gs": ({"gs": geometry_shader(register=1)}, "gs v1"),
    "hs": (
        {"hs": hull_shader(register=3), "ds": domain_shader(), "topology": "PATCHLIST_3"}, "hs v3",
    ),
    "ds": (
        {
            "hs": hull_shader(), "topology": "PATCHLIST_3",
            "ds": shader(
                (POSITION,), (POSITION,),
                "ds_5_0\ndcl_input_control_point_count 3\ndcl_tessellator_domain domain_tri\n"
                "dcl_input vicp[3][0].xyzw\ndcl_input vpc5.x\n"
                "dcl_output_siv o0.xyzw, position\nmov o0.xyzw, vicp[0][0].xyzw\n"
                "mov o0.z, vpc5.x\nret\n",
                (*factor_rows("tri"), "K 0 x 5 float NONE"),
            ),
        },
        "ds vpc5",
    ),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", UNFED)
def test_inputs_that_nothing_feeds_are_0_and_noted(name, engine):
    changes, register = UNFED[name]
    given = staged(**changes, engine=engine)
    rule = "read, but not written by the stage before"
    if name == "gs":  # whose position comes from such an input
        given |= {"ps": None, "constants": None, "render_targets": []}
        given["stream_output"] = softd3d.StreamOutput(
            [softd3d.SODeclarationEntry(0, "SV_Position")], rasterized_stream=None
        )
    assert (register, rule) in softd3d.draw(3, **given).poisoned
    with pytest.raises(ResourceError, match=f"^{register}: {rule}$"):
        softd3d.Draw(**given, strict=True)
