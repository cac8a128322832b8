"""Lines and variables of a shader's PDB: its DBI stream, module stream and types.

A shader is one procedure of one module. Inlined functions are nested in it; where they have code,
their line counts. S_DEF_RANGE_HLSL records say in which register a part of a variable is.

Layout: cvinfo.h and the DBI stream of Microsoft's PDB sources.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import field
from enum import IntEnum

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.debug.info import (
    DebugInformation,
    Register,
    SourceLine,
    VariableLocation,
)
from softd3d.container.debug.pdb import Pdb
from softd3d.container.debug.pdb_annotations import InlinedLine, inlined_lines
from softd3d.container.debug.pdb_types import TypeTable, parse_types, part_name
from softd3d.errors import ContainerError
from softd3d.isa.sm4.enums import OperandType

__all__ = ["pdb_information"]

MAX_NAME_BYTES = 1 << 22
MAX_SCOPES = 64
MAX_INLINED = 1 << 20
_TPI, _DBI = 2, 3
_DBI_HEADER = 64
_MODULE_STREAM, _MODULE_SYMBOLS = 34, 36
_NO_STREAM = 0xFFFF
_DEF_RANGE_BYTES = 16
_GAP_BYTES = 4
_COMPONENT_BYTES = 4
_REGISTER_BYTES = 16
_HAS_EXTRA_FILES = 1
_SOURCE_PREFIX = "/src/files/"
# Their places are numbers, not bytes in a row of registers
_WHOLE = frozenset({OperandType.INDEXABLE_TEMP, OperandType.STREAM})


class Symbol(IntEnum):
    """SYM_ENUM_e of cvinfo.h."""

    END = 0x0006
    GPROC32 = 0x1110
    LOCAL = 0x113E
    INLINESITE = 0x114D
    INLINESITE_END = 0x114E
    DEF_RANGE_HLSL = 0x1150


class Subsection(IntEnum):
    """DEBUG_S_SUBSECTION_TYPE of cvinfo.h."""

    LINES = 0xF2
    FILE_CHECKSUMS = 0xF4
    INLINEE_LINES = 0xF6


@dataclass(slots=True)
class _Scope:
    """A procedure or inlined function. inlinee: the latter's type; pieces: its code."""

    inlinee: int = 0
    pieces: list[InlinedLine] = field(default_factory=list[InlinedLine])
    range: tuple[int, int] | None = None
    locations: list[VariableLocation] = field(default_factory=list[VariableLocation])
    inner: list[_Scope] = field(default_factory=list["_Scope"])


def pdb_information(pdb: Pdb) -> DebugInformation:
    """Return lines, locations and sources of a shader's PDB; empty if it has no module.

    Raises:
        ContainerError: a record is malformed, or nesting and names exceed their limits.
    """
    dbi = pdb.reader(_DBI, "DBI")
    if len(dbi) <= _DBI_HEADER + _MODULE_SYMBOLS:
        return DebugInformation(sources=_sources(pdb))
    stream = _u16(dbi, _DBI_HEADER + _MODULE_STREAM)
    symbols, c11, c13 = dbi.dwords(_DBI_HEADER + _MODULE_SYMBOLS, 3)
    if stream == _NO_STREAM:
        return DebugInformation(sources=_sources(pdb))
    module = pdb.reader(stream, "module")
    types = parse_types(pdb.reader(_TPI, "TPI"))
    lines = _Lines(pdb, module, symbols + c11, c13)
    scope = _Symbols(module, types, lines.inlinees).scope(min(symbols, len(module)))
    return DebugInformation(lines.sorted(scope), tuple(_in_order(scope)), _sources(pdb))


def _in_order(scope: _Scope) -> Iterator[VariableLocation]:
    """Yield the locations, those of inner scopes first."""
    for inner in scope.inner:
        yield from _in_order(inner)
    yield from scope.locations


class _Symbols:
    """Reads the symbol records of a module."""

    def __init__(
        self, module: ByteReader, types: TypeTable, inlinees: dict[int, tuple[int, int]]
    ) -> None:
        self.module = module
        self.types = types
        self.inlinees = inlinees
        self.name_bytes = 0

    def scope(self, end: int) -> _Scope:
        """Return the procedure's scope with all that is in it."""
        scopes = [_Scope()]
        start = 0
        name, type_ = "", 0
        at = 4  # behind the signature
        while at + 4 <= end:
            size, kind = _u16(self.module, at), _u16(self.module, at + 2)
            record = ByteReader(self.module.bytes(at + 4, max(size - 2, 0)), what="PDB symbol")
            match kind:
                case Symbol.GPROC32:
                    start = record.u32(28)
                case Symbol.LOCAL:
                    type_, name = record.u32(0), record.string(6)
                case Symbol.DEF_RANGE_HLSL:
                    location = self.location(record, name, type_, scopes[-1].range)
                    scopes[-1].locations.append(location)
                case Symbol.INLINESITE:
                    inner = self.inlined(record, start)
                    scopes[-1].inner.append(inner)
                    scopes.append(inner)
                case Symbol.INLINESITE_END if len(scopes) > 1:
                    scopes.pop()
                case _:
                    pass
            if len(scopes) > MAX_SCOPES:
                raise ContainerError(f"PDB: more than {MAX_SCOPES} functions inside each other")
            at += 2 + max(size, 2)
        return scopes[0]

    def inlined(self, record: ByteReader, start: int) -> _Scope:
        inlinee = record.u32(8)
        file, line = self.inlinees.get(inlinee, (0, 0))
        pieces = inlined_lines(bytes(record.data[12:]), start, file, line)
        range_ = min((p.start for p in pieces), default=0), max((p.end for p in pieces), default=0)
        return _Scope(inlinee, pieces, range_)

    def location(
        self, record: ByteReader, name: str, type_: int, scope: tuple[int, int] | None
    ) -> VariableLocation:
        register_type, flags, offset, _ = (_u16(record, at) for at in range(0, 8, 2))
        start, end = record.u32(8), _u16(record, 14)
        count, is_part = flags & 3, flags & 4
        gaps = len(record) - _DEF_RANGE_BYTES - 4 * count
        ends = [
            start + _u16(record, at) + _u16(record, at + 2)
            for at in range(_DEF_RANGE_BYTES, _DEF_RANGE_BYTES + gaps, _GAP_BYTES)
        ]
        places = record.dwords(_DEF_RANGE_BYTES + gaps, count) if gaps >= 0 else ()
        part, complaint = part_name(self.types, type_, offset) if is_part else ("", "")
        name += part
        self.name_bytes += len(name)
        if self.name_bytes > MAX_NAME_BYTES:
            raise ContainerError(f"PDB: names take more than {MAX_NAME_BYTES} bytes")
        register = _register(register_type, places)
        return VariableLocation(name, register, (start, *ends), start + end, scope, complaint)


def _register(type_: int, places: tuple[int, ...]) -> Register:
    """Return the register at byte places: of 16 bytes each, those below 0 without number."""
    if not places or type_ in _WHOLE:
        return Register(type_, places)
    first, *outer = places
    component = first // _COMPONENT_BYTES % (_REGISTER_BYTES // _COMPONENT_BYTES)
    if first >> 31:
        return Register(type_, (), component)
    return Register(type_, (*outer, first // _REGISTER_BYTES), component)


class _Lines:
    """Reads the line subsections of a module."""

    def __init__(self, pdb: Pdb, module: ByteReader, at: int, size: int) -> None:
        self.names = pdb.reader(pdb.names["/names"], "names") if "/names" in pdb.names else None
        self.files: dict[int, str] = {}
        self.own: list[SourceLine] = []
        self.inlined = 0
        self.inlinees: dict[int, tuple[int, int]] = {}
        parts = list(_subsections(module, at, min(at + size, len(module))))
        for kind, part in parts:
            if kind == Subsection.FILE_CHECKSUMS:
                self.read_files(part)
        for kind, part in parts:
            if kind == Subsection.LINES:
                self.read_lines(part)
            elif kind == Subsection.INLINEE_LINES:
                self.read_inlinees(part)

    def read_files(self, part: ByteReader) -> None:
        at = 0
        while at + 6 <= len(part):
            name = self.names.string(12 + part.u32(at)) if self.names is not None else ""
            self.files[at] = name
            at += 6 + part.data[at + 4]
            at += -at % 4

    def read_lines(self, part: ByteReader) -> None:
        base, has_columns = part.u32(0), _u16(part, 6) & 1
        at = 12
        while at + 12 <= len(part):
            file, count, _ = part.dwords(at, 3)
            pairs = part.dwords(at + 12, 2 * count)
            name = self.files.get(file, "")
            for offset, line in zip(pairs[::2], pairs[1::2], strict=True):
                self.own.append(SourceLine(base + offset, name, line & 0xFFFFFF))
            at += 12 + (12 if has_columns else 8) * count

    def read_inlinees(self, part: ByteReader) -> None:
        """Read where each inlined function starts; those of many files list the others."""
        at = 4
        while at + 12 <= len(part):
            inlinee, file, line = part.dwords(at, 3)
            self.inlinees[inlinee] = file, line
            at += 12
            if part.u32(0) == _HAS_EXTRA_FILES:
                at += 4 + 4 * part.u32(at)

    def sorted(self, scope: _Scope) -> tuple[SourceLine, ...]:
        """Return the lines at all offsets where one starts, of the innermost function there."""
        found = {line.offset: line for line in reversed(self.own)}
        offsets = sorted(found)
        self.replace(found, offsets, scope)
        return tuple(found[offset] for offset in offsets)

    def count(self) -> None:
        """Count a line that an inlined function gave: hostile ones may overlap."""
        self.inlined += 1
        if self.inlined > MAX_INLINED:
            raise ContainerError(f"PDB: more than {MAX_INLINED} lines of inlined functions")

    def replace(self, found: dict[int, SourceLine], offsets: list[int], scope: _Scope) -> None:
        for inner in scope.inner:
            for piece in inner.pieces:
                name = self.files.get(piece.file, "")
                first = bisect_left(offsets, piece.start)
                for offset in offsets[first : bisect_left(offsets, piece.end)]:
                    found[offset] = SourceLine(offset, name, piece.line)
                    self.count()
            self.replace(found, offsets, inner)


def _subsections(module: ByteReader, at: int, end: int) -> Iterator[tuple[int, ByteReader]]:
    while at + 8 <= end:
        kind, size = module.dwords(at, 2)
        yield kind, ByteReader(module.bytes(at + 8, size), what="PDB lines")
        at += 8 + size + -size % 4


def _sources(pdb: Pdb) -> dict[str, bytes]:
    return {
        name.removeprefix(_SOURCE_PREFIX): pdb.streams[number]
        for name, number in pdb.names.items()
        if name.startswith(_SOURCE_PREFIX) and number < len(pdb.streams)
    }


def _u16(reader: ByteReader, at: int) -> int:
    return int.from_bytes(reader.bytes(at, 2), "little")
