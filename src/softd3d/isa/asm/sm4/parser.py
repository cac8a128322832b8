"""Texts to programs: Microsoft's listings, old and new, the exact dialect, and hand-written code.

Texts may be lossy: a listing's decimals lose bits of floats, and dwords that no rule explains are
not in it. What is not written is what Microsoft's compiler would have emitted.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cached_property

from softd3d.errors import AssemblyError
from softd3d.isa.asm.diagnostic import (
    MOST_DIAGNOSTICS,
    Diagnostic,
    ListingError,
    Mistake,
    shown,
    suggestion,
)
from softd3d.isa.asm.lexer import place, source_lines, statements
from softd3d.isa.asm.sm4.parse_instruction import parse_instruction, parse_statement
from softd3d.isa.record import Bounded
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.decode import Fields
from softd3d.isa.sm4.encode import encode, encode_instruction, joined
from softd3d.isa.sm4.enums import ProgramType
from softd3d.isa.sm4.program import Instruction, Program, Target

__all__ = ["ParsedListing", "parse_instruction", "parse_listing", "parse_program"]

_HEADER = re.compile(r"([A-Za-z]+)_(\d+)_(\w+)\Z")
_PROFILES = [
    f"{kind.name.lower()}_{major}_{minor}"
    for kind in ProgramType
    for major, minor in sorted(t.VERSIONS)
]


@dataclass(frozen=True)
class ParsedListing:
    """A program, and for each of its instructions the line that it stands on (1-based)."""

    target: Target
    statements: tuple[_Statement, ...]
    lines: tuple[int, ...]

    @cached_property
    def program(self) -> Program:
        """The program."""
        instructions = [Instruction(*s.fields, n) for n, s in enumerate(self.statements)]
        target = self.target
        return Program(target.type, target.major, target.minor, tuple(instructions))

    @property
    def code(self) -> bytes:
        """The program's token stream.

        Raises:
            AssemblyError: a number does not fit its field, or an instruction is too long.
        """
        tokens = [statement.tokens for statement in self.statements]
        known = [part for part in tokens if part is not None]
        return joined(self.target, known) if len(known) == len(tokens) else encode(self.program)


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a statement says: an instruction's fields before its place; None if it has no tokens."""

    fields: Fields
    tokens: bytes | None


# By the lines that they stand on, a table for each version: shaders repeat themselves
_SEEN: dict[tuple[int, int], Bounded[str, _Statement]] = {
    version: Bounded(1 << 15) for version in t.VERSIONS
}
_MOST_KEPT = 512  # characters


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
    found = _find_header(lines, diagnostics)
    if found is None:
        raise ListingError(diagnostics)
    start, stage, version = found
    known = _SEEN[version]
    program: list[_Statement] = []
    numbers: list[int] = []
    for number, text_ in statements(lines, start, known):
        statement = known.get(text_)
        if statement is None:
            try:
                statement = _statement(text_, version, stage)
            except Mistake as mistake:
                diagnostics.append(_diagnostic(lines, number, text_, mistake))
                if len(diagnostics) >= MOST_DIAGNOSTICS:
                    break
                continue
            line = lines[number]
            if statement.tokens is not None and len(line) <= _MOST_KEPT and "\n" not in text_:
                known[line] = statement
        program.append(statement)
        numbers.append(number + 1)
    if diagnostics:
        raise ListingError(diagnostics)
    return ParsedListing(Target(stage, *version), tuple(program), tuple(numbers))


def _statement(text: str, version: tuple[int, int], stage: ProgramType) -> _Statement:
    if _HEADER.match(text):
        raise Mistake(f"a text has one program, found a second version {shown(text)}")
    i = parse_statement(text, version, stage, 0)
    try:
        words = encode_instruction(i, version)
        tokens = struct.pack(f"<{len(words)}I", *words)
    except (AssemblyError, struct.error):
        tokens = None  # which encoding the program reports
    fields = (
        i.opcode, i.operands, i.controls, i.extra, i.custom_class, i.custom, i.texel_offsets,
        i.dimension, i.stride, i.return_types, i.extended, i.trailing,
    )  # fmt: skip
    return _Statement(fields, tokens)


def _diagnostic(lines: list[str], number: int, statement: str, mistake: Mistake) -> Diagnostic:
    line, column = place(lines, number, statement, mistake.position)
    return Diagnostic(mistake.message, line, column, lines[line - 1])


def _find_header(
    lines: list[str], diagnostics: list[Diagnostic]
) -> tuple[int, ProgramType, tuple[int, int]] | None:
    """Return where the program's first line ends, with its stage and version.

    None if there is none; the diagnostics say why.
    """
    is_skipping = False
    for number, statement in statements(lines):
        if is_skipping and not _HEADER.match(statement):
            continue
        try:
            found = _header(statement)
        except Mistake as mistake:
            diagnostics.append(_diagnostic(lines, number, statement, mistake))
            if not is_skipping or len(diagnostics) >= MOST_DIAGNOSTICS:
                return None
            continue
        if found is not None:
            return number + 1, *found
        is_skipping = True
    if not diagnostics:
        diagnostics.append(_no_header(lines, is_skipping=is_skipping))
    return None


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
