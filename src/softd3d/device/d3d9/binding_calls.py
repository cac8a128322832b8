"""Calls of a device that bind things: targets, streams, declarations, shaders, constants.

Spec: win32 IDirect3DDevice9, "Methods".
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import flags, integer, shown
from softd3d.device.d3d9.buffers import IndexBuffer9, VertexBuffer9
from softd3d.device.d3d9.declarations import VertexDeclaration9, declaration_of_fvf
from softd3d.device.d3d9.draws.programs import FREQUENCY_FLAGS
from softd3d.device.d3d9.recording import Item
from softd3d.device.d3d9.shaders import PixelShader9, VertexShader9
from softd3d.device.d3d9.state import Part, StreamSource, Viewport9
from softd3d.device.d3d9.state_calls import StateCalls
from softd3d.device.d3d9.values import dword
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format
from softd3d.isa.d3d9.enums import Fvf
from softd3d.isa.sm1.limits import MAX_RENDER_TARGETS, MAX_STREAMS
from softd3d.pipeline.state import Rect
from softd3d.pipeline.state.input_layout import vertex_stride
from softd3d.resources.d3d9.surfaces import Origin, Surface9, Texture9

__all__ = ["BindingCalls"]

_T = TypeVar("_T")
_OFFSETS = range(1 << 31)


class BindingCalls(StateCalls):
    """Bind what draws work on."""

    # Targets

    def set_render_target(self, index: int, surface: Surface9 | Texture9 | None) -> None:
        """Bind a render target, 0 to 3; of a texture its first level.

        Target 0 must be there; viewport and scissor rectangle become all of it.

        Raises:
            ResourceError: no such slot, or nothing that can be one.
        """
        slot = integer(index, "render target", range(MAX_RENDER_TARGETS))
        found = _surface(surface, "set_render_target")
        if found is None and slot == 0:
            raise ResourceError("set_render_target: found None for target 0, wanted a surface")
        if found is not None and not found.origin.is_render_target:
            raise ResourceError(f"set_render_target: {found} is no render target")
        self.state.targets[slot] = found
        self.dirty |= Part.TARGETS | Part.OUTPUT | Part.PROGRAMS
        if found is not None and slot == 0:
            self.state.viewport = Viewport9(0, 0, found.width, found.height)
            self.state.scissor = Rect(0, 0, found.width, found.height)
            self.dirty |= Part.WORDS | Part.FIXED

    def get_render_target(self, index: int) -> Surface9 | None:
        """Return the target in a slot."""
        return self.state.targets[integer(index, "render target", range(MAX_RENDER_TARGETS))]

    def set_depth_stencil_surface(self, surface: Surface9 | Texture9 | None) -> None:
        """Bind a depth-stencil surface, None for none; of a texture its first level.

        Raises:
            ResourceError: nothing that can be one.
        """
        found = _surface(surface, "set_depth_stencil_surface")
        if found is not None and not _is_depth(found):
            raise ResourceError(f"set_depth_stencil_surface: {found} is no depth-stencil surface")
        self.state.depth = found
        self.dirty |= Part.TARGETS | Part.OUTPUT

    def get_depth_stencil_surface(self) -> Surface9 | None:
        """Return the depth-stencil surface."""
        return self.state.depth

    # Vertices and indices

    def set_vertex_declaration(self, declaration: VertexDeclaration9 | None) -> None:
        """Set what lies where in the streams, instead of a vertex format.

        Raises:
            ResourceError: no declaration.
        """
        self._put_slot(
            Item.DECLARATION,
            _one(declaration, VertexDeclaration9, "set_vertex_declaration"),
        )

    def get_vertex_declaration(self) -> VertexDeclaration9 | None:
        """Return the declaration, which SetFVF sets, too."""
        return self.state.declaration

    def set_fvf(self, fvf: object) -> None:
        """Set a vertex format: the declaration that it stands for.

        fvf: `Fvf`, or names joined by "|".

        Raises:
            ResourceError: it stands for none.
        """
        self._put_slot(Item.DECLARATION, declaration_of_fvf(flags(Fvf, fvf, "set_fvf", "D3DFVF_")))

    def get_fvf(self) -> int:
        """Return the vertex format; 0 where a declaration was set."""
        return 0 if self.state.declaration is None else self.state.declaration.fvf

    def set_stream_source(
        self, stream: int, buffer: VertexBuffer9 | None, offset: int = 0, stride: int = 0
    ) -> None:
        """Bind a vertex buffer to a stream, 0 to 15. offset, stride: bytes.

        Raises:
            ResourceError: no such stream, no buffer, or numbers that are not allowed.
        """
        slot = _stream(stream)
        found = StreamSource(
            _one(buffer, VertexBuffer9, "set_stream_source"),
            integer(offset, f"stream {slot}: offset", _OFFSETS), vertex_stride(stride, slot),
        )  # fmt: skip
        if self.recording is not None:
            self.recording[Item.STREAM, slot] = found
        elif self.state.streams[slot] != found:
            self.state.streams[slot] = found
            self.dirty |= Part.BUFFERS

    def get_stream_source(self, stream: int) -> StreamSource:
        """Return buffer, offset and stride of a stream."""
        return self.state.streams[_stream(stream)]

    def set_stream_source_freq(self, stream: int, setting: int) -> None:
        """Set the divider of a stream: 1, INDEXEDDATA | instances, or INSTANCEDATA | step.

        Raises:
            ResourceError: no such stream, or a setting that Direct3D refuses.
        """
        slot, word = _stream(stream), dword(setting, "set_stream_source_freq")
        if (
            not word & ~FREQUENCY_FLAGS
            or word & FREQUENCY_FLAGS == FREQUENCY_FLAGS
            or (slot == 0 and word >> 31)
        ):
            raise ResourceError(
                f"set_stream_source_freq: found {word:#x} for stream {slot}, wanted a number with "
                "INDEXEDDATA or, but for stream 0, INSTANCEDATA"
            )
        if self.recording is not None:
            self.recording[Item.FREQUENCY, slot] = word
        else:
            self.put((Item.FREQUENCY, slot), word)

    def get_stream_source_freq(self, stream: int) -> int:
        """Return the divider of a stream."""
        return self.state.frequencies[_stream(stream)]

    def set_indices(self, buffer: IndexBuffer9 | None) -> None:
        """Bind an index buffer.

        Raises:
            ResourceError: no index buffer.
        """
        self._put_slot(Item.INDICES, _one(buffer, IndexBuffer9, "set_indices"))

    def get_indices(self) -> IndexBuffer9 | None:
        """Return the index buffer."""
        return self.state.indices

    # Shaders

    def set_vertex_shader(self, shader: VertexShader9 | None) -> None:
        """Set the vertex shader; None for the fixed function.

        Raises:
            ResourceError: no vertex shader.
        """
        self._put_slot(Item.VERTEX_SHADER, _one(shader, VertexShader9, "set_vertex_shader"))

    def get_vertex_shader(self) -> VertexShader9 | None:
        """Return the vertex shader."""
        return self.state.vertex_shader

    def set_pixel_shader(self, shader: PixelShader9 | None) -> None:
        """Set the pixel shader; None for texture stages.

        Raises:
            ResourceError: no pixel shader.
        """
        self._put_slot(Item.PIXEL_SHADER, _one(shader, PixelShader9, "set_pixel_shader"))

    def get_pixel_shader(self) -> PixelShader9 | None:
        """Return the pixel shader."""
        return self.state.pixel_shader

    def _put_slot(self, item: Item, value: object) -> None:
        """Set a state there is one of, or record it."""
        if self.recording is not None:
            self.recording[item,] = value
        elif self.value_of((item,)) is not value:
            self.put((item,), value)

    # Constants

    def set_vertex_shader_constant_f(self, start: int, values: object) -> None:
        """Set c# of vertex shaders from a number on: (n, 4) numbers.

        Raises:
            ResourceError: no numbers, or not as many registers.
        """
        self._set_constants(Item.VERTEX_FLOATS, start, _floats(values))

    def set_vertex_shader_constant_i(self, start: int, values: object) -> None:
        """Set i# of vertex shaders from a number on: (n, 4) integers."""
        self._set_constants(Item.VERTEX_INTEGERS, start, _integers(values))

    def set_vertex_shader_constant_b(self, start: int, values: object) -> None:
        """Set b# of vertex shaders from a number on: n bools."""
        self._set_constants(Item.VERTEX_BOOLEANS, start, _booleans(values), 1)

    def set_pixel_shader_constant_f(self, start: int, values: object) -> None:
        """Set c# of pixel shaders from a number on: (n, 4) numbers."""
        self._set_constants(Item.PIXEL_FLOATS, start, _floats(values))

    def set_pixel_shader_constant_i(self, start: int, values: object) -> None:
        """Set i# of pixel shaders from a number on: (n, 4) integers."""
        self._set_constants(Item.PIXEL_INTEGERS, start, _integers(values))

    def set_pixel_shader_constant_b(self, start: int, values: object) -> None:
        """Set b# of pixel shaders from a number on: n bools."""
        self._set_constants(Item.PIXEL_BOOLEANS, start, _booleans(values), 1)

    def get_vertex_shader_constant_f(self, start: int, count: int) -> NDArray[np.float32]:
        """Return c# of vertex shaders: float32, (count, 4)."""
        return self._constants(Item.VERTEX_FLOATS, start, count, 4).view(np.float32)

    def get_vertex_shader_constant_i(self, start: int, count: int) -> NDArray[np.int32]:
        """Return i# of vertex shaders: int32, (count, 4)."""
        return self._constants(Item.VERTEX_INTEGERS, start, count, 4).view(np.int32)

    def get_vertex_shader_constant_b(self, start: int, count: int) -> NDArray[np.bool_]:
        """Return b# of vertex shaders: bool, (count,)."""
        return self._constants(Item.VERTEX_BOOLEANS, start, count, 1)[:, 0] != 0

    def get_pixel_shader_constant_f(self, start: int, count: int) -> NDArray[np.float32]:
        """Return c# of pixel shaders: float32, (count, 4)."""
        return self._constants(Item.PIXEL_FLOATS, start, count, 4).view(np.float32)

    def get_pixel_shader_constant_i(self, start: int, count: int) -> NDArray[np.int32]:
        """Return i# of pixel shaders: int32, (count, 4)."""
        return self._constants(Item.PIXEL_INTEGERS, start, count, 4).view(np.int32)

    def get_pixel_shader_constant_b(self, start: int, count: int) -> NDArray[np.bool_]:
        """Return b# of pixel shaders: bool, (count,)."""
        return self._constants(Item.PIXEL_BOOLEANS, start, count, 1)[:, 0] != 0

    def _set_constants(
        self, item: Item, start: int, words: NDArray[np.uint32], width: int = 4
    ) -> None:
        first = self._range(item, start, -(-words.size // width), width)
        if words.size % width:
            raise ResourceError(
                f"constants: found {words.size} numbers, wanted a multiple of {width}"
            )
        if self.recording is None:
            self.put_constants(item, first, words)
            return
        for at in range(0, words.size, width):
            self.recording[item, first + at, width] = words[at : at + width].copy()

    def _constants(self, item: Item, start: int, count: int, width: int) -> NDArray[np.uint32]:
        number = integer(count, "constants: count", range(1 << 20))
        first = self._range(item, start, number, width)
        return self.constants_of(item)[first : first + width * number].reshape(-1, width).copy()

    def _range(self, item: Item, start: int, count: int, width: int) -> int:
        """Return the first word of registers."""
        there = self.constants_of(item).size // width
        first = start if type(start) is int else integer(start, "constants: start")
        if not 0 <= first <= there - count:
            raise ResourceError(
                f"constants: found {count} registers from {first} on, wanted them within 0 to "
                f"{there - 1}"
            )
        return first * width


def _one(given: _T | None, kind: type[_T], what: str) -> _T | None:
    if given is not None and not isinstance(given, kind):
        raise ResourceError(
            f"{what}: found {type(given).__name__}, wanted a {kind.__name__} or None"
        )
    return given


def _stream(stream: object) -> int:
    return integer(stream, "stream", range(MAX_STREAMS))


def _surface(given: object, what: str) -> Surface9 | None:
    if isinstance(given, Texture9):
        return given.surface(0)
    return _one(cast("Surface9 | None", given), Surface9, what)


def _is_depth(surface: Surface9) -> bool:
    form: D3D9Format = surface.format
    return form.is_depth_stencil and surface.origin in (Origin.DEPTH_STENCIL, Origin.TEXTURE)


def _numbers(values: object, dtype: type[np.generic], wanted: str) -> NDArray[Any]:
    try:
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(values, dtype).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise ResourceError(f"constants: found {shown(values)}, wanted {wanted}") from None


def _floats(values: object) -> NDArray[np.uint32]:
    if type(values) is np.ndarray and values.dtype == np.float32 and values.flags.c_contiguous:  # pyright: ignore[reportUnknownMemberType]
        return cast("NDArray[np.float32]", values).reshape(-1).view(np.uint32)
    return _numbers(values, np.float32, "numbers").view(np.uint32)


def _integers(values: object) -> NDArray[np.uint32]:
    found = _numbers(values, np.int64, "integers")
    return found.astype(np.int32).view(np.uint32)


def _booleans(values: object) -> NDArray[np.uint32]:
    return _numbers(values, np.bool_, "bools").astype(np.uint32)
