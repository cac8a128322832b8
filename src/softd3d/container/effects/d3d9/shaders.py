"""The shaders within an effect of Direct3D 9: where they are, and others in their place."""

from __future__ import annotations

from dataclasses import replace

from softd3d.arguments import numbered
from softd3d.classes import dataclass
from softd3d.container.comments.ctab import ParameterType
from softd3d.container.effects.d3d9.effect import build_effect9, parse_effect9
from softd3d.container.effects.d3d9.records import (
    NO_INDEX,
    Effect9,
    ObjectIds,
    Resource,
    ResourceUsage,
    SamplerStates,
    State,
)
from softd3d.errors import ContainerError
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.program import Program

__all__ = ["EffectShader", "embedded_shaders", "replace_shader", "state_of"]

_STAGES = {
    ParameterType.VERTEXSHADER: ProgramType.VS,
    ParameterType.PIXELSHADER: ProgramType.PS,
}


@dataclass(frozen=True, slots=True)
class EffectShader:
    """A shader of a state of a pass, or of a parameter.

    tokens: its token stream. object: its number among the effect's objects, or None; resource: its
    number among the resources, or None. technique, pass_, state, parameter, element: numbers of
    what it belongs to, None for those that do not apply. place: the same in words.
    """

    stage: ProgramType
    tokens: bytes
    place: str
    object: int | None = None
    resource: int | None = None
    technique: int | None = None
    pass_: int | None = None
    state: int | None = None
    parameter: int | None = None
    element: int | None = None

    @property
    def program(self) -> Program:
        """The decoded tokens; positions count from their start.

        Raises:
            DecodeError: the tokens are malformed.
        """
        return decode(self.tokens)


def embedded_shaders(effect: Effect9) -> tuple[EffectShader, ...]:
    """Return the shaders, in the order of the file; those of parameters come first.

    Raises:
        ContainerError: a resource belongs to a state that is not there.
    """
    return tuple(_shaders_of_parameters(effect) + _shaders_of_states(effect))


def replace_shader(data: bytes, index: int, tokens: bytes) -> bytes:
    """Return the bytes of an effect with another token stream for a shader.

    index: which of `embedded_shaders`. Nothing but the shader's bytes and their number changes.

    Raises:
        ContainerError: the new shader is for the other stage. ResourceError: there is no such one.
        DecodeError: the new tokens are no program.
    """
    effect = parse_effect9(data)
    shader = numbered(embedded_shaders(effect), index, "effect: shader")
    stage = decode(tokens).type
    if stage is not shader.stage:
        raise ContainerError(
            f"effect: a shader for {stage.name} is to replace one for {shader.stage.name}, of "
            f"{shader.place}"
        )
    if shader.object is not None:
        objects = list(effect.objects)
        objects[shader.object] = replace(objects[shader.object], data=tokens, padding=None)
        return build_effect9(replace(effect, objects=tuple(objects)))
    resources = list(effect.resources)
    number = shader.resource or 0
    resources[number] = replace(resources[number], data=tokens, padding=None)
    return build_effect9(replace(effect, resources=tuple(resources)))


def state_of(effect: Effect9, resource: Resource) -> State:
    """Return the state that a resource belongs to.

    Raises:
        ContainerError: there is none.
    """
    try:
        if resource.technique != NO_INDEX:
            pass_ = effect.techniques[resource.technique].passes[resource.index]
            return pass_.states[resource.state]
        value = effect.parameters[resource.index].variable.value
        if isinstance(value, SamplerStates):
            element = 0 if resource.element == NO_INDEX else resource.element
            return value.elements[element][resource.state]
    except IndexError:
        pass
    raise ContainerError(
        f"effect: no state {resource.state} in "
        + (
            f"parameter {resource.index}"
            if resource.technique == NO_INDEX
            else f"technique {resource.technique}, pass {resource.index}"
        )
    )


def _shaders_of_parameters(effect: Effect9) -> list[EffectShader]:
    owners: dict[int, tuple[ProgramType, int, int, str]] = {}
    for number, parameter in enumerate(effect.parameters):
        type_, value = parameter.variable.type, parameter.variable.value
        stage = _STAGES.get(type_.type)
        if stage is None or not isinstance(value, ObjectIds):
            continue
        for element, id_ in enumerate(value.ids):
            brackets = f"[{element}]" if type_.elements else ""
            place = f"parameter {type_.name.text}{brackets}"
            owners.setdefault(id_, (stage, number, element, place))
    found: list[EffectShader] = []
    for number, stored in enumerate(effect.objects):
        owner = owners.get(stored.id)
        if owner is not None and stored.data:
            stage, parameter, element, place = owner
            found.append(
                EffectShader(
                    stage, stored.data, place, number, parameter=parameter, element=element
                )
            )
    return found


def _shaders_of_states(effect: Effect9) -> list[EffectShader]:
    found: list[EffectShader] = []
    for number, resource in enumerate(effect.resources):
        state = state_of(effect, resource)
        stage = _STAGES.get(state.variable.type.type)
        if stage is None or resource.usage is not ResourceUsage.CODE or not resource.data:
            continue
        if resource.technique == NO_INDEX:
            raise ContainerError(f"effect: resource {number} is a shader of a sampler")
        technique = effect.techniques[resource.technique]
        pass_ = technique.passes[resource.index]
        place = (
            f"technique {technique.name.text or resource.technique}, "
            f"pass {pass_.name.text or resource.index}"
        )
        found.append(
            EffectShader(
                stage, resource.data, place, resource=number, technique=resource.technique,
                pass_=resource.index, state=resource.state,
            )
        )  # fmt: skip
    return found
