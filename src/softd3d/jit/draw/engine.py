"""Run a draw as native code: chunks of primitives through vertex, setup and tile kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softd3d.jit.draw.bins import Bins, Pieces, bins_of
from softd3d.jit.draw.kernels import Kernels, kernels_of
from softd3d.jit.draw.memory import (
    Bound,
    Field,
    described,
    parameters,
    record_words,
    target_descriptor,
    with_call,
)
from softd3d.jit.draw.rare import Packed, packed
from softd3d.jit.draw.tessellation import CompiledTessellator
from softd3d.jit.running.kernel import Budget, default_budget
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.between import PrimitiveStages
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.draw_run import DrawRun
from softd3d.pipeline.primitives.effects import runs_in_step, writes_views
from softd3d.pipeline.primitives.facing import drawn
from softd3d.pipeline.primitives.pieces import pieces_of
from softd3d.pipeline.primitives.reports import PlacesOf, StageReport
from softd3d.pipeline.primitives.stage_programs import StageProgram
from softd3d.pipeline.primitives.vertices import VertexStage
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.stages import unwritten
from softd3d.pipeline.tessellator.patches import Tessellates, Tessellator

__all__ = ["CompiledDraw", "compile_draw"]

TILE = (64, 64)
CHUNK = 1 << 14
_MOST_COUNTED = 1 << 32
_ROW = NDArray[np.uint32]
_BOUNDS = ("left", "top", "right", "bottom")
_DRAWN, _RARE = 1, 2


def compile_draw(
    draw: PreparedDraw, *, lanes: int = 0, watch: Watch | None = None, tile: tuple[int, int] = TILE,
    chunk: int = CHUNK,
) -> CompiledDraw:  # fmt: skip
    """Compile a draw for its shaders, states and formats, or take what was compiled before.

    lanes: of a wave, 4, 8 or 16; 0 for what suits the machine. watch: what may stop compiling.
    tile: width and height of a tile in pixels, even. chunk: primitives that are drawn at a time.

    Raises:
        DecodeError, LoweringError, ResourceError: the draw cannot be compiled.
        ExecutionError: `watch` has stopped it.
    """
    kernels = kernels_of(draw, draw.bias, lanes, watch or Watch())
    return CompiledDraw(draw, kernels, tile, chunk)


class CompiledDraw:
    """A draw that native code can run."""

    def __init__(
        self, prepared: PreparedDraw, kernels: Kernels, tile: tuple[int, int], chunk: int
    ) -> None:
        self.prepared = prepared
        self.kernels = kernels
        self.chunk = 1 if runs_in_step(prepared) else chunk
        self.words = parameters(prepared)
        pixel = prepared.pixel
        effects = pixel is not None and writes_views(pixel)
        self.in_order = effects or (kernels.tiles is not None and kernels.tiles.table is not None)
        self.tile = tile
        if self.in_order:  # the order of primitives shows: one tile, one thread
            even = [max(n + n % 2, 2) for n in (prepared.width, prepared.height)]
            self.tile = even[0], even[1]
        targets = [t for t in (*prepared.targets, prepared.depth) if t is not None]
        self.targets = tuple(target_descriptor(t) for t in targets)

    def draw(
        self, call: DrawCall, *, threads: int = 0, budget: int | None = None,
        watch: Watch | None = None, progress: Callable[[int, int], None] | None = None,
        max_messages: int = DEFAULT_MESSAGES,
    ) -> DrawResult:  # fmt: skip
        """Draw and return what is to be reported; targets are written in place.

        threads: CPU threads, 0 for all. budget: loop iterations of waves at most, all together.
        watch, progress, max_messages: as for the reference engine.

        Raises:
            ExecutionError: the budget or the time is spent, or the run was cancelled; targets hold
                what was written until then.
        """
        run = _CompiledRun(self, call, threads, budget, watch or Watch(), max_messages)
        return run.run(progress)


class _CompiledRun(DrawRun):
    """A draw on its way: chunks of primitives, tile by tile."""

    def __init__(
        self, compiled: CompiledDraw, call: DrawCall, threads: int, budget: int | None,
        watch: Watch, max_messages: int,
    ) -> None:  # fmt: skip
        super().__init__(compiled.prepared, call, watch, max_messages)
        self.compiled = compiled
        self.kernels = compiled.kernels
        self.wiring = compiled.kernels.wiring
        self.threads = threads
        self.budget = None if budget is None else Budget(budget, budget)
        self.most = compiled.chunk
        self.words = described(with_call(compiled.words, call))
        self.known: Mapping[str, _ROW] | None = None  # whose rows are `shared`
        self.shared = self.rows = np.zeros((0, max(len(self.wiring.outputs), 1)), np.uint32)
        pixel = self.draw.pixel
        self.stages = PrimitiveStages(
            self.draw, self.kernels.programs, self.run_program, watch, self.statistics,
            max_messages, self.tessellator,
        )  # fmt: skip
        self.reports = [StageReport("vs", self.draw.vertex, max_messages), *self.stages.reports]
        self.pixels = None if pixel is None else StageReport("ps", pixel, max_messages)
        if self.pixels is not None:
            before, stream = self.draw.last.declarations, self.draw.rasterized_stream or 0
            self.pixels.poison(unwritten(self.wiring.links, before, stream))
            self.reports.append(self.pixels)
        self.vertices = VertexStage(self.draw, call, self.shade, self.reports[0])

    # Vertices

    def shade(self, vertex: _ROW, instance: _ROW) -> Mapping[str, _ROW]:
        """Run the vertex kernel; return its outputs by name."""
        names, report = self.wiring.vertex_outputs, self.reports[0]
        rows = np.zeros((vertex.size, max(len(names), 1)), np.uint32)
        kernel = self.kernels.vertex
        buffers = [
            described(self.draw.vertex_buffers[slot].data)
            for slot in sorted({e.slot for e in self.draw.inputs} & set(self.draw.vertex_buffers))
        ]
        bound = Bound(
            (*self.draw.vertex.descriptors, self.words, described(rows), *buffers),
            self.draw.vertex.constants,
        )
        outcome, _ = kernel.run_lanes(
            bound, vertex.size, {"vertex": vertex, "instance": instance},
            threads=1 if self.vertices.keeps else self.threads,  # effects: in order
            budget=self.budget, watch=self.watch, max_messages=report.left,
        )  # fmt: skip
        report.note(outcome, (vertex, instance, np.zeros_like(vertex)))
        self.rows = rows
        return {name: rows[:, n] for n, name in enumerate(names)}

    # Primitives

    def rasterize(self, block: Block) -> None:
        if block.outputs is not self.known:  # consecutive blocks may share vertices
            self.known, self.shared = block.outputs, self.rows_of(block)
        self.pieces(block, self.shared)

    def rows_of(self, block: Block) -> _ROW:
        """Return the outputs of vertices as rows."""
        names, is_direct = self.wiring.outputs, self.draw.last is self.draw.vertex
        if is_direct and names == self.wiring.vertex_outputs and not self.vertices.keeps:
            return self.rows
        return np.ascontiguousarray(np.stack([block.outputs[n] for n in names], axis=1))

    def run_program(
        self, report: StageReport, program: StageProgram, count: int,
        inputs: Mapping[str, _ROW], arrays: Mapping[str, _ROW], places: PlacesOf,
    ) -> Mapping[str, _ROW]:  # fmt: skip
        """Run a shader that works on primitives, as `RunStage`."""
        kernel = self.kernels.between[program.stage, program.number]
        return kernel.run(
            report, count, inputs, program.memory(arrays), places, threads=self.threads,
            budget=self.budget, watch=self.watch,
        )  # fmt: skip

    def tessellator(self, declared: Tessellator) -> Tessellates:
        """Return the tessellator of the draw's patches."""
        kernels = self.kernels.tessellator
        if kernels is None:
            return declared
        return CompiledTessellator(declared, kernels, self.threads, self.watch)

    def pieces(self, block: Block, rows: _ROW) -> None:
        """Set up primitives and draw them."""
        records, status, bounds = self.set_up(block, rows)
        ordinary = np.flatnonzero(status == _DRAWN)
        bounds = bounds[:, ordinary]
        some = (bounds[2] > bounds[0]) & (bounds[3] > bounds[1])
        row, bounds = ordinary[some], bounds[:, some]
        primitive = row
        rare = np.flatnonzero(status == _RARE)
        if rare.size:
            found = self.rare(block, rare, rows.shape[0])
            if found is not None:
                some = (found.bounds[2] > found.bounds[0]) & (found.bounds[3] > found.bounds[1])
                places = records.shape[0] + np.flatnonzero(some)
                records = np.concatenate([records, found.records])
                rows = np.concatenate([rows, found.vertices])
                primitive = np.concatenate([primitive, found.primitive[some]])
                order = np.argsort(primitive, kind="stable")
                row = np.concatenate([row, places])[order]
                bounds = np.concatenate([bounds, found.bounds[:, some]], axis=1)[:, order]
                primitive = primitive[order]
        if not row.size:
            return
        changes = np.count_nonzero(primitive[1:] != primitive[:-1])
        self.statistics.c_primitives += int(changes) + 1
        self.tiles(Pieces(row.astype(np.uint32), bounds.astype(np.int64)), records, rows)

    def set_up(self, block: Block, rows: _ROW) -> tuple[_ROW, _ROW, NDArray[np.int32]]:
        """Run the setup kernel: records, what becomes of each primitive, bounds."""
        count = block.count
        kernel = self.kernels.setup
        words = record_words(self.wiring.piece_corners)
        if kernel is None:
            return (
                np.zeros((0, words), np.uint32), np.full(count, _RARE, np.uint32),
                np.zeros((4, count), np.int32),
            )  # fmt: skip
        records = np.empty((count, words), np.uint32)
        bound = Bound((self.words, described(rows), described(records)))
        where = block.where.astype(np.uint32, copy=False)
        given = {f"c{n}": np.ascontiguousarray(where[n]) for n in range(self.wiring.corners)}
        given |= {"number": block.number, "instance": block.instance}
        wanted = {name: given[name] for name in kernel.facts.inputs}
        _, outputs = kernel.run_lanes(bound, count, wanted, threads=self.threads, watch=self.watch)
        bounds = np.stack([outputs[name] for name in _BOUNDS]).view(np.int32)
        return records, outputs["status"], bounds

    def rare(self, block: Block, rare: NDArray[np.int64], first: int) -> Packed | None:
        """Return records of what must be clipped, or of edges in wireframe."""
        taken = self.wiring.taken
        assert taken is not None  # noqa: S101 - the rasteriser is on
        columns = {name: np.ascontiguousarray(a) for name, a in block.outputs.items()}
        links, mine = self.wiring.links, replace(block.some(rare), outputs=columns)
        pieces = pieces_of(self.draw, taken, links, mine)
        if not pieces.count:
            return None
        pieces = drawn(self.draw, pieces, links)
        if not pieces.count:
            return None
        leading = mine.where[0][pieces.primitive].astype(np.uint32)
        found = packed(self.draw, pieces, leading, self.wiring.outputs, taken.clip, first)
        return replace(found, primitive=rare[found.primitive])

    # Pixels

    def tiles(self, pieces: Pieces, records: _ROW, rows: _ROW) -> None:
        """Draw pieces, tile by tile."""
        pixels = self.compiled.tile[0] * self.compiled.tile[1]
        most = max(1, _MOST_COUNTED * self.kernels.lanes // (pixels * self.draw.pattern.count + 1))
        for bins in bins_of(pieces, self.compiled.tile, most):
            self.watch.check()
            self.bin(bins, records, rows)

    def _waves(self, bins: Bins, records: _ROW) -> int:
        """Return how many waves run the pixel shader, at most."""
        size = records[:, Field.RIGHT : Field.RIGHT + 2] - records[:, Field.LEFT : Field.LEFT + 2]
        width, height = self.compiled.tile
        wide = np.minimum(size[bins.list, 0], width) // (self.kernels.lanes // 2) + 2
        rows = np.minimum(size[bins.list, 1], height) // 2 + 2
        return int((wide.astype(np.int64) * rows).sum()) * self.draw.pattern.count

    def bin(self, bins: Bins, records: _ROW, rows: _ROW) -> None:
        kernel = self.kernels.tiles
        assert kernel is not None  # noqa: S101 - the rasteriser is on
        lanes, count = self.kernels.lanes, bins.tiles.shape[0]
        counters = np.zeros((count, 2, lanes), np.uint32)
        pixel = self.draw.pixel
        own = () if pixel is None else pixel.descriptors
        memory = [described(a) for a in (rows, records, bins.tiles, bins.list, counters)]
        bound = Bound(
            (*own, self.words, *memory, *self.compiled.targets),
            () if pixel is None else pixel.constants,
        )
        budget = self.budget or default_budget(self._waves(bins, records))
        outcome = kernel.run(
            bound, (count, 1, 1), threads=1 if self.compiled.in_order else self.threads,
            budget=budget, watch=self.watch,
            max_messages=self.max_messages if self.pixels is None else self.pixels.left,
        )  # fmt: skip
        if self.pixels is not None:
            self.pixels.note(outcome)
        passed, shaded = counters.astype(np.uint64).sum(axis=(0, 2)).tolist()
        self.samples_passed += passed
        self.statistics.ps_invocations += shaded
