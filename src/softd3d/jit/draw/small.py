"""Draws of few primitives: what a call needs is prepared once, and used again.

Only ordinary draws go this way: vertices, the rasteriser, and pixel shaders without effects. Their
results are those of `jit/draw/engine.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import ExecutionError
from softd3d.jit.draw.memory import (
    COUNTERS,
    DRAWN,
    HIDDEN,
    RARE,
    Bound,
    Tile,
    described,
    put_call,
)
from softd3d.jit.running.kernel import Budget, default_budget
from softd3d.jit.running.memory import Batch
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.parts import Part, parts_of
from softd3d.pipeline.primitives.reports import StageReport, together
from softd3d.pipeline.primitives.unique import SortedVertices, Unique, unique_vertices
from softd3d.pipeline.queries import DrawResult, PipelineStatistics
from softd3d.pipeline.stages import unwritten

if TYPE_CHECKING:
    from softd3d.jit.draw.engine import CompiledDraw
    from softd3d.jit.draw.kernels import Kernels

__all__ = ["SmallDraws", "small_draws"]

_MOST_VERTICES = 192  # that a call names
_MOST_ENTRIES = 64  # of the lists of all tiles together
_MOST_KEPT = 4  # prepared calls
_COPY_ROUNDS = 256  # what a tile does besides its pieces
_OUTPUTS = ("status", "left", "top", "right", "bottom")
_Key = tuple[int, int, bytes | None]


def small_draws(compiled: CompiledDraw) -> SmallDraws | None:
    """Return what makes a draw's calls of few primitives, None if they all go the long way."""
    kernels = compiled.kernels
    is_ordinary = (
        compiled.is_plain
        and not compiled.in_order
        and kernels.wiring.outputs == kernels.wiring.vertex_outputs
    )
    if not is_ordinary or kernels.setup is None or kernels.tiles is None:
        return None
    return SmallDraws(compiled)


class SmallDraws:
    """The calls of a draw that have few primitives. Several threads may make them at once."""

    def __init__(self, compiled: CompiledDraw) -> None:
        self.compiled = compiled
        self.poisoned = _poisoned(compiled.prepared, compiled.kernels)
        self._idle: list[_SmallDraw] = []

    def draw(
        self, call: DrawCall, threads: int, budget: int | None, watch: Watch,
        progress: Callable[[int, int], None] | None,
    ) -> DrawResult | None:  # fmt: skip
        """Draw; return None, and nothing is done, if it has to be done another way.

        Raises:
            ExecutionError: as `CompiledDraw.draw`.
        """
        if not 0 < call.count * call.instances <= _MOST_VERTICES:
            return None
        key = _key(self.compiled.prepared, call)
        if key is None:
            return None
        prepared = self._taken(key) or _prepared(self.compiled, call, key)
        if prepared is None:
            return None
        watch.check()
        limit = None if budget is None else Budget(budget, budget)
        run = _SmallRun(self, prepared, threads, limit, watch)
        result = run.run(call)
        if len(self._idle) < _MOST_KEPT:
            self._idle.append(prepared)
        if progress is not None and result is not None:
            progress(call.instances, call.instances)
        return result

    def _taken(self, key: _Key) -> _SmallDraw | None:
        """Return what was prepared for such a call and nobody uses."""
        for _ in range(len(self._idle)):
            try:
                found = self._idle.pop()
            except IndexError:  # another thread was quicker
                return None
            if found.key == key:
                return found
            self._idle.insert(0, found)
        if len(self._idle) >= _MOST_KEPT:
            del self._idle[0]
        return None


def _poisoned(draw: PreparedDraw, kernels: Kernels) -> tuple[tuple[str, str], ...]:
    """Return what is undefined of a draw whatever its shaders do."""
    reports = [StageReport("vs", draw.vertex, 0)]
    if draw.pixel is not None:
        pixels = StageReport("ps", draw.pixel, 0)
        stream = draw.rasterized_stream or 0
        pixels.poison(unwritten(kernels.wiring.links, draw.last.declarations, stream))
        reports.append(pixels)
    return together(reports, 0).poisoned


def _key(draw: PreparedDraw, call: DrawCall) -> _Key | None:
    """Return all that vertices and primitives of a call depend on, None if it is not simple."""
    if not call.is_indexed:
        return call.count, call.instances, None
    stream = draw.index_buffer
    if stream is None:
        return None
    size = stream.format.bytes_per_texel
    start = stream.offset + (call.start & 0xFFFFFFFF) * size
    end = start + call.count * size
    if end > stream.data.size:
        return None
    return call.count, call.instances, stream.data[start:end].tobytes()


def _prepared(compiled: CompiledDraw, call: DrawCall, key: _Key) -> _SmallDraw | None:
    draw = compiled.prepared
    parts = list(parts_of(draw, call))
    if len(parts) != 1 or _key(draw, call) != key:  # nothing is drawn; or indices change meanwhile
        return None
    return _SmallDraw(compiled, parts[0], key)


class _SmallDraw:
    """The memory of a call, which kernels are bound to."""

    def __init__(self, compiled: CompiledDraw, part: Part, key: _Key) -> None:
        draw, kernels, wiring = compiled.prepared, compiled.kernels, compiled.kernels.wiring
        setup, tiles = kernels.setup, kernels.tiles
        assert setup is not None  # noqa: S101 - `small_draws`
        assert tiles is not None  # noqa: S101 - as above
        self.key = key
        self.part = part
        self.count = part.count
        unique = unique_vertices(part, SortedVertices())
        self.vertices = unique.count
        self.words = compiled.words.copy()
        words = described(self.words)
        rows = described(np.zeros((unique.count, max(len(wiring.outputs), 1)), np.uint32))
        records = described(np.zeros((part.count, compiled.record_words), np.uint32))
        self.vertex = kernels.vertex.bound_to(
            Bound(
                (*draw.vertex.descriptors, words, rows, *compiled.vertex_buffers),
                draw.vertex.constants,
            )
        )
        given = {"vertex": unique.vertex, "instance": unique.instance}
        self.vertex_batch = _batch(unique.count, given, kernels.vertex.facts.inputs, ())
        self.setup = setup.bound_to(Bound((words, rows, records)))
        self.outputs = np.zeros((len(_OUTPUTS), part.count), np.uint32)
        self.setup_batch = _batch(
            part.count, _primitives(part, unique, wiring.corners), setup.facts.inputs,
            [self.outputs[_OUTPUTS.index(name)] for name in setup.facts.outputs],
        )  # fmt: skip
        self.tiles = np.zeros((_MOST_ENTRIES, len(Tile)), np.uint32)
        self.list = np.zeros(_MOST_ENTRIES, np.uint32)
        self.counters = np.zeros((_MOST_ENTRIES, COUNTERS, kernels.lanes), np.uint32)
        pixel = draw.pixel
        memory = [described(a) for a in (self.tiles, self.list, self.counters)]
        own = () if pixel is None else pixel.descriptors
        self.pixels = tiles.bound_to(
            Bound(
                (*own, words, rows, records, *memory, *compiled.targets),
                () if pixel is None else pixel.constants,
            ),
            compiled.tile_bytes,
        )


def _primitives(part: Part, unique: Unique, corners: int) -> dict[str, NDArray[np.uint32]]:
    where = unique.where.astype(np.uint32)
    given = {f"c{n}": np.ascontiguousarray(where[n]) for n in range(corners)}
    return given | {"number": part.number, "instance": part.instance}


def _batch(
    count: int, given: dict[str, NDArray[np.uint32]], names: tuple[str, ...],
    outputs: list[NDArray[np.uint32]] | tuple[()],
) -> Batch:  # fmt: skip
    return Batch(count, [np.ascontiguousarray(given[name]) for name in names], outputs)


@dataclass(frozen=True, slots=True)
class _Binned:
    """tiles: how many have pieces. waves: that these have in all of them, at most."""

    tiles: int
    waves: int


class _SmallRun:
    """A small draw on its way."""

    def __init__(
        self, draws: SmallDraws, memory: _SmallDraw, threads: int, budget: Budget | None,
        watch: Watch,
    ) -> None:  # fmt: skip
        self.draws = draws
        self.compiled = draws.compiled
        self.memory = memory
        self.threads = threads
        self.budget = budget
        self.watch = watch
        self.statistics = PipelineStatistics()
        self.samples_passed = 0
        self.poisoned: list[tuple[str, str]] = []

    def run(self, call: DrawCall) -> DrawResult | None:
        memory = self.memory
        put_call(memory.words, call)
        try:
            self.note("vs", self.vertices())
            self.primitives()
            binned = self.bins()
            if binned is None:
                return None
            if binned.tiles:
                self.note("ps", self.tiles(binned))
        except ExecutionError as error:
            error.outcome = self.result()
            raise
        return self.result()

    def note(self, stage: str, outcome: Outcome) -> None:
        self.poisoned += [(f"{stage} {register}", rule) for register, rule in outcome.poisoned]

    def vertices(self) -> Outcome:
        memory, statistics = self.memory, self.statistics
        statistics.ia_vertices = memory.part.fetched
        statistics.ia_primitives = memory.count
        statistics.vs_invocations = memory.vertices
        return memory.vertex.run_batch(
            memory.vertex_batch, threads=self.threads, budget=self.budget, watch=self.watch
        )

    def primitives(self) -> None:
        memory = self.memory
        self.statistics.c_invocations = memory.count
        memory.setup.run_batch(memory.setup_batch, threads=self.threads, watch=self.watch)

    def bins(self) -> _Binned | None:
        """List pieces by tile; None if that, or a primitive, is not simple."""
        memory, (width, height) = self.memory, self.compiled.tile
        status, *sides = memory.outputs.view(np.int32).tolist()
        if RARE in status:
            return None
        entries: dict[tuple[int, int], list[int]] = {}
        half, waves, count, seen = self.compiled.kernels.lanes // 2, 0, 0, 0
        for row, (state, left, top, right, bottom) in enumerate(zip(status, *sides, strict=True)):
            if state not in (DRAWN, HIDDEN) or right <= left or bottom <= top:
                continue
            seen += 1
            if state == HIDDEN:
                continue
            across = range(left // width, (right - 1) // width + 1)
            down = range(top // height, (bottom - 1) // height + 1)
            count += len(across) * len(down)
            if count > _MOST_ENTRIES:
                return None
            wide, high = min(right - left, width) // half + 2, min(bottom - top, height) // 2 + 2
            waves += wide * high * len(across) * len(down)
            for y in down:
                for x in across:
                    entries.setdefault((y, x), []).append(row)
        self.statistics.c_primitives = seen
        self.list_tiles(entries)
        return _Binned(len(entries), waves)

    def list_tiles(self, entries: dict[tuple[int, int], list[int]]) -> None:
        memory, (width, height) = self.memory, self.compiled.tile
        listed: list[int] = []
        rows: list[tuple[int, ...]] = []
        for (y, x), pieces in entries.items():
            start = len(listed)
            listed += pieces
            left, top = x * width, y * height
            rows.append((left, top, left + width, top + height, start, len(listed)))
        if rows:
            memory.tiles[: len(rows)] = rows
            memory.list[: len(listed)] = listed

    def tiles(self, binned: _Binned) -> Outcome:
        memory, count = self.memory, binned.tiles
        counters = memory.counters[:count]
        counters.fill(0)
        waves = binned.waves * self.compiled.prepared.pattern.count
        outcome = memory.pixels.run(
            (count, 1, 1), threads=self.threads, budget=self.budget or default_budget(waves),
            watch=self.watch, rounds=waves // count + 1 + _COPY_ROUNDS,
        )  # fmt: skip
        passed, shaded = counters.sum(axis=(0, 2), dtype=np.uint64).tolist()
        self.samples_passed = passed
        self.statistics.ps_invocations = shaded
        return outcome

    def result(self) -> DrawResult:
        poisoned = self.draws.poisoned
        if self.poisoned:
            poisoned = tuple(sorted({*poisoned, *self.poisoned}))
        return DrawResult(poisoned, statistics=self.statistics, samples_passed=self.samples_passed)
