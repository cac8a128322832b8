"""Levels of Direct3D 9 textures that are generated from the first one (AUTOGENMIPMAP)."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import Device, Fvf, Pool, Texture9, TextureType
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.resources.d3d9.copies import update_texture
from softd3d.resources.d3d9.mip_levels import halved


def level(texels: Any, format_: str, dtype: str) -> list[Any]:
    array = np.array(texels, dtype)
    found = halved(array[..., None].view(np.uint8), d3d9_format(format_))
    return found.view(dtype)[..., 0].tolist()


@pytest.mark.parametrize(
    ("format_", "dtype", "texels", "wanted"),
    [
        ("L8", "<u1", [[0, 0], [0, 1]], [[0]]),  # a quarter
        ("L8", "<u1", [[0, 0], [1, 1]], [[1]]),  # a half is rounded up
        ("L8", "<u1", [[255, 255], [255, 254]], [[255]]),
        ("L8", "<u1", [[0, 2, 9]], [[1]]),  # an odd column is left out, a single row counts twice
        ("L8", "<u1", [[4], [8], [1], [3], [7]], [[6], [2]]),
        ("A8R8G8B8", "<u4", [[0xFF000000, 0x00FF0000], [0x0000FF00, 0x000000FF]], [[0x40404040]]),
        ("R5G6B5", "<u2", [[0xFFFF, 0xFFFF], [0, 0]], [[16 << 11 | 32 << 5 | 16]]),
        ("V8U8", "<u2", [[0x80FE, 0x81FE], [0x81FE, 0x81FE]], [[0x81FE]]),  # -128 is -127
        ("V8U8", "<u2", [[0xFFFF, 0xFF00], [0, 0]], [[0]]),  # -1/2 is rounded up, too
        ("A2B10G10R10", "<u4", [[0xC0000000 | 1023, 0], [0, 3]], [[1 << 30 | 257]]),
        ("R16F", "<f2", [[1, 2], [3, 5]], [[2.75]]),
        ("R32F", "<f4", [[1, -2], [np.inf, 5]], [[np.inf]]),
        ("A16B16G16R16", "<u8", [[0xFFFF_0000_0000_0004] * 2] * 2, [[0xFFFF_0000_0000_0004]]),
    ],
)
def test_boxes_of_stored_numbers(format_: str, dtype: str, texels: Any, wanted: Any) -> None:
    assert level(texels, format_, dtype) == wanted


def bands(device: Device, texture: Texture9) -> list[float]:
    """Return what a draw reads of each level."""
    device.set_fvf(Fvf.XYZRHW | Fvf.TEX1)
    device.set_texture(0, texture)
    device.set_texture_stage_state(0, "COLOROP", "SELECTARG1")
    device.set_sampler_state(0, "MIPFILTER", "POINT")
    vertices = np.zeros(3, [("position", "f4", 4), ("coordinates", "f4", 2)])
    vertices["position"] = (-1, -1, 0, 1), (9, -1, 0, 1), (-1, 9, 0, 1)
    found: list[float] = []
    for number in range(3):
        device.set_sampler_state(0, "MAXMIPLEVEL", number)
        device.draw_primitive_up("TRIANGLELIST", 1, vertices, 24)
        found.append(device.back_buffer.array[0, 0, 0].item())
    return found


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_draws_read_levels_of_what_the_first_one_is_now(engine: str) -> None:
    device = Device(1, 1, "A32B32G32R32F", engine=engine)
    device.set_render_state("CULLMODE", "NONE")
    texture = device.create_texture(4, 4, 0, 0x400, "R32F")
    assert texture.levels == 1
    with pytest.raises(ResourceError, match="level"):
        texture.surface(1)
    texture.surface(0).array[...] = np.arange(16).reshape(4, 4)
    assert bands(device, texture) == [0, 2.5, 7.5]
    texture.surface(0).array[...] += 1
    assert bands(device, texture) == [1, 3.5, 8.5]
    texture.lod = 1
    assert bands(device, texture) == [3.5, 3.5, 8.5]
    texture.lod = 0
    device.set_texture(0, None)
    target = device.get_render_target(0)
    drawn = device.create_texture(4, 4, 0, 0x401, "R32F")
    device.set_render_target(0, drawn.surface(0))
    device.clear(color=0xFFFF0000)
    device.set_render_target(0, target)
    assert bands(device, drawn) == [1, 1, 1]


def test_faces_copies_and_updates() -> None:
    cube = Texture9(2, 2, "L8", levels=0, type_=TextureType.CUBE, is_generated=True)
    for face in range(6):
        cube.surface(0, face).array[...] = face
    cube.generate_mip_sub_levels()
    texels = cube.memory.reshape(6, -1)
    assert [set(face.tolist()) for face in texels[:, :5]] == [{n} for n in range(6)]
    cube.surface(0, 5).array[...] = 9
    other = copy.deepcopy(cube)
    other.refresh_levels()
    assert set(other.memory.reshape(6, -1)[5, :5].tolist()) == {9}
    source = Texture9(2, 2, "L8", levels=2, pool=Pool.SYSTEMMEM)
    source.memory[...] = 7
    made = Texture9(2, 2, "L8", is_generated=True)
    update_texture(source, made)
    assert made.surface(0).array.tolist() == [[7, 7], [7, 7]]


@pytest.mark.parametrize(
    "options",
    [
        {"format_": "DXT1"},
        {"format_": "D24S8"},
        {"format_": "P8"},
        {"levels": 2},
        {"pool": Pool.SYSTEMMEM},
        {"type_": TextureType.VOLUME},
    ],
)
def test_what_has_no_generated_levels(options: dict[str, Any]) -> None:
    with pytest.raises(ResourceError, match=r"generated|levels"):
        Texture9(4, 4, **{"format_": "L8", "is_generated": True, **options})
    with pytest.raises(ResourceError, match="levels of its own"):
        Texture9(4, 4, "L8").generate_mip_sub_levels()
