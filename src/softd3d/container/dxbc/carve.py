"""Carving: finding shader binaries among other bytes.

Two kinds can be told from chance: DXBC containers, by magic and a consistent chunk table, and token
streams of shader model 1 to 3, by a version token from which instructions lead to the end token.
Both may lie at any offset.

The walk over shader model 1 to 3 only measures instructions. All functions take memory-mapped
files as well as bytes.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from enum import StrEnum

from softd3d.classes import dataclass
from softd3d.container.dxbc.container import MAGIC, VERSION, VERSION_OFFSET, chunk_table
from softd3d.errors import ContainerError
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode, ProgramType

__all__ = [
    "MAX_CONTAINER_BYTES",
    "MAX_DEPTH",
    "MAX_SM1_BYTES",
    "Hit",
    "HitKind",
    "Source",
    "carve",
    "sm1_size",
]

Source = bytes | mmap.mmap

MAX_CONTAINER_BYTES = 1 << 26  # checksums take time; larger shaders are not to be expected
MAX_DEPTH = 8
MAX_SM1_BYTES = 1 << 24
_MAX_STEPS = 1 << 16  # instructions and comments; shader model 3 allows 32768 instructions
_LONG_WALK = 16
_VERSION = VERSION.to_bytes(4, "little")
_REMEMBERED = 1 << 18

_VERSION_TAIL = re.compile(rb"[\x01-\x03][\xfe\xff]\xff", re.DOTALL)
_OPCODES: dict[int, Opcode] = {int(code): code for code in Opcode}


class HitKind(StrEnum):
    """What was found."""

    CONTAINER = "container"
    SM1_TOKENS = "sm1-tokens"


@dataclass(frozen=True, slots=True)
class Hit:
    """Where something lies, in bytes. parent: where the hit that it lies in starts."""

    kind: HitKind
    offset: int
    size: int
    parent: int | None = None

    @property
    def end(self) -> int:
        return self.offset + self.size


def carve(data: Source, *, nested: bool = False) -> Iterator[Hit]:
    """Yield what lies in `data`, in the order of the offsets.

    Hits do not overlap. With `nested` what lies wholly in another hit comes too, up to MAX_DEPTH
    levels deep.

    >>> from softd3d.container.dxbc.container import build
    >>> [hit.offset for hit in carve(b"?" + build([]) + bytes.fromhex("0002ffff"))]
    [1]
    """
    walker = _Walker(data)
    open_hits: list[Hit] = []
    position = 0
    for kind, offset in _candidates(data):
        if offset < position:
            continue
        while open_hits and open_hits[-1].end <= offset:
            open_hits.pop()
        is_container = kind is HitKind.CONTAINER
        size = _container_size(data, offset) if is_container else walker.size(offset)
        parent = open_hits[-1] if open_hits else None
        if not size or (parent is not None and offset + size > parent.end):
            continue
        hit = Hit(kind, offset, size, None if parent is None else parent.offset)
        yield hit
        if nested and len(open_hits) < MAX_DEPTH:
            open_hits.append(hit)
            position = offset + 1
        else:
            position = hit.end


def sm1_size(data: Source, offset: int = 0) -> int:
    """Return the size in bytes of the shader model 1 to 3 token stream at `offset`, 0 if none is.

    >>> sm1_size(bytes.fromhex("0002ffff 01000002 00080f80 0000e4a0 ffff0000 abcd"))
    20
    >>> sm1_size(bytes.fromhex("0002ffff 01000002 00080f80 0000e4a0"))
    0
    """
    return _Walker(data).size(offset)


def _candidates(data: Source) -> Iterator[tuple[HitKind, int]]:
    """Merge the places where a magic or a version token stands."""
    magic = data.find(MAGIC)
    for match in _VERSION_TAIL.finditer(data):
        offset = match.start() - 1
        while 0 <= magic < offset:
            yield HitKind.CONTAINER, magic
            magic = data.find(MAGIC, magic + 1)
        if offset >= 0:
            yield HitKind.SM1_TOKENS, offset
    while magic >= 0:
        yield HitKind.CONTAINER, magic
        magic = data.find(MAGIC, magic + 1)


def _container_size(data: Source, offset: int) -> int:
    """Return the size of the container at `offset`, 0 if its header or chunk table is wrong."""
    if data[offset + VERSION_OFFSET : offset + VERSION_OFFSET + len(_VERSION)] != _VERSION:
        return 0  # at once, as nearly all that is none
    with memoryview(data) as whole, whole[offset:] as rest:
        try:
            size = chunk_table(rest).size
        except ContainerError:
            return 0
    return size if size <= MAX_CONTAINER_BYTES else 0


class _Walker:
    """Walks over instructions of shader model 1 to 3.

    dead: for each version, places from which long walks led nowhere, so that a source made to be
    walked over again and again is not.
    """

    def __init__(self, data: Source) -> None:
        self.data = data
        self.dead: dict[int, set[int]] = {}

    def size(self, start: int) -> int:
        """Return the size in bytes of the stream at `start`, 0 if there is none."""
        token = self._dword(start)
        program = _version(token)
        if program is None:
            return 0
        dead = self.dead.setdefault(token, set())
        visited: list[int] = []
        position, instructions = start + 4, 0
        last = min(len(self.data) - 4, start + MAX_SM1_BYTES)
        while position <= last and position not in dead and len(visited) < _MAX_STEPS:
            token = self._dword(position)
            if token == t.END_TOKEN and instructions:
                return position + 4 - start
            visited.append(position)
            length = self._length(position, token, *program)
            if length is None:
                break
            instructions += t.OPCODE.get(token) not in (Opcode.COMMENT, Opcode.NOP)
            position += 4 + 4 * length
        if len(visited) > _LONG_WALK:
            if len(dead) > _REMEMBERED:
                dead.clear()
            dead.update(visited)
        return 0

    def _length(
        self, position: int, token: int, type_: ProgramType, version: tuple[int, int]
    ) -> int | None:
        """Return how many dwords belong to the token at `position`, None if that cannot be one."""
        opcode = _OPCODES.get(t.OPCODE.get(token))
        if opcode is Opcode.COMMENT and not t.COMMENT_RESERVED.get(token):
            return t.COMMENT_LENGTH.get(token)
        layout = None if opcode is None else t.layout(opcode, type_, version)
        fields = t.instruction_fields(version)
        if layout is None or token & fields.reserved:
            return None
        least = layout.has_usage + layout.has_destination + layout.sources + layout.immediates
        most = least
        if fields.has_length and opcode is not Opcode.PHASE:
            least += t.PREDICATED.get(token)
            most = least + layout.has_destination + layout.sources  # an address token for each
            length = t.LENGTH.get(token)
        else:
            length = least
            if t.CONTROLS.get(token) or (t.COISSUE.get(token) and type_ is ProgramType.VS):
                return None
        if not least <= length <= most:
            return None
        first = position + 8 - 4 * layout.has_usage  # some shaders lack the bit in destinations
        checked = 0 if layout.immediates else length - 1
        plausible = all(t.PARAMETER.get(self._dword(first + 4 * n)) for n in range(checked))
        return length if plausible else None

    def _dword(self, offset: int) -> int:
        """Return the dword at `offset`; what leaves the data counts as 0, which no rule accepts."""
        return int.from_bytes(self.data[offset : offset + 4], "little")


def _version(token: int) -> tuple[ProgramType, tuple[int, int]] | None:
    version = t.VERSION_MAJOR.get(token), t.VERSION_MINOR.get(token)
    for type_, versions in t.VERSIONS.items():
        if t.VERSION_TYPE.get(token) == type_ and version in versions:
            return type_, version
    return None
