"""What a program itself tells of its bindings, as plain JSON data: all that stripping leaves.

Shader model 4 to 5.1 declares registers with their kinds and sizes. Shader model 1 to 3 declares
inputs and samplers; of constants it only has those that it defines and those that it reads.
"""

from __future__ import annotations

from typing import Any

from softd3d.isa.asm.sm1.operand import CONSTANT_BANKS, register_name
from softd3d.isa.machine import Memory, ViewKind
from softd3d.isa.roles import Declares
from softd3d.isa.sm1 import program as sm1
from softd3d.isa.sm1.enums import RegisterType, TextureType, Usage
from softd3d.isa.sm1.rows import TABLE as SM1_TABLE
from softd3d.isa.sm4.enums import ReturnType, SamplerMode
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.tokens import UNBOUNDED
from softd3d.lower.declared import (
    BufferDeclaration,
    SamplerDeclaration,
    ViewDeclaration,
    declared_registers,
)

__all__ = ["declared_bindings", "declared_lines9", "declared_registers9", "declared_row"]

_VECTOR_BYTES = 16
_SAMPLER_MODES, _RETURN_TYPES = frozenset(SamplerMode), frozenset(ReturnType)
_TEXTURE_TYPES, _USAGES = frozenset(TextureType), frozenset(Usage)
_CONSTANTS = {
    RegisterType.CONST: "float4",
    **dict.fromkeys(CONSTANT_BANKS, "float4"),
    RegisterType.CONSTINT: "int4",
    RegisterType.CONSTBOOL: "bool",
}
_SETS = {"float4": "c", "int4": "i", "bool": "b"}


def declared_bindings(program: Program) -> list[dict[str, Any]]:
    """Return what a program of shader model 4 to 5.1 declares to be bound, in its order.

    Raises:
        DecodeError: a declaration is malformed.
    """
    return [_declared(declaration) for declaration in declared_registers(program)]


def _declared(d: BufferDeclaration | ViewDeclaration | SamplerDeclaration) -> dict[str, Any]:
    place = {
        "register": d.register,
        "bind_point": d.lower,
        "bind_count": 0 if d.upper == UNBOUNDED else d.upper - d.lower + 1,
        "space": d.space,
    }
    if isinstance(d, BufferDeclaration):
        return {**place, "type": "cbuffer", "size": d.size * _VECTOR_BYTES}
    if isinstance(d, SamplerDeclaration):
        known = d.mode in _SAMPLER_MODES
        mode = SamplerMode(d.mode).name.lower() if known else str(d.mode)
        return {**place, "type": "sampler", "mode": mode}
    prefix = "uav_rw" if d.memory is Memory.UAV else ""
    if d.kind is ViewKind.RAW:
        return {**place, "type": f"{prefix}byteaddress"}
    if d.kind is ViewKind.STRUCTURED:
        suffix = "_with_counter" if d.has_counter else ""
        return {**place, "type": f"{prefix}structured{suffix}", "stride": d.stride}
    types = [ReturnType(t).name.lower() if t in _RETURN_TYPES else str(t) for t in d.return_types]
    return {
        **place,
        "type": "uav_rwtyped" if prefix else "texture",
        "dimension": d.dimension.name.lower(),
        "return_types": types,
    }


def declared_row(binding: dict[str, Any]) -> dict[str, Any]:
    """Return what a table shows of a declared binding; it has no name."""
    holds = ""
    if "size" in binding:
        holds = f"{binding['size']} bytes"
    elif "stride" in binding:
        holds = f"{binding['stride']} bytes each"
    elif "dimension" in binding:
        types = dict.fromkeys(binding["return_types"])
        holds = f"{binding['dimension']} of {', '.join(types)}"
    elif "mode" in binding:
        holds = binding["mode"]
    prefix = "c" if binding["type"] == "cbuffer" else ""  # cb0, as a listing's operands have it
    return {
        "register": prefix + binding["register"],
        "name": "",
        "type": binding["type"],
        "holds": holds,
        "count": binding["bind_count"],
    }


def declared_registers9(program: sm1.Program) -> dict[str, Any]:
    """Return what a program of shader model 1 to 3 declares, defines and reads.

    declared: inputs and outputs with their semantics. samplers: with their texture's type. defined:
    constants by register, numbers as dwords. constants: those that are read and not defined, by
    set; where a register addresses some (`c[a0.x]`, is_addressed), others may be read as well.
    """
    found: dict[str, Any] = {"declared": [], "samplers": [], "defined": {}}
    read: dict[str, set[int]] = {name: set() for name in _SETS.values()}
    relative: set[str] = set()
    for i in (i for i in program.instructions if isinstance(i, sm1.Instruction)):
        if SM1_TABLE[i.opcode].declares is Declares.CONSTANT and i.destination is not None:
            name = register_name(i.destination.type, i.destination.number, program)
            found["defined"][name] = list(i.immediates)
        elif i.declaration is not None and i.destination is not None:
            _add_declaration(found, program, i.destination, i.declaration)
        for source in i.sources:
            if source.type in _CONSTANTS:
                letter = _SETS[_CONSTANTS[source.type]]
                read[letter].add(CONSTANT_BANKS.get(source.type, 0) + source.number)
                relative |= {letter} if source.relative is not None else set()
    defined = found["defined"]
    found["constants"] = [
        {
            "register_set": kind,
            "registers": numbers,
            "is_addressed": letter in relative,
        }
        for kind, letter in _SETS.items()
        if (numbers := sorted(n for n in read[letter] if f"{letter}{n}" not in defined))
    ]
    return found


def declared_lines9(found: dict[str, Any]) -> list[str]:
    """Return lines of text for what `declared_registers9` returns."""
    lines = [
        f"{d['register']}: {d['usage']}{d['usage_index']}, mask {d['mask']:#x}"
        for d in found["declared"]
    ]
    lines += [f"{s['register']}: sampler of {s['texture_type']}" for s in found["samplers"]]
    for constants in found["constants"]:
        letter = _SETS[constants["register_set"]]
        numbers = ", ".join(f"{letter}{n}" for n in constants["registers"])
        more = " and others, by address" if constants["is_addressed"] else ""
        lines.append(f"reads {numbers}{more} ({constants['register_set']})")
    if found["defined"]:
        lines.append(f"defines {', '.join(found['defined'])}")
    return lines


def _add_declaration(
    found: dict[str, Any], program: sm1.Program, register: sm1.DestinationParameter,
    declaration: sm1.Declaration,
) -> None:  # fmt: skip
    register_text = register_name(register.type, register.number, program)
    if register.type is RegisterType.SAMPLER:
        kind = declaration.texture_type
        known = kind in _TEXTURE_TYPES
        found["samplers"].append(
            {
                "register": register_text,
                "texture_type": TextureType(kind).name.lower() if known else str(kind),
            }
        )
        return
    usage = declaration.usage
    name = Usage(usage).name.lower() if usage in _USAGES else str(usage)
    found["declared"].append(
        {
            "register": register_text,
            "usage": name,
            "usage_index": declaration.usage_index,
            "mask": register.write_mask,
        }
    )
