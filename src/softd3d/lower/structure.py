"""The structured control flow of a program: a tree of blocks, found once, used by both engines.

Spec: D3D11.3 sections 7.12 and 22.7 to 22.9: nesting is limited, calls do not recurse. Direct3D 9
shader assembly reference, "Flow Control": its limits are smaller, and a validator's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.roles import BLOCK_ARMS, BLOCK_ENDS, Flow
from softd3d.isa.row import Kind, Row
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4 import program as sm4
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.limits import MAX_NESTING
from softd3d.isa.sm4.message_sites import is_message, message_sites
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.linkage import Callee, Label, Linkage
from softd3d.lower.tree import (
    Block,
    Call,
    Case,
    If,
    Instruction,
    Item,
    Jump,
    Loop,
    Message,
    Operation,
    Program,
    Switch,
)

__all__ = ["Structure", "analyse"]


@dataclass(frozen=True, slots=True)
class Structure:
    """The main block of a program, its subroutines and methods, and what it is linked with.

    messages: what it may say.
    """

    main: Block
    functions: dict[Label, Block]
    linkage: Linkage
    messages: tuple[MessageSite, ...]

    def every(self) -> Iterator[Item]:
        """Yield every item of the program, in its order."""
        for block in (self.main, *self.functions.values()):
            yield from block.every()

    def callees(self, call: Call) -> tuple[Callee, ...]:
        """Return what a call may run; `analyse` has checked that all of it is there."""
        if call.label is None:
            return self.linkage.callees(cast("sm4.Instruction", call.instruction))
        return (Callee(call.label),)


def analyse(program: Program, linkage: Linkage | None = None) -> Structure:
    """Find the block structure. A missing last `ret` is no error.

    linkage: what the program's interfaces are bound to, if it has any.

    Raises:
        DecodeError: unbalanced or misplaced flow, too deep nesting, recursion (also through the
            objects bound), unknown labels, or a flow instruction with the wrong number of operands.
        ResourceError: nothing is bound to an interface that is called.
        LoweringError: a shader message of a kind that is not supported.
    """
    messages: tuple[MessageSite, ...] = ()
    sites: dict[int, MessageSite] = {}
    if isinstance(program, sm4.Program):
        messages = message_sites(program)
        saying = [i for i in program.instructions if is_message(i)]
        sites = {id(i): site for i, site in zip(saying, messages, strict=True)}
    reader = _Reader(_steps(program), sites)
    main = reader.block((Flow.LABEL,), 0)
    functions: dict[Label, Block] = {}
    while not reader.is_at_end:
        i, row = reader.take()
        label = _label_of(i, row)
        if label in functions:
            raise DecodeError(f"{_name(label)} is defined twice", i.location)
        functions[label] = reader.block((Flow.LABEL,), 0)
    structure = Structure(main, functions, linkage or Linkage(), messages)
    _check_calls(structure)
    return structure


def _steps(program: Program) -> list[tuple[Instruction, Row]]:
    """Return the instructions with their rows."""
    if isinstance(program, sm4.Program):
        return [(i, TABLE[i.opcode]) for i in program.instructions]
    from softd3d.isa.sm1.program import Comment  # noqa: PLC0415 - no other program needs them
    from softd3d.isa.sm1.tokens import row_of  # noqa: PLC0415

    steps: list[tuple[Instruction, Row]] = []
    for i in program.instructions:
        if isinstance(i, Comment):
            continue
        row = row_of(i.opcode, program.type, program.version)
        if row is None:
            raise DecodeError(f"{i.opcode.name} has no meaning in {program.profile}", i.location)
        steps.append((i, row))
    return steps


def _label_of(i: Instruction, row: Row) -> Label:
    """Return the label that a call or label names."""
    place = row.label
    operand = i.operands[place] if place is not None and place < len(i.operands) else None
    if isinstance(operand, sm4.Operand):
        if operand.type in _LABELS and operand.indices:
            return operand.type, operand.indices[0].immediate
    elif operand is not None:
        from softd3d.isa.sm1.enums import RegisterType  # noqa: PLC0415 - of no other program

        if operand.type is RegisterType.LABEL:
            return operand.type, operand.number
    raise DecodeError(f"{i.opcode.name} has no label operand", i.location)


def _name(label: Label) -> str:
    type_, number = label
    return f"{_LABELS[type_]}{number}" if isinstance(type_, OperandType) else f"l{number}"


_LABELS = {OperandType.LABEL: "label", OperandType.FUNCTION_BODY: "fb"}


_MISPLACED = frozenset({*BLOCK_ENDS, *BLOCK_ARMS, Flow.LABEL})


class _Reader:
    """Reads blocks from a flat list of instructions.

    role: of the instruction at the position, None at the end and of what is no flow. loops,
    breakable: how many loops, and loops or switches, enclose the position; found: how many loops
    have ended.
    """

    def __init__(
        self, steps: list[tuple[Instruction, Row]], messages: dict[int, MessageSite]
    ) -> None:
        self.steps = steps
        self.messages = messages
        self.position = 0
        self.loops = 0
        self.breakable = 0
        self.found = 0

    @property
    def role(self) -> Flow | None:
        return None if self.is_at_end else self.steps[self.position][1].flow

    @property
    def is_at_end(self) -> bool:
        return self.position >= len(self.steps)

    def take(self) -> tuple[Instruction, Row]:
        """Return the instruction at the position, and go on."""
        self.position += 1
        return self.steps[self.position - 1]

    def block(self, ends: tuple[Flow, ...], depth: int) -> Block:
        """Read items up to, not including, one of `ends` (or the end of the program)."""
        items: list[Item] = []
        while not self.is_at_end and self.role not in ends:
            i, row = self.take()
            before = items[-1] if items else None
            if _is_paired(i) and isinstance(before, Operation):
                items[-1] = replace(before, paired=(*before.paired, (i, row)))
                continue
            item = self.item(i, row, depth)
            if item is not None:
                items.append(item)
        return Block(tuple(items))

    def item(self, i: Instruction, row: Row, depth: int) -> Item | None:
        """Read the item that an instruction begins, None for custom data that says nothing."""
        role = row.flow
        if role is not None:
            self.check(i, row, role)
        site = self.messages.get(id(i))
        if site is not None:
            return Message(i, site)
        if role is None:
            return None if row.kind is Kind.DECLARATION else Operation(i, row)
        read = _OPENERS.get(role)
        if read is not None:
            if depth >= MAX_NESTING:
                raise DecodeError(f"flow is nested more than {MAX_NESTING} deep", i.location)
            return read(self, i, row, depth + 1)
        if role is Flow.METHOD_CALL:
            return Call(i, row, None, is_conditional=False)
        if role is Flow.CALL:
            return Call(i, row, _label_of(i, row), row.is_conditional)
        return Jump(i, row, role, row.is_conditional)

    def check(self, i: Instruction, row: Row, role: Flow) -> None:
        """Refuse a flow instruction that may not stand here or has not the operands it takes."""
        if role in _MISPLACED:
            raise DecodeError(f"{row.mnemonic} is out of place", i.location)
        if role is Flow.BREAK and not self.breakable:
            raise DecodeError(f"{row.mnemonic} is outside of a loop or switch", i.location)
        if role is Flow.CONTINUE and not self.loops:
            raise DecodeError(f"{row.mnemonic} is outside of a loop", i.location)
        wanted, found = len(row.destinations) + len(row.sources), len(i.operands)
        if row.destinations and not isinstance(i, sm4.Instruction) and i.predicate is not None:
            found -= 1  # of texkill
        if found != wanted:
            raise DecodeError(f"{row.mnemonic} takes {wanted} operands, found {found}", i.location)

    def close(self, opener: Instruction, closer: Flow) -> None:
        if self.is_at_end:
            name = opener.opcode.name.lower()
            raise DecodeError(f"{name} has no {closer.name.lower()}", opener.location)
        self.position += 1

    def if_(self, i: Instruction, row: Row, depth: int) -> If:
        then = self.block((Flow.ELSE, Flow.ENDIF), depth)
        else_ = Block(())
        if self.role is Flow.ELSE:
            self.position += 1
            else_ = self.block((Flow.ENDIF,), depth)
        self.close(i, Flow.ENDIF)
        return If(i, row, then, else_)

    def loop(self, i: Instruction, row: Row, depth: int) -> Loop:
        self.loops += 1
        self.breakable += 1
        end = Flow.ENDREP if row.flow is Flow.REP else Flow.ENDLOOP
        body = self.block((end,), depth)
        self.loops -= 1
        self.breakable -= 1
        self.close(i, end)
        self.found += 1
        return Loop(i, row, body, self.found - 1)

    def switch(self, i: Instruction, row: Row, depth: int) -> Switch:
        self.breakable += 1
        cases: list[Case] = []
        seen: set[int | None] = set()
        while not self.is_at_end and self.role is not Flow.ENDSWITCH:
            values, is_default = self.labels(seen)
            body = self.block((Flow.CASE, Flow.DEFAULT, Flow.ENDSWITCH), depth)
            cases.append(Case(values, is_default, body))
        self.breakable -= 1
        self.close(i, Flow.ENDSWITCH)
        return Switch(i, row, tuple(cases))

    def labels(self, seen: set[int | None]) -> tuple[tuple[int, ...], bool]:
        """Read the labels of a case; seen: those of its switch so far."""
        values: list[int] = []
        is_default = False
        first = self.steps[self.position][0]
        while (role := self.role) in (Flow.CASE, Flow.DEFAULT):
            i, _ = self.take()
            value = _case_value(i) if role is Flow.CASE else None
            if value in seen:
                raise DecodeError("a switch has the same label twice", i.location)
            seen.add(value)
            if value is None:
                is_default = True
            else:
                values.append(value)
        if not values and not is_default:
            raise DecodeError("an instruction of a switch precedes its cases", first.location)
        return tuple(values), is_default


_OPENERS = {
    Flow.IF: _Reader.if_,
    Flow.LOOP: _Reader.loop,
    Flow.REP: _Reader.loop,
    Flow.SWITCH: _Reader.switch,
}


def _is_paired(i: Instruction) -> bool:
    return not isinstance(i, sm4.Instruction) and i.is_coissued


def _case_value(i: Instruction) -> int:
    operand = i.operands[0] if i.operands else None
    if not isinstance(operand, sm4.Operand) or not operand.immediate:
        raise DecodeError("case has no literal", i.location)
    return operand.immediate[0]


def _check_calls(structure: Structure) -> None:
    """Refuse unknown labels and recursion, also in subroutines that nothing calls.

    A method that is in no object's table need not be complete: what it calls may not be bound.
    """
    functions = structure.functions
    calls: dict[Label | None, list[tuple[Label, Instruction]]] = {}
    state: dict[Label | None, bool] = {}  # True while being visited
    roots = [None, *(label for label in functions if label[0] is not OperandType.FUNCTION_BODY)]
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
    calls = [item for item in block.every() if isinstance(item, Call)]
    return [
        (callee.label, call.instruction) for call in calls for callee in structure.callees(call)
    ]
