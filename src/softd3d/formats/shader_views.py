"""Which formats the views of shaders may have: read through an SRV, read and written as a UAV.

A device of feature level 11.1 has to allow what these functions do, or may. Spec: D3D11.3 sections
5.3.9 (UAVs and their formats, views of video formats) and 19.1; win32 typed-unordered-access-view-
loads, whose list of formats for reads is that of UAVs.
"""

from __future__ import annotations

from softd3d.errors import ResourceError
from softd3d.formats.casts import members, view_formats
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import Format, Scheme
from softd3d.formats.support import Use, uses

__all__ = ["alternatives", "is_readable", "is_unordered", "readable_format"]

_STORED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BLOCKS)
# Of Direct3D 12, and not in the tables of support: the same with its components in another order.
_LIKE = {"A4B4G4R4_UNORM": "B4G4R4A4_UNORM"}


def is_readable(format_: Format) -> bool:
    """Whether an SRV may have a format; formats of Direct3D 9 may.

    >>> is_readable(dxgi_format("BC7_UNORM")), is_readable(dxgi_format("D32_FLOAT"))
    (True, False)
    """
    return not _is_dxgi(format_) or _has(format_, Use.SHADER_LOAD)


def is_unordered(format_: Format) -> bool:
    """Whether a UAV may have a format; typed loads and stores then both work.

    Formats of Direct3D 9 may. B8G8R8A8_UNORM is one that devices may allow stores of only.

    >>> is_unordered(dxgi_format("B8G8R8A8_UNORM")), is_unordered(dxgi_format("R8_UNORM"))
    (True, True)
    >>> is_unordered(dxgi_format("R8G8B8A8_UNORM_SRGB"))
    False
    """
    return not _is_dxgi(format_) or _has(format_, Use.UNORDERED_ACCESS)


def readable_format(name: str | int | Format) -> Format:
    """Return a format that an SRV may have.

    Raises:
        ResourceError: there is no such format, or shaders cannot read it as it is; the message has
            those through which they can.
    """
    found = dxgi_format(name)
    if is_readable(found):
        return found
    wanted = alternatives(found)
    if found.is_typeless:
        raise ResourceError(f"format {found.name} has no component type{wanted}")
    raise ResourceError(f"format {found.name} cannot be read by shaders{wanted}")


def _is_dxgi(format_: Format) -> bool:
    return DXGI_FORMATS.get(format_.name) is format_


def _has(format_: Format, use: Use) -> bool:
    """Whether views of a format itself may be used so: video has views in other formats."""
    is_typed = format_.scheme in _STORED and not format_.is_typeless
    if not is_typed or not set(format_.reads) <= set("rgba01"):
        return False
    return use in uses(DXGI_FORMATS[_LIKE.get(format_.name, format_.name)])


def alternatives(format_: Format) -> str:
    """Say, for the end of a message, in which formats shaders read one that they cannot read.

    >>> alternatives(dxgi_format("D16_UNORM"))
    ', wanted a view in one of R16_FLOAT, R16_UNORM, R16_UINT, R16_SNORM, R16_SINT'
    """
    if format_.scheme is Scheme.PLANES:
        planes = (view_formats(format_, n) for n in range(len(format_.planes)))
        words = "; ".join(f"{n}: {', '.join(names)}" for n, names in enumerate(planes))
        return f", wanted a texture of each plane ({words})"
    names = list(view_formats(format_))
    if format_.parent and not format_.is_typeless:
        names = [f.name for f in members(DXGI_FORMATS[format_.parent])]
    names = [name for name in names if is_readable(DXGI_FORMATS[name])]
    return f", wanted a view in one of {', '.join(names)}" if names else ""
