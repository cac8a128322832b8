"""Prefetches: what the next wave, or later iterations of a loop, will load from resources.

Waves walk through memory in steps that hardware does not foresee, and stores to group-shared memory
hold loads up: CPU time, ms, of hist 49 to 18, of saxpy 7 to 3.6.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.ir.analysis import Shapes
from softd3d.ir.graph import Graph, LoopBody, Node, walk
from softd3d.ir.strides import load_strides
from softd3d.jit.codegen import memory
from softd3d.jit.codegen.together import TogetherEmitter
from softd3d.jit.codegen.wave import Wave

__all__ = ["PrefetchEmitter", "Rows"]

_FARTHEST = 1 << 16  # bytes
_ITERATIONS_AHEAD = 8  # time enough for memory to answer, and of use in short loops
_MOST_ROWS = 4  # in an iteration
_MOST_ROUNDS = 4  # how often the rows may be asked for


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that the next iteration will load, one for each part: first: a pointer to the first one.

    growth: bytes from row to row. size: bytes of a row.
    """

    first: str
    growth: int
    size: int


class PrefetchEmitter(TogetherEmitter):
    """Emits prefetches. noted: rows that may still be asked for, by scope."""

    def __init__(self, graph: Graph, shapes: Shapes, wave: Wave) -> None:
        super().__init__(graph, shapes, wave)
        self.strides = load_strides(graph)
        self.noted: list[list[Rows]] = [[]]

    def open_scope(self) -> None:
        super().open_scope()
        self.noted.append([])

    def close_scope(self) -> None:
        super().close_scope()
        self.noted.pop()

    def look_ahead(self, address: memory.Address, load: Node) -> None:
        """Ask for what the next wave will load here, and this one some iterations later.

        Where a group is one wave, the next one's loop is far away (matmul 64 to 50 ms without), as
        is what lies many pages on.
        """
        stride = self.strides.get(load.number)
        width = self.parts * self.lanes
        if stride is None or self.wave.entry.waves(width) > 1:
            memory.prefetch(self.w, address, width * 4)
        if stride is not None and not _is_far(stride):
            memory.prefetch(self.w, address, stride * _ITERATIONS_AHEAD)

    def note_rows(self, base: str, offset: Node, load: Node) -> None:
        """Note that a load of all parts goes through rows of distant pages, iteration by iteration.

        base: the address of the first part's row.
        """
        stride, growth = self.strides.get(load.number), self.growth(offset)
        if stride is None or not _is_far(stride) or self.parts & (self.parts - 1):
            return
        first = self.w.emit(f"getelementptr i8, ptr {base}, i64 {stride}")
        self.noted[-1].append(Rows(first, growth, self.lanes * 4))

    def rows_in_loop(self, body: LoopBody, trips: int) -> tuple[str, list[Rows], int]:
        """Return rows to ask for in a short inner loop: a slot for its counter, how many at a time.

        All at once they would hold up what is needed now: matmul 42 to 29 ms. trips: iterations,
        0 if that is not known.
        """
        rows, at_once = self.noted[-1], -(-self.parts // max(trips - 1, 1))
        if (
            not rows or not 0 < trips <= _MOST_ROUNDS * self.parts or at_once > _MOST_ROWS
            or any(n.op in ("loop", "barrier") for n in walk(body.body))
        ):  # fmt: skip
            return "", [], 0
        self.noted[-1] = []
        slot = self.w.slot("i32")
        self.w.do(f"store i32 0, ptr {slot}")
        return slot, rows, at_once

    def ask_for_rows(self, slot: str, rows: list[Rows], at_once: int) -> None:
        """Ask for the next rows; each may lie in two lines of the cache."""
        w = self.w
        for _ in range(at_once):
            number = w.emit(f"load i32, ptr {slot}")
            w.do(f"store i32 {w.emit(f'add i32 {number}, 1')}, ptr {slot}")
            part = w.emit(f"zext i32 {w.emit(f'and i32 {number}, {self.parts - 1}')} to i64")
            for row in rows:
                offset = w.emit(f"mul i64 {part}, {row.growth}")
                at = w.emit(f"getelementptr i8, ptr {row.first}, i64 {offset}")
                address = memory.Address(at, "0", "", 4)
                memory.prefetch(w, address, 0)
                memory.prefetch(w, address, row.size - 1)


def _is_far(stride: int) -> bool:
    return abs(stride) * _ITERATIONS_AHEAD > _FARTHEST
