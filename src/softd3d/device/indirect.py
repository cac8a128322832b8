"""The arguments of indirect dispatches and draws, which lie in a buffer.

D3D11.3 section 18.6.5 (DispatchIndirect). What it leaves undefined is an error here: an offset that
is not a multiple of 4, arguments that reach out of the buffer, counts above 65535.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from softd3d.arguments import integer
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_DISPATCH_GROUPS
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.views.descriptor import describe
from softd3d.resources.views.origin import Held, check_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["indirect_arguments", "indirect_groups"]

_ALIGNMENT = 4


def indirect_groups(arguments: object, offset: int = 0) -> tuple[int, int, int]:
    """Return the thread groups in x, y, z that a buffer holds: three uint32 in a row.

    arguments: a buffer of any kind, or an array of uint32 or int32, as it is now. offset: bytes
    from its view's start, a multiple of 4.

    Raises:
        ResourceError: not a buffer, or the offset or a count is not allowed. If a count is 0, the
            others may be anything: such a dispatch does nothing.

    >>> indirect_groups(np.array([9, 4, 2, 1], np.uint32), offset=4)
    (4, 2, 1)
    """
    x, y, z = indirect_arguments(arguments, offset, 3)
    if x and y and z and max(x, y, z) > MAX_DISPATCH_GROUPS:
        raise ResourceError(
            f"arguments: found {(x, y, z)} groups, each may be 0 to {MAX_DISPATCH_GROUPS}"
        )
    return (x, y, z) if x and y and z else (0, 0, 0)


def indirect_arguments(arguments: object, offset: object, count: int) -> tuple[int, ...]:
    """Return so many uint32 of a buffer.

    Raises:
        ResourceError: not a buffer, another offset than a multiple of 4, or they are not all in it.
    """
    at = _offset(offset)
    try:
        found = describe(_buffer(arguments))
    except ResourceError as error:
        raise ResourceError(f"arguments: {error.message}") from None
    if found.mips:
        raise ResourceError("arguments: found a texture, wanted a buffer")
    if found.origin is not None:
        check_memory([Held(found.origin, "arguments", is_written=False)])
    end = at + count * _ALIGNMENT
    if end > found.size:
        raise ResourceError(
            f"arguments: bytes {at} to {end - 1} are not all in the buffer, which has {found.size}"
        )
    return tuple(int(n) for n in found.data[at:end].view(np.uint32))


def _buffer(arguments: object) -> object:
    """Return a buffer of a plain array, and all else as it is."""
    if not isinstance(arguments, np.ndarray):
        return arguments
    array = cast("NDArray[Any]", arguments)
    if array.dtype.kind not in "iu" or array.itemsize != np.uint32().itemsize:
        raise ResourceError(f"found an array of {array.dtype}, wanted uint32")
    return RawBuffer(array)


def _offset(offset: object) -> int:
    at = integer(offset, "offset")
    if at < 0 or at % _ALIGNMENT:
        raise ResourceError(f"offset: found {at}, wanted a multiple of {_ALIGNMENT}")
    return at
