"""Stream output of draws on both engines: what vertex shaders leave, with and without pixels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from both import compare, drawn_by_reference
from stage_draws import WAYS, stage_draw, streamed, with_buffers

from softd3d.interp.draw.engine import draw_interpreted
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.queries import SOStatistics
from softd3d.pipeline.state import PrimitiveTopology
from softd3d.pipeline.stream_layout import StreamedSlot

IDS = StreamedSlot(0, 0, 12, ((0, "o1.x"), (2, "o1.y")))


def streaming_draw(
    topology: PrimitiveTopology, slots: tuple[StreamedSlot, ...] = (IDS,), words: int = 256
) -> PreparedDraw:  # fmt: skip
    return with_buffers(stage_draw(topology), *slots, words=words)


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
