"""The phases of a hull shader as programs of their own, which engines run like other batches.

A phase has the declarations of the whole shader, its own, and its instructions. Spec: D3D11.3
section 10.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from softd3d.classes import dataclass
from softd3d.isa.roles import PHASES, Declares, Flow
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations, read_declarations
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.stage_memory import array_rows

__all__ = ["HullPhase", "hull_phases"]

_KINDS: dict[Declares | None, Phase] = {
    Declares.CONTROL_POINT_PHASE: Phase.CONTROL_POINT,
    Declares.FORK_PHASE: Phase.FORK,
    Declares.JOIN_PHASE: Phase.JOIN,
}
_T = OperandType


@dataclass(frozen=True, slots=True)
class HullPhase:
    """One phase. instances: how often a fork or join phase runs for a patch; else 1.

    bound: its program, with the bindings of the whole shader.
    """

    kind: Phase
    instances: int
    bound: BoundProgram


def hull_phases(bound: BoundProgram) -> tuple[HullPhase, ...]:
    """Return the phases of a hull shader in their order.

    If there is no control point phase, control points pass through as they are.

    Raises:
        DecodeError: a declaration of a phase is malformed or exceeds a limit.
    """
    whole = cast("Program", bound.program)
    common, parts = _split(whole.instructions)
    found: list[tuple[Phase, Program, Declarations]] = []
    functions = [(label, body) for part in parts for label, body in _functions(part)]
    for part in parts:
        own = {label for label, _ in _functions(part)}
        others = [body for label, body in functions if label not in own]
        listed = (*common, *part, *(i for body in others for i in body))
        program = replace(whole, instructions=listed)
        found.append((_KINDS[TABLE[part[0].opcode].declares], program, read_declarations(program)))
    rows = _rows([(kind, d) for kind, _, d in found])
    phases: list[HullPhase] = []
    for kind, program, d in found:
        instances = 1 if kind is Phase.CONTROL_POINT else d.primitives.instances
        d.primitives.phase, d.primitives.rows = kind, rows
        mine = replace(bound, program=program, declarations=d, source=None)
        phases.append(HullPhase(kind, instances, mine))
    return tuple(phases)


def _split(
    instructions: Sequence[Instruction],
) -> tuple[tuple[Instruction, ...], list[tuple[Instruction, ...]]]:
    """Return what precedes all phases, and each phase."""
    starts = [n for n, i in enumerate(instructions) if TABLE[i.opcode].declares in PHASES]
    first = starts[0] if starts else len(instructions)
    return tuple(instructions[:first]), _cut(instructions, starts)


def _functions(
    part: Sequence[Instruction],
) -> Iterator[tuple[tuple[Operand, ...], tuple[Instruction, ...]]]:
    """Yield the subroutines at the end of a phase by their labels: any phase may call them."""
    for body in _cut(part, [n for n, i in enumerate(part) if TABLE[i.opcode].flow is Flow.LABEL]):
        yield body[0].operands, body


def _cut(listed: Sequence[Instruction], starts: Sequence[int]) -> list[tuple[Instruction, ...]]:
    """Return what begins at each place and ends at the next one."""
    ends = [*starts[1:], len(listed)]
    return [tuple(listed[start:end]) for start, end in zip(starts, ends, strict=False)]


def _rows(phases: Sequence[tuple[Phase, Declarations]]) -> Mapping[OperandType, int]:
    """Return how many registers the arrays have that phases share."""
    incoming = outgoing = constants = 0
    for kind, d in phases:
        of = {file: [r for r in d.inputs if r.file is file] for file in _FILES}
        points = (r for r in of[_T.INPUT] if r.vertices)
        incoming = max(incoming, array_rows(points), array_rows(of[_T.INPUT_CONTROL_POINT]))
        outgoing = max(outgoing, array_rows(of[_T.OUTPUT_CONTROL_POINT]))
        constants = max(constants, array_rows(of[_T.INPUT_PATCH_CONSTANT]))
        outputs = array_rows(r for r in d.outputs if r.file is _T.OUTPUT)
        if kind is Phase.CONTROL_POINT:
            outgoing = max(outgoing, outputs)
        else:
            constants = max(constants, outputs)
    if all(kind is not Phase.CONTROL_POINT for kind, _ in phases):
        incoming = outgoing = max(incoming, outgoing)
    return {
        _T.INPUT: incoming, _T.INPUT_CONTROL_POINT: incoming, _T.OUTPUT_CONTROL_POINT: outgoing,
        _T.INPUT_PATCH_CONSTANT: constants,
    }  # fmt: skip


_FILES = (_T.INPUT, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT, _T.INPUT_PATCH_CONSTANT)
