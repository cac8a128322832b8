"""Programs in the syntax of Microsoft's disassembler (D3DDisassemble 10.1, or an older one).

Its six decimals lose bits, so a plain listing is for reading; it is equal to Microsoft's in every
character, so it is also for comparing. With exact literals it can be assembled again.

Programs repeat themselves: most instructions of a shader have been seen before, in it or in
another, and nearly all operands. So the texts of instructions are kept by their bytes, and those
that are known are not even decoded; a printer keeps the texts of operands and mnemonics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from softd3d.classes import dataclass
from softd3d.isa.asm.numbers import LiteralKind
from softd3d.isa.asm.options import PLAIN, ListingOptions, Syntax, line_prefix
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.declaration import declaration_text
from softd3d.isa.asm.sm4.operand import component_text, declared_text, operand_text
from softd3d.isa.asm.sm4.style import converted_sources, literal_kind, literal_separator
from softd3d.isa.record import Bounded
from softd3d.isa.roles import BLOCK_ENDS, BLOCK_STARTS, Flow
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.decode import TokenStream
from softd3d.isa.sm4.enums import CustomDataClass, ExtendedOpcodeType, Opcode
from softd3d.isa.sm4.limits import MAX_NESTING
from softd3d.isa.sm4.program import Instruction, Operand, Program, Target
from softd3d.isa.sm4.rows.table import TABLE

__all__ = [
    "Code",
    "InstructionNotes",
    "format_instruction",
    "indented_lines",
    "listing",
    "operand_texts",
    "program_code",
    "token_code",
]

_COMPONENTS = "xyzw"
_FULL_MASK = 15
_INDENT = "  "
_DEEPEST = MAX_NESTING  # text must not grow with the square of what a wrong program nests
_INDENTS = tuple(_INDENT * depth for depth in range(_DEEPEST + 1))
_OPENS = TABLE.opcodes({*BLOCK_STARTS, Flow.ELSE})
_CLOSES = TABLE.opcodes({*BLOCK_ENDS, Flow.ELSE})
_PHASES = frozenset({Opcode.HS_CONTROL_POINT_PHASE, Opcode.HS_FORK_PHASE, Opcode.HS_JOIN_PHASE})
_NO_OFFSETS = (0, 0, 0)
_HEADER_BYTES = 4 * t.HEADER_DWORDS
_MOST_TEXTS = 1 << 16  # of a kind that a printer keeps
_MOST_LINES = 1 << 15


@dataclass(frozen=True, slots=True)
class InstructionNotes:
    """What stands around an instruction. before: lines above it. comment: what follows it."""

    before: tuple[str, ...] = ()
    comment: str = ""


def format_instruction(
    instruction: Instruction, target: Target, options: ListingOptions = PLAIN
) -> str:
    """Return the text of one instruction or declaration, without indentation."""
    return _printer_of(target, options).instruction(instruction)


def operand_texts(instruction: Instruction, target: Target) -> list[str]:
    """Return the text of each operand, as it stands in the instruction's text."""
    return _printer_of(target, PLAIN).operands(instruction)


@dataclass(slots=True)
class Code:
    """A program as text. lines: version and instructions. global_flags: the bits of all dcls."""

    target: Target
    lines: list[str]
    global_flags: int

    def text(self, instruction_count: int | None = None) -> str:
        """Return the lines with a footer, if a number is given for it."""
        lines = self.lines
        if instruction_count is not None:
            lines = [*lines, f"// Approximately {instruction_count} instruction slots used"]
        return "\n".join(lines) + "\n"


def listing(
    program: Program,
    instruction_count: int | None = None,
    options: ListingOptions = PLAIN,
    notes: Mapping[int, InstructionNotes] | None = None,
) -> str:
    """Return the code part of a listing: version, declarations, instructions, footer.

    instruction_count: from the container's statistics; without it there is no footer. notes: by
    the instructions' indices; index -1 has what follows the last one.
    """
    return program_code(program, options, notes).text(instruction_count)


def program_code(
    program: Program,
    options: ListingOptions = PLAIN,
    notes: Mapping[int, InstructionNotes] | None = None,
) -> Code:
    """Return a program's code; notes: as for `listing`."""
    texts = indented_lines(program, _printer_of(program, options).instruction)
    if options.numbers or options.offsets:
        texts = [p + text for p, text in zip(_prefixes(program, options), texts, strict=True)]
    if notes:
        texts = _annotated(texts, notes)
    flags = 0
    for i in program.instructions:
        flags |= _global_flags(i)
    return Code(program, texts, flags)


def token_code(stream: TokenStream, options: ListingOptions = PLAIN) -> Code:
    """Return the code of a program that is not decoded yet, without numbers and offsets.

    Raises:
        DecodeError: a length is wrong, or a number in a token has no meaning.
    """
    printer = _printer_of(stream.target, options)
    known = printer.lines
    flags = 0

    def lines() -> Iterator[_Line]:
        nonlocal flags
        for number, (place, own) in enumerate(stream.spans()):
            found = known.get(own)
            if found is None:
                i = stream.instruction(place, number)
                found = _line(i, printer.instruction(i)), _global_flags(i)
                if own:
                    known[own] = found
            line, its_flags = found
            flags |= its_flags
            yield line

    texts = _indented(stream.target.profile, lines())
    return Code(stream.target, texts, flags)


def _global_flags(i: Instruction) -> int:
    return i.controls if i.opcode is Opcode.DCL_GLOBAL_FLAGS else 0


_Line = tuple[str, bool, bool]
"""A text, whether it ends a block, and whether it opens one."""


def _line(i: Instruction, text: str) -> _Line:
    return text, i.opcode in _CLOSES, i.opcode in _OPENS


def indented_lines(program: Program, write: Callable[[Instruction], str]) -> list[str]:
    """Return the version and a text for each instruction, indented by depth of nesting."""
    return _indented(program.profile, (_line(i, write(i)) for i in program.instructions))


def _indented(profile: str, lines: Iterable[_Line]) -> list[str]:
    texts = [profile]
    depth = 0
    for text, closes, opens in lines:
        if closes and depth:
            depth -= 1
        texts.append(_INDENTS[min(depth, _DEEPEST)] + text if depth else text)
        if opens:
            depth += 1
    return texts


def _prefixes(program: Program, options: ListingOptions) -> Iterable[str]:
    """Yield what stands before the version and each instruction: numbers, offsets."""
    start = program.instructions[0].offset - _HEADER_BYTES if program.instructions else 0
    number = 0
    yield line_prefix(None, 0, options)
    for i in program.instructions:
        is_numbered = _is_numbered(i)
        yield line_prefix(number if is_numbered else None, i.offset - start, options)
        number += is_numbered


def _is_numbered(i: Instruction) -> bool:
    if i.opcode is Opcode.CUSTOMDATA:
        return i.custom_class == CustomDataClass.SHADER_MESSAGE
    return TABLE[i.opcode].kind is not Kind.DECLARATION or i.opcode in _PHASES


def _annotated(texts: list[str], notes: Mapping[int, InstructionNotes]) -> list[str]:
    result = texts[:1]
    nothing = InstructionNotes()
    for index, text in enumerate(texts[1:]):
        note = notes.get(index, nothing)
        result += note.before
        result.append(f"{text}  {note.comment}" if note.comment else text)
    return result + list(notes.get(-1, nothing).before)


def _printer_of(target: Target, options: ListingOptions) -> _Printer:
    return _printer(Syntax((target.major, target.minor), options.dialect, options.literals))


# Operands' texts by identity; each with its operand, which must live as long as its key
_Texts = Bounded[int, tuple[Operand, str]]


@dataclass(frozen=True, slots=True)
class _Form:
    """What instructions that differ in operands only have in common.

    texts: of operands, which all forms share that write literals alike.
    """

    head: str
    kind: LiteralKind
    separator: str
    texts: _Texts


class _Printer:
    """Writes the instructions of one syntax."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.habits = syntax.habits
        self.forms: Bounded[tuple[object, ...], _Form] = Bounded(_MOST_TEXTS)
        self.texts: dict[tuple[LiteralKind, str], _Texts] = {}
        # Lines by the bytes of their instructions, each with its global flags
        self.lines: Bounded[bytes, tuple[_Line, int]] = Bounded(_MOST_LINES)

    def instruction(self, i: Instruction) -> str:
        """Return the text of an instruction, without indentation."""
        key: tuple[object, ...] = (i.opcode, i.controls)
        if i.extended or i.dimension is not None or i.texel_offsets != _NO_OFFSETS:
            key += (i.extended, i.texel_offsets, i.dimension, i.stride, i.return_types)
        form = self.forms.get(key)
        if form is None:
            row = TABLE[i.opcode]
            if row.kind is Kind.DECLARATION:
                return declaration_text(i, self.syntax)
            form = self._form(i, row)
            self.forms[key] = form
        operands = i.operands
        if not operands:
            return form.head
        texts = form.texts
        parts: list[str] = []
        for operand in operands:
            known = texts.get(id(operand))
            if known is None:
                if operand.min_precision and self.habits.has_precisions:
                    return self._assembled(i, form, self._precise(i, form))
                known = self._remember(operand, form)
            parts.append(known[1])
        return self._assembled(i, form, parts)

    def operands(self, i: Instruction) -> list[str]:
        """Return the text of each operand of an instruction or declaration."""
        row = TABLE[i.opcode]
        if row.kind is Kind.DECLARATION:
            return [declared_text(o, self.syntax) + component_text(o) for o in i.operands]
        form = self._form(i, row)
        if any(o.min_precision for o in i.operands) and self.habits.has_precisions:
            return self._precise(i, form)
        return [operand_text(o, self.syntax, form.kind, form.separator) for o in i.operands]

    def _assembled(self, i: Instruction, form: _Form, parts: list[str]) -> str:
        if i.opcode is Opcode.INTERFACE_CALL:
            parts[0] += "".join(f"[{site}]" for site in i.extra)
        return f"{form.head} {', '.join(parts)}"

    def _form(self, i: Instruction, row: Row) -> _Form:
        head = _mnemonic(i, row, self.syntax)
        if not i.operands and i.opcode is not Opcode.SYNC:
            head += " "
        kind = literal_kind(i.opcode, self.habits)
        separator = literal_separator(i.opcode)
        texts = self.texts.setdefault((kind, separator), Bounded(_MOST_TEXTS))
        return _Form(head, kind, separator, texts)

    def _remember(self, operand: Operand, form: _Form) -> tuple[Operand, str]:
        text = operand_text(operand, self.syntax, form.kind, form.separator)
        known = form.texts[id(operand)] = operand, text
        return known

    def _precise(self, i: Instruction, form: _Form) -> list[str]:
        """Return the operands' texts with their minimum precisions."""
        first_source = len(TABLE[i.opcode].destinations)
        converted = converted_sources(i.opcode)
        target = i.operands[0].min_precision
        texts: list[str] = []
        for place, operand in enumerate(i.operands):
            found = operand.min_precision
            precision = f" {{{w.precision(found)}}}" if found else ""
            source = place - first_source
            if 0 <= source < len(converted) and converted[source] and found != target:
                precision = f" {{{w.precision(found)} as {w.precision(target)}}}"
            texts.append(operand_text(operand, self.syntax, form.kind, form.separator, precision))
        return texts


@lru_cache(maxsize=32)
def _printer(syntax: Syntax) -> _Printer:
    return _Printer(syntax)


def _mnemonic(i: Instruction, row: Row, syntax: Syntax) -> str:
    """Return the opcode with everything that its controls and extended tokens add."""
    kinds = {t.EXTENDED_OPCODE_TYPE.get(token) for token in i.extended}
    has_offsets = ExtendedOpcodeType.SAMPLE_CONTROLS in kinds or any(i.texel_offsets)
    text = row.mnemonic
    text += "_aoffimmi" if has_offsets and syntax.habits.has_offset_word else ""
    text += "_indexable" if i.dimension is not None else ""
    text += _controls(i)
    if has_offsets:
        text += "({},{},{})".format(*i.texel_offsets)
    if i.dimension is not None:
        stride = f", stride={i.stride}" if i.stride else ""
        text += f"({w.word(w.DIMENSIONS, i.dimension, w.UNKNOWN_DIMENSION)}{stride})"
    if i.return_types:
        text += f"({','.join(w.word(w.RETURN_TYPES, kind) for kind in i.return_types)})"
    if i.opcode is Opcode.DISCARD and not syntax.habits.has_discard_test:
        return text
    return text + _ending(i, row.controls)


def _controls(i: Instruction) -> str:
    """Return saturation and precise; the former's bit also is one of sync, which is not spared."""
    text = "_sat" if i.is_saturated else ""
    if i.precise_mask:
        names = "".join(c for n, c in enumerate(_COMPONENTS) if i.precise_mask >> n & 1)
        text += " [precise]" if i.precise_mask == _FULL_MASK else f" [precise({names})]"
    return text


def _ending(i: Instruction, allowed: Controls) -> str:
    """Return what the controls of few opcodes add."""
    if Controls.TEST in allowed:
        return "_nz" if i.is_nonzero_test else "_z"
    if Controls.SYNC in allowed:
        return w.sync_ending(i.controls)
    if Controls.RESINFO_TYPE in allowed:
        return w.RESINFO_TYPES.get(t.RESINFO_TYPE.get(i.controls), "")
    if Controls.SAMPLEINFO_TYPE in allowed:
        return w.SAMPLEINFO_TYPES.get(t.RESINFO_TYPE.get(i.controls), "")
    return ""
