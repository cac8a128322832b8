"""Stream output of hostile draws: declarations, and buffers of wild sizes, offsets and filling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chance import Chance
from guarded_memory import Guarded, guarded
from stage_shaders import Output

from softd3d.device.draws.streams import StreamOutputTarget
from softd3d.pipeline.state import SODeclarationEntry, StreamOutput
from softd3d.resources.buffers.buffer import RawBuffer

__all__ = ["StreamTargets", "random_stream_output", "random_targets"]

_OFFSETS = (-1, 4, 8, 40, 3, 0x7FFFFFFC, 0x80000000, 0xFFFFFFFC)


@dataclass
class StreamTargets:
    """What is bound, by slot, and the memory of it. filled: buffers that know how far they are."""

    bound: dict[int, object] = field(default_factory=dict[int, object])
    memory: dict[int, Guarded] = field(default_factory=dict[int, Guarded])
    filled: dict[int, RawBuffer] = field(default_factory=dict[int, RawBuffer])


def random_stream_output(
    c: Chance, outputs: Sequence[tuple[int, tuple[Output, ...]]]
) -> StreamOutput:
    """Return entries of some outputs, in several slots, with gaps and loose strides.

    Raises:
        ResourceError: they are more than Direct3D allows, or a stride is too small.
    """
    by_stream = dict(outputs)
    streams = [c.one(list(by_stream)) for _ in range(4)]
    waiting = {
        stream: [found[n] for n in c.rng.permutation(len(found))]
        for stream, found in by_stream.items()
    }
    entries: list[SODeclarationEntry] = []
    for slot in range(4):
        mine = waiting[streams[slot]]
        for _ in range(c.number(0, 4)):
            if mine and c.often(0.75):
                entries.append(_entry(c, mine.pop(), streams[slot], slot))
            elif entries or slot == 3:
                count = c.one([1, 2, 4, 9, 100 if c.often(0.1) else 3])
                entries.append(SODeclarationEntry(streams[slot], None, 0, 0, count, slot))
    if not entries:
        entries.append(SODeclarationEntry(next(iter(by_stream)), "SV_Position"))
    stream = c.one([*[*by_stream] * 4, None, 3 if c.often(0.1) else None])
    strides = None
    if c.often(0.3):
        sizes = [
            4 * sum(e.component_count for e in entries if e.output_slot == n) for n in range(4)
        ]
        strides = [size + c.one([0, 4, 64]) for size in sizes]
        if c.often(0.05):
            strides[c.number(0, 4)] = c.one([0, 2, 4, 2048, 2052])
    return StreamOutput(entries, strides, stream)


def _entry(c: Chance, output: Output, stream: int, slot: int) -> SODeclarationEntry:
    size = len(output.mask)
    first = c.number(0, size) if c.often(0.4) else 0
    count = c.number(1, size - first + 1) if c.often(0.4) else size - first
    if c.often(0.005):
        count = 4 - first
    return SODeclarationEntry(stream, output.name, 0, first, count, slot)


def random_targets(c: Chance, output: StreamOutput, *, is_mild: bool) -> StreamTargets:
    """Return buffers for the slots with entries, between protected pages."""
    found = StreamTargets()
    for slot in {e.output_slot for e in output.declared}:
        if c.often(0.05):
            continue
        size = 4 * c.one([3000] if is_mild and c.often(0.7) else [0, 1, 3, 20, 300, 3000])
        at_end = c.often(0.7)
        size += c.one([1, 2, 3]) if not is_mild and not at_end and c.often(0.2) else 0
        memory = guarded(size, at_end=at_end)
        memory.array[...] = 0x5A
        found.memory[slot] = memory
        offsets = *_OFFSETS, size, size + 4, max(size - 4, 0) & ~3
        offset = 0 if c.often(0.85 if is_mild else 0.5) else c.one(offsets)
        buffer: object = memory.array
        if size % 4 == 0 and c.often(0.7):
            buffer = found.filled[slot] = RawBuffer(memory.array.view("u4"))
            sizes = [0, 4, 40, size, 0xFFFFFFFC, 0xFFFFFFFF]
            found.filled[slot].filled_size = 0 if is_mild and c.often(0.8) else c.one(sizes)
        found.bound[slot] = buffer if offset == 0 and c.often(0.5) else StreamOutputTarget(
            buffer, offset
        )  # fmt: skip
    if not is_mild and len(found.bound) > 1 and c.often(0.05):  # one buffer twice
        one, other = list(found.bound)[:2]
        found.bound[one] = found.bound[other]
    return found
