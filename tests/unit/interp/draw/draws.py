"""Small draws made by hand: shaders as text, vertices as arrays, targets that can be looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softd3d.device.bind import bind
from softd3d.formats.dxgi import dxgi_format
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.input_layout import VertexInput
from softd3d.pipeline.prepared import IndexStream, PreparedDraw, Target, VertexStream
from softd3d.pipeline.rasterizer.samples import rasterizer_pattern, sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
    Viewport,
)
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

HEAD = "dcl_globalFlags refactoringAllowed\n"
VERTEX = f"""vs_5_0
{HEAD}dcl_input v0.xyzw
dcl_input v1.xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
mov o0.xyzw, v0.xyzw
mov o1.xyzw, v1.xyzw
ret
"""
PIXEL = f"""ps_5_0
{HEAD}dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
mov o0.xyzw, v1.xyzw
ret
"""
FLOATS = dxgi_format("R32G32B32A32_FLOAT")
NO_DEPTH = DepthStencilState(depth_enable=False)
CULL_NONE = RasterizerState(cull_mode="NONE")


def shader(text: str, **bindings: object) -> BoundProgram:
    return bind(load_shader(assemble_tokens(text)), **bindings)  # type: ignore[arg-type]


def vertex_input(register: int, offset: int, format_: str = "R32G32B32A32_FLOAT") -> VertexInput:
    return VertexInput(
        f"A{register}", register, 15, 15, 0, offset, dxgi_format(format_), False, 0
    )  # fmt: skip


def target(
    format_: str = "R32G32B32A32_FLOAT", width: int = 16, height: int = 16, *, slices: int = 1,
    samples: int = 1, guard: int = 0,
) -> Target:  # fmt: skip
    """Return a target of zeros, with so many guard bytes before and behind."""
    texel = dxgi_format(format_).bytes_per_block * samples
    size = width * height * slices * texel
    data = np.full(size + 2 * guard, 0xA5, np.uint8)
    data[guard : guard + size] = 0
    return Target(
        format_, dxgi_format(format_), data, guard, width * texel, width * height * texel,
        width, height, slices, samples,
    )  # fmt: skip


def picture(of: Target, dtype: type = np.float32) -> NDArray[np.generic]:
    """Return a target's components: (slices, height, width, samples, components)."""
    size = of.width * of.height * of.slices * of.samples * of.format.bytes_per_block
    data = of.data[of.offset : of.offset + size].view(dtype)
    return data.reshape(of.slices, of.height, of.width, of.samples, -1)


def vertices(positions: object, colors: object = None) -> NDArray[np.float32]:
    """Return positions and colours next to each other, (n, 8)."""
    where = np.array(positions, np.float32).reshape(-1, 4)
    tint = np.ones_like(where) if colors is None else np.array(colors, np.float32)
    return np.ascontiguousarray(np.concatenate([where, np.broadcast_to(tint, where.shape)], 1))


def prepared(
    data: NDArray[np.float32] | None = None, *, vs: str | BoundProgram = VERTEX,
    ps: str | BoundProgram | None = PIXEL, topology: str = "TRIANGLELIST",
    targets: tuple[Target | None, ...] = (), depth: Target | None = None,
    indices: NDArray[np.generic] | None = None, rasterizer: RasterizerState = CULL_NONE,
    blend: BlendState | None = None, depth_stencil: DepthStencilState | None = None,
    viewports: tuple[Viewport, ...] | None = None, **changes: object,
) -> PreparedDraw:  # fmt: skip
    bound = [t for t in (*targets, depth) if t is not None]
    width, height = (bound[0].width, bound[0].height) if bound else (16, 16)
    pattern = rasterizer_pattern(
        sample_pattern(bound[0].samples if bound else 1), rasterizer.forced_sample_count
    )
    streams = {} if data is None else {0: VertexStream(data.reshape(-1).view(np.uint8), 32)}
    stream = None
    if indices is not None:
        name = "R16_UINT" if indices.dtype == np.uint16 else "R32_UINT"
        stream = IndexStream(indices.view(np.uint8), dxgi_format(name))
    draw = PreparedDraw(
        shader(vs) if isinstance(vs, str) else vs, shader(ps) if isinstance(ps, str) else ps,
        (vertex_input(0, 0), vertex_input(1, 16)), PrimitiveTopology[topology], streams, stream,
        rasterizer, blend or BlendState(),
        depth_stencil or (NO_DEPTH if depth is None else DepthStencilState()),
        (1.0, 1.0, 1.0, 1.0), 0, 0xFFFFFFFF,
        viewports or (Viewport(0, 0, width, height, 0, 1),), (), targets, depth, pattern, width,
        height,
    )  # fmt: skip
    return replace(draw, **changes)  # type: ignore[arg-type]
