"""Binary annotations: which instructions come from which line of an inlined function.

A byte code of CodeView (BinaryAnnotationOpcode of cvinfo.h) that changes an offset, a length, a
file and a line. Numbers take 1, 2 or 4 bytes, the sign of signed ones is their lowest bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from softd3d.errors import ContainerError

__all__ = ["InlinedLine", "inlined_lines"]

_NO_END = 1 << 32


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

    base: the procedure's start in the program, in bytes.

    Raises:
        ContainerError: an opcode or number is not defined.
    """
    lines: list[InlinedLine] = []
    offset, at = base, 0
    while at < len(annotations) and annotations[at]:
        code, at = _number(annotations, at)
        first, at = _number(annotations, at)
        match code:
            case Annotation.CODE_OFFSET:
                offset = first
            case Annotation.CHANGE_CODE_OFFSET:
                offset += first
                _close(lines, offset)
                lines.append(InlinedLine(offset, _NO_END, file, line))
            case Annotation.CHANGE_CODE_OFFSET_AND_LINE_OFFSET:
                offset += first & 15
                line += _signed(first >> 4)
                _close(lines, offset)
                lines.append(InlinedLine(offset, _NO_END, file, line))
            case Annotation.CHANGE_CODE_LENGTH_AND_CODE_OFFSET:
                second, at = _number(annotations, at)
                offset += second
                _close(lines, offset)
                lines.append(InlinedLine(offset, offset + first, file, line))
            case Annotation.CHANGE_CODE_LENGTH:
                _close(lines, offset + first)
                offset += first
            case Annotation.CHANGE_FILE:
                file = first
            case Annotation.CHANGE_LINE_OFFSET:
                line += _signed(first)
            case _:
                if code not in _OPCODES:
                    raise ContainerError(f"PDB: binary annotation {code} is not defined")
    return lines


def _close(lines: list[InlinedLine], end: int) -> None:
    """End the last piece, if it has no end yet."""
    if lines and lines[-1].end == _NO_END:
        last = lines[-1]
        lines[-1] = InlinedLine(last.start, end, last.file, last.line)


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
