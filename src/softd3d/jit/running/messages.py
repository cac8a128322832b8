"""The messages of a run of native code: where they are written, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softd3d.classes import dataclass
from softd3d.errors import InternalError
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.program import Program
from softd3d.jit.abi import MESSAGES
from softd3d.lower.messages import (
    Message,
    Records,
    coordinates,
    dropped,
    first_records,
    record_type,
    written_out,
)

__all__ = ["MessageMemory", "MessageTable", "Said", "message_table", "said"]


@dataclass(frozen=True, slots=True)
class MessageTable:
    """What a program may say, and the size of its groups.

    places: dwords behind the operands of each message; see `Graph`.
    """

    sites: tuple[MessageSite, ...]
    group_size: tuple[int, int, int]
    places: int = 0


def message_table(program: Program, group_size: tuple[int, int, int]) -> MessageTable:
    """Return what a program may say.

    Raises:
        DecodeError, LoweringError: a message is malformed, or not supported yet.
    """
    # Few programs have messages.
    from softd3d.isa.sm4.message_sites import message_sites  # noqa: PLC0415

    return MessageTable(message_sites(program), group_size)


class MessageMemory:
    """The records of one thread: as many as fit, in a buffer that native code fills."""

    def __init__(self, table: MessageTable, record_bytes: int, limit: int) -> None:
        layout = record_type(table.sites, table.places)
        if layout.itemsize != record_bytes:
            raise InternalError(
                f"message records of {layout.itemsize} bytes, code writes {record_bytes}"
            )
        self.records = np.zeros(limit, layout)
        self.box = np.zeros(len(MESSAGES), np.int64)
        self.box[MESSAGES["records"]] = self.records.ctypes.data
        self.box[MESSAGES["limit"]] = limit
        self.box[MESSAGES["aborted"]] = -1
        self.address: int = self.box.ctypes.data

    @property
    def taken(self) -> Records:
        return self.records[: int(self.box[MESSAGES["count"]])]

    @property
    def seen(self) -> int:
        return int(self.box[MESSAGES["seen"]])


@dataclass(frozen=True, slots=True)
class Said:
    """Fields of an `Outcome`."""

    messages: tuple[Message, ...] = ()
    messages_dropped: int = 0
    aborted: tuple[int, int, int] | None = None


def said(
    table: MessageTable, memories: Sequence[MessageMemory], groups: tuple[int, int, int],
    aborted: int,
) -> Said:  # fmt: skip
    """Return what all threads of a run said. aborted: number of a group, or -1."""
    limit = memories[0].records.size
    last = aborted if aborted >= 0 else None
    kept = first_records([memory.taken for memory in memories], limit, last)
    texts = written_out(kept, table.sites, groups, table.group_size)
    lost = dropped(kept.size, sum(memory.seen for memory in memories), limit)
    if table.places:
        texts = tuple(_placed(m, r, table) for m, r in zip(texts, kept, strict=True))
        ends = texts[-1:] if last is not None else ()  # it aborts, unless it was dropped itself
        return Said(texts, lost, ends[0].group if ends else None if last is None else (0, 0, 0))
    return Said(texts, lost, None if last is None else coordinates(last, groups))


def _placed(message: Message, record: Any, table: MessageTable) -> Message:
    """Return a message with what its record says of its invocation."""
    first = table.sites[int(record["site"])].dwords
    words: list[int] = record["words"][first : first + table.places].tolist()
    return replace(message, group=_three(words[:3]), thread=_three(words[3:]))


def _three(words: list[int]) -> tuple[int, int, int]:
    x, y, z = words
    return x, y, z
