"""Which formats stand for which: typeless families, sRGB twins, views of planes, copies.

Spec: D3D11.3 sections 5.1.9 and 5.3.9; dxgiformat.h's pages on video formats.
"""

from __future__ import annotations

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format, Scheme

__all__ = ["can_copy", "linear_twin", "members", "srgb_twin", "view_formats"]

# Typeless formats of 32 bits, which a UAV may also see as one number.
_ANY_DWORD = ("R32_FLOAT", "R32_UINT", "R32_SINT")
_SEEN_AS_DWORDS = frozenset(
    stem + "_TYPELESS" for stem in ("R10G10B10A2", "R8G8B8A8", "B8G8R8A8", "B8G8R8X8", "R16G16")
)
# Views of video formats that are not planar: the stem of UNORM and UINT, then others. R32_UINT is
# for UAVs, which can then read too.
_VIDEO = {
    "AYUV": "R8G8B8A8 R32_UINT",
    "Y410": "R10G10B10A2 R32_UINT",
    "Y416": "R16G16B16A16",
    "YUY2": "R8G8B8A8 R32_UINT R8G8_B8G8_UNORM",
    "Y210": "R16G16B16A16",
    "Y216": "R16G16B16A16",
}


def members(parent: Format) -> tuple[Format, ...]:
    """Return the formats of a typeless format's family but for itself.

    >>> [f.name for f in members(DXGI_FORMATS["BC4_TYPELESS"])]
    ['BC4_UNORM', 'BC4_SNORM']
    """
    family = (f for f in DXGI_FORMATS.values() if f.parent == parent.name)
    return tuple(f for f in family if f is not parent)


def srgb_twin(format_: Format) -> Format | None:
    """Return the format with the same bits that are sRGB numbers; None if there is none."""
    return DXGI_FORMATS.get(format_.name + "_SRGB")


def linear_twin(format_: Format) -> Format | None:
    """Return the format with the same bits without a curve; None if this has none."""
    return DXGI_FORMATS[format_.name.removesuffix("_SRGB")] if format_.is_srgb else None


def view_formats(resource: Format, plane: int = 0) -> tuple[str, ...]:
    """Return the names of the formats that views of a resource may have, its own first.

    A typeless resource is seen as any of its family, a typed one as itself, a video format as the
    formats that its planes look like.

    Raises:
        ResourceError: there is no such plane.

    >>> view_formats(DXGI_FORMATS["NV12"], 1)
    ('R8G8_UNORM', 'R8G8_UINT')
    """
    if plane < 0 or plane >= max(len(resource.planes), 1):
        raise ResourceError(f"format {resource.name}: there is no plane {plane}")
    if resource.scheme is Scheme.PLANES:
        part = resource.planes[plane]
        stem = "".join(f"{letter}{part.bits}" for letter in "RG"[: len(part.components)])
        more = ("R32_UINT",) if part.bytes_per_element == 4 else ()
        return (f"{stem}_UNORM", f"{stem}_UINT", *more)
    if resource.name in _VIDEO:
        stem, *more = _VIDEO[resource.name].split()
        return (f"{stem}_UNORM", f"{stem}_UINT", *more)
    if not resource.is_typeless:
        return () if resource.scheme is Scheme.OPAQUE else (resource.name,)
    names = tuple(member.name for member in members(resource))
    return names + _ANY_DWORD if resource.name in _SEEN_AS_DWORDS else names


def can_copy(source: Format, destination: Format) -> bool:
    """Whether CopyResource takes them: the same format, or one family. Bits are never converted."""
    same_family = bool(source.parent) and source.parent == destination.parent
    return source == destination or same_family
