"""The arguments of draw calls, with Direct3D's names, also where they lie in a buffer.

Spec: D3D11.3 sections 8.2 to 8.7. What it leaves undefined of indirect arguments is an error here:
an offset that is no multiple of 4, arguments that reach out of the buffer.
"""

from __future__ import annotations

from softd3d.arguments import integer
from softd3d.device.indirect import indirect_arguments
from softd3d.pipeline.prepared import DrawCall

__all__ = ["direct_call", "indirect_call"]

_UINT32 = range(1 << 32)
_INT32 = range(-(1 << 31), 1 << 31)


def direct_call(
    *, count: tuple[str, object], instance_count: object = 1, start: tuple[str, object],
    base_vertex_location: object = 0, start_instance_location: object = 0, is_indexed: bool = False,
) -> DrawCall:  # fmt: skip
    """Return a call of the numbers that a caller gave; count, start: with Direct3D's names.

    Raises:
        ResourceError: no whole number, or one of more than 32 bits.
    """
    return DrawCall(
        count=integer(count[1], count[0], _UINT32),
        instances=integer(instance_count, "instance_count", _UINT32),
        start=integer(start[1], start[0], _UINT32),
        start_instance=integer(start_instance_location, "start_instance_location", _UINT32),
        base_vertex=integer(base_vertex_location, "base_vertex_location", _INT32),
        is_indexed=is_indexed,
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
