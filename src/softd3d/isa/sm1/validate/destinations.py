"""Destination parameters: which registers, masks and modifiers an instruction can write."""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.isa.sm1.enums import (
    Opcode,
    RasterizerOutput,
    RegisterType,
    ResultModifier,
)
from softd3d.isa.sm1.program import FULL_MASK, DestinationParameter, Instruction
from softd3d.isa.sm1.reads import components_read, selected
from softd3d.isa.sm1.validate.context import Context, Family, components, ordinal, same_register
from softd3d.isa.sm1.validate.operations import (
    DESTINATION_ALIASES,
    MATRIX_ROWS,
    NEVER_SATURATED,
    SCALAR_RESULTS,
    TEMP_RESULTS,
    TEXTURE_LOADS,
    VECTOR_RESULTS,
    WRITE_MASKS,
)
from softd3d.isa.sm1.validate.registers import check_register
from softd3d.isa.sm1.validate.sources import is_replicate

__all__ = ["check_destination"]

_T = RegisterType
_WRITABLE: Mapping[Family, frozenset[RegisterType]] = {
    Family.VS_1: frozenset({_T.TEMP, _T.ADDR, _T.RASTOUT, _T.ATTROUT, _T.TEXCRDOUT}),
    Family.VS_2: frozenset({_T.TEMP, _T.ADDR, _T.RASTOUT, _T.ATTROUT, _T.TEXCRDOUT, _T.PREDICATE}),
    Family.VS_3: frozenset({_T.TEMP, _T.ADDR, _T.OUTPUT, _T.PREDICATE}),
    Family.PS_1: frozenset({_T.TEMP, _T.TEXTURE}),
    Family.PS_1_4: frozenset({_T.TEMP}),
    Family.PS_2: frozenset({_T.TEMP, _T.COLOROUT, _T.DEPTHOUT, _T.PREDICATE}),
    Family.PS_3: frozenset({_T.TEMP, _T.COLOROUT, _T.DEPTHOUT, _T.PREDICATE}),
}
_SHIFTS: Mapping[Family, range] = {Family.PS_1: range(-1, 3), Family.PS_1_4: range(-3, 4)}
_SATURATING = frozenset({Family.VS_3, Family.PS_1, Family.PS_1_4, Family.PS_2, Family.PS_3})
_TEXKILL_OPERANDS: Mapping[Family, frozenset[RegisterType]] = {
    Family.PS_1_4: frozenset({_T.TEMP, _T.TEXTURE}),
    Family.PS_2: frozenset({_T.TEMP, _T.TEXTURE}),
    Family.PS_3: frozenset({_T.TEMP, _T.INPUT, _T.COLOROUT}),
}


def check_destination(c: Context, i: Instruction, d: DestinationParameter) -> None:
    """Check the destination of an instruction that is no declaration."""
    check_register(c, i, d, "destination")
    if not _check_type(c, i, d):
        return
    _check_mask(c, i, d)
    _check_modifiers(c, i, d)
    _check_aliases(c, i, d)
    if _is_scalar(c, d):
        _check_scalar(c, i, d)
    if d.type in (_T.COLOROUT, _T.DEPTHOUT) and c.family is Family.PS_2:
        _check_ps_2_output(c, i, d)


def _check_type(c: Context, i: Instruction, d: DestinationParameter) -> bool:
    allowed = _WRITABLE[c.family]
    if i.opcode is Opcode.TEXKILL:
        allowed = _TEXKILL_OPERANDS.get(c.family, allowed)
    if d.type not in allowed:
        c.add("REG-005", f"{c.name(d)} cannot be written here", i)
        return False
    for register, writer, code in _WRITERS:
        is_register = d.type == register and not (register is _T.ADDR and c.is_ps)
        if is_register != (i.opcode is writer) and (c.family, writer) not in _FREE_WRITERS:
            if is_register and c.family is Family.VS_1 and i.opcode is Opcode.MOV:
                continue
            c.add(code, f"it writes {c.name(d)}", i)
            return False
    is_temp_only = i.opcode in TEMP_RESULTS if not c.is_ps else i.opcode is Opcode.SINCOS
    if is_temp_only and d.type is not _T.TEMP and c.family is not Family.PS_2:
        c.add("REG-008", f"it writes {c.name(d)}", i)
    return True


_WRITERS = ((_T.ADDR, Opcode.MOVA, "REG-006"), (_T.PREDICATE, Opcode.SETP, "REG-007"))
# ps_2_x lets setp write anything, and anything write p0
_FREE_WRITERS = frozenset({(Family.PS_2, Opcode.SETP)})


def _check_mask(c: Context, i: Instruction, d: DestinationParameter) -> None:
    if not d.write_mask:
        c.add("MASK-001", f"nothing of {c.name(d)} is written", i)
        return
    if c.family is Family.VS_1 and d.type is _T.ADDR and d.write_mask != 1:
        c.add("MASK-002", f"it writes a0.{components(d.write_mask)}", i)
    allowed = _masks(c, i)
    if allowed is not None and d.write_mask not in allowed:
        c.add("MASK-002", f"it writes {c.name(d)}.{components(d.write_mask)}", i)


def _masks(c: Context, i: Instruction) -> frozenset[int] | None:
    """Return the write masks that an instruction can have; None for all."""
    if c.family is Family.VS_1:
        if i.opcode is Opcode.FRC:
            return frozenset({2, 3})
        if i.opcode in (Opcode.M4X3, Opcode.M3X3):
            return WRITE_MASKS[i.opcode] | {FULL_MASK}
    if c.family is Family.PS_2 and (i.opcode in TEXTURE_LOADS or i.opcode is Opcode.TEXKILL):
        return frozenset({FULL_MASK})
    if c.family is Family.PS_1 and not c.is_texture_instruction(i):
        colour, alpha = 0b0111, 0b1000
        dp3_alpha = i.opcode is Opcode.DP3
        return frozenset({colour, FULL_MASK} if dp3_alpha else {colour, alpha, FULL_MASK})
    return WRITE_MASKS.get(i.opcode)


def _check_modifiers(c: Context, i: Instruction, d: DestinationParameter) -> None:
    if d.modifiers:  # few have any
        _check_result_modifiers(c, i, d)
    if d.shift not in _SHIFTS.get(c.family, range(1)):
        c.add("MOD-006", f"its result is multiplied by 2 to the power of {d.shift}", i)


def _check_result_modifiers(c: Context, i: Instruction, d: DestinationParameter) -> None:
    if d.modifiers & ResultModifier.SATURATE and (
        c.family not in _SATURATING or (c.version >= (2, 0) and i.opcode in NEVER_SATURATED)
    ):
        c.add("MOD-004", "it saturates its result", i)
    if d.modifiers & ResultModifier.PARTIALPRECISION and not (c.is_ps and c.version >= (2, 0)):
        c.add("MOD-005", "it has the hint _pp", i)
    if d.modifiers & ~(ResultModifier.SATURATE | ResultModifier.PARTIALPRECISION):
        c.add("MOD-005", "its result has a modifier of declarations", i)


def _check_aliases(c: Context, i: Instruction, d: DestinationParameter) -> None:
    if c.version < (2, 0) and i.opcode not in MATRIX_ROWS:
        return
    for n in DESTINATION_ALIASES.get(i.opcode, ()):
        if n < len(i.sources) and same_register(d, i.sources[n]) and _overlaps(c, i, n, d):
            c.add("OP-001", f"{c.name(d)} is destination and {ordinal(n)}", i)
    rows = MATRIX_ROWS.get(i.opcode, 0)
    if rows and d.type == i.sources[1].type and 1 <= d.number - i.sources[1].number < rows:
        c.add("OP-001", f"{c.name(d)} is destination and a row of the matrix", i)


def _overlaps(c: Context, i: Instruction, n: int, d: DestinationParameter) -> bool:
    """Tell whether a matrix product writes what it reads; other opcodes care for registers only."""
    if i.opcode not in MATRIX_ROWS:
        return True
    return bool(d.write_mask & selected(i.sources[n].swizzle, components_read(i, c.row(i), n)))


def _is_scalar(c: Context, d: DestinationParameter) -> bool:
    if c.family in (Family.VS_1, Family.VS_2):
        return d.type is _T.RASTOUT and d.number != RasterizerOutput.POSITION
    if c.family is Family.VS_3:
        return d.type is _T.OUTPUT and d.relative is None and d.number in c.point_sizes
    return c.family is Family.PS_3 and d.type is _T.DEPTHOUT


def _check_scalar(c: Context, i: Instruction, d: DestinationParameter) -> None:
    """Check what is written to a register of one component, such as oFog or oDepth."""
    loads = i.opcode in TEXTURE_LOADS or i.opcode is Opcode.TEXKILL
    no_fraction = c.family is Family.VS_1 and i.opcode is Opcode.FRC
    no_root = c.is_ps and i.opcode is Opcode.RSQ
    if i.opcode in VECTOR_RESULTS or (c.is_ps and loads) or no_fraction or no_root:
        c.add("OUT-001", f"it writes {c.name(d)}", i)
        return
    if i.opcode not in SCALAR_RESULTS and not all(map(is_replicate, i.sources)):
        c.add("OUT-002", f"{c.name(d)} gets a vector", i)
    if i.predicate is not None and not is_replicate(i.predicate):
        c.add("OUT-003", f"{c.name(d)} is written under a predicate of several components", i)


def _check_ps_2_output(c: Context, i: Instruction, d: DestinationParameter) -> None:
    if i.opcode is not Opcode.MOV:
        c.add("OUT-004", f"it writes {c.name(d)}", i)
        return
    source = i.sources[0]
    if d.modifiers & ResultModifier.SATURATE:
        c.add("MOD-004", f"it saturates {c.name(d)}", i)
    if source.modifier:
        c.add("OUT-005", f"{c.name(d)} gets a source with the modifier {source.modifier.name}", i)
    if d.type is _T.DEPTHOUT:
        if not is_replicate(source):
            c.add("OUT-002", f"{c.name(d)} gets a vector", i)
        if i.predicate is not None and not is_replicate(i.predicate):
            c.add("OUT-003", f"{c.name(d)} is written under a predicate of several components", i)
        return
    if source.swizzle != (0, 1, 2, 3):
        c.add("OUT-005", f"{c.name(d)} gets a source with a swizzle", i)
    if d.write_mask != FULL_MASK:
        c.add("MASK-002", f"it writes {c.name(d)}.{components(d.write_mask)}", i)
