"""Vertex and index buffers of Direct3D 9: bytes that draws read as they are then.

Spec: win32 IDirect3DDevice9::CreateVertexBuffer, ::CreateIndexBuffer.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer, shown, whole
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.formats.dxgi import DXGI_FORMATS, Format
from softd3d.resources.views.descriptor import MAX_BYTES, byte_view
from softd3d.resources.views.origin import Origin, origin_of

__all__ = ["Buffer9", "IndexBuffer9", "VertexBuffer9", "array_bytes"]

_INDICES = {"INDEX16": "R16_UINT", "INDEX32": "R32_UINT"}
_OF_DTYPE = {
    np.dtype(np.uint16): "INDEX16", np.dtype(np.int16): "INDEX16",
    np.dtype(np.uint32): "INDEX32", np.dtype(np.int32): "INDEX32",
}  # fmt: skip
_WIDE = (np.dtype(np.float64), np.dtype(np.int64))


class Buffer9:
    """Memory of vertices or indices.

    array: uint8, (length,); writing to it is what locks are for. Made of an array it is the array's
    own memory.
    """

    _what = "buffer"

    def __init__(self, contents: int | NDArray[Any] | bytes) -> None:
        """Take a number of bytes, all 0 at first, or an array, or a copy of bytes.

        Raises:
            ResourceError: no such number, or an array whose memory cannot be shared.
        """
        self.array = _memory(contents, self._what)
        self.origin: Origin = origin_of(self.array)
        self.version = 0

    @property
    def length(self) -> int:
        """Bytes."""
        return self.array.size

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.length} bytes)"


class VertexBuffer9(Buffer9):
    """IDirect3DVertexBuffer9.

    >>> VertexBuffer9(np.zeros((3, 4), np.float32)).length
    48
    """

    _what = "vertex buffer"


class IndexBuffer9(Buffer9):
    """IDirect3DIndexBuffer9. format: INDEX16 or INDEX32, by default that of an array's dtype.

    >>> IndexBuffer9(np.arange(6, dtype=np.uint32)).format.name
    'R32_UINT'
    """

    _what = "index buffer"

    def __init__(
        self, contents: int | NDArray[Any] | bytes, format_: str | int | None = None
    ) -> None:
        super().__init__(contents)
        if format_ is None:
            dtype = contents.dtype if isinstance(contents, np.ndarray) else None
            format_ = _OF_DTYPE.get(cast("np.dtype[Any]", dtype), "INDEX16")
        self.format = index_format(format_)

    @property
    def indices(self) -> NDArray[Any]:
        """All whole indices: uint16 or uint32."""
        size = self.format.bytes_per_texel
        return self.array[: self.length // size * size].view(f"<u{size}")


def index_format(name: str | int) -> Format:
    """Return R16_UINT or R32_UINT for INDEX16 or INDEX32.

    Raises:
        ResourceError: another format.
    """
    found = _INDICES.get(d3d9_format(name).name)
    if found is None:
        raise ResourceError(
            f"index buffer: found format {d3d9_format(name).name}, wanted INDEX16 or INDEX32"
        )
    return DXGI_FORMATS[found]


def array_bytes(array: NDArray[Any], what: str) -> NDArray[np.uint8]:
    """Return the bytes of an array of the caller's.

    Raises:
        ResourceError: it is float64 or int64, NumPy's defaults, which no vertex and no index is; or
            `byte_view` cannot take it.

    >>> array_bytes(np.zeros(3), "vertex data")
    Traceback (most recent call last):
    softd3d.errors.ResourceError: vertex data: found an array of float64, wanted smaller numbers
    """
    if array.dtype in _WIDE:
        raise ResourceError(f"{what}: found an array of {array.dtype}, wanted smaller numbers")
    return byte_view(array, what)


def _memory(contents: object, what: str) -> NDArray[np.uint8]:
    if isinstance(contents, (bytes, bytearray, memoryview)):
        return np.frombuffer(bytearray(cast("bytes", contents)), np.uint8)
    if isinstance(contents, np.ndarray):
        return array_bytes(cast("NDArray[Any]", contents), what)
    try:
        length = whole(contents)
    except TypeError:
        raise ResourceError(
            f"{what}: found {shown(contents)}, wanted bytes, an array or a length"
        ) from None
    return np.zeros(integer(length, f"{what}: length", range(1, MAX_BYTES + 1)), np.uint8)
