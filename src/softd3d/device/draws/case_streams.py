"""Stream output of draw cases: the declaration, and fresh buffers for its slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softd3d.classes import dataclass
from softd3d.device.draws.streams import SO_APPEND, StreamOutputTarget
from softd3d.isa.limits import (
    MAX_STREAM_OUTPUT_BUFFERS,
    MAX_STREAM_OUTPUT_COMPONENTS,
    MAX_STREAMS,
    MAX_STRUCTURE_STRIDE,
)
from softd3d.pipeline.state import SODeclarationEntry, StreamOutput
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.cases.json import Entry

__all__ = ["CaseStreams", "stream_output"]

_MOST_BYTES = 1 << 26
_UINT32 = 0xFFFFFFFF
_BYTES = 256
_DWORD = 4


@dataclass(frozen=True, slots=True)
class CaseStreams:
    """What a case has of it. declaration: None if there is none. targets: by slot.

    buffers: by the names of outputs: so, or so0 and so on.
    """

    declaration: StreamOutput | None
    targets: Mapping[int, StreamOutputTarget]
    buffers: Mapping[str, RawBuffer]

    def place_of(self, register: str, dword: int) -> str:
        """Say where a dword of a buffer lies, such as `vertex 3, TEXCOORD1.z`; empty of others."""
        slot = next((n for n in self.targets if register in ("so", f"so{n}")), None)
        if self.declaration is None or slot is None or not self.declaration.strides[slot]:
            return ""
        at = _DWORD * dword - self.targets[slot].offset
        vertex, inside = divmod(at, self.declaration.strides[slot])
        if at < 0:
            return "before the first vertex"
        names = [
            f"{entry.label}.{'xyzw'[component]}" if entry.semantic_name else entry.label
            for entry in self.declaration.declared
            if entry.output_slot == slot
            for component in entry.components
        ]
        number = inside // _DWORD
        return f"vertex {vertex}, {names[number] if number < len(names) else 'gap'}"

    @property
    def appended(self) -> dict[int, StreamOutputTarget]:
        """The targets of a later draw, which goes on where the one before has ended."""
        return {slot: replace(target, offset=SO_APPEND) for slot, target in self.targets.items()}


def stream_output(case: Entry) -> CaseStreams:
    """Return the stream output of a case.

    Raises:
        ResourceError: a value is missing or not allowed.
    """
    if case.data.get("stream_output") is None:
        return CaseStreams(None, {}, {})
    entry = case.entry("stream_output")
    several = entry.entries("buffers") if "buffers" in entry else None
    prefill = _prefill(entry)
    strides = [0] * MAX_STREAM_OUTPUT_BUFFERS
    targets: dict[int, StreamOutputTarget] = {}
    buffers: dict[str, RawBuffer] = {}
    for part in [entry] if several is None else several:
        slot = 0 if several is None else part.integer("slot", 0, MAX_STREAM_OUTPUT_BUFFERS - 1)
        strides[slot] = part.integer("stride", 0, MAX_STRUCTURE_STRIDE)
        size = part.integer("bytes", 0, _MOST_BYTES)
        offset = part.integer("offset", 0, _UINT32) if "offset" in part else 0
        buffer = RawBuffer(np.full(size, prefill, np.uint8))
        targets[slot] = StreamOutputTarget(buffer, offset)
        buffers["so" if several is None else f"so{slot}"] = buffer
    declaration = StreamOutput(
        [_entry(part) for part in entry.entries("entries")], strides, _rasterized_stream(entry)
    )
    return CaseStreams(declaration, targets, buffers)


def _entry(part: Entry) -> SODeclarationEntry:
    name = None if part.data.get("semantic") is None else part.text("semantic")
    return SODeclarationEntry(
        part.integer("stream", 0, MAX_STREAMS - 1), name, part.integer("index", 0, _UINT32),
        part.integer("start", 0, 3), part.integer("count", 1, MAX_STREAM_OUTPUT_COMPONENTS),
        part.integer("slot", 0, MAX_STREAM_OUTPUT_BUFFERS - 1) if "slot" in part else 0,
    )  # fmt: skip


def _prefill(entry: Entry) -> int:
    """Return the byte that fills buffers at first."""
    text = entry.text("prefill") if "prefill" in entry else "0"
    try:
        byte = int(text, 0)
    except ValueError:
        byte = -1
    if byte not in range(_BYTES):
        raise entry.error("prefill", f"found {text!r:.20}, wanted a byte such as '0xCD'")
    return byte


def _rasterized_stream(entry: Entry) -> int | None:
    """Return the rasterised stream: 0 where the case does not say, None for null."""
    if "rasterized_stream" not in entry:
        return 0
    if entry.data["rasterized_stream"] is None:
        return None
    return entry.integer("rasterized_stream", 0, MAX_STREAMS - 1)
