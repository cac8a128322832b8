"""Expressions in Direct3D 10 effects: what a state, or the index of an array, is computed from.

An expression is a container with a constant table (CTAB), literals (CLI4) and code (FXLC), which is
that of Direct3D 9's preshaders, with integers besides.
"""

from __future__ import annotations

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.comments.ctab import Constant, parse_ctab
from softd3d.container.comments.preshader import (
    PreshaderIndex,
    PreshaderInstruction,
    PreshaderOperand,
    PreshaderTable,
    parse_code,
)
from softd3d.container.dxbc.container import Container, parse
from softd3d.container.listing.preshader import component_selection, opcode_name
from softd3d.errors import ContainerError, Location
from softd3d.isa.asm.numbers import LiteralKind, literal_writer
from softd3d.isa.asm.options import PLAIN, ListingOptions, Literals

__all__ = ["EffectExpression", "expression_lines", "parse_expression"]

_DWORD = 4
_COMPONENTS = 4
_RESULT = "expr"
_NAMES = {
    PreshaderTable.LITERAL: "l",
    PreshaderTable.INPUT: "c",
    PreshaderTable.VERTEX: "v",
    PreshaderTable.OUTPUT_BOOL: "ob",
    PreshaderTable.OUTPUT_INT: "oi",
    PreshaderTable.TEMP: "r",
}


@dataclass(frozen=True, slots=True)
class EffectExpression:
    """An expression; constants: the variables that it reads. literals: dwords."""

    constants: tuple[Constant, ...]
    literals: tuple[int, ...]
    instructions: tuple[PreshaderInstruction, ...]


def parse_expression(data: bytes) -> EffectExpression:
    """Read the container of an expression.

    Raises:
        ContainerError: it is malformed, or has no code.
    """
    container = parse(data)
    table = container.find("CTAB")
    return EffectExpression(
        () if table is None else parse_ctab(table.data, table.data_offset).constants,
        _literals(container),
        parse_code(_chunk(container, "FXLC")),
    )


def _chunk(container: Container, fourcc: str) -> ByteReader:
    chunk = container.find(fourcc)
    if chunk is None:
        found = " ".join(chunk.fourcc for chunk in container.chunks[:16]) or "no chunks"
        raise ContainerError(
            f"an expression without a chunk {fourcc}, found {found}", Location(offset=0)
        )
    return chunk.reader()


def _literals(container: Container) -> tuple[int, ...]:
    if container.find("CLI4") is None:
        return ()
    reader = _chunk(container, "CLI4")
    return reader.dwords(_DWORD, reader.u32(0))


def expression_lines(expression: EffectExpression, options: ListingOptions = PLAIN) -> list[str]:
    """Return the instructions, as they stand within `eval()`.

    Raises:
        ContainerError: an instruction reads literals, and there are none.
    """
    lister = _Lister(expression, options)
    return [lister.instruction(i) for i in expression.instructions]


class _Lister:
    def __init__(self, expression: EffectExpression, options: ListingOptions) -> None:
        self.expression = expression
        literals = Literals.HEX if options.literals is Literals.HEX else Literals.PLAIN
        self.write = literal_writer(options.dialect, literals, LiteralKind.UNTYPED)

    def instruction(self, i: PreshaderInstruction) -> str:
        operands = [self.operand(i.output, i.components)]
        operands += [
            self.operand(operand, i.components, is_scalar=i.is_scalar and number == 0)
            for number, operand in enumerate(i.inputs)
        ]
        return f"{opcode_name(i)} {', '.join(operands)}"

    def operand(
        self, operand: PreshaderOperand, components: int, *, is_scalar: bool = False
    ) -> str:
        register, first = divmod(operand.offset, _COMPONENTS)
        if operand.table is PreshaderTable.LITERAL and operand.index is None:
            return self.literal(operand.offset, components, is_scalar=is_scalar)
        index = "" if operand.index is None else self.index(operand.index)
        name = (
            self.variable(register, index)
            if operand.table is PreshaderTable.INPUT
            else _register(operand, register, index)
        )
        return name + component_selection(first, 1 if is_scalar else components)

    def variable(self, register: int, index: str = "") -> str:
        """Return the variable that lies in a register, with the place in it."""
        for constant in self.expression.constants:
            place = register - constant.register_index
            if 0 <= place < constant.register_count:
                parts = [str(place)] if place or not index else []
                inside = " + ".join([*parts, *([index] if index else [])])
                is_plain = constant.register_count == 1 and not index
                return constant.name if is_plain else f"{constant.name}[{inside}]"
        return f"c{register}" + (f"[{index}]" if index else "")

    def index(self, index: PreshaderIndex) -> str:
        """Return the component that is added to a register's number.

        Microsoft's disassembler takes the number of a variable's register for that of its first
        component, so that it often names another one.
        """
        register, component = divmod(index.offset, _COMPONENTS)
        if index.table is PreshaderTable.INPUT:
            name = self.variable(register // _COMPONENTS)
        else:
            name = f"{_NAMES.get(index.table, _RESULT)}{register}"
        return name + component_selection(component, 1)

    def literal(self, offset: int, components: int, *, is_scalar: bool) -> str:
        literals = self.expression.literals
        if not literals:
            raise ContainerError("FXLC: an instruction reads a literal, found none")
        numbers = [offset] * components if is_scalar else range(offset, offset + components)
        return f"({', '.join(self.write(literals[n % len(literals)]) for n in numbers)})"


def _register(operand: PreshaderOperand, register: int, index: str) -> str:
    """Return a register that is no variable; the first of the results has no number."""
    if operand.table is PreshaderTable.OUTPUT_FLOAT:
        number = str(register) if operand.offset else ""
        return f"{_RESULT}{number}" + (f"[{index}]" if index else "")
    return f"{_NAMES[operand.table]}{register}" + (f"[{index}]" if index else "")
