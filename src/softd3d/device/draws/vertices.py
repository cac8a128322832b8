"""Vertex and index buffers, and the input layout: what callers give, and what the assembler reads.

Spec: D3D11.3 section 8; IASetVertexBuffers, IASetIndexBuffer, CreateInputLayout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer, shown, whole
from softd3d.classes import dataclass
from softd3d.container.reflection.signature import Signature
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.formats.pipeline_views import index_format
from softd3d.isa.limits import MAX_VERTEX_BUFFERS
from softd3d.pipeline.input_layout import VertexInput, is_generated, match_layout
from softd3d.pipeline.prepared import IndexStream, VertexStream
from softd3d.pipeline.state.input_layout import InputElement, vertex_stride
from softd3d.pipeline.vertex_dtypes import layout_of_dtype
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.views.descriptor import byte_view
from softd3d.resources.views.origin import Origin, origin_of

__all__ = [
    "BoundBuffer",
    "IndexBuffer",
    "VertexBuffer",
    "VertexData",
    "by_slot",
    "bytes_of",
    "index_data",
    "vertex_data",
]

_UINT32 = range(1 << 32)
_BUFFERS = (RawBuffer, StructuredBuffer, TypedBuffer)
_INDICES = {np.dtype(np.uint16): "R16_UINT", np.dtype(np.uint32): "R32_UINT"}


@dataclass(frozen=True, slots=True)
class VertexBuffer:
    """What IASetVertexBuffers binds to a slot: a buffer or array, its stride and offset in bytes.

    stride: by default the bytes of a structure, of a texel, or of one item of the first axis.

    >>> VertexBuffer(np.zeros(12, np.float32), stride=12).offset
    0
    """

    buffer: object
    stride: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class IndexBuffer:
    """What IASetIndexBuffer binds: a buffer or array, its format, and an offset in bytes.

    format: R16_UINT or R32_UINT; by default that of an array of uint16 or uint32.

    >>> IndexBuffer(np.arange(6, dtype=np.uint16), offset=4).offset
    4
    """

    buffer: object
    format: str | int | Format | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class BoundBuffer:
    """A buffer's bytes, where they come from, and its name in errors.

    filled: BufferFilledSize, int64, (1,); None of a bare array.
    """

    name: str
    data: NDArray[np.uint8]
    origin: Origin | None
    filled: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class VertexData:
    """What the input assembler reads: inputs of the shader, buffers by slot."""

    inputs: tuple[VertexInput, ...]
    streams: Mapping[int, VertexStream]
    bound: Mapping[int, BoundBuffer]


def vertex_data(
    given: object, layout: Iterable[InputElement] | None, signature: Signature | None
) -> VertexData:
    """Return vertex buffers by slot, and the shader's inputs matched with a layout.

    given: a dictionary by slot, or a list in the order of slots. layout: None to take it from the
    structured dtypes of the arrays.

    Raises:
        TypeError, ResourceError: a buffer, stride, offset or layout is not allowed, an input of
            the shader has no element, or an element's slot has no buffer.
    """
    every = by_slot(given, "vertex_buffers", MAX_VERTEX_BUFFERS)
    slots = {slot: _slot(value, slot) for slot, value in every.items()}
    elements = _elements(slots, signature) if layout is None else layout
    inputs = match_layout(elements, signature)
    for one in inputs:
        if one.slot not in slots:
            raise ResourceError(
                f"vertex buffer {one.slot}: not in vertex_buffers, but the layout has "
                f"{one.semantic} there; bind it, or None to leave it unbound"
            )
    streams: dict[int, VertexStream] = {}
    buffers: dict[int, BoundBuffer] = {}
    for slot, bound in slots.items():
        if bound is not None:
            streams[slot] = _stream(bound, slot, inputs)
            buffers[slot] = bytes_of(bound.buffer, f"vertex buffer {slot}")
    return VertexData(inputs, streams, buffers)


def index_data(given: object) -> tuple[IndexStream, BoundBuffer] | None:
    """Return an index buffer, None where none is given.

    Raises:
        ResourceError: a buffer, format or offset is not allowed.
    """
    if given is None:
        return None
    bound = given if isinstance(given, IndexBuffer) else IndexBuffer(given)
    buffer = bytes_of(bound.buffer, "index buffer")
    form = _index_format(bound)
    offset = integer(bound.offset, "index buffer offset", _UINT32)
    if offset % form.bytes_per_texel:
        raise ResourceError(
            f"index buffer offset: found {offset}, wanted a multiple of {form.bytes_per_texel} for "
            f"{form.name}"
        )
    return IndexStream(buffer.data, form, offset), buffer


def by_slot(given: object, argument: str, slots: int) -> dict[int, object]:
    """Return what is bound by slot: of a dictionary, or of a list in the order of slots.

    Raises:
        ResourceError: it is neither, or there is no such slot.
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        entries = cast("Mapping[object, object]", given).items()
    elif isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        entries = enumerate(cast("Sequence[object]", given))
    else:
        raise ResourceError(
            f"{argument}: found {type(given).__name__}, wanted a dictionary of slots, or a list"
        )
    found: dict[int, object] = {}
    for key, value in islice(entries, slots + 1):
        try:
            slot = whole(key)
        except TypeError:
            slot = -1
        if slot not in range(slots):
            raise ResourceError(f"{argument}: found slot {shown(key)}, wanted 0 to {slots - 1}")
        found[slot] = value
    return found


def _slot(value: object, slot: int) -> VertexBuffer | None:
    if value is None or isinstance(value, VertexBuffer):
        return value
    if isinstance(value, IndexBuffer):
        raise ResourceError(f"vertex buffer {slot}: found an IndexBuffer, wanted a VertexBuffer")
    return VertexBuffer(value)


def _elements(
    slots: Mapping[int, VertexBuffer | None], signature: Signature | None
) -> list[InputElement]:
    """Return the layout that structured dtypes make."""
    found: list[InputElement] = []
    wanted = () if signature is None else signature.elements
    if all(is_generated(parameter) for parameter in wanted):
        return found
    for slot, bound in slots.items():
        buffer = None if bound is None else bound.buffer
        array = buffer.array if isinstance(buffer, _BUFFERS) else buffer
        if isinstance(array, np.ndarray):
            found += layout_of_dtype(cast("NDArray[Any]", array).dtype, signature, slot)
    return found


def _stream(bound: VertexBuffer, slot: int, inputs: Iterable[VertexInput]) -> VertexStream:
    name = f"vertex buffer {slot}"
    data = bytes_of(bound.buffer, name).data
    offset = integer(bound.offset, f"{name} offset", _UINT32)
    if bound.stride is not None:
        return VertexStream(data, vertex_stride(bound.stride, slot), offset)
    stride = vertex_stride(_natural_stride(bound.buffer, name), slot)
    for one in inputs:
        end = one.offset + one.format.bytes_per_texel
        if one.slot == slot and end > stride:
            raise ResourceError(
                f"{name}: {one.semantic} ends at byte {end}, beyond the {stride} bytes of an item; "
                f"give the stride, as in VertexBuffer(array, stride={end})"
            )
    return VertexStream(data, stride, offset)


def _natural_stride(buffer: object, name: str) -> int:
    if isinstance(buffer, RawBuffer):
        raise ResourceError(f"{name}: found a RawBuffer, wanted its stride: VertexBuffer(b, 16)")
    if isinstance(buffer, _BUFFERS):
        return buffer.describe().stride
    array = cast("NDArray[Any]", buffer)
    is_vector = array.ndim > 1 and array.shape[0] > 0
    return array.nbytes // array.shape[0] if is_vector else array.itemsize


def _index_format(bound: IndexBuffer) -> Format:
    if bound.format is not None:
        return index_format(bound.format)
    buffer = bound.buffer
    array = cast("NDArray[Any]", buffer.array if isinstance(buffer, _BUFFERS) else buffer)
    name = _INDICES.get(array.dtype)
    if name is None:
        raise ResourceError(
            f"index buffer: found an array of {array.dtype}, wanted uint16 or uint32; use "
            ".astype(numpy.uint32), or give a format: IndexBuffer(array, 'R32_UINT')"
        )
    return index_format(name)


def bytes_of(buffer: object, name: str) -> BoundBuffer:
    """Return the bytes of an array or buffer.

    Raises:
        ResourceError: it is neither.
    """
    if isinstance(buffer, _BUFFERS):
        found = buffer.describe()
        return BoundBuffer(name, found.data, found.origin, buffer.filled)
    if not isinstance(buffer, np.ndarray):
        raise ResourceError(
            f"{name}: found {type(buffer).__name__}, wanted an array, or a buffer of softd3d"
        )
    array = cast("NDArray[Any]", buffer)
    return BoundBuffer(name, byte_view(array, name), origin_of(array))
