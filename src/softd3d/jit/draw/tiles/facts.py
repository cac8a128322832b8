"""What the tile kernel depends on, and what follows from it."""

from __future__ import annotations

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows import TABLE
from softd3d.jit.draw.memory import DEPTH, known_samples, raw_view
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.fragments import Block, block_of
from softd3d.jit.draw.tiles.merging import can_test_first, written_colors
from softd3d.jit.draw.tiles.piece import Piece
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.prepared import PreparedDraw, Target
from softd3d.pipeline.primitives.effects import writes_views
from softd3d.pipeline.stages import Link, runs_per_sample, tests_early

__all__ = ["TileFacts", "TilePlan", "TileViews"]


@dataclass(frozen=True, slots=True)
class TileFacts:
    """What the kernel depends on besides the draw's shader and states.

    corners: of a piece. outputs: of the vertex kernel, in the order of a row. links: inputs of the
    pixel shader. clip: outputs that are clip distances. lanes: of a wave that is shaded; vector: of
    one part of it, which rasterises. has_viewports,
    has_slices: whether vertices choose among viewports, and slices of the targets.
    """

    corners: int
    outputs: tuple[str, ...]
    links: tuple[Link, ...]
    clip: tuple[str, ...]
    lanes: int
    vector: int
    has_viewports: bool
    has_slices: bool


@dataclass(frozen=True, slots=True)
class TileViews:
    """Slots behind those of the shader. targets: by number."""

    parameters: int
    vertices: int
    records: int
    tiles: int
    list: int
    counters: int
    targets: dict[int, int]

    @classmethod
    def of(cls, draw: PreparedDraw) -> TileViews:
        first = 0 if draw.pixel is None else len(draw.pixel.descriptors)
        bound = [n for n, t in enumerate(draw.targets) if t is not None]
        if draw.depth is not None:
            bound.append(DEPTH)
        targets = {n: first + 6 + k for k, n in enumerate(bound)}
        return cls(first, first + 1, first + 2, first + 3, first + 4, first + 5, targets)


class TilePlan:
    """How fragments go through a tile.

    is_per_sample: an invocation for each sample. is_in_order: the pixel shader has UAVs, so quads
    run one after the other. says: it has messages. tests_first: depth and stencil are tested before
    the shader; is_early: because it says so. pulls: it evaluates inputs at other places. copies:
    the targets that tiles have copies of; written: those of them that may change.
    """

    def __init__(self, r: DrawRecording, draw: PreparedDraw, facts: TileFacts) -> None:
        pixel = draw.pixel
        self.facts = facts
        self.samples = known_samples(draw, facts.corners)
        self.views = TileViews.of(draw)
        self.is_per_sample = (
            pixel is not None and runs_per_sample(pixel.declarations) and not draw.is_forced
        )
        self.is_in_order = pixel is not None and writes_views(pixel)
        self.says = bool(r.structure.messages)
        self.is_early = pixel is not None and tests_early(pixel.declarations)
        self.tests_first = self.is_early or can_test_first(draw, r)
        self.pulls = pixel is not None and _pulls(pixel)
        self.block: Block = block_of(facts.vector, in_rows=self.in_rows)
        self.has_copies = not (self.in_rows or facts.has_slices)
        self.copies: dict[int, Target] = {}
        self.written: dict[int, Target] = {}
        if self.has_copies:
            self._choose(draw)

    @property
    def in_rows(self) -> bool:
        """Whether the order of invocations shows: then it is that of rows of quads."""
        return self.is_in_order or self.says

    @property
    def packs(self) -> bool:
        """Whether quads of small triangles are packed."""
        return self.samples > 0 and not self.in_rows

    def piece(self, r: DrawRecording, row: Value, kind: type[Piece] = Piece) -> Piece:
        """Return the piece with a record: of all lanes, or of each."""
        records, vertices = self.views.records, self.views.vertices
        return kind(
            r, raw_view("records", records), raw_view("vertices", vertices), row,
            self.facts.corners, self.samples, self.facts.outputs,
        )  # fmt: skip

    def _choose(self, draw: PreparedDraw) -> None:
        self.written = {slot: target for slot, (target, _) in written_colors(draw).items()}
        self.copies = dict(self.written)
        rule, depth = draw.depth_stencil_rule, draw.depth
        if depth is not None and rule.is_needed:
            self.copies[DEPTH] = depth
            if rule.writes_depth or rule.writes_stencil:
                self.written[DEPTH] = depth


def _pulls(pixel: BoundProgram) -> bool:
    """Whether a pixel shader evaluates inputs at other places."""
    return any(
        spec.letter == "e"
        for i in pixel.program.instructions
        if isinstance(i, Instruction)
        for spec in TABLE[i.opcode].sources
    )
