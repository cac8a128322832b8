"""The conditions of #if and #elif: C's operators but for ~, %, << and >>, on unsigned 32 bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from softd3d.isa.asm.diagnostic import Mistake, shown
from softd3d.isa.asm.sm1.parse_literal import INTEGER, integer

__all__ = ["Token", "is_true"]

Token: TypeAlias = tuple[str, int]
"""A word and where it stands in the source."""

_MASK = 0xFFFFFFFF
_DEEPEST = 40  # parentheses and signs
_IS_INTEGER = re.compile(rf"{INTEGER}\Z")
_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
# From those that bind least to those that bind most
_LEVELS: Sequence[Mapping[str, Callable[[int, int], int]]] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: a // b},
)


def is_true(tokens: Sequence[Token], end: int) -> bool:
    """Tell whether a condition holds, in which all macros are expanded and names count as 0.

    end: where the line ends, for errors.

    Raises:
        Mistake: it is no expression, or divides by 0.

    >>> is_true([("1", 0), ("+", 1), ("1", 2), ("==", 3), ("2", 5)], 6)
    True
    """
    return _Condition(tokens, end).value() != 0


class _Condition:
    """Where reading an expression is."""

    def __init__(self, tokens: Sequence[Token], end: int) -> None:
        self.tokens = [*tokens, ("", end)]
        self.position = 0
        self.depth = 0

    def word(self) -> str:
        return self.tokens[self.position][0]

    def mistake(self, wanted: str) -> Mistake:
        word, at = self.tokens[self.position]
        return Mistake(f"wanted {wanted}, found {shown(word)}", at)

    def accept(self, word: str) -> bool:
        if self.word() != word:
            return False
        self.position += 1
        return True

    def value(self) -> int:
        found = self.choice()
        if self.word():
            raise self.mistake("the end of the condition")
        return found

    def choice(self) -> int:
        condition = self.binary(0)
        if not self.accept("?"):
            return condition
        first = self.binary(0)
        if not self.accept(":"):
            raise self.mistake(":")
        second = self.binary(0)
        return first if condition else second

    def binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.word() in _LEVELS[level]:
            operator, _ = self.tokens[self.position]
            self.position += 1
            at = self.tokens[self.position][1]
            right = self.binary(level + 1)
            if operator == "/" and not right:
                raise Mistake("the condition divides by 0", at)
            left = _LEVELS[level][operator](left, right) & _MASK
        return left

    def unary(self) -> int:
        word, at = self.tokens[self.position]
        if word in ("-", "+", "!", "("):
            self.depth += 1
            if self.depth > _DEEPEST:
                raise Mistake(f"the condition is nested deeper than {_DEEPEST}", at)
            self.position += 1
            found = self.nested(word)
            self.depth -= 1
            return found
        self.position += 1
        if _IS_INTEGER.match(word):
            return integer(word, at)
        if len(word) == 3 and word[0] == word[-1] == "'":
            return ord(word[1])
        if _NAME.match(word):
            return 0
        self.position -= 1
        raise self.mistake("a number")

    def nested(self, opening: str) -> int:
        if opening == "(":
            found = self.choice()
            if not self.accept(")"):
                raise self.mistake(")")
            return found
        found = self.unary()
        if opening == "!":
            return int(not found)
        return found if opening == "+" else -found & _MASK
