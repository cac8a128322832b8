"""Vertex shaders of SM1-3 as stages of a draw.

Spec: Direct3D 9 reference, "Vertex Shader and Pixel Shader Linkage", "SetClipPlane"; what is chosen
where it is silent is in docs/direct3d9.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.formats.layout import ChannelType
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.limits import MAX_CLIP_PLANES
from softd3d.isa.sm1.profile import DEFAULT, IEEE
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm4.enums import OperandType, SystemName
from softd3d.isa.sm4.enums import ProgramType as Stage
from softd3d.lower.bound import BoundProgram, RegisterInterface, Source
from softd3d.lower.d3d9.register_files import RegisterFiles
from softd3d.lower.d3d9.semantics import POSITION, declared_inputs, given_semantics
from softd3d.lower.d3d9.surroundings import Beginning, Surroundings, clip_key
from softd3d.lower.declarations import Declarations
from softd3d.lower.registers import Key
from softd3d.lower.stage import StageRegister, component_name, register_name
from softd3d.pipeline.d3d9.elements import VertexElement, element_format, element_of, inputs_of
from softd3d.pipeline.d3d9.linkage import (
    COMPONENTS,
    MISSING,
    UNSET,
    StageOutput,
    check_program,
    count_registers,
    stage_constants,
)
from softd3d.pipeline.input_layout import VertexInput

__all__ = ["VertexStage", "vertex_stage"]

_BEGINNINGS = {ChannelType.UINT: Beginning.UNSIGNED, ChannelType.SINT: Beginning.SIGNED}


@dataclass(frozen=True, slots=True)
class VertexStage:
    """A vertex shader in draws. inputs: from vertex buffers. outputs: for the stages behind."""

    bound: BoundProgram
    inputs: tuple[VertexInput, ...]
    outputs: tuple[StageOutput, ...]


def vertex_stage(
    program: Program, elements: Sequence[VertexElement], *, profile: str = DEFAULT.name,
    clip_planes: int = 0, constants: tuple[NDArray[np.uint32], ...] | None = None,
    source: Source | None = None,
) -> VertexStage:  # fmt: skip
    """Return a vertex shader as a stage.

    Args:
        program: vs_1_0 to vs_3_0.
        elements: of the vertex declaration; those that the shader does not declare are left out.
        profile: of numeric rules.
        clip_planes: CLIPPLANEENABLE: bit n for plane n, whose numbers are in the file of states.
        constants: files by slot, as `stage_constants` makes them, which it does by default.
        source: of the program, if it comes from bytes; it shortens the key of compiled code.

    Raises:
        ResourceError: the program is no vertex shader, or there is no such profile.
        DecodeError: the program contradicts itself.
    """
    check_program(program, ProgramType.VS, profile)
    given = _vertex_inputs(program, elements, profile)
    planes = tuple(n for n in range(MAX_CLIP_PLANES) if clip_planes >> n & 1)
    outputs, registers, results = _outputs(program, len(planes))
    surroundings = Surroundings(
        tuple(given.missing), tuple(given.begun), position=tuple(key for _, key in results[:4]),
        planes=planes,
    )  # fmt: skip
    declared = [StageRegister(OperandType.INPUT, n, COMPONENTS) for n, _, _ in given.read]
    declarations = Declarations(
        Stage.VS, declared, registers,
        temps=count_registers(given.found, results),
    )  # fmt: skip
    interface = RegisterInterface(profile, tuple(given.found), tuple(results), surroundings)
    files = stage_constants(program) if constants is None else constants
    bound = BoundProgram(
        program, declarations, {}, (), {}, files, source=source, interface=interface
    )
    return VertexStage(bound, inputs_of(given.read), outputs)


@dataclass(slots=True)
class _VertexInputs:
    """What a vertex shader is given.

    found: names of inputs with keys. missing, begun: as of `Surroundings`. read: of each v# with an
    element its number, the mask of components that are declared, and the element.
    """

    found: list[tuple[str, Key]] = field(default_factory=list[tuple[str, Key]])
    missing: list[tuple[Key, float]] = field(default_factory=list[tuple[Key, float]])
    begun: list[tuple[Key, Beginning]] = field(default_factory=list[tuple[Key, Beginning]])
    read: list[tuple[int, int, VertexElement]] = field(
        default_factory=list[tuple[int, int, VertexElement]]
    )


def _vertex_inputs(
    program: Program, elements: Sequence[VertexElement], profile: str
) -> _VertexInputs:
    inputs = _VertexInputs()
    declared = {d.place: d for d in declared_inputs(program)}
    absent = UNSET if profile == IEEE.name else MISSING
    for place in dict.fromkeys(RegisterFiles(program).supplied()):
        d = declared.get(place)
        element = None if d is None else element_of(elements, *d.semantic)
        keys: list[Key] = [(*place, c) for c in COMPONENTS]
        if d is None or element is None:
            inputs.missing += [item for item in zip(keys, absent, strict=True) if item[1]]
            continue
        name = register_name(OperandType.INPUT, place[1])
        inputs.read.append((place[1], sum(1 << c for c in d.components), element))
        inputs.found += [(component_name(name, key[2]), key) for key in keys]
        how = _BEGINNINGS.get(element_format(element.type).type)
        if how is not None:
            inputs.begun += [(key, how) for key in keys]
    return inputs


def _outputs(
    program: Program, planes: int
) -> tuple[tuple[StageOutput, ...], list[StageRegister], list[tuple[str, Key]]]:
    """Return a vertex shader's outputs: by semantic, as registers, and by name."""
    given = given_semantics(program)
    others = sorted(semantic for semantic in given if semantic != POSITION)
    outputs: list[StageOutput] = []
    registers: list[StageRegister] = []
    results: list[tuple[str, Key]] = []
    for number, semantic in enumerate((POSITION, *others)):
        components = tuple(sorted(given[semantic]))
        value = SystemName.POSITION if semantic == POSITION else SystemName.UNDEFINED
        outputs.append(StageOutput(semantic, number, components))
        registers.append(StageRegister(OperandType.OUTPUT, number, components, value))
        name = register_name(OperandType.OUTPUT, number)
        results += [(component_name(name, c), given[semantic][c]) for c in components]
    for first in range(0, planes, 4):
        number = len(registers)
        components = tuple(range(min(planes - first, 4)))
        value = SystemName.CLIP_DISTANCE
        registers.append(StageRegister(OperandType.OUTPUT, number, components, value))
        name = register_name(OperandType.OUTPUT, number)
        results += [(component_name(name, c), clip_key(first + c)) for c in components]
    return tuple(outputs), registers, results
