"""Mistakes in a text: where they are, and the lines that show them.

The parsers of parts raise `Mistake` with a position in the part they were given; whoever cut the
part out adds where it begins. The program's parser makes `Diagnostic`s of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from softd3d.classes import dataclass
from softd3d.errors import AssemblyError, Finding, Location

__all__ = [
    "MOST_DIAGNOSTICS",
    "SYNTAX",
    "Diagnostic",
    "ListingError",
    "Mistake",
    "excerpt",
    "shown",
    "suggestion",
    "syntax_findings",
]

SYNTAX = "TEXT-001"
"""The code of what the assembler refuses, among a validator's findings."""
_SYNTAX_SOURCE = "docs/exact-listings.md"

MOST_DIAGNOSTICS = 20
"""How many mistakes of a text are reported."""
_LONGEST_SHOWN = 40
_LONGEST_EXCERPT = 200
_MOST_CANDIDATES = 2
_LEAST_LIKENESS = 0.6  # a ratio of difflib


class Mistake(Exception):  # noqa: N818 - never leaves the parser
    """A part of a statement is wrong at `position` (0-based) of that part."""

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake in a text. line, column: 1-based; text: the whole line, without its end."""

    message: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return "\n".join([self.message, *excerpt(self.text, self.column)])


class ListingError(AssemblyError):
    """A text with mistakes: `diagnostics` has them in order, message and location the first."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = self.diagnostics[0]
        super().__init__(first.message, Location(line=first.line, column=first.column))


def excerpt(text: str, column: int) -> tuple[str, str]:
    """Return the part of a line around a column (1-based), and a caret below that column.

    Control characters become spaces, so that the caret stands where it should.

    >>> excerpt("mov r0.q, v0.x", 8)
    ('    mov r0.q, v0.x', '           ^')
    """
    start = max(0, column - 1 - _LONGEST_EXCERPT // 2)
    part = text[start : start + _LONGEST_EXCERPT]
    visible = "".join(character if character.isprintable() else " " for character in part)
    return f"    {visible}".rstrip(), " " * (4 + column - 1 - start) + "^"


def shown(text: str) -> str:
    """Return a found word for a message: quoted, and cut if it is long.

    >>> shown("mvo"), shown("")
    ("'mvo'", 'nothing')
    """
    if not text:
        return "nothing"
    cut = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
    return repr(cut)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ", did you mean ...?" if something known is like the word, else nothing.

    >>> suggestion("smaple", ["sample", "sample_l", "mov"])
    ', did you mean sample or sample_l?'
    """
    if len(word) > _LONGEST_SHOWN:
        return ""
    lower, by_lower = word.lower(), {name.lower(): name for name in known}
    by_lower.pop(lower, None)
    near = get_close_matches(lower, by_lower, 3 * _MOST_CANDIDATES, cutoff=_LEAST_LIKENESS)
    near.sort(key=lambda name: name[:1] != lower[:1])  # typing errors rarely are in front
    best = " or ".join(by_lower[name] for name in near[:_MOST_CANDIDATES])
    return f", did you mean {best}?" if best else ""


def syntax_findings(error: ListingError) -> list[Finding]:
    """Return the mistakes of a text as findings of a validator."""
    return [
        Finding(SYNTAX, d.message, Location(line=d.line, column=d.column), _SYNTAX_SOURCE)
        for d in error.diagnostics
    ]
