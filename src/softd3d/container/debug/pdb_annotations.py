"""Binary annotations: which instructions come from which line of an inlined function.

A byte code of CodeView (BinaryAnnotationOpcode of cvinfo.h) that changes an offset, a length, a
file and a line. Numbers take 1, 2 or 4 bytes, the sign of signed ones is their lowest bit.
"""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum

from softd3d.classes import dataclass
from softd3d.errors import ContainerError

__all__ = ["InlinedLine", "inlined_lines"]

_NO_END = 1 << 32
_STATEMENT = 1


class Annotation(IntEnum):
    """BinaryAnnotationOpcode."""

    END = 0
    CODE_OFFSET = 1
    CHANGE_CODE_OFFSET_BASE = 2
    CHANGE_CODE_OFFSET = 3
    CHANGE_CODE_LENGTH = 4
    CHANGE_FILE = 5
    CHANGE_LINE_OFFSET = 6
    CHANGE_LINE_END_DELTA = 7
    CHANGE_RANGE_KIND = 8
    CHANGE_COLUMN_START = 9
    CHANGE_COLUMN_END_DELTA = 10
    CHANGE_CODE_OFFSET_AND_LINE_OFFSET = 11
    CHANGE_CODE_LENGTH_AND_CODE_OFFSET = 12
    CHANGE_COLUMN_END = 13


_OPCODES = frozenset(map(int, Annotation))


@dataclass(frozen=True, slots=True)
class InlinedLine:
    """Code from `start` to before `end`, bytes from the program's start, is of a line."""

    start: int
    end: int
    file: int
    line: int


def inlined_lines(annotations: bytes, base: int, file: int, line: int) -> list[InlinedLine]:
    """Run the annotations of an inlined function that starts at a line of a file.

    The pieces are those of statements; those of expressions, which lie over them, are left out, as
    in Microsoft's listings.
    base: the procedure's start in the program, in bytes.

    Raises:
        ContainerError: an opcode or number is not defined.
    """
    pieces = _Pieces(base, file, line)
    at = 0
    while at < len(annotations) and annotations[at]:
        code, at = _number(annotations, at)
        first, at = _number(annotations, at)
        second = 0
        if code == Annotation.CHANGE_CODE_LENGTH_AND_CODE_OFFSET:
            second, at = _number(annotations, at)
        pieces.step(code, first, second)
    return pieces.found


class _Pieces:
    """The state that annotations change, and the pieces of code found so far.

    kind: of the pieces to come, 0 for expressions and 1 for statements.
    """

    def __init__(self, base: int, file: int, line: int) -> None:
        self.found: list[InlinedLine] = []
        self.offset = base
        self.file = file
        self.line = line
        self.kind = _STATEMENT

    def step(self, code: int, first: int, second: int) -> None:
        """Run one annotation with its numbers."""
        match code:
            case Annotation.CODE_OFFSET:
                self.offset = first
            case Annotation.CHANGE_CODE_OFFSET:
                self.begin(first)
            case Annotation.CHANGE_CODE_OFFSET_AND_LINE_OFFSET:
                self.line += _signed(first >> 4)
                self.begin(first & 15)
            case Annotation.CHANGE_CODE_LENGTH_AND_CODE_OFFSET:
                self.begin(second, self.offset + second + first)
            case Annotation.CHANGE_CODE_LENGTH:
                self.offset += first
                self.close()
            case Annotation.CHANGE_FILE:
                self.file = first
            case Annotation.CHANGE_LINE_OFFSET:
                self.line += _signed(first)
            case Annotation.CHANGE_RANGE_KIND:
                self.kind = first
            case _:
                if code not in _OPCODES:
                    raise ContainerError(f"PDB: binary annotation {code} is not defined")

    def begin(self, distance: int, end: int = _NO_END) -> None:
        """Begin a piece at a distance from the last offset."""
        self.offset += distance
        self.close()
        if self.kind == _STATEMENT:
            self.found.append(InlinedLine(self.offset, end, self.file, self.line))

    def close(self) -> None:
        """End the last piece here, if it is of this kind and has no end yet."""
        if self.kind == _STATEMENT and self.found and self.found[-1].end == _NO_END:
            self.found[-1] = replace(self.found[-1], end=self.offset)


def _signed(number: int) -> int:
    return -(number >> 1) if number & 1 else number >> 1


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a compressed number and the offset behind it."""
    first = data[at] if at < len(data) else 0
    size = 1 if first < 0x80 else 2 if first < 0xC0 else 4
    if first >= 0xE0 or at + size > len(data):
        raise ContainerError("PDB: a binary annotation is cut off or malformed")
    mask = (0x7F, 0x3FFF, 0, 0x1FFFFFFF)[size - 1]
    return int.from_bytes(data[at : at + size], "big") & mask, at + size
