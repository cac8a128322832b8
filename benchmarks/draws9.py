"""Draws of Direct3D 9: small ones through the device, and the kit's scenes beside Direct3D 11's.

    python benchmarks/draws9.py [small] [scenes] [--rounds N] [--profile NAME]

small: 10,000 calls of two triangles, microseconds of CPU a call: with nothing set in between, with
a matrix set before each, and with texture, vertex buffer and a state as well. scenes: mesh, small,
fill and heavy of the kit in ../shared/bench as vs_3_0 and ps_3_0 through the device, and as
Direct3D 11 draws, in turn in one process; milliseconds of CPU and of the wall, the best of some
rounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import softd3d
from softd3d.d3d9 import Device

sys.path[:0] = [str(Path(__file__).parents[2] / "shared" / "bench"), str(Path(__file__).parent)]

CALLS = 10_000
SCENES = ("mesh", "small", "fill", "heavy")
MESH_VS = """vs_3_0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
dcl_position o0
dcl_texcoord1 o1.xyz
dcl_texcoord o2.xy
dcl_texcoord2 o3.xyz
mul r0, v0.y, c1
mad r0, c0, v0.x, r0
mad r0, c2, v0.z, r0
add o0, r0, c3
mov o1.xyz, v1
mov o2.xy, v2
mov o3.xyz, v0
"""
MESH_PS = """ps_3_0
def c0, 0, 0.1, 32, 0.5
def c1, 1, 0, 0, 0
dcl_texcoord1 v1.xyz
dcl_texcoord v2.xy
dcl_texcoord2 v3.xyz
dcl_2d s0
add r0.xyz, -v3, c5
dp3 r0.w, r0, r0
rsq r0.w, r0.w
mul r0.xyz, r0.w, r0
add r1.xyz, -v3, c4
dp3 r0.w, r1, r1
rsq r0.w, r0.w
mad r1.xyz, r1, r0.w, r0
dp3 r0.w, r1, r1
rsq r0.w, r0.w
mul r1.xyz, r0.w, r1
dp3 r0.w, v1, v1
rsq r0.w, r0.w
mul r2.xyz, r0.w, v1
dp3 r0.w, r2, r1
dp3 r0.x, r2, r0
max r0.xy, r0.xwzw, c0.x
add r0.x, r0.x, c0.y
log r0.y, r0.y
mul r0.y, r0.y, c0.z
exp r0.y, r0.y
mul r0.y, r0.y, c0.w
texld r1, v2, s0
mad oC0.xyz, r1, r0.x, r0.y
mov oC0.w, c1.x
"""
QUAD_VS = """vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_position o0
dcl_texcoord o1.xy
mov o0, v0
mov o1.xy, v1
"""
FILL_PS = """ps_3_0
def c0, 0.5, 0.1, 0, 0
dcl_texcoord v1.xy
mov oC0.xy, v1
mov oC0.zw, c0.xyxy
"""
HEAVY_PS = """ps_3_0
def c0, 0.7, 1.3, 2.3, 0.217391
def c1, 1, 0, 0, 0
defi i0, 100, 0, 0, 0
dcl_texcoord v1.xy
mov r0.x, v1.x
rep i0
sincos r1.y, r0.x
mad r0.w, r0.x, c0.x, v1.y
sincos r2.x, r0.w
mad r0.x, r1.y, c0.y, r2.x
endrep
add r0.x, r0.x, c0.z
mul oC0.xyz, r0.x, c0.w
mov oC0.w, c1.x
"""


# Small draws


def small_device(profile: str) -> tuple[Device, Callable[[int], None]]:
    """Return a device with all set for small draws, and what sets more before a call."""
    device = Device(640, 480, depth_stencil_format="D24S8", profile=profile)
    vs = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nm4x4 o0, v0, c0\nmov o1, v0\n"
    ps = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nmul oC0, r0, c0\n"
    device.set_vertex_shader(device.create_vertex_shader(softd3d.assemble(vs)))
    device.set_pixel_shader(device.create_pixel_shader(softd3d.assemble(ps)))
    device.set_vertex_declaration(
        device.create_vertex_declaration([(0, 0, "FLOAT4", "POSITION", 0)])
    )
    corners = np.array([(0, 0, 0.5, 1), (0.05, 0, 0.5, 1), (0, 0.05, 0.5, 1), (0.05, 0.05, 0.5, 1)])
    buffers = [device.create_vertex_buffer(corners.astype(np.float32)) for _ in range(4)]
    textures = [device.create_texture(8, 8) for _ in range(2)]
    device.set_indices(device.create_index_buffer(np.array([0, 1, 2, 2, 1, 3], np.uint16)))
    device.set_render_state("CULLMODE", "NONE")
    device.set_stream_source(0, buffers[0], 0, 16)
    device.set_texture(0, textures[0])
    device.set_vertex_shader_constant_f(0, np.eye(4))

    def change(number: int) -> None:
        device.set_texture(0, textures[number & 1])
        device.set_stream_source(0, buffers[number & 3], 0, 16)
        device.set_render_state("ALPHABLENDENABLE", number >> 4 & 1)

    return device, change


def small(rounds: int, profile: str) -> None:
    """Measure small draws."""
    device, change = small_device(profile)
    matrix = np.eye(4, dtype=np.float32)

    def nothing(_: int) -> None: ...

    def constants(number: int) -> None:
        matrix[:2, 3] = number % 20 / 10 - 1, number // 20 % 20 / 10 - 1
        device.set_vertex_shader_constant_f(0, matrix)

    def everything(number: int) -> None:
        constants(number)
        change(number)

    for before in (nothing, constants, everything):
        best = float("inf")
        for _ in range(rounds + 1):
            start = time.process_time()
            for number in range(CALLS):
                before(number)
                device.draw_indexed_primitive("TRIANGLELIST", 0, 0, 4, 0, 2)
            best = min(best, time.process_time() - start)
        print(f"{before.__name__:<11} {best / CALLS * 1e6:6.1f} us a draw, {best:.2f} s in all")


# The kit's scenes


def scene9(name: str, profile: str) -> Callable[[], object]:
    """Return what clears and draws a scene of the kit through a device."""
    import worker  # noqa: PLC0415 - needs the kit
    import workloads  # noqa: PLC0415 - as above

    work = workloads.WORKLOADS[name]
    device = Device(
        worker.WIDTH, worker.HEIGHT, "A8B8G8R8", depth_stencil_format="D32F_LOCKABLE",
        profile=profile,
    )  # fmt: skip
    device.set_render_state("CULLMODE", "NONE")
    device.set_render_state("ZFUNC", "LESS")
    if work.mesh:
        count = mesh(device, worker, workloads, work.mesh)
    else:
        count = quad(device, FILL_PS if work.blend else HEAVY_PS, work.instances)
    if work.blend:
        states = {
            "ALPHABLENDENABLE": 1, "SRCBLEND": "SRCALPHA", "DESTBLEND": "INVSRCALPHA",
            "SEPARATEALPHABLENDENABLE": 1, "SRCBLENDALPHA": "ONE", "DESTBLENDALPHA": "INVSRCALPHA",
        }  # fmt: skip
        for state, value in states.items():
            device.set_render_state(state, value)

    def run() -> object:
        device.clear(None, "TARGET | ZBUFFER", 0xFF191933)
        return device.draw_indexed_primitive("TRIANGLELIST", 0, 0, 1 << 20, 0, count)

    return run


def mesh(device: Device, worker: Any, workloads: Any, size: tuple[int, int]) -> int:
    """Set a torus knot; return how many triangles it has."""
    vertices, indices = workloads.torus_knot(*size)
    device.set_vertex_shader(device.create_vertex_shader(softd3d.assemble(MESH_VS)))
    device.set_pixel_shader(device.create_pixel_shader(softd3d.assemble(MESH_PS)))
    device.set_vertex_declaration(
        device.create_vertex_declaration([
            (0, 0, "FLOAT3", "POSITION", 0), (0, 12, "FLOAT3", "NORMAL", 0),
            (0, 24, "FLOAT2", "TEXCOORD", 0),
        ])
    )  # fmt: skip
    device.set_stream_source(0, device.create_vertex_buffer(vertices), 0, workloads.VERTEX_STRIDE)
    device.set_indices(device.create_index_buffer(indices))
    scene = np.asarray(worker.initial("scene"), np.float32)
    device.set_vertex_shader_constant_f(0, scene[:24])
    device.set_pixel_shader_constant_f(0, scene[:24])
    levels = list(workloads.mips())
    texture = device.create_texture(len(levels[0]), len(levels[0]), 0, 0, "A8B8G8R8")
    for n, level in enumerate(levels):
        texture.surface(n).units[...] = level
    device.set_texture(0, texture)
    for state in ("MINFILTER", "MAGFILTER", "MIPFILTER"):
        device.set_sampler_state(0, state, "LINEAR")
    return indices.size // 3


def quad(device: Device, ps: str, instances: int) -> int:
    """Set a triangle that covers the target; return 1."""
    device.set_render_state("ZENABLE", 0)
    device.set_vertex_shader(device.create_vertex_shader(softd3d.assemble(QUAD_VS)))
    device.set_pixel_shader(device.create_pixel_shader(softd3d.assemble(ps)))
    elements = [(0, 0, "FLOAT4", "POSITION", 0), (0, 16, "FLOAT2", "TEXCOORD", 0)]
    device.set_vertex_declaration(device.create_vertex_declaration(elements))
    corners = [(-1, -1, 0.5, 1, 0, 1), (3, -1, 0.5, 1, 2, 1), (-1, 3, 0.5, 1, 0, -1)]
    device.set_stream_source(0, device.create_vertex_buffer(np.array(corners, np.float32)), 0, 24)
    device.set_stream_source_freq(0, 0x40000000 | instances)
    device.set_indices(device.create_index_buffer(np.arange(3, dtype=np.uint16)))
    return 1


def scenes(rounds: int, profile: str) -> None:
    """Measure the kit's scenes on both."""
    import worker  # noqa: PLC0415 - needs the kit

    print("scene   Direct3D 9 CPU, wall   Direct3D 11 CPU, wall   ratio CPU, wall")
    for name in SCENES:
        runs = [scene9(name, profile), worker.prepare(name)[0]]
        best = [[float("inf")] * 2 for _ in runs]
        for _ in range(rounds + 1):
            for run, times in zip(runs, best, strict=True):
                start, cpu = time.perf_counter(), time.process_time()
                run()
                cpu, wall = time.process_time() - cpu, time.perf_counter() - start
                times[:] = min(times[0], 1e3 * cpu), min(times[1], 1e3 * wall)
        (cpu9, wall9), (cpu11, wall11) = best
        print(
            f"{name:<7} {cpu9:9.1f} {wall9:9.1f} {cpu11:13.1f} {wall11:9.1f}"
            f" {cpu9 / cpu11:11.2f} {wall9 / wall11:6.2f}"
        )


def main() -> None:
    """Measure what is asked for, by default everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", nargs="*", metavar="small|scenes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", default="driver")
    options = parser.parse_args()
    for name, measure in (("small", small), ("scenes", scenes)):
        if name in (options.what or [name]):
            measure(options.rounds, options.profile)


if __name__ == "__main__":
    main()
