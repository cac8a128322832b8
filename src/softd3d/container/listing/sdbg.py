"""The listing's notes from an SDBG chunk: source lines, and what results mean.

A comment names each variable that a result belongs to and its components, numbered through all of
its members, with what the compiler knew of their values: `uv<0:[0f,1f],1:NaN:Inf>`.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import ROUND_HALF_UP, Decimal

from softd3d.container.debug.info import SourceLine, is_short_step
from softd3d.container.debug.sdbg import DebugComponent, DebugInstruction, DebugOutput, DebugTables
from softd3d.container.reflection.enums import ShaderVariableType
from softd3d.errors import ContainerError
from softd3d.isa.asm.options import Dialect, Habits
from softd3d.isa.asm.sm4.printer import InstructionNotes
from softd3d.isa.roles import PHASES, Flow
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import CustomDataClass, OperandType
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["sdbg_notes", "starts_function_body"]

MAX_TEXT_BYTES = 1 << 22
_COMPONENTS = "xyzw"
_SHOWN_DIGITS = 6
_ALL_UNSIGNED = (0, 0xFFFFFFFF)
_ALL_SIGNED = (-(1 << 31), (1 << 31) - 1)
_LARGEST_FLOAT = struct.unpack("<f", struct.pack("<I", 0x7F7FFFFF))[0]


def sdbg_notes(
    tables: DebugTables, program: Program, dialect: Dialect = Dialect.D3D10_1
) -> dict[int, InstructionNotes]:
    """Return what stands around the program's instructions, by their indices.

    Microsoft's disassembler counts the phases of hull shaders as instructions, which the tables
    do not: so there, notes stand too late, and instructions are left for which there are none.

    Raises:
        ContainerError: the comments take more than `MAX_TEXT_BYTES`.
    """
    writer = _Writer(tables, dialect.habits)
    notes: dict[int, InstructionNotes] = {}
    pending: tuple[str, ...] = ()
    size = 0
    for i in program.instructions:
        before, comment, after = writer.note(i)
        before = (*pending, *before)
        pending = after
        size += len(comment) + sum(map(len, before))
        if size > MAX_TEXT_BYTES:
            raise ContainerError(f"SDBG: its comments take more than {MAX_TEXT_BYTES} bytes")
        if before or comment:
            notes[i.index] = InstructionNotes(before, comment)
    if pending:
        notes[-1] = InstructionNotes(pending)
    return notes


class _Writer:
    """Writes the notes of one instruction after the other."""

    def __init__(self, tables: DebugTables, habits: Habits) -> None:
        self.tables = tables
        self.habits = habits
        self.number = 0
        self.last: SourceLine | None = None
        self.told: SourceLine | None = None

    def note(self, i: Instruction) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        """Return the lines before an instruction, its comment, the lines behind it."""
        is_message = i.custom_class == CustomDataClass.SHADER_MESSAGE
        row = TABLE[i.opcode]
        is_phase = row.declares in PHASES
        if is_message or is_phase:
            if not self.habits.notes_all:
                self.number += is_phase
                return self.habits.missing_record if is_message else ((), "", ())
        elif row.kind is Kind.DECLARATION:
            return (), "", ()
        self.number += 1
        if self.number > len(self.tables.instructions):
            return self.habits.missing_record
        record = self.tables.instructions[self.number - 1]
        comment = _comment(self.tables, record, self.habits)
        directive = self.directive(i, record)
        return ("", directive) if directive else (), comment, ()

    def directive(self, i: Instruction, record: DebugInstruction) -> str:
        """Return the `#line` of an instruction; some disassemblers leave out short ways."""
        if starts_function_body(i):
            self.last = None
        line = _source_line(self.tables, record)
        if line is None:
            return ""
        text = line.directive(self.last)
        if self.habits.skips_near_lines and self._is_near(line):
            text = ""
        self.last = line
        self.told = line if text else self.told
        return text

    def _is_near(self, line: SourceLine) -> bool:
        """Tell whether a line is near the last one and not far from the last one that was told."""
        if self.last is None or self.told is None or line.file != self.last.file:
            return False
        return is_short_step(line.line, self.last.line, self.told.line)


def starts_function_body(i: Instruction) -> bool:
    """Tell whether it is the label of a function body, where the file's name is told again."""
    return TABLE[i.opcode].flow is Flow.LABEL and i.operands[0].type is OperandType.FUNCTION_BODY


def _source_line(tables: DebugTables, record: DebugInstruction) -> SourceLine | None:
    if not 0 <= record.symbol < len(tables.symbols):
        return None
    symbol = tables.symbols[record.symbol]
    if not 0 <= symbol.file < len(tables.files):
        return None
    return SourceLine(record.number, tables.text(*tables.files[symbol.file].name), symbol.line)


def _comment(tables: DebugTables, record: DebugInstruction, habits: Habits) -> str:
    """Return the variables of an instruction's results with their components."""
    groups: list[tuple[str, list[str]]] = []
    for output in record.outputs[: max(record.output_count, 0)]:
        for component in _written(output):
            if not 0 <= component.variable < len(tables.variables):
                continue
            variable = tables.variables[component.variable]
            name = tables.symbol_name(variable.symbol) + _index_text(output)
            text = f"{variable.component}{_value_text(variable.type, component, habits)}"
            if groups and groups[-1][0] == name:
                groups[-1][1].append(text)
            else:
                groups.append((name, [text]))
    texts = (f"{name}<{','.join(components)}>" for name, components in groups)
    return f"// {', '.join(texts)}" if groups else ""


def _written(output: DebugOutput) -> list[DebugComponent]:
    if not output.register_type or output.register < 0:
        return []
    pairs = zip(output.written, output.components, strict=True)
    return [component for written, component in pairs if written >= 0]


def _index_text(output: DebugOutput) -> str:
    register, component = output.index
    return f"[r{register}.{_COMPONENTS[component & 3]}]" if register >= 0 else ""


def _value_text(type_: int, c: DebugComponent, habits: Habits) -> str:
    """Return what is known of a value, nothing if it can be any of its type."""
    signed = f":[{c.signed[0]},{c.signed[1]}]" if c.signed != _ALL_SIGNED else ""
    unsigned = f":[{c.unsigned[0]}u,{c.unsigned[1]}u]" if c.unsigned != _ALL_UNSIGNED else ""
    match type_:
        case ShaderVariableType.FLOAT:
            return _float_range_text(c, habits)
        case ShaderVariableType.INT:
            return f": {c.signed[0]}" if c.signed[0] == c.signed[1] else signed or unsigned
        case ShaderVariableType.UINT:
            is_constant = c.unsigned[0] == c.unsigned[1]
            return f": {c.unsigned[0]}u" if is_constant else unsigned or signed
        case ShaderVariableType.BOOL if c.unsigned[0] > 0:
            return ": true"
        case ShaderVariableType.BOOL if c.unsigned[1] == 0:
            return ": false"
        case _:
            return ""


def _float_range_text(c: DebugComponent, habits: Habits) -> str:
    """Return a float's range; its value, if the unsigned range is one value, as Microsoft does."""
    low, high = struct.unpack("<2f", struct.pack("<2I", *c.floats))
    if c.unsigned[0] == c.unsigned[1]:
        return f": {_float_text(low, habits)}f"
    text = (":NaN" if c.may_be_nan else "") + (":Inf" if c.may_be_infinite else "")
    is_bounded = low > -_LARGEST_FLOAT or high < _LARGEST_FLOAT  # false for NaN
    if c.may_be_nan or not is_bounded:
        return text
    return f"{text}:[{_float_text(low, habits)}f,{_float_text(high, habits)}f]"


def _float_text(value: float, habits: Habits) -> str:
    """Write a float as the old C library does with %g.

    >>> _float_text(1e10, Dialect.D3D10_1.habits)
    '1e+010'
    >>> [_float_text(1.015625, dialect.habits) for dialect in Dialect]
    ['1.01562', '1.01563', '1.01563']
    """
    if habits.has_old_numbers and math.isfinite(value):
        digits = Decimal(value)
        place = Decimal(1).scaleb(digits.adjusted() - _SHOWN_DIGITS + 1)
        value = float(digits.quantize(place, ROUND_HALF_UP))
    text = f"{value:g}"
    if "inf" in text:
        return text.replace("inf", "1.#INF")
    return re.sub(r"e([+-])(\d\d)\Z", r"e\g<1>0\2", text).replace("nan", "1.#QNAN")
