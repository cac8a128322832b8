"""Stream output of draws on both engines: what vertex shaders leave, with and without pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from both import compare, drawn_by_reference
from random_draws import bound, random_draw

from softd3d.interp.draw.engine import draw_interpreted
from softd3d.pipeline.prepared import (
    DrawCall,
    PreparedDraw,
    PreparedStreamOutput,
    StreamOutputBuffer,
)
from softd3d.pipeline.queries import SOStatistics
from softd3d.pipeline.state import PrimitiveTopology, RasterizerState
from softd3d.pipeline.stream_layout import StreamedSlot

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
PIXEL = f"""ps_5_0
{HEAD}dcl_input_ps_siv linear noperspective v0.xy, position
dcl_output o0.xyzw
mov o0.xyzw, v0.xyxy
ret
"""
IDS = StreamedSlot(0, 0, 12, ((0, "o1.x"), (2, "o1.y")))
WAYS = [{"lanes": n, "threads": n % 3 + 1, "chunk": c} for n, c in ((4, 1), (8, 3), (16, 1 << 14))]


def streaming_draw(
    topology: PrimitiveTopology, slots: tuple[StreamedSlot, ...] = (IDS,), words: int = 256
) -> PreparedDraw:  # fmt: skip
    """Return a draw of small triangles that streams out to a buffer in each slot."""
    base = next(
        p for p in (random_draw(n).prepared for n in range(100, 200))
        if p.pattern.count == 1 and p.depth is None and any(p.targets) and not p.is_forced
    )  # fmt: skip
    buffers = {
        slot.slot: StreamOutputBuffer(
            np.full(words, 7, np.uint32).view(np.uint8), np.zeros(1, np.int64)
        )
        for slot in slots
    }
    return replace(
        base, vertex=bound(VERTEX), pixel=bound(PIXEL), inputs=(), vertex_buffers={},
        index_buffer=None, topology=topology, sample_mask=0xFFFFFFFF,
        rasterizer=RasterizerState(cull_mode=1),
        stream_output=PreparedStreamOutput(slots, buffers),
    )  # fmt: skip


def streamed(draw: PreparedDraw, call: DrawCall, slot: int = 0) -> list[list[int]]:
    """Return the dwords of each vertex in a buffer that the reference engine writes."""
    assert draw.stream_output is not None
    buffer = draw.stream_output.buffers[slot]
    found = draw.stream_output.slots[slot]
    draw_interpreted(draw, call)
    end = int(buffer.filled[0])
    return buffer.data[:end].view(np.uint32).reshape(-1, found.stride // 4).tolist()


def test_strips_are_written_as_lists() -> None:
    """The second triangle is 1, 3, 2: its leading vertex first. Spec: D3D11.3 section 14."""
    draw = streaming_draw(PrimitiveTopology.TRIANGLESTRIP)
    found = streamed(draw, DrawCall(4, 2))
    assert found == [[n, 7, i] for i in (0, 1) for n in (0, 1, 2, 1, 3, 2)]


def test_control_points_of_whole_patches_are_written() -> None:
    draw = replace(streaming_draw(PrimitiveTopology.PATCHLIST_5), rasterized_stream=None)
    found = streamed(draw, DrawCall(13))
    assert [row[0] for row in found] == list(range(10))


def test_adjacent_vertices_are_not_written() -> None:
    draw = streaming_draw(PrimitiveTopology.LINELIST_ADJ)
    assert [row[0] for row in streamed(draw, DrawCall(8))] == [1, 2, 5, 6]


def test_draws_append() -> None:
    draw = streaming_draw(PrimitiveTopology.POINTLIST)
    draw_interpreted(draw, DrawCall(2, start=5))
    assert [row[0] for row in streamed(draw, DrawCall(1))] == [0, 1, 0]


@pytest.mark.parametrize("stream", [None, 0])
@pytest.mark.parametrize("topology", ["TRIANGLESTRIP", "LINESTRIP", "POINTLIST", "LINELIST_ADJ"])
def test_both_engines_stream_out_the_same(topology: str, stream: int | None) -> None:
    draw = replace(streaming_draw(PrimitiveTopology[topology]), rasterized_stream=stream)
    compare(draw, DrawCall(8, 3), WAYS, topology)
    _, result = drawn_by_reference(draw, DrawCall(8, 3))
    assert (result.statistics.c_invocations > 0) == (stream is not None)
    assert (result.statistics.ps_invocations > 0) == (stream is not None)


def test_streams_other_than_0_rasterise_nothing_without_a_geometry_shader() -> None:
    draw = replace(streaming_draw(PrimitiveTopology.TRIANGLELIST), rasterized_stream=1)
    compare(draw, DrawCall(6), WAYS)
    _, result = drawn_by_reference(draw, DrawCall(6))
    assert result.statistics.c_invocations == 0
    assert result.so_statistics[0] == SOStatistics(2, 2)


@pytest.mark.parametrize("words", [0, 8, 9, 17, 18, 36])
def test_overflow_is_the_same_in_all_chunks(words: int) -> None:
    """A triangle takes 9 dwords; of four triangles those are written that fit."""
    draw = streaming_draw(PrimitiveTopology.TRIANGLELIST, words=words)
    compare(draw, DrawCall(6, 2), WAYS, str(words))
    _, result = drawn_by_reference(draw, DrawCall(6, 2))
    assert result.so_statistics[0] == SOStatistics(words // 9, 4)
    assert result.so_overflow_predicate == (words < 36)


def test_outputs_that_nobody_writes_are_0() -> None:
    slots = (StreamedSlot(0, 0, 8, ((0, "o1.x"), (1, "o5.z"))),)
    draw = streaming_draw(PrimitiveTopology.POINTLIST, slots)
    compare(draw, DrawCall(3), WAYS)
    assert streamed(draw, DrawCall(3)) == [[0, 0], [1, 0], [2, 0]]
