"""One statement of a text to an instruction: head, operands, raw dwords."""

from __future__ import annotations

import re
import struct
from dataclasses import replace

from softd3d.errors import AssemblyError, DecodeError, Location
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.lexer import split_operands
from softd3d.isa.asm.sm4.parse_custom_data import (
    IMMEDIATE_BUFFER,
    MESSAGES,
    parse_immediate_buffer,
    parse_message,
)
from softd3d.isa.asm.sm4.parse_declaration import parse_declaration
from softd3d.isa.asm.sm4.parse_head import HEAD, Head, full_head, simple_head
from softd3d.isa.asm.sm4.parse_operand import parse_operand
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import Opcode, OperandType, ProgramType
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["parse_instruction", "parse_statement"]

_LONGEST = 4096  # characters of a statement that has operands; bounds the search for commas
_RANGES_SINCE = (5, 1)

_TRAILING = re.compile(r"\{\s*trailing\b([^{}]*)\}\s*\Z")
_RAW = ".tokens"
_DATA = re.compile(
    rf"({re.escape(_RAW)}|{IMMEDIATE_BUFFER}|{'|'.join(MESSAGES)}|undecipherable\s+custom\s+data)\b",
    re.IGNORECASE,
)
_HEX_DWORD = re.compile(r"0[xX][0-9a-fA-F]{1,8}\Z")
_MISSING_COMMA = re.compile(r"\s*[-|\w.\[\]]+\s+(?=[-|A-Za-z])")
_LOOSE_DWORD = re.compile(r"(?:0[xX])?([0-9a-fA-F]{1,8})(?![^\s,])|[^\s,]+")
_LAST_BRACKET = re.compile(r"(.*\])\s*\[\s*(\d+)\s*\]\Z")


def parse_instruction(line: str, version: tuple[int, int], stage: ProgramType) -> Instruction:
    """Return the instruction or declaration of one line, which has neither comment nor number.

    version, stage: of the program that it belongs to.

    Raises:
        AssemblyError: with the column where the line is wrong.

    >>> parse_instruction("mov r0.x, l(1)", (5, 0), ProgramType.PS).opcode.name
    'MOV'
    """
    text = line.strip()
    try:
        return parse_statement(text, version, stage, 0)
    except Mistake as mistake:
        column = line.find(text) + mistake.position + 1
        raise AssemblyError(mistake.message, Location(line=1, column=column)) from None


def parse_statement(
    text: str, version: tuple[int, int], stage: ProgramType, index: int
) -> Instruction:
    """Return the instruction of a statement; `index` is its place in the program.

    Raises:
        Mistake: with the position in the statement.
    """
    trailing: tuple[int, ...] | None = None
    if text[-1:] == "}":
        text, trailing = _trailing(text)
    name, _, rest = text.partition(" ")
    head = None if name[:4] == "dcl_" else simple_head(name)
    if head is None or rest[:1] in ("[", "("):
        return _other(text, version, stage, index, trailing)
    roles, has_ranges = head.roles, version >= _RANGES_SINCE
    parts = split_operands(rest) if len(text) <= _LONGEST else []
    if len(parts) != len(roles) or not roles or not head.is_plain:
        return _general(head, text, len(name) + 1, version, index, trailing)
    try:
        operands = tuple(
            [parse_operand(p.strip(), r, has_ranges) for p, r in zip(parts, roles, strict=True)]
        )
    except Mistake:
        return _general(head, text, len(name) + 1, version, index, trailing)
    return _build(head, operands, (), trailing, index)


def _build(
    head: Head, operands: tuple[Operand, ...], extra: tuple[int, ...],
    trailing: tuple[int, ...] | None, index: int,
) -> Instruction:  # fmt: skip
    if trailing is None:
        trailing = _usual_trailing(head.opcode, operands)
    return Instruction(
        head.opcode, operands, head.controls, extra, None, (), head.texel_offsets, head.dimension,
        head.stride, head.return_types, head.extended, trailing, index,
    )  # fmt: skip


def _usual_trailing(opcode: Opcode, operands: tuple[Operand, ...]) -> tuple[int, ...]:
    """Return dwords that Microsoft's compiler always leaves behind the operands."""
    if opcode is Opcode.SAMPLE_POS and operands[1].type is OperandType.RESOURCE:
        return (0,)
    return ()


def _trailing(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Cut `{trailing ...}` off a statement and return its dwords, None if there is none."""
    found = _TRAILING.search(text)
    if found is None:
        return text, None
    return text[: found.start()].rstrip(), _dwords(found.group(1), found.start(1))


def _dwords(text: str, at: int) -> tuple[int, ...]:
    words: list[int] = []
    if not text.strip():
        return ()
    for part in text.split(","):
        word = part.strip()
        if not _HEX_DWORD.match(word):
            place = at + len(part) - len(part.lstrip())
            raise Mistake(f"wanted a dword such as 0x0000002a, found {shown(word)}", place)
        words.append(int(word, 16))
        at += len(part) + 1
    return tuple(words)


def _other(
    text: str, version: tuple[int, int], stage: ProgramType, index: int,
    trailing: tuple[int, ...] | None,
) -> Instruction:  # fmt: skip
    """Parse what the quick way does not know: declarations, data, heads with blanks, mistakes."""
    data = _data(text, version, stage)
    if data is not None:
        if trailing is not None:
            raise Mistake("data has no trailing dwords", len(text))
        return replace(data, index=index, offset=0)
    found = HEAD.match(text)
    if found is None:
        word = text.split(maxsplit=1)[0]
        if word[0] == ".":
            raise Mistake(f"{shown(word)} is no instruction{suggestion(word, [_RAW])}")
        raise Mistake(f"wanted an instruction, found {shown(word)}")
    if len(text) > _LONGEST:
        raise Mistake(f"a statement of {len(text)} characters, at most {_LONGEST}")
    name, end = found.group(1).lower(), found.end()
    if name.startswith("dcl_") or (name.startswith("hs_") and name in TABLE.by_mnemonic):
        declared = parse_declaration(text, version)
        return replace(declared, index=index, trailing=trailing or ())
    if text[end : end + 1] == "(":
        raise Mistake("( is not closed", end)
    head = full_head(found)
    if len(text) > end and not text[end].isspace():
        raise Mistake(f"{shown(text[end])} is not understood here", end)
    return _general(head, text, end, version, index, trailing)


def _data(text: str, version: tuple[int, int], stage: ProgramType) -> Instruction | None:
    """Return the custom data or raw instruction that a statement is, None if it is neither."""
    found = _DATA.match(text)
    if found is None:
        return None
    name, end = found.group(1).lower(), found.end(1)
    if name == IMMEDIATE_BUFFER.lower():
        return parse_immediate_buffer(text)
    if name in MESSAGES:
        return parse_message(text, version >= _RANGES_SINCE)
    is_raw = name == _RAW
    words = _dwords(text[end:], end) if is_raw else _loose_dwords(text[end:], end)
    return _decoded(words, end, version, stage)


def _loose_dwords(text: str, at: int) -> tuple[int, ...]:
    """Read dwords in hex between blanks, as 3Dmigoto adds them to Microsoft's text."""
    if not text.strip():
        raise Mistake("the custom data is not in the text")
    words: list[int] = []
    for found in _LOOSE_DWORD.finditer(text):
        if found.group(1) is None:
            raise Mistake(
                f"wanted a dword in hex, found {shown(found.group())}", at + found.start()
            )
        words.append(int(found.group(1), 16))
    return tuple(words)


def _decoded(
    words: tuple[int, ...], at: int, version: tuple[int, int], stage: ProgramType
) -> Instruction:
    """Decode the dwords of exactly one instruction, which stand at a position of the text."""
    number = t.VERSION_MAJOR.put(version[0]) | t.VERSION_MINOR.put(version[1])
    stream = (number | t.VERSION_TYPE.put(stage), t.HEADER_DWORDS + len(words), *words)
    try:
        instructions = decode(struct.pack(f"<{len(stream)}I", *stream)).instructions
    except DecodeError as error:
        raise Mistake(f"the dwords are no instruction: {error.message}", at) from None
    if len(instructions) != 1:
        raise Mistake(f"wanted the dwords of one instruction, found {len(instructions)}", at)
    return instructions[0]


def _general(
    head: Head, text: str, start: int, version: tuple[int, int], index: int,
    trailing: tuple[int, ...] | None,
) -> Instruction:  # fmt: skip
    """Parse the operands of any instruction, and say where they are wrong."""
    if len(text) > _LONGEST:
        raise Mistake(f"a statement of {len(text)} characters, at most {_LONGEST}")
    rest, extra = text[start:], tuple[int, ...]()
    if head.opcode is Opcode.INTERFACE_CALL:
        site = _LAST_BRACKET.match(rest)
        if site is None:
            raise Mistake("fcall needs a method in brackets at its end", len(text))
        rest, extra = site.group(1), (int(site.group(2)[:10]),)
    parts = split_operands(rest) if rest.strip() else []
    _check_operand_count(head, text, start, parts)
    operands: list[Operand] = []
    for part, role in zip(parts, head.roles, strict=True):
        try:
            operands.append(parse_operand(part.strip(), role, version >= _RANGES_SINCE))
        except Mistake as mistake:
            at = start + len(part) - len(part.lstrip())
            raise Mistake(f"{mistake.message}", at + mistake.position) from None
        start += len(part) + 1
    return _build(head, tuple(operands), extra, trailing, index)


def _check_operand_count(head: Head, text: str, start: int, parts: list[str]) -> None:
    wanted = len(head.roles)
    if len(parts) == wanted:
        return
    row = TABLE[head.opcode]
    results = f" ({len(row.destinations)} written, {len(row.sources)} read)" if wanted > 1 else ""
    plural = "operand" if wanted == 1 else "operands"
    at = len(text)
    for part in parts if len(parts) < wanted else ():
        gap = _MISSING_COMMA.match(part)
        if gap is not None:
            raise Mistake(f"wanted a comma before {shown(part[gap.end() :])}", start + gap.end())
        start += len(part) + 1
    if len(parts) > wanted:
        before = sum(len(part) + 1 for part in parts[:wanted])
        extra = text[start + before :]
        at = start + before + len(extra) - len(extra.lstrip())
    raise Mistake(
        f"{row.mnemonic} takes {wanted or 'no'} {plural}{results}, found {len(parts)}", at
    )
