"""Random draws: meshes, shaders put together from parts, states and formats, by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from chance import Chance
from numpy.typing import NDArray

from softd3d.device.bind import bind
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import Format
from softd3d.formats.pipeline_views import (
    has_logic_operations,
    is_blendable,
    is_depth_stencil,
    is_render_target,
)
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.input_layout import VertexInput
from softd3d.pipeline.prepared import DrawCall, IndexStream, PreparedDraw, Target, VertexStream
from softd3d.pipeline.rasterizer.samples import rasterizer_pattern, sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilOpDesc,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
    Rect,
    RenderTargetBlendDesc,
    Viewport,
)
from softd3d.pipeline.state.enums import Blend
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

__all__ = ["RandomDraw", "bound", "positions", "random_draw"]

SIZE = 44  # pixels
HEAD = "dcl_globalFlags refactoringAllowed\n"
TARGETS = [f for f in DXGI_FORMATS.values() if is_render_target(f)]
DEPTHS = [f for f in DXGI_FORMATS.values() if is_depth_stencil(f)]
TOPOLOGIES = [
    PrimitiveTopology.POINTLIST, PrimitiveTopology.LINELIST, PrimitiveTopology.LINESTRIP,
    PrimitiveTopology.TRIANGLELIST, PrimitiveTopology.TRIANGLELIST, PrimitiveTopology.TRIANGLESTRIP,
    PrimitiveTopology.TRIANGLELIST_ADJ, PrimitiveTopology.TRIANGLESTRIP_ADJ,
    PrimitiveTopology.LINELIST_ADJ, PrimitiveTopology.LINESTRIP_ADJ,
]  # fmt: skip
SMOOTH = ["linear", "linear", "linear centroid", "linear noperspective"]
ANY_MODE = [
    *SMOOTH, "linear noperspective centroid", "linear sample", "linear noperspective sample",
    "constant",
]  # fmt: skip


@dataclass
class RandomDraw:
    """A draw, and the shaders' text."""

    prepared: PreparedDraw
    call: DrawCall
    texts: tuple[str, str]


def random_draw(seed: int, mesh: int = 0) -> RandomDraw:
    """Make a draw, the same for the same seed; what kernels depend on does not tell the mesh."""
    c, m = Chance(seed), Chance(1000 * seed + mesh)
    samples, slices = c.one([1, 1, 1, 2, 4, 8, 16]), c.one([1, 1, 3])
    is_integer = c.often(0.15)
    formats = [f for f in TARGETS if f.is_integer is is_integer]
    targets = tuple(
        None if c.often(0.1) else _target(c, f"rt{n}", c.one(formats), samples, slices)
        for n in range(c.one([0, 1, 1, 1, 2, 3]))
    )
    depth = _target(c, "depth", c.one(DEPTHS), samples, slices) if c.often(0.6) else None
    has_target = depth is not None or any(targets)
    is_dual = len(targets) == 1 and c.often(0.25)
    vertex_text = _vertex_text(c, slices)
    pixel_text = _pixel_text(
        c, len(targets) + is_dual, uint_outputs=is_integer, has_target=has_target
    )
    memory = c.rng.integers(0, 4, 256).astype(np.uint8)
    uavs = {"u7": memory.view(np.uint32)} if " u7" in pixel_text else {}
    raster = _raster(c, has_depth=depth is not None)
    prepared = PreparedDraw(
        vertex=bound(vertex_text),
        pixel=bound(pixel_text, uavs=uavs),
        inputs=_inputs(c),
        topology=c.one(TOPOLOGIES),
        vertex_buffers={0: _vertices(m, c.one([0, 4]))},
        index_buffer=_indices(m),
        rasterizer=raster,
        blend=_blend(c, targets, is_dual=is_dual),
        depth_stencil=_depth_stencil(c) if depth is not None else DepthStencilState(False),
        blend_factor=(m.rng.random(), 0.5, 1.0, m.rng.random()),
        stencil_ref=m.number(0, 256),
        sample_mask=c.one([0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x5]),
        viewports=tuple(_viewport(m) for _ in range(3)),
        scissors=tuple(_rect(m) for _ in range(3)),
        targets=targets,
        depth=depth,
        pattern=rasterizer_pattern(sample_pattern(samples), raster.forced_sample_count),
        width=SIZE,
        height=SIZE,
        read_only_depth=c.often(0.1),
        read_only_stencil=c.often(0.1),
    )
    call = DrawCall(
        m.number(3, 40), m.one([1, 1, 2, 3]), m.number(0, 3), m.number(0, 2), m.number(-2, 3),
        m.often(0.5),
    )  # fmt: skip
    return RandomDraw(prepared, call, (vertex_text, pixel_text))


def bound(text: str, **bindings: Any) -> BoundProgram:
    return bind(load_shader(assemble_tokens(text)), **bindings)


def _target(c: Chance, name: str, format_: Format, samples: int, slices: int) -> Target:
    row = SIZE * samples * format_.bytes_per_block + c.one([0, 16])
    size = row * SIZE
    data = c.rng.integers(0, 256, size * slices + 32).astype(np.uint8)
    if name == "depth" or "FLOAT" in format_.name:
        data[:] = 0x3F if name == "depth" else 0x30  # numbers in the midst of the range
    return Target(name, format_, data, 16, row, size, SIZE, SIZE, slices, samples)


# Vertices


def _vertices(c: Chance, spare: int) -> VertexStream:
    count, stride = 48, 28 + spare
    data = np.empty((count, stride), np.uint8)
    data[:] = c.rng.integers(0, 256, data.shape)
    data[:, :16] = positions(c, count).view(np.uint8).reshape(count, 16)
    return VertexStream(data.reshape(-1), stride, c.one([0, 0, stride]))


def positions(c: Chance, count: int) -> NDArray[np.float32]:
    """Return small and large primitives, some behind the eye, some far away, some not finite."""
    found = np.ones((count, 4), np.float32)
    centre = c.rng.normal(0, 0.5, (count // 4, 2)).repeat(4, axis=0)
    found[:, :2] = centre + c.rng.normal(0, c.one([0.3, 1.2, 1.2, 3.0]), (count, 2))
    found[:, 2] = c.rng.random(count) * c.one([1.0, 1.0, 1.6]) - c.one([0.0, 0.3])
    if c.often(0.7):
        found *= (c.rng.random(count) * 3 + 0.3).astype(np.float32)[:, None]
    if c.often(0.25):
        found[c.rng.random(count) < 0.2, 3] *= -1
    if c.often(0.15):
        found[c.rng.random(count) < 0.1] *= 5000
    if c.often(0.1):
        found[c.number(0, count), c.number(0, 4)] = c.one([np.nan, np.inf, -np.inf])
    if c.often(0.3):
        found = np.round(found * np.float32(4)) * np.float32(0.25)
    return found


def _inputs(c: Chance) -> tuple[VertexInput, ...]:
    formats = (
        "R32G32B32A32_FLOAT", c.one(["R8G8B8A8_SNORM", "R16G16_SNORM", "R10G10B10A2_UNORM"]),
        "R16G16B16A16_SNORM",
    )  # fmt: skip
    rates = [None, None, c.one([0, 1, 2]) if c.often(0.25) else None]  # of data by instance
    return tuple(
        VertexInput("A", n, 15, 15, 0, at, dxgi_format(name), rates[n] is not None, rates[n] or 0)
        for n, (at, name) in enumerate(zip((0, 16, 20), formats, strict=True))
    )


def _indices(c: Chance) -> IndexStream:
    kind, name = c.one([(np.uint16, "R16_UINT"), (np.uint32, "R32_UINT")])
    numbers = c.rng.integers(0, 44, 60).astype(kind)
    numbers[c.rng.random(60) < 0.05] = np.iinfo(kind).max
    return IndexStream(numbers.view(np.uint8), dxgi_format(name), 4 * c.number(0, 2))


def _vertex_text(c: Chance, slices: int) -> str:
    lines = [
        "vs_5_0", HEAD.strip(), "dcl_input v0.xyzw", "dcl_input v1.xyzw", "dcl_input v2.xyzw",
        "dcl_input_sgv v3.x, vertex_id", "dcl_input_sgv v4.x, instance_id",
        "dcl_output_siv o0.xyzw, position", "dcl_output o1.xyzw", "dcl_output o2.xyzw",
    ]  # fmt: skip
    body = [
        "utof r0.x, v4.x", "mul r0.x, r0.x, l(0.3)", "mov o0.yzw, v0.yyzw", "add o0.x, v0.x, r0.x",
        "mov o1.xyzw, v1.xyzw", "mov o2.xyz, v2.xyzx", "iadd o2.w, v3.x, v4.x",
    ]  # fmt: skip
    if c.often(0.25):
        lines.append("dcl_output_siv o3.xy, clip_distance")
        body += ["mov o3.x, v2.x", "add o3.y, v1.x, l(0.8)"]
    elif c.often(0.15):
        lines.append("dcl_output_siv o3.x, cull_distance")
        body.append("add o3.x, v2.x, l(0.3)")
    if slices > 1:
        lines.append("dcl_output_siv o4.x, rendertarget_array_index")
        body += ["and o4.x, v3.x, l(3)"]
    if c.often(0.3):
        lines.append("dcl_output_siv o5.x, viewport_array_index")
        body += ["ushr r1.x, v3.x, l(1)", "and o5.x, r1.x, l(3)"]
    if c.often(0.2):  # a loop of each vertex's own
        body += [
            "and r2.x, v3.x, l(7)", "loop", "breakc_z r2.x", "iadd r2.x, r2.x, l(-1)",
            "mul o1.x, v1.y, l(0.5)", "endloop",
        ]  # fmt: skip
    return "\n".join([*lines, "dcl_temps 3", *body, "ret"]) + "\n"


# Pixel shaders


_LOOP = """mov r2.x, l(0)
loop
  ige r2.y, r2.x, v2.w
  breakc_nz r2.y
  iadd r2.x, r2.x, l(9)
  mad r0.y, r0.x, l(0.1), r0.y
endloop"""
_PARTS: list[tuple[float, str, str]] = [
    (
        0.4, "dcl_input_ps_siv linear noperspective v0.xyzw, position",
        "mul r1.xyzw, v0.xyzw, l(0.02, 0.02, 1.0, 0.1)\nadd r0.xyzw, r0.xyzw, r1.xyzw",
    ),
    (0.3, "dcl_input_ps_sgv constant v6.x, is_front_face", "movc r0.x, v6.x, r0.x, -r0.y"),
    (
        0.25, "dcl_input_ps_sgv constant v7.x, primitive_id",
        "utof r1.x, v7.x\nmad r0.y, r1.x, l(0.07), r0.y",
    ),
    (
        0.15, "dcl_input_ps_sgv constant v8.x, sampleIndex",
        "utof r1.x, v8.x\nmad r0.z, r1.x, l(0.2), r0.z",
    ),
    (0.2, "dcl_input vCoverage", "utof r1.x, vCoverage.x\nmad r0.z, r1.x, l(0.01), r0.z"),
    (
        0.3, "",
        "deriv_rtx_coarse r1.x, r0.x\nderiv_rty_fine r1.y, v2.y\nmad r0.w, r1.x, l(3.0), r1.y",
    ),
    (0.2, "", "lt r1.x, r0.x, l(0.1)\ndiscard_nz r1.x"),
    (
        0.2, "",
        _LOOP,
    ),
]  # fmt: skip
"""How often a pixel shader has a part; declarations; instructions."""
_EFFECTS = (
    "and r2.x, v2.w, l(31)\natomic_iadd u7, r2.xxxx, l(1)\nstore_structured u7.x, l(40), l(0), r0.x"
)


def _pixel_text(c: Chance, targets: int, *, uint_outputs: bool, has_target: bool) -> str:
    modes = ANY_MODE if c.often(0.35) else SMOOTH
    flags = " | forceEarlyDepthStencil" if c.often(0.08) else ""
    lines = [
        "ps_5_0", HEAD.strip() + flags, f"dcl_input_ps {c.one(modes)} v1.xyzw",
        f"dcl_input_ps {c.one(modes)} v2.xyz", "dcl_input_ps constant v2.w",
    ]  # fmt: skip
    body = ["mov r0.xyzw, v1.xyzw"]
    for share, declarations, instructions in _PARTS:
        if c.often(share):
            lines += [declarations] if declarations else []
            body.append(instructions)
    if not has_target or c.often(0.12):
        lines.append("dcl_uav_structured u7, 4")
        body.append(_EFFECTS)
    lines += _outputs(c, body, targets, uint_outputs=uint_outputs, has_target=has_target)
    return "\n".join([*lines, "dcl_temps 3", *body, "ret"]) + "\n"


def _outputs(
    c: Chance, body: list[str], targets: int, *, uint_outputs: bool, has_target: bool
) -> list[str]:
    lines: list[str] = []
    for n in range(max(targets, int(c.often(0.3)))):
        lines.append(f"dcl_output o{n}.xyzw")
        if uint_outputs:
            body += ["mul r1.xyzw, r0.xyzw, l(90.0, 90.0, 90.0, 90.0)", f"ftoi o{n}.xyzw, r1.xyzw"]
        else:
            body.append(f"mul o{n}.xyzw, r0.{c.one(['xyzw', 'yzwx', 'wzyx'])}, v2.xyzx")
            body.append(f"mov o{n}.w, r0.w")
    if has_target and c.often(0.12):
        lines.append("dcl_output oDepth")
        body.append("add oDepth, v2.x, l(0.4)")
    if c.often(0.12):
        lines.append("dcl_output oMask")
        body += ["ishl r1.x, v2.w, l(1)", "or oMask, r1.x, l(5)"]
    if has_target and c.often(0.08):
        lines.append("dcl_output oStencilRef")
        body.append("mov oStencilRef, v2.w")
    return lines


# States


def _raster(c: Chance, *, has_depth: bool) -> RasterizerState:
    forced = c.one([1, 4]) if not has_depth and c.often(0.1) else 0
    return RasterizerState(
        fill_mode=c.one([3, 3, 3, 3, 2]), cull_mode=c.one([1, 1, 1, 2, 3]),
        front_counter_clockwise=c.often(0.5),
        depth_bias=c.one([0, 0, 0, 5000, -3]), depth_bias_clamp=c.one([0.0, 0.0, 0.001, -0.001]),
        slope_scaled_depth_bias=c.one([0.0, 0.0, 0.5, -1.5]), depth_clip_enable=c.often(0.7),
        scissor_enable=c.often(0.3), multisample_enable=c.often(0.5),
        antialiased_line_enable=c.often(0.3), forced_sample_count=forced,
    )  # fmt: skip


def _face(c: Chance) -> DepthStencilOpDesc:
    return DepthStencilOpDesc(*(c.number(1, 9) for _ in range(4)))


def _depth_stencil(c: Chance) -> DepthStencilState:
    return DepthStencilState(
        c.often(0.8), c.number(0, 2), c.number(1, 9), c.often(0.4), c.one([255, 255, 0x3C]),
        c.one([255, 255, 0x7]), _face(c), _face(c),
    )  # fmt: skip


def _blend(c: Chance, targets: Sequence[Target | None], *, is_dual: bool) -> BlendState:
    factors = [*range(1, 12), 14, 15, *(range(16, 20) if is_dual else ())]
    ops = 4 if is_dual else 6  # MIN and MAX do not go with the second source
    alpha = [f for f in factors if not Blend(f).is_color]
    logic = all(t is None or has_logic_operations(t.format) for t in targets) and c.often(0.5)
    blends = [
        RenderTargetBlendDesc(
            not logic and (t is None or is_blendable(t.format)) and c.often(0.6), logic,
            c.one(factors), c.one(factors), c.number(1, ops), c.one(alpha), c.one(alpha),
            c.number(1, ops),
            c.number(0, 16), c.one([15, 15, 15, c.number(0, 16)]),
        )
        for t in targets
    ]  # fmt: skip
    return BlendState(c.often(0.15), c.often(0.7) and not logic, blends[:8] or None or ())


def _rect(c: Chance) -> Rect:
    left, top = c.number(-4, SIZE // 2), c.number(-4, SIZE // 2)
    return Rect(left, top, left + c.number(0, SIZE), top + c.number(0, SIZE))


def _viewport(c: Chance) -> Viewport:
    if c.often(0.6):
        return Viewport(0, 0, SIZE, SIZE, 0, 1)
    return Viewport(
        c.number(-8, 12) + c.one([0, 0.25]), c.number(-8, 12), c.number(4, 60) + c.one([0, 0.5]),
        c.number(4, 60), c.one([0, 0.25]), c.one([1, 0.75]),
    )  # fmt: skip
