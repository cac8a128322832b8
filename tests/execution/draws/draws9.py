"""Draws of Direct3D 9 programs made by hand: shaders as text, vertices as structured arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.formats.d3d9 import d3d9_format
from softd3d.formats.layout import Format
from softd3d.isa.asm.sm1.assembler import assemble_stream
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm1.program import Program
from softd3d.pipeline.d3d9.elements import VertexElement
from softd3d.pipeline.d3d9.pixel import PixelFacts, pixel_stage
from softd3d.pipeline.d3d9.vertex import vertex_stage
from softd3d.pipeline.prepared import PreparedDraw, Target, VertexStream
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
    Viewport,
)

WAYS: list[dict[str, Any]] = [{"lanes": 8}, {"lanes": 4, "threads": 2, "tile": (4, 2), "chunk": 1}]
"""How native code is run in comparisons with the reference engine."""
FLOAT4 = DeclType.FLOAT4
POSITION_AND_COLOR = (
    VertexElement(Usage.POSITION, 0, FLOAT4, 0, 0), VertexElement(Usage.COLOR, 0, FLOAT4, 0, 16),
)  # fmt: skip
FULL_SCREEN = ((-1, 1, 0.5, 1), (3, 1, 0.5, 1), (-1, -3, 0.5, 1))
"""A triangle, clockwise, that covers any target."""


def program(text: str) -> Program:
    return decode(assemble_stream(text.strip() + "\n"))


def target(
    format_: str | Format = "A32B32G32R32F", width: int = 8, height: int = 8, samples: int = 1
) -> Target:
    """Return a target of zeros."""
    found = d3d9_format(format_) if isinstance(format_, str) else format_
    row = width * samples * found.bytes_per_block
    data = np.zeros(row * height, np.uint8)
    return Target("target", found, data, 0, row, row * height, width, height, 1, samples)


def picture(of: Target, dtype: Any = np.float32) -> NDArray[Any]:
    """Return a target's components, (height, width, n)."""
    return of.data.view(dtype).reshape(of.height, of.width * of.samples, -1)


def vertices(*columns: object) -> NDArray[np.float32]:
    """Return columns of four floats, one for each element, next to each other."""
    arrays = [np.array(column, np.float32) for column in columns]
    count = max(len(a) for a in arrays if a.ndim > 1)
    return np.concatenate([np.broadcast_to(a, (count, 4)) for a in arrays], axis=1)


def prepared(
    vs: str | Program, ps: str | Program, data: NDArray[Any], *,
    elements: Sequence[VertexElement] = POSITION_AND_COLOR, facts: PixelFacts | None = None,
    profile: str = "driver", clip_planes: int = 0, topology: str = "TRIANGLELIST",
    targets: tuple[Target | None, ...] = (), depth: Target | None = None, states: Any = None,
    **changes: Any,
) -> PreparedDraw:  # fmt: skip
    """Return a draw. states: what is put into the pixel shader's and vertex shader's states."""
    vertex = vertex_stage(
        program(vs) if isinstance(vs, str) else vs, elements, profile=profile,
        clip_planes=clip_planes,
    )  # fmt: skip
    pixel = pixel_stage(
        program(ps) if isinstance(ps, str) else ps, vertex.outputs, facts or PixelFacts(),
        profile=profile,
    )  # fmt: skip
    for bound in (vertex.bound, pixel):
        if states is not None:
            states(bound.constants[4])
    first = next(t for t in (*targets, depth) if t is not None)
    size = data.dtype.itemsize * (data.shape[-1] if data.ndim > 1 else 1)
    draw = PreparedDraw(
        vertex.bound, pixel, vertex.inputs, PrimitiveTopology[topology],
        {0: VertexStream(np.ascontiguousarray(data).reshape(-1).view(np.uint8), size)}, None,
        RasterizerState(cull_mode="NONE"), BlendState(),
        DepthStencilState(depth_enable=depth is not None, depth_func="LESS_EQUAL"),
        (1.0, 1.0, 1.0, 1.0), 0, 0xFFFFFFFF,
        (Viewport(0.5, 0.5, first.width, first.height, 0, 1),), (), targets, depth,
        sample_pattern(first.samples), first.width, first.height,
    )  # fmt: skip
    return replace(draw, **changes)
