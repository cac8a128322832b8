"""The structured control flow of a program: a tree of blocks, found once, used by both engines.

Spec: D3D11.3 section 7.13 and 22.7 to 22.9: nesting is at most 64 deep, calls do not recurse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from softd3d.errors import DecodeError, LoweringError
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows import TABLE

__all__ = ["Block", "Case", "If", "Item", "Loop", "Structure", "Switch", "analyse", "label_of"]

MAX_NESTING = 64


@dataclass(frozen=True, slots=True)
class Block:
    """Items executed one after another."""

    items: tuple[Item, ...]

    def instructions(self) -> Iterator[Instruction]:
        """Yield every instruction of the block and its nested blocks, in program order."""
        for item in self.items:
            if isinstance(item, Instruction):
                yield item
                continue
            yield item.instruction
            for block in item.blocks:
                yield from block.instructions()


@dataclass(frozen=True, slots=True)
class If:
    """`if_z`/`if_nz` and its two sides."""

    instruction: Instruction
    then: Block
    else_: Block

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.then, self.else_


@dataclass(frozen=True, slots=True)
class Loop:
    """`loop` to `endloop`."""

    instruction: Instruction
    body: Block

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@dataclass(frozen=True, slots=True)
class Case:
    """A body of a switch and what enters it: label values, `default`, or falling through."""

    values: tuple[int, ...]
    is_default: bool
    body: Block


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch` to `endswitch`; labels without instructions between them share a case."""

    instruction: Instruction
    cases: tuple[Case, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(case.body for case in self.cases)


Item: TypeAlias = "Instruction | If | Loop | Switch"


@dataclass(frozen=True, slots=True)
class Structure:
    """The main block of a program and its subroutines by label number."""

    main: Block
    functions: dict[int, Block]


def analyse(program: Program) -> Structure:
    """Find the block structure. A missing last `ret` is no error.

    Raises:
        DecodeError: unbalanced or misplaced flow, too deep nesting, recursion, unknown labels,
            or a flow instruction with the wrong number of operands.
    """
    reader = _Reader(program.instructions)
    main = reader.block((Opcode.LABEL,), 0)
    functions: dict[int, Block] = {}
    while (label := reader.peek()) is not None:
        reader.position += 1
        number = label_of(label)
        if number in functions:
            raise DecodeError(f"label{number} is defined twice", label.location)
        functions[number] = reader.block((Opcode.LABEL,), 0)
    _check_calls(main, functions)
    return Structure(main, functions)


def label_of(instruction: Instruction) -> int:
    """Return the label number that a call or label names."""
    operand = instruction.operands[-1] if instruction.operands else None
    if operand is not None and operand.type is OperandType.FUNCTION_BODY:
        raise LoweringError("interfaces are not supported yet", instruction.location)
    if operand is None or operand.type is not OperandType.LABEL or not operand.indices:
        raise DecodeError(f"{instruction.opcode.name} has no label operand", instruction.location)
    return operand.indices[0].immediate


_MISPLACED = frozenset(
    {
        Opcode.ELSE,
        Opcode.ENDIF,
        Opcode.ENDLOOP,
        Opcode.ENDSWITCH,
        Opcode.CASE,
        Opcode.DEFAULT,
        Opcode.LABEL,
    }
)


class _Reader:
    """Reads blocks from a flat list of instructions.

    loops, breakable: how many loops, and loops or switches, enclose the position.
    """

    def __init__(self, instructions: tuple[Instruction, ...]) -> None:
        self.instructions = instructions
        self.position = 0
        self.loops = 0
        self.breakable = 0

    def peek(self) -> Instruction | None:
        if self.position < len(self.instructions):
            return self.instructions[self.position]
        return None

    def block(self, ends: tuple[Opcode, ...], depth: int) -> Block:
        """Read items up to, not including, one of `ends` (or the end of the program)."""
        items: list[Item] = []
        while (i := self.peek()) is not None and i.opcode not in ends:
            self._check(i)
            self.position += 1
            read = _OPENERS.get(i.opcode)
            if read is not None and depth >= MAX_NESTING:
                raise DecodeError(f"flow is nested more than {MAX_NESTING} deep", i.location)
            items.append(i if read is None else read(self, i, depth + 1))
        return Block(tuple(items))

    def _check(self, i: Instruction) -> None:
        """Refuse a flow instruction that may not stand here or has not the operands it takes."""
        row = TABLE[i.opcode]
        if row.kind is not Kind.FLOW:
            return
        if i.opcode in _MISPLACED:
            raise DecodeError(f"{row.mnemonic} is out of place", i.location)
        if i.opcode in (Opcode.BREAK, Opcode.BREAKC) and not self.breakable:
            raise DecodeError(f"{row.mnemonic} is outside of a loop or switch", i.location)
        if i.opcode in (Opcode.CONTINUE, Opcode.CONTINUEC) and not self.loops:
            raise DecodeError(f"{row.mnemonic} is outside of a loop", i.location)
        if len(i.operands) != len(row.sources):
            raise DecodeError(
                f"{row.mnemonic} takes {len(row.sources)} operands, found {len(i.operands)}",
                i.location,
            )

    def close(self, opener: Instruction, closer: Opcode) -> None:
        if self.peek() is None:
            name = opener.opcode.name.lower()
            raise DecodeError(f"{name} has no {closer.name.lower()}", opener.location)
        self.position += 1

    def if_(self, i: Instruction, depth: int) -> If:
        then = self.block((Opcode.ELSE, Opcode.ENDIF), depth)
        following = self.peek()
        else_ = Block(())
        if following is not None and following.opcode is Opcode.ELSE:
            self.position += 1
            else_ = self.block((Opcode.ENDIF,), depth)
        self.close(i, Opcode.ENDIF)
        return If(i, then, else_)

    def loop(self, i: Instruction, depth: int) -> Loop:
        self.loops += 1
        self.breakable += 1
        body = self.block((Opcode.ENDLOOP,), depth)
        self.loops -= 1
        self.breakable -= 1
        self.close(i, Opcode.ENDLOOP)
        return Loop(i, body)

    def switch(self, i: Instruction, depth: int) -> Switch:
        self.breakable += 1
        cases: list[Case] = []
        seen: set[int | None] = set()
        while (label := self.peek()) is not None and label.opcode is not Opcode.ENDSWITCH:
            values, is_default = self._labels(label, seen)
            body = self.block((Opcode.CASE, Opcode.DEFAULT, Opcode.ENDSWITCH), depth)
            cases.append(Case(values, is_default, body))
        self.breakable -= 1
        self.close(i, Opcode.ENDSWITCH)
        return Switch(i, tuple(cases))

    def _labels(self, first: Instruction, seen: set[int | None]) -> tuple[tuple[int, ...], bool]:
        values: list[int] = []
        is_default = False
        while (i := self.peek()) is not None and i.opcode in (Opcode.CASE, Opcode.DEFAULT):
            value = _case_value(i) if i.opcode is Opcode.CASE else None
            if value in seen:
                raise DecodeError("a switch has the same label twice", i.location)
            seen.add(value)
            if value is None:
                is_default = True
            else:
                values.append(value)
            self.position += 1
        if not values and not is_default:
            raise DecodeError("an instruction of a switch precedes its cases", first.location)
        return tuple(values), is_default


_OPENERS = {Opcode.IF: _Reader.if_, Opcode.LOOP: _Reader.loop, Opcode.SWITCH: _Reader.switch}


def _case_value(i: Instruction) -> int:
    if not i.operands or not i.operands[0].immediate:
        raise DecodeError("case has no literal", i.location)
    return i.operands[0].immediate[0]


def _check_calls(main: Block, functions: dict[int, Block]) -> None:
    """Refuse unknown labels and recursion, also in subroutines that nothing calls."""
    calls: dict[int | None, list[Instruction]] = {
        name: [i for i in block.instructions() if i.opcode in (Opcode.CALL, Opcode.CALLC)]
        for name, block in ((None, main), *functions.items())
    }
    state: dict[int | None, bool] = {}  # True while being visited
    stack: list[tuple[int | None, int]] = [(name, 0) for name in reversed(calls)]
    while stack:
        name, at = stack.pop()
        if at == 0 and name in state:
            continue  # met as somebody's callee before its own turn
        state[name] = True
        if at == len(calls[name]):
            state[name] = False
            continue
        stack.append((name, at + 1))
        call = calls[name][at]
        target = label_of(call)
        if target not in functions:
            raise DecodeError(f"label{target} is not defined", call.location)
        if state.get(target):
            raise DecodeError(f"label{target} calls itself", call.location)
        if target not in state:
            stack.append((target, 0))
