"""Random factors of patches: whole and fractional, at limits and thresholds, and no numbers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.pipeline.tessellator.factors import FACTORS

DOMAINS = [d for d in Domain if d]
PARTITIONINGS = [p for p in Partitioning if p]
SPACES = list(product(DOMAINS, PARTITIONINGS))
SURFACES = [s for s in SPACES if s[0] is not Domain.ISOLINE]
TRIANGLE = OutputPrimitive.TRIANGLE_CW
SPECIAL = np.array(
    [
        0, -0.0, -1, -1e-45, 1e-45, 1e-39, 2.0**-126, 1e-6, 0.5, 1 - 2.0**-24, 1, 1 + 2.0**-23,
        1 + 2.0**-17 - 2.0**-23, 1 + 2.0**-17, 1 + 2.0**-17 + 2.0**-23, 1 + 2.0**-16, 1.5, 2,
        2 + 2.0**-17, 3, 62.999996, 63, 63.000004, 63.5, 64, 64.00001, 1e30,
        np.inf, -np.inf, np.nan,
    ],
    np.float32,
)  # fmt: skip


def random_factors(domain: Domain, seed: int, count: int, most: float = 66) -> Any:
    """Return float32, (count, factors): hostile ones among them; most: of the ordinary ones."""
    random = np.random.default_rng(seed)
    shape = count, FACTORS[domain]
    factors = random.uniform(0.0, most, shape)
    whole = np.rint(factors) + random.choice([0.0, 0.0, 2.0**-16, -(2.0**-16), 2.0**-18], shape)
    factors = np.where(random.random(shape) < 0.4, whole, factors)
    factors = np.where(random.random(shape) < 0.2, random.uniform(0, 3, shape), factors)
    hostile = random.random((count, 1)) < 0.3
    hostile = hostile & (random.random(shape) < 0.3)
    return np.where(hostile, random.choice(SPECIAL, shape), factors.astype(np.float32))


def plain_factors(domain: Domain, seed: int, count: int, most: float = 66) -> Any:
    """Return float32, (count, factors), none of which culls."""
    factors = random_factors(domain, seed, count, most)
    return np.where(factors > np.float32(1e-30), factors, np.float32(1.25))
