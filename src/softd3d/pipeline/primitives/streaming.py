"""Stream output: vertices of whole primitives, behind each other in buffers. Spec: D3D11.3 14."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from softd3d.isa.limits import MAX_STREAMS
from softd3d.pipeline.prepared import PreparedStreamOutput, StreamOutputBuffer
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.records import Indices
from softd3d.pipeline.queries import SOStatistics
from softd3d.pipeline.stream_layout import StreamedSlot

__all__ = ["Streaming"]

_WORD = 4  # bytes


class Streaming:
    """The stream output of one draw, on its way.

    A primitive is written to all buffers of its stream or to none. After the first one that lacks
    room, nothing more of the stream is written in this draw; other streams go on.
    """

    def __init__(self, prepared: PreparedStreamOutput | None) -> None:
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
        vertices = block.where[:, :count].T.reshape(-1)
        for slot in slots if count else ():
            _write(slot, self.buffers[slot.slot], block, vertices)

    def _room(self, slots: Sequence[StreamedSlot], corners: int) -> int:
        """Return how many primitives have room in all buffers of a stream."""
        return min(_room(slot, self.buffers.get(slot.slot), corners) for slot in slots)


def _room(slot: StreamedSlot, buffer: StreamOutputBuffer | None, corners: int) -> int:
    if buffer is None:
        return 0
    filled = int(buffer.filled[0])
    left = buffer.data.size - filled if filled >= 0 else 0
    return max(left, 0) // (slot.stride * corners)


def _write(slot: StreamedSlot, buffer: StreamOutputBuffer, block: Block, vertices: Indices) -> None:
    start = int(buffer.filled[0])
    end = start + slot.stride * vertices.size
    rows = buffer.data[start:end].view(np.uint32).reshape(vertices.size, slot.stride // _WORD)
    for word, name in slot.words:
        output = block.outputs.get(name)
        rows[:, word] = 0 if output is None else output[vertices]
    buffer.filled[0] = end
