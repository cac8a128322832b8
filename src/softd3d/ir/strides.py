"""How far an address moves from one iteration of a loop to the next, where that is constant."""

from __future__ import annotations

from collections.abc import Iterator

from softd3d.algebra.value import F32
from softd3d.ir.analysis import keeps_step
from softd3d.ir.graph import Graph, IfBody, LoopBody, Node, walk

__all__ = ["load_strides"]

_MOST = 1 << 20  # bytes; what moves by more is no walk through memory


def load_strides(graph: Graph) -> dict[int, int]:
    """Return, for loads in loops, by how much the offset grows in an iteration of the innermost."""
    return dict(_of_block(graph.block, None))


def _of_block(block: list[Node], loop: _Iteration | None) -> Iterator[tuple[int, int]]:
    for node in block:
        body = node.attr
        if isinstance(body, IfBody):
            yield from _of_block(body.then, loop)
            yield from _of_block(body.else_, loop)
        elif isinstance(body, LoopBody):
            yield from _of_block(body.body, loop if body.once else _Iteration(body))
        elif loop is not None:
            loop.add(node)
            stride = loop.growth(node.args[0]) if node.op == "load" else None
            if stride is not None and 0 < abs(stride) <= _MOST:
                yield node.number, stride


class _Iteration:
    """What values grow by in one iteration of a loop, modulo 2**32; None if nobody knows.

    Nodes are added in order, so that no chain of them is followed, however long.
    """

    def __init__(self, body: LoopBody) -> None:
        self.inside = {n.number for n in walk(body.body)}
        self.known: dict[int, int | None] = {v.number: _step(v) for v in body.variables}

    def add(self, node: Node) -> None:
        growth = self._growth(node)
        self.known[node.number] = None if growth is None else _signed(growth)

    def growth(self, node: Node) -> int | None:
        if node.number in self.known:
            return self.known[node.number]
        return None if node.number in self.inside else 0

    def _growth(self, node: Node) -> int | None:
        if node.op == "input":
            return 0
        if node.op not in ("add", "sub", "mul", "shl", "and", "bitcast"):
            return None
        if node.type is F32 or any(a.type is F32 for a in node.args):
            return None
        growths = [self.growth(a) for a in node.args]
        if None in growths:
            return None
        first, *others = (g or 0 for g in growths)
        if node.op == "bitcast":
            return first
        if node.op in ("add", "sub"):
            return first + others[0] if node.op == "add" else first - others[0]
        a, b = node.args
        if node.op == "and":
            constant, growth = (b, first) if b.is_const else (a, others[0])
            return growth if constant.is_const and keeps_step(growth, constant.attr) else None
        if b.is_const:
            return first * b.attr if node.op == "mul" else first << min(b.attr, 31)
        return others[0] * a.attr if node.op == "mul" and a.is_const else None


def _step(variable: Node) -> int | None:
    """Return the constant that is added to a loop variable in each iteration."""
    following = _plain(variable.args[1])
    if following.op != "add":
        return None
    for one, other in (following.args, following.args[::-1]):
        if _plain(one) is variable and other.is_const:
            return _signed(other.attr)
    return None


def _signed(number: int) -> int:
    """Return what a number is modulo 2**32, from -2**31 to 2**31 - 1."""
    return ((number + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def _plain(node: Node) -> Node:
    while node.op == "bitcast":
        node = node.args[0]
    return node
