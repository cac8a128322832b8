"""The features a program requires, found anew: what Microsoft's compiler stores as SFI0.

Two bits need more than the program. Its tokens do not say how many components a typed UAV has,
which decides whether loads from it are an extra: the resource definitions do. And comparison
filtering is one only where the container also holds the program for level 9.
"""

from __future__ import annotations

from bisect import bisect_left

from softd3d.container.reflection.enums import ShaderInputType
from softd3d.container.reflection.features import ShaderFeatures
from softd3d.container.reflection.resources import ResourceDefinitions
from softd3d.isa.limits import MAX_UAV_SLOTS_11_0
from softd3d.isa.roles import Counts, Declares
from softd3d.isa.row import Controls, Row
from softd3d.isa.sm4.enums import (
    GlobalFlags,
    Opcode,
    OperandType,
    ProgramType,
    SystemName,
    UavFlags,
)
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE

__all__ = ["compute_features"]

_BY_GLOBAL_FLAG: dict[GlobalFlags, ShaderFeatures] = {
    GlobalFlags.ENABLE_DOUBLE_PRECISION_FLOAT_OPS: ShaderFeatures.DOUBLES,
    GlobalFlags.ENABLE_RAW_AND_STRUCTURED_BUFFERS: ShaderFeatures.RAW_AND_STRUCTURED_BUFFERS,
    GlobalFlags.ENABLE_MINIMUM_PRECISION: ShaderFeatures.MINIMUM_PRECISION,
    GlobalFlags.ENABLE_DOUBLE_EXTENSIONS: ShaderFeatures.DOUBLE_EXTENSIONS_11_1,
    GlobalFlags.ENABLE_SHADER_EXTENSIONS: ShaderFeatures.SHADER_EXTENSIONS_11_1,
}
_BY_REGISTER: dict[OperandType, ShaderFeatures] = {
    OperandType.OUTPUT_STENCIL_REF: ShaderFeatures.STENCIL_REF,
    OperandType.INNER_COVERAGE: ShaderFeatures.INNER_COVERAGE,
}
_REGISTER_DECLARATIONS = frozenset({Declares.INPUT, Declares.OUTPUT})
_TYPED_LOADS = frozenset({Opcode.LD_UAV_TYPED, Opcode.LD_UAV_TYPED_FEEDBACK})
_UAV_DECLARATIONS = frozenset(code for code, row in TABLE.rows.items() if row.declares_uav)
_WITH_FEATURES = _UAV_DECLARATIONS | _TYPED_LOADS | {
    code for code, row in TABLE.rows.items()
    if row.declares in {Declares.GLOBAL_FLAGS, *_REGISTER_DECLARATIONS}
    or Controls.FEEDBACK in row.controls or Counts.TEXTURE_COMP in row.counts
}  # fmt: skip
_UAV_STAGES = frozenset({ProgramType.PS, ProgramType.CS})  # those that have UAVs since 11.0
_LAYERS = frozenset({SystemName.RENDER_TARGET_ARRAY_INDEX, SystemName.VIEWPORT_ARRAY_INDEX})
_BEFORE_GS = frozenset({ProgramType.VS, ProgramType.DS})


def compute_features(
    program: Program,
    definitions: ResourceDefinitions | None = None,
    *,
    has_level_9: bool = False,
) -> ShaderFeatures:
    """Return what a program requires beyond its feature level, as compiler 10.1 finds it.

    definitions: the RDEF chunk; without, a typed UAV counts as having several components if a load
    from it takes more than the first. has_level_9: whether there is an Aon9 chunk.

    >>> from softd3d.isa.sm4.decode import decode
    >>> compute_features(decode(bytes.fromhex("40000500 04000000 6a100001 3e000001")))
    <ShaderFeatures.DOUBLES: 1>
    """
    found = ShaderFeatures.NONE
    loads: list[Instruction] = []
    for instruction in program.instructions:
        opcode = instruction.opcode
        if opcode not in _WITH_FEATURES:  # nearly all
            continue
        row = TABLE[opcode]
        found |= _of_declaration(instruction, row, program.type)
        if Controls.FEEDBACK in row.controls:
            found |= ShaderFeatures.TILED_RESOURCES
        if opcode in _TYPED_LOADS:
            loads.append(instruction)
        elif Counts.TEXTURE_COMP in row.counts and has_level_9:
            found |= ShaderFeatures.LEVEL_9_COMPARISON_FILTERING
    if definitions is None:
        is_wide = any(load.operands[0].mask > (0,) for load in loads)
    else:
        is_wide = _meets_wide_view(
            sorted({_view(load.operands[-1]) for load in loads}), definitions
        )
    return found | ShaderFeatures.TYPED_UAV_LOAD_ADDITIONAL_FORMATS if is_wide else found


def _of_declaration(instruction: Instruction, row: Row, stage: ProgramType) -> ShaderFeatures:
    if row.declares is Declares.GLOBAL_FLAGS:
        return _of_global_flags(instruction.controls)
    if instruction.opcode in _UAV_DECLARATIONS:
        return _of_view(instruction, stage)
    if instruction.opcode is Opcode.DCL_OUTPUT_SIV:
        if stage in _BEFORE_GS and instruction.extra[0] in _LAYERS:
            return ShaderFeatures.VIEWPORT_AND_RT_ARRAY_INDEX_FROM_ANY_SHADER_FEEDING_RASTERIZER
    elif row.declares in _REGISTER_DECLARATIONS:
        return _BY_REGISTER.get(instruction.operands[0].type, ShaderFeatures.NONE)
    return ShaderFeatures.NONE


def _of_global_flags(controls: int) -> ShaderFeatures:
    found = ShaderFeatures.NONE
    for flag, feature in _BY_GLOBAL_FLAG.items():
        if controls & flag:
            found |= feature
    return found


def _of_view(declaration: Instruction, stage: ProgramType) -> ShaderFeatures:
    found = ShaderFeatures.NONE
    if stage not in _UAV_STAGES:
        found |= ShaderFeatures.UAVS_AT_EVERY_STAGE
    if _view(declaration.operands[0]) >= MAX_UAV_SLOTS_11_0:
        found |= ShaderFeatures.UAVS_64
    if declaration.controls & UavFlags.RASTERIZER_ORDERED_ACCESS:
        found |= ShaderFeatures.ROVS
    return found


def _view(operand: Operand) -> int:
    """Return the number of a u#, in shader model 5.1 that of its range; -1 if there is none."""
    return operand.indices[0].immediate if operand.indices else -1


def _meets_wide_view(views: list[int], definitions: ResourceDefinitions) -> bool:
    """Tell whether one of the views, in order, is a typed UAV with several components."""
    has_ranges = definitions.shader_model >= (5, 1)
    for binding in definitions.bindings:
        if binding.type is ShaderInputType.UAV_RWTYPED and binding.component_count > 1:
            first = binding.id if has_ranges else binding.bind_point
            count = 1 if has_ranges else binding.bind_count
            place = bisect_left(views, first)
            if place < len(views) and views[place] < first + count:
                return True
    return False
