"""Calls of a device that clear, copy and stretch, and the frame around them.

Spec: win32 IDirect3DDevice9::Clear, ::ColorFill, ::StretchRect, ::UpdateSurface, ::UpdateTexture,
::GetRenderTargetData, ::GetFrontBufferData.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32
from softd3d.arguments import flags as names_or_bits
from softd3d.arguments import real, shown
from softd3d.device.clears import rectangles
from softd3d.device.d3d9.draw_calls import DrawCalls
from softd3d.device.d3d9.draws.targets import bound_target
from softd3d.device.d3d9.null_target import NULL
from softd3d.device.d3d9.queries import Query9
from softd3d.device.d3d9.values import dword
from softd3d.device.filling import color_texel, fill, fill_depth_stencil
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.colors import color_components
from softd3d.isa.d3d9.enums import ClearFlags
from softd3d.isa.d3d9.states import RenderState
from softd3d.pipeline.state import Rect
from softd3d.resources.d3d9.copies import (
    color_fill,
    get_render_target_data,
    update_surface,
    update_texture,
)
from softd3d.resources.d3d9.stretch import TextureFilter, stretch_rect
from softd3d.resources.d3d9.surfaces import Surface9, Texture9

__all__ = ["CopyCalls"]

_R = RenderState
_ALGEBRA = NumpyAlgebra()
_ALL_FLAGS = int(ClearFlags.TARGET | ClearFlags.ZBUFFER | ClearFlags.STENCIL)
Rectangle = Sequence[int]


class CopyCalls(DrawCalls):
    """Clear and copy."""

    def clear(
        self, rects: Iterable[Rect | Rectangle] | None = None, flags: object = None,
        color: int | None = None, z: float | None = None, stencil: int | None = None,
    ) -> None:  # fmt: skip
        """Set all render targets, depth, stencil to a value, within viewport and scissor rectangle.

        rects: of the targets; all of the viewport if there are none. flags: `ClearFlags`, or names
            joined by "|"; by default TARGET, ZBUFFER, STENCIL for the values that are given, TARGET
            for none.
        color: D3DCOLOR, 0xAARRGGBB, 0 if flags name it alone. z: 0 to 1, then 1. stencil: then 0.

        Raises:
            ResourceError: a value that is none, or nothing is bound to what flags name.
        """
        wanted = _flags(flags) if flags is not None else _given(color, z, stencil)
        area = self._area()
        inside = [] if rects is None else [r & area for r in rectangles(rects, "clear: rects")]
        inside = inside or [area]
        word = dword(0 if color is None else color, "clear: color")
        if wanted & ClearFlags.TARGET:
            self._clear_targets(word, inside)
        if not wanted & (ClearFlags.ZBUFFER | ClearFlags.STENCIL):
            return
        if self.state.depth is None:
            raise ResourceError("clear: found flags of depth or stencil, but no such surface")
        far = 1.0 if z is None else z
        depth = real(far, "clear: z") if wanted & ClearFlags.ZBUFFER else None
        if depth is not None and not 0 <= depth <= 1:
            raise ResourceError(f"clear: found z {depth:g}, wanted 0 to 1")
        count = 0 if stencil is None else stencil
        number = dword(count, "clear: stencil") if wanted & ClearFlags.STENCIL else None
        target = bound_target(self.state.depth, "clear").target
        fill_depth_stencil(target, depth, number, inside)

    def _clear_targets(self, color: int, rects: Sequence[Rect]) -> None:
        bits = [bitcast(_ALGEBRA.const(F32, number), U32) for number in color_components(color)]
        is_srgb = bool(self.state.render[_R.SRGBWRITEENABLE])
        for surface in self.state.targets:
            if surface is not None and surface.format.name != NULL:
                target = bound_target(surface, "clear", is_srgb=is_srgb).target
                fill(target, color_texel(target.format, bits), rects)

    def _area(self) -> Rect:
        """Return the pixels that may be cleared."""
        v, render = self.state.viewport, self.state.render
        area = Rect(v.x, v.y, v.x + v.width, v.y + v.height)
        return area & self.state.scissor if render[_R.SCISSORTESTENABLE] else area

    def color_fill(self, surface: Surface9, rect: Rectangle | None = None, color: int = 0) -> None:
        """Fill a rectangle of a surface with a D3DCOLOR; see `softd3d.color_fill`."""
        color_fill(surface, rect, color)

    def stretch_rect(
        self, source: Surface9, source_rect: Rectangle | None, destination: Surface9,
        destination_rect: Rectangle | None = None,
        filter: TextureFilter | int | str = TextureFilter.NONE,  # noqa: A002 - Direct3D's name
    ) -> None:  # fmt: skip
        """Copy a rectangle to another, stretched or converted; see `softd3d.stretch_rect`."""
        stretch_rect(source, source_rect, destination, destination_rect, filter)

    def update_surface(
        self, source: Surface9, source_rect: Rectangle | None, destination: Surface9,
        destination_point: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        """Copy from system memory to the default pool; see `softd3d.update_surface`."""
        update_surface(source, source_rect, destination, destination_point)

    def update_texture(self, source: Texture9, destination: Texture9) -> None:
        """Copy all levels from system memory; see `softd3d.update_texture`."""
        update_texture(source, destination)

    def get_render_target_data(self, render_target: Surface9, destination: Surface9) -> None:
        """Copy a render target to system memory; see `softd3d.get_render_target_data`."""
        get_render_target_data(render_target, destination)

    def create_query(self, type_: object) -> Query9:
        """Make a query: OCCLUSION, EVENT, TIMESTAMP, TIMESTAMPFREQ or TIMESTAMPDISJOINT.

        Raises:
            ResourceError: no such type.
        """
        return Query9(type_, self._counting)


def _given(color: object, z: object, stencil: object) -> ClearFlags:
    """Return the flags of the values that a call gives."""
    found = ClearFlags(0) if color is None else ClearFlags.TARGET
    found |= ClearFlags(0) if z is None else ClearFlags.ZBUFFER
    found |= ClearFlags(0) if stencil is None else ClearFlags.STENCIL
    return found or ClearFlags.TARGET


def _flags(flags: object) -> int:
    found = names_or_bits(ClearFlags, flags, "clear: flags", "D3DCLEAR_")
    if not 0 < found <= _ALL_FLAGS:
        raise ResourceError(f"clear: found flags {shown(flags)}, wanted TARGET, ZBUFFER, STENCIL")
    return found
