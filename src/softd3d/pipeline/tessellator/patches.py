"""The tessellator over many patches: counts first, then points and primitives slice by slice.

    patches = Tessellator(domain, partitioning, output).process(factors)
    for part in patches.slices():
        made = patches.generate(part)

Spec: D3D11.3 section 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.pipeline.primitives.records import Bools, Numbers, Rows, lanes, spread, taken
from softd3d.pipeline.tessellator.axis import Axis, axis_of, axis_position
from softd3d.pipeline.tessellator.connectivity import patch_lines, surface_triangles
from softd3d.pipeline.tessellator.coordinates import (
    domain_location,
    third_coordinate,
    tri_point,
)
from softd3d.pipeline.tessellator.counting import (
    corner_count,
    point_counts,
    primitive_counts,
)
from softd3d.pipeline.tessellator.factors import FACTORS, AxisFactor, process_factors
from softd3d.pipeline.tessellator.kinds import Kinds, kinds_of
from softd3d.pipeline.tessellator.points import line_points, surface_points
from softd3d.pipeline.tessellator.ragged import numbered

__all__ = [
    "POINTS_AT_ONCE",
    "DomainPoints",
    "LocatedPoints",
    "MakesPoints",
    "TessellatedPatches",
    "Tessellates",
    "Tessellator",
    "slices_of",
]

POINTS_AT_ONCE = 1 << 16
"""In a slice; a patch has at most 4,225."""


@dataclass(frozen=True, slots=True)
class DomainPoints:
    """What consecutive patches are made into, in order, patches one after another.

    positions: U, V and of triangles W, with 16 fraction bits, (2 or 3, points). patch: the number
    of each point's patch. primitives: rows of points, (points of a primitive, primitives); the
    leading vertex is the first. primitive_patch: the number of each primitive's patch.
    """

    positions: Numbers
    patch: Rows
    primitives: Rows
    primitive_patch: Rows

    @property
    def locations(self) -> NDArray[np.float32]:
        """SV_DomainLocation, (points, 2 or 3)."""
        return domain_location(lanes(self.positions)).raw.T

    @property
    def located(self) -> LocatedPoints:
        """The same as the domain shader takes it."""
        locations = domain_location(lanes(self.positions)).raw.view(np.uint32)
        return LocatedPoints(
            tuple(locations), self.patch.astype(np.uint32),
            tuple(row.astype(np.uint32) for row in self.primitives),
            self.primitive_patch.astype(np.uint32),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LocatedPoints:
    """What consecutive patches are made into, as stages behind take it: contiguous arrays, uint32.

    locations: bits of the components of SV_DomainLocation, (points,) each. patch: of each point.
    primitives: of each corner, rows of points, (primitives,). primitive_patch: of each primitive.
    """

    locations: tuple[Numbers, ...]
    patch: Numbers
    primitives: tuple[Numbers, ...]
    primitive_patch: Numbers


class MakesPoints(Protocol):
    """Patches whose factors have been processed, of a tessellator of either engine."""

    def slices(self, most: int = ...) -> Iterator[slice]:
        """Return slices of patches with at most `most` points, or one patch; none has no points."""
        ...

    def located(self, patches: slice) -> LocatedPoints:
        """Return what a slice of patches is made into."""
        ...


class Tessellates(Protocol):
    """A tessellator of either engine."""

    def process(self, factors: NDArray[np.float32]) -> MakesPoints:
        """Process the factors of patches, (patches, factors): any numbers."""
        ...


def slices_of(points: Rows, most: int) -> Iterator[slice]:
    """Return slices of patches with at most `most` points, or one patch; none has no points."""
    ends = np.cumsum(points)
    first, before = 0, 0
    while first < ends.size:
        end = max(int(np.searchsorted(ends, before + most, "right")), first + 1)
        after = int(ends[end - 1])
        if after > before:
            yield slice(first, end)
        first, before = end, after


@dataclass(frozen=True, slots=True)
class TessellatedPatches:
    """Patches whose factors have been processed; what is made of a patch that is culled is nothing.

    points, primitives: how many each patch is made into, (patches,). counts: the points of each
    axis, (patches, axes). is_single: whether all factors are 1. axes: the same axes in one row.
    """

    tessellator: Tessellator
    points: Rows
    primitives: Rows
    counts: Rows
    is_single: Bools
    axes: Axis

    def slices(self, most: int = POINTS_AT_ONCE) -> Iterator[slice]:
        """Return slices of patches with at most `most` points, or one patch; none has no points."""
        return slices_of(self.points, most)

    def located(self, patches: slice) -> LocatedPoints:
        """Return what a slice of patches is made into, as stages behind take it."""
        return self.generate(patches).located

    def generate(self, patches: slice) -> DomainPoints:
        """Return what a slice of patches is made into. Memory grows with its points."""
        chosen: Rows = np.arange(patches.start, patches.stop, dtype=np.int64)
        chosen = chosen[self.points[chosen] > 0]
        kinds = kinds_of(self.counts[chosen], self.is_single[chosen])
        return DomainPoints(
            positions=self._positions(chosen, kinds),
            patch=np.repeat(chosen, self.points[chosen]),
            primitives=self._primitives(chosen, kinds),
            primitive_patch=np.repeat(chosen, self.primitives[chosen]),
        )

    def _primitives(self, chosen: Rows, kinds: Kinds) -> Rows:
        """Return the primitives of patches: numbers of points, counted from the first patch's."""
        domain, output = self.tessellator.domain, self.tessellator.output
        points, one = self.points[chosen], chosen[kinds.first]
        if self.tessellator.corners == 1:
            return np.arange(points.sum(), dtype=np.int64)[None]
        if self.tessellator.corners == 2:
            row = self.counts[chosen, 1] if domain is Domain.ISOLINE else points
            return patch_lines(points, row)
        found = surface_triangles(domain, self.counts[one], self.is_single[one], self.points[one])
        found = found if output is OutputPrimitive.TRIANGLE_CW else found[[0, 2, 1]]
        return kinds.for_all(found, self.primitives[chosen], points)

    def _positions(self, chosen: Rows, kinds: Kinds) -> Numbers:
        """Return the positions of all points: those of the patches' axes, picked."""
        of_axes, domain = self._axis_positions(chosen), self.tessellator.domain
        counts, one = self.counts[chosen], chosen[kinds.first]
        if domain is Domain.ISOLINE:
            return of_axes[line_points(counts)]
        places = surface_points(domain, self.counts[one], self.is_single[one])
        is_tri = domain is Domain.TRI
        places = kinds.for_all(places, self.points[chosen], counts.sum(axis=1), int(is_tri))
        if not is_tri:
            return of_axes[places]
        held, running = (lanes(of_axes[row]) for row in places[:2])
        u, v = tri_point(held, running, lanes(places[2].astype(np.uint32)))
        return np.stack([u.raw, v.raw, third_coordinate(u, v).raw])

    def _axis_positions(self, chosen: Rows) -> Numbers:
        """Return the positions of all axes of patches, one behind the other."""
        counts = self.counts[chosen].reshape(-1)
        axes = self.counts.shape[1]
        of_patch: Rows = np.arange(axes, dtype=np.int64)
        rows = (chosen[:, None] * axes + of_patch).reshape(-1)
        axis = taken(self.axes, np.repeat(rows, counts))
        return axis_position(axis, lanes(numbered(counts).astype(np.uint32))).raw


@dataclass(frozen=True, slots=True)
class Tessellator:
    """What a hull shader declares of its patches. domain, partitioning, output: not UNDEFINED."""

    domain: Domain
    partitioning: Partitioning
    output: OutputPrimitive

    @property
    def corners(self) -> int:
        """The points of a primitive."""
        return corner_count(self.domain, self.output)

    def process(self, factors: NDArray[np.float32]) -> TessellatedPatches:
        """Process the factors of patches: any numbers.

        Args:
            factors: float32, (patches, factors), in the order that `factors` says.
        """
        count = factors.shape[0]
        columns = [lanes(np.ascontiguousarray(column)) for column in factors.T]
        found = process_factors(self.domain, self.partitioning, columns)
        fixed = np.stack([spread(axis.fixed, count) for axis in found.axes], axis=1)
        is_odd = np.stack([spread(axis.is_odd, count) for axis in found.axes], axis=1)
        axes = axis_of(AxisFactor(lanes(fixed.reshape(-1)), lanes(is_odd.reshape(-1))))
        counts = axes.points.raw.reshape(count, FACTORS[self.domain]).astype(np.int64)
        is_single, is_culled = spread(found.is_single, count), spread(found.is_culled, count)
        points = np.where(is_culled, 0, point_counts(self.domain, counts.T, is_single))
        primitives = primitive_counts(self.domain, self.output, counts.T, points)
        primitives = np.where(is_culled, 0, primitives)
        return TessellatedPatches(self, points, primitives, counts, is_single, axes)
