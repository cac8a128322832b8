"""The pixel formats of DDS files without a DDS_HEADER_DXT10, and what they are called.

Files name a format by a FourCC, by a D3DFORMAT in the place of one, or by a flag, a number of bits
and masks. Spec: DDS programming guide, "DDS file layout" and "Common DDS file resource formats";
D3DFORMAT (d3d9types.h).
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.formats.d3d9 import D3D9_FORMATS, D3D9Format, fourcc_number
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format
from softd3d.resources.dds.header import PixelFormat, PixelFormatFlags

__all__ = ["PALETTE_ENTRIES", "LegacyFormat", "dxgi_twin", "legacy_format", "legacy_of"]

PALETTE_ENTRIES = 256

_F = PixelFormatFlags


@dataclass(frozen=True, slots=True)
class LegacyFormat:
    """A way to name a format.

    name: of the format in Direct3D 9, or the FourCC where it has none. format: of Direct3D 9, or of
    DXGI if only that has it. pixel_format: as it is written.
    """

    name: str
    format: Format
    pixel_format: PixelFormat

    @property
    def has_palette(self) -> bool:
        """Whether 256 colours (R, G, B, A bytes) lie before the texels."""
        return bool(self.pixel_format.flags & _F.PALETTEINDEXED8)

    @property
    def premultiplied(self) -> bool:
        """Whether colours are multiplied with alpha, by convention."""
        return self.name in _PREMULTIPLIED


# FourCC, format. What is written for a format is the first of its rows. The last three lines are
# normal maps in DXT5 with components exchanged: what is what is left to the caller.
_FOUR_CCS = """
DXT1 DXT1        DXT3 DXT3        DXT2 DXT2        DXT5 DXT5        DXT4 DXT4
BC4U BC4_UNORM   ATI1 BC4_UNORM   BC4S BC4_SNORM   BC5U BC5_UNORM   ATI2 BC5_UNORM
A2XY BC5_UNORM   BC5S BC5_SNORM   BC6H BC6H_UF16   BC7L BC7_UNORM   BC7\0 BC7_UNORM
RGBG R8G8_B8G8   GRGB G8R8_G8B8   YUY2 YUY2        UYVY UYVY
A2D5 BC3_UNORM   xGBR BC3_UNORM   RxBG BC3_UNORM   RBxG BC3_UNORM   xRBG BC3_UNORM
RGxB BC3_UNORM   xGxR BC3_UNORM   GXRB BC3_UNORM   GRXB BC3_UNORM   RXGB BC3_UNORM
BRGX BC3_UNORM
"""
# What may stand as a D3DFORMAT in the place of a FourCC; other numbers could be DXGI_FORMATs.
_NUMBERS = """
A16B16G16R16 Q16W16V16U16 R16F G16R16F A16B16G16R16F R32F G32R32F A32B32G32R32F D32F_LOCKABLE CxV8U8
"""
# Name, flags, bits, masks of R, G, B and A. The masks of 10:10:10:2 formats have R and
# B exchanged, as D3DX and nearly all tools write them. Rows that repeat a name are older writers'.
_MASKS = """
A8R8G8B8     RGB|ALPHAPIXELS       32 ff0000   ff00     ff       ff000000
X8R8G8B8     RGB                   32 ff0000   ff00     ff       0
A8B8G8R8     RGB|ALPHAPIXELS       32 ff       ff00     ff0000   ff000000
X8B8G8R8     RGB                   32 ff       ff00     ff0000   0
A2B10G10R10  RGB|ALPHAPIXELS       32 3ff00000 ffc00    3ff      c0000000
A2R10G10B10  RGB|ALPHAPIXELS       32 3ff      ffc00    3ff00000 c0000000
G16R16       RGB                   32 ffff     ffff0000 0        0
R32F         RGB                   32 ffffffff 0        0        0
R8G8B8       RGB                   24 ff0000   ff00     ff       0
R5G6B5       RGB                   16 f800     7e0      1f       0
A1R5G5B5     RGB|ALPHAPIXELS       16 7c00     3e0      1f       8000
X1R5G5B5     RGB                   16 7c00     3e0      1f       0
A4R4G4B4     RGB|ALPHAPIXELS       16 f00      f0       f        f000
X4R4G4B4     RGB                   16 f00      f0       f        0
A8R3G3B2     RGB|ALPHAPIXELS       16 e0       1c       3        ff00
R3G3B2       RGB                    8 e0       1c       3        0
L8           LUMINANCE              8 ff       0        0        0
L16          LUMINANCE             16 ffff     0        0        0
A8L8         LUMINANCE|ALPHAPIXELS 16 ff       0        0        ff00
A4L4         LUMINANCE|ALPHAPIXELS  8 f        0        0        f0
A8           ALPHA                  8 0        0        0        ff
P8           PALETTEINDEXED8        8 0        0        0        0
A8P8         PALETTEINDEXED8|ALPHAPIXELS 16 0  0        0        ff00
V8U8         BUMPDUDV              16 ff       ff00     0        0
Q8W8V8U8     BUMPDUDV              32 ff       ff00     ff0000   ff000000
V16U16       BUMPDUDV              32 ffff     ffff0000 0        0
A2W10V10U10  BUMPDUDV|ALPHAPIXELS  32 3ff00000 ffc00    3ff      c0000000
L6V5U5       BUMPLUMINANCE         16 1f       3e0      fc00     0
X8L8V8U8     BUMPLUMINANCE         32 ff       ff00     ff0000   0
D16_LOCKABLE ZBUFFER               16 0        ffff     0        0
L8           RGB                    8 ff       0        0        0
L16          RGB                   16 ffff     0        0        0
A8L8         RGB|ALPHAPIXELS       16 ff       0        0        ff00
A8L8         LUMINANCE|ALPHAPIXELS  8 ff       0        0        ff00
"""
_PREMULTIPLIED = ("DXT2", "DXT4")
_CLASSES = (_F.RGB | _F.LUMINANCE | _F.ALPHA | _F.PALETTEINDEXED8 | _F.YUV | _F.BUMPDUDV
            | _F.BUMPLUMINANCE | _F.ZBUFFER)  # fmt: skip
_HAVE_ALPHA_MASK = _F.ALPHAPIXELS | _F.ALPHA | _F.BUMPDUDV

_Masked = tuple[int, int, tuple[int, int, int, int]]


def legacy_format(pixel_format: PixelFormat, *, as_four_cc: bool = False) -> LegacyFormat | None:
    """Return what a pixel format means, None if it is not known.

    Its size is not looked at. as_four_cc: whether the FourCC counts without its flag.

    >>> legacy_format(PixelFormat(flags=PixelFormatFlags.FOURCC.value, four_cc=113)).name
    'A16B16G16R16F'
    """
    if as_four_cc or pixel_format.flags & _F.FOURCC:
        return _BY_FOUR_CC.get(pixel_format.four_cc)
    return _BY_MASKS.get(_masked(pixel_format))


def legacy_of(format_: Format, *, premultiplied: bool = False) -> LegacyFormat | None:
    """Return how a format is written, None if no legacy format says the same.

    premultiplied: whether colours are multiplied with alpha, which few names say.
    """
    return _BY_FORMAT.get((format_.name, premultiplied))


def dxgi_twin(format_: Format) -> Format | None:
    """Return the DXGI format with the same components in the same bits, None if there is none.

    What a read fills in for missing components is not looked at: Direct3D 9 always has 1.

    >>> dxgi_twin(D3D9_FORMATS["V8U8"]).name, dxgi_twin(D3D9_FORMATS["L8"])
    ('R8G8_SNORM', None)
    """
    if not isinstance(format_, D3D9Format):
        return format_
    twin = DXGI_FORMATS.get(format_.dxgi)
    if twin is None:
        return None
    names = [[_ALIKE.get(c.component, c.component) for c in f.channels] for f in (format_, twin)]
    return twin if names[0] == names[1] else None


def _masked(pixel_format: PixelFormat) -> _Masked:
    """Return the key of a format with masks: class, bits, and the masks that count."""
    flags = pixel_format.flags
    red, green, blue, alpha = pixel_format.masks
    alpha = alpha if flags & _HAVE_ALPHA_MASK else 0
    if flags & _F.PALETTEINDEXED8:  # the flag RGB may stand beside it, and masks of the palette
        return _F.PALETTEINDEXED8, pixel_format.bit_count, (0, 0, 0, alpha)
    return flags & _CLASSES, pixel_format.bit_count, (red, green, blue, alpha)


def _rows() -> list[LegacyFormat]:
    rows: list[LegacyFormat] = []
    words = _FOUR_CCS.split()
    for code, name in zip(words[::2], words[1::2], strict=True):
        known = D3D9_FORMATS.get(name)
        pixel_format = PixelFormat(flags=_F.FOURCC.value, four_cc=fourcc_number(code))
        rows.append(
            LegacyFormat(name if known else code, known or DXGI_FORMATS[name], pixel_format)
        )
    for name in _NUMBERS.split():
        format_ = D3D9_FORMATS[name]
        pixel_format = PixelFormat(flags=_F.FOURCC.value, four_cc=format_.number)
        rows.append(LegacyFormat(name, format_, pixel_format))
    for line in _MASKS.strip().splitlines():
        name, flags, bits, *masks = line.split()
        value = sum(_F[flag].value for flag in flags.split("|"))
        red, green, blue, alpha = (int(mask, 16) for mask in masks)
        pixel_format = PixelFormat(
            flags=value, bit_count=int(bits), r_mask=red, g_mask=green, b_mask=blue, a_mask=alpha
        )
        rows.append(LegacyFormat(name, D3D9_FORMATS[name], pixel_format))
    return rows


def _by_format() -> dict[tuple[str, bool], LegacyFormat]:
    """Return rows by the names of their formats, and of DXGI formats that say the same."""
    found: dict[tuple[str, bool], LegacyFormat] = {}
    for row in _ROWS:
        found.setdefault((row.format.name, row.premultiplied), row)
        twin = dxgi_twin(row.format)
        if twin is not None:
            found.setdefault((twin.name, row.premultiplied), row)
    return found


_ALIKE = dict(zip("uvwq", "rgba", strict=True))
_ROWS = _rows()
_BY_FOUR_CC = {r.pixel_format.four_cc: r for r in _ROWS if r.pixel_format.flags & _F.FOURCC}
_BY_MASKS = {_masked(r.pixel_format): r for r in _ROWS if not r.pixel_format.flags & _F.FOURCC}
_BY_FORMAT = _by_format()
