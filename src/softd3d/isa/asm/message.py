"""Shader messages: the printf and errorf of debug builds, which are custom data.

Payload: message id, kind of format, length of the string in bytes without its end, number of
operands, their dwords; then the operands and the string. D3D11_SB_SHADER_MESSAGE_ID.
"""

from __future__ import annotations

import struct

from softd3d.errors import DecodeError
from softd3d.isa.asm.operand import operand_text
from softd3d.isa.asm.options import Syntax
from softd3d.isa.sm4.operands import OperandReader
from softd3d.isa.sm4.program import Instruction, Operand

__all__ = ["message_text", "read_message"]

_NAMES = {0x00200102: "printf", 0x00200103: "errorf"}
_HEADER_DWORDS = 5
_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def read_message(i: Instruction, version: tuple[int, int]) -> tuple[str, str, list[Operand]]:
    """Return the name of a message instruction, its format string and its operands.

    Raises:
        DecodeError: the payload is not a message.
    """
    words = i.custom
    if len(words) < _HEADER_DWORDS or words[0] not in _NAMES:
        raise DecodeError("customdata: not a shader message", i.location)
    _, _, length, count, dwords = words[:_HEADER_DWORDS]
    end = _HEADER_DWORDS + dwords
    text = struct.pack(f"<{len(words)}I", *words)[4 * end :]
    if end > len(words) or count > dwords or length > len(text):
        raise DecodeError("customdata: the message leaves its block", i.location)
    reader = OperandReader(words, i.offset + 8, version)
    reader.instruction, reader.what = i.index, _NAMES[words[0]]
    reader.position, reader.end = _HEADER_DWORDS, end
    operands = [reader.operand(f"src{number}") for number in range(count)]
    return _NAMES[words[0]], text[:length].decode("latin-1"), operands


def message_text(i: Instruction, syntax: Syntax) -> str:
    """Return a message as the listing writes it."""
    try:
        name, text, operands = read_message(i, syntax.version)
    except DecodeError:
        return "undecipherable custom data"
    name = "<unknown>" if syntax.is_old else name
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    return ", ".join([f'{name} "{escaped}"', *(operand_text(o, syntax) for o in operands)])
