"""Which returns of a program control flow cannot reach.

A compiler closes every program with `ret`, also where all ways have returned before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.program import Instruction

__all__ = ["BLOCK_ARMS", "BLOCK_ENDS", "BLOCK_STARTS", "unreachable_returns"]

_STARTS = frozenset(
    {Opcode.LABEL, Opcode.HS_CONTROL_POINT_PHASE, Opcode.HS_FORK_PHASE, Opcode.HS_JOIN_PHASE}
)
BLOCK_STARTS = frozenset({Opcode.IF, Opcode.LOOP, Opcode.SWITCH})
BLOCK_ENDS = frozenset({Opcode.ENDIF, Opcode.ENDLOOP, Opcode.ENDSWITCH})
BLOCK_ARMS = frozenset({Opcode.ELSE, Opcode.CASE, Opcode.DEFAULT})


@dataclass(slots=True)
class _Block:
    """An open block: whether control enters it, leaves it early, and may pass by all its arms."""

    opcode: Opcode
    is_entered: bool
    is_left: bool = False
    may_pass_by: bool = True


def unreachable_returns(instructions: Iterable[Instruction]) -> frozenset[int]:
    """Return the positions of the `ret`s that cannot be reached whatever the tests give.

    Blocks that do not nest, which no compiler writes, are tolerated.
    """
    blocks: list[_Block] = []
    reached = True
    found: set[int] = set()
    for position, instruction in enumerate(instructions):
        opcode = instruction.opcode
        if opcode in _STARTS:
            blocks.clear()
            reached = True
        elif opcode in BLOCK_STARTS:
            blocks.append(_Block(opcode, reached))
            reached = reached and opcode is not Opcode.SWITCH  # cases begin its code
        elif opcode in BLOCK_ARMS and blocks:
            reached = _begin_arm(blocks[-1], opcode, is_reached=reached)
        elif opcode in BLOCK_ENDS and blocks:
            reached = _after(blocks.pop(), is_reached=reached)
        elif opcode in {Opcode.BREAK, Opcode.BREAKC}:
            _leave(blocks, is_reached=reached)
            reached = reached and opcode is Opcode.BREAKC
        elif opcode is Opcode.CONTINUE:
            reached = False
        elif opcode is Opcode.RET:
            if not reached:
                found.add(position)
            reached = False
    return frozenset(found)


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
