"""Shader messages: what `printf`, `errorf`, `abort` and `debug_break` say, and from where."""

from __future__ import annotations

from enum import StrEnum

from softd3d.classes import dataclass
from softd3d.errors import Location
from softd3d.isa.sm4.program import Operand

__all__ = ["MessageKind", "MessageSite"]


class MessageKind(StrEnum):
    """What made a message. PRINTF informs, ERRORF is an error; after ABORT nothing follows."""

    PRINTF = "printf"
    ERRORF = "errorf"
    ABORT = "abort"
    DEBUG_BREAK = "debug_break"


@dataclass(frozen=True, slots=True)
class MessageSite:
    """An instruction that makes messages.

    number: its place among those of the program. text: the format, or the whole text unless
    `is_format`. operands: what the format takes, each 32 bits wide, or 64 where `wide` says so.
    """

    number: int
    kind: MessageKind
    text: str
    is_format: bool
    operands: tuple[Operand, ...]
    wide: tuple[bool, ...]
    location: Location

    @property
    def dwords(self) -> int:
        """Of all operands together."""
        return len(self.wide) + sum(self.wide)
