"""Textures: where subresources lie, what arrays they take, what views show."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import FORMATS
from softd3d.formats.shader_views import is_readable
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension as D
from softd3d.resources.texels.dtypes import natural_dtype, texel_dtypes
from softd3d.resources.textures.texture import (
    Texture,
    Texture1D,
    Texture1DArray,
    Texture2D,
    Texture2DArray,
    Texture2DMS,
    Texture2DMSArray,
    Texture3D,
    TextureCube,
    TextureCubeArray,
)
from softd3d.resources.views.descriptor import describe


def _numbered(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.uint32).reshape(shape)


@pytest.mark.parametrize(
    ("kind", "shape", "extents", "slices"),
    [
        (Texture1D, (7,), (7, 1, 1), 1),
        (Texture1DArray, (3, 7), (7, 1, 1), 3),
        (Texture2D, (4, 7), (7, 4, 1), 1),
        (Texture2DArray, (3, 4, 7), (7, 4, 1), 3),
        (Texture3D, (2, 4, 7), (7, 4, 2), 1),
        (TextureCube, (6, 4, 4), (4, 4, 1), 1),
        (TextureCubeArray, (12, 4, 4), (4, 4, 1), 2),
        (Texture2DMS, (4, 7, 2), (7, 4, 1), 1),
        (Texture2DMSArray, (3, 4, 7, 2), (7, 4, 1), 3),
    ],
)
def test_one_array_is_shared(
    kind: type[Texture], shape: tuple[int, ...], extents: tuple[int, ...], slices: int
) -> None:
    array = _numbered(*shape)
    texture = kind(array, "R32_UINT")
    d = describe(texture)
    assert texture.array is array
    assert (d.width, d.height, d.depth) == extents
    assert (d.array_size, d.mip_count, d.dimension) == (slices, 1, kind.kind.dimension)
    assert (d.kind, d.stride, d.size, d.writable) == (ViewKind.TYPED, 4, array.nbytes, True)
    d.data[-4:] = 0xEE
    assert array.flat[-1] == 0xEEEEEEEE
    assert texture.tobytes() == array.tobytes()
    np.testing.assert_array_equal(texture.mip(0), array)


def test_addresses_find_texels() -> None:
    """Offset + slice, z, y, x times their pitches is where the array has the texel."""
    mips = [_numbered(2, 5, 7), 1000 + _numbered(1, 2, 3), 2000 + _numbered(1, 1, 1)]
    d = describe(Texture3D(mips, "R32_UINT"))
    words = d.data.view(np.uint32)
    for (offset, row, whole), array in zip(d.mips, mips, strict=True):
        for (z, y, x), value in np.ndenumerate(array):
            assert words[(offset + z * whole + y * row + x * d.stride) // 4] == value


def test_slices_hold_their_mips() -> None:
    mips = [_numbered(3, 4, 6), 500 + _numbered(3, 2, 3), 900 + _numbered(3, 1, 1)]
    texture = Texture2DArray(mips, "R32_UINT")
    d = describe(texture)
    assert d.array_pitch == 4 * (24 + 6 + 1)
    assert d.mips == ((0, 24, 96), (96, 12, 24), (120, 4, 4))
    slices = [b"".join(m[s].tobytes() for m in mips) for s in range(3)]
    assert texture.tobytes() == b"".join(slices)
    for level, mip in enumerate(mips):
        np.testing.assert_array_equal(texture.mip(level), mip)
        np.testing.assert_array_equal(texture.mip(level, 2), mip[2])
    texture.mip(1, 2)[0, 1] = 77
    assert d.data.view(np.uint32)[(2 * d.array_pitch + 96) // 4 + 1] == 77
    np.testing.assert_array_equal(texture.array, mips[0])
    again = Texture2DArray.from_bytes(
        texture.tobytes(), "R32_UINT", 6, 4, array_size=3, mip_levels=3
    )
    assert describe(again).mips == d.mips
    np.testing.assert_array_equal(again.mip(1), texture.mip(1))


def test_multisampled_texels_hold_their_samples() -> None:
    d = describe(Texture2DMS(_numbered(3, 5, 4), "R32_UINT"))
    assert (d.sample_count, d.stride, d.mips) == (4, 4, ((0, 80, 240),))


@pytest.mark.parametrize("format_", FORMATS.values(), ids=lambda f: f.name)
def test_every_format_takes_its_arrays(format_: object) -> None:
    for dtype, items in texel_dtypes(format_).items():
        assert dtype.itemsize * items == format_.bytes_per_texel
        array = np.zeros((2, 4, *([items] if items > 1 else [])), dtype)
        if is_readable(format_):
            assert describe(Texture2D(array, format_)).size == 8 * format_.bytes_per_texel
    size = format_.bytes_per_texel
    data = bytes(range(size)) * 6 + bytes(size)
    texture = Texture1D.from_bytes(data, format_, 4, mip_levels=3)
    assert texture.tobytes() == data
    dtype, items = natural_dtype(format_)
    assert texture.mip(1).dtype == dtype
    assert texture.mip(1).shape == ((2, items) if items > 1 else (2,))
    assert texture.mip(1).tobytes() == bytes(range(size)) * 2


def test_natural_dtypes() -> None:
    names = {f.name: (str(natural_dtype(f)[0]), natural_dtype(f)[1]) for f in FORMATS.values()}
    assert names["R8G8B8A8_UNORM"] == ("uint8", 4)
    assert names["R16G16_SNORM"] == ("int16", 2)
    assert names["R16_FLOAT"] == ("float16", 1)
    assert names["R32G32B32_FLOAT"] == ("float32", 3)
    assert names["R32_SINT"] == ("int32", 1)
    assert names["R10G10B10A2_UINT"] == ("uint32", 1)
    assert names["R11G11B10_FLOAT"] == ("uint32", 1)
    assert names["B5G6R5_UNORM"] == ("uint16", 1)
    assert names["B4G4R4A4_UNORM"] == ("uint16", 1)


def test_views_of_mips_and_slices() -> None:
    mips = [_numbered(3, 4, 8), 500 + _numbered(3, 2, 4), 900 + _numbered(3, 1, 2)]
    texture = Texture2DArray(mips, "R32_UINT")
    d = describe(texture.view(most_detailed_mip=1, first_array_slice=1))
    assert (d.width, d.height, d.array_size, d.mip_count) == (4, 2, 2, 2)
    words = d.data.view(np.uint32)
    assert words[d.mips[0][0] // 4] == mips[1][1, 0, 0]
    assert words[(d.mips[1][0] + d.array_pitch) // 4] == mips[2][2, 0, 0]
    one = describe(
        texture.view(
            most_detailed_mip=1,
            mip_levels=1,
            first_array_slice=2,
            array_size=1,
            dimension=D.TEXTURE2D,
        )
    )
    assert (one.size, one.mips, one.dimension) == (32, ((0, 16, 32),), D.TEXTURE2D)
    np.testing.assert_array_equal(one.data.view(np.uint32), mips[1][2].ravel())
    assert np.shares_memory(one.data, texture.mip(1))


def test_levels_of_one_slice_are_apart() -> None:
    texture = Texture2D([_numbered(4, 4), _numbered(2, 2), _numbered(1, 1)], "R32_UINT")
    first, rest = (describe(texture.view(mip, mips)) for mip, mips in ((0, 1), (1, None)))
    assert not np.shares_memory(first.data, rest.data)
    assert (first.size, rest.size, rest.mips) == (64, 20, ((0, 8, 16), (16, 4, 4)))


def test_views_in_other_formats_and_dimensions() -> None:
    texture = TextureCube(np.zeros((6, 4, 4, 4), np.uint8), "R8G8B8A8_UNORM")
    d = describe(texture.view(format="R8G8B8A8_UNORM_SRGB", dimension=D.TEXTURE2DARRAY))
    assert d.format is FORMATS["R8G8B8A8_UNORM_SRGB"]
    assert (d.dimension, d.array_size) == (D.TEXTURE2DARRAY, 6)
    assert describe(texture.view(format="R32_UINT")).format is FORMATS["R32_UINT"]
    assert describe(texture.view(dimension=D.TEXTURECUBEARRAY)).array_size == 1
    assert repr(texture.view()) == (
        "TextureView(TEXTURECUBE, 4 x 4 x 1, 1 slices, 1 mips, R8G8B8A8_UNORM)"
    )


FLOATS = np.zeros((4, 4), np.float32)
CUBE = TextureCube(np.zeros((6, 4, 4), np.float32), "R32_FLOAT")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: Texture2D(np.zeros((4, 4)), "R32_FLOAT"),
            (
                "Texture2D: found float64 (4, 4), wanted float32 (height, width) or "
                "uint32 (height, width) for R32_FLOAT"
            ),
        ),
        (
            lambda: Texture2D(np.zeros((4, 4, 3), np.uint8), "R8G8B8A8_UNORM"),
            (
                "Texture2D: found uint8 (4, 4, 3), wanted uint8 (height, width, 4) or "
                "uint32 (height, width) for R8G8B8A8_UNORM"
            ),
        ),
        (
            lambda: Texture1D(FLOATS, "R32_FLOAT"),
            (
                "Texture1D: found float32 (4, 4), wanted float32 (width,) or uint32 (width,) "
                "for R32_FLOAT"
            ),
        ),
        (
            lambda: Texture2DArray(FLOATS, "R32_FLOAT"),
            (
                "Texture2DArray: found float32 (4, 4), wanted float32 (slices, height, width) or "
                "uint32 (slices, height, width) for R32_FLOAT"
            ),
        ),
        (lambda: Texture2D([], "R32_FLOAT"), "Texture2D: found no mip levels, wanted at least one"),
        (lambda: Texture2D(3, "R32_FLOAT"), "Texture2D: found int, wanted a NumPy array"),
        (
            lambda: Texture2D([FLOATS, FLOATS], "R32_FLOAT"),
            "Texture2D: mip 1: found float32 (4, 4), wanted float32 (2, 2)",
        ),
        (
            lambda: Texture2D([FLOATS] + 3 * [FLOATS[:1, :1]], "R32_FLOAT"),
            "Texture2D: found mips 4, wanted 1 to 3",
        ),
        (
            lambda: Texture2D(FLOATS[:, :2], "R32_FLOAT"),
            (
                "Texture2D: found an array that is not C-contiguous, which cannot be shared; "
                "wanted e.g. numpy.ascontiguousarray of it"
            ),
        ),
        (
            lambda: Texture2D(np.zeros((0, 4), np.float32), "R32_FLOAT"),
            "Texture2D: found height 0, wanted 1 to 16384",
        ),
        (
            lambda: Texture1D(np.zeros(16385, np.uint8), "R8_UINT"),
            "Texture1D: found width 16385, wanted 1 to 16384",
        ),
        (
            lambda: Texture3D(np.zeros((2049, 1, 1), np.uint8), "R8_UINT"),
            "Texture3D: found depth 2049, wanted 1 to 2048",
        ),
        (
            lambda: TextureCube(np.zeros((5, 4, 4), np.float32), "R32_FLOAT"),
            "TextureCube: found 5 slices, wanted 6",
        ),
        (
            lambda: TextureCubeArray(np.zeros((9, 4, 4), np.float32), "R32_FLOAT"),
            "TextureCubeArray: found 9 slices, wanted a multiple of 6 up to 2046",
        ),
        (
            lambda: TextureCube(np.zeros((6, 4, 5), np.float32), "R32_FLOAT"),
            "TextureCube: found faces of 5 x 4, wanted squares",
        ),
        (
            lambda: Texture2DMS(np.zeros((4, 4, 3), np.float32), "R32_FLOAT"),
            "Texture2DMS: found samples 3, wanted a power of two up to 32",
        ),
        (
            lambda: Texture2D.from_bytes(bytes(12), "R32_FLOAT", 2, 2),
            "Texture2D: found 12 bytes, wanted 16",
        ),
        (
            lambda: Texture2D.from_bytes(b"", "R32_FLOAT", 1 << 40, 1 << 40, mip_levels=1 << 40),
            "Texture2D: found width 1099511627776, wanted 1 to 16384",
        ),
        (
            lambda: Texture2D.from_bytes(b"", "R32_FLOAT", 4, 4, mip_levels=1 << 40),
            "Texture2D: found mips 1099511627776, wanted 1 to 3",
        ),
        (
            lambda: Texture2D.from_bytes(b"", "R32_FLOAT", 4, 4, depth=2),
            "Texture2D: found depth 2, wanted 1",
        ),
        (
            lambda: Texture2D.from_bytes(b"", "R32_FLOAT", 4, 4, array_size=2),
            "Texture2D: found slices 2, wanted 1",
        ),
        (
            lambda: Texture2D.from_bytes(b"", "R32_FLOAT", 4, 4, sample_count=2),
            "Texture2D: found samples 2, wanted 1",
        ),
        (
            lambda: Texture2D.from_bytes(b"", "R32G32B32A32_FLOAT", 16384, 16384),
            "Texture2D: found 4294967296 bytes, wanted at most 2147483644",
        ),
        (
            lambda: describe(Texture2D.from_bytes(bytes(4), "D24_UNORM_S8_UINT", 1)),
            (
                "format D24_UNORM_S8_UINT cannot be read by shaders, wanted a view in one of "
                "R24_UNORM_X8_TYPELESS, X24_TYPELESS_G8_UINT"
            ),
        ),
        (
            lambda: Texture2D.from_bytes(bytes(8), "BC1_UNORM", 4, 4).view(format="BC4_UNORM"),
            (
                "Texture2D: found format BC4_UNORM for a view, wanted one with the channels of "
                "BC1_UNORM"
            ),
        ),
        (
            lambda: Texture2D.from_bytes(bytes(8), "BC1_UNORM", 4, 4).view(format="R32G32_UINT"),
            (
                "Texture2D: found format R32G32_UINT for a view, wanted one with the channels of "
                "BC1_UNORM"
            ),
        ),
        (
            lambda: Texture2D.from_bytes(bytes(12), "YUY2", 4, 1, mip_levels=2).view(
                format="R32_UINT"
            ),
            "Texture2D: found 2 mips of a 4:2:2 packed format, wanted one",
        ),
        (lambda: CUBE.mip(1), "TextureCube: mip_slice: found 1, wanted 0 to 0"),
        (lambda: CUBE.mip(0, 6), "TextureCube: array_slice: found 6, wanted 0 to 5"),
        (
            lambda: CUBE.view(most_detailed_mip=1),
            "TextureCube: mips: found 0 from 1 on, wanted some of 1",
        ),
        (
            lambda: CUBE.view(first_array_slice=4, array_size=3),
            "TextureCube: slices: found 3 from 4 on, wanted some of 6",
        ),
        (
            lambda: CUBE.view(array_size=2),
            "TextureCube: found 2 slices for TEXTURECUBE, wanted 6",
        ),
        (
            lambda: CUBE.view(dimension=D.TEXTURE2D),
            "TextureCube: found 6 slices for TEXTURE2D, wanted 1",
        ),
        (
            lambda: CUBE.view(dimension=D.TEXTURE3D),
            (
                "TextureCube: found TEXTURE3D for a view, wanted one of "
                "TEXTURE2D, TEXTURE2DARRAY, TEXTURECUBE, TEXTURECUBEARRAY"
            ),
        ),
        (
            lambda: CUBE.view(format="R16_FLOAT"),
            (
                "TextureCube: found format R16_FLOAT for a view, wanted one with the channels of "
                "R32_FLOAT"
            ),
        ),
        (
            lambda: Texture2DArray(np.zeros((6, 2, 4), np.float32), "R32_FLOAT").view(
                dimension=D.TEXTURECUBE
            ),
            "Texture2DArray: found no square faces, which TEXTURECUBE wants",
        ),
    ],
)
def test_errors(make: object, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        make()
    assert str(raised.value) == text


def test_blocks_are_held_in_rows_and_columns() -> None:
    levels = [_numbered(2, 3, 8).astype(np.uint8), np.ones((1, 2, 8), np.uint8)]
    texture = Texture2D(levels, "BC1_UNORM")
    assert texture.layout.extent(0) == (12, 8, 1)
    assert texture.layout.extent(1) == (6, 4, 1)
    assert texture.layout.levels() == ((0, 24, 48), (48, 16, 16))
    assert texture.tobytes() == levels[0].tobytes() + levels[1].tobytes()
    again = Texture2D.from_bytes(texture.tobytes(), "BC1_UNORM", 12, 8, mip_levels=2)
    np.testing.assert_array_equal(again.mip(1), levels[1])


def test_typeless_textures_are_bound_through_views() -> None:
    texture = Texture2D(_numbered(2, 2), "R24G8_TYPELESS")
    with pytest.raises(ResourceError, match="format R24G8_TYPELESS has no component type"):
        describe(texture)
    view = describe(texture.view(format="R24_UNORM_X8_TYPELESS"))
    assert view.format is not None
    assert (view.format.name, view.size) == ("R24_UNORM_X8_TYPELESS", 16)
    stencil = describe(texture.view(format="X24_TYPELESS_G8_UINT"))
    assert stencil.format is not None
    assert stencil.format.reads == "0g01"
    with pytest.raises(ResourceError, match="found format R8G8B8A8_UNORM for a view"):
        texture.view(format="R8G8B8A8_UNORM")
