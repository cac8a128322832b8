"""Rules of Direct3D 10 effects: what they count, and what their states are given.

Spec: Microsoft's Effects 11, which relies on the counts; measured on the compiler's output.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from softd3d.container.dxbc.container import Container
from softd3d.container.effects.d3d10.contents import (
    EffectAssignment,
    EffectContents,
    EffectType,
    effect_contents,
)
from softd3d.container.effects.d3d10.effect import Effect, EffectVersion
from softd3d.container.effects.d3d10.enums import AssignmentType, ScalarType, VarType
from softd3d.container.effects.d3d10.enums import ObjectType as O
from softd3d.container.effects.d3d10.shaders import EmbeddedShader, embedded_shaders, placed_passes
from softd3d.container.effects.d3d10.states import STATES, EffectStateInfo, StateType
from softd3d.container.effects.d3d10.values import EffectArea
from softd3d.errors import Location
from softd3d.isa.limits import MAX_RENDER_TARGETS
from softd3d.isa.report import Report
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import ProgramType as P

__all__ = ["check_effect", "check_stage"]

_INLINE = (AssignmentType.INLINE_SHADER, AssignmentType.INLINE_SHADER_5)
_PROGRAMS = ("SHEX", "SHDR")
_DWORD = 4
_STAGES: dict[O, tuple[P, ...]] = {
    O.PIXEL_SHADER: (P.PS,),
    O.PIXEL_SHADER_5: (P.PS,),
    O.VERTEX_SHADER: (P.VS,),
    O.VERTEX_SHADER_5: (P.VS,),
    # A shader with stream output may be of the stage before.
    O.GEOMETRY_SHADER: (P.GS, P.VS, P.DS),
    O.GEOMETRY_SHADER_SO: (P.GS, P.VS, P.DS),
    O.GEOMETRY_SHADER_5: (P.GS, P.VS, P.DS),
    O.COMPUTE_SHADER_5: (P.CS,),
    O.HULL_SHADER_5: (P.HS,),
    O.DOMAIN_SHADER_5: (P.DS,),
}
# Which count in the header an element of an object adds to
_COUNTED = {
    O.STRING: "strings",
    O.BLEND: "blend_state_blocks",
    O.DEPTH_STENCIL: "depth_stencil_blocks",
    O.RASTERIZER: "rasterizer_state_blocks",
    O.SAMPLER: "samplers",
    O.RENDER_TARGET_VIEW: "render_target_views",
    O.DEPTH_STENCIL_VIEW: "depth_stencil_views",
    **dict.fromkeys(_STAGES, "shaders"),
    **dict.fromkeys(
        (
            *(O(number) for number in range(O.TEXTURE, O.TEXTURE_CUBE + 1)),
            O.BUFFER, O.TEXTURE_CUBE_ARRAY, O.BYTE_ADDRESS_BUFFER, O.STRUCTURED_BUFFER,
        ),
        "shader_resources",
    ),
    **dict.fromkeys(
        (
            *(O(number) for number in range(O.RW_TEXTURE_1D, O.RW_BUFFER + 1)),
            O.RW_BYTE_ADDRESS_BUFFER,
            O.RW_STRUCTURED_BUFFER, O.RW_STRUCTURED_BUFFER_ALLOC, O.RW_STRUCTURED_BUFFER_CONSUME,
            O.APPEND_STRUCTURED_BUFFER, O.CONSUME_STRUCTURED_BUFFER,
        ),
        "unordered_access_views",
    ),
}  # fmt: skip
_NOT_COUNTED = (  # what the records say themselves, or nothing that is read here
    "constant_buffers", "object_variables", "shared_constant_buffers", "shared_object_variables",
    "class_instance_elements",
)  # fmt: skip


def check_effect(effect: Effect, report: Report) -> tuple[EmbeddedShader, ...]:
    """Check all but the shaders, and return those. Places count from the start of the effect.

    Raises:
        ContainerError: the effect cannot be read.
    """
    contents = effect_contents(effect)
    shaders = embedded_shaders(effect, contents)
    _check_counts(effect, contents, report)
    checker = _StateChecker(effect, contents, report)
    for place, pass_ in placed_passes(contents):
        checker.check(pass_.assignments, None, place)
    for found in contents.objects:
        for block in found.states:
            checker.check(block, found.type.object_type, f"variable {found.name}")
    return shaders


def check_stage(shader: EmbeddedShader, container: Container, report: Report) -> None:
    """Check that a shader is of a stage that can be assigned; container: the shader's."""
    chunk = container.find(*_PROGRAMS)
    stages = _STAGES.get(shader.type)
    if chunk is None or stages is None or len(chunk.data) < _DWORD:
        return
    number = t.VERSION_TYPE.get(chunk.reader().u32(0))
    if number not in stages:
        name = P(number).name.lower() if number in frozenset(P) else f"stage {number}"
        report.add(
            "DXBC-FX-005",
            f"{shader.place}: a program for {name}, wanted {stages[0].name.lower()}",
            Location(offset=shader.offset),
        )


def _check_counts(effect: Effect, contents: EffectContents, report: Report) -> None:
    stored = asdict(effect.counts)
    found = _counts(effect, contents)
    for name, count in stored.items():
        if name not in _NOT_COUNTED and count != found[name]:
            words = name.replace("_", " ")
            report.add(
                "DXBC-FX-002",
                f"{count} {words} are counted, found {found[name]}",
                Location(offset=0),
            )


def _counts(effect: Effect, contents: EffectContents) -> Counter[str]:
    """Return what the header should count."""
    found = Counter[str]()
    for buffer in contents.buffers:
        name = "shared_numeric_variables" if buffer.is_shared else "numeric_variables"
        found[name] += len(buffer.variables)
    for object_ in contents.objects:
        name = _COUNTED.get(object_.type.object_type) if object_.type.object_type else None
        if name is not None and not object_.is_shared:
            found[name] += object_.type.count
    for _, pass_ in placed_passes(contents):
        inline = sum(a.type in _INLINE for a in pass_.assignments)
        found.update(shaders=inline, inline_shaders=inline)
    found["interface_variables"] = len(contents.interfaces)
    found["interface_variable_elements"] = sum(i.type.count for i in contents.interfaces)
    found["techniques"] = sum(len(group.techniques) for group in contents.groups)
    if effect.version is EffectVersion.FX_5_0:
        found["groups"] = len(contents.groups)
    return found


class _StateChecker:
    """Checks assignments; types: of all variables by their names."""

    def __init__(self, effect: Effect, contents: EffectContents, report: Report) -> None:
        self.area = EffectArea(effect)
        self.report = report
        self.types: dict[str, EffectType] = {o.name: o.type for o in contents.objects}
        for buffer in contents.buffers:
            self.types.update({v.name: v.type for v in buffer.variables})

    def check(self, assignments: tuple[EffectAssignment, ...], block: O | None, place: str) -> None:
        """Check what a pass or a block of states assigns. block: None for a pass."""
        for assignment in assignments:
            info = STATES[assignment.state]
            self.check_place(assignment, info, block, place)
            self.check_value(assignment, info, f"{place}: {info.name}")

    def check_place(
        self, assignment: EffectAssignment, info: EffectStateInfo, block: O | None, place: str
    ) -> None:
        if info.block is not block:
            self.add("FX-003", f"{place}: {info.name} is no state of it", assignment)
        limit = MAX_RENDER_TARGETS if info.is_indexed else 1
        if assignment.index >= limit:
            self.add(
                "FX-003",
                f"{place}: {info.name}[{assignment.index}], wanted at most {limit - 1}",
                assignment,
            )

    def check_value(self, assignment: EffectAssignment, info: EffectStateInfo, what: str) -> None:
        kind = assignment.type
        if kind is AssignmentType.CONSTANT:
            self.check_constant(assignment, info, what)
        elif kind is AssignmentType.VARIABLE:
            self.check_variable(assignment.variable, None, assignment, info, what)
        elif kind is AssignmentType.EXPRESSION:
            self.area.expression(assignment.value)
            if info.objects:
                self.add("FX-004", f"{what} is an object, and cannot be computed", assignment)
        elif kind not in _INLINE:
            name, second = self.area.element(assignment.value)
            if kind is AssignmentType.EXPRESSION_INDEX:
                self.area.expression(second)
            elif kind is AssignmentType.VARIABLE_INDEX:
                self.check_variable(self.area.text(second), None, assignment, None, what)
            index = second if kind is AssignmentType.CONST_INDEX else None
            self.check_variable(name, index, assignment, info, what)

    def check_constant(
        self, assignment: EffectAssignment, info: EffectStateInfo, what: str
    ) -> None:
        constants = self.area.constants(assignment.value)
        if len(constants) != info.count:
            self.add(
                "FX-004", f"{what} has {len(constants)} numbers, wanted {info.count}", assignment
            )
        if info.type is StateType.OBJECT and any(c.bits for c in constants):
            self.add("FX-004", f"{what} is an object, the only constant is NULL", assignment)
        for constant in constants:
            if info.names and constant.bits not in info.names:
                shown = "a float" if constant.type is ScalarType.FLOAT else str(constant.bits)
                self.add("FX-006", f"{what} is {shown}, which has no meaning", assignment)

    def check_variable(
        self, name: str, index: int | None, assignment: EffectAssignment,
        info: EffectStateInfo | None, what: str,
    ) -> None:  # fmt: skip
        """Check a variable that is assigned. index: of the element; info: None for an index."""
        type_ = self.types.get(name)
        if type_ is None:
            self.add("FX-004", f"{what}: there is no variable {name}", assignment)
            return
        objects = () if info is None else info.objects
        is_right = type_.object_type in objects if objects else type_.kind is not VarType.OBJECT
        if not is_right:
            self.add("FX-004", f"{what}: {name} is of type {type_.name}", assignment)
        elif objects and index is not None and index >= type_.count:
            self.add(
                "FX-004", f"{what}: {name}[{index}], wanted at most {type_.count - 1}", assignment
            )

    def add(self, code: str, message: str, assignment: EffectAssignment) -> None:
        self.report.add(f"DXBC-{code}", message, Location(offset=assignment.record))
