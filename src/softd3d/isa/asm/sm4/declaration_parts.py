"""What follows the mnemonic of a declaration: its parts, with their positions in the statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.lexer import split_operands
from softd3d.isa.asm.sm4.parse_literal import integer
from softd3d.isa.asm.sm4.parse_operand import Role, parse_operand
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.program import Instruction, Operand

__all__ = [
    "RANGES_SINCE",
    "DeclarationParser",
    "Part",
    "Parts",
    "Words",
    "check_count",
    "inverse",
    "read_declared",
    "read_number",
    "read_word",
]

RANGES_SINCE = (5, 1)
Part: TypeAlias = "tuple[str, int]"  # text without blanks around it, and its position


class Parts:
    """What follows a mnemonic, and where it begins in the statement."""

    def __init__(self, whole: str, start: int) -> None:
        rest = whole[start:]
        self.text = rest.strip()
        self.start = start + len(rest) - len(rest.lstrip())
        self.whole = whole

    def parts(self) -> list[Part]:
        """Return the parts between commas without blanks, each with its position."""
        found: list[Part] = []
        at = self.start
        if not self.text:
            return found
        for part in split_operands(self.text):
            found.append((part.strip(), at + len(part) - len(part.lstrip())))
            at += len(part) + 1
        return found


# What follows the mnemonic's known part; the parts; the opcode; the version
DeclarationParser: TypeAlias = "Callable[[str, Parts, Opcode, tuple[int, int]], Instruction]"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an enumeration: their numbers by small letters, and how they are printed."""

    numbers: dict[str, int]
    spellings: tuple[str, ...]


def inverse(words: Mapping[Any, str], **more: int) -> Words:
    """Return the number of every word of a table of the listing's words, and of further words."""
    numbers = {text.lower(): int(number) for number, text in words.items()}
    return Words(numbers | more, tuple(words.values()))


def read_number(part: Part, what: str) -> int:
    """Return an unsigned number; `what` it is, for errors.

    Raises:
        Mistake: with the position in the statement.
    """
    try:
        return integer(part[0], what=what)
    except Mistake as mistake:
        raise Mistake(mistake.message, part[1]) from None


def read_declared(part: Part) -> Operand:
    """Return the register that a part declares.

    Raises:
        Mistake: with the position in the statement.
    """
    try:
        return parse_operand(part[0], Role.DECLARED)
    except Mistake as mistake:
        raise Mistake(mistake.message, part[1] + mistake.position) from None


def read_word(part: Part, words: Words, what: str) -> int:
    """Return the number of a word, in any letters.

    Raises:
        Mistake: with the position in the statement.
    """
    number = words.numbers.get(" ".join(part[0].lower().split()))
    if number is None:
        raise Mistake(
            f"wanted {what}, found {shown(part[0])}{suggestion(part[0], words.spellings)}", part[1]
        )
    return number


def check_count(parts: list[Part], wanted: int, text: Parts, what: str) -> None:
    """Refuse another number of parts than `wanted`; `what` they should be.

    Raises:
        Mistake: with the position in the statement.
    """
    if len(parts) == wanted:
        return
    at = parts[wanted][1] if len(parts) > wanted else len(text.whole)
    raise Mistake(f"wanted {what}, found {len(parts) or 'nothing'}", at)
