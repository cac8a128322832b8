"""Output of Direct3D 9 draws: the second source of blending, bias, flat fog, vendors' codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import Device, Fvf
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import fourcc_number
from softd3d.isa.asm.sm1.assembler import assemble_stream

ENGINES = ["interpreter", "jit"]
RESZ = 0x7FA05000


def corners(z: float = 0.5) -> Any:
    """Return a triangle of XYZRHW vertices that covers small targets."""
    return np.array([(-1, -1, z, 1), (40, -1, z, 1), (-1, 40, z, 1)], np.float32)


def shaded(device: Device, text: str, z: float = 0.5) -> None:
    device.set_pixel_shader(device.create_pixel_shader(assemble_stream(text)))
    device.set_fvf(Fvf.XYZRHW)
    device.draw_primitive_up("TRIANGLELIST", 1, corners(z), 16)


def second(device: Device) -> None:
    """Draw oC0 = (1/2, 1/2, 1/2, 1/2) and oC1 = (1, 0, 1/4, 3/4)."""
    shaded(
        device,
        "ps_2_0\ndef c0, 1, 0, 0.25, 0.75\ndef c1, 0.5, 0.5, 0.5, 0.5\n"
        "mov r0, c1\nmov r1, c0\nmov oC0, r0\nmov oC1, r1\n",
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("factors", "wanted"),
    [
        (("SRCCOLOR2", "ZERO"), (0.5, 0, 0.125, 0.375)),
        (("INVSRCCOLOR2", "ZERO"), (0, 0.5, 0.375, 0.125)),
        (("ZERO", "SRCCOLOR2"), (1, 0, 0.25, 0.75)),  # of a target of ones
        (("ONE", "INVSRCCOLOR2"), (0.5, 1.5, 1.25, 0.75)),
    ],
)
def test_factors_of_the_second_output(
    engine: str, factors: tuple[str, str], wanted: tuple[float, ...]
) -> None:
    device = Device(2, 2, "A32B32G32R32F", engine=engine)
    other = device.create_render_target(2, 2, "A32B32G32R32F")
    device.set_render_target(1, other)  # has no part in it
    device.back_buffer.array[...] = 1
    device.set_render_state("ALPHABLENDENABLE", 1)
    for state, factor in zip(("SRCBLEND", "DESTBLEND"), factors, strict=True):
        device.set_render_state(state, factor)
    second(device)
    assert (device.back_buffer.array == np.float32(wanted)).all()
    assert (other.array == 0).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_second_factor_of_alpha_alone(engine: str) -> None:
    device = Device(1, 1, "A32B32G32R32F", engine=engine)
    for state in ("ALPHABLENDENABLE", "SEPARATEALPHABLENDENABLE"):
        device.set_render_state(state, 1)
    device.set_render_state("SRCBLENDALPHA", "SRCCOLOR2")
    second(device)
    assert device.back_buffer.array[0, 0].tolist() == [0.5, 0.5, 0.5, 0.375]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("bias", "wanted"), [(0.25, 0.75), (-0.25, 0.25), (0.75, 1), (-0.75, 0)])
def test_a_bias_may_lead_out_of_the_viewport(engine: str, bias: float, wanted: float) -> None:
    device = Device(2, 2, depth_stencil_format="D32F_LOCKABLE", engine=engine)
    device.clear(flags="ZBUFFER", z=1)
    device.set_render_state("ZFUNC", "ALWAYS")
    device.set_render_state("DEPTHBIAS", bias)
    device.set_render_state("CULLMODE", "NONE")
    device.set_render_state("LIGHTING", 0)
    device.set_viewport(0, 0, 2, 2, 0.5, 0.5)
    device.set_fvf(Fvf.XYZ)
    triangle = np.array([(-1, 1, 0), (3, 1, 0), (-1, -3, 0)], np.float32)
    device.draw_primitive_up("TRIANGLELIST", 1, triangle, 12)
    assert (depths(device) == np.float32(wanted)).all()


def depths(device: Device) -> Any:
    surface = device.get_depth_stencil_surface()
    assert surface is not None
    return surface.units.view(np.float32)


@pytest.mark.parametrize("engine", ENGINES)
def test_depths_of_shaders_stay_in_the_viewport(engine: str) -> None:
    device = Device(2, 2, depth_stencil_format="D32F_LOCKABLE", engine=engine)
    device.set_render_state("ZFUNC", "ALWAYS")
    device.set_viewport(0, 0, 2, 2, 0.25, 0.5)
    vs = "vs_2_0\ndcl_position v0\nmov oPos, v0\n"
    device.set_vertex_shader(device.create_vertex_shader(assemble_stream(vs)))
    ps = "ps_2_0\ndef c0, 0.75, 0, 0, 1\nmov oC0, c0\nmov r0, c0.x\nmov oDepth, r0.x\n"
    device.set_pixel_shader(device.create_pixel_shader(assemble_stream(ps)))
    device.set_fvf(Fvf.XYZW)
    triangle = np.array([(-1, 1, 0, 1), (3, 1, 0, 1), (-1, -3, 0, 1)], np.float32)
    device.draw_primitive_up("TRIANGLELIST", 1, triangle, 16)
    assert (depths(device) == 0.5).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_fog_of_vertices_is_interpolated_though_colours_are_flat(engine: str) -> None:
    device = Device(4, 1, "A32B32G32R32F", engine=engine)
    device.set_render_state("SHADEMODE", "FLAT")
    device.set_render_state("FOGENABLE", 1)
    device.set_render_state("CULLMODE", "NONE")
    device.set_fvf(Fvf.XYZRHW | Fvf.DIFFUSE | Fvf.SPECULAR)
    vertices = np.zeros(3, [("position", "f4", 4), ("diffuse", "u4"), ("specular", "u4")])
    vertices["position"] = (0, -1, 0, 1), (4, -1, 0, 1), (0, 9, 0, 1)
    vertices["diffuse"] = 0xFFFFFFFF, 0xFF000000, 0xFF000000
    vertices["specular"] = 0xFF000000, 0x00000000, 0xFF000000  # fog: 1 at the left, 0 at x = 4
    device.draw_primitive_up("TRIANGLELIST", 1, vertices, 24)
    # White in black fog. The edge ends at x = 3.6 of row 0.
    assert device.back_buffer.array[0, :, 0].tolist() == [1, 0.75, 0.5, 0.25]


@pytest.mark.parametrize(
    ("state", "code", "text"),
    [
        ("POINTSIZE", "A2M1", "alpha to coverage"),
        ("ADAPTIVETESS_Y", "ATOC", "alpha to coverage"),
        ("ADAPTIVETESS_Y", "SSAA", "supersampling"),
        ("ADAPTIVETESS_X", "NVDB", "the depth bounds"),
    ],
)
def test_codes_of_vendors_are_refused_by_name(state: str, code: str, text: str) -> None:
    device = Device(2, 2, engine="interpreter")
    device.set_fvf(Fvf.XYZRHW)
    device.draw_primitive_up("TRIANGLELIST", 1, corners(), 16)
    device.set_render_state(state, fourcc_number(code))
    for _ in range(2):
        with pytest.raises(ResourceError, match=f"{state}.*{code}, {text}"):
            device.draw_primitive_up("TRIANGLELIST", 1, corners(), 16)
    device.set_render_state(state, 0)
    device.draw_primitive_up("TRIANGLELIST", 1, corners(), 16)


def test_rendering_to_vertex_buffers_and_fetch4_are_refused() -> None:
    device = Device(2, 2, engine="interpreter")
    device.set_render_state("POINTSIZE", 0x7FA00001)
    with pytest.raises(ResourceError, match="R2VB"):
        shaded(device, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n")
    device.set_render_state("POINTSIZE", 1.0)
    device.set_texture(0, device.create_texture(1, 1))
    device.set_sampler_state(0, "MIPMAPLODBIAS", fourcc_number("GET4"))
    text = "ps_2_0\ndcl_2d s0\ndef c0, 0, 0, 0, 0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0\n"
    with pytest.raises(ResourceError, match=r"sampler 0.*GET4"):
        shaded(device, text)
    device.set_sampler_state(0, "MIPMAPLODBIAS", fourcc_number("GET1"))
    shaded(device, text)


def test_codes_that_ask_for_nothing_more_are_no_sizes() -> None:
    device = Device(2, 2, engine="interpreter")
    for code in ("INST", "A2M0"):
        device.set_render_state("POINTSIZE", fourcc_number(code))
    assert device.get_render_state("POINTSIZE") == 0x3F800000


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("form", "texel"), [("INTZ", 0x00800000), ("D24S8", 0x80000000), ("DF24", 0x00800000)]
)
def test_resz_copies_the_first_sample_of_depths(engine: str, form: str, texel: int) -> None:
    device = Device(2, 2, samples=4, depth_stencil_format="D24S8", engine=engine)
    device.clear(flags="ZBUFFER", z=1)
    shaded(device, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n")
    device.set_texture(0, device.create_texture(2, 2, usage=2, format=form))
    device.set_render_state("POINTSIZE", RESZ)
    found = device.get_texture(0)
    assert found is not None
    assert (found.surface(0).units.view("<u4") == texel).all()  # round(0.5 * (2**24 - 1))
    assert device.get_render_state("POINTSIZE") == 0x3F800000


def test_resz_needs_depths_of_the_same_size_and_kind() -> None:
    device = Device(2, 2, engine="interpreter")
    with pytest.raises(ResourceError, match="RESZ, but no depth-stencil surface"):
        device.set_render_state("POINTSIZE", RESZ)
    device.set_depth_stencil_surface(device.create_depth_stencil_surface(2, 2, "D24S8"))
    with pytest.raises(ResourceError, match="RESZ, but no texture at sampler 0"):
        device.set_render_state("POINTSIZE", RESZ)
    for size, usage, form in ((4, 2, "INTZ"), (2, 2, "DF16"), (2, 0, "A8R8G8B8")):
        device.set_texture(0, device.create_texture(size, size, usage=usage, format=form))
        with pytest.raises(ResourceError, match="RESZ found"):
            device.set_render_state("POINTSIZE", RESZ)
