"""Effects of Direct3D 9 as D3DXDisassembleEffect writes them: the shaders, and who uses them."""

from __future__ import annotations

from softd3d.container.comments.ctab import ParameterType
from softd3d.container.effects.d3d9.records import NO_INDEX, Effect9, ObjectIds, Parameter
from softd3d.container.effects.d3d9.references import initial_shader, resources_by_state
from softd3d.container.effects.d3d9.states import STATES, StateGroup
from softd3d.container.effects.shader_texts import ShaderTexts
from softd3d.container.listing.stream import stream_listing
from softd3d.isa.sm1.decode import decode

__all__ = ["disassembled_effect", "shader_texts"]

_INDENT_WIDTH = 12
_INDENT = " " * _INDENT_WIDTH
_SHADERS = {
    ParameterType.VERTEXSHADER: "vertexshader",
    ParameterType.PIXELSHADER: "pixelshader",
}
_STAGES = ((StateGroup.VERTEX_SHADER, "vertex"), (StateGroup.PIXEL_SHADER, "pixel"))


def shader_texts() -> ShaderTexts:
    """Return what lists the token streams of one effect."""
    return ShaderTexts(lambda tokens: stream_listing(decode(tokens)))


def disassembled_effect(effect: Effect9) -> str:
    """Return the shaders of parameters, then those of all passes, as of their initial values.

    States other than shaders are not shown. A shader that an expression selects is left out where
    D3DX would fail: the element is not there.

    Raises:
        ShaderError: a shader or an expression is malformed, or the text gets too long.
    """
    texts = shader_texts()
    objects = {stored.id: stored.data for stored in effect.objects}
    parts = [_parameter(p, objects, texts) for p in effect.parameters]
    parts.append("\n//listing of all techniques and passes with embedded asm listings \n\n")
    passes = _Passes(effect, objects, texts)
    for number, technique in enumerate(effect.techniques):
        parts.append(f"technique {technique.name.text}\n{{\n")
        parts += [passes.text(number, index) for index in range(len(technique.passes))]
        parts.append("}\n\n")
    return "".join(parts)


def _parameter(parameter: Parameter, objects: dict[int, bytes], texts: ShaderTexts) -> str:
    """Return the listing of a shader or an array of shaders, nothing for other parameters."""
    type_, value = parameter.variable.type, parameter.variable.value
    kind, name = _SHADERS.get(type_.type), type_.name.text
    if kind is None or not isinstance(value, ObjectIds):
        return ""
    if not type_.elements:
        tokens = objects.get(value.ids[0])
        body = f"\nasm {{\n{texts.text(tokens, _INDENT_WIDTH)}}}" if tokens else "NULL"
        return f"{kind} {name} = {body};\n\n"
    elements: list[str] = []
    for number, id_ in enumerate(value.ids):
        tokens = objects.get(id_)
        body = f"asm {{\n{texts.text(tokens, _INDENT_WIDTH)}}}" if tokens else "NULL"
        elements.append(f"//listing for: {name}[{number}]\n{body}")
    body = ",\n\n".join(elements)
    return f"{kind} {name}[{type_.elements}] = \n{{\n{body}}};\n"


class _Passes:
    """Lists passes; ids: of the objects of parameters, by name."""

    def __init__(self, effect: Effect9, objects: dict[int, bytes], texts: ShaderTexts) -> None:
        self.effect = effect
        self.objects = objects
        self.texts = texts
        self.resources = resources_by_state(effect)
        self.ids = {
            p.variable.type.name.text: p.variable.value
            for p in effect.parameters
            if isinstance(p.variable.value, ObjectIds)
        }

    def text(self, technique: int, index: int) -> str:
        pass_ = self.effect.techniques[technique].passes[index]
        parts = [f"    pass {pass_.name.text}\n    {{\n"]
        for group, stage in _STAGES:
            tokens = self.shader(technique, index, group)
            if tokens is None:
                parts.append(f"        //No embedded {stage} shader\n")
                continue
            lines = self.texts.text(tokens, _INDENT_WIDTH).splitlines()
            body = "".join(f"{_INDENT}{line}\n" for line in lines)
            end = "\n" if group is StateGroup.VERTEX_SHADER else ""
            parts.append(f"        {stage}shader = \n{_INDENT}asm {{\n{body}{_INDENT}}};\n{end}")
        return "".join([*parts, "    }\n"])

    def shader(self, technique: int, index: int, group: StateGroup) -> bytes | None:
        """Return what the last assignment of the pass gives."""
        found: bytes | None = None
        for number, state in enumerate(self.effect.techniques[technique].passes[index].states):
            info = STATES.get(state.operation)
            if info is not None and info.group is group:
                resource = self.resources.get((technique, index, NO_INDEX, number))
                found = (
                    None if resource is None else initial_shader(resource, self.ids, self.objects)
                )
        return found
