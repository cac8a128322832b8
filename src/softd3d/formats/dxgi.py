"""DXGI formats as data: which bits of a texel hold which component, as which kind of number.

The layout of an uncompressed format is what its name says, lowest bits first, so the names are the
table. Spec: DXGI_FORMAT (dxgiformat.h); D3D11.3 section 19.1; win32 medfound
10-bit-and-16-bit-yuv-video-formats and recommended-8-bit-yuv-formats-for-video-rendering.
"""

from __future__ import annotations

from softd3d.arguments import close_words, shown, whole
from softd3d.errors import ResourceError
from softd3d.formats.layout import Channel, ChannelType, Format, Scheme, channels_from
from softd3d.formats.planar import planar

__all__ = [
    "DXGI_FORMATS",
    "FORMATS",
    "FORMATS_BY_NUMBER",
    "Channel",
    "ChannelType",
    "Format",
    "dxgi_format",
    "format_named",
]

# Texels one after another, whose names have all letters and widths. A line is a family where it
# begins with a typeless format.
_TEXELS = """
1 R32G32B32A32_TYPELESS 2 R32G32B32A32_FLOAT 3 R32G32B32A32_UINT 4 R32G32B32A32_SINT
5 R32G32B32_TYPELESS 6 R32G32B32_FLOAT 7 R32G32B32_UINT 8 R32G32B32_SINT
9 R16G16B16A16_TYPELESS 10 R16G16B16A16_FLOAT 11 R16G16B16A16_UNORM 12 R16G16B16A16_UINT \
  13 R16G16B16A16_SNORM 14 R16G16B16A16_SINT
15 R32G32_TYPELESS 16 R32G32_FLOAT 17 R32G32_UINT 18 R32G32_SINT
19 R32G8X24_TYPELESS 20 D32_FLOAT_S8X24_UINT 21 R32_FLOAT_X8X24_TYPELESS 22 X32_TYPELESS_G8X24_UINT
23 R10G10B10A2_TYPELESS 24 R10G10B10A2_UNORM 25 R10G10B10A2_UINT 89 R10G10B10_XR_BIAS_A2_UNORM
26 R11G11B10_FLOAT
27 R8G8B8A8_TYPELESS 28 R8G8B8A8_UNORM 29 R8G8B8A8_UNORM_SRGB 30 R8G8B8A8_UINT \
  31 R8G8B8A8_SNORM 32 R8G8B8A8_SINT
33 R16G16_TYPELESS 34 R16G16_FLOAT 35 R16G16_UNORM 36 R16G16_UINT 37 R16G16_SNORM 38 R16G16_SINT
39 R32_TYPELESS 40 D32_FLOAT 41 R32_FLOAT 42 R32_UINT 43 R32_SINT
44 R24G8_TYPELESS 45 D24_UNORM_S8_UINT 46 R24_UNORM_X8_TYPELESS 47 X24_TYPELESS_G8_UINT
48 R8G8_TYPELESS 49 R8G8_UNORM 50 R8G8_UINT 51 R8G8_SNORM 52 R8G8_SINT
53 R16_TYPELESS 54 R16_FLOAT 55 D16_UNORM 56 R16_UNORM 57 R16_UINT 58 R16_SNORM 59 R16_SINT
60 R8_TYPELESS 61 R8_UNORM 62 R8_UINT 63 R8_SNORM 64 R8_SINT
65 A8_UNORM
67 R9G9B9E5_SHAREDEXP
85 B5G6R5_UNORM
86 B5G5R5A1_UNORM
90 B8G8R8A8_TYPELESS 87 B8G8R8A8_UNORM 91 B8G8R8A8_UNORM_SRGB
92 B8G8R8X8_TYPELESS 88 B8G8R8X8_UNORM 93 B8G8R8X8_UNORM_SRGB
115 B4G4R4A4_UNORM
191 A4B4G4R4_UNORM
"""
_BLOCKS = """
70 BC1_TYPELESS 71 BC1_UNORM 72 BC1_UNORM_SRGB
73 BC2_TYPELESS 74 BC2_UNORM 75 BC2_UNORM_SRGB
76 BC3_TYPELESS 77 BC3_UNORM 78 BC3_UNORM_SRGB
79 BC4_TYPELESS 80 BC4_UNORM 81 BC4_SNORM
82 BC5_TYPELESS 83 BC5_UNORM 84 BC5_SNORM
94 BC6H_TYPELESS 95 BC6H_UF16 96 BC6H_SF16
97 BC7_TYPELESS 98 BC7_UNORM 99 BC7_UNORM_SRGB
"""
# Number, name, channels lowest first. P is an index into a palette.
_VIDEO_TEXELS = """
100 AYUV V8U8Y8A8
101 Y410 U10Y10V10A2
102 Y416 U16Y16V16A16
111 AI44 P4A4
112 IA44 A4P4
113 P8 P8
114 A8P8 P8A8
"""
# Two texels: what occurs twice is the even one's, then the odd one's.
_PACKED_422 = """
68 R8G8_B8G8_UNORM R8G8B8G8
69 G8R8_G8B8_UNORM G8R8G8B8
107 YUY2 Y8U8Y8V8
108 Y210 Y16U16Y16V16
109 Y216 Y16U16Y16V16
"""
# Number, name, planes: components, bits of each, texels that share an element across and down.
_PLANAR = """
103 NV12 y:8:1:1 uv:8:2:2
104 P010 y:16:1:1 uv:16:2:2
105 P016 y:16:1:1 uv:16:2:2
110 NV11 y:8:1:1 uv:8:4:1
130 P208 y:8:1:1 uv:8:2:1
131 V208 y:8:1:1 u:8:1:2 v:8:1:2
132 V408 y:8:1:1 u:8:1:1 v:8:1:1
"""
# Number, name, bytes of a block, its width and height.
_OPAQUE = """
106 420_OPAQUE 6 2 2
189 SAMPLER_FEEDBACK_MIN_MIP_OPAQUE 1 1 1
190 SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE 1 1 1
"""
_PREFIX = "DXGI_FORMAT_"
_HALF_SIZE_BLOCKS = ("BC1", "BC4")
# What a read of a compressed format gives, by the first three letters.
_BLOCK_READS = {"BC4": "r001", "BC5": "rg01", "BC6": "rgb1"}


def dxgi_format(name: str | int | Format) -> Format:
    """Return any format by name (with or without DXGI_FORMAT_), by number, or as it is.

    Raises:
        ResourceError: there is no such format.

    >>> dxgi_format("DXGI_FORMAT_BC7_UNORM").bytes_per_block, dxgi_format(103).planes[1].components
    (16, 'uv')
    """
    return _found(name, DXGI_FORMATS)


def format_named(name: str | int | Format) -> Format:
    """Return a format whose texels a shader's typed loads and stores can reach one by one.

    Raises:
        ResourceError: there is no such format, it is typeless, or its texels are not of this kind.

    >>> format_named("R8G8B8A8_UNORM").channels[1]
    Channel(component='g', type=<ChannelType.UNORM: 'UNORM'>, bits=8, shift=8)
    """
    found = _found(name, FORMATS)
    if found.name in FORMATS or isinstance(name, Format):
        return found
    if found.is_typeless:
        members = [f.name for f in FORMATS.values() if f.parent == found.name]
        wanted = f", wanted one of {', '.join(members)}" if members else ""
        raise ResourceError(f"format {found.name} has no component type{wanted}")
    raise ResourceError(f"format {found.name} has no texels one by one ({_kind(found)})")


def _found(name: str | int | Format, suggested: dict[str, Format]) -> Format:
    """Look up a format; `suggested` are those that an error may name."""
    if isinstance(name, Format):
        return name
    if isinstance(name, str):
        short = name.removeprefix(_PREFIX)
        if short in DXGI_FORMATS:
            return DXGI_FORMATS[short]
        raise ResourceError(f"there is no format {shown(name)}{close_words(short, suggested)}")
    try:
        number = whole(name)
    except TypeError:
        raise ResourceError(
            f"format: found {shown(name)}, wanted a name such as 'R8G8B8A8_UNORM', or its number"
        ) from None
    if number not in _BY_NUMBER:
        raise ResourceError(f"there is no format number {shown(number)}")
    return _BY_NUMBER[number]


def _kind(format_: Format) -> str:
    if format_.depth_bits:
        return "depth-stencil"
    if format_.scheme is Scheme.BLOCKS:
        return "block-compressed"
    if format_.scheme is Scheme.OPAQUE:
        return "opaque"
    if format_.scheme is Scheme.NOTHING:
        return "no memory"
    return "video" if format_.reads[0] in "yp" else "packed"


def _words(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def _reads(channels: tuple[Channel, ...]) -> str:
    """Return what a read gives: D3D10 and later fill in 0, 0, 0 and 1."""
    found = {c.component for c in channels}
    if "y" in found:
        return "yuva" if "a" in found else "yuv1"
    if "d" in found:
        return "ds01" if "s" in found else "d001"
    if "p" in found:
        return "pppa" if "a" in found else "pppp"
    return "".join(c if c in found else "1" if c == "a" else "0" for c in "rgba")


def _size(channels: tuple[Channel, ...]) -> int:
    return sum(c.bits for c in channels) // 8


def _families() -> list[Format]:
    """Return the formats of texels and of blocks, which come in families."""
    formats: list[Format] = []
    for line in _words(_TEXELS):
        parent = line[1] if line[1].endswith("_TYPELESS") else ""
        for number, name in zip(map(int, line[::2]), line[1::2], strict=True):
            channels = channels_from(name)
            formats.append(
                Format(
                    name, number, channels, _size(channels), reads=_reads(channels), parent=parent
                )
            )
    for line in _words(_BLOCKS):
        for number, name in zip(map(int, line[::2]), line[1::2], strict=True):
            size = 8 if name.startswith(_HALF_SIZE_BLOCKS) else 16
            reads = _BLOCK_READS.get(name[:3], "rgba")
            formats.append(
                Format(
                    name, number, (), size, 4, 4, Scheme.BLOCKS, reads=reads, parent=line[1]
                )
            )  # fmt: skip
    return formats


def _others() -> list[Format]:
    formats = [
        Format("UNKNOWN", 0, (), 0, scheme=Scheme.NOTHING),
        Format("R1_UNORM", 66, channels_from("R1_UNORM"), 1, 8, 1, Scheme.BITS, "r001"),
    ]
    for number, name, text in _words(_VIDEO_TEXELS):
        channels = channels_from(text)
        formats.append(Format(name, int(number), channels, _size(channels), reads=_reads(channels)))
    for number, name, text in _words(_PACKED_422):
        channels = channels_from(text)
        formats.append(
            Format(
                name,
                int(number),
                channels,
                _size(channels),
                2,
                1,
                Scheme.PACKED_422,
                _reads(channels),
            )
        )
    for number, name, *planes in _words(_PLANAR):
        formats.append(planar(name, int(number), planes))
    for number, name, *extent in _words(_OPAQUE):
        size, width, height = map(int, extent)
        formats.append(Format(name, int(number), (), size, width, height, Scheme.OPAQUE))
    return formats


_BY_NUMBER: dict[int, Format] = {
    f.number: f for f in sorted([*_families(), *_others()], key=lambda f: f.number)
}
DXGI_FORMATS: dict[str, Format] = {f.name: f for f in _BY_NUMBER.values()}
"""All formats by name, without the prefix DXGI_FORMAT_."""
FORMATS: dict[str, Format] = {
    f.name: f
    for f in DXGI_FORMATS.values()
    if f.scheme is Scheme.TEXELS and not f.is_typeless and set(f.reads) <= set("rgba01")
}
"""Formats of which typed loads read single texels, by name, without the prefix."""
FORMATS_BY_NUMBER: dict[int, Format] = {f.number: f for f in FORMATS.values()}
"""The same formats by the value of the C enum."""
