"""Texts to programs: Microsoft's listings, old and new, the exact dialect, and hand-written code.

Texts may be lossy: a listing's decimals lose bits of floats, and dwords that no rule explains are
not in it. What is not written is what Microsoft's compiler would have emitted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from softd3d.isa.asm.diagnostic import Diagnostic, ListingError, Mistake, shown, suggestion
from softd3d.isa.asm.lexer import place, source_lines, statements
from softd3d.isa.asm.parse_instruction import parse_instruction, parse_statement
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import ProgramType
from softd3d.isa.sm4.program import Instruction, Program

__all__ = ["ParsedListing", "parse_instruction", "parse_listing", "parse_program"]

_MOST_DIAGNOSTICS = 20
_HEADER = re.compile(r"([A-Za-z]+)_(\d+)_(\w+)\Z")
_PROFILES = [
    f"{kind.name.lower()}_{major}_{minor}"
    for kind in ProgramType
    for major, minor in sorted(t.VERSIONS)
]


@dataclass(frozen=True, slots=True)
class ParsedListing:
    """A program, and for each of its instructions the line that it stands on (1-based)."""

    program: Program
    lines: tuple[int, ...]


def parse_program(text: str) -> Program:
    r"""Return the program that a text writes.

    Raises:
        ListingError: with all mistakes, up to a limit.

    >>> parse_program("ps_5_0\nmov o0.xyzw, l(1.0, 0, 0, 1.0)\nret").profile
    'ps_5_0'
    """
    return parse_listing(text).program


def parse_listing(text: str) -> ParsedListing:
    """Return a program with its lines; like `parse_program`.

    The Direct3D 9 code that precedes the program in listings of level 9 shaders is skipped.
    """
    lines = source_lines(text)
    diagnostics: list[Diagnostic] = []
    instructions: list[Instruction] = []
    numbers: list[int] = []
    stage, version = ProgramType.PS, (0, 0)
    is_skipping, has_header = False, False
    for number, statement in statements(lines):
        try:
            if has_header and not is_skipping:
                instructions.append(parse_statement(statement, version, stage, len(instructions)))
                numbers.append(number + 1)
                continue
            if is_skipping and not _HEADER.match(statement):
                continue
            found = _header(statement)
            is_skipping, has_header = found is None, True
            if found is not None:
                stage, version = found
        except Mistake as mistake:
            message = mistake.message
            if has_header and not is_skipping and _HEADER.match(statement):
                message = f"a text has one program, found a second version {shown(statement)}"
            line, column = place(lines, number, statement, mistake.position)
            diagnostics.append(Diagnostic(message, line, column, lines[line - 1]))
            if not has_header or len(diagnostics) >= _MOST_DIAGNOSTICS:
                break
    if not diagnostics and (not has_header or is_skipping):
        diagnostics.append(_no_header(lines, is_skipping=is_skipping))
    if diagnostics:
        raise ListingError(diagnostics)
    return ParsedListing(Program(stage, *version, tuple(instructions)), tuple(numbers))


def _header(statement: str) -> tuple[ProgramType, tuple[int, int]] | None:
    """Return stage and version of a first line such as ps_5_0, None for one of Direct3D 9."""
    found = _HEADER.match(statement)
    if found is None:
        near = suggestion(statement, _PROFILES)
        raise Mistake(f"wanted a version such as ps_5_0, found {shown(statement)}{near}")
    name, major, minor = found.group(1).upper(), found.group(2), found.group(3)
    if name in ("PS", "VS") and major in ("1", "2", "3"):
        return None
    if name not in ProgramType.__members__ or statement.lower() not in _PROFILES:
        near = suggestion(statement, _PROFILES)
        raise Mistake(f"{shown(statement)} is none of shader models 4.0 to 5.1{near}")
    return ProgramType[name], (int(major), int(minor))


def _no_header(lines: list[str], *, is_skipping: bool) -> Diagnostic:
    found = "Direct3D 9 code alone" if is_skipping else "nothing"
    message = f"wanted a version such as ps_5_0, found {found}"
    return Diagnostic(message, len(lines), 1, lines[-1])
