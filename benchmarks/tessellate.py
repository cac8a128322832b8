"""Speed of the tessellator in millions of points and of primitives a second.

    python benchmarks/tessellate.py [--patches N] [--rounds N] [--threads N]

Meshes of equal factors, and some whose factors vary: of `softd3d.tessellate` and the reference
engine, and of native code, which has tri and quad patches. Each line is the best round. The tables
of points and connections are there after the first round, as in a draw after the first frame.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.jit.draw.between.tessellation import CompiledTessellator
from softd3d.jit.draw.kernels import tessellator_kernels
from softd3d.lower.watch import Watch
from softd3d.pipeline.tessellator.factors import FACTORS
from softd3d.pipeline.tessellator.patches import Tessellates, Tessellator

MILLION = 1e6
EQUAL = (
    (Domain.QUAD, Partitioning.INTEGER, 64.0),
    (Domain.TRI, Partitioning.INTEGER, 64.0),
    (Domain.ISOLINE, Partitioning.INTEGER, 64.0),
    (Domain.QUAD, Partitioning.FRACTIONAL_EVEN, 16.0),
    (Domain.TRI, Partitioning.FRACTIONAL_EVEN, 16.0),
    (Domain.QUAD, Partitioning.FRACTIONAL_EVEN, 4.5),
    (Domain.TRI, Partitioning.FRACTIONAL_EVEN, 4.5),
    (Domain.QUAD, Partitioning.INTEGER, 1.0),
)


def measure(tessellator: Tessellates, factors: np.ndarray, rounds: int) -> tuple[float, int, int]:
    """Return the seconds that a mesh takes at best, its points and its primitives."""
    best, points, primitives = float("inf"), 0, 0
    for _ in range(rounds + 1):
        start = time.perf_counter()
        patches = tessellator.process(factors)
        points = primitives = 0
        for part in patches.slices():
            made = patches.located(part)
            points += made.patch.size
            primitives += made.primitive_patch.size
        best = min(best, time.perf_counter() - start)
    return best, points, primitives


def show(name: str, declared: Tessellator, factors: np.ndarray, rounds: int, threads: int) -> None:
    """Print how fast a mesh is tessellated."""
    seconds, points, primitives = measure(declared, factors, rounds)
    rates = f"{points / seconds / MILLION:8.1f} {primitives / seconds / MILLION:8.1f}"
    if declared.domain is not Domain.ISOLINE:
        native = CompiledTessellator(declared, tessellator_kernels(declared), threads, Watch())
        seconds, points, primitives = measure(native, factors, rounds)
        rates += f" {points / seconds / MILLION:8.1f} {primitives / seconds / MILLION:8.1f}"
    print(f"{name:<36} {len(factors):>7} {points:>9} {primitives:>10} {rates}")


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patches", type=int, default=2000, help="of a mesh of varied factors")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    counts = f"{'mesh':<36} {'patches':>7} {'points':>9} {'primitives':>10}"
    print(f"{counts}   points primitives, native: points primitives, M/s")
    for domain, partitioning, factor in EQUAL:
        isolines = domain is Domain.ISOLINE
        output = OutputPrimitive.LINE if isolines else OutputPrimitive.TRIANGLE_CW
        count = max(1, int(4e5 / factor**2))
        factors = np.full((min(count, 20000), FACTORS[domain]), factor, np.float32)
        name = f"{domain.name} {partitioning.name} {factor:g}".lower()
        declared = Tessellator(domain, partitioning, output)
        show(name, declared, factors, given.rounds, given.threads)
    random = np.random.default_rng(1)
    for most in (8, 64):
        for domain in (Domain.QUAD, Domain.TRI):
            rows = random.uniform(1, most, (given.patches, FACTORS[domain])).astype(np.float32)
            output = OutputPrimitive.TRIANGLE_CW
            declared = Tessellator(domain, Partitioning.FRACTIONAL_ODD, output)
            name = f"{domain.name} fractional_odd 1 to {most}".lower()
            show(name, declared, rows, given.rounds, given.threads)


if __name__ == "__main__":
    main()
