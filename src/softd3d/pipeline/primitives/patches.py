"""Patches: hull shader, tessellator, domain shader. Spec: D3D11.3 sections 10 to 12."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.enums import SystemName
from softd3d.isa.sm4.validate.tessellation import TESSELLATION_FACTORS
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.stage_memory import PRIMITIVE, StageArray
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.arrays import fitted, gathered, output_words
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.effects import writes_views
from softd3d.pipeline.primitives.means import Means
from softd3d.pipeline.primitives.records import Numbers, Rows
from softd3d.pipeline.primitives.reports import Places, StageReport
from softd3d.pipeline.primitives.stage_programs import MOST_BYTES, RunStage, StageProgram
from softd3d.pipeline.queries import PipelineStatistics
from softd3d.pipeline.tessellator.patches import (
    POINTS_AT_ONCE,
    LocatedPoints,
    Tessellator,
)

__all__ = ["MOST_BYTES", "Hull", "PatchStages"]

_ID = "vPrim.x"
_NUMBERS = {
    Phase.CONTROL_POINT: "vOutputControlPointID.x",
    Phase.FORK: "vForkInstanceID.x",
    Phase.JOIN: "vJoinInstanceID.x",
}
_MOST_PATCHES = 1 << 16  # together, so that numbers of their points are uint32
_LOCATION = ("vDomain.x", "vDomain.y", "vDomain.z")


class PatchStages:
    """Runs hull and domain shaders for patches, as many together as memory allows.

    reports: of hull and domain shader. Patches before one that aborts are drawn, no others.
    """

    def __init__(
        self, draw: PreparedDraw, programs: Sequence[StageProgram], run: RunStage,
        reports: tuple[StageReport, StageReport], watch: Watch, statistics: PipelineStatistics,
        means: Means,
    ) -> None:  # fmt: skip
        assert draw.hull is not None  # noqa: S101 - a draw with patches
        self.phases = [program for program in programs if program.stage == "hs"]
        self.domain = next(program for program in programs if program.stage == "ds")
        self.run = run
        self.hull_report, self.domain_report = reports
        self.watch = watch
        self.statistics = statistics
        declared = draw.hull.declarations.primitives
        self.points = declared.output_points
        self.means = means
        self.tessellator = means.tessellator(
            Tessellator(declared.domain, declared.partitioning, declared.output)
        )
        self.factors = [_place(self.phases, name) for name in TESSELLATION_FACTORS[declared.domain]]
        words = sum(array.size for program in programs for array in program.arrays)
        self.together = min(max(1, MOST_BYTES // (4 * max(words, 1))), _MOST_PATCHES)
        if writes_views(draw.hull):  # phases of one patch, then those of the next
            self.together = 1

    def blocks(self, block: Block) -> Iterator[Block]:
        """Yield what is made of patches, in order; `Block.number` is that of the patch."""
        for made in self.hulls(block):
            kept = _before(made.patches, self.hull_report.aborted)
            yield from self._tessellated(made.patches.some(slice(kept)), made)

    def hulls(self, block: Block) -> Iterator[Hull]:
        """Run the hull shader for patches; yield some of them after the other."""
        for patches in block.parts(self.together):
            self.watch.check()
            with self.hull_report.by_primitive():
                made = Hull(self, patches)
            yield made
            if self.hull_report.aborted or self.domain_report.aborted:
                return

    def _tessellated(self, patches: Block, made: Hull) -> Iterator[Block]:
        """Tessellate patches and run the domain shader for their points."""
        arrays = made.for_domain(self.domain)
        tessellated = self.tessellator.process(self._factors(made.constants)[: patches.count])
        for some in tessellated.slices(POINTS_AT_ONCE):
            self.watch.check()
            points = tessellated.located(some)
            outputs = self._points(patches, points, arrays)
            rows, where = points.primitive_patch, np.stack(points.primitives)
            last = self.domain_report.aborted_lane
            if last is not None:
                rows = rows[rows < points.patch[last]]
            yield Block(
                patches.number[rows], patches.instance[rows], outputs, where[:, : rows.size]
            )
            if last is not None:
                return

    def _factors(self, constants: Numbers) -> NDArray[np.float32]:
        """Return the factors of patches; one that no phase declares is 0."""
        found = np.zeros((constants.shape[0], len(self.factors)), np.float32)
        for n, place in enumerate(self.factors):
            if place is not None:
                found[:, n] = constants[:, place].view(np.float32)
        return found

    def _points(
        self, patches: Block, points: LocatedPoints, arrays: Mapping[str, Numbers]
    ) -> Mapping[str, Numbers]:
        """Run the domain shader."""
        patch, count = points.patch, points.patch.size
        inputs = {PRIMITIVE: patch, _ID: patches.number[patch]}
        nothing = [np.zeros(count, np.uint32)] * (len(_LOCATION) - len(points.locations))
        inputs |= dict(zip(_LOCATION, (*points.locations, *nothing), strict=True))

        def places() -> Places:
            return patches.number[patch], patches.instance[patch], _in_patch(patch)

        self.statistics.ds_invocations += count
        return self.run(self.domain_report, self.domain, count, inputs, arrays, places)


class Hull:
    """What the hull shader leaves of patches. constants: (patches, words)."""

    def __init__(self, stages: PatchStages, patches: Block) -> None:
        self.stages = stages
        self.patches = patches
        self.points: Mapping[str, Numbers] | None = None  # None: they pass through
        stages.statistics.hs_invocations += patches.count
        for program in stages.phases:
            if program.kind is Phase.CONTROL_POINT:
                self.points = self._control_points(program)
        arrays: dict[str, Numbers] = {}
        for program in stages.phases:
            if program.kind is not Phase.CONTROL_POINT:
                self._constants(program, arrays)
        self.constants = arrays.get("vpc", np.zeros((patches.count, 0), np.uint32))

    @property
    def control_points(self) -> Block:
        """The control points that the hull shader leaves, as vertices of the patches."""
        if self.points is None:
            return self.patches
        count, points = self.patches.count, self.stages.points
        where = np.arange(count * points).reshape(count, points).T
        return replace(self.patches, outputs=self.points, where=where)

    def for_domain(self, program: StageProgram) -> dict[str, Numbers]:
        """Return the arrays that the domain shader reads."""
        found: dict[str, Numbers] = {}
        for array in program.arrays:
            is_points = array.name == "vicp"
            found[array.name] = (
                self._outgoing(array) if is_points else fitted(self.constants, array)
            )
        return found

    def _control_points(self, program: StageProgram) -> Mapping[str, Numbers]:
        points = self.stages.points
        arrays = {array.name: self._incoming(array) for array in program.arrays}
        count = self.patches.count
        patch = np.repeat(np.arange(count, dtype=np.uint32), points)
        number = np.tile(np.arange(points, dtype=np.uint32), count)
        return self._run(program, patch, number, arrays) if points else {}

    def _constants(self, program: StageProgram, arrays: dict[str, Numbers]) -> None:
        """Run a fork or join phase, instance after instance. arrays: those of phases before."""
        patch = np.arange(self.patches.count, dtype=np.uint32)
        for array in program.arrays:
            if array.name not in arrays:
                arrays[array.name] = self._array(array)
        for instance in range(program.instances):
            self._run(program, patch, np.full_like(patch, instance), arrays)

    def _run(
        self, program: StageProgram, patch: Numbers, number: Numbers, arrays: Mapping[str, Numbers]
    ) -> Mapping[str, Numbers]:
        stages, patches = self.stages, self.patches
        inputs = {PRIMITIVE: patch, _ID: patches.number[patch]}
        if program.kind is not None:
            inputs[_NUMBERS[program.kind]] = number

        def places() -> Places:
            return patches.number[patch], patches.instance[patch], number

        return stages.run(stages.hull_report, program, patch.size, inputs, arrays, places)

    def _array(self, array: StageArray) -> Numbers:
        if array.name == "vicp":
            return self._incoming(array)
        if array.name == "vocp":
            return self._outgoing(array)
        return np.zeros((self.patches.count, *array.shape), np.uint32)

    def _incoming(self, array: StageArray) -> Numbers:
        return gathered(self.patches, array, self.stages.means)

    def _outgoing(self, array: StageArray) -> Numbers:
        """Return the control points that the hull shader leaves."""
        if self.points is None:
            return self._incoming(array)
        count, points = self.patches.count, self.stages.points
        words = output_words(self.points, count * points, array.registers)
        return fitted(words.reshape(count, points, -1), array)


def _place(phases: Sequence[StageProgram], name: SystemName) -> int | None:
    """Return the word of patch constants that has a system value."""
    for program in phases:
        for r in program.bound.declarations.outputs:
            if program.kind is not Phase.CONTROL_POINT and r.system_value is name:
                return 4 * r.number + r.components[0]
    return None


def _in_patch(patch: Numbers) -> Numbers:
    """Return of each point which of its patch it is. patch: of each, in ascending order."""
    place: Rows = np.arange(patch.size, dtype=np.int64)
    is_first = np.concatenate([[True], patch[1:] != patch[:-1]])
    return (place - np.maximum.accumulate(np.where(is_first, place, 0))).astype(np.uint32)


def _before(patches: Block, aborted: tuple[int, int, int] | None) -> int:
    """Return how many patches come before one that aborted."""
    if aborted is None:
        return patches.count
    number, instance, _ = aborted
    is_it = (patches.number == number) & (patches.instance == instance)
    return int(np.argmax(is_it)) if is_it.any() else patches.count
