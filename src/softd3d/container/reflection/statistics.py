"""The statistics of a program, counted anew: what Microsoft's compiler stores as STAT.

Nothing documents what is counted; the rules are measured on the output of compiler 10.1. It counts
operations before it writes them as instructions, so some rules look at operands: a `mov` with a
sign is a negation, a comparison with a vector of zeros in front a conversion to bool. Operations
newer than Direct3D 10 mostly are in no class: bit fields, `rcp`, doubles but for `dfma`.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

from softd3d.bits import Field
from softd3d.container.reflection.register_contents import (
    bool_conversions,
    double_moves,
    merging_moves,
    negated_literals,
)
from softd3d.container.reflection.stat import Statistics
from softd3d.isa.record import Bounded
from softd3d.isa.roles import PHASES, Counts, Declares, Flow
from softd3d.isa.row import Kind
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    GlobalFlags,
    InterpolationMode,
    Opcode,
    OperandModifier,
    OperandType,
    Primitive,
    ProgramType,
    SystemName,
)
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.reachability import unreachable_returns
from softd3d.isa.sm4.rows import TABLE

__all__ = ["STATISTICS", "compute_statistics"]

STATISTICS = {
    Counts.FLOAT: "float_instruction_count",
    Counts.INT: "int_instruction_count",
    Counts.UINT: "uint_instruction_count",
    Counts.CONVERSION: "conversion_instruction_count",
    Counts.MOV: "mov_instruction_count",
    Counts.MOVC: "movc_instruction_count",
    Counts.STATIC_FLOW: "static_flow_control_count",
    Counts.DYNAMIC_FLOW: "dynamic_flow_control_count",
    Counts.CUT: "cut_instruction_count",
    Counts.EMIT: "emit_instruction_count",
    Counts.TEXTURE_NORMAL: "texture_normal_instructions",
    Counts.TEXTURE_LOAD: "texture_load_instructions",
    Counts.TEXTURE_COMP: "texture_comp_instructions",
    Counts.TEXTURE_BIAS: "texture_bias_instructions",
    Counts.TEXTURE_GRADIENT: "texture_gradient_instructions",
    Counts.TEXTURE_STORE: "texture_store_instructions",
    Counts.GATHER: "gather_instructions",
    Counts.LOD: "lod_instructions",
    Counts.BARRIER: "barrier_instructions",
    Counts.INTERLOCKED: "interlocked_instructions",
}
"""The field of `Statistics` of each count that a row may state."""

_FIELDS = {
    code: tuple(STATISTICS[count] for count in row.counts) for code, row in TABLE.rows.items()
}
"""Which fields an instruction adds 1 to by its row, if no rule on its operands says else."""

_SM5_NAMES = tuple(
    field.name for field in dataclasses.fields(Statistics) if not field.name.startswith("has_")
)
_SM4_NAMES = tuple(
    field.name for field in dataclasses.fields(Statistics) if field.default is dataclasses.MISSING
)
_FLOAT = (STATISTICS[Counts.FLOAT],)
_CONVERSION = (STATISTICS[Counts.CONVERSION],)
_MOV = (STATISTICS[Counts.MOV],)
_STATIC = (STATISTICS[Counts.STATIC_FLOW],)
_MEMORY = Counts.TEXTURE_LOAD | Counts.TEXTURE_STORE
_NO_SLOTS = frozenset(
    code for code, row in TABLE.rows.items()
    if row.kind is Kind.DECLARATION or row.flow in (Flow.LABEL, Flow.ABORT)
)  # fmt: skip
_INTERFACE = {
    code: row.declares for code, row in TABLE.rows.items()
    if row.declares in {*PHASES, Declares.INPUT, Declares.OUTPUT}
}  # fmt: skip
_SAMPLE_MODES = frozenset(
    {InterpolationMode.LINEAR_SAMPLE, InterpolationMode.LINEAR_NOPERSPECTIVE_SAMPLE}
)

# Controls of declarations that are fields as they stand.
_DECLARED: dict[Opcode, tuple[str, Field]] = {
    Opcode.DCL_GS_INPUT_PRIMITIVE: ("gs_input_primitive", t.INPUT_PRIMITIVE),
    Opcode.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY: ("gs_output_topology", t.OUTPUT_TOPOLOGY),
    Opcode.DCL_OUTPUT_CONTROL_POINT_COUNT: ("control_points", t.CONTROL_POINTS),
    Opcode.DCL_TESS_OUTPUT_PRIMITIVE: ("hs_output_primitive", t.OUTPUT_PRIMITIVE),
    Opcode.DCL_TESS_PARTITIONING: ("hs_partitioning", t.PARTITIONING),
    Opcode.DCL_TESS_DOMAIN: ("tessellator_domain", t.DOMAIN),
}
# Counts behind declarations, likewise.
_COUNTS: dict[Opcode, str] = {
    Opcode.DCL_MAX_OUTPUT_VERTEX_COUNT: "gs_max_output_vertex_count",
    Opcode.DCL_GS_INSTANCE_COUNT: "gs_instance_count",
}


def compute_statistics(program: Program) -> Statistics:
    """Count what compiler 10.1 counts for its STAT chunk.

    Instructions do not always say what the compiler knew: some moves with a sign are moves to a
    register that another way of control flow writes too, some `dmov`s moves; a 4.0 program may
    lack the flag that it is not optimised.

    >>> from softd3d.isa.sm4.decode import decode
    >>> program = decode(bytes.fromhex("40000500 03000000 3e000001"))
    >>> compute_statistics(program).static_flow_control_count
    1
    """
    instructions = program.instructions
    special = _special_classes(program)
    counted: list[str] = []
    for position, instruction in enumerate(instructions):
        classes = special.get(position) if special else None
        counted += _known_classes(instruction, program.type) if classes is None else classes
    fields = Counter(counted)
    declarations = [i for i in instructions if i.opcode in _NO_SLOTS]
    slots = len(instructions) - len(declarations) + sum(map(_is_message, declarations))
    fields["instruction_count"] = slots
    fields["dcl_count"] = _declared_registers(instructions)
    for declaration in declarations:
        _add_declaration(fields, declaration, program.type)
    is_sm5 = program.major >= 5
    names = _SM5_NAMES if is_sm5 else _SM4_NAMES
    found: dict[str, Any] = {name: fields[name] for name in names}
    return Statistics(**found, has_sm5_fields=is_sm5)


def _special_classes(program: Program) -> dict[int, tuple[str, ...]]:
    """Return the fields by position where other instructions decide what one was."""
    instructions = program.instructions
    special: dict[int, tuple[str, ...]] = {}
    special |= dict.fromkeys(unreachable_returns(instructions) | double_moves(instructions), ())
    special |= dict.fromkeys(merging_moves(instructions), _MOV)
    if program.global_flags & GlobalFlags.SKIP_OPTIMIZATION:
        special |= dict.fromkeys(bool_conversions(instructions), _CONVERSION)
        special |= dict.fromkeys(negated_literals(instructions), _FLOAT)
    return special


def _is_message(instruction: Instruction) -> bool:
    """Tell whether this is a message, which takes one of the "instruction slots used"."""
    return instruction.custom_class is CustomDataClass.SHADER_MESSAGE


# By the identity of the operands, which live as long as it is a key
_KNOWN: Bounded[tuple[object, ...], tuple[tuple[Operand, ...], tuple[str, ...]]] = Bounded(1 << 15)


def _known_classes(instruction: Instruction, stage: ProgramType) -> tuple[str, ...]:
    """Return `_classes`, which programs ask for the same instructions over and over."""
    key = id(instruction.operands), instruction.opcode, instruction.controls, stage
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = instruction.operands, _classes(instruction, stage)
    return found[1]


def _classes(instruction: Instruction, stage: ProgramType) -> tuple[str, ...]:
    """Return the fields that an instruction with a class adds 1 to, by its operands too."""
    opcode, operands = instruction.opcode, instruction.operands
    if any([operand.type is OperandType.INDEXABLE_TEMP for operand in operands]):  # noqa: C419 - quicker
        return ("array_instruction_count",)
    row = TABLE[opcode]
    if row.counts is Counts.MOV:
        return _move_classes(instruction, stage)
    if opcode in {Opcode.SINCOS, Opcode.UDIV}:
        if all(operand.type is not OperandType.NULL for operand in operands[:2]):
            return ()  # two results are another operation than either of them
    elif opcode in {Opcode.NE, Opcode.INE}:
        if _is_vector_of_zeros(operands[1]):
            return _CONVERSION
    elif row.kind is Kind.FLOW:
        return _flow_classes(instruction)
    elif row.counts & _MEMORY and any(map(_is_group_shared, operands)):
        return ()
    return _FIELDS[opcode]


def _move_classes(instruction: Instruction, stage: ProgramType) -> tuple[str, ...]:
    """A saturating move is one; else a sign makes it a negation, without which |a| is nothing."""
    target, source = instruction.operands
    if stage is ProgramType.GS and target.type is OperandType.OUTPUT:
        return ()  # part of emitting
    if not instruction.is_saturated and source.modifier is not OperandModifier.NONE:
        is_negated = source.modifier is not OperandModifier.ABS
        return _FLOAT if is_negated else ()
    return _MOV


def _flow_classes(instruction: Instruction) -> tuple[str, ...]:
    """What tests a constant as it stands is static."""
    operands = instruction.operands
    if operands and operands[0].type is OperandType.CONSTANT_BUFFER:
        return _STATIC
    return _FIELDS[instruction.opcode]


def _is_vector_of_zeros(operand: Operand) -> bool:
    """Tell whether this is l(0, 0, 0, 0); a comparison that the source has stands the other way."""
    return operand.type is OperandType.IMMEDIATE32 and operand.immediate == (0, 0, 0, 0)


def _is_group_shared(operand: Operand) -> bool:
    return operand.type is OperandType.THREAD_GROUP_SHARED_MEMORY


def _declared_registers(instructions: tuple[Instruction, ...]) -> int:
    """Most inputs of one phase plus most outputs of one; only a hull shader has several phases."""
    phases = [Counter[Declares]()]
    for role in [_INTERFACE[i.opcode] for i in instructions if i.opcode in _INTERFACE]:
        if role in PHASES:
            phases.append(Counter())
        else:
            phases[-1][role] += 1
    return sum(max(phase[role] for phase in phases) for role in (Declares.INPUT, Declares.OUTPUT))


def _add_declaration(fields: Counter[str], instruction: Instruction, stage: ProgramType) -> None:
    opcode, controls = instruction.opcode, instruction.controls
    role = TABLE[opcode].declares
    if opcode in _DECLARED:
        name, field = _DECLARED[opcode]
        fields[name] = field.get(controls)
    elif opcode in _COUNTS:
        fields[_COUNTS[opcode]] = instruction.extra[0]
    elif opcode is Opcode.DCL_INPUT_CONTROL_POINT_COUNT:
        count = t.CONTROL_POINTS.get(controls)
        if stage is ProgramType.DS:
            fields["control_points"] = count
        else:
            fields["gs_input_primitive"] = Primitive.PATCH_1 - 1 + count
    elif role is Declares.TEMPS:
        fields["temp_register_count"] = max(fields["temp_register_count"], instruction.extra[0])
    elif role is Declares.INDEXABLE_TEMP:
        fields["temp_array_count"] += instruction.extra[1]
    elif instruction.custom_class is CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        fields["def_count"] += len(instruction.custom) // 4
    elif _runs_by_sample(instruction):
        fields["is_sample_frequency_shader"] = 1


def _runs_by_sample(instruction: Instruction) -> bool:
    """Tell whether this declares an input that makes a pixel shader run for each sample."""
    if instruction.opcode is Opcode.DCL_INPUT_PS_SGV:
        return instruction.extra[0] == SystemName.SAMPLE_INDEX
    return (
        instruction.opcode in {Opcode.DCL_INPUT_PS, Opcode.DCL_INPUT_PS_SIV}
        and t.INTERPOLATION.get(instruction.controls) in _SAMPLE_MODES
    )
