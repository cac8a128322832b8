"""Nodes and blocks of the intermediate representation.

The IR is SSA with structured control flow. A block is a list of nodes in execution order. Execution
masks are ordinary BOOL nodes; divergent control flow becomes selections and masks when code is
generated, once the shapes of values are known.

    if           args (condition, mask_then, mask_else); attr IfBody
    if_result    args (if, then value or None, else value or None)
    loop         attr LoopBody; an `once` loop is a region that is left, never repeated
    loop_var     args (first value, next value); attr the loop
    exit         args (condition, mask, exit mask); attr Exit: lanes leave a loop
    loop_result  args (loop,); attr the variable's key

    second       args (load,); the other dword of a load of 8 bytes, whose value is the first one

    load_row     args (offset, mask); attr (view,): four dwords, whose value is the first one; some
                 memory is there at offset 0, too
    row_word     args (load_row,); attr which dword
    store_row    args (offset, mask, values...); attr (view, room): dwords one behind the other; so
                 many, those that follow included, may be written to

    call         args what the function's parameters stand for; attr Function
    call_result  args (call,); attr the number of the function's result
    parameter    in a function: what a call hands over; attr: it is the same for all lanes
    return       args the function's results; the last node of its block

    compact      args (value, mask): the quads of a mask moved to the first lanes; the rest is open
    first_quad   args (value,): what the lanes of the first quad have, in each quad
    lane_count   args (mask,): how many lanes are in it, the same for all
    load_quads   args (offset,); attr the view: four dwords a quad from its first lane's offset on
    load_block   args (offset, pitch), the same for all lanes; attr (view, order, words): rows of so
                 many dwords, a pitch apart; order: which each lane has, counted along the rows
    store_block  args (offset, pitch, values of each sample); attr likewise: that of sample 0, which
                 those of the others follow
    store_quads  args (offset, value, mask); attr the view: likewise, in the lanes of a mask

    input        attr the name of what an invocation is given (`lower/inputs.py`), or `lane_mask`
    output       args (value,); attr the name of what it gives; at the end of the program, once

Everything else is a primitive of the algebra, a `const`, or an effect (`info mip load
quad store atomic counter poison message barrier`). The last argument of an effect on a view whose
slot is computed (`View.at`) is the slot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import field
from enum import Enum
from typing import Any, TypeAlias, cast

from softd3d.algebra.value import DataType
from softd3d.classes import dataclass
from softd3d.isa.machine import View
from softd3d.isa.shader_message import MessageSite

__all__ = [
    "ALL_BITS",
    "Check",
    "Exit",
    "Function",
    "Graph",
    "IfBody",
    "LoopBody",
    "Node",
    "Pace",
    "computed_slot",
    "no_check",
    "viewed",
    "walk",
]

ALL_BITS = 0xFFFFFFFF
Check: TypeAlias = "Callable[[], None]"  # called now and then by long work, which it may end


def no_check() -> None:
    """Let the work go on."""


class Node:
    """One value or effect. bits: those of an integer value that may be set."""

    __slots__ = ("args", "attr", "bits", "number", "op", "type")

    def __init__(
        self, number: int, op: str, type_: DataType | None, args: tuple[Any, ...], attr: Any = None
    ) -> None:
        self.number = number
        self.op = op
        self.type = type_
        self.args = args
        self.attr = attr
        self.bits = ALL_BITS

    def __repr__(self) -> str:
        args = ", ".join(f"%{a.number}" if isinstance(a, Node) else repr(a) for a in self.args)
        suffix = f" {self.attr:#x}" if self.is_const else ""
        return f"%{self.number} = {self.op}({args}){suffix}"

    @property
    def is_const(self) -> bool:
        return self.op == "const"


@dataclass(slots=True)
class IfBody:
    """The branches of an if. is_rare: hardly any wave takes the first one."""

    then: list[Node] = field(default_factory=list[Node])
    else_: list[Node] = field(default_factory=list[Node])
    is_rare: bool = False


class Pace(Enum):
    """What a loop looks at in each iteration, so that it ends when it must."""

    BUDGET = "a budget of iterations, and now and then whether the run is to stop"
    STATUS = "whether the run is to stop: a loop that is known to end, after long"
    NOTHING = "it ends soon"


@dataclass(slots=True)
class LoopBody:
    """A loop or region. variables: its loop_var nodes; exits: the nodes by which lanes leave it.

    once: executed a single time (subroutine, switch, loop body with `continue`). escaped: lanes
    may leave it for an outer loop. location: the instruction that opened it. pace: what an
    iteration looks at before the next one.
    """

    once: bool
    body: list[Node] = field(default_factory=list[Node])
    variables: list[Node] = field(default_factory=list[Node])
    exits: list[Node] = field(default_factory=list[Node])
    escaped: bool = False
    location: Any = None
    pace: Pace = Pace.BUDGET


@dataclass(slots=True)
class Exit:
    """Where an exit leads, the values of variables for lanes that leave, and the others' mask."""

    loop: Node
    values: dict[Hashable, Node]
    rest: Node


@dataclass(slots=True, eq=False)
class Function:
    """Operations that are recorded once and called from several places, without loops or barriers.

    parameters: in the order of a call's arguments. results: what it returns. has_effects: calls are
    needed even where nobody wants their results.
    """

    number: int
    block: list[Node] = field(default_factory=list[Node])
    parameters: list[Node] = field(default_factory=list[Node])
    results: tuple[Node, ...] = ()
    has_effects: bool = False


@dataclass(slots=True)
class Graph:
    """A recorded program: its top block and tables that code generation needs.

    places: dwords that each message has behind its operands, which say whose it is; 0: its group
    does. words: dwords that code looks up, kept behind the program's immediate constants. check:
    called now and then by all that goes over the graph.
    """

    block: list[Node]
    words: list[int] = field(default_factory=list[int])
    poison_rules: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    messages: tuple[MessageSite, ...] = ()
    places: int = 0
    uses_double: bool = False
    has_barrier: bool = False
    check: Check = no_check


def viewed(node: Node) -> View | None:
    """Return the view that an effect uses, None if it uses none."""
    if not isinstance(node.attr, tuple):
        return None
    facts = cast("tuple[Any, ...]", node.attr)
    return next((fact for fact in facts if isinstance(fact, View)), None)


def computed_slot(node: Node, view: View) -> Node | None:
    """Return the slot of the view that a node uses, None unless it is computed."""
    return None if view.at is None else node.args[-1]


def walk(block: list[Node]) -> Iterator[Node]:
    """Yield every node of a block and its nested blocks, in order."""
    pending = [iter(block)]  # not recursive: each node would pass through all levels above it
    while pending:
        for node in pending[-1]:
            yield node
            body = node.attr
            if isinstance(body, IfBody):
                pending += (iter(body.else_), iter(body.then))
                break
            if isinstance(body, LoopBody):
                pending.append(iter(body.body))
                break
        else:
            pending.pop()
