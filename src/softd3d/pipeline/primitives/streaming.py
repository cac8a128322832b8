"""Stream output: vertices of whole primitives, behind each other in buffers. Spec: D3D11.3 14."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.limits import MAX_STREAMS
from softd3d.pipeline.prepared import PreparedStreamOutput, StreamOutputBuffer
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.means import Means
from softd3d.pipeline.primitives.vertex_rows import VertexRows, runs_of
from softd3d.pipeline.queries import SOStatistics
from softd3d.pipeline.stream_layout import StreamedSlot

__all__ = ["Streaming"]

_WORD = 4  # bytes


class Streaming:
    """The stream output of one draw, on its way.

    A primitive is written to all buffers of its stream or to none. After the first one that lacks
    room, nothing more of the stream is written in this draw; other streams go on.
    """

    def __init__(self, prepared: PreparedStreamOutput | None, means: Means | None = None) -> None:
        self.means = means or Means()
        self.buffers: Mapping[int, StreamOutputBuffer] = {}
        self.slots: list[list[StreamedSlot]] = [[] for _ in range(MAX_STREAMS)]
        if prepared is not None:
            self.buffers = prepared.buffers
            for slot in prepared.slots:
                self.slots[slot.stream].append(slot)
        self.written = [0] * MAX_STREAMS
        self.needed = [0] * MAX_STREAMS

    @property
    def statistics(self) -> tuple[SOStatistics, ...]:
        """What was written and needed, by stream; streams without entries need nothing."""
        both = zip(self.written, self.needed, strict=True)
        return tuple(SOStatistics(written, needed) for written, needed in both)

    def takes(self, stream: int) -> bool:
        """Whether anything of a stream is declared to be streamed out."""
        return bool(self.slots[stream])

    def write(self, stream: int, block: Block) -> None:
        """Write the primitives of a stream that have room."""
        slots = self.slots[stream]
        if not slots:
            return
        is_full = self.written[stream] < self.needed[stream]
        count = 0 if is_full else min(block.count, self._room(slots, block.corners))
        self.needed[stream] += block.count
        self.written[stream] += count
        for slot in slots if count else ():
            self._write(slot, self.buffers[slot.slot], block, count)

    def place(self, names: Sequence[str], vertices: int) -> NDArray[np.uint32] | None:
        """Return where so many vertices go next, as rows of some outputs of stream 0.

        None if they have no room, or do not lie there as such rows.
        """
        slots = self.slots[0]
        if len(slots) != 1 or slots[0].words != tuple(enumerate(names)):
            return None
        slot, size = slots[0], vertices * slots[0].stride
        buffer = self.buffers.get(slot.slot)
        is_full = self.written[0] < self.needed[0]
        if slot.stride != _WORD * len(names) or is_full or _room(slot, buffer, 1) < vertices:
            return None
        assert buffer is not None  # noqa: S101 - it has room
        start = int(buffer.filled[0])
        return buffer.data[start : start + size].view(np.uint32).reshape(vertices, -1)

    def _write(
        self, slot: StreamedSlot, buffer: StreamOutputBuffer, block: Block, count: int
    ) -> None:
        """Write the first primitives of a block to a buffer that has room for them."""
        size, start = block.corners * count, int(buffer.filled[0])
        end = start + slot.stride * size
        target = buffer.data[start:end].view(np.uint32).reshape(size, slot.stride // _WORD)
        outputs, where = block.outputs, block.where[:, :count]
        runs = runs_of(outputs.words, slot.words) if isinstance(outputs, VertexRows) else None
        if isinstance(outputs, VertexRows) and runs is not None:
            in_order = block.in_order and size <= len(outputs.rows)
            source = outputs.rows[:size] if in_order else outputs.rows
            self.means.move(source, target, runs, None if in_order else where)
        else:
            vertices = where.T.reshape(-1)
            for word, name in slot.words:
                output = outputs.get(name)
                target[:, word] = 0 if output is None else output[vertices]
        buffer.filled[0] = end

    def _room(self, slots: Sequence[StreamedSlot], corners: int) -> int:
        """Return how many primitives have room in all buffers of a stream."""
        return min(_room(slot, self.buffers.get(slot.slot), corners) for slot in slots)


def _room(slot: StreamedSlot, buffer: StreamOutputBuffer | None, corners: int) -> int:
    if buffer is None:
        return 0
    filled = int(buffer.filled[0])
    left = buffer.data.size - filled if filled >= 0 else 0
    return max(left, 0) // (slot.stride * corners)
