"""What patches with the same numbers of points share: points and primitives, kept.

A mesh whose factors vary has few of them again, so the parts that they are made of are kept, too
(`stitching`, `connectivity`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.enums import Domain, OutputPrimitive
from softd3d.pipeline.tessellator.connectivity import patch_lines, patch_triangles
from softd3d.pipeline.tessellator.factors import EDGES
from softd3d.pipeline.tessellator.points import Counts, Places, patch_points, points_within

__all__ = ["Plan", "corner_count", "plan_of", "point_counts", "primitive_counts"]

_KEPT = 256  # plans; one has at most 130 KiB
_Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Plan:
    """The points and primitives of a patch. points: as of `patch_points`.

    primitives: numbers of points, (points of a primitive, primitives).
    """

    points: Places
    primitives: Places


def corner_count(domain: Domain, output: OutputPrimitive) -> int:
    """Return how many points a primitive has."""
    if output is OutputPrimitive.POINT:
        return 1
    return 2 if domain is Domain.ISOLINE or output is OutputPrimitive.LINE else 3


@lru_cache(maxsize=_KEPT)
def plan_of(domain: Domain, output: OutputPrimitive, counts: Counts, *, is_single: bool) -> Plan:
    """Return the plan of a patch; its arrays are not to be written to.

    Args:
        domain: what is tessellated.
        output: what leaves. Direct3D has no lines of triangles and quads and no triangles of
            isolines; as in the reference tessellator, the former join all points in their order,
            the latter are lines.
        counts: the points of each axis, in the order of the factors.
        is_single: whether all factors are 1.
    """
    points = patch_points(domain, counts, is_single=is_single)
    return Plan(points, _primitives(domain, output, counts, points.shape[1], is_single=is_single))


def _primitives(
    domain: Domain, output: OutputPrimitive, counts: Counts, points: int, *, is_single: bool
) -> Places:
    numbers = np.arange(points, dtype=np.int32)
    if output is OutputPrimitive.POINT:
        return numbers[None]
    if domain is Domain.ISOLINE:
        return patch_lines(*counts)
    if output is OutputPrimitive.LINE:
        return np.stack([numbers[:-1], numbers[1:]])
    triangles = patch_triangles(domain, counts, is_single=is_single)
    return triangles if output is OutputPrimitive.TRIANGLE_CW else triangles[[0, 2, 1]]


def point_counts(domain: Domain, counts: _Counts, is_single: NDArray[np.bool_]) -> _Counts:
    """Return how many points patches have, without their plans.

    Args:
        domain: what is tessellated.
        counts: the points of each axis, (axes, patches).
        is_single: (patches,)
    """
    if domain is Domain.ISOLINE:
        return (counts[0] - 1) * counts[1]
    edges = _boundary(domain, counts)
    within = points_within(domain, list(counts[EDGES[domain] :]))
    return np.where(is_single, edges, edges + within)


def primitive_counts(
    domain: Domain, output: OutputPrimitive, counts: _Counts, points: _Counts
) -> _Counts:
    """Return how many primitives patches have. points: of each patch; others as said above."""
    if output is OutputPrimitive.POINT:
        return points
    if domain is Domain.ISOLINE:
        return (counts[0] - 1) * (counts[1] - 1)
    if output is OutputPrimitive.LINE:
        return points - 1
    return 2 * points - _boundary(domain, counts) - 2


def _boundary(domain: Domain, counts: _Counts) -> _Counts:
    """Return the points on the edges of triangles or quads."""
    sides = EDGES[domain]
    return counts[:sides].sum(axis=0) - sides
