"""How long it takes until a kernel runs: phases of compiling, caches, whole processes, threads.

    python benchmarks/compile.py [SHADER|FOLDER...] [--rounds N] [--slowest N] [--json FILE]
    python benchmarks/compile.py --processes | --scaling

Without files: the kernels of the kit in ../shared/bench. Times are milliseconds, the best of some
rounds: of CPU for phases, of wall time for processes (and CPU beside it) and for --scaling, which
wants two idle cores.
Registers get small arrays of zeros. What cannot be compiled is counted, with the reasons.

cold: from bytes to machine code without a cache; disk: with the kernel on disk, memory: in the
process. first: cold and disk in a new process, with all that is imported on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import resource as resource_use  # Linux and macOS
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

import softd3d
from softd3d.device.bind import bind
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.isa.machine import Memory, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension as D
from softd3d.isa.sm4.enums import ReturnType
from softd3d.jit import engine
from softd3d.jit.cache import key
from softd3d.jit.compiling import build, compiler
from softd3d.lower.declared import ViewDeclaration
from softd3d.lower.to_ir import lower
from softd3d.samples import sample

KIT = Path(__file__).parents[2] / "shared" / "bench"
KERNELS = ("noop", "saxpy", "fma", "fma8", "mandel", "matmul", "hist", "cas", "reduce", "nbody")
COMPUTE_BOUND = ("fma", "fma8", "mandel", "matmul", "nbody")
FORMATS = {
    ReturnType.UNORM: ("R8_UNORM", np.uint8), ReturnType.SNORM: ("R8_SNORM", np.int8),
    ReturnType.SINT: ("R32_SINT", np.int32), ReturnType.UINT: ("R32_UINT", np.uint32),
}  # fmt: skip
SHAPES = {
    D.TEXTURE1D: (softd3d.Texture1D, (4,)), D.TEXTURE1DARRAY: (softd3d.Texture1DArray, (2, 4)),
    D.TEXTURE2D: (softd3d.Texture2D, (4, 4)), D.TEXTURE2DARRAY: (softd3d.Texture2DArray, (2, 4, 4)),
    D.TEXTURE2DMS: (softd3d.Texture2DMS, (4, 4, 2)), D.TEXTURE3D: (softd3d.Texture3D, (4, 4, 4)),
    D.TEXTURE2DMSARRAY: (softd3d.Texture2DMSArray, (2, 4, 4, 2)),
    D.TEXTURECUBE: (softd3d.TextureCube, (6, 4, 4)),
    D.TEXTURECUBEARRAY: (softd3d.TextureCubeArray, (2, 6, 4, 4)),
}  # fmt: skip
Row = dict[str, float]


def resource(declared: ViewDeclaration) -> object:
    """Return a small resource of zeros that suits a declaration."""
    if declared.kind is ViewKind.RAW:
        return softd3d.RawBuffer(np.zeros(64, np.uint32))
    if declared.kind is ViewKind.STRUCTURED:
        counter = 0 if declared.memory is Memory.UAV else None
        array = np.zeros(4 * declared.stride, np.uint8).view(np.uint32)
        return softd3d.StructuredBuffer(array, declared.stride, counter=counter)
    name, dtype = FORMATS.get(ReturnType(declared.return_types[0]), ("R32_FLOAT", np.float32))
    if declared.dimension in SHAPES:
        kind, shape = SHAPES[declared.dimension]
        return kind(np.zeros(shape, dtype), name)
    return softd3d.TypedBuffer(np.zeros(64, dtype), name)


def bindings(shader: softd3d.Shader) -> dict[str, Any]:
    """Return arguments of `bind` for everything that a shader declares."""
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection)
    places = {
        kind.argument: {(r.number, r.space): r.declaration for r in wanted[kind]}
        for kind in RegisterKind
    }
    constants = {
        place: np.zeros(16 * min(d.size, 4096), np.uint8)
        for place, d in places.pop("constants").items()
    }
    samplers = dict.fromkeys(places.pop("samplers"))
    views = {name: {p: resource(d) for p, d in found.items()} for name, found in places.items()}
    return {"constants": constants, "samplers": samplers, **views}


def clocked(row: Row, name: str, work: Callable[[], Any]) -> Any:
    """Do some work and note its milliseconds of CPU."""
    start = time.process_time()
    result = work()
    row[name] = 1000 * (time.process_time() - start)
    return result


def phases(data: bytes) -> Row:
    """Compile a shader step by step."""
    row: Row = {}
    shader = clocked(row, "decode", lambda: _decoded(data))
    given = bindings(shader)
    bound = clocked(row, "bind", lambda: bind(shader, **given))
    clocked(row, "key", lambda: key.kernel_key(bound, 0))
    graph = clocked(row, "lower", lambda: lower(bound))
    module = clocked(row, "text", lambda: build.module_text(graph, bound.declarations, 0))
    text, target = module.text, module.target
    parsed = clocked(row, "parse", lambda: compiler.parsed(text, target))
    level = compiler.level_of(text)
    clocked(row, "passes", lambda: compiler.optimise(parsed, target, level))
    code = clocked(row, "codegen", lambda: compiler.emitted(parsed, target, level))
    clocked(row, "link", lambda: compiler.load_object(code))
    row["cold"] = sum(row.values())
    row |= {"lines": text.count("\n"), "bytes": len(code)}
    return row


def _decoded(data: bytes) -> softd3d.Shader:
    shader = softd3d.load(data)
    _ = shader.declarations, shader.reflection
    return shader


def cached(data: bytes, folder: str) -> Row:
    """Make a dispatch ready from the disk, then from memory."""
    row: Row = {}
    os.environ["SOFTD3D_CACHE"] = folder
    given = bindings(_decoded(data))
    softd3d.Dispatch(softd3d.load(data), (1, 1, 1), **given)  # so that it is there
    engine.forget_kernels()
    clocked(row, "disk", lambda: softd3d.Dispatch(softd3d.load(data), (1, 1, 1), **given))
    clocked(row, "memory", lambda: softd3d.Dispatch(softd3d.load(data), (1, 1, 1), **given))
    return row


def measure(paths: list[Path], rounds: int, slowest: int) -> dict[str, Any]:
    """Measure shaders; print a table of all, or of those that take longest, and the medians."""
    found: dict[str, Row] = {}
    reasons: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            data = path.read_bytes()
            try:
                rows = [phases(data) | cached(data, folder) for _ in range(rounds)]
            except softd3d.ShaderError as error:
                reasons[f"{type(error).__name__}: {error.message}"] += 1
                continue
            found[path.name] = {n: min(row[n] for row in rows) for n in rows[0]}
    shown = sorted(found, key=lambda name: -found[name]["cold"])
    names = list(next(iter(found.values()), {}))
    print(" " * 32 + "".join(f"{name:>8}" for name in names))
    for name in shown[:slowest]:
        print(f"{name[:31]:<32}" + "".join(f"{found[name][n]:8.1f}" for n in names))
    medians = {n: statistics.median(row[n] for row in found.values()) for n in names}
    print(f"{f'median of {len(found)}':<32}" + "".join(f"{medians[n]:8.1f}" for n in names))
    for reason, count in reasons.most_common():
        print(f"not compiled: {count:4} {reason}")
    return {"shaders": found, "median": medians, "not_compiled": dict(reasons)}


FIRST = """
import sys, time
import numpy as np
import softd3d
from softd3d.samples import sample
data = sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes()
start, cpu = time.perf_counter(), time.process_time()
buffer = softd3d.StructuredBuffer(np.zeros((32, 32), np.uint32), 4)
values = {"P": {"origin": [-2.0, -1.0], "step": 0.1, "maxIter": 5}}
softd3d.Dispatch(softd3d.load(data), (4, 4, 1), constants=values, uavs={0: buffer})
print(1000 * (time.perf_counter() - start), 1000 * (time.process_time() - cpu))
"""


def processes(rounds: int) -> dict[str, Row]:
    """Measure whole processes, and the first kernel of one without its interpreter's start."""
    with tempfile.TemporaryDirectory() as folder:
        shader = Path(folder) / "mandelbrot.dxbc"
        shader.write_bytes(sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes())
        run = ["run", str(shader), "--groups", "4,4", "--uav", "0=zeros:32x32:uint32",
               "--constants", "P=origin=[-2.0, -1.0]", "--constants", "P=step=0.1",
               "--constants", "P=maxIter=5"]  # fmt: skip
        commands = {
            "python": ["-c", "pass"],
            "import softd3d": ["-c", "import softd3d"],
            "softd3d dis": ["-m", "softd3d", "dis", str(shader)],
            "softd3d run, from cache": ["-m", "softd3d", *run],
        }
        found = {n: _process_ms(c, folder, rounds) for n, c in commands.items()}
        for name, cache in (("first kernel, cold", "0"), ("first kernel, disk", folder)):
            printed = [_python(["-c", FIRST], cache).split() for _ in range(rounds)]
            wall, cpu = (min(float(row[n]) for row in printed) for n in (0, 1))
            found[name] = {"wall": wall, "cpu": cpu}
    for name, ms in found.items():
        print(f"{name:<32}{ms['wall']:8.1f} ms wall {ms['cpu']:8.1f} ms CPU")
    return found


def _process_ms(arguments: list[str], cache: str, rounds: int) -> Row:
    best = {"wall": float("inf"), "cpu": float("inf")}
    for _ in range(rounds):
        start, cpu = time.perf_counter(), _children_seconds()
        _python(arguments, cache)
        taken = {"wall": time.perf_counter() - start, "cpu": _children_seconds() - cpu}
        best = {name: min(best[name], 1000 * seconds) for name, seconds in taken.items()}
    return best


def _children_seconds() -> float:
    used = resource_use.getrusage(resource_use.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _python(arguments: list[str], cache: str) -> str:
    """Run Python as an installed program runs: with its byte code on disk."""
    environment = {**os.environ, "SOFTD3D_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def scaling(rounds: int) -> dict[str, float]:
    """Measure how much faster two threads are than one, on the kit's compute-bound kernels."""
    sys.path.insert(0, str(KIT))
    import worker  # noqa: PLC0415 - needs the kit
    import workloads  # noqa: PLC0415

    found: dict[str, float] = {}
    for name in COMPUTE_BOUND:
        work = workloads.WORKLOADS[name]
        views = {n: worker.view(n) for _, given in work.dispatches for n in given.values()}
        jobs = worker.prepared(work, views)
        best = {1: float("inf"), 2: float("inf")}
        for _ in range(rounds):
            for threads, before in best.items():
                start = time.perf_counter()
                for job in jobs:
                    job.threads = threads
                    job()
                best[threads] = min(before, 1000 * (time.perf_counter() - start))
        found[name] = best[1] / best[2]
        print(f"{name:<10} 1 thread {best[1]:8.2f} ms, 2 threads {best[2]:8.2f} ms: "
              f"{found[name]:.2f}x")  # fmt: skip
    return found


def _shaders(arguments: list[str]) -> list[Path]:
    """Return files, and the compute shaders in folders."""
    if not arguments:
        return [KIT / "kernels" / f"{name}.dxbc" for name in KERNELS]
    paths: list[Path] = []
    for path in map(Path, arguments):
        paths += [p for p in sorted(path.rglob("*")) if _is_compute(p)] if path.is_dir() else [path]
    return paths


def _is_compute(path: Path) -> bool:
    if path.suffix not in (".dxbc", ".bin", ".cso", ".o"):
        return False
    try:
        return softd3d.load(path).profile.startswith("cs_")
    except (softd3d.ShaderError, OSError):
        return False


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shaders", nargs="*", metavar="SHADER|FOLDER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slowest", type=int, default=20, help="how many shaders to list")
    parser.add_argument("--processes", action="store_true", help="only whole processes")
    parser.add_argument("--scaling", action="store_true", help="only one thread against two")
    parser.add_argument("--json", metavar="FILE", help="write the numbers here, too")
    options = parser.parse_args()
    llvm.initialize_native_target()
    key.source_stamp()
    if options.scaling:
        result: dict[str, Any] = scaling(options.rounds)
    elif options.processes:
        result = processes(options.rounds)
    else:
        result = measure(_shaders(options.shaders), options.rounds, options.slowest)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
