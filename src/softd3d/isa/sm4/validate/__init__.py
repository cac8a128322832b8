"""The validator of SM4.0-5.1 programs: every rule reports what it finds, none raises.

Functions of libraries are programs for any stage: the rules of a single stage do not apply to them.

A rule is a small function or a row of a table; `rules.PROGRAM_RULES` has its code, its sentence and
where it is written. The work grows linearly with the program.
"""

from __future__ import annotations

from softd3d.errors import Finding
from softd3d.isa.report import Report
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.validate.data import check_data
from softd3d.isa.sm4.validate.declarations import (
    check_declaration,
    check_declared_views,
    check_one_of_each,
)
from softd3d.isa.sm4.validate.elements import (
    check_elements,
    check_limits,
    check_needed,
    check_ranges,
)
from softd3d.isa.sm4.validate.flow import check_flow
from softd3d.isa.sm4.validate.instructions import check_instructions
from softd3d.isa.sm4.validate.memory import check_counters
from softd3d.isa.sm4.validate.phases import Context, Phase, split_phases
from softd3d.isa.sm4.validate.rules import PROGRAM_RULES
from softd3d.isa.sm4.validate.structure import (
    check_instruction_tokens,
    check_phase_order,
    well_formed,
)
from softd3d.isa.sm4.validate.tessellation import check_tessellation

__all__ = ["PROGRAM_RULES", "phases_of", "validate_phases", "validate_program"]


def validate_program(program: Program) -> list[Finding]:
    """Return the broken rules of a program, in the order of the instructions.

    >>> from softd3d.isa.sm4.decode import decode
    >>> found = validate_program(decode(bytes.fromhex("40000500 03000000 3e000001")))
    >>> [finding.code for finding in found]
    ['SM4-DCL-003']
    """
    report = Report(PROGRAM_RULES)
    return validate_phases(program, phases_of(program, report), report)


def validate_phases(program: Program, phases: list[Phase], report: Report) -> list[Finding]:
    """Return the broken rules of a program that is split already, with those in its report."""
    if not phases:
        return report.findings()
    check_phase_order(program, phases, report)
    check_tessellation(program, phases, report)
    for phase in phases:
        _check_phase(Context(program, phase, report), phases)
    return report.findings()


def phases_of(program: Program, report: Report) -> list[Phase]:
    """Return the phases of a program with what they declare; report what is ill-formed instead."""
    return split_phases(program, well_formed(program, report))


def _check_phase(c: Context, phases: list[Phase]) -> None:
    for i in c.phase.declarations:
        check_instruction_tokens(c, i)
        check_declaration(c, i)
    for check in (check_one_of_each, check_declared_views, check_elements, check_ranges):
        check(c)
    check_needed(c)
    check_limits(c, phases)
    first = c.phase.body[0].index if c.phase.body else None
    for i in c.phase.declarations:
        if first is not None and i.index > first and i.custom_class is None:
            c.add("DCL-001", " follows an instruction", i)
    sound = check_instructions(c)
    check_counters(c)
    check_flow(c)
    check_data(c, sound)
