"""Where the values of registers come from: a graph with one node a written component.

The walk keeps the newest node of each component of r#; where ways meet, a node joins those that
differ. So one pass over the instructions tells what may be unwritten where it is read, and what
differs between invocations ("varies"). Loops and switches cost what is written in them, once for
each way out; the walk stops when that exceeds a budget, and says nothing about the rest.

Spec: D3D11.3 functional specification 16.8.1 (varying quantities and flow).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field

from softd3d.classes import dataclass

__all__ = ["INITIALISED", "UNIFORM", "UNWRITTEN", "VARYING", "BudgetError", "Graph", "State"]

# The first nodes of each graph
UNWRITTEN, VARYING, UNIFORM, INITIALISED = range(4)
_BUDGET = 1_000_000  # components restored, joined or carried out of a block


class BudgetError(Exception):
    """The walk would take too long; the rest of the program is not analysed."""


class Graph:
    """Nodes and what they depend on."""

    def __init__(self) -> None:
        self._users: list[list[int]] = [[], [], [], []]
        self._joins: dict[int, list[int]] = {}  # few nodes are joined

    def node(self, *sources: int) -> int:
        """Return a node that depends on others."""
        users = self._users
        number = len(users)
        users.append([])
        for source in sources:
            if source != UNIFORM:
                users[source].append(number)
        return number

    def depend(self, node: int, source: int) -> None:
        if source != UNIFORM:
            self._users[source].append(node)

    def join(self, node: int, way: int) -> None:
        """Let a node have the value of `way` on one of the ways to it."""
        self.depend(node, way)
        self._joins.setdefault(way, []).append(node)

    def varying(self) -> set[int]:
        """Return all nodes that depend on something that varies."""
        return _reach(VARYING, self._users.__getitem__)

    def unwritten(self) -> set[int]:
        """Return all nodes that have no value on some way."""
        return _reach(UNWRITTEN, lambda node: self._joins.get(node, ()))


def _reach(start: int, edges: Callable[[int], Iterable[int]]) -> set[int]:
    found, open_nodes = {start}, [start]
    while open_nodes:
        for node in edges(open_nodes.pop()):
            if node not in found:
                found.add(node)
                open_nodes.append(node)
    return found


@dataclass(slots=True)
class Block:
    """An open if, loop, switch or subroutine.

    saved: what components were before the block (None: not there). control: the node of whether
    the block is run, of the code around it. condition: of the block itself. exits: what components
    are on each way out. is_escaped: something in it leaves a block around it.
    """

    kind: str
    control: int
    condition: int
    inner: int = UNIFORM
    saved: dict[int, int | None] = field(default_factory=dict[int, int | None])
    exits: list[dict[int, int]] = field(default_factory=list[dict[int, int]])
    headers: dict[int, int] = field(default_factory=dict[int, int])
    escapes: set[int] = field(default_factory=set[int])
    has_default: bool = False


class State:
    """The newest node of each component at one place of the walk, and the blocks around it."""

    def __init__(self, graph: Graph, default: int = UNWRITTEN) -> None:
        self.graph = graph
        self.nodes: dict[int, int] = {}
        self.blocks: list[Block] = [Block("program", UNIFORM, UNIFORM)]
        self.default = default
        self.control = UNIFORM
        self.is_dead = False
        self._work = 0

    def read(self, key: int) -> int:
        return self.nodes.get(key, self.default)

    def write(self, key: int, node: int) -> None:
        self.blocks[-1].saved.setdefault(key, self.nodes.get(key))
        self.nodes[key] = node

    def begin(self, kind: str, condition: int) -> Block:
        """Enter a block that is run where `condition` says."""
        block = Block(kind, self.control, condition)
        self.blocks.append(block)
        self.control = block.inner = self.graph.node(self.control, condition)
        return block

    def changes(self, target: int) -> dict[int, int]:
        """Return what has been written since block number `target` began."""
        keys = {key for block in self.blocks[target:] for key in block.saved}
        self.spend(len(keys))
        return {key: self.read(key) for key in keys}

    def escape(self, target: int, *conditions: int) -> None:
        """Note that some lanes leave all blocks inside number `target` here."""
        for block in self.blocks[target + 1 :]:
            block.escapes.update((self.control, *conditions))

    def restore(self, block: Block) -> None:
        """Make the components what they were when the block began."""
        self.spend(len(block.saved))
        for key, old in block.saved.items():
            if old is None:
                del self.nodes[key]
            else:
                self.nodes[key] = old
        block.saved.clear()

    def end(self, ways: list[dict[int, int]], *influences: int) -> None:
        """Leave the innermost block: join what the ways out of it have written.

        The components are those from before the block already.
        """
        block = self.blocks.pop()
        keys = {key for way in ways for key in way}
        self.spend(len(keys) * max(len(ways), 1))
        for key in keys:
            found = {way.get(key, self.read(key)) for way in ways}
            if len(found) == 1:
                node = found.pop()
            else:
                node = self.graph.node(*influences)
                for way in found:
                    self.graph.join(node, way)
            self.write(key, node)
        self.control = block.control
        if block.escapes:
            self.control = self.graph.node(block.control, *block.escapes)
        self.is_dead = not ways

    def spend(self, amount: int) -> None:
        """Count the work that grows faster than the program.

        Raises:
            BudgetError: it is too much.
        """
        self._work += amount
        if self._work > _BUDGET:
            raise BudgetError
