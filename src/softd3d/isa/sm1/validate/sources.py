"""Source parameters: which registers, modifiers and swizzles an instruction can read."""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.isa.sm1.enums import MiscType, Opcode, RegisterType, SourceModifier
from softd3d.isa.sm1.program import IDENTITY, Instruction, SourceParameter
from softd3d.isa.sm1.validate.context import CONSTANTS, Context, Family, ordinal, same_register
from softd3d.isa.sm1.validate.operations import MATRIX_ROWS, SCRATCH_SOURCES, TEXTURE_LOADS
from softd3d.isa.sm1.validate.registers import check_register, register_count

__all__ = ["check_sources", "is_replicate"]

_T = RegisterType
_M = SourceModifier
_READABLE: Mapping[Family, frozenset[RegisterType]] = {
    Family.VS_1: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
    Family.VS_2: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
    Family.VS_3: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
    Family.PS_1: frozenset({_T.TEMP, _T.INPUT, _T.TEXTURE}) | CONSTANTS,
    Family.PS_1_4: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
    Family.PS_2: frozenset({_T.TEMP, _T.INPUT, _T.TEXTURE}) | CONSTANTS,
    Family.PS_3: frozenset({_T.TEMP, _T.INPUT, _T.MISCTYPE}) | CONSTANTS,
}
_NEGATED = frozenset({_M.NONE, _M.NEG})
_ABSOLUTE = _NEGATED | {_M.ABS, _M.ABSNEG}
_PS_1_MODIFIERS = _NEGATED | {_M.BIAS, _M.BIASNEG, _M.SIGN, _M.SIGNNEG, _M.COMP}
_MODIFIERS: Mapping[Family, frozenset[SourceModifier]] = {
    Family.VS_1: _NEGATED,
    Family.VS_2: _NEGATED,
    Family.VS_3: _ABSOLUTE,
    Family.PS_1: _PS_1_MODIFIERS,
    Family.PS_1_4: _PS_1_MODIFIERS | {_M.X2, _M.X2NEG},
    Family.PS_2: _NEGATED,
    Family.PS_3: _ABSOLUTE,
}
# The swizzles of ps_2_0 that are no replicate ones: xyzw, yzxw, zxyw, wzyx
_PS_2_0_SWIZZLES = frozenset({IDENTITY, (1, 2, 0, 3), (2, 0, 1, 3), (3, 2, 1, 0)})
_FLOW_LETTERS = frozenset("ciL")
_DERIVATIVES = frozenset({Opcode.DSX, Opcode.DSY})
_FACE_READERS = frozenset({Opcode.IFC, Opcode.BREAKC, Opcode.SETP})


def is_replicate(p: SourceParameter) -> bool:
    """Tell whether a swizzle selects one component for all places."""
    return len(set(p.swizzle)) == 1


def check_sources(c: Context, i: Instruction) -> None:
    """Check the sources of an instruction that is neither flow control nor before ps_2_0's tex."""
    row = c.row(i)
    for n, p in enumerate(i.sources):
        letter = row.sources[n].letter
        if letter in _FLOW_LETTERS:
            continue
        check_register(c, i, p, ordinal(n))
        if i.opcode in TEXTURE_LOADS and c.version >= (2, 0):
            _check_texture_source(c, i, n, p)
            continue
        if p.type not in _READABLE[c.family]:
            c.add("REG-002", f"{ordinal(n)} is {c.name(p)}, which cannot be read here", i)
            continue
        _check_modifier(c, i, n, p)
        _check_swizzle(c, i, n, p, row.sources[n].reads)
        if p.type is _T.MISCTYPE and c.family is Family.PS_3:
            _check_face(c, i, n, p)
    if i.opcode in SCRATCH_SOURCES and len(i.sources) >= _SERIES_SOURCES:
        _check_series(c, i)
    if i.opcode in MATRIX_ROWS:
        _check_rows(c, i)


_SERIES_SOURCES = 3


def _check_series(c: Context, i: Instruction) -> None:
    """Check the constants of sincos and the scratch registers of sgn."""
    first, second, third = i.sources[:3]
    if i.opcode is Opcode.SINCOS:
        is_wrong = second.type not in CONSTANTS or third.type not in CONSTANTS
        if is_wrong or same_register(second, third):
            c.add("OP-005", f"they are {c.name(second)} and {c.name(third)}", i)
        return
    is_wrong = second.type is not _T.TEMP or third.type is not _T.TEMP
    if is_wrong or second.number == third.number:
        c.add("OP-006", f"they are {c.name(second)} and {c.name(third)}", i)
    elif same_register(first, second) or same_register(first, third):
        c.add("OP-006", f"{c.name(first)} is first source and scratch register", i)


def _check_rows(c: Context, i: Instruction) -> None:
    matrix, rows = i.sources[1], MATRIX_ROWS[i.opcode]
    count = register_count(matrix.type, c.program.type, c.version)
    if matrix.number < count < matrix.number + rows:
        c.add("REG-009", f"{rows} rows begin at {c.name(matrix)}, there are {count}", i)


def _check_modifier(c: Context, i: Instruction, n: int, p: SourceParameter) -> None:
    if p.modifier not in _MODIFIERS[c.family]:
        c.add("MOD-001", f"{ordinal(n)} has the modifier {p.modifier.name}", i)
    elif not c.version >= (2, 0) and c.is_ps and p.type in CONSTANTS and p.modifier:
        c.add("MOD-002", f"{ordinal(n)} is {c.name(p)} with the modifier {p.modifier.name}", i)
    elif p.modifier and _is_plain_source(c, i, n):
        c.add("MOD-003", f"{ordinal(n)} has the modifier {p.modifier.name}", i)


def _is_plain_source(c: Context, i: Instruction, n: int) -> bool:
    """Tell whether a source takes neither modifiers nor, but for derivatives, swizzles."""
    if i.opcode in _DERIVATIVES:
        return c.family is Family.PS_3
    return n > 0 and (i.opcode in MATRIX_ROWS or i.opcode in SCRATCH_SOURCES)


def _check_swizzle(c: Context, i: Instruction, n: int, p: SourceParameter, reads: int) -> None:
    if reads == 1 and not is_replicate(p):
        if c.family is not Family.VS_1 or p.swizzle != IDENTITY:
            c.add("SWZ-001", f"{ordinal(n)} selects no single component", i)
    elif n > 0 and (i.opcode in MATRIX_ROWS or i.opcode in SCRATCH_SOURCES):
        if p.swizzle != IDENTITY:
            c.add("SWZ-002", f"{ordinal(n)} has a swizzle", i)
    elif i.opcode is Opcode.CRS and p.swizzle != IDENTITY:
        c.add("SWZ-002", f"{ordinal(n)} has a swizzle", i)
    elif not _has_swizzle(c, i, p):
        c.add("SWZ-003", f"{ordinal(n)} has a swizzle that the version lacks", i)


def _has_swizzle(c: Context, i: Instruction, p: SourceParameter) -> bool:
    if p.swizzle == IDENTITY or not c.is_ps:
        return True
    if c.family is Family.PS_1:
        alpha_only = i.destination is not None and i.destination.write_mask == 0b1000
        return p.swizzle == (3, 3, 3, 3) or (alpha_only and p.swizzle == (2, 2, 2, 2))
    if c.family is Family.PS_1_4:
        return is_replicate(p)
    return c.version != (2, 0) or is_replicate(p) or p.swizzle in _PS_2_0_SWIZZLES


def _check_face(c: Context, i: Instruction, n: int, p: SourceParameter) -> None:
    if p.number != MiscType.FACE:
        return
    if i.opcode not in _FACE_READERS and not (i.opcode is Opcode.CMP and n == 0):
        c.add("REG-003", f"{ordinal(n)} is vFace", i)
    if p.modifier in (_M.ABS, _M.ABSNEG):
        c.add("MOD-003", f"{ordinal(n)} is vFace with the modifier {p.modifier.name}", i)


_COORDINATES: Mapping[Family, frozenset[RegisterType]] = {
    Family.PS_2: frozenset({_T.TEMP, _T.TEXTURE}),
    Family.PS_3: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
    Family.VS_3: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
}
_GRADIENTS: Mapping[Family, frozenset[RegisterType]] = {
    Family.PS_2: frozenset({_T.TEMP, _T.TEXTURE, _T.INPUT}) | CONSTANTS,
    Family.PS_3: frozenset({_T.TEMP, _T.INPUT}) | CONSTANTS,
}


def _check_texture_source(c: Context, i: Instruction, n: int, p: SourceParameter) -> None:
    """Check the coordinates, sampler and gradients of texld, texldl and texldd."""
    if n == 1:
        allowed = frozenset({_T.SAMPLER})
    else:
        allowed = (_COORDINATES if n == 0 else _GRADIENTS).get(c.family, frozenset())
    if p.type not in allowed:
        c.add("REG-004", f"{ordinal(n)} is {c.name(p)}", i)
        return
    if p.modifier:
        c.add("MOD-003", f"{ordinal(n)} has the modifier {p.modifier.name}", i)
    if c.family is Family.PS_2 and p.swizzle != IDENTITY:
        c.add("SWZ-002", f"{ordinal(n)} has a swizzle", i)
