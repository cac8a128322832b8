"""Operands in the listing's syntax: registers, indices, masks, modifiers, literals."""

from __future__ import annotations

from softd3d.isa.asm import words as w
from softd3d.isa.asm.numbers import (
    double_text,
    float_text,
    integer_text,
    unsigned_text,
    untyped_text,
)
from softd3d.isa.sm4.enums import OperandModifier, OperandType, SelectionMode
from softd3d.isa.sm4.program import Index, Operand

__all__ = ["declared_text", "operand_text", "register_text"]

_COMPONENTS = "xyzw"
UNBOUNDED = 0xFFFFFFFF
_RANGE_INDICES = 3  # id, lower and upper bound

# How the letters of signatures print literals
_LITERALS = {
    "f": float_text, "x": float_text, "d": float_text, "i": integer_text, "u": unsigned_text,
    "c": unsigned_text, "a": integer_text, "m": unsigned_text, "b": untyped_text,
}  # fmt: skip


def operand_text(
    operand: Operand, letter: str, version: tuple[int, int], separator: str = ", "
) -> str:
    """Return an operand with its modifiers.

    letter: of the row's signature, says what kind of number a literal is. separator: between the
    components of a literal.
    """
    if operand.type is OperandType.IMMEDIATE32:
        write = _LITERALS.get(letter, untyped_text)
        text = f"l({separator.join(write(bits) for bits in operand.immediate)})"
    elif operand.type is OperandType.IMMEDIATE64:
        pairs = zip(operand.immediate[::2], operand.immediate[1::2], strict=False)
        text = f"d({separator.join(f'{double_text(low, high)}l' for low, high in pairs)})"
    else:
        text = register_text(operand, version) + component_text(operand)
    if operand.modifier in (OperandModifier.ABS, OperandModifier.ABSNEG):
        text = f"|{text}|"
    if operand.modifier in (OperandModifier.NEG, OperandModifier.ABSNEG):
        text = f"-{text}"
    return text


def register_text(operand: Operand, version: tuple[int, int]) -> str:
    """Return a register with its indices, without components."""
    name = w.REGISTERS[operand.type]
    if version >= (5, 1) and operand.type in w.RANGES:
        name = name.upper()
    indices = operand.indices
    in_brackets = operand.type in w.BRACKETED or (
        operand.type in w.VERTEX_ARRAYS and len(indices) > 1
    )
    if indices and not in_brackets and indices[0].relative is None:
        name += str(indices[0].immediate)
        indices = indices[1:]
    return name + "".join(f"[{index_text(index, version)}]" for index in indices)


def declared_text(operand: Operand, version: tuple[int, int]) -> str:
    """Return a declared register: from 5.1 on with the bounds of its range."""
    indices = operand.indices
    if version < (5, 1) or len(indices) != _RANGE_INDICES or operand.type not in w.RANGES:
        return register_text(operand, version)
    number, lower, upper = (index.immediate for index in indices)
    end = "*" if upper == UNBOUNDED else str(upper)
    return f"{w.REGISTERS[operand.type].upper()}{number}[{lower}:{end}]"


def index_text(index: Index, version: tuple[int, int]) -> str:
    """Return what stands between the brackets of an index."""
    if index.relative is None:
        return str(index.immediate)
    register = operand_text(index.relative, "u", version)
    offset = index.immediate - (index.immediate >> 31 << 32 if index.immediate < 1 << 32 else 0)
    return f"{register} + {offset}"


def component_text(operand: Operand) -> str:
    """Return the mask, swizzle or selected component with its dot, nothing if there is none."""
    if operand.components != 4 or not operand.selection:  # noqa: PLR2004 - xyzw
        return ""
    return "." + "".join(_COMPONENTS[c] for c in operand.selection)
