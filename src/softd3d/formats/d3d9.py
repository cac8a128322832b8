"""Direct3D 9 formats as data: D3DFORMAT, D3DDDIFORMAT and the FourCCs of drivers.

The names are the table here too, but highest bits first. A read fills in 1 for every component
that is not there, except that A8 gives 0, 0, 0. Numbers are those of both enums; a few names exist
on one side only. Spec: win32 direct3d9 d3dformat; d3dukmdt.h D3DDDIFORMAT; FourCCs of drivers have
no specification: they are what drivers and translation layers agree on.
"""

from __future__ import annotations

import re
from contextlib import suppress

from softd3d.arguments import close_words, shown, whole
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Channel, ChannelType, Format, Scheme, channels_from
from softd3d.formats.planar import planar

__all__ = ["D3D9_FORMATS", "D3D9Format", "d3d9_format", "fourcc_number"]


@dataclass(frozen=True, slots=True)
class D3D9Format(Format):
    """A row of D3DFORMAT or D3DDDIFORMAT; name: without the prefix of either.

    fourcc: the four characters that its number is, or "".
    dxgi: the DXGI format with the same bits, or ""; what a read fills in may differ from it.
    is_api: whether D3DFORMAT has it, with the same number.
    """

    fourcc: str = ""
    dxgi: str = ""
    is_api: bool = True

    @property
    def is_of_direct3d9(self) -> bool:
        return True

    @property
    def is_depth_stencil(self) -> bool:
        return bool(self.depth_bits or self.stencil_bits)

    @property
    def is_lockable(self) -> bool:
        """Whether the bits of a depth-stencil format are promised; True for all other formats."""
        return not self.is_depth_stencil or self.name.endswith("_LOCKABLE")


# Number, name, DXGI format with the same bits (or -). Letters of a name: R G B A colour,
# L luminance, U V W Q signed, P palette index, D S depth and stencil, X unused; F after a depth
# width, or at the end of a colour format, is a float.
_ROWS = """
20 R8G8B8 -                    21 A8R8G8B8 B8G8R8A8_UNORM     22 X8R8G8B8 B8G8R8X8_UNORM
23 R5G6B5 B5G6R5_UNORM         24 X1R5G5B5 B5G5R5A1_UNORM     25 A1R5G5B5 B5G5R5A1_UNORM
26 A4R4G4B4 B4G4R4A4_UNORM     27 R3G3B2 -                    28 A8 A8_UNORM
29 A8R3G3B2 -                  30 X4R4G4B4 B4G4R4A4_UNORM     31 A2B10G10R10 R10G10B10A2_UNORM
32 A8B8G8R8 R8G8B8A8_UNORM     33 X8B8G8R8 R8G8B8A8_UNORM     34 G16R16 R16G16_UNORM
35 A2R10G10B10 R10G10B10A2_UNORM                              36 A16B16G16R16 R16G16B16A16_UNORM
40 A8P8 A8P8                   41 P8 P8                       50 L8 R8_UNORM
51 A8L8 R8G8_UNORM             52 A4L4 -                      60 V8U8 R8G8_SNORM
61 L6V5U5 -                    62 X8L8V8U8 -                  63 Q8W8V8U8 R8G8B8A8_SNORM
64 V16U16 R16G16_SNORM         65 W11V11U10 -                 67 A2W10V10U10 -
70 D16_LOCKABLE D16_UNORM      71 D32 -                       72 S1D15 -
73 D15S1 -                     74 S8D24 D24_UNORM_S8_UINT     75 D24S8 D24_UNORM_S8_UINT
76 X8D24 R24_UNORM_X8_TYPELESS 77 D24X8 -                     78 X4S4D24 -
79 D24X4S4 -                   80 D16 D16_UNORM               81 L16 R16_UNORM
82 D32F_LOCKABLE D32_FLOAT     83 D24FS8 -                    84 D32_LOCKABLE -
85 S8_LOCKABLE -               91 G8R8 R8G8_UNORM             92 R8 R8_UNORM
110 Q16W16V16U16 R16G16B16A16_SNORM                           111 R16F R16_FLOAT
112 G16R16F R16G16_FLOAT       113 A16B16G16R16F R16G16B16A16_FLOAT
114 R32F R32_FLOAT             115 G32R32F R32G32_FLOAT
116 A32B32G32R32F R32G32B32A32_FLOAT                          117 CxV8U8 -
118 A1 -                       119 A2B10G10R10_XR_BIAS R10G10B10_XR_BIAS_A2_UNORM
"""
# Numbers of what has no texels: bytes for each element, DXGI format of an element.
_DATA = """
100 VERTEXDATA 1 -             101 INDEX16 2 R16_UINT         102 INDEX32 4 R32_UINT
150 PICTUREPARAMSDATA 1 -      151 MACROBLOCKDATA 1 -         152 RESIDUALDIFFERENCEDATA 1 -
153 DEBLOCKINGDATA 1 -         154 INVERSEQUANTIZATIONDATA 1 - 155 SLICECONTROLDATA 1 -
156 BITSTREAMDATA 1 -          157 MOTIONVECTORBUFFER 1 -     158 FILMGRAINBUFFER 1 -
199 BINARYBUFFER 1 -
"""
# FourCC, name, DXGI format, which has the same layout.
_LIKE_DXGI = """
DXT1 DXT1 BC1_UNORM  DXT2 DXT2 BC2_UNORM  DXT3 DXT3 BC2_UNORM  DXT4 DXT4 BC3_UNORM
DXT5 DXT5 BC3_UNORM  ATI1 ATI1 BC4_UNORM  ATI2 ATI2 BC5_UNORM
YUY2 YUY2 YUY2       GRGB G8R8_G8B8 G8R8_G8B8_UNORM            RGBG R8G8_B8G8 R8G8_B8G8_UNORM
AYUV AYUV AYUV       NV12 NV12 NV12       NV11 NV11 NV11       P010 P010 P010
P016 P016 P016       Y210 Y210 Y210       Y216 Y216 Y216       Y410 Y410 Y410
Y416 Y416 Y416       AI44 AI44 AI44       IA44 IA44 IA44       420O 420O 420_OPAQUE
"""
# FourCC, and the depth-stencil format whose bits we give it: drivers keep theirs to themselves.
_DEPTH_FOURCCS = "INTZ S8D24 DF16 D16 DF24 X8D24 RAWZ S8D24"
_WITHOUT_MEMORY = "NULL RESZ ATOC"
# What D3DFORMAT does not name.
_DDI_ONLY = frozenset(["S1D15", "S8D24", "X8D24", "X4S4D24", "W11V11U10", "G8R8", "R8"])
_API_FOURCCS = frozenset(["DXT1", "DXT2", "DXT3", "DXT4", "DXT5", "YUY2", "UYVY", "GRGB", "RGBG"])
_ALIASES = {"DXVACOMPBUFFER_BASE": 150, "DXVACOMPBUFFER_MAX": 181}
_NAME = re.compile(r"([A-Z])(\d+)(F?)")
_SIGNED = "uvwq"


def fourcc_number(text: str) -> int:
    """Return the number that MAKEFOURCC makes of four characters.

    >>> hex(fourcc_number("DXT1"))
    '0x31545844'
    """
    return int.from_bytes(text.encode("latin-1"), "little")


def d3d9_format(name: str | int | D3D9Format) -> D3D9Format:
    """Return a format by name (with or without D3DFMT_ or D3DDDIFMT_), FourCC or number.

    Raises:
        ResourceError: there is no such format.

    >>> d3d9_format("D3DFMT_L6V5U5").reads, d3d9_format("ATI2").dxgi, d3d9_format(21).name
    ('uvl1', 'BC5_UNORM', 'A8R8G8B8')
    """
    if isinstance(name, D3D9Format):
        return name
    if isinstance(name, str):
        short = name.removeprefix("D3DFMT_").removeprefix("D3DDDIFMT_")
        found = D3D9_FORMATS.get(short) or _BY_FOURCC.get(short)
        if found is None and short in _ALIASES:
            found = _BY_NUMBER[_ALIASES[short]]
        if found is not None:
            return found
        hint = close_words(short, D3D9_FORMATS)
        raise ResourceError(f"there is no Direct3D 9 format {shown(name)}{hint}")
    with suppress(TypeError, KeyError):
        return _BY_NUMBER[whole(name)]
    raise ResourceError(f"there is no Direct3D 9 format number {shown(name)}")


def _type(component: str, is_float: bool) -> ChannelType:  # noqa: FBT001 - called in one place
    if is_float:
        return ChannelType.FLOAT
    if component in _SIGNED:
        return ChannelType.SNORM
    return {"s": ChannelType.UINT, "p": ChannelType.INDEX}.get(component, ChannelType.UNORM)


def _channels(name: str) -> tuple[Channel, ...]:
    """Read the channels, lowest bits first, out of a name such as A1R5G5B5."""
    if name.endswith("_XR_BIAS"):
        colours = "".join(f"{c}{n}" for c, n, _ in reversed(_NAME.findall(name)))
        return channels_from(colours.replace("A2", "_XR_BIAS_A2_UNORM"))
    fields = _NAME.findall(name.removesuffix("_LOCKABLE"))
    all_float = fields[-1][2] == "F" and fields[0][0] != "D"
    channels: list[Channel] = []
    shift = 0
    for letter, digits, mark in reversed(fields):
        component = letter.lower()
        type_ = _type(component, all_float or mark == "F")
        channels.append(Channel(component, type_, int(digits), shift))
        shift += int(digits)
    return tuple(channels)


def _reads(name: str, channels: tuple[Channel, ...]) -> str:
    found = {c.component for c in channels}
    alpha = "a" if "a" in found else "1"
    if name == "CxV8U8":
        return "uvc1"  # c is computed: sqrt(1 - u**2 - v**2)
    if name in ("A8", "A1"):
        return "000a" if name == "A8" else "aaaa"
    if "p" in found:
        return "ppp" + ("a" if "a" in found else "p")
    if "d" in found or "s" in found:
        return ("d" if "d" in found else "0") + ("s" if "s" in found else "0") + "01"
    if "u" in found:
        third = next((c for c in "wl" if c in found), "1")
        return "uv" + third + ("q" if "q" in found else alpha)
    if "l" in found:
        return "lll" + alpha
    return "".join(c if c in found else "1" for c in "rgba")


def _named(number: int, name: str, dxgi: str) -> D3D9Format:
    channels = _channels(name)
    bits = sum(c.bits for c in channels)
    is_bits = bits == 1
    return D3D9Format(
        name, number, channels, 1 if is_bits else bits // 8, 8 if is_bits else 1, 1,
        Scheme.BITS if is_bits else Scheme.TEXELS, _reads(name, channels),
        dxgi="" if dxgi == "-" else dxgi, is_api=name not in _DDI_ONLY,
    )  # fmt: skip


def _copied(name: str, fourcc: str, of: Format, dxgi: str) -> D3D9Format:
    """Return a FourCC format with the layout of another; D3D9 fills in 1 for what is missing."""
    reads = of.reads if of.scheme is Scheme.TEXELS else of.reads.replace("0", "1")
    reads = "gr11" if fourcc == "ATI2" else reads  # red and green change places
    return D3D9Format(
        name, fourcc_number(fourcc), of.channels, of.bytes_per_block, of.block_width,
        of.block_height, of.scheme, reads, planes=of.planes, fourcc=fourcc, dxgi=dxgi,
        is_api=fourcc in _API_FOURCCS,
    )  # fmt: skip


def _groups(text: str, size: int) -> list[list[str]]:
    words = text.split()
    return [words[i : i + size] for i in range(0, len(words), size)]


def _data(number: int, name: str, size: int, dxgi: str = "") -> D3D9Format:
    return D3D9Format(
        name, number, (), size, scheme=Scheme.BYTES, dxgi=dxgi, is_api=number not in _DDI_BUFFERS
    )


def _rows() -> list[D3D9Format]:
    rows = [D3D9Format("UNKNOWN", 0, (), 0, scheme=Scheme.NOTHING)]
    named = {n: _named(int(i), n, dxgi) for i, n, dxgi in _groups(_ROWS, 3)}
    rows += named.values()
    for number, name, size, dxgi in _groups(_DATA, 4):
        rows.append(_data(int(number), name, int(size), "" if dxgi == "-" else dxgi))
    rows += [_data(number, f"DXVA_RESERVED{number - 150}", 1) for number in range(159, 182)]
    rows += [
        _copied(name, cc, DXGI_FORMATS[dxgi], dxgi) for cc, name, dxgi in _groups(_LIKE_DXGI, 3)
    ]
    rows += [_copied(cc, cc, named[like], "") for cc, like in _groups(_DEPTH_FOURCCS, 2)]
    uyvy = Format(
        "UYVY", 0, channels_from("U8Y8V8Y8"), 4, 2, 1, Scheme.PACKED_422, DXGI_FORMATS["YUY2"].reads
    )
    yv12 = planar("YV12", 0, ["y:8:1:1", "v:8:2:2", "u:8:2:2"])
    rows += [_copied(f.name, f.name, f, "") for f in (uyvy, yv12)]
    # Two interleaved A8R8G8B8 elements; how is up to the driver.
    rows.append(
        D3D9Format(
            "MULTI2_ARGB8", fourcc_number("MET1"), (), 8, scheme=Scheme.OPAQUE, fourcc="MET1"
        )
    )
    rows += [
        D3D9Format(cc, fourcc_number(cc), (), 0, scheme=Scheme.NOTHING, fourcc=cc, is_api=False)
        for cc in _WITHOUT_MEMORY.split()
    ]
    return rows


_DDI_BUFFERS = range(150, 182)
_BY_NUMBER: dict[int, D3D9Format] = {f.number: f for f in sorted(_rows(), key=lambda f: f.number)}
D3D9_FORMATS: dict[str, D3D9Format] = {f.name: f for f in _BY_NUMBER.values()}
"""All formats by name, without the prefix D3DFMT_ or D3DDDIFMT_."""
_BY_FOURCC = {f.fourcc: f for f in D3D9_FORMATS.values() if f.fourcc}
