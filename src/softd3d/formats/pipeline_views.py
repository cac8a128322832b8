"""Which formats the draw pipeline reads and writes: vertices, indices, targets, depth, blending.

What the tables of support require or allow (`support.py`), but for R32G32B32, which devices may
refuse as a target, and so do we. Spec: D3D11.3 sections 19.1 and 17.13.
"""

from __future__ import annotations

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import ChannelType, Format, Scheme
from softd3d.formats.support import Use, uses

__all__ = [
    "depth_stencil_format",
    "has_logic_operations",
    "index_format",
    "is_blendable",
    "is_depth_stencil",
    "is_index",
    "is_render_target",
    "is_vertex_element",
    "render_target_format",
    "vertex_format",
]

# Of Direct3D 12, and not in the tables of support: the same with its components in another order.
_LIKE = {"A4B4G4R4_UNORM": "B4G4R4A4_UNORM"}
_LETTERS = set("rgba01")
_COLORS = (ChannelType.UNORM, ChannelType.FLOAT)  # of targets of Direct3D 9
_OPTIONAL_SIZE = 12  # bytes of R32G32B32


def _may(format_: Format, use: Use) -> bool:
    known = DXGI_FORMATS.get(_LIKE.get(format_.name, format_.name))
    is_dxgi = DXGI_FORMATS.get(format_.name) is format_
    return is_dxgi and known is not None and not format_.is_typeless and use in uses(known)


def _is_color(format_: Format) -> bool:
    return format_.scheme is Scheme.TEXELS and set(format_.reads) <= _LETTERS


def is_vertex_element(format_: Format) -> bool:
    """Whether an element of an input layout may have a format.

    >>> is_vertex_element(dxgi_format("R32G32B32_FLOAT")), is_vertex_element(dxgi_format(29))
    (True, False)
    """
    return _is_color(format_) and _may(format_, Use.VERTEX_BUFFER)


def is_index(format_: Format) -> bool:
    """Whether an index buffer may have a format."""
    return _may(format_, Use.INDEX_BUFFER)


def is_render_target(format_: Format) -> bool:
    """Whether a render-target view may have a format.

    >>> is_render_target(dxgi_format("A8_UNORM")), is_render_target(dxgi_format("R32G32B32_FLOAT"))
    (True, False)
    """
    if format_.is_of_direct3d9:
        return _is_color(format_) and format_.type in _COLORS
    is_optional = format_.bytes_per_texel == _OPTIONAL_SIZE
    return _is_color(format_) and not is_optional and _may(format_, Use.RENDER_TARGET)


def is_blendable(format_: Format) -> bool:
    """Whether blending does anything in targets of a format; it is ignored in integer ones."""
    can_blend = format_.is_of_direct3d9 or _may(format_, Use.BLEND)
    return is_render_target(format_) and can_blend


def has_logic_operations(format_: Format) -> bool:
    """Whether logic operations work in targets of a format: those of UINT components."""
    return is_render_target(format_) and format_.type is ChannelType.UINT


def is_depth_stencil(format_: Format) -> bool:
    """Whether a depth-stencil view may have a format."""
    if format_.is_of_direct3d9:
        return bool(format_.depth_bits or format_.stencil_bits)
    return _may(format_, Use.DEPTH_STENCIL)


def vertex_format(name: str | int | Format, what: str) -> Format:
    """Return the format of an element of an input layout.

    Raises:
        ResourceError: there is no such format, or elements cannot have it.
    """
    found = dxgi_format(name)
    if not is_vertex_element(found):
        raise ResourceError(f"{what}: vertices cannot have format {found.name}{_like(found)}")
    return found


def index_format(name: str | int | Format) -> Format:
    """Return the format of an index buffer.

    Raises:
        ResourceError: there is no such format, or it is another than R16_UINT and R32_UINT.
    """
    found = dxgi_format(name)
    if not is_index(found):
        raise ResourceError(f"index buffer: found format {found.name}, wanted R16_UINT or R32_UINT")
    return found


def render_target_format(name: str | int | Format, what: str = "render target") -> Format:
    """Return the format of a render-target view.

    Raises:
        ResourceError: there is no such format, or such views cannot have it.
    """
    found = dxgi_format(name)
    if not is_render_target(found):
        raise ResourceError(f"{what}: format {found.name} cannot be rendered to")
    return found


def depth_stencil_format(name: str | int | Format, what: str = "depth-stencil view") -> Format:
    """Return the format of a depth-stencil view.

    Raises:
        ResourceError: there is no such format, or such views cannot have it.
    """
    found = dxgi_format(name)
    if not is_depth_stencil(found):
        names = [f.name for f in DXGI_FORMATS.values() if is_depth_stencil(f)]
        raise ResourceError(f"{what}: found format {found.name}, wanted {', '.join(names)}")
    return found


def _like(format_: Format) -> str:
    """Say for the end of a message which format of vertices comes nearest."""
    if format_.is_srgb:
        return f", wanted {format_.name.removesuffix('_SRGB')}"
    if format_.is_typeless:
        family = [f for f in DXGI_FORMATS.values() if f.parent == format_.name]
        names = [f.name for f in family if is_vertex_element(f)]
        return f", wanted one of {', '.join(names)}" if names else ""
    return ", wanted one such as R32G32B32_FLOAT or R8G8B8A8_UNORM"
