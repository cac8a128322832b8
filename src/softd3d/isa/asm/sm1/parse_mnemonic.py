"""Mnemonics of SM1-3 texts with their endings: `mul_x2_sat`, `dcl_texcoord3_pp`, `if_lt`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.sm1.listing import (
    COMPARES,
    RESULT_MODIFIERS,
    SHIFTS,
    TEXLD_ENDINGS,
    TEXTURE_TYPES,
)
from softd3d.isa.row import Kind, OperandSpec
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import (
    Comparison,
    Opcode,
    ProgramType,
    ResultModifier,
    TextureType,
    Usage,
)
from softd3d.isa.sm1.program import FULL_MASK, Declaration
from softd3d.isa.sm1.rows import TABLE

__all__ = ["Head", "mnemonics", "parse_mnemonic"]

_R = ResultModifier
# Microsoft's parser knows these a version before any program may use them
_EARLY: Mapping[tuple[ProgramType, tuple[int, int]], frozenset[Opcode]] = {
    (ProgramType.VS, (2, 0)): frozenset({Opcode.BREAK}),
    (ProgramType.PS, (2, 0)): frozenset({Opcode.IF, Opcode.ELSE, Opcode.ENDIF, Opcode.DEFB}),
}
_MODIFIERS = {text[1:]: modifier for modifier, text in RESULT_MODIFIERS.items()}
_SHIFTS = {text[1:]: power for power, text in SHIFTS.items()}
_COMPARISONS = {comparison.name.lower(): comparison for comparison in Comparison}
_USAGES = {usage.name.lower(): usage for usage in Usage}
_TEXTURES = {text: TextureType(kind) for kind, text in TEXTURE_TYPES.items()}
_USAGE = re.compile(r"([a-z]+)([0-9]{0,7})\Z")
_MOST_USAGES = t.USAGE_INDEX.get(0xFFFFFFFF)
_DECLARED = _R.PARTIALPRECISION | _R.MSAMPCENTROID
_SCALAR = (OperandSpec("f", 1),)
# One component for each row of the matrix
_MATRIX_MASKS = {Opcode.M3X2: 0b0011, Opcode.M3X3: 0b0111, Opcode.M4X3: 0b0111}
_CALCULATED = _R.SATURATE | _R.PARTIALPRECISION


@dataclass(frozen=True, slots=True)
class Head:
    """What a mnemonic says: the opcode and all fields that are not in operands.

    sources, immediates: how many follow the destination, if there is one. is_difference: the last
    source is to be negated, as `sub` is an add with that from ps_2_0 on and in vertex shaders.
    is_scalar: a source without swizzle has its w read. full_mask: what a destination without mask
    has written. The last two are other than usual in vs_1_1 only.
    """

    mnemonic: str
    opcode: Opcode
    has_destination: bool
    sources: int
    immediates: int
    controls: int = 0
    modifiers: ResultModifier = ResultModifier.NONE
    shift: int = 0
    declaration: Declaration | None = None
    is_difference: bool = False
    is_scalar: bool = False
    full_mask: int = FULL_MASK


@lru_cache(maxsize=32)
def mnemonics(stage: ProgramType, version: tuple[int, int]) -> Mapping[str, tuple[Opcode, ...]]:
    """Return the words of a version without endings, and the opcodes of each.

    A word has a second opcode where its comparisons have one of their own.
    """
    found: dict[str, tuple[Opcode, ...]] = {}
    early = _EARLY.get((stage, version), frozenset())
    for code in TABLE.variants:
        opcode = Opcode(code)
        row = TABLE.select(opcode, stage.name.lower(), version)
        if row is None and opcode in early:
            row = TABLE[opcode]
        if row is not None:
            found[row.mnemonic] = (*found.get(row.mnemonic, ()), opcode)
    return found


@lru_cache(maxsize=4096)
def parse_mnemonic(word: str, stage: ProgramType, version: tuple[int, int]) -> Head:
    """Return what a mnemonic with its endings says.

    Raises:
        Mistake: the version has no such instruction, or it has no such ending.

    >>> parse_mnemonic("mul_x2_sat", ProgramType.PS, (1, 1)).shift
    1
    """
    name, *endings = word.split("_")
    if not name:
        raise Mistake(f"{shown(word)} is no instruction")
    if endings and not endings[-1]:
        endings.pop()  # one underscore too many is none
    known = mnemonics(stage, version)
    controls, base = 0, name
    if name not in known:
        base, controls = _texture_load(name, known, has_controls=version >= (2, 0))
    if base not in known:
        raise Mistake(_unknown(name, stage, version))
    opcodes = known[base]
    if Opcode.DCL in opcodes:
        return _declaration(endings, stage, version)
    opcode, endings, controls = _compared(base, opcodes, endings, controls, len(name))
    layout = t.layout(opcode, stage, version)
    if layout is None:
        raise Mistake(_unknown(name, stage, version))
    is_difference = opcode is Opcode.SUB and not _is_ps_1(stage, version)
    is_modified = layout.has_destination and TABLE[opcode].kind is not Kind.DECLARATION
    allowed = _allowed(stage, version) if is_modified else _R.NONE
    shift, modifiers = _result(
        name, endings, allowed, has_shift=is_modified and _is_ps_1(stage, version)
    )
    is_vs_1 = stage is ProgramType.VS and version < (2, 0)
    return Head(
        name, Opcode.ADD if is_difference else opcode, layout.has_destination, layout.sources,
        layout.immediates, controls, modifiers, shift, None, is_difference,
        is_vs_1 and TABLE[opcode].sources[:1] == _SCALAR,
        _MATRIX_MASKS.get(opcode, FULL_MASK) if is_vs_1 else FULL_MASK,
    )  # fmt: skip


def _texture_load(
    name: str, known: Mapping[str, tuple[Opcode, ...]], *, has_controls: bool
) -> tuple[str, int]:
    """Return texld and the controls of texldp and texldb."""
    for control, ending in TEXLD_ENDINGS.items():
        base = name.removesuffix(ending)
        if base != name and Opcode.TEX in known.get(base, ()) and has_controls:
            return base, control
    return name, 0


def _compared(
    name: str, opcodes: Sequence[Opcode], endings: list[str], controls: int, at: int
) -> tuple[Opcode, list[str], int]:
    """Choose the opcode by whether the endings have a comparison, and take that away."""
    comparing = next((opcode for opcode in opcodes if opcode in COMPARES), None)
    comparison = next((ending for ending in endings if ending in _COMPARISONS), None)
    if comparison is not None and comparing is not None:
        rest = [ending for ending in endings if ending != comparison]
        if len(rest) != len(endings) - 1:
            raise Mistake(f"{name} has one comparison", at)
        return comparing, rest, _COMPARISONS[comparison]
    plain = next((opcode for opcode in opcodes if opcode not in COMPARES), None)
    if plain is None:
        raise Mistake(f"{name} needs a comparison such as {name}_gt", at)
    return plain, endings, controls


def _is_ps_1(stage: ProgramType, version: tuple[int, int]) -> bool:
    return stage is ProgramType.PS and version < (2, 0)


def _allowed(stage: ProgramType, version: tuple[int, int]) -> ResultModifier:
    if stage is ProgramType.PS:
        return _R.SATURATE if version < (2, 0) else _CALCULATED
    return _R.SATURATE if version >= (3, 0) else _R.NONE


def _result(
    name: str, endings: Sequence[str], allowed: ResultModifier, *, has_shift: bool
) -> tuple[int, ResultModifier]:
    """Return shift and modifiers of the result; a shift stands before the modifiers."""
    shift, modifiers = 0, _R.NONE
    at = len(name)
    for ending in endings:
        modifier = _MODIFIERS.get(ending, _R.NONE)
        if has_shift and ending in _SHIFTS:
            if shift or modifiers:
                raise Mistake(f"{name} has one shift, which stands before _sat", at)
            shift = _SHIFTS[ending]
        elif modifier and modifier in allowed:
            if modifier in modifiers:
                raise Mistake(f"_{ending} stands twice", at)
            modifiers |= modifier
        else:
            raise Mistake(_no_ending(name, ending, allowed, has_shift=has_shift), at)
        at += 1 + len(ending)
    return shift, modifiers


def _no_ending(name: str, ending: str, allowed: ResultModifier, *, has_shift: bool) -> str:
    wanted = [*(SHIFTS.values() if has_shift else ())]
    wanted += [text for modifier, text in RESULT_MODIFIERS.items() if modifier in allowed]
    choice = f", wanted {', '.join(wanted)}" if wanted else ""
    return f"{name} has no ending _{ending} in this version{choice}"


def _declaration(endings: Sequence[str], stage: ProgramType, version: tuple[int, int]) -> Head:
    """Return a dcl with its semantic or texture type."""
    is_pixel = stage is ProgramType.PS
    usages = _USAGES if not is_pixel or version >= (3, 0) else {}
    textures = _TEXTURES if is_pixel or version >= (3, 0) else {}
    declaration: Declaration | None = None
    modifiers: list[str] = []
    at = len("dcl")
    for number, ending in enumerate(endings):
        if number == 0 and ending in textures:
            declaration, usages = Declaration(texture_type=textures[ending]), {}
        elif usages and (usage := _usage(ending, at)) is not None:
            if declaration is not None:
                raise Mistake("dcl has one semantic", at)
            if is_pixel and usage == Declaration():
                raise Mistake(f"a pixel shader has no dcl_{ending}", at)
            declaration = usage
        elif ending in _MODIFIERS:
            modifiers.append(ending)
        else:
            near = suggestion(ending, (*usages, *textures))
            raise Mistake(f"{shown(ending)} is nothing to declare in this version{near}", at)
        at += 1 + len(ending)
    allowed = _DECLARED if is_pixel else _R.NONE
    _, result = _result("dcl", modifiers, allowed, has_shift=False)
    if declaration is None and not is_pixel:
        raise Mistake("dcl needs a semantic such as dcl_position", len("dcl"))
    return Head(
        "dcl",
        Opcode.DCL,
        has_destination=True,
        sources=0,
        immediates=0,
        modifiers=result,
        declaration=declaration or Declaration(),
    )


def _usage(ending: str, at: int) -> Declaration | None:
    found = _USAGE.match(ending)
    if found is None or found.group(1) not in _USAGES:
        return None
    index = int(found.group(2) or 0)
    if index > _MOST_USAGES:
        raise Mistake(f"a semantic's index is at most {_MOST_USAGES}, found {index}", at)
    return Declaration(_USAGES[found.group(1)], index)


def _unknown(name: str, stage: ProgramType, version: tuple[int, int]) -> str:
    """Say that a version has no such instruction, and which has it or what is like it."""
    if any(name == row.mnemonic for rows in TABLE.variants.values() for row in rows):
        return f"this version has no {name}"
    base = [name[: -len(ending)] for ending in TEXLD_ENDINGS.values() if name.endswith(ending)]
    if "texld" in base:
        return f"this version has no {name}"
    if name.upper() in ProgramType.__members__:
        return "a text has one program, found a second version"
    known = mnemonics(stage, version)
    if name.lower() in known:
        return f"{shown(name)} is no instruction, mnemonics are in lower case"
    return f"{shown(name)} is no instruction{suggestion(name, known)}"
