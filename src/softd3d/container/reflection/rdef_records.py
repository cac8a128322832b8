"""What reading and writing RDEF share: sizes of headers and records, tags, limits.

Four layouts: shader model 4.x; 5.0, whose header states the sizes of its records; 5.0 as the beta
compiler 9.24 wrote it, with the variables of 4.x; 5.1, which gives bindings a register space and an
identifier.
"""

from __future__ import annotations

from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.errors import ContainerError, Location

__all__ = [
    "LAYOUT_4",
    "LAYOUT_5_0",
    "LAYOUT_5_0_BETA",
    "LAYOUT_5_1",
    "MAX_TYPE_DEPTH",
    "NO_INDEX",
    "TAG_OFFSET",
    "Budget",
    "Layout",
    "has_sm5_records",
]

MAX_OBJECTS = 1 << 18
MAX_COPIED_BYTES = 1 << 24
MAX_TYPE_DEPTH = 32
NO_INDEX = 0xFFFFFFFF
_LIBRARY = 0x4C46
TAG_OFFSET = 28


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes in bytes. tag: starts the shader model 5 part of the header, empty before that."""

    tag: bytes
    header: int
    buffer: int
    binding: int
    variable: int
    type: int
    member: int

    @property
    def is_sm5(self) -> bool:
        return bool(self.tag)

    @property
    def has_spaces(self) -> bool:
        return self.tag == LAYOUT_5_1.tag

    @property
    def has_slots(self) -> bool:
        """Whether variables have ranges of textures and samplers."""
        return self.variable >= LAYOUT_5_0.variable

    @property
    def of_records(self) -> tuple[int, ...]:
        """The sizes of records, in the order of the header."""
        return self.buffer, self.binding, self.variable, self.type, self.member


LAYOUT_4 = Layout(b"", 28, 24, 32, 24, 16, 12)
LAYOUT_5_0 = Layout(b"RD11", 60, 24, 32, 40, 36, 12)
LAYOUT_5_0_BETA = replace(LAYOUT_5_0, variable=LAYOUT_4.variable)
LAYOUT_5_1 = Layout(b"\x13\x13\x44\x25", 60, 24, 40, 40, 36, 12)


class Budget:
    """Counts the objects and bytes of one chunk's meaning.

    Names and default values may overlap and types may be shared, so that small chunks could
    describe enormous results; both counts bound the work, the result and its printed form.
    """

    def __init__(self) -> None:
        self.objects = 0
        self.copied = 0

    def count(self, objects: int, location: Location | None = None) -> None:
        """Count records, or the types a type consists of (shared ones repeated).

        Raises:
            ContainerError: there are more than `MAX_OBJECTS`.
        """
        self.objects += objects
        if self.objects > MAX_OBJECTS:
            raise ContainerError(
                f"RDEF: its records expand to more than {MAX_OBJECTS} objects", location
            )

    def copy(self, size: int, location: Location | None = None) -> None:
        """Count the bytes of a name or default value.

        Raises:
            ContainerError: there are more than `MAX_COPIED_BYTES`.
        """
        self.copied += size
        if self.copied > MAX_COPIED_BYTES:
            raise ContainerError(
                f"RDEF: names and default values take more than {MAX_COPIED_BYTES} bytes", location
            )


def has_sm5_records(target: int) -> bool:
    """Tell from the target dword whether the records are those of shader model 5.

    Functions of libraries have them in shader model 4 too.
    """
    return target >> 8 & 0xFF >= 5 or target >> 16 == _LIBRARY
