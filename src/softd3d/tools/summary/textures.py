"""What can be said about a texture file at a glance, as plain JSON data."""

from __future__ import annotations

from typing import Any

from softd3d.resources.dds.file import DdsImage, read_dds
from softd3d.resources.dds.header import PixelFormatFlags
from softd3d.resources.dds.pixel_formats import LegacyFormat, dxgi_twin

__all__ = ["summarise_texture"]


def summarise_texture(data: bytes, *, strict: bool = False) -> dict[str, Any]:
    """Return format, extents, mips, faces, levels and warnings of a DDS file.

    Raises:
        DdsError: it cannot be read, or it is odd and `strict` is set.
    """
    image = read_dds(data, strict=strict)
    twin = dxgi_twin(image.format)
    legacy = image.shape.legacy
    return {
        "header": "dx10" if legacy is None else "legacy",
        "format": image.format.name,
        "dxgi_format": None if twin is None else twin.name,
        "four_cc": None if legacy is None else _four_cc(legacy),
        "dimension": f"{image.dimension.value - 1}D",
        "width": image.width,
        "height": image.height,
        "depth": image.depth,
        "mips": image.mips,
        "array_size": image.array_size,
        "faces": list(image.faces),
        "slices": image.slices,
        "alpha_mode": image.alpha_mode.name.lower(),
        "palette": image.palette is not None,
        "texel_bytes": len(image.data),
        "levels": [_level(image, mip) for mip in range(image.mips)],
        "warnings": [
            {"code": warning.quirk.value, "message": warning.message, "offset": warning.offset}
            for warning in image.warnings
        ],
    }


def _four_cc(legacy: LegacyFormat) -> str | int | None:
    """Return the FourCC in a header, as text or, where it is a D3DFORMAT, as a number."""
    pixel = legacy.pixel_format
    if not pixel.flags & PixelFormatFlags.FOURCC:
        return None
    text = pixel.four_cc.to_bytes(4, "little")
    return text.rstrip(b"\0").decode("ascii") if text[:3].isalnum() else pixel.four_cc


def _level(image: DdsImage, mip: int) -> dict[str, int]:
    width, height, depth = image.extent(mip)
    _, rows, pitch = image.subresource(mip).shape
    return {
        "width": width, "height": height, "depth": depth, "row_pitch": pitch, "rows": rows,
        "bytes": depth * rows * pitch,
    }  # fmt: skip
