"""Rules of Direct3D 9 that no sample case has, with values worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import Device, Fvf
from softd3d.isa.asm.sm1.assembler import assemble_stream

ENGINES = ["interpreter", "jit"]
BLUE, BLACK = 0xFF0000FF, 0xFF000000
CLIP_VS = "vs_2_0\ndcl_position v0\nmov oPos, v0\n"
CONSTANT_PS = "ps_2_0\nmov r0, c0\nmov oC0, r0\n"
DEPTH_PS = CONSTANT_PS + "mov r1, c1\nmov oDepth, r1.x\n"


def made(engine: str, size: tuple[int, int] = (1, 1), **options: Any) -> Device:
    """Return a device that neither culls nor lights."""
    device = Device(*size, engine=engine, **options)
    device.set_render_state("CULLMODE", "NONE")
    return device


def shade(device: Device, text: str) -> None:
    device.set_pixel_shader(device.create_pixel_shader(assemble_stream(text)))


def draw_clip(device: Device, z: float) -> None:
    """Draw all pixels of a target through a vertex shader, at a depth in clip space."""
    device.set_vertex_shader(device.create_vertex_shader(assemble_stream(CLIP_VS)))
    device.set_fvf(Fvf.XYZ)
    corners = np.array([(-1, 1, z), (3, 1, z), (-1, -3, z)], np.float32)
    device.draw_primitive_up("TRIANGLELIST", 1, corners, 12)


def draw_screen(device: Device, z: float = 0.5) -> None:
    """Draw all pixels of a small target with processed vertices."""
    device.set_fvf(Fvf.XYZRHW)
    corners = np.array([(-1, -1, z, 1), (99, -1, z, 1), (-1, 99, z, 1)], np.float32)
    device.draw_primitive_up("TRIANGLELIST", 1, corners, 16)


def depth_of(device: Device) -> float:
    surface = device.get_depth_stencil_surface()
    assert surface is not None
    return surface.array.view(np.float32)[0, 0].item()


def test_a_clear_of_no_rectangles_is_that_of_the_viewport() -> None:
    device = made("interpreter", (2, 1))
    device.clear(color=BLACK)
    device.set_viewport(1, 0, 1, 1)
    device.clear([], "TARGET", BLUE)
    assert device.back_buffer.units.view("<u4")[0, :, 0].tolist() == [BLACK, BLUE]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_biased_depth_may_leave_the_range_of_the_viewport(engine: str) -> None:
    device = made(engine, depth_stencil_format="D32F_LOCKABLE")
    device.set_render_state("ZFUNC", "ALWAYS")
    device.set_viewport(0, 0, 1, 1, 0.25, 0.5)
    shade(device, CONSTANT_PS)
    for bias, wanted in ((0.25, 0.625), (-0.25, 0.125), (0.75, 1.0), (-0.5, 0.0), (0.0, 0.375)):
        device.set_render_state("DEPTHBIAS", bias)
        draw_clip(device, 0.5)
        assert depth_of(device) == wanted


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_processed", [False, True])
def test_a_depth_of_a_shader_stays_in_the_range_of_the_viewport(
    engine: str, is_processed: bool
) -> None:
    device = made(engine, depth_stencil_format="D32F_LOCKABLE")
    device.set_render_state("ZFUNC", "ALWAYS")
    device.set_viewport(0, 0, 1, 1, 0.5, 0.25)
    device.set_render_state("DEPTHBIAS", 0.125)
    shade(device, DEPTH_PS)
    for given, wanted in ((0.125, 0.25), (0.375, 0.375), (0.75, 0.5)):
        device.set_pixel_shader_constant_f(1, [given, 0, 0, 0])
        if is_processed:
            draw_screen(device)
        else:
            draw_clip(device, 0.5)
        assert depth_of(device) == wanted


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["L8", "A8L8"])
def test_luminance_is_never_decoded(engine: str, name: str) -> None:
    device = made(engine, format="A32B32G32R32F")
    texture = device.create_texture(1, 1, format=name, pool="MANAGED")
    texture.memory[:] = 51
    device.set_texture(0, texture)
    device.set_sampler_state(0, "SRGBTEXTURE", 1)
    shade(device, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nmov oC0, r0\n")
    draw_screen(device)
    assert device.back_buffer.array[0, 0, :3].tolist() == [np.float32(0.2)] * 3
