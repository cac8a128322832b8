"""Lanes of quads: packing those of a mask together, and memory where each quad has its own place.

The lanes of a quad stay side by side, and its dwords follow each other in memory.
"""

from __future__ import annotations

from softd3d.algebra.value import BOOL, U32
from softd3d.ir.graph import Node
from softd3d.jit.codegen.rows import ROWS, RowEmitter
from softd3d.jit.codegen.values import FULL, Name

__all__ = ["QUADS", "QuadEmitter"]

_QUAD = 4
_LINE = 64  # bytes
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

    def prefetch(self, node: Node) -> None:
        """Ask for the cache lines from an offset on; whatever is there, nothing happens."""
        w, (view, size) = self.w, node.attr
        w.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        wide = w.emit(f"sext i32 {self.scalar(node.args[0])} to i64")
        for line in range(0, size, _LINE):
            at = w.emit(f"add i64 {wide}, {line}")
            p = w.emit(f"getelementptr i8, ptr {self._base(view)}, i64 {at}")
            w.do(f"call void @llvm.prefetch.p0(ptr {p}, i32 0, i32 3, i32 1)")

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
        while len(quads) > 1:
            quads = [
                self._joined(a, b, self.lanes // len(quads))
                for a, b in zip(quads[::2], quads[1::2], strict=True)
            ]
        self.names[node.number] = Name(vector=quads[0])

    def _joined(self, a: str, b: str, size: int) -> str:
        order = ", ".join(f"i32 {n}" for n in range(2 * size))
        ty = f"<{size} x i32>"
        return self.w.emit(f"shufflevector {ty} {a}, {ty} {b}, <{2 * size} x i32> <{order}>")

    def load_block(self, node: Node) -> None:
        """Emit a load of each row, and a shuffle to the order of lanes."""
        w, order = self.w, node.attr[1]
        pointers, width = self._row_pointers(node)
        rows = [w.emit(f"load <{width} x i32>, ptr {p}, align 4") for p in pointers]
        while len(rows) > 1:
            size = self.lanes // len(rows)
            pairs = zip(rows[::2], rows[1::2], strict=True)
            rows = [self._joined(a, b, size) for a, b in pairs]
        name = self._in_order(rows[0], order)
        self.names[node.number] = Name(vector=name)

    def store_block(self, node: Node) -> None:
        w, order = self.w, node.attr[1]
        pointers, width = self._row_pointers(node)
        value = self._in_order(self.vector(node.args[2]), _inverse(order))
        ty = w.vector(U32)
        for n, p in enumerate(pointers):
            lanes = ", ".join(f"i32 {width * n + k}" for k in range(width))
            indices = f"<{width} x i32> <{lanes}>"
            row = w.emit(f"shufflevector {ty} {value}, {ty} poison, {indices}")
            w.do(f"store <{width} x i32> {row}, ptr {p}, align 4")

    def _row_pointers(self, node: Node) -> tuple[list[str], int]:
        """Return pointers to the rows of a block, and how many dwords each has."""
        w, (view, order) = self.w, node.attr
        width = order[2]  # the third lane of a quad is below its first
        at, pitch = (w.emit(f"zext i32 {self.scalar(a)} to i64") for a in node.args[:2])
        found: list[str] = []
        for row in range(self.lanes // width):
            if row:
                at = w.emit(f"add i64 {at}, {pitch}")
            found.append(w.emit(f"getelementptr i8, ptr {self._base(view)}, i64 {at}"))
        return found, width

    def _in_order(self, vector: str, order: tuple[int, ...]) -> str:
        ty, lanes = self.w.vector(U32), ", ".join(f"i32 {n}" for n in order)
        indices = f"<{self.lanes} x i32> <{lanes}>"
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


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(n) for n in range(len(order)))


QUADS = {
    **ROWS,
    "lane_count": QuadEmitter.lane_count,
    "compact": QuadEmitter.compact,
    "prefetch": QuadEmitter.prefetch,
    "first_quad": QuadEmitter.first_quad,
    "load_quads": QuadEmitter.load_quads,
    "store_quads": QuadEmitter.store_quads,
    "load_block": QuadEmitter.load_block,
    "store_block": QuadEmitter.store_block,
}
