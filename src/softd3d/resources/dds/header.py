"""The header of a DDS file as it is stored, and the ways in which it can be wrong.

Nothing here judges: a header is read and written field by field, whatever the fields hold.
Spec: DDS programming guide, DDS_HEADER, DDS_PIXELFORMAT, DDS_HEADER_DXT10.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from enum import IntEnum, IntFlag, StrEnum

from softd3d.classes import dataclass
from softd3d.errors import Location, ResourceError
from softd3d.formats.d3d9 import fourcc_number
from softd3d.resources.dds.magic import MAGIC, is_dds

__all__ = [
    "ALPHA_MODE_MASK",
    "DX10",
    "HEADER_SIZE",
    "PIXEL_FORMAT_SIZE",
    "AlphaMode",
    "Caps",
    "Caps2",
    "DdsError",
    "DdsWarning",
    "Dimension",
    "Header",
    "HeaderDxt10",
    "HeaderFlags",
    "MiscFlag",
    "Offset",
    "PixelFormat",
    "PixelFormatFlags",
    "Problem",
    "Quirk",
    "header_bytes",
    "parse_header",
]

HEADER_SIZE = 124
PIXEL_FORMAT_SIZE = 32
ALPHA_MODE_MASK = 7
_HEADER = struct.Struct("<7I44s32s5I")
_PIXEL_FORMAT = struct.Struct("<8I")
_DXT10 = struct.Struct("<5I")
_START = len(MAGIC)
_END = _START + _HEADER.size


class Problem(StrEnum):
    """Why a DDS file is refused."""

    BAD_MAGIC = "bad_magic"
    TRUNCATED_HEADER = "truncated_header"
    BAD_HEADER_SIZE = "bad_header_size"
    BAD_PIXEL_FORMAT_SIZE = "bad_pixelformat_size"
    UNSUPPORTED_FORMAT = "unsupported_format"
    OPAQUE_FORMAT = "opaque_format"
    BAD_DIMENSIONS = "bad_dimensions"
    TOO_LARGE = "too_large"
    BAD_MIP_COUNT = "bad_mip_count"
    BAD_ARRAY_SIZE = "bad_array_size"
    BAD_RESOURCE_DIMENSION = "bad_resource_dimension"
    INCONSISTENT_CUBE = "inconsistent_cube"
    TRUNCATED_DATA = "truncated_data"


class Quirk(StrEnum):
    """What a DDS file does otherwise than the guide says, and is read all the same."""

    HEADER_SIZE = "header_size"
    HEADER_FLAGS = "header_flags"
    PIXEL_FORMAT_SIZE = "pixelformat_size"
    PIXEL_FORMAT_FLAGS = "pixelformat_flags"
    MIP_COUNT = "mip_count"
    ARRAY_SIZE = "array_size"
    RESOURCE_DIMENSION = "resource_dimension"
    CAPS2 = "caps2"
    MISC_FLAGS = "misc_flags"
    ALPHA_MODE = "alpha_mode"
    PARTIAL_CUBE = "partial_cube"
    CUBE_SIZE = "cube_size"
    BEYOND_LIMITS = "beyond_limits"
    DWORD_ALIGNED_ROWS = "dword_aligned_rows"
    TRAILING_DATA = "trailing_data"


class DdsError(ResourceError):
    """A DDS file that cannot be read; `problem` says of which kind the mistake is."""

    def __init__(self, problem: Problem, message: str, offset: int) -> None:
        self.problem = problem
        super().__init__(message, Location(offset=offset))


@dataclass(frozen=True, slots=True)
class DdsWarning:
    """A quirk that was found. offset: bytes from the start of the file."""

    quirk: Quirk
    message: str
    offset: int

    def __str__(self) -> str:
        return f"{self.message} ({Location(offset=self.offset)})"


class HeaderFlags(IntFlag):
    """DDSD_* (ddraw.h): which fields of the header count."""

    CAPS = 0x1
    HEIGHT = 0x2
    WIDTH = 0x4
    PITCH = 0x8
    PIXELFORMAT = 0x1000
    MIPMAPCOUNT = 0x20000
    LINEARSIZE = 0x80000
    DEPTH = 0x800000


class PixelFormatFlags(IntFlag):
    """DDPF_* (ddraw.h): what the pixel format says; the last two are NVIDIA Texture Tools'."""

    ALPHAPIXELS = 0x1
    ALPHA = 0x2
    FOURCC = 0x4
    PALETTEINDEXED8 = 0x20
    RGB = 0x40
    YUV = 0x200
    ZBUFFER = 0x400
    LUMINANCE = 0x20000
    BUMPLUMINANCE = 0x40000
    BUMPDUDV = 0x80000
    SRGB = 0x40000000
    NORMAL = 0x80000000


class Caps(IntFlag):
    """DDSCAPS_* (ddraw.h)."""

    COMPLEX = 0x8
    TEXTURE = 0x1000
    MIPMAP = 0x400000


class Caps2(IntFlag):
    """DDSCAPS2_* (ddraw.h); the faces are in the order of their images in the file."""

    CUBEMAP = 0x200
    CUBEMAP_POSITIVEX = 0x400
    CUBEMAP_NEGATIVEX = 0x800
    CUBEMAP_POSITIVEY = 0x1000
    CUBEMAP_NEGATIVEY = 0x2000
    CUBEMAP_POSITIVEZ = 0x4000
    CUBEMAP_NEGATIVEZ = 0x8000
    CUBEMAP_ALLFACES = 0xFC00
    VOLUME = 0x200000


class Dimension(IntEnum):
    """D3D10_RESOURCE_DIMENSION (d3d10.h), of textures."""

    TEXTURE1D = 2
    TEXTURE2D = 3
    TEXTURE3D = 4


class MiscFlag(IntFlag):
    """D3D10_RESOURCE_MISC_FLAG (d3d10.h), as far as files have them."""

    TEXTURECUBE = 0x4


class AlphaMode(IntEnum):
    """DDS_ALPHA_MODE: what the alpha channel means."""

    UNKNOWN = 0
    STRAIGHT = 1
    PREMULTIPLIED = 2
    OPAQUE = 3
    CUSTOM = 4


@dataclass(frozen=True, slots=True)
class PixelFormat:
    """DDS_PIXELFORMAT. four_cc: as a number. Masks select bits of a little-endian texel."""

    size: int = PIXEL_FORMAT_SIZE
    flags: int = 0
    four_cc: int = 0
    bit_count: int = 0
    r_mask: int = 0
    g_mask: int = 0
    b_mask: int = 0
    a_mask: int = 0

    @property
    def masks(self) -> tuple[int, int, int, int]:
        return self.r_mask, self.g_mask, self.b_mask, self.a_mask


@dataclass(frozen=True, slots=True)
class HeaderDxt10:
    """DDS_HEADER_DXT10. array_size: cubes, for cubes."""

    dxgi_format: int
    dimension: int
    misc_flag: int = 0
    array_size: int = 1
    misc_flags2: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """DDS_HEADER and what may follow it. pitch: or linear size, in bytes; often wrong."""

    height: int
    width: int
    pixel_format: PixelFormat
    flags: int = 0
    pitch: int = 0
    depth: int = 0
    mip_count: int = 0
    caps: int = 0
    caps2: int = 0
    caps3: int = 0
    caps4: int = 0
    reserved: bytes = bytes(44)
    reserved2: int = 0
    size: int = HEADER_SIZE
    dxt10: HeaderDxt10 | None = None

    @property
    def data_offset(self) -> int:
        """Where the palette or the texels start, in bytes from the start of the file."""
        return _END + (_DXT10.size if self.dxt10 is not None else 0)


class Offset(IntEnum):
    """Where fields of a header lie, in bytes from the start of the file."""

    SIZE = 4
    FLAGS = 8
    HEIGHT = 12
    WIDTH = 16
    DEPTH = 24
    MIP_COUNT = 28
    PIXEL_FORMAT = 76
    PIXEL_FORMAT_FLAGS = 80
    FOUR_CC = 84
    CAPS2 = 112
    DXGI_FORMAT = 128
    DIMENSION = 132
    MISC_FLAG = 136
    ARRAY_SIZE = 140
    MISC_FLAGS2 = 144


DX10 = fourcc_number("DX10")
"""The FourCC that says that a DDS_HEADER_DXT10 follows."""


def parse_header(data: bytes | bytearray | memoryview) -> Header:
    """Read a header field by field; only what cannot be read is an error.

    Raises:
        DdsError: the magic number is wrong, or the file ends inside its header.
    """
    if len(data) >= _START and not is_dds(data):
        raise DdsError(
            Problem.BAD_MAGIC, f"found {bytes(data[:_START])!r} at the start, wanted {MAGIC!r}", 0
        )
    _check_length(data, _END)
    *head, reserved, raw, caps, caps2, caps3, caps4, reserved2 = _HEADER.unpack_from(data, _START)
    size, flags, height, width, pitch, depth, mip_count = head
    pixel_format = PixelFormat(*_PIXEL_FORMAT.unpack(raw))
    header = Header(
        height, width, pixel_format, flags, pitch, depth, mip_count, caps, caps2, caps3, caps4,
        reserved, reserved2, size,
    )  # fmt: skip
    if pixel_format.four_cc != DX10:
        return header
    _check_length(data, _END + _DXT10.size)
    return replace(header, dxt10=HeaderDxt10(*_DXT10.unpack_from(data, _END)))


def header_bytes(header: Header) -> bytes:
    """Return a header as a file starts with it, with the magic number.

    >>> header = Header(4, 4, PixelFormat())
    >>> parse_header(header_bytes(header)) == header
    True
    """
    pixel = header.pixel_format
    stored = _PIXEL_FORMAT.pack(
        pixel.size, pixel.flags, pixel.four_cc, pixel.bit_count, *pixel.masks
    )
    head = _HEADER.pack(
        header.size, header.flags, header.height, header.width, header.pitch, header.depth,
        header.mip_count, header.reserved, stored, header.caps, header.caps2, header.caps3,
        header.caps4, header.reserved2,
    )  # fmt: skip
    more = header.dxt10
    if more is None:
        return MAGIC + head
    return MAGIC + head + _DXT10.pack(
        more.dxgi_format, more.dimension, more.misc_flag, more.array_size, more.misc_flags2
    )  # fmt: skip


def _check_length(data: bytes | bytearray | memoryview, wanted: int) -> None:
    if len(data) < wanted:
        raise DdsError(
            Problem.TRUNCATED_HEADER,
            f"the file ends inside its header: found {len(data)} bytes, wanted {wanted}",
            len(data),
        )
