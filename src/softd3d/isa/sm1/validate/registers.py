"""Register numbers and relative addresses of any parameter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from softd3d.isa.asm.sm1.parse_registers import register_words
from softd3d.isa.sm1.enums import ProgramType, RegisterType
from softd3d.isa.sm1.program import DestinationParameter, Instruction, SourceParameter
from softd3d.isa.sm1.tokens import REGISTER_NUMBER
from softd3d.isa.sm1.validate.context import COMPONENTS, CONSTANTS, Context, Family

__all__ = ["check_register", "register_count"]

_T = RegisterType
_ALL_NUMBERS = REGISTER_NUMBER.mask + 1
_INDEXED: Mapping[Family, Mapping[RegisterType, frozenset[RegisterType]]] = {
    Family.VS_1: dict.fromkeys(CONSTANTS, frozenset({_T.ADDR})),
    Family.VS_2: dict.fromkeys(CONSTANTS, frozenset({_T.ADDR, _T.LOOP})),
    Family.VS_3: {
        **dict.fromkeys(CONSTANTS, frozenset({_T.ADDR, _T.LOOP})),
        _T.INPUT: frozenset({_T.LOOP}),
        _T.OUTPUT: frozenset({_T.LOOP}),
    },
    Family.PS_3: {_T.INPUT: frozenset({_T.LOOP})},
}
"""What can be added to the numbers of which registers."""


@lru_cache(maxsize=512)
def register_count(type_: RegisterType, stage: ProgramType, version: tuple[int, int]) -> int:
    """Return how many registers of a type a version has."""
    words = register_words(stage, version)
    counts = [file.count for file in words.files.values() if file.type == type_]
    named = sum(type_ == found for found, _ in words.named.values())
    if type_ in CONSTANTS and type_ != _T.CONST:  # the banks above c2047
        first = _ALL_NUMBERS * (type_ - _T.CONST2 + 1)
        return min(_ALL_NUMBERS, max(0, register_count(_T.CONST, stage, version) - first))
    return max(counts, default=named)


def check_register(
    c: Context, i: Instruction, p: SourceParameter | DestinationParameter, what: str
) -> None:
    """Check that a register exists, and what is added to its number."""
    count = register_count(p.type, c.program.type, c.version)
    if p.type is _T.LABEL and c.limits.labels is not None:
        count = c.limits.labels
    if p.number >= count:
        c.add("REG-001", f"{what} is {c.name(p)}, {c.program.profile} has {count} of these", i)
    if p.relative is not None:
        _check_address(c, i, p, p.relative, what)


def _check_address(
    c: Context,
    i: Instruction,
    p: SourceParameter | DestinationParameter,
    address: SourceParameter,
    what: str,
) -> None:
    allowed = _INDEXED.get(c.family, {}).get(p.type, frozenset())
    if address.type not in allowed or address.number:
        c.add("REL-001", f"{what} is {c.name(p)}, to which {c.name(address)} is added", i)
    elif address.type is _T.ADDR and len(set(address.swizzle)) > 1:
        letters = "".join(COMPONENTS[component] for component in address.swizzle)
        c.add("REL-002", f"{what} is indexed by a0.{letters}", i)
