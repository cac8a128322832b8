"""Speed of listing, assembling, validating and reflecting, in MB/s of one core.

    python benchmarks/text.py [--rounds N] [--against DIR] [PATH...]

The paths are ../shared/corpus and ../shared/samples unless given. Every distinct shader below them
is read first: containers with a program of shader model 4 to 5.1, and token streams of shader
model 1 to 3. Each verb has processes of its own. The first pass over all shaders is that of a
fresh process, in which what is remembered from shader to shader has to be learned; later passes
know it. Megabytes are of the shaders, for `as` of the text that is assembled. Times are of the
processes' CPU, and of each figure the best of all rounds counts.

With --against, another checkout of the project is measured too, by the same Python, in turns with
this one, so that both get the same share of a machine's moods.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Only names that older checkouts have, too
from softd3d import ShaderError, assemble, disassemble, load, load9, reflect, validate
from softd3d.container.dxbc.container import MAGIC, parse
from softd3d.shaders.identify import Kind, identify
from softd3d.tools.reflection.constant_table import reflect9
from softd3d.tools.text.disassembler import disassemble_exact

MEGA = 1e6
PASSES = 3
MODERN, LEGACY, BOTH = "SM4-5.1", "SM1-3", "both"


@dataclass(frozen=True)
class Verb:
    """What is measured. prepare: makes its input of a shader, None if there is none."""

    work: Callable[[Any], object]
    prepare: Callable[[bytes], Any] = bytes


def listing(data: bytes) -> str | None:
    """Return the listing of a shader if it can be assembled by itself."""
    try:
        text = disassemble(data)
        assemble(text)
    except ShaderError:
        return None
    return text


def reflected(data: bytes) -> object:
    """Return what is known of a shader without running it."""
    return reflect(load(data)) if data[:4] == MAGIC else reflect9(load9(data))


VERBS = {
    "dis": Verb(disassemble),
    "exact": Verb(disassemble_exact),
    "as": Verb(assemble, listing),
    "as exact": Verb(assemble, disassemble_exact),
    "val": Verb(validate),
    "reflect": Verb(reflected),
}


def shaders(paths: list[Path]) -> dict[str, list[bytes]]:
    """Return every distinct shader below the paths, by kind; without unsound streams."""
    found: dict[str, dict[bytes, bytes]] = {MODERN: {}, LEGACY: {}}
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            data = file.read_bytes() if file.is_file() else b""
            if data[:4] == MAGIC:
                kind = MODERN if parse(data).find("SHEX", "SHDR") else None
            else:
                is_stream = file.suffix == ".bin" and identify(data).kind is Kind.SM1_TOKENS
                kind = LEGACY if is_stream and listing(data) is not None else None
            if kind is not None:
                found[kind].setdefault(hashlib.sha256(data).digest(), data)
    return {kind: list(one.values()) for kind, one in found.items()}


def measured(verb: Verb, files: dict[str, list[bytes]]) -> dict[str, list[float]]:
    """Return megabytes, seconds of the first pass and of the best later one, for each kind."""
    result: dict[str, list[float]] = {}
    for kind, found in files.items():
        items = [item for item in map(verb.prepare, found) if item is not None]
        seconds: list[float] = []
        for _ in range(PASSES):
            start = time.process_time()
            for item in items:
                verb.work(item)
            seconds.append(time.process_time() - start)
        result[kind] = [sum(map(len, items)) / MEGA, seconds[0], min(seconds[1:])]
    result[BOTH] = [sum(column) for column in zip(*result.values(), strict=True)]
    return result


def measure_in_process(name: str, sources: Path, paths: list[Path]) -> dict[str, list[float]]:
    """Return `measured` of a verb by a fresh process that imports the package from `sources`."""
    command = [sys.executable, __file__, "--verb", name, *map(str, paths)]
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)  # noqa: S603 - our own
    return json.loads(done.stdout)


def best(runs: list[dict[str, list[float]]], kind: str) -> tuple[float, float, float]:
    """Return megabytes and the best speeds, first and later, in MB/s."""
    size = runs[0][kind][0]
    first, later = (min(run[kind][n] for run in runs) for n in (1, 2))
    return size, size / first, size / later


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout")
    parser.add_argument("--verb", choices=list(VERBS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    root = Path(__file__).parents[1]
    shared = root.parent / "shared"
    paths = arguments.paths or [shared / "corpus", shared / "samples"]
    if arguments.verb:
        json.dump(measured(VERBS[arguments.verb], shaders(paths)), sys.stdout)
        return
    checkouts = [root] if arguments.against is None else [arguments.against, root]
    names = ["this"] if arguments.against is None else ["against", "this"]
    print("MB/s of one core:    MB " + "".join(f"{f'{n}, first':>15}{'later':>8}" for n in names))
    for name in VERBS:
        runs: list[list[dict[str, list[float]]]] = [[] for _ in checkouts]
        for _ in range(arguments.rounds):
            for found, checkout in zip(runs, checkouts, strict=True):
                found.append(measure_in_process(name, checkout / "src", paths))
        for kind in runs[0][0]:
            speeds = [best(found, kind) for found in runs]
            line = "".join(f"{first:15.2f}{later:8.2f}" for _, first, later in speeds)
            ratio = f"   x {speeds[1][1] / speeds[0][1]:.2f}" if len(speeds) > 1 else ""
            print(f"{name:<9} {kind:<7} {speeds[-1][0]:6.2f} {line}{ratio}", flush=True)


if __name__ == "__main__":
    main()
