"""Programs in the syntax of Microsoft's disassembler (D3DDisassemble 10.1).

Its six decimals lose bits, so a listing is for reading; it is equal to Microsoft's in every
character, so it is also for comparing.
"""

from __future__ import annotations

from softd3d.isa.asm import words as w
from softd3d.isa.asm.declaration import declaration_text
from softd3d.isa.asm.operand import operand_text
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import ExtendedOpcodeType, Opcode, ResourceDimension
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["format_instruction", "listing"]

_COMPONENTS = "xyzw"
_FULL_MASK = 15
_INDENT = "  "
_OPENS = frozenset({Opcode.IF, Opcode.ELSE, Opcode.LOOP, Opcode.SWITCH})
_CLOSES = frozenset({Opcode.ELSE, Opcode.ENDIF, Opcode.ENDLOOP, Opcode.ENDSWITCH})

# Between the components of literals these write a comma without a space.
_TIGHT = frozenset(
    {Opcode.MOV, Opcode.MOVC, Opcode.SWAPC, Opcode.STORE_STRUCTURED, Opcode.STORE_UAV_TYPED,
     Opcode.STORE_RAW}
)  # fmt: skip


def format_instruction(instruction: Instruction, program: Program) -> str:
    """Return the text of one instruction or declaration, without indentation."""
    row = TABLE[instruction.opcode]
    if row.kind is Kind.DECLARATION:
        return declaration_text(instruction, program)
    version = program.major, program.minor
    head = _mnemonic(instruction, row)
    if not instruction.operands:
        return head if instruction.opcode is Opcode.SYNC else f"{head} "
    separator = "," if instruction.opcode in _TIGHT else ", "
    letters = [spec.letter for spec in (*row.destinations, *row.sources)]
    texts = [
        operand_text(operand, letter, version, separator)
        for operand, letter in zip(instruction.operands, letters, strict=False)
    ]
    if instruction.opcode is Opcode.INTERFACE_CALL:
        texts[0] += "".join(f"[{site}]" for site in instruction.extra)
    _add_precisions(instruction, letters, texts)
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
        lines.append(_INDENT * depth + text)
        if instruction.opcode in _OPENS:
            depth += 1
    if instruction_count is not None:
        lines.append(f"// Approximately {instruction_count} instruction slots used")
    return "\n".join(lines) + "\n"


def _mnemonic(i: Instruction, row: Row) -> str:
    """Return the opcode with everything that its controls and extended tokens add."""
    kinds = {t.EXTENDED_OPCODE_TYPE.get(token) for token in i.extended}
    has_offsets = ExtendedOpcodeType.SAMPLE_CONTROLS in kinds or any(i.texel_offsets)
    text = row.mnemonic
    text += "_aoffimmi" if has_offsets else ""
    text += "_indexable" if i.dimension is not None else ""
    text += _controls(i, row.controls)
    if has_offsets:
        text += "({},{},{})".format(*i.texel_offsets)
    if i.dimension is not None:
        is_structured = i.dimension is ResourceDimension.STRUCTURED_BUFFER
        stride = f", stride={i.stride}" if is_structured else ""
        text += f"({w.word(w.DIMENSIONS, i.dimension)}{stride})"
    if i.return_types:
        text += f"({','.join(w.word(w.RETURN_TYPES, kind) for kind in i.return_types)})"
    return text + _return_type(i, row.controls)


def _controls(i: Instruction, allowed: Controls) -> str:
    text = ""
    if Controls.SYNC in allowed:
        return "".join(word for flag, word in w.SYNC_FLAGS.items() if i.controls & flag)
    if Controls.TEST in allowed:
        text += "_nz" if i.is_nonzero_test else "_z"
    elif i.is_saturated and Controls.SATURATE in allowed:
        text += "_sat"
    if i.precise_mask:
        names = "".join(c for n, c in enumerate(_COMPONENTS) if i.precise_mask >> n & 1)
        text += " [precise]" if i.precise_mask == _FULL_MASK else f" [precise({names})]"
    return text


def _return_type(i: Instruction, allowed: Controls) -> str:
    if Controls.RESINFO_TYPE in allowed:
        return w.word(w.RESINFO_TYPES, t.RESINFO_TYPE.get(i.controls))
    if Controls.SAMPLEINFO_TYPE in allowed and t.SAMPLEINFO_TYPE.get(i.controls):
        return "_uint"
    return ""


def _add_precisions(i: Instruction, letters: list[str], texts: list[str]) -> None:
    """Append minimum precisions; a 32-bit source among others is marked as narrowed."""
    count = len(TABLE[i.opcode].destinations)
    sources = [o.min_precision for o in i.operands[count:]]
    narrow = next((w.MIN_PRECISIONS[p] for p in sources if p in w.MIN_PRECISIONS), None)
    for place, operand in enumerate(i.operands):
        precision = w.MIN_PRECISIONS.get(operand.min_precision)
        if precision is not None:
            texts[place] += f" {{{precision}}}"
        elif narrow is not None and place >= count and letters[place] in "fi":
            texts[place] += f" {{def32 as {narrow}}}"
