"""Direct3D 10 effects as D3DDisassemble writes them: variables, objects, techniques, shaders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from softd3d.container.effects.d3d10.contents import (
    EffectAnnotation,
    EffectAssignment,
    EffectBuffer,
    EffectGroup,
    EffectInterface,
    EffectObject,
    EffectPass,
    EffectTechnique,
    EffectType,
    EffectVariable,
    effect_contents,
)
from softd3d.container.effects.d3d10.effect import Effect, EffectVersion
from softd3d.container.effects.d3d10.enums import AssignmentType, ObjectType
from softd3d.container.effects.d3d10.expression import expression_lines
from softd3d.container.effects.d3d10.numbers import constants_text, value_text
from softd3d.container.effects.d3d10.states import STATES, StateType
from softd3d.container.effects.d3d10.values import EffectArea, EffectShaderData
from softd3d.container.effects.shader_texts import ShaderTexts
from softd3d.errors import ContainerError
from softd3d.isa.asm.options import PLAIN, ListingOptions

__all__ = ["effect_listing"]

_T = TypeVar("_T")
_STEP = " " * 4
_OFFSET_COLUMN = 40
_REGISTER = 16
_DWORD = 4
_NAME_WIDTH, _NOTE_WIDTH, _STATE_WIDTH = 7, 3, 8
_TBUFFER, _SINGLE = 1, 2
_HAS_PACKOFFSET = 4
_EXPRESSION_INDENT = " " * 16  # of its lines but the first, beyond that of the assignment
_STRINGS = (ObjectType.STRING,)


def effect_listing(
    effect: Effect, list_shader: Callable[[bytes], str], options: ListingOptions = PLAIN
) -> str:
    """Return the listing of an effect.

    list_shader: returns the listing of a container. Hexadecimal literals are those of expressions
    before the first shader: Microsoft's disassembler forgets the option there.

    Raises:
        ContainerError: the effect is malformed, or its listing gets too long, or code alone is
            wanted, which an effect does not have.
        DecodeError: a program in it is malformed.
    """
    if options.code_only:
        raise ContainerError("it is an effect: it has no listing of code alone")
    return _Lister(effect, ShaderTexts(list_shader), options).text()


def _section(title: str, indent: str = "") -> str:
    return f"{indent}//\n{indent}// {title}\n{indent}//\n"


def _head(type_: EffectType, name: str, width: int) -> str:
    """Return the declaration of a variable up to its name, padded for columns."""
    return f"{type_.name:<{width}} {name}" + (f"[{type_.elements}]" if type_.elements else "")


class _Lister:
    """Writes each part of an effect; indent: the white space before its lines."""

    def __init__(self, effect: Effect, texts: ShaderTexts, options: ListingOptions) -> None:
        self.effect = effect
        self.area = EffectArea(effect)
        self.contents = effect_contents(effect)
        self.texts = texts
        self.expressions: dict[tuple[int, ListingOptions], list[str]] = {}
        self.options = options
        self.forgotten = ListingOptions(options.dialect)  # once a shader has been listed

    def text(self) -> str:
        version = self.effect.version
        parts = [f"//\n// FX Version: {version.name.lower()}\n"]
        if version is not EffectVersion.FX_5_0:
            is_child = self.effect.is_child
            parts.append(f"// Child effect (requires effect pool): {str(is_child).lower()}\n")
        contents = self.contents
        for shared in (False, True):
            where = "shared" if shared else "local"
            parts += self.section(
                [b for b in contents.buffers if b.is_shared is shared],
                f"{where} buffer(s)",
                self.buffer,
            )
            objects = [o for o in contents.objects if o.is_shared is shared]
            parts += self.section(objects, f"{where} object(s)", self.object, "\n")
            interfaces = () if shared else contents.interfaces
            parts += self.section(interfaces, f"{where} interface(s)", self.interface, "\n")
        if version is EffectVersion.FX_5_0:
            parts += self.section(contents.groups, "groups(s)", self.group)
        else:
            parts += self.section(contents.groups[0].techniques, "technique(s)", self.technique10)
        return "".join(parts)

    def section(
        self, items: Sequence[_T], title: str, write: Callable[[_T], str], end: str = ""
    ) -> Iterable[str]:
        """Yield the texts of what there are several of, nothing if there are none."""
        if items:
            yield _section(f"{len(items)} {title}")
            for item in items:
                text = write(item)
                self.texts.spend(len(text))
                yield text
            yield end

    def buffer(self, buffer: EffectBuffer) -> str:
        is_tbuffer = buffer.flags & _TBUFFER
        single = "single " if buffer.flags & _SINGLE else ""
        head = f"{'tbuffer' if is_tbuffer else 'cbuffer'} {single}{buffer.name}"
        if buffer.bind_point is not None:
            head += f" : register({'t' if is_tbuffer else 'b'}{buffer.bind_point})"
        variables = "".join(self.variable(v) for v in buffer.variables)
        return f"{head}{self.annotations(buffer.annotations, '')}\n{{\n{variables}}}\n\n"

    def variable(self, variable: EffectVariable) -> str:
        text = _STEP + _head(variable.type, variable.name, _NAME_WIDTH)
        text += f" : {variable.semantic}" if variable.semantic else ""
        if variable.flags & _HAS_PACKOFFSET:
            register, byte = divmod(variable.offset, _REGISTER)
            text += f" : packoffset(c{register}.{'xyzw'[byte // _DWORD]})"
        text += self.annotations(variable.annotations, _STEP)
        text += f"{self.value(variable.type, variable.default)};"
        rest, newline, last = text.rpartition("\n")
        place = f"// Offset: {variable.offset:4}, size: {variable.type.total_size:4}\n"
        return f"{rest}{newline}{last:<{_OFFSET_COLUMN}}{place}"

    def value(self, type_: EffectType, offset: int) -> str:
        """Return the initial value of numbers, behind an equals sign; nothing if there is none."""
        if not offset:
            return ""
        self.texts.spend(type_.packed_size)
        return f" = {value_text(type_.scalar, self.area.dwords(type_, offset))}"

    def annotations(self, annotations: tuple[EffectAnnotation, ...], indent: str) -> str:
        if not annotations:
            return ""
        lines = [f"\n{indent}<"]
        for annotation in annotations:
            type_ = annotation.type
            value = (
                self.strings(annotation.values, is_array=type_.elements > 0)
                if type_.object_type in _STRINGS
                else self.value(type_, annotation.values[0])
            )
            lines.append(f"{indent}{_STEP}{_head(type_, annotation.name, _NOTE_WIDTH)}{value};")
        return "\n".join([*lines, f"{indent}>"])

    def strings(self, offsets: Iterable[int], *, is_array: bool) -> str:
        """Return strings behind an equals sign; one without a value has offset 0."""
        texts = [f'"{self.area.text(at)}"' for at in offsets if at]
        if not texts:
            return ""
        return f" = {{ {', '.join(texts)} }}" if is_array else f" = {texts[0]}"

    def object(self, found: EffectObject) -> str:
        text = _head(found.type, found.name, _NAME_WIDTH)
        text += f" : {found.semantic}" if found.semantic else ""
        text += self.annotations(found.annotations, "")
        if found.states:
            return f"{text}\n{self.state_blocks(found)};\n"
        if found.type.object_type in _STRINGS:
            offsets = [dwords[0] for dwords in found.values]
            return f"{text}{self.strings(offsets, is_array=found.type.elements > 0)};\n"
        if found.values:
            return f"{text} = \n{self.shader_elements(found)};\n"
        return f"{text};\n"

    def state_blocks(self, found: EffectObject) -> str:
        if not found.type.elements:
            return f"{{\n{self.assignments(found.states[0], _STEP)}}}"
        blocks = [
            f"{_STEP}{{\n{self.assignments(block, 2 * _STEP)}{_STEP}}}" for block in found.states
        ]
        return "{\n" + ",\n".join(blocks) + "\n}"

    def shader_elements(self, found: EffectObject) -> str:
        elements = [_STEP + self.shader(s, _STEP) for s in self.area.shaders(found)]
        return "{\n" + ",\n".join(elements) + "\n}" if found.type.elements else elements[0]

    def shader(self, shader: EffectShaderData, indent: str) -> str:
        """Return a shader; indent: of the line that it begins on."""
        if shader.code is None:
            return "NULL"
        self.options = self.forgotten
        inner = indent + _STEP
        lines = self.texts.text(shader.code, len(inner)).splitlines()
        body = "".join(f"{inner}{line}\n" for line in [*lines, indent])
        notes = "".join(f"\n{indent[len(_STEP) :]}/* {note} */" for note in _notes(shader))
        return f"asm {{\n{body}{indent}}}{notes}"

    def interface(self, found: EffectInterface) -> str:
        text = _head(found.type, found.name, _NAME_WIDTH)
        text += self.annotations(found.annotations, "")
        if found.default:
            self.texts.spend(found.type.count)
            names = [str(b) for b in self.area.bindings(found.default, found.type.count)]
            text += f" = {{ {', '.join(names)} }}" if found.type.elements else f" = {names[0]}"
        return f"{text};\n"

    def group(self, group: EffectGroup) -> str:
        found = group.techniques
        techniques = _section(f"{len(found)} technique(s)", _STEP) if found else ""
        techniques += "".join(self.technique(t, "technique11", _STEP) for t in found)
        head = "fxgroup" + (f" {group.name}" if group.name else "")
        return f"{head}{self.annotations(group.annotations, '')}\n{{\n{techniques}}}\n\n"

    def technique10(self, technique: EffectTechnique) -> str:
        return self.technique(technique, "technique10", "")

    def technique(self, technique: EffectTechnique, word: str, indent: str) -> str:
        passes = "".join(self.pass_(p, indent + _STEP) for p in technique.passes)
        head = indent + word + (f" {technique.name}" if technique.name else "")
        notes = self.annotations(technique.annotations, indent)
        return f"{head}{notes}\n{indent}{{\n{passes}{indent}}}\n\n"

    def pass_(self, found: EffectPass, indent: str) -> str:
        head = f"{indent}pass" + (f" {found.name}" if found.name else "")
        notes = self.annotations(found.annotations, indent)
        assignments = self.assignments(found.assignments, indent + _STEP)
        return f"{head}{notes}\n{indent}{{\n{assignments}{indent}}}\n\n"

    def assignments(self, assignments: tuple[EffectAssignment, ...], indent: str) -> str:
        lines: list[str] = []
        for assignment in assignments:
            info = STATES[assignment.state]
            name = info.name + (f"[{assignment.index}]" if info.is_indexed else "")
            value = self.assigned(assignment, indent)
            lines.append(f"{indent}{name:<{_STATE_WIDTH}} = {value};\n")
        return "".join(lines)

    def assigned(self, assignment: EffectAssignment, indent: str) -> str:
        """Return what stands behind the equals sign."""
        kind = assignment.type
        if kind is AssignmentType.CONSTANT:
            info = STATES[assignment.state]
            constants = self.area.constants(assignment.value)
            return "NULL" if info.type is StateType.OBJECT else constants_text(info, constants)
        if kind is AssignmentType.VARIABLE:
            return assignment.variable
        if kind in (AssignmentType.INLINE_SHADER, AssignmentType.INLINE_SHADER_5):
            return self.shader(self.area.inline_shader(assignment), indent)
        if kind is AssignmentType.EXPRESSION:
            return self.expression(assignment.value, indent)
        name, second = self.area.element(assignment.value)
        if kind is AssignmentType.CONST_INDEX:
            return f"{name}[{second}]"
        is_expression = kind is AssignmentType.EXPRESSION_INDEX
        index = self.expression(second, indent) if is_expression else self.area.text(second)
        return f"{name}[{index}]"

    def expression(self, offset: int, indent: str) -> str:
        key = offset, self.options
        if key not in self.expressions:
            self.expressions[key] = expression_lines(self.area.expression(offset), self.options)
        lines = self.expressions[key]
        self.texts.spend(sum(map(len, lines)) + len(indent) * len(lines))
        separator = f"\n{indent}{_EXPRESSION_INDENT}"
        return f"eval({separator.join(lines)})"


def _notes(shader: EffectShaderData) -> Iterable[str]:
    """Yield the comments on what is bound to a shader."""
    is_numbered = len(shader.stream_outputs) > 1
    for number, declaration in enumerate(shader.stream_outputs):
        if declaration is not None:
            stream = f"Stream {number}" if is_numbered else "Stream"
            yield f'{stream} out decl: "{declaration}"'
    if shader.rasterized_stream is not None:
        yield f"Stream {shader.rasterized_stream} to rasterizer"
    for number, binding in enumerate(shader.bindings):
        yield f"Interface parameter {number} bound to: {binding}"
