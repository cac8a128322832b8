"""What large programs do in many places is a function that is called: the same bits, short code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.lower import functions
from softd3d.lower.to_ir import lower
from softd3d.shaders.shader import Shader, load_shader

SAMPLES = 60
HEAD = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_sampler s1, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_texture2d (float,float,float,float) t1
dcl_uav_raw u0
dcl_input vThreadID.xyz
dcl_temps 4
dcl_thread_group 24, 1, 1
utof r0.xyzw, vThreadID.xxxx
mul r0.xyzw, r0.xyzw, l(0.03, 0.07, 0.11, 0.13)
mov r1.xyzw, l(0,0,0,0)
"""
TAIL = """
ishl r2.x, vThreadID.x, l(4)
store_raw u0.xyzw, r2.x, r1.xyzw
ret
"""
SAMPLE = """
sample_l r2.xyzw, r0.{0}, t{1}.xyzw, s{2}, r0.x
if_nz r2.x
sincos r3.x, r3.y, r2.x
endif
add r1.xyzw, r1.xyzw, r2.xyzw
mad r0.xyzw, r2.wzyx, l(0.25,0.5,0.125,0.5), r0.yzwx
add r1.xy, r1.xyxx, r3.xyxx
"""


def program(count: int) -> Shader:
    pieces = [SAMPLE.format(("xyxx", "zwzz")[n % 2], n // 2 % 2, n // 4 % 2) for n in range(count)]
    return load_shader(softd3d.assemble(HEAD + "".join(pieces) + TAIL))


def bindings() -> dict[str, Any]:
    texels = np.random.default_rng(5).random((16, 16, 4), np.float32)
    border = softd3d.SamplerState(
        "MIN_MAG_MIP_POINT", address_u="BORDER", border_color=(0.5, -0.0, 0, 1)
    )
    textures = (softd3d.Texture2D(t, "R32G32B32A32_FLOAT") for t in (texels, texels[::-1].copy()))
    return {
        "srvs": dict(enumerate(textures)),
        "samplers": {0: softd3d.SamplerState(address_u="WRAP"), 1: border},
    }


def output(shader: Shader, engine: str, **options: Any) -> list[int]:
    out = np.zeros(4 * 24, np.uint32)
    softd3d.dispatch(
        shader, (1, 1, 1), uavs={0: softd3d.RawBuffer(out)}, engine=engine, **bindings(), **options
    )
    return out.tolist()


@pytest.mark.parametrize("lanes", [4, 16, 64])
def test_a_large_program_gives_the_bits_of_the_interpreter(lanes: int) -> None:
    shader = program(SAMPLES)
    assert output(shader, "jit", lanes=lanes) == output(shader, "interpreter")


@pytest.mark.parametrize("lanes", [4, 8, 32])
def test_a_small_program_does_so_too(lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "SHARED_FROM", 0)
    monkeypatch.setattr(functions, "LEAST", 2)
    monkeypatch.setenv("SOFTD3D_CACHE", "0")
    shader = program(9)  # another than the others': kernels are kept in the process
    assert output(shader, "jit", lanes=lanes) == output(shader, "interpreter")


def test_filters_are_recorded_once() -> None:
    """One for each sampler, as what differs between the views is memory alone; and one stores."""
    shader = program(SAMPLES)
    out = softd3d.RawBuffer(np.zeros(4 * 24, np.uint32))
    bound = softd3d.Dispatch(shader, (1, 1, 1), uavs={0: out}, **bindings()).bound
    graph = lower(bound)
    called = {n.attr.number for n in graph.block if n.op == "call"}
    assert len(called) == 2 + 1


def test_calls_that_unfold_to_too_much_are_refused_early() -> None:
    body = "label label0\n" + "mad r1.xyzw, r0.xyzw, r0.yzwx, r1.xyzw\n" * 99 + "ret\n"
    text = HEAD + "call label0\n" * 200 + TAIL + body
    shader = load_shader(softd3d.assemble(text))
    out = softd3d.RawBuffer(np.zeros(4 * 24, np.uint32))
    with pytest.raises(softd3d.LoweringError, match="one in a call counts as 3; use engine="):
        softd3d.dispatch(shader, (1, 1, 1), uavs={0: out}, engine="jit", **bindings())
