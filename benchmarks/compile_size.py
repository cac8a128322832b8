"""How compile time and memory grow with a program, by construct, on both engines.

    python benchmarks/compile_size.py [CONSTRUCT...] [--kb 20,80] [--seconds N] [--markdown]

Each program is loaded, bound and compiled in a process of its own, without a cache, and runs on no
thread group. Seconds are of CPU; MB are the most memory beyond what a process with softd3d and
llvmlite has. What takes longer than --seconds is stopped and shown as such.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

from program_constructs import CONSTRUCTS, program

import softd3d

CHILD_BYTES = 20 << 30


def sized(construct: str, wanted: int) -> bytes:
    """Return a program of about so many bytes; less where Direct3D has a limit."""
    few, many = 8, 16
    sizes = {n: len(softd3d.assemble(program(construct, n))) for n in (few, many)}
    each = max((sizes[many] - sizes[few]) / (many - few), 1)
    return softd3d.assemble(program(construct, max(1, round((wanted - sizes[few]) / each) + few)))


def bindings(shader: softd3d.Shader) -> dict[str, Any]:
    """Return something for every register of a program."""
    from compile import bindings as found  # noqa: PLC0415 - it imports llvmlite

    given = found(shader)
    slots = shader.program.instructions
    names = [i.opcode.name for i in slots]
    if "DCL_INTERFACE" in names:
        count = names.count("DCL_FUNCTION_TABLE")
        given["interfaces"] = {0: [softd3d.ClassInstance(f"C{n}") for n in range(count)]}
    return given


def child(engine: str) -> None:
    """Compile what standard input says and print seconds and megabytes."""
    import llvmlite.binding  # noqa: F401, PLC0415 - it is no part of what is measured

    data = sys.stdin.buffer.read()
    given = bindings(softd3d.load(data))
    softd3d.dispatch(softd3d.load(softd3d.assemble("cs_5_0\ndcl_thread_group 1, 1, 1\nret\n")),
                     (0, 0, 0), engine=engine)  # fmt: skip
    usage = resource.getrusage(resource.RUSAGE_SELF)
    before, start = usage.ru_maxrss, time.process_time()
    try:
        softd3d.dispatch(softd3d.load(data), (0, 0, 0), engine=engine, **given)
        note = ""
    except softd3d.ShaderError as error:
        note = str(error)
    own = time.process_time() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({
        "seconds": own + below.ru_utime + below.ru_stime,
        "mb": (max(most - before, 0) + below.ru_maxrss) / 1024, "note": note,
    }))  # fmt: skip


def measured(data: bytes, engine: str, limit: float) -> dict[str, Any]:
    """Compile in a process of its own."""
    environment = {**os.environ, "SOFTD3D_CACHE": "0"}
    command = [sys.executable, __file__, "--child", engine]
    cpu = int(limit) + 1
    try:
        done = subprocess.run(  # noqa: S603 - this script
            command, input=data, capture_output=True, env=environment, check=False,
            timeout=6 * limit,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu)),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"seconds": None, "mb": None, "note": "stopped"}
    if done.returncode:
        note = done.stderr.decode().strip().splitlines()[-1:] or [f"status {done.returncode}"]
        return {"seconds": None, "mb": None, "note": note[0][:60]}
    return json.loads(done.stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("constructs", nargs="*")
    parser.add_argument("--kb", default="20,80")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--engines", default="jit,interpreter")
    parser.add_argument("--child")
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    engines = options.engines.split(",")
    print("| construct | KB |" + "".join(f" {e} s | {e} MB |" for e in engines) + " |", flush=True)
    print("| --- " + "| ---: " * (1 + 2 * len(engines)) + "| --- |")
    for name in options.constructs or CONSTRUCTS:
        sizes_done: set[int] = set()
        for kb in options.kb.split(","):
            data = sized(name, int(kb) * 1000)
            if len(data) in sizes_done:
                continue
            sizes_done.add(len(data))
            row = [measured(data, engine, options.seconds) for engine in engines]
            cells = "".join(
                f" {'-' if r['seconds'] is None else format(r['seconds'], '.2f')} |"
                f" {'-' if r['mb'] is None else format(r['mb'], '.0f')} |" for r in row
            )  # fmt: skip
            notes = "; ".join(dict.fromkeys(r["note"] for r in row if r["note"]))
            print(f"| {name} | {len(data) / 1000:.1f} |{cells} {notes} |", flush=True)


if __name__ == "__main__":
    main()
