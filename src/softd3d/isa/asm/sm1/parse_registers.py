"""Which registers each version of SM1-3 has, as Microsoft's assembler knows them.

It knows more than a version's hardware has: how many of them a program may use is for a validator.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from softd3d.classes import dataclass
from softd3d.isa.asm.sm1.operand import CONSTANT_BANKS, NAMED, SINGLES, register_name
from softd3d.isa.sm1.enums import MiscType, ProgramType, RasterizerOutput, RegisterType
from softd3d.isa.sm1.limits import MAX_RENDER_TARGETS, limits
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm1.tokens import REGISTER_NUMBER, SOFTWARE

__all__ = ["RegisterFile", "RegisterWords", "banked", "is_scalar", "register_words"]

_T = RegisterType
_NUMBERS = REGISTER_NUMBER.mask + 1  # a parameter's field of them
_CONSTANTS = _NUMBERS * (len(CONSTANT_BANKS) + 1)

_SCALAR_FILES = frozenset({_T.DEPTHOUT, _T.LOOP, _T.LABEL, _T.CONSTBOOL})
_SCALARS = frozenset(
    {
        (_T.RASTOUT, RasterizerOutput.FOG),
        (_T.RASTOUT, RasterizerOutput.POINT_SIZE),
        (_T.MISCTYPE, MiscType.FACE),
    }
)

# For each file how many registers there are from a version on; 0 ends it
_VS: Mapping[RegisterType, Mapping[tuple[int, int], int]] = {
    _T.TEMP: {(1, 0): 12, (2, 1): 32},
    _T.INPUT: {(1, 0): 16},
    _T.CONST: {(1, 0): _CONSTANTS},
    _T.ADDR: {(1, 0): 1},
    _T.RASTOUT: {(1, 0): 3, (3, 0): 0},
    _T.ATTROUT: {(1, 0): 2, (3, 0): 0},
    _T.OUTPUT: {(1, 0): 8, (3, 0): 12, (3, SOFTWARE): 16},
    _T.CONSTINT: {(2, 0): 16},
    _T.CONSTBOOL: {(2, 0): 16},
    _T.LOOP: {(2, 0): 1},
    _T.LABEL: {(2, 0): _NUMBERS},
    _T.PREDICATE: {(2, 1): 1},
    _T.SAMPLER: {(3, 0): 4},
}
_COUNTS_OF_CONSTANTS = {
    version: limits(ProgramType.PS, version).float_constants
    for version in ((1, 0), (2, 0), (2, SOFTWARE), (3, 0), (3, SOFTWARE))
}
_PS: Mapping[RegisterType, Mapping[tuple[int, int], int]] = {
    _T.TEMP: {(1, 0): 2, (1, 4): 6, (2, 0): 12, (2, 1): 32},
    _T.INPUT: {(1, 0): 2, (3, 0): 10, (3, SOFTWARE): 14},
    _T.CONST: _COUNTS_OF_CONSTANTS,
    _T.TEXTURE: {(1, 0): 4, (1, 4): 6, (2, 0): 8, (3, 0): 0},
    _T.COLOROUT: {(2, 0): MAX_RENDER_TARGETS},
    _T.DEPTHOUT: {(2, 0): 1},
    _T.SAMPLER: {(2, 0): 16},
    _T.CONSTBOOL: {(2, 0): 16},
    _T.CONSTINT: {(2, 1): 16},
    _T.LABEL: {(2, 1): _NUMBERS},
    _T.PREDICATE: {(2, 1): 1},
    _T.MISCTYPE: {(3, 0): 2},
    _T.LOOP: {(3, 0): 1},
}
_FILES = {ProgramType.VS: _VS, ProgramType.PS: _PS}
# Software versions have as many of these as a token can number
_UNLIMITED_IN_SOFTWARE = frozenset({_T.CONSTINT, _T.CONSTBOOL})
# The files whose number an address can be added to, and since when
_INDEXED: Mapping[ProgramType, Mapping[RegisterType, tuple[int, int]]] = {
    ProgramType.VS: {_T.CONST: (1, 0), _T.INPUT: (3, 0), _T.OUTPUT: (3, 0)},
    ProgramType.PS: {_T.INPUT: (3, 0)},
}


@dataclass(frozen=True, slots=True)
class RegisterFile:
    """Registers r0, r1...: how many there are, and whether brackets may follow."""

    type: RegisterType
    count: int
    is_indexed: bool


@dataclass(frozen=True, slots=True)
class RegisterWords:
    """The words for registers of a version.

    files: by the letters before the number. named: type and number of registers with names.
    """

    files: Mapping[str, RegisterFile]
    named: Mapping[str, tuple[RegisterType, int]]


@lru_cache(maxsize=32)
def register_words(stage: ProgramType, version: tuple[int, int]) -> RegisterWords:
    """Return the registers that a version has.

    >>> register_words(ProgramType.PS, (1, 4)).files["t"].count
    6
    """
    program = Program(stage, *version, ())
    files: dict[str, RegisterFile] = {}
    named: dict[str, tuple[RegisterType, int]] = {}
    for kind, counts in _FILES[stage].items():
        since = max((first for first in counts if first <= version), default=None)
        count = 0 if since is None else counts[since]
        if count and version[1] == SOFTWARE and kind in _UNLIMITED_IN_SOFTWARE:
            count = _NUMBERS
        if kind in SINGLES or (kind, 0) in NAMED:
            for number in range(count):
                named[register_name(kind, number, program)] = (kind, number)
        elif count:
            first = _INDEXED[stage].get(kind)
            letters = register_name(kind, 0, program).rstrip("0")
            files[letters] = RegisterFile(kind, count, first is not None and version >= first)
    return RegisterWords(files, named)


def is_scalar(type_: RegisterType, number: int) -> bool:
    """Tell whether a register has no components to choose among."""
    return type_ in _SCALAR_FILES or (type_, number) in _SCALARS


def banked(type_: RegisterType, number: int) -> tuple[RegisterType, int]:
    """Return the type and number that a token has for a number of any size.

    Constants beyond a token's reach have types of their own; larger numbers start anew.

    >>> banked(RegisterType.CONST, 2049)
    (<RegisterType.CONST2: 11>, 1)
    """
    if type_ is not RegisterType.CONST:
        return type_, number % _NUMBERS
    bank = number % _CONSTANTS // _NUMBERS * _NUMBERS
    banks = {start: kind for kind, start in CONSTANT_BANKS.items()}
    return banks.get(bank, type_), number % _NUMBERS
