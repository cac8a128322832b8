"""The tessellator as native code: points and triangles of tri and quad patches, slice by slice.

The same as `pipeline/tessellator/patches`, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.jit.draw.between.tessellator_kernels import (
    CORNERS,
    LOCATION,
    PATCH,
    POINT,
    PRIMITIVE,
    SLICE_WORDS,
    factor_names,
    patch_words,
    row_words,
)
from softd3d.jit.draw.memory import Bound, described
from softd3d.jit.engine import CompiledKernel
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.records import Numbers, Rows
from softd3d.pipeline.tessellator.connectivity import patch_lines
from softd3d.pipeline.tessellator.counting import point_counts, primitive_counts
from softd3d.pipeline.tessellator.patches import (
    POINTS_AT_ONCE,
    LocatedPoints,
    Tessellator,
    slices_of,
)
from softd3d.pipeline.tessellator.pools import Pools, pools_of

__all__ = ["CompiledTessellator", "TessellatorKernels"]


@dataclass(frozen=True, slots=True)
class TessellatorKernels:
    """Kernels for a domain, a partitioning and an output. triangles: None of points and lines."""

    axes: CompiledKernel
    points: CompiledKernel
    triangles: CompiledKernel | None


@dataclass(frozen=True, slots=True)
class CompiledTessellator:
    """What a hull shader declares of its patches, of tri or quad, and how to run the kernels.

    threads: CPU threads, 0 for all. watch: what may stop a run.
    """

    declared: Tessellator
    kernels: TessellatorKernels
    threads: int
    watch: Watch

    def process(self, factors: NDArray[np.float32]) -> CompiledPatches:
        """Process the factors of patches: any numbers; as `Tessellator.process`."""
        count, domain = factors.shape[0], self.declared.domain
        rows = np.zeros((count, row_words(domain)), np.uint32)
        bits = np.ascontiguousarray(factors.T).view(np.uint32)
        named = dict(zip(factor_names(domain), bits, strict=True))
        self.run(self.kernels.axes, count, named, (rows,))
        counts, is_single, is_culled = patch_words(domain, rows)
        points = np.where(is_culled, 0, point_counts(domain, counts, is_single))
        primitives = primitive_counts(domain, self.declared.output, counts, points)
        primitives = np.where(is_culled, 0, primitives)
        starts = np.zeros((count + 1, SLICE_WORDS), np.uint32)
        starts[1:, POINT], starts[1:, PRIMITIVE] = np.cumsum(points), np.cumsum(primitives)
        pools = pools_of(domain, counts[:, points > 0], is_single[points > 0])
        return CompiledPatches(self, points, primitives, rows, starts, pools)

    def run(
        self, kernel: CompiledKernel, count: int, inputs: Mapping[str, Numbers],
        memory: tuple[Numbers, ...],
    ) -> Mapping[str, Numbers]:  # fmt: skip
        """Run a kernel with memory in the order of slots; return its outputs."""
        bound = Bound(tuple(described(array) for array in memory))
        return kernel.run_lanes(bound, count, inputs, threads=self.threads, watch=self.watch)[1]


@dataclass(frozen=True, slots=True)
class CompiledPatches:
    """Patches whose factors have been processed.

    points, primitives: how many each patch is made into, (patches,). rows, starts: as `Slot` says.
    """

    tessellator: CompiledTessellator
    points: Rows
    primitives: Rows
    rows: Numbers
    starts: Numbers
    pools: Pools

    def slices(self, most: int = POINTS_AT_ONCE) -> Iterator[slice]:
        """Return slices of patches with at most `most` points, or one patch; none has no points."""
        return slices_of(self.points, most)

    def located(self, patches: slice) -> LocatedPoints:
        """Return what a slice of patches is made into."""
        kernels, pools = self.tessellator.kernels, self.pools
        chosen = np.arange(patches.start, patches.stop, dtype=np.uint32)
        patch = np.repeat(chosen, self.points[patches])
        primitive_patch = np.repeat(chosen, self.primitives[patches])
        memory = self.rows, self.starts, self.starts[patches.start]
        found = self.tessellator.run(
            kernels.points, patch.size, {PATCH: patch}, (*memory, pools.points, pools.point_ends)
        )
        located = tuple(found[name] for name in LOCATION if name in found)
        if kernels.triangles is None:
            return LocatedPoints(located, patch, self._simple(patches), primitive_patch)
        found = self.tessellator.run(
            kernels.triangles, primitive_patch.size, {PATCH: primitive_patch},
            (*memory, pools.triangles, pools.triangle_ends, pools.frames, pools.frame_starts),
        )  # fmt: skip
        return LocatedPoints(
            located, patch, tuple(found[name] for name in CORNERS), primitive_patch
        )

    def _simple(self, patches: slice) -> tuple[Numbers, ...]:
        """Return primitives that are points, or lines through all points."""
        points = self.points[patches]
        points = points[points > 0]
        if self.tessellator.declared.corners == 1:
            return (np.arange(points.sum(), dtype=np.uint32),)
        return tuple(row.astype(np.uint32) for row in patch_lines(points, points))
