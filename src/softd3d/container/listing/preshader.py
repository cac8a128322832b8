"""Preshaders as D3DDisassemble 10.1 writes them, before the shader they belong to."""

from __future__ import annotations

import math

from softd3d.container.comments.preshader import (
    Preshader,
    PreshaderIndex,
    PreshaderInstruction,
    PreshaderOpcode,
    PreshaderOperand,
    PreshaderTable,
)
from softd3d.errors import ContainerError
from softd3d.isa.asm.options import PLAIN, ListingOptions, line_prefix
from softd3d.isa.asm.sm1.numbers import double_text

__all__ = ["component_selection", "opcode_name", "preshader_lines"]

_COMPONENTS = "xyzw"
_NAMES = {
    PreshaderTable.LITERAL: "l",
    PreshaderTable.INPUT: "c",
    PreshaderTable.VERTEX: "v",
    PreshaderTable.OUTPUT_FLOAT: "of",
    PreshaderTable.OUTPUT_BOOL: "ob",
    PreshaderTable.OUTPUT_INT: "oi",
    PreshaderTable.TEMP: "r",
}
_DIGITS = 9


def preshader_lines(preshader: Preshader, options: ListingOptions = PLAIN) -> list[str]:
    """Return the code and the count of instructions.

    Raises:
        ContainerError: an instruction reads literals, and there are none.
    """
    lines = ["    preshader"]
    lines += [
        f"    {line_prefix(number, i.offset, options)}{_instruction(i, preshader.literals)}"
        for number, i in enumerate(preshader.instructions)
    ]
    count = len(preshader.instructions)
    footer = f"// approximately {count} instruction{'' if count == 1 else 's'} used"
    return [*lines, "", footer]


def opcode_name(i: PreshaderInstruction) -> str:
    """Return the mnemonic."""
    return i.opcode.name.lower() if isinstance(i.opcode, PreshaderOpcode) else "<unknown>"


def _instruction(i: PreshaderInstruction, literals: tuple[float, ...]) -> str:
    inputs = ", ".join(
        _operand(operand, i.components, literals, is_scalar=i.is_scalar and number == 0)
        for number, operand in enumerate(i.inputs)
    )
    output = _operand(i.output, i.components, literals, is_scalar=False)
    return f"{opcode_name(i)} {output}, {inputs}"


def _operand(
    operand: PreshaderOperand, components: int, literals: tuple[float, ...], *, is_scalar: bool
) -> str:
    if operand.table is PreshaderTable.LITERAL and operand.index is None:
        return _literal(operand.offset, components, literals, is_scalar=is_scalar)
    register, first = divmod(operand.offset, len(_COMPONENTS))
    name = _NAMES[operand.table]
    if operand.table is PreshaderTable.OUTPUT_FLOAT and operand.index is None:
        name = _NAMES[PreshaderTable.INPUT]  # an output is known by the shader's register
    index = "" if operand.index is None else f"[{_index(operand.index)}]"
    count = 1 if is_scalar else components
    return f"{name}{register}{index}{component_selection(first, count)}"


def _index(index: PreshaderIndex) -> str:
    register, component = divmod(index.offset, len(_COMPONENTS))
    return f"{_NAMES[index.table]}{register}.{_COMPONENTS[component]}"


def component_selection(first: int, count: int) -> str:
    """Return what stands behind a register for `count` components from `first` on.

    They go round; all four in order are not written.
    """
    if count == len(_COMPONENTS) and first == 0:
        return ""
    return "." + "".join(_COMPONENTS[(first + n) % len(_COMPONENTS)] for n in range(count))


def _literal(offset: int, components: int, literals: tuple[float, ...], *, is_scalar: bool) -> str:
    if not literals:
        raise ContainerError("PRES: an instruction reads a literal, found none")
    step = 0 if is_scalar else 1
    values = [literals[(offset + step * n) % len(literals)] for n in range(components)]
    return f"({', '.join(_number(value) for value in values)})"


def _number(value: float) -> str:
    if math.isnan(value):
        return "-1.#QNAN" if math.copysign(1, value) < 0 else "1.#QNAN"
    if math.isinf(value):
        return "-1.#INF" if value < 0 else "1.#INF"
    return double_text(value, _DIGITS)
