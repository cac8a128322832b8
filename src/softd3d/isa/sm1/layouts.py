"""The tokens of SM1-3 field by field.

Layouts: d3d9types.h; WDK "Direct3D Shader Codes".
"""

from __future__ import annotations

from functools import lru_cache

from softd3d.arguments import integers, member, whole
from softd3d.errors import DecodeError
from softd3d.isa.layout import Component, Token, TokenField, TokenLayout
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import (
    Comparison,
    Opcode,
    ProgramType,
    RegisterType,
    ResultModifier,
    SourceModifier,
    TexldControl,
    TextureType,
    Usage,
)

__all__ = [
    "COMMENT",
    "DESTINATION_PARAMETER",
    "SOURCE_PARAMETER",
    "USAGE",
    "VERSION",
    "instruction_layout",
    "instruction_token",
]

_COMPONENTS = "xyzw"

VERSION = TokenLayout(
    "version token",
    (
        TokenField("minor", t.VERSION_MINOR, "minor version; 255 of software versions"),
        TokenField("major", t.VERSION_MAJOR, "major version", None, 3),
        TokenField("type", t.VERSION_TYPE, "the shader's stage", ProgramType, ProgramType.VS),
    ),
)

COMMENT = TokenLayout(
    "comment token",
    (
        TokenField("opcode", t.OPCODE, "comment", Opcode, Opcode.COMMENT),
        TokenField("length", t.COMMENT_LENGTH, "dwords that follow"),
    ),
)

_REGISTER = (
    TokenField("number", t.REGISTER_NUMBER, "register number, the offset in its file"),
    TokenField("type", t.REGISTER_TYPE, "the register file", RegisterType),
    TokenField(
        "relative", t.RELATIVE,
        "1: an address register is added; its token follows from 2.0 on",
    ),
    TokenField("parameter", t.PARAMETER, "1 in every parameter token", None, 1),
)  # fmt: skip

SOURCE_PARAMETER = TokenLayout(
    "source parameter token",
    (
        *_REGISTER,
        *(
            TokenField(f"swizzle_{c}", bits, f"the component that {c} reads", Component, n)
            for n, (c, bits) in enumerate(zip(_COMPONENTS, t.SWIZZLE, strict=True))
        ),
        TokenField("modifier", t.SOURCE_MODIFIER, "what is done to the value", SourceModifier),
    ),
)

DESTINATION_PARAMETER = TokenLayout(
    "destination parameter token",
    (
        *_REGISTER,
        TokenField("write_mask", t.WRITE_MASK, "components, 1 for x to 8 for w", None, 15),
        TokenField("modifiers", t.RESULT_MODIFIER, "_sat, _pp, _centroid", ResultModifier),
        TokenField("shift", t.SHIFT, "the result is multiplied by 2 to this power"),
    ),
)

USAGE = TokenLayout(
    "usage token",
    (
        TokenField("usage", t.USAGE, "the semantic of a register", Usage),
        TokenField("usage_index", t.USAGE_INDEX, "the semantic's number"),
        TokenField("texture_type", t.TEXTURE_TYPE, "of samplers: the texture", TextureType),
        TokenField("parameter", t.PARAMETER, "1", None, 1),
    ),
)
"""The dword of dcl that tells what the register is for."""

_CONTROLS = {
    Opcode.IFC: TokenField("comparison", t.COMPARISON, "the comparison", Comparison, 1),
    Opcode.BREAKC: TokenField("comparison", t.COMPARISON, "the comparison", Comparison, 1),
    Opcode.SETP: TokenField("comparison", t.COMPARISON, "the comparison", Comparison, 1),
    Opcode.TEX: TokenField("controls", t.CONTROLS, "kind of the lookup", TexldControl),
}


def instruction_layout(opcode: Opcode, version: tuple[int, int]) -> TokenLayout:
    """Return the fields of the first token of an opcode's instructions in a version.

    >>> [field.name for field in instruction_layout(Opcode.IFC, (2, 1)).fields]
    ['opcode', 'comparison', 'reserved_23_19', 'length', 'predicated', 'reserved_31_29']
    """
    opcode = member(Opcode, opcode, "opcode")
    major, minor = integers(version, 2, "version", "a version such as (2, 0)")
    version = major, minor
    if opcode is Opcode.COMMENT:
        return COMMENT
    return _instruction(opcode, has_length=t.instruction_fields(version).has_length)


@lru_cache(maxsize=512)
def _instruction(opcode: Opcode, *, has_length: bool) -> TokenLayout:
    fields = [TokenField("opcode", t.OPCODE, "what is done", Opcode, opcode)]
    if opcode in _CONTROLS and (opcode is not Opcode.TEX or has_length):
        fields.append(_CONTROLS[opcode])
    if has_length:
        fields.append(TokenField("length", t.LENGTH, "dwords that follow"))
        fields.append(TokenField("predicated", t.PREDICATED, "1: a predicate's token is there"))
    else:
        fields.append(TokenField("coissue", t.COISSUE, "1: at once with the instruction before"))
    return TokenLayout("instruction token", fields)


def instruction_token(dword: int, version: tuple[int, int]) -> Token:
    """Take the first token of an instruction or comment apart, in a version such as (2, 0).

    Raises:
        DecodeError: there is no such opcode.

    >>> instruction_token(0x02000001, (2, 0))
    <instruction token 0x02000001: length=2>
    """
    number = t.OPCODE.get(whole(dword))
    if number not in _OPCODES:
        raise DecodeError(f"instruction token: opcode {number} is not defined in SM1-3")
    return instruction_layout(Opcode(number), version).decode(dword)


_OPCODES = frozenset(Opcode)
