"""Containers as text that gives every byte back: directives, bytes in hex, and the program's code.

    // softd3d exact listing 1
    // Input signature: ...                      what the plain listing says before the code
    .container
    .checksum 00112233445566778899aabbccddeeff   if it is not the computed one; `debug` for that
                                                 which only the debug layer accepts
    .size 1234                                   if the container does not end with its last chunk
    .chunk ISGN at 0x44                          where, if not at the next multiple of 4
    0000000008000000                             bytes; // begins a comment
    .program SHEX                                the code up to the next directive
    .bytes at 0x120                              what lies between chunks, if it is not a few zeros
    .tail                                        bytes behind the container

Chunks stand in the order of the chunk table. A FourCC that is not four visible ASCII characters is
written as its 32-bit number in hex. A text without `.container` and first line is code alone. The
first line may be missing; if it is there, its number must be that of this form.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from softd3d.classes import dataclass
from softd3d.container.dxbc.checksum import (
    CHECKSUM_OFFSET,
    CHECKSUM_SIZE,
    ChecksumKind,
    computed_checksum,
)
from softd3d.container.dxbc.container import (
    MAGIC,
    MAX_CHUNKS,
    VERSION,
    Container,
    parse,
    table_end,
)
from softd3d.errors import ShaderError
from softd3d.isa.asm.diagnostic import Diagnostic, ListingError, shown, suggestion
from softd3d.isa.asm.lexer import source_lines

if TYPE_CHECKING:
    from softd3d.isa.asm.sm4.parser import ParsedListing

__all__ = ["encoded_listing", "exact_listing", "is_exact_listing", "read_exact_listing"]

_COMMENT = "//"
_FIRST_LINE, _TEXT_VERSION = "// softd3d exact listing", 1
_BYTES_A_LINE = 32
_LARGEST_ZERO_GAP = 256  # bytes; so that a short text has no large result
_LARGEST_CONTAINER = 1 << 28
_ALIGNMENT = 4

_FIRST = re.compile(rf"\s*+{_FIRST_LINE}\b\s*+(\S*+)")
_CONTAINER = re.compile(r"^[ \t]*\.container\b", re.MULTILINE)
_VISIBLE = re.compile(r"[!-~]{4}\Z")
_PLACED = re.compile(
    r"\.(chunk|bytes|program)(?:\s+(\S+))??(?:\s+at\s+0[xX]([0-9a-fA-F]{1,8}))?\s*\Z"
)
_FOURCC_NUMBER = re.compile(r"0[xX]([0-9a-fA-F]{8})\Z")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*\Z")
_DIRECTIVES = (".container", ".checksum", ".size", ".chunk", ".program", ".bytes", ".tail")
_RAW_INSTRUCTION = ".tokens"
_CHARACTERS = bytes(byte if 32 <= byte < 127 else ord(".") for byte in range(256))


def is_exact_listing(text: str) -> bool:
    r"""Tell whether a text describes a container, not code alone.

    >>> is_exact_listing("// softd3d exact listing 1\n.container\n"), is_exact_listing("ps_5_0")
    (True, False)
    """
    has_container = ".container" in text and _CONTAINER.search(text) is not None
    return has_container or _FIRST.match(text) is not None


def exact_listing(
    data: bytes, codes: Sequence[Callable[[], str]] = (), header: Sequence[str] = (),
    container: Container | None = None,
) -> str:  # fmt: skip
    """Return the text of a container.

    codes: write texts of its program, of which the first that gives the program's bytes back is
    taken; without one, the program's chunk is in hex like all others. header: what a reader is told
    first, as comments. container: `data`, if it has been parsed.

    Raises:
        ContainerError: `data` does not begin with a container.
    """
    container = container or parse(data)
    lines = [f"{_FIRST_LINE} {_TEXT_VERSION}", *_comments(header), ".container"]
    kind = container.checksum_kind
    if kind is not ChecksumKind.RETAIL:
        stored = "debug" if kind is ChecksumKind.DEBUG else container.checksum.hex()
        lines.append(f".checksum {stored}")
    end = _end(container)
    if container.size != max(end, table_end(len(container.chunks))):
        lines.append(f".size {container.size}")
    lines += _chunk_lines(container, codes)
    for start, stop in _gaps(container):
        between = data[start:stop]
        if any(between) or len(between) > _LARGEST_ZERO_GAP:
            lines += [f".bytes at {start:#x}", *_hex_lines(between)]
    if len(data) > container.size:
        lines += [".tail", *_hex_lines(data[container.size :])]
    return "\n".join(lines) + "\n"


def _comments(lines: Sequence[str]) -> list[str]:
    """Return lines as comments; names in them may hold anything, line ends too."""
    parts = source_lines("\n".join(lines)) if lines else []
    return [part if part.startswith(_COMMENT) else f"{_COMMENT}{part}" for part in parts]


def _chunk_lines(container: Container, codes: Sequence[Callable[[], str]]) -> list[str]:
    lines: list[str] = []
    place = table_end(len(container.chunks))
    program = container.find("SHEX", "SHDR")
    for chunk in container.chunks:
        place += -place % _ALIGNMENT
        at = "" if chunk.offset == place else f" at {chunk.offset:#x}"
        place = chunk.data_offset + len(chunk.data)
        texts = (write() for write in codes) if chunk is program else ()
        code = next((text for text in texts if _gives(text, chunk.data)), None)
        if code is not None:
            lines += [f".program {chunk.fourcc}{at}", code.rstrip("\n")]
        else:
            lines += [f".chunk {_fourcc_text(chunk.fourcc)}{at}", *_hex_lines(chunk.data)]
    return lines


def _gives(code: str, data: bytes) -> bool:
    """Tell whether a program's text gives its bytes back."""
    from softd3d.isa.asm.sm4.parser import parse_listing  # noqa: PLC0415 - loading needs no parser

    if any(name in code for name in _DIRECTIVES) and any(
        line.lstrip().startswith(_DIRECTIVES) for line in source_lines(code)
    ):
        return False
    try:
        return parse_listing(code).code == data
    except ShaderError:
        return False


def _end(container: Container) -> int:
    return max((chunk.data_offset + len(chunk.data) for chunk in container.chunks), default=0)


def _gaps(container: Container) -> list[tuple[int, int]]:
    """Return the ranges of the container that neither its head nor a chunk covers."""
    gaps: list[tuple[int, int]] = []
    end = table_end(len(container.chunks))
    for chunk in sorted(container.chunks, key=lambda chunk: chunk.offset):
        gaps.append((end, chunk.offset))
        end = chunk.data_offset + len(chunk.data)
    gaps.append((end, container.size))
    return [(start, stop) for start, stop in gaps if start < stop]


def _fourcc_text(fourcc: str) -> str:
    if _VISIBLE.match(fourcc) and "/" not in fourcc:
        return fourcc
    return f"{int.from_bytes(fourcc.encode('latin-1'), 'little'):#010x}"


def _hex_lines(data: bytes) -> list[str]:
    """Return bytes in hex with their characters in a comment."""
    lines: list[str] = []
    for start in range(0, len(data), _BYTES_A_LINE):
        part = data[start : start + _BYTES_A_LINE]
        visible = part.translate(_CHARACTERS).decode("ascii")
        lines.append(f"{part.hex(' ', -4):<{_BYTES_A_LINE * 2 + 7}} // {visible}".rstrip())
    return lines


@dataclass(slots=True)
class _Part:
    """A directive and the bytes that follow it. line: 0-based."""

    name: str
    line: int
    fourcc: bytes = b""
    place: int | None = None
    data: bytearray = field(default_factory=bytearray)


class _Reader:
    """Reads the directives of a text in order."""

    def __init__(self, text: str) -> None:
        self.lines = source_lines(text)
        self.parts: list[_Part] = []
        self.checksum = ""
        self.size: int | None = None
        self.size_line = 0

    def error(self, line: int, message: str, position: int | None = None) -> ListingError:
        """Return an error at a line (0-based), at its first character or at `position`."""
        text = self.lines[line]
        column = len(text) - len(text.lstrip()) if position is None else position
        return ListingError([Diagnostic(message, line + 1, column + 1, text)])

    def _check_version(self) -> None:
        """Refuse a text whose first line names another version of this form."""
        first = next((n for n, line in enumerate(self.lines) if line.strip()), 0)
        found = _FIRST.match(self.lines[first])
        if found is not None and found[1] != str(_TEXT_VERSION):
            message = f"wanted an exact listing of version {_TEXT_VERSION}, found {shown(found[1])}"
            raise self.error(first, message, found.start(1))

    def read(self) -> None:
        self._check_version()
        number, count = 0, len(self.lines)
        while number < count:
            line = self.lines[number]
            text = line.partition(_COMMENT)[0].strip()
            number += 1
            if not text:
                continue
            if text[0] != ".":
                self._bytes(number - 1, text)
                continue
            self._directive(number - 1, text)
            if text.startswith(".program"):
                number = self._code(number)
        if not self.parts or self.parts[0].name != "container":
            raise self.error(0, "wanted .container before all other directives")

    def _bytes(self, line: int, text: str) -> None:
        digits = "".join(text.split())
        if not self.parts or self.parts[-1].name in ("container", "program"):
            raise self.error(line, f"wanted a directive such as .chunk, found {shown(text)}")
        if not _HEX.match(digits):
            raise self.error(line, f"wanted bytes in hex, found {shown(text)}")
        self.parts[-1].data += bytes.fromhex(digits)

    def _directive(self, line: int, text: str) -> None:
        words = text.split()
        name = words[0][1:]
        if not self.parts and name != "container":
            raise self.error(line, f"wanted .container, found {shown(words[0])}")
        if name == "checksum" and len(words) == 2:
            self._checksum(line, words[1])
        elif name == "size" and len(words) == 2 and words[1].isdecimal():
            self.size, self.size_line = int(words[1][:12]), line
        elif name in ("container", "tail") and len(words) == 1:
            if any(part.name == name for part in self.parts):
                raise self.error(line, f"a second {words[0]}")
            self.parts.append(_Part(name, line))
        elif name in ("chunk", "program", "bytes"):
            self._placed(line, text)
        elif words[0] in _DIRECTIVES:
            raise self.error(line, f"{words[0]} is not followed by what it needs")
        else:
            near = suggestion(words[0], _DIRECTIVES)
            raise self.error(line, f"{shown(words[0])} is no directive{near}")

    def _checksum(self, line: int, word: str) -> None:
        if word != "debug" and (len(word) != 2 * CHECKSUM_SIZE or not _HEX.match(word)):
            raise self.error(line, f"wanted a checksum of 32 hex digits, found {shown(word)}")
        self.checksum = word

    def _placed(self, line: int, text: str) -> None:
        found = _PLACED.match(text)
        if found is None:
            raise self.error(line, f"wanted a place such as `at 0x44`, found {shown(text)}")
        name, word, place = found.groups()
        if name == "bytes":
            if word is not None or place is None:
                raise self.error(line, "wanted .bytes at 0xOFFSET")
            self.parts.append(_Part(name, line, b"", int(place, 16)))
            return
        number = _FOURCC_NUMBER.match(word or "")
        if number is not None:
            fourcc = int(number.group(1), 16).to_bytes(4, "little")
        elif word is not None and _VISIBLE.match(word):
            fourcc = word.encode("ascii")
        else:
            raise self.error(line, f"wanted a FourCC such as SHEX, found {shown(word or '')}")
        if sum(part.name in ("chunk", "program") for part in self.parts) >= MAX_CHUNKS:
            raise self.error(line, f"more than {MAX_CHUNKS} chunks")
        self.parts.append(_Part(name, line, fourcc, int(place, 16) if place else None))

    def _code(self, start: int) -> int:
        """Read the code of a program from line `start` on; return the line after it."""
        from softd3d.isa.asm.sm4.parser import parse_listing  # noqa: PLC0415

        stop = start
        while stop < len(self.lines):
            text = self.lines[stop].lstrip()
            if text[:1] == "." and not text.startswith(_RAW_INSTRUCTION):
                break
            stop += 1
        # Lines before the code are empty, so that positions are those of the whole text.
        lines = [""] * start + self.lines[start:stop]
        self.parts[-1].data += encoded_listing(parse_listing("\n".join(lines)), lines)
        return stop


def encoded_listing(listing: ParsedListing, lines: list[str]) -> bytes:
    """Encode a program; what cannot be encoded is reported with its line.

    Raises:
        ListingError: a number does not fit its field, or an instruction is too long.
    """
    try:
        return listing.code
    except ShaderError as error:
        where = error.location.instruction if error.location is not None else None
        line = listing.lines[where] if where is not None else 1
        text = lines[line - 1]
        column = len(text) - len(text.lstrip()) + 1
        raise ListingError([Diagnostic(error.message, line, column, text)]) from error


def read_exact_listing(text: str) -> bytes:
    """Return the bytes that a text of `exact_listing` describes.

    Raises:
        ListingError: a directive or the code is wrong, or chunks lie outside or on one another.
    """
    reader = _Reader(text)
    reader.read()
    chunks = [part for part in reader.parts if part.name in ("chunk", "program")]
    data = bytearray(_head(reader, chunks))
    end = max(len(data), *(_stop(part) for part in reader.parts), 0)
    size = end if reader.size is None else reader.size
    if not end <= size <= min(end + _LARGEST_ZERO_GAP, _LARGEST_CONTAINER):
        raise reader.error(reader.size_line, f"the container of {size} bytes has parts up to {end}")
    placed = sorted(
        (part for part in reader.parts if part.place is not None), key=lambda part: part.place or 0
    )
    for part in placed:
        _append(reader, data, part)
    data += bytes(size - len(data))
    struct.pack_into("<2I", data, CHECKSUM_OFFSET + CHECKSUM_SIZE, VERSION, size)
    _sign(data, reader.checksum)
    return bytes(data) + b"".join(bytes(part.data) for part in reader.parts if part.name == "tail")


def _head(reader: _Reader, chunks: list[_Part]) -> bytes:
    """Give all chunks their places; return header and chunk table, not signed, without size."""
    place = table_end(len(chunks))
    for part in chunks:
        place += -place % _ALIGNMENT
        part.data[:0] = part.fourcc + struct.pack("<I", len(part.data))
        if part.place is None:
            part.place = place
        place = part.place + len(part.data)
        if place > _LARGEST_CONTAINER:
            raise reader.error(part.line, f"a container has at most {_LARGEST_CONTAINER} bytes")
    offsets = [part.place or 0 for part in chunks]
    table = struct.pack(f"<I{len(chunks)}I", len(chunks), *offsets)
    return MAGIC + bytes(CHECKSUM_SIZE + 8) + table


def _stop(part: _Part) -> int:
    return part.place + len(part.data) if part.place is not None else 0


def _append(reader: _Reader, data: bytearray, part: _Part) -> None:
    place = part.place or 0
    if place < len(data):
        raise reader.error(
            part.line, f"it starts at {place:#x}, before {len(data):#x} where what precedes it ends"
        )
    if place > len(data) + _LARGEST_ZERO_GAP:
        raise reader.error(
            part.line, f"it starts at {place:#x}, more than {_LARGEST_ZERO_GAP} bytes after "
            f"{len(data):#x}; write what lies between with .bytes",
        )  # fmt: skip
    data += bytes(place - len(data)) + part.data


def _sign(data: bytearray, checksum: str) -> None:
    kind = ChecksumKind.DEBUG if checksum == "debug" else ChecksumKind.RETAIL
    is_given = bool(checksum) and kind is ChecksumKind.RETAIL
    digest = bytes.fromhex(checksum) if is_given else computed_checksum(bytes(data), kind)
    data[CHECKSUM_OFFSET : CHECKSUM_OFFSET + CHECKSUM_SIZE] = digest
