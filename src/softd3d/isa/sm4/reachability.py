"""Where control flow gets to, and which returns and labels it cannot.

A compiler closes every program with `ret`, also where all ways have returned before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from softd3d.classes import dataclass
from softd3d.isa import roles
from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.limits import MAX_CALL_DEPTH
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows import TABLE

__all__ = [
    "BLOCK_ARMS",
    "BLOCK_ENDS",
    "BLOCK_STARTS",
    "STEPS",
    "Reach",
    "endless_labels",
    "unreachable_returns",
]

_STARTS = frozenset(
    {Opcode.LABEL, Opcode.HS_CONTROL_POINT_PHASE, Opcode.HS_FORK_PHASE, Opcode.HS_JOIN_PHASE}
)
BLOCK_STARTS = TABLE.opcodes(roles.BLOCK_STARTS)
BLOCK_ENDS = TABLE.opcodes(roles.BLOCK_ENDS)
BLOCK_ARMS = TABLE.opcodes(roles.BLOCK_ARMS)
STEPS = (
    _STARTS
    | BLOCK_STARTS
    | BLOCK_ENDS
    | BLOCK_ARMS
    | {Opcode.BREAK, Opcode.BREAKC, Opcode.CONTINUE, Opcode.RET, Opcode.CALL}
)
"""The opcodes of which `Reach` wants to know; it may pass over all others."""
_RETURNING = STEPS | {Opcode.RETC}


@dataclass(slots=True)
class _Block:
    """An open block: whether control enters it, leaves it early, and may pass by all its arms."""

    opcode: Opcode
    is_entered: bool
    is_left: bool = False
    may_pass_by: bool = True


class Reach:
    """Follows instructions in order and tells whether control gets to them, whatever tests give.

    Blocks that do not nest, which no compiler writes, are tolerated.
    endless: the labels whose calls never return.
    """

    def __init__(self, endless: Collection[int] = ()) -> None:
        self.endless = endless
        self.blocks: list[_Block] = []
        self.reached = True

    def step(self, instruction: Instruction) -> bool:
        """Pass an instruction; tell whether control gets to it from the one before it."""
        opcode, before = instruction.opcode, self.reached
        if opcode not in STEPS:  # nearly all
            return before
        if opcode in _STARTS:
            self.blocks.clear()
            self.reached = True
        elif opcode in BLOCK_STARTS:
            self.blocks.append(_Block(opcode, before))
            self.reached = before and opcode is not Opcode.SWITCH  # cases begin its code
        elif opcode in BLOCK_ARMS and self.blocks:
            self.reached = _begin_arm(self.blocks[-1], opcode, is_reached=before)
        elif opcode in BLOCK_ENDS and self.blocks:
            self.reached = _after(self.blocks.pop(), is_reached=before)
        elif opcode in {Opcode.BREAK, Opcode.BREAKC}:
            _leave(self.blocks, is_reached=before)
            self.reached = before and opcode is Opcode.BREAKC
        elif opcode in {Opcode.CONTINUE, Opcode.RET} or self._never_returns(instruction):
            self.reached = False
        return before

    def _never_returns(self, i: Instruction) -> bool:
        return i.opcode is Opcode.CALL and _label(i) in self.endless


def unreachable_returns(instructions: Iterable[Instruction]) -> frozenset[int]:
    """Return the positions of the `ret`s that cannot be reached whatever the tests give."""
    reach = Reach()
    return frozenset(
        position
        for position, instruction in enumerate(instructions)
        if instruction.opcode in STEPS
        and not reach.step(instruction)
        and instruction.opcode is Opcode.RET
    )


def endless_labels(instructions: Iterable[Instruction]) -> frozenset[int]:
    """Return the labels whose code never returns, as a loop without an exit does."""
    body = [i for i in instructions if i.opcode in _RETURNING]
    endless: frozenset[int] = frozenset()
    for _ in range(MAX_CALL_DEPTH if any(i.opcode is Opcode.LABEL for i in body) else 0):
        found = _labels_without_return(body, endless)
        if found == endless:
            break
        endless = found
    return endless


def _labels_without_return(body: list[Instruction], endless: frozenset[int]) -> frozenset[int]:
    reach = Reach(endless)
    labels: dict[int, bool] = {}  # whether they return
    current = -1
    for i in body:
        if i.opcode is Opcode.LABEL:
            current = _label(i)
            labels.setdefault(current, False)
        is_reached = reach.step(i)
        if is_reached and i.opcode in {Opcode.RET, Opcode.RETC}:
            labels[current] = True
    return frozenset(label for label, returns in labels.items() if not returns)


def _label(i: Instruction) -> int:
    """Return the number of the label that an instruction names, -1 if it is none."""
    operand = i.operands[-1]
    if operand.type is not OperandType.LABEL or len(operand.indices) != 1:
        return -1
    return operand.indices[0].immediate


def _begin_arm(block: _Block, opcode: Opcode, *, is_reached: bool) -> bool:
    """Note an arm's beginning in its block; return whether control gets there."""
    if opcode is Opcode.ELSE:
        block.is_left |= is_reached
        block.may_pass_by = False
        return block.is_entered
    if opcode is Opcode.DEFAULT:
        block.may_pass_by = False
    return block.is_entered or is_reached


def _after(block: _Block, *, is_reached: bool) -> bool:
    """Tell whether control gets behind a block, from whether it gets to its end."""
    if block.opcode is Opcode.LOOP:
        return block.is_left
    return is_reached or block.is_left or (block.is_entered and block.may_pass_by)


def _leave(blocks: list[_Block], *, is_reached: bool) -> None:
    """Note a break in the block that it leaves."""
    for block in reversed(blocks):
        if block.opcode is not Opcode.IF:
            block.is_left |= is_reached
            return
