"""The listing's parts on libraries: the list of functions, and a function's parameters."""

from __future__ import annotations

from softd3d.container.dxbc.container import Chunk
from softd3d.container.listing.buffers import type_text
from softd3d.container.reflection.enums import ShaderVariableClass, ShaderVariableType
from softd3d.container.reflection.library import (
    LibraryHeader,
    LibraryParameter,
    ParameterFlags,
    parse_library_signature,
)
from softd3d.container.reflection.resources import VariableType

__all__ = ["library_lines", "parameter_lines"]

_HEAD = (
    f"// {'Name':<20} {'SemanticName':<20} In 1st,Num,Mask Out 1st,Num,Mask {'Type':<30} ",
    f"// {'-' * 20} {'-' * 20} {'-' * 15} {'-' * 16} {'-' * 30} ",
)
_DIRECTIONS = {
    ParameterFlags.IN: "in ",
    ParameterFlags.OUT: "out ",
    ParameterFlags.IN | ParameterFlags.OUT: "inout ",
}


def library_lines(header: LibraryHeader) -> list[str]:
    """Return the list of a library's functions."""
    return [
        "//",
        f"// Library:  flags {header.flags}, {len(header.functions)} functions:",
        *(f"// {number:3}  {entry.name}" for number, entry in enumerate(header.functions)),
        "//",
        f"// Created by:  {header.creator}",
        "//",
    ]


def parameter_lines(chunk: Chunk) -> list[str]:
    """Return the table of what a function takes and returns.

    Raises:
        ContainerError: the chunk is malformed.
    """
    parameters = parse_library_signature(chunk).parameters
    returns = "no" if parameters and parameters[0].type is ShaderVariableType.VOID else "yes"
    count = max(len(parameters) - 1, 0)
    return [
        f"// Function parameter signature (return: {returns}, parameters: {count}):",
        "//",
        *_HEAD,
        *(_parameter(parameter) for parameter in parameters),
        "//",
    ]


def _parameter(p: LibraryParameter) -> str:
    first_in = _place("v", p.first_in_register, p.first_in_component, p)
    first_out = _place("o", p.first_out_register, p.first_out_component, p)
    rows, columns = p.rows, p.columns
    if p.class_ is ShaderVariableClass.MATRIX_COLUMNS:
        rows, columns = columns, rows
    text = type_text(VariableType(p.class_, p.type, rows, columns, 0))
    direction = _DIRECTIONS.get(p.flags, "")
    return f"// {p.name:<20} {p.semantic:<20}  {first_in:14}   {first_out:14} {direction}{text}"


def _place(letter: str, register: int | None, first: int | None, p: LibraryParameter) -> str:
    """Return first register, number of registers, and mask; a register holds a stored row."""
    if register is None:
        return ""
    components = range(first or 0, (first or 0) + p.columns)
    mask = "".join(c if n in components else " " for n, c in enumerate("xyzw"))
    return f"{letter}{register:<3}{p.rows:3}   {mask}"
