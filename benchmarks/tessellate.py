"""Speed of the tessellator in millions of points and of primitives a second.

    python benchmarks/tessellate.py [--patches N] [--rounds N]

Meshes of equal factors, and one whose factors vary. Each line is the best round. The tables of
points and connections are there after the first round, as in a draw after the first frame.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.pipeline.tessellator.factors import FACTORS
from softd3d.pipeline.tessellator.patches import Tessellator

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


def measure(name: str, tessellator: Tessellator, factors: np.ndarray, rounds: int) -> None:
    """Print how fast a mesh is tessellated."""
    best, points, primitives = float("inf"), 0, 0
    for _ in range(rounds + 1):
        start = time.perf_counter()
        patches = tessellator.process(factors)
        points = primitives = 0
        for part in patches.slices():
            made = patches.generate(part)
            points += made.locations.shape[0]
            primitives += made.primitives.shape[1]
        best = min(best, time.perf_counter() - start)
    rate = f"{points / best / MILLION:8.1f} {primitives / best / MILLION:8.1f} M/s"
    print(f"{name:<36} {len(factors):>7} {points:>9} {primitives:>10} {rate}")


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patches", type=int, default=2000, help="of a mesh of varied factors")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(f"{'mesh':<36} {'patches':>7} {'points':>9} {'primitives':>10}   points  primitives")
    for domain, partitioning, factor in EQUAL:
        isolines = domain is Domain.ISOLINE
        output = OutputPrimitive.LINE if isolines else OutputPrimitive.TRIANGLE_CW
        count = max(1, int(4e5 / factor**2))
        factors = np.full((min(count, 20000), FACTORS[domain]), factor, np.float32)
        name = f"{domain.name} {partitioning.name} {factor:g}".lower()
        measure(name, Tessellator(domain, partitioning, output), factors, given.rounds)
    random = np.random.default_rng(1)
    for most in (8, 64):
        for domain in (Domain.QUAD, Domain.TRI):
            rows = random.uniform(1, most, (given.patches, FACTORS[domain])).astype(np.float32)
            tessellator = Tessellator(
                domain, Partitioning.FRACTIONAL_ODD, OutputPrimitive.TRIANGLE_CW
            )
            name = f"{domain.name} fractional_odd 1 to {most}".lower()
            measure(name, tessellator, rows, given.rounds)


if __name__ == "__main__":
    main()
