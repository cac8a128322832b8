"""Rows of dwords in memory, one for each lane: vectors are transposed in registers.

A gather or scatter takes a step for each lane and dword, a row some for all of its dwords.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from softd3d.algebra.value import BOOL, U32
from softd3d.ir.analysis import Shapes
from softd3d.ir.graph import Graph, Node
from softd3d.jit.codegen.effects import EFFECTS, EffectEmitter
from softd3d.jit.codegen.values import Name
from softd3d.jit.codegen.wave import Wave
from softd3d.jit.codegen.writer import Writer

__all__ = ["ROWS", "RowEmitter", "joined"]

_FOUR = 4  # dwords that are transposed together
_LINE = 16  # dwords
_MOSTLY_FULL = 12  # dwords that are worth a whole line


class RowEmitter(EffectEmitter):
    """Emits loads and stores of rows. row_words: names of what a row that was loaded holds."""

    def __init__(self, graph: Graph, shapes: Shapes, wave: Wave) -> None:
        super().__init__(graph, shapes, wave)
        self.row_words: dict[tuple[int, int], tuple[str, ...]] = {}

    def load_row(self, node: Node) -> None:
        """Emit a load of four dwords; lanes that are off load those at offset 0."""
        w, n = self.w, self.lanes
        offset, mask = node.args
        bools, ty = w.vector(BOOL), w.vector(U32)
        at = self.vector(offset)
        if not self.is_uniform(mask):
            at = w.emit(f"select {bools} {self.vector(mask)}, {ty} {at}, {ty} zeroinitializer")
        name, four, text = _row_loader(n)
        w.declare(text)
        row = w.emit(f"call {four} {name}(ptr {self._base(node.attr[0])}, {ty} {at})")
        words = tuple(w.emit(f"extractvalue {four} {row}, {k}") for k in range(_FOUR))
        self.row_words[self.names.key(node.number)] = words
        self.names[node.number] = Name(vector=words[0])

    def row_word(self, node: Node) -> None:
        (row,) = node.args
        words = self.row_words[self.names.key(row.number)]
        self.names[node.number] = Name(vector=words[int(node.attr)])

    def store_row(self, node: Node) -> None:
        """Emit a store of dwords; behind them there is room for some more."""
        w, n = self.w, self.lanes
        view, room = node.attr
        offset, mask, *values = node.args
        pointers = w.emit(
            f"getelementptr i8, ptr {self._base(view)}, <{n} x i32> {self.vector(offset)}"
        )
        if not self.is_uniform(mask):  # lanes that are off have a row that nobody reads
            nowhere = w.splat("ptr", w.slot(f"[{room + _LINE} x i32]"))
            pointers = w.emit(
                f"select {w.vector(BOOL)} {self.vector(mask)}, <{n} x ptr> {pointers}, "
                f"<{n} x ptr> {nowhere}"
            )
        rows = _each(w, f"<{n} x ptr>", "ptr", pointers)
        names = [self.vector(value) for value in values]
        first = 0
        while first < len(names):
            left = len(names) - first
            size = _LINE if n == _LINE and left >= _MOSTLY_FULL and room >= first + _LINE else _FOUR
            stored = size if room >= first + size else left
            some = names[first : first + size]
            some += ["poison"] * (size - len(some))
            for row, words in zip(rows, _rows(w, some), strict=True):
                self._store_words(row, first, words, size, min(stored, size))
            first += size

    def _store_words(self, row: str, first: int, words: str, size: int, stored: int) -> None:
        w = self.w
        if stored < size:
            words = _part(w, words, size, 0, stored)
        p = w.emit(f"getelementptr i32, ptr {row}, i64 {first}")
        w.do(f"store <{stored} x i32> {words}, ptr {p}, align 4")


@cache
def _row_loader(lanes: int) -> tuple[str, str, str]:
    """Return the name of a function that loads a row for each lane, its type, and its text."""
    w, name = Writer(lanes), f"@load_rows_of_{lanes}"
    ty = w.vector(U32)
    four = "{ " + ", ".join([ty] * _FOUR) + " }"
    loaded: list[str] = []
    for place in _each(w, ty, "i32", "%at"):
        wide = w.emit(f"sext i32 {place} to i64")
        p = w.emit(f"getelementptr i8, ptr %base, i64 {wide}")
        loaded.append(w.emit(f"load <{_FOUR} x i32>, ptr {p}, align 4"))
    words = _transposed(w, [joined(w, loaded[k::_FOUR], _FOUR) for k in range(_FOUR)])
    row = "poison"
    for k, word in enumerate(words):
        row = w.emit(f"insertvalue {four} {row}, {ty} {word}, {k}")
    w.do(f"ret {four} {row}")
    body = "\n".join([*w.allocas, *w.lines])
    head = f"define internal {four} {name}(ptr %base, {ty} %at) noinline nounwind {{"
    return name, four, f"{head}\n{body}\n}}"


def _each(w: Writer, vector: str, element: str, value: str) -> list[str]:
    """Return the elements of a vector, through memory: shuffles are wanted for other things."""
    slot = w.slot(vector)
    w.do(f"store {vector} {value}, ptr {slot}, align 64")
    found: list[str] = []
    for lane in range(w.lanes):
        p = w.emit(f"getelementptr {element}, ptr {slot}, i32 {lane}")
        found.append(w.emit(f"load volatile {element}, ptr {p}"))
    return found


def _rows(w: Writer, columns: list[str]) -> list[str]:
    """Return what each lane has in 4 vectors, or in 16 of 16 lanes."""
    groups = [
        _transposed(w, columns[first : first + _FOUR]) for first in range(0, len(columns), _FOUR)
    ]
    found: list[str] = []
    for lane in range(w.lanes):
        block, which = divmod(lane, _FOUR)
        if len(groups) == 1:
            found.append(_part(w, groups[0][which], w.lanes, _FOUR * block, _FOUR))
    if len(groups) == 1:
        return found
    lines = [_transposed(w, [group[k] for group in groups], _FOUR) for k in range(_FOUR)]
    return [lines[lane % _FOUR][lane // _FOUR] for lane in range(w.lanes)]


def _transposed(w: Writer, four: Sequence[str], unit: int = 1) -> tuple[str, ...]:
    """Return a square of 4 by 4 units transposed, in each block of so many dwords."""
    a, b, c, d = four
    if unit == 1:
        low, high = (_zipped(w, a, b, 1, n) for n in (0, 1))
        other_low, other_high = (_zipped(w, c, d, 1, n) for n in (0, 1))
        return tuple(
            _zipped(w, x, y, 2, n)
            for x, y in ((low, other_low), (high, other_high)) for n in (0, 1)
        )  # fmt: skip
    first, second = (_halves(w, a, b, n) for n in (0, 1))
    third, fourth = (_halves(w, c, d, n) for n in (0, 1))
    return tuple(
        _alternate(w, x, y, n) for x, y in ((first, third), (second, fourth)) for n in (0, 1)
    )


def _zipped(w: Writer, a: str, b: str, unit: int, half: int) -> str:
    """Return one half of each four dwords of two vectors, units of both in turn."""
    n, order = w.lanes, list[int]()
    for block in range(0, n, _FOUR):
        start = block + 2 * half
        for place in range(start, start + 2, unit):
            order += [*range(place, place + unit), *range(n + place, n + place + unit)]
    return _shuffled(w, a, b, order)


def _halves(w: Writer, a: str, b: str, half: int) -> str:
    """Return one half of two vectors, one behind the other."""
    n = w.lanes
    some = range(half * n // 2, (half + 1) * n // 2)
    return _shuffled(w, a, b, [*some, *(n + place for place in some)])


def _alternate(w: Writer, a: str, b: str, which: int) -> str:
    """Return every other four dwords of two vectors, one behind the other."""
    some = [
        place for block in range(which * _FOUR, 2 * w.lanes, 2 * _FOUR)
        for place in range(block, block + _FOUR)
    ]  # fmt: skip
    return _shuffled(w, a, b, some)


def _shuffled(w: Writer, a: str, b: str, order: Sequence[int]) -> str:
    ty, places = w.vector(U32), ", ".join(f"i32 {n}" for n in order)
    return w.emit(f"shufflevector {ty} {a}, {ty} {b}, <{w.lanes} x i32> <{places}>")


def _part(w: Writer, vector: str, lanes: int, first: int, count: int) -> str:
    """Return consecutive dwords of a vector of so many lanes."""
    if count == lanes:
        return vector
    ty, places = f"<{lanes} x i32>", ", ".join(f"i32 {first + n}" for n in range(count))
    return w.emit(f"shufflevector {ty} {vector}, {ty} poison, <{count} x i32> <{places}>")


def joined(w: Writer, parts: Sequence[str], size: int) -> str:
    """Return vectors of so many dwords, a power of two of them, one behind the other."""
    while len(parts) > 1:
        ty, places = f"<{size} x i32>", ", ".join(f"i32 {n}" for n in range(2 * size))
        parts = [
            w.emit(f"shufflevector {ty} {a}, {ty} {b}, <{2 * size} x i32> <{places}>")
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        size *= 2
    return parts[0]


ROWS = {
    **EFFECTS,
    "load_row": RowEmitter.load_row,
    "row_word": RowEmitter.row_word,
    "store_row": RowEmitter.store_row,
}
