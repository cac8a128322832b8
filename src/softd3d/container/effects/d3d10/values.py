"""What the records of an effect refer to in its unstructured area: numbers, shaders, elements.

Spec: layouts are those of Microsoft's Effects 11 (SBinaryConstant, SBinaryShaderData5 and others);
measured on the compiler's output.
"""

from __future__ import annotations

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.effects.d3d10.contents import (
    MAX_TEXT,
    EffectAssignment,
    EffectObject,
    EffectType,
)
from softd3d.container.effects.d3d10.effect import Effect
from softd3d.container.effects.d3d10.enums import AssignmentType, ScalarType
from softd3d.container.effects.d3d10.expression import EffectExpression, parse_expression
from softd3d.container.reflection.enums import enumerated
from softd3d.errors import ContainerError

__all__ = ["EffectArea", "EffectConstant", "EffectShaderData", "InterfaceBinding"]

_NO_INDEX = 0xFFFFFFFF
_MOST_CONSTANTS = 4
_DWORD = 4
_SHORT_DWORDS, _LONG_DWORDS = 2, 9  # of the data of shaders


@dataclass(frozen=True, slots=True)
class EffectConstant:
    """A number that is assigned; bits: a dword. The compiler stores it as the source has it."""

    type: ScalarType
    bits: int


@dataclass(frozen=True, slots=True)
class InterfaceBinding:
    """A class instance or interface variable; index: of the element, None if it is no array."""

    name: str
    index: int | None

    def __str__(self) -> str:
        return self.name if self.index is None else f"{self.name}[{self.index}]"


@dataclass(frozen=True, slots=True)
class EffectShaderData:
    """A shader and what is bound to it.

    code: its container, None for a null shader. offset: of that in the area. stream_outputs: the
    declaration of each stream of a geometry shader, None where there is none; a single one has no
    number. rasterized_stream: None if the shader does not say.
    """

    code: bytes | None
    offset: int
    stream_outputs: tuple[str | None, ...] = ()
    rasterized_stream: int | None = None
    bindings: tuple[InterfaceBinding, ...] = ()


class EffectArea:
    """Reads the unstructured area at the offsets that records have.

    All of its functions raise ContainerError where something leaves the area or is not defined.
    """

    def __init__(self, effect: Effect) -> None:
        self.reader = ByteReader(effect.unstructured, effect.header_size, "effect")
        self._codes: dict[int, bytes] = {}
        self._expressions: dict[int, EffectExpression] = {}
        self._text_left = MAX_TEXT
        self._code_left = len(effect.unstructured)

    def text(self, offset: int) -> str:
        """Return a string; as they and what refers to them may overlap, all are bounded."""
        found = self.reader.string(offset)
        self._text_left -= len(found) + 2 * _DWORD  # an empty one is work, too
        if self._text_left < 0:
            raise ContainerError(
                f"effect: texts take more than {MAX_TEXT} characters", self.reader.location(offset)
            )
        return found

    def dwords(self, type_: EffectType, offset: int) -> tuple[int, ...]:
        """Return the numbers of a value, of a structure in the order of its members."""
        return self.reader.dwords(offset, type_.packed_size // _DWORD)

    def constants(self, offset: int) -> tuple[EffectConstant, ...]:
        """Return the numbers that are assigned."""
        count = self.reader.u32(offset)
        if count > _MOST_CONSTANTS:
            raise ContainerError(
                f"effect: {count} constants are assigned, wanted at most {_MOST_CONSTANTS}",
                self.reader.location(offset),
            )
        dwords = self.reader.dwords(offset + _DWORD, 2 * count)
        where = self.reader.location(offset)
        return tuple(
            EffectConstant(enumerated(ScalarType, type_, "effect: scalar type", where), bits)
            for type_, bits in zip(dwords[::2], dwords[1::2], strict=True)
        )

    def element(self, offset: int) -> tuple[str, int]:
        """Return the name of an array and a dword: an index, or the offset of what gives it."""
        name, second = self.reader.dwords(offset, 2)
        return self.text(name), second

    def code(self, offset: int) -> bytes:
        """Return the container at `offset`, whose size precedes it.

        Containers do not overlap, so that copies of all of them are no larger than the area.
        """
        if offset not in self._codes:
            code = self.reader.bytes(offset + _DWORD, self.reader.u32(offset))
            self._code_left -= len(code)
            if self._code_left < 0:
                raise ContainerError("effect: containers overlap", self.reader.location(offset))
            self._codes[offset] = code
        return self._codes[offset]

    def expression(self, offset: int) -> EffectExpression:
        """Return the expression at `offset`, which is read once."""
        if offset not in self._expressions:
            self._expressions[offset] = parse_expression(self.code(offset))
        return self._expressions[offset]

    def shader(self, dwords: tuple[int, ...]) -> EffectShaderData:
        """Return what the dwords of a shader say: its code alone, with a declaration, or all."""
        start, *rest = dwords
        code = self.code(start) if start else None
        data = start + _DWORD if start else 0
        if len(dwords) < _LONG_DWORDS:
            return EffectShaderData(code, data, tuple(self.text(at) for at in rest if at))
        *streams, count, rasterized, bindings, bindings_at = rest
        return EffectShaderData(
            code,
            data,
            tuple(self.text(at) if at else None for at in streams) if count else (),
            rasterized if count else None,
            self.bindings(bindings_at, bindings),
        )

    def bindings(self, offset: int, count: int) -> tuple[InterfaceBinding, ...]:
        """Return what initializes interfaces."""
        dwords = self.reader.dwords(offset, 2 * count) if count else ()
        return tuple(
            InterfaceBinding(self.text(name), None if index == _NO_INDEX else index)
            for name, index in zip(dwords[::2], dwords[1::2], strict=True)
        )

    def inline_shader(self, assignment: EffectAssignment) -> EffectShaderData:
        """Return the shader that a pass holds itself."""
        is_long = assignment.type is AssignmentType.INLINE_SHADER_5
        count = _LONG_DWORDS if is_long else _SHORT_DWORDS
        return self.shader(self.reader.dwords(assignment.value, count))

    def shaders(self, object_: EffectObject) -> tuple[EffectShaderData, ...]:
        """Return the shaders of a variable, one for each element."""
        return tuple(self.shader(dwords) for dwords in object_.values)
