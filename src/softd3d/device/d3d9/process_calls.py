"""ProcessVertices: vertex processing into a vertex buffer.

Spec: win32 IDirect3DDevice9::ProcessVertices.
"""

from __future__ import annotations

import numpy as np

from softd3d.arguments import instance, integer
from softd3d.device.d3d9.buffers import VertexBuffer9
from softd3d.device.d3d9.copy_calls import CopyCalls
from softd3d.device.d3d9.declarations import VertexDeclaration9, declaration_of_fvf
from softd3d.device.d3d9.draws.constants import vertex_files
from softd3d.device.d3d9.draws.processing import (
    check_destination,
    processed,
    processing_draw,
    put_vertices,
)
from softd3d.device.d3d9.draws.textures import textures_in, with_textures
from softd3d.device.draws.engines import engine_of
from softd3d.errors import ResourceError
from softd3d.isa.sm1.enums import Usage
from softd3d.pipeline.prepared import DrawCall
from softd3d.resources.views.origin import Held, check_memory

__all__ = ["ProcessingCalls"]

_UINT32 = range(1 << 32)
_DO_NOT_COPY = 1  # D3DPV_DONOTCOPYDATA
_MOST_AT_ONCE = 1 << 16  # vertices


class ProcessingCalls(CopyCalls):
    """Process vertices without drawing them."""

    def process_vertices(
        self, src_start_index: int, dest_index: int, vertex_count: int, dest_buffer: VertexBuffer9,
        vertex_declaration: VertexDeclaration9 | int, flags: int = 0,
    ) -> None:  # fmt: skip
        """Process vertices of the streams into a buffer of processed ones: ProcessVertices.

        The vertex shader, or the fixed function, gives their elements; what neither gives is copied
        from the same element of the source, if it is there.

        Args:
            src_start_index: the first vertex of the streams.
            dest_index: the first vertex of dest_buffer that is written.
            vertex_count: how many.
            dest_buffer: what is written, in place.
            vertex_declaration: of dest_buffer, or its FVF; with POSITIONT, all in stream 0.
            flags: 1, DONOTCOPYDATA: only what vertex processing gives is written.

        Raises:
            ResourceError: a number is not allowed, or the buffer has no room; vertices are
                processed already; states or bindings do not fit. LoweringError, ExecutionError: as
                `draw_primitive`.
        """
        first = integer(src_start_index, "src_start_index", _UINT32)
        at = integer(dest_index, "dest_index", _UINT32)
        count = integer(vertex_count, "vertex_count", _UINT32)
        copies = not integer(flags, "process_vertices: flags", range(2)) & _DO_NOT_COPY
        buffer = instance(dest_buffer, VertexBuffer9, "process_vertices: dest_buffer")
        if not isinstance(vertex_declaration, VertexDeclaration9):
            fvf = integer(vertex_declaration, "process_vertices: FVF", _UINT32)
            vertex_declaration = declaration_of_fvf(fvf)
        size = check_destination(vertex_declaration)
        if (at + count) * size > buffer.length or not buffer.array.flags.writeable:
            raise ResourceError(
                f"process_vertices: found {buffer}, wanted a writable one with room for "
                f"{at + count} vertices of {size} bytes"
            )
        rows = buffer.array[at * size : (at + count) * size].reshape(count, size)
        self._process(first, rows, vertex_declaration, copies=copies)

    def _process(
        self, first: int, rows: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
        declaration: VertexDeclaration9, *, copies: bool,
    ) -> None:  # fmt: skip
        if self.recording is not None:
            raise ResourceError("process_vertices: a state block is being recorded")
        state, watch = self.state, self._options.watch()
        viewport = state.viewport
        state.fixed.viewport = (viewport.x, viewport.y, viewport.width, viewport.height)
        sizes = any(e.usage is Usage.PSIZE for e in declaration.used)
        programs = self._memo.processing(state, self._elements(), points=sizes)
        shader = programs.shader
        shader.set_files(vertex_files(state, programs.fixed))
        shader.seen = object()  # draws put theirs again
        for texture in textures_in(state, shader.samplers):
            if texture.is_generated:
                texture.refresh_levels()
        streams = {i.slot: state.streams[i.slot] for i in programs.stage.inputs}
        check_memory(
            Held(source.buffer.origin, f"stream {slot}", is_written=False)
            for slot, source in streams.items()
            if source.buffer is not None
        )
        bound = with_textures(programs.stage.bound, shader, state)
        most = min(len(rows), _MOST_AT_ONCE)
        draw, room = processing_draw(programs.stage, bound, streams, most)
        engine = engine_of(draw, self._options, watch)
        for start in range(0, len(rows), _MOST_AT_ONCE):
            some = rows[start : start + _MOST_AT_ONCE]
            here = first + start & _UINT32[-1]
            room.filled[0] = 0
            engine(DrawCall(len(some), 1, here), watch)
            words = room.data[: int(room.filled[0])]
            found = processed(programs.stage.outputs, words, viewport)
            put_vertices(some, declaration.used, found, state, here, copies=copies)
