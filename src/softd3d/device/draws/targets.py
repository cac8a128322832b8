"""Render targets and depth-stencil views: what callers give as one, and which memory it shows.

Spec: D3D11.3 sections 5.3 (views) and 17.13 to 17.16; d3d11.h D3D11_RENDER_TARGET_VIEW_DESC,
D3D11_DEPTH_STENCIL_VIEW_DESC.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import flag, integer
from softd3d.classes import dataclass
from softd3d.device.arrays import format_like
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.formats.pipeline_views import depth_stencil_format, render_target_format
from softd3d.formats.shader_views import is_unordered
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.pipeline.prepared import Target
from softd3d.resources.buffers.buffer import TypedBuffer
from softd3d.resources.textures.subresources import FACES
from softd3d.resources.textures.texture import Texture, Texture2D
from softd3d.resources.textures.views import TextureView, check_view_format
from softd3d.resources.views.descriptor import Descriptor
from softd3d.resources.views.origin import Origin

__all__ = [
    "DepthStencilView",
    "RenderTargetView",
    "ShownTarget",
    "depth_stencil_view",
    "render_target",
    "unordered_target",
]

_D = ResourceDimension
_ROWS = frozenset({_D.BUFFER, _D.TEXTURE1D, _D.TEXTURE1DARRAY})
_CUBES = frozenset({_D.TEXTURECUBE, _D.TEXTURECUBEARRAY})
_KINDS = {_D.BUFFER: "buffer", _D.TEXTURE3D: "3D texture"}
_HOW_TEXELS = 'Texture2D(array, "B8G8R8A8_UNORM")'
_HOW = 'RenderTargetView(array, "B8G8R8A8_UNORM")'
_DEPTHS = {
    np.dtype(np.float32): "D32_FLOAT",
    np.dtype(np.uint16): "D16_UNORM",
    np.dtype(np.uint32): "D24_UNORM_S8_UINT",
    np.dtype(np.uint64): "D32_FLOAT_S8X24_UINT",
}


@dataclass(frozen=True, slots=True)
class RenderTargetView:
    """One mip level of some slices of a resource, to be drawn to: D3D11_RENDER_TARGET_VIEW_DESC.

    resource: a texture, a TypedBuffer, or an array as for `Draw`.
    format: of the view, by default the resource's own; a typeless texture needs one.
    first_array_slice, array_size: slices, also those of a 3D texture's depth (FirstWSlice, WSize
        in C); by default all from the first on.

    >>> texture = Texture2D([np.zeros((4, 4), np.uint32), np.zeros((2, 2), np.uint32)], "R32_UINT")
    >>> RenderTargetView(texture, mip_slice=1).mip_slice
    1
    """

    resource: Texture | TypedBuffer | NDArray[Any]
    format: str | int | Format | None = None
    mip_slice: int = 0
    first_array_slice: int = 0
    array_size: int | None = None


@dataclass(frozen=True, slots=True)
class DepthStencilView(RenderTargetView):
    """The same for depth and stencil: D3D11_DEPTH_STENCIL_VIEW_DESC.

    read_only_depth, read_only_stencil: parts that are tested but never written
        (D3D11_DSV_READ_ONLY_DEPTH, _STENCIL); shaders may then read them at the same time.
    """

    read_only_depth: bool = False
    read_only_stencil: bool = False


@dataclass(frozen=True, slots=True)
class ShownTarget:
    """A target with what checks need to know.

    kind: of the resource, for messages. origin: of its memory. is_centered:
    whether all its samples are at the pixels' centres.
    """

    target: Target
    kind: str
    origin: Origin | None
    read_only_depth: bool = False
    read_only_stencil: bool = False
    is_centered: bool = False

    @property
    def is_written(self) -> bool:
        """Whether a draw may write any part of it."""
        has_stencil = any(c.component == "s" for c in self.target.format.channels)
        return not self.read_only_depth or (has_stencil and not self.read_only_stencil)

    @property
    def size(self) -> tuple[int, int]:
        return self.target.width, self.target.height


def render_target(given: object, name: str, *, is_float: bool = True) -> ShownTarget:
    """Return what a caller gave as a render target.

    name: what errors begin with. is_float: whether the shader's output is one; integers of 8 and
    16 bits in a bare array are then normalised.

    Raises:
        ResourceError: nothing that can be drawn to; the text says why.
    """
    try:
        return _render_target(given, name, is_float=is_float)
    except ResourceError as error:
        raise _named(error, name) from None


def depth_stencil_view(given: object, name: str = "depth-stencil view") -> ShownTarget:
    """Return what a caller gave as a depth-stencil view.

    Raises:
        ResourceError: nothing that can be one; the text says why.
    """
    try:
        return _depth_stencil_view(given, name)
    except ResourceError as error:
        raise _named(error, name) from None


def unordered_target(given: object, name: str, *, is_float: bool) -> ShownTarget:
    """Return the memory of an unordered access view: of a texture, a view of one, or a buffer.

    An array of one axis is a typed buffer, of more a texture. is_float: whether integers of 8 and
    16 bits in a bare array are normalised.

    Raises:
        ResourceError: nothing of the kind, or a format that such views cannot have.
    """
    try:
        return _unordered_target(given, name, is_float=is_float)
    except ResourceError as error:
        raise _named(error, name) from None


def _named(error: ResourceError, name: str) -> ResourceError:
    if error.message.startswith(f"{name}: "):
        return error
    return ResourceError(f"{name}: {error.message}", error.location)


def _render_target(given: object, name: str, *, is_float: bool) -> ShownTarget:
    if isinstance(given, DepthStencilView):
        raise ResourceError("found a DepthStencilView, wanted a RenderTargetView")
    view = given if isinstance(given, RenderTargetView) else None
    resource = view.resource if view is not None else given
    if isinstance(resource, np.ndarray):
        array = cast("NDArray[Any]", resource)
        _check_axes(array)
        form = None if view is None else view.format
        if form is None:
            form = format_like(array, 2, is_float=is_float, how=_HOW)
        resource = Texture2D(array, form)
    if isinstance(resource, TextureView) and view is None:
        seen = resource.descriptor
        return _of_view(seen, render_target_format(cast("Format", seen.view_format), name), name)
    if isinstance(resource, TypedBuffer):
        view = view or RenderTargetView(resource)
        if view.mip_slice or view.first_array_slice or view.array_size not in (None, 1):
            raise ResourceError("found a mip level or slices of a buffer, wanted none")
        form = resource.format if view.format is None else view.format
        return _of_buffer(resource, render_target_format(form, name), name)
    if not isinstance(resource, Texture):
        raise ResourceError(
            f"found {type(resource).__name__}, wanted an array, a texture, a view of one, or None"
        )
    view = view or RenderTargetView(resource)
    format_ = render_target_format(_format_of(view, resource), name)
    return _of_texture(resource, view, format_, name)


def _check_axes(array: NDArray[Any]) -> None:
    if array.ndim > 3:
        raise ResourceError(
            f"found an array of {array.ndim} axes, wanted height, width and channels; with samples "
            'give Texture2DMS(array, "R8G8B8A8_UNORM"), with slices Texture2DArray'
        )


def _unordered_target(given: object, name: str, *, is_float: bool) -> ShownTarget:
    if isinstance(given, np.ndarray):
        given = _texels_of(cast("NDArray[Any]", given), is_float=is_float)
    if not isinstance(given, (Texture, TextureView, TypedBuffer)):
        raw = "; raw and structured ones have no floats: use clear_uav_uint" if is_float else ""
        raise ResourceError(
            f"found {type(given).__name__}, wanted an array, a texture, a view of one, or a typed "
            f"buffer{raw}"
        )
    seen = given.describe()
    form = cast("Format", seen.view_format)
    if not is_unordered(form):
        raise ResourceError(f"format {form.name} cannot be a UAV")
    if isinstance(given, TypedBuffer):
        return _of_buffer(given, form, name)
    return _of_view(seen, form, name)


def _texels_of(array: NDArray[Any], *, is_float: bool) -> Texture2D | TypedBuffer:
    """Return an array as texels: a row of a buffer's, or height, width and channels."""
    _check_axes(array)
    form = format_like(array, min(array.ndim, 2), is_float=is_float, how=_HOW_TEXELS)
    return TypedBuffer(array, form) if array.ndim < 2 else Texture2D(array, form)


def _depth_stencil_view(given: object, name: str) -> ShownTarget:
    is_plain = isinstance(given, RenderTargetView) and not isinstance(given, DepthStencilView)
    view = given if isinstance(given, DepthStencilView) else None
    resource = view.resource if view is not None else given
    if isinstance(resource, np.ndarray):
        array = cast("NDArray[Any]", resource)
        resource = Texture2D(array, _depth_format(array) if view is None or view.format is None
                             else view.format)  # fmt: skip
    if is_plain or not isinstance(resource, Texture):
        raise ResourceError(
            f"found {type(resource).__name__}, wanted an array, a texture, or a DepthStencilView"
        )
    view = view or DepthStencilView(resource)
    format_ = depth_stencil_format(_format_of(view, resource), name)
    if resource.kind.axes == 3:
        raise ResourceError(f"found a {resource.kind.name}, wanted a 1D or 2D texture")
    return _of_texture(resource, view, format_, name)


def _depth_format(array: NDArray[Any]) -> str:
    found = _DEPTHS.get(array.dtype)
    if found is None:
        wanted = ", ".join(f"{dtype} ({name})" for dtype, name in _DEPTHS.items())
        raise ResourceError(f"found an array of {array.dtype}, wanted {wanted}")
    return found


def _format_of(view: RenderTargetView, texture: Texture) -> str | int | Format:
    return texture.format if view.format is None else view.format


def _of_texture(
    texture: Texture, view: RenderTargetView, format_: Format, name: str
) -> ShownTarget:
    layout, whole = texture.layout, texture.whole
    check_view_format(texture.kind.name, layout, texture.format, format_)
    level = integer(view.mip_slice, "mip_slice", range(layout.mips))
    width, height, depth = layout.extent(level)
    is_volume = layout.kind.axes == 3
    first, count = _slices(view, depth if is_volume else layout.slices)
    offset, row, inner = layout.levels()[level]
    pitch = inner if is_volume else layout.slice_bytes
    start = offset + first * pitch
    target = Target(
        name, format_, whole.data, start, row, pitch, width, height, count, layout.samples
    )
    flags = {
        part: flag(getattr(view, part), part)
        for part in ("read_only_depth", "read_only_stencil")
        if isinstance(view, DepthStencilView)
    }
    found = ShownTarget(
        target, _kind(whole.dimension), whole.origin, is_centered=texture.is_centered, **flags
    )
    return _checked(found, is_writable=whole.writable)


def _slices(view: RenderTargetView, total: int) -> tuple[int, int]:
    first = integer(view.first_array_slice, "first_array_slice", range(total))
    most = total - first
    if view.array_size is None:
        return first, most
    return first, integer(view.array_size, "array_size", range(1, most + 1))


def _of_view(seen: Descriptor, format_: Format, name: str) -> ShownTarget:
    """Return what a view for shaders shows: its first level, as of a UAV."""
    offset, row, inner = seen.mips[0]
    is_volume = seen.dimension is _D.TEXTURE3D
    slices = seen.depth if is_volume else seen.array_size * _faces(seen.dimension)
    pitch = inner if is_volume else seen.array_pitch
    target = Target(
        name, format_, seen.data, offset, row, pitch, seen.width, seen.height, slices,
        seen.sample_count,
    )  # fmt: skip
    return _checked(
        ShownTarget(
            target, _kind(seen.dimension), seen.origin, is_centered=not seen.standard_samples
        ),
        is_writable=seen.writable,
    )


def _of_buffer(buffer: TypedBuffer, format_: Format, name: str) -> ShownTarget:
    """Return a buffer as one row of texels."""
    seen = buffer.describe()
    if format_.bytes_per_block != seen.stride:
        raise ResourceError(f"found format {format_.name} for a view of {buffer.format.name}")
    target = Target(
        name, format_, seen.data, 0, seen.size, seen.size, seen.count, 1, 1, 1
    )  # fmt: skip
    return _checked(ShownTarget(target, "buffer", seen.origin), is_writable=seen.writable)


def _checked(found: ShownTarget, *, is_writable: bool) -> ShownTarget:
    if found.is_written and not is_writable:
        raise ResourceError("the array must be writable, found a read-only one")
    return found


def _faces(dimension: ResourceDimension) -> int:
    return FACES if dimension in _CUBES else 1


def _kind(dimension: ResourceDimension) -> str:
    if dimension in _KINDS:
        return _KINDS[dimension]
    return "1D texture" if dimension in _ROWS else "2D texture"
