"""The geometry shader stage: primitives in, primitives of each stream out. Spec: D3D11.3 13."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softd3d.isa.sm4.enums import SystemName
from softd3d.lower.stage import component_name
from softd3d.lower.stage_memory import EMITTED, LANE, PRIMITIVE
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.arrays import gathered
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.means import Means
from softd3d.pipeline.primitives.records import Indices, Numbers
from softd3d.pipeline.primitives.reports import Places, StageReport
from softd3d.pipeline.primitives.stage_programs import MOST_BYTES, RunStage, StageProgram
from softd3d.pipeline.queries import PipelineStatistics

__all__ = ["MOST_BYTES", "GeometryStage"]

_ID, _INSTANCE = "vPrim.x", "vGSInstanceID.x"


class GeometryStage:
    """Runs a geometry shader for primitives, as many together as memory allows.

    Invocations are in the order of primitives, of one primitive in that of instances. What those
    before one that aborts have emitted is drawn, nothing else.
    """

    def __init__(
        self, program: StageProgram, run: RunStage, report: StageReport,
        watch: Watch, statistics: PipelineStatistics, means: Means,
    ) -> None:  # fmt: skip
        self.program = program
        self.run = run
        self.report = report
        self.watch = watch
        self.statistics = statistics
        self.means = means
        words = sum(array.size for array in program.arrays)
        self.together = max(1, MOST_BYTES // (4 * max(words, 1) * program.instances))
        self.streams = tuple(program.bound.declarations.primitives.streams.values())

    def blocks(self, block: Block) -> Iterator[tuple[int, Block]]:
        """Yield what is made of primitives: a stream and its primitives, in order for each stream.

        `Block.number` is what the shader writes as SV_PrimitiveID, 0 if it does not.
        """
        for part in block.parts(self.together):
            self.watch.check()
            emitted, counts = self._emitted(part)
            if emitted is not None:
                yield from self._primitives(part, emitted, counts)
            if self.report.aborted:
                return

    def _emitted(self, block: Block) -> tuple[Numbers | None, Numbers]:
        """Run the shader: emitted vertices, and how many each invocation has."""
        program, instances = self.program, self.program.instances
        count = block.count * instances
        lane = primitive = np.arange(count, dtype=np.uint32)
        number, instance = block.number, np.zeros(count, np.uint32)
        if instances > 1:
            primitive = np.repeat(lane[: block.count], instances)
            number, instance = number[primitive], np.tile(lane[:instances], block.count)
        inputs = {PRIMITIVE: primitive, LANE: lane, _ID: number, _INSTANCE: instance}
        arrays: dict[str, Numbers] = {}
        read, written = program.array("v"), program.array(EMITTED[0])
        if read is not None:
            arrays["v"] = gathered(block, read, self.means)
        if written is not None:
            arrays[EMITTED[0]] = self.means.dwords(EMITTED[0], count * written.size)
        self.statistics.gs_invocations += count

        def places() -> Places:
            return number, block.instance[primitive], instance

        outputs = self.run(self.report, program, count, inputs, arrays, places)
        counts = outputs[EMITTED[0]]
        last = self.report.aborted_lane
        return arrays.get(EMITTED[0]), counts if last is None else counts[:last]

    def _primitives(
        self, block: Block, emitted: Numbers, counts: Numbers
    ) -> Iterator[tuple[int, Block]]:
        layout = self.program.array(EMITTED[0])
        assert layout is not None  # noqa: S101 - there is such memory
        words = emitted.reshape(-1, *layout.shape)
        for stream in self.streams:
            found = self.means.emitted(words, counts, layout, stream)
            if found is None:
                continue
            self.statistics.gs_primitives += found.lane.size
            number = np.zeros(found.lane.size, np.uint32)
            for r in stream.outputs:
                if r.system_value is SystemName.PRIMITIVE_ID:
                    number = found.outputs[component_name(r.name, r.components[0])][found.where[0]]
            instance = self._instance_ids(block, found.lane)
            yield stream.number, Block(number, instance, found.outputs, found.where)

    def _instance_ids(self, block: Block, lane: Indices) -> Numbers:
        """Return SV_InstanceID of primitives that lanes have completed."""
        first = block.instance[0]
        if block.instance[-1] == first:  # instances are in order
            return np.full(lane.size, first, np.uint32)
        return block.instance[lane // self.program.instances]
