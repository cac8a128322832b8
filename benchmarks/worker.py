"""Benchmark worker: softd3d on the compute workloads of the kit in ../shared/bench.

compare.py starts it and puts the kit's folder on PYTHONPATH (see `make bench`). A workload that
needs the draw pipeline is answered with "unsupported". Compiled code is kept in an
empty folder, so that every compile time is a cold one, as the peers' are.
"""

from __future__ import annotations

import os
import tempfile

import numpy as np
import protocol
import workloads
from numpy.typing import NDArray
from workloads import Compute, initial

import softd3d

View = softd3d.RawBuffer | softd3d.StructuredBuffer | softd3d.Texture2D | softd3d.SamplerState
Views = dict[str, View]
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
    raise NotImplementedError(f"{name}: softd3d does not run shaders with {resource.kind}s yet")


def prepared(work: Compute, views: Views) -> list[softd3d.Dispatch]:
    """Return a workload's dispatches on resources by name."""
    shader = softd3d.load(workloads.KERNELS / f"{work.shader}.dxbc")
    return [
        softd3d.Dispatch(
            shader,
            groups=groups,
            srvs={int(r[1:]): views[name] for r, name in bound.items() if r[0] == "t"},
            uavs={int(r[1:]): views[name] for r, name in bound.items() if r[0] == "u"},
            samplers={int(r[1:]): views[name] for r, name in bound.items() if r[0] == "s"},
            engine="jit",
        )
        for groups, bound in work.dispatches
    ]


def prepare(name: str) -> tuple[protocol.Run, protocol.Check]:
    """Make a workload; see protocol.py."""
    work = workloads.WORKLOADS[name]
    if not isinstance(work, Compute):
        raise NotImplementedError(f"{name}: softd3d has no draw pipeline yet")
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOFTD3D_CACHE"] = folder
        protocol.serve(prepare)
