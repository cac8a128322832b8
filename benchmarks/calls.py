"""What a call costs besides its work: dispatches and draws of next to nothing, and first uses.

    python benchmarks/calls.py [NAME...] [--rounds N] [--json FILE]

Times are of the wall, and beside it of the CPU; the best of some rounds. It needs the shaders of
the kit in ../shared/bench.

dispatch: a prepared one of one group, and `softd3d.dispatch` with everything that it checks. draw:
one triangle on 64 x 64 pixels, prepared; a frame has a thousand of them. first: the first shader of
a new process. pair: the kit's mesh_vs and mesh_ps with their states, in a process that has compiled
something before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import softd3d
from softd3d.jit.engine import forget_kernels

KERNELS = Path(__file__).parents[2] / "shared" / "bench" / "kernels"
DRAWS_A_FRAME = 1000
FRAME = np.zeros(24, np.float32)  # of constants that the pair wants
FIRST = """
import sys, time
import numpy as np
import softd3d
data = open(sys.argv[1], "rb").read()
start, cpu = time.perf_counter(), time.process_time()
x = softd3d.StructuredBuffer(np.ones(1024, np.float32), 4)
y = softd3d.StructuredBuffer(np.ones(1024, np.float32), 4)
softd3d.dispatch(softd3d.load(data), 4, srvs={0: x}, uavs={0: y})
print(time.perf_counter() - start, time.process_time() - cpu)
"""
Times = dict[str, float]


def best(
    work: Callable[[], object], rounds: int, calls: int = 1,
    before: Callable[[], object] = lambda: None,
) -> Times:  # fmt: skip
    """Return the least milliseconds of a call, of the wall and of the CPU.

    before: what is done before each round, and not measured.
    """
    wall = cpu = float("inf")
    work()
    for _ in range(rounds):
        before()
        start, used = time.perf_counter(), time.process_time()
        for _ in range(calls):
            work()
        wall = min(wall, (time.perf_counter() - start) / calls)
        cpu = min(cpu, (time.process_time() - used) / calls)
    return {"wall": 1000 * wall, "cpu": 1000 * cpu}


def saxpy() -> tuple[softd3d.Shader, dict[str, Any]]:
    """Return a shader, and what it is bound to: 1024 elements, four groups."""
    shader = softd3d.load(KERNELS / "saxpy.dxbc")
    assert isinstance(shader, softd3d.Shader)  # noqa: S101 - for pyright
    x, y = (softd3d.StructuredBuffer(np.ones(1024, np.float32), 4) for _ in "xy")
    return shader, {"srvs": {0: x}, "uavs": {0: y}}


def dispatch_prepared(rounds: int) -> Times:
    """Run a group of a dispatch that was made before."""
    shader, bound = saxpy()
    return best(softd3d.Dispatch(shader, 1, **bound), rounds, 500)


def dispatch_once(rounds: int) -> Times:
    """Check, find the code in memory, and run."""
    shader, bound = saxpy()
    return best(lambda: softd3d.dispatch(shader, 4, **bound), rounds, 100)


def triangle(engine: str = "jit") -> softd3d.Draw:
    """Return a draw of plain shaders on a small target."""
    return softd3d.Draw(
        vs=softd3d.load(KERNELS / "quad_vs.dxbc"), ps=softd3d.load(KERNELS / "fill_ps.dxbc"),
        rasterizer=softd3d.RasterizerState(cull_mode="NONE"),
        render_targets=[softd3d.Texture2D(np.zeros((64, 64, 4), np.uint8), "R8G8B8A8_UNORM")],
        engine=engine,
    )  # fmt: skip


def draw_prepared(rounds: int) -> Times:
    """Draw a triangle that fills a small target."""
    return best(partial(triangle(), 3), rounds, 100)


def draw_frame(rounds: int) -> Times:
    """Draw with many draws, one after another."""
    draws = [triangle() for _ in range(DRAWS_A_FRAME)]
    return best(lambda: [draw(3) for draw in draws], rounds)


def first_shader(rounds: int, *, is_cold: bool) -> Times:
    """Run the first shader of a new process: with imports, without the start of Python."""
    with tempfile.TemporaryDirectory() as folder:
        if not is_cold:
            _first(folder)
        printed = [_first("0" if is_cold else folder) for _ in range(rounds)]
    return {name: min(row[n] for row in printed) for n, name in enumerate(("wall", "cpu"))}


def _first(cache: str) -> list[float]:
    environment = {**os.environ, "SOFTD3D_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", FIRST, str(KERNELS / "saxpy.dxbc")], env=environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [1000 * float(word) for word in done.stdout.split()]


def pair(rounds: int, *, is_cold: bool) -> Times:
    """Make a draw of two ordinary shaders ready, from their bytes."""
    before = os.environ.get("SOFTD3D_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOFTD3D_CACHE"] = "0" if is_cold else folder
        times = best(_pair, rounds, before=_other_draw)
    os.environ["SOFTD3D_CACHE"] = before or "0"
    return times


def _other_draw() -> None:
    forget_kernels()
    triangle()


def _pair() -> softd3d.Draw:
    vertices, indices = np.zeros((3, 8), np.float32), np.arange(3, dtype=np.uint32)
    layout = [("POSITION", "R32G32B32_FLOAT", 0), ("NORMAL", "R32G32B32_FLOAT", 12),
              ("TEXCOORD", "R32G32_FLOAT", 24)]  # fmt: skip
    return softd3d.Draw(
        vs=softd3d.load((KERNELS / "mesh_vs.dxbc").read_bytes()),
        ps=softd3d.load((KERNELS / "mesh_ps.dxbc").read_bytes()),
        vertex_buffers={0: softd3d.VertexBuffer(vertices, stride=32)}, index_buffer=indices,
        input_layout=[softd3d.InputElement(name, 0, kind, 0, at) for name, kind, at in layout],
        constants={"vs": {0: FRAME}, "ps": {0: FRAME}},
        srvs={"ps": {0: softd3d.Texture2D(np.zeros((4, 4, 4), np.uint8), "R8G8B8A8_UNORM")}},
        samplers={"ps": {0: softd3d.SamplerState("MIN_MAG_MIP_LINEAR", "WRAP", "WRAP", "WRAP")}},
        rasterizer=softd3d.RasterizerState(cull_mode="NONE"),
        depth_stencil=softd3d.DepthStencilState(depth_enable=True),
        render_targets=[softd3d.Texture2D(np.zeros((64, 64, 4), np.uint8), "R8G8B8A8_UNORM")],
        depth_stencil_view=softd3d.Texture2D(np.zeros((64, 64), np.float32), "D32_FLOAT"),
    )  # fmt: skip


MEASURED: dict[str, Callable[[int], Times]] = {
    "dispatch, prepared": dispatch_prepared,
    "dispatch, once": dispatch_once,
    "draw, prepared": draw_prepared,
    f"frame of {DRAWS_A_FRAME} draws": draw_frame,
    "first shader, cold": partial(first_shader, is_cold=True),
    "first shader, disk": partial(first_shader, is_cold=False),
    "pair, cold": partial(pair, is_cold=True),
    "pair, disk": partial(pair, is_cold=False),
}


def main() -> None:
    """Measure everything, or what is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="measure only what begins with one of them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the numbers here, too")
    options = parser.parse_args()
    wanted = tuple(options.words) or ("",)
    found: dict[str, Times] = {}
    for name, measured in MEASURED.items():
        if name.startswith(wanted):
            found[name] = ms = measured(options.rounds)
            print(f"{name:<24}{ms['wall']:10.3f} ms wall{ms['cpu']:10.3f} ms CPU", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
