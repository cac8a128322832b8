"""Instructions of SM1-3 part by part: which dwords are what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from softd3d.isa.asm.sm1.operand import destination_text, source_text
from softd3d.isa.layout import TokenLayout
from softd3d.isa.sm1 import layouts
from softd3d.isa.sm1.encode import encode_parameter
from softd3d.isa.sm1.program import (
    Comment,
    Instruction,
    Parameter,
    Part,
    SourceParameter,
    Target,
)

__all__ = ["comment_parts", "instruction_parts"]

_DWORD = 4


def comment_parts(comment: Comment) -> tuple[Part, ...]:
    """Return the token of a comment and its payload.

    Raises:
        AssemblyError: the payload is too long or no whole number of dwords.
    """
    words = comment.words
    parts = [Part("comment", comment.offset, words[:1], layouts.COMMENT)]
    if words[1:]:
        parts.append(Part("payload", comment.offset + _DWORD, words[1:]))
    return tuple(parts)


def instruction_parts(i: Instruction, target: Target) -> tuple[Part, ...]:
    """Return what the dwords of an instruction are, in order.

    Raises:
        AssemblyError: a number, of an instruction made by hand, does not fit its field.
    """
    words = i.words
    parts: list[Part] = []
    position = 0
    for name, count, layout, parameter in _pieces(i, target):
        text = "" if parameter is None else _text(parameter, target)
        piece = words[position : position + count]
        if piece:
            offset = i.offset + _DWORD * position
            parts.append(Part(name, offset, piece, layout, parameter, text))
        position += count
    return tuple(parts)


_Piece: TypeAlias = "tuple[str, int, TokenLayout | None, Parameter | None]"


def _pieces(i: Instruction, target: Target) -> Iterator[_Piece]:
    """Yield name, number of dwords, layout and parameter of each part."""
    yield "instruction", 1, layouts.instruction_layout(i.opcode, target.version), None
    if i.declaration is not None:
        yield "usage", 1, layouts.USAGE, None
    parameters = [("dst", i.destination), ("predicate", i.predicate)]
    parameters += [(f"src{n}", source) for n, source in enumerate(i.sources)]
    for name, parameter in parameters:
        if parameter is not None:
            yield name, 1, _layout(parameter), parameter
            addresses = len(encode_parameter(parameter, target)) - 1
            if addresses:
                yield f"{name} address", addresses, layouts.SOURCE_PARAMETER, parameter.relative
    yield "immediate", len(i.immediates), None, None
    yield "trailing", len(i.trailing), None, None


def _layout(parameter: Parameter) -> TokenLayout:
    is_source = isinstance(parameter, SourceParameter)
    return layouts.SOURCE_PARAMETER if is_source else layouts.DESTINATION_PARAMETER


def _text(parameter: Parameter, target: Target) -> str:
    if isinstance(parameter, SourceParameter):
        return source_text(parameter, target)
    return destination_text(parameter, target)
