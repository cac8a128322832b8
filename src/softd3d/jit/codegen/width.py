"""How wide a wave is: one vector of lanes, or several that run in step.

Several vectors hide latency (a chain of dependent multiply-adds runs 6 times as fast with 8 vectors
as with one), share what is the same for all of them (matmul: 4 times as fast with 8), and meet at
fewer barriers (reduce: 1.8 times). They cost registers, code, and idle lanes where lanes diverge.
"""

from __future__ import annotations

from softd3d.ir.analysis import UNIFORM, Shapes, live_nodes
from softd3d.ir.graph import Graph, IfBody, LoopBody, Node, walk
from softd3d.ir.parts import differing, pressure
from softd3d.jit.compiling.target import Target
from softd3d.jit.entries.entry import Entry, part_shapes

__all__ = ["wave_width"]

_MOST_EMITTED = 250  # operations, all parts together: compile time
_MOST_IN_PAIRS = 1100  # the second part brings most: filtered reads 1.2 times as fast
_MOST_WITH_BARRIERS = 480  # where wide waves bring more
_MOST_IN_ONE = 1200  # where the whole group is one wave: nobody waits, there are no coroutines
_LONG_BRANCH = 64  # operations
_SPILLING = 2  # vectors alive for each register: the estimate is high, and the first cache fast
_UNROLLED = frozenset({"atomic", "counter"})  # these have code for each lane
_UPDATE = 32  # operations that such code counts as


def wave_width(graph: Graph, entry: Entry, target: Target, lanes: int = 0) -> tuple[int, int]:
    """Return lanes a vector and vectors a wave; `lanes` is what the caller wants, or 0."""
    if lanes:
        vector = target.vector_of(lanes)
        return vector, lanes // vector
    return target.lanes, _parts(graph, entry, target)


def _parts(graph: Graph, entry: Entry, target: Target) -> int:
    lanes = target.lanes
    if not entry.is_full(2 * lanes):
        return 1
    live = live_nodes(graph)
    nodes = [n for n in walk(graph.block) if n.number in live]
    unrolled = [n for n in nodes if n.op in _UNROLLED]
    if len(nodes) > 8 * _MOST_EMITTED or (unrolled and not _updates_in_loops(graph, unrolled)):
        return 1
    shapes = part_shapes(graph, entry, lanes, 2)
    apart = differing(graph, shapes, entry.differing(lanes, 2))
    emitted = sum(n.number in apart or n.type is None for n in nodes) + _UPDATE * len(unrolled)
    vectors = pressure(graph, shapes, live)
    for parts in _candidates(graph, nodes, shapes):
        most = _MOST_IN_PAIRS if parts == 2 else _MOST_EMITTED
        if graph.has_barrier:
            most = _MOST_IN_ONE if entry.waves(parts * lanes) == 1 else _MOST_WITH_BARRIERS
        if (
            entry.is_full(parts * lanes)
            and parts * vectors <= _SPILLING * target.registers
            and parts * emitted <= most
        ):
            return parts
    return 1


def _updates_in_loops(graph: Graph, unrolled: list[Node]) -> bool:
    """True if a group's waves come back to atomics that give no old values: no lane waits for them.

    A wave that a barrier suspends costs some hundred cycles, which these do not take otherwise.
    """
    loops = (n.attr for n in walk(graph.block) if isinstance(n.attr, LoopBody) and not n.attr.once)
    return (
        graph.has_barrier
        and all(n.op == "atomic" and not n.attr[2] for n in unrolled)
        and any(inner.op == "atomic" for body in loops for inner in walk(body.body))
    )


def _candidates(graph: Graph, nodes: list[Node], shapes: Shapes) -> tuple[int, ...]:
    """Return numbers of parts that may pay, most first."""
    if shapes.masked_loops or any(_is_long_branch(n, shapes) for n in nodes):
        return (2,)
    if any(n.op in _UNROLLED for n in nodes):
        return (4, 2)
    if graph.has_barrier:
        return (16, 8, 4, 2)
    return (8, 4, 2) if _has_quiet_loop(nodes) else (4, 2)


def _is_long_branch(node: Node, shapes: Shapes) -> bool:
    """True for work that a narrow wave skips more often than a wide one."""
    body = node.attr
    if not isinstance(body, IfBody) or (shapes.whole or shapes).of(node.args[0]) == UNIFORM:
        return False
    return sum(1 for _ in walk([*body.then, *body.else_])) > _LONG_BRANCH


def _has_quiet_loop(nodes: list[Node]) -> bool:
    """True if there is a loop that only computes: nothing but latency holds it up."""
    return any(
        isinstance(n.attr, LoopBody)
        and not n.attr.once
        and all(inner.type is not None or inner.op == "exit" for inner in n.attr.body)
        and not any(inner.op in ("load", "if") for inner in n.attr.body)
        for n in nodes
    )
