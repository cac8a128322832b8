"""Rules of feature bits, statistics and the program of feature level 9: they are the program's.

Spec: what Microsoft's compiler writes, measured on its output.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from softd3d.bits import ByteReader
from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.level9 import parse_level9
from softd3d.container.reflection.features import ShaderFeatures, parse_features
from softd3d.container.reflection.required_features import compute_features
from softd3d.container.reflection.resources import ResourceDefinitions
from softd3d.container.reflection.stat import Statistics, parse_stat
from softd3d.container.reflection.statistics import compute_statistics
from softd3d.errors import Location
from softd3d.isa.report import Report
from softd3d.isa.sm1.limits import MAX_RENDER_TARGETS
from softd3d.isa.sm4.enums import OperandType, ProgramType
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.validate.phases import Phase

__all__ = ["check_features", "check_level_9", "check_statistics"]

_T = OperandType
_KNOWN = ShaderFeatures((1 << 14) - 1)
_ANY_IN_LIBRARIES = ShaderFeatures.UAVS_64  # any view that is written sets it there
_BY_DEFINITIONS = ShaderFeatures.TYPED_UAV_LOAD_ADDITIONAL_FORMATS  # not known without them
# Counts that earlier versions of the compiler take otherwise, or do not write
_VARIOUS = frozenset(
    {
        "mov_instruction_count", "movc_instruction_count", "float_instruction_count",
        "int_instruction_count", "uint_instruction_count", "conversion_instruction_count",
        "static_flow_control_count", "dynamic_flow_control_count", "texture_load_instructions",
        "texture_store_instructions", "has_sample_frequency",
    }
)  # fmt: skip
_FIELDS = tuple(f.name for f in dataclasses.fields(Statistics) if f.name not in _VARIOUS)
_SM1_STAGES = {
    0xFFFF: ProgramType.PS,
    0xFFFE: ProgramType.VS,
    0x4C50: ProgramType.LIB,  # a function for pixel shaders
    0x4C56: ProgramType.LIB,  # a function for vertex shaders
}


def check_features(
    chunk: Chunk | None, program: Program, definitions: ResourceDefinitions | None,
    report: Report, *, has_level_9: bool,
) -> None:  # fmt: skip
    """Compare the SFI0 chunk, or its absence, with what the program needs.

    Raises:
        ContainerError: the chunk is too short.
    """
    stated = ShaderFeatures.NONE if chunk is None else parse_features(chunk)
    needed = compute_features(program, definitions, has_level_9=has_level_9)
    known = _KNOWN if definitions is not None else _KNOWN & ~_BY_DEFINITIONS
    if program.type is ProgramType.LIB:
        known &= ~_ANY_IN_LIBRARIES
    place = Location(offset=28) if chunk is None else _place(chunk)
    for missing in _single(needed & ~stated & known):
        message = f"the program needs {missing.name}, SFI0 does not say so"
        report.add("DXBC-FEAT-001", message, place)
    for extra in _single(stated & ~needed & known):
        message = f"SFI0 says {extra.name}, the program does not need it"
        report.add("DXBC-FEAT-002", message, place)


def _single(features: ShaderFeatures) -> Iterable[ShaderFeatures]:
    if not features:  # as nearly always
        return ()
    return [feature for feature in ShaderFeatures if feature and feature in features]


def _place(chunk: Chunk) -> Location:
    return Location(offset=chunk.offset, chunk=chunk.fourcc)


def check_statistics(chunk: Chunk, program: Program, report: Report) -> None:
    """Compare the counts of the STAT chunk with the program's.

    Raises:
        ContainerError: the chunk has no known size.
    """
    stated = parse_stat(chunk)
    if not any(chunk.data):  # some writers leave it empty
        return
    computed = compute_statistics(program)
    for name in _FIELDS:
        found, count = getattr(stated, name), getattr(computed, name)
        if found != count:
            message = f"{name} is {found}, the program has {count}"
            report.add("DXBC-STAT-001", message, _place(chunk))


def check_level_9(chunk: Chunk, program: Program, phases: list[Phase], report: Report) -> None:
    """Check that a program of level 9 has the stage of the other, and that that one is simple.

    Raises:
        ContainerError: the chunk is malformed.
    """
    place = _place(chunk)
    level_9 = parse_level9(chunk)
    token = ByteReader(level_9.code, level_9.code_offset, chunk.fourcc).u32(0)
    if _SM1_STAGES.get(level_9.stage) is not program.type or token >> 16 != level_9.stage:
        report.add("DXBC-AON9-001", f"its stage is {level_9.stage:#x} and {token >> 16:#x}, the "
                   f"program is {program.profile}", place)  # fmt: skip
    if program.type not in _SM1_STAGES.values() or (program.major, program.minor) != (4, 0):
        message = f"the program is {program.profile}, wanted vs_4_0, ps_4_0 or lib_4_0"
        report.add("DXBC-AON9-002", message, place)
    _check_level_9_program(program, phases, report)


def _check_level_9_program(program: Program, phases: list[Phase], report: Report) -> None:
    for phase in phases:
        for view in phase.declared.views:
            if program.type is ProgramType.VS:
                message = "a vertex shader of level 9 has no resources"
                report.add("DXBC-AON9-003", message, view.instruction.location)
        for element in phase.declared.elements:
            is_target = program.type is ProgramType.PS and element.type is _T.OUTPUT
            if is_target and element.register >= MAX_RENDER_TARGETS:
                message = f"o{element.register}, wanted one below {MAX_RENDER_TARGETS}"
                report.add("DXBC-AON9-003", message, element.instruction.location)
