"""Lower a bound program to the IR: registers become SSA values, flow becomes regions.

The state while lowering is an environment (`recording.py`), which branches and loops join
(`regions.py`). Here is which item becomes which of them: a `switch` and a subroutine are loops that
run once, so that `break` and `ret` are exits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from softd3d.algebra.operations import select
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.errors import LoweringError
from softd3d.ir.graph import Check, Graph, no_check
from softd3d.ir.recorder import Recorder
from softd3d.isa.roles import Flow
from softd3d.isa.shader_message import MessageKind
from softd3d.isa.sm4.limits import MAX_CALL_DEPTH
from softd3d.lower.bound import BoundProgram
from softd3d.lower.evaluators import evaluator_of
from softd3d.lower.functions import Sharing
from softd3d.lower.inputs import outputs_of
from softd3d.lower.linkage import Label
from softd3d.lower.regions import Frame, Regions, nothing
from softd3d.lower.stage import COVERED
from softd3d.lower.structure import Structure, analyse
from softd3d.lower.tree import Block, Call, If, Item, Jump, Loop, Message, Operation, Switch

__all__ = ["Lowering", "lower"]

FALLING = "falling"  # lanes inside a switch that ran into the next case
_MAX_DEPTH = 128  # of blocks and calls; native code is made by recursion
_CHECK_INTERVAL = 64  # instructions
_MAX_LOWERED = 50_000  # instructions, where every call is a copy of the body
_CALLED = 3  # instructions that one in a call counts as: its results are joined at the call


def lower(bound: BoundProgram, check: Check = no_check) -> Graph:
    """Record a program.

    check: called now and then, here and by what goes over the graph; it may end the work.

    Raises:
        DecodeError: flow or operands are malformed. LoweringError: something not supported yet.
    """
    bound.check_runnable()
    structure = analyse(bound.program, bound.linkage)
    lowering = Lowering(bound, structure, check)
    lowering.program()
    lowering.record_outputs()
    graph = lowering.graph
    graph.messages = structure.messages
    graph.uses_double = lowering.k.uses_double
    return graph


class Lowering(Regions):
    """The flow of one program: its blocks and what is in them."""

    def __init__(self, bound: BoundProgram, structure: Structure, check: Check) -> None:
        super().__init__(bound, check)
        self.structure = structure
        self.evaluator = evaluator_of(bound, self, self, Sharing(self).carried_out)
        self.keeps_inactive = self.evaluator.looks_at_neighbours
        self.breaks: list[Frame] = []
        self.continues: list[Frame | None] = []
        self.returns: list[Frame | None] = []
        self.calls = 0
        self.depth = 0
        self.lowered = 0
        self.around = 0  # frames around the program, which are not its own

    def program(self) -> None:
        """Record the whole program, once, in the current block."""
        main = self.structure.main
        aborts = any(site.kind is MessageKind.ABORT for site in self.structure.messages)
        self.around = len(self.frames)
        self.evaluator.start()
        self.region(main, needs_exit=aborts or _has_early_return(main))
        self.evaluator.finish()

    # Blocks

    def block(self, block: Block) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise LoweringError(f"calls and flow are nested more than {_MAX_DEPTH} deep")
        for item in block.items:
            if self.mask is self.false:
                break  # every lane has left
            self.count_item()
            self.at = item.instruction
            _ITEMS[type(item)](self, item)
        self.depth -= 1

    def count_item(self) -> None:
        """Count an item against the limit of what is worth compiling."""
        self.lowered += _CALLED if self.calls else 1
        if self.lowered % _CHECK_INTERVAL == 0:
            self.graph.check()
        if self.lowered > _MAX_LOWERED:
            raise LoweringError(
                f"program unfolds to more than {_MAX_LOWERED} instructions, "
                f"where one in a call counts as {_CALLED}; "
                "use engine='interpreter' (--engine interpreter)"
            )

    def operation(self, item: Operation) -> None:
        self.evaluator.run(item)

    def if_(self, item: If) -> None:
        condition = self.evaluator.condition(item.row, item.instruction)
        self.branch(condition, partial(self.block, item.then), partial(self.block, item.else_))

    # Loops and regions

    def region(self, block: Block, *, needs_exit: bool) -> None:
        """Lower a subroutine or the program; `ret` leaves it."""
        if not needs_exit:
            self.returns.append(None)
            self.block(block)
            self.returns.pop()
            return
        frame = self.open_loop(once=True, location=None)
        self.returns.append(frame)
        self.block(block)
        self.leave_rest(frame)
        self.returns.pop()
        self.close_loop(frame)

    def loop(self, item: Loop) -> None:
        if item.is_counted:
            self.evaluator.enter_loop(item)
        written = self._written(Block((item,)))
        frame = self.open_repeating(written, item.instruction.location)
        self.breaks.append(frame)
        if item.is_counted:
            self.exit(frame, ~self.evaluator.has_iteration(item))
        inner = None
        if _jumps(item.body, Flow.CONTINUE):
            inner = self.open_loop(once=True, location=None)
        self.continues.append(inner)
        self.block(item.body)
        if inner is not None:
            self.leave_rest(inner)
            self.close_loop(inner)
        self.continues.pop()
        if item.is_counted:
            self.evaluator.end_iteration(item)
        self.breaks.pop()
        self.close_repeating(frame)
        if item.is_counted:
            self.evaluator.leave_loop(item)

    def _written(self, block: Block) -> set[Hashable]:
        """Return the register components that a block may write, subroutines included."""
        keys: set[Hashable] = set()
        done: set[Label] = set()
        pending = [block]
        while pending:
            for item in pending.pop().every():
                if isinstance(item, Call):
                    labels = {callee.label for callee in self.structure.callees(item)} - done
                    done |= labels
                    pending += [self.structure.functions[label] for label in labels]
                keys.update(self.evaluator.targets(item))
        return keys

    # Switch and subroutines

    def switch(self, item: Switch) -> None:
        """Lower a switch as a region of ifs: a case runs where it matches or is fallen into."""
        k = self.k
        selector = self.evaluator.selector(item.instruction)
        frame = self.open_loop(once=True, location=None)
        self.breaks.append(frame)
        matches = [_any(k, [selector.eq(v) for v in case.values]) for case in item.cases]
        nowhere = ~_any(k, matches)
        outer = self.env.get(FALLING)
        self.env[FALLING] = self.false
        for case, match in zip(item.cases, matches, strict=True):
            entered = match | nowhere if case.is_default else match
            falling = k.value(self.env[FALLING])
            self.branch(entered | falling, partial(self._case, case.body), nothing)
        self.breaks.pop()
        self.leave_rest(frame)
        self.close_loop(frame)
        self.env.pop(FALLING, None)
        if outer is not None:
            self.env[FALLING] = outer

    def _case(self, body: Block) -> None:
        self.block(body)
        self.env[FALLING] = self.true  # lanes that get here without a break

    def call(self, item: Call) -> None:
        """Lower a call; of a computed array element as a branch for each body it may have."""
        i = item.instruction
        callees = self.structure.callees(item)
        index = None if callees[0].elements is None else self.evaluator.array_index(i)
        for callee in callees:
            enter = partial(self.enter, self.structure.functions[callee.label])
            if index is not None and callee.elements is not None:
                here = _any(self.k, [index.eq(element) for element in callee.elements])
                self.branch(here, enter, nothing)
            elif item.is_conditional:
                self.branch(self.evaluator.condition(item.row, i), enter, nothing)
            else:
                enter()

    def enter(self, body: Block) -> None:
        if self.calls >= MAX_CALL_DEPTH:
            return
        self.calls += 1
        saved = self.breaks, self.continues
        self.breaks, self.continues = [], []
        self.region(body, needs_exit=_has_early_return(body))
        self.breaks, self.continues = saved
        self.calls -= 1

    def record_outputs(self) -> None:
        """Hand over what the outputs hold at the end; what was never written is 0."""
        for name, key in outputs_of(self.bound).items():
            self.k.node("output", None, (self.read(*key).raw,), name)

    # Jumps: `structure` has checked that there is something to leave

    def jump(self, item: Jump) -> None:
        leave = _LEFT.get(item.role)
        if leave is not None:
            frame = leave(self)
            if frame is not None:
                self.exit(frame, self._test(item))
        elif item.role is Flow.DISCARD and COVERED in self.env:
            self._discard(item)
        elif not item.is_idle:
            raise LoweringError(
                f"{item.row.mnemonic} is not supported yet", item.instruction.location
            )

    def _test(self, item: Jump) -> Value:
        if item.is_conditional:
            return self.evaluator.condition(item.row, item.instruction)
        return self.k.value(self.true)

    def _discard(self, item: Jump) -> None:
        """Make helpers of lanes: they go on, without effects."""
        going = self.k.value(self.mask) & self._test(item)
        covered = self.k.value(self.env[COVERED])
        self.env[COVERED] = select(going, self.k.const(U32, 0), covered).raw

    def say(self, item: Message) -> None:
        """Say something; after `abort`, leave the outermost region, which is the program."""
        self.evaluator.message(item.site)
        if item.site.kind is MessageKind.ABORT:
            self.exit(self.frames[self.around], self.k.value(self.true))


_ITEMS: dict[type[Item], Callable[[Lowering, Any], None]] = {
    Operation: Lowering.operation,
    If: Lowering.if_,
    Loop: Lowering.loop,
    Switch: Lowering.switch,
    Call: Lowering.call,
    Jump: Lowering.jump,
    Message: Lowering.say,
}
_LEFT: dict[Flow, Callable[[Lowering], Frame | None]] = {
    Flow.BREAK: lambda x: x.breaks[-1],
    Flow.CONTINUE: lambda x: x.continues[-1],
    Flow.RETURN: lambda x: x.returns[-1],
}


def _any(k: Recorder, conditions: list[Value]) -> Value:
    result = k.const(BOOL, 0)
    for condition in conditions:
        result = result | condition
    return result


def _jumps(block: Block, role: Flow) -> list[Jump]:
    return [item for item in block.every() if isinstance(item, Jump) and item.role is role]


def _has_early_return(block: Block) -> bool:
    """True unless the only `ret` is the last item of the block."""
    last = block.items[-1] if block.items else None
    returns = _jumps(block, Flow.RETURN)
    ends = bool(returns) and returns[-1] is last and not returns[-1].is_conditional
    return len(returns) > (1 if ends else 0)
