"""The tile kernel: pieces on a tile's list, in order, through rasteriser, pixel shader and merger.

A tile is a thread group of one wave. It takes turns: pieces are rasterised until enough fragments
are on the queue (`rasterizing.py`), then full waves of them are shaded (`shading.py`).
"""

from __future__ import annotations

from dataclasses import replace

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import I32, U32, Value
from softd3d.ir.graph import Check, Graph, Pace, no_check
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.draw.memory import (
    COUNTERS,
    MOST_WIDTH,
    QUEUED_WAVES,
    WORD,
    Parameter,
    Tile,
    bunch_bytes,
    queue_lanes,
    raw_view,
)
from softd3d.jit.draw.recording import DrawRecording, empty_program
from softd3d.jit.draw.tiles.bunch import Bunch, is_bunched
from softd3d.jit.draw.tiles.facts import TileFacts, TilePlan
from softd3d.jit.draw.tiles.fragments import TILE_MEMORY, Queue
from softd3d.jit.draw.tiles.merging import Merging
from softd3d.jit.draw.tiles.rasterizing import Rasterizing
from softd3d.jit.draw.tiles.shading import Shading
from softd3d.jit.draw.tiles.targets import InPlace, TileCopies
from softd3d.lower.declarations import Declarations
from softd3d.pipeline.prepared import PreparedDraw

__all__ = ["record_tiles"]

_LINE = 64  # bytes


def record_tiles(
    draw: PreparedDraw, facts: TileFacts, check: Check = no_check
) -> tuple[Graph, Declarations]:
    """Record the kernel."""
    bound = draw.pixel or empty_program(ProgramType.PS)
    r = DrawRecording(bound, check)
    _record(r, draw, TilePlan(r, draw, facts))
    declarations = replace(
        bound.declarations, stage=ProgramType.CS, group_size=(facts.lanes, 1, 1),
        shared={0: TILE_MEMORY},
    )  # fmt: skip
    return r.finished(), declarations


def _record(r: DrawRecording, draw: PreparedDraw, plan: TilePlan) -> None:
    words = raw_view("parameters", plan.views.parameters)
    tile = _tile(r, plan)
    lanes = plan.facts.lanes
    in_place = InPlace(r, plan.views.targets, words)
    copies = None
    if plan.has_copies:
        limits = _limits(r, plan, tile)
        copies = TileCopies(r, in_place, plan.copies, plan.block, lanes, tile, limits)
        copies.fetch()
    width = bitcast(tile[Tile.RIGHT] - tile[Tile.LEFT], U32)
    invocations = draw.pattern.count if plan.is_per_sample else 1
    column: Value | int
    if plan.in_rows:
        column = queue_lanes(width, lanes, invocations, in_rows=True) * WORD
    else:
        column = queue_lanes(MOST_WIDTH, lanes, invocations, in_rows=False) * WORD
    free = width.like(0) if copies is None else copies.end
    bunch = None
    if is_bunched(draw, plan.facts.corners):
        free = free + (_LINE - 1) & -_LINE
        bunch = Bunch(r, draw, plan, tile, free)
        free = free + bunch_bytes(len(plan.facts.links), plan.facts.vector)
    queue = Queue(r, lanes, plan.facts.vector, free, column)
    merging = Merging(r, draw, copies or in_place, words)
    merging.prepare()
    pieces = Rasterizing(r, draw, plan, tile, queue, merging, bunch)
    shading = Shading(r, draw, plan, queue, merging, pieces)

    def turn() -> None:
        pieces.record(QUEUED_WAVES * lanes)
        if queue.columns:  # nothing may ever be put on it
            queue.drain(is_last=pieces.is_done, shade=shading.record)

    r.until(lambda: pieces.is_done & r.get(queue.count).eq(0), turn, Pace.STATUS)
    if copies is not None:
        copies.put_back(plan.written)
    _put_counters(r, plan, pieces)


def _put_counters(r: DrawRecording, plan: TilePlan, pieces: Rasterizing) -> None:
    """Write what queries count, for each lane."""
    counters, lanes = raw_view("counters", plan.views.counters), plan.facts.lanes
    for n, key in enumerate((pieces.passed, pieces.shaded)):
        row = (r.entry("group.x") * COUNTERS + n) * lanes
        is_shading = n == 0 and not plan.tests_first
        at = (row + (r.entry("flat") if is_shading else r.lane)) * WORD
        r.put(counters, at, r.forget(key), r.k.value(r.everyone))


def _tile(r: DrawRecording, plan: TilePlan) -> dict[Tile, Value]:
    tiles, at = raw_view("tiles", plan.views.tiles), r.entry("group.x") * (WORD * len(Tile))
    types = {t: I32 if t < Tile.START else U32 for t in Tile}
    return {t: r.word(tiles, at + WORD * t, types[t]) for t in Tile}


def _limits(r: DrawRecording, plan: TilePlan, tile: dict[Tile, Value]) -> tuple[Value, Value]:
    """Return where the tile's pixels end that the targets have."""
    words = raw_view("parameters", plan.views.parameters)
    width, height = (r.word(words, WORD * n, I32) for n in (Parameter.WIDTH, Parameter.HEIGHT))
    return integer.minimum(tile[Tile.RIGHT], width), integer.minimum(tile[Tile.BOTTOM], height)
