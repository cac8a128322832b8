"""Declarations and custom data in the listing's syntax."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.isa.asm.numbers import LiteralKind, literal_writer
from softd3d.isa.asm.options import Literals, Syntax
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.message import message_text
from softd3d.isa.asm.sm4.operand import component_text, declared_text, register_text
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Opcode,
    ResourceDimension,
)
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["declaration_text"]

_MULTISAMPLED = (ResourceDimension.TEXTURE2DMS, ResourceDimension.TEXTURE2DMSARRAY)
_UAVS = frozenset(
    {
        Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED,
        Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW,
        Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED,
    }
)
_BUFFER_HEAD = "dcl_immediateConstantBuffer { "


def declaration_text(i: Instruction, syntax: Syntax) -> str:
    """Return a declaration or custom data, for immediate constants in several lines."""
    write = _WRITERS.get(i.opcode, _plain)
    return write(i, syntax, TABLE[i.opcode].mnemonic)


def _plain(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    """Write the registers and counts as they come."""
    parts = [register_text(o, syntax) + component_text(o) for o in i.operands]
    return f"{mnemonic} {', '.join(parts + [str(n) for n in i.extra])}"


def _constant_buffer(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    access = "dynamicIndexed" if t.DYNAMIC_INDEXED.get(i.controls) else "immediateIndexed"
    register = declared_text(i.operands[0], syntax)
    if syntax.has_spaces:
        size, space = i.extra
        return f"{mnemonic} {register}[{size}], {access}, space={space}"
    if syntax.habits.has_upper_constant_buffers:
        register = register[:2].upper() + register[2:]
    return f"{mnemonic} {register}, {access}"


def _sampler(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    mode = w.SAMPLER_MODES.get(t.SAMPLER_MODE.get(i.controls))
    register = declared_text(i.operands[0], syntax)
    return f"{mnemonic} {register}{f', {mode}' if mode else ''}{_space(i, syntax)}"


def _space(i: Instruction, syntax: Syntax) -> str:
    return f", space={i.extra[-1]}" if syntax.has_spaces else ""


def _typed_view(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    dimension = t.DECLARED_DIMENSION.get(i.controls)
    shape = w.word(w.DIMENSIONS, dimension, w.UNKNOWN_DIMENSION)
    if i.opcode is Opcode.DCL_RESOURCE:
        if dimension in _MULTISAMPLED:
            shape += f"({t.DECLARED_SAMPLES.get(i.controls)})"
    else:
        shape += _coherence(i, syntax)
    numbers = [field.get(i.extra[0]) for field in t.RETURN_TYPES]
    types = ",".join(w.word(w.RETURN_TYPES, n, w.UNKNOWN_RETURN_TYPE) for n in numbers)
    register = declared_text(i.operands[0], syntax)
    return f"{mnemonic}_{shape} ({types}) {register}{_space(i, syntax)}"


def _untyped_view(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    parts = [declared_text(i.operands[0], syntax)]
    parts += [str(n) for n in (i.extra[:-1] if syntax.has_spaces else i.extra)]
    is_structured = i.opcode is Opcode.DCL_RESOURCE_STRUCTURED
    end = syntax.habits.structured_resource_end if is_structured else ""
    return f"{mnemonic}{_coherence(i, syntax)} {', '.join(parts)}{_space(i, syntax)}{end}"


def _coherence(i: Instruction, syntax: Syntax) -> str:
    """Return what a UAV's declaration adds to its mnemonic; nothing for a t#."""
    if i.opcode not in _UAVS:
        return ""
    unknown = syntax.habits.unknown_uav_flags
    if i.opcode is not Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED:
        unknown |= syntax.habits.unknown_untyped_flags
    return "".join(text for flag, text in w.UAV_FLAGS.items() if i.controls & flag & ~unknown)


def _input_ps(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    if i.opcode is Opcode.DCL_INPUT_PS_SGV and not syntax.habits.has_sgv_interpolation:
        return _named(i, syntax, mnemonic)
    mode = w.word(w.INTERPOLATIONS, t.INTERPOLATION.get(i.controls))
    return _named(i, syntax, f"{mnemonic} {mode}")


def _named(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    """Write a register, and the system value if the declaration has one."""
    operand = i.operands[0]
    names = [w.word(w.SYSTEM_NAMES, number & 0xFFFF, "") for number in i.extra]
    register = register_text(operand, syntax) + component_text(operand)
    if operand.min_precision and syntax.habits.has_precisions:
        register += f" {{{w.precision(operand.min_precision)}}}"
    return f"{mnemonic} {', '.join([register, *names])}"


def _index_range(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    operand = i.operands[0]
    return f"{mnemonic} {register_text(operand, syntax)}{component_text(operand)} {i.extra[0]}"


def _indexable_temp(i: Instruction, _: Syntax, mnemonic: str) -> str:
    number, count, components = i.extra
    return f"{mnemonic} x{number}[{count}], {components}"


def _global_flags(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    unknown = syntax.habits.unknown_global_flags
    words = [text for flag, text in w.GLOBAL_FLAGS.items() if i.controls & flag & ~unknown]
    return f"{mnemonic} {' | '.join(words)}" if words else f"{mnemonic}none"


def _max_tessfactor(i: Instruction, syntax: Syntax, mnemonic: str) -> str:
    # Microsoft's disassembler does not write this one in hex.
    literals = Literals.EXACT if syntax.literals is Literals.EXACT else Literals.PLAIN
    write = literal_writer(syntax.dialect, literals, LiteralKind.FLOAT)
    return f"{mnemonic} l({write(i.extra[0])})"


def _function_body(i: Instruction, _: Syntax, mnemonic: str) -> str:
    return f"{mnemonic} fb{i.extra[0]}"


def _function_table(i: Instruction, _: Syntax, mnemonic: str) -> str:
    number, _count, *bodies = i.extra
    return f"{mnemonic} ft{number} = {{{', '.join(f'fb{b}' for b in bodies)}}}"


def _interface(i: Instruction, _: Syntax, mnemonic: str) -> str:
    number, length, counts, *tables = i.extra
    dynamic = "_dynamicindexed" if t.DYNAMIC_INDEXED.get(i.controls) else ""
    listed = ", ".join(f"ft{table}" for table in tables)
    return f"{mnemonic}{dynamic} fp{number}[{counts >> 16}][{length}] = {{{listed}}}"


def _custom(i: Instruction, syntax: Syntax, _: str) -> str:
    if i.custom_class == CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        write = literal_writer(syntax.dialect, syntax.literals, LiteralKind.STORED)
        whole = len(i.custom) // 4 * 4
        rows = [
            "{ " + ", ".join(write(bits) for bits in i.custom[n : n + 4]) + "}"
            for n in range(0, whole, 4)
        ]
        return f"{_BUFFER_HEAD}{(f',{chr(10)}' + ' ' * len(_BUFFER_HEAD)).join(rows)} }}"
    if i.custom_class == CustomDataClass.SHADER_MESSAGE:
        return message_text(i, syntax)
    return "undecipherable custom data"


_Writer = Callable[[Instruction, Syntax, str], str]


def _controlled(field: t.Field, table: dict[int, str] | None, end: str = "") -> _Writer:
    """Return a writer for a declaration whose controls hold a number; without table, in decimal."""

    def write(i: Instruction, _: Syntax, mnemonic: str) -> str:
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
