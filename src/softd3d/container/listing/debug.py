"""The listing's notes from debug information: source lines, places of variables."""

from __future__ import annotations

from softd3d.container.debug.info import DebugInformation, Register, SourceLine, VariableLocation
from softd3d.container.debug.pdb import extract_pdb, parse_pdb
from softd3d.container.debug.pdb_symbols import pdb_information
from softd3d.container.debug.sdbg import parse_sdbg
from softd3d.container.dxbc.container import Container
from softd3d.container.listing.sdbg import sdbg_notes, starts_function_body
from softd3d.isa.asm.options import Dialect
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.printer import InstructionNotes
from softd3d.isa.roles import Flow
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import CustomDataClass, Opcode, OperandType
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["debug_notes"]

_COMPONENTS = "xyzw"
_HEADER_BYTES = 8
_REGISTER_BYTES = 16
_NAMES: dict[int, str] = dict(w.REGISTERS.items())
_PREFIXES: dict[Flow | None, str] = {
    Flow.ELSE: "Prior locations: ",
    Flow.CALL: "Post-call locations: ",
    Flow.METHOD_CALL: "Post-call locations: ",
}


def debug_notes(
    container: Container, program: Program, dialect: Dialect = Dialect.D3D10_1
) -> dict[int, InstructionNotes]:
    """Return what stands around the program's instructions, by their indices.

    Raises:
        ContainerError: the debug information is malformed.
    """
    chunk = container.find("SPDB", "SDBG")
    if chunk is None:
        return {}
    if chunk.fourcc == "SDBG":
        return sdbg_notes(parse_sdbg(chunk), program, dialect)
    if not dialect.habits.knows_pdbs:
        return {}
    information = pdb_information(parse_pdb(extract_pdb(chunk), chunk.data_offset))
    return _notes(information, program)


def _notes(information: DebugInformation, program: Program) -> dict[int, InstructionNotes]:
    starts = _starts(information)
    lines = {line.offset: line for line in information.lines}
    notes: dict[int, InstructionNotes] = {}
    base = program.instructions[0].offset - _HEADER_BYTES if program.instructions else 0
    last: SourceLine | None = None
    is_first = True
    ends = [i.offset - base for i in program.instructions[1:]]
    for i, end in zip(program.instructions, [*ends, -1], strict=True):
        if _is_declaration(i):
            continue
        offset = i.offset - base
        before: list[str] = []
        if is_first:
            before += _initial(_declared(starts, offset, offset))
            is_first = False
        if starts_function_body(i):
            last = None
        line = lines.get(offset)
        if line is not None:
            directive = line.directive(last)
            if directive:
                before += [directive] if before else ["", directive]
            last = line
        comment = _comment(i, _declared(starts, end, offset))
        if before or comment:
            notes[i.index] = InstructionNotes(tuple(before), comment)
    return notes


def _is_declaration(i: Instruction) -> bool:
    if i.opcode is Opcode.CUSTOMDATA:
        return i.custom_class != CustomDataClass.SHADER_MESSAGE
    return TABLE[i.opcode].kind is Kind.DECLARATION


def _starts(information: DebugInformation) -> dict[int, list[VariableLocation]]:
    """Return the locations by the offsets from which on they hold."""
    starts: dict[int, list[VariableLocation]] = {}
    for location in information.locations:
        for start in location.starts:
            if start < location.end:
                starts.setdefault(start, []).append(location)
    return starts


def _declared(
    starts: dict[int, list[VariableLocation]], start: int, at: int
) -> list[VariableLocation]:
    """Return the locations that start at an offset, of variables in scope at another.

    Like Microsoft's disassembler, give up behind the first whose name is not known.
    """
    found: list[VariableLocation] = []
    for location in starts.get(start, []):
        if location.is_declared_at(at):
            found.append(location)
            if location.complaint:
                break
    return found


def _initial(locations: list[VariableLocation]) -> list[str]:
    """Return the places at the start, a line for each register."""
    if not locations:
        return []
    lines = ["//", "// Initial variable locations:"]
    row: list[str] = []
    for number, location in enumerate(locations):
        row.append(_text(location))
        following = locations[number + 1 : number + 2]
        if not following:
            lines.append(f"//   {'; '.join(row)}")
        elif _row_of(location.register) != _row_of(following[0].register):
            lines.append(f"//   {'; '.join(row)}; ")
            row = []
    return [*lines, "//"]


def _row_of(register: Register) -> tuple[object, ...]:
    """Return what registers in one line have in common.

    Whole registers are counted as if they were bytes, 16 of which make a line.
    """
    indices = register.indices
    if register.component is None:
        indices = tuple(index // _REGISTER_BYTES for index in indices)
    return register.type, indices


def _comment(i: Instruction, locations: list[VariableLocation]) -> str:
    if not locations:
        return ""
    return f"// {_PREFIXES.get(TABLE[i.opcode].flow, '')}{'; '.join(map(_text, locations))}"


def _text(location: VariableLocation) -> str:
    complaint = f"\n// <internal error> {location.complaint}\n" if location.complaint else ""
    return f"{_register_text(location.register)} <- {location.name}{complaint}"


def _register_text(register: Register) -> str:
    text = w.word(_NAMES, register.type)
    if len(register.indices) > 1 or register.type == OperandType.THIS_POINTER:
        text += "".join(f"[{index}]" for index in register.indices)
    else:
        text += "".join(map(str, register.indices))
    if register.component is not None:
        text += f".{_COMPONENTS[register.component]}"
    return text
