"""What every rule looks at: the program, its version's family, and the register names."""

from __future__ import annotations

from enum import StrEnum

from softd3d.errors import Location
from softd3d.isa.asm.sm1.operand import register_name
from softd3d.isa.report import Report
from softd3d.isa.row import Row
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode, ProgramType, RegisterType
from softd3d.isa.sm1.limits import limits
from softd3d.isa.sm1.program import (
    Comment,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
)
from softd3d.isa.sm1.validate.known import facts_of

__all__ = ["COMPONENTS", "CONSTANTS", "Context", "Family", "components", "ordinal", "same_register"]

COMPONENTS = "xyzw"
CONSTANTS = frozenset(
    {RegisterType.CONST, RegisterType.CONST2, RegisterType.CONST3, RegisterType.CONST4}
)
_ORDINALS = ("first", "second", "third", "fourth")


class Family(StrEnum):
    """Versions that share their rules: the validator of Microsoft has one for each."""

    VS_1 = "vs_1"
    VS_2 = "vs_2"
    VS_3 = "vs_3"
    PS_1 = "ps_1"  # 1_0 to 1_3
    PS_1_4 = "ps_1_4"
    PS_2 = "ps_2"
    PS_3 = "ps_3"


def _family(program: Program) -> Family:
    name = program.type.name.lower()
    if program.type is ProgramType.PS and program.version == (1, 4):
        return Family.PS_1_4
    return Family(f"{name}_{program.major}")


class Context:
    """A program under validation.

    items: its instructions without comments; facts: what is known of each. declared: components of
    registers with a dcl. sampler_dimensions: of declared samplers, by number. point_sizes: the o#
    with usage psize0.
    """

    def __init__(self, program: Program, report: Report) -> None:
        self.program = program
        self.report = report
        self.version = program.version
        self.is_ps = program.type is ProgramType.PS
        self.is_software = program.minor == t.SOFTWARE
        self.family = _family(program)
        self.limits = limits(program.type, program.version)
        self.items = [i for i in program.instructions if isinstance(i, Instruction)]
        self.facts = facts_of(self.items, program.type, self.version)
        self.declared: dict[tuple[RegisterType, int], int] = {}
        self.sampler_dimensions: dict[int, int] = {}
        self.point_sizes: set[int] = set()

    def row(self, i: Instruction) -> Row:
        """Return the row that says which operands an instruction has."""
        row = t.row_of(i.opcode, self.program.type, self.version)
        if row is None:
            raise KeyError(i.opcode)  # END and COMMENT, which no decoded instruction has
        return row

    def add(self, code: str, message: str, i: Instruction) -> None:
        """Note that an instruction breaks the rule SM1-`code`."""
        self.report.add(f"SM1-{code}", f"{self.row(i).mnemonic}: {message}", i.location)

    def add_at_end(self, code: str, message: str) -> None:
        """Note that the program as a whole breaks the rule SM1-`code`."""
        self.report.add(f"SM1-{code}", message, self._end())

    def _end(self) -> Location:
        """The place of the end token."""
        found = self.program.instructions
        if not found:
            return Location(offset=4, instruction=0)
        last = found[-1]
        size = len(last.payload) // 4 if isinstance(last, Comment) else _parameters(last, self)
        return Location(offset=last.offset + 4 * (1 + size), instruction=len(found))

    def name(self, p: SourceParameter | DestinationParameter) -> str:
        """Return the assembler's word for a register."""
        return register_name(p.type, p.number, self.program)

    def is_texture_instruction(self, i: Instruction) -> bool:
        return i.opcode is Opcode.TEX or self.row(i).mnemonic.startswith("tex")


def _parameters(i: Instruction, c: Context) -> int:
    """Return how many dwords follow an instruction's token."""
    has_addresses = t.instruction_fields(c.version).has_length
    count = int(i.declaration is not None) + len(i.immediates) + len(i.trailing)
    parameters = [p for p in (i.destination, i.predicate, *i.sources) if p is not None]
    addresses = sum(p.relative is not None for p in parameters) if has_addresses else 0
    return count + len(parameters) + addresses


def components(mask: int) -> str:
    """Return the letters of a mask.

    >>> components(0b1010)
    'yw'
    """
    return "".join(c for n, c in enumerate(COMPONENTS) if mask >> n & 1)


def ordinal(source: int) -> str:
    """Return the words for the n-th source, counted from 0."""
    return f"{_ORDINALS[source]} source"


def same_register(
    a: SourceParameter | DestinationParameter, b: SourceParameter | DestinationParameter
) -> bool:
    """Tell whether two parameters name one register, whatever is added to its number."""
    return a.type == b.type and a.number == b.number
