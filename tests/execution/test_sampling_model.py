"""The model of sampling itself, by the examples and tables of the specification."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sampling_cube import fold
from sampling_model import clamped_lod, gather, level_taps, lod_pair, sample, sample_d
from sampling_state import BORDER, CLAMP, MIRROR, MIRROR_ONCE, WRAP, Kind, Sampler, Texture

f32 = np.float32
TRILINEAR = {"min": True, "mag": True, "mip": True}
BILINEAR = {"min": True, "mag": True}


def ramp(width: int, mips: int = 1) -> Texture:
    """Return a 1D texture whose texels are their numbers, and 100 more a level."""
    levels = [
        np.repeat(np.arange(max(1, width >> n))[None, None, None, :, None] + 100.0 * n, 4, axis=4)
        for n in range(mips)
    ]
    return Texture(Kind.ONE, levels)


def test_addresses() -> None:
    """Section 7.18.9, for a texture of four texels."""
    wanted = {
        WRAP: [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1],
        MIRROR: [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2],
        CLAMP: [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3],
        BORDER: [9, 9, 9, 9, 9, 0, 1, 2, 3, 9, 9],
        MIRROR_ONCE: [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3],
    }
    for mode, row in wanted.items():
        sampler = Sampler(address=(mode,) * 3, border=(9.0,) * 4)
        found = [sample(ramp(4), sampler, [f32(n / 4 + 0.125)], 0.0).value[0] for n in range(-5, 6)]
        assert found == row, mode


def test_linear_weights_have_eight_bits() -> None:
    sampler = Sampler(**BILINEAR, address=(CLAMP,) * 3)
    for steps in range(257):
        found = sample(ramp(2), sampler, [f32(0.25 + (steps + 0.4) / 512)], 0.0)
        assert found.value[0] == steps / 256


def test_levels_of_the_clamp_examples() -> None:
    """Section 5.8.6: views of mips 1 to 6, so the resource's clamps count one less here."""
    sampler = Sampler(**TRILINEAR, address=(CLAMP,) * 3, min_lod=1.2, max_lod=4.0)
    for clamp, lod, wanted in [
        (2.5, -2.0, 2.5), (2.5, 2.0, 2.5), (4.5, -2.0, 4.5), (4.5, 2.0, 4.5), (5.5, 2.0, None),
    ]:  # fmt: skip
        texture = ramp(32, 6)
        texture.min_lod = clamp
        assert clamped_lod(texture, sampler, f32(lod)) == wanted
        found = sample(texture, sampler, [f32(0)], lod).value
        assert found.tolist() == [0.0 if wanted is None else 100 * wanted] * 4
        assert lod_pair(texture, sampler, [f32(0)], [f32(2.0**-5) * 2**lod], [0])[0] == (
            wanted or 0.0
        )


def test_mip_point_rounds_and_linear_blends() -> None:
    texture = ramp(8, 4)
    assert [level_taps(texture, lod, linear=False)[0][1] for lod in (0.49, 0.5, 2.499, 9.0)] == [
        0, 1, 3, 3,
    ]  # fmt: skip
    assert level_taps(texture, 1.25, linear=True) == [(0.75, 1), (0.25, 2)]
    assert level_taps(texture, 7.5, linear=True) == [(0.5, 3), (0.5, 3)]


def test_gather_order() -> None:
    """Section 22.4.2: lower left, lower right, upper right, upper left."""
    texels = np.zeros((1, 1, 2, 2, 4))
    texels[0, 0, :, :, 1] = [[1, 2], [3, 4]]
    found = gather(Texture(Kind.TWO, [texels]), Sampler(), [f32(0.5), f32(0.5)], 1)
    assert found.value.tolist() == [3, 4, 2, 1]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_folding_a_cube_is_mutual(size: int) -> None:
    """A texel's neighbour over an edge has it as neighbour over the same edge."""
    for face, t in itertools.product(range(6), range(size)):
        for x, y in ((-1, t), (size, t), (t, -1), (t, size)):
            there = fold(face, x, y, size)
            assert there is not None
            inside = min(max(x, 0), size - 1), min(max(y, 0), size - 1)
            around = [
                fold(there[0], there[1] + i, there[2] + j, size)
                for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1))
            ]
            assert (face, *inside) in around
            assert there[0] != face
    assert fold(0, -1, -1, size) is None


def test_anisotropic_level_is_that_of_the_minor_axis() -> None:
    levels = [np.full((1, 1, 64 >> n, 64 >> n, 4), float(n)) for n in range(7)]
    sampler = Sampler(anisotropic=True, max_anisotropy=4)
    place = [f32(0.5), f32(0.5)]
    for u, v, wanted in [(8, 2, 1), (2, 8, 1), (16, 2, 2), (2, 2, 1), (0, 0, 0)]:
        found = sample_d(
            Texture(Kind.TWO, levels), sampler, place, [f32(u / 64), f32(0)], [f32(0), f32(v / 64)]
        )
        assert any(abs(f.value[0] - wanted) < 1 / 128 for f in found)
