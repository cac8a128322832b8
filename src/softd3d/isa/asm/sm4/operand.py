"""Operands in the listing's syntax: registers, indices, masks, modifiers, literals."""

from __future__ import annotations

from softd3d.isa.asm.numbers import LiteralKind, double_writer, literal_writer
from softd3d.isa.asm.options import Literals, Syntax
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.sm4.enums import OperandModifier, OperandType
from softd3d.isa.sm4.program import Index, Operand
from softd3d.isa.sm4.tokens import UNBOUNDED

__all__ = ["component_text", "declared_text", "index_text", "operand_text", "register_text"]

_COMPONENTS = "xyzw"
_RANGE_INDICES = 3  # id, lower and upper bound
_LONGEST_DOUBLES = 512  # characters; longer texts are dropped
_USUAL = Syntax((5, 0))


def operand_text(
    operand: Operand,
    syntax: Syntax = _USUAL,
    kind: LiteralKind = LiteralKind.UNTYPED,
    separator: str = ", ",
    precision: str = "",
) -> str:
    """Return an operand with its modifiers.

    kind, separator: for the components of a literal. precision: what follows the operand inside
    the bars of an absolute value.
    """
    if operand.type is OperandType.IMMEDIATE32:
        write = literal_writer(syntax.dialect, syntax.literals, kind)
        text = f"l({separator.join([write(bits) for bits in operand.immediate])})"
    elif operand.type is OperandType.IMMEDIATE64:
        text = _doubles_text(operand, syntax, separator)
    else:
        text = register_text(operand, syntax) + component_text(operand)
    text += precision
    if operand.non_uniform:
        text += " { nonuniform }"
    if operand.modifier in (OperandModifier.ABS, OperandModifier.ABSNEG):
        text = f"|{text}|"
    if operand.modifier in (OperandModifier.NEG, OperandModifier.ABSNEG):
        text = f"-{text}"
    return text


def _doubles_text(operand: Operand, syntax: Syntax, separator: str) -> str:
    write = double_writer(syntax.dialect, syntax.literals)
    pairs = zip(operand.immediate[::2], operand.immediate[1::2], strict=False)
    text = f"d({separator.join([write(low, high) for low, high in pairs])})"
    is_dropped = syntax.literals is Literals.PLAIN and len(text) > _LONGEST_DOUBLES
    return "d" if is_dropped else text


def register_text(operand: Operand, syntax: Syntax) -> str:
    """Return a register with its indices, without components."""
    name = w.REGISTERS[operand.type]
    if syntax.has_spaces and operand.type in w.RANGES:
        name = name.upper()
    indices = operand.indices
    in_brackets = operand.type is OperandType.THIS_POINTER and len(indices) == 1
    if operand.type in w.VERTEX_ARRAYS and len(indices) > 1:
        in_brackets = True
    if indices and not in_brackets and indices[0].relative is None:
        name += _number_text(indices[0].immediate)
        indices = indices[1:]
    return name + "".join(f"[{index_text(index, syntax)}]" for index in indices)


def declared_text(operand: Operand, syntax: Syntax) -> str:
    """Return a declared register: from 5.1 on with the bounds of its range."""
    indices = operand.indices
    if not syntax.has_spaces or len(indices) != _RANGE_INDICES or operand.type not in w.RANGES:
        return register_text(operand, syntax)
    number, lower, upper = (index.immediate for index in indices)
    end = "*" if upper == UNBOUNDED else str(upper)
    return f"{w.REGISTERS[operand.type].upper()}{number}[{lower}:{end}]"


def index_text(index: Index, syntax: Syntax = _USUAL) -> str:
    """Return one index of an operand, without brackets."""
    number = _number_text(index.immediate)
    if index.relative is None:
        return number
    return f"{operand_text(index.relative, syntax)} + {number}"


def _number_text(number: int) -> str:
    """Write a constant index: as the signed number of its 32 bits."""
    return str(number - (1 << 32) if 1 << 31 <= number < 1 << 32 else number)


def component_text(operand: Operand) -> str:
    """Return the mask, swizzle or selected component with its dot; nothing without components."""
    if operand.components != 4:
        return ""
    return "." + "".join([_COMPONENTS[c] for c in operand.selection])
