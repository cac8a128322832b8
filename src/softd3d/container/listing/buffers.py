"""The listing's description of constant buffers and of the contents of structured buffers."""

from __future__ import annotations

from softd3d.container.reflection.enums import (
    CbufferType,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
)
from softd3d.container.reflection.resources import ConstantBuffer, Member, Variable, VariableType

__all__ = ["buffer_lines", "type_text"]

_TITLES = {
    CbufferType.CBUFFER: "cbuffer",
    CbufferType.TBUFFER: "tbuffer",
    CbufferType.INTERFACE_POINTERS: "interfaces",
    CbufferType.RESOURCE_BIND_INFO: "Resource bind info for",
}
_SCALARS = {
    ShaderVariableType.MIN8FLOAT: "min8float",
    ShaderVariableType.MIN10FLOAT: "min10float",
    ShaderVariableType.MIN16FLOAT: "min16float",
    ShaderVariableType.MIN12INT: "min12int",
    ShaderVariableType.MIN16INT: "min16int",
    ShaderVariableType.MIN16UINT: "min16uint",
}
_OFFSET_COLUMN = 40
_NO_OFFSET = 0xFFFFFFFF  # of an interface that the shader does not use
_WORDS_PER_LINE = 4
_DWORD = 4


def buffer_lines(buffers: tuple[ConstantBuffer, ...]) -> list[str]:
    """Return the section on buffers, nothing if there are none."""
    if not buffers:
        return []
    lines = ["// Buffer Definitions: ", "//"]
    for buffer in buffers:
        lines += [f"// {_TITLES[buffer.type]} {buffer.name}", "// {", "//"]
        for number, variable in enumerate(buffer.variables):
            lines += _variable(variable, is_first=number == 0)
        lines += ["//", "// }", "//"]
    return [*lines, "//"]


def _variable(variable: Variable, *, is_first: bool) -> list[str]:
    unused = "" if variable.flags & ShaderVariableFlags.USED else " [unused]"
    size = "N/A" if variable.offset == _NO_OFFSET else variable.size
    end = f" Size: {size:>5}{unused}"
    lines = _declaration(
        variable.type, variable.name, variable.offset, variable.offset, 1, end, is_first=is_first
    )
    if variable.default is not None:
        lines += _default(variable.default)
    return lines


def _declaration(
    type_: VariableType, name: str, offset: int, base: int, depth: int, end: str, *, is_first: bool
) -> list[str]:
    """Return the lines of a variable or member; offset: shown, base: what members count from."""
    indent = "//" + "    " * (depth - 1) + "   "
    array = f"[{type_.elements}]" if type_.elements > 1 else ""
    if type_.class_ not in (ShaderVariableClass.STRUCT, ShaderVariableClass.INTERFACE_CLASS):
        text = f"{indent}{type_text(type_)} {name}{array};"
        place = "N/A" if offset == _NO_OFFSET else offset
        return [f"{text:<{_OFFSET_COLUMN}}// Offset: {place:>4}{end}"]
    lines = [] if is_first else [indent]
    lines += [f"{indent}struct {type_.name}".rstrip(), f"{indent}{{", f"{indent}    "]
    lines += _members(type_.members, base, depth + 1)
    close = f"{indent}}} {name}{array};"
    return [*lines, "//", f"{close:<{_OFFSET_COLUMN}}// Offset: {offset:4}{end}"]


def _members(members: tuple[Member, ...], base: int, depth: int) -> list[str]:
    lines: list[str] = []
    for number, member in enumerate(members):
        at = base + member.offset
        lines += _declaration(member.type, member.name, at, at, depth, "", is_first=number == 0)
    return lines


def type_text(type_: VariableType) -> str:
    """Return the HLSL spelling of a type that is not a structure."""
    if type_.class_ is ShaderVariableClass.INTERFACE_POINTER:
        return f"interface {type_.name}"
    scalar = _SCALARS.get(type_.type, type_.type.name.lower())
    match type_.class_:
        case ShaderVariableClass.VECTOR:
            return f"{scalar}{type_.columns}"
        case ShaderVariableClass.MATRIX_ROWS:
            return f"row_major {scalar}{type_.rows}x{type_.columns}"
        case ShaderVariableClass.MATRIX_COLUMNS:
            return f"{scalar}{type_.rows}x{type_.columns}"
        case ShaderVariableClass.OBJECT:
            return type_.name or scalar
        case _:
            return scalar


def _default(value: bytes) -> list[str]:
    """Return the initial value as dwords, four to a line."""
    words = [
        f"0x{int.from_bytes(value[at : at + _DWORD], 'little'):08x} "
        for at in range(0, len(value), _DWORD)
    ]
    rows = [
        "".join(words[at : at + _WORDS_PER_LINE]) for at in range(0, len(words), _WORDS_PER_LINE)
    ]
    return [f"//      {'=' if number == 0 else ' '} {row}" for number, row in enumerate(rows)]
