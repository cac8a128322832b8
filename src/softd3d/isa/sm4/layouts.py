"""The tokens of SM4.0-5.1 field by field.

Layouts: d3d12TokenizedProgramFormat.hpp; D3D11.3 functional specification section 22.
"""

from __future__ import annotations

from enum import IntFlag
from functools import lru_cache

from softd3d.arguments import member, whole
from softd3d.bits import Field
from softd3d.errors import DecodeError
from softd3d.isa.layout import Component, Token, TokenField, TokenLayout
from softd3d.isa.row import Controls
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.controls import PRECISE, SATURATE, TEST
from softd3d.isa.sm4.enums import (
    ConstantBufferAccess,
    CustomDataClass,
    Domain,
    ExtendedOpcodeType,
    GlobalFlags,
    InterpolationMode,
    MinPrecision,
    Opcode,
    OperandModifier,
    OperandType,
    OutputPrimitive,
    Partitioning,
    Primitive,
    PrimitiveTopology,
    ProgramType,
    ResinfoReturnType,
    ResourceDimension,
    ReturnType,
    SamplerMode,
    SelectionMode,
    SyncFlags,
    UavFlags,
)
from softd3d.isa.sm4.rows.table import TABLE

__all__ = [
    "CUSTOM_DATA",
    "EXTENDED_OPERAND",
    "OPERAND_MASK",
    "OPERAND_SCALAR",
    "OPERAND_SELECT_1",
    "OPERAND_SWIZZLE",
    "RESOURCE_DIM",
    "RESOURCE_RETURN_TYPE",
    "RETURN_TYPES",
    "SAMPLE_CONTROLS",
    "VERSION",
    "control_mask",
    "extended_opcode_token",
    "opcode_layout",
    "opcode_token",
    "operand_token",
]

_O = Opcode
_COMPONENTS = "xyzw"

VERSION = TokenLayout(
    "version token",
    (
        TokenField("minor", t.VERSION_MINOR, "minor version"),
        TokenField("major", t.VERSION_MAJOR, "major version", None, 5),
        TokenField("type", t.VERSION_TYPE, "the pipeline stage", ProgramType),
    ),
)
"""The first dword of a program; the second is the program's length in dwords."""

_SAMPLE_COUNT = TokenField("sample_count", t.DECLARED_SAMPLES, "samples of a texel")
_DIMENSION = TokenField(
    "dimension", t.DECLARED_DIMENSION, "shape of the resource", ResourceDimension
)
_POINTS = TokenField("control_points", t.CONTROL_POINTS, "control points of a patch")
_INTERPOLATION = TokenField(
    "interpolation", t.INTERPOLATION, "how the input is interpolated", InterpolationMode
)


def _flags(flags: IntFlag, meaning: str) -> tuple[TokenField, ...]:
    """Return a field of one bit for each flag; the flags' numbers are bits of the token."""
    return tuple(
        TokenField(
            flag.name.lower() if flag.name else "",
            Field(bit := flag.bit_length() - 1, bit),
            meaning,
        )
        for flag in type(flags)
        if flag in flags
    )


_UAV = _flags(
    UavFlags.GLOBALLY_COHERENT_ACCESS | UavFlags.RASTERIZER_ORDERED_ACCESS, "a property of the UAV"
)
_COUNTER = _flags(UavFlags.UAV_HAS_ORDER_PRESERVING_COUNTER, "a property of the UAV")
_CONTROLS: dict[Controls, tuple[TokenField, ...]] = {
    Controls.SATURATE: (TokenField("saturate", SATURATE, "1: results are clamped to 0 to 1"),),
    Controls.PRECISE: (TokenField("precise", PRECISE, "components that are precise, 1 for x"),),
    Controls.TEST: (TokenField("test", TEST, "what the condition is to be: 0 zero, 1 not zero"),),
    Controls.RESINFO_TYPE: (
        TokenField("return_type", t.RESINFO_TYPE, "type of the results", ResinfoReturnType),
    ),
    Controls.SAMPLEINFO_TYPE: (
        TokenField("return_type", t.SAMPLEINFO_TYPE, "type of the results", ResinfoReturnType),
    ),
    Controls.SYNC: _flags(~SyncFlags(0), "what is waited for"),
}
_DECLARED: dict[Opcode, tuple[TokenField, ...]] = {
    _O.DCL_GLOBAL_FLAGS: _flags(~GlobalFlags(0), "1: the program may do or needs this"),
    _O.DCL_RESOURCE: (_DIMENSION, _SAMPLE_COUNT),
    _O.DCL_CONSTANT_BUFFER: (
        TokenField("access", t.DYNAMIC_INDEXED, "how it is indexed", ConstantBufferAccess),
    ),
    _O.DCL_SAMPLER: (TokenField("mode", t.SAMPLER_MODE, "kind of the sampler", SamplerMode),),
    _O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY: (
        TokenField("topology", t.OUTPUT_TOPOLOGY, "what is written", PrimitiveTopology),
    ),
    _O.DCL_GS_INPUT_PRIMITIVE: (
        TokenField("primitive", t.INPUT_PRIMITIVE, "what is read", Primitive),
    ),
    _O.DCL_INPUT_PS: (_INTERPOLATION,),
    _O.DCL_INPUT_PS_SGV: (_INTERPOLATION,),
    _O.DCL_INPUT_PS_SIV: (_INTERPOLATION,),
    _O.DCL_INTERFACE: (TokenField("dynamic_indexed", t.DYNAMIC_INDEXED, "1: by a register"),),
    _O.DCL_INPUT_CONTROL_POINT_COUNT: (_POINTS,),
    _O.DCL_OUTPUT_CONTROL_POINT_COUNT: (_POINTS,),
    _O.DCL_TESS_DOMAIN: (TokenField("domain", t.DOMAIN, "what is tessellated", Domain),),
    _O.DCL_TESS_PARTITIONING: (
        TokenField("partitioning", t.PARTITIONING, "how edges are divided", Partitioning),
    ),
    _O.DCL_TESS_OUTPUT_PRIMITIVE: (
        TokenField("primitive", t.OUTPUT_PRIMITIVE, "what is made", OutputPrimitive),
    ),
    _O.DCL_UNORDERED_ACCESS_VIEW_TYPED: (_DIMENSION, *_UAV),
    _O.DCL_UNORDERED_ACCESS_VIEW_RAW: _UAV,
    _O.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: (*_UAV, *_COUNTER),
}


@lru_cache(maxsize=512)
def _control_fields(opcode: Opcode) -> tuple[TokenField, ...]:
    allowed = TABLE[opcode].controls
    fields = _DECLARED.get(opcode, ())
    return fields + tuple(f for kind, some in _CONTROLS.items() if kind in allowed for f in some)


@lru_cache(maxsize=512)
def control_mask(opcode: Opcode) -> int:
    """Return the control bits that mean something for an opcode, in place."""
    return sum(field.bits.mask for field in _control_fields(opcode))


CUSTOM_DATA = TokenLayout(
    "customdata token",
    (
        TokenField("opcode", t.OPCODE, "customdata", Opcode, Opcode.CUSTOMDATA),
        TokenField(
            "class", t.CUSTOM_CLASS, "what the data is; its length follows", CustomDataClass
        ),
    ),
)
_MORE = TokenField("extended", t.EXTENDED, "1: an extended token follows")


def opcode_layout(opcode: Opcode) -> TokenLayout:
    """Return the fields of the first token of an opcode's instructions.

    >>> [field.name for field in opcode_layout(Opcode.MUL).fields][:3]
    ['opcode', 'reserved_12_11', 'saturate']
    """
    return _opcode_layout(member(Opcode, opcode, "opcode"))


@lru_cache(maxsize=512)
def _opcode_layout(opcode: Opcode) -> TokenLayout:
    if opcode is Opcode.CUSTOMDATA:
        return CUSTOM_DATA
    fields = (
        TokenField("opcode", t.OPCODE, "what is done", Opcode, opcode),
        *_control_fields(opcode),
        TokenField("length", t.LENGTH, "dwords of the instruction, this one included", None, 1),
        _MORE,
    )
    return TokenLayout("opcode token", fields)


def opcode_token(dword: int) -> Token:
    """Take the first token of an instruction apart; its opcode says what the controls are.

    Raises:
        DecodeError: there is no such opcode.

    >>> opcode_token(0x08002038)
    <opcode token 0x08002038: saturate=1, length=8>
    """
    number = t.OPCODE.get(whole(dword))
    if number not in TABLE.rows:
        raise DecodeError(f"opcode token: opcode {number} is not defined in SM4-5.1")
    return opcode_layout(Opcode(number)).decode(dword)


def _extended_opcode(
    name: str, kind: ExtendedOpcodeType, fields: tuple[TokenField, ...]
) -> TokenLayout:
    head = TokenField("type", t.EXTENDED_OPCODE_TYPE, "what it tells", ExtendedOpcodeType, kind)
    return TokenLayout(f"extended opcode token, {name}", (head, *fields, _MORE))


SAMPLE_CONTROLS = _extended_opcode(
    "texel offsets",
    ExtendedOpcodeType.SAMPLE_CONTROLS,
    tuple(
        TokenField(f"offset_{axis}", bits, f"texels that are added to {axis}")
        for axis, bits in zip("uvw", t.TEXEL_OFFSETS, strict=True)
    ),
)
RESOURCE_DIM = _extended_opcode(
    "resource dimension",
    ExtendedOpcodeType.RESOURCE_DIM,
    (
        TokenField("dimension", t.EXTENDED_DIMENSION, "shape of the resource", ResourceDimension),
        TokenField("stride", t.EXTENDED_STRIDE, "bytes of a structure"),
    ),
)
RESOURCE_RETURN_TYPE = _extended_opcode(
    "resource return type",
    ExtendedOpcodeType.RESOURCE_RETURN_TYPE,
    tuple(
        TokenField(f"type_{c}", bits, f"type of {c} of a texel", ReturnType, ReturnType.FLOAT)
        for c, bits in zip(_COMPONENTS, t.EXTENDED_RETURN_TYPES, strict=True)
    ),
)
_EXTENDED = {
    ExtendedOpcodeType.EMPTY: _extended_opcode("empty", ExtendedOpcodeType.EMPTY, ()),
    ExtendedOpcodeType.SAMPLE_CONTROLS: SAMPLE_CONTROLS,
    ExtendedOpcodeType.RESOURCE_DIM: RESOURCE_DIM,
    ExtendedOpcodeType.RESOURCE_RETURN_TYPE: RESOURCE_RETURN_TYPE,
}


def extended_opcode_token(dword: int) -> Token:
    """Take an extended opcode token apart; its type says what the other bits are.

    Raises:
        DecodeError: there is no such type.
    """
    number = t.EXTENDED_OPCODE_TYPE.get(whole(dword))
    layout = next((layout for kind, layout in _EXTENDED.items() if kind == number), None)
    if layout is None:
        raise DecodeError(f"extended opcode token: type {number} is not defined")
    return layout.decode(dword)


RETURN_TYPES = TokenLayout(
    "return type token",
    (
        TokenField(f"type_{c}", bits, f"type of {c} of a texel", ReturnType, ReturnType.FLOAT)
        for c, bits in zip(_COMPONENTS, t.RETURN_TYPES, strict=True)
    ),
)
"""The dword of that name of declarations of typed views."""


def _operand(name: str, code: int, chosen: tuple[TokenField, ...]) -> TokenLayout:
    count = TokenField("components", t.COMPONENTS, "0 for none, 1 for one, 2 for four", None, code)
    fields = (
        count,
        *chosen,
        TokenField("type", t.OPERAND_TYPE, "the register file", OperandType),
        TokenField("dimensions", t.DIMENSIONS, "how many indices follow"),
        *(
            TokenField(f"representation_{n}", bits, f"of index {n}: 0 dword, 1 two, 2-4 + register")
            for n, bits in enumerate(t.REPRESENTATIONS)
        ),
        _MORE,
    )  # fmt: skip
    return TokenLayout(name, fields)


def _mode(mode: SelectionMode) -> TokenField:
    return TokenField("mode", t.MODE, "how components are chosen", SelectionMode, mode)


OPERAND_SCALAR = _operand("operand token", 1, ())
OPERAND_MASK = _operand(
    "operand token with mask",
    2,
    (_mode(SelectionMode.MASK), TokenField("mask", t.MASK, "components, 1 for x to 8 for w")),
)
OPERAND_SWIZZLE = _operand(
    "operand token with swizzle",
    2,
    (
        _mode(SelectionMode.SWIZZLE),
        *(
            TokenField(f"swizzle_{c}", bits, f"the component that {c} reads", Component, n)
            for n, (c, bits) in enumerate(zip(_COMPONENTS, t.SWIZZLE, strict=True))
        ),
    ),
)
OPERAND_SELECT_1 = _operand(
    "operand token with component",
    2,
    (
        _mode(SelectionMode.SELECT_1),
        TokenField("component", t.SWIZZLE[0], "the component that is read", Component),
    ),
)
_OPERANDS = {
    SelectionMode.MASK: OPERAND_MASK,
    SelectionMode.SWIZZLE: OPERAND_SWIZZLE,
    SelectionMode.SELECT_1: OPERAND_SELECT_1,
}

EXTENDED_OPERAND = TokenLayout(
    "extended operand token",
    (
        TokenField(
            "type", t.EXTENDED_OPERAND_TYPE, "1: a modifier", None, t.EXTENDED_OPERAND_MODIFIER
        ),
        TokenField("modifier", t.MODIFIER, "what is done to the value", OperandModifier),
        TokenField("min_precision", t.MIN_PRECISION, "bits that are enough", MinPrecision),
        TokenField("non_uniform", t.NON_UNIFORM, "1: the index differs between threads"),
        _MORE,
    ),
)


def operand_token(dword: int) -> Token:
    """Take the first token of an operand apart; its components and mode say what it has.

    Raises:
        DecodeError: the mode is not defined.

    >>> operand_token(0x00100e46)
    <operand token with swizzle 0x00100e46: dimensions=1>
    """
    if t.COMPONENTS.get(whole(dword)) != OPERAND_MASK["components"].default:
        return OPERAND_SCALAR.decode(dword)
    number = t.MODE.get(dword)
    layout = next((layout for mode, layout in _OPERANDS.items() if mode == number), None)
    if layout is None:
        raise DecodeError(f"operand token: component selection mode {number} is not defined")
    return layout.decode(dword)
