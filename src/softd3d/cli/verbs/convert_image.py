"""The steps of `softd3d convert`: read an image, choose and convert, make a file of it."""

from __future__ import annotations

import re
from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.cli import picture_files as files
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import dxgi_format
from softd3d.formats.layout import Format, Scheme
from softd3d.formats.rules import D3D10
from softd3d.resources.dds.file import Legacy, read_dds, write_dds
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage
from softd3d.resources.dds.magic import is_dds
from softd3d.resources.dds.shape import FACE_NAMES, Shape
from softd3d.resources.dds.texels import converted, selected, viewed
from softd3d.resources.texels.arrays import any_format

__all__ = ["Layout", "changed", "image_file", "read_image"]

_PNG_MAGIC, _NPY_MAGIC, _EXR_MAGIC = b"\x89PNG\r\n\x1a\n", b"\x93NUMPY", b"\x76\x2f\x31\x01"
_SIZE = re.compile(r"(\d{1,9})x(\d{1,9})(?:x(\d{1,9}))?")
_HEADERS: dict[str, Legacy] = {"auto": "auto", "legacy": True, "dx10": False}
_SRGB = "_SRGB"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the texels of a raw or NumPy file lie."""

    size: str | None
    mips: int
    slices: int
    is_cube: bool
    is_volume: bool


def read_image(
    data: bytes, name: str, layout: Layout, view: str | None, *, strict: bool, wanted: str | None,
    hint: str = "; of a raw one, --size must be given",
) -> tuple[DdsImage, list[str]]:  # fmt: skip
    """Return the image in a file of any kind, and warnings.

    view: what the texels of a raw file are. wanted: the format that the image is to become.
    hint: what is said of files of no known kind.

    Raises:
        ResourceError: it is of no known kind, or cannot be read.
    """
    if layout.size is not None:
        return _raw_image(data, layout, view), []
    if is_dds(data):
        image = read_dds(data, strict=strict)
        return image, [str(warning) for warning in image.warnings]
    if data.startswith(_NPY_MAGIC):
        volume, cube = layout.is_volume, layout.is_cube
        return files.read_npy(data, name, is_volume=volume, is_cube=cube), []
    if data.startswith(_PNG_MAGIC):
        image, warnings = files.read_png(data)
        return _with_png_curve(image, wanted), warnings
    if data.startswith(_EXR_MAGIC):
        return files.read_exr(data), []
    raise ResourceError(f"found no DDS, PNG, NumPy or EXR file{hint}")


def _with_png_curve(image: DdsImage, wanted: str | None) -> DdsImage:
    """Return a PNG file's image, its codes taken for sRGB if an sRGB format is wanted of it."""
    if wanted is None or not wanted.endswith(_SRGB):
        return image
    codes = converted(image, dxgi_format("R8G8B8A8_UNORM"))
    return viewed(codes, dxgi_format("R8G8B8A8_UNORM_SRGB"))


def _raw_image(data: bytes, layout: Layout, view: str | None) -> DdsImage:
    match = _SIZE.fullmatch(layout.size or "")
    width, height, depth = (int(n or 1) for n in match.groups()) if match else (0, 0, 0)
    if match is None or not width * height * depth:
        raise ResourceError(f"--size: found {layout.size!r}, wanted WxH or WxHxD such as 64x32")
    if view is None:
        raise ResourceError("the format of a raw file must be given with --view")
    faces = FACE_NAMES if layout.is_cube else ()
    elements, rest = divmod(layout.slices, max(1, len(faces)))
    if rest:
        raise ResourceError(f"--slices: found {layout.slices}, wanted a multiple of 6 for cubes")
    most = max(width, height, depth).bit_length()
    if layout.mips > most:
        raise ResourceError(f"--mips: found {layout.mips}, wanted at most {most}")
    dimension = Dimension.TEXTURE3D if match[3] else Dimension.TEXTURE2D
    format_ = _format(view)
    shape = Shape(format_, dimension, width, height, depth, elements, layout.mips, faces)
    return DdsImage(shape, data)


def changed(
    image: DdsImage, view: str | None, mip: int | None, slice_: int | None, wanted: str | None
) -> DdsImage:
    """Return the chosen part of an image, seen and converted as it is asked for.

    Raises:
        ResourceError: no such part or format, or one that does not fit.
    """
    image = selected(image, mip, slice_)
    if view is not None:
        image = viewed(image, _format(view))
    return image if wanted is None else converted(image, _format(wanted))


def _format(name: str) -> Format:
    """Return a format of either API that has texels."""
    format_ = any_format(name, D3D10)
    if format_.scheme in (Scheme.OPAQUE, Scheme.BYTES, Scheme.NOTHING):
        raise ResourceError(f"format {format_.name} has no texels: {format_.scheme.value}")
    return format_


def image_file(
    image: DdsImage, kind: str, *, header: str, bits: int | None, z: int | None
) -> tuple[bytes, list[str]]:
    """Return the contents of a file, and warnings of what it cannot hold.

    header, bits, z: as the options of those names say.

    Raises:
        ResourceError: a file of that kind cannot hold the image at all.
    """
    if kind == "dds":
        return write_dds(image, legacy=_HEADERS[header]), []
    if kind == "raw":
        return image.data, []
    if kind == "npy":
        lost = [f"only mip 0 of {image.mips} is written"] if image.mips > 1 else []
        return files.npy_file(selected(image, 0, None)), lost
    lost = _what_is_lost(image, z)
    single = _layer(selected(image, 0, 0), z or 0)
    if kind == "exr":
        return files.exr_file(single), lost
    data, clamped = files.png_file(single, bits)
    return data, [*lost, *clamped]


def _what_is_lost(image: DdsImage, z: int | None) -> list[str]:
    """Name what a file of a single picture leaves out."""
    parts = [("mip", image.mips, "--mip"), ("slice", image.slices, "--slice")]
    if z is None:
        parts.append(("layer", image.depth, "--z"))
    return [f"only {name} 0 of {count} is written; {option} chooses"
            for name, count, option in parts if count > 1]  # fmt: skip


def _layer(image: DdsImage, z: int) -> DdsImage:
    """Return one layer of a volume as a 2D image."""
    if not z < image.depth:
        raise ResourceError(f"--z: found {z}, wanted 0 to {image.depth - 1}")
    shape = replace(image.shape, dimension=Dimension.TEXTURE2D, depth=1)
    return replace(image, shape=shape, data=image.subresource()[z].tobytes())
