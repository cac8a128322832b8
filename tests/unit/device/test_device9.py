"""The device of Direct3D 9: draws, clears, queries, what is kept between draws."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import Device, Fvf, Origin, Surface9, Viewport9
from softd3d.device.d3d9.draws import jobs
from softd3d.errors import ResourceError, ShaderError
from softd3d.isa.asm.sm1.assembler import assemble_stream

COLORED = Fvf.XYZRHW | Fvf.DIFFUSE
VERTEX = np.dtype([("position", "<f4", 4), ("color", "<u4")])
RED, GREEN, BLUE, BLACK = 0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFF000000


def made(**options: Any) -> Device:
    """Return a device that draws coloured screen vertices, without culling."""
    device = Device(4, 4, **{"engine": "interpreter", **options})
    device.set_render_state("CULLMODE", "NONE")
    device.set_fvf(COLORED)
    device.clear(color=BLACK)
    return device


def vertices(*places: tuple[float, float], color: int = GREEN, z: float = 0.5) -> Any:
    found = np.zeros(len(places), VERTEX)
    found["position"] = [(x, y, z, 1) for x, y in places]
    found["color"] = color
    return found


def pixels(device: Device) -> list[list[int]]:
    return device.back_buffer.units.view("<u4")[..., 0].tolist()


def covered(device: Device) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(pixels(device)) for x, c in enumerate(row) if c != BLACK}


SQUARE = ((-0.5, -0.5), (3.5, -0.5), (-0.5, 3.5), (3.5, 3.5))
ALL = {(x, y) for x in range(4) for y in range(4)}


def test_pixels_have_their_centres_at_integers() -> None:
    device = made()
    device.draw_primitive_up("TRIANGLESTRIP", 2, vertices((0, 0), (2, 0), (0, 1), (2, 1)), 20)
    assert covered(device) == {(0, 0), (1, 0)}


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_a_buffer_is_read_as_it_is_at_each_draw(engine: str) -> None:
    device = made(engine=engine)
    data = vertices(*SQUARE)
    device.set_stream_source(0, device.create_vertex_buffer(data), 0, 20)
    assert device.draw_primitive("TRIANGLESTRIP", 0, 2).samples_passed == 16
    data["color"] = RED
    device.draw_primitive("TRIANGLESTRIP", 0, 2)
    assert {c for row in pixels(device) for c in row} == {RED}


def test_fans_and_their_leading_vertices() -> None:
    device = made()
    device.set_render_state("SHADEMODE", "FLAT")
    corners = vertices((-0.5, -0.5), (3.5, -0.5), (3.5, 3.5), (-0.5, 3.5))
    corners["color"] = BLUE, GREEN, RED, BLUE
    device.draw_primitive_up("TRIANGLEFAN", 2, corners, 20)
    found = pixels(device)
    assert (found[0][3], found[3][0]) == (GREEN, RED)  # of the second and the third vertex


@pytest.mark.parametrize("type_", ["TRIANGLEFAN", "TRIANGLESTRIP", "LINESTRIP"])
def test_an_index_of_all_ones_is_an_index(type_: str) -> None:
    device = made()
    data = np.zeros(0x10000, VERTEX)
    data["color"] = GREEN
    order = (0, 1, 3, 2) if type_ == "TRIANGLEFAN" else range(4)
    data["position"][:3] = [(*SQUARE[n], 0.5, 1) for n in order][:3]
    data["position"][0xFFFF] = (*SQUARE[list(order)[3]], 0.5, 1)
    device.set_stream_source(0, device.create_vertex_buffer(data), 0, 20)
    device.set_indices(device.create_index_buffer(np.array([0, 1, 2, 0xFFFF], np.uint16)))
    count = 3 if type_ == "LINESTRIP" else 2
    device.draw_indexed_primitive(type_, 0, 0, 0x10000, 0, count)
    assert covered(device) == ALL if count == 2 else len(covered(device)) > 6


def test_base_vertex_may_be_negative() -> None:
    device = made()
    device.set_stream_source(0, device.create_vertex_buffer(vertices(*SQUARE)), 0, 20)
    device.set_indices(device.create_index_buffer(np.arange(10, 14, dtype=np.uint32)))
    device.draw_indexed_primitive("TRIANGLESTRIP", -10, 0, 4, 0, 2)
    assert covered(device) == ALL


def test_indexed_user_data_and_what_is_unset_then() -> None:
    device = made()
    device.set_stream_source(0, device.create_vertex_buffer(16), 0, 4)
    device.set_indices(device.create_index_buffer(16))
    indices = np.array([0, 1, 2, 2, 1, 3], np.uint16)
    device.draw_indexed_primitive_up(
        "TRIANGLELIST", 0, 4, 2, indices, "INDEX16", vertices(*SQUARE), 20
    )
    assert covered(device) == ALL
    assert device.get_stream_source(0).buffer is None
    assert device.get_indices() is None


def test_shaders_constants_and_textures() -> None:
    device = made()
    vs = assemble_stream("vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\n"
                         "mov o0, v0\nmov o1, v0\n")  # fmt: skip
    ps = assemble_stream("ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\n"
                         "mul oC0, r0, c0\n")  # fmt: skip
    device.set_vertex_shader(device.create_vertex_shader(vs))
    device.set_pixel_shader(device.create_pixel_shader(ps))
    device.set_fvf(Fvf.XYZW)
    texture = device.create_texture(1, 1, 1, 0, "A8R8G8B8", "MANAGED")
    texture.surface(0).units.view("<u4")[...] = 0xFFFFFFFF
    device.set_texture(0, texture)
    corners = np.array([(-1, 1, 0, 1), (3, 1, 0, 1), (-1, -3, 0, 1)], np.float32)
    for color, wanted in (((1, 0, 0, 1), RED), ((0, 0, 1, 1), BLUE)):
        device.set_pixel_shader_constant_f(0, color)
        device.draw_primitive_up("TRIANGLELIST", 1, corners, 16)
        assert {c for row in pixels(device) for c in row} == {wanted}
    device.set_texture(0, None)  # then lookups give black
    device.draw_primitive_up("TRIANGLELIST", 1, corners, 16)
    assert {c for row in pixels(device) for c in row} == {BLACK}


def test_a_known_draw_is_not_prepared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    device = made()
    corners = vertices(*SQUARE)
    prepared: list[object] = []
    original = jobs.Jobs.make

    def make(*given: Any) -> jobs.Job:
        prepared.append(given)
        return original(*given)

    monkeypatch.setattr(jobs.Jobs, "make", make)
    for n in range(4):
        device.set_render_state("ALPHABLENDENABLE", n % 2)
        device.set_render_state("DESTBLEND", "ONE")
        device.draw_primitive_up("TRIANGLESTRIP", 2, corners, 20)
    assert len(prepared) == 2


def test_what_is_gone_is_forgotten() -> None:
    device = made()
    buffer = device.create_vertex_buffer(vertices(*SQUARE).copy())
    device.set_stream_source(0, buffer, 0, 20)
    device.draw_primitive("TRIANGLESTRIP", 0, 2)
    assert len(device._jobs._jobs) == 1
    seen = weakref.ref(buffer)
    device.set_stream_source(0, None)
    del buffer
    gc.collect()
    assert seen() is None
    assert len(device._jobs._jobs) == 0


def test_clear_within_viewport_rectangles_and_scissor() -> None:
    device = made()
    device.set_viewport(1, 0, 3, 4)
    device.set_scissor_rect(0, 0, 3, 4)
    device.clear([(0, 0, 4, 1)], "TARGET", RED)
    assert covered(device) == {(1, 0), (2, 0), (3, 0)}
    device.set_render_state("SCISSORTESTENABLE", True)
    device.clear(None, "D3DCLEAR_TARGET", GREEN)
    assert covered(device) == {(1, 0), (2, 0), (3, 0)} | {(x, y) for x in (1, 2) for y in range(4)}


def test_clear_of_depth_and_stencil_keeps_the_other() -> None:
    device = Device(2, 2, engine="interpreter", depth_stencil_format="D24S8")
    device.clear(None, "ZBUFFER | STENCIL", z=1.0, stencil=7)
    depth = device.get_depth_stencil_surface()
    assert depth is not None
    assert set(depth.units.view("<u4").ravel().tolist()) == {0xFFFFFF07}
    device.clear(None, "ZBUFFER", z=0.0)
    assert set(depth.units.view("<u4").ravel().tolist()) == {7}
    with pytest.raises(ResourceError, match=r"^clear: found z 2, wanted 0 to 1"):
        device.clear(None, "ZBUFFER", z=2.0)


def test_clear_under_srgb_write_is_converted() -> None:
    device = made()
    device.set_render_state("SRGBWRITEENABLE", 1)
    device.clear(color=0x80808080)
    assert pixels(device)[0][0] == 0x80BCBCBC


def test_samples_are_resolved_by_stretch_rect() -> None:
    device = made()
    target = device.create_render_target(4, 4, "A8R8G8B8", 4)
    device.set_render_target(0, target)
    device.clear(color=BLACK)
    device.draw_primitive_up("TRIANGLESTRIP", 2, vertices((-1, -1), (1, -1), (-1, 5), (1, 5)), 20)
    device.stretch_rect(target, None, device.back_buffer)
    assert [c >> 8 & 255 for c in pixels(device)[1]] == [255, 128, 0, 0]
    device.set_render_state("MULTISAMPLEANTIALIAS", 0)
    device.clear(color=BLACK)
    device.draw_primitive_up("TRIANGLESTRIP", 2, vertices((-1, -1), (1, -1), (-1, 5), (1, 5)), 20)
    device.stretch_rect(target, None, device.back_buffer)
    assert [c >> 8 & 255 for c in pixels(device)[1]] == [255, 0, 0, 0]


def test_occlusion_queries_count_between_begin_and_end() -> None:
    device = made()
    corners = vertices(*SQUARE)
    outer, inner = device.create_query("OCCLUSION"), device.create_query("OCCLUSION")
    outer.begin()
    device.draw_primitive_up("TRIANGLESTRIP", 2, corners, 20)
    inner.issue("BEGIN")
    device.draw_primitive_up("TRIANGLESTRIP", 1, corners, 20)
    inner.issue("END")
    outer.end()
    device.draw_primitive_up("TRIANGLESTRIP", 2, corners, 20)
    assert (outer.get_data(), inner.get_data()) == (22, 6)  # no centre of the slanted edge
    with pytest.raises(ResourceError, match=r"^query OCCLUSION: found no end"):
        device.create_query(9).get_data()
    event = device.create_query("EVENT")
    event.end()
    assert event.get_data() is True


def test_reset_gives_defaults_and_another_size() -> None:
    device = made()
    device.reset(8, 2)
    assert device.get_viewport() == Viewport9(0, 0, 8, 2)
    assert (device.back_buffer.width, device.back_buffer.height) == (8, 2)
    assert device.get_render_state("CULLMODE") == 3


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"ALPHABLENDENABLE": 1, "SRCBLEND": 99}, "SRCBLEND: found 0x63, wanted 1 .ZERO."),
        ({"ALPHATESTENABLE": 1, "ALPHAFUNC": 9}, "ALPHAFUNC: found 0x9, wanted 1 to 8"),
        ({"CULLMODE": 0}, "CULLMODE: found 0x0, wanted 1 .NONE., 2 .CW., 3 .CCW."),
        ({"STENCILENABLE": 1, "STENCILPASS": 0}, "STENCILPASS: found 0x0"),
    ],
)
def test_values_that_are_none_are_errors_of_draws(setting: dict[str, int], text: str) -> None:
    device = made()
    for state, value in setting.items():
        device.set_render_state(state, value)
    with pytest.raises(ResourceError, match=rf"^{text}"):
        device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE), 20)


def test_states_that_are_not_used_may_be_anything() -> None:
    device = made()
    for state in ("SRCBLEND", "STENCILFUNC", "ALPHAFUNC", "FOGTABLEMODE", "PATCHEDGESTYLE", 45):
        device.set_render_state(state, 0xDEADBEEF)
    device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE), 20)
    assert covered(device) == ALL


def test_errors_of_draws() -> None:
    device = Device(4, 4, engine="interpreter")
    with pytest.raises(ResourceError, match=r"^draw: found no vertex declaration and no FVF"):
        device.draw_primitive("TRIANGLELIST", 0, 1)
    device.set_fvf(COLORED)
    with pytest.raises(ResourceError, match=r"^draw_indexed_primitive: found no index buffer"):
        device.draw_indexed_primitive("TRIANGLELIST", 0, 0, 3, 0, 1)
    with pytest.raises(ResourceError, match=r"^primitive type: found 7"):
        device.draw_primitive(7, 0, 1)
    device.set_render_target(1, device.create_render_target(2, 4))
    device.set_pixel_shader(
        device.create_pixel_shader(assemble_stream("ps_2_0\nmov oC0, c0\nmov oC1, c0\n"))
    )
    with pytest.raises(ResourceError, match=r"^draw: render target 1 is Surface9.2 x 4"):
        device.draw_primitive("TRIANGLELIST", 0, 1)


def test_an_unbound_stream_reads_zeros() -> None:
    device = made()
    assert device.draw_primitive("TRIANGLELIST", 0, 1).samples_passed == 0


def test_pickling_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        made().__reduce__()


def test_a_draw_that_failed_can_be_made_again() -> None:
    device = made()
    device.set_render_state("CULLMODE", 0)
    for _ in range(2):
        with pytest.raises(ShaderError):
            device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE), 20)
    device.set_render_state("CULLMODE", 1)
    device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE), 20)
    assert covered(device) == ALL


def test_targets_without_memory() -> None:
    device = made(depth_stencil_format="D16")
    device.set_render_target(0, device.create_render_target(4, 4, "NULL"))
    device.clear(None, "TARGET | ZBUFFER")
    result = device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE, z=0.5), 20)
    depth = device.get_depth_stencil_surface()
    assert depth is not None
    assert result.samples_passed == 16
    assert set(depth.array.ravel().tolist()) == {0x8000}
    null = device.get_render_target(0)
    assert null is not None
    with pytest.raises(ResourceError, match=r"has no memory$"):
        device.color_fill(null, None, 0)


def test_what_is_shown_is_copied_to_system_memory() -> None:
    device = made()
    device.clear(color=RED)
    there = device.create_offscreen_plain_surface(4, 4, "A8R8G8B8", "SYSTEMMEM")
    device.get_front_buffer_data(0, there)
    assert there.units.view("<u4")[0, 0, 0] == RED
    with pytest.raises(ResourceError, match=r"^get_front_buffer_data: found Surface9"):
        device.get_front_buffer_data(0, device.back_buffer)


def test_lights_of_no_type_do_not_count() -> None:
    device = Device(1, 1, engine="interpreter")
    device.set_fvf(Fvf.XYZ | Fvf.NORMAL)
    unlit = device.listing("vertex")
    device.set_light(0, {"type": 77, "diffuse": (1, 1, 1, 1)})
    device.light_enable(0, enable=True)
    assert device.get_light(0).type == 77
    assert device.listing("vertex") == unlit
    device.set_light(0, {"type": "POINT"})
    assert device.listing("vertex") != unlit


def test_a_plain_divider_repeats_elements_for_consecutive_vertices() -> None:
    device = made()
    declaration = [(0, 0, "FLOAT4", "POSITIONT", 0), (1, 0, "D3DCOLOR", "COLOR", 0)]
    device.set_vertex_declaration(device.create_vertex_declaration(declaration))
    corners = np.array([(x, y, 0, 1) for x, y in ((-1, -1), (9, -1), (-1, 9))] * 2, np.float32)
    colors = np.array([BLUE, RED], np.uint32)
    device.set_stream_source(0, device.create_vertex_buffer(corners), 0, 16)
    device.set_stream_source(1, device.create_vertex_buffer(colors), 0, 4)
    device.set_stream_source_freq(1, 3)
    device.draw_primitive("TRIANGLELIST", 0, 1)
    assert pixels(device)[0][0] == BLUE
    device.draw_primitive("TRIANGLELIST", 3, 1)
    assert pixels(device)[0][0] == RED


def surface(array: np.ndarray) -> Surface9:
    return Surface9(array, "A8R8G8B8", origin=Origin.RENDER_TARGET)


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_a_target_may_be_a_part_of_a_larger_array(engine: str) -> None:
    whole = np.zeros((6, 8), np.uint32)
    device = made(engine=engine)
    device.set_render_target(0, surface(whole[1:4, 2:6]))
    device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE), 20)
    assert (whole[1:4, 2:6] == GREEN).all()
    assert np.count_nonzero(whole) == 12


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros((4, 4), np.uint32)[::-1], "have strides"),
        (np.zeros((4, 8), np.uint32)[:, ::2], "have strides"),
        (np.zeros((4, 4), np.uint32).T, "have strides"),
        (np.zeros((4, 4), np.uint32, order="F")[:, :1], "whose memory is not contiguous"),
        (np.zeros(65, np.uint8)[1:].view(np.uint32).reshape(4, 4), "have strides"),
        (np.lib.stride_tricks.as_strided(np.zeros(16, np.uint32), (4, 4), (64, 4)), "whose memory"),
        (np.frombuffer(bytes(64), np.uint32).reshape(4, 4), "is read-only"),
    ],
)
def test_arrays_that_cannot_be_drawn_to(array: np.ndarray, text: str) -> None:
    device = made()
    device.set_render_target(0, surface(array))
    with pytest.raises(ResourceError, match=f"^render target 0: .*{text}"):
        device.draw_primitive_up("TRIANGLESTRIP", 2, vertices(*SQUARE), 20)


def test_clear_sets_what_is_given() -> None:
    """Without flags depth and stencil are cleared if their values are given, and only then."""
    device = Device(2, 2, depth_stencil_format="D24S8", engine="interpreter")
    depth = device.get_depth_stencil_surface()
    assert depth is not None
    device.clear(color=RED, z=1.0, stencil=7)
    assert np.unique(depth.array).tolist() == [0xFFFFFF07]
    device.clear(color=BLACK)
    device.clear(stencil=1)
    assert np.unique(depth.array).tolist() == [0xFFFFFF01]
    assert np.unique(device.back_buffer.array).tolist() == [0, 255]
    device.clear(None, "D3DCLEAR_ZBUFFER | STENCIL")
    assert np.unique(depth.array).tolist() == [0xFFFFFF00]


def test_user_data_must_hold_what_is_drawn() -> None:
    """The last vertex must begin within the data; what is missing of it is 0."""
    device = Device(2, 2, engine="interpreter")
    device.set_fvf("XYZRHW")
    vertices = np.array([(0, 0, 0, 1), (4, 0, 0, 1), (0, 4, 0, 1)], np.float32)
    with pytest.raises(ResourceError, match="found 32 bytes, wanted 3 vertices of 16 bytes"):
        device.draw_primitive_up("TRIANGLELIST", 1, vertices[:2], 16)
    indices = np.arange(2, dtype=np.uint16)
    with pytest.raises(ResourceError, match="index data: found 4 bytes, wanted 3 indices of 2"):
        device.draw_indexed_primitive_up("TRIANGLELIST", 0, 3, 1, indices, "INDEX16", vertices, 16)
    with pytest.raises(ResourceError, match="vertex data: found an array of float64"):
        device.draw_primitive_up("TRIANGLELIST", 1, vertices.astype(np.float64), 16)
    assert device.draw_primitive_up("TRIANGLELIST", 1, vertices, 16).samples_passed == 4
