"""Walk a program's structure over batches of lanes.

Every loop, switch and subroutine keeps the lanes that are still inside as a mask; a lane that
leaves is switched off until the construct ends. Nothing here knows what an instruction computes.

Constructs are generators that yield the blocks inside them to one driver with a stack of its own:
32 calls of 64 nested blocks each must not exhaust Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import Value
from softd3d.errors import ExecutionError, LoweringError
from softd3d.interp.machine import Batch, Plan, Run
from softd3d.isa.roles import Flow
from softd3d.isa.row import Kind
from softd3d.isa.shader_message import MessageKind
from softd3d.isa.sm4.enums import ProgramType
from softd3d.isa.sm4.limits import MAX_CALL_DEPTH
from softd3d.lower.bound import BoundProgram
from softd3d.lower.evaluators import evaluator_of
from softd3d.lower.invocations import Interpolate, Invocations, Lanes, ThreadGroups
from softd3d.lower.messages import (
    DEFAULT_MESSAGES,
    MessageLog,
    coordinates,
    dropped,
    written_out,
)
from softd3d.lower.outcome import Outcome
from softd3d.lower.structure import Structure, analyse
from softd3d.lower.tree import Block, Call, If, Instruction, Jump, Loop, Message, Operation, Switch
from softd3d.lower.watch import Watch
from softd3d.resources.views.descriptor import refresh

__all__ = ["Counter", "interpret", "interpret_lanes"]

BATCH_BUDGET = 1 << 22  # instructions for each batch when the caller gives no budget
Bools: TypeAlias = NDArray[np.bool_]
Steps: TypeAlias = "Iterator[Steps]"


def interpret(
    bound: BoundProgram, groups: tuple[int, int, int], *, budget: int | None = None,
    watch: Watch | None = None,
    progress: Callable[[int, int], None] | None = None, max_messages: int = DEFAULT_MESSAGES,
) -> Outcome:  # fmt: skip
    """Run a dispatch of `groups` thread groups, in batches of groups in ascending order.

    budget: instructions to execute at most, counted once for each batch of lanes; by default four
    million for each batch. watch: asked now and then whether to stop. progress: called with
    groups done and all groups. max_messages: how many messages of threads are kept.

    Raises:
        ExecutionError: the budget or the time is spent, a barrier is divergent, or the run was
            cancelled; resources hold what was written until then.
        DecodeError, LoweringError: the program is malformed, or needs what is not supported yet.
    """
    run = _Interpretation(
        bound, ThreadGroups(groups, bound.declarations.group_size), max_messages, watch, budget
    )
    for _ in run.batches(progress):
        pass
    return run.outcome()


def interpret_lanes(
    bound: BoundProgram, count: int, inputs: Mapping[str, NDArray[np.uint32]], *,
    budget: int | None = None, counter: Counter | None = None, watch: Watch | None = None,
    progress: Callable[[int, int], None] | None = None, max_messages: int = DEFAULT_MESSAGES,
    interpolate: Interpolate | None = None,
) -> tuple[Outcome, dict[str, NDArray[np.uint32]]]:  # fmt: skip
    """Run a vertex or pixel shader for `count` lanes; four pixels are a quad.

    inputs: by name, such as `v0.x`; uint32, (count,) each. Other arguments as for `interpret`;
    a lane is a group. counter: counts on where others have stopped, instead of a budget.
    interpolate: how pixels evaluate inputs at other places.

    Returns:
        The outcome, and the declared outputs by name; uint32, (count,) each.

    Raises:
        As `interpret`. ResourceError: an input is missing, or of another type or size.
    """
    lanes = Lanes(count, inputs, interpolate)
    run = _Interpretation(bound, lanes, max_messages, watch, budget, counter)
    outputs = {name: np.zeros(count, np.uint32) for name in run.plan.outputs}
    for batch in run.batches(progress):
        here = slice(batch.first_group, batch.first_group + batch.groups)
        for name, array in outputs.items():
            array[here] = batch.outputs[name][: batch.groups]
    return run.outcome(), outputs


class _Interpretation:
    """A run on its way."""

    def __init__(
        self, bound: BoundProgram, invocations: Invocations, max_messages: int,
        watch: Watch | None, budget: int | None, counter: Counter | None = None,
    ) -> None:  # fmt: skip
        self.bound = bound
        self.invocations = invocations
        self.structure = analyse(bound.program, bound.linkage)
        _refuse_unsupported(bound, self.structure)
        refresh(bound.descriptors)
        self.plan = Plan(bound, invocations)
        self.run = Run(MessageLog(self.structure.messages, max_messages))
        if budget is None:
            budget = BATCH_BUDGET * -(-invocations.total // self.plan.groups)
        self.counter = counter or Counter(budget, watch or Watch())

    def batches(self, progress: Callable[[int, int], None] | None) -> Iterator[Batch]:
        """Execute and yield batches in ascending order, until a group aborts."""
        total = self.invocations.total
        for first in range(0, total, self.plan.groups):
            count = min(self.plan.groups, total - first)
            batch = Batch(self.plan, first, count, self.run)
            try:
                _Walker(batch, self.structure, self.counter).run()
            except ExecutionError as error:
                error.outcome = self.outcome()
                raise
            yield batch
            if progress is not None:
                progress(first + count, total)
            if self.run.aborted is not None:
                break

    def outcome(self) -> Outcome:
        log, aborted = self.run.messages, self.run.aborted
        kept, groups = log.kept(aborted), self.invocations.groups
        return Outcome(
            tuple(sorted(self.run.poisoned)),
            written_out(kept, log.sites, groups, self.invocations.group_size),
            dropped(kept.size, log.seen, log.limit),
            None if aborted is None else coordinates(aborted, groups),
        )


def _refuse_unsupported(bound: BoundProgram, structure: Structure) -> None:
    """Refuse before anything is written what could only be refused on the way."""
    bound.check_runnable()
    is_pixel = bound.declarations.stage is ProgramType.PS
    for item in structure.every():
        if isinstance(item, Message):
            continue
        row = item.row
        if row.kind is Kind.UNSUPPORTED or (row.flow is Flow.DISCARD and not is_pixel):
            raise LoweringError(f"{row.mnemonic} is not supported yet", item.instruction.location)


class Counter:
    """Counts instructions against the budget and asks whether to stop."""

    def __init__(self, budget: int, watch: Watch) -> None:
        self.executed = 0
        self.budget = budget
        self.watch = watch

    def count(self, i: Instruction) -> None:
        if self.executed >= self.budget:
            raise ExecutionError(
                f"the budget of {self.budget} instructions is spent at "
                f"{i.mnemonic}: an endless loop? (budget, --budget)",
                i.location,
            )
        self.watch.check()
        self.executed += 1


class _Walker:
    """Executes blocks for one batch.

    breaks, continues, returns: for each construct around the current place that can be left so,
    bool, (lanes,): the lanes that entered it and have not left.
    """

    def __init__(self, batch: Batch, structure: Structure, counter: Counter) -> None:
        self.batch = batch
        self.structure = structure
        self.counter = counter
        self.evaluator = evaluator_of(batch.bound, batch, batch)
        self.breaks: list[Bools] = []
        self.continues: list[Bools] = []
        self.returns: list[Bools] = []
        self.depth = 0

    def run(self) -> None:
        """Execute the program; inner blocks run before the construct that yields them goes on."""
        self.evaluator.start()
        stack = [self.subroutine(self.structure.main)]
        while stack:
            inner = next(stack[-1], None)
            if inner is None:
                stack.pop()
            else:
                stack.append(inner)
        self.evaluator.finish()

    def block(self, block: Block) -> Steps:
        for item in block.items:
            if not self.batch.active.any():
                return
            if isinstance(item, Operation):
                self.counter.count(item.instruction)
                self.evaluator.run(item)
            elif isinstance(item, If):
                yield self.if_(item)
            elif isinstance(item, Loop):
                yield self.loop(item)
            elif isinstance(item, Switch):
                yield self.switch(item)
            elif isinstance(item, Call):
                yield self.call(item)
            elif isinstance(item, Jump):
                self.jump(item)
            else:
                self.message(item)

    def message(self, item: Message) -> None:
        self.counter.count(item.instruction)
        self.evaluator.message(item.site)
        if item.site.kind is MessageKind.ABORT:
            self.batch.retire(self.batch.active)

    def _test(self, item: Jump | Call) -> Bools:
        """Return where an instruction's test holds, of an unconditional one everywhere."""
        if not item.is_conditional:
            return np.ones(self.batch.lanes, np.bool_)
        return self._spread(self.evaluator.condition(item.row, item.instruction))

    def _spread(self, value: Value) -> NDArray[Any]:
        return np.broadcast_to(value.raw, (self.batch.lanes,))

    # Structured flow

    def if_(self, item: If) -> Steps:
        self.counter.count(item.instruction)
        test = self._spread(self.evaluator.condition(item.row, item.instruction))
        yield self.masked(test, self.block(item.then))
        yield self.masked(~test, self.block(item.else_))

    def masked(self, condition: Bools, steps: Steps) -> Steps:
        """Execute for the active lanes where `condition` holds; the others wait."""
        others = self.batch.active & ~condition
        self.batch.active = self.batch.active & condition
        yield steps
        self.batch.active = self.batch.active | others

    def loop(self, item: Loop) -> Steps:
        entered = self.batch.active
        self.breaks.append(entered.copy())
        if item.is_counted:
            self.evaluator.enter_loop(item)
        while self.batch.active.any():
            self.counter.count(item.instruction)
            if item.is_counted and not self._iterate(item):
                break
            self.continues.append(self.batch.active.copy())
            yield self.block(item.body)
            self.continues.pop()
            self.batch.active = self.breaks[-1] & self.returns[-1]
            if item.is_counted:
                self.evaluator.end_iteration(item)
        self.breaks.pop()
        self.batch.active = entered & self.returns[-1]
        if item.is_counted:
            self.evaluator.leave_loop(item)

    def _iterate(self, item: Loop) -> bool:
        """Let lanes leave a counted loop whose count is used up; tell whether any are left."""
        more = self._spread(self.evaluator.has_iteration(item))
        self._leave(self.breaks[-1], ~more)
        return bool(self.batch.active.any())

    def switch(self, item: Switch) -> Steps:
        """Execute each case for the lanes that it matches and those that fall into it."""
        self.counter.count(item.instruction)
        entered = self.batch.active
        selector = self._spread(self.evaluator.selector(item.instruction))
        matches = [np.isin(selector, np.array(c.values, np.uint32)) for c in item.cases]
        nowhere = ~np.any(matches, axis=0)
        self.breaks.append(entered.copy())
        falling = np.zeros_like(entered)
        for case, match in zip(item.cases, matches, strict=True):
            here = match | nowhere if case.is_default else match
            # A lane matches one case only, so those that match have not run yet.
            self.batch.active = falling | (entered & here)
            yield self.block(case.body)
            falling = self.batch.active
        self.breaks.pop()
        left = self.returns[-1]
        self.batch.active = entered & (left & self.continues[-1] if self.continues else left)

    def call(self, item: Call) -> Steps:
        self.counter.count(item.instruction)
        if self.depth >= MAX_CALL_DEPTH:
            return
        callees = self.structure.callees(item)
        tests = [self._test(item)]
        if callees[0].elements is not None:  # of a computed array element, known before any call
            index = self._spread(self.evaluator.array_index(item.instruction))
            tests = [np.isin(index, np.array(c.elements, np.uint32)) for c in callees]
        self.depth += 1
        for callee, test in zip(callees, tests, strict=True):
            yield self.masked(test, self.subroutine(self.structure.functions[callee.label]))
        self.depth -= 1

    def subroutine(self, body: Block) -> Steps:
        entered = self.batch.active
        self.returns.append(entered.copy())
        yield self.block(body)
        self.returns.pop()
        self.batch.active = entered

    # Jumps: `structure` has checked that there is something to leave

    def jump(self, item: Jump) -> None:
        self.counter.count(item.instruction)
        if item.role is Flow.DISCARD:
            self.batch.discard(self._test(item))
            return
        left = self._left(item)
        if left is not None:
            self._leave(left, self._test(item))

    def _leave(self, inside: Bools, lanes: Bools) -> None:
        leaving = self.batch.active & lanes
        inside &= ~leaving
        self.batch.active = self.batch.active & ~leaving

    def _left(self, item: Jump) -> Bools | None:
        """Return the lanes inside of what a jump leaves, None if it leaves nothing."""
        if item.role is Flow.BREAK:
            return self.breaks[-1]
        if item.role is Flow.CONTINUE:
            return self.continues[-1]
        if item.role is Flow.RETURN:
            return self.returns[-1]
        if item.is_idle:
            return None
        raise LoweringError(f"{item.row.mnemonic} is not supported yet", item.instruction.location)
