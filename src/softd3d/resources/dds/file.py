"""Reading and writing DDS files of every kind.

Spec: DDS programming guide; the layout of the data is that of subresources in Direct3D 11.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import instance, one_of
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format, Scheme
from softd3d.resources.dds.header import (
    DX10,
    AlphaMode,
    Caps,
    Caps2,
    DdsError,
    DdsWarning,
    Dimension,
    Header,
    HeaderDxt10,
    HeaderFlags,
    MiscFlag,
    PixelFormat,
    PixelFormatFlags,
    Problem,
    Quirk,
    header_bytes,
    parse_header,
)
from softd3d.resources.dds.image import DdsImage, level_shape, slice_bytes
from softd3d.resources.dds.pixel_formats import (
    PALETTE_ENTRIES,
    LegacyFormat,
    dxgi_twin,
    legacy_of,
)
from softd3d.resources.dds.shape import FACE_BITS, FACE_NAMES, Shape, height_fault, interpret
from softd3d.resources.textures.subresources import FACES
from softd3d.source import Source, read_source

__all__ = ["DdsImage", "Legacy", "read_dds", "write_dds"]

Legacy = Literal["auto"] | bool
_COLOUR_BYTES = 4
_DWORD = 4


def read_dds(source: Source, *, strict: bool = False) -> DdsImage:
    """Read a DDS file from a path or from its bytes.

    strict: whether to refuse files that break the rules in known ways, instead of warning.
    Takes no more memory than a few times that of the file, whatever its header claims.

    Raises:
        OSError: the file cannot be read.
        DdsError: it is no such file, it is cut off, or its format or layout is not known.

    >>> grey = PixelFormat(flags=PixelFormatFlags.LUMINANCE.value, bit_count=8, r_mask=255)
    >>> read_dds(header_bytes(Header(1, 2, grey)) + bytes([7, 9])).subresource().tolist()
    [[[7, 9]]]
    """
    instance(strict, bool, "read_dds: strict")
    data = read_source(source)
    header = parse_header(data)
    shape, warnings = interpret(header, strict=strict)
    start = header.data_offset
    palette = None
    if shape.legacy is not None and shape.legacy.has_palette:
        palette = _palette(data, start)
        start += palette.nbytes
    wanted, found = shape.slices * slice_bytes(shape), len(data) - start
    if found < wanted:
        raise DdsError(
            Problem.TRUNCATED_DATA,
            f"the texels take {wanted} bytes, but only {found} are there",
            len(data),
        )
    if found == wanted:
        return DdsImage(shape, data[start:], palette, tuple(warnings))
    if not strict and found == _aligned_bytes(shape):
        text = "found rows that are padded to whole dwords"
        warnings.append(DdsWarning(Quirk.DWORD_ALIGNED_ROWS, text, start))
        return DdsImage(shape, _without_padding(shape, data[start:]), palette, tuple(warnings))
    end = start + wanted
    text = f"found {found - wanted} bytes behind the texels"
    warnings.append(DdsWarning(Quirk.TRAILING_DATA, text, end))
    return DdsImage(shape, data[start:end], palette, tuple(warnings))


def write_dds(image: DdsImage, *, legacy: Legacy = "auto") -> bytes:
    """Return the DDS file of an image.

    legacy: False for a header of Direct3D 10, which current tools read; True for one without, for
        tools of Direct3D 9; "auto" for the kind that the image was read from, else the former
        where it can say what the image is.

    Raises:
        ResourceError: that kind of header cannot express the image, DXGI refuses its height, or
            `legacy` is something else.
    """
    one_of(legacy, "legacy", (True, False, "auto"))
    shape = instance(image, DdsImage, "write_dds: image").shape
    fault = height_fault(shape)
    if fault is not None:
        raise ResourceError(fault)
    if legacy == "auto":
        legacy = _was_legacy(shape) or _modern_obstacle(image) is not None
    if legacy:
        row = _legacy_row(image)
        _check_legacy(shape, row)
        header, palette = _legacy_header(shape, row), image.palette if row.has_palette else None
    else:
        header, palette = _modern_header(image), None
    colours = b"" if palette is None else palette.tobytes()
    return header_bytes(header) + colours + image.data


def _palette(data: bytes, start: int) -> NDArray[np.uint8]:
    size = PALETTE_ENTRIES * _COLOUR_BYTES
    if len(data) - start < size:
        text = f"the palette takes {size} bytes, but only {len(data) - start} are there"
        raise DdsError(Problem.TRUNCATED_DATA, text, len(data))
    colours = np.frombuffer(data[start : start + size], np.uint8)
    return colours.reshape(PALETTE_ENTRIES, _COLOUR_BYTES)


def _aligned_pitch(pitch: int) -> int:
    return -(-pitch // _DWORD) * _DWORD


def _aligned_bytes(shape: Shape) -> int:
    """Return the bytes of texels whose rows are padded; 0 for formats of which none are known."""
    if shape.format.scheme is not Scheme.TEXELS:
        return 0
    total = 0
    for mip in range(shape.mips):
        depth, rows, pitch = level_shape(shape, mip)
        total += depth * rows * _aligned_pitch(pitch)
    return shape.slices * total


def _without_padding(shape: Shape, data: bytes) -> bytes:
    """Return the texels of a file with padded rows as they should be."""
    padded = np.frombuffer(data, np.uint8).reshape(shape.slices, -1)
    levels: list[NDArray[np.uint8]] = []
    offset = 0
    for mip in range(shape.mips):
        depth, rows, pitch = level_shape(shape, mip)
        size = depth * rows * _aligned_pitch(pitch)
        level = padded[:, offset : offset + size].reshape(shape.slices, depth * rows, -1)
        levels.append(level[:, :, :pitch].reshape(shape.slices, -1))
        offset += size
    return np.concatenate(levels, axis=1).tobytes()


def _was_legacy(shape: Shape) -> bool:
    """Tell whether a file without a header of Direct3D 10 has named this very format."""
    return shape.legacy is not None and shape.legacy.format == shape.format


def _legacy_row(image: DdsImage) -> LegacyFormat:
    """Return how a header without one of Direct3D 10 names the image's format."""
    shape = image.shape
    row = shape.legacy if _was_legacy(shape) else None
    if row is None and shape.alpha_mode is AlphaMode.PREMULTIPLIED:
        row = legacy_of(shape.format, premultiplied=True)
    row = row or legacy_of(shape.format)
    if row is None:
        raise ResourceError(f"format {shape.format.name} needs a header of Direct3D 10")
    if row.has_palette and image.palette is None:
        raise ResourceError(f"format {shape.format.name} needs a palette")
    return row


def _check_legacy(shape: Shape, row: LegacyFormat) -> None:
    """Check that a header without one of Direct3D 10 can say what the shape is.

    Raises:
        ResourceError: it cannot.
    """
    what = None
    if shape.dimension is Dimension.TEXTURE1D:
        what = "a 1D texture"
    elif shape.array_size > 1:
        what = f"an array of {shape.array_size}"
    elif shape.alpha_mode != (AlphaMode.PREMULTIPLIED if row.premultiplied else AlphaMode.UNKNOWN):
        what = f"alpha mode {shape.alpha_mode.name.lower()}"
    if what is not None:
        raise ResourceError(f"{what} needs a header of Direct3D 10")


def _legacy_header(shape: Shape, row: LegacyFormat) -> Header:
    caps2 = 0
    for face, bit in zip(FACE_NAMES, FACE_BITS, strict=True):
        caps2 |= Caps2.CUBEMAP | bit if face in shape.faces else 0
    return _with_common_fields(
        Header(shape.height, shape.width, row.pixel_format, caps2=caps2), shape
    )


def _modern_obstacle(image: DdsImage) -> str | None:
    """Return what a header of Direct3D 10 cannot say about an image, None if it can say all."""
    shape = image.shape
    if dxgi_twin(shape.format) is None:
        return f"format {shape.format.name} needs a legacy header: no DXGI format is the same"
    if shape.faces and len(shape.faces) < FACES:
        return "a cube without all its faces needs a legacy header"
    if image.palette is not None:
        return "a palette needs a legacy header"
    return None


def _modern_header(image: DdsImage) -> Header:
    shape, obstacle = image.shape, _modern_obstacle(image)
    if obstacle is not None:
        raise ResourceError(obstacle)
    format_ = cast("Format", dxgi_twin(shape.format))
    more = HeaderDxt10(
        format_.number, shape.dimension.value, MiscFlag.TEXTURECUBE if shape.faces else 0,
        shape.array_size, shape.alpha_mode.value,
    )  # fmt: skip
    pixel_format = PixelFormat(flags=PixelFormatFlags.FOURCC, four_cc=DX10)
    caps2 = Caps2.CUBEMAP | Caps2.CUBEMAP_ALLFACES if shape.faces else 0
    header = Header(shape.height, shape.width, pixel_format, caps2=caps2, dxt10=more)
    return _with_common_fields(header, shape)


def _with_common_fields(header: Header, shape: Shape) -> Header:
    """Return the header with what both kinds say alike, as the guide asks writers to."""
    flags = HeaderFlags.CAPS | HeaderFlags.HEIGHT | HeaderFlags.WIDTH | HeaderFlags.PIXELFORMAT
    caps, caps2 = Caps.TEXTURE, header.caps2
    _, rows, pitch = level_shape(shape, 0)
    if shape.format.scheme is Scheme.BLOCKS:
        flags |= HeaderFlags.LINEARSIZE
        pitch *= rows
    else:
        flags |= HeaderFlags.PITCH
    if shape.mips > 1:
        flags |= HeaderFlags.MIPMAPCOUNT
        caps |= Caps.MIPMAP | Caps.COMPLEX
    if shape.dimension is Dimension.TEXTURE3D:
        flags |= HeaderFlags.DEPTH
        caps2 |= Caps2.VOLUME
    if caps2:
        caps |= Caps.COMPLEX
    return replace(
        header, flags=flags.value, pitch=pitch & 0xFFFFFFFF, mip_count=shape.mips,
        depth=shape.depth if shape.dimension is Dimension.TEXTURE3D else 0,
        caps=caps.value, caps2=int(caps2),
    )  # fmt: skip
