"""Debug information of SM1-3: the comment DBUG, which gives instructions their source.

Layout: seen in what fxc writes with /Zi; there is no public header. Offsets count from behind the
four characters. Two dwords have no known meaning: the third, always 0, and what follows a type.
"""

from __future__ import annotations

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.debug.info import is_short_step
from softd3d.errors import ContainerError
from softd3d.isa.asm.sm1.listing import Note

__all__ = [
    "TAG",
    "DebugInformation",
    "DebugVariable",
    "SourceLine",
    "VariablePlace",
    "debug_notes",
    "parse_debug_comment",
]

TAG = b"DBUG"
MAX_TEXT_BYTES = 1 << 22
_HEADER_DWORDS = 10
_LINE_SIZE = 8
_VARIABLE_SIZE = 20
_PLACE_SIZE = 12
_DWORD = 4
_NOTHING = 0xFFFF


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where an instruction comes from; file: index of its name, None for declarations.

    offset: bytes from the version token to the instruction.
    """

    file: int | None
    line: int
    offset: int


_NOWHERE = SourceLine(None, 0, 0)


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """What the result of an instruction means to a variable.

    instruction: 0-based, comments not counted. components: for x, y, z and w of the destination
    the component of the variable, numbered through all of its members; None for none.
    """

    instruction: int
    components: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class DebugVariable:
    """A variable of the source; scope: the function or structure it belongs to, or ""."""

    scope: str
    name: str
    places: tuple[VariablePlace, ...]


@dataclass(frozen=True, slots=True)
class DebugInformation:
    """The comment's content; lines: one for each instruction, in order."""

    creator: str
    entry: str
    files: tuple[str, ...]
    lines: tuple[SourceLine, ...]
    variables: tuple[DebugVariable, ...]


def parse_debug_comment(data: bytes, base: int = 0) -> DebugInformation:
    """Read the payload of a DBUG comment, without the four characters.

    base: where `data` starts in the whole input, in bytes, for positions in errors.

    Raises:
        ContainerError: a record or name leaves the data, or a file has no name.
    """
    return _Reader(ByteReader(data, base, "DBUG")).information()


def debug_notes(information: DebugInformation) -> tuple[Note, ...]:
    """Return what a listing says about each instruction."""
    names: dict[int, list[str]] = {}
    for variable in information.variables:
        for place in variable.places:
            names.setdefault(place.instruction, []).append(
                _place_text(variable, place, information.entry)
            )
    notes: list[Note] = []
    last = told = _NOWHERE
    for index, line in enumerate(information.lines):
        before = _line_directive(line, last, told, information.files)
        notes.append(Note(before, ", ".join(names.get(index, []))))
        last = line
        told = line if before else told
    return tuple(notes)


def _line_directive(
    line: SourceLine, last: SourceLine, told: SourceLine, files: tuple[str, ...]
) -> str:
    """Return `#line` where the source jumps, with the file's name where that changes."""
    if line.file != last.file:
        return "" if line.file is None else f'#line {line.line} "{files[line.file]}"'
    return "" if is_short_step(line.line, last.line, told.line) else f"#line {line.line}"


def _place_text(variable: DebugVariable, place: VariablePlace, entry: str) -> str:
    scope = "" if variable.scope and variable.scope == entry else f"{variable.scope}::"
    components = ",".join(str(c) for c in place.components if c is not None)
    return f"{scope}{variable.name}<{components}>"


class _Reader:
    """Counts the text it makes: any number of places may share a name."""

    def __init__(self, reader: ByteReader) -> None:
        self.reader = reader
        self.text = 0

    def information(self) -> DebugInformation:
        head = self.reader.dwords(0, _HEADER_DWORDS)
        _, creator, _, files, files_at, lines, lines_at, variables, variables_at, entry = head
        names = tuple(
            self.name(self.reader.u32(at)) for at in self.records(files_at, files, _DWORD)
        )
        return DebugInformation(
            self.optional_name(creator),
            self.optional_name(entry),
            names,
            tuple(self.line(at, names) for at in self.records(lines_at, lines, _LINE_SIZE)),
            tuple(
                self.variable(at) for at in self.records(variables_at, variables, _VARIABLE_SIZE)
            ),
        )

    def records(self, offset: int, count: int, size: int) -> range:
        """Return the offsets of `count` records, after checking that they are there."""
        if offset + count * size > len(self.reader):
            raise ContainerError(
                f"DBUG: {count} records of {size} bytes at {offset:#x} leave the "
                f"{len(self.reader)} bytes",
                self.reader.location(min(offset, len(self.reader))),
            )
        return range(offset, offset + count * size, size)

    def line(self, at: int, files: tuple[str, ...]) -> SourceLine:
        place, offset = self.reader.dwords(at, _LINE_SIZE // _DWORD)
        file = place >> 16
        if file == _NOTHING:
            return SourceLine(None, place & 0xFFFF, offset)
        if file >= len(files):
            raise ContainerError(
                f"DBUG: file {file} of {len(files)} has no name", self.reader.location(at)
            )
        self.spend(len(files[file]), at)
        return SourceLine(file, place & 0xFFFF, offset)

    def variable(self, at: int) -> DebugVariable:
        scope, name, _, count, places_at = self.reader.dwords(at, _VARIABLE_SIZE // _DWORD)
        scope_text, text = self.optional_name(scope), self.name(name)
        places = self.records(places_at, count, _PLACE_SIZE)
        self.spend((len(scope_text) + len(text) + _PLACE_SIZE) * count, at)
        return DebugVariable(scope_text, text, tuple(self.place(place) for place in places))

    def place(self, at: int) -> VariablePlace:
        instruction, low, high = self.reader.dwords(at, _PLACE_SIZE // _DWORD)
        numbers = (low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16)
        return VariablePlace(
            instruction, tuple(None if number == _NOTHING else number for number in numbers)
        )

    def name(self, at: int) -> str:
        text = self.reader.string(at)
        self.spend(len(text), at)
        return text

    def optional_name(self, at: int) -> str:
        return self.name(at) if at else ""

    def spend(self, size: int, at: int) -> None:
        self.text += size
        if self.text > MAX_TEXT_BYTES:
            raise ContainerError(
                f"DBUG: more than {MAX_TEXT_BYTES} bytes of names",
                self.reader.location(min(at, len(self.reader))),
            )
