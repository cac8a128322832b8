"""The text between a file and the grammar of SM1-3: comments away, directives carried out.

Comments become blanks, so that positions stay; where macros were expanded, every piece of the new
text knows where it comes from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import Diagnostic, ListingError, Mistake

__all__ = ["Piece", "Source", "plain_text"]

_COMMENT = re.compile(
    r'"(?:[^"\\\n]|\\[^\n])*+"?+|(?://|;)(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z)|[^\x00-\x7f]',
    re.DOTALL,
)
_INK = re.compile(r"[^\n]")
_HAS_COMMENT = re.compile(r'[;"\x80-\U0010ffff]|/[/*]')


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that begins at `start`, and what it was made from, which began at `origin`.

    is_copy: it is the same text, so that all its positions have one of their own.
    """

    start: int
    origin: int
    is_copy: bool


class Source:
    """A text as it was given, for the places of mistakes. pieces: by their start."""

    def __init__(self, text: str, pieces: Iterable[Piece] = ()) -> None:
        self.text = text
        self.pieces = tuple(pieces)
        self._starts = [piece.start for piece in self.pieces]
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]

    def origin(self, position: int) -> int:
        """Return where the text of a position in the expanded text comes from."""
        found = bisect_right(self._starts, position) - 1
        if found < 0:
            return position
        piece = self.pieces[found]
        return piece.origin + (position - piece.start if piece.is_copy else 0)

    def line(self, position: int) -> int:
        """Return the number, from 1, of the line that a position of the given text is in."""
        return bisect_right(self._lines, position)

    def diagnostic(self, mistake: Mistake) -> Diagnostic:
        """Return a mistake, whose position is one of the expanded text, with line and column."""
        at = min(self.origin(mistake.position), len(self.text))
        line = self.line(at)
        start = self._lines[line - 1]
        end = self.text.find("\n", start)
        text = self.text[start : len(self.text) if end < 0 else end]
        return Diagnostic(mistake.message, line, at - start + 1, text.rstrip("\r"))


def plain_text(text: str) -> str:
    """Return a text with blanks instead of comments; it ends at the first NUL.

    Raises:
        ListingError: a comment has no end, or there are characters that no word has.

    >>> plain_text("mov r0, c0 ; copy")
    'mov r0, c0       '
    """
    text = text.partition("\0")[0]
    if not _HAS_COMMENT.search(text):
        return text
    mistakes: list[Mistake] = []

    def blank(found: re.Match[str]) -> str:
        word = found.group()
        if word[0] == '"':
            if len(word) == 1 or word[-1] != '"':
                mistakes.append(Mistake("the string has no end in its line", found.start()))
            return word
        if word[:2] == "/*" and (len(word) < len("/**/") or word[-2:] != "*/"):
            mistakes.append(Mistake("the comment has no end", found.start()))
        elif ord(word[0]) > 0x7F:
            mistakes.append(Mistake(f"{word!r} can stand in comments only", found.start()))
        return _INK.sub(" ", word) if "\n" in word else " " * len(word)

    plain = _COMMENT.sub(blank, text)
    if mistakes:
        raise ListingError([Source(text).diagnostic(mistake) for mistake in mistakes[:1]])
    return plain
