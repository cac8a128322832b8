"""States of a Direct3D 9 device: names, values, defaults, state blocks, declarations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import (
    DeclType,
    Device,
    Fvf,
    Light,
    Material,
    Rect,
    RenderState,
    Usage,
    VertexDeclaration9,
    Viewport9,
    declaration_of_fvf,
)
from softd3d.device.d3d9.draws.kept import Kept
from softd3d.device.d3d9.draws.topologies import fan_indices, listed_indices
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.defaults import RENDER_STATE_DEFAULTS
from softd3d.isa.d3d9.enums import PrimitiveType


@pytest.fixture
def device() -> Device:
    return Device(4, 4, engine="interpreter")


def test_a_new_device_has_the_defaults(device: Device) -> None:
    assert {s: device.get_render_state(s) for s in RenderState} == RENDER_STATE_DEFAULTS
    assert device.get_sampler_state(257, "MINFILTER") == 1
    assert device.get_texture_stage_state(3, "TEXCOORDINDEX") == 3
    assert device.get_render_target(0) is device.back_buffer
    assert device.get_scissor_rect() == Rect(0, 0, 4, 4)
    assert (device.get_transform("WORLD") == np.eye(4)).all()
    assert Device(1, 1, depth_stencil_format="D16").get_render_state("ZENABLE") == 1
    documented = Device(1, 1, profile="documented")
    assert documented.get_texture_stage_state(0, "CONSTANT") == 0xFFFFFFFF


@pytest.mark.parametrize(
    ("state", "value", "word"),
    [
        ("SRCBLEND", "SRCALPHA", 5),
        ("D3DRS_CULLMODE", 1, 1),
        ("cullmode", "cw", 2),
        (RenderState.FOGSTART, 0.5, 0x3F000000),
        ("FOGSTART", -1, 0xFFFFFFFF),
        ("FOGEND", 1e300, 0x7F800000),
        ("ZENABLE", True, 1),
        ("VERTEXBLEND", "0WEIGHTS", 256),
        ("COLORWRITEENABLE", "RED|BLUE", 5),
        (6, np.uint32(9), 9),
    ],
)
def test_values_become_dwords(device: Device, state: Any, value: Any, word: int) -> None:
    device.set_render_state(state, value)
    assert device.get_render_state(state) == word


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda d: d.set_render_state("ZENABEL", 1), "RenderState: there is no state 'ZENABEL'; c"),
        (lambda d: d.set_render_state(256, 1), "RenderState: found 256"),
        (lambda d: d.set_render_state("ZENABLE", 1.0), "ZENABLE: found 1.0, wanted an integer"),
        (lambda d: d.set_render_state("ZFUNC", "SOMETIMES"), "ZFUNC: found 'SOMETIMES', wanted "),
        (lambda d: d.set_render_state("ZFUNC", 1 << 32), "ZFUNC: found 4294967296, wanted a DWORD"),
        (lambda d: d.set_sampler_state(16, 1, 1), "sampler: found 16, wanted 0 to 15, or 256 to"),
        (lambda d: d.set_texture(0, "brick"), "set_texture: found str, wanted a Texture9 or None"),
        (lambda d: d.set_transform("MODEL", np.eye(4)), "transform: found 'MODEL', wanted VIEW"),
        (lambda d: d.set_transform("VIEW", [1, 2]), "set_transform: found 2 numbers, wanted 16"),
        (lambda d: d.set_light(0, {"colour": 1}), "set_light: found 'colour', wanted type, "),
        (lambda d: d.get_light(3), "get_light: found no light 3"),
        (lambda d: d.set_render_target(0, None), "set_render_target: found None for target 0"),
        (lambda d: d.set_depth_stencil_surface(d.back_buffer), "set_depth_stencil_surface: Surf"),
        (lambda d: d.set_stream_source_freq(0, 0x80000001), "set_stream_source_freq: found 0x800"),
        (lambda d: d.set_vertex_shader_constant_f(8192, [1] * 4), "constants: found 1 registers"),
        (lambda d: d.set_pixel_shader_constant_f(0, [1] * 3), "constants: found 3 numbers"),
        (lambda d: d.set_pixel_shader_constant_i(0, "abcd"), "constants: found 'abcd', wanted"),
        (lambda d: d.end_state_block(), "end_state_block: found no begin_state_block before"),
        (lambda d: d.set_fvf(0), "FVF 0x0: found no position"),
        (lambda d: d.clear(None, 8), "clear: found flags 8, wanted TARGET"),
        (lambda d: d.clear(None, "TARGET, Z"), "clear: flags: found 'TARGET, Z', wanted TARGET, "),
        (lambda d: d.clear(z=1.0), "clear: found flags of depth or stencil, but no such surface"),
        (lambda d: d.set_sampler_state(0, "FILTER", 1), "SamplerStateType: there is no sta"),
        (lambda d: d.set_render_state("STENCILFAIL", "D3DBLEND_ZERO"), "STENCILFAIL: found 'D3DB"),
        (lambda d: d.set_viewport((0, 0, 4)), "viewport: found (0, 0, 4), wanted x, y, width, h"),
        (lambda d: d.set_scissor_rect((0, 0, 4)), "set_scissor_rect: found (0, 0, 4), wanted left"),
        (lambda d: d.set_fvf("XYZ | NORMALS"), "set_fvf: found 'XYZ | NORMALS', wanted XYZ, "),
        (lambda d: d.create_texture(4, 4, 1, "TARGET"), "usage: found 'TARGET', wanted RENDER"),
        (lambda d: d.create_vertex_buffer(np.zeros(3)), "vertex buffer: found an array of float6"),
        (lambda d: d.create_index_buffer(np.array([0, 1])), "index buffer: found an array of int"),
        (lambda d: d.create_index_buffer([0, 1]), "index buffer: found [0, 1], wanted bytes, an a"),
        (lambda d: d.create_query("RESOURCEMANAGER"), "query: found 'RESOURCEMANAGER', wanted"),
    ],
)  # fmt: skip
def test_errors_say_what_was_wanted(device: Device, call: Any, text: str) -> None:
    with pytest.raises(ResourceError) as caught:
        call(device)
    assert str(caught.value).startswith(text)


def test_multiplied_transforms_stand_in_front(device: Device) -> None:
    shift, scale = np.eye(4, dtype=np.float32), np.diag([2, 2, 2, 1]).astype(np.float32)
    shift[3, :3] = 1, 2, 3
    device.set_transform("WORLD", shift)
    device.multiply_transform(256, scale)
    assert (device.get_transform("WORLD") == scale @ shift).all()


def test_lights_and_materials_of_dictionaries(device: Device) -> None:
    device.set_light(2, {"type": "POINT", "diffuse": (1, 0.5, 0, 1), "range": 9})
    found = device.get_light(2)
    assert (found.type, found.diffuse, found.range, found.direction) == (
        1, (1, 0.5, 0, 1), 9, (0, 0, 0),
    )  # fmt: skip
    device.light_enable(7, enable=True)
    assert device.get_light(7) == Light()
    device.set_material({"power": 4})
    assert device.get_material() == Material(power=4.0)


def test_constants_come_back(device: Device) -> None:
    device.set_vertex_shader_constant_f(3, np.arange(8).reshape(2, 4))
    device.set_pixel_shader_constant_i(1, [[-1, 2, 3, 4]])
    device.set_pixel_shader_constant_b(15, [True])
    assert device.get_vertex_shader_constant_f(4, 1).tolist() == [[4, 5, 6, 7]]
    assert device.get_pixel_shader_constant_i(1, 1).tolist() == [[-1, 2, 3, 4]]
    assert device.get_pixel_shader_constant_b(14, 2).tolist() == [False, True]


def test_a_recorded_block_holds_what_was_called(device: Device) -> None:
    device.begin_state_block()
    device.set_render_state("ZFUNC", 8)
    device.set_sampler_state(1, "MINFILTER", 2)
    device.set_pixel_shader_constant_f(2, [1, 2, 3, 4])
    device.set_transform("VIEW", 2 * np.eye(4))
    block = device.end_state_block()
    assert device.get_render_state("ZFUNC") == 4
    block.apply()
    assert device.get_render_state("ZFUNC") == 8
    assert device.get_sampler_state(1, "MINFILTER") == 2
    assert device.get_pixel_shader_constant_f(2, 1).tolist() == [[1, 2, 3, 4]]
    assert device.get_transform("VIEW")[0, 0] == 2
    device.set_render_state("ZFUNC", 1)
    block.capture()
    device.set_render_state("ZFUNC", 2)
    block.apply()
    assert device.get_render_state("ZFUNC") == 1


@pytest.mark.parametrize(
    ("type_", "kept"), [("ALL", {"SRCBLEND", "AMBIENT"}), ("PIXELSTATE", {"SRCBLEND"}),
                        ("VERTEXSTATE", {"AMBIENT"})],
)  # fmt: skip
def test_blocks_of_groups_of_states(device: Device, type_: str, kept: set[str]) -> None:
    block = device.create_state_block(type_)
    device.set_render_state("SRCBLEND", 9)
    device.set_render_state("AMBIENT", 9)
    device.set_material(Material(power=3))
    device.light_enable(0, enable=True)
    block.apply()
    changed = {s for s in ("SRCBLEND", "AMBIENT") if device.get_render_state(s) != 9}
    assert changed == kept
    assert device.get_material().power == (0 if type_ == "ALL" else 3)


def test_the_mode_of_patches_is_kept(device: Device) -> None:
    block = device.create_state_block("ALL")
    device.begin_state_block()
    device.set_n_patch_mode(2)
    recorded = device.end_state_block()
    assert device.get_n_patch_mode() == 0
    recorded.apply()
    assert device.get_n_patch_mode() == 2
    block.apply()
    assert device.get_n_patch_mode() == 0


def test_a_block_of_everything_brings_everything_back(device: Device) -> None:
    def everything() -> list[Any]:
        items = [device.get_render_state(n) for n in range(7, 210)]
        items += [device.get_sampler_state(s, n) for s in (0, 15, 260) for n in range(1, 14)]
        items += [device.get_texture_stage_state(7, n) for n in range(1, 33)]
        items += [device.get_viewport(), device.get_scissor_rect(), device.get_material()]
        items += [device.get_fvf(), device.get_indices(), device.get_stream_source(3)]
        items += [device.get_clip_plane(5), device.get_stream_source_freq(3)]
        items += [device.get_transform(n).tolist() for n in (2, 3, 16, 256, 259)]
        return [*items, device.get_pixel_shader_constant_f(0, 224).tolist()]

    before, block = everything(), device.create_state_block("ALL")
    for state in RenderState:
        device.set_render_state(state, 77)
    for n in range(1, 14):
        device.set_sampler_state(260, n, 77)
    device.set_viewport(1, 1, 2, 2)
    device.set_scissor_rect(1, 1, 2, 2)
    device.set_fvf(Fvf.XYZ)
    device.set_transform("WORLD3", np.zeros((4, 4)))
    device.set_clip_plane(5, (1, 2, 3, 4))
    device.set_stream_source(3, device.create_vertex_buffer(8), 0, 8)
    device.set_stream_source_freq(3, 0x80000002)
    device.set_indices(device.create_index_buffer(4))
    device.set_pixel_shader_constant_f(9, [1, 2, 3, 4])
    assert everything() != before
    block.apply()
    assert everything() == before


FVFS = [
    (Fvf.XYZ, [("POSITION", 0, "FLOAT3", 0)]),
    (Fvf.XYZRHW | Fvf.DIFFUSE | Fvf.SPECULAR,
     [("POSITIONT", 0, "FLOAT4", 0), ("COLOR", 0, "D3DCOLOR", 16), ("COLOR", 1, "D3DCOLOR", 20)]),
    (Fvf.XYZB3 | Fvf.LASTBETA_UBYTE4 | Fvf.NORMAL | Fvf.PSIZE,
     [("POSITION", 0, "FLOAT3", 0), ("BLENDWEIGHT", 0, "FLOAT2", 12),
      ("BLENDINDICES", 0, "UBYTE4", 20), ("NORMAL", 0, "FLOAT3", 24), ("PSIZE", 0, "FLOAT1", 36)]),
    (Fvf.XYZB1 | Fvf.LASTBETA_D3DCOLOR,
     [("POSITION", 0, "FLOAT3", 0), ("BLENDINDICES", 0, "D3DCOLOR", 12)]),
    (0x4002 | Fvf.TEX4 | 0xE40000,  # sets of two, three, four numbers and one
     [("POSITION", 0, "FLOAT4", 0), ("TEXCOORD", 0, "FLOAT2", 16), ("TEXCOORD", 1, "FLOAT3", 24),
      ("TEXCOORD", 2, "FLOAT4", 36), ("TEXCOORD", 3, "FLOAT1", 52)]),
]  # fmt: skip


@pytest.mark.parametrize(("fvf", "wanted"), FVFS)
def test_vertex_formats_are_declarations(fvf: int, wanted: list[tuple[Any, ...]]) -> None:
    found = declaration_of_fvf(int(fvf))
    assert [(e.usage.name, e.usage_index, e.type.name, e.offset) for e in found.elements] == wanted
    assert found.fvf == fvf


def test_declarations_take_members_as_in_c() -> None:
    members = [(0, 4, 2, 0, 3, 1), (1, 0, "FLOAT4", "TEXCOORD", 2), (0xFF, 0, 17, 0, 0, 0), "junk"]
    found = VertexDeclaration9(members).elements
    assert [(e.stream, e.offset, e.type, e.usage, e.usage_index) for e in found] == [
        (0, 4, DeclType.FLOAT3, Usage.NORMAL, 1), (1, 0, DeclType.FLOAT4, Usage.TEXCOORD, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("elements", "text"),
    [
        ([(0, 2, "FLOAT1", "NORMAL", 0)], "vertex element 0: found offset 2, wanted a multiple"),
        ([(16, 0, "FLOAT1", "NORMAL", 0)], "vertex element 0: stream: found 16, wanted 0 to 15"),
        ([(0, 0, "FLOAT1", 1, "NORMAL", 0)], "vertex element 0: found method 1, wanted 0"),
        ([(0, 0, "FLOAT1", "NORMAL", 0)] * 2, "vertex declaration: found two elements NORMAL0"),
        (["POSITION"], "vertex element 0: found 'POSITION', wanted stream"),
    ],
)
def test_errors_of_declarations(elements: Any, text: str) -> None:
    with pytest.raises(ResourceError) as caught:
        VertexDeclaration9(elements)
    assert str(caught.value).startswith(text)


def test_lists_of_strips_and_fans() -> None:
    def rows(stream: Any) -> list[list[int]]:
        return stream.data.view(np.uint32).reshape(-1, 3).tolist()

    assert rows(fan_indices(4)) == [[1, 2, 0], [2, 3, 0]]
    five = np.array([7, 8, 9, 10, 0xFFFF], np.uint16)
    strip = listed_indices(PrimitiveType.TRIANGLESTRIP, five)
    assert rows(strip) == [[7, 8, 9], [8, 10, 9], [9, 10, 0xFFFF]]
    assert rows(listed_indices(PrimitiveType.TRIANGLEFAN, five[:3])) == [[8, 9, 7]]
    lines = listed_indices(PrimitiveType.LINESTRIP, five[2:])
    assert lines.data.view(np.uint32).tolist() == [9, 10, 10, 0xFFFF]


def test_what_was_not_asked_for_lately_goes_first() -> None:
    kept = Kept[int, int](1)
    assert kept.put(1, 10) is None
    assert kept.put(2, 20) == 10
    assert (kept.get(1), kept.get(2), len(kept)) == (None, 20, 1)
    kept.drop(2)
    assert len(kept) == 0


def test_stages_and_their_states_beyond_the_last_are_the_last() -> None:
    device = Device(4, 4, engine="interpreter")
    device.set_texture_stage_state(9, "COLOROP", 7)
    device.set_texture_stage_state(7, 99, 5)
    assert device.get_texture_stage_state(7, "COLOROP") == 7
    assert device.get_texture_stage_state(7, "CONSTANT") == 5


def test_depths_of_a_viewport_are_clamped_and_may_fall() -> None:
    device = Device(4, 4, engine="interpreter", depth_stencil_format="D32F_LOCKABLE")
    device.set_viewport(0, 0, 4, 4, 2.0, -1.0)
    assert (device.get_viewport().min_z, device.get_viewport().max_z) == (1, 0)
    device.set_viewport(0, 0, 4, 4, 0.75, 0.25)
    device.set_render_state("ZFUNC", "ALWAYS")
    device.set_render_state("LIGHTING", 0)
    device.set_fvf(2)  # XYZ
    corners = np.array([(-1, 1, 0), (3, 1, 0), (-1, -3, 1)], np.float32)
    device.draw_primitive_up("TRIANGLELIST", 1, corners, 12)
    depth = device.get_depth_stencil_surface()
    assert depth is not None
    rows = depth.array.reshape(-1).view(np.float32).reshape(4, 4)
    assert rows[:, 0].tolist() == [0.75, 0.6875, 0.625, 0.5625]


def test_names_stand_for_numbers_in_all_calls(device: Device) -> None:
    """Values of states, usages, vertex formats: with or without the prefix of their C names."""
    device.set_render_state("D3DRS_CULLMODE", "D3DCULL_NONE")
    device.set_sampler_state(0, "D3DSAMP_MINFILTER", "D3DTEXF_LINEAR")
    device.set_texture_stage_state(0, "COLORARG1", "D3DTA_TFACTOR | D3DTA_COMPLEMENT")
    assert device.get_render_state("CULLMODE") == 1
    assert device.get_sampler_state(0, "MINFILTER") == 2
    assert device.get_texture_stage_state(0, "COLORARG1") == 0x13
    device.set_fvf("XYZ | D3DFVF_TEX2")
    assert device.get_fvf() == 0x202
    texture = device.create_texture(4, 4, 1, "RENDERTARGET")
    device.set_render_target(0, texture.surface())
    device.set_depth_stencil_surface(
        device.create_texture(4, 4, 1, "D3DUSAGE_DEPTHSTENCIL", "D24S8").surface()
    )


def test_areas_may_be_sequences(device: Device) -> None:
    device.set_viewport((1, 0, 2, 3))
    device.set_scissor_rect([0, 1, 2, 3])
    assert device.get_viewport() == Viewport9(1, 0, 2, 3, 0.0, 1.0)
    assert device.get_scissor_rect() == Rect(0, 1, 2, 3)


def test_signed_indices_have_the_width_of_their_dtype(device: Device) -> None:
    for dtype, name in ((np.int16, "R16_UINT"), (np.int32, "R32_UINT")):
        assert device.create_index_buffer(np.arange(3, dtype=dtype)).format.name == name
