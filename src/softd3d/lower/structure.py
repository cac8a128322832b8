"""The structured control flow of a program: a tree of blocks, found once, used by both engines.

Spec: D3D11.3 section 7.13 and 22.7 to 22.9: nesting is at most 64 deep, calls do not recurse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from softd3d.errors import DecodeError
from softd3d.isa.row import Kind
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.message_sites import is_message, message_sites
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.linkage import Callee, Label, Linkage

__all__ = ["CALLS", "Block", "Case", "If", "Item", "Loop", "Structure", "Switch", "analyse"]

CALLS = frozenset({Opcode.CALL, Opcode.CALLC, Opcode.INTERFACE_CALL})

MAX_NESTING = 64
MAX_CALL_DEPTH = 32  # D3D11.3 section 7.13: a call beyond the limit is skipped


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
    """The main block of a program, its subroutines and methods, and what it is linked with.

    messages: what it may say; sites: the same by id of the instruction.
    """

    main: Block
    functions: dict[Label, Block]
    linkage: Linkage
    messages: tuple[MessageSite, ...]
    sites: dict[int, MessageSite]

    def callees(self, call: Instruction) -> tuple[Callee, ...]:
        """Return what one of `CALLS` may run; `analyse` has checked that all of it is there."""
        return _callees(call, self.linkage)

    def message(self, i: Instruction) -> MessageSite:
        """Return what an instruction says for which `is_message` is true."""
        return self.sites[id(i)]


def analyse(program: Program, linkage: Linkage | None = None) -> Structure:
    """Find the block structure. A missing last `ret` is no error.

    linkage: what the program's interfaces are bound to, if it has any.

    Raises:
        DecodeError: unbalanced or misplaced flow, too deep nesting, recursion (also through the
            objects bound), unknown labels, or a flow instruction with the wrong number of operands.
        ResourceError: nothing is bound to an interface that is called.
        LoweringError: a shader message of a kind that is not supported.
    """
    linkage = linkage or Linkage()
    reader = _Reader(program.instructions)
    main = reader.block((Opcode.LABEL,), 0)
    functions: dict[Label, Block] = {}
    while (i := reader.peek()) is not None:
        reader.position += 1
        label = _label_of(i)
        if label in functions:
            raise DecodeError(f"{_name(label)} is defined twice", i.location)
        functions[label] = reader.block((Opcode.LABEL,), 0)
    messages = message_sites(program)
    saying = [i for i in program.instructions if is_message(i)]
    sites = {id(i): site for i, site in zip(saying, messages, strict=True)}
    structure = Structure(main, functions, linkage, messages, sites)
    _check_calls(structure)
    return structure


def _label_of(instruction: Instruction) -> Label:
    """Return the label that a call or label names."""
    operand = instruction.operands[-1] if instruction.operands else None
    if operand is None or operand.type not in _LABELS or not operand.indices:
        raise DecodeError(f"{instruction.opcode.name} has no label operand", instruction.location)
    return operand.type, operand.indices[0].immediate


def _callees(call: Instruction, linkage: Linkage) -> tuple[Callee, ...]:
    if call.opcode is Opcode.INTERFACE_CALL:
        return linkage.callees(call)
    return (Callee(_label_of(call)),)


def _name(label: Label) -> str:
    return f"{_LABELS[label[0]]}{label[1]}"


_LABELS = {OperandType.LABEL: "label", OperandType.FUNCTION_BODY: "fb"}


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


def _check_calls(structure: Structure) -> None:
    """Refuse unknown labels and recursion, also in subroutines that nothing calls.

    A method that is in no object's table need not be complete: what it calls may not be bound.
    """
    functions = structure.functions
    calls: dict[Label | None, list[tuple[Label, Instruction]]] = {}
    state: dict[Label | None, bool] = {}  # True while being visited
    roots = [None, *(label for label in functions if label[0] is OperandType.LABEL)]
    stack: list[tuple[Label | None, int]] = [(name, 0) for name in reversed(roots)]
    while stack:
        name, at = stack.pop()
        if at == 0:
            if name in state:
                continue  # met as somebody's callee before its own turn
            calls[name] = _calls_of(structure.main if name is None else functions[name], structure)
        state[name] = True
        if at == len(calls[name]):
            state[name] = False
            continue
        stack.append((name, at + 1))
        target, call = calls[name][at]
        if target not in functions:
            raise DecodeError(f"{_name(target)} is not defined", call.location)
        if state.get(target):
            raise DecodeError(f"{_name(target)} calls itself", call.location)
        if target not in state:
            stack.append((target, 0))


def _calls_of(block: Block, structure: Structure) -> list[tuple[Label, Instruction]]:
    calls = [i for i in block.instructions() if i.opcode in CALLS]
    return [(callee.label, i) for i in calls for callee in structure.callees(i)]
