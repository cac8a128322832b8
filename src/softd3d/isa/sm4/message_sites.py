"""Find the shader messages of a program.

HLSL's printf and errorf are custom data (D3D11_SB_SHADER_MESSAGE_ID, _FORMAT): a format string and
operands of 32 bits, or 64 for doubles. The compiler hands on any format string, and takes scalars
only, eight of them at most.
"""

from __future__ import annotations

from softd3d.errors import LoweringError
from softd3d.isa.asm.sm4.message import read_message
from softd3d.isa.shader_message import MessageKind, MessageSite
from softd3d.isa.sm4.enums import CustomDataClass, Opcode, OperandType, SelectionMode
from softd3d.isa.sm4.program import Instruction, Operand, Program

__all__ = ["is_message", "message_sites"]

MAX_OPERANDS = 64
_TEXT, _PRINTF = 0, 1  # D3D11_SB_SHADER_MESSAGE_FORMAT


def is_message(i: Instruction) -> bool:
    """Tell whether an instruction makes a message."""
    return i.opcode in _PLAIN or i.custom_class == CustomDataClass.SHADER_MESSAGE


def message_sites(program: Program) -> tuple[MessageSite, ...]:
    """Return what the instructions say for which `is_message` is true, in their order.

    Raises:
        DecodeError: the payload is not a message.
        LoweringError: its id, its format or the number of its operands is not supported.
    """
    version = program.major, program.minor
    found = [i for i in program.instructions if is_message(i)]
    return tuple(_site(n, i, version) for n, i in enumerate(found))


def _site(number: int, i: Instruction, version: tuple[int, int]) -> MessageSite:
    if i.opcode in _PLAIN:
        kind, text = _PLAIN[i.opcode]
        return MessageSite(
            number, kind, text, is_format=False, operands=(), wide=(), location=i.location
        )
    id_, text, operands = read_message(i, version)
    kind = _KINDS.get(id_)
    if kind is None or i.custom[1] not in (_TEXT, _PRINTF):
        raise LoweringError(
            f"shader message {id_:#x} of format {i.custom[1]} is not supported yet", i.location
        )
    if len(operands) > MAX_OPERANDS:
        raise LoweringError(
            f"a shader message of {len(operands)} operands, at most {MAX_OPERANDS} are supported",
            i.location,
        )
    is_format = i.custom[1] == _PRINTF
    taken = tuple(operands) if is_format else ()
    wide = tuple(_is_double(operand) for operand in taken)
    return MessageSite(number, kind, text, is_format, taken, wide, i.location)


def _is_double(operand: Operand) -> bool:
    """Tell doubles from other scalars: they are swizzled .xyxy or .zwzw."""
    if operand.type is OperandType.IMMEDIATE64:
        return True
    is_pair = operand.selection in ((0, 1, 0, 1), (2, 3, 2, 3))
    return operand.components == 4 and operand.mode is SelectionMode.SWIZZLE and is_pair


# Those of the runtime before Direct3D 11 have other numbers.
_KINDS = {
    0x00200102: MessageKind.PRINTF,
    0x00200103: MessageKind.ERRORF,
    0x00200104: MessageKind.PRINTF,
    0x00200105: MessageKind.ERRORF,
}
_PLAIN = {
    Opcode.ABORT: (MessageKind.ABORT, "shader abort"),
    Opcode.DEBUG_BREAK: (MessageKind.DEBUG_BREAK, "debug break"),
}
