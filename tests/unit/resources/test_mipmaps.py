"""Mips against means in exact fractions, and against what the filter must keep."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.support import Use, uses
from softd3d.resources.textures.texture import (
    Texture,
    Texture1D,
    Texture2D,
    Texture2DArray,
    Texture2DMS,
    Texture3D,
    TextureCube,
)
from softd3d.resources.transfer.conversion import decode, encode
from softd3d.resources.transfer.filters import halved, items_under, stretched
from softd3d.resources.transfer.mapping import map_subresource
from softd3d.resources.transfer.mipmaps import generate_mips

RNG = np.random.default_rng(5)
E = 3e-7
MADE = [f for f in DXGI_FORMATS.values() if Use.MIP_GENERATION in uses(f) and f.name != "AYUV"]


def _overlaps(extent: int, index: int) -> list[tuple[int, Fraction]]:
    """Return the items under one of half as many, each with its share of the mean."""
    half = max(1, extent // 2)
    size = Fraction(extent, half)
    low, high = index * size, (index + 1) * size
    found = []
    for item in range(extent):
        share = min(high, Fraction(item + 1)) - max(low, Fraction(item))
        if share > 0:
            found.append((item, share / size))
    return found


def _mean(values: np.ndarray, where: tuple[int, ...]) -> Fraction:
    """Return the exact mean of what lies under one item, by exact areas or volumes."""
    total = Fraction(0)
    lists = [_overlaps(n, i) for n, i in zip(values.shape, where, strict=True)]
    for combination in product(*lists):
        share = Fraction(1)
        for _, part in combination:
            share *= part
        total += share * Fraction(float(values[tuple(item for item, _ in combination)]))
    return total


@given(st.lists(st.integers(1, 7), min_size=1, max_size=3), st.integers(0, 1 << 30))
def test_float_mips_are_the_mean_of_what_lies_under(extent: list[int], seed: int) -> None:
    kind = (Texture1D, Texture2D, Texture3D)[len(extent) - 1]
    mips = max(extent).bit_length()
    whole = tuple(reversed(extent))
    values = np.random.default_rng(seed).uniform(-4, 4, whole).astype(np.float32)
    levels = [values] + [
        np.zeros([max(1, n >> mip) for n in whole], np.float32) for mip in range(1, mips)
    ]
    texture = kind(levels, "R32_FLOAT")
    generate_mips(texture)
    for mip in range(1, mips):
        larger, smaller = texture.mip(mip - 1), texture.mip(mip)
        for where in np.ndindex(*smaller.shape):
            exact = _mean(larger, where)
            assert abs(Fraction(float(smaller[where])) - exact) < Fraction(1, 1 << 19)


@pytest.mark.parametrize("format_", MADE, ids=lambda f: f.name)
def test_every_format_is_filtered_as_its_numbers(format_: object) -> None:
    numbers = RNG.uniform(0, 1, (4, 6, 4)).astype(np.float32)
    texels = encode(numbers, format_)
    smaller = encode(np.zeros((2, 3, 4), np.float32), format_)
    texture = Texture2D([texels, smaller], format_)
    generate_mips(texture)
    stored = decode(texture.mip(0), format_).astype(np.float64)
    exact = stored.reshape(2, 2, 3, 2, 4).mean(axis=(1, 3))
    found = decode(texture.mip(1), format_)
    # Halfway between two codes float32 may go either way.
    low, high = (decode(encode((exact + d).astype(np.float32), format_), format_) for d in (-E, E))
    assert ((low <= found) & (found <= high)).all()


def test_srgb_is_averaged_as_linear_numbers_and_alpha_as_it_is() -> None:
    image = np.array([[[0, 0, 0, 0], [255, 255, 255, 255]]], np.uint8)
    for name, grey in (("R8G8B8A8_UNORM_SRGB", 188), ("R8G8B8A8_UNORM", 128)):
        texture = Texture2D([image, np.zeros((1, 1, 4), np.uint8)], name)
        generate_mips(texture)
        assert texture.mip(1).tolist() == [[[grey, grey, grey, 128]]]


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 255))
def test_a_plain_colour_stays_one(width: int, height: int, code: int) -> None:
    mips = max(width, height).bit_length()
    size = sum(max(1, width >> m) * max(1, height >> m) for m in range(mips))
    data = np.zeros(size, np.uint8)
    data[: width * height] = code
    texture = Texture2D.from_bytes(data.tobytes(), "R8_UNORM", width, height, mip_levels=mips)
    generate_mips(texture)
    assert set(texture.tobytes()) == {code}


def test_slices_are_filtered_apart() -> None:
    for kind, count in ((Texture2DArray, 3), (TextureCube, 6)):
        top = RNG.uniform(0, 1, (count, 4, 4)).astype(np.float32)
        lower = [np.zeros((count, n, n), np.float32) for n in (2, 1)]
        texture = kind([top, *lower], "R32_FLOAT")
        generate_mips(texture)
        for slice_ in range(count):
            alone = Texture2D([top[slice_], *(n[slice_] for n in lower)], "R32_FLOAT")
            generate_mips(alone)
            for mip in range(3):
                np.testing.assert_array_equal(texture.mip(mip, slice_), alone.mip(mip))


def test_a_view_limits_what_is_written_and_names_the_format() -> None:
    texture = Texture2DArray.from_bytes(
        RNG.integers(0, 256, 2 * 4 * (64 + 16 + 4 + 1), np.uint8).tobytes(),
        "R8G8B8A8_TYPELESS", 8, 8, array_size=2, mip_levels=4,
    )  # fmt: skip
    before = texture.tobytes()
    generate_mips(
        texture.view(
            most_detailed_mip=1,
            mip_levels=2,
            first_array_slice=1,
            array_size=1,
            format="R8G8B8A8_UNORM_SRGB",
        )
    )
    changed = Texture2DArray.from_bytes(
        before, "R8G8B8A8_UNORM_SRGB", 8, 8, array_size=2, mip_levels=4
    )
    linear = decode(changed.mip(1, 1), "R8G8B8A8_UNORM_SRGB").astype(np.float64)
    mean = linear.reshape(2, 2, 2, 2, 4).mean(axis=(1, 3)).astype(np.float32)
    changed.mip(2, 1)[...] = encode(mean, "R8G8B8A8_UNORM_SRGB")
    assert texture.tobytes() == changed.tobytes()


def test_bands_do_not_show() -> None:
    values = RNG.uniform(0, 1, (2051, 517)).astype(np.float32)
    texture = Texture2D([values, np.zeros((1025, 258), np.float32)], "R32_FLOAT")
    generate_mips(texture)
    np.testing.assert_array_equal(texture.mip(1), halved(halved(values, 1, 517), 0, 2051))


@given(st.integers(1, 60), st.data())
def test_part_of_an_axis_is_halved_as_in_the_whole(extent: int, data: st.DataObject) -> None:
    values = RNG.uniform(0, 1, extent).astype(np.float32)
    half = max(1, extent // 2)
    first = data.draw(st.integers(0, half - 1))
    last = data.draw(st.integers(first + 1, half))
    part = halved(values[items_under(first, last, extent)], 0, extent, first)
    np.testing.assert_array_equal(part, halved(values, 0, extent)[first:last])


@given(st.integers(1, 12), st.integers(1, 12))
def test_stretching_goes_between_the_nearest_centres(extent: int, count: int) -> None:
    values = RNG.uniform(0, 1, extent).astype(np.float32)
    found = stretched(values, 0, count)
    for i in range(count):
        centre = Fraction(2 * i + 1, 2 * count) * extent - Fraction(1, 2)
        centre = min(max(centre, Fraction(0)), Fraction(extent - 1))
        low = int(centre)
        high = min(low + 1, extent - 1)
        t = centre - low
        exact = Fraction(float(values[low])) * (1 - t) + Fraction(float(values[high])) * t
        assert abs(Fraction(float(found[i])) - exact) < Fraction(1, 1 << 22)


FIXED = np.zeros((4, 4), np.float32)
FIXED.flags.writeable = False


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: FIXED, "found ndarray, wanted a texture or a view"),
        (lambda: Texture2D(FIXED, "R32_FLOAT"), "the texture's array is read-only"),
        (lambda: Texture2D(np.zeros((2, 2), np.uint32), "R32_UINT"), "format R32_UINT has no mips"),
        (
            lambda: Texture2D(np.zeros((1, 1, 8), np.uint8), "BC1_UNORM"),
            "format BC1_UNORM has no mips",
        ),
        (lambda: Texture2D(np.zeros((2, 2), np.uint32), "R32_TYPELESS"), "has no component type"),
        (
            lambda: Texture2D(np.zeros((2, 2), np.float32), "D32_FLOAT"),
            "format D32_FLOAT cannot be read",
        ),
    ],
)
def test_refused_calls(make: Callable[[], Texture], text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        generate_mips(make())
    assert text in str(raised.value)


def test_what_has_one_level_or_is_mapped() -> None:
    samples = Texture2DMS(np.ones((2, 2, 4), np.float32), "R32_FLOAT")
    generate_mips(samples)
    assert samples.array.min() == 1.0
    texture = Texture2D([np.ones((2, 2), np.float32), np.zeros((1, 1), np.float32)], "R32_FLOAT")
    with (
        map_subresource(texture, 1),
        pytest.raises(ResourceError, match="subresource 1 is mapped"),
    ):
        generate_mips(texture)
