"""Declarations of inputs, outputs and samplers, and definitions of constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from softd3d.bits import sign_extend
from softd3d.isa.sm1.enums import (
    MiscType,
    Opcode,
    RegisterType,
    ResultModifier,
    TextureType,
    Usage,
)
from softd3d.isa.sm1.limits import LOOP_COUNTS, LOOP_STARTS, LOOP_STEPS
from softd3d.isa.sm1.program import FULL_MASK, Declaration, DestinationParameter, Instruction
from softd3d.isa.sm1.validate.context import CONSTANTS, Context, Family, components
from softd3d.isa.sm1.validate.registers import check_register

__all__ = ["DEFINITIONS", "check_declarations", "paired"]

_T = RegisterType
DEFINITIONS = frozenset({Opcode.DCL, Opcode.DEF, Opcode.DEFI, Opcode.DEFB})
_DEFINED: Mapping[Opcode, frozenset[RegisterType]] = {
    Opcode.DEF: CONSTANTS,
    Opcode.DEFI: frozenset({_T.CONSTINT}),
    Opcode.DEFB: frozenset({_T.CONSTBOOL}),
}
_DECLARED: Mapping[Family, frozenset[RegisterType]] = {
    Family.VS_1: frozenset({_T.INPUT}),
    Family.VS_2: frozenset({_T.INPUT}),
    Family.VS_3: frozenset({_T.INPUT, _T.OUTPUT, _T.SAMPLER}),
    Family.PS_2: frozenset({_T.INPUT, _T.TEXTURE, _T.SAMPLER}),
    Family.PS_3: frozenset({_T.INPUT, _T.SAMPLER, _T.MISCTYPE}),
}
_SAMPLER_TYPES: Mapping[int, int] = {
    TextureType.TEXTURE_2D: 2, TextureType.CUBE: 3, TextureType.VOLUME: 3
}  # fmt: skip
_COORDINATE_MASKS = frozenset({1, 3, 7, 15})
# Usages that no index makes acceptable, and those that only index 0 spoils
_NEVER: Mapping[tuple[Family, RegisterType], frozenset[int]] = {
    (Family.VS_1, _T.INPUT): frozenset({Usage.TESSFACTOR}),
    (Family.VS_2, _T.INPUT): frozenset({Usage.TESSFACTOR}),
    (Family.VS_3, _T.INPUT): frozenset({Usage.TESSFACTOR}),
    (Family.VS_3, _T.OUTPUT): frozenset({Usage.SAMPLE}),
    (Family.PS_3, _T.INPUT): frozenset({Usage.TESSFACTOR, Usage.SAMPLE}),
}
_NEVER_0: Mapping[tuple[Family, RegisterType], frozenset[int]] = {
    (Family.VS_1, _T.INPUT): frozenset({Usage.POSITIONT}),
    (Family.VS_2, _T.INPUT): frozenset({Usage.POSITIONT}),
    (Family.VS_3, _T.INPUT): frozenset({Usage.POSITIONT}),
    (Family.VS_3, _T.OUTPUT): frozenset({Usage.POSITIONT}),
    (Family.PS_3, _T.INPUT): frozenset({Usage.POSITION, Usage.POSITIONT, Usage.PSIZE}),
}


def check_declarations(c: Context) -> None:
    """Check all dcl, def, defi and defb, and note in the context what they declare."""
    checker = _Declarations(c)
    has_begun = False
    for i in c.items:
        if i.opcode not in DEFINITIONS:
            has_begun = True
            continue
        if has_begun:
            c.add("DCL-001", "it follows other instructions", i)
        elif i.opcode is Opcode.DCL:
            checker.declare(i)
        else:
            checker.define(i)


class _Declarations:
    """What has been declared and defined so far."""

    def __init__(self, c: Context) -> None:
        self.c = c
        self.defined: set[tuple[RegisterType, int]] = set()
        self.usages: set[tuple[RegisterType, int, int]] = set()
        self.centroid: dict[int, bool] = {}

    def define(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        if d is None:
            return
        check_register(c, i, d, "destination")
        if d.type not in _DEFINED[i.opcode] or d.write_mask != FULL_MASK or d.relative is not None:
            c.add("DEF-001", f"destination is {c.name(d)}.{components(d.write_mask)}", i)
            return
        if d.modifiers or d.shift:
            c.add("DEF-001", f"{c.name(d)} has a modifier", i)
        place = (d.type, d.number)
        vertex_float = not c.is_ps and i.opcode is Opcode.DEF
        if place in self.defined and not vertex_float:
            c.add("DEF-002", f"{c.name(d)} has been defined before", i)
        self.defined.add(place)
        if i.opcode is Opcode.DEFI:
            self._check_loop(i, c.name(d))

    def _check_loop(self, i: Instruction, name: str) -> None:
        c = self.c
        x, y, z, w = (sign_extend(value, 32) for value in i.immediates[:4])
        if x < 0 or (x not in LOOP_COUNTS and not c.is_software):
            c.add("DEF-003", f"{name}.x, a count of rounds, is {x}", i)
        if c.family is Family.PS_2:
            if y or z or w:
                c.add("DEF-005", f"{name} is {x}, {y}, {z}, {w}", i)
            return
        if w:
            c.add("DEF-005", f"{name}.w is {w}", i)
        if not c.is_software and (y not in LOOP_STARTS or z not in LOOP_STEPS):
            c.add("DEF-004", f"{name} begins at {y} with steps of {z}", i)

    def declare(self, i: Instruction) -> None:
        c, d, what = self.c, i.destination, i.declaration
        if d is None or what is None:
            return
        check_register(c, i, d, "destination")
        if d.type not in _DECLARED.get(c.family, frozenset()) or d.relative is not None:
            c.add("DCL-002", f"{c.name(d)} cannot be declared", i)
            return
        if self._check_modifiers(i, d) and self._check_shape(i, d, what):
            self._note(i, d, what)

    def _check_modifiers(self, i: Instruction, d: DestinationParameter) -> bool:
        c = self.c
        hints = ResultModifier.PARTIALPRECISION | ResultModifier.MSAMPCENTROID
        takes_hints = (c.family is Family.PS_3 and d.type is _T.INPUT) or (
            c.family is Family.PS_2 and d.type is _T.TEXTURE
        )
        if d.modifiers & ~(hints if takes_hints else 0) or d.shift:
            c.add("DCL-005", f"{c.name(d)} has a modifier", i)
            return False
        return True

    def _check_shape(self, i: Instruction, d: DestinationParameter, what: Declaration) -> bool:
        if d.type is _T.SAMPLER:
            return self._check_sampler(i, d, what)
        if not self._check_mask(i, d):
            return False
        if self.c.family is Family.PS_2 or d.type is _T.MISCTYPE:
            return True
        return self._check_usage(i, d, what)

    def _check_sampler(self, i: Instruction, d: DestinationParameter, what: Declaration) -> bool:
        c = self.c
        if what.texture_type not in _SAMPLER_TYPES:
            c.add("DCL-008", f"{c.name(d)} is declared with type {int(what.texture_type)}", i)
            return False
        if d.write_mask != FULL_MASK:
            c.add("DCL-004", f"{c.name(d)}.{components(d.write_mask)} is declared", i)
            return False
        return True

    def _check_mask(self, i: Instruction, d: DestinationParameter) -> bool:
        c = self.c
        allowed = bool(d.write_mask)
        if c.family in (Family.VS_1, Family.VS_2):
            allowed = d.write_mask == FULL_MASK
        elif c.family is Family.PS_2 and d.type is _T.TEXTURE:
            allowed = d.write_mask in _COORDINATE_MASKS
        elif d.type is _T.MISCTYPE and d.number == MiscType.POSITION:
            allowed = allowed and d.write_mask <= 3
        if not allowed:
            c.add("DCL-004", f"{c.name(d)}.{components(d.write_mask)} is declared", i)
        return allowed

    def _check_usage(self, i: Instruction, d: DestinationParameter, what: Declaration) -> bool:
        c = self.c
        place = (c.family, d.type)
        name = f"{Usage(what.usage).name.lower() if what.usage in _USAGES else what.usage}"
        index = what.usage_index
        if (
            what.usage not in _USAGES
            or what.usage in _NEVER.get(place, ())
            or (not index and what.usage in _NEVER_0.get(place, ()))
        ):
            c.add("DCL-006", f"{c.name(d)} is declared as {name}{index}", i)
            return False
        if d.type is _T.OUTPUT and not self._check_scalar_usage(i, d, what):
            return False
        if (d.type, what.usage, index) in self.usages:
            c.add("DCL-007", f"{name}{index} has been declared before", i)
            return False
        return True

    def _check_scalar_usage(
        self, i: Instruction, d: DestinationParameter, what: Declaration
    ) -> bool:
        c = self.c
        wrong = what.usage == Usage.TESSFACTOR and (what.usage_index or d.write_mask != 1)
        if what.usage == Usage.PSIZE and what.usage_index == 0:
            wrong = d.write_mask != FULL_MASK
        if wrong:
            c.add("DCL-009", f"{c.name(d)}.{components(d.write_mask)} is declared", i)
        return not wrong

    def _note(self, i: Instruction, d: DestinationParameter, what: Declaration) -> None:
        c = self.c
        place = (d.type, d.number)
        declared = c.declared.get(place, 0)
        by_component = c.family in (Family.VS_3, Family.PS_3) and d.type in (_T.INPUT, _T.OUTPUT)
        if declared & (d.write_mask if by_component else FULL_MASK):
            c.add("DCL-003", f"{c.name(d)} has been declared before", i)
            return
        if c.family is Family.PS_3 and d.type is _T.INPUT:
            centroid = what.usage == Usage.COLOR or bool(d.modifiers & ResultModifier.MSAMPCENTROID)
            if self.centroid.setdefault(d.number, centroid) != centroid:
                c.add("DCL-010", f"{c.name(d)} has usages with and without it", i)
                return
        c.declared[place] = declared | d.write_mask
        self.usages.add((d.type, what.usage, what.usage_index))
        if d.type is _T.SAMPLER:
            c.sampler_dimensions[d.number] = _SAMPLER_TYPES[what.texture_type]
        if d.type is _T.OUTPUT and (what.usage, what.usage_index) == (Usage.PSIZE, 0):
            c.point_sizes.add(d.number)


_USAGES = frozenset(int(usage) for usage in Usage)


def paired(c: Context) -> Iterator[tuple[Instruction, bool]]:
    """Yield what a ps_1_x program carries out, and whether the next one is co-issued with it."""
    for n, i in enumerate(c.items):
        if i.opcode in DEFINITIONS or i.opcode is Opcode.NOP:
            continue
        following = c.items[n + 1] if n + 1 < len(c.items) else None
        yield i, following is not None and following.is_coissued
