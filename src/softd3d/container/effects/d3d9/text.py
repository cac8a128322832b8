"""Effects of Direct3D 9 as source text: parameters, techniques, states, shaders, expressions.

It reads like the source the effect was compiled from, with assembly for the shaders. Numbers in
comments name what source text has no word for.
"""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.container.comments.preshader import parse_preshader
from softd3d.container.effects.d3d9.listing import shader_texts
from softd3d.container.effects.d3d9.records import (
    NO_INDEX,
    Annotation,
    Effect9,
    EffectType,
    Numbers,
    ObjectIds,
    Parameter,
    ParameterFlags,
    Pass,
    Resource,
    ResourceUsage,
    SamplerStates,
    State,
    Structures,
    Value,
)
from softd3d.container.effects.d3d9.references import (
    ObjectPlace,
    element_selector,
    parameter_name,
    resources_by_state,
)
from softd3d.container.effects.d3d9.states import STATES, state_name
from softd3d.container.listing.constant_table import constant_table_lines
from softd3d.container.listing.preshader import preshader_lines
from softd3d.errors import ContainerError
from softd3d.isa.asm.sm1.numbers import float_text, integer_text

__all__ = ["effect_text"]

_INDENT = "    "
_SHADERS = (ParameterType.VERTEXSHADER, ParameterType.PIXELSHADER)
_WHOLE = (ParameterType.BOOL, ParameterType.INT)
_NUMERIC = (*_WHOLE, ParameterType.FLOAT)
# The others are written in small letters
_TYPES = {
    ParameterType.TEXTURE1D: "texture1D",
    ParameterType.TEXTURE2D: "texture2D",
    ParameterType.TEXTURE3D: "texture3D",
    ParameterType.TEXTURECUBE: "textureCUBE",
    ParameterType.SAMPLER1D: "sampler1D",
    ParameterType.SAMPLER2D: "sampler2D",
    ParameterType.SAMPLER3D: "sampler3D",
    ParameterType.SAMPLERCUBE: "samplerCUBE",
    ParameterType.PIXELSHADER: "PixelShader",
    ParameterType.VERTEXSHADER: "VertexShader",
}


def effect_text(effect: Effect9) -> str:
    """Return the whole effect as text.

    Raises:
        ShaderError: a shader or an expression is malformed, or the text gets too long.
    """
    writer = _Writer(effect)
    counts = len(effect.parameters), len(effect.techniques)
    lines = [f"// fx_2_0, parameters: {counts[0]}, techniques: {counts[1]}"]
    for number, parameter in enumerate(effect.parameters):
        lines += ["", *writer.parameter(number, parameter)]
    for number, technique in enumerate(effect.techniques):
        lines += ["", *_head(f"technique {technique.name.text}")]
        lines += writer.annotations(technique.annotations)
        lines.append("{")
        for index, pass_ in enumerate(technique.passes):
            lines += _indented(writer.pass_(number, index, pass_))
        lines.append("}")
    return "".join(f"{line}\n" for line in lines)


class _Writer:
    """Lists the parts of an effect; objects: their data by id."""

    def __init__(self, effect: Effect9) -> None:
        self.objects = {stored.id: stored.data for stored in effect.objects}
        self.resources = resources_by_state(effect)
        self.texts = shader_texts()

    def parameter(self, number: int, parameter: Parameter) -> list[str]:
        variable = parameter.variable
        shared = "shared " if parameter.flags & ParameterFlags.SHARED else ""
        lines = _declaration(variable.type, shared)
        notes = self.annotations(parameter.annotations)
        value = variable.value
        if isinstance(value, SamplerStates):
            blocks = [
                self.sampler(number, element, states)
                for element, states in enumerate(value.elements)
            ]
            return _assigned(lines, notes, blocks, is_array=variable.type.elements > 0)
        if isinstance(value, ObjectIds) and variable.type.type in _SHADERS:
            blocks = [self.shader(self.objects.get(id_, b"")) for id_ in value.ids]
            return _assigned(lines, notes, blocks, is_array=variable.type.elements > 0)
        text = self.value(variable.type, value)
        return _assigned(lines, notes, [[text]] if text else [], is_array=False)

    def annotations(self, annotations: tuple[Annotation, ...]) -> list[str]:
        if not annotations:
            return []
        lines: list[str] = []
        for annotation in annotations:
            text = self.value(annotation.type, annotation.value) or "0"
            lines += _assigned(_declaration(annotation.type), [], [[text]], is_array=False)
        return ["<", *_indented(lines), ">"]

    def value(self, type_: EffectType, value: Value) -> str:
        """Return the text of a value, nothing for zeros and for objects without any data."""
        match value:
            case Numbers(dwords):
                numbers = [_number(type_.type, dword) for dword in dwords]
                text = ", ".join(numbers)
                is_single = len(numbers) == 1 and not type_.elements
                return "" if not any(dwords) else text if is_single else f"{{ {text} }}"
            case ObjectIds(ids) if type_.type is ParameterType.STRING:
                texts = [self.string(self.objects.get(id_, b"")) for id_ in ids]
                return f"{{ {', '.join(texts)} }}" if type_.elements else texts[0]
            case Structures(elements):
                parts = [
                    self.value(member, part) or "0"
                    for values in elements
                    for member, part in zip(type_.members, values, strict=True)
                ]
                return f"{{ {', '.join(parts)} }}" if any(part != "0" for part in parts) else ""
            case _:
                return ""

    def string(self, data: bytes) -> str:
        text = data.partition(b"\0")[0].decode("latin-1")
        self.texts.spend(len(text))
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join([c if c.isprintable() else f"\\x{ord(c):02x}" for c in escaped]) + '"'

    def shader(self, tokens: bytes) -> list[str]:
        if not tokens:
            return ["NULL"]
        return ["asm", "{", *_indented(self.texts.text(tokens, len(_INDENT)).splitlines()), "}"]

    def sampler(self, parameter: int, element: int, states: tuple[State, ...]) -> list[str]:
        lines: list[str] = []
        for number, state in enumerate(states):
            lines += self.state((NO_INDEX, parameter, element, number), state, is_in_sampler=True)
        return ["sampler_state", "{", *_indented(lines), "}"]

    def pass_(self, technique: int, index: int, pass_: Pass) -> list[str]:
        lines: list[str] = []
        for number, state in enumerate(pass_.states):
            place = technique, index, NO_INDEX, number
            lines += self.state(place, state, is_in_sampler=False)
        notes = self.annotations(pass_.annotations)
        return [*_head(f"pass {pass_.name.text}"), *notes, "{", *_indented(lines), "}"]

    def state(self, place: ObjectPlace, state: State, *, is_in_sampler: bool) -> list[str]:
        info = STATES.get(state.operation)
        is_indexed = not is_in_sampler and (info is None or info.is_indexed or state.index > 0)
        name = state_name(state.operation) + (f"[{state.index}]" if is_indexed else "")
        resource = self.resources.get(place)
        block = [_constant(state)] if resource is None else self.resource(state, resource)
        return _assigned([name], [], [block], is_array=False)

    def resource(self, state: State, resource: Resource) -> list[str]:
        if resource.usage is ResourceUsage.PARAMETER:
            return [f"<{parameter_name(resource)}>"]
        if resource.usage is ResourceUsage.ELEMENT:
            name, expression = element_selector(resource)
            return [f"<{name}[]> with the element", *_expression(*expression)]
        if state.variable.type.type in _SHADERS:
            return self.shader(resource.data)
        return ["the value of", *_expression(resource.data)]


def _constant(state: State) -> str:
    """Return what a state is set to, where that is known without parameters."""
    info, variable = STATES.get(state.operation), state.variable
    if not isinstance(variable.value, Numbers):
        return "NULL"
    dwords = variable.value.dwords
    if info is not None and info.type not in _NUMERIC and not any(dwords):
        return "NULL"
    kind = variable.type.type
    is_single = len(dwords) == 1
    if is_single and info is not None and info.type is ParameterType.INT and kind in _WHOLE:
        return info.values.text(dwords[0])
    text = ", ".join(_number(kind, dword) for dword in dwords)
    return text if is_single else f"{{ {text} }}"


def _number(type_: ParameterType, dword: int) -> str:
    match type_:
        case ParameterType.FLOAT:
            return float_text(dword)
        case ParameterType.BOOL:
            return {0: "false", 1: "true"}.get(dword, str(dword))
        case _:
            return integer_text(dword)


def _expression(code: bytes, base: int = 0) -> list[str]:
    """Return what a preshader says; of one that is malformed why, as the rest is still right."""
    try:
        preshader = parse_preshader(code, base)
    except ContainerError as error:
        return ["{", *_indented([f"// {error}"]), "}"]
    table = preshader.constants
    lines = [] if table is None else constant_table_lines(table)
    return ["{", *_indented([*lines, *preshader_lines(preshader)]), "}"]


def _declaration(type_: EffectType, prefix: str = "") -> list[str]:
    """Return the lines of a variable's type and name, without what ends them."""
    array = f"[{type_.elements}]" if type_.elements else ""
    semantic = f" : {type_.semantic.text}" if type_.semantic.data else ""
    name = f"{type_.name.text}{array}{semantic}"
    if type_.class_ is not ParameterClass.STRUCT:
        return [f"{prefix}{_type_text(type_)} {name}"]
    members = [line for member in type_.members for line in _ended(_declaration(member))]
    return [f"{prefix}struct", "{", *_indented(members), f"}} {name}"]


def _type_text(type_: EffectType) -> str:
    scalar = _TYPES.get(type_.type, type_.type.name.lower())
    match type_.class_:
        case ParameterClass.VECTOR:
            return f"{scalar}{type_.columns}"
        case ParameterClass.MATRIX_ROWS:
            # All matrices of an effect are stored by rows, however they were declared
            return f"{scalar}{type_.rows}x{type_.columns}"
        case ParameterClass.MATRIX_COLUMNS:
            return f"column_major {scalar}{type_.rows}x{type_.columns}"
        case _:
            return scalar


def _assigned(
    lines: list[str], notes: list[str], blocks: list[list[str]], *, is_array: bool
) -> list[str]:
    """Return a declaration or state with annotations and what is assigned, to the semicolon."""
    if not blocks:
        return _ended([*lines, *notes])
    if is_array:
        inner = [line for block in blocks for line in (*block[:-1], f"{block[-1]},")]
        blocks = [["", "{", *_indented(inner), "}"]]
    first, *rest = blocks[0]
    head = [*lines, *notes]
    head[-1] = f"{head[-1]} = {first}".rstrip()
    return _ended([*head, *rest])


def _ended(lines: list[str]) -> list[str]:
    return [*lines[:-1], f"{lines[-1]};"]


def _head(text: str) -> list[str]:
    return [text.rstrip()]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"{_INDENT}{line}" if line else "" for line in lines]
