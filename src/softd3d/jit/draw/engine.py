"""Run a draw as native code: batches of primitives through vertex, setup and tile kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.cores import available_cores
from softd3d.errors import ExecutionError
from softd3d.jit.draw.between.means import CompiledMeans
from softd3d.jit.draw.bins import Bins, Bounds, Grid, Pieces, bins_of, listed_pieces
from softd3d.jit.draw.kernels import Kernels, kernels_of
from softd3d.jit.draw.memory import (
    COUNTERS,
    MOST_WIDTH,
    RARE,
    WORD,
    Bound,
    Parameter,
    Tile,
    described,
    known_samples,
    parameters,
    record_words,
    target_descriptor,
    tile_bytes,
    with_call,
)
from softd3d.jit.draw.rare import Packed, packed
from softd3d.jit.draw.scratch import Scratch, scratch_memory
from softd3d.jit.draw.small import small_draws
from softd3d.jit.draw.vertex_sets import TabledVertices
from softd3d.jit.running.bound import PlannedRun
from softd3d.jit.running.kernel import Budget, CompiledKernel, default_budget
from softd3d.jit.running.memory import Batch
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.between import PrimitiveStages
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.draw_run import DrawRun
from softd3d.pipeline.primitives.effects import has_effects, runs_in_step, writes_views
from softd3d.pipeline.primitives.facing import drawn
from softd3d.pipeline.primitives.parts import part_count
from softd3d.pipeline.primitives.pieces import pieces_of
from softd3d.pipeline.primitives.reports import PlacesOf, StageReport
from softd3d.pipeline.primitives.stage_programs import StageProgram
from softd3d.pipeline.primitives.vertex_rows import VertexRows, runs_of
from softd3d.pipeline.primitives.vertices import VertexStage
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.stages import unwritten
from softd3d.pipeline.topology import listed

__all__ = ["CompiledDraw", "compile_draw"]

TILE = (64, 64)
CHUNK = 1 << 14  # primitives, at least
_STAGED = 1 << 16  # primitives, where there are other stages than the usual ones
_BATCH_BYTES = 20 << 20  # of records and vertices
_MOST_COUNTED = 1 << 32
_ROW = NDArray[np.uint32]
_BOUNDS = ("left", "top", "right", "bottom")


def compile_draw(
    draw: PreparedDraw, *, lanes: int = 0, watch: Watch | None = None, tile: tuple[int, int] = TILE,
    chunk: int = 0,
) -> CompiledDraw:  # fmt: skip
    """Compile a draw for its shaders, states and formats, or take what was compiled before.

    lanes: of a wave, 4, 8, 16, 32 or 64; 0 for what suits the machine. watch: what may stop
    compiling. tile: width and height of a tile in pixels, even; 64 is the most width. chunk:
    primitives that are drawn at a time, of an indexed draw, indices; 0 for what suits the draw.

    Raises:
        DecodeError, LoweringError, ResourceError: the draw cannot be compiled.
        ExecutionError: `watch` has stopped it.
    """
    kernels = kernels_of(draw, draw.bias, lanes, watch or Watch())
    return CompiledDraw(draw, kernels, tile, chunk)


class CompiledDraw:
    """A draw that native code can run.

    chunk: primitives that are drawn at a time, 0 for what suits a call. is_plain: vertices go to
    the rasteriser and nowhere else, and leave nothing behind. words: parameters without those of a
    call. in_order: the order of primitives shows, so one thread draws one tile.
    """

    def __init__(
        self, prepared: PreparedDraw, kernels: Kernels, tile: tuple[int, int], chunk: int
    ) -> None:
        self._given = tile, chunk
        self.prepared = prepared
        self.kernels = kernels
        self.chunk = 1 if runs_in_step(prepared) else chunk
        self.is_plain = (
            prepared.last is prepared.vertex
            and prepared.stream_output is None
            and not has_effects(prepared.vertex)
        )
        self.words = parameters(prepared)
        self.words[Parameter.ROW] = WORD * max(len(kernels.wiring.outputs), 1)
        corners = kernels.wiring.piece_corners
        self.record_words = record_words(corners, known_samples(prepared, corners))
        pixel = prepared.pixel
        effects = pixel is not None and writes_views(pixel)
        self.in_order = effects or (kernels.tiles is not None and kernels.tiles.table is not None)
        self.tile = min(tile[0], MOST_WIDTH), tile[1]
        if self.in_order:
            even = [max(n + n % 2, 2) for n in (prepared.width, prepared.height)]
            self.tile = even[0], even[1]
        self.grid = Grid.of(prepared.width, prepared.height, self.tile)
        self.tile_bytes = tile_bytes(
            prepared, len(kernels.wiring.links), kernels.lanes, self.tile, in_place=self.in_order
        )
        targets = [t for t in (*prepared.targets, prepared.depth) if t is not None]
        self.targets = tuple(target_descriptor(t) for t in targets)
        used = sorted({e.slot for e in prepared.inputs} & set(prepared.vertex_buffers))
        self.vertex_buffers = tuple(described(prepared.vertex_buffers[n].data) for n in used)
        self.small = small_draws(self) if chunk == 0 and tile == TILE else None

    def rebound(self, prepared: PreparedDraw) -> CompiledDraw:
        """Return the same code for other memory and numbers; what kernels depend on is the same."""
        return CompiledDraw(prepared, self.kernels, *self._given)

    def batch(self, call: DrawCall) -> int:
        """Return how many primitives, of an indexed draw indices, are best drawn together."""
        draw, wiring = self.prepared, self.kernels.wiring
        step = listed(draw.topology, adjacency=draw.geometry is not None)[0] or 1
        if not self.is_plain:
            return -(-_STAGED // step) * step
        corners = max(wiring.corners, 1)
        words = self.record_words + corners * (len(wiring.vertex_outputs) + 4)
        return max(CHUNK, _BATCH_BYTES // (WORD * words)) * (step if call.is_indexed else 1)

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
        watch = watch or Watch()
        if self.small is not None:
            result = self.small.draw(call, threads, budget, watch, progress)
            if result is not None:
                return result
        with scratch_memory() as scratch:
            run = _CompiledRun(self, call, threads, budget, watch, max_messages, scratch)
            return run.run(progress)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What is drawn of a batch. rows: the outputs of its vertices."""

    pieces: Pieces
    records: _ROW
    rows: _ROW


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Tiles that are being drawn. memory: which of both they look at; what it holds is kept."""

    run: PlannedRun
    counters: NDArray[np.uint32]
    memory: int


class _CompiledRun(DrawRun):
    """A draw on its way: batches of primitives, tile by tile.

    most: primitives of a batch, of an indexed draw indices. known: the outputs whose rows are
    `shared`; blocks of a batch may have the same ones. is_ahead: a batch is made while tiles of the
    one before are drawn; memory, lists: which of two each batch, and each list of tiles, is in.
    """

    def __init__(
        self, compiled: CompiledDraw, call: DrawCall, threads: int, budget: int | None,
        watch: Watch, max_messages: int, scratch: Scratch,
    ) -> None:  # fmt: skip
        super().__init__(compiled.prepared, call, watch, max_messages)
        self.compiled = compiled
        self.kernels = compiled.kernels
        self.wiring = compiled.kernels.wiring
        self.threads = threads
        self.budget = None if budget is None else Budget(budget, budget)
        self.scratch = scratch
        self.most = compiled.chunk or compiled.batch(call)
        self.words = described(with_call(compiled.words, call))
        self.known: Mapping[str, _ROW] | None = None
        self.shared = np.zeros((0, max(len(self.wiring.outputs), 1)), np.uint32)
        self.is_ahead = False
        self.memory = 0
        self.lists = cycle(("list 0", "list 1"))
        self.drawing: _Drawing | None = None
        self.means = CompiledMeans(scratch, self.kernels.tessellator, threads, watch)
        pixel = self.draw.pixel
        self.stages = PrimitiveStages(
            self.draw, self.kernels.programs, self.run_program, watch, self.statistics,
            max_messages, self.means,
        )  # fmt: skip
        self.reports = [StageReport("vs", self.draw.vertex, max_messages), *self.stages.reports]
        self.pixels = None if pixel is None else StageReport("ps", pixel, max_messages)
        if self.pixels is not None:
            before, stream = self.draw.last.declarations, self.draw.rasterized_stream or 0
            self.pixels.poison(unwritten(self.wiring.links, before, stream))
            self.reports.append(self.pixels)
        sets = TabledVertices(scratch)
        self.vertices = VertexStage(self.draw, call, self.shade, self.reports[0], sets)

    def run(self, progress: Callable[[int, int], None] | None) -> DrawResult:
        self.is_ahead = progress is None and self.may_be_ahead
        try:
            result = super().run(progress)
            if self.drawing is None:
                return result
            try:
                self.finish()
            except ExecutionError as error:
                error.outcome = self.result()
                raise
            return self.result()
        finally:
            if self.drawing is not None:  # an error: nobody may use memory behind it
                self.drawing.run.end()

    @property
    def may_be_ahead(self) -> bool:
        """Whether a batch may be made while tiles of the one before are drawn."""
        count = part_count(self.draw, self.call, self.most) * self.call.instances
        is_simple = self.compiled.is_plain and not self.compiled.in_order
        return count > 1 and is_simple and self.cores > 1 and self.budget is None

    @property
    def cores(self) -> int:
        return self.threads or available_cores()

    @property
    def free_threads(self) -> int:
        """How many threads what is before the tiles may have: 0 for what suits it."""
        return self.threads if self.drawing is None else self.cores - 1

    def dwords(self, name: str, count: int) -> _ROW:
        """Return memory that holds until the batch has been drawn."""
        return self.scratch.dwords(f"{name} {self.memory}", count)

    # Vertices

    def shade(self, vertex: _ROW, instance: _ROW) -> Mapping[str, _ROW]:
        """Run the vertex kernel; return its outputs by name."""
        names, report = self.wiring.vertex_outputs, self.reports[0]
        words = max(len(names), 1)
        rows = self.streamed(vertex.size)
        if rows is None and self.vertices.keeps:  # behind a vertex that aborts nothing is written
            rows = np.zeros((vertex.size, words), np.uint32)
        elif rows is None:
            rows = self.dwords("outputs", vertex.size * words).reshape(-1, words)
        kernel = self.kernels.vertex
        own, buffers = self.draw.vertex.descriptors, self.compiled.vertex_buffers
        bound = kernel.bound_to(
            Bound(
                (*own, self.words, described(rows), *buffers),
                self.draw.vertex.constants,
            )
        )
        given = {"vertex": vertex, "instance": instance}
        if self.vertices.keeps:  # effects: in order
            outcome, _ = bound.run_lanes(
                vertex.size, given, threads=1, budget=self.budget, watch=self.watch,
                max_messages=report.left,
            )  # fmt: skip
        else:
            inputs = [np.ascontiguousarray(given[name]) for name in kernel.facts.inputs]
            outcome = bound.run_batch(
                Batch(vertex.size, inputs, ()), threads=self.free_threads, budget=self.budget,
                watch=self.watch,
            )  # fmt: skip
        report.note(outcome, lambda: (vertex, instance, np.zeros_like(vertex)))
        return VertexRows(rows, {name: n for n, name in enumerate(names)})

    def streamed(self, count: int) -> _ROW | None:
        """Return where vertices go at once that are streamed out as they are, and not rasterised.

        None if they do not, or others may be drawn instead of some.
        """
        draw = self.draw
        is_list = len(listed(draw.topology)[1]) == listed(draw.topology)[0] > 0
        if draw.last is not draw.vertex or self.wiring.taken or self.call.is_indexed or not is_list:
            return None
        if draw.stream_output is None or self.vertices.keeps:
            return None
        return self.stages.streaming.place(self.wiring.vertex_outputs, count)

    # Primitives

    def rasterize(self, block: Block) -> None:
        is_shared = block.outputs is self.known  # by consecutive blocks
        if not is_shared:
            self.known, self.shared = block.outputs, self.rows_of(block)
        self.tiles(self.pieces(block, self.shared))
        if is_shared:
            self.finish()  # the next block's vertices may go where these are

    def rows_of(self, block: Block) -> _ROW:
        """Return the outputs of vertices as rows."""
        names, outputs = self.wiring.outputs, block.outputs
        if not isinstance(outputs, VertexRows):
            return np.ascontiguousarray(np.stack([outputs[n] for n in names], axis=1))
        runs = runs_of(outputs.words, enumerate(names))
        if runs == ((0, 0, outputs.rows.shape[1]),):
            return outputs.rows
        assert runs is not None  # noqa: S101 - they are linked
        size = len(outputs.rows), max(len(names), 1)
        rows = self.dwords("rows", size[0] * size[1]).reshape(size)
        self.means.move(outputs.rows, rows, runs, None)
        return rows

    def run_program(
        self, report: StageReport, program: StageProgram, count: int,
        inputs: Mapping[str, _ROW], arrays: Mapping[str, _ROW], places: PlacesOf,
    ) -> Mapping[str, _ROW]:  # fmt: skip
        """Run a shader that works on primitives, as `RunStage`."""
        kernel = self.kernels.between[program.stage, program.number]
        return kernel.run(
            report, count, inputs, program.memory(arrays), places, threads=self.free_threads,
            budget=self.budget, watch=self.watch,
        )  # fmt: skip

    def pieces(self, block: Block, rows: _ROW) -> _Drawn:
        """Set up primitives; return what is to be drawn of them."""
        if self.kernels.setup is None:  # they all go another way
            nothing = np.zeros((0, self.compiled.record_words), np.uint32)
            sides = np.zeros((4, 0), np.int32)
            none = Pieces(nothing[:, 0], (sides[0], sides[1], sides[2], sides[3]))
            return self.with_rare(block, np.arange(block.count), _Drawn(none, nothing, rows))
        records, status, bounds = self.set_up(self.kernels.setup, block, rows)
        listed = self.scratch.dwords("rows of pieces", status.size + 1)
        row, seen, rare = listed_pieces(status, bounds, listed)
        self.statistics.c_primitives += seen
        drawn = _Drawn(Pieces(row, bounds), records, rows)
        return self.with_rare(block, np.flatnonzero(status == RARE), drawn) if rare else drawn

    def set_up(self, kernel: CompiledKernel, block: Block, rows: _ROW) -> tuple[_ROW, _ROW, Bounds]:
        """Run the setup kernel: records, what becomes of each primitive, bounds."""
        count, words = block.count, self.compiled.record_words
        records = self.dwords("records", count * words).reshape(-1, words)
        bound = kernel.bound_to(Bound((self.words, described(rows), described(records))))
        where = block.where.astype(np.uint32, copy=False)
        given = {f"c{n}": np.ascontiguousarray(where[n]) for n in range(self.wiring.corners)}
        given |= {"number": block.number, "instance": block.instance}
        outputs = {name: self.scratch.dwords(name, count) for name in kernel.facts.outputs}
        inputs = [np.ascontiguousarray(given[name]) for name in kernel.facts.inputs]
        batch = Batch(count, inputs, list(outputs.values()))
        bound.run_batch(batch, threads=self.free_threads, watch=self.watch)
        left, top, right, bottom = (outputs[name].view(np.int32) for name in _BOUNDS)
        return records, outputs["status"], (left, top, right, bottom)

    def with_rare(self, block: Block, rare: NDArray[np.int64], drawn: _Drawn) -> _Drawn:
        """Return rare primitives, too, between the others."""
        found = self.rare(block, rare, drawn.rows.shape[0])
        if found is None:
            return drawn
        some = (found.bounds[2] > found.bounds[0]) & (found.bounds[3] > found.bounds[1])
        self.statistics.c_primitives += int(np.unique(found.primitive[some]).size)
        row, first = drawn.pieces.row, drawn.records.shape[0]
        primitive = np.concatenate([row, found.primitive[some]])
        row = np.concatenate([row, (first + np.flatnonzero(some)).astype(np.uint32)])
        order = np.argsort(primitive, kind="stable")
        sides = zip(drawn.pieces.bounds, found.bounds.astype(np.int32), strict=True)
        left, top, right, bottom = (np.concatenate(both) for both in sides)
        return _Drawn(
            Pieces(row[order], (left, top, right, bottom)),
            self.scratch.extended(drawn.records, found.records),
            self.scratch.extended(drawn.rows, found.vertices),
        )

    def rare(self, block: Block, rare: NDArray[np.int64], first: int) -> Packed | None:
        """Return records of what must be clipped, or of edges in wireframe."""
        taken = self.wiring.taken
        assert taken is not None  # noqa: S101 - the rasteriser is on
        links, mine = self.wiring.links, block.some(rare)
        where = mine.where.reshape(-1)
        columns = {name: column[where] for name, column in block.outputs.items()}
        own = np.arange(where.size).reshape(mine.where.shape)
        mine, where = replace(mine, outputs=columns, where=own), mine.where
        pieces = pieces_of(self.draw, taken, links, mine)
        if not pieces.count:
            return None
        pieces = drawn(self.draw, pieces, links)
        if not pieces.count:
            return None
        leading = where[0][pieces.primitive].astype(np.uint32)
        found = packed(self.draw, pieces, leading, self.wiring.outputs, taken.clip, first)
        return replace(found, primitive=rare[found.primitive])

    # Pixels

    def tiles(self, drawn: _Drawn) -> None:
        """Draw pieces, tile by tile."""
        pixels, lanes = self.compiled.tile[0] * self.compiled.tile[1], self.kernels.lanes
        most = max(1, _MOST_COUNTED * lanes // (pixels * self.draw.pattern.count + 1))
        for bins in bins_of(
            drawn.pieces, self.compiled.grid, lanes, most, self.scratch, self.lists
        ):
            self.watch.check()
            self.bin(bins, drawn.records, drawn.rows)
        if self.drawing is not None:
            self.memory = 1 - self.drawing.memory

    def bin(self, bins: Bins, records: _ROW, rows: _ROW) -> None:
        kernel = self.kernels.tiles
        assert kernel is not None  # noqa: S101 - the rasteriser is on
        lanes, count = self.kernels.lanes, bins.tiles.shape[0]
        counters = np.zeros((count, COUNTERS, lanes), np.uint32)
        start, end = bins.tiles[:, Tile.START], bins.tiles[:, Tile.END]
        # Long lists first: so all threads end at about the same time.
        tiles = bins.tiles[np.argsort(start.astype(np.int64) - end, kind="stable")]
        pixel = self.draw.pixel
        own = () if pixel is None else pixel.descriptors
        memory = [described(a) for a in (rows, records, tiles, bins.list, counters)]
        bound = Bound(
            (*own, self.words, *memory, *self.compiled.targets),
            () if pixel is None else pixel.constants,
        )
        budget = self.budget or default_budget(bins.waves * self.draw.pattern.count)
        self.finish()
        bound_kernel = kernel.bound_to(bound, self.compiled.tile_bytes)
        if self.is_ahead and isinstance(budget, int):
            run = bound_kernel.planned(
                (count, 1, 1), threads=self.threads, budget=budget, watch=self.watch
            )
            self.drawing = _Drawing(run, counters, self.memory)  # whatever interrupts this
            run.start()
            return
        outcome = bound_kernel.run(
            (count, 1, 1), threads=1 if self.compiled.in_order else self.threads,
            budget=budget, watch=self.watch,
            max_messages=self.max_messages if self.pixels is None else self.pixels.left,
        )  # fmt: skip
        self.note_pixels(outcome, counters)

    def finish(self) -> None:
        """Wait for the tiles that are being drawn."""
        drawing = self.drawing
        if drawing is not None:
            outcome = drawing.run.wait()
            self.drawing = None
            self.note_pixels(outcome, drawing.counters)

    def note_pixels(self, outcome: Outcome, counters: NDArray[np.uint32]) -> None:
        if self.pixels is not None:
            self.pixels.note(outcome)
        passed, shaded = counters.astype(np.uint64).sum(axis=(0, 2)).tolist()
        self.samples_passed += passed
        self.statistics.ps_invocations += shaded
