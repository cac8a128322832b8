"""Declarations and custom data in the listing's syntax."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.isa.asm import words as w
from softd3d.isa.asm.message import message_text
from softd3d.isa.asm.numbers import float_text, untyped_text
from softd3d.isa.asm.operand import component_text, declared_text, register_text
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Opcode,
    ResourceDimension,
)
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["declaration_text"]

_MULTISAMPLED = (ResourceDimension.TEXTURE2DMS, ResourceDimension.TEXTURE2DMSARRAY)
_BUFFER_HEAD = "dcl_immediateConstantBuffer { "


def declaration_text(i: Instruction, program: Program) -> str:
    """Return a declaration or custom data, for immediate constants in several lines."""
    write = _WRITERS.get(i.opcode, _plain)
    return write(i, (program.major, program.minor), TABLE[i.opcode].mnemonic)


def _plain(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    """Write the registers and counts as they come."""
    parts = [register_text(o, version) + component_text(o) for o in i.operands]
    return f"{mnemonic} {', '.join(parts + [str(n) for n in i.extra])}"


def _constant_buffer(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    access = "dynamicIndexed" if t.DYNAMIC_INDEXED.get(i.controls) else "immediateIndexed"
    register = declared_text(i.operands[0], version)
    if version >= (5, 1):
        size, space = i.extra
        return f"{mnemonic} {register}[{size}], {access}, space={space}"
    return f"{mnemonic} {register[:2].upper()}{register[2:]}, {access}"


def _sampler(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    mode = w.SAMPLER_MODES.get(t.SAMPLER_MODE.get(i.controls))
    register = declared_text(i.operands[0], version)
    return f"{mnemonic} {register}{f', {mode}' if mode else ''}{_space(i, version)}"


def _space(i: Instruction, version: tuple[int, int]) -> str:
    return f", space={i.extra[-1]}" if version >= (5, 1) else ""


def _typed_view(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    dimension = t.DECLARED_DIMENSION.get(i.controls)
    shape = w.word(w.DIMENSIONS, dimension, w.UNKNOWN_DIMENSION)
    if i.opcode is Opcode.DCL_RESOURCE:
        if dimension in _MULTISAMPLED:
            shape += f"({t.DECLARED_SAMPLES.get(i.controls)})"
    else:
        shape += _coherence(i)
    numbers = [i.extra[0] >> 4 * n & 15 for n in range(4)]
    types = ",".join(w.word(w.RETURN_TYPES, n, w.UNKNOWN_RETURN_TYPE) for n in numbers)
    register = declared_text(i.operands[0], version)
    return f"{mnemonic}_{shape} ({types}) {register}{_space(i, version)}"


def _untyped_view(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    parts = [declared_text(i.operands[0], version)]
    parts += [str(n) for n in (i.extra[:-1] if version >= (5, 1) else i.extra)]
    return f"{mnemonic}{_coherence(i)} {', '.join(parts)}{_space(i, version)}"


def _coherence(i: Instruction) -> str:
    """Return what a UAV's declaration adds to its mnemonic; nothing for a t#."""
    if not i.opcode.name.startswith("DCL_UNORDERED"):
        return ""
    return "".join(text for flag, text in w.UAV_FLAGS.items() if i.controls & flag)


def _input_ps(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    mode = w.word(w.INTERPOLATIONS, t.INTERPOLATION.get(i.controls))
    return _named(i, version, f"{mnemonic} {mode}")


def _named(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    """Write a register, and the system value if the declaration has one."""
    operand = i.operands[0]
    names = [w.word(w.SYSTEM_NAMES, number & 0xFFFF, "") for number in i.extra]
    register = register_text(operand, version) + component_text(operand)
    if operand.min_precision:
        register += f" {{{w.precision(operand.min_precision)}}}"
    return f"{mnemonic} {', '.join([register, *names])}"


def _index_range(i: Instruction, version: tuple[int, int], mnemonic: str) -> str:
    operand = i.operands[0]
    return f"{mnemonic} {register_text(operand, version)}{component_text(operand)} {i.extra[0]}"


def _indexable_temp(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
    number, count, components = i.extra
    return f"{mnemonic} x{number}[{count}], {components}"


def _global_flags(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
    words = [text for flag, text in w.GLOBAL_FLAGS.items() if i.controls & flag]
    return f"{mnemonic} {' | '.join(words)}" if words else f"{mnemonic}none"


def _max_tessfactor(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
    return f"{mnemonic} l({float_text(i.extra[0])})"


def _function_body(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
    return f"{mnemonic} fb{i.extra[0]}"


def _function_table(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
    number, _count, *bodies = i.extra
    return f"{mnemonic} ft{number} = {{{', '.join(f'fb{b}' for b in bodies)}}}"


def _interface(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
    number, length, counts, *tables = i.extra
    dynamic = "_dynamicindexed" if t.DYNAMIC_INDEXED.get(i.controls) else ""
    listed = ", ".join(f"ft{table}" for table in tables)
    return f"{mnemonic}{dynamic} fp{number}[{counts >> 16}][{length}] = {{{listed}}}"


def _custom(i: Instruction, version: tuple[int, int], _: str) -> str:
    if i.custom_class == CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        whole = len(i.custom) // 4 * 4
        rows = [
            "{ " + ", ".join(untyped_text(bits) for bits in i.custom[n : n + 4]) + "}"
            for n in range(0, whole, 4)
        ]
        return f"{_BUFFER_HEAD}{(f',{chr(10)}' + ' ' * len(_BUFFER_HEAD)).join(rows)} }}"
    if i.custom_class == CustomDataClass.SHADER_MESSAGE:
        return message_text(i, version)
    return "undecipherable custom data"


_Writer = Callable[[Instruction, "tuple[int, int]", str], str]


def _controlled(field: t.Field, table: dict[int, str] | None, end: str = "") -> _Writer:
    """Return a writer for a declaration whose controls hold a number; without table, in decimal."""

    def write(i: Instruction, _: tuple[int, int], mnemonic: str) -> str:
        number = field.get(i.controls)
        return f"{mnemonic} {w.word(table, number) if table is not None else number}{end}"

    return write


_WRITERS: dict[Opcode, _Writer] = {
    Opcode.CUSTOMDATA: _custom,
    Opcode.DCL_CONSTANT_BUFFER: _constant_buffer,
    Opcode.DCL_SAMPLER: _sampler,
    Opcode.DCL_RESOURCE: _typed_view,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED: _typed_view,
    Opcode.DCL_RESOURCE_RAW: _untyped_view,
    Opcode.DCL_RESOURCE_STRUCTURED: _untyped_view,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW: _untyped_view,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: _untyped_view,
    Opcode.DCL_INPUT: _named,
    Opcode.DCL_INPUT_SGV: _named,
    Opcode.DCL_INPUT_SIV: _named,
    Opcode.DCL_OUTPUT: _named,
    Opcode.DCL_OUTPUT_SGV: _named,
    Opcode.DCL_OUTPUT_SIV: _named,
    Opcode.DCL_INPUT_PS: _input_ps,
    Opcode.DCL_INPUT_PS_SGV: _input_ps,
    Opcode.DCL_INPUT_PS_SIV: _input_ps,
    Opcode.DCL_INDEX_RANGE: _index_range,
    Opcode.DCL_INDEXABLE_TEMP: _indexable_temp,
    Opcode.DCL_GLOBAL_FLAGS: _global_flags,
    Opcode.DCL_GS_INPUT_PRIMITIVE: _controlled(t.INPUT_PRIMITIVE, w.PRIMITIVES, " "),
    Opcode.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY: _controlled(t.OUTPUT_TOPOLOGY, w.TOPOLOGIES, " "),
    Opcode.DCL_INPUT_CONTROL_POINT_COUNT: _controlled(t.CONTROL_POINTS, None),
    Opcode.DCL_OUTPUT_CONTROL_POINT_COUNT: _controlled(t.CONTROL_POINTS, None),
    Opcode.DCL_TESS_DOMAIN: _controlled(t.DOMAIN, w.DOMAINS),
    Opcode.DCL_TESS_PARTITIONING: _controlled(t.PARTITIONING, w.PARTITIONINGS),
    Opcode.DCL_TESS_OUTPUT_PRIMITIVE: _controlled(t.OUTPUT_PRIMITIVE, w.OUTPUT_PRIMITIVES),
    Opcode.DCL_HS_MAX_TESSFACTOR: _max_tessfactor,
    Opcode.DCL_FUNCTION_BODY: _function_body,
    Opcode.DCL_FUNCTION_TABLE: _function_table,
    Opcode.DCL_INTERFACE: _interface,
}
