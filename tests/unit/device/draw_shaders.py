"""Small shaders for draws, assembled from listings, and the scenes that they draw."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import softd3d

ENGINE = "interpreter"
_HEADER = """//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
"""
_SYSTEM = {
    "SV_Position": "POS", "SV_VertexID": "VERTID", "SV_InstanceID": "INSTID",
    "SV_PrimitiveID": "PRIMID", "SV_Target": "TARGET", "SV_IsFrontFace": "FFACE",
    "SV_RenderTargetArrayIndex": "RTINDEX", "SV_ClipDistance": "CLIPDST",
}  # fmt: skip


def _table(title: str, rows: tuple[str, ...]) -> str:
    """rows: `SEMANTIC INDEX MASK REGISTER FORMAT`, and a system value that the name tells not."""
    lines = [f"// {title} signature:\n{_HEADER}"]
    for row in rows:
        name, index, mask, register, form, *other = row.split()
        spaced = "".join(c if c in mask else " " for c in "xyzw")
        value = other[0] if other else _SYSTEM.get(name.split(":")[-1], "NONE")
        lines.append(
            f"// {name:<20} {index:>5}   {spaced} {register:>8} {value:>8} {form:>7}   {spaced}\n"
        )
    return "".join(lines) + "//\n"


@cache
def shader(
    inputs: tuple[str, ...], outputs: tuple[str, ...], code: str, constants: tuple[str, ...] = ()
) -> softd3d.Shader:
    """Return a shader of a listing with signatures. constants: of patches."""
    text = _table("Patch Constant", constants) if constants else ""
    text += _table("Input", inputs) + _table("Output", outputs) + code
    loaded = softd3d.load(softd3d.assemble(text))
    assert isinstance(loaded, softd3d.Shader)
    return loaded


POSITION = "SV_Position 0 xyzw 0 float"


def vertex_shader() -> softd3d.Shader:
    """POSITION as it is, COLOR to COLOR."""
    return shader(
        ("POSITION 0 xyzw 0 float", "COLOR 0 xyzw 1 float"), (POSITION, "COLOR 0 xyzw 1 float"),
        "vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\n"
        "dcl_output o1.xyzw\nmov o0.xyzw, v0.xyzw\nmov o1.xyzw, v1.xyzw\nret\n",
    )  # fmt: skip


def full_screen() -> softd3d.Shader:
    """A triangle over everything, of no vertex buffers."""
    return shader(
        ("SV_VertexID 0 x 0 uint",), (POSITION,),
        "vs_5_0\ndcl_input_sgv v0.x, vertex_id\ndcl_output_siv o0.xyzw, position\ndcl_temps 1\n"
        "ishl r0.x, v0.x, l(1)\nand r0.x, r0.x, l(2)\nand r0.y, v0.x, l(2)\n"
        "utof r0.xy, r0.xyxx\nmad o0.xy, r0.xyxx, l(2.0, -2.0, 0, 0), l(-1.0, 1.0, 0, 0)\n"
        "mov o0.zw, l(0, 0, 0.5, 1.0)\nret\n",
    )  # fmt: skip


def pixel_shader(kind: str = "float") -> softd3d.Shader:
    """COLOR to target 0; kind: float, uint or int, whose bits are those of COLOR's."""
    return shader(
        (POSITION, "COLOR 0 xyzw 1 float"), (f"SV_Target 0 xyzw 0 {kind}",),
        "ps_5_0\ndcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n",
    )  # fmt: skip


def constant_pixel() -> softd3d.Shader:
    """cb0[0] to target 0."""
    return shader(
        (POSITION,), ("SV_Target 0 xyzw 0 float",),
        "ps_5_0\ndcl_constantbuffer cb0[1], immediateIndexed\ndcl_output o0.xyzw\n"
        "mov o0.xyzw, cb0[0].xyzw\nret\n",
    )  # fmt: skip


def reading_pixel(body: str, declarations: str) -> softd3d.Shader:
    """A pixel shader of position and some code that writes o0."""
    return shader(
        (POSITION,), ("SV_Target 0 xyzw 0 float",),
        f"ps_5_0\n{declarations}dcl_output o0.xyzw\n{body}ret\n",
    )  # fmt: skip


VERTEX = np.dtype([("POSITION", "f4", 4), ("COLOR", "f4", 4)])


def quad(color: Any = (1.0, 0.5, 0.25, 1.0), z: float = 0.5) -> np.ndarray:
    """Two triangles over everything, clockwise."""
    vertices = np.zeros(6, VERTEX)
    for n, (x, y) in enumerate([(-1, 1), (1, 1), (-1, -1), (1, 1), (1, -1), (-1, -1)]):
        vertices[n] = (x, y, z, 1), color
    return vertices


def arguments(**changes: Any) -> dict[str, Any]:
    """What draws a quad on 4 x 4 floats, with changes."""
    return {
        "vs": vertex_shader(), "ps": pixel_shader(), "vertex_buffers": [quad()],
        "render_targets": [np.zeros((4, 4, 4), np.float32)], "engine": ENGINE, **changes,
    }  # fmt: skip
