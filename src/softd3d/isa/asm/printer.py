"""Programs in the syntax of Microsoft's disassembler (D3DDisassemble 10.1).

Its six decimals lose bits, so a listing is for reading; it is equal to Microsoft's in every
character, so it is also for comparing.
"""

from __future__ import annotations

from softd3d.isa.asm import words as w
from softd3d.isa.asm.declaration import declaration_text
from softd3d.isa.asm.operand import operand_text
from softd3d.isa.asm.style import converted_sources, literal_separator, literal_writer
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import ExtendedOpcodeType, Opcode
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["format_instruction", "listing"]

_COMPONENTS = "xyzw"
_FULL_MASK = 15
_INDENT = "  "
_DEEPEST = 64  # Direct3D's limit of nesting; text must not grow with its square
_OPENS = frozenset({Opcode.IF, Opcode.ELSE, Opcode.LOOP, Opcode.SWITCH})
_CLOSES = frozenset({Opcode.ELSE, Opcode.ENDIF, Opcode.ENDLOOP, Opcode.ENDSWITCH})


def format_instruction(instruction: Instruction, program: Program) -> str:
    """Return the text of one instruction or declaration, without indentation."""
    row = TABLE[instruction.opcode]
    if row.kind is Kind.DECLARATION:
        return declaration_text(instruction, program)
    version = program.major, program.minor
    head = _mnemonic(instruction, row)
    if not instruction.operands:
        return head if instruction.opcode is Opcode.SYNC else f"{head} "
    texts = _operands(instruction, version)
    if instruction.opcode is Opcode.INTERFACE_CALL:
        texts[0] += "".join(f"[{site}]" for site in instruction.extra)
    return f"{head} {', '.join(texts)}"


def listing(program: Program, instruction_count: int | None = None) -> str:
    """Return the code part of a listing: version, declarations, instructions, footer.

    instruction_count: from the container's statistics; without it there is no footer.
    """
    lines = [program.profile]
    depth = 0
    for instruction in program.instructions:
        if instruction.opcode in _CLOSES:
            depth = max(depth - 1, 0)
        text = format_instruction(instruction, program)
        lines.append(_INDENT * min(depth, _DEEPEST) + text)
        if instruction.opcode in _OPENS:
            depth += 1
    if instruction_count is not None:
        lines.append(f"// Approximately {instruction_count} instruction slots used")
    return "\n".join(lines) + "\n"


def _operands(i: Instruction, version: tuple[int, int]) -> list[str]:
    write, separator = literal_writer(i.opcode), literal_separator(i.opcode)
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
        texts.append(operand_text(operand, version, write, separator, precision))
    return texts


def _mnemonic(i: Instruction, row: Row) -> str:
    """Return the opcode with everything that its controls and extended tokens add."""
    kinds = {t.EXTENDED_OPCODE_TYPE.get(token) for token in i.extended}
    has_offsets = ExtendedOpcodeType.SAMPLE_CONTROLS in kinds or any(i.texel_offsets)
    text = row.mnemonic
    text += "_aoffimmi" if has_offsets else ""
    text += "_indexable" if i.dimension is not None else ""
    text += _controls(i)
    if has_offsets:
        text += "({},{},{})".format(*i.texel_offsets)
    if i.dimension is not None:
        stride = f", stride={i.stride}" if i.stride else ""
        text += f"({w.word(w.DIMENSIONS, i.dimension, w.UNKNOWN_DIMENSION)}{stride})"
    if i.return_types:
        text += f"({','.join(w.word(w.RETURN_TYPES, kind) for kind in i.return_types)})"
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
