"""The validator of SM1-3 programs: what Direct3D 9's own refuses, and where.

A rule is a small function or a row of a table; `rules.SM1_RULES` has its code, its sentence and
where it is written. The work grows linearly with the program.
"""

from __future__ import annotations

from softd3d.errors import Finding
from softd3d.isa.report import Report
from softd3d.isa.row import Kind
from softd3d.isa.sm1.enums import Opcode, RegisterType
from softd3d.isa.sm1.program import Instruction, Program
from softd3d.isa.sm1.validate.chains import check_chains
from softd3d.isa.sm1.validate.conditions import check_predicate
from softd3d.isa.sm1.validate.context import Context, Family, ordinal
from softd3d.isa.sm1.validate.declarations import DEFINITIONS, check_declarations
from softd3d.isa.sm1.validate.destinations import check_destination
from softd3d.isa.sm1.validate.flow import check_flow
from softd3d.isa.sm1.validate.pairs import check_pairs
from softd3d.isa.sm1.validate.pixel_1 import check_pixel_1, check_texture_sources
from softd3d.isa.sm1.validate.pixel_1_4 import check_pixel_1_4
from softd3d.isa.sm1.validate.ports import check_ports
from softd3d.isa.sm1.validate.reads import check_data
from softd3d.isa.sm1.validate.registers import check_register
from softd3d.isa.sm1.validate.rules import SM1_RULES
from softd3d.isa.sm1.validate.slots import check_slots
from softd3d.isa.sm1.validate.sources import check_sources
from softd3d.isa.sm1.validate.tokens import check_tokens

__all__ = ["SM1_RULES", "validate_program"]

_BEFORE_1_4 = frozenset({Family.PS_1})
_STAGED = frozenset({Family.PS_1, Family.PS_1_4})


def validate_program(program: Program) -> list[Finding]:
    """Return the broken rules of a program, in the order of the instructions.

    >>> from softd3d.isa.sm1.decode import decode
    >>> found = validate_program(decode(bytes.fromhex("0002ffff ffff0000")))
    >>> [finding.code for finding in found]
    ['SM1-OUT-008']
    """
    report = Report(SM1_RULES)
    c = Context(program, report)
    check_declarations(c)
    for i, facts in zip(c.items, c.facts, strict=True):
        if not facts.is_sound:
            facts.is_sound = _check_instruction(c, i)
    check_slots(c)
    if c.family is Family.PS_1:
        check_pixel_1(c)
    elif c.family is Family.PS_1_4:
        check_pixel_1_4(c)
    else:
        check_data(c)
        check_flow(c)
    if c.family in _STAGED:
        check_pairs(c)
    if c.family is Family.PS_2 and program.version == (2, 0):
        check_chains(c)
    return report.findings()


def _check_instruction(c: Context, i: Instruction) -> bool:
    """Check an instruction by itself; tell whether it is sound in any other program, too."""
    before = c.report.count
    check_tokens(c, i)
    if i.opcode in DEFINITIONS:
        return c.report.count == before
    _check_operands(c, i)
    is_output = i.destination is not None and i.destination.type is RegisterType.OUTPUT
    return c.report.count == before and not is_output  # declarations tell which are scalars


def _check_operands(c: Context, i: Instruction) -> None:
    """Check the parameters of an instruction, each for itself and together."""
    is_staged = c.family in _STAGED and c.is_texture_instruction(i)
    if c.family in _BEFORE_1_4 and is_staged:
        check_texture_sources(c, i)
    elif not is_staged:
        check_sources(c, i)
    if is_staged:
        for n, p in enumerate(i.sources):
            check_register(c, i, p, ordinal(n))
    if i.destination is not None:
        if is_staged and i.opcode is not Opcode.TEXKILL:
            check_register(c, i, i.destination, "destination")
        else:
            check_destination(c, i, i.destination)
    if i.predicate is not None:
        check_predicate(c, i, i.predicate)
    if c.row(i).kind is not Kind.FLOW or i.opcode in _COMPARING:
        check_ports(c, i)


_COMPARING = frozenset({Opcode.IFC, Opcode.BREAKC, Opcode.SETP})
