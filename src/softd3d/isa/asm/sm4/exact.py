"""Code that the assembler turns back into the same tokens, whatever they are.

Nearly always an instruction's text with exact literals says all, so the whole program is written
so and read back first. Only if something did not come back is each instruction read back by itself.
What its text has no words for is added to it: dwords that no rule explains as `{trailing ...}`; and
if that is not enough, the instruction is written as its dwords, `.tokens ...`, with its text as a
comment.
"""

from __future__ import annotations

from softd3d.errors import ShaderError
from softd3d.isa.asm.options import ListingOptions, Literals
from softd3d.isa.asm.sm4.parser import parse_instruction, parse_program
from softd3d.isa.asm.sm4.printer import format_instruction, indented_lines, program_code
from softd3d.isa.sm4.encode import encode, encode_instruction
from softd3d.isa.sm4.program import Instruction, Program

__all__ = ["EXACT", "exact_code", "sure_code"]

EXACT = ListingOptions(literals=Literals.EXACT)
"""The options of code that nearly always gives the program back; who has its bytes can compare."""


def exact_code(program: Program) -> str:
    """Return the code of a program as text; `parse_program` gives the same program back.

    Raises:
        AssemblyError: an instruction made by hand cannot be encoded.
    """
    code = program_code(program, EXACT).text()
    return code if _gives(code, encode(program)) else sure_code(program)


def sure_code(program: Program) -> str:
    """Return a text of which each instruction is known to give its dwords back."""
    return "\n".join(indented_lines(program, lambda i: _text(i, program))) + "\n"


def _gives(code: str, data: bytes) -> bool:
    try:
        return encode(parse_program(code)) == data
    except ShaderError:
        return False


def _text(i: Instruction, program: Program) -> str:
    text = format_instruction(i, program, EXACT)
    words = encode_instruction(i, (program.major, program.minor))
    if _words(text, program) == words:
        return text
    left_over = f"trailing {_listed(i.trailing)}".rstrip()
    trailing = f"{text.rstrip()} {{{left_over}}}"
    if _words(trailing, program) == words:
        return trailing
    comment = " ".join(text.split())
    return f".tokens {_listed(words)}  // {comment}"


def _words(text: str, program: Program) -> tuple[int, ...] | None:
    """Return the dwords that a text stands for, None if it stands for nothing."""
    version = program.major, program.minor
    try:
        return encode_instruction(parse_instruction(text, version, program.type), version)
    except ShaderError:
        return None


def _listed(words: tuple[int, ...]) -> str:
    return ", ".join([f"0x{word:08x}" for word in words])
