"""Which values differ between the parts of a wave, and what it costs to hold those that do.

A wave may be several vectors of lanes that run in step: instructions of one part fill the time that
those of another wait for results, and what the parts have in common is computed once.
"""

from __future__ import annotations

from collections.abc import Hashable

from softd3d.algebra.value import BOOL, I32, U32
from softd3d.ir.analysis import VARYING, Shapes
from softd3d.ir.graph import Exit, Graph, IfBody, LoopBody, Node, walk
from softd3d.isa.machine import Memory

__all__ = ["differing", "pressure", "shifts"]


def differing(graph: Graph, shapes: Shapes, inputs: frozenset[str]) -> set[int]:
    """Return the nodes that are needed for each part: their values differ, by no fixed step.

    shapes: those of a part. inputs: the program's inputs that differ.
    """
    found: set[int] = set()
    if shapes.whole is None:
        return found
    nodes = [n for n in _all(graph.block) if n.type is not None and not n.is_const]
    size = -1
    while len(found) != size:
        graph.check()
        size = len(found)
        for node in nodes:
            if node.number not in found and _differs(node, shapes, found, inputs):
                found.add(node.number)
    return {n for n in found if shapes.whole.shape.get(n, 0) is VARYING}


def shifts(graph: Graph, shapes: Shapes) -> dict[int, int]:
    """Return by how much integers grow from part to part, if not by 0; scalars in each part."""
    if shapes.between is None:
        return {}
    known = shapes.between.shape
    return {
        n.number: step
        for n in _all(graph.block)
        if n.type in (U32, I32) and (step := known.get(n.number)) and shapes.of(n) is not VARYING
    }


def _all(block: list[Node]) -> list[Node]:
    nodes: list[Node] = []
    for node in walk(block):
        nodes.append(node)
        if isinstance(node.attr, LoopBody):
            nodes += node.attr.variables
    return nodes


def _differs(node: Node, shapes: Shapes, found: set[int], inputs: frozenset[str]) -> bool:
    assert shapes.whole is not None  # noqa: S101 - asked of parts only
    whole = shapes.whole.of(node)
    if whole is not VARYING:
        return whole != 0
    if node.op == "input":
        return node.attr in inputs
    if node.op in ("atomic", "counter", "call_result"):
        return True
    if node.op == "load" and node.attr[0].memory is Memory.INDEXABLE_TEMP:
        return True
    return any(a.number in found for a in _sources(node, shapes))


def _sources(node: Node, shapes: Shapes) -> list[Node]:
    """Return the nodes that a value is made of."""
    if node.op == "if_result":
        branch = node.args[0]
        return [*branch.args[:2], *(a for a in node.args[1:] if a is not None)]
    if node.op == "loop_result":
        loop = node.args[0]
        exits = loop.attr.exits
        sources = [e.attr.values[node.attr] for e in exits]
        if loop.number in shapes.masked_loops:
            sources += [a for e in exits for a in e.args]
        return sources
    return [a for a in node.args if isinstance(a, Node)]


def pressure(graph: Graph, shapes: Shapes, live: set[int]) -> int:
    """Return about how many vectors are alive at once where most are."""
    scan = _Scan(live)
    for node in walk(graph.block):
        if node.op == "loop_result" and node.number in live:
            scan.wanted.add((node.args[0].number, node.attr))
    scan.block(graph.block)
    changes: dict[int, int] = {}
    for node, at in scan.births:
        is_vector = node.type is not BOOL and shapes.of(node) is VARYING
        if node.number in scan.last and is_vector:
            end = scan.last[node.number]
            changes[at] = changes.get(at, 0) + 1
            changes[end] = changes.get(end, 0) - 1
    most = current = 0
    for at in sorted(changes):
        current += changes[at]
        most = max(most, current)
    return most


class _Scan:
    """Notes where values begin and are used last; a loop uses what it reads until its end."""

    def __init__(self, live: set[int]) -> None:
        self.live = live
        self.wanted: set[tuple[int, Hashable]] = set()
        self.last: dict[int, int] = {}
        self.births: list[tuple[Node, int]] = []
        self.clock = 0

    def block(self, block: list[Node]) -> None:
        for node in block:
            if node.number not in self.live:
                continue
            self.clock += 2
            at = self.clock
            self._use(self._read(node))
            body = node.attr
            if isinstance(body, IfBody):
                self.block(body.then)
                self.block(body.else_)
            elif isinstance(body, LoopBody):
                self._loop(body, at)
            self.births.append((node, at + 1))

    def _loop(self, body: LoopBody, at: int) -> None:
        variables = [v for v in body.variables if v.number in self.live]
        self.births += [(v, at + 1) for v in variables]
        self._use([v.args[0] for v in variables])
        self.block(body.body)
        self.clock += 2
        self._use([v.args[1] for v in variables])
        inside = {n.number for n in (*walk(body.body), *variables)}
        for node in walk(body.body):
            if node.number in self.live:
                self._use([a for a in self._read(node) if a.number not in inside])

    def _use(self, nodes: list[Node]) -> None:
        for node in nodes:
            self.last[node.number] = self.clock

    def _read(self, node: Node) -> list[Node]:
        arguments = [a for a in node.args if isinstance(a, Node)]
        if isinstance(node.attr, Exit):
            loop = node.attr.loop.number
            arguments += [v for k, v in node.attr.values.items() if (loop, k) in self.wanted]
        return arguments
