"""Reads that are joined to a result: of two mip levels, and of a line of an anisotropic filter.

Spec: D3D11.3 section 7.18.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from softd3d.algebra.operations import fma, rarely
from softd3d.algebra.value import Value
from softd3d.isa.sampling.level import Footprint, Levels

__all__ = ["Combine", "along_line", "in_levels"]

Vector: TypeAlias = "tuple[Value, ...]"
Combine: TypeAlias = Callable[[Sequence[Vector], Sequence[Value]], Vector]
"""From texels and weights to one: `filter.joined` for a sampler."""


def in_levels(levels: Levels, at: Callable[[Value], Vector], combine: Combine) -> Vector:
    """Return what is read in one mip level, or in two that are joined.

    at: from the number of a level (uint32) to what is read in it.
    """
    first = at(levels.first)
    second, weight = levels.second, levels.weight
    if second is None or weight is None:
        return first
    return rarely(weight.ne(0.0), first, lambda: combine((first, at(second)), (weight,)))


def along_line(
    footprint: Footprint, most: int, coordinates: Vector, probe: Callable[[Vector], Vector],
    combine: Combine,
) -> Vector:  # fmt: skip
    """Return the mean of probes along a line: number n is joined with a weight of 1 / n.

    most: MaxAnisotropy. coordinates: of the line's middle, float32. probe: reads at others.
    """

    def joined(total: Vector, here: Vector, weight: Value) -> Vector:
        return combine((total, probe(here)), (weight,))

    total: Vector = ()
    for n in range(most):
        place = (n + 0.5) / footprint.count - 0.5
        here = tuple(fma(d, place, c) for d, c in zip(footprint.line, coordinates, strict=True))
        if n == 0:
            total = probe(here)
            continue
        weight = footprint.count.like(1 / (n + 1))
        total = rarely(footprint.count > float(n), total, partial(joined, total, here, weight))
    return total
