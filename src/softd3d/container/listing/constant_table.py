"""The tables of a constant table's content that stand before the code of SM1-3 listings."""

from __future__ import annotations

from softd3d.container.comments.ctab import (
    Constant,
    ConstantTable,
    ConstantType,
    ParameterClass,
    ParameterType,
    RegisterSet,
)
from softd3d.isa.asm.sm1.numbers import float_text, integer_text

__all__ = ["constant_table_lines", "default_value_lines"]

_FILES = {
    RegisterSet.BOOL: "b",
    RegisterSet.INT4: "i",
    RegisterSet.FLOAT4: "c",
    RegisterSet.SAMPLER: "s",
}
# The others are written as they are named, in small letters
_TYPES = {
    ParameterType.TEXTURE: "Texture",
    ParameterType.TEXTURE1D: "Texture1D",
    ParameterType.TEXTURE2D: "Texture2D",
    ParameterType.TEXTURE3D: "Texture3D",
    ParameterType.TEXTURECUBE: "TextureCube",
    ParameterType.SAMPLER1D: "sampler1D",
    ParameterType.SAMPLER2D: "sampler2D",
    ParameterType.SAMPLER3D: "sampler3D",
    ParameterType.SAMPLERCUBE: "samplerCUBE",
    ParameterType.PIXELSHADER: "PixelShader",
    ParameterType.VERTEXSHADER: "VertexShader",
    ParameterType.UNSUPPORTED: "uint",  # 19 is that in the enumeration of Direct3D 10
}
_MARGIN = "//   "
_INDENT = "    "
_NAME_WIDTH = 12
_FLOAT_DIGITS = 6


def constant_table_lines(table: ConstantTable) -> list[str]:
    """Return the tables of parameters and registers, nothing if there are no constants."""
    if not table.constants:
        return []
    lines = ["//", "// Parameters:", "//"]
    lines += _variables([(c.type, c.name) for c in _variables_of(table)], _MARGIN)
    return [*lines, "//", "//", *_registers(table.constants), "//"]


def default_value_lines(table: ConstantTable) -> list[str]:
    """Return the table of initial values, nothing if there are none."""
    lines: list[str] = []
    for constant in sorted(table.constants, key=_place):
        if constant.default is None:
            continue
        lines.append(_MARGIN + constant.name)
        size = len(constant.default) // max(constant.register_count, 1)
        for n in range(constant.register_count):
            register = f"{_FILES[constant.register_set]}{constant.register_index + n}"
            value = _value(constant.register_set, constant.default[size * n : size * (n + 1)])
            lines.append(f"{_MARGIN}  {register:<4} = {value};")
        lines.append("//")
    return ["//", "// Default values:", "//", *lines] if lines else []


def _variables_of(table: ConstantTable) -> list[Constant]:
    """Return one constant for each variable; one in several register sets has several in a row."""
    names = [None, *(constant.name for constant in table.constants)]
    return [c for c, before in zip(table.constants, names, strict=False) if c.name != before]


def _variables(variables: list[tuple[ConstantType, str]], indent: str) -> list[str]:
    """Return declarations; a structure has an empty line before and behind, but not at the ends."""
    lines: list[str] = []
    was_struct = False
    for number, (type_, name) in enumerate(variables):
        is_struct = type_.class_ is ParameterClass.STRUCT
        if number and (is_struct or was_struct):
            lines.append(indent)
        array = f"[{type_.elements}]" if type_.elements > 1 else ""
        if is_struct:
            lines += [f"{indent}struct", f"{indent}{{"]
            lines += _variables([(m.type, m.name) for m in type_.members], indent + _INDENT)
            lines += ["//", f"{indent}}} {name}{array};"]
        else:
            lines.append(f"{indent}{_type_text(type_)} {name}{array};")
        was_struct = is_struct
    return lines


def _type_text(type_: ConstantType) -> str:
    """Return the HLSL spelling of a type that is not a structure."""
    scalar = _TYPES.get(type_.type, type_.type.name.lower())
    match type_.class_:
        case ParameterClass.VECTOR:
            return f"{scalar}{type_.columns}"
        case ParameterClass.MATRIX_ROWS:
            return f"row_major {scalar}{type_.rows}x{type_.columns}"
        case ParameterClass.MATRIX_COLUMNS:
            return f"{scalar}{type_.rows}x{type_.columns}"
        case _:
            return scalar


def _registers(constants: tuple[Constant, ...]) -> list[str]:
    width = max(_NAME_WIDTH, *(len(constant.name) for constant in constants))
    lines = [
        "// Registers:",
        "//",
        f"{_MARGIN}{'Name':<{width}} Reg   Size",
        f"{_MARGIN}{'-' * width} ----- ----",
    ]
    for constant in sorted(constants, key=_place):
        register = f"{_FILES[constant.register_set]}{constant.register_index}"
        lines.append(
            f"{_MARGIN}{constant.name:<{width}} {register:<5} {constant.register_count:>4}"
        )
    return lines


def _place(constant: Constant) -> tuple[int, int]:
    return constant.register_set, constant.register_index


def _value(register_set: RegisterSet, words: tuple[int, ...]) -> str:
    """Return the content of one register."""
    if register_set is RegisterSet.BOOL:
        return "true" if any(words) else "false"
    if register_set is RegisterSet.FLOAT4:
        return f"{{ {', '.join(float_text(bits, _FLOAT_DIGITS) for bits in words)} }}"
    return f"{{ {', '.join(integer_text(bits) for bits in words)} }}"
