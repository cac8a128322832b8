"""Source and destination parameters of SM1-3 texts.

An operand is `-r0_abs[...].xyzw`: sign, register word, brackets with a sum, components; blanks may
stand between all of these. Components may be spelled xyzw or rgba, even mixed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.sm1.operand import COMPONENTS, SOURCE_MODIFIERS
from softd3d.isa.asm.sm1.parse_literal import INTEGER, integer
from softd3d.isa.asm.sm1.parse_registers import banked, is_scalar, register_words
from softd3d.isa.sm1.enums import ProgramType, RegisterType, SourceModifier
from softd3d.isa.sm1.program import (
    FULL_MASK,
    IDENTITY,
    IMPLICIT_ADDRESS,
    DestinationParameter,
    SourceParameter,
)
from softd3d.isa.sm1.tokens import instruction_fields

__all__ = ["DIRECTIVES", "OPERAND", "parse_destination", "parse_source"]

_M = SourceModifier
_COLORS = "rgba"
_LETTERS = {letter: n for word in (COMPONENTS, _COLORS) for n, letter in enumerate(word)}
_MOST_LETTERS = len(COMPONENTS)
_MOST_DIGITS = 15  # of a register's number, leading zeros included

_BRACKET = r"\[[^\[\]]*+(?:\[[^\[\]]*+\][^\[\]]*+)*+\]"
DIRECTIVES = ("tokens", "comment", "trailing")
"""Words that may begin a statement with a point before them, and so are no components."""
_NO_DIRECTIVE = rf"(?!(?:{'|'.join(DIRECTIVES)})\b)"
OPERAND = (
    r"(?:[-!]\s*+|[0-9]\w*+\s*+-\s*+)?+[A-Za-z_]\w*+"
    rf"(?:\s*+{_BRACKET})?+(?:\s*+\.\s*+{_NO_DIRECTIVE}[A-Za-z_]\w*+)?+"
)
"""A regular expression of what may be a source or a destination."""

_PARTS = re.compile(
    rf"(?:([-!])|([0-9]\w*+)\s*+-)?\s*+([A-Za-z_]\w*+)(?:\s*+({_BRACKET}))?(?:\s*+\.\s*+(\w++))?\s*+\Z",
    re.ASCII,
)
_WORD = re.compile(r"([A-Za-z]+?)([0-9]*)((?:_[a-z0-9]+)?)(_?)\Z")
_TERM = re.compile(
    rf"\s*+(?:({INTEGER})(?!\w)|([A-Za-z_]\w*+)(?:\s*+(\[[^\[\]]*+\]))?(?:\s*+\.\s*+(\w++))?)\s*+",
    re.ASCII,
)

# Endings of registers, and since when there are such; the divisions have a second spelling
_PS_1 = frozenset({_M.BIAS, _M.SIGN, _M.X2, _M.DZ, _M.DW})
_DIVISIONS = {
    after: kind for kind, (_, after) in SOURCE_MODIFIERS.items() if kind in (_M.DZ, _M.DW)
}
_ENDINGS = {
    **{after: kind for kind, (before, after) in SOURCE_MODIFIERS.items() if after and not before},
    **{
        after[:-1] + _COLORS[COMPONENTS.index(after[-1])]: kind
        for after, kind in _DIVISIONS.items()
    },
}
_NEGATED = {
    next(kind for kind, texts in SOURCE_MODIFIERS.items() if texts == ("", after)): kind
    for kind, (before, after) in SOURCE_MODIFIERS.items()
    if before == "-"
}


@dataclass(frozen=True, slots=True)
class _Register:
    type: RegisterType
    number: int
    modifier: SourceModifier
    relative: SourceParameter | None


@lru_cache(maxsize=16384)
def parse_source(text: str, stage: ProgramType, version: tuple[int, int]) -> SourceParameter:
    """Return the source parameter that a text without blanks around it writes.

    Raises:
        Mistake: it is none, or not one of the version.

    >>> parse_source("-c5[a0.x + 2].xy", ProgramType.VS, (2, 0)).swizzle
    (0, 1, 1, 1)
    """
    found = _PARTS.match(text)
    if found is None:
        raise Mistake(f"wanted a register, found {shown(text)}")
    sign, one, word, bracket, letters = found.groups()
    register = _register(word, bracket, found.start(3), found.start(4), stage, version)
    modifier = register.modifier
    if one is not None:
        modifier = _complement(one, register, found.start(3), stage, version)
    elif sign is not None:
        modifier = _signed(sign, register, found.start(3))
    swizzle = IDENTITY if letters is None else _swizzle(letters, register, found.start(5))
    return SourceParameter(register.type, register.number, swizzle, modifier, register.relative)


@lru_cache(maxsize=16384)
def parse_destination(
    text: str, stage: ProgramType, version: tuple[int, int]
) -> DestinationParameter:
    """Return the destination parameter that a text without blanks around it writes.

    Raises:
        Mistake: it is none, or not one of the version.

    >>> parse_destination("r1.rgb", ProgramType.PS, (1, 4)).write_mask
    7
    """
    found = _PARTS.match(text)
    if found is None:
        raise Mistake(f"wanted a register to write, found {shown(text)}")
    sign, one, word, bracket, letters = found.groups()
    if sign is not None or one is not None:
        raise Mistake(f"wanted a register to write, found {shown(sign or one)}")
    at = found.start(3)
    register = _register(word, bracket, at, found.start(4), stage, version)
    if register.modifier is not _M.NONE:
        raise Mistake("a register to write has no modifier", at)
    if register.relative is not None and (stage is ProgramType.PS or version < (3, 0)):
        raise Mistake("registers to write are addressed in vs_3_0 only", found.start(4))
    mask = FULL_MASK if letters is None else _mask(letters, register, found.start(5))
    return DestinationParameter(register.type, register.number, mask, relative=register.relative)


def _register(
    word: str, bracket: str | None, at: int, bracket_at: int, stage: ProgramType,
    version: tuple[int, int], *, is_address: bool = False,
) -> _Register:  # fmt: skip
    """Return a register with the sum in its brackets. at, bracket_at: where both begin."""
    words = register_words(stage, version)
    found = _WORD.match(word)
    name, digits, ending, _ = found.groups() if found is not None else (word, "", "", "")
    modifier = (
        _M.NONE if not ending else _ending(word, ending, at + len(name + digits), stage, version)
    )
    if not digits and name in words.named:
        if bracket is not None:
            raise Mistake(f"{name} has no index", bracket_at)
        return _Register(*words.named[name], modifier, None)
    file = words.files.get(name)
    if file is None or len(digits) > _MOST_DIGITS:
        raise Mistake(_unknown(word, name, stage, version), at)
    number, relative = int(digits or 0), None
    if bracket is not None:
        if not file.is_indexed:
            raise Mistake(f"{name} registers have no index in this version", bracket_at)
        offset, relative = _sum(bracket, bracket_at, stage, version, is_address=is_address)
        number = (number + offset) & 0xFFFFFFFF
    elif not digits:
        raise Mistake(f"{name} needs a number", at + len(name))
    if relative is None and number >= file.count:
        raise Mistake(f"{name}{number} does not exist, the last is {name}{file.count - 1}", at)
    return _Register(*banked(file.type, number), modifier, relative)


def _unknown(word: str, name: str, stage: ProgramType, version: tuple[int, int]) -> str:
    words = register_words(stage, version)
    if name in words.named:
        return f"{name} has no number, found {shown(word)}"
    if name in words.files:
        return f"a register's number has at most {_MOST_DIGITS} digits, found {shown(word)}"
    if name.lower() in words.files:
        return f"{shown(word)} is no register, {name.lower()} is in lower case"
    known = [*words.named, *(f"{letters}0" for letters in words.files)]
    elsewhere = any(
        name in other.files or name in other.named
        for other in (register_words(s, v) for s in ProgramType for v in ((1, 1), (2, 1), (3, 0)))
    )
    if elsewhere:
        return f"{shown(word)} is no register of this version"
    return f"{shown(word)} is no register{suggestion(word, known)}"


def _ending(
    word: str, ending: str, at: int, stage: ProgramType, version: tuple[int, int]
) -> SourceModifier:
    modifier = _ENDINGS.get(ending)
    if modifier is None:
        raise Mistake(
            f"{shown(ending)} is no modifier of a register{suggestion(ending, _ENDINGS)}", at
        )
    is_ps_1 = stage is ProgramType.PS and version < (2, 0)
    if modifier in _PS_1 and not is_ps_1:
        raise Mistake(f"{ending} is a modifier of ps_1_0 to ps_1_4 only, found {shown(word)}", at)
    if modifier not in _PS_1 and version < (3, 0):
        raise Mistake(f"{ending} is a modifier of 3_0 and later only, found {shown(word)}", at)
    return modifier


def _sum(
    bracket: str, at: int, stage: ProgramType, version: tuple[int, int], *, is_address: bool
) -> tuple[int, SourceParameter | None]:
    """Return what brackets add to a register's number: a constant and an address."""
    total, address = 0, None
    position, end = 1, len(bracket) - 1
    while True:
        term = _TERM.match(bracket, position, end)
        if term is None:
            rest = bracket[position:end].strip()
            raise Mistake(
                f"wanted a number or an address register, found {shown(rest)}", at + position
            )
        number, word, inner, letters = term.groups()
        if number is not None:
            total += integer(number, at + term.start(1))
        elif address is not None:
            raise Mistake("brackets have at most one address register", at + term.start(2))
        else:
            address = _address(word, inner, letters, at, term, stage, version)
            if is_address:
                raise Mistake("an address cannot have an address itself", at + term.start(2))
        position = term.end()
        if position >= end:
            return total & 0xFFFFFFFF, address
        if bracket[position] != "+":
            raise Mistake(f"wanted + or ], found {shown(bracket[position:end])}", at + position)
        position += 1


def _address(
    word: str, inner: str | None, letters: str | None, at: int, term: re.Match[str],
    stage: ProgramType, version: tuple[int, int],
) -> SourceParameter:  # fmt: skip
    register = _register(
        word, inner, at + term.start(2), at + term.start(3), stage, version, is_address=True
    )
    swizzle = IDENTITY if letters is None else _swizzle(letters, register, at + term.start(4))
    address = SourceParameter(register.type, register.number, swizzle, register.modifier)
    if not instruction_fields(version).has_length and address != IMPLICIT_ADDRESS:
        raise Mistake("before 2_0 the only address is a0.x", at + term.start(2))
    return address


def _signed(sign: str, register: _Register, at: int) -> SourceModifier:
    if sign == "!":
        if register.modifier is not _M.NONE:
            raise Mistake("! goes with no other modifier", at)
        return _M.NOT
    modifier = _NEGATED.get(register.modifier)
    if modifier is None:
        raise Mistake("a divided register cannot be negated", at)
    return modifier


def _complement(
    one: str, register: _Register, at: int, stage: ProgramType, version: tuple[int, int]
) -> SourceModifier:
    if integer(one) != 1:
        raise Mistake(f"wanted 1- before a register, found {one}-")
    if stage is not ProgramType.PS or version >= (2, 0):
        raise Mistake("1- exists in ps_1_0 to ps_1_4 only")
    if register.modifier is not _M.NONE:
        raise Mistake("1- goes with no other modifier", at)
    return _M.COMP


def _swizzle(letters: str, register: _Register, at: int) -> tuple[int, int, int, int]:
    if is_scalar(register.type, register.number):
        raise Mistake("a register without components has no swizzle", at)
    chosen = _components(letters, at, "a swizzle")
    x, y, z, w = (chosen + chosen[-1:] * _MOST_LETTERS)[:_MOST_LETTERS]
    return x, y, z, w


def _mask(letters: str, register: _Register, at: int) -> int:
    if is_scalar(register.type, register.number):
        raise Mistake("a register without components has no mask", at)
    chosen = _components(letters, at, "a mask")
    if any(a >= b for a, b in pairwise(chosen)):
        raise Mistake(
            f"a mask has components in the order {COMPONENTS}, each once, found {shown(letters)}",
            at,
        )
    return sum(1 << component for component in chosen)


def _components(letters: str, at: int, what: str) -> list[int]:
    if len(letters) > _MOST_LETTERS:
        raise Mistake(f"{what} has at most {_MOST_LETTERS} letters, found {shown(letters)}", at)
    try:
        return [_LETTERS[letter] for letter in letters]
    except KeyError:
        wrong = next(n for n, letter in enumerate(letters) if letter not in _LETTERS)
        raise Mistake(
            f"{shown(letters[wrong])} is no component, wanted {COMPONENTS} or {_COLORS}", at + wrong
        ) from None
