"""Programs of SM1-3 in the syntax of Microsoft's disassembler (D3DDisassemble 10.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from softd3d.bits import sign_extend
from softd3d.isa.asm.sm1_numbers import float_text, integer_text
from softd3d.isa.asm.sm1_operand import destination_text, predicate_text, source_text
from softd3d.isa.asm.sm1_slots import slots_footer
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import (
    Opcode,
    ProgramType,
    ResultModifier,
    TexldControl,
    TextureType,
    Usage,
)
from softd3d.isa.sm1.program import Declaration, DestinationParameter, Instruction, Program

__all__ = ["Note", "format_instruction", "listing"]

_INDENT = "  "
_MARGIN = "    "
_COISSUE = "  + "
_DEEPEST = 64  # Direct3D allows 24; text must not grow with the square of the nesting
_OPENS = frozenset({Opcode.IF, Opcode.IFC, Opcode.ELSE, Opcode.LOOP, Opcode.REP})
_CLOSES = frozenset({Opcode.ELSE, Opcode.ENDIF, Opcode.ENDLOOP, Opcode.ENDREP})
_COMPARES = frozenset({Opcode.IFC, Opcode.BREAKC, Opcode.SETP})
_SHIFTS = {1: "_x2", 2: "_x4", 3: "_x8", -1: "_d2", -2: "_d4", -3: "_d8"}
_RESULT_MODIFIERS = {
    ResultModifier.SATURATE: "_sat",
    ResultModifier.PARTIALPRECISION: "_pp",
    ResultModifier.MSAMPCENTROID: "_centroid",
}
_TEXLD_ENDINGS: dict[int, str] = {TexldControl.PROJECT: "p", TexldControl.BIAS: "b"}
_TEXTURE_TYPES: dict[int, str] = {
    TextureType.TEXTURE_2D: "2d",
    TextureType.CUBE: "cube",
    TextureType.VOLUME: "volume",
}


@dataclass(frozen=True, slots=True)
class Note:
    """What debug information adds: a line before an instruction, a comment behind it."""

    before: str = ""
    behind: str = ""


_NO_NOTE = Note()


def format_instruction(i: Instruction, program: Program) -> str:
    """Return the text of one instruction, without indentation and co-issue mark."""
    texts: list[str] = []
    if i.destination is not None:
        texts.append(destination_text(i.destination, program))
    if i.opcode is Opcode.BREAKP:
        return _breakp(i, program)
    texts += [source_text(source, program) for source in i.sources]
    texts += _immediates(i)
    head = predicate_text(i, program) + _mnemonic(i, program)
    return f"{head} {', '.join(texts)}" if texts else head


def listing(program: Program, notes: Sequence[Note] = ()) -> str:
    """Return the code part of a listing: version, instructions, and the count of slots.

    notes: one for each instruction, comments not counted; may be fewer.
    """
    lines = [_MARGIN + program.profile]
    depth = 0
    instructions = [item for item in program.instructions if isinstance(item, Instruction)]
    for item, note in zip(instructions, chain(notes, repeat(_NO_NOTE)), strict=False):
        if item.opcode in _CLOSES:
            depth = max(depth - 1, 0)
        lines += ["", note.before] if note.before else []
        lines.append(_line(item, program, depth, note))
        if item.opcode in _OPENS:
            depth += 1
    return "\n".join([*lines, "", slots_footer(program)]) + "\n"


def _line(i: Instruction, program: Program, depth: int, note: Note) -> str:
    margin = _COISSUE if i.is_coissued else _MARGIN
    text = _INDENT * min(depth, _DEEPEST) + margin + format_instruction(i, program)
    return f"{text}  // {note.behind}" if note.behind else text


def _breakp(i: Instruction, program: Program) -> str:
    """Return what Microsoft's disassembler makes of breakp: a break with a destination.

    It takes the source's swizzle and modifier for a mask and result modifiers.
    """
    source = i.sources[0]
    x, y, z, w = source.swizzle
    taken = DestinationParameter(
        source.type,
        source.number,
        x | y << 2,
        ResultModifier(z | w << 2),
        sign_extend(source.modifier, 4),
        source.relative,
    )
    return f"break{_result_modifiers(taken)} {destination_text(taken, program)}"


def _mnemonic(i: Instruction, program: Program) -> str:
    row = t.row_of(i.opcode, program.type, program.version)
    text = row.mnemonic if row is not None else ""
    if i.declaration is not None:
        text += _declared(i.declaration, program)
    if i.opcode in _COMPARES and i.comparison is not None:
        text += f"_{i.comparison.name.lower()}"
    if i.opcode is Opcode.TEX and program.version >= (2, 0):
        text += _TEXLD_ENDINGS.get(i.controls, "")
    return text if i.destination is None else text + _result_modifiers(i.destination)


def _result_modifiers(p: DestinationParameter) -> str:
    text = _SHIFTS.get(p.shift, "")
    return text + "".join(ending for bit, ending in _RESULT_MODIFIERS.items() if bit in p.modifiers)


def _declared(d: Declaration, program: Program) -> str:
    """Return what dcl says a register is for: a texture type, a semantic, or nothing."""
    if d.texture_type != TextureType.UNKNOWN:
        return "_" + _TEXTURE_TYPES.get(d.texture_type, "unknown")
    if program.type is ProgramType.PS and not d.usage and not d.usage_index:
        return ""
    usage = d.usage.name.lower() if isinstance(d.usage, Usage) else "unknown"
    return f"_{usage}{d.usage_index or ''}"


def _immediates(i: Instruction) -> list[str]:
    if i.opcode is Opcode.DEF:
        return [float_text(bits) for bits in i.immediates]
    if i.opcode is Opcode.DEFB:
        return ["true" if any(i.immediates) else "false"]
    return [integer_text(bits) for bits in i.immediates]
