"""What a finished run reports."""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.lower.messages import Message

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished run reports.

    poisoned: (register, rule) wherever Direct3D leaves contents undefined, in no order; also of
    views that are not what the shader declares (another dimension, UINT for SINT).
    messages: messages of printf, errorf, abort and debug_break, each with kind, text,
    group, thread and location; in order of groups (x, then y, then z), of threads in a group, and
    of execution. Of more than the caller allows these are the first ones; messages_dropped counts
    the others.
    aborted: the first group, in the same order, of which a thread executed abort; None if none did.
    Such a thread ends; other threads of its group go on, until a barrier if there is one. Groups
    before it have run as a whole. Groups after it may or may not have run, or in part (long loops
    are stopped); their messages are left out, but may be counted in messages_dropped if there are
    more than allowed.
    """

    poisoned: tuple[tuple[str, str], ...] = ()
    messages: tuple[Message, ...] = ()
    messages_dropped: int = 0
    aborted: tuple[int, int, int] | None = None
