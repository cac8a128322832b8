"""Branches and loops of a recording: environments are joined where lanes meet again.

`branch` merges the environments of its sides. A loop carries the components that its body writes,
and every way out of it is an exit that hands the environment of the leaving lanes to its results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from softd3d.algebra.value import BOOL, Value
from softd3d.errors import LoweringError
from softd3d.ir.graph import Check, Exit, IfBody, LoopBody, Node
from softd3d.isa.machine import Memory
from softd3d.isa.sm4.program import Operand
from softd3d.lower.bound import BoundProgram
from softd3d.lower.indexing import record_each_sampler, record_each_view
from softd3d.lower.recording import MASK, Environment, Recording
from softd3d.lower.registers import SamplerBody, ViewBody

__all__ = ["Frame", "Regions", "nothing"]

_MAX_HANDED_ON = 1 << 19  # register components that exits keep: one for each exit and component


class Frame:
    """A loop being lowered: what `break`, `continue` or `ret` leave."""

    __slots__ = ("body", "entry", "node", "variables")

    def __init__(self, node: Node, body: LoopBody, entry: Environment) -> None:
        self.node = node
        self.body = body
        self.entry = entry
        self.variables: Environment = {}


class Regions(Recording):
    """A recording with flow. frames: the loops around the current place."""

    def __init__(self, bound: BoundProgram, check: Check) -> None:
        super().__init__(bound, check)
        self.frames: list[Frame] = []
        self.handed_on = 0

    # Branches

    def branch(self, condition: Value, then: Callable[[], None], else_: Callable[[], None]) -> None:
        """Record both sides of a condition and join what they wrote."""
        if condition.raw.is_const:
            (then if condition.raw.attr else else_)()
            return
        before = self.env
        body = IfBody()
        args = (condition.raw, self._then(condition), self._else(condition))
        ends: list[Environment] = []
        for side, mask, items in ((then, args[1], body.then), (else_, args[2], body.else_)):
            self.env = {**before, MASK: mask}
            self.k.open_block(items)
            side()
            self.k.close_block()
            ends.append(self.env)
        node = self.k.node("if", None, args, body)
        self._merge(node, before, ends[0], ends[1])

    def _then(self, condition: Value) -> Node:
        if condition.raw is self.true:
            return self.mask
        return self.k.shared("mask_then", BOOL, (self.mask, condition.raw))

    def _else(self, condition: Value) -> Node:
        if condition.raw is self.true:
            return self.false
        return self.k.shared("mask_else", BOOL, (self.mask, condition.raw))

    def _merge(
        self, node: Node, before: Environment, then: Environment, else_: Environment
    ) -> None:
        """Join the environments after an if; a branch that no lane leaves contributes nothing."""
        _, mask_then, mask_else = node.args
        then_ends, else_ends = then[MASK] is self.false, else_[MASK] is self.false
        self.env = dict(before)
        if then_ends and else_ends:
            self.env[MASK] = self.false
            return
        for key in {**then, **else_}:
            if key == MASK:
                continue
            a, b = then.get(key, self.zero), else_.get(key, self.zero)
            if a is b:
                self.env[key] = a
                continue
            args = (node, None if then_ends else a, None if else_ends else b)
            self.env[key] = self.k.node("if_result", a.type, args)
        if then[MASK] is mask_then and else_[MASK] is mask_else:
            self.env[MASK] = before[MASK]
        elif then_ends and else_[MASK] is mask_else:
            self.env[MASK] = mask_else
        elif else_ends and then[MASK] is mask_then:
            self.env[MASK] = mask_then
        else:
            args = (node, then[MASK], else_[MASK])
            self.env[MASK] = self.k.node("if_result", BOOL, args)

    # Loops

    def open_loop(self, *, once: bool, location: object) -> Frame:
        body = LoopBody(once, location=location)
        node = self.k.node("loop", None, (), body)
        frame = Frame(node, body, dict(self.env))
        self.frames.append(frame)
        self.k.open_block(body.body)
        return frame

    def close_loop(self, frame: Frame) -> None:
        """Turn the exits of a loop into the environment after it."""
        self.k.close_block()
        self.frames.pop()
        entry, exits = frame.entry, [n.attr for n in frame.body.exits]
        self.env = dict(entry)
        if not exits:
            self.env[MASK] = self.false
            return
        keys: set[Hashable] = set[Hashable]().union(*(e.values for e in exits))
        for key in sorted(keys - {MASK}, key=str):
            values = {e.values.get(key, self.zero).number for e in exits}
            first = exits[0].values.get(key, self.zero)
            before = entry.get(key, self.zero)
            if values == {before.number} or (len(values) == 1 and first.is_const):
                self.env[key] = first
                continue
            self.env[key] = self.k.node("loop_result", first.type, (frame.node,), key)
            for e in exits:
                e.values.setdefault(key, self.zero)
        if frame.body.escaped:
            self.env[MASK] = self.k.node("loop_result", BOOL, (frame.node,), MASK)

    def exit(self, frame: Frame, condition: Value) -> None:
        """Let the active lanes where `condition` holds leave a loop."""
        if condition.raw is self.false:
            return
        leaving, rest = self._then(condition), self._else(condition)
        values = {**self.env, MASK: leaving}
        self.handed_on += len(values)
        if self.handed_on > _MAX_HANDED_ON:
            raise LoweringError(
                f"exits of loops and calls hand on more than {_MAX_HANDED_ON} registers; "
                "use engine='interpreter' (--engine interpreter)"
            )
        node = self.k.node(
            "exit", None, (condition.raw, self.mask, leaving), Exit(frame.node, values, rest)
        )
        frame.body.exits.append(node)
        for inner in reversed(self.frames):
            if inner is frame:
                break
            inner.body.escaped = True
        self.env[MASK] = rest

    def leave_rest(self, frame: Frame) -> None:
        """At the end of a region: the lanes still active leave it."""
        if self.mask is not self.false:
            self.exit(frame, self.k.value(self.true))

    def open_repeating(self, written: set[Hashable], location: object) -> Frame:
        """Open a loop whose iterations hand on what they write, and their mask."""
        frame = self.open_loop(once=False, location=location)
        for key in sorted(written | {MASK}, key=str):
            first = self.env.get(key, self.zero)
            variable = self.k.detached("loop_var", first.type, (first, first), frame.node)
            frame.body.variables.append(variable)
            frame.variables[key] = self.env[key] = variable
        return frame

    def close_repeating(self, frame: Frame) -> None:
        """End an iteration; the lanes that are left begin another one.

        What no iteration has changed is behind the loop what it was before.
        """
        for key, variable in frame.variables.items():
            following = self.env.get(key, self.zero)
            variable.args = (variable.args[0], following)
            if following is variable and key != MASK:
                for leaving in frame.body.exits:
                    values = leaving.attr.values
                    if values.get(key) is variable:
                        values[key] = variable.args[0]
        self.close_loop(frame)

    # Registers whose number is computed

    @property
    def constants(self) -> int:
        return len(self.bound.declarations.immediate_constants)

    def each_view(
        self, memory: Memory, operand: Operand, register: Value, body: ViewBody
    ) -> tuple[Value, ...]:
        return record_each_view(self, self.bound.candidates(memory, operand), register, body)

    def each_sampler(
        self, operand: Operand, register: Value, body: SamplerBody
    ) -> tuple[Value, ...]:
        return record_each_sampler(self, self.bound.sampler_candidates(operand), register, body)

    def switch_values(
        self, cases: Sequence[tuple[Value, Callable[[], tuple[Value, ...]]]]
    ) -> tuple[Value, ...]:
        """Record cases of which each lane takes at most one; return its values, else zeros."""
        keys: list[Hashable] = []
        site = self.k.count

        def run(body: Callable[[], tuple[Value, ...]]) -> None:
            values = body()
            keys[:] = [("case", site, n) for n in range(len(values))]
            self.env.update(zip(keys, (v.raw for v in values), strict=True))

        outer = self.executing
        self.executing = outer or self.mask
        for condition, body in cases:
            self.branch(condition, partial(run, body), nothing)
        self.executing = outer
        return tuple(self.k.value(self.env.pop(key, self.zero)) for key in keys)


def nothing() -> None:
    """Record nothing: the empty side of a branch."""
