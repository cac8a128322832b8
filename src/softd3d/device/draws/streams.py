"""Stream output: the declaration, and the buffers that callers give for its slots.

Spec: D3D11.3 section 14; CreateGeometryShaderWithStreamOutput, SOSetTargets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import numpy as np

from softd3d.arguments import integer
from softd3d.classes import dataclass
from softd3d.device.draws.bindings import Stage
from softd3d.device.draws.vertices import BoundBuffer, IndexBuffer, VertexBuffer, by_slot, bytes_of
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_STREAM_OUTPUT_BUFFERS
from softd3d.pipeline.prepared import PreparedStreamOutput, StreamOutputBuffer
from softd3d.pipeline.state import SODeclarationEntry, StreamOutput
from softd3d.pipeline.stream_layout import match_stream_output

__all__ = ["SO_APPEND", "StreamData", "StreamOutputTarget", "stream_data"]

SO_APPEND = -1
"""The offset of a target that goes on where stream output has ended before."""
_DWORD = 4
_LARGEST = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class StreamOutputTarget:
    """What SOSetTargets binds to a slot: a buffer or array, and an offset in bytes.

    buffer: is written in place. A buffer of softd3d keeps how far it is filled (`filled_size`),
        for other draws that append to it, and for `Draw.auto`.
    offset: where writing begins, a multiple of 4; -1 to append, which is all that a bare array
        cannot do.

    >>> StreamOutputTarget(np.zeros(16, np.float32), offset=16).offset
    16
    """

    buffer: object
    offset: int = 0


@dataclass(frozen=True, slots=True)
class StreamData:
    """Stream output of a draw. prepared: None without entries. buffers: that are bound.

    rasterized_stream: None for none. offsets: of the targets.
    """

    prepared: PreparedStreamOutput | None
    rasterized_stream: int | None
    buffers: tuple[BoundBuffer, ...] = ()
    offsets: tuple[tuple[StreamOutputBuffer, int], ...] = ()

    def set_targets(self) -> None:
        """Let writing begin at the offsets: SOSetTargets."""
        for buffer, offset in self.offsets:
            if offset != SO_APPEND:
                buffer.filled[0] = offset


def stream_data(declaration: object, targets: object, last: Stage) -> StreamData:
    """Return what a caller gave as declaration and targets of stream output.

    declaration: a StreamOutput, a list of entries, or None. last: the stage before it.

    Raises:
        TypeError, ResourceError: they are not what is wanted, or the stage has no such outputs.
    """
    declared = _declaration(declaration)
    if declared is None:
        return StreamData(None, 0)
    stream = declared.rasterized_stream
    if stream and last.word != "gs":
        raise ResourceError(
            f"stream_output rasterized_stream: found {stream} without a geometry shader, wanted 0 "
            "or None"
        )
    slots = match_stream_output(declared, last.shader.signatures.output, last.name)
    bound = {
        slot: _target(given, f"stream output target {slot}")
        for slot, given in by_slot(targets, "so_targets", MAX_STREAM_OUTPUT_BUFFERS).items()
        if given is not None
    }
    if not slots:
        return StreamData(None, stream)
    buffers = {
        slot: StreamOutputBuffer(
            found.data, np.zeros(1, np.int64) if found.filled is None else found.filled
        )
        for slot, (found, _) in bound.items()
    }
    return StreamData(
        PreparedStreamOutput(slots, buffers), stream, tuple(found for found, _ in bound.values()),
        tuple((buffers[slot], offset) for slot, (_, offset) in bound.items()),
    )  # fmt: skip


def _declaration(given: object) -> StreamOutput | None:
    if given is None or isinstance(given, StreamOutput):
        return given
    return StreamOutput(cast("Iterable[SODeclarationEntry]", given))


def _target(given: object, name: str) -> tuple[BoundBuffer, int]:
    if isinstance(given, (VertexBuffer, IndexBuffer)):
        raise ResourceError(f"{name}: found {type(given).__name__}, wanted a StreamOutputTarget")
    target = given if isinstance(given, StreamOutputTarget) else StreamOutputTarget(given)
    found = bytes_of(target.buffer, name)
    offset = integer(target.offset, f"{name} offset", range(SO_APPEND, _LARGEST + 1))
    if offset != SO_APPEND and offset % _DWORD:
        raise ResourceError(f"{name} offset: found {offset}, wanted a multiple of 4, or -1")
    if offset == SO_APPEND and found.filled is None:
        raise ResourceError(
            f"{name} offset: found -1 (append) with an array, which does not know how far it is "
            "filled; wanted a buffer such as RawBuffer(array)"
        )
    if not found.data.flags.writeable:
        raise ResourceError(f"{name}: the array must be writable, found a read-only one")
    return found, offset
