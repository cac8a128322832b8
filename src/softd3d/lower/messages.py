"""Messages that a dispatch made: records of both engines, put in order and into words.

Records are kept by place, which is the thread (groups in x, y, z order, threads within), and then
by the order of execution; of too many the first ones stay, whatever the number of CPU threads and
lanes. They hold bits; texts are made of those that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import Location
from softd3d.isa.shader_message import MessageKind, MessageSite

__all__ = [
    "DEFAULT_MESSAGES",
    "MAX_MESSAGES",
    "PLACE_SHIFT",
    "Message",
    "MessageLog",
    "Records",
    "coordinates",
    "dropped",
    "first_records",
    "record_type",
    "written_out",
]

DEFAULT_MESSAGES = 1000
MAX_MESSAGES = 65536
PLACE_SHIFT = 10  # a place is the group's number times 1024 plus the thread's in the group
_MOST_PENDING = 1 << 16  # records beyond the limit before the last ones are dropped
Records = NDArray[Any]
"""Of `record_type`, (n,)."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one thread said. group, thread: SV_GroupID, SV_GroupThreadID; location: where."""

    kind: MessageKind
    text: str
    group: tuple[int, int, int]
    thread: tuple[int, int, int]
    location: Location

    def __str__(self) -> str:
        where = f"group {self.group}, thread {self.thread}, {self.location}"
        return f"{self.kind}: {self.text.rstrip()} ({where})"


def record_type(sites: Sequence[MessageSite], further: int = 0) -> np.dtype[Any]:
    """Return the layout of records: 24 bytes, then as many dwords as any site has operands.

    Multiples of 8 bytes; native code writes them. further: dwords that follow a site's operands.
    """
    words = max((site.dwords for site in sites), default=0) + further
    return np.dtype(
        [
            ("place", np.int64),
            ("sequence", np.int64),
            ("site", np.int32),
            ("unused", np.int32),
            ("words", np.uint32, (words + words % 2,)),
        ]
    )


def first_records(parts: Sequence[Records], limit: int, last_group: int | None) -> Records:
    """Return the first `limit` records in order, of groups up to `last_group` if there is one."""
    records = np.concatenate(parts)
    if last_group is not None:
        records = records[records["place"] >> PLACE_SHIFT <= last_group]
    return records[np.lexsort((records["sequence"], records["place"]))[:limit]]


def written_out(
    records: Records, sites: Sequence[MessageSite], groups: tuple[int, int, int],
    size: tuple[int, int, int],
) -> tuple[Message, ...]:  # fmt: skip
    """Return the messages of records. groups: of the dispatch; size: of a group."""
    if not len(records):
        return ()
    from softd3d.lower.printf import format_message  # noqa: PLC0415 - few shaders say something

    said: list[Message] = []
    for record in records:
        site, place = sites[int(record["site"])], int(record["place"])
        group = coordinates(place >> PLACE_SHIFT, groups)
        thread = coordinates(place & (1 << PLACE_SHIFT) - 1, size)
        text = format_message(site, record["words"].tolist())
        said.append(Message(site.kind, text, group, thread, site.location))
    return tuple(said)


def dropped(kept: int, seen: int, limit: int) -> int:
    """Return how many messages were dropped: none unless the limit was reached.

    Fewer than that are kept of an aborted run if the others are of groups after its end.
    """
    return seen - kept if kept == limit else 0


def coordinates(number: int, size: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return x, y, z of the n-th group of a dispatch, or of the n-th thread of a group."""
    rest, x = divmod(number, size[0])
    z, y = divmod(rest, size[1])
    return x, y, z


class MessageLog:
    """Takes the interpreter's messages, many lanes at once, and keeps the first ones.

    seen: all messages, kept or not.
    """

    def __init__(self, sites: Sequence[MessageSite], limit: int) -> None:
        self.sites = sites
        self.limit = limit
        self.seen = 0
        self.type = record_type(sites)
        self.parts: list[Records] = [np.zeros(0, self.type)]
        self.pending = 0

    def add(
        self, site: MessageSite, places: NDArray[np.int64], words: Sequence[NDArray[np.uint32]]
    ) -> None:
        """Take a message of each place. words: for each operand dword, (places,)."""
        records = np.zeros(places.size, self.type)
        records["place"], records["site"] = places, site.number
        records["sequence"] = self.seen  # the same for many lanes, but not twice for one
        for n, word in enumerate(words):
            records["words"][:, n] = word
        self.seen += places.size
        self.pending += places.size
        self.parts.append(records)
        if self.pending > self.limit + _MOST_PENDING:
            self.parts, self.pending = [first_records(self.parts, self.limit, None)], 0

    def kept(self, last_group: int | None) -> Records:
        return first_records(self.parts, self.limit, last_group)
