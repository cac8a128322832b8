"""Pixel history: every fragment of a draw that touches one sample of a pixel, in order.

The draw is done on copies, so that nothing of the caller's changes. Quads that contain the pixel
are drawn one by one; others are left out, unless the pixel shader writes to UAVs, which it may read
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.interp.draw.copies import copied
from softd3d.interp.draw.engine import InterpretedRun, Merged
from softd3d.interp.draw.invocations import Invocations, invocations_of
from softd3d.interp.draw.merge import Place
from softd3d.interp.draw.quads import Fragments
from softd3d.interp.draw.stored import (
    StoredSample,
    Verdict,
    stored_codes,
    stored_sample,
    verdict_of,
)
from softd3d.lower.invocations import QUAD
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.stage import COVERED
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.effects import has_effects
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import Bools, Numbers, Rows, taken
from softd3d.pipeline.shapes import Shape

__all__ = ["FragmentHistory", "pixel_history_interpreted"]


@dataclass(frozen=True, slots=True)
class FragmentHistory:
    """What became of one fragment at one sample of a pixel.

    primitive, instance: SV_PrimitiveID and SV_InstanceID. coverage: samples of the pixel that the
    primitive covers, bit 0 is sample 0. fate: `written`, or what stopped it: `sample mask`,
    `discard`, `output coverage` (oMask or alpha to coverage), `stencil test`, `depth test`.
    passed_stencil, passed_depth: None where there was no such test. depth: that was tested.
    outputs: bits of what the shader wrote, by name such as `o0.x`; empty if it did not run for this
    fragment. before, after: what is stored.
    """

    primitive: int
    instance: int
    is_front: bool
    coverage: int
    fate: str
    passed_stencil: bool | None
    passed_depth: bool | None
    depth: float | None
    outputs: Mapping[str, int]
    before: StoredSample
    after: StoredSample

    @property
    def colors(self) -> dict[str, tuple[float, ...]]:
        """The outputs of each o# register, as floats."""
        found: dict[str, list[int]] = {}
        for name, bits in self.outputs.items():
            register, _, _ = name.partition(".")
            found.setdefault(register, []).append(bits)
        return {
            name: tuple(np.array(bits, np.uint32).view(np.float32).tolist())
            for name, bits in found.items()
            if name.startswith("o") and name[1:].isdigit()
        }


def pixel_history_interpreted(
    draw: PreparedDraw, call: DrawCall, x: int, y: int, *, slice_: int = 0, sample: int = 0,
    budget: int | None = None, watch: Watch | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[FragmentHistory, ...]:  # fmt: skip
    """Return the fragments that touch a sample of a pixel, in order; nothing is changed.

    x, y: of the pixel, in the targets. slice_: of the targets. sample: of the targets. progress: as
    of `draw_interpreted`.

    Raises:
        As `draw_interpreted`.
    """
    spot = _Spot(x, y, slice_, sample)
    run = _HistoryRun(copied(draw), call, spot, budget, watch or Watch())
    run.run(progress)
    return tuple(run.found)


@dataclass(frozen=True, slots=True)
class _Spot:
    x: int
    y: int
    slice: int
    sample: int

    def is_at(self, x: Rows, y: Rows) -> Bools:
        return (x == self.x) & (y == self.y)


class _HistoryRun(InterpretedRun):
    """A draw that looks at one sample of a pixel."""

    def __init__(
        self, draw: PreparedDraw, call: DrawCall, spot: _Spot, budget: int | None, watch: Watch
    ) -> None:
        super().__init__(draw, call, budget, watch, DEFAULT_MESSAGES)
        self.spot = spot
        self.found: list[FragmentHistory] = []
        self.draws_all = draw.pixel is not None and has_effects(draw.pixel)

    def fragments(self, pieces: Pieces, shape: Shape, fragments: Fragments) -> None:
        touches = self.spot.is_at(fragments.x, fragments.y).reshape(-1, QUAD).any(axis=1)
        start = 0
        for quad in np.flatnonzero(touches).tolist():
            self._others(pieces, shape, _some(fragments, start, quad))
            self._one(pieces, shape, _some(fragments, quad, quad + 1))
            start = quad + 1
        self._others(pieces, shape, _some(fragments, start, touches.size))

    def _others(self, pieces: Pieces, shape: Shape, fragments: Fragments) -> None:
        if self.draws_all and fragments.count:
            super().fragments(pieces, shape, fragments)

    def _one(self, pieces: Pieces, shape: Shape, quad: Fragments) -> None:
        """Draw one quad, and note what becomes of the pixel."""
        draw, spot = self.draw, self.spot
        lane = np.flatnonzero(spot.is_at(quad.x, quad.y))
        piece = taken(pieces, quad.piece[lane])
        coverage = int(quad.coverage[lane][0])
        is_covered = coverage if draw.is_forced else coverage >> spot.sample & 1
        if not is_covered or not _is_shown(draw, piece, spot):
            self._others(pieces, shape, quad)
            return
        place = Place(quad.x[lane], quad.y[lane], piece.slice)
        before, codes = (
            stored_sample(draw, place, spot.sample),
            stored_codes(draw, place, spot.sample),
        )
        mine = invocations_of(pieces, shape, quad, draw.samples, per_sample=self.per_sample)
        merged = self.merge(mine) if mine.count else None
        row = self._row(mine)
        fate = _Fate("sample mask", Verdict(None, None, None), {})
        if merged is not None and row is not None:
            fate = self._fate(mine, merged, row, codes)
        self.found.append(
            FragmentHistory(
                int(piece.number[0]), int(piece.instance[0]), bool(piece.front[0]),
                coverage, fate.name, fate.verdict.passed_stencil,
                fate.verdict.passed_depth, fate.verdict.depth, fate.outputs, before,
                stored_sample(draw, place, spot.sample),
            )
        )  # fmt: skip

    def _row(self, mine: Invocations) -> int | None:
        """Return the invocation that stands for the sample."""
        is_mine = self.spot.is_at(mine.x, mine.y)
        is_mine &= (mine.samples >> np.uint32(self.spot.sample) & np.uint32(1)) != 0
        rows = np.flatnonzero(is_mine)
        return int(rows[0]) if rows.size else None

    def _fate(
        self, mine: Invocations, merged: Merged, row: int, codes: tuple[Value, Value] | None
    ) -> _Fate:
        """Return what became of an invocation at the sample."""

        def has(mask: Numbers) -> bool:
            return bool(int(mask[row]) >> self.spot.sample & 1)

        ran = int(merged.shaded[row]) != 0
        outputs = {name: int(a[row]) for name, a in merged.outputs.items()} if ran else {}
        tested = {} if self.is_early else outputs
        verdict = Verdict(None, None, None)
        if codes is not None and (self.is_early or has(merged.left)):
            one = taken(mine, np.array([row]))
            verdict = verdict_of(self.draw, one, self.spot.sample, tested, codes)
        failed = "stencil test" if verdict.passed_stencil is False else "depth test"
        if not has(merged.shaded):
            name = failed
        elif not has(merged.left):
            name = "discard" if outputs.get(COVERED[0]) == 0 else "output coverage"
        else:
            name = "written" if has(merged.passed) else failed
        return _Fate(name, verdict, outputs)


@dataclass(frozen=True, slots=True)
class _Fate:
    name: str
    verdict: Verdict
    outputs: Mapping[str, int]


def _is_shown(draw: PreparedDraw, piece: Pieces, spot: _Spot) -> bool:
    """Whether a piece goes to the slice; without targets all do."""
    slices = next((t.slices for t in (*draw.targets, draw.depth) if t is not None), None)
    wanted = int(piece.slice[0])
    return slices is None or (wanted if wanted < slices else 0) == spot.slice


def _some(fragments: Fragments, start: int, end: int) -> Fragments:
    """Return the quads from one to before another."""
    return taken(fragments, np.arange(start * QUAD, end * QUAD))
