"""ProcessVertices: vertex processing into a buffer of processed vertices, by hand-worked values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import Device, Fvf
from softd3d.errors import ResourceError
from softd3d.isa.asm.sm1.assembler import assemble_stream

ENGINES = ["interpreter", "jit"]
SOURCE = np.dtype([("position", "<f4", 3), ("color", "<u4"), ("coordinates", "<f4", 2)])
RESULT = np.dtype([("position", "<f4", 4), ("color", "<u4"), ("coordinates", "<f4", 2)])
SOURCE_FVF = Fvf.XYZ | Fvf.DIFFUSE | Fvf.TEX1
RESULT_FVF = Fvf.XYZRHW | Fvf.DIFFUSE | Fvf.TEX1


def made(engine: str = "interpreter") -> Device:
    """Return a device with four vertices, an 8 x 4 viewport at (2, 1), depths 0.25 to 0.75."""
    device = Device(16, 8, engine=engine)
    device.set_viewport(2, 1, 8, 4, 0.25, 0.75)
    device.set_render_state("LIGHTING", 0)
    data = np.zeros(4, SOURCE)
    data["position"] = (9, 9, 9), (0, 0, 0), (1, 1, 1), (-1, -0.5, 0.5)
    data["color"] = 0, 0x80FF0102, 0xFFFFFFFF, 0x12345678
    data["coordinates"] = (0, 0), (1, 2), (3, 4), (5, 6)
    device.set_fvf(SOURCE_FVF)
    device.set_stream_source(0, device.create_vertex_buffer(data), 0, SOURCE.itemsize)
    return device


@pytest.mark.parametrize("engine", ENGINES)
def test_the_fixed_function(engine: str) -> None:
    device = made(engine)
    double_w = np.diag([1, 1, 1, 2]).astype(np.float32)
    device.set_transform("PROJECTION", double_w)
    result = np.zeros(5, RESULT)
    device.process_vertices(1, 2, 3, device.create_vertex_buffer(result), RESULT_FVF)
    assert (result[:2] == np.zeros(2, RESULT)).all()
    # w is 2: x is 2 + (x / 2 + 1) * 4, y is 1 + (1 - y / 2) * 2, z is 0.25 + z / 2 * 0.5.
    wanted = [[6, 3, 0.25, 0.5], [8, 2, 0.5, 0.5], [4, 3.5, 0.375, 0.5]]
    assert result["position"][2:].tolist() == wanted
    assert result["color"][2:].tolist() == [0x80FF0102, 0xFFFFFFFF, 0x12345678]
    assert result["coordinates"][2:].tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("engine", ENGINES)
def test_shaders_and_what_they_leave_out(engine: str) -> None:
    device = made(engine)
    text = "vs_2_0\ndcl_position v0\nmov oPos, v0\nadd oT0, v0, c5\n"
    device.set_vertex_shader(device.create_vertex_shader(assemble_stream(text)))
    device.set_vertex_shader_constant_f(5, [[0.5, 0.25, 0, 0]])
    for flags, color in ((0, 0x80FF0102), (1, 0x77777777)):
        result = np.zeros(1, RESULT)
        result["color"] = 0x77777777
        device.process_vertices(1, 0, 1, device.create_vertex_buffer(result), RESULT_FVF, flags)
        assert result["position"].tolist() == [[6, 3, 0.25, 1]]
        assert result["coordinates"].tolist() == [[0.5, 0.25]]
        assert result["color"].tolist() == [color]  # copied, or left as it was


def test_fog_becomes_the_alpha_of_the_second_colour() -> None:
    device = made()
    device.set_render_state("FOGENABLE", 1)
    device.set_render_state("FOGVERTEXMODE", "LINEAR")
    device.set_render_state("FOGEND", 2.0)  # from 0: z = 1 gives a half
    result = np.zeros(1, [("position", "<f4", 4), ("specular", "<u4")])
    buffer = device.create_vertex_buffer(result)
    device.process_vertices(2, 0, 1, buffer, Fvf.XYZRHW | Fvf.SPECULAR)
    assert result["specular"].tolist()[0] >> 24 == 0x80


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_processed_draws_as_its_source(engine: str) -> None:
    device = made(engine)
    device.set_render_state("CULLMODE", "NONE")
    device.draw_primitive("TRIANGLELIST", 1, 1)
    direct = device.back_buffer.units.copy()
    device.clear(color=0)
    buffer = device.create_vertex_buffer(3 * RESULT.itemsize)
    device.process_vertices(1, 0, 3, buffer, device_declaration(device))
    device.set_fvf(RESULT_FVF)
    device.set_stream_source(0, buffer, 0, RESULT.itemsize)
    assert device.draw_primitive("TRIANGLELIST", 0, 1).samples_passed > 0
    assert np.abs(direct.astype(int) - device.back_buffer.units).max() <= 1


def device_declaration(device: Device) -> Any:
    return device.create_vertex_declaration(
        [
            (0, 0, "FLOAT4", "POSITIONT", 0),
            (0, 16, "D3DCOLOR", "COLOR", 0),
            (0, 20, "FLOAT2", "TEXCOORD", 0),
        ]
    )


def test_vertices_beyond_the_streams_are_zeros_and_no_vertices_are_none() -> None:
    device = made()
    result = np.ones(1, RESULT)
    buffer = device.create_vertex_buffer(result)
    device.process_vertices(0, 1, 0, buffer, RESULT_FVF)
    assert result["color"].tolist() == [1]
    device.process_vertices(1 << 20, 0, 1, buffer, RESULT_FVF)
    assert result["position"].tolist() == [[6, 3, 0.25, 1]]
    assert (result["color"].tolist(), result["coordinates"].tolist()) == ([0], [[0, 0]])


def test_what_is_refused() -> None:
    device = made()
    buffer = device.create_vertex_buffer(2 * RESULT.itemsize)
    with pytest.raises(ResourceError, match="room for 3 vertices of 28 bytes"):
        device.process_vertices(0, 1, 2, buffer, RESULT_FVF)
    with pytest.raises(ResourceError, match="wanted POSITIONT"):
        device.process_vertices(0, 0, 1, buffer, SOURCE_FVF)
    with pytest.raises(ResourceError, match="flags"):
        device.process_vertices(0, 0, 1, buffer, RESULT_FVF, 2)
    device.begin_state_block()
    with pytest.raises(ResourceError, match="state block"):
        device.process_vertices(0, 0, 1, buffer, RESULT_FVF)
    device.end_state_block()
    device.set_fvf(RESULT_FVF)
    with pytest.raises(ResourceError, match="POSITIONT in the source"):
        device.process_vertices(0, 0, 1, buffer, RESULT_FVF)
