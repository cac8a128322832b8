"""Macros of SM1-3 texts: their definitions, and the words they are replaced with.

The rules are C's, less: parameters cannot be missing, and arguments are expanded before anything
else is done with them, even beside ##.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import Mistake, shown
from softd3d.isa.asm.sm1.parse_condition import Token
from softd3d.isa.asm.sm1.parse_literal import FLOAT, INTEGER

__all__ = ["LINE", "Macro", "Scope", "Word", "expand", "parse_definition", "tokens_of"]

_TOKEN = re.compile(
    rf"""\s*+(?:([pv]s\.[1-3]\.\w++)|("(?:[^"\\]|\\.)*+"?)|('[^'\\]')|({FLOAT}|{INTEGER})"""
    r"""|([A-Za-z_]\w*+)|(\#\#|&&|\|\||==|!=|<=|>=|<<|>>|\+\+|--|\S))""",
    re.ASCII | re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_MOST_CHARACTERS = 1 << 19  # that macros of a text make
_DEEPEST = 100  # macros in macros, and in arguments of macros
_MOST_PARAMETERS = 256
LINE = "__LINE__"
"""Stands for the number of its line, unless a macro is called so."""


@dataclass(frozen=True, slots=True)
class Macro:
    """What replaces a name. parameters: None for one that is not followed by parentheses."""

    parameters: tuple[str, ...] | None
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word on its way through expansion. hidden: the macros that it came from."""

    text: str
    at: int
    hidden: frozenset[str] = frozenset()
    blanks: str = " "


@dataclass(slots=True)
class Scope:
    """What expansion at a place of a text depends on.

    line_of: the number of the line of a position. left: how many characters may still be made.
    depth: how deep arguments are nested now.
    """

    line_of: Callable[[int], int]
    macros: dict[str, Macro] = field(default_factory=dict[str, Macro])
    left: int = _MOST_CHARACTERS
    depth: int = 0

    def take(self, words: Sequence[Word], at: int) -> None:
        self.left -= 1 + sum(len(word.text) + 1 for word in words)
        if self.left < 0:
            raise Mistake(f"macros make more than {_MOST_CHARACTERS} characters", at)


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """Return the words of a part of a text with their positions."""
    found: list[Token] = []
    while (match := _TOKEN.match(text, start, end)) is not None:
        index = match.lastindex or 0
        found.append((match.group(index), match.start(index)))
        start = match.end()
    return found


def parse_definition(text: str, start: int, end: int) -> tuple[str, Macro]:
    """Return the name and the macro of a #define, whose line goes on at `start`.

    Raises:
        Mistake: it has no name, or its parameters are wrong.
    """
    tokens = tokens_of(text, start, end)
    if not tokens or not _NAME.match(tokens[0][0]):
        found, at = tokens[0] if tokens else ("", end)
        raise Mistake(f"#define needs a name, found {shown(found)}", at)
    name, at = tokens[0]
    if name == "defined":
        raise Mistake("a macro cannot be called defined", at)
    parameters, rest = None, tokens[1:]
    if rest and rest[0] == ("(", at + len(name)):
        parameters, rest = _parameters(rest[1:], end)
    return name, Macro(parameters, tuple([word for word, _ in rest]))


def _parameters(tokens: list[Token], end: int) -> tuple[tuple[str, ...], list[Token]]:
    found: list[str] = []
    for position in range(0, len(tokens), 2):
        word, at = tokens[position]
        if not _NAME.match(word):
            raise Mistake(f"wanted a parameter, found {shown(word)}", at)
        if word in found:
            raise Mistake(f"parameter {word} stands twice", at)
        if len(found) >= _MOST_PARAMETERS:
            raise Mistake(f"a macro has at most {_MOST_PARAMETERS} parameters", at)
        found.append(word)
        after, at = tokens[position + 1] if position + 1 < len(tokens) else ("", end)
        if after == ")":
            return tuple(found), tokens[position + 2 :]
        if after != ",":
            raise Mistake(f"wanted , or ) after a parameter, found {shown(after)}", at)
    raise Mistake("wanted a parameter, found nothing", end)


def expand(words: Iterable[Word], scope: Scope) -> list[Word]:
    """Return words with all macros in them replaced.

    Raises:
        Mistake: a macro's arguments are wrong, or there would be too many words.
    """
    todo, done = deque(words), list[Word]()
    while (word := _next(todo, scope)) is not None:
        done.append(word)
    return done


def _next(todo: deque[Word], scope: Scope) -> Word | None:
    """Take the next word off that is no macro, replacing those before it."""
    while todo:
        word = todo.popleft()
        macro = None if word.text in word.hidden else scope.macros.get(word.text)
        if macro is None:
            is_line = word.text == LINE and word.text not in scope.macros
            return replace(word, text=str(scope.line_of(word.at))) if is_line else word
        arguments: dict[str, list[Word]] = {}
        if macro.parameters is not None:
            if not todo or todo[0].text != "(":
                return word
            arguments = _arguments(word, macro.parameters, todo, scope)
        if len(word.hidden) >= _DEEPEST:
            raise Mistake(f"macros are nested deeper than {_DEEPEST}", word.at)
        new = _replaced(word, macro, arguments)
        scope.take(new, word.at)
        todo.extendleft(reversed(new))
    return None


def _arguments(
    word: Word, parameters: Sequence[str], todo: deque[Word], scope: Scope
) -> dict[str, list[Word]]:
    """Take the arguments of a macro off what is to do.

    They are expanded before they are told apart, so that a macro can stand for two of them.
    """
    scope.depth += 1
    if scope.depth > _DEEPEST:
        raise Mistake(f"macros are nested deeper than {_DEEPEST}", word.at)
    todo.popleft()
    found: list[list[Word]] = [[]]
    depth = 1
    while depth:
        next_word = _next(todo, scope)
        if next_word is None:
            raise Mistake(f"the arguments of {word.text} have no end", word.at)
        depth += (next_word.text == "(") - (next_word.text == ")")
        if next_word.text == "," and depth == 1:
            found.append([])
        elif depth:
            found[-1].append(next_word)
    scope.depth -= 1
    if len(found) != len(parameters) or not all(found):
        given = sum(1 for argument in found if argument)
        plural = "" if len(parameters) == 1 else "s"
        message = f"{word.text} takes {len(parameters)} argument{plural}, found {given}"
        raise Mistake(message, word.at)
    return dict(zip(parameters, found, strict=True))


def _replaced(word: Word, macro: Macro, arguments: Mapping[str, list[Word]]) -> list[Word]:
    """Return the body of a macro with its arguments, # and ## carried out."""
    hidden = word.hidden | {word.text}
    found: list[Word] = []
    position, body = 0, macro.body
    is_function = macro.parameters is not None
    while position < len(body):
        text = body[position]
        following = body[position + 1] if position + 1 < len(body) else ""
        if is_function and text == "#" and following in arguments:
            quoted = " ".join(w.text for w in arguments[following])
            new, position = [Word(f'"{quoted}"', word.at, hidden)], position + 1
        elif text in arguments:
            new = [Word(w.text, word.at, w.hidden | hidden) for w in arguments[text]]
        else:
            new = [Word(text, word.at, hidden)]
        if is_function and text == "##" and found and following:
            new = [
                Word(w.text, word.at, hidden)
                for w in arguments.get(following, [Word(following, 0)])
            ]
            left = found.pop()
            new[0] = Word(left.text + new[0].text, word.at, left.hidden | hidden)
            position += 1
        found += new
        position += 1
    return found
