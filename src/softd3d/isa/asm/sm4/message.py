"""Shader messages: the printf and errorf of debug builds, which are custom data.

Payload: message id, format of the string, its length in bytes without its end, number of operands,
their dwords; then the operands and the string. D3D11_SB_SHADER_MESSAGE_ID, _FORMAT.
"""

from __future__ import annotations

import struct

from softd3d.errors import DecodeError
from softd3d.isa.asm.options import Literals, Syntax
from softd3d.isa.asm.sm4.operand import operand_text
from softd3d.isa.sm4.operands import OperandReader
from softd3d.isa.sm4.program import Instruction, Operand

__all__ = ["message_text", "read_message"]

_UNKNOWN = "<unknown>"
_HEADER_DWORDS = 5
_ANSI_TEXT = 1
_EXACT_ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"})
# Those of the Microsoft disassembler, which writes a point for what cannot be shown
_ESCAPES = str.maketrans(
    {chr(code): "." for code in (*range(32), *range(128, 256))}
    | {"\b": "\\b", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
)


def read_message(i: Instruction, version: tuple[int, int]) -> tuple[int, str, list[Operand]]:
    """Return the id of a message instruction, its format string and its operands.

    Raises:
        DecodeError: the payload is not a message.
    """
    words = i.custom
    if len(words) < _HEADER_DWORDS:
        raise DecodeError("customdata: not a shader message", i.location)
    message, _, length, count, dwords = words[:_HEADER_DWORDS]
    end = _HEADER_DWORDS + dwords
    text = struct.pack(f"<{len(words)}I", *words)[4 * end :]
    if end > len(words) or count > dwords or length >= len(text):
        raise DecodeError("customdata: the message leaves its block", i.location)
    reader = OperandReader(words, i.offset + 8, version)
    reader.instruction, reader.what = i.index, "message"
    reader.position, reader.end = _HEADER_DWORDS, end
    operands = [reader.operand(f"src{number}") for number in range(count)]
    if reader.position != end:
        raise DecodeError("customdata: the message's operands have another length", i.location)
    return message, text.partition(b"\0")[0].decode("latin-1"), operands


def message_text(i: Instruction, syntax: Syntax) -> str:
    """Return a message as the listing writes it.

    Microsoft's knows nothing of formats but one: it leaves the characters of others as they are.
    """
    try:
        message, text, operands = read_message(i, syntax.version)
    except DecodeError:
        return "undecipherable custom data"
    name = syntax.habits.message_names.get(message, _UNKNOWN)
    if syntax.literals is Literals.EXACT:
        text = text.translate(_EXACT_ESCAPES)
    elif i.custom[1] == _ANSI_TEXT:
        text = text.translate(_ESCAPES)
    else:
        name = _UNKNOWN
    return ", ".join([f'{name} "{text}"', *(operand_text(o, syntax) for o in operands)])
