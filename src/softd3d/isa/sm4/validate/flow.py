"""Rules of control flow: nesting, labels, calls, ends, and statements that must be in a block.

Spec: D3D11.3 functional specification 22.7, 22.8, 7.12, 7.19.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from softd3d.classes import dataclass
from softd3d.isa.roles import BLOCK_ENDS, BLOCK_STARTS
from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.limits import MAX_CALL_DEPTH, MAX_NESTING
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.reachability import STEPS, Reach, endless_labels
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.validate.declared import constant_index
from softd3d.isa.sm4.validate.phases import Context

__all__ = ["check_flow", "nesting"]

_O, _T = Opcode, OperandType
_OPENS = TABLE.opcodes(BLOCK_STARTS)
_ENDS = {code: BLOCK_ENDS[role] for code, role in TABLE.flows().items() if role in BLOCK_ENDS}
_BREAKABLE = frozenset({_O.LOOP, _O.SWITCH})
_ENTRIES = frozenset({_O.CASE, _O.DEFAULT})
_SWITCHED = _ENTRIES | {_O.ENDSWITCH}
_NESTED = _OPENS | _ENDS.keys()
_ORDERED = _SWITCHED | {_O.SWITCH, _O.LABEL}
_EMITS = frozenset({_O.EMIT, _O.CUT, _O.EMITTHENCUT})
# A subroutine, or a call site of an interface, which stands for the bodies it may call
_Label = tuple[OperandType, int, int]


@dataclass(slots=True)
class _Block:
    """An open if, loop or switch.

    is_begun: whether a switch has an instruction. is_empty: whether the last case has none yet.
    """

    instruction: Instruction
    has_else: bool = False
    values: set[int] = field(default_factory=set[int])
    has_default: bool = False
    is_begun: bool = False
    is_empty: bool = True

    @property
    def is_before_cases(self) -> bool:
        return self.instruction.opcode is _O.SWITCH and not self.is_begun


class _Flow:
    """Walks one phase's instructions in order."""

    def __init__(self, context: Context) -> None:
        self.c = context
        self.blocks: list[_Block] = []
        self.labels: dict[_Label, Instruction] = {}
        self.calls: dict[_Label | None, list[tuple[_Label, Instruction]]] = {}
        self.current: _Label | None = None
        self.last: Instruction | None = None
        self.reach = Reach(endless_labels(context.phase.body))
        self.is_reached = True

    def walk(self) -> None:
        for i in self._steps():
            check = _CHECKS.get(i.opcode)
            inner = self.blocks[-1] if self.blocks else None
            if inner is not None and inner.is_before_cases and i.opcode not in _SWITCHED:
                self.c.add("FLOW-008", " stands between switch and its first case", i)
            self.is_reached = self.reach.step(i)
            if check is not None:
                check(self, i)
            if inner is not None:
                inner.is_begun = True
                inner.is_empty = i.opcode in _ENTRIES
            self.last = i
        if self.c.phase.body:
            self.last = self.c.phase.body[-1]
        self._finish()

    def _steps(self) -> list[Instruction]:
        """Return the instructions that matter: all if they follow labels or cases."""
        body = self.c.phase.body
        steps = [i for i in body if i.opcode in _FLOWING]
        return body if any([i.opcode in _ORDERED for i in steps]) else steps  # noqa: C419 - quicker

    def _finish(self) -> None:
        for block in self.blocks:
            self.c.add("FLOW-002", " is not ended", block.instruction)
        if self.last is None:
            if self.c.phase.kind in ("program", "hs_control_point_phase"):
                self.c.add("FLOW-020", ": no instructions, wanted ret at the end",
                           self.c.phase.start)  # fmt: skip
        else:
            self._check_end(self.last)
        self._check_calls()

    def _check_end(self, i: Instruction) -> None:
        if i.opcode is not _O.RET and not self.blocks:  # a block that is not ended is another rule
            code = "FLOW-012" if self.labels or i.opcode is _O.RETC else "FLOW-020"
            self.c.add(code, " is last, wanted ret", i)

    def open(self, i: Instruction) -> None:
        self.blocks.append(_Block(i))
        if len(self.blocks) == MAX_NESTING + 1:
            self.c.add("FLOW-009", f": {len(self.blocks)} blocks deep, wanted {MAX_NESTING} at "
                       "most", i)  # fmt: skip

    def close(self, i: Instruction) -> None:
        opener = _ENDS[i.opcode]
        if not self.blocks or TABLE[self.blocks[-1].instruction.opcode].flow is not opener:
            self.c.add("FLOW-001", f" without {opener.name.lower()}", i)
            return
        self.blocks.pop()

    def otherwise(self, i: Instruction) -> None:
        block = self.blocks[-1] if self.blocks else None
        if block is None or block.instruction.opcode is not _O.IF or block.has_else:
            self.c.add("FLOW-001", " without if", i)
        else:
            block.has_else = True

    def leave(self, i: Instruction) -> None:
        if not any(block.instruction.opcode in _BREAKABLE for block in self.blocks):
            self.c.add("FLOW-003", " outside loops and switches", i)

    def proceed(self, i: Instruction) -> None:
        if not any(block.instruction.opcode is _O.LOOP for block in self.blocks):
            self.c.add("FLOW-004", " outside loops", i)

    def entry(self, i: Instruction) -> None:
        block = self.blocks[-1] if self.blocks else None
        if block is None or block.instruction.opcode is not _O.SWITCH:
            self.c.add("FLOW-005", " stands in no switch", i)
            return
        if self.is_reached and not block.is_empty and self.c.version >= (5, 0):
            self.c.add("FLOW-015", " follows a case that does not end", i)
        if i.opcode is _O.DEFAULT:
            if block.has_default:
                self.c.add("FLOW-006", " is there twice", i)
            block.has_default = True
            return
        value = i.operands[0]
        if value.type is not _T.IMMEDIATE32 or len(value.immediate) != 1:
            self.c.add("FLOW-007", " has no literal", i)
        elif value.immediate[0] in block.values:
            self.c.add("FLOW-006", f" {value.immediate[0]} is there twice", i)
        else:
            block.values.add(value.immediate[0])

    def label(self, i: Instruction) -> None:
        if self.blocks:
            self.c.add("FLOW-010", " stands in a block", i)
        elif self.last is not None and self.last.opcode is not _O.RET:
            self.c.add("FLOW-010", " does not follow ret", i)
        number = constant_index(i.operands[0], 0)
        if number is None or i.operands[0].type not in (_T.LABEL, _T.FUNCTION_BODY):
            self.c.add("REG-016", " has no number", i)
            return
        key = i.operands[0].type, number, 0
        if key in self.labels:
            self.c.add("FLOW-011", f" {number} is there twice", i)
        self.labels.setdefault(key, i)
        self.current = key

    def call(self, i: Instruction) -> None:
        target = i.operands[-1]
        number = constant_index(target, 0)
        if number is None or target.type is not _T.LABEL:
            self.c.add("REG-016", " names no label", i)
            return
        self.calls.setdefault(self.current, []).append(((_T.LABEL, number, 0), i))

    def call_interface(self, i: Instruction) -> None:
        target = i.operands[0]
        number, at = constant_index(target, 0), constant_index(target, 1)
        found = None if number is None else self.c.declared.interface(number)
        if target.type is not _T.INTERFACE or found is None:
            self.c.add("REG-016", f" fp{number} is not declared", i)
            return
        if i.extra[0] >= found.sites or (at is not None and at >= max(found.length, 1)):
            self.c.add("FLOW-019", f" fp{number}[{at}][{i.extra[0]}], declared are "
                       f"[{found.length}][{found.sites}]", i)  # fmt: skip
        site = _T.INTERFACE, number or 0, i.extra[0]
        self.calls.setdefault(self.current, []).append((site, i))
        if site in self.calls:
            return
        bodies = [self.c.declared.table(table) or () for table in found.tables]
        self.calls[site] = [
            ((_T.FUNCTION_BODY, body[i.extra[0]], 0), i)
            for body in bodies
            if i.extra[0] < len(body)
        ]

    def emit(self, i: Instruction) -> None:
        if self.c.declared.streams:
            self.c.add("REG-015", " names no stream, though some are declared", i)

    def _check_calls(self) -> None:
        """Check that calls have targets, do not recurse and are not too deep."""
        for calls in self.calls.values():
            for target, i in calls:
                if target not in self.labels and not self._is_elsewhere(target):
                    self.c.add("REG-016", f" {target[1]}: there is no such label", i)
        self._check_recursion()

    def _is_elsewhere(self, target: _Label) -> bool:
        """Bodies of hull shaders follow all phases; call sites are no labels."""
        return target[0] is _T.INTERFACE or (target[0] is _T.FUNCTION_BODY and self.c.stage == "hs")

    def _check_recursion(self) -> None:
        """Walk the graph of calls depth first, each subroutine once, without Python recursion."""
        depth: dict[_Label | None, int] = {}
        active: dict[_Label | None, int] = {}
        stack: list[tuple[_Label | None, int]] = [(None, 0)]
        while stack:
            node, at = stack.pop()
            edges = self.calls.get(node, [])
            if at == 0:
                active[node] = 1
            if at < len(edges):
                target, i = edges[at]
                stack.append((node, at + 1))
                if target in active:
                    self.c.add("FLOW-013", f" {target[1]}: the subroutine calls itself", i)
                elif target not in depth:
                    stack.append((target, 0))
                continue
            del active[node]
            deepest = max((depth.get(target, 0) for target, _ in edges), default=0)
            is_call = node is not None and node[0] is not _T.INTERFACE
            depth[node] = deepest + is_call
        if depth.get(None, 0) > MAX_CALL_DEPTH:
            i = self.calls[None][0][1]
            self.c.add(
                "FLOW-014", f": calls nest {depth[None]} deep, wanted {MAX_CALL_DEPTH} at most", i
            )


def nesting(body: list[Instruction]) -> int:
    """Return how deep blocks nest."""
    depth = deepest = 0
    for opcode in [i.opcode for i in body if i.opcode in _NESTED]:
        depth += 1 if opcode in _OPENS else -1
        deepest = max(deepest, depth)
    return deepest


def check_flow(c: Context) -> None:
    """Check the control flow of a phase."""
    if c.phase.kind != "hs_decls" or c.phase.body:
        _Flow(c).walk()


_CHECKS: dict[int, Callable[[_Flow, Instruction], None]] = {
    **dict.fromkeys(_OPENS, _Flow.open),
    **dict.fromkeys(_ENDS, _Flow.close),
    _O.ELSE: _Flow.otherwise,
    _O.BREAK: _Flow.leave,
    _O.BREAKC: _Flow.leave,
    _O.CONTINUE: _Flow.proceed,
    _O.CONTINUEC: _Flow.proceed,
    **dict.fromkeys(_ENTRIES, _Flow.entry),
    _O.LABEL: _Flow.label,
    _O.CALL: _Flow.call,
    _O.CALLC: _Flow.call,
    _O.INTERFACE_CALL: _Flow.call_interface,
    **dict.fromkeys(_EMITS, _Flow.emit),
}
_FLOWING = STEPS | _CHECKS.keys()
