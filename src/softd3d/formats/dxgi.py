"""DXGI formats as data: which bits of a texel hold which component, as which kind of number.

The layout of an uncompressed colour format is what its name says, lowest bits first, so the names
are the table. Spec: DXGI_FORMAT (dxgiformat.h); D3D11.3 section 19.1.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import StrEnum

from softd3d.errors import ResourceError

__all__ = [
    "FORMATS",
    "FORMATS_BY_NUMBER",
    "Channel",
    "ChannelType",
    "Format",
    "format_named",
]


class ChannelType(StrEnum):
    """What kind of number a channel holds; the value is the word in format names."""

    UNORM = "UNORM"
    SRGB = "UNORM_SRGB"
    SNORM = "SNORM"
    UINT = "UINT"
    SINT = "SINT"
    FLOAT = "FLOAT"
    SHAREDEXP = "SHAREDEXP"
    XR_BIAS = "XR_BIAS"

    @property
    def is_integer(self) -> bool:
        """Whether a shader sees an integer; it sees a float32 of all other types."""
        return self in (ChannelType.UINT, ChannelType.SINT)


@dataclass(frozen=True, slots=True)
class Channel:
    """Some bits of a texel.

    component: one of "r g b a", "x" for bits that no one reads, "e" for a shared exponent.
    shift: the lowest bit, counted in the texel as one little-endian number.
    """

    component: str
    type: ChannelType
    bits: int
    shift: int


@dataclass(frozen=True, slots=True)
class Format:
    """An uncompressed colour format. name: without the prefix DXGI_FORMAT_; number: the C enum's.

    channels: lowest bits first.
    """

    name: str
    number: int
    channels: tuple[Channel, ...]
    bytes_per_texel: int

    @property
    def type(self) -> ChannelType:
        """The type of the first channel; only an alpha channel may differ from it."""
        return self.channels[0].type

    @property
    def is_integer(self) -> bool:
        """Whether a shader sees integers."""
        return self.type.is_integer

    def channel(self, component: str) -> Channel | None:
        """Return the channel of a component, None if the format lacks it."""
        return next((c for c in self.channels if c.component == component), None)


_SUPPORTED = """
2 R32G32B32A32_FLOAT    3 R32G32B32A32_UINT     4 R32G32B32A32_SINT     6 R32G32B32_FLOAT
7 R32G32B32_UINT        8 R32G32B32_SINT        10 R16G16B16A16_FLOAT   11 R16G16B16A16_UNORM
12 R16G16B16A16_UINT    13 R16G16B16A16_SNORM   14 R16G16B16A16_SINT    16 R32G32_FLOAT
17 R32G32_UINT          18 R32G32_SINT          24 R10G10B10A2_UNORM    25 R10G10B10A2_UINT
26 R11G11B10_FLOAT      28 R8G8B8A8_UNORM       29 R8G8B8A8_UNORM_SRGB  30 R8G8B8A8_UINT
31 R8G8B8A8_SNORM       32 R8G8B8A8_SINT        34 R16G16_FLOAT         35 R16G16_UNORM
36 R16G16_UINT          37 R16G16_SNORM         38 R16G16_SINT          41 R32_FLOAT
42 R32_UINT             43 R32_SINT             49 R8G8_UNORM           50 R8G8_UINT
51 R8G8_SNORM           52 R8G8_SINT            54 R16_FLOAT            56 R16_UNORM
57 R16_UINT             58 R16_SNORM            59 R16_SINT             61 R8_UNORM
62 R8_UINT              63 R8_SNORM             64 R8_SINT              65 A8_UNORM
67 R9G9B9E5_SHAREDEXP   85 B5G6R5_UNORM         86 B5G5R5A1_UNORM       87 B8G8R8A8_UNORM
88 B8G8R8X8_UNORM       89 R10G10B10_XR_BIAS_A2_UNORM                   91 B8G8R8A8_UNORM_SRGB
93 B8G8R8X8_UNORM_SRGB  115 B4G4R4A4_UNORM      191 A4B4G4R4_UNORM
"""
_TYPELESS = """
1 R32G32B32A32_TYPELESS 5 R32G32B32_TYPELESS    9 R16G16B16A16_TYPELESS 15 R32G32_TYPELESS
19 R32G8X24_TYPELESS    23 R10G10B10A2_TYPELESS 27 R8G8B8A8_TYPELESS    33 R16G16_TYPELESS
39 R32_TYPELESS         44 R24G8_TYPELESS       48 R8G8_TYPELESS        53 R16_TYPELESS
60 R8_TYPELESS          70 BC1_TYPELESS         73 BC2_TYPELESS         76 BC3_TYPELESS
79 BC4_TYPELESS         82 BC5_TYPELESS         90 B8G8R8A8_TYPELESS    92 B8G8R8X8_TYPELESS
94 BC6H_TYPELESS        97 BC7_TYPELESS
"""
_LATER = {
    "depth-stencil": """
        20 D32_FLOAT_S8X24_UINT 21 R32_FLOAT_X8X24_TYPELESS 22 X32_TYPELESS_G8X24_UINT
        40 D32_FLOAT 45 D24_UNORM_S8_UINT 46 R24_UNORM_X8_TYPELESS 47 X24_TYPELESS_G8_UINT
        55 D16_UNORM""",
    "block-compressed": """
        71 BC1_UNORM 72 BC1_UNORM_SRGB 74 BC2_UNORM 75 BC2_UNORM_SRGB 77 BC3_UNORM
        78 BC3_UNORM_SRGB 80 BC4_UNORM 81 BC4_SNORM 83 BC5_UNORM 84 BC5_SNORM 95 BC6H_UF16
        96 BC6H_SF16 98 BC7_UNORM 99 BC7_UNORM_SRGB""",
    "packed": "66 R1_UNORM 68 R8G8_B8G8_UNORM 69 G8R8_G8B8_UNORM",
    "video": """
        100 AYUV 101 Y410 102 Y416 103 NV12 104 P010 105 P016 106 420_OPAQUE 107 YUY2 108 Y210
        109 Y216 110 NV11 111 AI44 112 IA44 113 P8 114 A8P8 130 P208 131 V208 132 V408""",
    "opaque": """
        189 SAMPLER_FEEDBACK_MIN_MIP_OPAQUE 190 SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE""",
}
_PREFIX = "DXGI_FORMAT_"


def format_named(name: str | int | Format) -> Format:
    """Return a format by name (with or without DXGI_FORMAT_), by number, or as it is.

    Raises:
        ResourceError: there is no such format, it is typeless, or it is not supported yet.

    >>> format_named("R8G8B8A8_UNORM").channels[1]
    Channel(component='g', type=<ChannelType.UNORM: 'UNORM'>, bits=8, shift=8)
    """
    if isinstance(name, Format):
        return name
    known = _number(name)
    if known in FORMATS_BY_NUMBER:
        return FORMATS_BY_NUMBER[known]
    if known in _TYPELESS_NAMES:
        raise ResourceError(_typeless_text(_TYPELESS_NAMES[known]))
    if known in _LATER_NAMES:
        found, kind = _LATER_NAMES[known]
        raise ResourceError(f"format {found} is not supported yet ({kind})")
    if isinstance(name, str):
        close = difflib.get_close_matches(name.removeprefix(_PREFIX).upper(), FORMATS, n=3)
        hint = f"; close: {', '.join(close)}" if close else ""
        raise ResourceError(f"there is no format {name!r:.60}{hint}")
    raise ResourceError(f"there is no format number {name!r:.60}")


def _number(name: object) -> int | None:
    if isinstance(name, str):
        return _NUMBERS.get(name.removeprefix(_PREFIX))
    return name if isinstance(name, int) and not isinstance(name, bool) else None


def _typeless_text(name: str) -> str:
    stem = name.removesuffix("_TYPELESS")
    members = [n for n in FORMATS if n.startswith(stem + "_")]
    wanted = f", wanted one of {', '.join(members)}" if members else ""
    return f"format {name} has no component type{wanted}"


def _pairs(text: str) -> list[tuple[int, str]]:
    words = text.split()
    return [(int(n), name) for n, name in zip(words[::2], words[1::2], strict=True)]


def _channels(name: str) -> tuple[Channel, ...]:
    """Read the channels out of a name such as B5G6R5_UNORM."""
    channels: list[Channel] = []
    shift = 0
    pattern = re.compile(r"([RGBAXE])(\d+)(?=[RGBAXE_])")
    colours, _, type_name = name.replace("_XR_BIAS_A2_UNORM", "A2_XR_BIAS").partition("_")
    for component, digits in pattern.findall(colours + "_"):
        type_ = ChannelType(type_name)
        if component == "A" and type_ in (
            ChannelType.SRGB,
            ChannelType.XR_BIAS,
        ):
            type_ = ChannelType.UNORM
        channels.append(Channel(component.lower(), type_, int(digits), shift))
        shift += int(digits)
    return tuple(channels)


def _format(number: int, name: str) -> Format:
    channels = _channels(name)
    return Format(name, number, channels, sum(c.bits for c in channels) // 8)


FORMATS_BY_NUMBER: dict[int, Format] = {n: _format(n, name) for n, name in _pairs(_SUPPORTED)}
"""Supported formats by the value of the C enum."""
FORMATS: dict[str, Format] = {f.name: f for f in FORMATS_BY_NUMBER.values()}
"""Supported formats by name, without the prefix DXGI_FORMAT_."""
_TYPELESS_NAMES = dict(_pairs(_TYPELESS))
_LATER_NAMES = {n: (name, kind) for kind, text in _LATER.items() for n, name in _pairs(text)}
_NUMBERS = {
    **{f.name: n for n, f in FORMATS_BY_NUMBER.items()},
    **{name: n for n, name in _TYPELESS_NAMES.items()},
    **{name: n for n, (name, _) in _LATER_NAMES.items()},
}
