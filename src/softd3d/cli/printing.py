"""What is printed: text without control characters, and tables that fit the terminal.

Names in shaders, archives and folders are chosen by others. Control characters in them would steer
the terminal, so all of them are written as escapes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from typing import TextIO

import click

__all__ = ["STANDARD_OUTPUT", "is_terminal", "printable", "say", "say_table", "table_lines"]

STANDARD_OUTPUT = "standard output"
_BETWEEN = "  "
_CONTINUED = "    "
# C0, DEL and C1 control characters, what turns the direction of text, line separators, surrogates
_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_STEERING_TEXT = re.compile(_STEERING.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def printable(text: str) -> str:
    r"""Return a name with every control character, line ends too, written as an escape.

    >>> printable("a\x1b[31m\n")
    'a\\x1b[31m\\n'
    """
    return _STEERING.sub(_escape, text)


def say(text: str = "", *, err: bool = False) -> None:
    """Print lines; control characters but tabs and line ends are written as escapes.

    Raises:
        OSError: standard output cannot be written; it is named. Errors that nobody can be told of,
            because standard error cannot be written, leave only their exit status.
    """
    try:
        click.echo(_STEERING_TEXT.sub(_escape, text), err=err)
    except OSError as error:
        if not err:
            raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from error


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person reads what is printed; a stream that a shell has closed is None."""
    return stream is not None and stream.isatty()


def say_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a title and a table below it, indented."""
    columns = shutil.get_terminal_size((0, 0)).columns  # COLUMNS, or what the terminal has
    if title:
        say(f"  {title}")
    say("\n".join(f"  {line}".rstrip() for line in table_lines(heads, rows, columns - 2)) + "\n")


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the lines of a table: heads, a rule, rows.

    Columns that do not fit into `width` characters continue on lines below, indented; nothing is
    cut off. 0 or less is no limit.

    >>> table_lines(("name", "size"), [("a", "12"), ("b", "3")], 80)
    ['name  size', '----------', 'a     12', 'b     3']
    >>> table_lines(("name", "size"), [("a", "12")], 8)
    ['name', '    size', '--------', 'a', '    12']
    """
    cells = [[printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    groups = _groups(widths, width)
    lines = [
        (_CONTINUED if number else "")
        + _BETWEEN.join(row[i].ljust(widths[i]) for i in group).rstrip()
        for row in cells
        for number, group in enumerate(groups)
        if number == 0 or any(row[i] for i in group)
    ]
    rule = "-" * max(len(line) for line in lines)
    return [*lines[: len(groups)], rule[: width if width > 0 else None], *lines[len(groups) :]]


def _groups(widths: Sequence[int], width: int) -> list[list[int]]:
    """Return which columns stand on the first line of a row, which on the next, and so on."""
    groups: list[list[int]] = [[]]
    used = 0
    for column, wide in enumerate(widths):
        used += wide + (len(_BETWEEN) if groups[-1] else 0)
        if groups[-1] and 0 < width < used:
            groups.append([])
            used = len(_CONTINUED) + wide
        groups[-1].append(column)
    return groups


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
