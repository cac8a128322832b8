"""Texts of SM1-3 to programs and token streams, as Microsoft's assembler (D3DAssemble) has it.

Its grammar does not know lines: statements stand one behind the other. Texts are listings of its
disassembler, code written by hand, and the exact dialect, which adds statements for what the
assembler has no words for. Unlike Microsoft's, vs_1_0 and ps_1_0 stay what they are.
"""

from __future__ import annotations

import re

from softd3d.isa.asm.diagnostic import MOST_DIAGNOSTICS, ListingError, Mistake, shown, suggestion
from softd3d.isa.asm.sm1.parse_preprocessor import needs_preprocessing, preprocess
from softd3d.isa.asm.sm1.parse_source import Source, plain_text
from softd3d.isa.asm.sm1.parse_statement import parse_statement
from softd3d.isa.sm1.encode import encode
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.program import Comment, Instruction, Program
from softd3d.isa.sm1.tokens import VERSIONS

__all__ = ["assemble_stream", "parse_sm1_program", "parse_sm1_source"]

_VERSION = re.compile(r"\s*+([A-Za-z_]\w*+(?:\.\w++\.\w++)?|\S++|)", re.ASCII)
_VERSION_LINE = re.compile(r"^[ \t]*+([pv]s_\w++)[ \t\r]*+$", re.ASCII | re.MULTILINE)
_PRESHADER = "preshader"
_END = re.compile(r"\s*+\Z", re.ASCII)
_LINE_START = re.compile(r"\n[ \t]*+[a-z(+.]", re.IGNORECASE)
_PROFILES: dict[str, tuple[ProgramType, tuple[int, int]]] = {
    Program(stage, *version, ()).profile.replace("_", separator): (stage, version)
    for separator in "_."
    for stage, versions in VERSIONS.items()
    for version in sorted(versions)
}


def assemble_stream(text: str) -> bytes:
    r"""Return the token stream that a text writes.

    Raises:
        ListingError: with all mistakes, up to a limit.
        AssemblyError: what dwords of the text say cannot be encoded.

    >>> assemble_stream("ps_2_0\nmov oC0, c0").hex(" ", 4)
    '0002ffff 01000002 00080f80 0000e4a0 ffff0000'
    """
    return encode(parse_sm1_program(text))


def parse_sm1_program(text: str) -> Program:
    r"""Return the program that a text writes.

    Raises:
        ListingError: with all mistakes, up to a limit.

    >>> parse_sm1_program("vs_1_1\ndcl_position v0\nmov oPos, v0").profile
    'vs_1_1'
    """
    return _parsed(text)[0]


def parse_sm1_source(text: str) -> tuple[Program, tuple[int, ...]]:
    """Return the program that a text writes, and the line of each item of it, from 1 on.

    Raises:
        ListingError: as `parse_sm1_program`.
    """
    program, places, source = _parsed(text)
    return program, tuple(source.diagnostic(Mistake("", place)).line for place in places)


def _parsed(text: str) -> tuple[Program, list[int], Source]:
    """Return the program, and where each item of it is in the source."""
    plain = plain_text(text)
    source = Source(text)
    if needs_preprocessing(plain):
        plain, source = preprocess(plain)
        source = Source(text, source.pieces)
    else:
        plain = plain.replace("\\\n", " \n").replace("\\\r\n", " \r\n")
    start, stage, version = _version(plain, source)
    program, places = _statements(plain, start, source, stage, version)
    return program, places, source


def _version(text: str, source: Source) -> tuple[int, ProgramType, tuple[int, int]]:
    """Return where the version ends, and what it says; a preshader in front is not read."""
    found = _VERSION.match(text)
    if found is not None and found[1] == _PRESHADER:
        found = _VERSION_LINE.search(text, found.end()) or found
    word, at, end = ("", 0, 0) if found is None else (found[1], found.start(1), found.end())
    profile = _PROFILES.get(word)
    if profile is None:
        near = suggestion(word, _PROFILES)
        mistake = Mistake(f"wanted a version such as ps_2_0, found {shown(word)}{near}", at)
        raise ListingError([source.diagnostic(mistake)])
    return end, *profile


def _statements(
    text: str, start: int, source: Source, stage: ProgramType, version: tuple[int, int]
) -> tuple[Program, list[int]]:
    """Return the program of the statements from `start` on, and where each item is."""
    items: list[Instruction | Comment] = []
    places: list[int] = []
    trailing: list[bytes] = []
    mistakes: list[Mistake] = []
    while not _END.match(text, start):
        try:
            statement = parse_statement(text, start, stage, version, len(items))
        except Mistake as mistake:
            mistakes.append(mistake)
            start = _next_line(text, max(start, mistake.position))
            if len(mistakes) >= MOST_DIAGNOSTICS:
                break
            continue
        if statement.item is not None:
            items.append(statement.item)
            written = text[start : statement.end]
            places.append(start + len(written) - len(written.lstrip()))
        trailing.append(statement.trailing)
        start = statement.end
    if mistakes:
        raise ListingError([source.diagnostic(mistake) for mistake in mistakes])
    return Program(stage, *version, tuple(items), b"".join(trailing)), places


def _next_line(text: str, start: int) -> int:
    """Return where the first line from `start` on that may be a statement begins."""
    found = _LINE_START.search(text, start)
    return len(text) if found is None else found.start() + 1
