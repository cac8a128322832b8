"""Custom data of a text: immediate constant buffers, and messages as `message` lays them out."""

from __future__ import annotations

import re
import struct

from softd3d.isa.asm.diagnostic import Mistake, shown
from softd3d.isa.asm.lexer import split_operands
from softd3d.isa.asm.options import Dialect
from softd3d.isa.asm.sm4.parse_literal import literal_bits
from softd3d.isa.asm.sm4.parse_operand import Role, parse_operand
from softd3d.isa.sm4.encode import encode_instruction
from softd3d.isa.sm4.enums import CustomDataClass, Opcode
from softd3d.isa.sm4.message_sites import MAX_OPERANDS
from softd3d.isa.sm4.program import Instruction, Operand

__all__ = ["IMMEDIATE_BUFFER", "MESSAGES", "parse_immediate_buffer", "parse_message"]

IMMEDIATE_BUFFER = "dcl_immediateConstantBuffer"

MESSAGES = {name: number for number, name in Dialect.D3D10_1.habits.message_names.items()}
_FORMAT_IS_A_TEXT = 1  # what the compiler writes as the kind of format
_MESSAGE = re.compile(r'(\w+)\s*"((?:[^"\\]|\\.)*)"\s*')
_ROW = re.compile(r"\{([^{}]*)\}\s*,?\s*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_VERSION = (5, 0)  # of no matter for the encoding of operands


def parse_message(text: str, has_ranges: bool) -> Instruction:  # noqa: FBT001
    """Return the instruction of `printf "...", operands`.

    Raises:
        Mistake: there is no string, or an operand is wrong.
    """
    found = _MESSAGE.match(text)
    if found is None:
        raise Mistake("wanted a string in quotation marks", len(text.split(maxsplit=1)[0]))
    string = _unescaped(found.group(2), found.start(2))
    operands = _operands(text, found.end(), has_ranges)
    words: list[int] = []
    for operand in operands:  # encoded as that of any instruction, behind its one token
        words += encode_instruction(Instruction(Opcode.RET, (operand,)), _VERSION)[1:]
    characters = string + bytes(4 - len(string) % 4)  # one NUL at least
    head = (
        MESSAGES[found.group(1).lower()], _FORMAT_IS_A_TEXT, len(string), len(operands), len(words),
    )  # fmt: skip
    rest = struct.unpack(f"<{len(characters) // 4}I", characters)
    return Instruction(
        Opcode.CUSTOMDATA, custom_class=CustomDataClass.SHADER_MESSAGE,
        custom=(*head, *words, *rest),
    )  # fmt: skip


def _unescaped(text: str, at: int) -> bytes:
    def replaced(found: re.Match[str]) -> str:
        if found.group(1) not in _ESCAPES:
            raise Mistake(f"{shown(found.group())} is no escape", at + found.start())
        return _ESCAPES[found.group(1)]

    plain = _ESCAPE.sub(replaced, text)
    try:
        return plain.encode("latin-1")
    except UnicodeEncodeError as error:
        raise Mistake(f"{shown(plain[error.start])} is not Latin-1", at) from None


def _operands(text: str, at: int, has_ranges: bool) -> tuple[Operand, ...]:  # noqa: FBT001
    rest = text[at:]
    if not rest:
        return ()
    if rest[0] != ",":
        raise Mistake(f"wanted a comma, found {shown(rest[0])}", at)
    operands: list[Operand] = []
    for part in split_operands(rest)[1:]:
        at += 1
        try:
            operands.append(parse_operand(part.strip(), Role.READ, has_ranges))
        except Mistake as mistake:
            mistake.position += at + len(part) - len(part.lstrip())
            raise
        at += len(part)
    if len(operands) > MAX_OPERANDS:
        raise Mistake(f"a message of {len(operands)} operands, at most {MAX_OPERANDS}")
    return tuple(operands)


def parse_immediate_buffer(text: str) -> Instruction:
    """Read the rows `{ a, b, c, d}` in a pair of braces; commas between rows may be missing.

    Raises:
        Mistake: a row is wrong.
    """
    at = len(IMMEDIATE_BUFFER)
    start = text.find("{", at)
    end = text.rfind("}")
    if start < 0 or text[at:start].strip():
        raise Mistake("wanted a block in braces", at)
    if text.count("{") != text.count("}"):
        raise Mistake("{ is not closed", start)
    if text[end + 1 :].strip():
        raise Mistake(f"{shown(text[end + 1 :].strip())} is not understood here", end + 1)
    words: list[int] = []
    position = start + 1
    while position < end and text[position].isspace():
        position += 1
    while position < end:
        row = _ROW.match(text, position, end)
        if row is None:
            raise Mistake(f"wanted a row in braces, found {shown(text[position:end])}", position)
        words += _row_words(row.group(1), row.start(1))
        position = row.end()
    kind = CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER
    return Instruction(Opcode.CUSTOMDATA, custom_class=kind, custom=tuple(words))


def _row_words(text: str, at: int) -> list[int]:
    parts = text.split(",")
    try:
        words = [literal_bits(part.strip()) for part in parts]
    except Mistake:
        for part in parts:
            _literal(part.strip(), at + len(part) - len(part.lstrip()))
            at += len(part) + 1
        raise
    if len(words) != 4:
        raise Mistake(f"a row has four numbers, found {len(words)}", at)
    return words


def _literal(part: str, at: int) -> int:
    try:
        return literal_bits(part)
    except Mistake as mistake:
        raise Mistake(mistake.message, at) from None
