"""Copies of Direct3D 9 against a model that works texel by texel; refused calls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.resources.d3d9.copies import (
    color_fill,
    get_render_target_data,
    update_surface,
    update_texture,
)
from softd3d.resources.d3d9.locks import LockFlags, lock_rect
from softd3d.resources.d3d9.stretch import TextureFilter, stretch_rect
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9, Texture9, TextureType
from softd3d.resources.texels.dtypes import natural_dtype
from softd3d.resources.texels.yuv import rgb_from_yuv, yuv_from_rgb
from softd3d.resources.transfer.conversion import convert, decode

RNG = np.random.default_rng(9)
RT, RTT, TEX = Origin.RENDER_TARGET, Origin.RENDER_TARGET_TEXTURE, Origin.TEXTURE
PLAIN, DS = Origin.OFFSCREEN_PLAIN, Origin.DEPTH_STENCIL


def _surface(
    width: int, height: int, format_: str = "A8R8G8B8", origin: Origin = RT,
    pool: Pool = Pool.DEFAULT, samples: int = 1, *, is_lockable: bool = False,
    is_dynamic: bool = False,
) -> Surface9:  # fmt: skip
    """Return a surface of random bytes."""
    row = d3d9_format(format_)
    rows, columns = -(-height // row.block_height), -(-width // row.block_width)
    dtype, items = natural_dtype(row)
    shape = [rows, columns, *([samples] if samples > 1 else []), *([items] if items > 1 else [])]
    data = RNG.integers(0, 256, int(np.prod(shape)) * dtype.itemsize, np.uint8)
    return Surface9(
        data.view(dtype).reshape(shape), row, origin=origin, pool=pool, samples=samples,
        size=(width, height), is_lockable=is_lockable, is_dynamic=is_dynamic,
    )  # fmt: skip


@st.composite
def _rects(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int]]:
    """Draw two sizes and a rectangle inside each."""
    sizes, rects = [], []
    for _ in range(2):
        size = [draw(st.integers(1, 9)), draw(st.integers(1, 9))]
        x, y = (draw(st.integers(0, n - 1)) for n in size)
        right, bottom = draw(st.integers(x + 1, size[0])), draw(st.integers(y + 1, size[1]))
        sizes.append(size)
        rects.append([x, y, right, bottom])
    return sizes[0], rects[0], sizes[1], rects[1]


@given(_rects(), st.sampled_from([TextureFilter.NONE, TextureFilter.POINT]))
def test_point_sampling_takes_the_texel_under_the_centre(
    drawn: tuple[list[int], list[int], list[int], list[int]], filter_: TextureFilter
) -> None:
    here, a, there, b = drawn
    source, destination = _surface(*here), _surface(*there)
    wanted = destination.array.copy()
    for y in range(b[1], b[3]):
        for x in range(b[0], b[2]):
            u = a[0] + int(Fraction(2 * (x - b[0]) + 1, 2 * (b[2] - b[0])) * (a[2] - a[0]))
            v = a[1] + int(Fraction(2 * (y - b[1]) + 1, 2 * (b[3] - b[1])) * (a[3] - a[1]))
            wanted[y, x] = source.array[v, u]
    stretch_rect(source, a, destination, b, filter_)
    np.testing.assert_array_equal(destination.array, wanted)


def _taps(place: int, size: int, extent: int) -> list[tuple[int, Fraction]]:
    """Return the texels nearest to a centre, each with its weight."""
    centre = Fraction(2 * place + 1, 2 * size) * extent - Fraction(1, 2)
    centre = min(max(centre, Fraction(0)), Fraction(extent - 1))
    low = int(centre)
    return [(low, 1 - (centre - low)), (min(low + 1, extent - 1), centre - low)]


@given(_rects())
def test_linear_filtering_goes_between_the_nearest_centres(
    drawn: tuple[list[int], list[int], list[int], list[int]],
) -> None:
    here, a, there, b = drawn
    source = _surface(*here)
    destination = _surface(*there, format_="A32B32G32R32F")
    outside = destination.array.copy()
    stretch_rect(source, a, destination, b, TextureFilter.LINEAR)
    codes = source.array.view(np.uint8).reshape(here[1], here[0], 4)
    for y in range(b[1], b[3]):
        for x in range(b[0], b[2]):
            exact = [Fraction(0)] * 4
            for v, vertical in _taps(y - b[1], b[3] - b[1], a[3] - a[1]):
                for u, horizontal in _taps(x - b[0], b[2] - b[0], a[2] - a[0]):
                    for i, channel in enumerate((2, 1, 0, 3)):  # B G R A in memory
                        code = int(codes[a[1] + v, a[0] + u, channel])
                        exact[i] += vertical * horizontal * Fraction(code, 255)
            for i in range(4):
                assert abs(Fraction(float(destination.array[y, x, i])) - exact[i]) < 1e-6
    outside[b[1] : b[3], b[0] : b[2]] = destination.array[b[1] : b[3], b[0] : b[2]]
    np.testing.assert_array_equal(destination.array, outside)


# What a renderer makes of three texels (Wine 8's Direct3D 9 on llvmpipe), by number of texels.
RENDERED = """
80808080
df202020 20dfdfdf
ff000000 80808080 00ffffff
ff000000 b0505050 50b0b0b0 00ffffff
ff000000 cc333333 80808080 33cccccc 00ffffff
ff000000 df202020 a0606060 60a0a0a0 20dfdfdf 00ffffff
ff000000 ed131313 b7494949 80808080 49b7b7b7 13ededed 00ffffff
ff000000 f7080808 c7383838 98686868 68989898 38c7c7c7 08f7f7f7 00ffffff
"""


@pytest.mark.parametrize("line", RENDERED.split("\n")[1:-1])
def test_linear_filtering_is_within_a_code_of_a_renderers(line: str) -> None:
    wanted = np.array([[int(word, 16) for word in line.split()]], np.uint32)
    source = Surface9(np.array([[0xFF000000, 0x80808080, 0x00FFFFFF]], np.uint32), 21, origin=PLAIN)
    destination = Surface9(np.zeros(wanted.shape, np.uint32), 21, origin=RT)
    stretch_rect(source, None, destination, None, TextureFilter.LINEAR)
    found, codes = (a.view(np.uint8).astype(int) for a in (destination.array, wanted))
    assert np.abs(found - codes).max() <= 1


@pytest.mark.parametrize("target", ["A8R8G8B8", "R5G6B5", "A2R10G10B10", "A16B16G16R16F"])
@pytest.mark.parametrize("name", ["X8R8G8B8", "A1R5G5B5", "R5G6B5", "DXT1", "DXT5"])
def test_formats_are_converted_by_the_rules_of_direct3d_9(name: str, target: str) -> None:
    source = _surface(8, 4, name, TEX if name.startswith("DXT") else RT)
    destination = _surface(8, 4, target, RTT)
    stretch_rect(source, None, destination)
    wanted = convert(source.array, d3d9_format(name), d3d9_format(target), "d3d9")
    np.testing.assert_array_equal(destination.array, wanted)


@pytest.mark.parametrize("name", ["YUY2", "UYVY"])
def test_video_becomes_rgb(name: str) -> None:
    pair = {"YUY2": [81, 90, 145, 240], "UYVY": [90, 81, 240, 145]}[name]
    source = Surface9(np.array([[pair]], np.uint8), name)
    destination = _surface(2, 1)
    stretch_rect(source, None, destination)
    assert destination.array.view(np.uint8).reshape(2, 4).tolist() == [
        [0, 0, 255, 255],
        [74, 74, 255, 255],
    ]


def test_colours_come_back_from_video() -> None:
    codes = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]])
    rgba = np.concatenate([codes, np.full((5, 1), 255)], 1).astype(np.float32) / 255
    yuv = yuv_from_rgb(rgba)
    assert np.rint(yuv[:2, :3] * 255).tolist() == [[16, 128, 128], [235, 128, 128]]
    assert np.abs(rgb_from_yuv(yuv) - rgba).max() < 4 / 255


def test_a_multisampled_target_is_averaged() -> None:
    samples = np.array([[[0, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF]]], np.uint32)
    source = Surface9(samples, "A8R8G8B8", origin=RT, samples=4)
    destination = _surface(1, 1)
    stretch_rect(source, None, destination)
    assert destination.array.view(np.uint8).tolist() in ([[191] * 4], [[[191] * 4]])
    alike = _surface(1, 1, samples=4)
    stretch_rect(source, None, alike)
    assert alike.units.tobytes() == samples.tobytes()


def test_depth_stencil_surfaces_are_copied_whole() -> None:
    source, destination = _surface(5, 3, "D24S8", DS), _surface(5, 3, "D24S8", DS)
    stretch_rect(source, None, destination, (0, 0, 5, 3), TextureFilter.LINEAR)
    np.testing.assert_array_equal(source.array, destination.array)
    view = destination.depth_stencil()
    assert view.array is destination.array
    np.testing.assert_array_equal(view.stencil, source.array & 0xFF)


def test_a_copy_on_one_surface_may_overlap() -> None:
    surface = _surface(6, 1, "R5G6B5")
    before = surface.array.copy()
    stretch_rect(surface, (0, 0, 4, 1), surface, (2, 0, 6, 1))
    np.testing.assert_array_equal(surface.array[0, 2:], before[0, :4])


# The page's tables for drivers of Direct3D 9: source, destinations that take it unstretched, and
# stretched.
TABLE = {
    TEX: ({RTT, RT}, {RTT, RT}),
    RTT: ({RTT, RT}, {RTT, RT}),
    RT: ({RTT, RT}, {RTT, RT}),
    PLAIN: ({RTT, RT, PLAIN}, {RTT, RT}),
}


@pytest.mark.parametrize("is_stretch", [False, True])
@pytest.mark.parametrize("to", list(TABLE))
@pytest.mark.parametrize("from_", list(TABLE))
def test_the_table_of_surfaces(from_: Origin, to: Origin, is_stretch: bool) -> None:
    source = _surface(4, 4, origin=from_)
    destination = _surface(8 if is_stretch else 4, 4, origin=to)
    before = destination.array.copy()
    if to in TABLE[from_][is_stretch]:
        stretch_rect(source, None, destination)
        assert (destination.array != before).any()
        return
    with pytest.raises(ResourceError, match="is refused"):
        stretch_rect(source, None, destination)
    np.testing.assert_array_equal(destination.array, before)


@given(_rects())
def test_update_surface_moves_texels(
    drawn: tuple[list[int], list[int], list[int], list[int]],
) -> None:
    here, a, there, b = drawn
    source = _surface(*here, "R5G6B5", PLAIN, Pool.SYSTEMMEM)
    destination = _surface(*there, "R5G6B5", TEX)
    width, height = min(a[2] - a[0], there[0] - b[0]), min(a[3] - a[1], there[1] - b[1])
    wanted = destination.array.copy()
    for y in range(height):
        for x in range(width):
            wanted[b[1] + y, b[0] + x] = source.array[a[1] + y, a[0] + x]
    update_surface(source, (a[0], a[1], a[0] + width, a[1] + height), destination, b[:2])
    np.testing.assert_array_equal(destination.array, wanted)


def test_update_surface_moves_blocks() -> None:
    source = _surface(10, 6, "DXT1", PLAIN, Pool.SYSTEMMEM)
    destination = _surface(10, 6, "DXT1", TEX)
    wanted = destination.array.copy()
    wanted[1, 2] = source.array[1, 2]
    update_surface(source, (8, 4, 10, 6), destination, (8, 4))
    np.testing.assert_array_equal(destination.array, wanted)


@pytest.mark.parametrize("type_", list(TextureType))
def test_update_texture_copies_the_levels_that_match(type_: TextureType) -> None:
    depth = 8 if type_ is TextureType.VOLUME else 1
    source = Texture9(16, 16, "DXT5", levels=0, type_=type_, depth=depth, pool=Pool.SYSTEMMEM)
    destination = Texture9(4, 4, "DXT5", levels=0, type_=type_, depth=max(1, depth // 4))
    for level in range(source.levels):
        for n in range(source.slices(level)):
            surface = source.surface(level, n)
            surface.array[...] = RNG.integers(0, 256, surface.array.shape, np.uint8)
    update_texture(source, destination)
    for level in range(3):
        for n in range(destination.slices(level)):
            np.testing.assert_array_equal(
                destination.surface(level, n).array, source.surface(level + 2, n).array
            )


def test_get_render_target_data_copies_all() -> None:
    source = _surface(3, 2, "A16B16G16R16F", RTT)
    destination = _surface(3, 2, "A16B16G16R16F", TEX, Pool.SYSTEMMEM)
    get_render_target_data(source, destination)
    assert destination.units.tobytes() == source.units.tobytes()


@pytest.mark.parametrize(
    ("name", "texel"),
    [
        ("A8R8G8B8", 0x80FF8040), ("X8R8G8B8", 0x00FF8040), ("A1R5G5B5", 0xFE08),
        ("R5G6B5", 0xFC08), ("G16R16F", 0x3804_3C00), ("L8", 0xFF), ("A8", 0x80),
    ],
)  # fmt: skip
def test_a_colour_is_converted_to_the_format(name: str, texel: int) -> None:
    surface = _surface(5, 4, name, PLAIN)
    wanted = surface.units.copy()
    color_fill(surface, (1, 1, 4, 3), 0x80FF8040)
    size = surface.format.bytes_per_texel
    wanted[1:3, 1:4] = np.frombuffer(texel.to_bytes(size, "little"), np.uint8)
    np.testing.assert_array_equal(surface.units, wanted)


def test_blocks_and_pairs_are_filled_too() -> None:
    blocks = _surface(8, 8, "DXT1", PLAIN)
    before = blocks.array.copy()
    color_fill(blocks, (4, 0, 8, 8), 0xFFFF0000)
    np.testing.assert_array_equal(blocks.array[:, 0], before[:, 0])
    colours = decode(blocks.array[:, 1:], blocks.format, "d3d9")
    assert (colours == [1.0, 0.0, 0.0, 1.0]).all()
    pairs = _surface(4, 1, "YUY2", PLAIN)
    color_fill(pairs, None, 0xFFFFFFFF)
    assert pairs.array.tolist() == [[[235, 128, 235, 128]] * 2]


def test_samples_are_filled_alike() -> None:
    surface = _surface(2, 2, samples=4)
    color_fill(surface, None, 0x01020304)
    assert set(surface.array.view("<u4").flat) == {0x01020304}


def test_a_locked_rectangle_is_the_surfaces_memory() -> None:
    whole = np.zeros((6, 10), np.uint16)
    surface = Surface9(whole[:, :7], "R5G6B5", pool=Pool.SYSTEMMEM)
    with lock_rect(surface, (2, 1, 6, 5)) as locked:
        assert (locked.pitch, locked.units.shape, locked.texels.shape) == (20, (4, 4, 2), (4, 4))
        locked.texels[3, 3] = 0x1234
    assert whole[4, 5] == 0x1234
    with pytest.raises(ValueError, match="read-only"):
        locked.texels[0, 0] = 1
    with (
        lock_rect(surface, flags=LockFlags.READONLY) as locked,
        pytest.raises(ValueError, match="read-only"),
    ):
        locked.units[...] = 0


def test_blocks_are_locked_whole() -> None:
    surface = _surface(10, 6, "DXT1", PLAIN)
    with lock_rect(surface, (4, 4, 10, 6)) as locked:
        assert locked.pitch == 24
        assert locked.units.tobytes() == surface.array[1:, 1:].tobytes()


def test_discarding_leaves_zeros() -> None:
    surface = _surface(3, 3, origin=TEX, is_dynamic=True)
    with lock_rect(surface, flags=LockFlags.DISCARD) as locked:
        assert not locked.units.any()


@pytest.mark.parametrize(
    ("surface", "is_allowed"),
    [
        (_surface(2, 2, origin=TEX), False),
        (_surface(2, 2, origin=TEX, is_dynamic=True), True),
        (_surface(2, 2, origin=TEX, pool=Pool.MANAGED), True),
        (_surface(2, 2, origin=RTT), False),
        (_surface(2, 2), False),
        (_surface(2, 2, is_lockable=True), True),
        (_surface(2, 2, samples=2, is_lockable=True), False),
        (_surface(2, 2, origin=PLAIN), True),
        (_surface(2, 2, "D24S8", DS), False),
        (_surface(2, 2, "D16_LOCKABLE", DS), True),
        (_surface(2, 2, "D32F_LOCKABLE", DS), True),
    ],
    ids=repr,
)
def test_which_surfaces_are_locked(surface: Surface9, is_allowed: bool) -> None:
    if is_allowed:
        with lock_rect(surface):
            pass
        return
    with pytest.raises(ResourceError, match="cannot be locked"):
        lock_rect(surface).__enter__()


SYSTEM = _surface(8, 8, origin=PLAIN, pool=Pool.SYSTEMMEM)
SYSTEM_BLOCKS = _surface(8, 8, "DXT1", PLAIN, Pool.SYSTEMMEM)
TARGET, TARGET565, TARGET4 = _surface(8, 8), _surface(8, 8, "R5G6B5"), _surface(8, 8, samples=4)
BLOCKS, BLOCKS2 = _surface(8, 8, "DXT1", TEX), _surface(8, 8, "DXT1", PLAIN)
DEPTH, DEPTH_TEXTURE = _surface(8, 8, "D24S8", DS), _surface(8, 8, "D24S8", TEX)
DYNAMIC = _surface(8, 8, origin=TEX, is_dynamic=True)
FIXED = np.zeros((8, 8), np.uint16)
FIXED.flags.writeable = False
READ_ONLY = Surface9(FIXED, "R5G6B5", origin=RT)
TEXTURE = Texture9(8, 8, "DXT1", levels=2)
SYSTEM_TEXTURE = Texture9(8, 8, "DXT1", levels=2, pool=Pool.SYSTEMMEM)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: stretch_rect(SYSTEM, None, TARGET), "is not in the default pool"),
        (lambda: stretch_rect(FIXED, None, TARGET), "found ndarray, wanted a Surface9"),
        (lambda: stretch_rect(TARGET, None, READ_ONLY), "array is read-only"),
        (lambda: stretch_rect(TARGET, (0, 0, 9, 8), TARGET565), "is not inside the surface"),
        (lambda: stretch_rect(TARGET, None, TARGET565, (3, 0, 3, 8)), "is empty"),
        (lambda: stretch_rect(TARGET, (5, 0, 3, 8), TARGET565), "is empty"),
        (
            lambda: stretch_rect(TARGET, None, TARGET565, None, 3),
            "found 3, wanted one of NONE, POINT, LINEAR",
        ),
        (lambda: stretch_rect(TARGET, (0, 0, 4, 4), TARGET), "stretching wants two surfaces"),
        (lambda: stretch_rect(BLOCKS, (0, 0, 4, 4), TARGET), "compressed surfaces are not"),
        (lambda: stretch_rect(BLOCKS, (1, 0, 5, 4), TARGET, (0, 0, 4, 4)), "multiples of 4 x 4"),
        (
            lambda: stretch_rect(TARGET, None, _surface(8, 8, "R32F")),
            "A8R8G8B8 to R32F is refused",
        ),
        (
            lambda: stretch_rect(_surface(8, 8, "Q8W8V8U8", TEX), None, TARGET),
            "Q8W8V8U8 to A8R8G8B8 is refused",
        ),
        (lambda: stretch_rect(_surface(2, 2, "Y210", PLAIN), None, TARGET), "is refused"),
        (lambda: stretch_rect(TARGET, None, TARGET4), "wanted all of a surface alike"),
        (lambda: stretch_rect(TARGET4, (0, 0, 4, 8), _surface(8, 8, samples=4)), "surface alike"),
        (lambda: stretch_rect(DEPTH, (0, 0, 4, 8), _surface(8, 8, "D24S8", DS)), "wanted all of"),
        (lambda: stretch_rect(DEPTH, None, _surface(8, 8, "D24X8", DS)), "wanted two of the same"),
        (lambda: stretch_rect(DEPTH, None, _surface(4, 8, "D24S8", DS)), "wanted two of the same"),
        (lambda: stretch_rect(DEPTH, None, TARGET), "is no plain depth-stencil surface"),
        (lambda: stretch_rect(DEPTH_TEXTURE, None, DEPTH), "is no plain depth-stencil surface"),
        (
            lambda: update_surface(TARGET, None, TARGET),
            "found DEFAULT and DEFAULT, wanted a source",
        ),
        (lambda: update_surface(SYSTEM, None, TARGET565), "wanted one format"),
        (lambda: update_surface(SYSTEM, None, TARGET4), "found a multisampled surface"),
        (lambda: update_surface(SYSTEM, None, TARGET, (1, 0)), "is not inside the surface"),
        (lambda: update_surface(SYSTEM, (0, 0, 0, 8), TARGET), "is empty"),
        (lambda: update_surface(SYSTEM_BLOCKS, (0, 2, 8, 8), BLOCKS), "multiples of 4 x 4"),
        (lambda: update_surface(SYSTEM_BLOCKS, (0, 0, 4, 4), BLOCKS, (2, 0)), "multiples of 4 x 4"),
        (lambda: update_texture(TEXTURE, TEXTURE), "found DEFAULT and DEFAULT"),
        (lambda: update_texture(TARGET, TEXTURE), "found Surface9 and Texture9, wanted two"),
        (lambda: update_texture(SYSTEM_TEXTURE, Texture9(8, 8, "DXT1", levels=3)), "fewer levels"),
        (lambda: update_texture(SYSTEM_TEXTURE, Texture9(8, 8, "DXT1")), "wanted matching levels"),
        (
            lambda: update_texture(SYSTEM_TEXTURE, Texture9(8, 8, "DXT3")),
            "the same type and format",
        ),
        (
            lambda: update_texture(SYSTEM_TEXTURE, Texture9(8, 8, "DXT1", type_=TextureType.CUBE)),
            "the same type and format",
        ),
        (lambda: get_render_target_data(SYSTEM, SYSTEM), "is no render target"),
        (lambda: get_render_target_data(TARGET4, SYSTEM), "is multisampled"),
        (lambda: get_render_target_data(TARGET, TARGET), "wanted a texture or off-screen plain"),
        (lambda: get_render_target_data(TARGET565, SYSTEM), "wanted the same size and format"),
        (lambda: color_fill(SYSTEM, None, 0), "wanted a render target or off-screen plain"),
        (lambda: color_fill(BLOCKS, None, 0), "wanted a render target or off-screen plain"),
        (lambda: color_fill(DEPTH, None, 0), "wanted a render target or off-screen plain"),
        (lambda: color_fill(BLOCKS2, (0, 0, 2, 4), 0), "multiples of 4 x 4"),
        (lambda: color_fill(TARGET, None, 1 << 32), "found colour 4294967296"),
        (lambda: color_fill(_surface(2, 2, "P8", PLAIN), None, 0), "has a palette"),
        (lambda: lock_rect(SYSTEM, (0, 0, 8, 9)).__enter__(), "is not inside the surface"),
        (lambda: lock_rect(SYSTEM_BLOCKS, (0, 0, 6, 8)).__enter__(), "multiples of 4 x 4"),
        (lambda: lock_rect(SYSTEM, None, 0x1000).__enter__(), "found flags 4096, wanted LockFlags"),
        (lambda: lock_rect(SYSTEM, None, 0x2000).__enter__(), "which is not dynamic"),
        (lambda: lock_rect(DYNAMIC, (0, 0, 1, 1), 0x2000).__enter__(), "DISCARD with a rectangle"),
        (lambda: lock_rect(DYNAMIC, None, 0x2010).__enter__(), "DISCARD with a rectangle or READ"),
        (lambda: Surface9(FIXED, "A8R8G8B8"), "found uint16 (8, 8), wanted uint8"),
        (lambda: Surface9(FIXED, "NV12"), "format NV12 is no surface's"),
        (lambda: Surface9(FIXED, "R5G6B5", origin=DS), "cannot be a depth-stencil surface"),
        (lambda: Surface9(FIXED, "R5G6B5", origin=RT, pool=Pool.SYSTEMMEM), "render target in SYS"),
        (lambda: Surface9(FIXED, "R5G6B5", size=(8, 7)), "found 8 x 8 units for 8 x 7 texels"),
        (lambda: Surface9(FIXED, "R5G6B5", samples=3), "found 3 samples, wanted a power of two"),
        (lambda: Surface9(FIXED, "R5G6B5", pool=7), "found 7, wanted a member of Pool"),
        (lambda: Texture9(8, 8, "DXT1", levels=5), "found 5 levels, wanted 0 to 4"),
        (lambda: Texture9(8, 4, "DXT1", type_=TextureType.CUBE), "square faces"),
        (lambda: Texture9(1 << 14, 1 << 14, "A32B32G32R32F"), "bytes, wanted at most"),
        (lambda: TEXTURE.surface(2), "level: found 2, wanted 0 to "),
    ],
)
def test_refused_calls(call: Callable[[], None], text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        call()
    assert text in str(raised.value)


def test_what_is_locked_is_left_alone() -> None:
    surface = _surface(4, 4, is_lockable=True)
    system = _surface(4, 4, origin=PLAIN, pool=Pool.SYSTEMMEM)
    textures = [Texture9(4, 4, "DXT1", pool=p) for p in (Pool.SYSTEMMEM, Pool.DEFAULT)]
    with lock_rect(surface), lock_rect(system), lock_rect(textures[0].surface()):
        calls: list[Callable[[], None]] = [
            lambda: stretch_rect(surface, None, _surface(4, 4)),
            lambda: stretch_rect(_surface(4, 4), None, surface),
            lambda: update_surface(system, None, _surface(4, 4)),
            lambda: update_texture(*textures),
            lambda: get_render_target_data(_surface(4, 4), system),
            lambda: color_fill(surface, None, 0),
            lambda: lock_rect(surface).__enter__(),
        ]
        for call in calls:
            with pytest.raises(ResourceError, match="is locked"):
                call()
    color_fill(surface, None, 0)
