"""Speed of the depth-stencil Blt in GB/s, beside that of the memory.

    python benchmarks/blt.py [--size N] [--rounds N]

Bytes are those read and written: texels of the source, texels of the destination, and these again
where channels are kept. The memory's speed is that of NumPy copying the same texels, on one thread;
more threads may well beat it. Each line is the best round and the one in the middle.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from softd3d.device.blt import blt
from softd3d.formats.depth_stencil import PAGE_READINGS, depth_stencil_format, reads_destination
from softd3d.resources.textures.depth_stencil import Surface

GIGA = 1e9
PAIRS = (
    ("D24S8", "D32F_LOCKABLE"),
    ("D24S8", "D16_LOCKABLE"),
    ("D24S8", "S8_LOCKABLE"),
    ("D24FS8", "D32F_LOCKABLE"),
    ("D32F_LOCKABLE", "D24S8"),
    ("D32F_LOCKABLE", "D24FS8"),
    ("S8_LOCKABLE", "D24S8"),
)


def measure(name: str, work: Callable[[], object], size: int, rounds: int) -> None:
    """Print the speed of the best and of the middle round; the first one compiles."""
    work()
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    times.sort()
    best, middle = times[0], times[len(times) // 2]
    speeds = f"{size / best / GIGA:8.1f} {size / middle / GIGA:8.1f}"
    print(f"{name:<46} {best * 1e3:8.2f} ms {speeds} GB/s")


def surface(name: str, size: int) -> Surface:
    """Return a surface of random texels; floats are in [0, 1)."""
    random = np.random.default_rng(1)
    format_ = depth_stencil_format(name)
    if name == "D32F_LOCKABLE":
        return Surface(random.random((size, size), np.float32), format_)
    bits = 8 * format_.bytes_per_texel
    texels = random.integers(0, 1 << bits, (size, size), f"u{format_.bytes_per_texel}")
    return Surface(texels, format_)


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    size, rounds = arguments.size, arguments.rounds
    print(f"{size} x {size} texels{'':<32} best time     best   middle")
    plain = surface("D24S8", size).array
    other = plain.copy()
    measure("copy of 32-bit texels", lambda: np.copyto(other, plain), 2 * plain.nbytes, rounds)
    for source, destination in PAIRS:
        here, there = surface(source, size), surface(destination, size)
        reads = reads_destination(here.format, there.format, PAGE_READINGS)
        total = here.array.nbytes + there.array.nbytes * (1 + reads)
        for label, engine, threads in (
            ("jit", "jit", 0),
            ("jit, 1 thread", "jit", 1),
            ("interpreter", "interpreter", 1),
        ):

            def work(
                source: Surface = here, destination: Surface = there, engine: str = engine,
                threads: int = threads,
            ) -> None:  # fmt: skip
                blt(source, destination, engine=engine, threads=threads)

            few = rounds if engine == "jit" else 3
            measure(f"{source} to {destination}, {label}", work, total, few)


if __name__ == "__main__":
    main()
