"""Textures of Direct3D 9 as shaders see them, and the states of samplers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import softd3d
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.enums import TextureAddress, TextureFilterType
from softd3d.isa.d3d9.states import SamplerStateType
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.d3d9.textures import bind_textures
from softd3d.resources.d3d9.surfaces import Texture9, TextureType

LOOKUP = softd3d.load9(softd3d.assemble("ps_1_1\ntex t0\ntex t2\nmul r0, t0, t2\n")).program


@pytest.mark.parametrize("type_", list(TextureType))
@pytest.mark.parametrize("name", ["A8R8G8B8", "R8G8B8", "DXT5", "A1", "UYVY", "A16B16G16R16F"])
def test_surfaces_are_parts_of_one_memory(type_: TextureType, name: str) -> None:
    texture = Texture9(8, 8, name, levels=0, type_=type_, depth=4 if type_.name == "VOLUME" else 1)
    count = 0
    for level in range(texture.levels):
        for slice_ in range(texture.slices(level)):
            count += 1
            texture.surface(level, slice_).units[...] = count
    found, sizes = np.unique(texture.memory, return_counts=True)
    assert found.tolist() == list(range(1, count + 1))
    assert sizes[0] == texture.surface().units.size


def test_faces_follow_each_other_with_their_levels() -> None:
    texture = Texture9(4, 4, "L8", levels=3, type_=TextureType.CUBE)
    texture.surface(1, 2).array[...] = 7
    assert np.flatnonzero(texture.memory == 7).tolist() == [2 * 21 + 16 + n for n in range(4)]
    found = texture.description()
    assert (found.dimension, found.array_pitch) == (ResourceDimension.TEXTURECUBE, 21)
    assert texture.description() is found


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))],  # noqa: S301 - our own
)
def test_surfaces_of_copies_are_over_the_copies_memory(
    copied: Callable[[Texture9], Texture9],
) -> None:
    texture = Texture9(2, 2, "A8R8G8B8", levels=2)
    texture.lod = 1
    other = copied(texture)
    other.surface(1).array[...] = 9
    assert other.memory[16:].tolist() == [9] * 4
    assert other.description().data is other.memory
    assert other.lod == 1
    is_shared = copied is copy.copy
    assert texture.memory[16:].tolist() == [9 if is_shared else 0] * 4


def test_textures_are_bound_by_number_and_unused_ones_are_not() -> None:
    one, other = Texture9(2, 2, "A8R8G8B8"), Texture9(4, 4, "DXT1", levels=3)
    other.lod = 99
    state = SamplerState9(srgb_texture=True)
    found = bind_textures(LOOKUP, {0: (one, SamplerState9()), 1: (one, state), 2: (other, state)})
    assert sorted(number for _, number, _ in found.views) == [0, 2]
    assert sorted(found.samplers9) == [0, 2]
    views = [found.views[key] for key in sorted(found.views)]
    assert [v.slot for v in views] == [0, 1]
    assert [v.min_lod for v in views] == [0, 2]
    other.lod = -1
    with pytest.raises(ResourceError, match=r"s2: Texture9.lod: found -1, wanted 0 to"):
        bind_textures(LOOKUP, {2: (other, state)})


def test_states_come_from_raw_words() -> None:
    s = SamplerStateType
    found = SamplerState9.from_words(
        {s.ADDRESSU: 3, s.BORDERCOLOR: 0x80FF0040, s.MAGFILTER: 2, s.MIPFILTER: 1,
         s.MIPMAPLODBIAS: 0x3F000000, s.MAXMIPLEVEL: 2, s.MAXANISOTROPY: 99, s.SRGBTEXTURE: 5}
    )  # fmt: skip
    assert found == SamplerState9(
        "CLAMP", border_color=0x80FF0040, mag_filter="LINEAR", mip_filter="POINT",
        mip_map_lod_bias=0.5, max_mip_level=2, max_anisotropy=16, srgb_texture=True,
    )  # fmt: skip
    assert found.border == (1, 0, 64 / 255, 128 / 255)
    assert found.addresses == (TextureAddress.CLAMP, TextureAddress.WRAP, TextureAddress.WRAP)
    assert SamplerState9.from_words({}) == SamplerState9()
    assert SamplerState9.from_words({s.MIPMAPLODBIAS: 0x7FC00000}).mip_map_lod_bias == 0
    assert SamplerState9(mag_filter="GAUSSIANQUAD").mag_is_linear
    assert SamplerState9().min_filter is TextureFilterType.POINT


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"address_u": 0}, "sampler address_u: found 0, wanted one of WRAP, MIRROR, CLAMP"),
        ({"mag_filter": 4}, "sampler mag_filter: found 4"),
        ({"border_color": -1}, "sampler border_color: found -1, wanted 0 to 4294967295"),
        ({"mip_map_lod_bias": "x"}, "sampler mip_map_lod_bias: found 'x', wanted a number"),
        ({"srgb_texture": 2}, "sampler srgb_texture: found 2, wanted True or False"),
    ],
)
def test_states_that_cannot_be_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        SamplerState9(**given)  # pyright: ignore[reportArgumentType]
