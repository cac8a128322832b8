"""The shaders within a Direct3D 10 effect, and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.container.effects.d3d10.contents import EffectContents, EffectPass, effect_contents
from softd3d.container.effects.d3d10.effect import Effect
from softd3d.container.effects.d3d10.enums import AssignmentType, ObjectType
from softd3d.container.effects.d3d10.states import STATES
from softd3d.container.effects.d3d10.values import EffectArea, EffectShaderData
from softd3d.errors import ContainerError, Location

__all__ = ["EmbeddedShader", "embedded_shaders", "placed_passes", "with_shader"]

_DWORD = 4
_INLINE = (AssignmentType.INLINE_SHADER, AssignmentType.INLINE_SHADER_5)


@dataclass(frozen=True, slots=True)
class EmbeddedShader:
    """A shader of a variable, or one that a pass holds itself.

    code: its container. offset: where that lies, in bytes from the start of the effect, without a
    container of its own. place: what it belongs to, in words. type: of the variable, or of those
    that the state of the pass takes.
    """

    code: bytes
    offset: int
    place: str
    type: ObjectType


def embedded_shaders(
    effect: Effect, contents: EffectContents | None = None
) -> tuple[EmbeddedShader, ...]:
    """Return the shaders: those of variables first, then those of passes. Null ones are left out.

    contents: what `effect_contents` gives, if that is known.

    Raises:
        ContainerError: the effect is malformed.
    """
    area = EffectArea(effect)
    contents = effect_contents(effect) if contents is None else contents
    return tuple(
        EmbeddedShader(shader.code, effect.header_size + shader.offset, place, type_)
        for shader, place, type_ in (*_of_variables(area, contents), *_of_passes(area, contents))
        if shader.code is not None
    )


def with_shader(effect: Effect, index: int, code: bytes) -> Effect:
    """Return an effect with another container in place of a shader, wherever that is used.

    index: which of `embedded_shaders`. Everything else stays where it is, so the new container can
    be no longer than the old one; zeros fill the rest.

    Raises:
        ContainerError: there is no such shader, or the new one is longer.
    """
    shaders = embedded_shaders(effect)
    if not 0 <= index < len(shaders):
        raise ContainerError(f"effect: no shader {index}, found {len(shaders)} shaders")
    old = shaders[index]
    if len(code) > len(old.code):
        raise ContainerError(
            f"effect: {len(code)} bytes are to replace a shader of {len(old.code)}, of "
            f"{old.place}; a longer one is not supported"
        )
    start = old.offset - effect.header_size
    area = effect.unstructured
    filled = len(code).to_bytes(_DWORD, "little") + code.ljust(len(old.code), b"\0")
    end = start + len(old.code)
    return replace(effect, unstructured=area[: start - _DWORD] + filled + area[end:])


def placed_passes(contents: EffectContents) -> Iterator[tuple[str, EffectPass]]:
    """Yield all passes, each with its place in words; numbers stand for names there are not."""
    for group in contents.groups:
        prefix = f"group {group.name}, " if group.name else ""
        for number, technique in enumerate(group.techniques):
            prefix_of_pass = f"{prefix}technique {technique.name or number}, pass "
            for index, pass_ in enumerate(technique.passes):
                yield f"{prefix_of_pass}{pass_.name or index}", pass_


_Placed = tuple[EffectShaderData, str, ObjectType]


def _of_variables(area: EffectArea, contents: EffectContents) -> Iterator[_Placed]:
    for found in contents.objects:
        type_ = found.type.object_type
        if found.values and type_ is not None and type_ is not ObjectType.STRING:
            for number, shader in enumerate(area.shaders(found)):
                brackets = f"[{number}]" if found.type.elements else ""
                yield shader, f"variable {found.name}{brackets}", type_


def _of_passes(area: EffectArea, contents: EffectContents) -> Iterator[_Placed]:
    for place, pass_ in placed_passes(contents):
        for assignment in pass_.assignments:
            if assignment.type in _INLINE:
                objects = STATES[assignment.state].objects
                if not objects:
                    raise ContainerError(
                        f"effect: {assignment.state.name} is assigned a shader",
                        Location(offset=assignment.record),
                    )
                yield area.inline_shader(assignment), place, objects[0]
