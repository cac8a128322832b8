"""Samplers whose number is computed, with textures whose number is computed too."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from softd3d.device.bind import bind
from softd3d.device.dispatch import dispatch
from softd3d.interp import interpret_lanes
from softd3d.isa.sampling.state import SamplerState
from softd3d.jit.engine import compile_kernel
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.textures.texture import Texture2D
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

ENGINES = [("interpreter", 0), ("jit", 4), ("jit", 8), ("jit", 16), ("jit", 64)]
EVERY_ENGINE = pytest.mark.parametrize(("engine", "lanes"), ENGINES)
THREADS = 45
COORDINATE = 1.375  # of four texels: wrapped it is in texel 1, mirrored in 2, clamped in 3

HEAD = f"""cs_5_1
dcl_sampler S0[1:{{last}}], {{mode}}, space=2
dcl_resource_texture2d (float,float,float,float) T0[0:2], space=0
dcl_resource_raw T1[0:0], space=1
dcl_uav_raw U0[0:0], space=0
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group {THREADS}, 1, 1
ishl r0.x, vThreadID.x, l(3)
ishl r0.y, vThreadID.x, l(2)
ld_raw r0.zw, r0.x, T1[0].xxxy
"""
SAMPLE = "sample_l r1.x, l(1.375, 0.5, 0.0, 0.0), T0[r0.z + 0].xyzw, S0[r0.w + 1], l(0.0)\n"
COMPARE = "sample_c_lz r1.x, l(1.375, 0.5, 0.0, 0.0), T0[r0.z + 0].xxxx, S0[r0.w + 1], l(2.0)\n"
TAIL = "store_raw U0[0].x, r0.y, r1.x\nret"

POINT = "MIN_MAG_MIP_POINT"
STATES = {
    0: SamplerState(POINT, address_u="WRAP"),
    1: SamplerState(POINT, address_u="BORDER", border_color=(0.25, 0, 0, 0)),
    2: SamplerState(POINT, address_u="MIRROR"),
    5: SamplerState(POINT, address_u="WRAP"),
}
TEXEL = {0: 1, 2: 2, 5: 1}


def run(text: str, engine: str, lanes: int, asked: np.ndarray, **bindings: Any) -> np.ndarray:
    out = np.full(THREADS, -1, np.float32)
    textures = {n: np.arange(4, dtype=np.float32)[None] + 10 * n for n in (0, 1)}
    srvs: dict[Any, Any] = {n: Texture2D(a, "R32_FLOAT") for n, a in textures.items()}
    srvs |= {2: None, (0, 1): RawBuffer(asked)}
    dispatch(
        load_shader(assemble_tokens(text)), (1, 1, 1), srvs=srvs, uavs={0: RawBuffer(out)},
        engine=engine, lanes=lanes, **bindings,
    )  # fmt: skip
    return out


def asked_numbers(kind: str) -> np.ndarray:
    if kind == "uniform":
        return np.tile(np.array([1, 2], np.uint32), (THREADS, 1))
    found = np.random.default_rng(7).integers(0, 8, (THREADS, 2)).astype(np.uint32)
    found[:, 0] &= 3  # two textures, one unbound, one that is not there
    found[::9, 1] = 0xFFFFFFFF
    return found


@EVERY_ENGINE
@pytest.mark.parametrize("kind", ["uniform", "divergent"])
@pytest.mark.parametrize("last", ["6", "*"])
def test_sampler_and_texture_of_each_thread(engine: str, lanes: int, kind: str, last: str) -> None:
    """A number without sampler means the default one, which clamps."""
    asked = asked_numbers(kind)
    samplers: dict[Any, Any] = {(1 + n, 2): state for n, state in STATES.items()}
    if last != "*":
        samplers |= {(1 + n, 2): None for n in (3, 4)}
    text = HEAD.format(last=last, mode="mode_default") + SAMPLE + TAIL
    found = run(text, engine, lanes, asked, samplers=samplers)
    wanted = [
        0 if t > 1 else 0.25 if s == 1 else 10 * t + TEXEL.get(s, 3) for t, s in asked.tolist()
    ]
    np.testing.assert_array_equal(found, np.array(wanted, np.float32))


@EVERY_ENGINE
def test_comparing_samplers(engine: str, lanes: int) -> None:
    """Texture 0 gives 1, 2 or 3 for the reference 2.0; a missing sampler never passes."""
    states = {
        0: SamplerState(f"COMPARISON_{POINT}", address_u="WRAP", comparison_func="GREATER"),
        1: SamplerState(f"COMPARISON_{POINT}", address_u="MIRROR", comparison_func="EQUAL"),
        3: SamplerState(f"COMPARISON_{POINT}", address_u="CLAMP", comparison_func="GREATER"),
    }
    asked = np.zeros((THREADS, 2), np.uint32)
    asked[:, 1] = np.arange(THREADS) % 5
    text = HEAD.format(last="*", mode="mode_comparison") + COMPARE + TAIL
    samplers = {(1 + n, 2): state for n, state in states.items()}
    found = run(text, engine, lanes, asked, samplers=samplers)
    wanted = [1.0 if n in (0, 1) else 0.0 for n in asked[:, 1]]  # 2 > 1, 2 = 2, not 2 > 3
    np.testing.assert_array_equal(found, np.array(wanted, np.float32))


@EVERY_ENGINE
def test_border_colours_that_differ_in_the_sign_of_a_zero(engine: str, lanes: int) -> None:
    samplers: dict[Any, Any] = {
        (1 + n, 2): SamplerState(POINT, address_u="BORDER", border_color=(zero, 0, 0, 0))
        for n, zero in enumerate((0.0, -0.0))
    }
    asked = np.zeros((THREADS, 2), np.uint32)
    asked[:, 1] = np.arange(THREADS) & 1
    text = HEAD.format(last="2", mode="mode_default") + SAMPLE + TAIL
    found = run(text, engine, lanes, asked, samplers=samplers)
    assert found.view(np.uint32).tolist() == (asked[:, 1] << 31).tolist()


QUAD = """ps_5_1
dcl_sampler S0[0:1], mode_default, space=0
dcl_resource_texture2d (float,float,float,float) T0[0:3], space=0
dcl_input_ps linear v0.xy
dcl_input_ps constant v0.zw
dcl_output o0.x
dcl_temps 2
mov r0.xyzw, v0.xyzw
sample r1.x, r0.xyxx, T0[r0.z + 0].xyzw, S0[r0.w + 0]
mov o0.x, r1.x
ret
"""


def levels(format_: str, size: int, first: int) -> Texture2D:
    """Return a texture that says which level is read: `first` and up."""
    mips = size.bit_length()
    dtype = np.float32 if format_ == "R32_FLOAT" else np.float16
    data = [np.full((size >> n) ** 2, first + n, dtype).tobytes() for n in range(mips)]
    return Texture2D.from_bytes(b"".join(data), format_, width=size, height=size, mip_levels=mips)


@pytest.mark.parametrize("lanes", [0, 4, 8, 16])
def test_derivatives_of_quads_whose_lanes_name_different_registers(lanes: int) -> None:
    """All lanes that sample count, whatever they sample: 4 texels of 16 a pixel are level 2."""
    srvs: dict[Any, Any] = {0: levels("R32_FLOAT", 16, 0), 1: levels("R16_FLOAT", 16, 10), 2: None}
    srvs[3] = levels("R32_FLOAT", 64, 28)
    samplers = {0: SamplerState(POINT), 1: SamplerState(POINT, mip_lod_bias=1.0)}
    bound = bind(load_shader(assemble_tokens(QUAD)), srvs=srvs, samplers=samplers)
    which = np.array(list(product(range(4), (0, 1), range(4), (0, 1))), np.uint32)
    lane = np.arange(4 * len(which)) % 4
    texture = np.where(lane & 1, which[:, 2].repeat(4), which[:, 0].repeat(4)).astype(np.uint32)
    sampler = np.where(lane & 1, which[:, 3].repeat(4), which[:, 1].repeat(4)).astype(np.uint32)
    u, v = (0.25 * (lane & 1)).astype(np.float32), (0.25 * (lane >> 1)).astype(np.float32)
    inputs = dict(zip(("v0.x", "v0.y"), (u.view(np.uint32), v.view(np.uint32)), strict=True))
    inputs |= {"v0.z": texture, "v0.w": sampler}
    level = np.array([2, 12, 0, 32], np.float32)[texture]  # 16 texels of 64 are level 4
    wanted = np.where(texture == 2, 0, level + sampler)
    if lanes:
        _, found = compile_kernel(bound, lanes=lanes).run_lanes(bound, lane.size, inputs)
    else:
        _, found = interpret_lanes(bound, lane.size, inputs)
    np.testing.assert_array_equal(found["o0.x"].view(np.float32), wanted)
