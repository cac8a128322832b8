"""How many points and primitives patches have, from the points of their axes.

Spec: D3D11.3 section 11.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.enums import Domain, OutputPrimitive
from softd3d.pipeline.tessellator.factors import EDGES

__all__ = ["Counts", "corner_count", "point_counts", "points_within", "primitive_counts"]

Counts: TypeAlias = NDArray[np.int64]
_N = TypeVar("_N", int, NDArray[np.int64])


def corner_count(domain: Domain, output: OutputPrimitive) -> int:
    """Return how many points a primitive has.

    Direct3D has no lines of triangles and quads and no triangles of isolines; as in the reference
    tessellator, the former join all points in their order, the latter are lines.
    """
    if output is OutputPrimitive.POINT:
        return 1
    return 2 if domain is Domain.ISOLINE or output is OutputPrimitive.LINE else 3


def point_counts(domain: Domain, counts: Counts, is_single: NDArray[np.bool_]) -> Counts:
    """Return how many points patches have.

    Args:
        domain: what is tessellated.
        counts: the points of each axis, (axes, patches).
        is_single: whether all factors are 1, (patches,).
    """
    if domain is Domain.ISOLINE:
        return (counts[0] - 1) * counts[1]
    edges = _boundary(domain, counts)
    within = points_within(domain, list(counts[EDGES[domain] :]))
    return np.where(is_single, edges, edges + within)


def points_within(domain: Domain, insides: Sequence[_N]) -> _N:
    """Return how many points a triangle or quad has inside of its edges.

    insides: the points of each inside axis, numbers or arrays.
    """
    if domain is Domain.QUAD:
        return (insides[0] - 2) * (insides[1] - 2)
    rings = insides[0] // 2 - 1
    is_even = insides[0] % 2  # there is a centre, and one point more on each side of a ring
    return 3 * rings * (rings + is_even) + is_even


def primitive_counts(
    domain: Domain, output: OutputPrimitive, counts: Counts, points: Counts
) -> Counts:
    """Return how many primitives patches have. points: of each patch; counts: as said above."""
    if output is OutputPrimitive.POINT:
        return points
    if domain is Domain.ISOLINE:
        return (counts[0] - 1) * (counts[1] - 1)
    if output is OutputPrimitive.LINE:
        return points - 1
    return 2 * points - _boundary(domain, counts) - 2


def _boundary(domain: Domain, counts: Counts) -> Counts:
    """Return the points on the edges of triangles or quads."""
    sides = EDGES[domain]
    return counts[:sides].sum(axis=0) - sides
