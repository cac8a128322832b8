"""Registers, source and destination parameters of SM1-3, as D3DDisassemble writes them."""

from __future__ import annotations

from softd3d.isa.record import Bounded
from softd3d.isa.sm1.enums import (
    MiscType,
    ProgramType,
    RasterizerOutput,
    RegisterType,
    SourceModifier,
)
from softd3d.isa.sm1.program import (
    FULL_MASK,
    IDENTITY,
    DestinationParameter,
    Instruction,
    SourceParameter,
    Target,
)

__all__ = [
    "COMPONENTS",
    "CONSTANT_BANKS",
    "NAMED",
    "SINGLES",
    "SOURCE_MODIFIERS",
    "destination_text",
    "predicate_text",
    "register_name",
    "source_text",
]

COMPONENTS = "xyzw"
_FILES: dict[RegisterType, str] = {
    RegisterType.TEMP: "r",
    RegisterType.INPUT: "v",
    RegisterType.CONST: "c",
    RegisterType.RASTOUT: "oX",
    RegisterType.ATTROUT: "oD",
    RegisterType.CONSTINT: "i",
    RegisterType.COLOROUT: "oC",
    RegisterType.SAMPLER: "s",
    RegisterType.CONSTBOOL: "b",
    RegisterType.TEMPFLOAT16: "x",
    RegisterType.MISCTYPE: "m",
    RegisterType.LABEL: "l",
    RegisterType.PREDICATE: "p",
}
# The registers of these files have no numbers
SINGLES: dict[RegisterType, str] = {RegisterType.DEPTHOUT: "oDepth", RegisterType.LOOP: "aL"}
NAMED: dict[tuple[RegisterType, int], str] = {
    (RegisterType.RASTOUT, RasterizerOutput.POSITION): "oPos",
    (RegisterType.RASTOUT, RasterizerOutput.FOG): "oFog",
    (RegisterType.RASTOUT, RasterizerOutput.POINT_SIZE): "oPts",
    (RegisterType.MISCTYPE, MiscType.POSITION): "vPos",
    (RegisterType.MISCTYPE, MiscType.FACE): "vFace",
}
# A parameter's 11 bits of number reach 2048 constants; these files are the next ones
CONSTANT_BANKS: dict[RegisterType, int] = {
    RegisterType.CONST2: 2048,
    RegisterType.CONST3: 4096,
    RegisterType.CONST4: 6144,
}
SOURCE_MODIFIERS: dict[SourceModifier, tuple[str, str]] = {
    SourceModifier.NONE: ("", ""),
    SourceModifier.NEG: ("-", ""),
    SourceModifier.BIAS: ("", "_bias"),
    SourceModifier.BIASNEG: ("-", "_bias"),
    SourceModifier.SIGN: ("", "_bx2"),
    SourceModifier.SIGNNEG: ("-", "_bx2"),
    SourceModifier.COMP: ("1-", ""),
    SourceModifier.X2: ("", "_x2"),
    SourceModifier.X2NEG: ("-", "_x2"),
    SourceModifier.DZ: ("", "_dz"),
    SourceModifier.DW: ("", "_dw"),
    SourceModifier.ABS: ("", "_abs"),
    SourceModifier.ABSNEG: ("-", "_abs"),
    SourceModifier.NOT: ("!", ""),
}


# The texts of parameters by identity, stage and version: shaders repeat themselves. Each is kept
# with its parameter, which must live as long as its identity is a key.
_MOST_TEXTS = 1 << 16
_Texts = Bounded[tuple[int, ProgramType, int, int], tuple[object, str]]
_DESTINATIONS: _Texts = Bounded(_MOST_TEXTS)
_SOURCES: _Texts = Bounded(_MOST_TEXTS)


def destination_text(p: DestinationParameter, target: Target) -> str:
    """Return a register and the components of it that are written, if not all are."""
    key = id(p), target.type, target.major, target.minor
    known = _DESTINATIONS.get(key)
    if known is None:
        known = p, _register(p, target) + _mask(p.write_mask)
        _DESTINATIONS[key] = known
    return known[1]


def source_text(p: SourceParameter, target: Target) -> str:
    """Return a register with its modifier and swizzle."""
    key = id(p), target.type, target.major, target.minor
    known = _SOURCES.get(key)
    if known is None:
        before, after = SOURCE_MODIFIERS[p.modifier]
        known = p, f"{before}{_register(p, target)}{after}{_swizzle(p)}"
        _SOURCES[key] = known
    return known[1]


def predicate_text(i: Instruction, target: Target) -> str:
    """Return an instruction's predicate in front of its mnemonic; nothing without one.

    The only modifier it can have is not. Where the destination has an address token, which comes
    between, Microsoft's disassembler takes that for the predicate.
    """
    if i.predicate is None:
        return ""
    address = None if i.destination is None else i.destination.relative
    p = i.predicate if address is None else address
    negation = "!" if p.modifier is SourceModifier.NOT else ""
    return f"({negation}{_register(p, target)}{_swizzle(p)}) "


def _mask(mask: int) -> str:
    if mask == FULL_MASK:
        return ""
    return "." + "".join(c for n, c in enumerate(COMPONENTS) if mask >> n & 1)


def _swizzle(p: SourceParameter) -> str:
    if p.swizzle == IDENTITY:
        return ""
    shown = p.swizzle[:1] if len(set(p.swizzle)) == 1 else p.swizzle
    return "." + "".join(COMPONENTS[component] for component in shown)


def _register(p: SourceParameter | DestinationParameter, target: Target) -> str:
    name = register_name(p.type, p.number, target)
    if p.relative is None:
        return name
    address = register_name(p.relative.type, p.relative.number, target)
    return f"{name}[{address}{_swizzle(p.relative)}]"


def register_name(type_: RegisterType, number: int, target: Target) -> str:
    """Return the word for a register in a target's stage and version."""
    if type_ in SINGLES:
        return SINGLES[type_]
    if type_ in CONSTANT_BANKS:
        return f"c{CONSTANT_BANKS[type_] + number}"
    if (type_, number) in NAMED:
        return NAMED[type_, number]
    if type_ is RegisterType.ADDR:
        return f"{'a' if target.type is ProgramType.VS else 't'}{number}"
    if type_ is RegisterType.OUTPUT:
        return f"{'oT' if target.version < (3, 0) else 'o'}{number}"
    return f"{_FILES[type_]}{number}"
