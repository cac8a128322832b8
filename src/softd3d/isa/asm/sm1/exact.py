"""SM1-3 code that the assembler turns back into the same tokens, whatever they are.

Nearly always an instruction's text with exact literals says all. What has no words is written as
its dwords: comments as `.comment ...`, and instructions that their own text does not give back as
`.tokens ...`, with that text behind. Bytes after the end token are `.trailing ...`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from softd3d.isa.asm.diagnostic import Mistake
from softd3d.isa.asm.numbers import exact_float_text, hex_text
from softd3d.isa.asm.sm1.listing import MARGIN, format_instruction, identity, margins
from softd3d.isa.asm.sm1.numbers import float_text
from softd3d.isa.asm.sm1.operand import predicate_text, source_text
from softd3d.isa.asm.sm1.parse_statement import parse_statement
from softd3d.isa.record import Bounded
from softd3d.isa.sm1.encode import encode
from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.program import Comment, Instruction, Program

__all__ = ["exact_code"]

_DWORDS_A_LINE = 8
_BYTES_A_LINE = 16
_EXPONENT = 0x7F800000
_MANTISSA = 0x007FFFFF
_MARK = "+"


def exact_code(program: Program) -> str:
    """Return the code of a program as text; `parse_sm1_program` gives the same program back.

    Raises:
        AssemblyError: an instruction made by hand cannot be encoded.

    >>> from softd3d.isa.sm1.enums import ProgramType
    >>> print(exact_code(Program(ProgramType.PS, 2, 0, (Comment(b"CTAB"),), bytes(1))))
        ps_2_0
        .comment 0x42415443  // CTAB
        .trailing 0x00
    <BLANKLINE>
    """
    instructions = [item for item in program.instructions if isinstance(item, Instruction)]
    before = margins(instructions)
    lines = [MARGIN + program.profile]
    for item in program.instructions:
        if isinstance(item, Comment):
            lines += _comment(item, program)
        else:
            lines.append(_line(item, next(before), program))
    for start in range(0, len(program.trailing), _BYTES_A_LINE):
        row = program.trailing[start : start + _BYTES_A_LINE]
        lines.append(f"{MARGIN}.trailing {', '.join([f'0x{byte:02x}' for byte in row])}")
    return "\n".join(lines) + "\n"


def _line(i: Instruction, margin: str, program: Program) -> str:
    known = _texts(program.type, program.major, program.minor)
    key = identity(i)
    found = known.get(key)
    if found is None:
        text = _text(i, program)
        found = known[key] = i, text, _reads_as((margin + text).strip(), i, program)
    _, text, is_exact = found
    if is_exact:
        return margin + text
    words = ", ".join(_hex(_words(i, program)))
    return f"{margin.replace(_MARK, ' ')}.tokens {words}  // {text}"


@cache
def _texts(
    _type: ProgramType, _major: int, _minor: int
) -> Bounded[tuple[int, ...], tuple[Instruction, str, bool]]:
    """Return the texts of a target's instructions by `identity`, and whether they are exact."""
    return Bounded(1 << 13)


def _text(i: Instruction, program: Program) -> str:
    """Return an instruction with exact literals, in the assembler's words."""
    text = format_instruction(i, program)
    if i.opcode is Opcode.DEF:
        register, _, _ = text.partition(",")
        return ", ".join([register, *map(_float, i.immediates)])
    if i.opcode is Opcode.BREAKP:  # which the disassembler mistakes for a break
        return f"{predicate_text(i, program)}breakp {source_text(i.sources[0], program)}"
    return text


def _float(bits: int) -> str:
    """Return a float32 as the assembler reads it; NaNs by their bits.

    Hex alone would be an integer, as Microsoft's assembler has it.
    """
    if bits & _EXPONENT != _EXPONENT:
        return exact_float_text(bits)
    return f"asfloat({hex_text(bits)})" if bits & _MANTISSA else float_text(bits)


def _reads_as(text: str, i: Instruction, program: Program) -> bool:
    """Tell whether a text stands for exactly this instruction."""
    try:
        statement = parse_statement(text, 0, program.type, program.version, i.index)
    except Mistake:
        return False
    return statement.end == len(text) and statement.item == replace(i, offset=0)


def _comment(comment: Comment, program: Program) -> Iterator[str]:
    """Yield the lines of a comment: its dwords, and which kind of comment it is."""
    words = _words(comment, program)
    name, words = (".tokens", words) if comment.reserved else (".comment", words[1:])
    texts = list(_hex(words))
    tag = comment.tag.decode("latin-1")
    note = f"  // {tag}" if len(tag) == len(comment.tag) and tag.isalnum() and tag.isascii() else ""
    for start in range(0, max(len(texts), 1), _DWORDS_A_LINE):
        row = ", ".join(texts[start : start + _DWORDS_A_LINE])
        head = name if not start else " " * len(name)
        comma = "," if start + _DWORDS_A_LINE < len(texts) else ""
        yield f"{MARGIN}{head} {row}{comma}".rstrip() + (note if not start else "")


def _words(item: Instruction | Comment, program: Program) -> Sequence[int]:
    """Return the dwords of an instruction or a comment."""
    stream = encode(replace(program, instructions=(item,), trailing=b""))
    return struct.unpack(f"<{len(stream) // 4}I", stream)[1:-1]


def _hex(words: Sequence[int]) -> Iterator[str]:
    return map(hex_text, words)
