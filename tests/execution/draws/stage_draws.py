"""Draws whose vertices say their numbers, for the stages between them and the rasteriser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from random_draws import bound, random_draw

from softd3d.interp.draw.engine import draw_interpreted
from softd3d.pipeline.prepared import (
    DrawCall,
    PreparedDraw,
    PreparedStreamOutput,
    StreamOutputBuffer,
)
from softd3d.pipeline.state import PrimitiveTopology, RasterizerState
from softd3d.pipeline.stream_layout import StreamedSlot

__all__ = ["HEAD", "PIXEL", "VERTEX", "WAYS", "slot_of", "stage_draw", "streamed", "with_buffers"]

HEAD = "dcl_globalFlags refactoringAllowed\n"
VERTEX = f"""vs_5_0
{HEAD}dcl_input_sgv v0.x, vertex_id
dcl_input_sgv v1.x, instance_id
dcl_output_siv o0.xyzw, position
dcl_output o1.xy
dcl_temps 1
and r0.xy, v0.xxxx, l(1, 2, 0, 0)
utof r0.xy, r0.xyxx
mad o0.xy, r0.xyxx, l(0.4, 0.2, 0, 0), l(-0.3, -0.3, 0, 0)
mov o0.zw, l(0, 0, 0.5, 1.0)
mov o1.x, v0.x
mov o1.y, v1.x
ret
"""
"""o1.x is SV_VertexID, o1.y SV_InstanceID."""
PIXEL = f"""ps_5_0
{HEAD}dcl_input_ps_siv linear noperspective v0.xy, position
dcl_output o0.xyzw
mov o0.xyzw, v0.xyxy
ret
"""
WAYS = [{"lanes": n, "threads": n % 3 + 1, "chunk": c} for n, c in ((4, 1), (8, 3), (16, 1 << 14))]
"""Ways in which native code draws: lanes, threads and primitives at a time change nothing."""


def slot_of(outputs: str, stream: int = 0, slot: int = 0) -> StreamedSlot:
    """Return a slot of outputs such as `o1.xy o2.w`, one behind the other."""
    names = [
        f"{register}.{component}"
        for register, _, components in (word.partition(".") for word in outputs.split())
        for component in components
    ]
    return StreamedSlot(slot, stream, 4 * len(names), tuple(enumerate(names)))


def with_buffers(draw: PreparedDraw, *slots: StreamedSlot, words: int = 4096) -> PreparedDraw:
    """Return a draw that streams out to a new buffer in each slot."""
    buffers = {
        slot.slot: StreamOutputBuffer(
            np.full(words, 7, np.uint32).view(np.uint8), np.zeros(1, np.int64)
        )
        for slot in slots
    }
    return replace(draw, stream_output=PreparedStreamOutput(slots, buffers))


def stage_draw(
    topology: PrimitiveTopology, *, hull: str = "", domain: str = "", geometry: str = "",
    pixel: str = PIXEL,
) -> PreparedDraw:  # fmt: skip
    """Return a draw to a small target. hull, domain, geometry: shaders as listings."""
    base = next(
        p for p in (random_draw(n).prepared for n in range(100, 200))
        if p.pattern.count == 1 and p.depth is None and any(p.targets) and not p.is_forced
    )  # fmt: skip
    return replace(
        base, vertex=bound(VERTEX), pixel=bound(pixel), inputs=(), vertex_buffers={},
        hull=bound(hull) if hull else None, domain=bound(domain) if domain else None,
        geometry=bound(geometry) if geometry else None, index_buffer=None, topology=topology,
        sample_mask=0xFFFFFFFF, rasterizer=RasterizerState(cull_mode=1),
    )  # fmt: skip


def streamed(draw: PreparedDraw, call: DrawCall, slot: int = 0) -> Sequence[Sequence[int]]:
    """Return the dwords of each vertex in a buffer that the reference engine writes."""
    assert draw.stream_output is not None
    buffer = draw.stream_output.buffers[slot]
    layout = next(s for s in draw.stream_output.slots if s.slot == slot)
    draw_interpreted(draw, call)
    end = int(buffer.filled[0])
    return buffer.data[:end].view(np.uint32).reshape(-1, layout.stride // 4).tolist()
