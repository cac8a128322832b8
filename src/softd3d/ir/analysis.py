"""Passes over the recorded IR: which nodes are needed, and what shape each value has in a wave.

A value is UNIFORM if all lanes of a wave agree whenever they are active, AFFINE if it grows by a
known step from lane to lane, else VARYING. Masks that are UNIFORM are full.

A wave may consist of several parts of equal size. Then the same is asked twice: of the whole wave,
which decides about control flow, and of a part (`Shapes.whole` has the answers of the first).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, TypeAlias

from softd3d.algebra.value import BOOL, I32, U32
from softd3d.classes import dataclass
from softd3d.ir.graph import Exit, Function, Graph, IfBody, LoopBody, Node, viewed, walk
from softd3d.isa.machine import Memory

__all__ = ["UNIFORM", "VARYING", "Shapes", "analyse_shapes", "keeps_step", "live_nodes"]

Shape: TypeAlias = "int | None"  # step from lane to lane; 0 is UNIFORM, None is VARYING
UNIFORM: Shape = 0
VARYING: Shape = None
_MASKS = frozenset({"mask_then", "mask_else", "if_result", "loop_result"})
_EFFECTS = frozenset(
    {
        "store", "atomic", "counter", "poison", "message", "barrier", "exit", "if", "loop",
        "return", "output", "invocation", "store_quads", "store_block",
        "store_row", "store_column",
    }
)  # fmt: skip
_KNOWN: dict[str, Shape] = {
    **dict.fromkeys(
        (
            "atomic",
            "counter",
            "call_result",
            "compact",
            "load_quads",
            "load_block",
            "first_quad",
            "load_row",
        ),
        VARYING,
    ),
    "lane_count": UNIFORM,
    "load_column": UNIFORM,
}
_OTHER = _MASKS | _KNOWN.keys() | {"load", "input", "parameter"}
"""What is not computed of operands, lane by lane."""


def live_nodes(graph: Graph) -> set[int]:
    """Return the numbers of nodes that an effect needs, effects included."""
    live: set[int] = set()
    pending: list[Node] = []
    exits: dict[int, list[Node]] = {}
    for node in walk(graph.block):
        body = node.attr
        if node.op in _EFFECTS or (isinstance(body, Function) and body.has_effects):
            pending.append(node)
        if node.op == "loop":
            exits[node.number] = node.attr.exits
            pending += [n for n in node.attr.variables if _is_mask_variable(node, n)]
    while pending:
        node = pending.pop()
        if node.number in live:
            continue
        live.add(node.number)
        pending += [a for a in node.args if isinstance(a, Node)]
        if node.op == "loop_result":
            for leaving in exits[node.args[0].number]:
                pending.append(leaving.attr.values[node.attr])
    return live


def _is_mask_variable(loop: Node, variable: Node) -> bool:
    return not loop.attr.once and variable.type is BOOL


@dataclass(slots=True)
class Shapes:
    """Shapes by node number, and what is known of exits.

    jumps: exits that all active lanes of a wave take or not. together: exits outside of divergent
    flow, where no lane waits elsewhere. masked_loops: loops that lanes may leave one by one. whole:
    the shapes in the whole wave, where these are those in one of its parts. between: how values
    grow from part to part, lane by lane, where that is known.
    """

    shape: dict[int, Shape] = field(default_factory=dict[int, "Shape"])
    jumps: set[int] = field(default_factory=set[int])
    together: set[int] = field(default_factory=set[int])
    masked_loops: set[int] = field(default_factory=set[int])
    whole: Shapes | None = None
    between: Shapes | None = None

    def of(self, node: Node) -> Shape:
        return self.shape.get(node.number, UNIFORM)  # constants are not there


def analyse_shapes(graph: Graph, inputs: dict[str, Shape], whole: Shapes | None = None) -> Shapes:
    """Find the shape of every node; `inputs` gives those of the program's inputs.

    whole: the shapes in the whole wave, to find those in one of several parts.
    """
    shapes = Shapes()
    if whole is not None:
        shapes = Shapes(
            jumps=whole.jumps, together=whole.together, masked_loops=whole.masked_loops, whole=whole
        )
    analysis = _Analysis(shapes, inputs)
    while analysis.pass_over(graph.block):
        graph.check()
    return shapes


class _Analysis:
    """Iterates to a fixed point; shapes only ever go from UNIFORM or AFFINE to VARYING."""

    def __init__(self, shapes: Shapes, inputs: dict[str, Shape]) -> None:
        self.s = shapes
        self.inputs = inputs
        self.changed = False
        self.context: list[Node] = []  # the enclosing ifs and loops, outermost first

    def pass_over(self, block: list[Node]) -> bool:
        self.changed = False
        self._block(block)
        return self.changed

    def _block(self, block: list[Node]) -> None:
        known = self.s.shape
        for node in block:
            body = node.attr
            if body is None:  # most are so; what is VARYING stays so
                if node.type is not None and known.get(node.number, UNIFORM) is not VARYING:
                    self._set(node, self._shape(node))
                continue
            self._mark_deciding(node)
            if isinstance(body, IfBody):
                self.context.append(node)
                self._block(body.then)
                self._block(body.else_)
                self.context.pop()
            elif isinstance(body, LoopBody):
                self._loop(node, body)
            elif isinstance(body, Exit):
                self._exit(node, body)
            elif node.type is not None:
                self._set(node, self._shape(node))

    def _mark_deciding(self, node: Node) -> None:
        """Make VARYING, in parts, what decides for all of them and is not the same in all.

        A branch is taken for the whole wave. Code for a class of views runs for parts that look at
        a view of another class, too; only as lanes that are off they touch nothing.
        """
        whole = self.s.whole
        if whole is None:
            return
        deciding = node.args if isinstance(node.attr, IfBody) else _computed_slots(node)
        if deciding and whole.of(deciding[0]) != UNIFORM:  # a condition comes before its masks
            for value in deciding:
                if not value.is_const:
                    self._set(value, VARYING)

    def _loop(self, node: Node, body: LoopBody) -> None:
        for variable in body.variables:
            self._join_variable(variable)
        self.context.append(node)
        self._block(body.body)
        self.context.pop()
        for variable in body.variables:
            self._join_variable(variable)

    def _join_variable(self, variable: Node) -> None:
        first, following = (self.s.of(a) for a in variable.args)
        if variable.args[1].number not in self.s.shape and not variable.args[1].is_const:
            following = first  # not seen yet in the first pass
        is_partial = self.s.whole is not None and self.s.whole.of(variable) != UNIFORM
        if variable.type is BOOL and is_partial:
            first = VARYING
        self._set(variable, first if first == following else VARYING)

    def _exit(self, node: Node, body: Exit) -> None:
        if self.s.whole is not None:
            return  # what is known of the whole wave holds
        is_together = self._path_is_uniform(body.loop)
        (self.s.together.add if is_together else self.s.together.discard)(node.number)
        if is_together and self.s.of(node.args[0]) == UNIFORM:
            self.s.jumps.add(node.number)
            return
        if node.number in self.s.jumps:
            self.s.jumps.discard(node.number)
            self.changed = True
        self._leaves_one_by_one(body.loop)
        if not node.args[0].is_const:
            self._may_be_empty(node.args[2], body.rest)
        for entry in self._inside(body.loop):
            if isinstance(entry.attr, LoopBody):
                self._leaves_one_by_one(entry)
            else:
                self._may_be_empty(*entry.args[1:])

    def _leaves_one_by_one(self, loop: Node) -> None:
        if loop.number not in self.s.masked_loops:
            self.s.masked_loops.add(loop.number)
            self.changed = True

    def _may_be_empty(self, *masks: Node) -> None:
        """Make masks VARYING: code behind an exit that is no jump may be reached without a lane."""
        for mask in masks:
            if not mask.is_const:
                self._set(mask, VARYING)

    def _inside(self, target: Node) -> Iterator[Node]:
        """Yield the ifs and loops around this place that are inside of a loop, innermost first."""
        for entry in reversed(self.context):
            if entry is target:
                return
            yield entry

    def _path_is_uniform(self, target: Node) -> bool:
        """True if no lane waits anywhere between here and the loop that is left."""
        return all(
            entry.number not in self.s.masked_loops
            if isinstance(entry.attr, LoopBody)
            else self.s.of(entry.args[0]) == UNIFORM
            for entry in self._inside(target)
        )

    def _set(self, node: Node, shape: Shape) -> None:
        """Record a shape; one that is not the same as before becomes VARYING for good.

        What is seen for the first time is no change: nothing but variables of loops, which are
        asked again at the end, was made of it.
        """
        known = self.s.shape
        if node.number not in known:
            known[node.number] = shape
        elif known[node.number] != shape and known[node.number] is not VARYING:
            known[node.number] = VARYING
            self.changed = True

    def _shape(self, node: Node) -> Shape:
        if node.op not in _OTHER:
            return self._computed(node)
        of, whole = self.s.of, self.s.whole
        op = node.op
        if whole is not None and _is_flow(node) and whole.of(node) != UNIFORM:
            return VARYING  # a mask that is full in some parts only
        if op == "load":
            return self._load(node)
        if op == "input" or op in _KNOWN:
            return self.inputs[node.attr] if op == "input" else _KNOWN[op]
        if op == "parameter" and not node.attr:
            return VARYING
        if op == "loop_result":
            masked = node.args[0].number in self.s.masked_loops
            values = {of(e.attr.values[node.attr]) for e in node.args[0].attr.exits}
            return values.pop() if len(values) == 1 and not masked else VARYING
        if op == "if_result":
            values = {of(a) for a in node.args[1:] if a is not None}
            uniform = (whole or self.s).of(node.args[0].args[0]) == UNIFORM
            one = None in node.args[1:] or uniform
            return values.pop() if len(values) == 1 and one else VARYING
        return self._computed(node)

    def _computed(self, node: Node) -> Shape:
        """Return the shape of what comes of a node's operands, lane by lane."""
        known = self.s.shape
        steps = [known.get(a.number, UNIFORM) for a in node.args]
        if not any(steps) and None not in steps:
            return UNIFORM
        if None not in steps and node.type in (U32, I32):
            return _affine(node, steps)
        return VARYING

    def _load(self, node: Node) -> Shape:
        view = node.attr[0]
        private = view.memory is Memory.INDEXABLE_TEMP
        needed = (*node.args[:2], *node.args[3:])  # all but the mask
        uniform = all(self.s.of(a) == UNIFORM for a in needed)
        return UNIFORM if uniform and not private else VARYING


def _computed_slots(node: Node) -> tuple[Node, ...]:
    view = viewed(node)
    return () if view is None or view.at is None else node.args[-1:]


def _is_flow(node: Node) -> bool:
    """True for execution masks."""
    return node.type is BOOL and node.op in _MASKS


def _affine(node: Node, steps: list[Any]) -> Shape:
    op = node.op
    if op == "add":
        return steps[0] + steps[1]
    if op == "sub":
        return steps[0] - steps[1]
    if op == "neg":
        return -steps[0]
    if op == "bitcast":
        return steps[0]
    if op == "select" and steps[0] == UNIFORM and steps[1] == steps[2]:
        return steps[1]
    if op == "and":
        return _rounded_down(node, steps)
    for one, other in ((0, 1), (1, 0)):
        constant = node.args[other] if len(node.args) > 1 else None
        if constant is not None and constant.is_const and op == "mul":
            return _small(steps[one] * constant.attr)
        if constant is not None and constant.is_const and op == "shl" and other == 1:
            return _small(steps[one] << constant.attr)
    return VARYING


def _rounded_down(node: Node, steps: list[Any]) -> Shape:
    """Return the step of x & ~(2**n - 1): that of x, if all lanes have the same low bits."""
    for step, mask in zip(steps, node.args[::-1], strict=True):
        if mask.is_const and keeps_step(step, mask.attr):
            return step
    return VARYING


def keeps_step(step: int, mask: int) -> bool:
    """True if a mask clears low bits only, and numbers that are a step apart agree in these."""
    low = ~mask & 0xFFFFFFFF
    return low & (low + 1) == 0 and step % (low + 1) == 0


def _small(step: int) -> Shape:
    """Only small steps are of use; a step of 0 would claim too much."""
    return step if 0 < abs(step) < 1 << 16 else VARYING
