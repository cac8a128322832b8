"""Lines of a text to statements: comments, numbering and layout taken away.

Accepted around statements is all that Microsoft's disassembler and its options write: comments,
#line directives, instruction numbers, byte offsets, indentation, a NUL at the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

__all__ = ["place", "source_lines", "split_operands", "statements"]

_COMMENT = "//"
_BLOCK = "dcl_immediateconstantbuffer"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?')
_NUMBERING = re.compile(r"(?:\d+(?::|\s+(?=0[xX])))?\s*(?:0[xX][0-9a-fA-F]+:)?\s*")
_DIGITS = frozenset("0123456789")
_OUTER_COMMA = re.compile(r",(?![^(]*\))")


def source_lines(text: str) -> list[str]:
    """Split a text into lines, without line ends and the NULs behind the last one."""
    return text.rstrip("\0").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def statements(
    lines: list[str], number: int = 0, known: Container[str] = ()
) -> Iterator[tuple[int, str]]:
    """Yield every statement with the 0-based number of its line, from line `number` on.

    known: lines with one statement that are yielded as they are.

    The rows of an immediate constant buffer belong to its statement, each on a line of its own;
    otherwise a statement is a part of one line. See `place` for positions.
    """
    count = len(lines)
    while number < count:
        text = lines[number]
        number += 1
        if text in known:
            yield number - 1, text
            continue
        text = text.strip()
        if not text or text[0] == "#":
            continue
        if _COMMENT in text:
            text = _without_comment(text)
        if text[:1] in _DIGITS:
            text = text[_numbering(text) :]
        if not text:
            continue
        if text[:4] in ("dcl_", "DCL_") and text[: len(_BLOCK)].lower() == _BLOCK:
            rows = _rows(text, lines, number)
            yield number - 1, "\n".join([text, *rows])
            number += len(rows)
        else:
            yield number - 1, text


def _numbering(text: str) -> int:
    found = _NUMBERING.match(text)
    return found.end() if found is not None else 0


def _without_comment(text: str) -> str:
    """Cut a comment off, which does not begin inside a string."""
    if '"' not in text:
        return text[: text.find(_COMMENT)].rstrip()
    strings = [found.span() for found in _STRING.finditer(text)]
    at = text.find(_COMMENT)
    while at >= 0:
        end = next((end for start, end in strings if start < at < end), None)
        if end is None:
            return text[:at].rstrip()
        at = text.find(_COMMENT, end)
    return text


def _rows(first: str, lines: list[str], number: int) -> list[str]:
    """Return the further lines of a block that opens more braces than it closes."""
    rows: list[str] = []
    depth = first.count("{") - first.count("}")
    for line in lines[number:]:
        if depth <= 0 or (line.strip() and line.strip()[0] not in "{}/"):
            break
        row = _without_comment(line) if _COMMENT in line else line
        depth += row.count("{") - row.count("}")
        rows.append(row)
    return rows


def place(lines: list[str], number: int, statement: str, position: int) -> tuple[int, int]:
    """Return line and column, both 1-based, of a position in a statement of `statements`."""
    before = statement[:position]
    further = before.count("\n")
    if further:
        return number + further + 1, position - before.rfind("\n")
    first = statement.partition("\n")[0]
    return number + 1, max(lines[number].find(first), 0) + position + 1


def split_operands(text: str) -> list[str]:
    """Split at the commas that are outside parentheses; the parts keep their blanks.

    >>> split_operands("r0.x, l(1, 2)")
    ['r0.x', ' l(1, 2)']
    """
    return text.split(",") if "(" not in text else _OUTER_COMMA.split(text)
