"""The preprocessor of SM1-3 texts: #define, #if and the other directives that Microsoft's has.

#include is refused: a text stands alone. #pragma and #line say nothing that changes tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import MOST_DIAGNOSTICS, ListingError, Mistake, shown, suggestion
from softd3d.isa.asm.sm1.parse_condition import Token, is_true
from softd3d.isa.asm.sm1.parse_macros import (
    LINE,
    Scope,
    Word,
    expand,
    parse_definition,
    tokens_of,
)
from softd3d.isa.asm.sm1.parse_source import Piece, Source

__all__ = ["needs_preprocessing", "preprocess"]

_DIRECTIVE = re.compile(r"[ \t\r\f\v]*+\#")
_NEEDED = re.compile(r"^[ \t\r\f\v]*+\#|__LINE__", re.MULTILINE)
_LINE = re.compile(r"(?:\\\r?\n|[^\n])*+\n?")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MOST_DIGITS = 10
_NOTHING_MORE = "wanted the end of the line, found {}"
_DEEPEST = 1000  # conditions
_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "else", "endif")
_OTHERS = ("define", "undef", "line", "error", "pragma", "include")


def needs_preprocessing(text: str) -> bool:
    """Tell whether a text without comments has anything to do for the preprocessor."""
    return _NEEDED.search(text) is not None


def preprocess(text: str) -> tuple[str, Source]:
    r"""Return the text that the directives of a text without comments leave, and its origins.

    Raises:
        ListingError: with all mistakes in directives, up to a limit.

    >>> preprocess("#define A c0\nmov r0, A\n")[0].split()
    ['mov', 'r0,', 'c0']
    """
    return _Preprocessor(text).run()


@dataclass(slots=True)
class _Condition:
    """An #if that is open. is_active: its present part counts; is_done: a part has counted."""

    at: int
    is_outer_active: bool
    is_active: bool
    is_done: bool
    has_else: bool = False


class _Preprocessor:
    """Macros and conditions at a place of the text, and what is made so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = text.replace("\\\n", " \n").replace("\\\r\n", " \r\n")
        self.source = Source(text)
        self.scope = Scope(self.line_of)
        self.conditions: list[_Condition] = []
        self.parts: list[str] = []
        self.pieces: list[Piece] = []
        self.length = 0
        self.mistakes: list[Mistake] = []
        self.line_shift = 0

    def run(self) -> tuple[str, Source]:
        start = begin = 0
        while start < len(self.text) and len(self.mistakes) < MOST_DIAGNOSTICS:
            found = _LINE.match(self.text, start)
            end = found.end() if found is not None else len(self.text)
            if _DIRECTIVE.match(self.text, start, end):
                self.attempt(self.passage, begin, start)
                self.attempt(self.directive, start, end)
                begin = end
            start = end
        self.attempt(self.passage, begin, start)
        if self.conditions and not self.mistakes:
            self.mistakes.append(Mistake("the condition has no #endif", self.conditions[-1].at))
        if self.mistakes:
            raise ListingError([self.source.diagnostic(mistake) for mistake in self.mistakes])
        return "".join(self.parts), Source(self.text, self.pieces)

    def line_of(self, position: int) -> int:
        """Return the number of a line, as the last #line has it."""
        return self.source.line(position) + self.line_shift

    def attempt(self, step: Callable[[int, int], None], start: int, end: int) -> None:
        self.scope.depth = 0  # a mistake leaves it as it was
        try:
            step(start, end)
        except Mistake as mistake:
            self.mistakes.append(mistake)

    @property
    def is_active(self) -> bool:
        return not self.conditions or self.conditions[-1].is_active

    def passage(self, start: int, end: int) -> None:
        """Take lines without directives over, with macros expanded."""
        if start >= end or not self.is_active:
            return
        if self.scope.macros.keys().isdisjoint(_NAME.findall(self.plain, start, end)) and (
            self.plain.find(LINE, start, end) < 0
        ):
            self.emit(self.plain[start:end], start, is_copy=True)
            return
        for word in expand(self.words(start, end), self.scope):
            is_copy = not word.hidden and self.plain.startswith(word.text, word.at)
            origin = word.at - len(word.blanks) if is_copy else word.at
            self.emit(word.blanks + word.text, origin, is_copy=is_copy)
        self.emit("\n", end - 1, is_copy=False)

    def emit(self, text: str, origin: int, *, is_copy: bool) -> None:
        self.pieces.append(Piece(self.length, origin, is_copy))
        self.parts.append(text)
        self.length += len(text)

    def words(self, start: int, end: int) -> list[Word]:
        """Return the words of a part of the text, with the blanks before each."""
        found: list[Word] = []
        for text, at in tokens_of(self.plain, start, end):
            found.append(Word(text, at, blanks=self.plain[start:at]))
            start = at + len(text)
        return found

    def directive(self, start: int, end: int) -> None:
        at = self.text.index("#", start) + 1
        tokens = tokens_of(self.plain, at, end)
        name, name_at = tokens[0] if tokens else ("", at)
        rest, after = tokens[1:], name_at + len(name)
        stop = start + len(self.plain[start:end].rstrip())
        if name in _CONDITIONS:
            self.condition(name, name_at, rest, stop)
        elif not self.is_active:
            return
        elif name == "define":
            key, macro = parse_definition(self.plain, after, stop)
            self.scope.macros[key] = macro
        elif name == "undef":
            self.scope.macros.pop(_only_name(name, rest, stop), None)
        elif name == "line":
            self.renumber(rest, stop, name_at)
        elif name == "error":
            raise Mistake(f"#error: {self.plain[after:stop].strip()}".rstrip(": "), name_at)
        elif name == "include":
            raise Mistake("#include is not possible, a text stands alone", name_at)
        elif not name:
            raise Mistake("# needs a directive behind it", at - 1)
        elif name != "pragma":
            near = suggestion(name, (*_CONDITIONS, *_OTHERS))
            raise Mistake(f"{shown(name)} is no directive{near}", name_at)

    def renumber(self, rest: Sequence[Token], stop: int, at: int) -> None:
        """Take the number of the next line from a #line; its file is of no use here."""
        word, word_at = rest[0] if rest else ("", stop)
        if not word.isdigit() or len(word) > _MOST_DIGITS:
            raise Mistake(f"#line needs a number, found {shown(word)}", word_at)
        if len(rest) > 1 and not rest[1][0].startswith('"'):
            raise Mistake(f"wanted a file name, found {shown(rest[1][0])}", rest[1][1])
        if len(rest) > 2:
            raise Mistake(_NOTHING_MORE.format(shown(rest[2][0])), rest[2][1])
        self.line_shift = int(word) - self.source.line(at) - 1

    def condition(self, name: str, at: int, rest: Sequence[Token], stop: int) -> None:
        if name in ("if", "ifdef", "ifndef"):
            self.open(name, at, rest, stop)
            return
        if not self.conditions:
            raise Mistake(f"#{name} without #if", at)
        condition = self.conditions[-1]
        if name != "endif" and condition.has_else:
            raise Mistake(f"#{name} after #else", at)
        if name == "elif":
            condition.is_active = False
            holds = condition.is_outer_active and self.evaluate(rest, stop)
            condition.is_active = holds and not condition.is_done
            condition.is_done |= holds
            return
        if name == "else":
            condition.has_else = True
            condition.is_active = condition.is_outer_active and not condition.is_done
        else:
            self.conditions.pop()
        if rest and condition.is_outer_active:
            raise Mistake(_NOTHING_MORE.format(shown(rest[0][0])), rest[0][1])

    def open(self, name: str, at: int, rest: Sequence[Token], stop: int) -> None:
        if len(self.conditions) >= _DEEPEST:
            raise Mistake(f"conditions are nested deeper than {_DEEPEST}", at)
        condition = _Condition(at, self.is_active, is_active=False, is_done=True)
        self.conditions.append(
            condition
        )  # at once, so that its #endif is expected even if it fails
        if not condition.is_outer_active:
            return
        if name == "if":
            holds = self.evaluate(rest, stop)
        else:
            is_defined = _only_name(name, rest, stop) in self.scope.macros
            holds = is_defined == (name == "ifdef")
        condition.is_active = condition.is_done = holds

    def evaluate(self, tokens: Sequence[Token], stop: int) -> bool:
        """Tell whether the condition of #if or #elif holds."""
        words: list[Word] = []
        position = 0
        while position < len(tokens):
            text, at = tokens[position]
            position += 1
            if text == "defined":
                has_parenthesis = position < len(tokens) and tokens[position][0] == "("
                position += has_parenthesis
                name, name_at = tokens[position] if position < len(tokens) else ("", stop)
                if not _NAME.fullmatch(name):
                    raise Mistake(f"defined needs a name, found {shown(name)}", name_at)
                position += 1
                if has_parenthesis:
                    closing, place = tokens[position] if position < len(tokens) else ("", stop)
                    if closing != ")":
                        raise Mistake(f"wanted ), found {shown(closing)}", place)
                    position += 1
                text = "1" if name in self.scope.macros else "0"
            words.append(Word(text, at))
        expanded = expand(words, self.scope)
        return is_true([(word.text, word.at) for word in expanded], stop)


def _only_name(directive: str, rest: Sequence[Token], stop: int) -> str:
    """Return the name that is all there is behind a directive."""
    name, at = rest[0] if rest else ("", stop)
    if not _NAME.fullmatch(name):
        raise Mistake(f"#{directive} needs a name, found {shown(name)}", at)
    if len(rest) > 1:
        raise Mistake(_NOTHING_MORE.format(shown(rest[1][0])), rest[1][1])
    return name
