"""Copies of Direct3D 11 against a model that moves one unit after the other; refused calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import Scheme
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.depth_planes import depth_plane, stencil_plane
from softd3d.resources.textures.subresources import subresource_index
from softd3d.resources.textures.texture import (
    Texture,
    Texture1D,
    Texture1DArray,
    Texture2D,
    Texture2DArray,
    Texture2DMS,
    Texture3D,
    TextureCube,
)
from softd3d.resources.transfer.copies import (
    can_reinterpret,
    copy_resource,
    copy_subresource_region,
    update_subresource,
)
from softd3d.resources.transfer.mapping import MapType, map_subresource

RNG = np.random.default_rng(11)
KINDS = [Texture1D, Texture1DArray, Texture2D, Texture2DArray, TextureCube, Texture3D]
FORMATS = ["R8_UNORM", "R16G16_FLOAT", "R32G32B32_UINT", "BC1_UNORM", "BC7_TYPELESS",
           "R8G8_B8G8_UNORM", "R24G8_TYPELESS"]  # fmt: skip
Key = tuple[int, int, int, int]


def _texture(
    kind: type[Texture], format_: str, extent: tuple[int, int, int], slices: int = 1, mips: int = 1,
    samples: int = 1,
) -> Texture:  # fmt: skip
    """Return a texture of random bytes; `extent` beyond the kind's axes is ignored."""
    width, height, depth = (n if i < kind.kind.axes else 1 for i, n in enumerate(extent))
    row = dxgi_format(format_)
    total = 0
    for mip in range(mips):
        w, h, d = (max(1, n >> mip) for n in (width, height, depth))
        total += -(-w // row.block_width) * -(-h // row.block_height) * d
    data = RNG.integers(0, 256, total * slices * samples * row.bytes_per_block, np.uint8)
    return kind.from_bytes(
        data.tobytes(), format_, width, height, depth, slices, mips, sample_count=samples
    )


def _units(texture: Texture) -> dict[Key, bytes]:
    """Return the bytes of every unit by (subresource, x, y, z), x and y in units."""
    row, layout, data = texture.format, texture.layout, texture.tobytes()
    found: dict[Key, bytes] = {}
    at, size = 0, row.bytes_per_block * layout.samples
    for index in range(layout.slices * layout.mips):
        mip = index % layout.mips
        w, h, d = (max(1, n >> mip) for n in (layout.width, layout.height, layout.depth))
        for z in range(d):
            for y in range(-(-h // row.block_height)):
                for x in range(-(-w // row.block_width)):
                    found[index, x, y, z] = data[at : at + size]
                    at += size
    assert at == len(data)
    return found


@st.composite
def _regions(draw: st.DrawFn) -> tuple[Texture, int, Texture, int, list[int], list[int]]:
    """Draw two textures of a format, a subresource of each, a box that is inside, and a place."""
    name = draw(st.sampled_from(FORMATS))
    row = dxgi_format(name)
    kind = draw(st.sampled_from([k for k in KINDS if row.block_height == 1 or k.kind.axes > 1]))
    wide, high = row.block_width, row.block_height
    textures = []
    for _ in range(2):
        extent = [draw(st.integers(1, 3)) * wide, draw(st.integers(1, 3)) * high, 2]
        if kind.kind.faces > 1:
            extent = [4, 4, 1]
        if kind.kind.axes == 3:
            extent[2] = draw(st.integers(1, 3))
        slices = 6 if kind.kind.faces > 1 else draw(st.integers(1, 2)) if kind.kind.is_array else 1
        used = extent[: kind.kind.axes]
        mips = draw(st.integers(1, max(used).bit_length()))
        textures.append(_texture(kind, name, (extent[0], extent[1], extent[2]), slices, mips))
    source, destination = textures
    indexes = [
        draw(st.integers(0, t.layout.slices * t.layout.mips - 1)) for t in (source, destination)
    ]
    counts = [
        [
            -(-n // u)
            for n, u in zip(t.layout.extent(i % t.layout.mips), (wide, high, 1), strict=True)
        ]
        for t, i in zip(textures, indexes, strict=True)
    ]
    low, high_, place = [], [], []
    for axis, unit in enumerate((wide, high, 1)):
        here, there = counts[0][axis], counts[1][axis]
        size = draw(st.integers(1, min(here, there)))
        start = draw(st.integers(0, here - size))
        low.append(start * unit)
        high_.append((start + size) * unit)
        place.append(draw(st.integers(0, there - size)) * unit)
    return source, indexes[0], destination, indexes[1], low + high_, place


@given(_regions())
def test_a_region_moves_as_units_do(
    drawn: tuple[Texture, int, Texture, int, list[int], list[int]],
) -> None:
    source, from_, destination, to, box, place = drawn
    unit = (source.format.block_width, source.format.block_height, 1)
    read, wanted = _units(source), _units(destination)
    low, high = ([n // u for n, u in zip(part, unit, strict=True)] for part in (box[:3], box[3:]))
    x0, y0, z0 = (n // u for n, u in zip(place, unit, strict=True))
    for z in range(high[2] - low[2]):
        for y in range(high[1] - low[1]):
            for x in range(high[0] - low[0]):
                wanted[to, x0 + x, y0 + y, z0 + z] = read[from_, low[0] + x, low[1] + y, low[2] + z]
    copy_subresource_region(destination, to, place, source, from_, box)
    assert _units(destination) == wanted
    assert _units(source) == read


@given(_regions(), st.booleans(), st.integers(0, 5), st.integers(0, 9))
def test_an_update_moves_as_units_do(
    drawn: tuple[Texture, int, Texture, int, list[int], list[int]],
    has_pitches: bool, more: int, gap: int,
) -> None:  # fmt: skip
    texture, index, _, _, box, _ = drawn
    assume(not texture.format.depth_bits)
    wide, high = texture.format.block_width, texture.format.block_height
    size = texture.format.bytes_per_block
    columns, rows = (box[3] - box[0]) // wide, (box[4] - box[1]) // high
    row = columns * size + (more if has_pitches else 0)
    layer = rows * row + (gap if has_pitches else 0)
    data = RNG.integers(0, 256, layer * (box[5] - box[2]), np.uint8).tobytes()
    wanted = _units(texture)
    for z in range(box[5] - box[2]):
        for y in range(rows):
            for x in range(columns):
                at = z * layer + y * row + x * size
                key = (index, box[0] // wide + x, box[1] // high + y, box[2] + z)
                wanted[key] = data[at : at + size]
    pitches = (row, layer) if has_pitches else (None, None)
    update_subresource(texture, index, box, data, *pitches)
    assert _units(texture) == wanted


@pytest.mark.parametrize(
    ("kind", "name"),
    [(k, n) for k in KINDS for n in FORMATS if k.kind.axes > 1 or not n.startswith("BC")],
)
def test_a_whole_resource_is_copied(kind: type[Texture], name: str) -> None:
    slices = 6 if kind.kind.faces > 1 else 2 if kind.kind.is_array else 1
    source, destination = (_texture(kind, name, (8, 8, 3), slices, 3) for _ in range(2))
    copy_resource(destination, source)
    assert destination.tobytes() == source.tobytes()


def test_a_copy_of_the_whole_needs_no_box() -> None:
    source, destination = (_texture(Texture2DArray, "BC1_UNORM", (8, 8, 1), 2, 4) for _ in range(2))
    for index in range(8):
        copy_subresource_region(destination, index, (0, 0, 0), source, index)
    assert destination.tobytes() == source.tobytes()


def test_subresources_are_numbered_by_slice_then_mip() -> None:
    texture = _texture(Texture2DArray, "R8_UNORM", (4, 4, 1), 3, 3)
    for slice_ in range(3):
        for mip in range(3):
            index = subresource_index(mip, slice_, 3)
            out = _texture(Texture2D, "R8_UNORM", texture.layout.extent(mip))
            copy_subresource_region(out, 0, (0, 0, 0), texture, index)
            np.testing.assert_array_equal(out.array, texture.mip(mip, slice_))


@given(st.integers(0, 6), st.integers(0, 6), st.integers(1, 4), st.integers(0, 6))
def test_overlap_is_as_if_through_a_copy(left: int, to: int, width: int, top: int) -> None:
    texture = _texture(Texture2D, "R16_UINT", (10, 7, 1))
    box = (left, 0, 0, left + width, 7 - top, 1)
    wanted = texture.array.copy()
    wanted[top : top + 7 - top, to : to + width] = texture.array[
        : 7 - top, left : left + width
    ].copy()
    assume(top < 7)
    copy_subresource_region(texture, 0, (to, top, 0), texture, 0, box, overlap=True)
    np.testing.assert_array_equal(texture.array, wanted)


def test_textures_over_one_array_may_overlap() -> None:
    array = np.arange(8, dtype=np.uint8)
    whole, shifted = Texture1D(array, "R8_UINT"), Texture1D(array[4:], "R8_UINT")
    copy_subresource_region(shifted, 0, (0, 0, 0), whole, 0, (2, 0, 0, 6, 1, 1))
    assert array.tolist() == [0, 1, 2, 3, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "box", [(2, 0, 0, 2, 1, 1), (0, 1, 0, 4, 1, 1), (0, 0, 1, 4, 4, 1), (5, 9, 9, 3, 9, 9)]
)
def test_an_empty_box_copies_nothing(box: tuple[int, ...]) -> None:
    source, destination = (_texture(Texture2D, "R8_UNORM", (4, 4, 1)) for _ in range(2))
    before = destination.tobytes()
    copy_subresource_region(destination, 0, (0, 0, 0), source, 0, box)
    update_subresource(destination, 0, box, b"")
    assert destination.tobytes() == before


def test_blocks_and_texels_take_each_other() -> None:
    blocks = _texture(Texture2D, "BC3_UNORM_SRGB", (16, 8, 1))
    texels = _texture(Texture2D, "R32G32B32A32_UINT", (4, 2, 1))
    copy_resource(texels, blocks)
    assert texels.tobytes() == blocks.tobytes()
    copy_subresource_region(blocks, 0, (12, 4, 0), texels, 0, (0, 0, 0, 1, 1, 1))
    assert blocks.tobytes()[-16:] == texels.tobytes()[:16]
    assert blocks.tobytes()[:-16] == texels.tobytes()[:-16]


def test_reinterpreting_copies_are_those_of_the_table() -> None:
    pairs = {
        (a.name, b.name)
        for a in DXGI_FORMATS.values()
        for b in DXGI_FORMATS.values()
        if can_reinterpret(a, b)
    }
    assert pairs == {(b, a) for a, b in pairs}
    assert ("R32_SINT", "R9G9B9E5_SHAREDEXP") in pairs
    assert ("R16G16B16A16_SINT", "BC4_SNORM") in pairs
    assert ("R32G32B32A32_UINT", "BC6H_SF16") in pairs
    for one, other in pairs:
        schemes = {dxgi_format(n).scheme for n in (one, other)}
        assert Scheme.BLOCKS in schemes or "R9G9B9E5_SHAREDEXP" in (one, other)
        assert "TYPELESS" not in one + other
        assert "FLOAT" not in one + other


def test_buffers_are_copied_in_bytes() -> None:
    raw = RawBuffer(np.arange(16, dtype=np.uint8))
    typed = TypedBuffer(np.zeros((4, 2), np.uint16), "R16G16_UINT")
    copy_subresource_region(typed, 0, (5, 0, 0), raw, 0, (2, 0, 0, 9, 1, 1))
    assert typed.tobytes() == bytes([0] * 5 + [2, 3, 4, 5, 6, 7, 8] + [0] * 4)
    copy_resource(typed, raw)
    assert typed.tobytes() == raw.tobytes()
    update_subresource(raw, 0, (0, 0, 0, 2, 1, 1), np.array([0x0102], "<u2"))
    assert raw.tobytes()[:3] == bytes([2, 1, 2])


def test_structures_are_copied_whole() -> None:
    there = StructuredBuffer(np.zeros((4, 2), np.uint32))
    copy_subresource_region(there, 0, (8, 0, 0), StructuredBuffer(np.ones((4, 2), np.uint32)), 0,
                            (0, 0, 0, 16, 1, 1))  # fmt: skip
    assert there.array[:, 0].tolist() == [0, 1, 1, 0]


def test_depth_and_stencil_are_arrays() -> None:
    texels = np.array([[0x01000000, 0xFF7FFFFF]], np.uint32)
    for name in ("D24_UNORM_S8_UINT", "R24G8_TYPELESS"):
        texture = Texture2D(texels, name)
        assert stencil_plane(texture).tolist() == [[1, 255]]
        assert depth_plane(texture).tolist() == [[0.0, float(np.float32(0x7FFFFF / 0xFFFFFF))]]
    wide = np.array([[[0x3F800000 | 7 << 32, 0xBF000000 | 9 << 32]]], np.uint64)
    samples = Texture2DMS(wide, "D32_FLOAT_S8X24_UINT")
    assert depth_plane(samples).tolist() == [[[1.0, -0.5]]]
    assert stencil_plane(samples).tolist() == [[[7, 9]]]
    array = Texture2DArray(np.array([[[0]], [[65535]]], np.uint16), "D16_UNORM")
    assert depth_plane(array).tolist() == [[[0.0]], [[1.0]]]
    assert depth_plane(array, 0, 1).tolist() == [[1.0]]
    with pytest.raises(ResourceError, match="D16_UNORM has no stencil channel"):
        stencil_plane(array)
    with pytest.raises(ResourceError, match="R32_FLOAT has no depth channel"):
        depth_plane(Texture2D(np.zeros((1, 1), np.float32), "R32_FLOAT"))


def test_a_mapped_subresource_is_the_textures_memory() -> None:
    texture = _texture(Texture3D, "R16G16_UINT", (5, 3, 2), mips=2)
    with map_subresource(texture, 0) as mapped:
        assert (mapped.row_pitch, mapped.depth_pitch) == (20, 60)
        assert mapped.data.tobytes() == texture.mip(0).tobytes()
        mapped.texels[1, 2, 4] = (7, 8)
        assert mapped.data[1, 2, 16:].tolist() == [7, 0, 8, 0]
    assert texture.mip(0)[1, 2, 4].tolist() == [7, 8]
    with pytest.raises(ValueError, match="read-only"):
        mapped.data[...] = 0
    with map_subresource(texture, 1, MapType.READ) as mapped:
        assert mapped.texels.shape == (1, 1, 2, 2)
        with pytest.raises(ValueError, match="read-only"):
            mapped.texels[...] = 0
    with map_subresource(texture, 0, MapType.WRITE_DISCARD) as mapped:
        assert not mapped.data.any()


def test_blocks_are_mapped_as_rows_of_them() -> None:
    texture = _texture(Texture2D, "BC1_UNORM", (8, 8, 1), mips=4)
    for index, rows, pitch in ((0, 2, 16), (1, 1, 8), (3, 1, 8)):
        with map_subresource(texture, index) as mapped:
            assert mapped.data.shape == (1, rows, pitch)


def test_a_map_ends_with_an_error_too() -> None:
    texture = _texture(Texture2D, "R8_UNORM", (2, 2, 1))
    with pytest.raises(KeyError), map_subresource(texture):
        raise KeyError
    with map_subresource(texture):
        pass


RGBA = Texture2D(np.zeros((8, 8, 4), np.uint8), "R8G8B8A8_UNORM")
SRGB = Texture2D(np.zeros((8, 8, 4), np.uint8), "R8G8B8A8_UNORM_SRGB")
BGRA = Texture2D(np.zeros((8, 8, 4), np.uint8), "B8G8R8A8_UNORM")
SMALL = Texture2D(np.zeros((4, 4, 4), np.uint8), "R8G8B8A8_UNORM")
BLOCKS = Texture2D(np.zeros((2, 2, 8), np.uint8), "BC1_UNORM")
MIPS = Texture2D.from_bytes(bytes(32 + 8 + 8 + 8), "BC1_UNORM", 8, 8, mip_levels=4)
LINE = Texture1D(np.zeros((8, 4), np.uint8), "R8G8B8A8_UNORM")
DEPTH = Texture2D(np.zeros((8, 8), np.uint32), "D24_UNORM_S8_UINT")
SMALL_DEPTH = Texture2D(np.zeros((4, 4), np.uint32), "D24_UNORM_S8_UINT")
SAMPLES = Texture2DMS(np.zeros((8, 8, 4, 4), np.uint8), "R8G8B8A8_UNORM")
SAMPLES2 = Texture2DMS(np.zeros((8, 8, 2, 4), np.uint8), "R8G8B8A8_UNORM")
BUFFER, SHORT = RawBuffer(np.zeros(8, np.uint8)), RawBuffer(np.zeros(4, np.uint8))
STRUCTURES = StructuredBuffer(np.zeros((4, 2), np.uint32))
OTHER_STRUCTURES = StructuredBuffer(np.zeros((4, 3), np.uint32))
FIXED = np.zeros((8, 8, 4), np.uint8)
FIXED.flags.writeable = False
READ_ONLY = Texture2D(FIXED, "R8G8B8A8_UNORM")
ZERO = (0, 0, 0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: copy_resource(RGBA, RGBA), "found one resource as source and destination"),
        (lambda: copy_resource(RGBA, BGRA), "found formats B8G8R8A8_UNORM and R8G8B8A8_UNORM"),
        (lambda: copy_resource(RGBA, SMALL), "Texture2D subresource 0 of 4 x 4 x 1 and"),
        (lambda: copy_resource(RGBA, LINE), "wanted resources of the same type"),
        (lambda: copy_resource(RGBA, BUFFER), "wanted resources of the same type"),
        (lambda: copy_resource(BUFFER, SHORT), "wanted the same dimensions"),
        (lambda: copy_resource(RGBA, SAMPLES), "found 4 and 1 samples, wanted as many"),
        (lambda: copy_resource(SAMPLES2, SAMPLES), "found 4 and 2 samples, wanted as many"),
        (lambda: copy_resource(BLOCKS, MIPS), "found 4 mips of 1 slices and 1 mips of 1 slices"),
        (lambda: copy_resource(READ_ONLY, RGBA), "the destination's array is read-only"),
        (lambda: copy_resource(FIXED, RGBA), "destination: found ndarray, wanted a texture or"),
        (lambda: copy_resource(STRUCTURES, OTHER_STRUCTURES), "found structures of 12 and 8 bytes"),
        (
            lambda: copy_subresource_region(RGBA, 0, ZERO, RGBA, 0),
            "found Texture2D subresource 0 as source and destination, wanted two subresources",
        ),
        (lambda: copy_subresource_region(RGBA, 1, ZERO, SRGB, 0), "found subresource 1, wanted"),
        (lambda: copy_subresource_region(RGBA, 0, ZERO, SRGB, -1), "found subresource -1, wanted"),
        (
            lambda: copy_subresource_region(RGBA, 0, ZERO, SRGB, 0, (0, 0, 0, 9, 8, 1)),
            "the box is out of bounds: found left 0 and right 9, wanted 0 to 8",
        ),
        (
            lambda: copy_subresource_region(RGBA, 0, ZERO, SRGB, 0, (0, 0, 0, 8, 8, 2)),
            "the box is out of bounds: found front 0 and back 2, wanted 0 to 1",
        ),
        (
            lambda: copy_subresource_region(RGBA, 0, ZERO, SRGB, 0, (-1, 0, 0, 8, 8, 1)),
            "the box is out of bounds: found left -1 and right 8",
        ),
        (
            lambda: copy_subresource_region(RGBA, 0, (1, 0, 0), SRGB, 0),
            "the copy is out of bounds: found x from 1 to 9, wanted 0 to 8",
        ),
        (
            lambda: copy_subresource_region(RGBA, 0, (0, 0, 1), SRGB, 0),
            "the copy is out of bounds: found z from 1 to 2, wanted 0 to 1",
        ),
        (lambda: copy_subresource_region(RGBA, 0, (-1, 0, 0), SRGB, 0), "found x from -1 to 7"),
        (lambda: copy_subresource_region(SMALL, 0, ZERO, RGBA, 0), "found x from 0 to 8, wanted 0"),
        (lambda: copy_subresource_region(RGBA, 0, (0, 0), SRGB, 0), "wanted x, y, z as integers"),
        (lambda: copy_subresource_region(RGBA, 0, ZERO, SRGB, 0, (0, 0)), "left, top, front"),
        (
            lambda: copy_subresource_region(BLOCKS, 0, ZERO, MIPS, 0, (2, 0, 0, 8, 8, 1)),
            "found left 2 and right 8, wanted multiples of 4",
        ),
        (
            lambda: copy_subresource_region(BLOCKS, 0, ZERO, MIPS, 0, (0, 0, 0, 8, 6, 1)),
            "found top 0 and bottom 6, wanted multiples of 4",
        ),
        (
            lambda: copy_subresource_region(BLOCKS, 0, (2, 0, 0), MIPS, 1),
            "found x 2 for the destination, wanted a multiple of 4",
        ),
        (
            lambda: copy_subresource_region(BLOCKS, 0, (8, 0, 0), MIPS, 3),
            "the copy is out of bounds: found x from 8 to 12",
        ),
        (
            lambda: copy_subresource_region(DEPTH, 0, ZERO, SMALL_DEPTH, 0),
            "wanted the same dimensions of depth-stencil subresources",
        ),
        (
            lambda: copy_subresource_region(DEPTH, 0, (1, 0, 0), SMALL_DEPTH, 0),
            "found part of a depth-stencil subresource",
        ),
        (
            lambda: copy_subresource_region(DEPTH, 0, ZERO, SMALL_DEPTH, 0, (0, 0, 0, 4, 4, 1)),
            "found part of a depth-stencil subresource",
        ),
        (
            lambda: copy_subresource_region(
                SAMPLES, 0, ZERO, Texture2DMS(np.zeros((8, 8, 4, 4), np.uint8), 28), 0,
                (0, 0, 0, 8, 8, 1),
            ),
            "found part of a multisampled subresource",
        ),
        (
            lambda: copy_subresource_region(STRUCTURES, 0, (4, 0, 0), BUFFER, 0),
            "found x 4 for the destination, wanted a multiple of 8",
        ),
        (
            lambda: copy_subresource_region(BUFFER, 0, ZERO, STRUCTURES, 0, (0, 0, 0, 4, 1, 1)),
            "found left 0 and right 4, wanted multiples of 8",
        ),
        (
            lambda: copy_subresource_region(STRUCTURES, 0, ZERO, SHORT, 0),
            "found 4 bytes, wanted a multiple of 8",
        ),
        (lambda: update_subresource(DEPTH, 0, None, bytes(256)), "is depth-stencil, which cannot"),
        (lambda: update_subresource(SAMPLES, 0, None, bytes(1024)), "is multisampled"),
        (lambda: update_subresource(READ_ONLY, 0, None, bytes(256)), "array is read-only"),
        (lambda: update_subresource(RGBA, 0, None, bytes(255)), "255 bytes of data, wanted 256"),
        (lambda: update_subresource(RGBA, 0, None, bytes(262), 33), "262 bytes of data, wanted"),
        (lambda: update_subresource(RGBA, 0, None, bytes(999), 31), "row pitch: found 31 bytes"),
        (lambda: update_subresource(RGBA, 0, None, "text"), "found str, wanted bytes or an array"),
        (
            lambda: update_subresource(RGBA, 0, None, np.zeros((2, 512), np.uint8)[:, ::2]),
            "found an array that is not C-contiguous",
        ),
        (lambda: map_subresource(SAMPLES).__enter__(), "is multisampled, which cannot be mapped"),
        (lambda: map_subresource(RGBA, 1).__enter__(), "found subresource 1, wanted one of 1"),
        (lambda: map_subresource(RGBA, 0, 6).__enter__(), "type: found 6, wanted a member of Map"),
        (lambda: map_subresource(RGBA, 0, 5).__enter__(), "WRITE_NO_OVERWRITE for Texture2D sub"),
        (lambda: map_subresource(READ_ONLY).__enter__(), "array is read-only"),
    ],
)  # fmt: skip
def test_refused_calls(call: Callable[[], None], text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        call()
    assert text in str(raised.value)


def test_what_is_mapped_is_left_alone() -> None:
    one, other = (_texture(Texture2D, "R8_UNORM", (4, 4, 1), mips=2) for _ in range(2))
    with map_subresource(one, 1):
        calls: list[Callable[[], None]] = [
            lambda: copy_resource(other, one),
            lambda: copy_resource(one, other),
            lambda: copy_subresource_region(one, 1, ZERO, other, 1),
            lambda: copy_subresource_region(other, 1, ZERO, one, 1),
            lambda: update_subresource(one, 1, None, bytes(4)),
            lambda: map_subresource(one, 1).__enter__(),
        ]
        for call in calls:
            with pytest.raises(ResourceError, match="subresource 1 is mapped"):
                call()
        copy_subresource_region(one, 0, ZERO, other, 0)
    copy_resource(one, other)


@pytest.mark.parametrize("name", ["NV12", "UNKNOWN", "420_OPAQUE"])
def test_formats_without_texels_make_no_textures(name: str) -> None:
    with pytest.raises(ResourceError, match=f"format {name} cannot be a texture's"):
        Texture2D.from_bytes(b"", name, 4, 4)


def test_top_levels_are_whole_blocks() -> None:
    with pytest.raises(ResourceError, match="found 6 x 4 texels, wanted multiples of 4 x 4"):
        Texture2D.from_bytes(bytes(16), "BC1_UNORM", 6, 4)
    with pytest.raises(ResourceError, match="found blocks of 4 x 4 texels, wanted none"):
        Texture1D.from_bytes(bytes(8), "BC1_UNORM", 4)
