"""Benchmark worker: softd3d on the workloads of the kit in ../shared/bench.

compare.py starts it and puts the kit's folder on PYTHONPATH (see `make bench`). Compiled code is
kept in an empty folder, so that every compile time is a cold one, as the peers' are.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import protocol
import workloads
from numpy.typing import NDArray
from workloads import HEIGHT, KERNELS, WIDTH, Compute, Graphics, initial

import softd3d

View = softd3d.RawBuffer | softd3d.StructuredBuffer | softd3d.Texture2D | softd3d.SamplerState
Views = dict[str, View]
ENGINE = "jit"
_SIZE = workloads.TEXTURE_SIZE


def view(name: str) -> View:
    """Return a resource with fresh contents: the kit's arrays are shared and read-only."""
    resource = workloads.RESOURCES[name]
    if resource.kind == "sampler":
        return softd3d.SamplerState(resource.filter, "WRAP", "WRAP", "WRAP")
    if name == "texture":
        return softd3d.Texture2D(list(workloads.mips()), "R8G8B8A8_UNORM")
    if resource.kind == "texture":
        return softd3d.Texture2D(np.zeros((_SIZE, _SIZE, 4), np.uint8), "R8G8B8A8_UNORM")
    if resource.kind == "structured":
        return softd3d.StructuredBuffer(initial(name).copy(), resource.stride)
    if resource.kind == "raw":
        return softd3d.RawBuffer(initial(name).copy())
    raise NotImplementedError(f"{name}: a {resource.kind} is no view")


def prepared(work: Compute, views: Views) -> list[softd3d.Dispatch]:
    """Return a workload's dispatches on resources by name."""
    shader = softd3d.load(KERNELS / f"{work.shader}.dxbc")
    return [
        softd3d.Dispatch(
            shader,
            groups=groups,
            srvs={int(r[1:]): views[name] for r, name in bound.items() if r[0] == "t"},
            uavs={int(r[1:]): views[name] for r, name in bound.items() if r[0] == "u"},
            samplers={int(r[1:]): views[name] for r, name in bound.items() if r[0] == "s"},
            engine=ENGINE,
        )
        for groups, bound in work.dispatches
    ]


def compute(name: str, work: Compute) -> tuple[protocol.Run, protocol.Check]:
    """Make a workload of dispatches."""
    names = {n for _, bound in work.dispatches for n in bound.values()}
    views = {n: view(n) for n in sorted(names)}
    with protocol.compiling:
        dispatches = prepared(work, views)

    def run() -> None:
        for dispatch in dispatches:
            dispatch()

    def check() -> list[float]:
        output = views.get(work.output)
        is_image = output is not None and not isinstance(output, softd3d.SamplerState)
        result: NDArray[np.generic] = output.array if is_image else np.zeros(1)
        return protocol.digest(name, result)

    return run, check


def blend(work: Graphics) -> softd3d.BlendState:
    """Return the state of `fill`, or that of all others, which do not blend."""
    if not work.blend:
        return softd3d.BlendState()
    src, dest, op = workloads.BLEND["color"]
    src_alpha, dest_alpha, op_alpha = workloads.BLEND["alpha"]
    return softd3d.BlendState(
        render_target=softd3d.RenderTargetBlendDesc(
            blend_enable=True, src_blend=src, dest_blend=dest, blend_op=op,
            src_blend_alpha=src_alpha, dest_blend_alpha=dest_alpha, blend_op_alpha=op_alpha,
        )
    )  # fmt: skip


def draw_of(
    work: Graphics, color: softd3d.Texture2D, depth: softd3d.Texture2D
) -> Callable[[], object]:
    """Return what draws a workload's mesh, or its triangle that covers the target."""
    bound = work.bindings or {}
    arguments: dict[str, Any] = {}
    if work.mesh:
        vertices, indices = workloads.torus_knot(*work.mesh)
        arguments["vertex_buffers"] = {
            0: softd3d.VertexBuffer(vertices, stride=workloads.VERTEX_STRIDE)
        }
        arguments["index_buffer"] = indices
        arguments["input_layout"] = [
            softd3d.InputElement(semantic, index, texel, 0, offset)
            for semantic, index, texel, offset in workloads.VERTEX_LAYOUT
        ]
    if bound:  # the scene is bound to both stages, what else there is to the pixel shader
        scene = np.asarray(initial("scene"))
        arguments["constants"] = {"vs": {0: scene}, "ps": {0: scene}}
        arguments["srvs"] = {"ps": {0: view(bound["t0"])}}
        arguments["samplers"] = {"ps": {0: view(bound["s0"])}}
    with protocol.compiling:
        draw = softd3d.Draw(
            vs=softd3d.load(KERNELS / f"{work.vertex_shader}.dxbc"),
            ps=softd3d.load(KERNELS / f"{work.pixel_shader}.dxbc"),
            rasterizer=softd3d.RasterizerState(cull_mode="NONE"),
            depth_stencil=softd3d.DepthStencilState(depth_enable=work.mesh is not None),
            blend=blend(work), render_targets=[color], depth_stencil_view=depth, engine=ENGINE,
            **arguments,
        )  # fmt: skip
    if work.mesh:
        count = arguments["index_buffer"].size
        return lambda: draw.indexed_instanced(count, work.instances)
    return lambda: draw.instanced(3, work.instances)


def graphics(name: str, work: Graphics) -> tuple[protocol.Run, protocol.Check]:
    """Make a workload of clears and at most one draw."""
    color = softd3d.Texture2D(np.zeros((HEIGHT, WIDTH, 4), np.uint8), "R8G8B8A8_UNORM")
    depth = softd3d.Texture2D(np.zeros((HEIGHT, WIDTH), np.float32), "D32_FLOAT")
    draw = draw_of(work, color, depth) if work.pixel_shader else None

    def run() -> None:
        softd3d.clear_render_target_view(color, workloads.CLEAR_COLOR)
        softd3d.clear_depth_stencil_view(depth, "DEPTH", workloads.CLEAR_DEPTH)
        if draw is not None:
            draw()

    return run, lambda: protocol.digest(name, color.array)


def prepare(name: str) -> tuple[protocol.Run, protocol.Check]:
    """Make a workload; see protocol.py."""
    work = workloads.WORKLOADS[name]
    return compute(name, work) if isinstance(work, Compute) else graphics(name, work)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOFTD3D_CACHE"] = folder
        protocol.serve(prepare)
