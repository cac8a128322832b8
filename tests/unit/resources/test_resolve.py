"""Resolves against means in float64, format by format; refused calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format
from softd3d.formats.support import Use, uses
from softd3d.resources.textures.texture import (
    Texture2D,
    Texture2DArray,
    Texture2DMS,
    Texture2DMSArray,
    Texture3D,
    TextureCube,
)
from softd3d.resources.transfer.conversion import decode, encode
from softd3d.resources.transfer.filters import mean
from softd3d.resources.transfer.mapping import map_subresource
from softd3d.resources.transfer.resolve import resolve_subresource

RNG = np.random.default_rng(7)
E = 3e-7
RESOLVED = [f for f in DXGI_FORMATS.values() if Use.MULTISAMPLE_RESOLVE in uses(f)]


@pytest.mark.parametrize("format_", RESOLVED, ids=lambda f: f.name)
@pytest.mark.parametrize("samples", [2, 4, 8])
def test_every_format_is_averaged_as_its_numbers(format_: Format, samples: int) -> None:
    numbers = RNG.uniform(0, 1, (3, 5, samples, 4)).astype(np.float32)
    source = Texture2DMS(encode(numbers, format_), format_)
    image = Texture2D(encode(np.zeros((3, 5, 4), np.float32), format_), format_)
    resolve_subresource(image, 0, source, 0)
    exact = decode(source.array, format_).astype(np.float64).mean(axis=2)
    found = decode(image.array, format_)
    # Halfway between two codes float32 may go either way.
    low, high = (decode(encode((exact + d).astype(np.float32), format_), format_) for d in (-E, E))
    assert ((low <= found) & (found <= high)).all()


def test_srgb_is_averaged_as_linear_numbers() -> None:
    samples = np.array([[[[0, 0, 0, 0], [255, 255, 255, 255]]]], np.uint8)
    for name, grey in (("R8G8B8A8_UNORM_SRGB", 188), ("R8G8B8A8_UNORM", 128)):
        image = Texture2D(np.zeros((1, 1, 4), np.uint8), name)
        resolve_subresource(image, 0, Texture2DMS(samples, name), 0)
        assert image.array.tolist() == [[[grey, grey, grey, 128]]]


def test_an_array_is_resolved_to_as_a_texture_of_the_source_s_format() -> None:
    samples = np.array([[[[0, 0, 0, 0], [255, 255, 255, 255]]]], np.uint8)
    for given_format, grey in ((None, 128), ("R8G8B8A8_UNORM_SRGB", 188)):
        image = np.zeros((1, 1, 4), np.uint8)
        name = "R8G8B8A8_TYPELESS" if given_format else "R8G8B8A8_UNORM"
        resolve_subresource(image, 0, Texture2DMS(samples, name), 0, given_format)
        assert image.tolist() == [[[grey, grey, grey, 128]]]


@given(st.sampled_from([2, 4, 8, 16, 32]), st.integers(-(1 << 60), 1 << 60))
def test_samples_that_are_the_same_give_just_that(samples: int, value: int) -> None:
    number = np.float32(value)
    source = Texture2DMS(np.full((1, 2, samples), number), "R32_FLOAT")
    image = Texture2D(np.zeros((1, 2), np.float32), "R32_FLOAT")
    resolve_subresource(image, 0, source, 0)
    assert image.array.tolist() == [[number, number]]


def test_neighbours_are_averaged_first() -> None:
    big = np.float32(2.0**24)
    values = np.array([[big, 1, 1, -big]], np.float32)
    first, second = (big + np.float32(1)) * np.float32(0.5), (np.float32(1) - big) * np.float32(0.5)
    assert mean(values, 1).tolist() == [float((first + second) * np.float32(0.5))]


def test_slices_go_to_subresources() -> None:
    source = Texture2DMSArray(RNG.uniform(0, 1, (2, 2, 2, 4)).astype(np.float32), "R32_FLOAT")
    target = Texture2DArray.from_bytes(bytes(4 * 2 * (16 + 4 + 1)), "R32_FLOAT", 4, 4, 1, 2, 3)
    resolve_subresource(target, 4, source, 1)
    want = source.array[1].astype(np.float64).mean(axis=2).astype(np.float32)
    np.testing.assert_allclose(target.mip(1, 1), want, rtol=1e-6)
    assert not target.mip(1, 0).any()
    assert not target.mip(0).any()
    cube = TextureCube(np.zeros((6, 2, 2), np.float32), "R32_FLOAT")
    resolve_subresource(cube, 5, source, 0)
    assert cube.array[5].all()


def test_bands_do_not_show() -> None:
    samples = RNG.integers(0, 256, (700, 130, 4), np.uint8)
    image = Texture2D(np.zeros((700, 130), np.uint8), "R8_UNORM")
    resolve_subresource(image, 0, Texture2DMS(samples, "R8_UNORM"), 0)
    numbers = samples.astype(np.float64).mean(axis=2)
    assert np.abs(image.array - numbers).max() <= 0.5 + 1e-4


def test_a_typeless_texture_takes_the_others_format() -> None:
    typed = Texture2DMS(np.full((1, 1, 2, 4), 7, np.uint8), "R8G8B8A8_SNORM")
    typeless = Texture2D(np.zeros((1, 1, 4), np.uint8), "R8G8B8A8_TYPELESS")
    resolve_subresource(typeless, 0, typed, 0)
    assert typeless.array.tolist() == [[[7, 7, 7, 7]]]
    both = Texture2DMS(np.full((1, 1, 2, 4), 9, np.uint8), "R8G8B8A8_TYPELESS")
    resolve_subresource(typeless, 0, both, 0, "R8G8B8A8_UNORM_SRGB")
    assert typeless.array.tolist() == [[[9, 9, 9, 9]]]


def _ms(name: str, samples: int = 2, size: int = 2) -> Texture2DMS:
    return Texture2DMS(np.zeros((size, size, samples), np.uint32), name)


def _plain(name: str, size: int = 2) -> Texture2D:
    return Texture2D(np.zeros((size, size), np.uint32), name)


FIXED = np.zeros((2, 2), np.uint32)
FIXED.flags.writeable = False
UNORM = "R8G8B8A8_UNORM"
TYPELESS = "R8G8B8A8_TYPELESS"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: resolve_subresource(_plain(UNORM), 0, _plain(UNORM), 0), "found 1 and 1 samples"),
        (lambda: resolve_subresource(_ms(UNORM), 0, _ms(UNORM), 0), "found 2 and 2 samples"),
        (lambda: resolve_subresource(_plain(UNORM), 0, _ms(UNORM, 1), 0), "found 1 and 1 samples"),
        (lambda: resolve_subresource(_plain(UNORM, 3), 0, _ms(UNORM), 0), "found 2 x 2 and 3 x 3"),
        (lambda: resolve_subresource(_plain(UNORM), 1, _ms(UNORM), 0), "found subresource 1"),
        (
            lambda: resolve_subresource(
                Texture3D(np.zeros((1, 2, 2), np.uint32), UNORM), 0, _ms(UNORM), 0
            ),
            "found Texture3D as the destination, wanted a Texture2D",
        ),
        (
            lambda: resolve_subresource(np.zeros((2, 2)), 0, _ms(UNORM), 0),
            "destination: Texture2D: found float64 (2, 2)",
        ),
        (
            lambda: resolve_subresource(_plain(UNORM), 0, np.zeros((2, 2, 2)), 0),
            'found ndarray as the source, wanted a Texture2DMS(array, "R8G8B8A8_UNORM")',
        ),
        (
            lambda: resolve_subresource(Texture2D(FIXED, UNORM), 0, _ms(UNORM), 0),
            "the destination's array is read-only",
        ),
        (
            lambda: resolve_subresource(_plain("R8G8B8A8_SNORM"), 0, _ms(UNORM), 0),
            "found R8G8B8A8_UNORM and R8G8B8A8_SNORM resolved as R8G8B8A8_UNORM",
        ),
        (
            lambda: resolve_subresource(_plain(UNORM), 0, _ms(UNORM), 0, "R8G8B8A8_UNORM_SRGB"),
            "found R8G8B8A8_UNORM and R8G8B8A8_UNORM resolved as R8G8B8A8_UNORM_SRGB",
        ),
        (
            lambda: resolve_subresource(_plain(TYPELESS), 0, _ms(TYPELESS), 0),
            "found two typeless textures, wanted a format",
        ),
        (
            lambda: resolve_subresource(_plain(TYPELESS), 0, _ms(TYPELESS), 0, TYPELESS),
            "wanted one typed format",
        ),
        (
            lambda: resolve_subresource(_plain(TYPELESS), 0, _ms(TYPELESS), 0, "R16G16_UNORM"),
            "resolved as R16G16_UNORM, wanted one typed format",
        ),
        (
            lambda: resolve_subresource(_plain("R32_UINT"), 0, _ms("R32_UINT"), 0),
            "format R32_UINT cannot be resolved",
        ),
        (
            lambda: resolve_subresource(
                _plain("D24_UNORM_S8_UINT"), 0, _ms("D24_UNORM_S8_UINT"), 0
            ),
            "format D24_UNORM_S8_UINT cannot be resolved",
        ),
    ],
)
def test_refused_calls(call: Callable[[], None], text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        call()
    assert text in str(raised.value)


def test_what_is_mapped_is_left_alone() -> None:
    image = _plain(UNORM)
    with map_subresource(image), pytest.raises(ResourceError, match="subresource 0 is mapped"):
        resolve_subresource(image, 0, _ms(UNORM), 0)
