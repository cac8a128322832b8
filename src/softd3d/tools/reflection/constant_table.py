"""Reflection of Direct3D 9 shaders: the constant table (CTAB) as plain JSON data.

The schema is described in docs/reflection.md. Names are those of D3DXCONSTANT_DESC and
D3DXPARAMETER_* in lower case.
"""

from __future__ import annotations

from typing import Any

from softd3d.arguments import instance
from softd3d.container.comments.ctab import Constant, ConstantTable, ConstantType
from softd3d.isa.sm1.program import Instruction
from softd3d.shaders.token_stream import Shader9
from softd3d.tools.reflection.declared import declared_registers9

__all__ = ["SCHEMA9", "SCHEMA9_VERSION", "reflect9"]

SCHEMA9 = "softd3d.reflection9"
SCHEMA9_VERSION = 1


def reflect9(shader: Shader9) -> dict[str, Any]:
    """Return what can be known of a Direct3D 9 shader without running it.

    Raises:
        ShaderError: a part of the shader is malformed.
    """
    shader = instance(shader, Shader9, "reflect9: shader")
    program, table = shader.program, shader.constant_table
    instructions = [i for i in program.instructions if isinstance(i, Instruction)]
    return {
        "schema": SCHEMA9,
        "schema_version": SCHEMA9_VERSION,
        "profile": program.profile,
        "instructions": len(instructions),
        "constant_table": None if table is None else _table(table),
        "declarations": declared_registers9(program),
    }


def _table(table: ConstantTable) -> dict[str, Any]:
    return {
        "creator": table.creator,
        "target": table.target,
        "compile_flags": table.flags,
        "constants": [_constant(constant) for constant in table.constants],
    }


def _constant(constant: Constant) -> dict[str, Any]:
    return {
        "name": constant.name,
        "register_set": constant.register_set.name.lower(),
        "register_index": constant.register_index,
        "register_count": constant.register_count,
        "default": None if constant.default is None else list(constant.default),
        "type": _type(constant.type),
    }


def _type(found: ConstantType) -> dict[str, Any]:
    return {
        "class": found.class_.name.lower(),
        "type": found.type.name.lower(),
        "rows": found.rows,
        "columns": found.columns,
        "elements": found.elements,
        "members": [{"name": m.name, "type": _type(m.type)} for m in found.members],
    }
