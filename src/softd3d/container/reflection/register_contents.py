"""Operations that only what temporary registers hold tells apart.

A program is read in its order, whatever its control flow: good enough for what compilers write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from softd3d.isa.row import OperandSpec
from softd3d.isa.sm4.enums import Opcode, OperandType, SelectionMode
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.reachability import BLOCK_ARMS, BLOCK_ENDS, BLOCK_STARTS
from softd3d.isa.sm4.rows import TABLE

__all__ = ["bool_conversions", "double_moves", "merging_moves", "negated_literals"]

_MASK, _DOUBLE = "m", "d"
_WITH_DOUBLES = frozenset(
    code for code, row in TABLE.rows.items()
    if any(spec.letter == _DOUBLE for spec in row.destinations + row.sources)
)  # fmt: skip
_LOGIC = frozenset({Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NOT, Opcode.MOV})
_TRUE = frozenset({1, 0x3F800000})  # as an integer and as a float

_Cell = tuple[int, int]  # number and component of a temporary register


def double_moves(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Return the positions of the `mov`s that put doubles together or take them apart.

    They move both halves, or have a swizzle where a move of one component has a selection.
    """
    if _WITH_DOUBLES.isdisjoint([instruction.opcode for instruction in instructions]):
        return frozenset()
    return _taking_apart(instructions) | _putting_together(instructions)


def bool_conversions(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Return the positions of the `and`s that make 0 or 1 of a comparison's result."""
    truths: set[_Cell] = set()
    found: set[int] = set()
    for position, instruction in enumerate(instructions):
        opcode = instruction.opcode
        destinations, sources = _split(instruction)
        read = _cells(sources)
        keeps = opcode in _LOGIC and bool(read) and read <= truths
        if keeps and opcode is Opcode.AND and any(map(_is_true, sources)):
            found.add(position)
            keeps = False
        written = _cells(destinations)
        truths -= written
        if keeps:
            truths |= written
        truths |= _cells_of(_MASK, destinations, TABLE[opcode].destinations)
    return frozenset(found)


def negated_literals(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Return the positions of the `mov`s of negative literals that the next `add` takes first.

    So code without optimisation subtracts a literal: negate it, then add.
    """
    return frozenset(
        position
        for position, (move, user) in enumerate(pairwise(instructions))
        if move.opcode is Opcode.MOV
        and user.opcode is Opcode.ADD
        and any(value >> 31 for value in move.operands[1].immediate)
        and move.operands[0].type is OperandType.TEMP
        and _cells(move.operands[:1]) == _cells(user.operands[1:2])
    )


def merging_moves(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Return the positions of the `mov`s with a modifier that merge a value with its former self.

    Such are `mov r0.x, -r0.x` in a block that has not written r0.x before: the register has the
    other value where the block is passed by.
    """
    moves = [i for i in instructions if i.opcode is Opcode.MOV]
    if not any([i.operands[1].modifier for i in moves]):  # noqa: C419 - quicker
        return frozenset()  # as nearly always
    blocks: list[set[_Cell]] = []  # what each open block has written
    found: set[int] = set()
    for position, instruction in enumerate(instructions):
        opcode = instruction.opcode
        if opcode in BLOCK_STARTS:
            blocks.append(set())
        elif opcode in BLOCK_ARMS and blocks:
            blocks[-1] = set()
        elif opcode in BLOCK_ENDS and blocks:
            _close(blocks)
        elif blocks:
            destinations, sources = _split(instruction)
            written = _cells(destinations)
            is_merging = opcode is Opcode.MOV and written and _cells(sources) == written
            if is_merging and sources[0].modifier and blocks[-1].isdisjoint(written):
                found.add(position)
            blocks[-1] |= written
    return frozenset(found)


def _close(blocks: list[set[_Cell]]) -> None:
    """Add what the innermost block has written to the one around it."""
    inner = blocks.pop()
    if blocks:
        small, large = sorted((inner, blocks[-1]), key=len)
        blocks[-1] = large
        large |= small


def _is_true(operand: Operand) -> bool:
    values = {value for value in operand.immediate if value}
    return operand.type is OperandType.IMMEDIATE32 and bool(values) and values <= _TRUE


def _taking_apart(instructions: Sequence[Instruction]) -> frozenset[int]:
    halves: set[_Cell] = set()
    found: set[int] = set()
    for position, instruction in enumerate(instructions):
        opcode = instruction.opcode
        destinations, sources = _split(instruction)
        if (
            opcode is Opcode.MOV
            and sources[0].mode is SelectionMode.SWIZZLE
            and halves & _cells(sources)
        ):
            found.add(position)
        halves -= _cells(destinations)
        halves |= _cells_of(_DOUBLE, destinations, TABLE[opcode].destinations)
    return frozenset(found)


def _putting_together(instructions: Sequence[Instruction]) -> frozenset[int]:
    awaited: set[_Cell] = set()
    found: set[int] = set()
    for position, instruction in reversed(tuple(enumerate(instructions))):
        destinations, sources = _split(instruction)
        written = _cells(destinations)
        if instruction.opcode is Opcode.MOV and len(awaited & written) > 1:
            found.add(position)
        awaited -= written
        awaited |= _cells_of(_DOUBLE, sources, TABLE[instruction.opcode].sources)
    return frozenset(found)


def _split(instruction: Instruction) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    count = len(TABLE[instruction.opcode].destinations)
    return instruction.operands[:count], instruction.operands[count:]


def _cells_of(letter: str, operands: Iterable[Operand], specs: Iterable[OperandSpec]) -> set[_Cell]:
    pairs = zip(operands, specs, strict=False)  # customdata and declarations may have fewer
    return _cells(operand for operand, spec in pairs if spec.letter == letter)


def _cells(operands: Iterable[Operand]) -> set[_Cell]:
    """Return the components of temporary registers that the operands name."""
    return {
        (operand.number, component)
        for operand in operands
        if operand.type is OperandType.TEMP
        and operand.indices
        and operand.indices[0].relative is None
        for component in operand.selection
    }
