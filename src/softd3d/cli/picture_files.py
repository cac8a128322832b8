"""PNG, EXR and NumPy files as images, and images as such files.

PNG files are read by Pillow and EXR files by OpenEXR, which are optional; PNG files are written by
`cli.png`, because Pillow cannot write 16-bit colours.
"""

from __future__ import annotations

import io
import struct
import tempfile
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.cli.png import png_bytes
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import dxgi_format
from softd3d.formats.layout import ChannelType, Format, Scheme
from softd3d.resources.cases.npy import npy_array
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage
from softd3d.resources.dds.shape import FACE_NAMES, Shape
from softd3d.resources.dds.texels import converted, decoded_level, viewed

__all__ = [
    "exr_file",
    "gif_file",
    "image_of_array",
    "npy_file",
    "png_file",
    "read_exr",
    "read_npy",
    "read_png",
]

_TYPES = {"u1": "UNORM", "i1": "SNORM", "u2": "UNORM", "i2": "SNORM", "f2": "FLOAT",
          "f4": "FLOAT", "u4": "UINT", "i4": "SINT"}  # fmt: skip
_MOST_CHANNELS = 4
_EXR_CHANNELS = "RGBA"
_SRGB = "_SRGB"
_NARROW, _WIDE = 8, 16  # bits of a PNG's channels
_PNG_DEPTH = 24  # where the header has the bits of a channel; the colour type follows
_PNG_GREY = 0
_NAMES = {"pillow": "Pillow", "openexr": "OpenEXR"}  # of optional packages


def image_of_array(
    array: NDArray[Any], *, is_volume: bool = False, is_cube: bool = False
) -> DdsImage:
    """Return an image of an array: (slices or depth, height, width, channels).

    (height, width) and (height, width, channels) will do. Three channels become four. 8- and
    16-bit integers are taken for UNORM or SNORM, 32-bit ones for UINT or SINT.

    Raises:
        ResourceError: another dtype or shape.
    """
    found = f"{array.dtype} {array.shape}"
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    type_ = _TYPES.get(array.dtype.str[1:])
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim == 3:
        array = array[None]
    if type_ is None or array.ndim != 4 or not array.size or array.shape[-1] > _MOST_CHANNELS:
        raise ResourceError(
            f"found {found}, wanted (height, width), (height, width, 1 to 4) "
            f"or (slices, height, width, 1 to 4) of one of {', '.join(_TYPES)}, f8"
        )
    if array.shape[-1] == 3:
        array = _with_alpha(array)
    first, height, width, channels = array.shape
    bits = 8 * array.itemsize
    format_ = dxgi_format("".join(f"{c}{bits}" for c in "RGBA"[:channels]) + f"_{type_}")
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    if is_volume:
        return DdsImage(Shape(format_, Dimension.TEXTURE3D, width, height, first), data)
    faces = FACE_NAMES if is_cube else ()
    if is_cube and first % len(faces):
        raise ResourceError(f"found {first} slices, wanted a multiple of 6 for a cube")
    elements = first // max(1, len(faces))
    return DdsImage(Shape(format_, Dimension.TEXTURE2D, width, height, 1, elements, 1, faces), data)


def _with_alpha(array: NDArray[Any]) -> NDArray[Any]:
    """Return three channels and an alpha of 1."""
    is_float = array.dtype.kind == "f"
    is_code = not is_float and array.itemsize < 4
    one = np.iinfo(array.dtype).max if is_code else 1
    return np.concatenate([array, np.full_like(array[..., :1], one)], axis=-1)


def read_npy(data: bytes, name: str, *, is_volume: bool, is_cube: bool) -> DdsImage:
    """Return the image in the bytes of an .npy file; see `image_of_array`."""
    return image_of_array(npy_array(data, name), is_volume=is_volume, is_cube=is_cube)


def npy_file(image: DdsImage) -> bytes:
    """Return the .npy file of an image of one mip level: its components, without constant ones.

    (slices, depth, height, width, channels) as far as the image has them; float32, uint32 or int32.

    Raises:
        ResourceError: the format is typeless, or a palette is missing.
    """
    values = decoded_level(image)
    count = max(1, len(image.format.reads.rstrip("01")))
    values = values[..., 0] if count == 1 else values[..., :count]
    if image.dimension is not Dimension.TEXTURE3D:
        values = values[:, 0]
    if image.dimension is Dimension.TEXTURE1D:
        values = values[:, 0]
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(values if image.slices > 1 else values[0]))
    return file.getvalue()


def read_png(data: bytes) -> tuple[DdsImage, list[str]]:
    """Return the image in a PNG file, R8_UNORM, R16_UNORM or R8G8B8A8_UNORM, and warnings.

    Raises:
        ResourceError: Pillow is missing, or cannot read it.
    """
    image_module = _optional("PIL.Image", "pillow", "PNG files are read")
    try:
        with image_module.open(io.BytesIO(data), formats=["PNG"]) as picture:
            if picture.mode in ("I", "I;16", "I;16B"):
                array = np.asarray(picture).astype(np.uint16)
            else:
                grey = picture.mode in ("1", "L") and "transparency" not in picture.info
                array = np.asarray(picture.convert("L" if grey else "RGBA"))
    except (
        OSError, SyntaxError, ValueError, TypeError, EOFError, OverflowError, MemoryError,
        struct.error, zlib.error, image_module.DecompressionBombError,
    ) as error:  # fmt: skip
        raise ResourceError(f"no PNG file that can be read ({error})") from None
    depth, colour = data[_PNG_DEPTH], data[_PNG_DEPTH + 1]
    is_cut = depth == _WIDE and colour != _PNG_GREY
    return image_of_array(array), ["of 16-bit colours only 8 bits are read"] if is_cut else []


def png_file(image: DdsImage, bits: int | None) -> tuple[bytes, list[str]]:
    """Return the PNG file of a single subresource, and warnings.

    sRGB codes are written as they are, so are those of UNORM formats; numbers are clamped.
    bits: 8 or 16 of a channel; None for 16 where the format has channels of more than 8 bits.

    Raises:
        ResourceError: the format is one of integers or typeless, or a palette is missing.
    """
    format_ = image.format
    if format_.is_integer:
        raise ResourceError(f"PNG has no place for integers of {format_.name}; .npy has")
    if bits is None:
        bits = _WIDE if any(c.bits > _NARROW for c in format_.channels) else _NARROW
    if format_.is_srgb:
        image = viewed(image, dxgi_format(format_.name.removesuffix(_SRGB)))
    name = "R8G8B8A8_UNORM" if bits == _NARROW else "R16G16B16A16_UNORM"
    samples = converted(image, dxgi_format(name)).subresource()[0]
    codes = samples.view(f"<u{bits // 8}").reshape(image.height, image.width, 4)
    return png_bytes(codes[..., _png_channels(format_)]), _clamped(image)


def gif_file(images: Sequence[NDArray[np.uint8]], rate: int) -> bytes:
    """Return the animated GIF file of images, (height, width, 3 or 4), in 256 colours each.

    rate: images a second; GIF counts hundredths of a second.

    Raises:
        ResourceError: Pillow is missing.
    """
    module = _optional("PIL.Image", "pillow", "GIF files are written")
    first, *rest = [module.fromarray(image) for image in images]
    file = io.BytesIO()
    first.save(
        file, format="GIF", save_all=True, append_images=rest, loop=0,
        duration=10 * max(1, round(100 / rate)),
    )  # fmt: skip
    return file.getvalue()


def _png_channels(format_: Format) -> list[int]:
    """Return which components are written: one for grey, three, or four."""
    reads = format_.reads
    is_grey = reads[0] == "d" or reads[1:3] in ("00", "11") or reads[:3] == 3 * reads[0]
    if reads[3] not in "01" and reads[:3] != 3 * reads[3]:
        return [0, 1, 2, 3]
    return [0] if is_grey and reads[0] not in "01p" else [0, 1, 2]


def _clamped(image: DdsImage) -> list[str]:
    """Warn of numbers that PNG cannot hold."""
    types = {c.type for c in image.format.channels}
    may_exceed = types - {ChannelType.UNORM, ChannelType.SRGB, ChannelType.INDEX, ChannelType.UINT}
    if not may_exceed and image.format.scheme is not Scheme.BLOCKS:
        return []
    values = decoded_level(image)
    with np.errstate(invalid="ignore"):
        count = int((~((values >= 0) & (values <= 1))).any(-1).sum())
    return [f"{count} texels have numbers outside 0 to 1, which are clamped"] if count else []


def read_exr(data: bytes) -> DdsImage:
    """Return the image in an EXR file: half or single floats, of one channel or of four.

    Raises:
        ResourceError: OpenEXR is missing, or cannot read it.
    """
    module = _optional("OpenEXR", "openexr", "EXR files are read")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "in.exr")
        path.write_bytes(data)
        try:
            found = module.File(str(path), separate_channels=True).channels()
            pixels = {str(key): np.array(found[key].pixels) for key in found}
        except (RuntimeError, ValueError, TypeError, OSError, MemoryError) as error:
            text = str(error).replace(str(path), "it")
            raise ResourceError(f"no EXR file that can be read ({text})") from None
    return image_of_array(_exr_array(pixels))


def _exr_array(pixels: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Return one or four channels; of what is missing colours are 0 and alpha is 1."""
    grey = pixels.get("Y")
    chosen = (
        {"R": grey} if grey is not None else {c: pixels[c] for c in _EXR_CHANNELS if c in pixels}
    )
    arrays = list(chosen.values())
    if not arrays or any(a.ndim != 2 or a.shape != arrays[0].shape for a in arrays):
        raise ResourceError(
            f"found channels {', '.join(pixels)}, wanted R, G, B and A, or Y, of one size"
        )
    wide = any(a.dtype != np.float16 for a in arrays)
    dtype = np.float32 if wide else np.float16
    if len(arrays) == 1 and "R" in chosen:
        return arrays[0].astype(dtype)
    out = np.zeros((*arrays[0].shape, 4), dtype)
    out[..., 3] = 1
    for i, channel in enumerate(_EXR_CHANNELS):
        if channel in chosen:
            out[..., i] = chosen[channel]
    return out


def exr_file(image: DdsImage) -> bytes:
    """Return the EXR file of a single subresource: linear numbers, half floats where they do.

    Raises:
        ResourceError: OpenEXR is missing, or the format is one of integers or typeless.
    """
    module = _optional("OpenEXR", "openexr", "EXR files are written")
    format_ = image.format
    if format_.is_integer:
        raise ResourceError(f"EXR has no place for integers of {format_.name}; .npy has")
    values = decoded_level(image)[0, 0]
    count = 1 if _png_channels(format_) == [0] else 3 if format_.reads[3] in "01" else 4
    numbers = np.ascontiguousarray(values[..., 0] if count == 1 else values[..., :count])
    if _fits_half(format_):
        with np.errstate(invalid="ignore"):  # NumPy warns of signalling NaN on some processors
            numbers = numbers.astype(np.float16)
    channels = {"Y" if count == 1 else _EXR_CHANNELS[:count]: numbers}
    header = {"compression": module.ZIP_COMPRESSION, "type": module.scanlineimage}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "out.exr")
        module.File(header, channels).write(str(path))
        return path.read_bytes()


def _fits_half(format_: Format) -> bool:
    """Tell whether half floats hold all numbers of a format."""
    if format_.scheme is Scheme.BLOCKS:
        return format_.name.startswith("BC6H")
    floats = [c for c in format_.channels if c.component in format_.reads]
    return all(c.type is ChannelType.FLOAT and c.bits <= _WIDE for c in floats)


def _optional(module: str, package: str, what: str) -> Any:
    """Import a module that only some users need.

    Raises:
        ResourceError: it is not installed.
    """
    try:
        return cast("Any", import_module(module))
    except ImportError:
        raise ResourceError(
            f"{what} by {_NAMES[package]}, which is not installed: pip install {package}"
        ) from None
