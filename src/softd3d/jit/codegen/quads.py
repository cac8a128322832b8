"""Lanes of quads: packing those of a mask together, and memory where each quad has its own place.

The lanes of a quad stay side by side, and its dwords follow each other in memory.
"""

from __future__ import annotations

from softd3d.algebra.value import BOOL, U32
from softd3d.ir.graph import Node
from softd3d.jit.codegen.rows import ROWS, RowEmitter, joined
from softd3d.jit.codegen.types import llvm_type
from softd3d.jit.codegen.values import FULL, Name

__all__ = ["QUADS", "QuadEmitter"]

_QUAD = 4
_FOUR = f"<{_QUAD} x i32>"
_FOUR_MASKS = f"<{_QUAD} x i1>"


class QuadEmitter(RowEmitter):
    """Emits what works on whole quads."""

    def lane_count(self, node: Node) -> None:
        w, n = self.w, self.lanes
        w.declare(f"declare i{n} @llvm.ctpop.i{n}(i{n})")
        total = "0"
        for _ in self.each_part(node.args[0]):
            bits = w.bits(self.vector(node.args[0]))
            count = w.emit(f"call i{n} @llvm.ctpop.i{n}(i{n} {bits})")
            total = w.emit(f"add i32 {total}, {w.emit(f'zext i{n} {count} to i32')}")
        self.set_name(node, total)

    def compact(self, node: Node) -> None:
        """Emit a move of the quads in a mask to the first lanes; others hold anything."""
        value, mask = (self.vector(a) for a in node.args)
        self.names[node.number] = Name(vector=self._compacted(value, mask))

    def _compacted(self, value: str, mask: str) -> str:
        w, n, ty = self.w, self.lanes, self.w.vector(U32)
        if n == _QUAD:
            return value
        if n == 2 * _QUAD:
            order = ", ".join(f"i32 {(lane + _QUAD) % n}" for lane in range(n))
            other = w.emit(f"shufflevector {ty} {value}, {ty} poison, <{n} x i32> <{order}>")
            has_first = w.emit(f"extractelement {w.vector(BOOL)} {mask}, i32 0")
            return w.emit(f"select i1 {has_first}, {ty} {value}, {ty} {other}")
        name = f"@llvm.experimental.vector.compress.v{n}i32"
        w.declare(f"declare {ty} {name}({ty}, {w.vector(BOOL)}, {ty})")
        return w.emit(f"call {ty} {name}({ty} {value}, {w.vector(BOOL)} {mask}, {ty} poison)")

    def first_quad(self, node: Node) -> None:
        w, ty = self.w, self.w.vector(U32)
        order = ", ".join(f"i32 {lane % _QUAD}" for lane in range(self.lanes))
        part, self.names.part = self.names.part, 0
        indices, value = f"<{self.lanes} x i32> <{order}>", self.vector(node.args[0])
        self.names.part = part
        name = w.emit(f"shufflevector {ty} {value}, {ty} poison, {indices}")
        self.names[node.number] = Name(vector=name)

    def load_quads(self, node: Node) -> None:
        """Emit a load of four dwords for each quad, from the offset of its first lane on.

        All of it must be memory that may be read.
        """
        w = self.w
        quads = [
            w.emit(f"load {_FOUR}, ptr {p}, align 4") for p in self._quad_pointers(node, node.args)
        ]
        self.names[node.number] = Name(vector=joined(self.w, quads, _QUAD))

    def load_block(self, node: Node) -> None:
        """Emit a load of each row, and a shuffle to the order of lanes."""
        w = self.w
        _, order, words = node.attr
        rows = [w.emit(f"load <{words} x i32>, ptr {p}, align 4") for p in self._row_pointers(node)]
        name = self._picked(joined(self.w, rows, words), words * len(rows), order)
        self.names[node.number] = Name(vector=name)

    def store_block(self, node: Node) -> None:
        w, n = self.w, self.lanes
        _, order, words = node.attr
        values = [self.vector(value) for value in node.args[2:]]
        samples = len(values)
        every = joined(self.w, values, n)
        for row, p in enumerate(self._row_pointers(node)):
            places = range(row * words, (row + 1) * words)
            lanes = tuple(at % samples * n + order.index(at - at % samples) for at in places)
            picked = self._picked(every, samples * n, lanes)
            w.do(f"store <{words} x i32> {picked}, ptr {p}, align 4")

    def _row_pointers(self, node: Node) -> list[str]:
        w, (view, order, words) = self.w, node.attr
        at, pitch = (w.emit(f"zext i32 {self.scalar(a)} to i64") for a in node.args[:2])
        found: list[str] = []
        for row in range(max(order) // words + 1):
            if row:
                at = w.emit(f"add i64 {at}, {pitch}")
            found.append(w.emit(f"getelementptr i8, ptr {self._base(view)}, i64 {at}"))
        return found

    def _picked(self, vector: str, size: int, order: tuple[int, ...]) -> str:
        ty, lanes = f"<{size} x i32>", ", ".join(f"i32 {n}" for n in order)
        indices = f"<{len(order)} x i32> <{lanes}>"
        return self.w.emit(f"shufflevector {ty} {vector}, {ty} poison, {indices}")

    def store_quads(self, node: Node) -> None:
        """Emit a store of the lanes of a mask, each quad's from the offset of its first lane on."""
        w = self.w
        _, value, mask = node.args
        name, vector = self.vector(mask), self.vector(value)
        for n, p in enumerate(self._quad_pointers(node, node.args)):
            part = self._quad_of(w.vector(U32), vector, n)
            if name == FULL:
                w.do(f"store {_FOUR} {part}, ptr {p}, align 4")
                continue
            some = self._quad_of(w.vector(BOOL), name, n)
            store = "@llvm.masked.store.v4i32.p0"
            w.declare(f"declare void {store}({_FOUR}, ptr, i32, {_FOUR_MASKS})")
            w.do(f"call void {store}({_FOUR} {part}, ptr {p}, i32 4, {_FOUR_MASKS} {some})")

    def load_column(self, node: Node) -> None:
        """Emit a load of one lane's value, which all get: at an offset, and a constant more."""
        assert node.type is not None  # noqa: S101 - only values are loaded
        ty = llvm_type(node.type, 0)
        p = self._column(node)
        self.set_name(node, self.w.emit(f"load {ty}, ptr {p}, align 4"))

    def store_column(self, node: Node) -> None:
        """Emit a store of what all lanes have, one behind the other."""
        value = node.args[1]
        ty = llvm_type(value.type, self.lanes)
        self.w.do(f"store {ty} {self.vector(value)}, ptr {self._column(node)}, align 4")

    def _column(self, node: Node) -> str:
        w, (view, offset) = self.w, node.attr
        wide = w.emit(f"zext i32 {self.scalar(node.args[0])} to i64")
        p = w.emit(f"getelementptr i8, ptr {self._base(view)}, i64 {wide}")
        return w.emit(f"getelementptr i8, ptr {p}, i64 {offset}") if offset else p

    def _quad_of(self, type_: str, vector: str, number: int) -> str:
        order = ", ".join(f"i32 {_QUAD * number + n}" for n in range(_QUAD))
        indices = f"<{_QUAD} x i32> <{order}>"
        return self.w.emit(f"shufflevector {type_} {vector}, {type_} poison, {indices}")

    def _quad_pointers(self, node: Node, args: tuple[Node, ...]) -> list[str]:
        w, base = self.w, self._base(node.attr)
        offset = self.vector(args[0])
        found: list[str] = []
        for n in range(self.lanes // _QUAD):
            at = w.emit(f"extractelement {w.vector(U32)} {offset}, i32 {_QUAD * n}")
            wide = w.emit(f"zext i32 {at} to i64")
            found.append(w.emit(f"getelementptr i8, ptr {base}, i64 {wide}"))
        return found


QUADS = {
    **ROWS,
    "lane_count": QuadEmitter.lane_count,
    "compact": QuadEmitter.compact,
    "first_quad": QuadEmitter.first_quad,
    "load_quads": QuadEmitter.load_quads,
    "store_quads": QuadEmitter.store_quads,
    "load_column": QuadEmitter.load_column,
    "store_column": QuadEmitter.store_column,
    "load_block": QuadEmitter.load_block,
    "store_block": QuadEmitter.store_block,
}
