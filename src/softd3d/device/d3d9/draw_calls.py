"""Draws of a device: what is set becomes a prepared draw, which is looked up where it is known.

Spec: win32 IDirect3DDevice9::DrawPrimitive, ::DrawIndexedPrimitive, ::DrawPrimitiveUP,
::DrawIndexedPrimitiveUP.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer, one_of, shown
from softd3d.device.d3d9.buffers import (
    IndexBuffer9,
    VertexBuffer9,
    array_bytes,
    index_format,
)
from softd3d.device.d3d9.draws.line_ends import strip_parts, together
from softd3d.device.d3d9.draws.programs import FREQUENCY_FLAGS, INDEXED_DATA
from softd3d.device.d3d9.draws.topologies import (
    CORNERS,
    fan_indices,
    listed_indices,
    vertex_count,
)
from softd3d.device.d3d9.preparing import Preparing
from softd3d.device.d3d9.state import Part, StreamSource
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.enums import PrimitiveType
from softd3d.isa.d3d9.states import RenderState
from softd3d.pipeline.prepared import DrawCall, IndexStream
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.state.input_layout import vertex_stride

__all__ = ["DrawCalls"]

_UINT32 = range(1 << 32)
_INT32 = range(-(1 << 31), 1 << 31)
_LISTS = (PrimitiveType.POINTLIST, PrimitiveType.LINELIST, PrimitiveType.TRIANGLELIST)
_LINE_STRIP, _LINE = PrimitiveType.LINESTRIP, 2  # corners
_LAST_PIXEL = RenderState.LASTPIXEL
_LEAST_SCRATCH = 1 << 12


class DrawCalls(Preparing):
    """Draw."""

    def draw_primitive(
        self, primitive_type: object, start_vertex: int, primitive_count: int
    ) -> DrawResult:
        """Draw primitives of vertices in order: DrawPrimitive.

        Raises:
            ResourceError: a number is not allowed, or states or bindings do not fit, or have a
                value that is none. LoweringError: something that is not supported yet.
            ExecutionError: budget or timeout is spent, or `cancel` said so.
        """
        type_, count = vertex_count(primitive_type, primitive_count)
        start = _number(start_vertex, "start vertex", _UINT32)
        return self._draw_vertices(type_, start, count)

    def draw_indexed_primitive(
        self, primitive_type: object, base_vertex_index: int, min_vertex_index: int,
        num_vertices: int, start_index: int, primitive_count: int,
    ) -> DrawResult:  # fmt: skip
        """Draw primitives of the vertices that the index buffer names: DrawIndexedPrimitive.

        min_vertex_index, num_vertices: hints; they do not count.

        Raises:
            ResourceError: as `draw_primitive`, or there is no index buffer. LoweringError,
                ExecutionError: likewise.
        """
        type_, count = vertex_count(primitive_type, primitive_count)
        base = _number(base_vertex_index, "base vertex index", _INT32)
        for number in (min_vertex_index, num_vertices):
            _number(number, "min vertex index, num vertices", _UINT32)
        start = _number(start_index, "start index", _UINT32)
        if self.state.indices is None:
            raise ResourceError("draw_indexed_primitive: found no index buffer")
        return self._draw_indices(self.state.indices, type_, base, start, count)

    def draw_primitive_up(
        self, primitive_type: object, primitive_count: int, vertex_data: NDArray[Any] | bytes,
        stride: int,
    ) -> DrawResult:  # fmt: skip
        """Draw primitives of vertices in an array: DrawPrimitiveUP. Stream 0 is unset then.

        Raises:
            ResourceError: as `draw_primitive`, or the data cannot be taken, or the last vertex
                would begin behind it. LoweringError,
                ExecutionError: likewise.
        """
        type_, count = vertex_count(primitive_type, primitive_count)
        self._set_user_vertices(vertex_data, stride, count)
        try:
            return self._draw_vertices(type_, 0, count)
        finally:
            self._unset_user_data()

    def draw_indexed_primitive_up(
        self, primitive_type: object, min_vertex_index: int, num_vertices: int,
        primitive_count: int, index_data: NDArray[Any] | bytes, index_data_format: str | int,
        vertex_data: NDArray[Any] | bytes, stride: int,
    ) -> DrawResult:  # fmt: skip
        """Draw vertices that indices name, both in arrays: DrawIndexedPrimitiveUP.

        Stream 0 and the index buffer are unset then. min_vertex_index, num_vertices: do not count.

        Raises:
            ResourceError, LoweringError, ExecutionError: as `draw_primitive_up`.
        """
        type_, count = vertex_count(primitive_type, primitive_count)
        for number in (min_vertex_index, num_vertices):
            _number(number, "min vertex index, num vertices", _UINT32)
        form = index_format(index_data_format)
        data = _user_bytes(index_data, "index data")
        if data.size < count * form.bytes_per_texel:
            raise ResourceError(
                f"index data: found {data.size} bytes, wanted {count} indices of "
                f"{form.bytes_per_texel} bytes"
            )
        name = "INDEX16" if form.bytes_per_texel == 2 else "INDEX32"
        scratch = self._scratch_indices.get(name)
        if scratch is None or scratch.length < data.size:
            scratch = IndexBuffer9(_room(data.size), name)
            self._scratch_indices[name] = scratch
        scratch.array[: data.size] = data
        scratch.array[data.size :] = 0
        self._set_user_vertices(vertex_data, stride)
        try:
            return self._draw_indices(scratch, type_, 0, 0, count)
        finally:
            self._unset_user_data()
            self.state.indices = None

    def listing(self, stage: object, primitive_type: object = PrimitiveType.TRIANGLELIST) -> str:
        """Return the program that the fixed function would run now, as assembly.

        stage: "vertex", of vertex processing, or "pixel", of texture stages.

        Raises:
            ResourceError: a shader of that stage is set, or states or bindings do not fit.
        """
        word = one_of(stage, "listing", ("vertex", "pixel"))
        type_, _ = vertex_count(primitive_type, 0)
        programs = self._programs_of(type_)
        found = programs.fixed_vertex if word == "vertex" else programs.fixed_pixel
        if found is None:
            raise ResourceError(f"listing: found a {word} shader, wanted the fixed function")
        return found.text

    # How they are carried out

    def _draw_vertices(self, type_: PrimitiveType, start: int, count: int) -> DrawResult:
        if type_ is PrimitiveType.TRIANGLEFAN and count:
            listed = fan_indices(count)
            call = DrawCall(listed.data.size // 4, base_vertex=_signed(start), is_indexed=True)
            return self._run(type_, call, listed, ("fan", count))
        return self._run(type_, DrawCall(count, 1, start), None, None)

    def _draw_indices(
        self, buffer: IndexBuffer9, type_: PrimitiveType, base: int, start: int, count: int
    ) -> DrawResult:
        word = self.state.frequencies[0]
        instances = word & ~FREQUENCY_FLAGS if word & INDEXED_DATA else 1
        if type_ not in _LISTS and count:
            indices = buffer.indices[start : start + count]
            cut = 0xFFFF if indices.dtype.itemsize == 2 else 0xFFFFFFFF
            if type_ is PrimitiveType.TRIANGLEFAN or (indices == cut).any():
                padded = np.zeros(count, indices.dtype)
                padded[: indices.size] = indices
                return self._draw_listed(listed_indices(type_, padded), type_, base, instances)
        stream = IndexStream(buffer.array, buffer.format)
        call = DrawCall(count, instances, start, 0, base, is_indexed=True)
        return self._run(type_, call, stream, buffer)

    def _draw_listed(
        self, listed: IndexStream, type_: PrimitiveType, base: int, instances: int
    ) -> DrawResult:
        """Draw a list of indices that was made for this call, in memory that stays the same."""
        size = listed.data.size
        buffer = self._scratch_lists
        if buffer is None or buffer.length < size:
            buffer = self._scratch_lists = IndexBuffer9(_room(size), "INDEX32")
        buffer.array[:size] = listed.data
        stream = IndexStream(buffer.array, buffer.format)
        call = DrawCall(size // 4, instances, 0, 0, base, is_indexed=True)
        return self._run(_listed(type_), call, stream, buffer, is_strip=type_ is _LINE_STRIP)

    def _run(
        self, type_: PrimitiveType, call: DrawCall, indices: IndexStream | None, key: object,
        *, is_strip: bool = False,
    ) -> DrawResult:  # fmt: skip
        """Carry out a call, and count for the queries that are on. is_strip: of a list of lines."""
        lights_ends = self._lights_ends and bool(self.state.render[_LAST_PIXEL])
        is_strip = is_strip or type_ is _LINE_STRIP
        if not (lights_ends and is_strip and call.count):
            return self._run_once(type_, call, indices, key, last_pixel=lights_ends)
        found = DrawResult()
        for part, ends in strip_parts(type_, call):
            kind = PrimitiveType.LINELIST if ends else type_
            found = together(found, self._run_once(kind, part, indices, key, last_pixel=ends))
        return found

    def _run_once(
        self, type_: PrimitiveType, call: DrawCall, indices: IndexStream | None, key: object,
        *, last_pixel: bool,
    ) -> DrawResult:  # fmt: skip
        if self.recording is not None:
            raise ResourceError("draw: a state block is being recorded")
        watch = self._options.watch()
        is_line = CORNERS[type_] == _LINE
        job = self._job(type_, indices, key, watch, last_pixel=last_pixel and is_line)
        if not call.count:
            return DrawResult()
        for texture in self._generated:
            texture.refresh_levels()
        result = job.run(call, watch)
        for query in self._counting:
            query.count(result)
        return result

    # Data of the caller's

    def _set_user_vertices(
        self, data: NDArray[Any] | bytes, stride: object, count: int = 0
    ) -> None:
        """Bind data to stream 0. count: of vertices that must be there, at least in part."""
        found = _user_bytes(data, "vertex data")
        step = vertex_stride(stride, 0)
        if count and found.size <= (count - 1) * step:
            raise ResourceError(
                f"vertex data: found {found.size} bytes, wanted {count} vertices of {step} bytes"
            )
        buffer = self._scratch_vertices
        if buffer is None or buffer.length < found.size:
            buffer = self._scratch_vertices = VertexBuffer9(_room(found.size))
        buffer.array[: found.size] = found
        buffer.array[found.size :] = 0  # what is not given reads 0
        source = StreamSource(buffer, 0, step)
        if self.state.streams[0] != source:
            self.state.streams[0] = source
            self.dirty |= Part.BUFFERS

    def _unset_user_data(self) -> None:
        self.state.streams[0] = StreamSource()
        self.dirty |= Part.BUFFERS


def _number(value: object, what: str, allowed: range) -> int:
    if type(value) is int and value in allowed:
        return value
    return integer(value, what, allowed)


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number


def _listed(type_: PrimitiveType) -> PrimitiveType:
    is_line = type_ is PrimitiveType.LINESTRIP
    return PrimitiveType.LINELIST if is_line else PrimitiveType.TRIANGLELIST


def _room(size: int) -> int:
    """Return how much memory is made for so many bytes."""
    return max(_LEAST_SCRATCH, 1 << (size - 1).bit_length())


def _user_bytes(data: object, what: str) -> NDArray[np.uint8]:
    if isinstance(data, (bytes, bytearray, memoryview)):
        found = np.frombuffer(cast("bytes", data), np.uint8)
    elif isinstance(data, np.ndarray):
        found = array_bytes(np.ascontiguousarray(cast("NDArray[Any]", data)), what)
    else:
        raise ResourceError(f"{what}: found {shown(data)}, wanted an array or bytes")
    return found
