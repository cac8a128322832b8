"""What threads of a run said, as lines or for JSON."""

from __future__ import annotations

from typing import Any

from softd3d.lower.messages import Message
from softd3d.lower.outcome import Outcome

__all__ = ["said_as_json", "said_lines"]


def said_lines(outcome: Outcome) -> list[str]:
    """Return a line for each message, one for those that were not kept, and one for an abort."""
    lines = [str(message) for message in outcome.messages]
    if outcome.messages_dropped:
        more = " more" if lines else ", none of them kept"
        lines.append(f"{'and ' if lines else ''}{outcome.messages_dropped} messages{more}")
    if outcome.aborted is not None:
        lines.append(f"aborted in group {outcome.aborted}")
    return lines


def said_as_json(outcome: Outcome) -> dict[str, Any]:
    """Return the messages, how many were not kept, and the group that aborted or None."""
    return {
        "messages": [_message(m) for m in outcome.messages],
        "messages_dropped": outcome.messages_dropped,
        "aborted": outcome.aborted,
    }


def _message(message: Message) -> dict[str, Any]:
    return {
        "kind": str(message.kind),
        "text": message.text,
        "group": message.group,
        "thread": message.thread,
        "instruction": message.location.instruction,
        "offset": message.location.offset,
    }
