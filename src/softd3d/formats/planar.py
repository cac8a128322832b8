"""Planar video formats: luma and chroma in planes of their own, chroma of several texels shared.

Spec: win32 medfound recommended-8-bit-yuv-formats-for-video-rendering and
10-bit-and-16-bit-yuv-video-formats; D3D11.1 views of planes.
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.formats.layout import Format, Plane, Scheme

__all__ = ["planar"]


def planar(name: str, number: int, rows: Sequence[str]) -> Format:
    """Return a planar format; rows: components, bits, and two divisors of each plane."""
    planes = tuple(
        Plane(components, *map(int, numbers))
        for components, *numbers in (row.split(":") for row in rows)
    )
    width = max(plane.width_divisor for plane in planes)
    height = max(plane.height_divisor for plane in planes)
    size = sum(
        plane.bytes_per_element * (width // plane.width_divisor) * (height // plane.height_divisor)
        for plane in planes
    )
    return Format(name, number, (), size, width, height, Scheme.PLANES, reads="yuv1", planes=planes)
