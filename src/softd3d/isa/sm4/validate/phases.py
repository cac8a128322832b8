"""A program as its phases: hull shaders have several, all others one.

Spec: D3D11.3 functional specification section 10.6.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from functools import lru_cache

from softd3d.classes import dataclass
from softd3d.isa.asm.options import Syntax
from softd3d.isa.asm.sm4.operand import register_text
from softd3d.isa.report import Report
from softd3d.isa.row import Kind, Row
from softd3d.isa.sm4.enums import Opcode, ProgramType
from softd3d.isa.sm4.limits import Limits, limits
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.validate.declared import Declared
from softd3d.isa.sm4.validate.known import Known, known_in

__all__ = [
    "MAX_PHASES",
    "PHASE_LETTERS",
    "Context",
    "Phase",
    "PhaseKind",
    "is_declaration",
    "row_of",
    "split_phases",
]


class PhaseKind(StrEnum):
    """What a phase is; the value is how messages call it."""

    MAIN = "program"
    DECLARATIONS = "hs_decls"
    CONTROL_POINT = "hs_control_point_phase"
    FORK = "hs_fork_phase"
    JOIN = "hs_join_phase"
    FUNCTIONS = "subroutines"


PHASE_OPCODES: dict[Opcode, PhaseKind] = {
    Opcode.HS_DECLS: PhaseKind.DECLARATIONS,
    Opcode.HS_CONTROL_POINT_PHASE: PhaseKind.CONTROL_POINT,
    Opcode.HS_FORK_PHASE: PhaseKind.FORK,
    Opcode.HS_JOIN_PHASE: PhaseKind.JOIN,
}
_DECLARATIONS = frozenset(code for code, row in TABLE.rows.items() if row.kind is Kind.DECLARATION)
_PLACED = _DECLARATIONS | PHASE_OPCODES.keys() | {Opcode.LABEL}
MAX_PHASES = 1024  # further ones count as parts of the last
PHASE_LETTERS: dict[PhaseKind, str] = {
    PhaseKind.CONTROL_POINT: "c",
    PhaseKind.FORK: "f",
    PhaseKind.JOIN: "j",
}


@dataclass(slots=True)
class Phase:
    """One phase: what it declares, and its instructions without the declarations.

    start: the phase's own instruction, or the program's first. declarations: in order.
    """

    kind: PhaseKind
    start: Instruction
    declared: Declared
    declarations: list[Instruction] = field(default_factory=list[Instruction])
    body: list[Instruction] = field(default_factory=list[Instruction])


@dataclass(slots=True)
class Context:
    """What all rules know while they look at one phase; asked for at every operand, so kept.

    stage: as rows name it, such as `ps`. is_library: whether the program is a function of a
    library, which any stage may call.
    """

    program: Program
    phase: Phase
    report: Report
    declared: Declared = field(init=False)
    version: tuple[int, int] = field(init=False)
    stage: str = field(init=False)
    is_library: bool = field(init=False)
    limits: Limits = field(init=False)
    known: Known = field(init=False)

    def __post_init__(self) -> None:
        program = self.program
        self.declared = self.phase.declared
        self.version = program.major, program.minor
        self.stage = program.type.name.lower()
        self.limits = limits(program.type, self.version)
        self.is_library = program.type is ProgramType.LIB
        flags = int(self.declared.all_flags)
        self.known = known_in((self.version, program.type, self.phase.kind, flags))

    def is_for(self, stages: str) -> bool:
        """Tell whether the program may run in one of the stages, such as `vs ps`."""
        return self.is_library or self.stage in stages.split()

    def text(self, operand: Operand) -> str:
        """Return a register as listings write it."""
        return register_text(operand, Syntax(self.version))

    def add(self, code: str, message: str, instruction: Instruction) -> None:
        """Report a broken rule at an instruction, whose name comes first in the message."""
        name = TABLE[instruction.opcode].mnemonic
        self.report.add(f"SM4-{code}", f"{name}{message}", instruction.location)


def is_declaration(instruction: Instruction) -> bool:
    """Tell whether an instruction declares something (and does not begin a phase)."""
    return instruction.opcode in _DECLARATIONS


def row_of(instruction: Instruction, stage: str, version: tuple[int, int]) -> Row:
    """Return an opcode's row in a stage and version, or any if it has none there."""
    return _row(instruction.opcode, stage, version)


@lru_cache(maxsize=4096)
def _row(opcode: Opcode, stage: str, version: tuple[int, int]) -> Row:
    return TABLE.select(opcode, stage, version) or TABLE[opcode]


def split_phases(program: Program, instructions: list[Instruction]) -> list[Phase]:
    """Return the phases of a program; `instructions` are those that are well formed.

    Function bodies of a hull shader come after all its phases and are a phase of their own, with
    what any phase declares.
    """
    version = program.major, program.minor
    phases: list[Phase] = []
    outer: Declared | None = None
    is_hull = program.type is ProgramType.HS
    for i in instructions:
        if phases and i.opcode not in _PLACED:  # nearly all
            phases[-1].body.append(i)
            continue
        kind = PHASE_OPCODES.get(i.opcode) if is_hull and len(phases) < MAX_PHASES else None
        if kind is not None or not phases:
            phase = Phase(kind or PhaseKind.MAIN, i, Declared(outer))
            phases.append(phase)
            if kind is PhaseKind.DECLARATIONS and outer is None:
                outer = phase.declared
            if kind is not None:
                continue
        if i.opcode is Opcode.LABEL and program.type is ProgramType.HS:
            _begin_functions(phases, i, outer)
        phase = phases[-1]
        if is_declaration(i):
            phase.declarations.append(i)
            phase.declared.add(i, version)
        else:
            phase.body.append(i)
    return phases


def _begin_functions(phases: list[Phase], label: Instruction, outer: Declared | None) -> None:
    if phases[-1].kind is PhaseKind.FUNCTIONS:
        return
    functions = Phase(PhaseKind.FUNCTIONS, label, Declared(outer))
    for phase in phases:
        functions.declared.merge(phase.declared)
    phases.append(functions)
