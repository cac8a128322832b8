"""The arguments of draw calls, with Direct3D's names, also where they lie in a buffer.

Spec: D3D11.3 sections 8.2 to 8.9. What it leaves undefined of indirect arguments is an error here:
an offset that is no multiple of 4, arguments that reach out of the buffer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from softd3d.arguments import integer
from softd3d.device.draws.vertices import BoundBuffer
from softd3d.device.indirect import indirect_arguments
from softd3d.errors import ResourceError
from softd3d.pipeline.prepared import DrawCall, VertexStream

__all__ = ["CallArguments", "auto_call", "counted_call", "indirect_call"]

_UINT32 = range(1 << 32)
_INT32 = range(-(1 << 31), 1 << 31)


class CallArguments(TypedDict, total=False):
    """The arguments of a draw that is indexed if it has an index_count."""

    vertex_count: int | None
    index_count: int | None
    instance_count: int
    start_vertex_location: int
    start_index_location: int
    base_vertex_location: int
    start_instance_location: int


def counted_call(
    *, vertex_count: int | None = None, index_count: int | None = None, instance_count: int = 1,
    start_vertex_location: int = 0, start_index_location: int = 0, base_vertex_location: int = 0,
    start_instance_location: int = 0,
) -> DrawCall:  # fmt: skip
    """Return a call of vertex_count or index_count, one of which is given.

    Raises:
        ResourceError: both are given, or none, or a number is not allowed.
    """
    if (vertex_count is None) == (index_count is None):
        found = "none" if vertex_count is None else "both"
        raise ResourceError(f"vertex_count, index_count: found {found}, wanted one of them")
    kind = "vertex" if index_count is None else "index"
    count = vertex_count if index_count is None else index_count
    start = start_vertex_location if index_count is None else start_index_location
    return DrawCall(
        count=integer(count, f"{kind}_count", _UINT32),
        instances=integer(instance_count, "instance_count", _UINT32),
        start=integer(start, f"start_{kind}_location", _UINT32),
        start_instance=integer(start_instance_location, "start_instance_location", _UINT32),
        base_vertex=integer(base_vertex_location, "base_vertex_location", _INT32),
        is_indexed=index_count is not None,
    )


def indirect_call(arguments: object, offset: object, *, is_indexed: bool) -> DrawCall:
    """Return the call that a buffer holds now.

    Raises:
        ResourceError: not a buffer, or the arguments are not all in it.
    """
    if not is_indexed:
        count, instances, start, first = indirect_arguments(arguments, offset, 4)
        return DrawCall(count, instances, start, first)
    count, instances, start, base, first = indirect_arguments(arguments, offset, 5)
    signed = base - (1 << 32) if base >= 1 << 31 else base
    return DrawCall(count, instances, start, first, signed, is_indexed=True)


def auto_call(first: BoundBuffer | None, streams: Mapping[int, VertexStream]) -> DrawCall:
    """Return the call for what stream output has left in vertex buffer 0.

    Raises:
        ResourceError: none is bound, or a bare array, which does not know how far it is filled.
    """
    if first is None or first.filled is None:
        found = "none" if first is None else "an array"
        raise ResourceError(
            f"vertex buffer 0: found {found}, wanted a buffer that stream output has written to, "
            "such as RawBuffer(array)"
        )
    stream = streams[0]
    size = int(first.filled[0]) - stream.offset
    return DrawCall(max(size // stream.stride, 0) if stream.stride else 0)
