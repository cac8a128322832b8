"""Stream output: whole primitives, gaps, several buffers, overflow, write positions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.pipeline.prepared import PreparedStreamOutput, StreamOutputBuffer
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.streaming import Streaming
from softd3d.pipeline.queries import SOStatistics
from softd3d.pipeline.stream_layout import StreamedSlot

_EMPTY = 0xCDCDCDCD


def _block(*primitives: tuple[int, ...]) -> Block:
    """Return primitives of vertices whose o0.x and o0.y are 10 and 100 times their number."""
    count = len(primitives)
    vertex = np.arange(32, dtype=np.uint32)
    outputs = {"o0.x": vertex * 10, "o0.y": vertex * 100}
    where = np.array(primitives, np.int64).reshape(count, -1).T
    return Block(np.zeros(count, np.uint32), np.zeros(count, np.uint32), outputs, where)


def _buffer(words: int, filled: int = 0) -> StreamOutputBuffer:
    data = np.full(words, _EMPTY, np.uint32).view(np.uint8)
    return StreamOutputBuffer(data, np.array([filled], np.int64))


def _words(buffer: StreamOutputBuffer) -> NDArray[np.uint32]:
    return buffer.data.view(np.uint32)


XY = StreamedSlot(0, 0, 8, ((0, "o0.x"), (1, "o0.y")))


def test_vertices_of_primitives_follow_each_other() -> None:
    buffer = _buffer(9)
    streaming = Streaming(PreparedStreamOutput((XY,), {0: buffer}))
    streaming.write(0, _block((1, 2)))
    streaming.write(0, _block((2, 0)))
    assert _words(buffer).tolist() == [10, 100, 20, 200, 20, 200, 0, 0, _EMPTY]
    assert buffer.filled.tolist() == [32]
    assert streaming.statistics[0] == SOStatistics(2, 2)
    assert streaming.statistics[1:] == (SOStatistics(),) * 3


def test_gaps_and_what_follows_the_entries_are_not_touched() -> None:
    buffer = _buffer(10)
    slot = StreamedSlot(0, 0, 16, ((1, "o0.y"), (2, "o7.w")))  # nothing writes o7: it is 0
    Streaming(PreparedStreamOutput((slot,), {0: buffer})).write(0, _block((3,), (4,)))
    e = _EMPTY
    assert _words(buffer).tolist() == [e, 300, 0, e, e, 400, 0, e, e, e]


def test_writing_goes_on_where_the_buffer_says() -> None:
    buffer = _buffer(8, filled=12)
    Streaming(PreparedStreamOutput((XY,), {0: buffer})).write(0, _block((1,)))
    Streaming(PreparedStreamOutput((XY,), {0: buffer})).write(0, _block((2,)))
    assert _words(buffer).tolist() == [_EMPTY] * 3 + [10, 100, 20, 200, _EMPTY]
    assert buffer.filled.tolist() == [28]


@pytest.mark.parametrize(("words", "written"), [(3, 0), (4, 1), (7, 1), (8, 2), (11, 2)])
def test_only_whole_primitives_are_written_and_none_after_the_first_that_lacks_room(
    words: int, written: int
) -> None:
    """Also across blocks: the last, a point, would have room; its stream is full all the same."""
    buffer = _buffer(words)
    streaming = Streaming(PreparedStreamOutput((XY,), {0: buffer}))
    streaming.write(0, _block((1, 2), (3, 4)))
    streaming.write(0, _block((5, 6)))
    streaming.write(0, _block((7,)))
    assert _words(buffer)[4 * written :].tolist() == [_EMPTY] * (words - 4 * written)
    assert buffer.filled.tolist() == [16 * written]
    assert streaming.statistics[0] == SOStatistics(written, 4)


def test_the_whole_stride_of_the_last_vertex_counts() -> None:
    slot = StreamedSlot(0, 0, 12, ((0, "o0.x"),))
    buffer = _buffer(5)  # two vertices of one dword would fit, but not their strides
    streaming = Streaming(PreparedStreamOutput((slot,), {0: buffer}))
    streaming.write(0, _block((1,), (2,)))
    assert _words(buffer).tolist() == [10] + [_EMPTY] * 4
    assert streaming.statistics[0] == SOStatistics(1, 2)


def test_a_full_buffer_stops_its_stream_but_no_other() -> None:
    x, y = StreamedSlot(0, 0, 4, ((0, "o0.x"),)), StreamedSlot(1, 0, 4, ((0, "o0.y"),))
    other = StreamedSlot(2, 3, 4, ((0, "o0.x"),))
    buffers = {0: _buffer(8), 1: _buffer(2), 2: _buffer(3)}
    streaming = Streaming(PreparedStreamOutput((x, y, other), buffers))
    for stream in (0, 3):
        streaming.write(stream, _block((1,), (2,), (3,)))
    assert _words(buffers[0]).tolist() == [10, 20] + [_EMPTY] * 6
    assert _words(buffers[1]).tolist() == [100, 200]
    assert _words(buffers[2]).tolist() == [10, 20, 30]
    assert streaming.statistics[0] == SOStatistics(2, 3)
    assert streaming.statistics[3] == SOStatistics(3, 3)


def test_entries_without_a_buffer_and_buffers_without_entries() -> None:
    unused = _buffer(2)
    streaming = Streaming(PreparedStreamOutput((XY,), {3: unused}))
    streaming.write(0, _block((1,)))
    streaming.write(1, _block((1,)))  # a stream without entries needs nothing
    assert streaming.statistics[0] == SOStatistics(0, 1)
    assert streaming.statistics[1] == SOStatistics(0, 0)
    assert _words(unused).tolist() == [_EMPTY] * 2


@pytest.mark.parametrize("filled", [-4, 8, 1 << 40])
def test_a_position_beyond_the_buffer_has_no_room(filled: int) -> None:
    buffer = _buffer(2, filled)
    streaming = Streaming(PreparedStreamOutput((XY,), {0: buffer}))
    streaming.write(0, _block((1,)))
    assert _words(buffer).tolist() == [_EMPTY] * 2
    assert streaming.statistics[0] == SOStatistics(0, 1)


def test_sizes_of_blocks_change_nothing() -> None:
    whole = _block(*((n, n + 1, n + 2) for n in range(20)))
    found = []
    for most in (1, 3, 20):
        buffer = _buffer(100)
        streaming = Streaming(PreparedStreamOutput((XY,), {0: buffer}))
        for part in whole.parts(most):
            streaming.write(0, part)
        found.append((_words(buffer).tolist(), streaming.statistics))
    assert found[0] == found[1] == found[2]
    assert found[0][1][0] == SOStatistics(16, 20)
